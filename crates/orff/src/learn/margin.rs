//! Classes by losses that have no closed form: passes over the rows. \[risk\]

use super::calibrate::Link;
use super::classification::{Classification, FittedClasses};
use super::coded::{Coded, Tally};
use super::folds::Folds;
use super::gather::Gathering;
use super::held::Held;
use super::mixed::Precision;
use super::noise::Column;
use super::ridge::Ridge;
use super::weighing::Weighing;
use super::{ClassLoss, Fitted, Regression, Solver, choose, sample};
use crate::error::{Error, Result};
use crate::feature::{Kept, Mapped};
use crate::kernel::Units;
use crate::loss::{Loss, Named};
use crate::model::{Alignment, Calibration, Preparation};
use crate::params::Auto;
use crate::rows::{Batch, Rows};
use crate::solve::risk::{self, Minimum, Start};
use crate::solve::{Preconditioner, lbfgs, minimise_risk};
use crate::watch::Watch;
use faer::Mat;

/// Relative duality gap of losses with corners, unless another is asked for.
const GAP: f64 = 1e-3;
/// What predictions of smooth losses may still change, relative, unless asked otherwise; where passes are cheap, so little that
/// rounding and the order of rows do not matter.
const CHANGE: (f64, f64) = (1e-10, 1e-6);
/// Rows times unknowns of cheap passes.
const SMALL: usize = 1 << 20;
/// Vectors of unknowns that L-BFGS holds.
const VECTORS: f64 = 50.0;

/// Rows as a loss takes them: inputs in the kernel's coordinates, outputs of each class or the number of the class.
pub(super) struct Targets<'a> {
    pub coded: &'a Coded<'a>,
    pub preparation: &'a Preparation,
    pub loss: &'a Named,
}

impl Targets<'_> {
    /// From coded rows, of which `first` come before.
    pub fn of(&self, batch: Batch, first: usize) -> Result<Batch> {
        sample::check(&batch, first)?;
        let inputs = self.preparation.prepare(&batch.inputs, first + 1)?;
        let outputs = if self.loss.nature().by_output {
            batch.outputs
        } else {
            let classes = self.coded.classes_of(&batch);
            Mat::from_fn(classes.len(), 1, |i, _| classes[i] as f64)
        };
        Ok(Batch { inputs, outputs, weights: batch.weights })
    }
}

impl Classification {
    pub(super) fn fit_risk(
        &self,
        loss: &Named,
        coded: &Coded,
        tally: Tally,
        weighing: Option<Weighing>,
        watch: &mut dyn Watch,
    ) -> Result<(FittedClasses, Option<Alignment>)> {
        let given = match self.ridge {
            Auto::Auto => None,
            Auto::Fixed(Ridge::Given(ridge)) => Some(ridge),
            Auto::Fixed(_) => {
                let why = "it is known in closed form for the squared loss; give a number, or auto for folds";
                return Err(Error::refused(format!("this choice of the ridge with loss {loss}"), why));
            }
        };
        let learner = Regression {
            solver: Auto::Fixed(Solver::Rows),
            ridge: given.map_or(Ridge::Evidence, Ridge::Given),
            precision: Auto::Fixed(Precision::Double),
            posterior: false,
            ..self.regression()
        };
        // the kernel is chosen as for the squared loss
        let (mut gathering, _, plan) =
            learner.begin_here(coded, Some(Units::Common), (true, weighing.is_some()), watch)?;
        let vectors = 8e-6 * VECTORS * gathering.map.unknowns() as f64;
        if plan.megabytes + vectors > self.memory as f64 {
            return Err(choose::too_many(gathering.map.characters(), plan.megabytes + vectors, self.memory));
        }
        tally.absent().for_each(|line| gathering.choices.say(watch, line));
        let alignment = weighing.map(|w| w.reweigh(&mut gathering, coded, watch)).transpose()?;
        if self.precision == Auto::Fixed(Precision::Mixed) {
            gathering.choices.say(watch, "double precision: mixed precision corrects the squared loss only".into());
        }
        // what these losses compare with are no measurements: they have no unit
        gathering.stage.means.fill(0.0);
        gathering.stage.scales.fill(1.0);
        gathering.rows = tally.sample.total.unwrap_or(tally.sample.rows.inputs.nrows());

        let preparation = gathering.stage.preparation.clone();
        let targets = Targets { coded, preparation: &preparation, loss };
        let (total, own) = (coded.total(&tally), self.loss == ClassLoss::Logistic);
        let (mut ridge, mut judged, mut twice) = (given.unwrap_or(UNKNOWN), None, false);
        if given.is_none() || !own {
            let folds = Folds::of(&targets, &gathering.map, &tally.sample, watch)?;
            twice = !own && !folds.whole;
            if given.is_none() || !twice {
                let found = folds.along(self.offset, own, given.map(|ridge| ridge * total), watch)?;
                if given.is_none() {
                    ridge = found.as_ref().map_or(UNKNOWN, |found| found.shift / total);
                    let by = found.as_ref().map_or("too few rows to compare others", |found| &found.reason);
                    gathering.choices.say(watch, format!("ridge {ridge:.3e}: {by}"));
                }
                judged = found.map(|found| found.judged);
            }
        }
        let (fitted, calibration) = if twice {
            self.solve_twice(gathering, &targets, ridge, tally.sample.total, watch)?
        } else {
            let fitted = self.solve(gathering, coded, &targets, ridge, watch)?;
            watch.stage("calibrate");
            let calibration = match judged.filter(|_| !own) {
                Some(judged) => judged.calibrate(watch)?,
                None => Calibration::SOFTMAX,
            };
            (fitted, calibration)
        };
        Ok((self.fitted(fitted, coded, tally, calibration, watch), alignment))
    }

