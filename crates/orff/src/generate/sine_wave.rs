//! The sine wave of joint quantile regression (Sangnier, Fercoq and d'Alché-Buc 2016; T17 §9.1.4.1).

use super::{Sample, purpose};
use crate::error::{Error, Result};
use crate::random::Stream;
use crate::special::normal_quantile;
use faer::Mat;
use std::f64::consts::PI;

/// The quantile of level t at x: −sin(2πx)(1 + sin(2πx/3)) + (0.2 + (1.5 − x)/1.5) Φ⁻¹(t).
///
/// ```
/// assert_eq!(orff::generate::sine_wave_quantile(0.0, 0.5), 0.0);
/// ```
pub fn sine_wave_quantile(x: f64, level: f64) -> f64 {
    -libm::sin(2.0 * PI * x) * (1.0 + libm::sin(2.0 * PI * x / 3.0))
        + (0.2 + (1.5 - x) / 1.5) * normal_quantile(level)
}

/// n rows with x uniform on \[0, 1.5\] and y of the normal law whose quantiles are [`sine_wave_quantile`]; the truth is the
/// median. Row i depends on the seed and i only.
///
/// ```
/// let wave = orff::generate::sine_wave(5, 1)?;
/// assert_eq!(wave.truth[(2, 0)], orff::generate::sine_wave_quantile(wave.inputs[(2, 0)], 0.5));
/// # Ok::<(), orff::Error>(())
/// ```
pub fn sine_wave(n: usize, seed: u64) -> Result<Sample> {
    if n == 0 {
        return Err(Error::parameter("rows", "at least one", n));
    }
    let mut it = Sample { inputs: Mat::zeros(n, 1), outputs: Mat::zeros(n, 1), truth: Mat::zeros(n, 1) };
    for i in 0..n {
        let mut random = Stream::new(seed, purpose::WAVE, i as u64);
        let x = 1.5 * random.uniform();
        it.inputs[(i, 0)] = x;
        it.outputs[(i, 0)] = sine_wave_quantile(x, random.uniform());
        it.truth[(i, 0)] = sine_wave_quantile(x, 0.5);
    }
    Ok(it)
}
