//! What the first lines of a delimited text tell: delimiter, header, kinds of columns.

use crate::cell::{Said, Tokens};
use crate::error::{Error, Result};
use crate::header::{Header, Kind};
use crate::stream::{Squeeze, Stream};
use csv::{ByteRecord, StringRecord};
use std::io::Read;

/// How a delimited text is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dialect {
    pub delimiter: u8,
    pub comment: Option<u8>,
    pub header: bool,
}

impl Dialect {
    pub fn builder(&self) -> csv::ReaderBuilder {
        let mut b = csv::ReaderBuilder::new();
        b.has_headers(false).flexible(true).delimiter(self.delimiter).comment(self.comment).buffer_capacity(1 << 17);
        // With the default (CR, LF or both) the line numbers of the csv crate are late; a CR left over is trimmed.
        b.terminator(csv::Terminator::Any(b'\n'));
        b
    }

    pub fn blanks(&self) -> bool {
        self.delimiter == b' '
    }

    /// Reads the next row that is not blank; None at the end, otherwise its first line. The text must be followed by
    /// [`END`]: so the line of a row can be counted from its end (blank lines before it are skipped unseen), and a quote
    /// that is not closed is noticed.
    pub fn next<R: Read>(reader: &mut csv::Reader<R>, record: &mut ByteRecord) -> Result<Option<u64>, Trouble> {
        while reader.read_byte_record(record).map_err(Trouble::Csv)? {
            let bytes = record.as_slice();
            let inside = bytes.iter().filter(|&&b| b == b'\n').count() as u64;
            let end = reader.position().line();
            if bytes.ends_with(&END[1..]) {
                return Err(Trouble::Quote(end.saturating_sub(inside)));
            }
            if bytes == &END[1..2] {
                return Ok(None);
            }
            if record.len() > 1 || !bytes.trim_ascii().is_empty() {
                return Ok(Some(end.saturating_sub(1 + inside)));
            }
        }
        Ok(None)
    }
}

/// What follows the text: a newline, and a row that no text file has.
pub(crate) const END: &[u8] = b"\n\0\n";

/// Why there is no next row.
pub(crate) enum Trouble {
    Csv(csv::Error),
    /// The row that begins at this line never ends.
    Quote(u64),
}

/// Most rows that are looked at.
const ROWS: usize = 1000;

/// Finds dialect and header; what the user gave is not guessed.
pub(crate) fn sniff(
    stream: &Stream,
    delimiter: Option<u8>,
    header: Option<bool>,
    comment: Option<u8>,
    tokens: &Tokens,
) -> Result<(Dialect, Header)> {
    let file = &stream.file;
    let start = Dialect { delimiter: b',', comment, header: false };
    let by_name = file.to_ascii_lowercase().trim_end_matches(".gz").ends_with(".tsv").then_some(b'\t');
    let delimiter = delimiter.or(by_name).unwrap_or_else(|| guess(stream, start, tokens));
    let mut dialect = Dialect { delimiter, ..start };
    let (rows, open) = parse(stream, dialect, ROWS);
    if let Some(line) = open.filter(|_| stream.whole || rows.len() < 2) {
        return Err(Error::file(format!("{file}:{line}"), "a quote is not closed"));
    }
    let Some(first) = rows.first() else {
        return Err(Error::file(file, "the file is empty"));
    };
    let says_data = |cell: &str| match tokens.read(cell.trim()) {
        Said::Number(_) => true,
        Said::Missing => !cell.trim().is_empty(),
        Said::Word => false,
    };
    let numbers = first.cells.iter().any(|c| c.trim().parse::<f64>().is_ok_and(|v| !v.is_nan()));
    dialect.header = header.unwrap_or_else(|| !(numbers && first.cells.iter().all(says_data)));
    let body = &rows[usize::from(dialect.header)..];
    let kinds = (0..first.cells.len()).map(|k| kind(body, k, tokens)).collect();
    let names = dialect.header.then(|| names(file, first)).transpose()?;
    let mut header = Header::new(file, names, kinds, true);
    header.empty = body.is_empty();
    Ok((dialect, header))
}

fn names(file: &str, first: &Row) -> Result<Vec<String>> {
    if let Some(k) = first.cells.iter().position(|c| c.contains('\u{fffd}')) {
        return Err(Error::file(file, format!("the name of column {} is not UTF-8 (save the file as UTF-8)", k + 1)));
    }
    Ok(first.cells.iter().map(|c| c.trim().to_string()).collect())
}

fn kind(rows: &[Row], column: usize, tokens: &Tokens) -> Kind {
    let mut kind = Kind::Empty;
    for row in rows {
        let Some(cell) = row.cells.get(column) else { continue };
        match tokens.read(cell.trim()) {
            Said::Number(_) => kind = Kind::Number,
            Said::Missing => {}
            Said::Word => return Kind::Text(Some((row.line, cell.trim().to_string()))),
        }
    }
    kind
}

/// One row of the first stretch.
struct Row {
    line: u64,
    cells: StringRecord,
}

/// The delimiter that cuts every line into the same number (≥ 2) of fields and leaves the most numbers.
fn guess(stream: &Stream, start: Dialect, tokens: &Tokens) -> u8 {
    let mut best = (0, b',');
    for delimiter in *b",;\t| " {
        let (rows, _) = parse(stream, Dialect { delimiter, ..start }, 50);
        let Some(first) = rows.first() else { continue };
        if first.cells.len() < 2 || rows.iter().any(|r| r.cells.len() != first.cells.len()) {
            continue;
        }
        let is_number = |c: &str| matches!(tokens.read(c.trim()), Said::Number(_) | Said::Missing);
        let score = 1 + rows.iter().flat_map(|r| r.cells.iter()).filter(|c| is_number(c)).count();
        if score > best.0 {
            best = (score, delimiter);
        }
    }
    best.1
}

/// The complete rows of the first stretch, at most `most`; and the line of a quote that is not closed.
fn parse(stream: &Stream, dialect: Dialect, most: usize) -> (Vec<Row>, Option<u64>) {
    let mut squeezed = Vec::new();
    let mut text = &stream.head[..];
    if !stream.whole {
        // The last line may be cut.
        text = text.iter().rposition(|&b| b == b'\n').map_or(text, |k| &text[..=k]);
    }
    if dialect.blanks() {
        Squeeze::new().push(text, &mut squeezed);
        text = &squeezed;
    }
    let mut reader = dialect.builder().from_reader(text.chain(END));
    let (mut rows, mut record) = (Vec::new(), ByteRecord::new());
    while rows.len() < most {
        match Dialect::next(&mut reader, &mut record) {
            Ok(Some(line)) => rows.push(Row { line, cells: record.iter().map(String::from_utf8_lossy).collect() }),
            Err(Trouble::Quote(line)) => return (rows, Some(line)),
            Ok(None) | Err(Trouble::Csv(_)) => break,
        }
    }
    (rows, None)
}
