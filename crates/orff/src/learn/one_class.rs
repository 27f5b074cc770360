//! Forests learned from rows without outputs. \[one-class-split\] \[one-class-scores\]

use super::begin::in_pool;
use super::declare::declare;
use super::stage::points_of;
use crate::error::{Error, Result};
use crate::forest::{Criterion, Forest, Growth, Hidden, Impurity, Plan, Scoring, Splitter};
use crate::model::{Body, Grown, Outliers, Preparation, Training};
use crate::params::{Amount, Auto};
use crate::rows::Rows;
use crate::watch::Watch;
use faer::Mat;

declare! {
    /// A one-class random forest (T17, appendix D): trees that tell rows from outliers hidden among them.
    pub struct OneClassForest: trees {
        /// Rows of each tree: a number, or a share of all; auto is 20 %, 100 at least.
        samples / max_samples: Auto<Amount> = Auto::Auto, Kind::Auto(&Kind::Amount);
        /// Inputs of each tree: a number, or a share of all; auto is half of them, 5 at least.
        columns / max_features: Auto<Amount> = Auto::Auto, Kind::Auto(&Kind::Amount);
        /// Inputs tried for each cut, among those of the tree that vary in the cell.
        candidates / max_features_node: usize = 5, Kind::Count { min: 1, max: u64::MAX };
        /// Impurity that a cut makes least: gini, nm/(n + m) of n rows and m hidden outliers, or shannon, their entropy.
        criterion / criterion: Impurity = Impurity::Gini, Kind::Choice(Impurity::NAMES);
        /// Where outliers hide: adaptive, evenly in each cell, gamma for each of its rows; or naive, evenly in the box of all
        /// rows, gamma for each row of the tree.
        hidden / hidden: Hidden = Hidden::Adaptive, Kind::Choice(Hidden::NAMES);
        /// Hidden outliers per row.
        gamma / gamma: f64 = 1.0, Kind::Number { min: 0.0, max: f64::INFINITY, open: true };
        /// Depth at which cells are not cut any more; auto is log₂ of the rows of a tree.
        depth / max_depth: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 100_000 });
        /// Cells of fewer rows are not cut.
        smallest / min_samples_split: usize = 2, Kind::Count { min: 2, max: u64::MAX };
        /// Cells at least so many times as dense as rows spread evenly over the box of all are not cut; auto: cut them.
        dense / max_density: Auto<f64> = Auto::Auto, Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
        /// Cells at most so many times as dense as rows spread evenly are not cut; auto: cut them.
        thin / min_density: Auto<f64> = Auto::Auto, Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
        /// Score of a row: depth of its leaves, as in isolation forests; density, the log of their mean density; or
        /// typical-cell, the log of their mean number of rows over their mean volume.
        scoring / scoring: Scoring = Scoring::Depth, Kind::Choice(Scoring::NAMES);
    } contamination limits
}

declare! {
    /// An isolation forest (Liu, Ting and Zhou 2008): trees that cut at random until rows are alone.
    pub struct IsolationForest: trees {
        /// Rows of each tree: a number, or a share of all; auto is 256, or all where there are fewer.
        samples / max_samples: Auto<Amount> = Auto::Auto, Kind::Auto(&Kind::Amount);
        /// Inputs of each tree: a number, or a share of all.
        columns / max_features: Amount = Amount::Share(1.0), Kind::Amount;
        /// Depth at which cells are not cut any more; auto is log₂ of the rows of a tree.
        depth / max_depth: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 100_000 });
        /// Draw the rows of a tree with replacement.
        bootstrap / bootstrap: bool = false, Kind::Flag;
    } contamination limits
}

/// A fitted detector: what scores rows, which of them are outliers, and the history.
#[derive(Clone, Debug)]
pub struct Detector {
    /// What scores.
    pub body: Body,
    /// The offset.
    pub outliers: Outliers,
    /// The history.
    pub training: Training,
}

impl OneClassForest {
    /// Learns from rows; their outputs, if any, are not looked at.
    ///
    /// ```
    /// use orff::{learn::OneClassForest, model::{Body, Query}, rows::{Inputs, Table}, watch::Silent};
    /// let x = faer::Mat::from_fn(200, 2, |i, k| ((i * (3 + 4 * k)) as f64).sin());
    /// let rows = Table::new(x, faer::Mat::zeros(200, 0))?;
    /// let found = OneClassForest::default().fit(&rows, &mut Silent)?;
    /// let far = found.body.predict(&Inputs::Dense(faer::mat![[0.0, 0.0], [9.0, 9.0]]), Query::default())?.mean;
    /// assert!(far[(0, 0)] > found.outliers.offset && far[(1, 0)] == -1.0);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Detector> {
        in_pool(self.threads, || {
            let x = gathered(rows, self.memory, watch)?;
            let (n, d) = x.shape();
            let sample = self.samples.fixed().map_or((n / 5).max(100).min(n), |amount| amount.of(n));
            let criterion = Criterion { impurity: self.criterion, hidden: self.hidden, gamma: self.gamma };
            // tight cells are deep, but the few rows in them look dense
            let margins = self.scoring == Scoring::Depth;
            let growth = Growth {
                splitter: Splitter::Best { criterion, candidates: self.candidates, margins },
                depth: self.depth.fixed().unwrap_or_else(|| log2(sample)),
                smallest: self.smallest,
                dense: self.dense.fixed(),
                thin: self.thin.fixed(),
            };
            let columns = self.columns.fixed().map_or((d / 2).max(5).min(d), |amount| amount.of(d));
            let (trees, scoring, seed) = (self.trees, self.scoring, self.seed);
            let plan = Plan { trees, sample, bootstrap: false, columns, growth, scoring, seed };
            detector(&x, &plan, self.contamination, watch)
        })
    }
}

