//! NumPy arrays: the header of an array, and its numbers by rows, in either order.

use crate::error::{Error, Result};
use crate::guard::damaged;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// Longest header that is believed.
const LONGEST: u64 = 1 << 20;

/// How one number is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dtype {
    kind: u8,
    size: usize,
    big: bool,
}

/// One or two axes of numbers within a file.
pub(crate) struct Array {
    pub rows: u64,
    pub columns: usize,
    /// One axis only.
    pub flat: bool,
    fortran: bool,
    dtype: Dtype,
    file: File,
    /// Where the numbers begin.
    start: u64,
}

/// An array, or the words for what it is instead ("complex numbers").
pub(crate) enum Found {
    Numbers(Array),
    Other(String),
}

impl Array {
    /// Reads the header of the array that fills `length` bytes of the file from `from` on.
    pub fn open(name: &str, mut file: File, from: u64, length: u64) -> Result<Found> {
        let io = |e| Error::io(name, e);
        file.seek(SeekFrom::Start(from)).map_err(io)?;
        let mut head = Vec::new();
        (&mut file).take(12.min(length)).read_to_end(&mut head).map_err(io)?;
        if !head.starts_with(b"\x93NUMPY") || head.len() < 12 {
            return Err(damaged(name, "it has no NumPy header"));
        }
        let (skip, size) = match head[6] {
            1 => (10, u16::from_le_bytes([head[8], head[9]]) as u64),
            2 | 3 => (12, u32::from_le_bytes([head[8], head[9], head[10], head[11]]) as u64),
            v => return Err(Error::file(name, format!("NumPy format {v} is not known"))),
        };
        if size > LONGEST || skip + size > length {
            return Err(damaged(name, "its header is longer than the file: is it truncated?"));
        }
        let mut text = vec![0; size as usize];
        file.seek(SeekFrom::Start(from + skip)).map_err(io)?;
        file.read_exact(&mut text).map_err(io)?;
        let text = String::from_utf8_lossy(&text);
        let (descr, fortran, shape) =
            parse(&text).ok_or_else(|| damaged(name, "its header is not a NumPy description"))?;
        let dtype = match Dtype::parse(&descr) {
            Ok(dtype) => dtype,
            Err(what) => return Ok(Found::Other(what)),
        };
        let (rows, columns) = match shape[..] {
            [n] => (n, 1),
            [n, d] => (n, d),
            _ => return Ok(Found::Other(format!("array with {} axes", shape.len()))),
        };
        let bytes = rows.checked_mul(columns).and_then(|n| n.checked_mul(dtype.size as u64));
        let held = length - skip - size;
        match bytes {
            Some(b) if b == held => {}
            Some(b) if b < held => return Err(damaged(name, format!("{} bytes follow the array", held - b))),
            _ => return Err(damaged(name, "it ends before its last number: is it truncated?")),
        }
        if columns > u32::MAX as u64 || (rows > 0 && columns == 0) {
            return Err(Error::file(name, format!("an array of shape ({rows}, {columns}) has no columns to read")));
        }
        let (columns, flat) = (columns as usize, shape.len() == 1);
        Ok(Found::Numbers(Array { rows, columns, flat, fortran, dtype, file, start: from + skip + size }))
    }

    /// Whether the numbers are in single precision.
    pub fn single(&self) -> bool {
        (self.dtype.kind, self.dtype.size) == (b'f', 4)
    }

    /// Some columns of `n` rows from row `from` on, one list per column.
    pub fn read(&mut self, from: u64, n: usize, columns: &[usize]) -> std::io::Result<Vec<Vec<f64>>> {
        let (size, dtype) = (self.dtype.size, self.dtype);
        if self.fortran && !self.flat {
            let mut bytes = vec![0; n * size];
            let mut out = Vec::new();
            for &k in columns {
                let first = k as u64 * self.rows + from;
                self.file.seek(SeekFrom::Start(self.start + first * size as u64))?;
                self.file.read_exact(&mut bytes)?;
                out.push(bytes.chunks_exact(size).map(|b| dtype.number(b)).collect());
            }
            return Ok(out);
        }
        let width = self.columns * size;
        let mut bytes = vec![0; n * width];
        self.file.seek(SeekFrom::Start(self.start + from * width as u64))?;
        self.file.read_exact(&mut bytes)?;
        let column = |&k: &usize| bytes.chunks_exact(width).map(|r| dtype.number(&r[k * size..][..size])).collect();
        Ok(columns.iter().map(column).collect())
    }
}

impl Dtype {
    fn parse(descr: &str) -> std::result::Result<Self, String> {
        let mut chars = descr.chars();
        let order = chars.next().unwrap_or(' ');
        let kind = chars.next().unwrap_or(' ');
        let size = chars.as_str().parse::<usize>();
        let refused = |what: &str| Err(format!("{what} ({descr})"));
        match (order, kind, size) {
            ('[', ..) => refused("record array"),
            ('<' | '>' | '|' | '=', 'f' | 'i' | 'u' | 'b', Ok(size)) => {
                let fits = match kind {
                    'f' => matches!(size, 2 | 4 | 8),
                    'b' => size == 1,
                    _ => matches!(size, 1 | 2 | 4 | 8),
                };
                let big = order == '>' || (order == '=' && cfg!(target_endian = "big"));
                if fits { Ok(Dtype { kind: kind as u8, size, big }) } else { refused("array") }
            }
            (_, 'c', _) => refused("complex array"),
            (_, 'U' | 'S', _) => refused("text array"),
            (_, 'O', _) => refused("array of Python objects"),
            (_, 'M' | 'm', _) => refused("time array"),
            _ => refused("array"),
        }
    }

    fn number(self, bytes: &[u8]) -> f64 {
        let mut b = [0u8; 8];
        let part = &mut b[..self.size];
        part.copy_from_slice(bytes);
        if self.big {
            part.reverse();
        }
        let raw = u64::from_le_bytes(b);
        match (self.kind, self.size) {
            (b'f', 8) => f64::from_bits(raw),
            (b'f', 4) => f32::from_bits(raw as u32) as f64,
            (b'f', _) => half(raw as u16),
            (b'i', 8) => raw as i64 as f64,
            (b'i', 4) => raw as u32 as i32 as f64,
            (b'i', 2) => raw as u16 as i16 as f64,
            (b'i', _) => raw as u8 as i8 as f64,
            (b'b', _) => (raw != 0) as u8 as f64,
            _ => raw as f64,
        }
    }
}

/// The value of a half-precision number: sign, 5 bits of exponent, 10 of fraction.
fn half(h: u16) -> f64 {
    let sign = if h >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = ((h >> 10 & 31) as i32, (h & 1023) as f64);
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1024.0 + fraction) * 2f64.powi(e - 25),
    }
}

/// `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }`
fn parse(text: &str) -> Option<(String, bool, Vec<u64>)> {
    let after = |key: &str| {
        let at = text.find(&format!("'{key}'"))? + key.len() + 2;
        text[at..].trim_start().strip_prefix(':').map(str::trim_start)
    };
    let descr = after("descr")?;
    let descr = match descr.strip_prefix('\'') {
        Some(rest) => rest.split('\'').next()?.to_string(),
        None => descr.chars().take(40).collect(),
    };
    let order = after("fortran_order")?;
    let fortran = if order.starts_with("True") { true } else { order.starts_with("False").then_some(false)? };
    let shape = after("shape")?.strip_prefix('(')?.split(')').next()?;
    let axes = shape.split(',').map(str::trim).filter(|a| !a.is_empty());
    Some((descr, fortran, axes.map(|a| a.parse().ok()).collect::<Option<_>>()?))
}
