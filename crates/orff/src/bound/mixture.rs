//! The constants of a sum whose atoms are drawn as a mixture: one law, A = A_c/π_c with probability π_c. \[bound-constants\]

use super::Constants;
use super::constants::spectral_norm;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use faer::Mat;

impl Constants {
    /// Those of a sum from those of its terms. Moments that are linear in π_c·(A_c/π_c) add up; essential suprema and the ψ₁ norm are at
    /// most the largest of c/π_c; E[A²] = ΣE[A_c²]/π_c ≽ D·Var K̂(δ), whose norm is at most the sum of the norms.
    pub(super) fn mixture(kernel: &Kernel, terms: &[Kernel], each: &[Constants]) -> Result<Self> {
        let first = &each[0];
        if each.iter().any(|c| c.inputs != first.inputs || c.diameter != first.diameter) {
            return Err(Error::refused(
                "a bound for the mixture draw of terms in different coordinates",
                "their frequencies have no common law; use sum concatenation",
            ));
        }
        let zero = vec![0.0; first.inputs];
        let trace = |k: Mat<f64>| (0..k.nrows()).map(|i| k[(i, i)]).sum::<f64>();
        let traces = terms.iter().map(|term| Ok(trace(term.eval(&zero, &zero)?))).collect::<Result<Vec<_>>>()?;
        let total: f64 = traces.iter().sum();
        let shares: Vec<f64> = traces.iter().map(|t| t / total).collect();
        let sum = |of: &dyn Fn(&Constants, f64) -> f64| each.iter().zip(&shares).map(|(c, p)| of(c, *p)).sum::<f64>();
        let most = |of: fn(&Constants) -> f64| each.iter().zip(&shares).map(|(c, p)| of(c) / p).fold(0.0, f64::max);
        let norm = spectral_norm(&kernel.eval(&zero, &zero)?)?;
        let second_moment = sum(&|c, p| p * c.second_moment);
        let along = sum(&|c, p| p * c.share * c.share * c.second_moment); // ≥ λ_max(E[ωωᵀ])
        let square = sum(&|c, p| c.square / p);
        // Tr E[A²], and what a direction of E[A²] needs more to reach the sum of the norms
        let spread = sum(&|c, p| c.dimension * c.square / p) + square - most(|c| c.square);
        Ok(Constants {
            inputs: first.inputs,
            outputs: first.outputs,
            diameter: first.diameter,
            norm,
            // terms c·k with one Γ: each A_c/π_c is (Σc)Γ
            constant: kernel.separated().filter(|_| each.iter().all(|c| c.constant.is_some())).map(|_| norm),
            second_moment,
            share: if second_moment.is_finite() { (along / second_moment).sqrt().min(1.0) } else { 1.0 },
            largest: most(|c| c.largest),
            largest_hs: most(|c| c.largest_hs),
            largest_trace: most(|c| c.largest_trace),
            orlicz: most(|c| c.orlicz),
            lipschitz: sum(&|c, _| c.lipschitz),
            lipschitz_hs: sum(&|c, _| c.lipschitz_hs),
            lipschitz_square: sum(&|c, p| c.lipschitz_square / p),
            slope: sum(&|c, _| c.slope),
            square_hs: sum(&|c, p| c.square_hs / p),
            square,
            variance: square,
            dimension: (spread / square).min(first.outputs as f64),
        })
    }
}
