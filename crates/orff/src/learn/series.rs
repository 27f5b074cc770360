//! Vector autoregression: the next rows of a series from the rows before them, linear or with a kernel. \[lags\]

use super::begin::{Choices, in_pool};
use super::least_squares::LeastSquares;
use super::{ExactRegression, Order, Regression, Ridge};
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, MapKind};
use crate::kernel::Kernel;
use crate::linalg;
use crate::model::{Body, Dynamics, Info, Model, Query, Training};
use crate::params::{Auto, Params};
use crate::rows::{Inputs, Table};
use crate::series::{Lags, Series, Transitions, Whiteness, covariance};
use crate::spectrum::{DrawKind, Lengthscale};
use crate::watch::Watch;
use faer::Mat;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Residuals kept for simulations, at most.
const RESIDUALS: usize = 10_000;
/// Lags of the tests of whiteness.
const WHITE_LAGS: usize = 10;

/// How the next rows follow from the last ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Least squares with a constant.
    Linear,
    /// Ridge regression on random features of an operator-valued kernel.
    #[default]
    Features,
    /// Ridge regression with the kernel itself.
    Exact,
}

/// In which units the model sees the series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standardise {
    /// The user's.
    #[default]
    None,
    /// Each member by its own mean and standard deviation.
    Members,
}

/// How lengthscale and ridge are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choose {
    /// By the evidence of the rows.
    #[default]
    Evidence,
    /// By the errors of sequential cross-validation.
    Validation,
}

crate::params! {
    /// Vector autoregression: the next row of a series from the rows before it.
    pub struct Autoregression {
        /// How the next row follows: linear is least squares with a constant (and a ridge, if a number is given), features
        /// is ridge regression on random features of the kernel, exact is with the kernel itself.
        method / method: Method = Method::Features, Kind::Choice(&["linear", "features", "exact"]);
        /// Rows back: a number, or validation or evidence to choose it up to max-order.
        order / order: Order = Order::Given(1),
            Kind::WordOr(&["validation", "evidence"], &Kind::Count { min: 1, max: 10_000 });
        /// Largest order that is tried.
        max_order / max_order: usize = 6, Kind::Count { min: 1, max: 10_000 };
        /// Rows predicted at once: 1 iterates predictions of one step, more learn all steps up to this one directly.
        ahead / ahead: usize = 1, Kind::Count { min: 1, max: 10_000 };
        /// Units in which the model sees the series: none for those given, members for each member of a panel by its own
        /// mean and standard deviation.
        standardise / standardise: Standardise = Standardise::None, Kind::Choice(&["none", "members"]);
        /// The kernel: a name, an expression such as "decomposable(matern(2.5))", or its structured form.
        kernel / kernel: Kernel = Kernel::default(), Kind::Kernel;
        /// Lengthscale of every spectrum of the kernel that leaves its own open: auto, a number in the units of the series, or
        /// one number per input.
        lengthscale / lengthscale: Lengthscale = Lengthscale::Auto,
            Kind::Auto(&Kind::Several(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true }));
        /// Number of columns of the feature map.
        features / n_components: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 10_000_000 });
        /// Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and phases
        /// for an odd number of columns.
        map / feature_map: Auto<MapKind> = Auto::Auto, Kind::Auto(&Kind::Choice(&["pairs", "phases"]));
        /// How frequencies are drawn; auto is the best that the kernel allows.
        draw / draw: Auto<DrawKind> = Auto::Auto,
            Kind::Auto(&Kind::Choice(&["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"]));
        /// The ridge: a number (λ of the mean loss), or how to choose it; linear chooses none.
        ridge / alpha: Ridge = Ridge::Evidence,
            Kind::WordOr(&["evidence", "gcv", "loo"], &Kind::Number { min: 0.0, max: f64::INFINITY, open: false });
        /// How lengthscale and ridge are chosen where no numbers are given: evidence looks at the rows that are learned from
        /// (the first window of a validation), as the ridge says; validation takes those with the smallest errors in
        /// sequential cross-validation (of the windows before), which is slower and holds for series that change.
        choose / choose: Choose = Choose::Evidence, Kind::Choice(&["evidence", "validation"]);
        /// Keep what error bars need.
        posterior / posterior: bool = true, Kind::Flag;
        /// Most memory in megabytes; a fit that would need more is refused before it starts.
        memory / memory: usize = 16_384, Kind::Count { min: 1, max: u64::MAX };
        /// Seed of every random choice.
        seed / random_state: u64 = 0, Kind::Count { min: 0, max: u64::MAX };
        /// Number of threads; results do not depend on it.
        threads / n_jobs: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 4096 });
    }
}

