//! The squared hinge loss, one output against the rest.

use super::Entry;
use crate::error::Result;

/// ℓ = [1 − yf]₊² for labels y = ±1; ℓ* = uy + u²/4 for uy ≤ 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SquaredHinge;

impl SquaredHinge {
    pub(super) fn check_parameter(&self) -> Result<()> {
        Ok(())
    }
}

impl Entry for SquaredHinge {
    const SMOOTH: bool = true;

    fn entry(&self, f: f64, y: f64, _: f64) -> (f64, f64) {
        let gap = (1.0 - y * f).max(0.0);
        (gap * gap, -2.0 * y * gap)
    }

    fn entry_conjugate(&self, u: f64, y: f64) -> f64 {
        if u * y <= 0.0 { u * y + 0.25 * u * u } else { f64::INFINITY }
    }

    fn accepts(&self, y: f64) -> Result<()> {
        super::entry::sign(y)
    }
}
