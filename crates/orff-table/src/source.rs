//! Rows from files or a stream, in batches, by an encoding.

use crate::cell::Tokens;
use crate::choose::choose;
use crate::chunk::{Chunks, Opened};
use crate::column::Selector;
use crate::encoding::{Encoding, Sparse};
use crate::error::{Error, Result};
use crate::fit::{fit, needs_pass};
use crate::format::Format;
use crate::header::Header;
use crate::open::{Input, Opener, Origin};
use crate::options::{Options, Select};
use crate::page::{Binder, Page};
use crate::paths::expand;
use crate::plan::Finder;
use orff::rows::{Batch, Rows};
use std::collections::VecDeque;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use tempfile::TempPath;

/// Rows of one table in one or several files, or of a stream that can be read once. Memory does not grow with the
/// number of rows.
///
/// ```
/// use orff::rows::Rows;
/// use orff_table::{Options, Select, Source};
/// let text = "x,y,speed\n1,2,3.5\n4,5,6.5\n";
/// let select = Select { outputs: Some("speed".parse()?), ..Select::default() };
/// let rows = Source::read("wind", text.as_bytes(), &Options::default(), &select)?;
/// assert_eq!((rows.inputs(), rows.outputs()), (2, 1));
/// for batch in rows.batches()? {
///     assert_eq!(batch?.outputs[(1, 0)], 6.5);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Source {
    files: Vec<Input>,
    stream: Option<Mutex<Stage>>,
    opener: Opener,
    encoding: Arc<Encoding>,
    needs_outputs: bool,
    keep: Option<Selector>,
    kept: Vec<String>,
    left_out: Vec<String>,
    read: Arc<AtomicU64>,
    total: Option<u64>,
    _copy: Option<TempPath>,
}

/// How far a stream has been read.
enum Stage {
    Fresh(Box<dyn Opened>),
    Looked(VecDeque<Page>, Box<Running>),
    Spent,
}

