//! The cauchy kernel: Laplace frequencies.

use super::Lengthscale;
use super::law::{Coordinate, Law, Parameters, Sampling, product_hessian, symmetric};
use crate::special::gamma_tail_quantile;
use faer::Mat;
use serde::{Deserialize, Serialize};

/// k₀(δ) = ∏ 1/(1 + δₖ²/ℓₖ²), ωₖ ~ Laplace(0, 1/ℓₖ) independent: smooth functions with long-range similarity.
///
/// ```
/// use orff::spectrum::{Cauchy, Spectrum};
/// let k = Spectrum::from(Cauchy { lengthscale: 2.0.into() });
/// assert!((k.value(&[2.0, 4.0])? - 1.0 / 2.0 / 5.0).abs() < 1e-15);
/// # Ok::<(), orff::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cauchy {
    /// ℓ.
    pub lengthscale: Lengthscale,
}

impl Parameters for Cauchy {
    fn lengthscale(&self) -> &Lengthscale {
        &self.lengthscale
    }

    fn lengthscale_mut(&mut self) -> &mut Lengthscale {
        &mut self.lengthscale
    }
}

impl Law for Cauchy {
    fn value(&self, t: &[f64]) -> f64 {
        t.iter().map(|t| 1.0 / (1.0 + t * t)).product()
    }

    /// κ′/κ = −2t/(1+t²), κ″/κ = (6t²−2)/(1+t²)².
    fn minus_hessian(&self, t: &[f64]) -> Mat<f64> {
        let first = |t: f64| -2.0 * t / (1.0 + t * t);
        let second = |t: f64| (6.0 * t * t - 2.0) / (1.0 + t * t) / (1.0 + t * t);
        product_hessian(self.value(t), t, first, second)
    }

    fn variance(&self, _: usize) -> f64 {
        2.0
    }

    fn sampling(&self) -> Sampling<'_> {
        Sampling::Product(self)
    }
}

impl Coordinate for Cauchy {
    /// |ζ| ~ Exponential(1).
    fn quantile(&self, u: f64) -> f64 {
        symmetric(u, |tail| -libm::log(tail))
    }

    /// ζ² e^{−|ζ|}: |ζ| ~ Gamma(3, 1).
    fn biased(&self, u: f64) -> f64 {
        symmetric(u, |tail| gamma_tail_quantile(tail, 3.0))
    }
}
