//! Sequential cross-validation: fit on a window, score the rows that follow it, slide on. \[windows\]

use super::begin::in_pool;
use super::least_squares::LeastSquares;
use super::series::{Autoregression, Method};
use super::sliding::slide;
use super::validation::Tally;
use super::{ExactRegression, Gathering, Order, Ridge, Validation};
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Characters, Key, Moments, Part};
use crate::model::{Body, Preparation, Training, path};
use crate::params::{Auto, Params};
use crate::rows::{Batch, Inputs, Table};
use crate::series::{Lags, Series, Transitions};
use crate::spectrum::Lengthscale;
use crate::watch::{Silent, Watch};
use faer::Mat;
use std::collections::BTreeMap;
use std::ops::Range;

crate::params! {
    /// Sequential cross-validation.
    pub struct Sequential {
        /// Rows of the window, of the first one where it expands; auto is half of the rows.
        window / window: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 2, max: u64::MAX });
        /// Keep the first row in every window: it expands instead of sliding.
        expanding / expanding: bool = false, Kind::Flag;
        /// Rows that are predicted after each window.
        horizon / horizon: usize = 1, Kind::Count { min: 1, max: 1_000_000 };
        /// Rows from one window to the next.
        step / step: usize = 1, Kind::Count { min: 1, max: u64::MAX };
    }
}

/// Rows of every window, and how they become models.
struct Task<'a> {
    learner: &'a Autoregression,
    lags: Lags,
    seen: &'a Series,
    rows: &'a Transitions,
    windows: &'a [Range<usize>],
    /// Time after each window.
    ends: &'a [usize],
    horizon: usize,
}

impl Autoregression {
    /// Fits on windows and scores the rows that follow. Scales, lengthscale, frequencies and ridge are those of the first
    /// window; the rest is fitted anew on each. With N rows and K unknowns N·K² + windows·K³ operations instead of
    /// windows·N·K² (exact kernels are refitted).
    ///
    /// ```
    /// use orff::learn::{Autoregression, Method, Sequential};
    /// use orff::series::Series;
    /// use orff::watch::Silent;
    /// let mut y = vec![0.0];
    /// (1..40).for_each(|t| y.push(0.9 * y[t - 1] + 0.1)); // a line tells the next value exactly
    /// let series = Series::new(faer::Mat::from_fn(40, 1, |i, _| y[i] + (i % 2) as f64))?;
    /// let learner = Autoregression { method: Method::Linear, order: orff::learn::Order::Given(2), ..Default::default() };
    /// let found = learner.validate(&series, &Sequential::default(), &mut Silent)?;
    /// assert!(found.windows == 20 && found.mse < 1e-18);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn validate(&self, series: &Series, how: &Sequential, watch: &mut dyn Watch) -> Result<Validation> {
        self.check()?;
        how.check()?;
        in_pool(self.threads, || self.here().validate_here(series, how, watch))
    }

    fn validate_here(&self, series: &Series, how: &Sequential, watch: &mut dyn Watch) -> Result<Validation> {
        let Order::Given(order) = self.order else {
            return Err(Error::refused("validating an order that is chosen", "give the order"));
        };
        let (lags, length) = (Lags { order, ahead: self.ahead }, series.length());
        let window = how.window.fixed().unwrap_or(length / 2);
        if window >= length || window < order + self.ahead {
            let expected = format!(
                "at least {} rows (order and rows ahead) and less than the {length} of the series",
                order + self.ahead
            );
            return Err(Error::parameter("window", expected, window));
        }
        let (centre, spread) = self.units(series, window);
        let seen = series.standardised(&centre, &spread);
        let rows = lags.transitions(&seen)?;
        let ends: Vec<usize> = (window..length).step_by(how.step).collect();
        let from = |end: usize| if how.expanding { 0 } else { end - window };
        let range = |end: usize| rows.between(from(end) + order, end + 1 - self.ahead);
        // a window in a gap has nothing to learn from
        let (ends, empty): (Vec<usize>, Vec<usize>) = ends.into_iter().partition(|&end| range(end).len() >= 2);
        if ends.first() != Some(&window) {
            let how = "widen it, or fill in the gaps";
            return Err(Error::Data(format!("the first window of {window} rows has fewer than two steps: {how}")));
        }
        let windows: Vec<Range<usize>> = ends.iter().map(|&end| range(end)).collect();
        let task = Task {
            learner: self,
            lags,
            seen: &seen,
            rows: &rows,
            windows: &windows,
            ends: &ends,
            horizon: how.horizon,
        };
        watch.stage("validate");
        let mut tally = Tally::after(empty.len() * how.horizon * series.members.len());
        let training = match self.method {
            Method::Linear => task.linear(&mut tally, watch)?,
            Method::Features => task.features(&mut tally, watch)?,
            Method::Exact => task.exact(&mut tally, watch)?,
        };
        tally.scores(series.variables(), how.horizon, (windows.len(), window), training)
    }
}

