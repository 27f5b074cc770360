//! From the cells of a chunk to a batch: categories, means, rows left out, weights.

use crate::cell::{Said, Tokens};
use crate::chunk::{Cells, Chunk, Want};
use crate::encoding::{Code, Encoding};
use crate::error::{Error, Result};
use crate::header::Header;
use crate::label::label;
use crate::options::Missing;
use crate::place::Places;
use crate::task::Numbers;
use faer::Mat;
use orff::rows::{Batch, Csr, Inputs, Weights};
use std::collections::HashMap;
use std::sync::Arc;

/// Some consecutive rows of one file: a batch of those that can be used, and what is carried beside all of them.
#[derive(Clone, Debug)]
pub struct Page {
    /// Inputs, outputs and weights of the rows that are used.
    pub batch: Batch,
    /// Which rows of the page the batch holds, from 0, ascending; others have a missing value.
    pub used: Vec<usize>,
    /// The number of the task of each row of the batch, where rows are long and tasks are asked for.
    pub tasks: Option<Vec<usize>>,
    /// One list per carried column, with one text per row of the page.
    pub kept: Vec<Vec<String>>,
    /// Line (text files) or number (others) of each row of the page, from 1.
    pub(crate) rows: Vec<u64>,
    pub(crate) places: Arc<Places>,
}

impl Page {
    /// Number of rows, with those that are not in the batch.
    pub fn nrows(&self) -> usize {
        self.rows.len()
    }

    /// An error about a row of the batch (from 1) and an input (from 1), with its place in the file instead. Other
    /// errors stay as they are.
    pub fn placed(&self, error: orff::Error) -> orff::Error {
        let orff::Error::Value { row, column, value, problem } = &error else { return error };
        let line = row.checked_sub(1).and_then(|i| self.used.get(i)).map(|&r| self.rows[r]);
        line.map(|line| self.places.said(line, column, value, problem)).unwrap_or(error)
    }
}

/// Turns the chunks of one file into pages.
pub(crate) struct Binder {
    pub encoding: Arc<Encoding>,
    pub header: Header,
    pub wants: Vec<Want>,
    places: Arc<Places>,
    /// Number of outputs that are read: all or none.
    outputs: usize,
    tokens: Tokens,
    tasks: Option<Numbers>,
    /// For each input that is a category, the place of each value.
    categories: Vec<HashMap<String, usize>>,
    /// The number of each class.
    classes: HashMap<String, usize>,
}

impl Binder {
    pub fn new(encoding: Arc<Encoding>, header: Header, wants: Vec<Want>, outputs: bool, tokens: &Tokens) -> Self {
        let place = |code: &Code| match code {
            Code::Number { .. } => HashMap::new(),
            Code::Category { values, .. } => values.iter().cloned().zip(0..).collect(),
        };
        let categories = encoding.inputs.iter().map(|i| place(&i.code)).collect();
        let outputs = if outputs { encoding.outputs.len() } else { 0 };
        let classes = encoding.labels.iter().flat_map(|l| l.values.iter().cloned().zip(0..)).collect();
        let columns = Arc::new(Places::new(&encoding, &header, &wants));
        let tasks = encoding.task.as_ref().map(Numbers::new);
        let tokens = tokens.clone();
        Binder { encoding, header, wants, outputs, tokens, tasks, categories, classes, places: columns }
    }

    /// The page of a chunk.
    pub fn bind(&self, chunk: &Chunk) -> Result<Page> {
        let e = &*self.encoding;
        let (inputs, rest) = chunk.cells.split_at(e.inputs.len());
        let (task, rest) = rest.split_at(usize::from(self.tasks.is_some()));
        let (outputs, rest) = rest.split_at(self.outputs);
        let weighted = usize::from(self.outputs > 0 && e.weight.is_some());
        let (weight, rest) = rest.split_at(weighted);
        let (errors, kept) = rest.split_at(if self.outputs > 0 { e.errors.len() } else { 0 });
        let (rows, tasks) = self.tasks(chunk, self.picked(chunk, inputs, outputs), task.first())?;
        let x = match &chunk.sparse {
            Some(csr) => {
                self.whole(chunk, csr)?;
                Inputs::Sparse(csr.pick(&rows))
            }
            None => Inputs::Dense(self.dense(chunk, inputs, &rows)?),
        };
        let y = match (&e.labels, outputs) {
            (Some(labels), [cells]) => self.classes(chunk, cells, &rows, labels.required)?,
            _ => Mat::from_fn(rows.len(), outputs.len(), |i, k| outputs[k].numbers()[rows[i]]),
        };
        let weights = self.weights(chunk, &rows, &y, weight.first(), errors)?;
        let text = |cells: &Cells| cells.texts().iter().map(|t| t.clone().unwrap_or_default()).collect();
        let kept = kept.iter().map(text).collect();
        let mut batch = Batch { inputs: x, outputs: y, weights };
        if let Some(tasks) = tasks.as_ref().filter(|_| self.outputs > 0) {
            pair(&mut batch, tasks);
        }
        Ok(Page { batch, used: rows, tasks, kept, rows: chunk.rows.clone(), places: self.places.clone() })
    }