impl Autoregression {
    /// Learns from a series. Cost that of a regression with m·p inputs and h·p outputs, and for an order that is chosen that
    /// of as many as are tried.
    ///
    /// ```
    /// use orff::learn::{Autoregression, Method};
    /// use orff::model::{Ask, Start};
    /// use orff::series::Series;
    /// use orff::watch::Silent;
    /// // y_t = 1.8 y_{t−1} − 0.9 y_{t−2} + 1, exactly
    /// let mut y = vec![0.0, 1.0];
    /// (2..60).for_each(|t| y.push(1.8 * y[t - 1] - 0.9 * y[t - 2] + 1.0));
    /// let values = faer::Mat::from_fn(50, 1, |i, _| y[i]);
    /// let learner =
    ///     Autoregression { method: Method::Linear, order: orff::learn::Order::Given(2), ..Autoregression::default() };
    /// let model = learner.fit(&Series::new(values.clone())?, &mut Silent)?;
    /// let start = Start { history: &values, member: 0, future: None };
    /// let forecast = model.forecast(&start, &Ask { steps: 10, ..Ask::default() }, &mut Silent)?;
    /// (0..10).for_each(|k| assert!((forecast.mean[(k, 0)] - y[50 + k]).abs() < 1e-8));
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn fit(&self, series: &Series, watch: &mut dyn Watch) -> Result<Model> {
        self.check()?;
        in_pool(self.threads, || self.fit_here(series, watch))
    }

    /// The same learner on the threads of whoever calls.
    pub(super) fn here(&self) -> Self {
        Autoregression { threads: Auto::Auto, ..self.clone() }
    }

    fn fit_here(&self, series: &Series, watch: &mut dyn Watch) -> Result<Model> {
        let mut choices = Choices::default();
        let constant = series.constant();
        if !constant.is_empty() {
            choices.say(watch, format!("{}: constant, which tells nothing of the others", constant.join(", ")));
        }
        if series.filled > 0 {
            choices.say(watch, format!("{} rows are missing between the times of the rows", series.filled));
        }
        let order = self.chosen_order(series, &mut choices, watch)?;
        let lags = Lags { order, ahead: self.ahead };
        let (centre, spread) = self.units(series, series.length());
        let seen = match self.standardise {
            Standardise::None => Cow::Borrowed(series),
            Standardise::Members => Cow::Owned(series.standardised(&centre, &spread)),
        };
        let mut rows = lags.transitions(&seen)?;
        if rows.rows() < rows.possible {
            let left = rows.possible - rows.rows();
            choices.say(watch, format!("{left} of {} steps have a gap in them and are left out", rows.possible));
        }
        let settled = self.settled(series, order, &mut choices, watch)?;
        let sizes = (series.variables(), series.exogenous.len());
        let (mut body, mut training) = settled.learn(&rows, watch).map_err(|e| lags.told(e, sizes))?;
        let residuals = residuals(&body, &mut rows)?;
        if let Body::Affine(affine) = &mut body {
            let freedom = affine.spread.as_ref().map_or(rows.inputs.ncols(), |s| s.root.ncols()) as f64 + 1.0;
            affine.noise = covariance(&residuals, freedom);
            if rows.rows() as f64 <= freedom {
                let (n, what) = (rows.rows(), "the fit leaves no noise, and intervals no width; lower the order");
                choices.say(watch, format!("warning: {n} rows for {freedom} coefficients: {what}"));
            }
        }
        training.choices = [choices.lines, training.choices].concat();
        let series = Some(Box::new(dynamics(series, lags, (centre, spread), &seen, &rows, residuals)));
        let info = Info {
            learner: "series".into(),
            params: serde_json::to_value(self).map_err(|e| Error::Data(e.to_string()))?,
            inputs: lags.names(&seen.names, &seen.exogenous),
            outputs: lags.output_names(&seen.names),
            training,
            ..Info::default()
        };
        Ok(Model { body, projection: None, info, series, curves: None, alignment: None })
    }

    /// Centre and spread of each member, from the rows before a time: 0 and 1 unless members are standardised.
    pub(super) fn units(&self, series: &Series, end: usize) -> (Mat<f64>, Mat<f64>) {
        match self.standardise {
            Standardise::Members => series.moments_before(end),
            Standardise::None => {
                let shape = (series.members.len(), series.variables());
                (Mat::zeros(shape.0, shape.1), Mat::full(shape.0, shape.1, 1.0))
            }
        }
    }

    /// The regression of the method.
    pub(super) fn learn(&self, rows: &Transitions, watch: &mut dyn Watch) -> Result<(Body, Training)> {
        let table = || Table::new(rows.inputs.clone(), rows.outputs.clone());
        match self.method {
            Method::Linear => self.least_squares(rows, watch),
            Method::Features => {
                let fitted = self.regression().fit(&table()?, watch)?;
                Ok((Body::Linear(Box::new(fitted.model)), fitted.training))
            }
            Method::Exact => {
                let fitted = self.exact().fit(&table()?, watch)?;
                Ok((Body::Exact(Box::new(fitted.model)), fitted.training))
            }
        }
    }

    fn least_squares(&self, rows: &Transitions, watch: &mut dyn Watch) -> Result<(Body, Training)> {
        watch.stage("fit");
        let least = LeastSquares::begin(rows.inputs.as_ref(), rows.outputs.as_ref(), self.linear_ridge())?;
        let part = least.part(&rows.inputs, &rows.outputs, 0..rows.rows(), watch)?;
        let found = least.solve(part, self.posterior)?;
        let mut choices = Choices::default();
        choices.say(watch, format!("least squares of {} rows by {}", rows.rows(), found.how));
        let training = Training {
            rows: rows.rows(),
            ridge: self.linear_ridge(),
            choices: choices.lines,
            iterations: 1,
            ..Training::default()
        };
        Ok((Body::Affine(Box::new(found.affine)), training))
    }

