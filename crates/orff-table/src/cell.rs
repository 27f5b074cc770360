//! One cell: a number, a missing value, or a word; and the sentence when it is the wrong one.

use crate::error::{Error, Result};
use crate::header::Header;

/// The words that stand for a missing value unless others are given.
pub const MISSING_TOKENS: [&str; 9] = ["", "NA", "n/a", "NaN", "nan", "null", "None", "?", "-"];

/// The words that stand for a missing value.
#[derive(Clone, Debug)]
pub(crate) struct Tokens {
    words: Vec<String>,
    /// Some token reads as a number (`-999`), so tokens must be compared before numbers are parsed.
    numeric: bool,
}

/// What a text cell says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Said {
    Number(f64),
    Missing,
    Word,
}

impl Tokens {
    pub fn new<S: AsRef<str>>(words: &[S]) -> Self {
        let words: Vec<String> = words.iter().map(|w| w.as_ref().trim().to_string()).collect();
        let numeric = words.iter().any(|w| w.parse::<f64>().is_ok_and(|v| !v.is_nan()));
        Tokens { words, numeric }
    }

    pub fn has(&self, cell: &str) -> bool {
        self.words.iter().any(|w| w == cell)
    }

    /// Reads a trimmed cell; `true` and `false` are 1 and 0.
    pub fn read(&self, cell: &str) -> Said {
        if self.numeric && self.has(cell) {
            return Said::Missing;
        }
        match cell.parse::<f64>() {
            Ok(v) if v.is_nan() => Said::Missing,
            Ok(v) => Said::Number(v),
            Err(_) if self.has(cell) => Said::Missing,
            Err(_) if cell.eq_ignore_ascii_case("true") => Said::Number(1.0),
            Err(_) if cell.eq_ignore_ascii_case("false") => Said::Number(0.0),
            Err(_) => Said::Word,
        }
    }
}

/// What a column is used for: it decides whether a value may be missing, and what to advise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// An input in which a missing value is an error.
    Input,
    /// An input in which missing values are dealt with later.
    Gaps,
    Output,
    Weight,
    Spread,
}

impl Role {
    /// Accepts a value of a typed column or parsed cell; NaN is a missing value. `shown` is the cell as written.
    pub fn accept(self, value: f64, shown: Option<&str>, at: (&Header, u64, usize)) -> Result<f64> {
        if value.is_finite() {
            return Ok(value);
        }
        let (header, row, column) = at;
        let place = || header.place(row, column);
        if value.is_nan() {
            let advice = match self {
                Role::Gaps | Role::Output | Role::Spread => return Ok(value),
                Role::Input => "use --missing drop to skip such rows, or --missing mean",
                Role::Weight => "every row needs a weight",
            };
            let what = match shown {
                Some(s) if !s.is_empty() => format!("{s:?} is not a number"),
                Some(_) => "the cell is empty".into(),
                None => "the value is missing".into(),
            };
            return Err(Error::cell(place(), format!("{what} ({advice})")));
        }
        let shown = shown.map(str::to_string).unwrap_or(value.to_string());
        Err(Error::cell(place(), format!("{shown:?} is not finite (correct it, or mark it as missing)")))
    }

    /// The error for a word where a number is needed.
    pub fn word(self, word: &str, at: (&Header, u64, usize)) -> Error {
        let (header, row, column) = at;
        let name = &header.names[column];
        let advice = match self {
            Role::Input | Role::Gaps => format!(
                "input {name:?}: use --one-hot to encode categories, --missing-tokens if it stands for a missing \
                 value, or --ignore {name:?}"
            ),
            Role::Output => format!("output {name:?}: use --missing-tokens if it stands for a missing value"),
            Role::Weight => format!("weight {name:?}"),
            Role::Spread => format!("standard error {name:?}"),
        };
        let word: String = word.chars().take(40).collect();
        Error::cell(header.place(row, column), format!("{word:?} is not a number ({advice})"))
    }
}
