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
    /// What was chosen: on the first window for all, or by validation for the last one.
    pub training: Training,
}

/// Errors so far, in one piece: a small one for each row, among the sums of windows, would scatter the memory.
#[derive(Default)]
pub(super) struct Tally {
    /// p numbers for each row.
    errors: Vec<f64>,
    at: Vec<usize>,
    step: Vec<usize>,
    /// The window of each row.
    of: Vec<usize>,
    pub skipped: usize,
}

impl Tally {
    /// Of nothing yet, but rows that were skipped.
    pub fn after(skipped: usize) -> Self {
        Tally { skipped, ..Tally::default() }
    }

    /// Adds the errors of a row: its time, its step after a window, and the number of that window.
    pub fn add(&mut self, errors: impl Iterator<Item = f64> + Clone, at: usize, step: usize, of: usize) {
        if errors.clone().all(f64::is_nan) {
            self.skipped += 1;
            return;
        }
        self.errors.extend(errors);
        self.at.push(at);
        self.step.push(step);
        self.of.push(of);
    }

    /// Forgets all errors.
    pub fn clear(&mut self) {
        self.errors.clear();
        self.at.clear();
        self.step.clear();
        self.of.clear();
        self.skipped = 0;
    }

    /// The sum over rows of the mean squares of what was observed, infinite where it is no number.
    pub fn squares(&self) -> f64 {
        let sum = self.rows().map(|row| mean(&mut row.iter().map(|e| e * e))).sum::<f64>();
        if sum.is_finite() { sum } else { f64::INFINITY }
    }

    fn rows(&self) -> std::slice::Chunks<'_, f64> {
        self.errors.chunks((self.errors.len() / self.at.len().max(1)).max(1))
    }

    /// What was found, in the order of the windows.
    pub fn scores(
        self,
        p: usize,
        horizon: usize,
        (windows, window): (usize, usize),
        training: Training,
    ) -> Result<Validation> {
        if self.at.is_empty() {
            return Err(Error::Data("no row after a window could be predicted: fill in the gaps".into()));
        }
        let mut order: Vec<usize> = (0..self.at.len()).collect();
        order.sort_by_key(|&i| self.of[i]);
        let errors = Mat::from_fn(order.len(), p, |i, t| self.errors[order[i] * p + t]);
        let squares: Vec<f64> = self.rows().map(|row| mean(&mut row.iter().map(|v| v * v))).collect();
        let rows: Vec<f64> = order.iter().map(|&i| squares[i]).collect();
        let mse = mean(&mut rows.iter().copied());
        // squares of squares may be beyond numbers where the squares are not; a power of two changes no digit
        let unit = if mse > 0.0 && mse.is_finite() { libm::exp2(libm::floor(libm::log2(mse))) } else { 1.0 };
        let variance = mean(&mut rows.iter().map(|r| ((r - mse) / unit).powi(2)));
        let of_step = |k: usize| mean(&mut order.iter().filter(|&&i| self.step[i] == k).map(|&i| squares[i]));
        let of_variable = |t: usize| mean(&mut errors.col(t).iter().map(|e| e * e));
        Ok(Validation {
            mse,
            sd: unit * variance.sqrt(),
            by_step: (0..horizon).map(of_step).collect(),
            by_variable: (0..p).map(of_variable).collect(),
            rows: rows.len(),
            skipped: self.skipped,
            at: order.iter().map(|&i| self.at[i]).collect(),
            errors,
            windows,
            window,
            training,
        })
    }
}

/// The mean of what was observed.
fn mean(values: &mut dyn Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.filter(|v| !v.is_nan()).fold((0.0, 0.0), |(sum, n), v| (sum + v, n + 1.0));
    sum / n
}
