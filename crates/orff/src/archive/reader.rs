//! Reading: the header at once, the tensors when they are asked for.

use super::atomic::said;
use super::header::{Contents, Entry, START, brief, damaged, measure, parse};
use crate::error::{Error, Result};
use faer::Mat;
use safetensors::tensor::Dtype;
use serde::Deserialize;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Bytes read at a time.
pub(super) const CHUNK: usize = 1 << 20;

/// An opened file. Its header has been checked; a tensor is read, and checked against its checksum, by the call that
/// asks for it, so that opening costs the same whatever the file holds.
///
/// The open file stays readable when another is saved over its name.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    source: Source,
    /// Where the first tensor starts.
    data: u64,
    contents: Contents,
}

#[derive(Debug)]
enum Source {
    File(Mutex<File>),
    Bytes(Vec<u8>),
}

impl Reader {
    /// Opens a file and checks its header and its length.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |source| said(path, source);
        // Before opening: opening a pipe waits for its writer.
        let about = fs::metadata(path).map_err(failed)?;
        if !about.is_file() {
            let what = if about.is_dir() { "is a directory" } else { "is not a regular file" };
            let why = format!("{what}, expected a file that Orff wrote");
            return Err(Error::File { path: path.into(), why });
        }
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        Self::check(path.into(), Source::File(Mutex::new(file)), length)
    }

    /// Opens what [`Archive::to_bytes`](super::Archive::to_bytes) gave.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        let length = bytes.len() as u64;
        Self::check("<bytes>".into(), Source::Bytes(bytes), length)
    }

    fn check(path: PathBuf, source: Source, length: u64) -> Result<Self> {
        let mistrusted = |why| Error::File { path: path.clone(), why };
        let mut start = [0; START];
        let start = &mut start[..length.min(START as u64) as usize];
        source.read_at(0, start).map_err(|e| said(&path, e))?;
        let data = measure(start, length).map_err(mistrusted)?;
        let mut block = vec![0; data as usize];
        source.read_at(0, &mut block).map_err(|e| said(&path, e))?;
        let contents = parse(&block, length).map_err(mistrusted)?;
        Ok(Reader { path, source, data, contents })
    }

    /// The file's name, `<bytes>` when there is none.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file is: `"model"`, `"moments"`, ….
    pub fn kind(&self) -> &str {
        &self.contents.kind
    }

    /// An error that names this file.
    pub fn damaged(&self, why: impl Into<String>) -> Error {
        Error::File { path: self.path.clone(), why: why.into() }
    }

    /// A part of the header as a value.
    pub fn part<T: for<'de> Deserialize<'de>>(&self, name: &str) -> Result<T> {
        serde_json::from_value(self.header()[name].clone())
            .map_err(|e| self.damaged(format!("its header has no usable \"{name}\" ({e})")))
    }

    /// Refuses a file of another kind.
    pub fn expect_kind(&self, kind: &str) -> Result<()> {
        if self.kind() == kind {
            Ok(())
        } else {
            Err(self.error(format!("holds {}, expected {kind}", brief(self.kind()))))
        }
    }

    /// The version of Orff that wrote the file.
    pub fn written_by(&self) -> &str {
        &self.contents.writer
    }

    /// The header.
    pub fn header(&self) -> &Value {
        &self.contents.header
    }

    /// The names of the tensors, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.contents.entries.keys().map(String::as_str)
    }

    /// Whether there is a tensor of this name.
    pub fn has(&self, name: &str) -> bool {
        self.contents.entries.contains_key(name)
    }

    /// The shape of a tensor, without reading it.
    pub fn shape(&self, name: &str) -> Result<&[usize]> {
        Ok(&self.entry(name)?.shape)
    }

    /// A rows×cols matrix; a side that is given must agree.
    pub fn mat(&self, name: &str, rows: Option<usize>, cols: Option<usize>) -> Result<Mat<f64>> {
        let entry = self.expect(name, Dtype::F64, &[rows, cols])?;
        let &[rows, cols] = entry.shape.as_slice() else { return Err(self.error("a matrix has two sides".into())) };
        let mut mat = Mat::new();
        mat.try_reserve(rows, cols).map_err(|_| self.no_memory(name, entry))?;
        mat.resize_with(rows, cols, |_, _| 0.0);
        // Whole rows at a time, column by column (the strip fits in the cache, the matrix does not), or, where a row
        // is longer than a chunk, value by value.
        let height = (CHUNK / 8).checked_div(cols).unwrap_or(0);
        let chunk = if height > 0 { 8 * height * cols } else { CHUNK };
        let mut done = 0; // values, in the order of the file
        self.stream(name, entry, chunk, &mut |bytes| {
            if height > 0 {
                let rows = done / cols..(done + bytes.len() / 8) / cols;
                for j in 0..cols {
                    let column = &mut mat.col_as_slice_mut(j)[rows.clone()];
                    for (value, word) in column.iter_mut().zip(words(&bytes[8 * j..]).step_by(cols)) {
                        *value = f64::from_le_bytes(word);
                    }
                }
            } else {
                for (k, word) in words(bytes).enumerate() {
                    mat[((done + k) / cols, (done + k) % cols)] = f64::from_le_bytes(word);
                }
            }
            done += bytes.len() / 8;
            Ok(())
        })
        .map_err(|e| said(&self.path, e))?;
        Ok(mat)
    }

    /// A vector of numbers; a length that is given must agree.
    pub fn vec(&self, name: &str, len: Option<usize>) -> Result<Vec<f64>> {
        self.list(name, Dtype::F64, len, &mut |bytes, out| out.extend(words(bytes).map(f64::from_le_bytes)))
    }

    /// A vector of integers; a length that is given must agree.
    pub fn u64s(&self, name: &str, len: Option<usize>) -> Result<Vec<u64>> {
        self.list(name, Dtype::U64, len, &mut |bytes, out| out.extend(words(bytes).map(u64::from_le_bytes)))
    }

    /// Bytes; a length that is given must agree.
    pub fn bytes(&self, name: &str, len: Option<usize>) -> Result<Vec<u8>> {
        self.list(name, Dtype::U8, len, &mut |bytes, out| out.extend_from_slice(bytes))
    }

    /// Reads every tensor and checks it against its checksum, in one megabyte of memory.
    pub fn verify_all(&self) -> Result<()> {
        let mut entries = self.contents.entries.iter();
        let verified = entries.try_for_each(|(name, entry)| self.stream(name, entry, CHUNK, &mut |_| Ok(())));
        verified.map_err(|e| said(&self.path, e))
    }

    /// The place of a tensor.
    pub(super) fn entry(&self, name: &str) -> Result<&Entry> {
        let entry = self.contents.entries.get(name);
        entry.ok_or_else(|| self.error(format!("has no tensor {name:?}: fit again or restore a copy")))
    }

    /// Hands the bytes of a tensor to `take`, `chunk` at a time, and checks them in the end: on an error nothing that
    /// was taken may be used. Errors of this file travel inside the `io::Error`, those of `take` as they are.
    pub(super) fn stream(
        &self,
        name: &str,
        entry: &Entry,
        chunk: usize,
        take: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let broken = |what: &str| io::Error::other(self.error(damaged(format!("the tensor {name:?} {what}"))));
        let mut crc = crc32fast::Hasher::new();
        let mut at = entry.start;
        let mut buffer = vec![0; (entry.end - entry.start).min(chunk as u64) as usize];
        while at < entry.end {
            let length = (entry.end - at).min(buffer.len() as u64) as usize;
            let part = &mut buffer[..length];
            self.source.read_at(self.data + at, part).map_err(|e| match e.kind() {
                io::ErrorKind::UnexpectedEof => broken("is cut off"),
                _ => io::Error::other(said(&self.path, e)),
            })?;
            crc.update(part);
            take(part)?;
            at += length as u64;
        }
        if crc.finalize() == entry.crc { Ok(()) } else { Err(broken("does not match its checksum")) }
    }

    fn list<T>(
        &self,
        name: &str,
        dtype: Dtype,
        len: Option<usize>,
        decode: &mut dyn FnMut(&[u8], &mut Vec<T>),
    ) -> Result<Vec<T>> {
        let entry = self.expect(name, dtype, &[len])?;
        let mut out = Vec::new();
        out.try_reserve_exact(entry.shape.iter().product()).map_err(|_| self.no_memory(name, entry))?;
        self.stream(name, entry, CHUNK, &mut |bytes| {
            decode(bytes, &mut out);
            Ok(())
        })
        .map_err(|e| said(&self.path, e))?;
        Ok(out)
    }

    /// The place of a tensor of this type and shape.
    fn expect(&self, name: &str, dtype: Dtype, shape: &[Option<usize>]) -> Result<&Entry> {
        let entry = self.entry(name)?;
        let agrees = entry.shape.len() == shape.len()
            && shape.iter().zip(&entry.shape).all(|(want, have)| want.is_none_or(|want| want == *have));
        if entry.dtype == dtype && agrees {
            return Ok(entry);
        }
        let side = |side: &Option<usize>| side.map_or("any".into(), |s| s.to_string());
        let wanted = shape.iter().map(side).collect::<Vec<_>>().join("×");
        let given = entry.shape.iter().map(usize::to_string).collect::<Vec<_>>().join("×");
        let given = if given.is_empty() { "a single value".into() } else { given };
        let given = format!("{given} of type {}", entry.dtype);
        let why = format!("the tensor {name:?}: expected {wanted} of type {dtype}, got {given}");
        Err(self.error(format!("{why}: fit again or restore a copy")))
    }

    fn no_memory(&self, name: &str, entry: &Entry) -> Error {
        self.error(format!("the tensor {name:?}: not enough memory for {} bytes", entry.end - entry.start))
    }

    fn error(&self, why: String) -> Error {
        Error::File { path: self.path.clone(), why }
    }
}

impl Source {
    fn read_at(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        match self {
            Source::File(file) => {
                // A reader that panicked left no more than a position behind.
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(at))?;
                file.read_exact(out)
            }
            Source::Bytes(bytes) => {
                let start = usize::try_from(at).ok();
                let part = start.and_then(|start| bytes.get(start..start.checked_add(out.len())?));
                out.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }
}

/// Little-endian words of eight bytes.
fn words(bytes: &[u8]) -> impl Iterator<Item = [u8; 8]> + '_ {
    bytes.as_chunks::<8>().0.iter().copied()
}
