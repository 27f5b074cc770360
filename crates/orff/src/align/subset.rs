//! A few of many weighted atoms.

use crate::random::Stream;
use serde::{Deserialize, Serialize};

const SUBSET: u64 = 0x7375_6273_6574;

/// How D atoms are taken from a distribution over N.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sampling {
    /// D different ones, each drawn among those left in proportion to its probability, all with the same weight.
    #[default]
    WithoutReplacement,
    /// The D most probable ones, with their probabilities as weights.
    Weights,
    /// D independent draws; an atom that is drawn k times is one atom of weight k/D.
    WithReplacement,
}

impl Sampling {
    /// The names of all ways.
    pub const NAMES: &[&str] = &["without-replacement", "with-replacement", "weights"];

    /// Atoms, in ascending order, with their weights, which sum to 1. Atoms of probability zero are never taken.
    ///
    /// ```
    /// use orff::align::Sampling;
    /// let q = [0.1, 0.5, 0.0, 0.4];
    /// assert_eq!(Sampling::Weights.take(&q, 2, 0), [(1, 0.5 / 0.9), (3, 0.4 / 0.9)]);
    /// assert_eq!(Sampling::WithoutReplacement.take(&q, 9, 0).len(), 3);
    /// ```
    pub fn take(self, q: &[f64], count: usize, seed: u64) -> Vec<(usize, f64)> {
        let some: Vec<usize> = (0..q.len()).filter(|&m| q[m] > 0.0).collect();
        let first = |key: &dyn Fn(usize) -> f64| {
            let mut keyed: Vec<(f64, usize)> = some.iter().map(|&m| (key(m), m)).collect();
            keyed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let mut kept: Vec<usize> = keyed.into_iter().take(count).map(|(_, m)| m).collect();
            kept.sort_unstable();
            kept
        };
        match self {
            Sampling::Weights => {
                let kept = first(&|m| q[m]);
                let total: f64 = kept.iter().map(|&m| q[m]).sum();
                kept.into_iter().map(|m| (m, q[m] / total)).collect()
            }
            Sampling::WithoutReplacement => {
                // the largest of ln q + Gumbel is drawn with probability q, the next one among the others (Yellott 1977)
                let gumbel = |m: usize| -libm::log(-libm::log(Stream::new(seed, SUBSET, m as u64).uniform()));
                let kept = first(&|m| libm::log(q[m]) + gumbel(m));
                let share = 1.0 / kept.len() as f64;
                kept.into_iter().map(|m| (m, share)).collect()
            }
            Sampling::WithReplacement => {
                let mut sums = Vec::with_capacity(some.len());
                some.iter().fold(0.0, |sum, &m| {
                    sums.push(sum + q[m]);
                    sum + q[m]
                });
                let total = sums.last().copied().unwrap_or(0.0);
                let mut times = vec![0usize; some.len()];
                for k in 0..count {
                    let u = total * Stream::new(seed, SUBSET + 1, k as u64).uniform();
                    times[sums.partition_point(|sum| *sum <= u).min(some.len() - 1)] += 1;
                }
                let drawn = some.into_iter().zip(times).filter(|(_, times)| *times > 0);
                drawn.map(|(m, times)| (m, times as f64 / count as f64)).collect()
            }
        }
    }
}
