//! Learning under way: what was fixed before the first row, and the moments of the rows so far.

use super::begin::{Choices, in_pool};
use super::choose::{self, EIGEN_UNKNOWNS, Prepared};
use super::mixed::Mixed;
use super::noise::{Column, Misfit, spent};
use super::ridge::{Again, Solved, once};
use super::stage::Stage;
use super::{Fitted, Regression, Ridge, sample};
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Blocks, Characters, FeatureMap, Moments, ahead, reblock};
use crate::kernel::Kernel;
use crate::linalg::Real;
use crate::model::{Linear, Posterior, Training};
use crate::rows::{Batch, Rows};
use crate::solve::{Centred, PathPoint, Solution, check_observed};
use crate::watch::Watch;
use faer::Mat;

/// A regression under way. Rows are added, gatherings are merged; a model can be made at any time.
///
/// ```
/// use orff::learn::{Gathering, Regression};
/// use orff::model::Query;
/// use orff::rows::{Inputs, Table};
/// use orff::watch::Silent;
/// let x = faer::Mat::from_fn(300, 1, |i, _| (i * 7 % 300) as f64 / 30.0);
/// let y = faer::Mat::from_fn(300, 2, |i, k| (x[(i, 0)] + k as f64).sin());
/// let part = |from, n| Table::new(x.subrows(from, n).to_owned(), y.subrows(from, n).to_owned());
/// let mut here = Regression::default().begin(&part(0, 100)?, &mut Silent)?;
/// let mut there = Gathering::from_bytes(here.to_bytes()?)?;
/// here.add(&part(0, 150)?, &mut Silent)?;
/// there.add(&part(150, 150)?, &mut Silent)?;
/// here.merge(&there)?;
/// assert_eq!(here.rows(), 300);
/// let mean = here.solve(&mut Silent)?.model.predict(&Inputs::Dense(x), Query::default())?.mean;
/// assert!((mean - y).norm_max() < 1e-2);
/// # Ok::<(), orff::Error>(())
/// ```
#[derive(Clone)]
pub struct Gathering {
    pub(super) learner: Regression,
    pub(super) stage: Stage,
    pub(super) kernel: Kernel,
    pub(super) map: FeatureMap,
    pub(super) moments: Moments,
    pub(super) rows: usize,
    pub(super) choices: Choices,
    pub(super) points: Vec<Vec<f64>>,
}

impl Gathering {
    /// Number of rows so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of inputs d.
    pub fn inputs(&self) -> usize {
        self.stage.preparation.inputs
    }

    /// Number of outputs p.
    pub fn outputs(&self) -> usize {
        self.stage.means.len()
    }

    /// The moments so far.
    pub fn moments(&self) -> &Moments {
        &self.moments
    }

    /// The same choices with no rows yet: where another process starts.
    pub fn empty(&self) -> Self {
        Gathering {
            learner: self.learner.clone(),
            stage: self.stage.clone(),
            kernel: self.kernel.clone(),
            map: self.map.clone(),
            moments: Moments::new(self.moments.characters(), self.moments.outputs()),
            rows: 0,
            choices: self.choices.clone(),
            points: self.points.clone(),
        }
    }

    /// Refuses rows of another shape than the first ones.
    fn same_shape(&self, rows: &dyn Rows) -> Result<()> {
        let given = (rows.inputs(), rows.outputs());
        if given == (self.inputs(), self.outputs()) {
            return Ok(());
        }
        let expected = format!("{} inputs and {} outputs as before", self.inputs(), self.outputs());
        Err(Error::shape("rows", expected, format!("{} and {}", given.0, given.1)))
    }

