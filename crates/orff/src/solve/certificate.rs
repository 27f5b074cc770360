//! How far the minimum can be: the best point, the best lower bound, and what an offset without penalty costs. \[risk\]

use crate::linalg::dot;

/// The best point and the best bound so far.
pub(super) struct Certificate {
    /// The point with the least risk, θ and b one after the other.
    pub x: Vec<f64>,
    /// Its risk.
    pub primal: f64,
    /// The bound without the term of the offset, and ‖(1/W)Σwu‖, whose product with R is that term.
    bare: f64,
    drift: f64,
    /// R: a minimiser is taken to have ‖b‖ ≤ R.
    reach: f64,
}

impl Certificate {
    pub fn new(x: Vec<f64>) -> Self {
        Certificate { x, primal: f64::INFINITY, bare: f64::NEG_INFINITY, drift: 0.0, reach: 0.0 }
    }

    /// A feasible point with its risk.
    pub fn point(&mut self, x: &[f64], primal: f64) {
        if primal < self.primal {
            (self.primal, self.x) = (primal, x.to_vec());
        }
    }

    /// A bound, found at the offset b (empty if there is none), with the gradient s by b; returns ‖s‖R.
    pub fn bound(&mut self, bare: f64, s: &[f64], b: &[f64]) -> f64 {
        // R follows b, and older bounds with it
        self.reach = 10.0 * (1.0 + dot(b, b).sqrt());
        let drift = if b.is_empty() { 0.0 } else { dot(s, s).sqrt() };
        if bare - drift * self.reach > self.dual() {
            (self.bare, self.drift) = (bare, drift);
        }
        drift * self.reach
    }

    /// The lower bound.
    pub fn dual(&self) -> f64 {
        self.bare - self.drift * self.reach
    }

    /// (primal − dual)/primal; infinite while the bound is above the point, which shows that b has still far to go.
    pub fn gap(&self) -> f64 {
        let gap = (self.primal - self.dual()) / self.primal.max(f64::MIN_POSITIVE);
        if gap >= -1e-9 { gap.max(0.0) } else { f64::INFINITY }
    }
}
