//! What the theory says of learning with some features, before there are rows. \[generalisation\] \[warped-bound\]

use super::{Consistency, Constants, Fitted, Generalisation, Question, Warped};
use crate::error::{Error, Result};
use crate::feature::MapKind;
use serde::Serialize;

/// Bounds that hold for so many independent rows with ‖y‖ ≤ C, each with the probability of the question, or 0.95.
#[derive(Clone, Debug, Serialize)]
pub struct Learning {
    /// What has to be true.
    pub assumptions: Vec<String>,
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
        let of_rows = [("ridge", self.ridge.fixed()), ("norm", self.norm.fixed()), ("graph", self.graph.fixed())];
        let given = of_rows.iter().find_map(|(name, value)| value.map(|value| (*name, value)));
        let (rows, (name, value)) = match (self.rows.fixed(), given) {
            (Some(rows), Some(given)) => (rows, given),
            (None, given) => {
                let Some((name, value)) = given.or(self.largest.fixed().map(|c| ("largest", c))) else {
                    return Ok(None);
                };
                return Err(Error::parameter(name, "auto where no rows are given, whose model it is of", value));
            }
            (Some(rows), None) => {
                return Err(Error::parameter("rows", "auto, or a number beside a ridge, a norm or a graph", rows));
            }
        };
        if let (None, None, Some(largest)) = (self.ridge.fixed(), self.norm.fixed(), self.largest.fixed()) {
            return Err(Error::parameter("largest", "auto without a ridge or a norm, which it goes with", largest));
        }
        let delta = self.probability.fixed().unwrap_or(0.05);
        let gain = if self.map == MapKind::Pairs { 1.0 } else { 2.0 };
        let kappa = gain * constants.iter().map(|c| c.largest).sum::<f64>();
        let trace = gain * constants.iter().map(|c| c.largest_trace).sum::<f64>();
        super::finite(kappa, "a bound of the expected loss", "ess sup‖A‖ (use measure trace)")?;
        let c = self.largest.fixed().unwrap_or(1.0);
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
        let graph = self.graph.fixed().filter(|_| warped.is_none()).map(|graph| ("graph", graph));
        let idle = generalisation.is_none() && consistency.is_none() && warped.is_none();
        if let Some((name, value)) = graph.or(idle.then_some((name, value))) {
            let expected = "auto where features are asked for: it is about so many of them";
            return Err(Error::parameter(name, expected, value));
        }
        let mut assumptions = vec!["independent draws".to_string()];
        if generalisation.is_some() || consistency.is_some() {
            assumptions.push(format!("rows independent and alike, ‖y‖ ≤ {c}"));
            assumptions.push(format!(
                "kernel, offset and ridge given beforehand; each fails with probability {delta} at most"
            ));
        }
        if generalisation.is_some() && self.norm.fixed().is_none() {
            assumptions.push("a minimiser, whose norm is at most ‖y‖/√ridge".into());
        }
        if consistency.is_some() {
            assumptions.push("every atom's coefficients at most norm/√D (Proposition 7.3, which fails with twice that probability)".into());
        }
        if warped.is_some() {
            assumptions.push("k₀(0) = 1; errors of matrices are expectations over the draw".into());
        }
        Ok(Some(Learning { assumptions, kappa, trace, generalisation, consistency, warped }))
    }
}
