//! Opens a file or stream in its format.

use crate::arrays::Arrays;
use crate::cell::Tokens;
use crate::chunk::Opened;
use crate::encoding::Sparse;
use crate::error::{Error, Result};
use crate::format::{Format, MAGIC};
use crate::options::Options;
use crate::stream::{Bytes, Counted, Stream, failed};
use crate::svmlight::{Scan, Svmlight};
use crate::text::Text;
use crate::{ipc, pq};
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tempfile::TempPath;

/// A file and its name in messages.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub path: PathBuf,
    pub shown: String,
}

/// Where rows come from.
pub(crate) enum Origin {
    /// Files that can be read again; the last is set when they are a copy of a stream.
    Files(Vec<Input>, Option<TempPath>),
    /// Text that can be read once.
    Stream(String, Bytes),
}

impl Origin {
    /// Files, or the one stream that a path stands for (`-`, a named pipe).
    pub fn of_paths(files: Vec<PathBuf>, format: Option<Format>) -> Result<Self> {
        let dash = |p: &PathBuf| p.as_os_str() == "-";
        if files.len() == 1 && dash(&files[0]) {
            return Origin::of_reader("standard input", Box::new(std::io::stdin()), format);
        }
        if files.iter().any(dash) {
            return Err(Error::Options("standard input (-) cannot be mixed with files".into()));
        }
        for path in &files {
            let shown = path.display().to_string();
            let about = std::fs::metadata(path).map_err(|e| Error::io(path, e))?;
            if about.is_dir() {
                return Err(Error::file(&shown, "is a directory (name its files, as in \"dir/*.csv\")"));
            }
            if !about.is_file() {
                if files.len() > 1 {
                    return Err(Error::file(&shown, "is a pipe or device and cannot be mixed with other files"));
                }
                let file = File::open(path).map_err(|e| Error::io(path, e))?;
                return Origin::of_reader(&shown, Box::new(file), format);
            }
        }
        let input = |path: PathBuf| Input { shown: path.display().to_string(), path };
        Ok(Origin::Files(files.into_iter().map(input).collect(), None))
    }

    /// A stream of text stays one; binary formats need to seek, so they are copied to a temporary file.
    pub fn of_reader(name: &str, mut bytes: Bytes, format: Option<Format>) -> Result<Self> {
        let mut head = Vec::new();
        bytes.by_ref().take(MAGIC as u64).read_to_end(&mut head).map_err(|e| failed(name, e))?;
        let asked = format.or(Format::of_bytes(&head)).unwrap_or(Format::Csv);
        let format = Format::decide(Some(asked), name, &head)?;
        let mut whole = Cursor::new(head).chain(bytes);
        if format.is_text() {
            return Ok(Origin::Stream(name.into(), Box::new(whole)));
        }
        let mut copy = tempfile::NamedTempFile::new().map_err(|e| Error::io("temporary file", e))?;
        std::io::copy(&mut whole, &mut copy).map_err(|e| Error::io(name, e))?;
        let path = copy.into_temp_path();
        Ok(Origin::Files(vec![Input { path: path.to_path_buf(), shown: name.into() }], Some(path)))
    }
}

/// How files are opened.
#[derive(Clone)]
pub(crate) struct Opener {
    pub options: Options,
    pub tokens: Tokens,
    /// What is known of sparse inputs.
    pub sparse: Option<Sparse>,
}

impl Opener {
    pub fn format(&self, input: &Input) -> Result<Format> {
        let mut head = Vec::new();
        let file = File::open(&input.path).map_err(|e| Error::io(&input.path, e))?;
        file.take(MAGIC as u64).read_to_end(&mut head).map_err(|e| failed(&input.shown, e))?;
        if head.is_empty() {
            return Err(Error::file(&input.shown, "the file is empty"));
        }
        Format::decide(self.options.format, &input.shown, &head)
    }

