//! The squared loss.

use super::Entry;
use crate::error::Result;

/// ℓ = (f − y)²; ℓ* = u²/4 + uy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Squared;

impl Squared {
    pub(super) fn check_parameter(&self) -> Result<()> {
        Ok(())
    }
}

impl Entry for Squared {
    const SMOOTH: bool = true;

    fn entry(&self, f: f64, y: f64, _: f64) -> (f64, f64) {
        ((f - y) * (f - y), 2.0 * (f - y))
    }

    fn entry_conjugate(&self, u: f64, y: f64) -> f64 {
        0.25 * u * u + u * y
    }
}
