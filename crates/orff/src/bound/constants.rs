//! The constants of the theorems: what the random operator A(ω) of a kernel is like. \[bound-constants\]

use super::Frequencies;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::linalg;
use crate::spectrum::{Measure, Spectrum};
use faer::Mat;
use serde::Serialize;

/// Norms and moments of A(ω), ω from the measure it is drawn from; infinite where there is none. Of laws that are not
/// rotation-invariant, and of M K Mᵀ, some are upper bounds, which the theorems allow.
///
/// ```
/// use orff::bound::Constants;
/// use orff::kernel::Kernel;
/// use orff::spectrum::{Gaussian, Measure};
/// let k = Kernel::curl_free(Gaussian { lengthscale: 0.5.into() }.into());
/// let (plain, trace) = (Constants::of(&k, 3, 1.0, Measure::Plain)?, Constants::of(&k, 3, 1.0, Measure::Trace)?);
/// assert!(plain.largest.is_infinite() && (trace.largest - 12.0).abs() < 1e-12); // A = (d/ℓ²) ωωᵀ/‖ω‖²
/// assert!((plain.lipschitz - trace.lipschitz).abs() < 1e-12); // E‖ω‖‖A‖ is the same for every measure
/// # Ok::<(), orff::Error>(())
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct Constants {
    /// d, of the coordinates in which the frequencies are.
    pub inputs: usize,
    /// p.
    pub outputs: usize,
    /// Diameter |C| of the points in these coordinates.
    pub diameter: f64,
    /// ‖K₀(0)‖ = sup ‖K(x,z)‖.
    pub norm: f64,
    /// ‖Γ‖ when A = Γ whatever ω.
    pub constant: Option<f64>,
    /// E‖ω‖².
    pub second_moment: f64,
    /// √λ_max(E[ωωᵀ])/√E‖ω‖²: 1/√d for rotation-invariant laws.
    pub share: f64,
    /// ess sup ‖A‖.
    pub largest: f64,
    /// ess sup ‖A‖_HS.
    pub largest_hs: f64,
    /// ess sup Tr A.
    pub largest_trace: f64,
    /// ‖‖A‖‖_ψ₁.
    pub orlicz: f64,
    /// m = E‖ω‖‖A‖.
    pub lipschitz: f64,
    /// m₁ = E‖ω‖‖A‖_HS.
    pub lipschitz_hs: f64,
    /// σ_p² = E‖ω‖²‖A‖².
    pub lipschitz_square: f64,
    /// G ≥ sup ‖∂K₀(δ)/∂δ‖.
    pub slope: f64,
    /// E‖A‖²_HS.
    pub square_hs: f64,
    /// ‖E[A²]‖.
    pub square: f64,
    /// v ≥ sup D‖Var K̂(δ)‖ over the differences δ of the points.
    pub variance: f64,
    /// p_int, the intrinsic dimension Tr V/‖V‖ of a V that D·Var K̂(δ) nowhere exceeds, with ‖V‖ = v.
    pub dimension: f64,
}

impl Constants {
    /// Those of a resolved kernel for points of a diameter in the chart of its group. Time O(d + p³), of spectral mixtures O(d³).
    pub fn of(kernel: &Kernel, d: usize, diameter: f64, measure: Measure) -> Result<Self> {
        if !(diameter.is_finite() && diameter > 0.0) {
            return Err(Error::parameter("diameter", "a number > 0", diameter));
        }
        match (kernel, kernel.separated()) {
            (_, Some((scalar, gamma))) => Self::decomposable(&scalar, &gamma, d, diameter, measure),
            (Kernel::CurlFree(k), _) => Self::field(kernel, &k.spectrum, (1.0, 0.0), d, diameter, measure),
            (Kernel::DivFree(k), _) => Self::field(kernel, &k.spectrum, (0.0, 1.0), d, diameter, measure),
            (Kernel::Helmholtz(k), _) => {
                let w = k.gradient.fixed().unwrap_or(0.5);
                Self::field(kernel, &k.spectrum, (w, 1.0 - w), d, diameter, measure)
            }
            (Kernel::Scaled(k), _) => Ok(Self::of(&k.of, d, diameter, measure)?.scaled(k.factor)),
            (Kernel::Precomposed(k), _) => {
                let by = k.by.mat();
                Self::of(&k.of, by.nrows(), diameter * spectral_norm(by)?, measure)
            }
            (Kernel::Conjugated(k), _) => {
                let (inner, by) = (Self::of(&k.of, d, diameter, measure)?, k.by.mat());
                let p = by.nrows();
                let whole = inner.scaled(spectral_norm(by)?.powi(2));
                Ok(Constants { outputs: p, dimension: p as f64, ..whole })
            }
            (other, _) => Err(Error::refused(
                format!("a bound for {other}"),
                "its constants are not written down (use decomposable, curl-free, div-free, helmholtz, multiples of \
                 them, M K Mᵀ, K(T·,T·), and their sums)",
            )),
        }
    }

