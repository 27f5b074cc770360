//! Rows of which quantiles are learned, and what every learner of quantiles does with them. \[quantiles\]

use super::begin::Choices;
use super::distinct::Distinct;
use super::pinball_path::{self, Chosen, Scaled};
use super::stage::training_points;
use super::{choose, scale};
use crate::error::{Error, Result};
use crate::feature::FeatureMap;
use crate::group::Group;
use crate::kernel::{Kernel, Seen};
use crate::model::{Preparation, Training};
use crate::rows::{Inputs, Rows};
use crate::solve::quantiles::{LevelLoss, Reason, Report};
use crate::watch::Watch;
use faer::Mat;
use serde::{Deserialize, Serialize};

/// Rows that are kept aside, so that intervals have the probability they are said to have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conformal {
    /// None: intervals are quantiles as they were learned.
    #[default]
    None,
    /// A quarter, or more where rows are few: 39, if that is no more than half of them.
    Auto,
    /// A share of the rows.
    #[serde(untagged)]
    Share(f64),
}

impl Conformal {
    /// How many of so many rows.
    fn rows(self, n: usize) -> usize {
        match self {
            Conformal::None => 0,
            Conformal::Auto => (n / 4).max(39).min(n / 2),
            Conformal::Share(share) => (share * n as f64).ceil() as usize,
        }
    }
}

/// Rows in the user's units and in the kernel's.
pub(super) struct LevelRows {
    /// The kernel of the inputs, its lengthscale perhaps open.
    given: Kernel,
    /// Rows to learn from, and rows that are kept aside.
    pub own: Distinct,
    aside: Distinct,
    pub preparation: Preparation,
    pub means: Vec<f64>,
    pub scales: Vec<f64>,
    pub inputs: Inputs,
    outputs: Mat<f64>,
    weights: Mat<f64>,
    /// Σw of the first output.
    pub total: f64,
    /// Whether the lengthscale is open, and the median distance where it is.
    open: bool,
    median: f64,
}

impl LevelRows {
    /// Reads all rows and fixes their units.
    pub fn read(
        given: &Kernel,
        group: &Group,
        conformal: Conformal,
        (memory, seed): (usize, u64),
        rows: &dyn Rows,
        watch: &mut dyn Watch,
    ) -> Result<Self> {
        let given = scalar(given, rows.inputs(), "kernel")?;
        let aside = |n: usize| match conformal.rows(n) {
            kept if kept < n && (kept > 0 || conformal == Conformal::None) => Ok(kept),
            kept if kept < n => Err(Error::refused(
                format!("intervals corrected by rows kept aside, with {n} rows"),
                "one to learn from and one to keep are the least; leave out the parameter conformal",
            )),
            kept => Err(Error::refused(
                format!("keeping {kept} of {n} rows aside"),
                "none would be left to learn from; lower the parameter conformal",
            )),
        };
        let (aside, own) = Distinct::apart(rows, memory, &aside, watch)?;
        let (n, p) = (own.rows.inputs.nrows(), rows.outputs());
        if let Some(t) = (0..p).find(|&t| own.total(t) <= 0.0) {
            let how = "all rows that observe it were kept aside; lower the parameter conformal";
            return Err(Error::Data(format!("output {}: {how}", t + 1)));
        }
        let preparation = scale::inputs(&given, group, &own.rows)?;
        let (means, scales) = scale::outputs(&given, None, &own.rows, true)?;
        let inputs = preparation.prepare(&own.rows.inputs, 1)?;
        let outputs = Mat::from_fn(n, p, |i, t| (own.rows.outputs[(i, t)] - means[t]) / scales[t]);
        let weights = Mat::from_fn(n, p, |i, t| own.weight(i, t));
        let open = given.resolve(&seen(1, 1.0))? != given.resolve(&seen(1, 2.0))?;
        let median = match open {
            true => choose::median_distance(&inputs, own.rows.weights.as_ref(), seed),
            false => 1.0,
        };
        let total = own.total(0);
        Ok(LevelRows { given, own, aside, preparation, means, scales, inputs, outputs, weights, total, open, median })
    }

    /// The median distance, where it stands for an open lengthscale.
    pub fn open_median(&self) -> Option<f64> {
        self.open.then_some(self.median)
    }

    /// Weights of the first output (n).
    pub fn row_weights(&self) -> &[f64] {
        self.weights.col_as_slice(0)
    }

