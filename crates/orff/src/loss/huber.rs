//! Huber's loss: squared near the target, linear far from it.

use super::Entry;
use crate::error::{Error, Result};

/// With r = f − y: ℓ = r² if |r| ≤ δ, else 2δ|r| − δ², so that a ridge means the same as with the squared loss;
/// ℓ* = u²/4 + uy for |u| ≤ 2δ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Huber {
    /// δ > 0, in the units of the (scaled) outputs.
    pub threshold: f64,
}

impl Default for Huber {
    /// 1.35 standard deviations: 95 % efficient under Gaussian noise.
    fn default() -> Self {
        Huber { threshold: 1.35 }
    }
}

impl Huber {
    pub(super) fn check_parameter(&self) -> Result<()> {
        if self.threshold > 0.0 && self.threshold.is_finite() {
            return Ok(());
        }
        Err(Error::parameter("threshold of huber", "a number > 0", self.threshold))
    }
}

impl Entry for Huber {
    const SMOOTH: bool = true;

    fn entry(&self, f: f64, y: f64, _: f64) -> (f64, f64) {
        let (r, delta) = (f - y, self.threshold);
        if r.abs() <= delta {
            (r * r, 2.0 * r)
        } else {
            (2.0 * delta * r.abs() - delta * delta, 2.0 * delta * r.signum())
        }
    }

    fn entry_conjugate(&self, u: f64, y: f64) -> f64 {
        if u.abs() <= 2.0 * self.threshold { 0.25 * u * u + u * y } else { f64::INFINITY }
    }
}
