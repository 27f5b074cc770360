//! Vector autoregressions of Brault's thesis (T17 §8.3.2), as its series have them: linear, exponential and sine.

use super::purpose;
use crate::error::{Error, Result};
use crate::linalg::Cholesky;
use crate::random::Stream;
use faer::Mat;

/// Rows before the first one, in which the start at zero is forgotten.
const BEFORE: usize = 200;
/// Standard deviation of what is beside the diagonal of W.
const DEVIATION: f64 = 0.3;

/// How the next row follows from a row: x_{t+1} = Wᵀ g(x_t) + s·u_t.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bend {
    /// Setting 1: g(x) = x, s = 1.
    Linear,
    /// Setting 2: g(x) = exp(−10x²), s = 1/10.
    Exponential,
    /// Setting 3: g(x) = sin(−x), s = 1.
    Sine,
}

/// The covariance C of u_t.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// vI, v = 0.9, 0.09, 0.009 for the three settings.
    White,
    /// c·v^|i−j|, v = 0.9, 0.09, 0.9, and c = 1, 1, 0.1.
    Toeplitz,
}

/// A simulated series and the law it follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// n×p, the rows in the order of time.
    pub values: Mat<f64>,
    /// n×p: the mean of each row given the one before it, Wᵀ g(x_t).
    pub truth: Mat<f64>,
    /// W (p×p): variable j moves i where W[j, i] is not 0.
    pub weights: Mat<f64>,
    /// Covariance s²C of the noise (p×p).
    pub noise: Mat<f64>,
}

impl Bend {
    /// g(x).
    pub fn value(self, x: f64) -> f64 {
        match self {
            Bend::Linear => x,
            Bend::Exponential => libm::exp(-10.0 * x * x),
            Bend::Sine => libm::sin(-x),
        }
    }

    /// The diagonal of W.
    fn diagonal(self) -> f64 {
        match self {
            Bend::Linear | Bend::Sine => 0.9,
            Bend::Exponential => 0.5,
        }
    }

    /// s²C (p×p).
    fn covariance(self, noise: Noise, p: usize) -> Mat<f64> {
        let (level, size) = match (self, noise) {
            (Bend::Linear, _) => (0.9, 1.0),
            (Bend::Exponential, _) => (0.09, 0.01),
            (Bend::Sine, Noise::White) => (0.009, 1.0),
            (Bend::Sine, Noise::Toeplitz) => (0.9, 0.1),
        };
        Mat::from_fn(p, p, |i, j| match noise {
            Noise::White if i == j => size * level,
            Noise::White => 0.0,
            Noise::Toeplitz => size * libm::pow(level, i.abs_diff(j) as f64),
        })
    }
}

/// n rows of p variables: x_{t+1} = Wᵀ g(x_t) + s·u_t, u_t ~ N(0, C). W has 0.9 (0.5 for the exponential) on its diagonal and p
/// normals of deviation 0.3 beside it, drawn until its eigenvalues are below one. Rows depend on the seed and on those
/// before: the first rows of more are the rows of fewer. Time O(np²).
///
/// The thesis describes g and the noise otherwise than its own series have them; these are the laws of the series
/// (`data/nlvar`), not their numbers.
///
/// ```
/// use orff::generate::{Bend, Noise, autoregression};
/// let series = autoregression(50, 5, Bend::Sine, Noise::Toeplitz, 1)?;
/// let next = |i: usize| (0..5).map(|j| series.weights[(j, i)] * (-series.values[(20, j)]).sin()).sum::<f64>();
/// (0..5).for_each(|i| assert!((series.truth[(21, i)] - next(i)).abs() < 1e-12));
/// # Ok::<(), orff::Error>(())
/// ```
pub fn autoregression(n: usize, p: usize, bend: Bend, noise: Noise, seed: u64) -> Result<Simulated> {
    for (name, count) in [("rows", n), ("variables", p)] {
        if count == 0 {
            return Err(Error::parameter(name, "at least one", count));
        }
    }
    let weights = weights(p, bend, seed)?;
    let covariance = bend.covariance(noise, p);
    let root = Cholesky::new(covariance.as_ref())?;
    let (mut values, mut truth) = (Mat::zeros(n, p), Mat::zeros(n, p));
    let mut x = vec![0.0; p];
    for row in 0..BEFORE + n {
        let bent: Vec<f64> = x.iter().map(|v| bend.value(*v)).collect();
        let mean: Vec<f64> = (0..p).map(|i| (0..p).map(|j| weights[(j, i)] * bent[j]).sum()).collect();
        let mut random = Stream::new(seed, purpose::SERIES, row as u64);
        let u: Vec<f64> = (0..p).map(|_| random.normal()).collect();
        x = (0..p).map(|i| mean[i] + (0..=i).map(|k| root.factor()[(i, k)] * u[k]).sum::<f64>()).collect();
        if let Some(t) = row.checked_sub(BEFORE) {
            (0..p).for_each(|i| (values[(t, i)], truth[(t, i)]) = (x[i], mean[i]));
        }
    }
    Ok(Simulated { values, truth, weights, noise: covariance })
}

/// A stable W.
fn weights(p: usize, bend: Bend, seed: u64) -> Result<Mat<f64>> {
    let beside = p.min(p * (p - 1));
    for attempt in 0..1000 {
        let mut random = Stream::new(seed, purpose::TIES, attempt);
        let mut w = Mat::from_fn(p, p, |i, j| if i == j { bend.diagonal() } else { 0.0 });
        let mut left = beside;
        while left > 0 {
            let (i, j) = (random.below(p), random.below(p));
            if i != j && w[(i, j)] == 0.0 {
                w[(i, j)] = DEVIATION * random.normal();
                left -= 1;
            }
        }
        if stable(&w) {
            return Ok(w);
        }
    }
    Err(Error::numerical("autoregression", "no stable system was found in 1000 draws; use fewer variables"))
}

/// Whether all eigenvalues of W are below one, by squaring: ‖W^(2^k)‖ tends to 0 or not.
fn stable(w: &Mat<f64>) -> bool {
    let mut power = w.clone();
    for _ in 0..16 {
        power = &power * &power;
        let norm = power.norm_l2();
        if norm < 1e-3 || !norm.is_finite() || norm > 1e6 {
            return norm < 1e-3;
        }
    }
    false
}
