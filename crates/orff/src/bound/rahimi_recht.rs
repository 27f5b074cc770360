//! Rahimi and Recht 2007, for scalar and decomposable kernels. \[rahimi-recht\]

use super::{Bound, Constants, Norm, Scope};
use crate::error::{Error, Result};

/// P ≤ 2⁸ (σ‖Γ‖|C|/ε)² exp(−Dε²/(4‖Γ‖²(d+2))), σ² = E‖ω‖², for ε ≤ σ‖Γ‖|C| (T17 Theorem 5.1 and Corollary 5.1; B16's Theorem A.1
/// has a spare d).
///
/// Beyond, the bound at σ‖Γ‖|C| holds, and (σ‖Γ‖|C|/ε)² because the error is zero at δ = 0. The printed proof differentiates at
/// a random place as if it were fixed; done with care 2⁸ holds for rotation-invariant laws and up to d = 12, and is larger
/// for others.
pub fn rahimi_recht(c: &Constants) -> Result<Bound> {
    let gamma = c.constant.ok_or_else(|| {
        Error::refused(
            "Rahimi and Recht's bound",
            "it is for A(ω) = Γ: scalar and decomposable kernels, measure plain or trace",
        )
    })?;
    super::finite(c.second_moment, "Rahimi and Recht's bound", "E‖ω‖² (k₀ is not differentiable twice at 0)")?;
    let d = c.inputs as f64;
    let (sigma, length) = (c.second_moment.sqrt(), c.diameter);
    let constant = ((7.0 * d + 4.0 + 2.0 * d * libm::log2(1.0 + c.share)) / (d + 2.0)).max(8.0);
    let assumptions = vec![
        "independent draws, map pairs, A(ω) = Γ".to_string(),
        format!("σ² = E‖ω‖² = {:.6}, ‖Γ‖ = {gamma:.6}", c.second_moment),
    ];
    let edge = sigma * gamma * length;
    Ok(Bound::new(
        ("rahimi-recht", "Rahimi and Recht 2007, claim 1; T17 Corollary 5.1"),
        Scope::Uniform,
        Norm::Operator,
        assumptions,
        move |atoms, epsilon| {
            let at = epsilon.min(edge);
            let ratio = libm::log(edge / at);
            let printed = constant * 2f64.ln() + 2.0 * ratio - at * at * atoms / (4.0 * gamma * gamma * (d + 2.0));
            let markov = 2.0 * libm::log(edge / epsilon);
            printed.min(markov)
        },
    ))
}
