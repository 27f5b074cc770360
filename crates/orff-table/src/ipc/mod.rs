//! Arrow IPC, file and stream. A file is a stream between two marks, so one reader serves both.
//!
//! Many writers put a whole table into one record batch. So a batch is not loaded: each wanted column is read by ranges
//! of rows, one after the other, and memory is that of a range, however long the batch is. Only what ranges cannot
//! serve is held whole: dictionaries, the long texts of view columns (rows point anywhere into them), and nested
//! columns, which can only be carried along.
//!
//! No length is trusted: each is checked against the file, and memory is taken as bytes arrive, so that a damaged file
//! is an error and neither a panic nor a request for all memory.

mod column;
mod message;
mod part;

use crate::columnar::{Batches, Columnar, header};
use crate::error::{Error, Result};
use crate::guard::{damaged, guard};
use crate::meter::Meter;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::read_dictionary;
use arrow_schema::{ArrowError, Schema};
use column::{Column, Fields, whole};
use message::{Message, Messages};
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// The most rows of a range.
const MOST: usize = 1 << 16;

/// Opens an Arrow IPC file or stream.
pub(crate) fn open(name: &str, file: File, count: &Arc<AtomicU64>) -> Result<Columnar> {
    guard(name, || {
        let (schema, first, rows, length) = look(file).map_err(|e| e.of(name))?;
        let (header, shown) = (header(name, &schema, rows), name.to_string());
        let begin = move |columns: Vec<usize>, rows: usize| {
            let read = Ranges::new(schema, first, columns, rows).map_err(|e| e.of(&shown))?;
            Ok(Box::new(read.map(move |batch| batch.map_err(|e| e.of(&shown)))) as Batches)
        };
        Ok(Columnar { header, begin: Box::new(begin), meter: Meter::new(count, length, rows) })
    })
}

/// Walks over all messages: the schema, the messages after it, the number of rows and that of bytes.
fn look(file: File) -> Found<(Schema, Messages, u64, u64)> {
    let length = file.metadata()?.len();
    let mut messages = Messages::new(file)?;
    let schema = messages.next()?.ok_or("it has no schema")?;
    let schema = try_fb_to_schema(schema.header()?.header_as_schema().ok_or(ORDER)?)?;
    let (first, mut rows) = (messages.clone(), 0u64);
    while let Some(message) = messages.next()? {
        let header = message.header()?;
        match (header.header_as_record_batch(), header.header_as_dictionary_batch()) {
            (Some(batch), _) => {
                let n = u64::try_from(batch.length()).ok().and_then(|n| rows.checked_add(n));
                rows = n.ok_or("a batch has an impossible number of rows")?;
            }
            (None, Some(_)) => {}
            (None, None) => return Err(ORDER.into()),
        }
    }
    Ok((schema, first, rows, length))
}

const ORDER: &str = "its messages are out of order";

/// The rows of some columns, a range at a time.
struct Ranges {
    messages: Messages,
    schema: Arc<Schema>,
    /// The columns that are read, ascending.
    columns: Vec<usize>,
    /// The schema of those.
    shown: Arc<Schema>,
    dictionaries: HashMap<i64, ArrayRef>,
    /// Rows of a range: a multiple of 8, so that every range of bits begins with a byte.
    rows: usize,
    /// The columns of the batch that is being read, and its rows that are left.
    batch: Vec<Column>,
    left: u64,
}

impl Ranges {
    fn new(schema: Schema, messages: Messages, columns: Vec<usize>, rows: usize) -> Found<Self> {
        let rows = rows.clamp(1, MOST).next_multiple_of(8);
        let (shown, schema) = (Arc::new(schema.project(&columns)?), Arc::new(schema));
        let (dictionaries, batch) = (HashMap::new(), Vec::new());
        Ok(Ranges { messages, schema, columns, shown, dictionaries, rows, batch, left: 0 })
    }

    fn range(&mut self) -> Found<Option<RecordBatch>> {
        while self.left == 0 {
            let Some(message) = self.messages.next()? else { return Ok(None) };
            self.begin(&message)?;
        }
        let n = self.left.min(self.rows as u64) as usize;
        self.left -= n as u64;
        let arrays = self.batch.iter_mut().map(|c| c.read(n)).collect::<Found<_>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(n));
        Ok(Some(RecordBatch::try_new_with_options(self.shown.clone(), arrays, &options)?))
    }

    fn begin(&mut self, message: &Message) -> Found<()> {
        let header = message.header()?;
        if let Some(dictionary) = header.header_as_dictionary_batch() {
            #[expect(deprecated, reason = "the reader of dictionaries knows them by these numbers")]
            let unused = self.shown.fields_with_dict_id(dictionary.id()).is_empty();
            if !unused {
                let batch = dictionary.data().ok_or("a dictionary has no words")?;
                let body = whole(&batch, &message.body, batch.buffers().iter().flatten())?;
                read_dictionary(&body, dictionary, &self.shown, &mut self.dictionaries, &header.version())?;
            }
            return Ok(());
        }
        let batch = header.header_as_record_batch().ok_or(ORDER)?;
        self.left = u64::try_from(batch.length()).map_err(|_| "a batch has an impossible number of rows")?;
        let mut fields = Fields::new(&self.schema, batch, message, header.version(), &self.dictionaries);
        self.batch = self.columns.iter().map(|&k| fields.column(k)).collect::<Found<_>>()?;
        Ok(())
    }
}

impl Iterator for Ranges {
    type Item = Found<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.range().transpose()
    }
}

/// What is wrong with a file: it cannot be read, or it is not what it claims to be.
#[derive(Debug)]
enum Wrong {
    Io(io::Error),
    Damaged(String),
}

type Found<T> = std::result::Result<T, Wrong>;

impl Wrong {
    fn of(self, name: &str) -> Error {
        match self {
            Wrong::Io(e) => Error::io(name, e),
            Wrong::Damaged(why) => damaged(name, why),
        }
    }
}

impl From<io::Error> for Wrong {
    /// What the system did not say comes from a decompressor: its bytes are wrong.
    fn from(e: io::Error) -> Self {
        if e.raw_os_error().is_some() { Wrong::Io(e) } else { Wrong::Damaged(e.to_string()) }
    }
}

impl From<ArrowError> for Wrong {
    fn from(e: ArrowError) -> Self {
        Wrong::Damaged(e.to_string())
    }
}

impl From<&str> for Wrong {
    fn from(why: &str) -> Self {
        Wrong::Damaged(why.into())
    }
}
