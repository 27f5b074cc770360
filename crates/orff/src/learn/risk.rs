//! Regression with any loss of the outputs, by the solver that is asked for: passes, batches or single rows. \[risk\]

use super::begin::{self, Begun, Choices, FittedExact, Scaled, in_pool};
use super::choose::{self, Prepared};
use super::declare::declare;
use super::mixed::Precision;
use super::noise::Column;
use super::ridge::times_rows;
use super::stage::{Stage, training_points};
use super::{Fitted, Gathering, Regression, Ridge, Sample, Solver, sample};
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Blocks, Kept, MapKind, Mapped, Moments, reblock};
use crate::kernel::Kernel;
use crate::loss::{Huber, Loss, Named};
use crate::model::{Body, Training};
use crate::params::{Auto, Form, Params};
use crate::rows::{Batch, Rows, Weights};
use crate::solve::doubly::{self, Doubly};
use crate::solve::online::{self, Onorma};
use crate::solve::projected::{self, minimise_projected};
use crate::solve::{check_observed, minimise_risk, risk};
use crate::watch::Watch;
use serde::{Deserialize, Serialize};

declare! {
    /// Regression of several outputs with any loss, through random features or, row by row, with the kernel itself.
    pub struct RiskRegression:
        kernel lengthscale group drawn
        {
            /// The loss of each output in its deviations (fields: in one unit): squared; huber(δ), squared up to δ and linear
            /// beyond; epsilon-insensitive(ε); pinball(τ), whose minimum is the quantile τ.
            loss / loss: Named = Named::Huber(Huber::default()), Kind::Form(&OF_NUMBERS);
            /// How it is minimised. l-bfgs: over the rows again and again, to a stated gap. projected: the same with every atom
            /// bounded in place of a ridge. stochastic: batches of rows and blocks of features, which are drawn again when
            /// they are needed (doubly stochastic gradients). online: row by row with the kernel itself and a budget (ONORMA).
            solver / solver: RiskSolver = RiskSolver::LBfgs, Kind::Choice(RiskSolver::NAMES);
            /// The ridge: a number > 0 (λ of the mean loss), or auto: that of the squared loss with the largest evidence on a
            /// sample.
            ridge / alpha: Auto<f64> = Auto::Auto, Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
            /// Projected: the bound R of ‖θⱼ‖ ≤ R/√D for each of D atoms.
            bound / bound: f64 = 10.0, Kind::Number { min: 0.0, max: f64::INFINITY, open: true };
        }
        offset
        {
            /// Relative duality gap at which l-bfgs and projected stop.
            tolerance / tol: f64 = 1e-4, Kind::Number { min: 0.0, max: 1.0, open: true };
            /// Most passes over the rows. auto: 2000 (l-bfgs), 5000 (projected); as many as make 2000 batches (stochastic) or
            /// 20 000 rows (online), at most 100, and one where rows are read once.
            passes / max_iter: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: u64::MAX });
            /// Stochastic: rows of a batch.
            batch / batch_size: usize = 256, Kind::Count { min: 1, max: u64::MAX };
            /// Stochastic: features of a block.
            block / block_size: usize = 200, Kind::Count { min: 1, max: 10_000_000 };
            /// First step. Stochastic: relative to the one that is safe (auto: 1). Online: η of η/√t at row t (auto: 0.25).
            step / eta0: Auto<f64> = Auto::Auto, Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
            /// Online: most rows that the function remembers; beyond, the oldest is dropped.
            budget / budget: usize = 1000, Kind::Count { min: 1, max: 10_000_000 };
        }
        limits
}

/// A loss of numbers.
const OF_NUMBERS: Form = Form {
    name: "LOSS",
    expected: "squared, huber(δ) with δ > 0, epsilon-insensitive(ε) with ε ≥ 0, or pinball(τ) with 0 < τ < 1",
    words: &["squared", "huber(1)", "epsilon-insensitive(0.1)", "pinball(0.5)"],
    fits: |text| {
        use Named::{EpsilonInsensitive, Huber, Pinball, Squared};
        matches!(text.parse(), Ok(Squared(_) | Huber(_) | EpsilonInsensitive(_) | Pinball(_)))
    },
    wrong: &[
        "cubed",
        "huber(0)",
        "huber(",
        "epsilon-insensitive(-1)",
        "pinball(1)",
        "squared(2)",
        "hinge",
        "logistic",
    ],
    optional: false,
};