    /// The ridge of least squares: none unless it is given.
    pub(super) fn linear_ridge(&self) -> f64 {
        match self.ridge {
            Ridge::Given(ridge) => ridge,
            _ => 0.0,
        }
    }

    pub(super) fn regression(&self) -> Regression {
        Regression {
            kernel: self.kernel.clone(),
            lengthscale: self.lengthscale.clone(),
            features: self.features,
            map: self.map,
            draw: self.draw,
            ridge: self.ridge,
            posterior: self.posterior,
            memory: self.memory,
            seed: self.seed,
            ..Regression::default()
        }
    }

    pub(super) fn exact(&self) -> ExactRegression {
        ExactRegression {
            kernel: self.kernel.clone(),
            lengthscale: self.lengthscale.clone(),
            ridge: self.ridge,
            posterior: self.posterior,
            memory: self.memory as u64,
            seed: self.seed,
            ..ExactRegression::default()
        }
    }
}

/// Outputs less what is predicted of them (n×hp), in their place.
fn residuals(body: &Body, rows: &mut Transitions) -> Result<Mat<f64>> {
    let mut rest = std::mem::replace(&mut rows.outputs, Mat::new());
    let Body::Affine(affine) = body else {
        return Ok(rest - body.predict(&Inputs::Dense(rows.inputs.clone()), Query::default())?.mean);
    };
    // a line costs less than the memory that all rows at once would take
    let blocks = rest.as_mut().par_row_chunks_mut(BLOCK_ROWS).zip(rows.inputs.par_row_chunks(BLOCK_ROWS));
    blocks.for_each(|(rest, inputs)| affine.subtract_from(rest, inputs));
    Ok(rest)
}

/// What the model keeps of the series.
fn dynamics(
    series: &Series,
    lags: Lags,
    (centre, spread): (Mat<f64>, Mat<f64>),
    seen: &Series,
    rows: &Transitions,
    residuals: Mat<f64>,
) -> Dynamics {
    let (m, p) = (lags.order, series.variables());
    let tail = Mat::from_fn(series.members.len() * m, p, |i, t| {
        let values = &series.members[i / m].values;
        (values.nrows() + i % m).checked_sub(m).map_or(f64::NAN, |row| values[(row, t)])
    });
    let all = |t: usize| seen.members.iter().map(move |member| linalg::column(member.values.as_ref(), t));
    let mean = |t: usize| {
        let known = |v: f64| if v.is_finite() { v } else { 0.0 };
        let sum = all(t).flat_map(|column| linalg::folds(column, 0.0, |sum, v| sum + known(v))).sum::<f64>();
        let count = all(t).flat_map(|column| linalg::folds(column, 0.0, |count, v| count + f64::from(v.is_finite())));
        sum / count.sum::<f64>().max(1.0)
    };
    let middle: Vec<f64> = (0..p).into_par_iter().map(mean).collect();
    let furthest = |t: usize| {
        let far = |v: f64| if v.is_finite() { (v - middle[t]).abs() } else { 0.0 };
        let least = 1e-6 * middle[t].abs().max(1e-6);
        all(t).flat_map(|column| linalg::folds(column, least, |most, v| most.max(far(v)))).fold(least, f64::max)
    };
    let reach = (0..p).into_par_iter().map(furthest).collect();
    let white = WHITE_LAGS.max(m + 1).min(rows.rows() / 5);
    let whiteness = match seen.members.len() == 1 && rows.rows() == rows.possible && lags.ahead == 1 {
        true => Whiteness::of(std::slice::from_ref(&residuals), white, m),
        false => Whiteness::of(&placed(seen, rows, &residuals), white, m),
    };
    let kept = rows.rows().min(RESIDUALS);
    Dynamics {
        lags,
        names: series.names.clone(),
        exogenous: series.exogenous.clone(),
        members: series.members.iter().map(|member| member.name.clone()).collect(),
        centre,
        spread,
        tail,
        middle,
        reach,
        whiteness,
        residuals: linalg::copied(residuals.subrows(rows.rows() - kept, kept)),
    }
}

/// Residuals of the first step, each member in the order of time, NaN where there is none.
fn placed(seen: &Series, rows: &Transitions, residuals: &Mat<f64>) -> Vec<Mat<f64>> {
    let p = seen.variables();
    let mut own: Vec<Mat<f64>> =
        seen.members.iter().map(|member| Mat::full(member.values.nrows(), p, f64::NAN)).collect();
    for (t, column) in residuals.col_iter().take(p).enumerate() {
        let mut own: Vec<_> = own.iter_mut().map(|own| own.col_mut(t)).collect();
        for ((&at, &j), rest) in rows.at.iter().zip(&rows.member).zip(column.iter()) {
            own[j][at - seen.members[j].first] = *rest;
        }
    }
    own
}
