//! svmlight rows: `label index:value index:value … # comment`. Several labels are separated by commas; `qid:` is
//! skipped. Rows stay sparse.

use crate::cell::{Said, Tokens};
use crate::chunk::{Cells, Chunk, Chunks, Opened, Want};
use crate::encoding::Sparse;
use crate::error::{Error, Result};
use crate::header::{Header, Kind};
use crate::stream::{Bytes, Stream, failed};
use orff::rows::{Csr, WIDEST};
use std::io::{BufRead, BufReader, Read};

/// A row longer than this is refused.
const LONGEST: u64 = 1 << 28;

/// Sparse rows whose labels are counted.
pub(crate) struct Svmlight {
    stream: Stream,
    header: Header,
    sparse: Sparse,
    tokens: Tokens,
}

impl Svmlight {
    pub fn open(stream: Stream, sparse: Sparse, tokens: &Tokens) -> Result<Self> {
        let mut lines = Lines::new(&stream.file, &stream.head[..], tokens.clone());
        let labels = if lines.advance()? { lines.labels.len() } else { 0 };
        let mut header = header(&stream.file, labels);
        header.empty = lines.line == 0;
        Ok(Svmlight { stream, header, sparse, tokens: tokens.clone() })
    }
}

fn header(file: &str, labels: usize) -> Header {
    let names = if labels == 1 { vec!["y".into()] } else { (1..=labels).map(|k| format!("y{k}")).collect() };
    let mut header = Header::new(file, Some(names), vec![Kind::Number; labels], true);
    header.groups = vec![("y".into(), 0..labels)];
    header
}

/// What a pass over sparse rows finds out.
#[derive(Default)]
pub(crate) struct Scan {
    /// Largest and smallest index.
    pub most: u64,
    pub least: Option<u64>,
}

impl Scan {
    /// Reads all rows of one file.
    pub fn add(&mut self, stream: Stream, tokens: &Tokens) -> Result<()> {
        let file = stream.file.clone();
        let mut lines = Lines::new(&file, stream.into_read(), tokens.clone());
        while lines.advance()? {
            for &(k, _) in &lines.entries {
                self.most = self.most.max(k);
                self.least = Some(self.least.map_or(k, |l| l.min(k)));
            }
        }
        Ok(())
    }
}

impl Opened for Svmlight {
    fn header(&self) -> &Header {
        &self.header
    }

    fn start(self: Box<Self>, wants: Vec<Want>, rows: usize) -> Result<Box<dyn Chunks>> {
        let Svmlight { stream, header, sparse, tokens } = *self;
        let lines = Lines::new(&header.file, stream.into_read(), tokens);
        Ok(Box::new(Reading { lines, header, sparse, wants, rows }))
    }
}

/// The rows of a text, one after the other.
struct Lines<R> {
    file: String,
    reader: BufReader<R>,
    tokens: Tokens,
    text: Vec<u8>,
    line: u64,
    labels: Vec<f64>,
    entries: Vec<(u64, f64)>,
}

impl<R: Read> Lines<R> {
    fn new(file: &str, reader: R, tokens: Tokens) -> Self {
        let reader = BufReader::with_capacity(1 << 17, reader);
        Lines { file: file.into(), reader, tokens, text: vec![], line: 0, labels: vec![], entries: vec![] }
    }

    fn wrong(&self, field: usize, problem: String) -> Error {
        Error::cell(format!("{}:{}:{}", self.file, self.line, field + 1), problem)
    }

    /// Reads the next row that is not blank; false at the end.
    fn advance(&mut self) -> Result<bool> {
        loop {
            self.text.clear();
            let read = (&mut self.reader).take(LONGEST).read_until(b'\n', &mut self.text);
            let n = read.map_err(|e| failed(&self.file, e))?;
            if n == 0 {
                return Ok(false);
            }
            self.line += 1;
            if n as u64 == LONGEST {
                return Err(self.wrong(0, format!("the row is longer than {} MB", LONGEST >> 20)));
            }
            let end = self.text.iter().position(|&b| b == b'#').unwrap_or(self.text.len());
            let text = std::mem::take(&mut self.text);
            let blank = text[..end].trim_ascii().is_empty();
            let parsed = if blank { Ok(()) } else { self.parse(&text[..end]) };
            self.text = text;
            parsed?;
            if !blank {
                return Ok(true);
            }
        }
    }

