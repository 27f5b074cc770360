//! I17 Lemma 3 and Proposition 3: the kernel that a graph warps. \[warped-bound\]

use crate::error::{Error, Result};
use crate::feature::MapKind;
use serde::Serialize;

/// Expected errors of N×N kernel matrices, in operator norm: of K̂ itself, and of K̂ warped by a graph, K̂ − K̂(I + MK̂)⁻¹MK̂.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Warped {
    /// E‖K̂ − K‖ at most.
    pub plain: f64,
    /// The factor (1 + R)(1 + T) that the warp costs at most.
    pub factor: f64,
    /// E‖K̄ − K̃‖ at most: their product.
    pub warped: f64,
}

impl Warped {
    /// For N rows, D atoms, ‖K‖ ≤ N (or a smaller one that is known) and ‖M‖, for a kernel with k₀(0) = 1.
    ///
    /// E‖K̂ − K‖ ≤ √(2B‖K‖ log(2N)/D) + B log(2N)/3D (matrix Bernstein), B = N for pairs and 2N for phases: never above the
    /// printed √(3N² log N/D) + 2N log N/D for pairs and N ≥ 4. R = ½√(‖K̂‖‖M‖) with ‖K̂‖ ≤ B, T = ½√(‖K‖‖M‖).
    ///
    /// ```
    /// use orff::bound::Warped;
    /// use orff::feature::MapKind;
    /// let w = Warped::of(1000, 5000, None, 0.0, MapKind::Pairs)?;
    /// assert_eq!(w.plain, w.warped); // no graph, no warp
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn of(rows: u64, atoms: u64, kernel_norm: Option<f64>, graph_norm: f64, map: MapKind) -> Result<Self> {
        for (name, count) in [("rows", rows), ("atoms", atoms)] {
            if count == 0 {
                return Err(Error::parameter(name, "a whole number ≥ 1", count));
            }
        }
        let (n, d) = (rows as f64, atoms as f64);
        let norm = kernel_norm.unwrap_or(n);
        if !(norm > 0.0 && norm <= n) {
            return Err(Error::parameter("kernel norm", format!("a number > 0 and ≤ {n}, the number of rows"), norm));
        }
        if !(graph_norm.is_finite() && graph_norm >= 0.0) {
            return Err(Error::parameter("graph norm", "a number ≥ 0", graph_norm));
        }
        let b = match map {
            MapKind::Pairs => n,
            MapKind::Phases => 2.0 * n,
        };
        let log = libm::log(2.0 * n);
        let plain = (2.0 * b * norm * log / d).sqrt() + b * log / (3.0 * d);
        let half = |k: f64| 0.5 * (k * graph_norm).sqrt();
        let factor = (1.0 + half(b)) * (1.0 + half(norm));
        Ok(Warped { plain, factor, warped: factor * plain })
    }
}
