//! −∇∇ᵀk₀(δ): gradients of scalar potentials. \[curl-free\]

use super::{Block, Formula, Kernel, Seen, Units, decomposable, differential};
use crate::error::Result;
use crate::spectrum::{Draw, Spectrum};
use faer::Mat;
use serde::{Deserialize, Serialize};

/// K₀(δ) = −∇∇ᵀk₀(δ), p = d; B(ω) = ω, r = 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurlFree {
    /// The law of k₀.
    #[serde(default)]
    pub spectrum: Spectrum,
}

impl Formula for CurlFree {
    fn check(&self) -> Result<()> {
        differential::check(&self.spectrum, 0.0, "curl-free")
    }

    fn resolve(&self, seen: &Seen) -> Result<Kernel> {
        Ok(CurlFree { spectrum: decomposable::close(&self.spectrum, seen) }.into())
    }

    fn eval(&self, x: &[f64], z: &[f64]) -> Result<Mat<f64>> {
        differential::eval(&self.spectrum, x, z, 1.0, 0.0, "curl-free")
    }

    fn draw(&self, d: usize, count: usize, how: &Draw) -> Result<Block> {
        differential::draw(&self.spectrum, d, count, how, (1.0, 0.0), "curl-free")
    }

    fn units(&self) -> (Units, Units) {
        differential::units(&self.spectrum)
    }
}