    /// Minimises over some of the rows.
    fn minimum(
        &self,
        gathering: &Gathering,
        rows: &dyn Rows,
        targets: &Targets,
        ridge: f64,
        warm: Option<(&[f64], &Preconditioner)>,
        watch: &mut dyn Watch,
    ) -> Result<(Minimum, Option<Preconditioner>)> {
        let prepare = |batch: Batch, first: usize| targets.of(batch, first);
        let mapped = Mapped::new(&gathering.map, rows, &prepare);
        let design = Kept::new(&mapped, (0.25e6 * self.memory as f64) as usize);
        let default = risk::Params::default();
        let small = gathering.rows * gathering.map.unknowns() <= SMALL;
        let change = if small { CHANGE.0 } else { CHANGE.1 };
        let asked = self.tolerance.fixed();
        let params = risk::Params {
            ridge,
            offset: self.offset,
            gap: asked.unwrap_or(GAP),
            tol: asked.filter(|_| targets.loss.nature().smooth).unwrap_or(change),
            settle: small,
            max_passes: self.iterations,
            ..default
        };
        let made = match warm {
            Some(_) => None,
            None => {
                watch.stage("precondition");
                Some(Preconditioner::new(&design, default.rank, self.offset, watch)?)
            }
        };
        let start = Start { unknowns: warm.map(|w| w.0), preconditioner: warm.map(|w| w.1).or(made.as_ref()) };
        Ok((minimise_risk(&design, targets.loss, params, start, watch)?, made))
    }

    fn solve(
        &self,
        gathering: Gathering,
        rows: &dyn Rows,
        targets: &Targets,
        ridge: f64,
        watch: &mut dyn Watch,
    ) -> Result<Fitted> {
        let (found, _) = self.minimum(&gathering, rows, targets, ridge, None, watch)?;
        Ok(finish(gathering, found, ridge, watch))
    }

    /// Some rows are held out of a first solution, which calibrates, and join the second, which starts from the first.
    fn solve_twice(
        &self,
        gathering: Gathering,
        targets: &Targets,
        ridge: f64,
        total: Option<usize>,
        watch: &mut dyn Watch,
    ) -> Result<(Fitted, Calibration)> {
        let held = Held::new(targets.coded, self.seed, total);
        let (early, by) = self.minimum(&gathering, &held.rest(), targets, ridge, None, watch)?;
        let mut start = early.theta.clone();
        start.extend(early.offset.iter().filter(|_| self.offset));
        let columns: Vec<Column> = early.offset.iter().map(|b| Column::of(*b)).collect();
        let model = gathering.model(early.table, &columns, None, None);
        let calibration = held.calibrate(&model, Link::Softmax, watch)?;
        let warm = by.as_ref().map(|by| (start.as_slice(), by));
        let (found, _) = self.minimum(&gathering, targets.coded, targets, ridge, warm, watch)?;
        Ok((finish(gathering, found, ridge, watch), calibration))
    }
}

/// A ridge where nothing can be compared.
const UNKNOWN: f64 = 1e-3;

/// The model of a minimum, and how it came to be.
fn finish(mut gathering: Gathering, found: Minimum, ridge: f64, watch: &mut dyn Watch) -> Fitted {
    let mut choices = std::mem::take(&mut gathering.choices);
    choices.say(watch, format!("solved by {}", found.report.how()));
    if found.report.reason == lbfgs::Reason::MaxPasses {
        let how = "raise iterations, or the tolerance, or the ridge";
        choices.say(watch, format!("not converged after {} passes: {how}", found.report.passes));
    }
    // a constant, and no noise: labels are not measured
    let columns: Vec<Column> = found.offset.iter().map(|b| Column::of(*b)).collect();
    let model = gathering.model(found.table, &columns, None, None);
    let iterations = found.report.iterations.max(1);
    Fitted { model, training: gathering.training(ridge, Vec::new(), choices, iterations) }
}
