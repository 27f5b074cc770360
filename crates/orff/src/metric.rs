//! Scores of predictions, gathered batch by batch; entries that were not observed do not count.

mod classes;
mod quantiles;
mod ranking;

pub use classes::{ClassScore, ClassScores, OneClass};
pub use quantiles::{QuantileScore, QuantileScores};
pub use ranking::{Ranking, RankingScore};

use faer::MatRef;
use serde::{Deserialize, Serialize};

/// Sums over the observed entries of one output.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sums {
    weight: f64,
    count: u64,
    mean: f64,
    spread: f64,
    square: f64,
    absolute: f64,
    covered: f64,
    judged: f64,
}

/// Gathers scores of several outputs.
///
/// ```
/// use orff::metric::Scores;
/// let mut scores = Scores::new(1);
/// let y = faer::mat![[1.0], [2.0], [f64::NAN], [3.0]];
/// scores.add(y.as_ref(), faer::mat![[1.0], [2.0], [9.0], [3.0]].as_ref(), None, None);
/// assert_eq!((scores.of(0).r2, scores.of(0).count), (Some(1.0), 3));
/// ```
#[derive(Clone, Debug)]
pub struct Scores {
    outputs: Vec<Sums>,
}

/// The scores of one output, or of all.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Coefficient of determination; none when the observed values do not vary.
    pub r2: Option<f64>,
    /// Root mean squared error.
    pub rmse: f64,
    /// Mean absolute error.
    pub mae: f64,
    /// Share of observations inside their interval, when intervals were given.
    pub coverage: Option<f64>,
    /// Number of observed entries.
    pub count: u64,
}

impl Scores {
    /// Of nothing yet, for p outputs.
    pub fn new(outputs: usize) -> Self {
        Scores { outputs: vec![Sums::default(); outputs] }
    }

    /// Adds rows: observed y and predicted f (n×p), half-widths of intervals (n×p), weights of entries.
    pub fn add(
        &mut self,
        y: MatRef<f64>,
        f: MatRef<f64>,
        half: Option<MatRef<f64>>,
        weight: Option<&dyn Fn(usize, usize) -> f64>,
    ) {
        for (t, s) in self.outputs.iter_mut().enumerate() {
            for i in 0..y.nrows() {
                let (value, w) = (y[(i, t)], weight.map_or(1.0, |w| w(i, t)));
                if !value.is_finite() || w.is_nan() || w <= 0.0 {
                    continue;
                }
                // the mean and the spread about it, updated without cancellation
                s.weight += w;
                s.count += 1;
                let step = value - s.mean;
                s.mean += step * w / s.weight;
                s.spread += w * step * (value - s.mean);
                let error = f[(i, t)] - value;
                s.square += w * error * error;
                s.absolute += w * error.abs();
                if let Some(half) = half {
                    s.judged += w;
                    s.covered += if error.abs() <= half[(i, t)] { w } else { 0.0 };
                }
            }
        }
    }

    /// The score of output t.
    pub fn of(&self, t: usize) -> Score {
        let s = &self.outputs[t];
        Score {
            r2: (s.spread > 0.0).then(|| 1.0 - s.square / s.spread),
            rmse: (s.square / s.weight).sqrt(),
            mae: s.absolute / s.weight,
            coverage: (s.judged > 0.0).then(|| s.covered / s.judged),
            count: s.count,
        }
    }

    /// All outputs together: the mean R² of the outputs (as scikit-learn has it), errors pooled over entries.
    pub fn overall(&self) -> Score {
        let sum = |f: fn(&Sums) -> f64| self.outputs.iter().map(f).sum::<f64>();
        let r2: Vec<f64> = (0..self.outputs.len()).filter_map(|t| self.of(t).r2).collect();
        let (weight, judged) = (sum(|s| s.weight), sum(|s| s.judged));
        Score {
            r2: (!r2.is_empty()).then(|| r2.iter().sum::<f64>() / r2.len() as f64),
            rmse: (sum(|s| s.square) / weight).sqrt(),
            mae: sum(|s| s.absolute) / weight,
            coverage: (judged > 0.0).then(|| sum(|s| s.covered) / judged),
            count: self.outputs.iter().map(|s| s.count).sum(),
        }
    }

    /// Adds what another gathered.
    pub fn merge(&mut self, other: &Scores) {
        for (a, b) in self.outputs.iter_mut().zip(&other.outputs) {
            let weight = a.weight + b.weight;
            if weight > 0.0 {
                let step = b.mean - a.mean;
                a.spread += b.spread + step * step * a.weight * b.weight / weight;
                a.mean += step * b.weight / weight;
            }
            a.weight = weight;
            a.count += b.count;
            a.square += b.square;
            a.absolute += b.absolute;
            a.covered += b.covered;
            a.judged += b.judged;
        }
    }
}