    fn parse(&mut self, text: &[u8]) -> Result<()> {
        self.labels.clear();
        self.entries.clear();
        let text = std::str::from_utf8(text).map_err(|_| self.wrong(0, "the row is not UTF-8 text".into()))?;
        for (field, word) in text.split_ascii_whitespace().enumerate() {
            match word.split_once(':') {
                None if field == 0 => {
                    for label in word.split(',') {
                        let value = self.number(label, field)?;
                        self.labels.push(value);
                    }
                }
                None => {
                    return Err(self.wrong(field, format!("{:?} is not index:value", short(word))));
                }
                Some(("qid", _)) => {}
                Some((index, value)) => {
                    let Ok(k) = index.parse::<u32>() else {
                        return Err(self.wrong(field, format!("{:?} is not an index", short(index))));
                    };
                    if k as usize > WIDEST {
                        let many = format!("index {k} would make more than the {WIDEST} inputs that are allowed");
                        return Err(self.wrong(field, format!("{many} (hash the features to fewer)")));
                    }
                    let value = self.number(value, field)?;
                    self.entries.push((k as u64, value));
                }
            }
        }
        if !self.entries.is_sorted_by(|a, b| a.0 < b.0) {
            self.entries.sort_by_key(|e| e.0);
            if let Some(w) = self.entries.windows(2).find(|w| w[0].0 == w[1].0) {
                return Err(self.wrong(0, format!("index {} is given twice in one row", w[0].0)));
            }
        }
        Ok(())
    }

    fn number(&self, word: &str, field: usize) -> Result<f64> {
        match self.tokens.read(word) {
            Said::Number(v) if v.is_finite() => Ok(v),
            Said::Number(_) => Err(self.wrong(field, format!("{:?} is not finite", short(word)))),
            Said::Missing => Ok(f64::NAN),
            Said::Word => Err(self.wrong(field, format!("{:?} is not a number", short(word)))),
        }
    }
}

fn short(word: &str) -> String {
    word.chars().take(40).collect()
}

struct Reading {
    lines: Lines<Bytes>,
    header: Header,
    sparse: Sparse,
    wants: Vec<Want>,
    rows: usize,
}

impl Reading {
    fn index(&self, k: u64) -> Result<u32> {
        let first = u64::from(!self.sparse.zero_based);
        match k.checked_sub(first) {
            None => Err(self.lines.wrong(0, "index 0, but indices count from 1 here (use --zero-based)".into())),
            Some(column) if column < self.sparse.width as u64 => Ok(column as u32),
            Some(_) => {
                let last = self.sparse.width as u64 + first - 1;
                Err(self.lines.wrong(0, format!("index {k} is beyond the last input, {last}")))
            }
        }
    }
}

impl Chunks for Reading {
    fn next(&mut self) -> Result<Option<Chunk>> {
        let mut chunk = Chunk::new(&self.wants);
        let mut csr = Csr::empty(self.sparse.width);
        // Sparse rows differ in length: what counts is what is stored.
        while chunk.rows.len() < self.rows && csr.values.len() < 1 << 19 {
            if !self.lines.advance()? {
                break;
            }
            let (found, wanted) = (self.lines.labels.len(), self.header.names.len());
            if !self.wants.is_empty() && found != wanted {
                let problem = format!("{found} labels, expected {wanted} as in the first row");
                return Err(self.lines.wrong(0, problem));
            }
            for (want, cells) in self.wants.iter().zip(&mut chunk.cells) {
                match cells {
                    Cells::Numbers(all) => all.push(self.lines.labels[want.column]),
                    Cells::Texts(all) => all.push(Some(self.lines.labels[want.column].to_string())),
                }
            }
            for &(k, v) in &self.lines.entries {
                csr.columns.push(self.index(k)?);
                csr.values.push(v);
            }
            csr.start.push(csr.values.len());
            chunk.rows.push(self.lines.line);
        }
        chunk.sparse = Some(csr);
        Ok((!chunk.rows.is_empty()).then_some(chunk))
    }
}
