//! Landmarks: the rows at which kernel sections stand.

use crate::random::Stream;
use crate::rows::Inputs;
use faer::Mat;
use rayon::prelude::*;
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
        // rows side by side
        let (n, d) = x.shape();
        let wanted = if self == Landmarks::Distant { n } else { 0 };
        let all: Vec<f64> = (0..wanted).flat_map(|i| x.row(i).iter().copied()).collect();
        let row = |i: usize| &all[i * d..(i + 1) * d];
        let square = |i: usize, j: usize| row(i).iter().zip(row(j)).map(|(a, b)| (a - b).powi(2)).sum();
        self.pick(n, count, seed, square)
    }

    /// The same of rows that may be sparse.
    pub(super) fn among(self, x: &Inputs, count: usize, seed: u64) -> Vec<usize> {
        match x {
            Inputs::Dense(x) => self.choose(x, count, seed),
            Inputs::Sparse(x) => self.pick(x.nrows(), count, seed, |i, j| x.square_distance(i, j)),
        }
    }

    /// Of n rows with these squared distances.
    fn pick(self, n: usize, count: usize, seed: u64, square: impl Fn(usize, usize) -> f64 + Sync) -> Vec<usize> {
        let mut stream = Stream::new(seed, LANDMARKS, 0);
        let mut rows: Vec<usize> = (0..n).collect();
        match self {
            Landmarks::Uniform => {
                stream.draw(&mut rows, count);
                rows.truncate(count);
            }
            Landmarks::Distant => {
                let mut chosen = vec![stream.below(n)];
                let mut nearest = vec![f64::INFINITY; n];
                while chosen.len() < count.min(n) {
                    let last = chosen[chosen.len() - 1];
                    let far = |(i, nearest): (usize, &mut f64)| *nearest = nearest.min(square(i, last));
                    nearest.par_iter_mut().enumerate().with_min_len(64).for_each(far);
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
