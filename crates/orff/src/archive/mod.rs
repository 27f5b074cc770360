//! The file of a model: a JSON header and named tensors, nothing executable.
//!
//! The bytes are those of safetensors, so that other programs can open a file
//! (`safetensors.numpy.load_file("m.orff")` in Python); the header and the checksums are in its `__metadata__`.
//! Equal contents give equal bytes. A file that was cut off, altered, made by a newer Orff or that declares absurd
//! sizes is refused with the reason before anything large is allocated.

mod atomic;
mod header;
mod reader;

pub use atomic::write_atomically;
pub(crate) use header::MOST_VALUES;
pub use header::VERSION;
pub use reader::Reader;

use crate::error::{Error, Result};
use atomic::said;
use faer::MatRef;
use header::{Entry, encode, measure, parse};
use reader::CHUNK;
use safetensors::tensor::Dtype;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

/// A header and named tensors, to be written. Tensors are borrowed: nothing large is copied.
///
/// ```
/// use orff::archive::{Archive, Reader};
/// let omega = faer::mat![[1.0, 2.0, 3.0], [4.0, 5.0, f64::INFINITY]];
/// let mut archive = Archive::new("model", serde_json::json!({"columns": ["u", "v"]}));
/// archive.put_mat("omega", omega.as_ref());
/// archive.put_u64s("seed", vec![7]);
///
/// let file = Reader::from_bytes(archive.to_bytes()?)?;
/// assert_eq!(file.mat("omega", Some(2), None)?, omega);
/// assert_eq!(file.u64s("seed", Some(1))?, [7]);
/// assert_eq!(file.header()["columns"][1], "v");
/// # Ok::<(), orff::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Archive<'a> {
    kind: String,
    /// Written with its keys sorted. JSON has no NaN and no infinity: such numbers belong in a tensor.
    pub header: Value,
    tensors: BTreeMap<String, Tensor<'a>>,
}

