//! One step: every row of a series from the rows before it.

use super::{Dynamics, Model, Prediction, Query};
use crate::error::{Error, Result};
use crate::rows::Inputs;
use crate::series::{Series, Transitions};
use faer::Mat;

impl Model {
    /// Every row of the table that a series was made of, predicted from the rows before it (n×p, in the user's units): NaN
    /// where they are not all known, and for the first m rows. A model of several rows at once answers with its first one. Deviations
    /// are those of a new observation, or of the function without noise. Cost that of n predictions.
    ///
    /// ```
    /// use orff::learn::{Autoregression, Method};
    /// use orff::model::Query;
    /// use orff::series::Series;
    /// use orff::watch::Silent;
    /// let mut y = vec![3.0];
    /// (1..30).for_each(|t| y.push(0.5 * y[t - 1] + 1.0));
    /// let series = Series::new(faer::Mat::from_fn(30, 1, |i, _| y[i]))?;
    /// let learner = Autoregression { method: Method::Linear, ..Autoregression::default() };
    /// let found = learner.fit(&series, &mut Silent)?.one_step(&series, Query::default())?;
    /// assert!(found.mean[(0, 0)].is_nan() && (found.mean[(7, 0)] - y[7]).abs() < 1e-9);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn one_step(&self, series: &Series, query: Query) -> Result<Prediction> {
        let dynamics = self.dynamics()?;
        let (p, e) = (dynamics.variables(), dynamics.exogenous.len());
        let (seen, centre, spread) = dynamics.seen(series)?;
        let (mut rows, mut inputs) = (Vec::new(), Vec::new());
        for (row, &(j, t)) in series.places.iter().enumerate() {
            if let Some(x) = dynamics.lags.input(&seen.members[j], t) {
                rows.push((row, j));
                inputs.push(x);
            }
        }
        let n = series.places.len();
        let x = Mat::from_fn(inputs.len(), dynamics.lags.inputs(p, e), |i, k| inputs[i][k]);
        let found = self.body.predict(&Inputs::Dense(x), Query { cov: false, ..query })?;
        let (mut mean, mut std) = (Mat::full(n, p, f64::NAN), query.std.then(|| Mat::full(n, p, f64::NAN)));
        for (i, &(row, j)) in rows.iter().enumerate() {
            for t in 0..p {
                mean[(row, t)] = centre[(j, t)] + spread[(j, t)] * found.mean[(i, t)];
                if let (Some(std), Some(own)) = (&mut std, &found.std) {
                    std[(row, t)] = spread[(j, t)] * own[(i, t)];
                }
            }
        }
        Ok(Prediction { mean, std, cov: None })
    }
    /// Rows that came before and rows that follow, as the model was given them to learn from (n·(mp + he + hp) numbers).
    pub fn transitions(&self, series: &Series) -> Result<Transitions> {
        let dynamics = self.dynamics()?;
        dynamics.lags.transitions(&dynamics.seen(series)?.0)
    }
}

impl Dynamics {
    /// A series of the same variables as the model sees it, with centre and spread of its members.
    fn seen(&self, series: &Series) -> Result<(Series, Mat<f64>, Mat<f64>)> {
        let (p, e) = (self.variables(), self.exogenous.len());
        if series.variables() != p || series.exogenous.len() != e {
            let given = format!("{} and {}", series.variables(), series.exogenous.len());
            return Err(Error::shape("series", format!("{p} variables and {e} known beside them"), given));
        }
        let of: Vec<usize> = series
            .members
            .iter()
            .map(|m| self.member(Some(m.name.as_str()).filter(|name| !name.is_empty())))
            .collect::<Result<_>>()?;
        let units = |m: &Mat<f64>| Mat::from_fn(of.len(), p, |j, t| m[(of[j], t)]);
        let (centre, spread) = (units(&self.centre), units(&self.spread));
        Ok((series.standardised(&centre, &spread), centre, spread))
    }
}