/// What a source is opened for.
enum Purpose<'a> {
    Learn(&'a Select),
    Apply { encoding: &'a Encoding, outputs: bool, keep: Option<Selector> },
}

impl Source {
    /// Opens files (or patterns, or `-`) to learn from: resolves the selection, and finds means, categories and the
    /// width of sparse rows by a first pass where they are needed.
    pub fn open<P: AsRef<Path>>(paths: &[P], options: &Options, select: &Select) -> Result<Self> {
        let origin = Origin::of_paths(expand(paths)?, options.format)?;
        Source::build(origin, options, Purpose::Learn(select))
    }

    /// Opens files (or patterns, or `-`) with the encoding of a model. Outputs and weights are read if `outputs`.
    pub fn with_encoding<P: AsRef<Path>>(
        paths: &[P],
        options: &Options,
        encoding: &Encoding,
        outputs: bool,
        keep: Option<Selector>,
    ) -> Result<Self> {
        let origin = Origin::of_paths(expand(paths)?, options.format)?;
        Source::build(origin, options, Purpose::Apply { encoding, outputs, keep })
    }

    /// Like [`open`](Self::open) for a reader; `name` is for messages.
    pub fn read(name: &str, reader: impl Read + Send + 'static, options: &Options, select: &Select) -> Result<Self> {
        let origin = Origin::of_reader(name, Box::new(reader), options.format)?;
        Source::build(origin, options, Purpose::Learn(select))
    }

    /// Like [`with_encoding`](Self::with_encoding) for a reader.
    pub fn read_with_encoding(
        name: &str,
        reader: impl Read + Send + 'static,
        options: &Options,
        encoding: &Encoding,
        outputs: bool,
        keep: Option<Selector>,
    ) -> Result<Self> {
        let origin = Origin::of_reader(name, Box::new(reader), options.format)?;
        Source::build(origin, options, Purpose::Apply { encoding, outputs, keep })
    }

    fn build(origin: Origin, options: &Options, purpose: Purpose) -> Result<Self> {
        let words = options.missing_tokens.clone().unwrap_or_else(|| match &purpose {
            Purpose::Apply { encoding, .. } => encoding.missing_tokens.clone(),
            Purpose::Learn(_) => crate::MISSING_TOKENS.map(String::from).to_vec(),
        });
        let mut opener = Opener { options: options.clone(), tokens: Tokens::new(&words), sparse: None };
        let ignored = Arc::new(AtomicU64::new(0));
        let (files, copy, first) = match origin {
            Origin::Stream(name, bytes) => {
                opener.learn(&[], purpose.sparse())?;
                let format = options.format.unwrap_or(Format::Csv);
                (Vec::new(), None, opener.text(format, &name, bytes)?)
            }
            Origin::Files(files, copy) => {
                opener.learn(&files, purpose.sparse())?;
                let first = opener.file(&files[0], &ignored)?;
                (files, copy, first)
            }
        };
        let (encoding, needs_outputs, keep, left_out) = match purpose {
            Purpose::Apply { encoding, outputs, keep } => (encoding.clone(), outputs, keep, Vec::new()),
            Purpose::Learn(select) => {
                let draft = choose(first.header(), select, words, opener.sparse.clone())?;
                let mut encoding = draft.encoding;
                if needs_pass(&encoding) {
                    if files.is_empty() {
                        return Err(Error::Options(format!(
                            "{}: means and categories need a pass over all rows, and this source can be read only \
                             once (save it to a file first)",
                            first.header().file
                        )));
                    }
                    let opened = files.iter().map(|f| opener.file(f, &ignored));
                    fit(&mut encoding, opened, &opener.tokens, |c| opener.rows(c))?;
                }
                (encoding, true, select.keep.clone(), draft.left_out)
            }
        };
        encoding.check()?;
        let kept = match &keep {
            Some(k) => k.resolve(first.header())?.into_iter().map(|c| first.header().names[c].clone()).collect(),
            None => Vec::new(),
        };
        let mut empty = true;
        let mut fits = |header: &Header| {
            empty &= header.empty;
            Finder { encoding: &encoding, header, outputs: needs_outputs }.wants(keep.as_ref()).map(|_| ())
        };
        fits(first.header())?;
        for file in files.iter().skip(1) {
            fits(opener.file(file, &ignored)?.header())?;
        }
        if empty {
            let what = if first.header().named { "has column names but no rows" } else { "has no rows" };
            return Err(Error::file(&first.header().file, what));
        }
        let size = |f: &Input| std::fs::metadata(&f.path).map(|m| m.len()).ok();
        let total = if files.is_empty() { None } else { files.iter().map(size).sum() };
        let stream = files.is_empty().then(|| Mutex::new(Stage::Fresh(first)));
        let encoding = Arc::new(encoding);
        let read = Arc::new(AtomicU64::new(0));
        let _copy = copy;
        Ok(Source { files, stream, opener, encoding, needs_outputs, keep, kept, left_out, read, total, _copy })
    }

    /// The encoding, for the model file.
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// The name of each input after encoding.
    pub fn input_names(&self) -> Vec<String> {
        self.encoding.input_names()
    }

    /// The name of each output (none if outputs are not read).
    pub fn output_names(&self) -> Vec<String> {
        if self.needs_outputs { self.encoding.output_names() } else { Vec::new() }
    }

    /// The name of each carried column.
    pub fn kept_names(&self) -> &[String] {
        &self.kept
    }

    /// Columns that were not taken as inputs by default, because they hold no numbers.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Bytes of all files together; None for a stream.
    pub fn bytes_total(&self) -> Option<u64> {
        self.total
    }

    /// Bytes (compressed ones where files are compressed) read so far in the current pass.
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Relaxed)
    }

    /// The first rows, at most `rows`. A stream is still delivered from its first row by the next pass.
    pub fn head(&self, rows: usize) -> Result<Vec<Batch>> {
        let mut pages = self.pages()?;
        let (mut seen, mut left, mut out) = (VecDeque::new(), rows, Vec::new());
        while left > 0 {
            let Some(page) = pages.next() else { break };
            let page = page?;
            let n = page.batch.inputs.nrows().min(left);
            left -= n;
            out.push(crate::split::first(&page.batch, n));
            if self.stream.is_some() {
                seen.push_back(page);
            }
        }
        if let (Some(stage), Some(running)) = (&self.stream, pages.running.take()) {
            seen.append(&mut pages.replay);
            *stage.lock().unwrap_or_else(PoisonError::into_inner) = Stage::Looked(seen, running);
        }
        Ok(out)
    }

    /// The rows in order with the carried columns beside them.
    pub fn pages(&self) -> Result<Pages<'_>> {
        let mut pages =
            Pages { source: self, file: 0, running: None, replay: VecDeque::new(), seen: 0, ended: false };
        if let Some(stage) = &self.stream {
            let mut stage = stage.lock().unwrap_or_else(PoisonError::into_inner);
            match std::mem::replace(&mut *stage, Stage::Spent) {
                Stage::Fresh(opened) => pages.running = Some(self.run(opened)?),
                Stage::Looked(replay, running) => (pages.replay, pages.running) = (replay, Some(running)),
                Stage::Spent => {
                    return Err(Error::Options(
                        "standard input can be read only once (save it to a file first, and give the file)".into(),
                    ));
                }
            }
        } else {
            self.read.store(0, Relaxed);
        }
        Ok(pages)
    }

    fn run(&self, opened: Box<dyn Opened>) -> Result<Box<Running>> {
        let header = opened.header().clone();
        let finder = Finder { encoding: &self.encoding, header: &header, outputs: self.needs_outputs };
        let wants = finder.wants(self.keep.as_ref())?;
        let chunks = opened.start(wants.clone(), self.opener.rows(wants.len()))?;
        let binder = Binder::new(self.encoding.clone(), header, wants, self.needs_outputs, &self.opener.tokens);
        Ok(Box::new(Running { chunks, binder }))
    }
}

