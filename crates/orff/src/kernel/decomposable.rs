//! k₀(δ) Γ: one scalar kernel, outputs coupled by a constant operator. \[decomposable\]

use super::{Block, Factors, Formula, Kernel, Matrix, Output, Seen, Units, reading};
use crate::error::{Error, Result};
use crate::linalg;
use crate::spectrum::{Draw, Lengthscale, Measure, Spectrum};
use faer::Mat;
use serde::{Deserialize, Serialize};

/// K₀(δ) = k₀(δ) Γ with Γ = BBᵀ; r = rank Γ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decomposable {
    /// The law of k₀.
    #[serde(default)]
    pub spectrum: Spectrum,
    /// Γ.
    #[serde(default, deserialize_with = "reading::output")]
    pub output: Output,
}

impl Decomposable {
    fn gamma(&self) -> Result<&Mat<f64>> {
        match &self.output {
            Output::Given { matrix } => Ok(matrix.mat()),
            open => Err(Error::parameter("output", "a matrix (resolve the kernel first)", format!("{open:?}"))),
        }
    }
}

impl Formula for Decomposable {
    fn check(&self) -> Result<()> {
        self.spectrum.check_parameters()?;
        self.output.check()
    }

    fn resolve(&self, seen: &Seen) -> Result<Kernel> {
        let matrix = Matrix::new(self.output.resolve(seen.outputs, seen.sample)?, "output")?;
        linalg::psd_factor(matrix.mat().as_ref(), "output")?;
        Ok(Decomposable { spectrum: close(&self.spectrum, seen), output: Output::Given { matrix } }.into())
    }

    fn eval(&self, x: &[f64], z: &[f64]) -> Result<Mat<f64>> {
        let delta: Vec<f64> = x.iter().zip(z).map(|(a, b)| a - b).collect();
        Ok(faer::Scale(self.spectrum.value(&delta)?) * self.gamma()?)
    }

    fn draw(&self, d: usize, count: usize, how: &Draw) -> Result<Block> {
        // A is constant: the trace measure is the plain one
        let measure = if how.measure == Measure::Trace { Measure::Plain } else { how.measure };
        let drawn = self.spectrum.draw(d, count, &Draw { measure, ..how.clone() })?;
        let factors = Factors::Shared(linalg::psd_factor(self.gamma()?.as_ref(), "output")?);
        let weight = drawn.ratio.iter().map(|a| a / count as f64).collect();
        Ok(Block { omega: drawn.omega, weight, factors, note: drawn.note })
    }

    fn units(&self) -> (Units, Units) {
        let inputs = if is_open(&self.spectrum) { Units::Free } else { Units::Fixed };
        let outputs = match self.output {
            Output::Identity | Output::Covariance | Output::Similarity { .. } => Units::Free,
            Output::Given { .. } | Output::Laplacian { .. } => Units::Common,
        };
        (inputs, outputs)
    }
}

/// Whether the lengthscale is left to the learner.
pub(super) fn is_open(spectrum: &Spectrum) -> bool {
    *spectrum.lengthscale() == Lengthscale::Auto
}

/// The spectrum with its lengthscale filled in, if it was open and one is known.
pub(super) fn close(spectrum: &Spectrum, seen: &Seen) -> Spectrum {
    match seen.lengthscale {
        Some(l) if is_open(spectrum) => spectrum.clone().with_lengthscale(Lengthscale::Common(l)),
        _ => spectrum.clone(),
    }
}