    /// c·A.
    fn scaled(self, c: f64) -> Self {
        Constants {
            norm: c * self.norm,
            constant: self.constant.map(|g| c * g),
            largest: c * self.largest,
            largest_hs: c * self.largest_hs,
            largest_trace: c * self.largest_trace,
            orlicz: c * self.orlicz,
            lipschitz: c * self.lipschitz,
            lipschitz_hs: c * self.lipschitz_hs,
            lipschitz_square: c * c * self.lipschitz_square,
            slope: c * self.slope,
            square_hs: c * c * self.square_hs,
            square: c * c * self.square,
            variance: c * c * self.variance,
            ..self
        }
    }

    /// k₀(δ)Γ: A = Γ times the density ratio, which is 1 but for the tilted measure.
    fn decomposable(scalar: &Kernel, gamma: &Mat<f64>, d: usize, diameter: f64, measure: Measure) -> Result<Self> {
        let (spectrum, factor, d, diameter) = base(scalar, d, diameter)?;
        let law = Frequencies::of(&spectrum, d)?;
        let p = gamma.nrows();
        let gamma = faer::Scale(factor) * gamma;
        let norm = spectral_norm(&gamma)?;
        let (hs, trace) = (gamma.norm_l2(), (0..p).map(|i| gamma[(i, i)]).sum::<f64>());
        // the ratio is at most 2^{d/2}, and E_ρ[ratio] = (4/3)^{d/2} with variances (2/3)/ℓ²
        let tilted = measure == Measure::Tilted;
        let half = d as f64 / 2.0;
        let (peak, mass) = if tilted { (libm::exp2(half), libm::pow(4.0 / 3.0, half)) } else { (1.0, 1.0) };
        let ratio_second = match tilted {
            true => mass * Frequencies::widened(&spectrum, d, 2.0 / 3.0)?.second,
            false => law.second,
        };
        // never zero, which rounding makes of a tiny diameter
        let variance = if tilted { mass } else { cosine_variance(&spectrum, &law, d, diameter)?.max(1e-12) };
        let largest_moment = law.covariance.iter().copied().fold(0.0, f64::max);
        Ok(Constants {
            inputs: d,
            outputs: p,
            diameter,
            norm,
            constant: (!tilted).then_some(norm),
            second_moment: law.second,
            share: (largest_moment / law.second).sqrt(),
            largest: peak * norm,
            largest_hs: peak * hs,
            largest_trace: peak * trace,
            orlicz: peak * norm / 2f64.ln(),
            lipschitz: norm * law.first,
            lipschitz_hs: hs * law.first,
            lipschitz_square: norm * norm * ratio_second,
            slope: norm * law.first * law.along(d),
            square_hs: mass * hs * hs,
            square: mass * norm * norm,
            variance: variance * norm * norm,
            dimension: if norm > 0.0 { hs * hs / (norm * norm) } else { 1.0 },
        })
    }

    /// Those of frequencies of which E‖ω‖ and E‖ω‖² are known, A = Γ whatever ω: Var cos⟨δ,ω⟩ ≤ 1, and the slope is at most m.
    pub(super) fn fixed(gamma: &Mat<f64>, (first, second): (f64, f64), d: usize, diameter: f64) -> Result<Self> {
        let (norm, hs) = (spectral_norm(gamma)?, gamma.norm_l2());
        Ok(Constants {
            inputs: d,
            outputs: gamma.nrows(),
            diameter,
            norm,
            constant: Some(norm),
            second_moment: second,
            share: 1.0,
            largest: norm,
            largest_hs: hs,
            largest_trace: (0..gamma.nrows()).map(|i| gamma[(i, i)]).sum(),
            orlicz: norm / 2f64.ln(),
            lipschitz: norm * first,
            lipschitz_hs: hs * first,
            lipschitz_square: norm * norm * second,
            slope: norm * first,
            square_hs: hs * hs,
            square: norm * norm,
            variance: norm * norm,
            dimension: if norm > 0.0 { hs * hs / (norm * norm) } else { 1.0 },
        })
    }