#[derive(Clone, Debug)]
enum Tensor<'a> {
    Mat(MatRef<'a, f64>),
    Vec(Cow<'a, [f64]>),
    U64s(Cow<'a, [u64]>),
    Bytes(Cow<'a, [u8]>),
    Stored(&'a Reader, &'a Entry),
}

/// Tensors in the order of their bytes, with their names.
type InOrder<'s, 'a> = Vec<(&'s str, &'s Tensor<'a>)>;

impl<'a> Archive<'a> {
    /// An archive without tensors; `kind` says what it is (`"model"`, `"moments"`).
    pub fn new(kind: &str, header: Value) -> Self {
        Archive { kind: kind.into(), header, tensors: BTreeMap::new() }
    }

    /// Adds a matrix, in place of an earlier tensor of this name.
    pub fn put_mat(&mut self, name: &str, mat: MatRef<'a, f64>) {
        self.tensors.insert(name.into(), Tensor::Mat(mat));
    }

    /// Adds a vector of numbers, in place of an earlier tensor of this name.
    pub fn put_vec(&mut self, name: &str, values: impl Into<Cow<'a, [f64]>>) {
        self.tensors.insert(name.into(), Tensor::Vec(values.into()));
    }

    /// Adds a vector of integers, in place of an earlier tensor of this name.
    pub fn put_u64s(&mut self, name: &str, values: impl Into<Cow<'a, [u64]>>) {
        self.tensors.insert(name.into(), Tensor::U64s(values.into()));
    }

    /// Adds bytes, in place of an earlier tensor of this name.
    pub fn put_bytes(&mut self, name: &str, bytes: impl Into<Cow<'a, [u8]>>) {
        self.tensors.insert(name.into(), Tensor::Bytes(bytes.into()));
    }

    /// Adds a tensor of an opened file as it is, a megabyte at a time when it is written: what was never needed in
    /// memory does not have to be read to be kept.
    pub fn put_stored(&mut self, name: &str, file: &'a Reader) -> Result<()> {
        self.tensors.insert(name.into(), Tensor::Stored(file, file.entry(name)?));
        Ok(())
    }

    /// Writes the file in one step, see [`write_atomically`].
    pub fn save(&self, path: &Path) -> Result<()> {
        let (block, order) = self.block(path)?;
        write_atomically(path, |out| {
            out.write_all(&block)?;
            order.iter().try_for_each(|(name, tensor)| tensor.write(name, out))
        })
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let path = Path::new("<bytes>");
        let (mut bytes, order) = self.block(path)?;
        order.iter().try_for_each(|(name, tensor)| tensor.write(name, &mut bytes)).map_err(|e| said(path, e))?;
        Ok(bytes)
    }

    /// The header block, and the tensors in the order of their bytes.
    fn block(&self, path: &Path) -> Result<(Vec<u8>, InOrder<'_, 'a>)> {
        // Single bytes last: every number then starts at a multiple of eight.
        let mut order: Vec<_> = self.tensors.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
        order.sort_by_key(|(_, tensor)| tensor.dtype() == Dtype::U8);
        let mut start = 0;
        let mut entries = Vec::with_capacity(order.len());
        for &(name, tensor) in &order {
            let mut sum = Checksum::default();
            tensor.write(name, &mut sum).map_err(|e| said(path, e))?;
            let end = start + sum.length;
            let (dtype, shape) = (tensor.dtype(), tensor.shape());
            entries.push((name, Entry { dtype, shape, start, end, crc: sum.crc.finalize() }));
            start = end;
        }
        let block = encode(&self.kind, &self.header, &entries);
        let file = block.len() as u64 + start;
        // What cannot be read (a header nested too deep or too long, a tensor named `__metadata__`) is not written.
        match measure(&block, file).and_then(|_| parse(&block, file)) {
            Ok(_) => Ok((block, order)),
            Err(why) => {
                Err(Error::File { path: path.into(), why: format!("would be a file that Orff refuses: {why}") })
            }
        }
    }
}

impl Tensor<'_> {
    fn dtype(&self) -> Dtype {
        match self {
            Tensor::Mat(_) | Tensor::Vec(_) => Dtype::F64,
            Tensor::U64s(_) => Dtype::U64,
            Tensor::Bytes(_) => Dtype::U8,
            Tensor::Stored(_, entry) => entry.dtype,
        }
    }

    fn shape(&self) -> Vec<usize> {
        match self {
            Tensor::Mat(mat) => vec![mat.nrows(), mat.ncols()],
            Tensor::Vec(values) => vec![values.len()],
            Tensor::U64s(values) => vec![values.len()],
            Tensor::Bytes(bytes) => vec![bytes.len()],
            Tensor::Stored(_, entry) => entry.shape.clone(),
        }
    }

    /// Writes the bytes: little endian, row after row.
    fn write(&self, name: &str, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Tensor::Mat(mat) => write_mat(*mat, out),
            Tensor::Vec(values) => write_words(values, f64::to_le_bytes, out),
            Tensor::U64s(values) => write_words(values, u64::to_le_bytes, out),
            Tensor::Bytes(bytes) => out.write_all(bytes),
            Tensor::Stored(file, entry) => file.stream(name, entry, CHUNK, &mut |bytes| out.write_all(bytes)),
        }
    }
}

fn write_mat(mat: MatRef<'_, f64>, out: &mut dyn Write) -> io::Result<()> {
    let (rows, cols) = mat.shape();
    let Some(height) = (CHUNK / 8).checked_div(cols) else { return Ok(()) };
    let height = height.max(1).min(rows);
    let mut strip = vec![0; 8 * height * cols]; // height×cols, row after row
    let mut first = 0;
    while first < rows {
        let height = height.min(rows - first);
        let strip = &mut strip[..8 * height * cols];
        for j in 0..cols {
            for i in 0..height {
                let at = 8 * (i * cols + j);
                strip[at..at + 8].copy_from_slice(&mat[(first + i, j)].to_le_bytes());
            }
        }
        out.write_all(strip)?;
        first += height;
    }
    Ok(())
}

fn write_words<T: Copy>(values: &[T], encode: fn(T) -> [u8; 8], out: &mut dyn Write) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(CHUNK.min(8 * values.len()));
    for part in values.chunks(CHUNK / 8) {
        buffer.clear();
        buffer.extend(part.iter().flat_map(|&value| encode(value)));
        out.write_all(&buffer)?;
    }
    Ok(())
}

/// Counts and sums what is written to it.
#[derive(Default)]
struct Checksum {
    crc: crc32fast::Hasher,
    length: u64,
}

impl Write for Checksum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.crc.update(bytes);
        self.length += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
