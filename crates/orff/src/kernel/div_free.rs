//! (∇∇ᵀ − ΔI)k₀(δ): incompressible fields. \[div-free\]

use super::{Block, Formula, Kernel, Seen, Units, decomposable, differential};
use crate::error::Result;
use crate::spectrum::{Draw, Spectrum};
use faer::Mat;
use serde::{Deserialize, Serialize};

/// K₀(δ) = (∇∇ᵀ − ΔI)k₀(δ), p = d ≥ 2; B(ω) = ‖ω‖Q(ω), r = d − 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DivFree {
    /// The law of k₀.
    #[serde(default)]
    pub spectrum: Spectrum,
}

impl Formula for DivFree {
    fn check(&self) -> Result<()> {
        differential::check(&self.spectrum, 1.0, "div-free")
    }

    fn resolve(&self, seen: &Seen) -> Result<Kernel> {
        Ok(DivFree { spectrum: decomposable::close(&self.spectrum, seen) }.into())
    }

    fn eval(&self, x: &[f64], z: &[f64]) -> Result<Mat<f64>> {
        differential::eval(&self.spectrum, x, z, 0.0, 1.0, "div-free")
    }

    fn draw(&self, d: usize, count: usize, how: &Draw) -> Result<Block> {
        differential::draw(&self.spectrum, d, count, how, (0.0, 1.0), "div-free")
    }

    fn units(&self) -> (Units, Units) {
        differential::units(&self.spectrum)
    }
}
