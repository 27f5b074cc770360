//! The variance of K̂(δ), exactly and as the papers bound it. \[kernel-variance\]

use super::{Frequencies, waves};
use crate::error::{Error, Result};
use crate::feature::MapKind;
use crate::kernel::{Kernel, SumDraw};
use crate::spectrum::{Measure, Spectrum};
use faer::{Mat, Scale};

/// D·Var K̂(δ) = D·E[(K̂(δ) − K₀(δ))²] (p×p), and bounds of it. Time O(d² + p³).
///
/// ```
/// use orff::bound::Variance;
/// use orff::feature::MapKind;
/// use orff::kernel::{Kernel, SumDraw};
/// use orff::spectrum::{Gaussian, Measure};
/// let k = Kernel::curl_free(Gaussian { lengthscale: 1.0.into() }.into());
/// let at_zero = Variance::at(&k, &[0.0; 3], Measure::Plain, MapKind::Pairs, SumDraw::default())?;
/// assert!((at_zero.exact.unwrap()[(0, 0)] - 4.0).abs() < 1e-12); // Var[A] = (d+1)I
/// # Ok::<(), orff::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Variance {
    /// ½E[(1 + cos 2⟨δ,ω⟩)A²] − K₀(δ)², and ½E[A²] more for phases; none where it has no closed form here.
    pub exact: Option<Mat<f64>>,
    /// E[A²] − K₀(δ)² (phases: ½E[A²] more), which is never below it.
    pub always: Mat<f64>,
    /// B16: ½[(K₀(2δ) + K₀(0))E[A] − 2K₀(δ)²] + Var[A], in norm: no bound in general (phases and sums: none).
    pub brault_2016: Option<f64>,
    /// T17: the same with ½Var[A], which is false at δ = 0.
    pub brault_2017: Option<f64>,
    /// Var[A] = E[A²] − K₀(0)²: D·Var K̂(0) of pairs.
    pub of_a: Mat<f64>,
}

/// E[A²], E[cos 2⟨δ,ω⟩ A²] where it has a closed form, K₀(δ) and K₀(0), of one law of atoms.
struct Law {
    square: Mat<f64>,
    wave: Option<Mat<f64>>,
    at: Mat<f64>,
    origin: Mat<f64>,
}

impl Variance {
    /// At δ, for a resolved kernel. The C terms of a sum have atoms of their own, D/C each, so that D times their variances add up C
    /// times; or, drawn as a mixture, each atom is of term c with probability π_c and stands for 1/π_c: one law with E[A²] = ΣE[A_c²]/π_c.
    pub fn at(kernel: &Kernel, delta: &[f64], measure: Measure, map: MapKind, sum: SumDraw) -> Result<Self> {
        let terms = kernel.terms();
        let laws = terms.iter().map(|term| Law::of(term, delta, measure)).collect::<Result<Vec<_>>>()?;
        if let ([law], [term]) = (laws.as_slice(), terms.as_slice()) {
            return law.variance(map).printed(law, term, delta, map);
        }
        match sum {
            SumDraw::Concatenation => {
                let (many, each) = (laws.len() as f64, laws.iter().map(|law| law.variance(map)));
                let total = |a: Variance, b: Variance| Variance {
                    exact: a.exact.zip(b.exact).map(|(a, b)| a + b),
                    always: a.always + b.always,
                    of_a: a.of_a + b.of_a,
                    brault_2016: None,
                    brault_2017: None,
                };
                let all = each.reduce(total).ok_or_else(|| open(kernel))?;
                let times = |m: Mat<f64>| Scale(many) * m;
                Ok(Variance { exact: all.exact.map(times), always: times(all.always), of_a: times(all.of_a), ..all })
            }
            SumDraw::Mixture => Ok(Law::mixture(&laws).ok_or_else(|| open(kernel))?.variance(map)),
        }
    }

    /// With what the papers print for one law of atoms.
    fn printed(self, law: &Law, kernel: &Kernel, delta: &[f64], map: MapKind) -> Result<Self> {
        if map == MapKind::Phases {
            return Ok(self);
        }
        let twice: Vec<f64> = delta.iter().map(|x| 2.0 * x).collect();
        let twice = kernel.eval(&twice, &vec![0.0; delta.len()])?;
        let first = Scale(0.5) * ((&twice + &law.origin) * &law.origin) - &law.at * &law.at;
        let (first, of_a) = (super::constants::spectral_norm(&first)?, super::constants::spectral_norm(&self.of_a)?);
        Ok(Variance { brault_2016: Some(first + of_a), brault_2017: Some(first + 0.5 * of_a), ..self })
    }
}