    /// The task of each row that stays; rows without one are dropped where those without an input are.
    fn tasks(
        &self,
        chunk: &Chunk,
        rows: Vec<usize>,
        cells: Option<&Cells>,
    ) -> Result<(Vec<usize>, Option<Vec<usize>>)> {
        let (Some(numbers), Some(cells)) = (&self.tasks, cells) else { return Ok((rows, None)) };
        let (mut used, mut tasks) = (Vec::new(), Vec::new());
        for r in rows {
            let place = || self.header.place(chunk.rows[r], self.wants[self.encoding.inputs.len()].column);
            match numbers.read(cells.texts()[r].as_deref(), &self.tokens, place)? {
                Some(number) => {
                    used.push(r);
                    tasks.push(number);
                }
                None if self.encoding.missing == Missing::Drop => {}
                None => {
                    let what = "the task is missing (use --missing drop to skip such rows)";
                    return Err(Error::cell(place(), what));
                }
            }
        }
        Ok((used, Some(tasks)))
    }

    /// The number of each row's class (n×1), NaN where it has no label.
    fn classes(&self, chunk: &Chunk, cells: &Cells, rows: &[usize], required: bool) -> Result<Mat<f64>> {
        let mut y = Mat::zeros(rows.len(), 1);
        let name = &self.encoding.outputs[0].name;
        for (i, &r) in rows.iter().enumerate() {
            let place = || self.header.place(chunk.rows[r], self.wants[self.encoding.inputs.len()].column);
            y[(i, 0)] = match label(cells.texts()[r].as_deref(), &self.tokens) {
                None if required => {
                    let how = "every row to learn from needs one; see --missing-tokens if it is a word";
                    return Err(Error::cell(place(), format!("the label is missing ({how})")));
                }
                None => f64::NAN,
                Some(label) => match self.classes.get(&label) {
                    Some(&class) => class as f64,
                    None => {
                        let shown: String = label.chars().take(40).collect();
                        let known = self.classes.len();
                        let problem =
                            format!("{shown:?} is not one of the {known} classes of {name:?} seen in training");
                        return Err(Error::cell(place(), problem));
                    }
                },
            };
        }
        Ok(y)
    }

    /// The rows that stay.
    fn picked(&self, chunk: &Chunk, inputs: &[Cells], outputs: &[Cells]) -> Vec<usize> {
        let drop = self.encoding.missing == Missing::Drop;
        let gap = |cells: &Cells, r: usize| match cells {
            Cells::Numbers(v) => v[r].is_nan(),
            Cells::Texts(v) => self.absent(&v[r]),
        };
        let sparse_gap = |r: usize| chunk.sparse.as_ref().is_some_and(|s| s.row(r).any(|(_, v)| v.is_nan()));
        let stays = |r: &usize| {
            !(drop && (inputs.iter().any(|c| gap(c, *r)) || sparse_gap(*r)))
                && !(self.encoding.drop_unobserved && outputs.iter().any(|c| gap(c, *r)))
        };
        (0..chunk.rows.len()).filter(stays).collect()
    }

    /// Refuses missing values of sparse inputs where they are errors.
    fn whole(&self, chunk: &Chunk, csr: &Csr) -> Result<()> {
        let gap = |r: usize| csr.row(r).find(|(_, v)| v.is_nan()).map(|(k, _)| (r, k));
        let found = (0..csr.nrows()).find_map(gap).filter(|_| self.encoding.missing == Missing::Error);
        found.map_or(Ok(()), |(r, k)| {
            let place = format!("{}:{}", self.header.file, chunk.rows[r]);
            let problem = format!("the value of input x{} is missing (use --missing drop to skip such rows)", k + 1);
            Err(Error::cell(place, problem))
        })
    }

