//! The table of contents of a zip file, as `numpy.savez` writes it: entries stored as they are or deflated.

use crate::error::{Error, Result};
use crate::guard::damaged;
use flate2::read::DeflateDecoder;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

/// One entry.
pub(crate) struct Entry {
    pub name: String,
    method: u16,
    crc: u32,
    packed: u64,
    full: u64,
    /// Where its local header begins.
    at: u64,
}

/// Longest table of contents that is believed.
const LONGEST: u64 = 1 << 26;

fn le(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    let mut b = [0; 8];
    b[..size].copy_from_slice(bytes.get(at..at.checked_add(size)?)?);
    Some(u64::from_le_bytes(b))
}

fn bytes(file: &mut &File, from: u64, size: u64) -> std::io::Result<Vec<u8>> {
    let mut out = Vec::new();
    file.seek(SeekFrom::Start(from))?;
    file.take(size).read_to_end(&mut out)?;
    Ok(out)
}

/// The entries of a zip file, each checked to lie within it.
pub(crate) fn entries(name: &str, mut file: &File) -> Result<Vec<Entry>> {
    let io = |e| Error::io(name, e);
    let length = file.metadata().map_err(io)?.len();
    let from = length.saturating_sub(65_557);
    let tail = bytes(&mut file, from, length - from).map_err(io)?;
    let end = tail.windows(4).rposition(|w| w == b"PK\x05\x06");
    let end = end.ok_or_else(|| damaged(name, "its table of contents is missing: is it truncated?"))?;
    let broken = || damaged(name, "its table of contents cannot be read");
    let (mut size, mut start) =
        (le(&tail, end + 12, 4).ok_or_else(broken)?, le(&tail, end + 16, 4).ok_or_else(broken)?);
    if start == u32::MAX as u64 || size == u32::MAX as u64 {
        let locator = end.checked_sub(20).ok_or_else(broken)?;
        let at = le(&tail, locator + 8, 8).ok_or_else(broken)?;
        if at > length {
            return Err(broken());
        }
        let big = bytes(&mut file, at, 56).map_err(io)?;
        if !big.starts_with(b"PK\x06\x06") {
            return Err(broken());
        }
        (size, start) = (le(&big, 40, 8).ok_or_else(broken)?, le(&big, 48, 8).ok_or_else(broken)?);
    }
    if size > LONGEST || start.checked_add(size).is_none_or(|e| e > length) {
        return Err(broken());
    }
    let table = bytes(&mut file, start, size).map_err(io)?;
    let (mut found, mut at) = (Vec::new(), 0);
    while at < table.len() {
        let (entry, next) = Entry::parse(&table, at).ok_or_else(broken)?;
        if entry.at.checked_add(entry.packed).is_none_or(|e| e > length) {
            return Err(damaged(name, format!("its entry {:?} lies beyond the end of the file", entry.name)));
        }
        found.push(entry);
        at = next;
    }
    Ok(found)
}

impl Entry {
    /// The entry at a place of the table, and the place of the next one.
    fn parse(table: &[u8], at: usize) -> Option<(Entry, usize)> {
        if !table.get(at..)?.starts_with(b"PK\x01\x02") || le(table, at + 8, 2)? & 1 == 1 {
            return None;
        }
        let (names, extras) = (le(table, at + 28, 2)? as usize, le(table, at + 30, 2)? as usize);
        let comments = le(table, at + 32, 2)? as usize;
        let name = String::from_utf8_lossy(table.get(at + 46..at + 46 + names)?).into_owned();
        let mut full = le(table, at + 24, 4)?;
        let mut packed = le(table, at + 20, 4)?;
        let mut place = le(table, at + 42, 4)?;
        let mut extra = table.get(at + 46 + names..at + 46 + names + extras)?;
        while extra.len() >= 4 {
            let (id, size) = (le(extra, 0, 2)?, le(extra, 2, 2)? as usize);
            let mut big = extra.get(4..4 + size)?;
            for field in [&mut full, &mut packed, &mut place] {
                if id == 1 && *field == u32::MAX as u64 {
                    *field = le(big, 0, 8)?;
                    big = &big[8..];
                }
            }
            extra = &extra[4 + size..];
        }
        let (method, crc) = (le(table, at + 10, 2)? as u16, le(table, at + 16, 4)? as u32);
        Some((Entry { name, method, crc, packed, full, at: place }, at + 46 + names + extras + comments))
    }

    /// A file that holds the entry's bytes, where they begin and how many they are; what is deflated is unpacked into
    /// a temporary file.
    pub fn region(&self, name: &str, mut file: &File) -> Result<(File, u64, u64)> {
        let io = |e| Error::io(name, e);
        let broken = |why: &str| damaged(name, format!("entry {:?}: {why}", self.name));
        let local = bytes(&mut file, self.at, 30).map_err(io)?;
        let skip = (local.starts_with(b"PK\x03\x04"))
            .then(|| Some(30 + le(&local, 26, 2)? + le(&local, 28, 2)?))
            .flatten()
            .ok_or_else(|| broken("it has no header"))?;
        let from = self.at + skip;
        let length = file.metadata().map_err(io)?.len();
        if from + self.packed > length {
            return Err(broken("it lies beyond the end of the file"));
        }
        match self.method {
            0 if self.packed == self.full => Ok((file.try_clone().map_err(io)?, from, self.full)),
            // Deflate packs at most 1032 : 1.
            8 if self.full / 1100 <= self.packed => {
                file.seek(SeekFrom::Start(from)).map_err(io)?;
                let copy = self.unpack(file.take(self.packed)).map_err(|e| broken(&e.to_string()))?;
                Ok((copy, 0, self.full))
            }
            0 | 8 => Err(broken("its sizes contradict each other")),
            m => Err(Error::file(name, format!("entry {:?} is packed by method {m}, which is not known", self.name))),
        }
    }

    fn unpack(&self, packed: impl Read) -> std::io::Result<File> {
        let mut copy = tempfile::tempfile()?;
        let mut from = DeflateDecoder::new(packed).take(self.full + 1);
        let (mut crc, mut size, mut buffer) = (crc32fast::Hasher::new(), 0, vec![0; 1 << 16]);
        loop {
            let n = from.read(&mut buffer)?;
            if n == 0 {
                break;
            }
            crc.update(&buffer[..n]);
            size += n as u64;
            copy.write_all(&buffer[..n])?;
        }
        if size != self.full || crc.finalize() != self.crc {
            return Err(std::io::Error::other("its checksum is wrong"));
        }
        Ok(copy)
    }
}
