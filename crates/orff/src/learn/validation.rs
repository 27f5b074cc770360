//! What sequential cross-validation found.

use crate::error::{Error, Result};
use crate::model::Training;
use faer::Mat;

/// What sequential cross-validation found, in the units the model sees.
#[derive(Clone, Debug)]
pub struct Validation {
    /// Mean over the predicted rows of their mean squared error.
    pub mse: f64,
    /// Standard deviation of the mean squared errors of rows.
    pub sd: f64,
    /// Mean squared error at each step after the window.
    pub by_step: Vec<f64>,
    /// Mean squared error of each variable.
    pub by_variable: Vec<f64>,
    /// Number of windows.
    pub windows: usize,
    /// Rows of a window.
    pub window: usize,
    /// Rows that were predicted.
    pub rows: usize,
    /// Rows that could not be: what came before them is not known, or nothing of them.
    pub skipped: usize,
    /// Observation less prediction of each predicted row (rows×p); NaN where nothing was observed.
    pub errors: Mat<f64>,
    /// Time of each predicted row, counted from 0.
    pub at: Vec<usize>,
    /// What was chosen on the first window, for all.
    pub training: Training,
}

/// Errors so far.
#[derive(Default)]
pub(super) struct Tally {
    errors: Vec<Vec<f64>>,
    at: Vec<usize>,
    step: Vec<usize>,
    pub skipped: usize,
}

impl Tally {
    /// Of nothing yet, but rows that were skipped.
    pub fn after(skipped: usize) -> Self {
        Tally { skipped, ..Tally::default() }
    }

    pub fn add(&mut self, errors: Vec<f64>, at: usize, step: usize) {
        if errors.iter().all(|e| e.is_nan()) {
            self.skipped += 1;
            return;
        }
        self.errors.push(errors);
        self.at.push(at);
        self.step.push(step);
    }

    pub fn scores(
        self,
        p: usize,
        horizon: usize,
        (windows, window): (usize, usize),
        training: Training,
    ) -> Result<Validation> {
        if self.errors.is_empty() {
            return Err(Error::Data("no row after a window could be predicted: fill in the gaps".into()));
        }
        let mean = |values: &mut dyn Iterator<Item = f64>| {
            let (sum, n) = values.filter(|v| !v.is_nan()).fold((0.0, 0.0), |(sum, n), v| (sum + v, n + 1.0));
            sum / n
        };
        let rows: Vec<f64> = self.errors.iter().map(|e| mean(&mut e.iter().map(|v| v * v))).collect();
        let mse = mean(&mut rows.iter().copied());
        let variance = mean(&mut rows.iter().map(|r| (r - mse) * (r - mse)));
        let of_step = |k: usize| mean(&mut rows.iter().zip(&self.step).filter(|(_, s)| **s == k).map(|(r, _)| *r));
        let of_variable = |t: usize| mean(&mut self.errors.iter().map(|e| e[t] * e[t]));
        Ok(Validation {
            mse,
            sd: variance.sqrt(),
            by_step: (0..horizon).map(of_step).collect(),
            by_variable: (0..p).map(of_variable).collect(),
            rows: rows.len(),
            skipped: self.skipped,
            errors: Mat::from_fn(rows.len(), p, |i, t| self.errors[i][t]),
            at: self.at,
            windows,
            window,
            training,
        })
    }
}