impl Task<'_> {
    fn linear(&self, tally: &mut Tally, watch: &mut dyn Watch) -> Result<Training> {
        let (x, y, first) = (&self.rows.inputs, &self.rows.outputs, self.windows[0].clone());
        let some = |m: &Mat<f64>| m.subrows(first.start, first.len()).to_owned();
        let least = LeastSquares::begin(some(x).as_ref(), some(y).as_ref(), self.learner.linear_ridge());
        slide(
            self.windows,
            (x.ncols(), y.ncols()),
            &mut |rows| least.part(x, y, rows, &mut Silent),
            &mut |w, part| {
                let body = Body::Affine(Box::new(least.solve(part, false)?.affine));
                self.score(w, &body, tally)?;
                watch.advance(1)
            },
        )?;
        Ok(Training { ridge: self.learner.linear_ridge(), rows: first.len(), ..Training::default() })
    }

    fn features(&self, tally: &mut Tally, watch: &mut dyn Watch) -> Result<Training> {
        let (mut gathering, fitted) = self.learner.regression().fit_kept(&self.table(0)?, watch)?;
        gathering.learner.ridge = Ridge::Given(fitted.training.ridge);
        gathering.learner.posterior = false;
        let shape = (gathering.moments.characters(), gathering.moments.outputs());
        let empty = gathering.empty();
        let mut characters = Characters::new(shape.0);
        slide(self.windows, shape, &mut |rows| self.part(&empty, &mut characters, rows), &mut |w, part| {
            let fitted = solved(&empty, part, self.windows[w].len())?;
            self.score(w, &fitted, tally)?;
            watch.advance(1)
        })?;
        Ok(fitted.training)
    }

    /// The moments of some rows under the map of a gathering.
    fn part(&self, of: &Gathering, characters: &mut Characters, rows: Range<usize>) -> Result<Part> {
        let mut part = Part::new(of.moments.characters(), of.moments.outputs());
        for from in rows.clone().step_by(BLOCK_ROWS) {
            let n = (rows.end - from).min(BLOCK_ROWS);
            let some = |m: &Mat<f64>| m.subrows(from, n).to_owned();
            let batch = Batch {
                inputs: Inputs::Dense(some(&self.rows.inputs)),
                outputs: some(&self.rows.outputs),
                weights: None,
            };
            let (inputs, outputs, _) = of.stage.prepare(&batch, from + 1)?;
            of.map.fill(&inputs, characters);
            part.add(characters.as_mat(), outputs.as_ref(), &vec![1.0; inputs.nrows()]);
        }
        Ok(part)
    }

    /// Refits, with the kernel and the ridge of the first window.
    fn exact(&self, tally: &mut Tally, watch: &mut dyn Watch) -> Result<Training> {
        let first = self.learner.exact().fit(&self.table(0)?, watch)?;
        let again = ExactRegression {
            kernel: first.model.kernel.clone(),
            lengthscale: Lengthscale::Auto,
            ridge: Ridge::Given(first.training.ridge),
            posterior: false,
            ..self.learner.exact()
        };
        let before = &first.model.preparation;
        if !before.views.is_empty() {
            return Err(Error::refused("sequential cross-validation of an exact kernel with views", "use features"));
        }
        for w in 0..self.windows.len() {
            let rows = self.windows[w].clone();
            let x = self.rows.inputs.subrows(rows.start, rows.len()).to_owned();
            let y = self.rows.outputs.subrows(rows.start, rows.len()).to_owned();
            let u = before.prepare(&Inputs::Dense(x), rows.start + 1)?;
            let mut model = again.fit(&Table::of(u, y)?, &mut Silent)?.model;
            model.preparation = composed(before, &model.preparation);
            self.score(w, &Body::Exact(Box::new(model)), tally)?;
            watch.advance(1)?;
        }
        Ok(first.training)
    }

    /// The rows of a window.
    fn table(&self, w: usize) -> Result<Table> {
        let rows = self.windows[w].clone();
        let some = |m: &Mat<f64>| m.subrows(rows.start, rows.len()).to_owned();
        Table::new(some(&self.rows.inputs), some(&self.rows.outputs))
    }

    /// Predicts the rows after a window, of every member.
    fn score(&self, w: usize, body: &Body, tally: &mut Tally) -> Result<()> {
        let (end, p) = (self.ends[w], self.seen.variables());
        for member in &self.seen.members {
            let n = member.values.nrows();
            let Some(t) = end.checked_sub(member.first).filter(|&t| t < n) else { continue };
            let steps = self.horizon.min(n - t);
            let known = (t >= self.lags.order).then(|| {
                (1..=self.lags.order).flat_map(|k| member.values.row(t - k).iter().copied()).collect::<Vec<f64>>()
            });
            let Some(state) = known.filter(|s| s.iter().all(|v| v.is_finite())) else {
                tally.skipped += steps;
                continue;
            };
            let others = |k: usize| match member.exogenous.ncols() {
                0 => Some(Vec::new()),
                _ => (t + k < n).then(|| member.exogenous.row(t + k).iter().copied().collect()),
            };
            let Some(mean) = path(body, (self.lags, p), &state, steps, &others)? else {
                tally.skipped += steps;
                continue;
            };
            for k in 0..steps {
                let errors: Vec<f64> = (0..p).map(|s| member.values[(t + k, s)] - mean[(k, s)]).collect();
                tally.add(errors, member.first + t + k, k);
            }
        }
        Ok(())
    }
}

/// The model of moments under the choices of a gathering.
fn solved(empty: &Gathering, part: Part, rows: usize) -> Result<Body> {
    let mut gathering = empty.clone();
    let (m, columns, weight) = (gathering.moments.characters(), gathering.moments.outputs(), part.weight);
    let parts = BTreeMap::from([(Key::Pattern(vec![true; columns]), part)]);
    gathering.moments = Moments::from_parts(m, columns, weight, false, parts);
    gathering.rows = rows;
    Ok(Body::Linear(Box::new(gathering.solve_here(None, None, &mut Silent)?.model)))
}

/// One preparation after another, both only centre and scale.
fn composed(before: &Preparation, after: &Preparation) -> Preparation {
    let centre = |k: usize| before.centre[k] + before.scale[k] * after.centre[k];
    let d = before.centre.len();
    Preparation {
        centre: (0..d).map(centre).collect(),
        scale: (0..d).map(|k| before.scale[k] * after.scale[k]).collect(),
        ..before.clone()
    }
}
