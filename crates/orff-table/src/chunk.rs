//! Some rows of some columns of one file, before they become inputs and outputs.

use crate::cell::Role;
use crate::error::Result;
use crate::header::Header;
use orff::rows::Csr;

/// How a wanted column is delivered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum As {
    /// Numbers, missing values as NaN where the role allows them.
    Number(Role),
    /// Text as written; None where a typed file has no value.
    Text,
}

/// One wanted column of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Want {
    pub column: usize,
    pub how: As,
}

/// The cells of one wanted column.
#[derive(Clone, Debug)]
pub(crate) enum Cells {
    Numbers(Vec<f64>),
    Texts(Vec<Option<String>>),
}

impl Cells {
    pub fn new(how: As) -> Self {
        match how {
            As::Number(_) => Cells::Numbers(Vec::new()),
            As::Text => Cells::Texts(Vec::new()),
        }
    }

    pub fn numbers(&self) -> &[f64] {
        match self {
            Cells::Numbers(v) => v,
            Cells::Texts(_) => &[],
        }
    }

    pub fn texts(&self) -> &[Option<String>] {
        match self {
            Cells::Texts(v) => v,
            Cells::Numbers(_) => &[],
        }
    }
}

/// Consecutive rows of one file.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    /// Line (text files) or row number (others) of each row, from 1.
    pub rows: Vec<u64>,
    /// One entry per want, in the same order.
    pub cells: Vec<Cells>,
    /// The sparse inputs of svmlight.
    pub sparse: Option<Csr>,
}

impl Chunk {
    pub fn new(wants: &[Want]) -> Self {
        Chunk { rows: Vec::new(), cells: wants.iter().map(|w| Cells::new(w.how)).collect(), sparse: None }
    }
}

/// A file whose columns are known and whose rows are not yet read.
pub(crate) trait Opened: Send {
    fn header(&self) -> &Header;
    /// Reads the wanted columns, at most `rows` rows at a time.
    fn start(self: Box<Self>, wants: Vec<Want>, rows: usize) -> Result<Box<dyn Chunks>>;
}

/// The rows of one file, chunk by chunk; never an empty chunk.
pub(crate) trait Chunks: Send {
    fn next(&mut self) -> Result<Option<Chunk>>;
}
