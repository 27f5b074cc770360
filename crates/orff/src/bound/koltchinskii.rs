//! B16 Theorem 3.1: atoms with exponential tails, by Koltchinskii's matrix inequality. \[brault-2016\]

use super::{Bound, Constants, Norm, Scope};
use crate::error::Result;
use std::f64::consts::E;

/// P ≤ C_d (σ_p|C|/ε)^{2d/(d+2)} exp(−Dε²/(8(d+2)(b + εū/6))) if εū ≤ 4(e−1)b, and exp(−Dε/((d+2)(e−1)ū)) in its place beyond;
/// b = sup D‖Var K̂‖, m = 4(‖‖A‖‖_ψ₁ + sup‖K‖), ū = m max(1, log(1 + 2m²/b)), C_d = p((d/2)^{−d/(d+2)} + (d/2)^{2/(d+2)})2^{(6d+2)/(d+2)}.
///
/// Corrections: ū and the place of the switch; C_d holds as printed where p ≥ (1 + G/σ_p)², G = sup‖∂K₀‖, else it is
/// multiplied by ((1 + G/σ_p)²/p)^{d/(d+2)}; a net of at least one ball.
pub fn koltchinskii(c: &Constants) -> Result<Bound> {
    let what = "B16 Theorem 3.1";
    super::finite(c.orlicz, what, "‖‖A‖‖_ψ₁ (heavy tails; measure trace is bounded)")?;
    super::finite(c.lipschitz_square, what, "E‖ω‖²‖A‖²")?;
    let p = c.outputs as f64;
    let (b, m) = (c.variance, 4.0 * (c.orlicz + c.norm));
    let u = m * libm::log1p(2.0 * m * m / b).max(1.0);
    let sigma = c.lipschitz_square.sqrt();
    let radius = c.diameter;
    let slope = 1.0 + c.slope / sigma;
    // κ₁r^{−d} + κ₂r² at its best is C′_d κ₁^{2/(d+2)}κ₂^{d/(d+2)}: p^{d/(d+2)} too much, which pays for the slope
    let ln_net = libm::log(4.0) + 2.0 * libm::log(sigma) + libm::log(p.max(slope * slope));
    let assumptions = vec![
        "independent draws, map pairs".to_string(),
        format!("b = {b:.6}, m = {m:.6}, ū = {u:.6}, σ_p² = {:.6}", c.lipschitz_square),
    ];
    let inputs = c.inputs;
    Ok(Bound::new(
        ("brault-2016", "B16 Theorem 3.1"),
        Scope::Uniform,
        Norm::Operator,
        assumptions,
        move |atoms, epsilon| {
            let exponent = if epsilon * u <= 4.0 * (E - 1.0) * b {
                epsilon * epsilon * atoms / (16.0 * (b + epsilon * u / 6.0))
            } else {
                epsilon * atoms / (2.0 * (E - 1.0) * u)
            };
            let ln_balls = libm::log(2.0 * p) - exponent;
            super::net(2.0, ln_net - 2.0 * libm::log(epsilon), ln_balls, radius, inputs)
        },
    ))
}
