//! The data of Minh 2016, section 5.

use super::{Sample, purpose};
use crate::error::{Error, Result};
use crate::random::Stream;
use faer::Mat;
use std::f64::consts::PI;

/// Points per side of the grid of [`minh_field`].
const SIDE: usize = 40;

/// n standard normal points of R^d, all divided by the largest absolute coordinate so that they lie in \[−1, 1\]^d and
/// touch its boundary (n×d). Minh takes n = 100, d = 3.
///
/// ```
/// let x = orff::generate::minh_points(100, 3, 1)?;
/// assert_eq!(x.norm_max(), 1.0);
/// # Ok::<(), orff::Error>(())
/// ```
pub fn minh_points(n: usize, d: usize, seed: u64) -> Result<Mat<f64>> {
    if n == 0 || d == 0 {
        return Err(Error::parameter("points", "at least one, of dimension ≥ 1", format!("{n} of dimension {d}")));
    }
    let mut x = Mat::zeros(n, d);
    for i in 0..n {
        let mut random = Stream::new(seed, purpose::MINH_POINTS, i as u64);
        (0..d).for_each(|k| x[(i, k)] = random.normal());
    }
    let largest = x.norm_max();
    Ok(Mat::from_fn(n, d, |i, k| x[(i, k)] / largest))
}

/// F(x, y) = (sin 4πx sin² 2πy, sin² 2πx sin 4πy) = ∇(sin² 2πx sin² 2πy)/2π.
///
/// ```
/// use orff::generate::minh_field_at;
/// let phi = |x: f64, y: f64| ((std::f64::consts::TAU * x).sin() * (std::f64::consts::TAU * y).sin()).powi(2);
/// let (x, y, h) = (-0.83, -0.55, 1e-5);
/// let slope = (phi(x, y + h) - phi(x, y - h)) / (2.0 * h) / std::f64::consts::TAU;
/// assert!((minh_field_at(x, y)[1] - slope).abs() < 1e-8);
/// ```
pub fn minh_field_at(x: f64, y: f64) -> [f64; 2] {
    let square = |t: f64| libm::pow(libm::sin(2.0 * PI * t), 2.0);
    [libm::sin(4.0 * PI * x) * square(y), square(x) * libm::sin(4.0 * PI * y)]
}

/// The curl-free field of Minh on the regular grid of 40×40 points of \[−1, −0.4765\]², row by row from the lower left
/// (1600×2 inputs and outputs, no noise).
pub fn minh_field() -> Sample {
    let (low, high) = (-1.0, -0.4765);
    let at = |k: usize| low + (high - low) * k as f64 / (SIDE - 1) as f64;
    let inputs = Mat::from_fn(SIDE * SIDE, 2, |i, k| at(if k == 0 { i % SIDE } else { i / SIDE }));
    let truth = Mat::from_fn(SIDE * SIDE, 2, |i, k| minh_field_at(inputs[(i, 0)], inputs[(i, 1)])[k]);
    Sample { inputs, outputs: truth.clone(), truth }
}
