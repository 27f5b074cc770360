//! The ε-insensitive loss of support vector regression.

use super::Entry;
use crate::error::{Error, Result};

/// ℓ = [|f − y| − ε]₊; ℓ* = ε|u| + uy for |u| ≤ 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpsilonInsensitive {
    /// ε ≥ 0, in the units of the (scaled) outputs.
    pub width: f64,
}

impl Default for EpsilonInsensitive {
    fn default() -> Self {
        EpsilonInsensitive { width: 0.1 }
    }
}

impl EpsilonInsensitive {
    pub(super) fn check_parameter(&self) -> Result<()> {
        if self.width >= 0.0 && self.width.is_finite() {
            return Ok(());
        }
        Err(Error::parameter("width of epsilon-insensitive", "a number ≥ 0", self.width))
    }
}

impl Entry for EpsilonInsensitive {
    const SMOOTH: bool = false;

    fn entry(&self, f: f64, y: f64, smoothing: f64) -> (f64, f64) {
        let (value, slope) = super::entry::bent((f - y).abs() - self.width, 0.0, 1.0, smoothing);
        (value, slope * (f - y).signum())
    }

    fn entry_conjugate(&self, u: f64, y: f64) -> f64 {
        if u.abs() <= 1.0 { self.width * u.abs() + u * y } else { f64::INFINITY }
    }
}
