//! Rows between the user's units and the kernel's.

use crate::error::Result;
use crate::linalg;
use crate::model::Preparation;
use crate::rows::{Batch, Inputs, Weights};
use crate::solve::wrong_metric;
use faer::Mat;
use serde::{Deserialize, Serialize};

/// From the user's units to those of the kernel and back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Stage {
    pub(super) preparation: Preparation,
    pub(super) means: Vec<f64>,
    pub(super) scales: Vec<f64>,
}

impl Stage {
    /// Inputs in the kernel's coordinates, scaled outputs, weights; one row per view where there are views.
    pub(super) fn prepare(&self, rows: &Batch, first: usize) -> Result<(Inputs, Mat<f64>, Option<Weights>)> {
        let inputs = self.preparation.prepare(&rows.inputs, first)?;
        let scaled = linalg::scaled(rows.outputs.as_ref(), &self.means, &self.scales);
        let outputs = self.preparation.expand_outputs(scaled)?;
        let v = self.preparation.expansion();
        let weights = match (&rows.weights, v) {
            (weights, 1) if self.preparation.views.is_empty() => weights.clone(),
            (None, _) => None,
            (Some(Weights::Row(w)), v) => {
                Some(Weights::Row(w.iter().flat_map(|w| std::iter::repeat_n(*w, v)).collect()))
            }
            (Some(Weights::Entry(w)), _) => Some(Weights::Entry(self.preparation.expand_outputs(w.clone())?)),
        };
        Ok((inputs, outputs, weights))
    }

    /// A metric in scaled outputs, with ones on its diagonal on average: a ridge then means what it means without one.
    pub(super) fn scaled_metric(&self, metric: &Mat<f64>) -> Result<Mat<f64>> {
        let p = self.scales.len();
        if metric.nrows() != p || metric.ncols() != p {
            return Err(wrong_metric(metric, p));
        }
        let scaled = Mat::from_fn(p, p, |s, t| metric[(s, t)] / (self.scales[s] * self.scales[t]));
        let size = (0..p).map(|t| scaled[(t, t)]).sum::<f64>() / p as f64;
        // another sign is refused where the metric is factored
        Ok(if size > 0.0 { faer::Scale(1.0 / size) * scaled } else { scaled })
    }
}

/// A few rows (inputs, then outputs) to draw beside the model; none when rows are too wide for pictures.
pub(super) fn training_points(rows: &Batch) -> Vec<Vec<f64>> {
    match &rows.inputs {
        Inputs::Dense(x) => points_of(x, &rows.outputs),
        _ => Vec::new(),
    }
}

/// The same of rows as matrices.
pub(super) fn points_of(x: &Mat<f64>, y: &Mat<f64>) -> Vec<Vec<f64>> {
    if x.ncols() + y.ncols() > 8 {
        return Vec::new();
    }
    let step = x.nrows().div_ceil(1000).max(1);
    (0..x.nrows())
        .step_by(step)
        .filter(|&i| y.row(i).iter().all(|v| v.is_finite()))
        .map(|i| x.row(i).iter().chain(y.row(i).iter()).copied().collect())
        .collect()
}