    /// Learns from these rows alone, with the choices made before: a warm start. Returns what was gathered of them too.
    ///
    /// ```
    /// use orff::learn::Regression;
    /// use orff::rows::Table;
    /// use orff::watch::Silent;
    /// let x = faer::Mat::from_fn(100, 1, |i, _| i as f64 / 20.0);
    /// let y = faer::Mat::from_fn(100, 1, |i, _| (i as f64 / 20.0).sin());
    /// let rows = Table::new(x, y)?;
    /// let (gathering, fitted) = Regression::default().fit_kept(&rows, &mut Silent)?;
    /// let (_, again) = gathering.refit(&rows, &mut Silent)?;
    /// assert_eq!(again.model.table, fitted.model.table);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn refit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<(Gathering, Fitted)> {
        self.same_shape(rows)?;
        in_pool(self.learner.threads, || {
            let mut own = self.empty();
            own.absorb(reblock(rows, BLOCK_ROWS)?, watch)?;
            let fitted = own.clone().solve_here(Some(Again::of(rows)), None, watch)?;
            Ok((own, fitted))
        })
    }

    /// Adds rows. When it fails, nothing was added.
    pub fn add(&mut self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<()> {
        self.same_shape(rows)?;
        if self.learner.ridge == Ridge::Loo {
            return Err(once());
        }
        in_pool(self.learner.threads, || {
            let mut more = self.empty();
            more.absorb(reblock(rows, BLOCK_ROWS)?, watch)?;
            match self.rows {
                0 => *self = more,
                _ => self.merge(&more)?,
            }
            Ok(())
        })
    }

    /// The one pass: characters of each block, moments of all.
    pub(super) fn absorb(&mut self, blocks: Blocks, watch: &mut dyn Watch) -> Result<()> {
        self.absorb_in(Characters::new(self.map.characters()), blocks, watch)
    }

    /// The pass in the precision of the buffer.
    pub(super) fn absorb_in<T: Real>(
        &mut self,
        mut characters: Characters<T>,
        mut blocks: Blocks,
        watch: &mut dyn Watch,
    ) -> Result<()> {
        watch.stage("fit");
        let Gathering { stage, map, moments, rows, .. } = self;
        let mut first = *rows;
        let ready = || {
            let block = blocks.next()?.and_then(|block| {
                sample::check(&block, first)?;
                let prepared = stage.prepare(&block, first + 1)?;
                first += block.inputs.nrows();
                Ok((block.inputs.nrows(), prepared))
            });
            Some(block)
        };
        ahead(ready, |(n, (inputs, outputs, weights))| {
            map.fill(&inputs, &mut characters);
            moments.add(&characters, outputs.as_ref(), weights.as_ref())?;
            *rows += n;
            watch.advance(n as u64)
        })
    }

    /// Adds the rows that another gathering with the same choices has seen.
    pub fn merge(&mut self, other: &Gathering) -> Result<()> {
        let begun = |g: &Gathering| (g.stage.clone(), g.kernel.clone(), g.learner.seed, g.map.kind());
        if begun(self) != begun(other) || self.map.characters() != other.map.characters() {
            return Err(Error::refused(
                "merging gatherings that began differently",
                "their scales, lengthscales or features differ; begin once and give every part an empty copy",
            ));
        }
        self.moments.merge(&other.moments)?;
        self.rows += other.rows;
        Ok(())
    }

    /// nλ by the score of the learner on a sample of the rows; and the reason.
    pub(super) fn shift(&self, drawn: &Batch, watch: &mut dyn Watch) -> Result<(f64, String)> {
        let (inputs, outputs, weights) = self.stage.prepare(drawn, 1)?;
        let preparation = &self.stage.preparation;
        let prepared =
            Prepared { inputs: &inputs, outputs: &outputs, weights: weights.as_ref(), rows: 0.0, preparation };
        choose::shift(&self.learner, &self.kernel, &prepared, watch)
    }

    /// Whether the system is so large that it is solved by conjugate gradients, which leave no posterior.
    pub(super) fn iterates(&self) -> bool {
        let (unknowns, given) = (self.map.solved_at_once(), matches!(self.learner.ridge, Ridge::Given(_)));
        unknowns > 2 * EIGEN_UNKNOWNS || (unknowns > EIGEN_UNKNOWNS && !given)
    }

    /// The model of the rows so far.
    pub fn solve(&self, watch: &mut dyn Watch) -> Result<Fitted> {
        in_pool(self.learner.threads, || self.clone().solve_here(None, None, watch))
    }

    /// Uses up the moments: nothing of their size is copied where one factorisation in their place is enough.
    pub(super) fn solve_here(
        mut self,
        again: Option<Again>,
        mixed: Option<Mixed>,
        watch: &mut dyn Watch,
    ) -> Result<Fitted> {
        let nothing = Moments::new(0, 0);
        let mut data = self.learner.centred(std::mem::replace(&mut self.moments, nothing));
        check_observed(&data.iter().map(|c| c.weight).collect::<Vec<_>>())?;
        let metric = self.learner.metric.as_ref().map(|m| self.stage.scaled_metric(m.mat())).transpose()?;
        watch.stage("solve");
        watch.advance(0)?;
        let Solved { solution, ridge, path, reasons } =
            self.solved(&mut data, metric.as_ref(), again, mixed, watch)?;
        let mut choices = self.choices.clone();
        reasons.into_iter().for_each(|reason| choices.say(watch, reason));
        choices.say(watch, format!("solved by {}", solution.how));
        let unjudged = again.is_some_and(|a| a.part.is_some());
        let reasons = [
            (ridge == 0.0, "a ridge of 0 has no posterior"),
            (solution.posterior.is_none(), "too many unknowns for a posterior"),
            (!unjudged && !judged(&data), TOO_FEW),
        ];
        if let Some((_, why)) = reasons.into_iter().find(|(holds, _)| *holds && self.learner.posterior) {
            choices.say(watch, format!("no error bars: {why}"));
        }
        let iterations = solution.iterations;
        let model = self.solution_model(&data, solution, metric.as_ref(), unjudged);
        Ok(Fitted { model, training: self.training(ridge, path, choices, iterations) })
    }

    /// The model of a solution from moments; `unjudged` keeps the posterior even where there is no noise to learn.
    pub(super) fn solution_model(
        &self,
        data: &[Centred],
        solution: Solution,
        metric: Option<&Mat<f64>>,
        unjudged: bool,
    ) -> Linear {
        let columns = columns(data, &solution, self.learner.ridge);
        // leverages there are even where there is no noise to learn
        let posterior = solution.posterior.filter(|_| unjudged || judged(data)).map(|spreads| {
            let mean = Mat::from_fn(solution.table.nrows(), data.len(), |i, t| data[t].mean_c[i]);
            Posterior::new(spreads, mean, data.iter().map(|d| d.weight).collect(), self.learner.offset)
                .with_metric(metric)
        });
        self.model(solution.table, &columns, metric, posterior)
    }

    /// How the model came to be.
    pub(super) fn training(self, ridge: f64, path: Vec<PathPoint>, choices: Choices, iterations: usize) -> Training {
        // ridges too small to have a finite score say nothing
        let path = path.into_iter().filter(|p| p.gcv.is_finite() && p.evidence.is_finite()).collect();
        let Gathering { rows, kernel, points, .. } = self;
        Training { rows, kernel: Some(kernel), ridge, choices: choices.lines, path, points, iterations }
    }

    /// From scaled units to the user's: the table (M×p), and constant and variances of each of its columns.
    pub(super) fn model(
        &self,
        table: Mat<f64>,
        columns: &[Column],
        metric: Option<&Mat<f64>>,
        posterior: Option<Posterior>,
    ) -> Linear {
        let Stage { preparation, means, scales } = self.stage.clone();
        let (views, m) = (preparation.views.len(), table.nrows());
        let p = means.len();
        let column = |t: usize| &columns[if views > 0 { 0 } else { t }];
        let offset = (0..p).map(|t| means[t] + scales[t] * column(t).constant).collect();
        // with a metric all outputs tell of one variance
        let among = |of: &dyn Fn(usize) -> f64| -> Vec<f64> {
            match metric {
                None => (0..p).map(of).collect(),
                Some(metric) => {
                    let common = (0..p).map(|t| of(t) / metric[(t, t)]).sum::<f64>() / p as f64;
                    (0..p).map(|t| common * metric[(t, t)]).collect()
                }
            }
        };
        let variances = among(&|t| column(t).noise);
        let correlation = |s: usize, t: usize| match metric {
            None => f64::from(u8::from(s == t)),
            Some(metric) => metric[(s, t)] / (metric[(s, s)] * metric[(t, t)]).sqrt(),
        };
        let sd = |t: usize| variances[t].sqrt() * scales[t];
        let noise = Mat::from_fn(p, p, |s, t| match s == t {
            true => variances[t] * scales[t] * scales[t],
            false => correlation(s, t) * sd(s) * sd(t),
        });
        let sigma2 = among(&|t| column(t).sigma2);
        let unit = (0..p).map(|t| sigma2[t].sqrt() * scales[t]).collect();
        let posterior = posterior.map(|posterior| posterior.with_unit(unit));
        let table = match views {
            0 => Mat::from_fn(m, p, |i, t| table[(i, t)] * scales[t]),
            _ => table,
        };
        let map = self.map.clone();
        let posterior = posterior.into();
        Linear { preparation, map, table, offset, noise, output_scale: scales, posterior, warp: None }
    }
}

