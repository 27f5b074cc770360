//! Rows with classes as rows with outputs: the number of a class becomes the code of the class, and classes may weigh
//! more or less than others.

use super::{ClassWeight, Sample, sample};
use crate::error::{Error, Result};
use crate::model::Code;
use crate::rows::{Batch, Batches, Rows, Weights};
use crate::watch::Watch;
use faer::Mat;
use std::sync::{Mutex, PoisonError};

/// Most classes: a model has a column for each.
pub const MOST_CLASSES: usize = 10_000;

/// Which classes rows have, found before the pass.
pub(super) struct Tally {
    /// Their names.
    pub names: Vec<String>,
    /// Σw of the rows of each.
    pub weights: Vec<f64>,
    /// A sample of the rows, with the numbers of their classes.
    pub sample: Sample,
}

impl Tally {
    /// Lines about classes without rows.
    pub fn absent(&self) -> impl Iterator<Item = String> {
        let absent = self.names.iter().zip(&self.weights).filter(|(_, w)| **w == 0.0);
        absent.map(|(name, _)| format!("class {name}: no rows to learn from"))
    }
}

/// Counts the classes of rows and draws a sample of them, in one pass.
pub(super) fn tally(rows: &dyn Rows, seed: u64, watch: &mut dyn Watch) -> Result<Tally> {
    if rows.outputs() != 1 {
        return Err(Error::shape("classes", "one output, the number of each row's class", rows.outputs()));
    }
    if !rows.rereadable() {
        return Err(Error::refused(
            "classification of rows that are read once",
            "the classes are counted before the pass; save the rows to a file",
        ));
    }
    let counted = Counted { rows, weights: Mutex::new(Vec::new()) };
    let (sample, _) = sample::draw(&counted, seed, watch)?;
    let weights = counted.weights.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (names, weights) = named(weights, rows.classes())?;
    Ok(Tally { names, weights, sample })
}

/// The names of classes and Σw of the rows of each, zero for those that no row has; refused unless rows have two at least.
pub(super) fn named(mut weights: Vec<f64>, names: Option<&[String]>) -> Result<(Vec<String>, Vec<f64>)> {
    let names = match names {
        Some(names) => names.to_vec(),
        None => (0..weights.len()).map(|k| k.to_string()).collect(),
    };
    weights.resize(names.len().max(weights.len()), 0.0);
    if names.len() != weights.len() {
        let expected = format!("the number of a class from 0 to {}", names.len().saturating_sub(1));
        return Err(Error::shape("classes", expected, weights.len() - 1));
    }
    match weights.iter().filter(|w| **w > 0.0).count() {
        0 => Err(Error::Data("no row counts: every label is missing, or every weight is zero".into())),
        1 => {
            let only = weights.iter().position(|w| *w > 0.0).unwrap_or(0);
            let what = format!("one class only ({}): there is nothing to tell apart", names[only]);
            Err(Error::Data(format!("{what}; expected rows of at least two classes")))
        }
        _ => Ok((names, weights)),
    }
}

/// Rows whose classes are counted as they pass.
struct Counted<'a> {
    rows: &'a dyn Rows,
    weights: Mutex<Vec<f64>>,
}

impl Rows for Counted<'_> {
    fn inputs(&self) -> usize {
        self.rows.inputs()
    }

    fn outputs(&self) -> usize {
        1
    }

    fn batches(&self) -> Result<Batches<'_>> {
        let mut first = 0;
        Ok(Box::new(self.rows.batches()?.map(move |batch| {
            let batch = batch?;
            let mut weights = self.weights.lock().unwrap_or_else(PoisonError::into_inner);
            for i in 0..batch.outputs.nrows() {
                let class = class(batch.outputs[(i, 0)], first + i)?;
                if class >= weights.len() {
                    weights.resize(class + 1, 0.0);
                }
                weights[class] += row_weight(&batch, i)?;
            }
            first += batch.outputs.nrows();
            drop(weights);
            Ok(batch)
        })))
    }
}

