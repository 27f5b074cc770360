//! The variance of K̂(δ), exactly and as the papers bound it. \[kernel-variance\]

use super::{Frequencies, waves};
use crate::error::{Error, Result};
use crate::feature::MapKind;
use crate::kernel::Kernel;
use crate::spectrum::{Measure, Spectrum};
use faer::{Mat, Scale};

/// D·Var K̂(δ) = D·E[(K̂(δ) − K₀(δ))²] (p×p), and bounds of it. Time O(d² + p³).
///
/// ```
/// use orff::bound::Variance;
/// use orff::feature::MapKind;
/// use orff::kernel::Kernel;
/// use orff::spectrum::{Gaussian, Measure};
/// let k = Kernel::curl_free(Gaussian { lengthscale: 1.0.into() }.into());
/// let at_zero = Variance::at(&k, &[0.0; 3], Measure::Plain, MapKind::Pairs)?;
/// assert!((at_zero.exact.unwrap()[(0, 0)] - 4.0).abs() < 1e-12); // Var[A] = (d+1)I
/// # Ok::<(), orff::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Variance {
    /// ½E[(1 + cos 2⟨δ,ω⟩)A²] − K₀(δ)², and ½E[A²] more for phases; none where it has no closed form here.
    pub exact: Option<Mat<f64>>,
    /// E[A²] − K₀(δ)² (phases: ½E[A²] more), which is never below it.
    pub always: Mat<f64>,
    /// B16: ½[(K₀(2δ) + K₀(0))E[A] − 2K₀(δ)²] + Var[A], in norm: no bound in general (phases: none).
    pub brault_2016: Option<f64>,
    /// T17: the same with ½Var[A], which is false at δ = 0.
    pub brault_2017: Option<f64>,
    /// Var[A] = E[A²] − K₀(0)².
    pub of_a: Mat<f64>,
}

impl Variance {
    /// At δ, for a resolved kernel of one term.
    pub fn at(kernel: &Kernel, delta: &[f64], measure: Measure, map: MapKind) -> Result<Self> {
        let zero = vec![0.0; delta.len()];
        let k = |scale: f64| kernel.eval(&delta.iter().map(|x| scale * x).collect::<Vec<_>>(), &zero);
        let (at, twice, origin) = (k(1.0)?, k(2.0)?, k(0.0)?);
        let (square, wave) = squares(kernel, delta, measure)?;
        let phases = if map == MapKind::Phases { 0.5 } else { 0.0 };
        let exact = wave.map(|wave| Scale(0.5 + phases) * &square + Scale(0.5) * wave - &at * &at);
        let always = Scale(1.0 + phases) * &square - &at * &at;
        let of_a = &square - &origin * &origin;
        let first = Scale(0.5) * ((&twice + &origin) * &origin) - &at * &at;
        let printed = |share: f64| -> Result<f64> {
            Ok(super::constants::spectral_norm(&first)? + share * super::constants::spectral_norm(&of_a)?)
        };
        let pairs = map == MapKind::Pairs;
        let brault_2016 = if pairs { Some(printed(1.0)?) } else { None };
        let brault_2017 = if pairs { Some(printed(0.5)?) } else { None };
        Ok(Variance { exact, always, brault_2016, brault_2017, of_a })
    }
}

