//! w·curl-free + (1−w)·div-free on common atoms. \[helmholtz\]

use super::{Block, Formula, Kernel, Seen, Units, decomposable, differential, reading};
use crate::error::{Error, Result};
use crate::params::Auto;
use crate::spectrum::{Draw, Spectrum};
use faer::Mat;
use serde::{Deserialize, Serialize};

/// K₀ = w·(−∇∇ᵀk₀) + (1−w)·(∇∇ᵀ − ΔI)k₀, p = d ≥ 2; B(ω) = [√w ω, √(1−w)‖ω‖Q(ω)], r = d.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Helmholtz {
    /// The law of k₀.
    #[serde(default)]
    pub spectrum: Spectrum,
    /// Share w of the gradient part, between 0 and 1 (both excluded: those are curl-free and div-free); chosen by the
    /// evidence unless given. At w = ½ the components of the field are independent of each other.
    #[serde(default, deserialize_with = "reading::gradient")]
    pub gradient: Auto<f64>,
}

impl Helmholtz {
    fn coefficients(&self) -> Result<(f64, f64)> {
        let w = self.gradient.fixed().unwrap_or(0.5);
        if !(w > 0.0 && w < 1.0) {
            return Err(Error::parameter("gradient", reading::GRADIENT, w));
        }
        Ok((w.sqrt(), (1.0 - w).sqrt()))
    }
}

impl Formula for Helmholtz {
    fn check(&self) -> Result<()> {
        self.coefficients()?;
        differential::check(&self.spectrum, 1.0, "helmholtz")
    }

    fn resolve(&self, seen: &Seen) -> Result<Kernel> {
        self.coefficients()?;
        let gradient = match (self.gradient, seen.gradient) {
            (Auto::Auto, Some(w)) => Auto::Fixed(w),
            (own, _) => own,
        };
        Ok(Helmholtz { spectrum: decomposable::close(&self.spectrum, seen), gradient }.into())
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
