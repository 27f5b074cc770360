//! What the user says about a source: how files are written, and which columns mean what.

use crate::column::Selector;
use crate::error::{Error, Result};
use crate::format::Format;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::str::FromStr;

/// How the files are written; what is None is found out from the files themselves.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// None: by extension; CSV for standard input.
    pub format: Option<Format>,
    /// CSV: whether the first row holds names. None: it does unless every field of it is a number.
    pub header: Option<bool>,
    /// CSV: the byte between fields. None: the one of `, ; tab | space` that fits the first lines. A space stands for
    /// any run of blanks.
    pub delimiter: Option<u8>,
    /// CSV: lines that begin with this byte are skipped. None: no comments.
    pub comment: Option<u8>,
    /// Words that stand for a missing value. None: [`MISSING_TOKENS`](crate::MISSING_TOKENS).
    pub missing_tokens: Option<Vec<String>>,
    /// svmlight: the number of inputs. None: found by a first pass.
    pub width: Option<usize>,
    /// svmlight: whether indices count from 0. None: they do if an index 0 occurs.
    pub zero_based: Option<bool>,
    /// The most rows in one batch. None: some thousands, fewer for wide tables.
    pub batch: Option<usize>,
}

/// What to do with a row in which an input is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// Refuse, with the place.
    #[default]
    Error,
    /// Skip the row.
    Drop,
    /// Put the column's mean (of a category: the shares of the categories).
    Mean,
}

impl FromStr for Missing {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        match word {
            "error" => Ok(Missing::Error),
            "drop" => Ok(Missing::Drop),
            "mean" => Ok(Missing::Mean),
            _ => Err(Error::Options(format!("missing: expected error, drop or mean, got {word:?}"))),
        }
    }
}

/// Which columns mean what when a model is trained.
#[derive(Clone, Debug, Default)]
pub struct Select {
    /// None: every column without another role; one that holds no numbers is then refused by name (with `one_hot`:
    /// words are encoded), one without any value is left out.
    pub inputs: Option<Selector>,
    /// Columns that are never inputs.
    pub ignore: Option<Selector>,
    /// None: no outputs.
    pub outputs: Option<Selector>,
    /// One column, the task of each row: the one output is then the value of that task, and the tasks are the outputs.
    pub task: Option<Selector>,
    /// Whether the one output is a label, a word or a number that stands for a class.
    pub labels: bool,
    /// Whether rows may have no label: their class is then NaN.
    pub unlabelled: bool,
    /// One column, the weight of each row (≥ 0).
    pub weight: Option<Selector>,
    /// One column per output, the standard error s > 0 of each entry, which then weighs 1/s².
    pub errors: Option<Selector>,
    /// Columns carried along as text beside each batch.
    pub keep: Option<Selector>,
    /// What to do with missing inputs.
    pub missing: Missing,
    /// Means by column name for [`Missing::Mean`]; those not given are found by a first pass.
    pub means: BTreeMap<String, f64>,
    /// Skip rows in which an output is missing; otherwise a missing output is NaN, an entry that was not observed.
    pub drop_unobserved: bool,
    /// Encode input columns that hold words: one input per category.
    pub one_hot: bool,
    /// Input columns that hold categories even if they look like numbers.
    pub categories: Option<Selector>,
    /// Rows of a series, which follow from each other: without `outputs` every column of numbers that has no other role is
    /// one, without `inputs` there are none.
    pub series: bool,
}