/// How a risk is minimised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RiskSolver {
    /// By passes over the rows, to a duality gap: [`minimise_risk`].
    #[default]
    LBfgs,
    /// With bounded atoms in place of a ridge: [`minimise_projected`].
    Projected,
    /// By batches: [`Doubly`].
    Stochastic,
    /// Row by row, with the kernel itself: [`Onorma`].
    Online,
}

impl RiskSolver {
    /// Their names.
    pub const NAMES: &[&str] = &["l-bfgs", "projected", "stochastic", "online"];

    /// Whether rows may be read once only.
    fn streams(self) -> bool {
        matches!(self, RiskSolver::Stochastic | RiskSolver::Online)
    }
}

/// Passes of l-bfgs and projected gradients, where none are given.
const PASSES: (usize, usize) = (2000, 5000);
/// Batches and rows that are enough, and most passes to make so many.
const ENOUGH: (usize, usize) = (2000, 20_000);
const AGAIN: usize = 100;
/// So many times the loss of predicting the mean is no solution but a divergence.
const WORSE: f64 = 2.0;
/// First step of online learning: the squared loss of a row falls to a quarter.
const STEP: f64 = 0.25;
/// What predictions of smooth losses may still change, relative: so little that rounding does not matter where passes are cheap.
const CHANGE: (f64, f64) = (1e-10, 1e-7);
const SMALL: usize = 1 << 20;

/// What fitting returns: linear in features or, online, in sections of the kernel.
pub struct FittedRisk {
    /// The model.
    pub body: Body,
    /// How it was trained.
    pub training: Training,
}

impl RiskRegression {
    /// Learns from rows: a sample fixes what is left open, then the solver goes over them. Time N·M·p for each pass of the
    /// first two solvers, as much for M rows of the third; memory M·p·50, M·p·3, and budget·(d + p).
    ///
    /// ```
    /// use orff::learn::RiskRegression;
    /// use orff::model::Query;
    /// use orff::params::Auto;
    /// use orff::rows::{Inputs, Table};
    /// use orff::watch::Silent;
    /// let x = faer::Mat::from_fn(200, 1, |i, _| i as f64 / 20.0);
    /// // every tenth row is far off
    /// let y = faer::Mat::from_fn(200, 1, |i, _| (i as f64 / 20.0).sin() + if i % 10 == 0 { 8.0 } else { 0.0 });
    /// let learner = RiskRegression {
    ///     loss: "huber(0.05)".parse()?,
    ///     lengthscale: 1.0.into(),
    ///     ridge: Auto::Fixed(1e-4),
    ///     ..RiskRegression::default()
    /// };
    /// let fitted = learner.fit(&Table::new(x.clone(), y)?, &mut Silent)?;
    /// let mean = fitted.body.predict(&Inputs::Dense(x), Query::default())?.mean;
    /// assert!((0..200).all(|i| (mean[(i, 0)] - (i as f64 / 20.0).sin()).abs() < 0.2));
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedRisk> {
        self.check()?;
        in_pool(self.threads, || self.fit_here(rows, watch))
    }

