//! What is chosen from a sample is judged on some rows and a small map. With gaps, outputs that are tied would be one large
//! system: they are judged as if they were apart, each with its own variance, and the most observed of them if they are many.

use super::Regression;
use super::begin;
use super::choose::Prepared;
use super::folds::digest;
use super::plan::gaps;
use crate::error::Result;
use crate::feature::{Characters, Moments};
use crate::kernel::{Decomposable, Kernel, Matrix, Output};
use crate::random::Stream;
use crate::rows::{Inputs, Weights};
use crate::solve::{Spectral, System, is_diagonal};
use crate::spectrum::Spectrum;
use faer::Mat;
use std::collections::HashMap;

/// Most unknowns of the small models that choose.
const UNKNOWNS: usize = 640;
/// Most outputs that are judged where some are missing.
pub(super) const OUTPUTS: usize = 32;
/// Tied outputs with gaps that are still judged together.
const TOGETHER: usize = 4;
/// Purpose of the stream that picks rows.
const ROWS: u64 = 0x6a75_6467_6564;

/// Unknowns of the small model of so many rows: few need few features, as in the fit itself.
pub(super) fn unknowns(rows: usize) -> usize {
    (8 * rows).clamp(256, UNKNOWNS)
}

/// Some rows of a sample.
pub(super) struct Judged {
    inputs: Inputs,
    outputs: Mat<f64>,
    weights: Option<Weights>,
    /// Rows of the sample for each of them, on average.
    copies: f64,
    /// The outputs that are judged apart from each other; none where all are judged together.
    apart: Option<Vec<usize>>,
}

impl Judged {
    /// At most so many rows: the first ones, or with gaps any, since long rows are often sorted by task; copies of rows are joined
    /// if they shall be.
    pub fn new(sample: &Prepared, kernel: &Kernel, most: usize, seed: u64, joined: bool) -> Self {
        let (y, p) = (sample.outputs, sample.outputs.ncols());
        if !gaps(y, sample.weights) {
            return Self::of(sample, (0..y.nrows().min(most)).collect(), None, joined);
        }
        let tied = |gamma: &Mat<f64>| !is_diagonal(gamma) && p > TOGETHER;
        let apart = decomposed(kernel).filter(|(_, gamma)| p > OUTPUTS || tied(gamma)).map(|_| {
            let count = |t: usize| y.col(t).iter().filter(|v| v.is_finite()).count();
            let mut outputs: Vec<(usize, usize)> = (0..p).map(|t| (count(t), t)).collect();
            outputs.sort_by_key(|(count, t)| (std::cmp::Reverse(*count), *t));
            let mut most: Vec<usize> = outputs.into_iter().take(OUTPUTS).map(|(_, t)| t).collect();
            most.sort_unstable();
            most
        });
        let seen = |i: usize, t: usize| y[(i, t)].is_finite();
        let tells = |i: &usize| match &apart {
            None => (0..p).any(|t| seen(*i, t)),
            Some(some) => some.iter().any(|&t| seen(*i, t)),
        };
        let mut rows: Vec<usize> = (0..y.nrows()).filter(tells).collect();
        if rows.len() > most {
            Stream::new(seed, ROWS, 0).draw(&mut rows, most);
            rows.truncate(most);
            rows.sort_unstable();
        }
        Self::of(sample, rows, apart, joined)
    }

    fn of(sample: &Prepared, rows: Vec<usize>, apart: Option<Vec<usize>>, joined: bool) -> Self {
        let columns: Vec<usize> = apart.clone().unwrap_or_else(|| (0..sample.outputs.ncols()).collect());
        let some =
            |m: &Mat<f64>, rows: &[usize]| Mat::from_fn(rows.len(), columns.len(), |i, t| m[(rows[i], columns[t])]);
        let (rows, weights, copies) = match sample.weights {
            Some(Weights::Entry(w)) => (rows.clone(), Some(Weights::Entry(some(w, &rows))), 1.0),
            _ if joined => distinct(sample, some(sample.outputs, &rows), &rows),
            Some(Weights::Row(w)) => (rows.clone(), Some(Weights::Row(rows.iter().map(|&i| w[i]).collect())), 1.0),
            None => (rows, None, 1.0),
        };
        let (inputs, outputs) = (sample.inputs.pick(&rows), some(sample.outputs, &rows));
        Judged { inputs, outputs, weights, copies, apart }
    }

    /// How many rows of the sample, by their weights, a system of these stands for.
    pub fn weight(&self, spectral: &Spectral) -> f64 {
        self.copies * spectral.system().rows
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.outputs.nrows()
    }

    /// The eigenvalues of a small map of a kernel with nothing left open.
    pub fn spectral(&self, learner: &Regression, kernel: &Kernel) -> Result<Spectral> {
        let own = match (&self.apart, decomposed(kernel)) {
            (Some(outputs), Some((spectrum, gamma))) => {
                let variance = |t: usize| gamma[(outputs[t], outputs[t])];
                let p = outputs.len();
                let own = Mat::from_fn(p, p, |s, t| if s == t { variance(t) } else { 0.0 });
                Kernel::decomposable(spectrum, Output::Given { matrix: Matrix::new(own, "output")? })
            }
            _ => kernel.clone(),
        };
        let holes = gaps(&self.outputs, self.weights.as_ref());
        let map = learner.small_map(&own, self.inputs.ncols(), unknowns(self.rows()), holes)?;
        let mut characters = Characters::new(map.characters());
        map.fill(&self.inputs, &mut characters);
        let mut moments = Moments::new(map.characters(), self.outputs.ncols());
        moments.add(&characters, self.outputs.as_ref(), self.weights.as_ref())?;
        Spectral::new(System::new(&map, learner.centred(moments), None)?)
    }
}

/// The rows that differ from all before them, in the order they have, with weights of mean 1 where a copy adds to the weight
/// of its first; and how much a row weighed on average. A row seen twice is one row that is twice as precise: taken for two,
/// it would say that there is no noise at all, and the evidence of ever smaller ridges and lengthscales has no bound.
fn distinct(sample: &Prepared, outputs: Mat<f64>, rows: &[usize]) -> (Vec<usize>, Option<Weights>, f64) {
    let outputs = Inputs::Dense(outputs);
    let (mut firsts, mut weights): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut known: HashMap<(u64, u64), usize> = HashMap::new();
    for (k, &i) in rows.iter().enumerate() {
        let at = *known.entry((digest(sample.inputs, i), digest(&outputs, k))).or_insert(firsts.len());
        if at == firsts.len() {
            firsts.push(i);
            weights.push(0.0);
        }
        weights[at] += begin::weight(sample.weights, i, 0);
    }
    let counted = weights.iter().filter(|w| **w > 0.0).count();
    let mean = weights.iter().sum::<f64>() / counted.max(1) as f64;
    if mean == 0.0 || weights.iter().all(|w| *w == 1.0) {
        return (firsts, None, 1.0);
    }
    weights.iter_mut().for_each(|w| *w /= mean);
    (firsts, Some(Weights::Row(weights)), mean)
}

/// The spectrum and Γ of a kernel k·Γ with nothing left open.
fn decomposed(kernel: &Kernel) -> Option<(Spectrum, Mat<f64>)> {
    match kernel.separated()? {
        (Kernel::Decomposable(Decomposable { spectrum, .. }), gamma) => Some((spectrum, gamma)),
        _ => None,
    }
}
