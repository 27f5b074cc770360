//! The test-kit of spectra: whatever a new spectrum says about itself must agree.

use super::{Draw, DrawKind, Drawn, Measure, Spectrum};
use faer::Mat;
use rayon::prelude::*;
use std::ops::Range;

/// |z| above which an agreement is refused; about one false alarm in 10⁵ entries.
const LIMIT: f64 = 4.5;

/// Draws per comparison, and atoms per draw.
const SEEDS: u64 = 256;
const ATOMS: usize = 64;

/// Checks that kernel, derivatives and draws of a spectrum agree in d dimensions.
///
/// k₀(0) = 1; −∇∇ᵀk₀ against central differences of k₀; for every draw and measure that is not refused, the prefix
/// property and the mean of ratio·cos⟨δ,ω⟩ and ratio·cos⟨δ,ω⟩ωωᵀ against k₀ and −∇∇ᵀk₀ by z-score over 256 draws.
/// Structured draws (d ≥ 32) are biased by construction and are checked for the prefix property only.
///
/// ```
/// use orff::spectrum::{Gaussian, Spectrum, check_spectrum};
/// check_spectrum(&Spectrum::from(Gaussian { lengthscale: vec![0.5, 2.0].into() }), 2).unwrap();
/// ```
pub fn check_spectrum(spectrum: &Spectrum, d: usize) -> Result<(), String> {
    let scales = spectrum.check(d).map_err(|e| e.to_string())?;
    let value = |delta: &[f64]| spectrum.value(delta).map_err(|e| e.to_string());
    let origin = value(&vec![0.0; d])?;
    if (origin - 1.0).abs() > 1e-14 {
        return Err(format!("{}: k₀(0) = {origin}", spectrum.name()));
    }
    for delta in differences(&scales) {
        if let Ok(exact) = spectrum.minus_hessian(&delta) {
            compare_hessian(&exact, &delta, &scales, &value)?;
        }
    }
    for kind in [DrawKind::Iid, DrawKind::Orthogonal, DrawKind::QuasiMonteCarlo, DrawKind::Structured] {
        for measure in [Measure::Plain, Measure::Trace, Measure::Tilted] {
            let how = Draw { kind, measure, seed: 5, purpose: 1 };
            let (Ok(few), Ok(many)) = (spectrum.draw(d, d + 7, &how), spectrum.draw(d, 2 * d + 15, &how)) else {
                continue; // refused, with a reason that is not this check's business
            };
            let what = format!("{} {kind} {measure} d = {d}", spectrum.name());
            if few.omega.to_dense() != many.omega.prefix(d + 7).to_dense() || few.ratio != many.ratio[..d + 7] {
                return Err(format!("{what}: the first atoms of a longer draw are not the shorter draw"));
            }
            let mut score = largest_score(spectrum, d, kind, measure, 0..SEEDS)?;
            if score > LIMIT {
                // Among thousands of entries one may be unlucky: a mistake is confirmed by eight times as many draws.
                score = largest_score(spectrum, d, kind, measure, SEEDS..9 * SEEDS)?;
            }
            if score > LIMIT {
                return Err(format!("{what}: the draw misses its kernel, |z| = {score:.1}"));
            }
        }
    }
    Ok(())
}

