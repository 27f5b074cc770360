//! What curl-free, div-free and Helmholtz kernels share: fields made of second derivatives of k₀.

use super::decomposable::is_open;
use super::{Block, Factors, Units};
use crate::error::{Error, Result};
use crate::spectrum::{Draw, Spectrum};
use faer::Mat;

/// g²·(−∇∇ᵀk₀) + h²·(∇∇ᵀ − ΔI)k₀ at δ = x − z. \[curl-free\] \[div-free\]
pub(super) fn eval(spectrum: &Spectrum, x: &[f64], z: &[f64], g: f64, h: f64, name: &str) -> Result<Mat<f64>> {
    allow(spectrum, x.len(), h, name)?;
    let delta: Vec<f64> = x.iter().zip(z).map(|(a, b)| a - b).collect();
    let hessian = spectrum.minus_hessian(&delta)?;
    let trace: f64 = (0..delta.len()).map(|k| hessian[(k, k)]).sum();
    Ok(Mat::from_fn(delta.len(), delta.len(), |i, j| {
        let identity = if i == j { trace } else { 0.0 };
        g * g * hessian[(i, j)] + h * h * (identity - hessian[(i, j)])
    }))
}

/// Atoms with B(ω) = [gω, h‖ω‖Q(ω)].
pub(super) fn draw(
    spectrum: &Spectrum,
    d: usize,
    count: usize,
    how: &Draw,
    (g, h): (f64, f64),
    name: &str,
) -> Result<Block> {
    allow(spectrum, d, h, name)?;
    let drawn = spectrum.draw(d, count, how)?;
    let factors = Factors::Differential { dimension: d, gradient: g, rotation: h };
    let weight = drawn.ratio.iter().map(|a| a / count as f64).collect();
    Ok(Block { omega: drawn.omega, weight, factors, note: drawn.note })
}

/// Fields keep their geometry: one common scale for inputs, one for outputs.
pub(super) fn units(spectrum: &Spectrum) -> (Units, Units) {
    (if is_open(spectrum) { Units::Common } else { Units::Fixed }, Units::Common)
}

/// Refuses what no data can make right: fields begin with the plane, lengthscales may still be open.
pub(super) fn check(spectrum: &Spectrum, h: f64, name: &str) -> Result<()> {
    spectrum.check_parameters()?;
    allow(&spectrum.clone().with_lengthscale(1.0.into()), 2, h, name)
}

fn allow(spectrum: &Spectrum, d: usize, h: f64, name: &str) -> Result<()> {
    if h != 0.0 && d < 2 {
        return Err(Error::refused(
            format!("{name} in one dimension"),
            "a field on the line without divergence is constant; use decomposable or curl-free",
        ));
    }
    if let Spectrum::SkewedChi2(_) = spectrum {
        return Err(Error::refused(
            format!("{name} with skewed-chi2"),
            "derivatives keep their meaning on the additive group only; use gaussian, matern or cauchy",
        ));
    }
    if spectrum.is_rough() {
        return Err(Error::refused(
            format!("{name} with {}", spectrum.name()),
            "its kernel has no second derivative at 0 (E‖ω‖² = ∞); use gaussian, cauchy, or matern with smoothness > 1",
        ));
    }
    Ok(())
}
