//! What a spectrum must know about itself, in whitened coordinates t = δ/ℓ and ζ = ℓ∘ω; lengthscales, draws and
//! measures are written once for all of them.

use super::{Lengthscale, SpectralMixture};
use crate::error::{Error, Result};
use faer::Mat;

/// One spectrum with unit lengthscale.
pub(crate) trait Law: Sync {
    /// k₀(t).
    fn value(&self, t: &[f64]) -> f64;

    /// k₀ of many t in the place of their ‖t‖², for mixtures of gaussians: only the norm counts.
    fn radial(&self, squares: &mut [f64]) {
        squares.iter_mut().for_each(|s| *s = self.value(&[s.sqrt()]));
    }

    /// −∇∇ᵀk₀(t), d×d; asked for only if `variance` is finite.
    fn minus_hessian(&self, t: &[f64]) -> Mat<f64>;

    /// E[ζₖ²], infinite if there is none; of most laws the same for every k.
    fn variance(&self, k: usize) -> f64;

    /// How ζ is drawn.
    fn sampling(&self) -> Sampling<'_>;
}

/// The parameters that every spectrum has.
pub(crate) trait Parameters {
    fn lengthscale(&self) -> &Lengthscale;
    fn lengthscale_mut(&mut self) -> &mut Lengthscale;

    /// Checks the parameters other than the lengthscale.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Checks those that there is one of for each of d inputs, and that nothing but a lengthscale is left open.
    fn check_inputs(&self, _d: usize) -> Result<()> {
        Ok(())
    }
}

/// The kinds of law. A radial k₀ that is positive definite in every dimension is a scale mixture of gaussians
/// (Schoenberg 1938), so no other radial laws are needed.
pub(crate) enum Sampling<'a> {
    /// Independent coordinates.
    Product(&'a dyn Coordinate),
    /// ζ = s·z with z ~ N(0, I): rotation-invariant. Without a scale, s = 1: the gaussian itself.
    Mixture(Option<&'a dyn Scale>),
    /// ζ = ±(μ_q + s_q∘z) with a component q and z ~ N(0, I).
    Components(&'a SpectralMixture),
}

/// The symmetric law of one coordinate of a product.
pub(crate) trait Coordinate {
    /// Quantile.
    fn quantile(&self, u: f64) -> f64;

    /// Quantile of the law size-biased by ζ².
    fn biased(&self, u: f64) -> f64;
}

/// The law of the scale s of a mixture of gaussians.
pub(crate) trait Scale {
    /// Decreasing in u.
    fn quantile(&self, u: f64) -> f64;

    /// For the law size-biased by s²; refuses where that law leaves the range of floating-point numbers.
    fn biased(&self, u: f64) -> f64;

    /// Whether `biased` may be called.
    fn biased_exists(&self) -> Result<()> {
        Ok(())
    }
}

/// A symmetric quantile from the quantile of the absolute value, given as a function of its upper tail 2(1−u) or 2u.
pub(crate) fn symmetric(u: f64, magnitude: impl Fn(f64) -> f64) -> f64 {
    if u < 0.5 { -magnitude(2.0 * u) } else { magnitude(2.0 * (1.0 - u)) }
}

/// −∇∇ᵀ of k₀ = ∏κ(tₖ) from κ′/κ and κ″/κ: −k₀ a aᵀ off the diagonal, −k₀ b on it.
pub(crate) fn product_hessian(value: f64, t: &[f64], first: fn(f64) -> f64, second: fn(f64) -> f64) -> Mat<f64> {
    let a: Vec<f64> = t.iter().map(|&t| first(t)).collect();
    Mat::from_fn(t.len(), t.len(), |i, j| -value * if i == j { second(t[i]) } else { a[i] * a[j] })
}

/// The refusal of whatever needs E‖ω‖² < ∞.
pub(crate) fn infinite_moment(what: impl Into<String>, name: &str) -> Error {
    let cure = match name {
        "matern" => "take smoothness > 1, or gaussian",
        _ => "take gaussian, cauchy, or matern with smoothness > 1",
    };
    Error::refused(
        what,
        format!("the frequencies of {name} have E‖ω‖² = ∞, so its kernel is not differentiable at 0 ({cure})"),
    )
}