/// E[A²] and E[cos 2⟨δ,ω⟩ A²].
fn squares(kernel: &Kernel, delta: &[f64], measure: Measure) -> Result<(Mat<f64>, Option<Mat<f64>>)> {
    let d = delta.len();
    match kernel {
        Kernel::Scaled(k) => {
            let (square, wave) = squares(&k.of, delta, measure)?;
            let c = Scale(k.factor * k.factor);
            Ok((c * square, wave.map(|w| c * w)))
        }
        Kernel::Decomposable(k) => {
            let (scalar, gamma) = kernel.separated().ok_or_else(|| open(kernel))?;
            let twice: Vec<f64> = delta.iter().map(|x| 2.0 * x).collect();
            let (mass, value) = match measure {
                Measure::Tilted => {
                    // E_ρ[ratio cos] = (4/3)^{d/2} times the kernel of variances (2/3)/ℓ²
                    Frequencies::widened(&k.spectrum, d, 2.0 / 3.0)?; // refuses what is not gaussian
                    let mass = libm::pow(4.0 / 3.0, d as f64 / 2.0);
                    let shrunk: Vec<f64> = twice.iter().map(|x| (2.0f64 / 3.0).sqrt() * x).collect();
                    (mass, mass * k.spectrum.value(&shrunk)?)
                }
                Measure::Plain | Measure::Trace => (1.0, scalar.eval(&twice, &vec![0.0; d])?[(0, 0)]),
            };
            let square = &gamma * &gamma;
            Ok((Scale(mass) * &square, Some(Scale(value) * square)))
        }
        Kernel::CurlFree(k) => field(&k.spectrum, (1.0, 0.0), delta, measure),
        Kernel::DivFree(k) => field(&k.spectrum, (0.0, 1.0), delta, measure),
        Kernel::Helmholtz(k) => {
            let w = k.gradient.fixed().unwrap_or(0.5);
            field(&k.spectrum, (w, 1.0 - w), delta, measure)
        }
        other => Err(open(other)),
    }
}

fn open(kernel: &Kernel) -> Error {
    Error::refused(
        format!("the variance of {kernel}"),
        "it is written down for decomposable, curl-free, div-free and helmholtz kernels and multiples of them",
    )
}

/// A² = ratio²‖ω‖²(g²ωωᵀ + h²(‖ω‖²I − ωωᵀ)).
fn field(
    spectrum: &Spectrum,
    (g, h): (f64, f64),
    delta: &[f64],
    measure: Measure,
) -> Result<(Mat<f64>, Option<Mat<f64>>)> {
    let d = delta.len();
    let twice: Vec<f64> = delta.iter().map(|x| 2.0 * x).collect();
    let law = Frequencies::of(spectrum, d)?;
    // from E[…‖ω‖²ωωᵀ] to E[…A²]
    let whole = |m: Mat<f64>| {
        let trace: f64 = (0..d).map(|i| m[(i, i)]).sum();
        Mat::from_fn(d, d, |i, j| g * g * m[(i, j)] + h * h * (if i == j { trace } else { 0.0 } - m[(i, j)]))
    };
    let diagonal = |values: &[f64]| Mat::from_fn(d, d, |i, j| if i == j { values[i] } else { 0.0 });
    let none = |m: f64| super::finite(m, "the variance of this kernel", "E‖A‖² (measure trace is bounded)");
    match measure {
        Measure::Trace => {
            // ratio = T/‖ω‖²
            none(law.second)?;
            let t = Scale(law.second);
            let square = t * whole(spectrum.minus_hessian(&vec![0.0; d])?);
            Ok((square, Some(t * whole(spectrum.minus_hessian(&twice)?))))
        }
        Measure::Plain => {
            none(law.fourth)?;
            match waves::normals(spectrum, &spectrum.check(d)?) {
                Some(parts) => {
                    Ok((whole(waves::wave(&parts, &vec![0.0; d])), Some(whole(waves::wave(&parts, &twice)))))
                }
                None => Ok((whole(diagonal(&law.weighted)), None)),
            }
        }
        Measure::Tilted => {
            let mass = Scale(libm::pow(4.0 / 3.0, d as f64 / 2.0));
            Frequencies::widened(spectrum, d, 2.0 / 3.0)?; // refuses what is not gaussian
            let wide: Vec<f64> = spectrum.check(d)?.iter().map(|l| l * 1.5f64.sqrt()).collect();
            let parts = waves::normals(spectrum, &wide).unwrap_or_default();
            let at = |x: &[f64]| mass * whole(waves::wave(&parts, x));
            Ok((at(&vec![0.0; d]), Some(at(&twice))))
        }
    }
}
