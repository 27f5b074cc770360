//! Moments of the frequencies ω that the constants of the bounds are made of. \[bound-constants\]

use super::waves;
use crate::error::{Error, Result};
use crate::linalg;
use crate::spectrum::Spectrum;
use faer::Mat;

/// Moments of the law ρ of a spectrum on d inputs; infinite where there is none.
///
/// Odd moments of laws that are not rotation-invariant are bounded by Cauchy–Schwarz: E‖ω‖ ≤ √E‖ω‖², E‖ω‖³ ≤ √(E‖ω‖²E‖ω‖⁴).
///
/// ```
/// use orff::bound::Frequencies;
/// use orff::spectrum::{Gaussian, Spectrum};
/// let gaussian = Spectrum::from(Gaussian { lengthscale: 0.5.into() });
/// let law = Frequencies::of(&gaussian, 3)?;
/// assert!((law.second - 3.0 * 4.0).abs() < 1e-12); // E‖ω‖² = d/ℓ²
/// assert!((law.fourth - 15.0 * 16.0).abs() < 1e-10); // E‖ω‖⁴ = d(d+2)/ℓ⁴
/// # Ok::<(), orff::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Frequencies {
    /// E‖ω‖.
    pub first: f64,
    /// E‖ω‖².
    pub second: f64,
    /// E‖ω‖³.
    pub third: f64,
    /// E‖ω‖⁴.
    pub fourth: f64,
    /// E‖ω‖⁶.
    pub sixth: f64,
    /// Eigenvalues of E[ωωᵀ] (d): its diagonal E[ωₖ²], which but for spectral mixtures has nothing off it.
    pub covariance: Vec<f64>,
    /// Eigenvalues of E[‖ω‖²ωωᵀ] (d), likewise.
    pub weighted: Vec<f64>,
    /// ‖‖ω‖²‖_ψ₁, infinite where ‖ω‖² has no exponential moment.
    pub orlicz: f64,
    /// Whether the law is rotation-invariant.
    pub isotropic: bool,
}

impl Frequencies {
    /// The moments of a spectrum. Time O(d), of spectral mixtures O(d³).
    pub fn of(spectrum: &Spectrum, d: usize) -> Result<Self> {
        let scales = spectrum.check(d)?;
        let a: Vec<f64> = scales.iter().map(|s| 1.0 / (s * s)).collect();
        match (spectrum.name(), spectrum) {
            ("gaussian", _) => Ok(Self::mixture(&a, |_| 1.0, true)),
            (_, Spectrum::Matern(matern)) => {
                let nu = matern.smoothness;
                // s² = ν/g, g ~ Gamma(ν)
                let moment = |n: f64| match nu > n / 2.0 {
                    true => libm::exp(n / 2.0 * libm::log(nu) + libm::lgamma(nu - n / 2.0) - libm::lgamma(nu)),
                    false => f64::INFINITY,
                };
                Ok(Self::mixture(&a, moment, false))
            }
            ("laplace", _) => Ok(Self::product(&a, [f64::INFINITY; 3])),
            // Laplace(0, 1) has E ζ²ⁿ = (2n)!
            ("cauchy", _) => Ok(Self::product(&a, [2.0, 24.0, 720.0])),
            // sech(πζ) has E ζ²ⁿ = |E₂ₙ|/4ⁿ, Euler's numbers 1, 5, 61
            ("skewed-chi2", _) => Ok(Self::product(&a, [1.0 / 4.0, 5.0 / 16.0, 61.0 / 64.0])),
            (name, _) => {
                let parts = waves::normals(spectrum, &scales);
                let none = || {
                    Error::refused(
                        format!("a bound for {name}"),
                        "the moments of its frequencies are not written down",
                    )
                };
                Self::waves(&parts.ok_or_else(none)?, &spectrum.minus_hessian(&vec![0.0; d])?)
            }
        }
    }

    /// ω = s·z/ℓ, z ~ N(0, I): E‖ω‖ⁿ = E[sⁿ]E‖z/ℓ‖ⁿ, a = 1/ℓ².
    fn mixture(a: &[f64], scale: impl Fn(f64) -> f64, gaussian: bool) -> Self {
        let d = a.len() as f64;
        let power = |n: i32| a.iter().map(|a| a.powi(n)).sum::<f64>();
        let (s1, s2, s3) = (power(1), power(2), power(3));
        let isotropic = a.iter().all(|x| *x == a[0]);
        // E‖z‖ⁿ = 2^{n/2} Γ((d+n)/2)/Γ(d/2)
        let chi =
            |n: f64| libm::exp(n / 2.0 * libm::log(2.0 * a[0]) + libm::lgamma((d + n) / 2.0) - libm::lgamma(d / 2.0));
        let (second, fourth) = (s1, s1 * s1 + 2.0 * s2);
        let (first, third) = match isotropic {
            true => (chi(1.0), chi(3.0)),
            false => (second.sqrt(), (second * fourth).sqrt()),
        };
        Frequencies {
            first: scale(1.0) * first,
            second: scale(2.0) * second,
            third: scale(3.0) * third,
            fourth: scale(4.0) * fourth,
            sixth: scale(6.0) * (s1 * s1 * s1 + 6.0 * s1 * s2 + 8.0 * s3),
            covariance: a.iter().map(|a| scale(2.0) * a).collect(),
            weighted: a.iter().map(|a| scale(4.0) * a * (s1 + 2.0 * a)).collect(),
            orlicz: if gaussian { gaussian_orlicz(a) } else { f64::INFINITY },
            isotropic,
        }
    }

