//! Impulse responses: what a shock of one variable does to all of them, step by step. \[impulse\]

use super::forecast::{Ask, Start};
use super::{Affine, Body, Dynamics, Model};
use crate::error::{Error, Result};
use crate::watch::Silent;
use faer::Mat;

/// What shocks do.
#[derive(Clone, Debug)]
pub struct Responses {
    /// For each step 0..=steps a matrix (p×p) with the response of i (row) to a shock of j (column).
    pub at: Vec<Mat<f64>>,
    /// What to know about them.
    pub warnings: Vec<String>,
}

impl Model {
    /// Differences between the path after a history whose latest row has one variable shifted, and the path without. A
    /// linear model answers in proportion to the size of the shock (p) whatever the history, however large they grow; others
    /// depend on both. Cost (p + 1)·steps predictions.
    pub fn impulse_response(&self, start: &Start, steps: usize, size: &[f64]) -> Result<Responses> {
        let dynamics = self.dynamics()?;
        let (p, n) = (dynamics.variables(), start.history.nrows());
        if size.len() != p || size.iter().any(|s| !s.is_finite() || *s == 0.0) {
            return Err(Error::parameter(
                "size",
                format!("{p} numbers that are not 0, one per variable"),
                format!("{size:?}"),
            ));
        }
        if let Body::Affine(affine) = &self.body {
            self.state(start)?;
            // it does not move the responses, and still has to be what it says
            if start.future.is_some() {
                self.known(start, steps.max(1).next_multiple_of(dynamics.lags.ahead))?;
            }
            let spread = |t: usize| dynamics.spread[(start.member, t)];
            let of = |i: usize, j: usize| size[j] * spread(i) / spread(j);
            let unit = linear(affine, dynamics, steps);
            let at = unit.iter().map(|r| Mat::from_fn(p, p, |i, j| r[(i, j)] * of(i, j))).collect();
            return Ok(Responses { at, warnings: Vec::new() });
        }
        let ask = Ask { steps: steps.max(1), ..Ask::default() };
        let mut warnings = Vec::new();
        let mut path = |history: &Mat<f64>, of: String| {
            let forecast = self.forecast(&Start { history, ..*start }, &ask, &mut Silent)?;
            if !forecast.mean[(ask.steps - 1, 0)].is_finite() {
                let why = forecast.warnings.join("; ");
                return Err(Error::numerical("impulse response", format!("{of}{why}")));
            }
            warnings.extend(forecast.warnings.into_iter().map(|line| format!("{of}{line}")));
            Ok(forecast.mean)
        };
        let base = path(start.history, String::new())?;
        let mut at = vec![Mat::zeros(p, p); steps + 1];
        for (j, shock) in size.iter().enumerate() {
            let mut history = start.history.clone();
            history[(n - 1, j)] += shock;
            let shocked = path(&history, format!("a shock of {} by {shock}: ", dynamics.names[j]))?;
            at[0][(j, j)] = *shock;
            for step in 1..=steps {
                (0..p).for_each(|i| at[step][(i, j)] = shocked[(step - 1, i)] - base[(step - 1, i)]);
            }
        }
        Ok(Responses { at, warnings })
    }
}

/// Responses of a linear model to shocks of 1, as it sees the series: coefficients times the responses before.
fn linear(affine: &Affine, dynamics: &Dynamics, steps: usize) -> Vec<Mat<f64>> {
    let (p, m, h) = (dynamics.variables(), dynamics.lags.order, dynamics.lags.ahead);
    let a = affine.coefficients().0; // (mp + he)×hp
    let mut at: Vec<Mat<f64>> = vec![Mat::identity(p, p)];
    while at.len() <= steps {
        let before = at.len();
        for k in 0..h {
            let mut next = Mat::zeros(p, p);
            // rows before the shock do not move
            for lag in 1..=m.min(before) {
                next += a.submatrix((lag - 1) * p, k * p, p, p).transpose() * &at[before - lag];
            }
            at.push(next);
        }
    }
    at.truncate(steps + 1);
    at
}