    fn fit_here(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedRisk> {
        if self.kernel.views().is_some() {
            let why = "its rows are rows of several points; use the squared loss (regression)";
            return Err(Error::refused("a transformable kernel with other losses", why));
        }
        if !rows.rereadable() && !self.solver.streams() {
            let how = "save the rows to a file, or use solver stochastic or online";
            return Err(Error::refused("several passes over rows that are read once", how));
        }
        if self.solver == RiskSolver::Online {
            let fitted = self.online(rows, watch)?;
            return Ok(FittedRisk { body: Body::Exact(Box::new(fitted.model)), training: fitted.training });
        }
        let fitted = match self.solver {
            RiskSolver::Stochastic => self.stochastic(rows, watch)?,
            _ => self.over_rows(rows, watch)?,
        };
        Ok(FittedRisk { body: Body::Linear(Box::new(fitted.model)), training: fitted.training })
    }

    /// The squared loss of the same kernel, which chooses what is left open.
    fn regression(&self) -> Regression {
        let RiskRegression { kernel, lengthscale, group, features, map, draw, measure, sum, .. } = self.clone();
        Regression {
            kernel,
            lengthscale,
            group,
            features,
            map,
            draw,
            measure,
            sum,
            solver: Auto::Fixed(Solver::Rows),
            precision: Auto::Fixed(Precision::Double),
            posterior: false,
            ridge: self.ridge.fixed().map_or(Ridge::Evidence, Ridge::Given),
            offset: self.offset,
            memory: self.memory,
            seed: self.seed,
            threads: self.threads,
            ..Regression::default()
        }
    }

    /// The ridge, given or that of the squared loss on the sample with nλ kept.
    fn ridge(
        &self,
        (stage, kernel, drawn): (&Stage, &Kernel, &Sample),
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<f64> {
        if let Some(ridge) = self.ridge.fixed() {
            return times_rows(ridge, drawn.rows.outputs.nrows() as f64).map(|_| ridge);
        }
        if self.solver == RiskSolver::Projected {
            return Ok(0.0);
        }
        let (inputs, outputs, weights) = stage.prepare(&drawn.rows, 1)?;
        let counts = |i: usize| begin::row_weight(&outputs, weights.as_ref(), i);
        let sampled: f64 = (0..outputs.nrows()).map(counts).sum();
        if sampled <= 0.0 {
            check_observed(&[sampled])?;
        }
        let preparation = &stage.preparation;
        let prepared =
            Prepared { inputs: &inputs, outputs: &outputs, weights: weights.as_ref(), rows: 0.0, preparation };
        let (shift, _) = choose::shift(&self.regression(), kernel, &prepared, watch)?;
        let all = sampled * drawn.total.map_or(1.0, |total| total as f64 / outputs.nrows() as f64);
        let ridge = shift / all.max(1.0);
        choices.say(watch, format!("ridge {ridge:.3e}: that of the squared loss with the largest evidence"));
        Ok(ridge)
    }

    /// By passes over the rows.
    fn over_rows(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Fitted> {
        let (mut gathering, begun, _) = self.regression().begin_here(rows, None, (true, false), watch)?;
        gathering.rows = begun.drawn.total.unwrap_or(0);
        let mut choices = std::mem::take(&mut gathering.choices);
        let ridge = self.ridge((&gathering.stage, &gathering.kernel, &begun.drawn), &mut choices, watch)?;
        let prepare = |batch: Batch, first: usize| -> Result<Batch> {
            sample::check(&batch, first)?;
            let (inputs, outputs, weights) = gathering.stage.prepare(&batch, first + 1)?;
            Ok(Batch { inputs, outputs, weights })
        };
        let mapped = Mapped::new(&gathering.map, rows, &prepare);
        let design = Kept::new(&mapped, (0.25e6 * self.memory as f64) as usize);
        let small = gathering.rows * gathering.map.unknowns() <= SMALL;
        let (table, offset, how, done, iterations, passes) = if self.solver == RiskSolver::Projected {
            let max_passes = self.passes.fixed().unwrap_or(PASSES.1);
            let params =
                projected::Params { bound: self.bound, offset: self.offset, gap: self.tolerance, max_passes };
            let found = minimise_projected(&design, &self.loss, &gathering.map.atom_of_unknown(), params, watch)?;
            let (how, done) = (found.report.how(), found.report.reason == projected::Reason::Converged);
            (found.table, found.offset, how, done, found.report.iterations, found.report.passes)
        } else {
            let params = risk::Params {
                ridge,
                offset: self.offset,
                gap: self.tolerance,
                tol: if small { CHANGE.0 } else { CHANGE.1 },
                settle: small,
                max_passes: self.passes.fixed().unwrap_or(PASSES.0),
                ..risk::Params::default()
            };
            let found = minimise_risk(&design, &self.loss, params, risk::Start::default(), watch)?;
            let done = found.report.reason != crate::solve::lbfgs::Reason::MaxPasses;
            (found.table, found.offset, found.report.how(), done, found.report.iterations, found.report.passes)
        };
        choices.say(watch, format!("solved by {how}"));
        if !done {
            choices.say(watch, format!("not converged after {passes} passes: raise passes, or the tolerance"));
        }
        let columns: Vec<Column> = offset.iter().map(|b| Column::of(*b)).collect();
        let model = gathering.model(table, &columns, None, None);
        Ok(Fitted { model, training: gathering.training(ridge, Vec::new(), choices, iterations.max(1)) })
    }

    /// Scales, kernel and ridge from a sample of the rows, and the number of the kernel's inputs.
    fn begin<'a>(&self, rows: &'a dyn Rows, watch: &mut dyn Watch) -> Result<(Begun<'a>, Choices, f64, usize)> {
        let (learner, mut choices) = (self.regression(), Choices::default());
        let sampled = begin::sampled(&learner, rows, None, watch)?.coupled(&learner, &mut choices, watch)?;
        let d = sampled.dimension();
        let begun = sampled.begin(&learner, &mut choices, watch)?;
        let ridge = self.ridge((&begun.stage, &begun.kernel, &begun.drawn), &mut choices, watch)?;
        Ok((begun, choices, ridge, d))
    }

    /// By batches of rows and blocks of features.
    fn stochastic(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Fitted> {
        let (mut begun, mut choices, ridge, d) = self.begin(rows, watch)?;
        let by = self.regression();
        let features = match self.features.fixed() {
            Some(features) => features,
            None => {
                let known = begun.drawn.size().unwrap_or(usize::MAX / 16);
                let unknowns = by.unknowns_per_character(&begun.kernel, d)?;
                let (features, reason) = choose::features(known, rows.outputs(), unknowns, true, self.map.kind(2));
                choices.say(watch, reason);
                features
            }
        };
        let kind = self.map.kind(features);
        // pairs come in twos
        let even = |n: usize| if kind == MapKind::Pairs { n.div_ceil(2) * 2 } else { n };
        let params = doubly::Params {
            features,
            block: even(self.block.min(features)),
            ridge,
            offset: self.offset,
            kind,
            draw: by.how(&begun.kernel, d),
            sum: self.sum,
            step: self.step.fixed().unwrap_or(1.0),
            precondition: true,
        };
        let stage = begun.stage.clone();
        let mut learner = Doubly::new(begun.inner.clone(), d, &self.loss, params)?;
        watch.stage("learn");
        let enough = ENOUGH.0.saturating_mul(self.batch);
        let mut nothing = Nothing::default();
        let read = self.again(rows, &mut begun, enough, &mut |block: Batch, before: usize| {
            let (inputs, outputs, weights) = stage.prepare(&block, before + 1)?;
            let all = Batch { inputs, outputs, weights };
            nothing.add(&self.loss, &all.outputs);
            for first in (0..all.inputs.nrows()).step_by(self.batch) {
                let batch = all.slice(first, (first + self.batch).min(all.inputs.nrows()));
                learner.step(&batch)?;
                watch.advance(batch.inputs.nrows() as u64)?;
            }
            Ok(())
        })?;
        let report = learner.report();
        choices.say(watch, format!("solved by {}", report.how(read)));
        nothing.check(report.loss)?;
        let (map, theta, offset) = learner.solution()?;
        let table = map.lift(&theta);
        let columns: Vec<Column> = offset.iter().map(|b| Column::of(*b)).collect();
        let gathering = Gathering {
            learner: by,
            stage,
            kernel: begun.kernel.clone(),
            moments: Moments::new(0, 0),
            map,
            rows: read,
            choices: Choices::default(),
            points: training_points(&begun.drawn.rows),
        };
        let model = gathering.model(table, &columns, None, None);
        Ok(Fitted { model, training: gathering.training(ridge, Vec::new(), choices, report.steps.max(1) as usize) })
    }

    /// Row by row, with the kernel itself.
    fn online(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedExact> {
        let (mut begun, mut choices, ridge, d) = self.begin(rows, watch)?;
        let step = self.step.fixed().unwrap_or(STEP);
        // its penalty is half of λ‖f‖²
        let params = online::Params { ridge: 2.0 * ridge, step, budget: self.budget };
        let mut learner = Onorma::new(begun.inner.clone(), d, &self.loss, params)?;
        let stage = begun.stage.clone();
        watch.stage("learn");
        let read = self.again(rows, &mut begun, ENOUGH.1, &mut |block: Batch, before: usize| {
            if matches!(block.weights, Some(Weights::Row(_) | Weights::Entry(_))) {
                return Err(Error::refused(
                    "weights of rows in online learning",
                    "repeat rows, or use another solver",
                ));
            }
            let (inputs, outputs, _) = stage.prepare(&block, before + 1)?;
            let x = inputs.to_dense();
            for i in 0..x.nrows() {
                let row = |m: &faer::Mat<f64>| m.row(i).iter().copied().collect::<Vec<f64>>();
                learner.step(&row(&x), &row(&outputs))?;
                watch.advance(1)?;
            }
            Ok(())
        })?;
        let report = learner.report();
        choices.say(watch, format!("solved by {}", report.how(read)));
        let (points, coefficients) = learner.expansion();
        let columns = (0..coefficients.ncols()).map(|_| Column::of(0.0)).collect();
        let found = Scaled { points, coefficients, columns, posterior: None };
        Ok(begun.finish(found, ridge, Vec::new(), choices, read))
    }

    /// Shows the rows, again and again until there were enough of them; returns their number.
    fn again<'a>(
        &self,
        rows: &'a dyn Rows,
        begun: &mut Begun<'a>,
        enough: usize,
        each: &mut dyn FnMut(Batch, usize) -> Result<()>,
    ) -> Result<usize> {
        let mut once = |blocks: Blocks| -> Result<usize> {
            let mut read = 0;
            for block in blocks {
                let block = block?;
                let n = block.inputs.nrows();
                sample::check(&block, read)?;
                each(block, read)?;
                read += n;
            }
            Ok(read)
        };
        let read = once(begun.blocks(rows)?)?;
        let passes = match self.passes {
            Auto::Fixed(passes) if passes > 1 && !rows.rereadable() => {
                return Err(Error::refused("several passes over rows that are read once", "give one pass"));
            }
            Auto::Fixed(passes) => passes,
            Auto::Auto if !rows.rereadable() => 1,
            Auto::Auto => enough.div_ceil(read.max(1)).clamp(1, AGAIN),
        };
        for _ in 1..passes {
            once(reblock(rows, BLOCK_ROWS)?)?;
        }
        Ok(read)
    }
}

/// The loss of predicting nothing but the mean: what learns without diverging comes to less.
#[derive(Default)]
struct Nothing {
    sum: f64,
    rows: f64,
}

impl Nothing {
    /// Rows in scaled outputs; those with gaps do not count.
    fn add(&mut self, loss: &dyn Loss, outputs: &faer::Mat<f64>) {
        let (zero, mut out) = (vec![0.0; outputs.ncols()], vec![0.0; outputs.ncols()]);
        for i in 0..outputs.nrows() {
            let y: Vec<f64> = outputs.row(i).iter().copied().collect();
            if y.iter().all(|y| y.is_finite()) {
                self.sum += loss.gradient(&zero, &y, 0.0, &mut out);
                self.rows += 1.0;
            }
        }
    }

    fn check(&self, reached: f64) -> Result<()> {
        let mean = self.sum / self.rows.max(1.0);
        if self.rows == 0.0 || reached <= WORSE * mean || (mean == 0.0 && reached.is_finite()) {
            return Ok(());
        }
        let why = format!(
            "they diverged: mean loss {reached:.3e}, that of predicting the mean is {mean:.3e}; lower the step, give a larger ridge, or use solver l-bfgs"
        );
        Err(Error::numerical("doubly stochastic gradients", why))
    }
}
