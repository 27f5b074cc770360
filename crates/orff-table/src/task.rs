//! The task of each long row: a column of words or numbers, each the name of an output.

use crate::cell::{Said, Tokens};
use crate::encoding::Column;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The most tasks that a table may have.
pub(crate) const MOST_TASKS: usize = 10_000;

/// The column that names the output of each long row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// The column.
    pub column: Column,
    /// The tasks, numbers by size before words by the alphabet.
    pub values: Vec<String>,
}

/// The name of a task as it is written: 7.0 is 7, since the same numbers are written either way by different programs.
pub(crate) fn name(cell: &str) -> &str {
    let cell = cell.trim();
    match cell.split_once('.') {
        Some((whole, rest))
            if !rest.is_empty() && rest.bytes().all(|b| b == b'0') && whole.parse::<i64>().is_ok() =>
        {
            whole
        }
        _ => cell,
    }
}

/// Tasks in the order of their numbers; words after them.
pub(crate) fn sorted(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().collect();
    let number = |name: &String| name.parse::<f64>().ok().filter(|v| !v.is_nan());
    names.sort_by(|a, b| match (number(a), number(b)) {
        (Some(x), Some(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => a.cmp(b),
    });
    names
}

/// Numbers of tasks by their names.
#[derive(Clone, Debug)]
pub(crate) struct Numbers {
    numbers: HashMap<String, usize>,
    shown: String,
}

impl Numbers {
    pub fn new(task: &Task) -> Self {
        let numbers = task.values.iter().cloned().zip(0..).collect();
        let shown = match task.values.as_slice() {
            [first @ .., last] if first.len() > 8 => format!("{}, …, {last}", first[..6].join(", ")),
            few => few.join(", "),
        };
        Numbers { numbers, shown }
    }

    /// The number of the task in a cell; none where the cell is empty. `place` is for messages.
    pub fn read(&self, cell: Option<&str>, tokens: &Tokens, place: impl Fn() -> String) -> Result<Option<usize>> {
        let Some(cell) = cell.filter(|cell| tokens.read(cell) != Said::Missing) else { return Ok(None) };
        match self.numbers.get(name(cell)) {
            Some(&number) => Ok(Some(number)),
            None => {
                let known = self.numbers.len();
                let problem = format!("{cell:?} is not one of the {known} tasks of the model ({})", self.shown);
                Err(Error::cell(place(), problem))
            }
        }
    }
}