impl Law {
    fn of(kernel: &Kernel, delta: &[f64], measure: Measure) -> Result<Self> {
        let (square, wave) = squares(kernel, delta, measure)?;
        let zero = vec![0.0; delta.len()];
        Ok(Law { square, wave, at: kernel.eval(delta, &zero)?, origin: kernel.eval(&zero, &zero)? })
    }

    /// Atoms of law c with probability π_c = Tr K_c(0)/ΣTr K(0), each for 1/π_c.
    fn mixture(laws: &[Law]) -> Option<Self> {
        let trace = |m: &Mat<f64>| (0..m.nrows()).map(|i| m[(i, i)]).sum::<f64>();
        let total: f64 = laws.iter().map(|law| trace(&law.origin)).sum();
        let each = laws.iter().map(|law| {
            let stands = Scale(total / trace(&law.origin));
            let wave = law.wave.as_ref().map(|wave| stands * wave);
            Law { square: stands * &law.square, wave, at: law.at.clone(), origin: law.origin.clone() }
        });
        each.reduce(|a, b| Law {
            square: a.square + b.square,
            wave: a.wave.zip(b.wave).map(|(a, b)| a + b),
            at: a.at + b.at,
            origin: a.origin + b.origin,
        })
    }

    /// ½E[(1 + cos 2⟨δ,ω⟩)A²] − K₀(δ)², phases ½E[A²] more.
    fn variance(&self, map: MapKind) -> Variance {
        let Law { square, wave, at, origin } = self;
        let phases = if map == MapKind::Phases { 0.5 } else { 0.0 };
        Variance {
            exact: wave.as_ref().map(|wave| Scale(0.5 + phases) * square + Scale(0.5) * wave - at * at),
            always: Scale(1.0 + phases) * square - at * at,
            of_a: square - origin * origin,
            brault_2016: None,
            brault_2017: None,
        }
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
        // in the coordinates of the kernel inside
        Kernel::Precomposed(k) => {
            let by = k.by.mat();
            let inside = |i: usize| (0..by.ncols().min(d)).map(|j| by[(i, j)] * delta[j]).sum();
            squares(&k.of, &(0..by.nrows()).map(inside).collect::<Vec<f64>>(), measure)
        }
        Kernel::Decomposable(k) if measure == Measure::Tilted => {
            let (_, gamma) = kernel.separated().ok_or_else(|| open(kernel))?;
            // E_ρ[ratio cos] = (4/3)^{d/2} times the kernel of variances (2/3)/ℓ²
            Frequencies::widened(&k.spectrum, d, 2.0 / 3.0)?; // refuses what is not gaussian
            let mass = libm::pow(4.0 / 3.0, d as f64 / 2.0);
            let shrunk: Vec<f64> = delta.iter().map(|x| (8.0f64 / 3.0).sqrt() * x).collect();
            let square = &gamma * &gamma;
            Ok((Scale(mass) * &square, Some(Scale(mass * k.spectrum.value(&shrunk)?) * square)))
        }
        Kernel::CurlFree(k) => field(&k.spectrum, (1.0, 0.0), delta, measure),
        Kernel::DivFree(k) => field(&k.spectrum, (0.0, 1.0), delta, measure),
        Kernel::Helmholtz(k) => {
            let w = k.gradient.fixed().unwrap_or(0.5);
            field(&k.spectrum, (w, 1.0 - w), delta, measure)
        }
        // A = Γ whatever ω: decomposable kernels, and products of them
        other => match other.separated().filter(|_| measure != Measure::Tilted && !other.has(listed)) {
            Some((scalar, gamma)) => {
                let at =
                    |times: f64| scalar.eval(&delta.iter().map(|x| times * x).collect::<Vec<_>>(), &vec![0.0; d]);
                let (mass, wave) = (at(0.0)?[(0, 0)], at(2.0)?[(0, 0)]);
                let square = &gamma * &gamma;
                Ok((Scale(mass * mass) * &square, Some(Scale(mass * wave) * square)))
            }
            None => Err(open(other)),
        },
    }
}

/// Atoms that are given have no variance.
fn listed(kernel: &Kernel) -> bool {
    matches!(kernel, Kernel::Listed(_))
}

fn open(kernel: &Kernel) -> Error {
    Error::refused(
        format!("the variance of {kernel}"),
        "it is written down for decomposable, curl-free, div-free and helmholtz kernels, multiples of them, K(T·,T·) and their sums",
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
