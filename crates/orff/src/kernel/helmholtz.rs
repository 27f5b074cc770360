//! w·curl-free + (1−w)·div-free on common atoms. \[helmholtz\]

use super::{Block, Formula, Kernel, Seen, Units, decomposable, differential};
use crate::error::{Error, Result};
use crate::spectrum::{Draw, Spectrum};
use faer::Mat;
use serde::{Deserialize, Serialize};

/// K₀ = w·(−∇∇ᵀk₀) + (1−w)·(∇∇ᵀ − ΔI)k₀, p = d ≥ 2; B(ω) = [√w ω, √(1−w)‖ω‖Q(ω)], r = d.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Helmholtz {
    /// The law of k₀.
    #[serde(default)]
    pub spectrum: Spectrum,
    /// Share w of the gradient part, between 0 and 1 (both excluded: those are curl-free and div-free).
    #[serde(default = "half")]
    pub gradient: f64,
}

fn half() -> f64 {
    0.5
}

impl Helmholtz {
    fn coefficients(&self) -> Result<(f64, f64)> {
        if !(self.gradient > 0.0 && self.gradient < 1.0) {
            return Err(Error::parameter(
                "gradient share of helmholtz",
                "a number > 0 and < 1 (0 is div-free, 1 is curl-free)",
                self.gradient,
            ));
        }
        Ok((self.gradient.sqrt(), (1.0 - self.gradient).sqrt()))
    }
}

impl Formula for Helmholtz {
    fn resolve(&self, seen: &Seen) -> Result<Kernel> {
        self.coefficients()?;
        Ok(Helmholtz { spectrum: decomposable::close(&self.spectrum, seen), gradient: self.gradient }.into())
    }

    fn eval(&self, x: &[f64], z: &[f64]) -> Result<Mat<f64>> {
        let (g, h) = self.coefficients()?;
        differential::eval(&self.spectrum, x, z, g, h, "helmholtz")
    }

    fn draw(&self, d: usize, count: usize, how: &Draw) -> Result<Block> {
        differential::draw(&self.spectrum, d, count, how, self.coefficients()?, "helmholtz")
    }

    fn units(&self) -> (Units, Units) {
        differential::units(&self.spectrum)
    }
}
