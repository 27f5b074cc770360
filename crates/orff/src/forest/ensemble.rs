//! A forest: trees on sub-samples, each with a random stream of its own.

use super::score::Marks;
use super::{Growth, Scoring, Splitter, Tree};
use crate::error::{Error, Result};
use crate::random::Stream;
use crate::watch::Watch;
use faer::Mat;
use rayon::prelude::*;

const TREES: u64 = 0x666f_7265_7374;

/// How a forest is grown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Number of trees.
    pub trees: usize,
    /// Rows of each tree's sub-sample.
    pub sample: usize,
    /// Whether a row may be drawn more than once.
    pub bootstrap: bool,
    /// Inputs of each tree.
    pub columns: usize,
    /// How each tree grows.
    pub growth: Growth,
    /// What is said of rows.
    pub scoring: Scoring,
    /// Seed of every random choice.
    pub seed: u64,
}

/// A fitted forest.
#[derive(Clone, Debug)]
pub struct Forest {
    /// The trees.
    pub trees: Vec<Tree>,
    /// Rows of each tree's sub-sample.
    pub sample: usize,
    /// What is said of rows.
    pub scoring: Scoring,
    /// The box of all rows (d): its lower ends.
    pub lower: Vec<f64>,
    /// Its upper ends.
    pub upper: Vec<f64>,
    /// The share of each input in the fall of impurity (d); none where trees do not look at it.
    pub importance: Option<Vec<f64>>,
    pub(super) marks: Vec<Marks>,
}

impl Forest {
    /// Grows the trees on rows x (n×d), in parallel; the forest does not depend on the number of threads. Time
    /// trees · sample · log(sample) · candidates for each level.
    ///
    /// ```
    /// use orff::forest::{Forest, Growth, Plan, Scoring, Splitter};
    /// let x = faer::Mat::from_fn(64, 2, |i, k| if k == 0 { (i % 8) as f64 } else { (i / 8) as f64 });
    /// let growth = Growth { splitter: Splitter::Random, depth: 6, smallest: 2, dense: None, thin: None };
    /// let plan = Plan { trees: 50, sample: 32, bootstrap: false, columns: 2, growth, scoring: Scoring::Depth, seed: 0 };
    /// let forest = Forest::grow(&x, &plan, &mut orff::watch::Silent)?;
    /// // a row far away is isolated sooner than one in the middle
    /// let scores = forest.scores(&faer::mat![[3.5, 3.5], [40.0, 3.5]])?;
    /// assert!(-1.0 < scores[1] && scores[1] < scores[0] && scores[0] < 0.0);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn grow(x: &Mat<f64>, plan: &Plan, watch: &mut dyn Watch) -> Result<Forest> {
        let (n, d) = x.shape();
        if n == 0 || d == 0 {
            return Err(Error::Data(format!("a forest needs rows and columns, got {n} × {d}")));
        }
        if u32::try_from(n).is_err() || plan.sample > (u32::MAX / 4) as usize {
            return Err(Error::shape("rows", format!("at most {}", u32::MAX / 4), n));
        }
        let ends = |k: usize| {
            let column = x.col_as_slice(k);
            let low = column.iter().copied().fold(f64::INFINITY, f64::min);
            (low, column.iter().copied().fold(f64::NEG_INFINITY, f64::max))
        };
        let (lower, upper): (Vec<f64>, Vec<f64>) = (0..d).map(ends).unzip();
        if let Some(k) = (0..d).find(|&k| !(upper[k] - lower[k]).is_finite()) {
            let why = "is too wide for double precision; divide the column by a power of ten";
            return Err(Error::Data(format!("input {}: from {:e} to {:e} {why}", k + 1, lower[k], upper[k])));
        }
        let sample = if plan.bootstrap { plan.sample } else { plan.sample.min(n) }.max(1);
        watch.stage("grow trees");
        let one = |tree: usize| {
            let mut stream = Stream::new(plan.seed, TREES, tree as u64);
            let rows = if plan.bootstrap {
                (0..sample).map(|_| stream.below(n) as u32).collect()
            } else {
                some(n, sample, &mut stream)
            };
            let mut columns = some(d, plan.columns, &mut stream);
            columns.sort_unstable();
            let mut gains = vec![0.0; d];
            let tree = plan.growth.grow(x, (rows, columns), (&lower, &upper), &mut stream, &mut gains);
            (tree, gains)
        };
        let (mut trees, mut importance) = (Vec::with_capacity(plan.trees), vec![0.0; d]);
        let step = 2 * rayon::current_num_threads();
        for from in (0..plan.trees).step_by(step) {
            let grown: Vec<_> = (from..plan.trees.min(from + step)).into_par_iter().map(one).collect();
            watch.advance(grown.len() as u64)?;
            for (tree, gains) in grown {
                importance.iter_mut().zip(gains).for_each(|(sum, gain)| *sum += gain);
                trees.push(tree);
            }
        }
        let total: f64 = importance.iter().sum();
        if total > 0.0 {
            importance.iter_mut().for_each(|v| *v /= total);
        }
        let importance = matches!(plan.growth.splitter, Splitter::Best { .. }).then_some(importance);
        Ok(Self::of(trees, sample, plan.scoring, (lower, upper), importance))
    }

    /// A forest of given trees.
    pub(super) fn of(
        trees: Vec<Tree>,
        sample: usize,
        scoring: Scoring,
        (lower, upper): (Vec<f64>, Vec<f64>),
        importance: Option<Vec<f64>>,
    ) -> Forest {
        let marks = trees.par_iter().map(|tree| Marks::of(tree, scoring, &lower, &upper)).collect();
        Forest { trees, sample, scoring, lower, upper, importance, marks }
    }

    /// How usual each of n finite rows (n×d) is; larger is more usual. Rows do not influence each other, nor do threads. Time
    /// n · trees · depth.
    pub fn scores(&self, x: &Mat<f64>) -> Result<Vec<f64>> {
        let (n, d) = x.shape();
        if d != self.lower.len() {
            return Err(Error::shape("inputs", format!("{} columns", self.lower.len()), d));
        }
        // row after row: the inputs of a row lie together
        let mut rows = vec![0.0; n * d];
        for k in 0..d {
            rows.iter_mut().skip(k).step_by(d).zip(x.col_as_slice(k)).for_each(|(row, v)| *row = *v);
        }
        let mut out = vec![0.0; n];
        self.score_rows(&rows, &mut out);
        Ok(out)
    }
}

/// `count` different numbers below n, in random order. Memory of n for many of them, else of their number.
fn some(n: usize, count: usize, stream: &mut Stream) -> Vec<u32> {
    if count >= n / 64 {
        let mut all: Vec<u32> = (0..n as u32).collect();
        stream.draw(&mut all, count);
        all.truncate(count);
        return all;
    }
    // few of many: the swaps that differ from the identity are kept by themselves
    let mut moved = std::collections::HashMap::new();
    let mut chosen = Vec::with_capacity(count);
    for k in 0..count {
        let at = k + stream.below(n - k);
        let here = moved.get(&k).copied().unwrap_or(k);
        chosen.push(moved.insert(at, here).unwrap_or(at) as u32);
    }
    chosen
}
