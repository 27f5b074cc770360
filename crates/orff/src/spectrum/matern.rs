//! The Matérn spectrum.

use super::Lengthscale;
use super::law::{Law, Parameters, Sampling, Scale};
use crate::error::{Error, Result};
use crate::params::field;
use crate::special::{gamma_quantile, ln_bessel_k};
use faer::Mat;
use serde::{Deserialize, Deserializer, Serialize};
use std::f64::consts::LN_2;

/// k₀(δ) = 2^{1−ν}/Γ(ν) x^ν K_ν(x), x = √(2ν)‖δ/ℓ‖: functions with fewer than ν derivatives.
///
/// ω = z/(ℓ√(u/2ν)) with z ~ N(0, I), u ~ χ²(2ν). E‖ω‖² is finite iff ν > 1.
///
/// ```
/// use orff::spectrum::{Laplace, Matern, Spectrum};
/// let rough = Spectrum::from(Matern { smoothness: 0.5, lengthscale: 0.7.into() });
/// let laplace = Spectrum::from(Laplace { lengthscale: 0.7.into() });
/// assert!((rough.value(&[0.4])? - laplace.value(&[0.4])?).abs() < 1e-14);
/// # Ok::<(), orff::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Matern {
    /// ν, at least 0.1.
    #[serde(deserialize_with = "smoothness")]
    pub smoothness: f64,
    /// ℓ.
    pub lengthscale: Lengthscale,
}

const SMOOTHNESS: &str = "a number from 0.1 to 1000000";

fn smoothness<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    field(from, "smoothness", SMOOTHNESS)
}

impl Default for Matern {
    fn default() -> Self {
        Matern { smoothness: 2.5, lengthscale: Lengthscale::Auto }
    }
}

impl Matern {
    /// x = √(2ν)‖t‖.
    fn argument(&self, t: &[f64]) -> f64 {
        (2.0 * self.smoothness * t.iter().map(|t| t * t).sum::<f64>()).sqrt()
    }
}

/// M_ν(x) = 2^{1−ν}/Γ(ν) x^ν K_ν(x), with M_ν(0) = 1; M_ν′(x) = −x M_{ν−1}(x)/2(ν−1).
fn matern(nu: f64, x: f64) -> f64 {
    if x == 0.0 {
        1.0
    } else if x == f64::INFINITY {
        0.0
    } else if nu == 0.5 {
        libm::exp(-x)
    } else if nu == 1.5 {
        libm::exp(-x) * (1.0 + x)
    } else if nu == 2.5 {
        libm::exp(-x) * (1.0 + x + x * x / 3.0)
    } else {
        libm::exp((1.0 - nu) * LN_2 - libm::lgamma(nu) + nu * libm::log(x) + ln_bessel_k(nu, x)).min(1.0)
    }
}

impl Parameters for Matern {
    fn lengthscale(&self) -> &Lengthscale {
        &self.lengthscale
    }

    fn lengthscale_mut(&mut self) -> &mut Lengthscale {
        &mut self.lengthscale
    }

    /// Below 0.1 a frequency may exceed the largest floating-point number; above 10⁶ it is gaussian to rounding.
    fn check(&self) -> Result<()> {
        if (0.1..=1e6).contains(&self.smoothness) {
            return Ok(());
        }
        Err(Error::parameter("smoothness", SMOOTHNESS, self.smoothness))
    }
}

impl Law for Matern {
    fn value(&self, t: &[f64]) -> f64 {
        matern(self.smoothness, self.argument(t))
    }

    /// φI − ψttᵀ with φ = ν/(ν−1) M_{ν−1}(x), ψ = 2ν²/(ν−1) · 2^{2−ν}/Γ(ν−1) x^{ν−2}K_{ν−2}(x); for 1 < ν ≤ 2 ψ is
    /// infinite at 0, but ψttᵀ vanishes there.
    fn minus_hessian(&self, t: &[f64]) -> Mat<f64> {
        let (nu, x) = (self.smoothness, self.argument(t));
        let phi = nu / (nu - 1.0) * matern(nu - 1.0, x);
        // ψ‖t‖², so that a power of a small x is never divided by another
        let weight = if x == 0.0 || x == f64::INFINITY {
            0.0
        } else {
            let log = (2.0 - nu) * LN_2 - libm::lgamma(nu - 1.0) + nu * libm::log(x) + ln_bessel_k(nu - 2.0, x);
            nu / (nu - 1.0) * libm::exp(log)
        };
        let norm = t.iter().map(|t| t * t).sum::<f64>().sqrt();
        let direction = |k: usize| if norm > 0.0 { t[k] / norm } else { 0.0 };
        Mat::from_fn(t.len(), t.len(), |i, j| {
            phi * f64::from(u8::from(i == j)) - weight * direction(i) * direction(j)
        })
    }

    fn variance(&self, _: usize) -> f64 {
        if self.smoothness > 1.0 { self.smoothness / (self.smoothness - 1.0) } else { f64::INFINITY }
    }

    fn sampling(&self) -> Sampling<'_> {
        Sampling::Mixture(Some(self))
    }
}

impl Scale for Matern {
    /// s = √(2ν/u), u ~ χ²(2ν): s² = ν/g, g ~ Gamma(ν).
    fn quantile(&self, u: f64) -> f64 {
        (self.smoothness / gamma_quantile(u, self.smoothness)).sqrt()
    }

    /// s² = ν/g, g ~ Gamma(ν−1): with z size-biased too, ‖ζ‖²/2ν ~ BetaPrime(d/2+1, ν−1).
    fn biased(&self, u: f64) -> f64 {
        (self.smoothness / gamma_quantile(u, self.smoothness - 1.0)).sqrt()
    }

    fn biased_exists(&self) -> Result<()> {
        if self.smoothness >= 1.1 {
            return Ok(());
        }
        Err(Error::refused(
            format!("measure trace for matern with smoothness {}", self.smoothness),
            "below 1.1 its size-biased frequencies exceed the largest floating-point number (use measure plain, or a \
             larger smoothness)",
        ))
    }
}
