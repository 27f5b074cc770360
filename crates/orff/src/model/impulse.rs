//! Impulse responses: what a shock of one variable does to all of them, step by step. \[impulse\]

use super::Model;
use super::forecast::{Ask, Start};
use crate::error::{Error, Result};
use crate::watch::Silent;
use faer::Mat;

impl Model {
    /// Differences between the path after a history whose latest row has one variable shifted, and the path without:
    /// for each step 0..=steps a matrix (p×p) with the response of i (row) to a shock of j (column). A linear model
    /// answers in proportion to the size of the shock (p) whatever the history; others depend on both.
    /// Cost (p + 1)·steps predictions.
    pub fn impulse_response(&self, start: &Start, steps: usize, size: &[f64]) -> Result<Vec<Mat<f64>>> {
        let dynamics = self.dynamics()?;
        let (p, n) = (dynamics.variables(), start.history.nrows());
        if size.len() != p || size.iter().any(|s| !s.is_finite() || *s == 0.0) {
            return Err(Error::parameter(
                "size",
                format!("{p} numbers that are not 0, one per variable"),
                format!("{size:?}"),
            ));
        }
        let ask = Ask { steps: steps.max(1), ..Ask::default() };
        let path = |history: &Mat<f64>| {
            let forecast = self.forecast(&Start { history, ..*start }, &ask, &mut Silent)?;
            match forecast.warnings.into_iter().next() {
                Some(why) => Err(Error::numerical("impulse response", why)),
                None => Ok(forecast.mean),
            }
        };
        let base = path(start.history)?;
        let mut responses = vec![Mat::zeros(p, p); steps + 1];
        for (j, shock) in size.iter().enumerate() {
            let mut history = start.history.clone();
            history[(n - 1, j)] += shock;
            let shocked = path(&history)?;
            responses[0][(j, j)] = *shock;
            for step in 1..=steps {
                (0..p).for_each(|i| responses[step][(i, j)] = shocked[(step - 1, i)] - base[(step - 1, i)]);
            }
        }
        Ok(responses)
    }
}
