//! Moments of normal frequencies that are not centred: those of spectral mixtures. \[bound-constants\]

use crate::spectrum::{Components, Spectrum};
use faer::Mat;

/// A share of the frequencies: half of them N(m, diag a), half N(−m, diag a).
pub(super) struct Normal {
    share: f64,
    /// m (d).
    mean: Vec<f64>,
    /// a (d).
    variance: Vec<f64>,
}

impl Normal {
    /// κ₁, κ₂, κ₃ of ‖ω‖²: 2^{r−1}(r−1)! Σ(aʳ + r aʳ⁻¹m²).
    fn cumulants(&self) -> [f64; 3] {
        let sum = |of: &dyn Fn(f64, f64) -> f64| {
            self.variance.iter().zip(&self.mean).map(|(a, m)| of(*a, m * m)).sum::<f64>()
        };
        [
            sum(&|a, m2| a + m2),
            2.0 * sum(&|a, m2| a * a + 2.0 * a * m2),
            8.0 * sum(&|a, m2| a * a * a + 3.0 * a * a * m2),
        ]
    }

    /// ln E e^{‖ω‖²/c} = Σ[−½ ln(1 − 2a/c) + m²/(c − 2a)]; infinite for c ≤ 2 max a.
    fn exponential(&self, c: f64) -> f64 {
        let term = |(a, m): (&f64, &f64)| match c > 2.0 * a {
            true => -0.5 * libm::log1p(-2.0 * a / c) + m * m / (c - 2.0 * a),
            false => f64::INFINITY,
        };
        self.variance.iter().zip(&self.mean).map(term).sum()
    }
}

/// The normal parts of a gaussian or a spectral mixture with lengthscales ℓ; none of other spectra.
pub(super) fn normals(spectrum: &Spectrum, scales: &[f64]) -> Option<Vec<Normal>> {
    let over = |v: &[f64]| v.iter().zip(scales).map(|(v, l)| v / l).collect::<Vec<f64>>();
    match spectrum {
        Spectrum::Gaussian(_) => Some(vec![Normal {
            share: 1.0,
            mean: vec![0.0; scales.len()],
            variance: scales.iter().map(|l| 1.0 / (l * l)).collect(),
        }]),
        Spectrum::SpectralMixture(mixture) => {
            let Components::Given(all) = &mixture.components else { return None };
            let total: f64 = all.iter().map(|c| c.weight).sum();
            let part = |c: &crate::spectrum::Component| Normal {
                share: c.weight / total,
                mean: over(&c.mean),
                variance: over(&c.deviation).iter().map(|s| s * s).collect(),
            };
            Some(all.iter().map(part).collect())
        }
        _ => None,
    }
}

/// E‖ω‖², E‖ω‖⁴, E‖ω‖⁶.
pub(super) fn even(parts: &[Normal]) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for part in parts {
        let [c1, c2, c3] = part.cumulants();
        let own = [c1, c2 + c1 * c1, c3 + 3.0 * c2 * c1 + c1 * c1 * c1];
        sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += part.share * own);
    }
    sums
}

/// ‖‖ω‖²‖_ψ₁: the least C with E e^{‖ω‖²/C} ≤ 2, from above.
pub(super) fn orlicz(parts: &[Normal]) -> f64 {
    let enough = |c: f64| parts.iter().map(|p| p.share * libm::exp(p.exponential(c))).sum::<f64>() <= 2.0;
    let mut high = even(parts)[0];
    // squares of tiny frequencies vanish
    while high > 0.0 && high.is_finite() && !enough(high) {
        high *= 2.0;
    }
    let mut low = 0.0;
    while high - low > 1e-14 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if enough(middle) { high = middle } else { low = middle }
    }
    high
}

/// E[cos⟨x,ω⟩ ‖ω‖²ωωᵀ] (d×d).
///
/// E[e^{i⟨x,ω⟩}f(ω)] = e^{i⟨m,x⟩ − ½Σax²} E f(ω + i a∘x), and by Isserlis with the mean c = m + i a∘x
/// E[‖ω‖²ωᵢωⱼ] = (Σc² + Σa)(cᵢcⱼ + aᵢδᵢⱼ) + 2(aᵢ + aⱼ)cᵢcⱼ + 2aᵢ²δᵢⱼ.
pub(super) fn wave(parts: &[Normal], x: &[f64]) -> Mat<f64> {
    let d = x.len();
    let mut sum = Mat::zeros(d, d);
    for Normal { share, mean: m, variance: a } in parts {
        let y: Vec<f64> = a.iter().zip(x).map(|(a, x)| a * x).collect();
        let dot = |u: &[f64], v: &[f64]| u.iter().zip(v).map(|(u, v)| u * v).sum::<f64>();
        let size = share * libm::exp(-0.5 * dot(&y, x));
        let (sin, cos) = libm::sincos(dot(m, x));
        let (real, imaginary) = (dot(m, m) - dot(&y, &y) + a.iter().sum::<f64>(), 2.0 * dot(m, &y));
        for i in 0..d {
            for j in 0..d {
                let own = if i == j { a[i] } else { 0.0 };
                let (even, odd) = (m[i] * m[j] - y[i] * y[j], m[i] * y[j] + y[i] * m[j]);
                let factor = real + 2.0 * (a[i] + a[j]);
                let re = factor * even - imaginary * odd + own * (real + 2.0 * a[i]);
                let im = factor * odd + imaginary * even + own * imaginary;
                sum[(i, j)] += size * (cos * re - sin * im);
            }
        }
    }
    sum
}
