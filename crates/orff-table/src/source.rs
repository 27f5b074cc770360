//! Rows from files or a stream, in batches, by an encoding.

use crate::cell::Tokens;
use crate::choose::choose;
use crate::chunk::{As, Chunks, Opened, Want};
use crate::column::Selector;
use crate::encoding::{Encoding, Sparse};
use crate::error::{Error, Result};
use crate::fit::{fit, needs_pass};
use crate::format::Format;
use crate::header::Header;
use crate::keep::Kept;
use crate::open::{Input, Opener, Origin};
use crate::options::{Missing, Options, Select};
use crate::page::{Binder, Page};
use crate::paths::expand;
use crate::plan::Finder;
use orff::rows::{Batch, Batches, Rows};
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
    single: bool,
    keep: Option<Selector>,
    kept: Vec<Kept>,
    left_out: Vec<String>,
    read: Arc<AtomicU64>,
    skipped: AtomicU64,
    total: Option<u64>,
    _copy: Option<Arc<TempPath>>,
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
                let mut first = opener.file(&files[0], &ignored)?;
                // the first file with rows tells what the columns hold
                for file in &files[1..] {
                    if !first.header().empty {
                        break;
                    }
                    first = opener.file(file, &ignored)?;
                }
                (files, copy, first)
            }
        };
        if first.header().empty {
            let name = files.first().map_or(first.header().file.clone(), |f| f.shown.clone());
            let what = if first.header().named { "no rows: the file holds only column names" } else { "no rows" };
            return Err(Error::file(name, what));
        }
        let (encoding, needs_outputs, keep, left_out) = match purpose {
            Purpose::Apply { encoding, outputs, keep } => {
                let mut encoding = encoding.clone();
                encoding.forget_absent_weights(first.header())?;
                (encoding, outputs, keep, Vec::new())
            }
            Purpose::Learn(select) => {
                let draft = choose(first.header(), select, words, opener.sparse.clone())?;
                let mut encoding = draft.encoding;
                if needs_pass(&encoding) {
                    if files.is_empty() {
                        return Err(Error::Options(format!(
                            "{}: means, categories and tasks need a pass over all rows, and this source can be read only \
                             once (save it to a file first)",
                            first.header().file
                        )));
                    }
                    let opened = files.iter().map(|f| opener.file(f, &ignored));
                    fit(&mut encoding, opened, &opener.tokens, |c| opener.rows(c), &|_| true)?;
                }
                (encoding, true, select.keep.clone(), draft.left_out)
            }
        };
        encoding.check()?;
        let kept = match &keep {
            Some(k) => k.resolve(first.header())?.into_iter().map(|c| Kept::of(first.header(), c)).collect(),
            None => Vec::new(),
        };
        // says whether its inputs are in single precision
        let fits = |header: &Header| -> Result<bool> {
            let wants = Finder { encoding: &encoding, header, outputs: needs_outputs }.wants(keep.as_ref())?;
            let inputs = &wants[..encoding.inputs.len().min(wants.len())];
            let single = |want: &Want| matches!(want.how, As::Number(_)) && header.single.contains(&want.column);
            Ok(!inputs.is_empty() && inputs.iter().all(single))
        };
        let mut single = fits(first.header())?;
        for file in files.iter().filter(|f| f.shown != first.header().file) {
            single &= fits(opener.file(file, &ignored)?.header())?;
        }
        let size = |f: &Input| std::fs::metadata(&f.path).map(|m| m.len()).ok();
        let total = if files.is_empty() { None } else { files.iter().map(size).sum() };
        let stream = files.is_empty().then(|| Mutex::new(Stage::Fresh(first)));
        let encoding = Arc::new(encoding);
        let read = Arc::new(AtomicU64::new(0));
        let (_copy, skipped) = (copy.map(Arc::new), AtomicU64::new(0));
        Ok(Source {
            files,
            stream,
            opener,
            encoding,
            needs_outputs,
            single,
            keep,
            kept,
            left_out,
            read,
            skipped,
            total,
            _copy,
        })
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

    /// The carried columns.
    pub fn kept(&self) -> &[Kept] {
        &self.kept
    }

    /// The same files with means (and shares of categories) of the rows for which `part` holds, numbered from 0 as they
    /// are delivered: rows that are held out then tell nothing. Which categories there are is known from all rows. One
    /// more pass, if missing values are replaced by means.
    pub fn learned_from(&self, part: impl Fn(u64) -> bool) -> Result<Source> {
        let mut encoding = (*self.encoding).clone();
        if encoding.missing == Missing::Mean && !encoding.inputs.is_empty() {
            encoding.inputs.iter_mut().for_each(|i| i.code.forget_mean());
            let ignored = Arc::new(AtomicU64::new(0));
            let opened = self.files.iter().map(|f| self.opener.file(f, &ignored));
            fit(&mut encoding, opened, &self.opener.tokens, |c| self.opener.rows(c), &part)?;
        }
        if self.stream.is_some() {
            return Err(once());
        }
        Ok(Source {
            files: self.files.clone(),
            stream: None,
            opener: self.opener.clone(),
            encoding: Arc::new(encoding),
            needs_outputs: self.needs_outputs,
            single: self.single,
            keep: self.keep.clone(),
            kept: self.kept.clone(),
            left_out: self.left_out.clone(),
            read: self.read.clone(),
            skipped: AtomicU64::new(0),
            total: self.total,
            _copy: self._copy.clone(),
        })
    }

    /// Rows skipped so far in the current pass, because of a missing value.
    pub fn skipped(&self) -> u64 {
        self.skipped.load(Relaxed)
    }

    /// Columns that were not taken as inputs by default, because they hold no values.
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
            let n = page.used.len().min(left);
            left -= n;
            if n > 0 {
                out.push(crate::split::first(&page.batch, n));
            }
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

    /// The rows in order with the carried columns beside them. A page may hold no row that can be used.
    pub fn pages(&self) -> Result<Pages<'_>> {
        self.skipped.store(0, Relaxed);
        let mut pages =
            Pages { source: self, file: 0, running: None, replay: VecDeque::new(), used: 0, ended: false };
        if let Some(stage) = &self.stream {
            let mut stage = stage.lock().unwrap_or_else(PoisonError::into_inner);
            match std::mem::replace(&mut *stage, Stage::Spent) {
                Stage::Fresh(opened) => pages.running = Some(self.run(opened)?),
                Stage::Looked(replay, running) => (pages.replay, pages.running) = (replay, Some(running)),
                Stage::Spent => return Err(once()),
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

fn once() -> Error {
    Error::Options("standard input can be read only once (save it to a file first, and give the file)".into())
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
        match (&self.encoding.task, self.needs_outputs) {
            (_, false) => 0,
            (None, true) => self.encoding.outputs.len(),
            // long rows: the number of the task, and its value
            (Some(_), true) => 2,
        }
    }

    fn batches(&self) -> orff::Result<Batches<'_>> {
        let pages = self.pages().map_err(orff::Error::from)?;
        let batches = pages.map(|page| page.map(|p| p.batch).map_err(orff::Error::from));
        Ok(Box::new(batches.filter(|b| b.as_ref().map_or(true, |b| b.inputs.nrows() > 0))))
    }

    fn rereadable(&self) -> bool {
        self.stream.is_none()
    }

    fn single(&self) -> bool {
        self.single
    }

    fn classes(&self) -> Option<&[String]> {
        self.encoding.labels.as_ref().filter(|_| self.needs_outputs).map(|labels| &labels.values[..])
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
    used: u64,
    ended: bool,
}

impl Pages<'_> {
    fn advance(&mut self) -> Result<Option<Page>> {
        if let Some(page) = self.replay.pop_front() {
            return Ok(Some(self.count(page)));
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
                    return Ok(Some(self.count(page)));
                }
                None if self.source.stream.is_some() => return self.finish(),
                None => self.running = None,
            }
        }
    }

    fn count(&mut self, page: Page) -> Page {
        self.used += page.used.len() as u64;
        self.source.skipped.fetch_add((page.nrows() - page.used.len()) as u64, Relaxed);
        page
    }

    /// Rows to learn from or to score on must not all be left out.
    fn finish(&self) -> Result<Option<Page>> {
        if self.used > 0 || !self.source.needs_outputs {
            return Ok(None);
        }
        let file = self.source.files.first().map_or("standard input".into(), |f| f.shown.clone());
        let why = "no row is left: every row has a missing value and was dropped (use --missing mean)";
        Err(Error::file(file, why))
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
