//! How usual rows are, from the leaves they fall into. \[one-class-scores\]

use super::{Forest, Tree, path_length};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What a forest says of a row; larger is more usual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scoring {
    /// −2^(−depth/c(n)): from −1 (isolated at once) towards 0.
    #[default]
    Depth,
    /// log of the mean density of the leaves, relative to rows spread evenly over the box of all.
    Density,
    /// log of the mean number of rows of the leaves over their mean volume, relative to the same.
    TypicalCell,
}

impl Scoring {
    /// The words of all three.
    pub const NAMES: &'static [&'static str] = &["depth", "density", "typical-cell"];

    /// The score at which a row is neither usual nor unusual, in trees of n rows that have a box or not: as deep as random cuts
    /// isolate it; with a box, as deep as a tree would be that halves evenly spread rows, log₂ n; or as dense as such rows. Trees
    /// of one row tell none from others: all are as usual.
    ///
    /// ```
    /// use orff::forest::Scoring::{Density, Depth};
    /// assert_eq!((Depth.even(256, false), Density.even(256, true)), (-0.5, 0.0));
    /// assert!((Depth.even(2, true) + 0.5).abs() < 1e-15);
    /// assert_eq!(Depth.even(1, false), -1.0);
    /// ```
    pub fn even(self, sample: usize, boxed: bool) -> f64 {
        let whole = path_length(sample);
        match self {
            Scoring::Depth if whole <= 0.0 => -1.0,
            Scoring::Depth if boxed => -libm::exp2(-libm::log2(sample as f64) / whole),
            Scoring::Depth => -0.5,
            Scoring::Density | Scoring::TypicalCell => 0.0,
        }
    }
}

/// Rows that go through a tree together: their values stay in the nearest cache.
const BLOCK: usize = 256;
/// What a mean over trees may be off by.
const ROUNDING: f64 = 1e-12;
/// Rows whose steps through a tree overlap.
const LANES: usize = 8;

/// What is added up when a row meets a leaf.
#[derive(Clone, Debug)]
pub(super) struct Marks {
    /// Of each node: path length, log density, or log volume.
    values: Vec<f64>,
    depth: usize,
}

impl Marks {
    pub(super) fn of(tree: &Tree, scoring: Scoring, lower: &[f64], upper: &[f64]) -> Self {
        let depth = tree.depths().into_iter().max().unwrap_or(0) as usize;
        let values = match scoring {
            Scoring::Depth => tree.paths(),
            Scoring::Density => {
                let sample = libm::log(f64::from(tree.counts[0]));
                let volumes = tree.log_volumes(lower, upper);
                volumes.iter().zip(&tree.counts).map(|(v, n)| libm::log(f64::from(*n)) - sample - v).collect()
            }
            Scoring::TypicalCell => tree.log_volumes(lower, upper),
        };
        Marks { values, depth }
    }
}

/// Sums of e^v without overflow: the largest v and the sum relative to it.
#[derive(Clone, Copy)]
struct LogSum {
    largest: f64,
    sum: f64,
}

impl LogSum {
    const NOTHING: LogSum = LogSum { largest: f64::NEG_INFINITY, sum: 0.0 };

    fn add(&mut self, v: f64) {
        if v <= self.largest {
            // e^(−∞) is 0, but −∞ − −∞ is no number
            if v > f64::NEG_INFINITY {
                self.sum += libm::exp(v - self.largest);
            }
        } else {
            self.sum = self.sum * libm::exp(self.largest - v) + 1.0;
            self.largest = v;
        }
    }

    fn log(&self) -> f64 {
        self.largest + libm::log(self.sum)
    }
}

impl Forest {
    /// The score of each of n rows (n×d, row after row) into `out`.
    pub(super) fn score_rows(&self, rows: &[f64], out: &mut [f64]) {
        let d = self.lower.len();
        out.par_chunks_mut(BLOCK).zip(rows.par_chunks(BLOCK * d)).for_each(|(out, rows)| match self.scoring {
            Scoring::Depth => self.depths(rows, out),
            Scoring::Density => self.densities(rows, out),
            Scoring::TypicalCell => self.typical(rows, out),
        });
    }

    fn depths(&self, rows: &[f64], out: &mut [f64]) {
        let mut sums = vec![0.0; out.len()];
        for (tree, marks) in self.trees.iter().zip(&self.marks) {
            // a row outside the box of a tree is isolated by it at once
            each_leaf(tree, marks.depth, rows, self.lower.len(), |i, leaf| {
                sums[i] += leaf.map_or(0.0, |leaf| marks.values[leaf])
            });
        }
        let whole = self.trees.len() as f64 * path_length(self.sample);
        for (out, sum) in out.iter_mut().zip(sums) {
            // a forest of single rows isolates everything; rows that no tree tells apart score -1/2, not what rounding makes of it
            let depth = if whole > 0.0 { sum / whole } else { 0.0 };
            *out = -libm::exp2(-if (depth - 1.0).abs() < ROUNDING { 1.0 } else { depth });
        }
    }

    fn densities(&self, rows: &[f64], out: &mut [f64]) {
        let mut sums = vec![LogSum::NOTHING; out.len()];
        for (tree, marks) in self.trees.iter().zip(&self.marks) {
            each_leaf(tree, marks.depth, rows, self.lower.len(), |i, leaf| {
                if let Some(leaf) = leaf {
                    sums[i].add(marks.values[leaf]);
                }
            });
        }
        let trees = libm::log(self.trees.len() as f64);
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out = finite(sum.log() - trees));
    }

    fn typical(&self, rows: &[f64], out: &mut [f64]) {
        let (mut counts, mut volumes) = (vec![0.0; out.len()], vec![LogSum::NOTHING; out.len()]);
        for (tree, marks) in self.trees.iter().zip(&self.marks) {
            each_leaf(tree, marks.depth, rows, self.lower.len(), |i, leaf| {
                // outside its box a tree knows one cell, all there is, without rows
                counts[i] += leaf.map_or(0.0, |leaf| f64::from(tree.counts[leaf]) / f64::from(tree.counts[0]));
                volumes[i].add(leaf.map_or(0.0, |leaf| marks.values[leaf]));
            });
        }
        for (i, out) in out.iter_mut().enumerate() {
            *out = finite(libm::log(counts[i]) - volumes[i].log());
        }
    }
}

/// A density of zero counts as the least positive number.
fn finite(log_density: f64) -> f64 {
    log_density.max(libm::log(f64::MIN_POSITIVE))
}

/// The leaf of each row (of d inputs); none for a row outside the box of the tree. The steps of some rows overlap, so that no
/// row waits for the memory of another.
fn each_leaf(tree: &Tree, depth: usize, rows: &[f64], d: usize, mut each: impl FnMut(usize, Option<usize>)) {
    let mut first = 0;
    for some in rows.chunks(LANES * d) {
        let mut at = [0u32; LANES];
        let count = some.len() / d;
        for _ in 0..depth {
            let mut moved = false;
            for (row, at) in some.chunks_exact(d).zip(&mut at) {
                let node = &tree.nodes[*at as usize];
                let next = node.left + u32::from(row[node.feature as usize] >= node.threshold);
                moved |= next != *at;
                *at = next;
            }
            if !moved {
                break;
            }
        }
        for (i, row) in some.chunks_exact(d).enumerate() {
            each(first + i, tree.holds(row).then_some(at[i] as usize));
        }
        first += count;
    }
}
