//! How weights of atoms are learned from their losses.

use super::{gibbs, within};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// Which distance to the prior is paid for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Kullback–Leibler: q ∝ p exp(−β√n L).
    #[default]
    PacBayes,
    /// χ² ≤ ρ.
    Chi2,
    /// D_μ ≤ ρ with another μ > 1.
    #[serde(untagged)]
    Power(f64),
}

impl Method {
    /// Words of the method.
    pub const NAMES: &[&str] = &["pac-bayes", "chi2"];

    /// μ of the divergence; none for Kullback–Leibler.
    pub fn mu(self) -> Option<f64> {
        match self {
            Method::PacBayes => None,
            Method::Chi2 => Some(2.0),
            Method::Power(mu) => Some(mu),
        }
    }

    /// The weights (N) of atoms with a prior and losses (N) over so many rows, from β or ρ.
    pub fn posterior(self, prior: &[f64], losses: &[f64], rows: f64, (beta, rho): (f64, f64)) -> Result<Vec<f64>> {
        match self.mu() {
            None => Ok(gibbs(prior, losses, beta * rows.sqrt())),
            Some(mu) => within(prior, losses, mu, rho),
        }
    }
}
