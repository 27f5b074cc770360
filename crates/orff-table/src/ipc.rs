//! Arrow IPC, file and stream. A file is a stream between two marks, so one reader serves both.
//!
//! The reader of the arrow crates trusts the lengths it finds; a damaged file would make it panic or ask for all
//! memory. So every length is checked against the file before a byte is handed over.

use crate::columnar::{Batches, Columnar, header};
use crate::error::{Error, Result};
use crate::guard::{damaged, guard};
use crate::meter::Meter;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::{MessageHeader, RecordBatch, root_as_message};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

const MARK: &[u8] = b"ARROW1";
/// The most that a description of one batch may take.
const LARGEST_META: u64 = 1 << 26;

/// Opens an Arrow IPC file or stream.
pub(crate) fn open(name: &str, file: File, count: &Arc<AtomicU64>) -> Result<Columnar> {
    let mut file = BufReader::new(file);
    let mut walk = Walk::new(&mut file).map_err(|e| Error::io(name, e))?.map_err(|why| damaged(name, why))?;
    let start = walk.at;
    guard(name, || walk.all().map_err(|e| Error::io(name, e))?.map_err(|why| damaged(name, why)))?;
    let (rows, length) = (walk.rows, walk.length);
    file.seek(SeekFrom::Start(start)).map_err(|e| Error::io(name, e))?;
    guard(name, || {
        let failed = |e| damaged(name, e);
        let inner = file.get_ref().try_clone().map_err(|e| Error::io(name, e))?;
        let mut inner = BufReader::new(inner);
        let schema = StreamReader::try_new(&mut file, None).map_err(failed)?.schema();
        let shown = name.to_string();
        let begin = move |columns: Vec<usize>, _| {
            inner.seek(SeekFrom::Start(start)).map_err(|e| Error::io(&shown, e))?;
            let reader = StreamReader::try_new(inner, Some(columns)).map_err(|e| damaged(&shown, e))?;
            Ok(Box::new(reader) as Batches)
        };
        let meter = Meter::new(count, length, rows);
        Ok(Columnar { header: header(name, &schema, rows), begin: Box::new(begin), meter })
    })
}

type Checked<T> = std::io::Result<std::result::Result<T, String>>;

/// A walk over the messages of a stream that checks every length.
struct Walk<'a> {
    file: &'a mut BufReader<File>,
    at: u64,
    length: u64,
    rows: u64,
}

impl<'a> Walk<'a> {
    fn new(file: &'a mut BufReader<File>) -> Checked<Self> {
        let length = file.seek(SeekFrom::End(0))?;
        file.rewind()?;
        let mut mark = [0; 6];
        if length < 8 {
            return Ok(Err("it is too short".into()));
        }
        file.read_exact(&mut mark)?;
        if mark != MARK {
            return Ok(Ok(Walk { file, at: 0, length, rows: 0 }));
        }
        let mut tail = [0; 10];
        if length < 8 + 10 {
            return Ok(Err("it is too short".into()));
        }
        file.seek(SeekFrom::End(-10))?;
        file.read_exact(&mut tail)?;
        if &tail[4..] != MARK {
            return Ok(Err("it does not end as an Arrow file does: is it truncated?".into()));
        }
        let footer = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]) as u64;
        if footer + 18 > length {
            return Ok(Err("its footer is longer than the file".into()));
        }
        // The mark is padded to 8 bytes, by some writers to 64.
        let (mut at, length, mut word) = (8, length - 10 - footer, [0; 8]);
        file.seek(SeekFrom::Start(at))?;
        while at + 8 <= length {
            file.read_exact(&mut word)?;
            if word != [0; 8] {
                break;
            }
            at += 8;
        }
        Ok(Ok(Walk { file, at, length, rows: 0 }))
    }

    fn all(&mut self) -> Checked<()> {
        let mut first = true;
        while self.at < self.length {
            let size = match self.size()? {
                Ok(0) => break,
                Ok(n) => n,
                Err(why) => return Ok(Err(why)),
            };
            let mut meta = vec![0; size as usize];
            self.file.read_exact(&mut meta)?;
            self.at += size;
            let body = match self.message(&meta, first)? {
                Ok(n) => n,
                Err(why) => return Ok(Err(why)),
            };
            self.at += body;
            self.file.seek(SeekFrom::Start(self.at))?;
            first = false;
        }
        Ok(if first { Err("it has no schema".into()) } else { Ok(()) })
    }

    /// The size of the next message's description; 0 at the end.
    fn size(&mut self) -> Checked<u64> {
        self.file.seek(SeekFrom::Start(self.at))?;
        let mut word = [0; 4];
        for _ in 0..2 {
            if self.at + 4 > self.length {
                return Ok(Err("it ends within a message: is it truncated?".into()));
            }
            self.file.read_exact(&mut word)?;
            self.at += 4;
            if word != [0xff; 4] {
                break;
            }
        }
        let size = u32::from_le_bytes(word) as u64;
        Ok(if size > LARGEST_META || self.at + size > self.length {
            Err("a message is longer than the file: is it truncated?".into())
        } else {
            Ok(size)
        })
    }

    /// The size of the body of a message, whose parts were found within it.
    fn message(&mut self, meta: &[u8], first: bool) -> Checked<u64> {
        let message = match root_as_message(meta) {
            Ok(m) => m,
            Err(e) => return Ok(Err(e.to_string())),
        };
        let body = match u64::try_from(message.bodyLength()) {
            Ok(n) if self.at.checked_add(n).is_some_and(|end| end <= self.length) => n,
            _ => return Ok(Err("a batch is longer than the file: is it truncated?".into())),
        };
        if first != (message.header_type() == MessageHeader::Schema) {
            return Ok(Err("its messages are out of order".into()));
        }
        let batch = match message.header_type() {
            MessageHeader::RecordBatch => message.header_as_record_batch(),
            MessageHeader::DictionaryBatch => message.header_as_dictionary_batch().and_then(|d| d.data()),
            _ => None,
        };
        let Some(batch) = batch else { return Ok(Ok(body)) };
        if message.header_type() == MessageHeader::RecordBatch {
            let Some(rows) = u64::try_from(batch.length()).ok().and_then(|n| self.rows.checked_add(n)) else {
                return Ok(Err("a batch has an impossible number of rows".into()));
            };
            self.rows = rows;
        }
        Ok(self.buffers(&batch, body)?.map(|()| body))
    }

    fn buffers(&mut self, batch: &RecordBatch, body: u64) -> Checked<()> {
        let most = |compressed: u64| (1 << 24) + compressed.saturating_mul(1 << 12);
        for node in batch.nodes().iter().flatten() {
            if node.length() < 0 || node.null_count() < 0 || node.null_count() > node.length() {
                return Ok(Err("a column has an impossible length".into()));
            }
        }
        for buffer in batch.buffers().iter().flatten() {
            let (Ok(from), Ok(size)) = (u64::try_from(buffer.offset()), u64::try_from(buffer.length())) else {
                return Ok(Err("a buffer has a negative place".into()));
            };
            if from.checked_add(size).is_none_or(|end| end > body) {
                return Ok(Err("a buffer lies beyond its batch".into()));
            }
            if batch.compression().is_some() && size >= 8 {
                let mut prefix = [0; 8];
                self.file.seek(SeekFrom::Start(self.at + from))?;
                self.file.read_exact(&mut prefix)?;
                let full = i64::from_le_bytes(prefix);
                if full < -1 || full.max(0) as u64 > most(size) {
                    return Ok(Err("a compressed buffer claims an impossible size".into()));
                }
            }
        }
        Ok(Ok(()))
    }
}
