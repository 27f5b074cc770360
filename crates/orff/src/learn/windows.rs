//! Models of windows that slide over a series, and their errors. \[windows\]

use super::least_squares::LeastSquares;
use super::series::{Autoregression, Method};
use super::sliding::slide;
use super::validation::Tally;
use super::{ExactRegression, Gathering, Ridge};
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Characters, Key, Moments, Part};
use crate::model::{Body, Preparation, Training, path};
use crate::rows::{Batch, Inputs, Table};
use crate::series::{Lags, Series, Transitions};
use crate::spectrum::Lengthscale;
use crate::watch::{Silent, Watch};
use faer::Mat;
use std::collections::BTreeMap;
use std::ops::Range;

/// Rows of every window, and how they become models.
pub(super) struct Task<'a> {
    pub learner: &'a Autoregression,
    pub lags: Lags,
    pub seen: &'a Series,
    pub rows: &'a Transitions,
    /// Rows that settle scales and what is open.
    pub first: Range<usize>,
    pub windows: Vec<Range<usize>>,
    /// Time after each window.
    pub ends: Vec<usize>,
    /// Its place among all windows.
    pub number: Vec<usize>,
    pub horizon: usize,
    /// Rows that must be known before those that are scored: m at least.
    pub past: usize,
}

/// The ridges of a window, given its number.
pub(super) type Ridges<'a> = &'a dyn Fn(usize) -> Vec<f64>;

/// Told the number of a window, that of a ridge, and the model.
pub(super) type Told<'a> = &'a mut dyn FnMut(usize, usize, &Body) -> Result<()>;

impl Task<'_> {
    /// The model of every window with each of its ridges, or with the one that the first rows settle.
    pub fn each(&self, ridges: Option<Ridges>, told: Told, watch: &mut dyn Watch) -> Result<Training> {
        match self.learner.method {
            Method::Linear => self.linear(ridges, told, watch),
            Method::Features => self.features(ridges, told, watch),
            Method::Exact => self.exact(ridges, told, watch),
        }
    }

    fn linear(&self, ridges: Option<Ridges>, told: Told, watch: &mut dyn Watch) -> Result<Training> {
        let (x, y, first) = (&self.rows.inputs, &self.rows.outputs, self.first.clone());
        let some = |m: &Mat<f64>| m.subrows(first.start, first.len()).to_owned();
        let own = self.learner.linear_ridge();
        let least = LeastSquares::begin(some(x).as_ref(), some(y).as_ref(), own)?;
        slide(
            &self.windows,
            (x.ncols(), y.ncols()),
            &mut |rows| least.part(x, y, rows, &mut Silent),
            &mut |w, part| {
                for (r, ridge) in ridges.map_or(vec![own], |of| of(w)).into_iter().enumerate() {
                    let found = least.with_ridge(ridge).solve(part.clone(), false)?;
                    told(w, r, &Body::Affine(Box::new(found.affine)))?;
                }
                watch.advance(1)
            },
        )?;
        Ok(Training { ridge: own, rows: first.len(), ..Training::default() })
    }

    fn features(&self, ridges: Option<Ridges>, told: Told, watch: &mut dyn Watch) -> Result<Training> {
        let mut learner = self.learner.regression();
        let (mut gathering, fitted) = match ridges {
            None => learner.fit_kept(&self.table()?, watch)?,
            Some(of) => {
                // scales and frequencies are all that is taken from this fit
                learner.ridge = Ridge::Given(of(0).into_iter().fold(1e-3, f64::max));
                learner.posterior = false;
                learner.fit_kept(&self.table()?, &mut Silent)?
            }
        };
        gathering.learner.ridge = Ridge::Given(fitted.training.ridge);
        gathering.learner.posterior = false;
        let shape = (gathering.moments.characters(), gathering.moments.outputs());
        let mut empty = gathering.empty();
        let map = empty.clone();
        let mut characters = Characters::new(shape.0);
        let part = &mut |rows| self.part(&map, &mut characters, rows);
        slide(&self.windows, shape, part, &mut |w, part| {
            let own = || vec![fitted.training.ridge];
            for (r, ridge) in ridges.map_or_else(own, |of| of(w)).into_iter().enumerate() {
                empty.learner.ridge = Ridge::Given(ridge);
                told(w, r, &solved(&empty, part.clone(), self.windows[w].len())?)?;
            }
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

    /// Refits, with the kernel of the first window.
    fn exact(&self, ridges: Option<Ridges>, told: Told, watch: &mut dyn Watch) -> Result<Training> {
        let first = match ridges {
            None => self.learner.exact().fit(&self.table()?, watch)?,
            Some(of) => {
                let ridge = Ridge::Given(of(0).into_iter().fold(1e-3, f64::max));
                ExactRegression { ridge, posterior: false, ..self.learner.exact() }
                    .fit(&self.table()?, &mut Silent)?
            }
        };
        let mut again = ExactRegression {
            kernel: first.model.kernel.clone(),
            lengthscale: Lengthscale::Auto,
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
            let table = Table::of(before.prepare(&Inputs::Dense(x), rows.start + 1)?, y)?;
            let own = || vec![first.training.ridge];
            for (r, ridge) in ridges.map_or_else(own, |of| of(w)).into_iter().enumerate() {
                again.ridge = Ridge::Given(ridge);
                let mut model = again.fit(&table, &mut Silent)?.model;
                model.preparation = composed(before, &model.preparation);
                told(w, r, &Body::Exact(Box::new(model)))?;
            }
            watch.advance(1)?;
        }
        Ok(first.training)
    }

    /// The rows that settle what is open.
    fn table(&self) -> Result<Table> {
        let some = |m: &Mat<f64>| m.subrows(self.first.start, self.first.len()).to_owned();
        Table::new(some(&self.rows.inputs), some(&self.rows.outputs))
    }

    /// Predicts the rows after a window, of every member.
    pub fn score(&self, w: usize, body: &Body, tally: &mut Tally) -> Result<()> {
        let (end, p) = (self.ends[w], self.seen.variables());
        for member in &self.seen.members {
            let n = member.values.nrows();
            let Some(t) = end.checked_sub(member.first).filter(|&t| t < n) else { continue };
            let steps = self.horizon.min(n - t);
            let known = (t >= self.past).then(|| {
                (1..=self.past).flat_map(|k| member.values.row(t - k).iter().copied()).collect::<Vec<f64>>()
            });
            let Some(mut state) = known.filter(|s| s.iter().all(|v| v.is_finite())) else {
                tally.skipped += steps;
                continue;
            };
            state.truncate(self.lags.order * p);
            let others = |k: usize| match member.exogenous.ncols() {
                0 => Some(Vec::new()),
                _ => (t + k < n).then(|| member.exogenous.row(t + k).iter().copied().collect()),
            };
            let Some(mean) = path(body, (self.lags, p), &state, steps, &others)? else {
                tally.skipped += steps;
                continue;
            };
            for k in 0..steps {
                let errors = (0..p).map(|s| member.values[(t + k, s)] - mean[(k, s)]);
                tally.add(errors, member.first + t + k, k, self.number[w]);
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