impl Purpose<'_> {
    /// What a model says of sparse inputs, if there is one.
    fn sparse(&self) -> Option<Option<Sparse>> {
        match self {
            Purpose::Learn(_) => None,
            Purpose::Apply { encoding, .. } => Some(encoding.sparse.clone()),
        }
    }
}

impl Rows for Source {
    fn inputs(&self) -> usize {
        self.encoding.width()
    }

    fn outputs(&self) -> usize {
        if self.needs_outputs { self.encoding.outputs.len() } else { 0 }
    }

    fn batches(&self) -> orff::Result<Box<dyn Iterator<Item = orff::Result<Batch>> + '_>> {
        let pages = self.pages().map_err(orff::Error::from)?;
        Ok(Box::new(pages.map(|page| page.map(|p| p.batch).map_err(orff::Error::from))))
    }

    fn rereadable(&self) -> bool {
        self.stream.is_none()
    }
}

/// A file being read.
struct Running {
    chunks: Box<dyn Chunks>,
    binder: Binder,
}

/// The pages of a source.
pub struct Pages<'a> {
    source: &'a Source,
    file: usize,
    running: Option<Box<Running>>,
    replay: VecDeque<Page>,
    seen: u64,
    ended: bool,
}

impl Pages<'_> {
    fn advance(&mut self) -> Result<Option<Page>> {
        if let Some(page) = self.replay.pop_front() {
            self.seen += 1;
            return Ok(Some(page));
        }
        loop {
            let Some(running) = &mut self.running else {
                let Some(input) = self.source.files.get(self.file) else { return self.finish() };
                self.file += 1;
                let opened = self.source.opener.file(input, &self.source.read)?;
                self.running = Some(self.source.run(opened)?);
                continue;
            };
            match running.chunks.next()? {
                Some(chunk) => {
                    let page = running.binder.bind(&chunk)?;
                    if page.batch.inputs.nrows() > 0 {
                        self.seen += 1;
                        return Ok(Some(page));
                    }
                }
                None if self.source.stream.is_some() => return self.finish(),
                None => self.running = None,
            }
        }
    }

    fn finish(&self) -> Result<Option<Page>> {
        if self.seen > 0 {
            return Ok(None);
        }
        Err(Error::Options(
            "no row is left: every row has a missing value and was dropped (use --missing mean)".into(),
        ))
    }
}

impl Iterator for Pages<'_> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.advance().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}