    /// Opens a file; the bytes that are read later are added to `count`.
    pub fn file(&self, input: &Input, count: &Arc<AtomicU64>) -> Result<Box<dyn Opened>> {
        let format = self.format(input)?;
        let path: &Path = &input.path;
        let file = File::open(path).map_err(|e| Error::io(path, e))?;
        match format {
            Format::Csv | Format::Svmlight => {
                let bytes = Counted { inner: file, count: count.clone() };
                self.text(format, &input.shown, Box::new(bytes))
            }
            Format::Parquet => Ok(Box::new(pq::open(&input.shown, file, count)?)),
            Format::Arrow => Ok(Box::new(ipc::open(&input.shown, file, count)?)),
            Format::Npy => Ok(Box::new(Arrays::npy(&input.shown, file, count)?)),
            Format::Npz => Ok(Box::new(Arrays::npz(&input.shown, file, count)?)),
        }
    }

    /// Opens a stream of text.
    pub fn text(&self, format: Format, name: &str, bytes: Bytes) -> Result<Box<dyn Opened>> {
        let stream = Stream::new(name, bytes)?;
        Ok(match (format, &self.sparse) {
            (Format::Svmlight, Some(sparse)) => Box::new(Svmlight::open(stream, sparse.clone(), &self.tokens)?),
            _ => Box::new(Text::open(stream, &self.options, &self.tokens)?),
        })
    }

    /// Finds out about sparse inputs before anything is opened. `model` is what a model says of them, if there is one.
    pub fn learn(&mut self, files: &[Input], model: Option<Option<Sparse>>) -> Result<()> {
        let formats: Vec<Format> = match files {
            [] => vec![self.options.format.unwrap_or(Format::Csv)],
            files => files.iter().map(|f| self.format(f)).collect::<Result<_>>()?,
        };
        let count = formats.iter().filter(|f| **f == Format::Svmlight).count();
        let refuse = |why: &str| Err(Error::Options(why.into()));
        match (count, model) {
            (0, Some(Some(_))) => refuse("the model was trained on sparse svmlight rows: give it such rows"),
            (0, _) => Ok(()),
            (n, _) if n < formats.len() => refuse("svmlight files cannot be mixed with files of other formats"),
            (_, Some(None)) => refuse("the model was trained on columns, not on sparse svmlight rows"),
            (_, Some(Some(known))) => {
                let zero_based = self.options.zero_based.unwrap_or(known.zero_based);
                self.sparse = Some(Sparse { width: known.width, zero_based });
                Ok(())
            }
            (_, None) => {
                self.sparse = Some(self.scan(files)?);
                Ok(())
            }
        }
    }

    /// The width of sparse rows, as given or found by a pass over all of them.
    fn scan(&self, files: &[Input]) -> Result<Sparse> {
        let (width, zero_based) = (self.options.width, self.options.zero_based);
        if let (Some(width), Some(zero_based)) = (width, zero_based) {
            return Ok(Sparse { width, zero_based });
        }
        if files.is_empty() {
            let width = width.ok_or_else(|| {
                let how = "give --width, or save the rows to a file first";
                Error::Options(format!(
                    "the number of inputs of sparse rows that can be read only once is needed ({how})"
                ))
            })?;
            return Ok(Sparse { width, zero_based: zero_based.unwrap_or(false) });
        }
        let mut scan = Scan::default();
        for input in files {
            let file = File::open(&input.path).map_err(|e| Error::io(&input.path, e))?;
            scan.add(Stream::new(&input.shown, Box::new(file))?, &self.tokens)?;
        }
        let zero_based = zero_based.unwrap_or(scan.least == Some(0));
        let found = scan.most as usize + usize::from(zero_based);
        Ok(Sparse { width: width.unwrap_or(found), zero_based })
    }

    /// How many rows are read at a time: some megabytes of cells.
    pub fn rows(&self, columns: usize) -> usize {
        self.options.batch.unwrap_or(((1 << 19) / columns.max(1)).min(8192)).max(1)
    }
}
