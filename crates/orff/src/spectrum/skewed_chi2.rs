//! The skewed χ² kernel: hyperbolic-secant frequencies.

use super::Lengthscale;
use super::law::{Coordinate, Law, Parameters, Sampling, product_hessian, symmetric};
use crate::special::secant_square_tail_quantile;
use faer::Mat;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// k₀(δ) = ∏ sech(δₖ/2ℓₖ), density of ζ: ∏ sech(πζₖ): for positive data such as histograms.
///
/// In the chart χ(x) = log(x + c) of the skewed multiplicative group and with ℓ = 1 this is the skewed χ² kernel
/// ∏ 2√(xₖ+c)√(zₖ+c)/(xₖ+zₖ+2c).
///
/// ```
/// use orff::spectrum::{SkewedChi2, Spectrum};
/// let (x, z, c): (f64, f64, f64) = (0.3, 1.7, 0.1);
/// let k = Spectrum::from(SkewedChi2 { lengthscale: 1.0.into() });
/// let chi2 = 2.0 * ((x + c) * (z + c)).sqrt() / (x + z + 2.0 * c);
/// assert!((k.value(&[(x + c).ln() - (z + c).ln()])? - chi2).abs() < 1e-15);
/// # Ok::<(), orff::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SkewedChi2 {
    /// ℓ; 1 is the kernel of the literature.
    pub lengthscale: Lengthscale,
}

impl Parameters for SkewedChi2 {
    fn lengthscale(&self) -> &Lengthscale {
        &self.lengthscale
    }

    fn lengthscale_mut(&mut self) -> &mut Lengthscale {
        &mut self.lengthscale
    }
}

impl Law for SkewedChi2 {
    fn value(&self, t: &[f64]) -> f64 {
        t.iter().map(|t| 1.0 / libm::cosh(t / 2.0)).product()
    }

    /// κ′/κ = −½ tanh(t/2), κ″/κ = ¼(1 − 2 sech²(t/2)).
    fn minus_hessian(&self, t: &[f64]) -> Mat<f64> {
        let first = |t: f64| -0.5 * libm::tanh(t / 2.0);
        let second = |t: f64| 0.25 * (1.0 - 2.0 / libm::cosh(t / 2.0) / libm::cosh(t / 2.0));
        product_hessian(self.value(t), t, first, second)
    }

    fn variance(&self, _: usize) -> f64 {
        0.25
    }

    fn sampling(&self) -> Sampling<'_> {
        Sampling::Product(self)
    }
}

impl Coordinate for SkewedChi2 {
    /// log tan(πu/2)/π; the tail 1−u = s/2 of the magnitude gives −log tan(πs/4)/π.
    fn quantile(&self, u: f64) -> f64 {
        symmetric(u, |tail| -libm::log(libm::tan(PI * tail / 4.0)) / PI)
    }

    /// Density 4ζ² sech(πζ).
    fn biased(&self, u: f64) -> f64 {
        symmetric(u, secant_square_tail_quantile)
    }
}
