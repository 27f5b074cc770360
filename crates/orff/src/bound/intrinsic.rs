//! T17 Corollaries 5.2 and 5.3: the dimension of the outputs enters through the intrinsic dimension of the variance. \[intrinsic\]

use super::{Bound, Constants, Norm, Scope};
use crate::error::Result;
use std::f64::consts::SQRT_2;

/// T17 Corollary 5.2, for atoms with exponential tails: P ≤ C_d (4m|C|/ε)^{d/(d+1)} (p_int r)^{1/(d+1)} e^{−E/(d+1)},
/// C_d = 4(d^{1/(d+1)} + d^{−d/(d+1)}), E = Dε²/(8vf) for ε ≤ vf/(uK) and Dε/(8uK) beyond, r = 1 + 3/(2E)²,
/// u = 4(‖‖A‖‖_ψ₁ + sup‖K‖), K = log(16√2 p u²/v), f = max(1 + 1/p, 5/4).
///
/// Corrections: the constant C_d, r, and f, which is printed 1 + 1/p: that is right up to p = 4.
pub fn unbounded(c: &Constants) -> Result<Bound> {
    let what = "T17 Corollary 5.2";
    super::finite(c.orlicz, what, "‖‖A‖‖_ψ₁ (heavy tails; measure trace is bounded)")?;
    super::finite(c.lipschitz, what, "m = E‖ω‖‖A‖")?;
    let (p, v, u) = (c.outputs as f64, c.variance, 4.0 * (c.orlicz + c.norm));
    let k = libm::log(16.0 * SQRT_2 * p * u * u / v);
    let f = (1.0 + 1.0 / p).max(1.25);
    let (m, radius, inputs, dimension) = (c.lipschitz, c.diameter, c.inputs, c.dimension);
    let assumptions = vec![
        "independent draws, map pairs".to_string(),
        format!("v = {v:.6}, u = {u:.6}, m = {m:.6}, p_int = {dimension:.4}"),
    ];
    Ok(Bound::new(
        ("brault-2017-unbounded", "T17 Corollary 5.2"),
        Scope::Uniform,
        Norm::Operator,
        assumptions,
        move |atoms, epsilon| {
            let e = if epsilon <= v * f / (u * k) {
                atoms * epsilon * epsilon / (8.0 * v * f)
            } else {
                atoms * epsilon / (8.0 * u * k)
            };
            let r = 1.0 + 3.0 / (4.0 * e * e);
            super::net(1.0, libm::log(4.0 * m / epsilon), libm::log(4.0 * dimension * r) - e, radius, inputs)
        },
    ))
}

/// T17 Corollary 5.3, for bounded atoms: P ≤ C_d (4m|C|/ε)^{d/(d+1)} (2p_int)^{1/(d+1)} e^{−Dψ}, ψ = ε²/(8(d+1)(v + uε/6)),
/// u = ess sup‖A‖ + sup‖K‖, for ε ≥ 2(√(v/D) + u/3D); below it says nothing.
///
/// Corrections: ε → ε/2 at the centres of the net, both signs of the error, the constant C_d.
pub fn bounded(c: &Constants) -> Result<Bound> {
    let what = "T17 Corollary 5.3";
    super::finite(c.largest, what, "ess sup‖A‖ (measure trace is bounded)")?;
    super::finite(c.lipschitz, what, "m = E‖ω‖‖A‖")?;
    let (v, u, m) = (c.variance, c.largest + c.norm, c.lipschitz);
    let (radius, inputs, dimension) = (c.diameter, c.inputs, c.dimension);
    let assumptions = vec![
        "independent draws, map pairs, bounded A(ω)".to_string(),
        format!("v = {v:.6}, u = {u:.6}, m = {m:.6}, p_int = {dimension:.4}"),
        "ε ≥ 2(√(v/D) + u/3D)".to_string(),
    ];
    Ok(Bound::new(
        ("brault-2017-bounded", "T17 Corollary 5.3"),
        Scope::Uniform,
        Norm::Operator,
        assumptions,
        move |atoms, epsilon| {
            if epsilon < 2.0 * ((v / atoms).sqrt() + u / (3.0 * atoms)) {
                return 0.0;
            }
            let e = atoms * epsilon * epsilon / (8.0 * (v + u * epsilon / 6.0));
            super::net(1.0, libm::log(4.0 * m / epsilon), libm::log(8.0 * dimension) - e, radius, inputs)
        },
    ))
}
