//! The gaussian spectrum.

use super::Lengthscale;
use super::law::{Law, Parameters, Sampling};
use crate::linalg::exp_in_place;
use faer::Mat;
use serde::{Deserialize, Serialize};

/// k₀(δ) = exp(−½‖δ/ℓ‖²), ω ~ N(0, diag ℓ⁻²): infinitely smooth functions.
///
/// ```
/// use orff::spectrum::{Gaussian, Spectrum};
/// let k = Spectrum::from(Gaussian { lengthscale: 2.0.into() });
/// assert!((k.value(&[2.0, 2.0])? - (-1f64).exp()).abs() < 1e-15);
/// # Ok::<(), orff::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Gaussian {
    /// ℓ.
    pub lengthscale: Lengthscale,
}

impl Parameters for Gaussian {
    fn lengthscale(&self) -> &Lengthscale {
        &self.lengthscale
    }

    fn lengthscale_mut(&mut self) -> &mut Lengthscale {
        &mut self.lengthscale
    }
}

impl Law for Gaussian {
    fn value(&self, t: &[f64]) -> f64 {
        libm::exp(-0.5 * t.iter().map(|t| t * t).sum::<f64>())
    }

    fn radial(&self, squares: &mut [f64]) {
        squares.iter_mut().for_each(|s| *s *= -0.5);
        exp_in_place(squares);
    }

    /// k₀(t)(I − ttᵀ).
    fn minus_hessian(&self, t: &[f64]) -> Mat<f64> {
        let value = self.value(t);
        Mat::from_fn(t.len(), t.len(), |i, j| value * (f64::from(u8::from(i == j)) - t[i] * t[j]))
    }

    fn variance(&self, _: usize) -> f64 {
        1.0
    }

    fn sampling(&self) -> Sampling<'_> {
        Sampling::Mixture(None)
    }
}
