//! The pinball loss, whose minimiser is a quantile.

use super::Entry;
use crate::error::{Error, Result};

/// With r = y − f: ℓ = max(τr, (τ − 1)r), minimal at the quantile of level τ; ℓ* = uy for −τ ≤ u ≤ 1 − τ.
/// T17 prints f − y, which learns level 1 − τ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pinball {
    /// τ, between 0 and 1.
    pub level: f64,
}

impl Default for Pinball {
    /// The median.
    fn default() -> Self {
        Pinball { level: 0.5 }
    }
}

impl Pinball {
    pub(super) fn check_parameter(&self) -> Result<()> {
        if self.level > 0.0 && self.level < 1.0 {
            return Ok(());
        }
        Err(Error::parameter("level of pinball", "a number between 0 and 1", self.level))
    }
}

impl Entry for Pinball {
    const SMOOTH: bool = false;

    fn entry(&self, f: f64, y: f64, smoothing: f64) -> (f64, f64) {
        super::entry::bent(f - y, -self.level, 1.0 - self.level, smoothing)
    }

    fn entry_conjugate(&self, u: f64, y: f64) -> f64 {
        if (-self.level..=1.0 - self.level).contains(&u) { u * y } else { f64::INFINITY }
    }
}
