//! Stretches of a file, each read as if it were a file of its own.

use super::{Found, Wrong};
use arrow_ipc::CompressionType;
use lz4_flex::frame::FrameDecoder;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;

/// A stretch of a file. Many share one handle: each seeks to its own place before it reads.
#[derive(Clone)]
pub(super) struct Part {
    pub file: Arc<File>,
    pub at: u64,
    pub end: u64,
}

impl Part {
    pub fn len(&self) -> u64 {
        self.end - self.at
    }

    /// The stretch of so many bytes from a place within this one, if it lies within.
    pub fn part(&self, from: i64, length: i64) -> Found<Part> {
        let (Ok(from), Ok(length)) = (u64::try_from(from), u64::try_from(length)) else {
            return Err("a buffer has a negative place".into());
        };
        let end = from.checked_add(length).filter(|&end| end <= self.len());
        let end = end.ok_or("a buffer lies beyond its batch")?;
        Ok(Part { file: self.file.clone(), at: self.at + from, end: self.at + end })
    }
}

impl Read for Part {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.len().min(out.len() as u64) as usize;
        let mut file = &*self.file;
        file.seek(SeekFrom::Start(self.at))?;
        let got = file.read(&mut out[..n])?;
        self.at += got as u64;
        Ok(got)
    }
}

/// The size of a buffer once unpacked, which stands before its packed bytes; none if they are not packed.
pub(super) fn unpacked(part: &mut Part) -> Found<Option<u64>> {
    let mut size = [0; 8];
    if part.len() < 8 {
        return Err("a compressed buffer is too short".into());
    }
    part.read_exact(&mut size)?;
    match i64::from_le_bytes(size) {
        -1 => Ok(None),
        n => Ok(Some(u64::try_from(n).map_err(|_| "a compressed buffer claims an impossible size")?)),
    }
}

/// The bytes of one buffer in order, unpacked as they are read.
pub(super) struct Bytes {
    pub left: u64,
    from: Box<dyn Read + Send>,
}

impl Bytes {
    pub fn new(mut part: Part, packed: Option<CompressionType>) -> Found<Self> {
        let (Some(how), true) = (packed, part.len() > 0) else {
            return Ok(Bytes { left: part.len(), from: Box::new(part) });
        };
        let Some(left) = unpacked(&mut part)? else {
            return Ok(Bytes { left: part.len(), from: Box::new(part) });
        };
        let from: Box<dyn Read + Send> = match how {
            CompressionType::LZ4_FRAME => Box::new(FrameDecoder::new(BufReader::new(part))),
            CompressionType::ZSTD => Box::new(zstd::Decoder::new(part)?),
            other => return Err(Wrong::Damaged(format!("compression {other:?} is not known"))),
        };
        Ok(Bytes { left, from })
    }

    /// The next n bytes. Memory is taken as they arrive: sizes may lie.
    pub fn next(&mut self, n: u64) -> Found<Vec<u8>> {
        let mut bytes = Vec::with_capacity(n.min(1 << 20) as usize);
        self.copy(n, |part| part.read_to_end(&mut bytes).map(|n| n as u64))?;
        Ok(bytes)
    }

    pub fn skip(&mut self, n: u64) -> Found<()> {
        self.copy(n, |part| io::copy(part, &mut io::sink()))
    }

    fn copy(&mut self, n: u64, to: impl FnOnce(&mut dyn Read) -> io::Result<u64>) -> Found<()> {
        const SHORT: &str = "a buffer is shorter than its column";
        self.left = self.left.checked_sub(n).ok_or(SHORT)?;
        if to(&mut self.from.by_ref().take(n))? == n { Ok(()) } else { Err(SHORT.into()) }
    }
}
