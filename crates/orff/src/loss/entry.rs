//! Losses that are sums over the outputs.

use super::{Loss, Nature};
use crate::error::{Error, Result};

/// The term of one output: ℓ(f; y) = Σ_t of it. Outputs that are not observed (y NaN) count nothing.
pub trait Entry: Sync {
    /// Whether its slope is continuous.
    const SMOOTH: bool;
    /// The value and the slope, of the term itself (μ = 0) or of its Moreau envelope min_g ℓ(g) + (f − g)²/2μ.
    fn entry(&self, f: f64, y: f64, smoothing: f64) -> (f64, f64);
    /// The conjugate of the term at a slope u.
    fn entry_conjugate(&self, u: f64, y: f64) -> f64;
    /// Whether y is a target of the loss.
    fn accepts(&self, y: f64) -> Result<()> {
        if y.is_finite() { Ok(()) } else { Err(Error::parameter("output", "a finite number, or NaN", y)) }
    }
}

impl<E: Entry> Loss for E {
    fn gradient(&self, f: &[f64], y: &[f64], smoothing: f64, out: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for ((f, y), out) in f.iter().zip(y).zip(out) {
            let (value, slope) = if y.is_nan() { (0.0, 0.0) } else { self.entry(*f, *y, smoothing) };
            sum += value;
            *out = slope;
        }
        sum
    }

    fn conjugate(&self, u: &[f64], y: &[f64]) -> f64 {
        let one = |(u, y): (&f64, &f64)| match y.is_nan() {
            // the loss is zero there: its conjugate is finite at 0 alone
            true if *u == 0.0 => 0.0,
            true => f64::INFINITY,
            false => self.entry_conjugate(*u, *y),
        };
        u.iter().zip(y).map(one).sum()
    }

    fn nature(&self) -> Nature {
        Nature { smooth: E::SMOOTH, by_output: true }
    }

    fn check(&self, y: &[f64], outputs: usize) -> Result<()> {
        if y.len() != outputs {
            return Err(Error::shape("targets", format!("{outputs}, one for each output"), y.len()));
        }
        y.iter().filter(|y| !y.is_nan()).try_for_each(|y| self.accepts(*y))
    }
}

/// max over a in [low, high] of a·r − μa²/2, and the a: a linear function bent at its corners.
pub(super) fn bent(r: f64, low: f64, high: f64, smoothing: f64) -> (f64, f64) {
    let a = if smoothing > 0.0 {
        (r / smoothing).clamp(low, high)
    } else if r > 0.0 {
        high
    } else {
        low
    };
    (a * r - 0.5 * smoothing * a * a, a)
}

/// Refuses a label other than −1 and 1.
pub(super) fn sign(y: f64) -> Result<()> {
    if y.abs() == 1.0 { Ok(()) } else { Err(Error::parameter("label", "−1 or 1, or NaN where unknown", y)) }
}
