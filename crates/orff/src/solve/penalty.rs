//! What each output has of the penalty nλ‖θ‖².

use super::directions;
use super::system::noise;
use crate::error::Result;
use crate::feature::{Basis, FeatureMap};
use crate::linalg;
use faer::{Mat, MatRef};

/// nλ‖θ‖² of each output (p): along the directions u of the outputs when the kernel is decomposable, Σ_k u_tk² nλ‖θᵀv_k‖²
/// with B = U diag(s) Vᵀ; otherwise shared by the observations of each. With the (L⁻¹, L) of a metric LLᵀ, B and U are
/// L⁻¹B and LU, and shares are those of Σ_tt. Cost K·r.
pub(super) fn penalties(
    map: &FeatureMap,
    white: Option<&(Mat<f64>, Mat<f64>)>,
    theta: &[f64],
    shift: f64,
    observations: &[f64],
) -> Result<Vec<f64>> {
    let Some((b, _)) = map.shared() else {
        let whole = shift * theta.iter().map(|v| v * v).sum::<f64>();
        let noise = noise(observations.len(), white);
        return Ok(shares(observations).iter().zip(noise).map(|(share, noise)| noise * share * whole).collect());
    };
    let whitened = white.map(|(inverse, _)| inverse * b);
    let b = whitened.as_ref().unwrap_or(b);
    let (u, s2) = directions(b)?; // p×k
    let v = Mat::from_fn(b.ncols(), s2.len(), |j, k| {
        (0..b.nrows()).map(|t| b[(t, j)] * u[(t, k)]).sum::<f64>() / s2[k].sqrt()
    });
    let theta = MatRef::from_row_major_slice(theta, theta.len() / b.ncols().max(1), b.ncols()); // M×r
    let along = linalg::product(theta, v.as_ref());
    let of: Vec<f64> = (0..s2.len()).map(|k| shift * along.col(k).squared_norm_l2()).collect();
    let u = white.map_or_else(|| u.clone(), |(_, root)| root * &u);
    Ok((0..u.nrows()).map(|t| of.iter().enumerate().map(|(k, n)| u[(t, k)] * u[(t, k)] * n).sum()).collect())
}

/// What each has of the sum.
pub(super) fn shares(counts: &[f64]) -> Vec<f64> {
    let sum: f64 = counts.iter().sum();
    let even = 1.0 / counts.len().max(1) as f64;
    counts.iter().map(|count| if sum > 0.0 { count / sum } else { even }).collect()
}
