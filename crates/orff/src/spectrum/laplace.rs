//! The laplace kernel: Cauchy frequencies.

use super::Lengthscale;
use super::law::{Coordinate, Law, Parameters, Sampling};
use faer::Mat;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// k₀(δ) = exp(−Σ|δₖ|/ℓₖ), ωₖ ~ Cauchy(0, 1/ℓₖ) independent: continuous, nowhere smooth functions.
///
/// ```
/// use orff::spectrum::{Laplace, Spectrum};
/// let k = Spectrum::from(Laplace { lengthscale: 2.0.into() });
/// assert!((k.value(&[2.0, -4.0])? - (-3f64).exp()).abs() < 1e-15);
/// # Ok::<(), orff::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Laplace {
    /// ℓ.
    pub lengthscale: Lengthscale,
}

impl Parameters for Laplace {
    fn lengthscale(&self) -> &Lengthscale {
        &self.lengthscale
    }

    fn lengthscale_mut(&mut self) -> &mut Lengthscale {
        &mut self.lengthscale
    }
}

impl Law for Laplace {
    fn value(&self, t: &[f64]) -> f64 {
        libm::exp(-t.iter().map(|t| t.abs()).sum::<f64>())
    }

    /// There is none at 0: callers ask `variance` first.
    fn minus_hessian(&self, t: &[f64]) -> Mat<f64> {
        Mat::from_fn(t.len(), t.len(), |_, _| f64::NAN)
    }

    fn variance(&self, _: usize) -> f64 {
        f64::INFINITY
    }

    fn sampling(&self) -> Sampling<'_> {
        Sampling::Product(self)
    }
}

impl Coordinate for Laplace {
    /// tan π(u − ½) = −cot πu, on the side where it does not cancel.
    fn quantile(&self, u: f64) -> f64 {
        if u < 0.5 { -1.0 / libm::tan(PI * u) } else { 1.0 / libm::tan(PI * (1.0 - u)) }
    }

    /// There is none: callers ask `variance` first.
    fn biased(&self, _: f64) -> f64 {
        f64::NAN
    }
}
