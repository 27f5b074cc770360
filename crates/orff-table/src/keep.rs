//! Columns that are carried along: read as text, written as what they were.

use crate::cell::{Said, Tokens};
use crate::error::{Error, Result};
use crate::header::{Header, Kind};
use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray};
use arrow_schema::DataType;
use std::sync::Arc;

/// What a carried column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// Texts.
    Text,
    /// Numbers.
    Number,
    /// Whole numbers of a file with types.
    Integer,
}

/// A carried column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub holds: Carried,
}

impl From<&str> for Kept {
    /// A column of texts.
    fn from(name: &str) -> Self {
        Kept { name: name.into(), holds: Carried::Text }
    }
}

impl Kept {
    pub(crate) fn of(header: &Header, column: usize) -> Self {
        let holds = match &header.kinds[column] {
            Kind::Number if header.whole.contains(&column) => Carried::Integer,
            Kind::Number => Carried::Number,
            _ => Carried::Text,
        };
        Kept { name: header.names[column].clone(), holds }
    }

    pub(crate) fn arrow_type(&self) -> DataType {
        match self.holds {
            Carried::Text => DataType::Utf8,
            Carried::Number => DataType::Float64,
            Carried::Integer => DataType::Int64,
        }
    }

    /// The texts as an Arrow array; a missing number is null.
    pub(crate) fn array(&self, texts: &[String], tokens: &Tokens) -> Result<ArrayRef> {
        let wrong = |text: &str| {
            let how = "the first rows hold numbers only, so the file cannot hold it: write .csv";
            Error::Column(format!("carried column {:?}: {text:?} is not a number ({how})", self.name))
        };
        let number = |text: &String| match tokens.read(text) {
            Said::Number(v) => Ok(Some(v)),
            Said::Missing => Ok(None),
            Said::Word => Err(wrong(text)),
        };
        let integer =
            |text: &String| if tokens.has(text) { Ok(None) } else { text.parse().map(Some).map_err(|_| wrong(text)) };
        Ok(match self.holds {
            Carried::Text => Arc::new(StringArray::from_iter_values(texts)),
            Carried::Number => Arc::new(texts.iter().map(number).collect::<Result<Float64Array>>()?),
            Carried::Integer => Arc::new(texts.iter().map(integer).collect::<Result<Int64Array>>()?),
        })
    }
}
