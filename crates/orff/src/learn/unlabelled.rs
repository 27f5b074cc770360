//! Rows with outputs and rows without: all of them, prepared, in memory for their graph.

use super::stage::{Stage, training_points};
use super::{begin, sample, scale};
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Blocks, reblock};
use crate::graph::Points;
use crate::group::Group;
use crate::kernel::{Kernel, Units};
use crate::model::Preparation;
use crate::rows::{Batch, Inputs, Rows, Weights};
use crate::solve::check_observed;
use crate::watch::Watch;
use faer::Mat;

/// All rows.
pub(super) struct Collected {
    pub preparation: Preparation,
    /// Every row in the kernel's coordinates.
    pub points: Points,
    /// Which rows have an output that counts.
    pub labelled: Vec<usize>,
    /// Their outputs in the user's units (l×p, NaN where not observed).
    pub outputs: Mat<f64>,
    /// Their weights.
    pub weights: Option<Weights>,
    /// A few rows for pictures.
    pub shown: Vec<Vec<f64>>,
}

/// Reads all rows: scales of the inputs come from a sample of them, with outputs or without. Memory N·d numbers.
pub(super) fn collect(
    kernel: &Kernel,
    group: &Group,
    seed: u64,
    rows: &dyn Rows,
    watch: &mut dyn Watch,
) -> Result<Collected> {
    if rows.inputs() == 0 {
        return Err(Error::Data("no inputs: choose at least one column".into()));
    }
    if kernel.views().is_some() {
        return Err(Error::refused(
            "a graph with a transformable kernel",
            "its rows are rows of several points; use another kernel, or regression without a graph",
        ));
    }
    let (mut drawn, rest) = sample::draw(rows, seed, watch)?;
    let preparation = scale::inputs(kernel, group, &drawn.rows).map_err(|e| drawn.named(e))?;
    let blocks = match rest {
        None => reblock(rows, BLOCK_ROWS)?,
        Some(rest) => {
            let head = std::mem::take(&mut drawn.head);
            Blocks::resume(head, rest, (rows.inputs(), rows.outputs()), BLOCK_ROWS)
        }
    };
    watch.stage("read");
    let first = preparation.prepare(&drawn.rows.inputs.slice(0, 1), 1)?;
    let mut points = Points::empty(&first, drawn.total.unwrap_or(0));
    let (mut labelled, mut parts) = (Vec::new(), Vec::new());
    for block in blocks {
        let block = block?;
        let (n, before) = (block.inputs.nrows(), points.count());
        sample::check(&block, before)?;
        points.push(&preparation.prepare(&block.inputs, before + 1)?)?;
        let counts = |i: &usize| begin::row_weight(&block.outputs, block.weights.as_ref(), *i) > 0.0;
        for i in (0..n).filter(counts) {
            labelled.push(before + i);
            // outputs and weights only: the inputs are among the points
            let one = block.slice(i, i + 1);
            parts.push(Batch { inputs: Inputs::Dense(Mat::zeros(1, 0)), ..one });
        }
        watch.advance(n as u64)?;
    }
    let (outputs, weights) = match parts.is_empty() {
        true => (Mat::zeros(0, rows.outputs()), None),
        false => {
            let all = crate::feature::join(&parts, parts.len());
            (all.outputs, all.weights)
        }
    };
    Ok(Collected { preparation, points, labelled, outputs, weights, shown: training_points(&drawn.rows) })
}

impl Collected {
    /// Scales of the outputs, from the rows that have them, in the units given or those that the kernel allows; refused
    /// where there are none.
    pub fn stage(&self, kernel: &Kernel, units: Option<Units>, offset: bool) -> Result<Stage> {
        let p = self.outputs.ncols();
        let weight = |i: usize, t: usize| begin::weight(self.weights.as_ref(), i, t);
        let seen = |t: usize| (0..self.labelled.len()).filter(move |&i| self.outputs[(i, t)].is_finite());
        if p == 0 {
            return Err(Error::Data("no outputs: choose at least one column".into()));
        }
        check_observed(&(0..p).map(|t| seen(t).map(|i| weight(i, t)).sum()).collect::<Vec<f64>>())?;
        let inputs = Inputs::Dense(Mat::zeros(self.labelled.len(), 0));
        let batch = Batch { inputs, outputs: self.outputs.clone(), weights: self.weights.clone() };
        let (means, scales) = scale::outputs(kernel, units, &batch, offset)?;
        Ok(Stage { preparation: self.preparation.clone(), means, scales })
    }

    /// Outputs in scaled units (l×p).
    pub fn scaled(&self, stage: &Stage) -> Mat<f64> {
        let y = &self.outputs;
        Mat::from_fn(y.nrows(), y.ncols(), |i, t| (y[(i, t)] - stage.means[t]) / stage.scales[t])
    }

    /// Forgets the outputs of all labelled rows but some.
    pub fn keep(&mut self, some: &[usize]) {
        let part = |m: &Mat<f64>| Mat::from_fn(some.len(), m.ncols(), |i, t| m[(some[i], t)]);
        self.outputs = part(&self.outputs);
        self.weights = self.weights.take().map(|w| match w {
            Weights::Row(w) => Weights::Row(some.iter().map(|&i| w[i]).collect()),
            Weights::Entry(w) => Weights::Entry(part(&w)),
        });
        self.labelled = some.iter().map(|&i| self.labelled[i]).collect();
    }

    /// How much each labelled row counts (l).
    pub fn row_weights(&self) -> Vec<f64> {
        (0..self.labelled.len()).map(|i| begin::row_weight(&self.outputs, self.weights.as_ref(), i)).collect()
    }

    /// Whether every labelled row has all its outputs, none with a weight of its own.
    pub fn complete(&self) -> bool {
        !super::plan::gaps(&self.outputs, self.weights.as_ref())
    }

    /// Calls `each(inputs, outputs, weights)` for blocks of some labelled rows, with scaled outputs (l×p).
    pub fn each(
        &self,
        scaled: &Mat<f64>,
        some: &[usize],
        mut each: impl FnMut(&Inputs, &Mat<f64>, Option<&Weights>) -> Result<()>,
    ) -> Result<()> {
        for some in some.chunks(BLOCK_ROWS) {
            let part = |m: &Mat<f64>| Mat::from_fn(some.len(), m.ncols(), |i, t| m[(some[i], t)]);
            let weights = self.weights.as_ref().map(|w| match w {
                Weights::Row(w) => Weights::Row(some.iter().map(|&i| w[i]).collect()),
                Weights::Entry(w) => Weights::Entry(part(w)),
            });
            let rows: Vec<usize> = some.iter().map(|&i| self.labelled[i]).collect();
            each(&self.points.pick(&rows), &part(scaled), weights.as_ref())?;
        }
        Ok(())
    }
}
