//! The order of an autoregression: given, or the best by sequential cross-validation or evidence.

use super::Sequential;
use super::begin::Choices;
use super::least_squares::LeastSquares;
use super::series::{Autoregression, Method};
use crate::error::{Error, Result};
use crate::linalg::Cholesky;
use crate::model::Query;
use crate::rows::Inputs;
use crate::series::{Lags, Series, covariance};
use crate::watch::Watch;
use serde::{Deserialize, Serialize};

/// How many rows back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// As many as have the largest evidence.
    Evidence,
    /// As many as have the smallest error in sequential cross-validation.
    Validation,
    /// Given.
    #[serde(untagged)]
    Given(usize),
}

impl Autoregression {
    /// The order that is given, or the best one.
    pub(super) fn chosen_order(
        &self,
        series: &Series,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<usize> {
        let Order::Given(order) = self.order else {
            let mut best: Option<(f64, usize)> = None;
            let mut tried = Vec::new();
            for order in 1..=self.max_order {
                let (score, shown) = match self.order {
                    Order::Validation => self.validated(series, order, watch).map(|error| (error, error))?,
                    _ => self.evidence(series, order, watch).map(|evidence| (-evidence, evidence))?,
                };
                tried.push(format!("{order}: {shown:.6}"));
                if best.is_none_or(|(least, _)| score < least) {
                    best = Some((score, order));
                }
            }
            let by = match self.order {
                Order::Validation => "smallest mean squared error in sequential cross-validation",
                _ => "largest evidence per row",
            };
            let order = best.map_or(1, |(_, order)| order);
            choices.say(watch, format!("order {order}: {by} ({})", tried.join(", ")));
            return Ok(order);
        };
        Ok(order)
    }

    /// The error of one order in sequential cross-validation, on the same rows for every order.
    fn validated(&self, series: &Series, order: usize, watch: &mut dyn Watch) -> Result<f64> {
        let learner = Autoregression { order: Order::Given(order), ..self.here() };
        let length = series.length();
        // a few dozen windows tell orders apart, whatever the length
        let how = Sequential { step: (length / 100).max(1), horizon: self.ahead, ..Sequential::default() };
        Ok(learner.validate(series, &how, watch)?.mse)
    }

    /// The log evidence of one order per row, on the same rows for every order; of least squares that of Schwarz.
    fn evidence(&self, series: &Series, order: usize, watch: &mut dyn Watch) -> Result<f64> {
        let (centre, spread) = self.units(series, series.length());
        let seen = series.standardised(&centre, &spread);
        let mut rows = Lags { order, ahead: self.ahead }.transitions(&seen)?;
        // the largest order tells which rows all can predict
        let common = Lags { order: self.max_order, ahead: self.ahead }.transitions(&seen)?;
        rows.keep(&common);
        let n = rows.rows() as f64;
        if self.method == Method::Linear {
            let least = LeastSquares::begin(rows.inputs.as_ref(), rows.outputs.as_ref(), self.linear_ridge());
            let found = least.solve(least.part(&rows.inputs, &rows.outputs, 0..rows.rows(), watch)?, true)?;
            let fitted = found.affine.predict(&Inputs::Dense(rows.inputs.clone()), Query::default())?.mean;
            let q = fitted.ncols() as f64;
            let spread = covariance(&(&rows.outputs - &fitted), 0.0);
            let factor = Cholesky::new(spread.as_ref())
                .map_err(|_| Error::numerical("evidence", "the residuals have no variance; give an order"))?;
            return Ok(-0.5 * factor.log_det() - 0.5 * q * found.freedom * n.ln() / n);
        }
        let (_, training) = Autoregression { posterior: false, ..self.here() }.learn(&rows, watch)?;
        let taken = training.path.iter().find(|point| point.ridge == training.ridge);
        taken.map(|point| point.evidence / n).ok_or_else(|| {
            Error::refused(
                "an order by evidence with a ridge that is given",
                "choose the ridge by evidence, or the order by validation",
            )
        })
    }
}