    /// Independent coordinates ωₖ = ζₖ/ℓₖ with E ζ², E ζ⁴, E ζ⁶; a = 1/ℓ². ‖ω‖² has no exponential moment in these laws.
    fn product(a: &[f64], [m2, m4, m6]: [f64; 3]) -> Self {
        let power = |n: i32| a.iter().map(|a| a.powi(n)).sum::<f64>();
        let (d, s1) = (a.len(), power(1));
        if m2.is_infinite() {
            let none = f64::INFINITY;
            let each = vec![none; d];
            return Frequencies {
                first: none,
                second: none,
                third: none,
                fourth: none,
                sixth: none,
                covariance: each.clone(),
                weighted: each,
                orlicz: none,
                isotropic: d == 1,
            };
        }
        // cumulants of ζ² add up
        let (c1, c2, c3) = (m2 * s1, (m4 - m2 * m2) * power(2), (m6 - 3.0 * m4 * m2 + 2.0 * m2 * m2 * m2) * power(3));
        let (second, fourth) = (c1, c2 + c1 * c1);
        Frequencies {
            first: second.sqrt(),
            second,
            third: (second * fourth).sqrt(),
            fourth,
            sixth: c3 + 3.0 * c2 * c1 + c1 * c1 * c1,
            covariance: a.iter().map(|a| m2 * a).collect(),
            weighted: a.iter().map(|a| m4 * a * a + m2 * a * m2 * (s1 - a)).collect(),
            orlicz: f64::INFINITY,
            isotropic: d == 1,
        }
    }

    /// Normal frequencies about several means, with E[ωωᵀ] (d×d).
    fn waves(parts: &[waves::Normal], covariance: &Mat<f64>) -> Result<Self> {
        let [second, fourth, sixth] = waves::even(parts);
        let weighted = waves::wave(parts, &vec![0.0; covariance.nrows()]);
        Ok(Frequencies {
            first: second.sqrt(),
            second,
            third: (second * fourth).sqrt(),
            fourth,
            sixth,
            covariance: linalg::eigen(covariance.as_ref())?.values,
            weighted: linalg::eigen(weighted.as_ref())?.values,
            orlicz: waves::orlicz(parts),
            isotropic: false,
        })
    }

    /// The law of gaussian frequencies with their variances multiplied by c: of the tilted measure, which others do not have.
    pub(super) fn widened(spectrum: &Spectrum, d: usize, c: f64) -> Result<Self> {
        if !matches!(spectrum, Spectrum::Gaussian(_)) {
            return Err(Error::refused(
                format!("measure tilted for {}", spectrum.name()),
                "the tilt by a wider normal law is for gaussian only (use measure trace or plain)",
            ));
        }
        let scales: Vec<f64> = spectrum.check(d)?.iter().map(|s| s / c.sqrt()).collect();
        Frequencies::of(&spectrum.clone().with_lengthscale(scales.into()), d)
    }

    /// E|⟨u, ω⟩|/E‖ω‖ at most, over unit vectors u.
    pub(super) fn along(&self, d: usize) -> f64 {
        match self.isotropic {
            // E|u₁| of a uniform direction
            true => {
                let d = d as f64;
                libm::exp(libm::lgamma(d / 2.0) - libm::lgamma((d + 1.0) / 2.0)) / std::f64::consts::PI.sqrt()
            }
            false => 1.0,
        }
    }
}

/// C with E exp(‖ω‖²/C) = ∏(1 − 2aₖ/C)^{−1/2} = 2; with equal a it is 2a/(1 − 4^{−1/d}) (T17 §5.1.5.3; B16 prints the inverse).
fn gaussian_orlicz(a: &[f64]) -> f64 {
    let largest = a.iter().copied().fold(0.0, f64::max);
    let d = a.len() as f64;
    // with all a the largest one C is too large, with the largest alone too small
    let alone = |d: f64| 2.0 * largest / -libm::expm1(-4f64.ln() / d);
    let (mut low, mut high) = (alone(1.0), alone(d));
    let excess = |c: f64| a.iter().map(|a| -0.5 * libm::log1p(-2.0 * a / c)).sum::<f64>() - 2f64.ln();
    while high - low > 1e-14 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if excess(middle) > 0.0 { low = middle } else { high = middle }
    }
    high
}
