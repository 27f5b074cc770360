//! The hinge loss, one output against the rest.

use super::Entry;
use crate::error::Result;

/// ℓ = [1 − yf]₊ for labels y = ±1; ℓ* = uy for −1 ≤ uy ≤ 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hinge;

impl Hinge {
    pub(super) fn check_parameter(&self) -> Result<()> {
        Ok(())
    }
}

impl Entry for Hinge {
    const SMOOTH: bool = false;

    fn entry(&self, f: f64, y: f64, smoothing: f64) -> (f64, f64) {
        let (value, a) = super::entry::bent(1.0 - y * f, 0.0, 1.0, smoothing);
        (value, -y * a)
    }

    fn entry_conjugate(&self, u: f64, y: f64) -> f64 {
        if (-1.0..=0.0).contains(&(u * y)) { u * y } else { f64::INFINITY }
    }

    fn accepts(&self, y: f64) -> Result<()> {
        super::entry::sign(y)
    }
}