    fn absent(&self, cell: &Option<String>) -> bool {
        cell.as_ref().is_none_or(|s| self.tokens.read(s) == Said::Missing)
    }

    /// n×d.
    fn dense(&self, chunk: &Chunk, cells: &[Cells], rows: &[usize]) -> Result<Mat<f64>> {
        let mut x = Mat::zeros(rows.len(), self.encoding.width());
        let mut at = 0;
        for (k, input) in self.encoding.inputs.iter().enumerate() {
            match &input.code {
                Code::Number { mean } => {
                    let column = cells[k].numbers();
                    for (i, &r) in rows.iter().enumerate() {
                        x[(i, at)] = if column[r].is_nan() { mean.unwrap_or(f64::NAN) } else { column[r] };
                    }
                }
                Code::Category { shares, .. } => {
                    for (i, &r) in rows.iter().enumerate() {
                        self.category(chunk, k, &cells[k].texts()[r], r, shares, |j, v| x[(i, at + j)] = v)?;
                    }
                }
            }
            at += input.code.width();
        }
        Ok(x)
    }

    fn category(
        &self,
        chunk: &Chunk,
        input: usize,
        cell: &Option<String>,
        row: usize,
        shares: &Option<Vec<f64>>,
        mut put: impl FnMut(usize, f64),
    ) -> Result<()> {
        let name = &self.encoding.inputs[input].column.name;
        let place = || self.header.place(chunk.rows[row], self.wants[input].column);
        if self.absent(cell) {
            let Some(shares) = shares else {
                let what = "the category is missing (use --missing drop to skip such rows, or --missing mean)";
                return Err(Error::cell(place(), what));
            };
            shares.iter().enumerate().for_each(|(j, &v)| put(j, v));
            return Ok(());
        }
        let word = cell.as_deref().unwrap_or_default();
        match self.categories[input].get(word) {
            Some(&j) => put(j, 1.0),
            None => {
                let seen = self.encoding.inputs[input].code.width();
                let problem = format!("{word:?} is not one of the {seen} categories of {name:?} seen in training");
                return Err(Error::cell(place(), problem));
            }
        }
        Ok(())
    }

    fn weights(
        &self,
        chunk: &Chunk,
        rows: &[usize],
        y: &Mat<f64>,
        weight: Option<&Cells>,
        errors: &[Cells],
    ) -> Result<Option<Weights>> {
        let first = self.encoding.inputs.len() + usize::from(self.tasks.is_some()) + self.outputs;
        let place = |r: usize, want: usize| self.header.place(chunk.rows[r], self.wants[want].column);
        let mut w = Vec::new();
        if let Some(cells) = weight {
            for &r in rows {
                let v = cells.numbers()[r];
                if v < 0.0 {
                    return Err(Error::cell(place(r, first), format!("weight {v} is negative (expected ≥ 0)")));
                }
                w.push(v);
            }
        }
        if errors.is_empty() {
            return Ok(weight.map(|_| Weights::Row(w)));
        }
        let mut entry = Mat::zeros(rows.len(), errors.len());
        for (k, cells) in errors.iter().enumerate() {
            for (i, &r) in rows.iter().enumerate() {
                let s = cells.numbers()[r];
                if y[(i, k)].is_nan() {
                    continue;
                }
                let precision = 1.0 / (s * s);
                if s.is_nan() || s <= 0.0 || !precision.is_finite() {
                    let shown = if s.is_nan() { "is missing".to_string() } else { format!("is {s}") };
                    let place = place(r, first + usize::from(weight.is_some()) + k);
                    return Err(Error::cell(place, format!("the standard error {shown} (expected a number > 0)")));
                }
                entry[(i, k)] = precision * w.get(i).copied().unwrap_or(1.0);
            }
        }
        Ok(Some(Weights::Entry(entry)))
    }
}

/// The number of the task before the value, as long rows have it; a weight of the value is that of the pair.
fn pair(batch: &mut Batch, tasks: &[usize]) {
    let (n, values) = (tasks.len(), &batch.outputs);
    let pairs = Mat::from_fn(n, 2, |i, k| if k == 0 { tasks[i] as f64 } else { values[(i, 0)] });
    if let Some(Weights::Entry(w)) = &batch.weights {
        batch.weights = Some(Weights::Entry(Mat::from_fn(n, 2, |i, _| w[(i, 0)])));
    }
    batch.outputs = pairs;
}
