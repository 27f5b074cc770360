//! Γ of outputs that are never observed together: from what each would be where the others were observed. \[tasks\]

use super::begin::{Choices, Sampled};
use super::{Regression, Ridge};
use crate::error::Result;
use crate::kernel::{Decomposable, Kernel, Matrix, Output};
use crate::model::Query;
use crate::params::Auto;
use crate::rows::{Rows, Table};
use crate::watch::Watch;
use faer::{ColRef, Mat};

/// Rows that two outputs must share for their covariance to be taken from them.
const SHARED: usize = 8;
/// Characters of the outputs by themselves, at most.
const CHARACTERS: usize = 640;
/// Rows at which they are predicted, at most.
const POINTS: usize = 2000;

impl Sampled<'_> {
    /// Where the kernel asks for a Γ of the data and some outputs have no rows in common: fits the outputs by themselves,
    /// with one lengthscale, and takes Γ from their predictions f̂, Cov(f̂) with the variances of the outputs on its
    /// diagonal. What the predictions do not explain of an output counts as its own.
    pub fn coupled(mut self, learner: &Regression, choices: &mut Choices, watch: &mut dyn Watch) -> Result<Self> {
        let Kernel::Decomposable(Decomposable { spectrum, output }) = &self.given else { return Ok(self) };
        if !output.learned() || self.columns() < 2 || share_rows(&self.outputs) {
            return Ok(self);
        }
        let (rows, p) = (&self.drawn.rows, self.columns());
        let alone = Regression {
            kernel: Kernel::decomposable(spectrum.clone(), Output::Identity),
            features: Auto::Fixed(learner.features.fixed().unwrap_or(CHARACTERS).min(CHARACTERS)),
            ridge: if matches!(learner.ridge, Ridge::Given(_)) { learner.ridge } else { Ridge::Evidence },
            metric: None,
            posterior: false,
            threads: Auto::Auto,
            ..learner.clone()
        };
        let mut table = Table::of(rows.inputs.clone(), rows.outputs.clone())?;
        if let Some(weights) = rows.weights.clone() {
            table = table.weighted(weights)?;
        }
        let fitted = alone.fit(&table as &dyn Rows, &mut Hushed(watch))?;
        let n = rows.outputs.nrows();
        let some: Vec<usize> = (0..n).step_by(n.div_ceil(POINTS)).collect();
        let mean = fitted.model.predict(&rows.inputs.pick(&some), Query::default())?.mean;
        let (means, scales) = (&self.stage.means, &self.stage.scales);
        let f = Mat::from_fn(mean.nrows(), p, |i, t| (mean[(i, t)] - means[t]) / scales[t]);
        let apart: Vec<f64> = (0..p).map(|t| (variance(self.outputs.col(t)) - variance(f.col(t))).max(0.0)).collect();
        let gamma = output.imputed(p, Some(f.as_ref()), &apart)?;
        // the lengthscale of the outputs by themselves is kept: Γ belongs to it
        let found = fitted.training.kernel.as_ref().and_then(|k| match k {
            Kernel::Decomposable(Decomposable { spectrum, .. }) => Some(spectrum.clone()),
            _ => None,
        });
        let spectrum = found.unwrap_or_else(|| spectrum.clone());
        for line in fitted.training.choices.iter().filter(|line| line.starts_with("lengthscale")) {
            choices.say(watch, line.clone());
        }
        let line = "output operator: outputs are not observed together, so it comes from fits of each by itself";
        choices.say(watch, line.into());
        self.given = Kernel::decomposable(spectrum, Output::Given { matrix: Matrix::new(gamma, "output")? });
        Ok(self)
    }
}

/// Whether any two outputs were observed together often enough.
fn share_rows(y: &Mat<f64>) -> bool {
    let p = y.ncols();
    let mut shared = vec![0usize; p * p];
    for i in 0..y.nrows() {
        let seen: Vec<usize> = (0..p).filter(|&t| y[(i, t)].is_finite()).collect();
        for &s in &seen {
            seen.iter().for_each(|&t| shared[s * p + t] += 1);
        }
    }
    (0..p).all(|s| (0..s).all(|t| shared[s * p + t] >= SHARED))
}

/// Of the values that are known.
fn variance(column: ColRef<f64>) -> f64 {
    let values: Vec<f64> = column.iter().copied().filter(|v| v.is_finite()).collect();
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n
}

/// Hears of the work, not of the choices.
struct Hushed<'a>(&'a mut dyn Watch);

impl Watch for Hushed<'_> {
    fn stage(&mut self, name: &str) {
        self.0.stage(name);
    }

    fn advance(&mut self, done: u64) -> Result<()> {
        self.0.advance(done)
    }
}