/// Constant and variances of each column of the table, solved for a ridge that was found so.
pub(super) fn columns(data: &[Centred], solution: &Solution, ridge: Ridge) -> Vec<Column> {
    let (table, spread) = (&solution.table, &solution.spread);
    let columns = table.ncols();
    let explained: Vec<(f64, f64)> = match data {
        [all] => all.explained(0..columns, table.as_ref(), spread.as_ref().map(Mat::as_ref)),
        each => {
            let spread = |t: usize| spread.as_ref().map(|s| s.subcols(t, 1));
            (0..columns).flat_map(|t| each[t].explained(t..t + 1, table.subcols(t, 1), spread(t))).collect()
        }
    };
    let misfit = |(t, (_, rss)): (usize, &(f64, f64))| {
        let one = &data[t.min(data.len() - 1)];
        let weight = if one.observations > 0.0 { one.weight / one.observations } else { 1.0 };
        let known = solution.freedom.as_ref().map_or(0.0, |f| f[t]);
        Misfit { rss: *rss, penalty: solution.penalty[t], count: one.count, spent: known, weight }
    };
    let mut misfits: Vec<Misfit> = explained.iter().enumerate().map(misfit).collect();
    if solution.freedom.is_none() {
        spent(&mut misfits, ridge == Ridge::Evidence);
    }
    misfits.into_iter().zip(explained).map(|(misfit, (constant, _))| misfit.column(constant)).collect()
}

/// Why there are no error bars with no more rows than constants.
pub(super) const TOO_FEW: &str = "too few rows to tell noise from the constants";

/// Whether there are more rows than constants: else there is no noise to learn, and no error bar.
fn judged(data: &[Centred]) -> bool {
    data.iter().all(|c| c.count >= 1.0)
}