/// The class of a row, numbered from 0.
pub(super) fn class(number: f64, row: usize) -> Result<usize> {
    let wrong = |value: String, problem: &str| {
        Err(Error::Value { row: row + 1, column: "class".into(), value, problem: problem.into() })
    };
    if number.is_nan() {
        return wrong("the label".into(), "is missing (every row to learn from needs one)");
    }
    if number < 0.0 || number.fract() != 0.0 || number >= MOST_CLASSES as f64 {
        let expected = format!("is not the number of a class (a whole number from 0 to {})", MOST_CLASSES - 1);
        return wrong(number.to_string(), &expected);
    }
    Ok(number as usize)
}

/// How often a row counts.
pub(super) fn row_weight(batch: &Batch, i: usize) -> Result<f64> {
    match &batch.weights {
        None => Ok(1.0),
        Some(Weights::Row(w)) => Ok(w[i]),
        Some(Weights::Entry(_)) => Err(Error::refused(
            "weights of entries with classes",
            "a label has no standard error; give each row a weight",
        )),
    }
}

/// Rows whose outputs are codes.
pub(super) struct Coded<'a> {
    pub rows: &'a dyn Rows,
    pub code: Code,
    /// The weight of each class (T).
    pub weights: Vec<f64>,
    /// Whether all of them are 1.
    even: bool,
}

impl<'a> Coded<'a> {
    /// Codes rows; classes are weighted as asked.
    pub fn new(rows: &'a dyn Rows, code: Code, tally: &Tally, weight: &ClassWeight) -> Result<Self> {
        let weights = weight.of(&tally.names, &tally.weights)?;
        let even = weights.iter().all(|w| *w == 1.0);
        Ok(Coded { rows, code, weights, even })
    }

    /// Number of classes T.
    pub fn classes(&self) -> usize {
        self.weights.len()
    }

    /// Σw of all rows, as they count.
    pub fn total(&self, tally: &Tally) -> f64 {
        self.weights.iter().zip(&tally.weights).map(|(class, rows)| class * rows).sum()
    }

    /// A batch of labelled rows with the codes of their classes.
    pub fn batch(&self, batch: Batch) -> Result<Batch> {
        let n = batch.outputs.nrows();
        let mut outputs = Mat::zeros(n, self.outputs());
        let mut code = vec![0.0; self.outputs()];
        let mut weights = Vec::with_capacity(n);
        for i in 0..n {
            let class = class(batch.outputs[(i, 0)], i)?;
            self.code.target(class, self.classes(), &mut code);
            code.iter().enumerate().for_each(|(t, c)| outputs[(i, t)] = *c);
            weights.push(self.weights[class] * row_weight(&batch, i)?);
        }
        let weights = (batch.weights.is_some() || !self.even).then_some(Weights::Row(weights));
        Ok(Batch { inputs: batch.inputs, outputs, weights })
    }

    /// What leave-one-out takes away of the weights of coded rows: a row of weight w stands for w rows, of which one is
    /// left out, but the weight of its class is one of importance, and goes with it.
    pub fn left(&self, batch: &Batch) -> Vec<f64> {
        match &batch.weights {
            Some(Weights::Row(w)) => {
                w.iter().zip(self.classes_of(batch)).map(|(w, c)| w.min(self.weights[c])).collect()
            }
            _ => vec![1.0; batch.outputs.nrows()],
        }
    }

    /// The classes of coded rows.
    pub fn classes_of(&self, batch: &Batch) -> Vec<usize> {
        let y = &batch.outputs;
        let class = |i: usize| self.code.decode(&y.row(i).iter().copied().collect::<Vec<f64>>(), self.classes());
        (0..y.nrows()).map(class).collect()
    }
}

impl Rows for Coded<'_> {
    fn inputs(&self) -> usize {
        self.rows.inputs()
    }

    fn outputs(&self) -> usize {
        self.code.outputs(self.classes())
    }

    fn batches(&self) -> Result<Batches<'_>> {
        Ok(Box::new(self.rows.batches()?.map(|batch| self.batch(batch?))))
    }

    fn single(&self) -> bool {
        self.rows.single()
    }
}
