//! Rows of which curves are learned: on a common grid, or at arguments of their own. \[integral\]

use super::distinct::Distinct;
use super::level_rows::scalar;
use super::{begin, scale};
use crate::error::{Error, Result};
use crate::group::Group;
use crate::kernel::Kernel;
use crate::model::Preparation;
use crate::rows::{Batch, Inputs, Rows, Weights};
use crate::solve::Scatter;
use crate::watch::Watch;
use faer::Mat;

/// Different arguments that are remembered as such; of more only the range is.
const REMEMBERED: usize = 100;
/// Steps over the range then.
const STEPS: usize = 50;

/// Curves in the units of the kernels.
pub(super) struct CurveRows {
    /// The kernels of the inputs and of the argument, their lengthscales perhaps open.
    pub kernels: (Kernel, Kernel),
    pub own: Distinct,
    pub preparation: Preparation,
    /// Inputs in the kernel's coordinates.
    pub inputs: Inputs,
    /// Centre and scale of the argument.
    pub argument: Preparation,
    /// The different arguments in the user's units, in increasing order.
    pub arguments: Vec<f64>,
    /// Scaled values at them.
    pub points: Scatter,
    /// Mean and scale of all values.
    pub units: (f64, f64),
    /// Where answers are given unless asked for elsewhere.
    pub usual: Vec<f64>,
}

impl CurveRows {
    /// Reads all rows; without points of their own their outputs are those at the grid, or at 0, 1, 2, ….
    pub fn read(
        (kernel, along): (&Kernel, &Kernel),
        group: &Group,
        grid: Option<&[f64]>,
        memory: usize,
        rows: &dyn Rows,
        watch: &mut dyn Watch,
    ) -> Result<Self> {
        let kernels = (scalar(kernel, rows.inputs(), "kernel")?, scalar(along, 1, "argument_kernel")?);
        let grid = match rows.points() {
            true if grid.is_some() => {
                return Err(Error::refused("a grid beside curves", "their points have arguments of their own"));
            }
            true => None,
            false => Some(columns(grid, rows.outputs())?),
        };
        let own = Distinct::gather(rows, memory, watch)?;
        let found = points(&own, grid.as_deref());
        if found.iter().all(Vec::is_empty) {
            return Err(Error::Data(
                "no row counts: every weight is zero, or no point of a curve was observed".into(),
            ));
        }
        let mut arguments: Vec<f64> = found.iter().flatten().map(|p| p.0).collect();
        arguments.sort_unstable_by(f64::total_cmp);
        arguments.dedup();
        let usual = match &grid {
            Some(grid) => grid.clone(),
            None if arguments.len() <= REMEMBERED => arguments.clone(),
            None => {
                let (first, last) = (arguments[0], arguments[arguments.len() - 1]);
                (0..=STEPS).map(|k| first + (last - first) * k as f64 / STEPS as f64).collect()
            }
        };
        let preparation = scale::inputs(&kernels.0, group, &own.rows)?;
        let inputs = preparation.prepare(&own.rows.inputs, 1)?;
        let all: Vec<(f64, f64, f64)> = found.iter().flatten().copied().collect();
        let pooled = Batch {
            inputs: Inputs::Dense(Mat::from_fn(all.len(), 1, |k, _| all[k].0)),
            outputs: Mat::from_fn(all.len(), 1, |k, _| all[k].1),
            weights: Some(Weights::Row(all.iter().map(|p| p.2).collect())),
        };
        let argument = scale::inputs(&kernels.1, &Group::Additive, &pooled).map_err(of_argument)?;
        let (means, scales) = scale::outputs(&kernels.0, None, &pooled, true)?;
        let units = (means[0], scales[0]);
        let mut scatter = Scatter { start: vec![0], ..Scatter::default() };
        for curve in &found {
            for &(t, y, w) in curve {
                scatter.at.push(arguments.partition_point(|a| *a < t));
                scatter.value.push((y - units.0) / units.1);
                scatter.weight.push(w);
            }
            scatter.start.push(scatter.at.len());
        }
        Ok(CurveRows { kernels, own, preparation, inputs, argument, arguments, points: scatter, units, usual })
    }

    /// Number of curves.
    pub fn curves(&self) -> usize {
        self.points.curves()
    }

    /// Σw of all points.
    pub fn total(&self) -> f64 {
        self.points.weight.iter().sum()
    }

    /// Length of the range of arguments in scaled units; 1 of a single one.
    pub fn range(&self) -> f64 {
        let length = (self.arguments[self.arguments.len() - 1] - self.arguments[0]) / self.argument.scale[0];
        if length > 0.0 { length } else { 1.0 }
    }
}

/// An error about the only input of the argument.
fn of_argument(error: Error) -> Error {
    match error {
        Error::Data(sentence) => Error::Data(sentence.replacen("input 1", "the argument of the curves", 1)),
        other => other,
    }
}

/// The argument of each output column.
fn columns(grid: Option<&[f64]>, outputs: usize) -> Result<Vec<f64>> {
    let Some(grid) = grid else { return Ok((0..outputs).map(|k| k as f64).collect()) };
    if grid.len() != outputs {
        let expected = format!("{outputs} numbers, an argument for each output");
        return Err(Error::parameter("grid", expected, format!("{} numbers", grid.len())));
    }
    let mut sorted = grid.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    match sorted.windows(2).find(|w| w[0] == w[1]) {
        Some(twice) => Err(Error::parameter("grid", "different numbers", format!("{} twice", twice[0]))),
        None => Ok(grid.to_vec()),
    }
}

/// The points (t, y, w) of each curve by their arguments: what was not observed, or weighs nothing, is none.
fn points(own: &Distinct, grid: Option<&[f64]>) -> Vec<Vec<(f64, f64, f64)>> {
    let Batch { outputs, weights, .. } = &own.rows;
    let count = grid.map_or(outputs.ncols() / 2, <[f64]>::len);
    let point = |i: usize, k: usize| {
        let (t, column) = match grid {
            Some(grid) => (grid[k], k),
            None => (outputs[(i, 2 * k)], 2 * k + 1),
        };
        (t, outputs[(i, column)], begin::weight(weights.as_ref(), i, column))
    };
    let curve = |i: usize| {
        let mut found: Vec<(f64, f64, f64)> =
            (0..count).map(|k| point(i, k)).filter(|(_, y, w)| !y.is_nan() && *w > 0.0).collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found
    };
    (0..outputs.nrows()).map(curve).collect()
}