    /// A = ratio·(g ωωᵀ + h(‖ω‖²I − ωωᵀ)): its norms are multiples of ratio·‖ω‖².
    fn field(
        kernel: &Kernel,
        spectrum: &Spectrum,
        (g, h): (f64, f64),
        d: usize,
        diameter: f64,
        measure: Measure,
    ) -> Result<Self> {
        let zero = vec![0.0; d];
        let norm = spectral_norm(&kernel.eval(&zero, &zero)?)?; // refuses what has no field
        let law = Frequencies::of(spectrum, d)?;
        let rest = (d - 1) as f64;
        let (top, hs, trace) = (g.max(h), (g * g + h * h * rest).sqrt(), g + h * rest);
        let (t, half) = (law.second, d as f64 / 2.0);
        // E[ratio·‖ω‖²ωωᵀ] has these eigenvalues, E[ratio·‖ω‖⁶] is sixth, ratio·‖ω‖² at most peak with ψ₁ norm orlicz
        let (weighted, sixth, peak, orlicz) = match measure {
            Measure::Plain => (law.weighted.clone(), law.sixth, f64::INFINITY, law.orlicz),
            Measure::Trace => (law.covariance.iter().map(|c| t * c).collect(), t * law.fourth, t, t / 2f64.ln()),
            Measure::Tilted => {
                let (mass, narrow) = (libm::pow(4.0 / 3.0, half), Frequencies::widened(spectrum, d, 2.0 / 3.0)?);
                let largest = law.covariance.iter().copied().fold(0.0, f64::max); // 1/ℓ² of the shortest
                let peak = libm::exp2(half) * 4.0 * largest / std::f64::consts::E;
                let weighted = narrow.weighted.iter().map(|w| mass * w).collect();
                (weighted, mass * narrow.sixth, peak, peak / 2f64.ln())
            }
        };
        let fourth: f64 = weighted.iter().sum(); // E[ratio·‖ω‖⁴]
        // eigenvalues of E[A²] = g²E[·‖ω‖²ωωᵀ] + h²(E[·‖ω‖⁴]I − E[·‖ω‖²ωωᵀ])
        let square: Vec<f64> = weighted.iter().map(|w| g * g * w + h * h * (fourth - w)).collect();
        let largest = square.iter().copied().fold(0.0, f64::max);
        let largest_moment = law.covariance.iter().copied().fold(0.0, f64::max);
        Ok(Constants {
            inputs: d,
            outputs: d,
            diameter,
            norm,
            constant: None,
            second_moment: t,
            share: (largest_moment / t).sqrt(),
            largest: top * peak,
            largest_hs: hs * peak,
            largest_trace: trace * peak,
            orlicz: top * orlicz,
            lipschitz: top * law.third,
            lipschitz_hs: hs * law.third,
            lipschitz_square: top * top * sixth,
            slope: top * law.third * law.along(d),
            square_hs: hs * hs * fourth,
            square: largest,
            variance: largest,
            dimension: if largest.is_finite() { square.iter().sum::<f64>() / largest } else { d as f64 },
        })
    }
}

/// The spectrum, factor, number of coordinates and diameter of a scalar kernel c·k₀(T·).
fn base(scalar: &Kernel, d: usize, diameter: f64) -> Result<(Spectrum, f64, usize, f64)> {
    match scalar {
        Kernel::Decomposable(k) => Ok((k.spectrum.clone(), 1.0, d, diameter)),
        Kernel::Scaled(k) => {
            let (spectrum, factor, d, diameter) = base(&k.of, d, diameter)?;
            Ok((spectrum, k.factor * factor, d, diameter))
        }
        Kernel::Precomposed(k) => base(&k.of, k.by.mat().nrows(), diameter * spectral_norm(k.by.mat())?),
        other => Err(Error::refused(
            format!("a bound for {other}"),
            "the law of its frequencies is not written down (use one spectrum, or a sum of kernels of one each)",
        )),
    }
}

/// At most sup Var cos⟨δ,ω⟩ = ½(1 + k₀(2δ)) − k₀(δ)² over ‖δ‖ ≤ |C|.
///
/// With q = k₀(δ): gaussian k₀(2δ) = q⁴, laplace q², and k₀(2δ) ≤ q for all here. −log k₀ is a concave function of squares of
/// coordinates, so that q is smallest where they are equal, at the shortest lengthscale. Waves come back: of spectral mixtures Var cos ≤
/// E(1 − cos)² ≤ ¼E⟨δ,ω⟩⁴, and at most 1.
fn cosine_variance(spectrum: &Spectrum, law: &Frequencies, d: usize, diameter: f64) -> Result<f64> {
    let scales = spectrum.check(d)?;
    if let Spectrum::SpectralMixture(_) = spectrum {
        return Ok((0.25 * diameter.powi(4) * law.fourth).min(1.0));
    }
    let shortest = scales.iter().copied().fold(f64::INFINITY, f64::min);
    let t = diameter / (d as f64).sqrt() / shortest;
    let farthest: Vec<f64> = scales.iter().map(|s| s * t).collect();
    let q = spectrum.value(&farthest)?;
    Ok(match spectrum.name() {
        "gaussian" => 0.5 * (1.0 - q * q).powi(2),
        "laplace" => 0.5 * (1.0 - q * q),
        _ if q > 0.25 => 0.5 * (1.0 + q) - q * q,
        _ => 9.0 / 16.0,
    })
}

/// The largest singular value.
pub(super) fn spectral_norm(m: &Mat<f64>) -> Result<f64> {
    let square = linalg::eigen((m.transpose() * m).as_ref())?;
    Ok(square.values.last().copied().unwrap_or(0.0).max(0.0).sqrt())
}
