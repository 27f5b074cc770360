//! Landmarks: the rows at which kernel sections stand.

use crate::random::Stream;
use faer::Mat;
use serde::{Deserialize, Serialize};

const LANDMARKS: u64 = 0x6c61_6e64_6d61;

/// How landmarks are chosen among the rows of the sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Landmarks {
    /// At random, each row as likely as the others.
    #[default]
    Uniform,
    /// One after the other, with probability proportional to the squared distance to those chosen (k-means++).
    Distant,
}

impl Landmarks {
    /// `count` different rows of x, in ascending order.
    pub(super) fn choose(self, x: &Mat<f64>, count: usize, seed: u64) -> Vec<usize> {
        let (n, mut stream) = (x.nrows(), Stream::new(seed, LANDMARKS, 0));
        let mut rows: Vec<usize> = (0..n).collect();
        match self {
            Landmarks::Uniform => {
                for k in 0..count.min(n) {
                    rows.swap(k, k + stream.below(n - k));
                }
                rows.truncate(count);
            }
            Landmarks::Distant => {
                let mut chosen = vec![stream.below(n)];
                let mut nearest = vec![f64::INFINITY; n];
                while chosen.len() < count.min(n) {
                    let last = chosen[chosen.len() - 1];
                    for i in 0..n {
                        let square: f64 = (0..x.ncols()).map(|k| (x[(i, k)] - x[(last, k)]).powi(2)).sum();
                        nearest[i] = nearest[i].min(square);
                    }
                    let total: f64 = nearest.iter().sum();
                    if total <= 0.0 {
                        break; // the others are copies
                    }
                    let mut left = stream.uniform() * total;
                    let next = (0..n).filter(|&i| nearest[i] > 0.0).find(|&i| {
                        left -= nearest[i];
                        left <= 0.0
                    });
                    let fallback = (0..n).rev().find(|&i| nearest[i] > 0.0);
                    match next.or(fallback) {
                        Some(next) => chosen.push(next),
                        None => break,
                    }
                }
                rows = chosen;
            }
        }
        rows.sort_unstable();
        rows
    }
}