/// The largest |z| between the means of one kind of draw and the kernel and its derivatives, at the origin and two
/// other points, over one draw of 64 atoms per seed; means without a variance are left out. 0 for structured draws,
/// which are biased by construction.
pub fn largest_score(
    spectrum: &Spectrum,
    d: usize,
    kind: DrawKind,
    measure: Measure,
    seeds: Range<u64>,
) -> Result<f64, String> {
    let scales = spectrum.check(d).map_err(|e| e.to_string())?;
    if kind == DrawKind::Structured && d >= 32 {
        return Ok(0.0);
    }
    let draw = |seed| spectrum.draw(d, ATOMS, &Draw { kind, measure, seed, purpose: 0 }).map_err(|e| e.to_string());
    let draws: Vec<(Mat<f64>, Drawn)> = seeds
        .into_par_iter()
        .map(|seed| draw(seed).map(|drawn| (drawn.omega.to_dense(), drawn)))
        .collect::<Result<_, _>>()?;
    let mut worst = 0.0f64;
    for delta in differences(&scales) {
        let mean = |entry: &(dyn Fn(&Mat<f64>, usize) -> f64 + Sync)| -> Vec<f64> {
            let one = |(omega, drawn): &(Mat<f64>, Drawn)| {
                let term = |j: usize| {
                    let phase: f64 = (0..d).map(|k| delta[k] * omega[(j, k)]).sum();
                    drawn.ratio[j] * phase.cos() * entry(omega, j)
                };
                (0..ATOMS).map(term).sum::<f64>() / ATOMS as f64
            };
            draws.par_iter().map(one).collect()
        };
        // Under the trace measure the ratio T/‖ω‖² has a variance from d = 3 on only.
        if measure != Measure::Trace || d > 2 {
            worst = worst.max(score(&mean(&|_, _| 1.0), spectrum.value(&delta).map_err(|e| e.to_string())?));
        }
        let Ok(exact) = spectrum.minus_hessian(&delta) else { continue };
        if measure == Measure::Plain && !has_fourth_moment(spectrum) {
            continue;
        }
        for i in 0..d {
            for k in 0..=i {
                let unit = scales[i] * scales[k];
                let found = mean(&|omega, j| unit * omega[(j, i)] * omega[(j, k)]);
                worst = worst.max(score(&found, unit * exact[(i, k)]));
            }
        }
    }
    Ok(worst)
}

/// Whether E‖ω‖⁴ < ∞, so that the mean of cos⟨δ,ω⟩ωωᵀ has a variance.
fn has_fourth_moment(spectrum: &Spectrum) -> bool {
    match spectrum {
        Spectrum::Matern(matern) => matern.smoothness > 2.0,
        _ => true, // the others have all moments, or no second one
    }
}

/// |z| of a sample against its expected mean; samples equal to rounding are not random.
fn score(sample: &[f64], expected: f64) -> f64 {
    let n = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / n;
    let deviation = (sample.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0) / n).sqrt();
    let error = (mean - expected).abs();
    if error <= 1e-12 { 0.0 } else { error / deviation }
}

/// The origin and two generic differences of one and two lengthscales.
fn differences(scales: &[f64]) -> [Vec<f64>; 3] {
    let size = (scales.len() as f64).sqrt();
    [0.0, 1.0, 2.0].map(|length| {
        let pattern = [0.9, -0.5, 1.3, 0.4, -1.1];
        scales.iter().enumerate().map(|(k, s)| length * s * pattern[k % 5] / size).collect()
    })
}

/// −∇∇ᵀk₀ against second differences of the values.
fn compare_hessian(
    exact: &Mat<f64>,
    delta: &[f64],
    scales: &[f64],
    value: &impl Fn(&[f64]) -> Result<f64, String>,
) -> Result<(), String> {
    let h = 1e-3;
    if delta.iter().all(|x| *x == 0.0) {
        return Ok(()); // rough kernels have no fourth derivative there: the second moment is checked by the draws
    }
    for i in 0..delta.len().min(6) {
        for k in 0..=i {
            let at = |a: f64, b: f64| {
                let mut moved = delta.to_vec();
                moved[i] += a * h * scales[i];
                moved[k] += b * h * scales[k];
                value(&moved)
            };
            let second = (at(1.0, 1.0)? - at(1.0, -1.0)? - at(-1.0, 1.0)? + at(-1.0, -1.0)?) / (4.0 * h * h);
            let white = exact[(i, k)] * scales[i] * scales[k];
            if (white + second).abs() > 2e-5 {
                return Err(format!("−∇∇ᵀk₀[{i}, {k}] = {white}, but by differences {}", -second));
            }
        }
    }
    Ok(())
}
