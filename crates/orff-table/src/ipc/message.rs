//! The messages of a file, each with its length checked.

use super::part::Part;
use super::{Found, Wrong};
use arrow_ipc::root_as_message;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

const MARK: [u8; 6] = *b"ARROW1";
/// The most that a description of one batch may take.
const LARGEST_META: u64 = 1 << 26;

/// The messages from some place in a file on.
#[derive(Clone)]
pub(super) struct Messages {
    file: Arc<File>,
    at: u64,
    end: u64,
}

/// A description and the place of what it describes.
pub(super) struct Message {
    meta: Vec<u8>,
    pub body: Part,
}

impl Message {
    pub fn header(&self) -> Found<arrow_ipc::Message<'_>> {
        root_as_message(&self.meta).map_err(|e| Wrong::Damaged(e.to_string()))
    }
}

impl Messages {
    /// All messages; a file has them between two marks, a stream has nothing else.
    pub fn new(mut file: File) -> Found<Self> {
        let end = file.seek(SeekFrom::End(0))?;
        let all = Messages { file: Arc::new(file), at: 0, end };
        if end < 8 {
            return Err("it is too short".into());
        }
        if all.bytes::<6>(0)? != MARK {
            return Ok(all);
        }
        if end < 8 + 10 {
            return Err("it is too short".into());
        }
        let [a, b, c, d, mark @ ..] = all.bytes::<10>(end - 10)?;
        if mark != MARK {
            return Err("it does not end as an Arrow file does: is it truncated?".into());
        }
        let footer = u32::from_le_bytes([a, b, c, d]) as u64;
        if footer + 18 > end {
            return Err("its footer is longer than the file".into());
        }
        // The mark is padded to 8 bytes, by some writers to 64.
        let (mut at, end) = (8, end - 10 - footer);
        while at + 8 <= end && all.bytes::<8>(at)? == [0; 8] {
            at += 8;
        }
        Ok(Messages { at, end, ..all })
    }

    fn part(&self, from: u64, to: u64) -> Part {
        Part { file: self.file.clone(), at: from, end: to }
    }

    fn bytes<const N: usize>(&self, at: u64) -> Found<[u8; N]> {
        let mut bytes = [0; N];
        self.part(at, at + N as u64).read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// The next message, whose body lies within the file; none at the end.
    pub fn next(&mut self) -> Found<Option<Message>> {
        if self.at >= self.end {
            return Ok(None);
        }
        let size = self.size()?;
        if size == 0 {
            self.at = self.end;
            return Ok(None);
        }
        let mut meta = vec![0; size as usize];
        self.part(self.at, self.at + size).read_exact(&mut meta)?;
        let (message, from) = (Message { meta, body: self.part(0, 0) }, self.at + size);
        let length = u64::try_from(message.header()?.bodyLength()).ok();
        let to = length.and_then(|n| from.checked_add(n)).filter(|&to| to <= self.end);
        self.at = to.ok_or("a batch is longer than the file: is it truncated?")?;
        Ok(Some(Message { body: self.part(from, self.at), ..message }))
    }

    /// The size of the next message's description; 0 at the end.
    fn size(&mut self) -> Found<u64> {
        let mut word = [0; 4];
        for _ in 0..2 {
            if self.at + 4 > self.end {
                return Err("it ends within a message: is it truncated?".into());
            }
            word = self.bytes::<4>(self.at)?;
            self.at += 4;
            if word != [0xff; 4] {
                break;
            }
        }
        let size = u32::from_le_bytes(word) as u64;
        if size > LARGEST_META || self.at + size > self.end {
            return Err("a message is longer than the file: is it truncated?".into());
        }
        Ok(size)
    }
}