    /// The rows in scaled units.
    pub fn scaled(&self) -> Scaled<'_> {
        Scaled { inputs: &self.inputs, outputs: &self.outputs, weights: &self.weights }
    }

    /// The kernel with so many outputs that have nothing else in common.
    pub fn kernel(&self, outputs: usize, lengthscale: f64) -> Result<Kernel> {
        self.given.resolve(&seen(outputs, lengthscale))
    }

    /// Lengthscale and Wλ, those that were not given by the pinball loss of rows held out.
    pub fn choose(
        &self,
        loss: &LevelLoss,
        map_at: &dyn Fn(f64) -> Result<FeatureMap>,
        ridge: Option<f64>,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<Chosen> {
        let shift = ridge.map(|ridge| ridge * self.total);
        let found = pinball_path::choose(&self.scaled(), loss, map_at, (self.median, self.open), shift, watch)?;
        let by = found.reason.as_deref().unwrap_or("too few rows to compare others");
        if self.open {
            let by = if found.reason.is_none() { "median distance" } else { by };
            choices.say(watch, format!("lengthscale {}: {by}", choose::length(found.lengthscale, &self.preparation)));
        }
        if ridge.is_none() {
            choices.say(watch, format!("ridge {:.3e}: {by}", found.shift / self.total));
        }
        Ok(found)
    }

    /// What a model says of the rows kept aside, beside their outputs and weights.
    pub fn calibration(
        &self,
        columns: &dyn Fn(&Inputs) -> Result<Mat<f64>>,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<Option<Mat<f64>>> {
        let aside = &self.aside;
        let (n, p) = aside.rows.outputs.shape();
        if n == 0 {
            return Ok(None);
        }
        choices.say(watch, format!("intervals corrected by {n} rows kept aside (split conformal)"));
        let columns = columns(&aside.rows.inputs)?;
        let k = columns.ncols();
        Ok(Some(Mat::from_fn(n, k + 2 * p, |i, c| match c {
            c if c < k => columns[(i, c)],
            c if c < k + p => {
                // what was not observed weighs nothing, and a file holds numbers only
                let y = aside.rows.outputs[(i, c - k)];
                if y.is_nan() { 0.0 } else { y }
            }
            c => aside.weight(i, c - k - p),
        })))
    }

    /// How the model came to be.
    pub fn training(
        &self,
        (lengthscale, ridge): (f64, f64),
        choices: Choices,
        iterations: usize,
    ) -> Result<Training> {
        let (kernel, points) = (Some(self.kernel(1, lengthscale)?), training_points(&self.own.rows));
        let rows = self.own.read;
        Ok(Training { rows, kernel, ridge, choices: choices.lines, path: Vec::new(), points, iterations })
    }
}

/// Says how a solution was found.
pub(super) fn said(report: Report, choices: &mut Choices, watch: &mut dyn Watch) {
    choices.say(watch, format!("solved by {}", report.how()));
    if report.reason == Reason::MaxIterations {
        let how = "raise iterations, or the tolerance, or the ridge";
        choices.say(watch, format!("not converged after {} iterations: {how}", report.iterations));
    }
}

/// The report of the output that was harder to solve, with the iterations of the one that took more.
pub(super) fn worse(earlier: Option<Report>, report: Report) -> Report {
    match earlier {
        Some(earlier) if earlier.gap >= report.gap => {
            Report { iterations: earlier.iterations.max(report.iterations), ..earlier }
        }
        Some(earlier) => Report { iterations: earlier.iterations.max(report.iterations), ..report },
        None => report,
    }
}

/// Refuses a kernel, the parameter of that name, whose outputs are not left open.
pub(super) fn scalar(kernel: &Kernel, inputs: usize, name: &str) -> Result<Kernel> {
    kernel.check()?;
    let own = kernel.own_outputs(inputs)?;
    if own.is_none() && kernel.views().is_none() {
        return Ok(kernel.clone());
    }
    let given = own.map_or("views".into(), |own| format!("one with {own} outputs of its own"));
    Err(Error::shape(name, "a scalar one, such as gaussian or matern(2.5)", given))
}

/// What a kernel has to know: so many outputs, a lengthscale.
pub(super) fn seen(outputs: usize, lengthscale: f64) -> Seen<'static> {
    Seen { outputs, lengthscale: Some(lengthscale), ..Seen::default() }
}
