//! What the theory says of learning with some features, before there are rows. \[generalisation\] \[warped-bound\]

use super::{Consistency, Constants, Fitted, Generalisation, Question, Warped};
use crate::error::{Error, Result};
use crate::feature::MapKind;
use serde::Serialize;

/// Bounds that hold for so many independent rows with ‖y‖ ≤ C, each with the probability of the question, or 0.95.
#[derive(Clone, Debug, Serialize)]
pub struct Learning {
    /// κ ≥ ‖K̂(x,x)‖, from bounded atoms.
    pub kappa: f64,
    /// T ≥ Tr K̂(x,x).
    pub trace: f64,
    /// T17 (7.5), (7.6) and Proposition 7.1 of a ridge model, if a ridge is given; its norm is at most C/√λ unless one is given.
    pub generalisation: Option<Generalisation>,
    /// T17 Proposition 7.3 for the loss ½‖f(x) − y‖², if a norm and features are given.
    pub consistency: Option<Consistency>,
    /// I17 Proposition 3, if the norm of a graph and features are given.
    pub warped: Option<Warped>,
}

impl Question {
    /// The bounds of learning; none if no number of rows is given.
    pub(super) fn learning(&self, constants: &[Constants], atoms: Option<u64>) -> Result<Option<Learning>> {
        let Some(rows) = self.rows.fixed() else { return Ok(None) };
        let delta = self.probability.fixed().unwrap_or(0.05);
        let gain = if self.map == MapKind::Pairs { 1.0 } else { 2.0 };
        let kappa = gain * constants.iter().map(|c| c.largest).sum::<f64>();
        let trace = gain * constants.iter().map(|c| c.largest_trace).sum::<f64>();
        super::finite(kappa, "a bound of the expected loss", "ess sup‖A‖ (use measure trace)")?;
        let c = self.largest;
        let generalisation = match self.ridge.fixed() {
            None => None,
            Some(ridge) => {
                let norm = self.norm.fixed().unwrap_or(c / ridge.sqrt());
                let fitted = Fitted { rows, ridge, kappa, trace, largest: c, norm, risk: 0.0 };
                Some(Generalisation::of(&fitted, delta)?)
            }
        };
        let consistency = match (self.norm.fixed(), atoms) {
            (Some(norm), Some(atoms)) => {
                // |½‖a‖² − ½‖b‖²| ≤ L‖a − b‖ where both are at most L
                let l = kappa.sqrt() * norm + c;
                Some(Consistency::of((rows, atoms), (l, 0.5 * l * l), norm, (trace, kappa), delta)?)
            }
            _ => None,
        };
        let warped = match (self.graph.fixed(), atoms) {
            (Some(graph), Some(atoms)) => {
                if constants.len() != 1 || constants[0].outputs != 1 || (constants[0].norm - 1.0).abs() > 1e-12 {
                    return Err(Error::refused(
                        "a bound for a kernel that a graph warps",
                        "it is for one output and k₀(0) = 1; ask about the scalar kernel",
                    ));
                }
                Some(Warped::of(rows, atoms, None, graph, self.map)?)
            }
            _ => None,
        };
        Ok(Some(Learning { kappa, trace, generalisation, consistency, warped }))
    }
}
