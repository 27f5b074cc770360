//! The order of an autoregression: given, or the best by sequential cross-validation or evidence.

use super::Sequential;
use super::begin::Choices;
use super::least_squares::LeastSquares;
use super::series::{Autoregression, Method};
use crate::error::{Error, Result};
use crate::linalg::{self, Cholesky};
use crate::model::Query;
use crate::rows::Inputs;
use crate::series::{Lags, Series, covariance};
use crate::watch::Watch;
use faer::Mat;
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
            self.check_orders(series)?;
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

    /// Refuses orders that the series is too short for.
    fn check_orders(&self, series: &Series) -> Result<()> {
        let longest = series.members.iter().map(|m| m.values.nrows()).max().unwrap_or(0);
        // half of the rows are the first window, which has two steps at least
        let (rows, what) = match self.order {
            Order::Validation => ((series.length() / 2).saturating_sub(1), "half of the rows (the first window)"),
            _ => (longest.saturating_sub(1), "the longest run of rows"),
        };
        let most = rows.saturating_sub(self.ahead);
        match self.max_order <= most {
            true => Ok(()),
            false => {
                let expected = format!("at most {most}, as {what} of {} must hold two steps", series.length());
                Err(Error::parameter("max_order", expected, self.max_order))
            }
        }
    }

    /// The error of one order in sequential cross-validation, on the same rows for every order.
    fn validated(&self, series: &Series, order: usize, watch: &mut dyn Watch) -> Result<f64> {
        let learner = Autoregression { order: Order::Given(order), ..self.here() };
        let length = series.length();
        // a few dozen windows tell orders apart, whatever the length
        let how = Sequential { step: (length / 100).max(1), horizon: self.ahead, ..Sequential::default() };
        Ok(learner.validate_knowing(self.max_order, series, &how, watch)?.mse)
    }

    /// The log evidence of one order per row, on the same rows for every order; of least squares that of Schwarz.
    fn evidence(&self, series: &Series, order: usize, watch: &mut dyn Watch) -> Result<f64> {
        let (centre, spread) = self.units(series, series.length());
        let (lags, sizes) = (Lags { order, ahead: self.ahead }, (series.variables(), series.exogenous.len()));
        let told = |error| lags.told(error, sizes);
        let seen = series.standardised(&centre, &spread);
        let mut rows = lags.transitions(&seen)?;
        // the largest order tells which rows all can predict
        let common = Lags { order: self.max_order, ahead: self.ahead }.transitions(&seen)?;
        rows.keep(&common);
        let n = rows.rows() as f64;
        if self.method == Method::Linear {
            let least = LeastSquares::begin(rows.inputs.as_ref(), rows.outputs.as_ref(), self.linear_ridge());
            let least = least.map_err(told)?;
            let found = least.solve(least.part(&rows.inputs, &rows.outputs, 0..rows.rows(), watch)?, true)?;
            let fitted = found.affine.predict(&Inputs::Dense(rows.inputs.clone()), Query::default())?.mean;
            if n <= found.freedom {
                return Ok(f64::NEG_INFINITY); // nothing is left to judge it by
            }
            // constants, and sums of other variables, are known without a model
            let apart = varying(&rows.outputs)?;
            let q = apart.ncols() as f64;
            let spread = covariance(&((&rows.outputs - &fitted) * &apart), 0.0);
            let factor = Cholesky::new(spread.as_ref())
                .map_err(|_| Error::numerical("evidence", "the residuals have no variance; give an order"))?;
            return Ok(-0.5 * factor.log_det() - 0.5 * q * found.freedom * n.ln() / n);
        }
        let (_, training) = Autoregression { posterior: false, ..self.here() }.learn(&rows, watch).map_err(told)?;
        let taken = training.path.iter().find(|point| point.ridge == training.ridge);
        taken.map(|point| point.evidence / n).ok_or_else(|| {
            Error::refused(
                "an order by evidence with a ridge that is given",
                "choose the ridge by evidence, or the order by validation",
            )
        })
    }
}

/// Directions (p×r), in units of deviations, in which rows (n×p) vary.
fn varying(rows: &Mat<f64>) -> Result<Mat<f64>> {
    let all = covariance(rows, 0.0);
    let p = all.nrows();
    let largest = (0..p).map(|t| rows.col(t).iter().map(|v| v.abs()).fold(0.0, f64::max));
    // a deviation that is rounding beside the values is none
    let scale: Vec<f64> = largest
        .enumerate()
        .map(|(t, most)| Some(all[(t, t)].sqrt()).filter(|sd| *sd > 1e-12 * most).map_or(0.0, f64::recip))
        .collect();
    let eigen = linalg::eigen(Mat::from_fn(p, p, |i, j| all[(i, j)] * scale[i] * scale[j]).as_ref())?;
    let top = eigen.values.last().copied().unwrap_or(0.0);
    let kept: Vec<usize> = (0..p).filter(|&k| eigen.values[k] > 1e-10 * top).collect();
    Ok(Mat::from_fn(p, kept.len(), |i, k| scale[i] * eigen.vectors[(i, kept[k])]))
}
