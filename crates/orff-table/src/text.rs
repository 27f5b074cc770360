//! Delimited text: CSV and its relatives, streamed row by row.

use crate::cell::{Said, Tokens};
use crate::chunk::{As, Cells, Chunk, Chunks, Opened, Want};
use crate::error::{Error, Result};
use crate::header::Header;
use crate::options::Options;
use crate::sniff::{Dialect, END, Trouble, sniff};
use crate::stream::{Bytes, Fed, Squeezed, Stream, failed};
use csv::ByteRecord;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A delimited text whose header is known.
pub(crate) struct Text {
    stream: Stream,
    dialect: Dialect,
    header: Header,
    tokens: Tokens,
}

impl Text {
    pub fn open(stream: Stream, options: &Options, tokens: &Tokens) -> Result<Self> {
        let (dialect, header) = sniff(&stream, options.delimiter, options.header, options.comment, tokens)?;
        Ok(Text { stream, dialect, header, tokens: tokens.clone() })
    }
}

impl Opened for Text {
    fn header(&self) -> &Header {
        &self.header
    }

    fn start(self: Box<Self>, wants: Vec<Want>, rows: usize) -> Result<Box<dyn Chunks>> {
        let Text { stream, dialect, header, tokens } = *self;
        let bytes = stream.into_read();
        let bytes: Bytes = if dialect.blanks() { Box::new(Squeezed::new(bytes)) } else { bytes };
        let (fed, mark) = Fed::new(Box::new(bytes.chain(END)) as Bytes);
        let reader = dialect.builder().from_reader(fed);
        let mut lines =
            Lines { reader, mark, header, tokens, wants, rows, record: ByteRecord::new(), names: dialect.header };
        if dialect.header {
            lines.advance()?;
        }
        Ok(Box::new(lines))
    }
}

struct Lines {
    reader: csv::Reader<Fed<Bytes>>,
    mark: Arc<AtomicU64>,
    header: Header,
    tokens: Tokens,
    wants: Vec<Want>,
    rows: usize,
    record: ByteRecord,
    names: bool,
}

impl Lines {
    /// Reads one record; None at the end, otherwise its line.
    fn advance(&mut self) -> Result<Option<u64>> {
        let next = Dialect::next(&mut self.reader, &mut self.record).map_err(|e| self.broken(e))?;
        self.mark.store(self.reader.position().byte(), Relaxed);
        let Some(line) = next else { return Ok(None) };
        let (found, wanted) = (self.record.len(), self.header.names.len());
        if found != wanted {
            let like = if self.names { "the header" } else { "the first row" };
            return Err(Error::file(
                format!("{}:{line}", self.header.file),
                format!("{found} fields, expected {wanted} as in {like} (is a quote or a delimiter missing?)"),
            ));
        }
        Ok(Some(line))
    }

    fn broken(&self, trouble: Trouble) -> Error {
        let file = &self.header.file;
        match trouble {
            Trouble::Quote(line) => Error::file(format!("{file}:{line}"), "a quote is not closed"),
            Trouble::Csv(e) => match e.into_kind() {
                csv::ErrorKind::Io(e) => failed(file, e),
                other => Error::file(file, format!("{other:?}")),
            },
        }
    }

    fn cell(&self, want: &Want, line: u64) -> Result<Cell> {
        let at = (&self.header, line, want.column);
        let bytes = self.record.get(want.column).unwrap_or_default();
        let text = std::str::from_utf8(bytes).map(str::trim);
        match (want.how, text) {
            (As::Text, Ok(text)) => Ok(Cell::Text(text.to_string())),
            (As::Text, Err(_)) => {
                let shown = String::from_utf8_lossy(bytes);
                let problem = format!("{shown:?} is not UTF-8 (save the file as UTF-8)");
                Err(Error::cell(self.header.place(line, want.column), problem))
            }
            (As::Number(role), Ok(text)) => match self.tokens.read(text) {
                Said::Number(v) => role.accept(v, Some(text), at).map(Cell::Number),
                Said::Missing => role.accept(f64::NAN, Some(text), at).map(Cell::Number),
                Said::Word => Err(role.word(text, at)),
            },
            (As::Number(role), Err(_)) => Err(role.word(&String::from_utf8_lossy(bytes), at)),
        }
    }
}

enum Cell {
    Number(f64),
    Text(String),
}

impl Chunks for Lines {
    fn next(&mut self) -> Result<Option<Chunk>> {
        let mut chunk = Chunk::new(&self.wants);
        while chunk.rows.len() < self.rows {
            let Some(line) = self.advance()? else { break };
            for (want, cells) in self.wants.iter().zip(&mut chunk.cells) {
                match (self.cell(want, line)?, cells) {
                    (Cell::Number(v), Cells::Numbers(all)) => all.push(v),
                    (Cell::Text(s), Cells::Texts(all)) => all.push(Some(s)),
                    _ => {}
                }
            }
            chunk.rows.push(line);
        }
        Ok((!chunk.rows.is_empty()).then_some(chunk))
    }
}
