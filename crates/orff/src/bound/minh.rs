//! M16 Theorems 11 and 12: bounded atoms, in Hilbert–Schmidt norm. \[minh\]

use super::{Bound, Constants, Norm, Scope};
use crate::error::Result;
use crate::feature::MapKind;

/// M16 Theorem 11, one pair of points: P ≤ 2 exp(−(Dε/2M) log(1 + Mε/σ²)), M = ess sup‖A‖_HS, σ² = E‖A‖²_HS.
///
/// With the phases map an atom contributes (cos⟨δ,ω⟩ + cos(⟨x+z,ω⟩ + 2b))A: M is doubled and σ² becomes 3σ²/2.
pub fn pointwise(c: &Constants, map: MapKind) -> Result<Bound> {
    let what = "M16 Theorem 11";
    super::finite(c.largest_hs, what, "ess sup‖A‖_HS (measure trace is bounded)")?;
    let (m, square) = match map {
        MapKind::Pairs => (c.largest_hs, c.square_hs),
        MapKind::Phases => (2.0 * c.largest_hs, 1.5 * c.square_hs),
    };
    let assumptions = vec![
        format!(
            "independent draws, map {}, bounded A(ω), one pair of points",
            if map == MapKind::Pairs { "pairs" } else { "phases" }
        ),
        format!("M = {m:.6}, σ² = {square:.6}"),
    ];
    Ok(Bound::new(
        ("minh-pointwise", "M16 Theorem 11"),
        Scope::Pointwise,
        Norm::HilbertSchmidt,
        assumptions,
        move |atoms, epsilon| 2f64.ln() - atoms * epsilon / (2.0 * m) * libm::log1p(m * epsilon / square),
    ))
}

/// M16 Theorem 12: P ≤ a(d) (2m₁|C|/ε)^{d/(d+1)} exp(−(Dε/(4(d+1)M)) log(1 + Mε/2σ²)), a(d) = 2^{(3d+1)/(d+1)}(d^{1/(d+1)} + d^{−d/(d+1)}),
/// m₁ = E‖ω‖‖A‖_HS. Correction: the set Ω of the theorem is that of differences, with twice the diameter of the points.
pub fn uniform(c: &Constants) -> Result<Bound> {
    let what = "M16 Theorem 12";
    super::finite(c.largest_hs, what, "ess sup‖A‖_HS (measure trace is bounded)")?;
    super::finite(c.lipschitz_hs, what, "m₁ = E‖ω‖‖A‖_HS")?;
    let (m, square, m1) = (c.largest_hs, c.square_hs, c.lipschitz_hs);
    let (radius, inputs) = (c.diameter, c.inputs);
    let assumptions = vec![
        "independent draws, map pairs, bounded A(ω)".to_string(),
        format!("M = {m:.6}, σ² = {square:.6}, m₁ = {m1:.6}"),
    ];
    Ok(Bound::new(
        ("minh-uniform", "M16 Theorem 12"),
        Scope::Uniform,
        Norm::HilbertSchmidt,
        assumptions,
        move |atoms, epsilon| {
            let e = atoms * epsilon / (4.0 * m) * libm::log1p(m * epsilon / (2.0 * square));
            super::net(1.0, libm::log(4.0 * m1 / epsilon), 2f64.ln() - e, radius, inputs)
        },
    ))
}