impl IsolationForest {
    /// Learns from rows; their outputs, if any, are not looked at.
    ///
    /// ```
    /// use orff::{learn::IsolationForest, model::Query, rows::{Inputs, Table}, watch::Silent};
    /// let x = faer::Mat::from_fn(200, 2, |i, k| (i * (37 + 24 * k) % 211) as f64 / 211.0); // spread over a square
    /// let rows = Table::new(x, faer::Mat::zeros(200, 0))?;
    /// let found = IsolationForest::default().fit(&rows, &mut Silent)?;
    /// let far = found.body.predict(&Inputs::Dense(faer::mat![[0.5, 0.5], [9.0, 9.0]]), Query::default())?.mean;
    /// assert!(far[(0, 0)] > found.outliers.offset && far[(1, 0)] < found.outliers.offset);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Detector> {
        in_pool(self.threads, || {
            let x = gathered(rows, self.memory, watch)?;
            let (n, d) = x.shape();
            let sample = self.samples.fixed().map_or(n.min(256), |amount| amount.of(n));
            let depth = self.depth.fixed().unwrap_or_else(|| log2(sample));
            let growth = Growth { splitter: Splitter::Random, depth, smallest: 2, dense: None, thin: None };
            let (trees, bootstrap, seed, columns) = (self.trees, self.bootstrap, self.seed, self.columns.of(d));
            let plan = Plan { trees, sample, bootstrap, columns, growth, scoring: Scoring::Depth, seed };
            detector(&x, &plan, self.contamination, watch)
        })
    }
}

/// ⌈log₂ n⌉, 1 at least: the depth of a balanced tree.
fn log2(n: usize) -> usize {
    n.max(2).next_power_of_two().trailing_zeros() as usize
}

/// All rows as one matrix (n×d): sub-samples are drawn from anywhere.
fn gathered(rows: &dyn Rows, megabytes: usize, watch: &mut dyn Watch) -> Result<Mat<f64>> {
    watch.stage("read rows");
    let d = rows.inputs();
    let fits = |n: usize| {
        // the numbers twice, and what holds each column
        let bytes = (16.0 * n as f64 + 48.0) * d as f64;
        if bytes <= megabytes as f64 * 1e6 {
            return Ok(());
        }
        let cure = format!("memory allows {megabytes} MB; raise memory, or learn from a part of the rows");
        Err(Error::memory(format!("a forest of {d} inputs and {n} rows or more"), bytes, cure))
    };
    fits(1)?;
    let preparation = Preparation::plain(d);
    let (mut columns, mut n) = (vec![Vec::new(); d], 0);
    for batch in rows.batches()? {
        let batch = batch?;
        if batch.weights.is_some() {
            let why = "trees draw rows at random, each as likely as the others; repeat rows that count more";
            return Err(Error::refused("weights of rows for a forest", why));
        }
        let count = batch.inputs.nrows();
        fits(n + count)?;
        let x = preparation.prepare(&batch.inputs, n + 1)?.into_dense();
        columns.iter_mut().enumerate().for_each(|(k, column)| column.extend_from_slice(x.col_as_slice(k)));
        n += count;
        watch.advance(count as u64)?;
    }
    if n == 0 {
        return Err(Error::Data("no rows: there is nothing to learn from".into()));
    }
    let mut x = Mat::zeros(n, d);
    columns.into_iter().enumerate().for_each(|(k, column)| x.col_as_slice_mut(k).copy_from_slice(&column));
    Ok(x)
}

fn detector(x: &Mat<f64>, plan: &Plan, contamination: Auto<f64>, watch: &mut dyn Watch) -> Result<Detector> {
    let forest = Forest::grow(x, plan, watch)?;
    let (n, d) = x.shape();
    let mut choices =
        vec![format!("trees {}: on {} of {n} rows and {} of {d} inputs each", plan.trees, plan.sample, plan.columns)];
    let offset = match contamination {
        Auto::Auto => {
            let even = plan.scoring.even(plan.sample, matches!(plan.growth.splitter, Splitter::Best { .. }));
            choices
                .push(format!("contamination auto: outliers score below {even:.4}, as few rows spread evenly would"));
            even
        }
        Auto::Fixed(share) => {
            watch.stage("score rows");
            quantile(forest.scores(x)?, share)
        }
    };
    choices.iter().for_each(|line| watch.say(line));
    let points = points_of(x, &Mat::zeros(n, 0));
    let training = Training { rows: n, choices, points, ..Training::default() };
    let outliers = Outliers { offset, ..Outliers::default() };
    Ok(Detector { body: Body::Forest(Box::new(Grown::from(forest))), outliers, training })
}

/// The value below which a share of them lies, between neighbours by proportion.
fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let at = share * (values.len() - 1) as f64;
    let (low, rest) = (at.floor() as usize, at - at.floor());
    let high = (low + 1).min(values.len() - 1);
    values[low] + rest * (values[high] - values[low])
}
