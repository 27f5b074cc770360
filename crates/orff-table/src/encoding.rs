//! How the columns of a table become inputs and outputs: a value that the model file stores.

use crate::error::{Error, Result};
use crate::header::Header;
use crate::options::Missing;
use crate::task::Task;
use serde::{Deserialize, Serialize};

/// The fitted encoding of a table: which columns are inputs and outputs, in which order, with categories and means.
/// A source for prediction is built from it and finds the columns by name, or by position where there are no names.
///
/// ```
/// use orff_table::Encoding;
/// let e = Encoding::numbers(["x", "y"], ["speed"]);
/// assert_eq!(e.input_names(), ["x", "y"]);
/// assert_eq!(e.width(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Encoding {
    /// Whether the training table had column names of its own.
    pub named: bool,
    /// Number of columns of the training table.
    pub columns: usize,
    /// The inputs in order; empty when they are sparse.
    pub inputs: Vec<Input>,
    /// The sparse inputs of svmlight.
    pub sparse: Option<Sparse>,
    /// The outputs in order.
    pub outputs: Vec<Column>,
    /// The task of each row, where rows are long: `outputs` is then the one column with its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
    /// The classes, when the one output is a label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<Labels>,
    /// The weight of each row.
    pub weight: Option<Column>,
    /// The standard errors of the outputs: none, or one per output.
    pub errors: Vec<Column>,
    /// What happens to missing inputs.
    pub missing: Missing,
    /// Whether rows with a missing output are skipped.
    pub drop_unobserved: bool,
    /// Words that stand for a missing value.
    pub missing_tokens: Vec<String>,
}

/// A column of the training table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its position, from 1.
    pub position: usize,
}

/// An input column and its code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The column.
    pub column: Column,
    /// How its cells become numbers.
    pub code: Code,
}

/// How the cells of an input column become numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Code {
    /// As they are.
    Number {
        /// The mean of the training rows, where missing values are replaced by it.
        mean: Option<f64>,
    },
    /// One input per category: 1 for the category of the row, 0 for the others.
    Category {
        /// The categories, sorted.
        values: Vec<String>,
        /// The share of each category, where missing values are replaced by it.
        shares: Option<Vec<f64>>,
    },
}

/// The labels of a column: each row has one of a few words or numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Labels {
    /// The classes, in the order of their numbers: sorted, numbers by size.
    pub values: Vec<String>,
    /// Whether a row without a label is an error; otherwise its class is NaN.
    pub required: bool,
}

/// Sparse inputs `index:value`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sparse {
    /// Number of inputs.
    pub width: usize,
    /// Whether indices count from 0.
    pub zero_based: bool,
}

impl Encoding {
    /// Plain numeric columns by name, without weights, missing values refused.
    pub fn numbers<A: Into<String>, B: Into<String>>(
        inputs: impl IntoIterator<Item = A>,
        outputs: impl IntoIterator<Item = B>,
    ) -> Self {
        let mut position = 0;
        let mut column = |name: String| {
            position += 1;
            Column { name, position }
        };
        let number = |column| Input { column, code: Code::Number { mean: None } };
        let inputs: Vec<Input> = inputs.into_iter().map(|n| number(column(n.into()))).collect();
        let outputs: Vec<Column> = outputs.into_iter().map(|n| column(n.into())).collect();
        Encoding {
            named: true,
            columns: position,
            inputs,
            sparse: None,
            outputs,
            task: None,
            labels: None,
            weight: None,
            errors: Vec::new(),
            missing: Missing::Error,
            drop_unobserved: false,
            missing_tokens: crate::MISSING_TOKENS.map(String::from).to_vec(),
        }
    }

    /// Number of inputs d after encoding.
    pub fn width(&self) -> usize {
        match &self.sparse {
            Some(s) => s.width,
            None => self.inputs.iter().map(|i| i.code.width()).sum(),
        }
    }

    /// The name of each input: the column's, or `column=category`.
    pub fn input_names(&self) -> Vec<String> {
        if let Some(s) = &self.sparse {
            return (1..=s.width).map(|k| format!("x{k}")).collect();
        }
        let names = |i: &Input| match &i.code {
            Code::Number { .. } => vec![i.column.name.clone()],
            Code::Category { values, .. } => values.iter().map(|v| format!("{}={v}", i.column.name)).collect(),
        };
        self.inputs.iter().flat_map(names).collect()
    }

    /// The name of each output: the column's, or the task's.
    pub fn output_names(&self) -> Vec<String> {
        if let Some(task) = &self.task {
            return task.values.clone();
        }
        self.outputs.iter().map(|c| c.name.clone()).collect()
    }

    /// Rows to be scored need not have the weights or standard errors of those learned from: without, all count alike.
    pub(crate) fn forget_absent_weights(&mut self, header: &Header) -> Result<()> {
        if !(self.named && header.named) {
            return Ok(());
        }
        for column in self.weight.iter().chain(&self.errors) {
            if header.find(&column.name)?.is_none() {
                (self.weight, self.errors) = (None, Vec::new());
                return Ok(());
            }
        }
        Ok(())
    }

    /// Refuses an encoding that no table can have given (a damaged or hand-written file).
    pub fn check(&self) -> Result<()> {
        let wrong = |what: String| Err(Error::file("encoding", what));
        if self.width() == 0 && self.outputs.is_empty() {
            return wrong("there are no columns".into());
        }
        let others = self.weight.is_some() || self.task.is_some() || !self.errors.is_empty();
        if self.sparse.is_some() && (!self.inputs.is_empty() || others) {
            return wrong("sparse inputs cannot be mixed with other columns".into());
        }
        if !self.errors.is_empty() && self.errors.len() != self.outputs.len() {
            return wrong(format!("{} standard errors for {} outputs", self.errors.len(), self.outputs.len()));
        }
        if let Some(labels) = &self.labels
            && (self.outputs.len() != 1 || labels.values.is_empty() || !self.errors.is_empty())
        {
            return wrong("labels belong to one output, with at least one class and no standard error".into());
        }
        for input in &self.inputs {
            let name = &input.column.name;
            let (shares, count) = match &input.code {
                Code::Number { mean } => (mean.map(|m| vec![m]), 1),
                Code::Category { values, shares } => (shares.clone(), values.len()),
            };
            if self.missing == Missing::Mean && shares.is_none() {
                return wrong(format!("the mean of column {name:?} is not known"));
            }
            if shares.is_some_and(|s| s.len() != count || s.iter().any(|v| !v.is_finite())) {
                return wrong(format!("the mean of column {name:?} is damaged"));
            }
        }
        if self.task.as_ref().is_some_and(|t| t.values.is_empty() || self.outputs.len() > 1) {
            return wrong("long rows need tasks, and one column with their values".into());
        }
        let task = self.task.iter().map(|t| &t.column);
        let rest = self.outputs.iter().chain(task).chain(&self.weight).chain(&self.errors);
        match self.inputs.iter().map(|i| &i.column).chain(rest).find(|c| c.position == 0) {
            Some(c) => wrong(format!("the position of column {:?} is 0 (positions count from 1)", c.name)),
            None => Ok(()),
        }
    }
}

impl Code {
    pub(crate) fn forget_mean(&mut self) {
        match self {
            Code::Number { mean } => *mean = None,
            Code::Category { shares, .. } => *shares = None,
        }
    }

    pub(crate) fn width(&self) -> usize {
        match self {
            Code::Number { .. } => 1,
            Code::Category { values, .. } => values.len(),
        }
    }
}
