//! Scores of predicted quantiles.

use faer::MatRef;
use serde::{Deserialize, Serialize};

/// Sums over the observed entries of one output.
#[derive(Clone, Debug, Default)]
struct Sums {
    weight: f64,
    pinball: f64,
    below: Vec<f64>,
    covered: f64,
    width: f64,
    crossings: u64,
    count: u64,
}

/// Gathers scores of quantiles at some levels, and of intervals.
///
/// ```
/// use orff::metric::QuantileScores;
/// let mut scores = QuantileScores::new(1, &[0.25, 0.75]);
/// let (y, q) = (faer::mat![[3.0]], faer::mat![[1.0, 2.0]]);
/// scores.add(y.as_ref(), q.as_ref(), (q.subcols(0, 1), q.subcols(1, 1)), &|_, _| 1.0);
/// let score = scores.of(0);
/// assert_eq!((score.pinball, score.coverage), ((0.25 * 2.0 + 0.75 * 1.0) / 2.0, 0.0));
/// ```
#[derive(Clone, Debug)]
pub struct QuantileScores {
    levels: Vec<f64>,
    outputs: Vec<Sums>,
}

/// The scores of one output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuantileScore {
    /// Mean over levels and rows of max(τ(y − q), (τ − 1)(y − q)).
    pub pinball: f64,
    /// Share of the rows that are not above the quantile of each level.
    pub below: Vec<f64>,
    /// Share of the rows inside their interval.
    pub coverage: f64,
    /// Mean width of the intervals.
    pub width: f64,
    /// Pairs of neighbouring levels whose quantiles cross.
    pub crossings: u64,
    /// Number of observed entries.
    pub count: u64,
}

impl QuantileScores {
    /// Of nothing yet, for p outputs at levels in increasing order.
    pub fn new(outputs: usize, levels: &[f64]) -> Self {
        let none = Sums { below: vec![0.0; levels.len()], ..Sums::default() };
        QuantileScores { levels: levels.to_vec(), outputs: vec![none; outputs] }
    }

    /// The levels.
    pub fn levels(&self) -> &[f64] {
        &self.levels
    }

    /// Adds rows: outputs y (n×p), quantiles (n×p·L, those of the first output first), ends of intervals (n×p each), weights.
    pub fn add(
        &mut self,
        y: MatRef<f64>,
        quantiles: MatRef<f64>,
        (lower, upper): (MatRef<f64>, MatRef<f64>),
        weight: &dyn Fn(usize, usize) -> f64,
    ) {
        let l = self.levels.len();
        for (t, s) in self.outputs.iter_mut().enumerate() {
            for i in 0..y.nrows() {
                let (value, w) = (y[(i, t)], weight(i, t));
                let q = |k: usize| quantiles[(i, t * l + k)];
                s.crossings += (1..l).filter(|&k| q(k) < q(k - 1)).count() as u64;
                if !value.is_finite() || w.is_nan() || w <= 0.0 {
                    continue;
                }
                for (k, level) in self.levels.iter().enumerate() {
                    let r = value - q(k);
                    s.pinball += w * (level * r).max((level - 1.0) * r) / l as f64;
                    s.below[k] += if r <= 0.0 { w } else { 0.0 };
                }
                let inside = lower[(i, t)] <= value && value <= upper[(i, t)];
                s.covered += if inside { w } else { 0.0 };
                s.width += w * (upper[(i, t)] - lower[(i, t)]);
                s.weight += w;
                s.count += 1;
            }
        }
    }

    /// The score of output t.
    pub fn of(&self, t: usize) -> QuantileScore {
        let s = &self.outputs[t];
        QuantileScore {
            pinball: s.pinball / s.weight,
            below: s.below.iter().map(|b| b / s.weight).collect(),
            coverage: s.covered / s.weight,
            width: s.width / s.weight,
            crossings: s.crossings,
            count: s.count,
        }
    }

    /// Adds what another gathered at the same levels.
    pub fn merge(&mut self, other: &QuantileScores) {
        for (a, b) in self.outputs.iter_mut().zip(&other.outputs) {
            a.below.iter_mut().zip(&b.below).for_each(|(a, b)| *a += b);
            a.weight += b.weight;
            a.pinball += b.pinball;
            a.covered += b.covered;
            a.width += b.width;
            a.crossings += b.crossings;
            a.count += b.count;
        }
    }
}
