//! What a file says about its columns before any row is read.

use crate::error::{Error, Result};
use std::collections::HashMap;
use std::ops::Range;

/// What the cells of a column are.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Numbers or booleans (as far as the first rows tell, for text files).
    Number,
    /// Words; where a text file has the first one.
    Text(Option<(u64, String)>),
    /// Nothing in the first rows: a number if asked for, never by default.
    Empty,
    /// Something that is neither; the word is for the message ("timestamp").
    Other(String),
}

/// The columns of one file.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    /// The file, as named in messages.
    pub file: String,
    /// One name per column; `c1, c2, …` when the file has none.
    pub names: Vec<String>,
    /// Whether the names are the file's own.
    pub named: bool,
    /// One kind per column.
    pub kinds: Vec<Kind>,
    /// Columns of numbers that a typed file declares to be whole.
    pub whole: Vec<usize>,
    /// Columns of numbers that a typed file holds in single precision.
    pub single: Vec<usize>,
    /// Columns that share a name, such as the columns of one NumPy array.
    pub groups: Vec<(String, Range<usize>)>,
    /// Whether the file has no rows at all.
    pub empty: bool,
    /// How a place is written: text files have lines, others rows.
    pub lines: bool,
    index: HashMap<String, usize>,
    twice: HashMap<String, usize>,
}

impl Header {
    pub fn new(file: &str, names: Option<Vec<String>>, kinds: Vec<Kind>, lines: bool) -> Self {
        let named = names.is_some();
        let mut names = names.unwrap_or_default();
        names.resize(kinds.len(), String::new());
        for (k, name) in names.iter_mut().enumerate() {
            if name.is_empty() {
                *name = format!("c{}", k + 1);
            }
        }
        let (mut index, mut twice) = (HashMap::new(), HashMap::new());
        for (k, name) in names.iter().enumerate() {
            if index.contains_key(name) {
                twice.entry(name.clone()).or_insert(k);
            } else {
                index.insert(name.clone(), k);
            }
        }
        Header {
            file: file.into(),
            names,
            named,
            kinds,
            whole: Vec::new(),
            single: Vec::new(),
            groups: Vec::new(),
            empty: false,
            lines,
            index,
            twice,
        }
    }

    /// The column of this exact name; a name that two columns share is an error.
    pub fn find(&self, name: &str) -> Result<Option<usize>> {
        if self.twice.contains_key(name) {
            return Err(self.ambiguous(name));
        }
        Ok(self.index.get(name).copied())
    }

    /// Refuses the name of a column that another column shares.
    pub fn unique(&self, column: usize) -> Result<()> {
        self.find(&self.names[column]).map(|_| ())
    }

    fn ambiguous(&self, name: &str) -> Error {
        let (a, b) = (self.index[name], self.twice[name]);
        let instead = if name.parse::<f64>().is_ok() { " (or use --header no: is it data?)" } else { "" };
        Error::Column(format!(
            "column name {name:?} appears twice in {} (columns {} and {}): rename one of them{instead}",
            self.file,
            a + 1,
            b + 1
        ))
    }

    pub fn group(&self, key: &str) -> Option<Range<usize>> {
        self.groups.iter().find(|(k, _)| k == key).map(|(_, r)| r.clone())
    }

    /// The error for a name that is not there, with the nearest name that is.
    pub fn missing(&self, name: &str) -> Error {
        let near = nearest(name, &self.names).map(|n| format!("; did you mean {n:?}?")).unwrap_or(";".into());
        Error::Column(format!("column {name:?} not found in {}{near} columns: {}", self.file, self.listing()))
    }

    fn listing(&self) -> String {
        const SHOWN: usize = 20;
        let mut s = self.names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
        if self.names.len() > SHOWN {
            s += &format!(", … and {} more", self.names.len() - SHOWN);
        }
        s
    }

    /// Where a row stands: `field.csv:17`, or `field.parquet: row 17`.
    pub fn row(&self, row: u64) -> String {
        if self.lines { format!("{}:{row}", self.file) } else { format!("{}: row {row}", self.file) }
    }

    /// Where a cell stands: `field.csv:17:3`, or `field.parquet: row 17, column "x"`.
    pub fn place(&self, row: u64, column: usize) -> String {
        if self.lines {
            format!("{}:{row}:{}", self.file, column + 1)
        } else {
            format!("{}: row {row}, column {:?}", self.file, self.names[column])
        }
    }
}

/// The candidate that differs by the fewest edits, if the difference may be a slip of the hand.
fn nearest<'a>(name: &str, candidates: &'a [String]) -> Option<&'a str> {
    if let Some(same) = candidates.iter().find(|c| c.eq_ignore_ascii_case(name)) {
        return Some(same);
    }
    let allowed = (name.chars().count() / 3).clamp(1, 3);
    let candidates = candidates.iter().take(10_000);
    // names of one letter are all one edit apart
    let near = |(d, c): &(usize, &str)| *d <= allowed && *d < name.chars().count().max(c.chars().count());
    candidates.map(|c| (edits(name, c), c.as_str())).filter(near).min().map(|(_, c)| c)
}

/// Edits (insert, delete, replace, swap of neighbours) from one name to another.
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut d = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            d[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replace = d[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = replace.min(d[i - 1][j] + 1).min(d[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(d[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    d[a.len()][b.len()]
}
