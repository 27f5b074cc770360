//! Classification: ridge regression on the corners of a simplex, in one pass over the rows; or another loss, by passes.

use super::begin::in_pool;
use super::calibrate::{self, Link};
use super::coded::{Coded, Tally, tally};
use super::declare::declare;
use super::held::Held;
use super::ridge::{Again, Ridge};
use super::weighing::Weighing;
use super::{Fitted, Regression, Solver};
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, reblock};
use crate::kernel::{Kernel, Units};
use crate::loss::Named;
use crate::model::{Alignment, Calibration, Classes, Code, Labels, Linear, Training};
use crate::params::{Auto, Params};
use crate::rows::Rows;
use crate::watch::Watch;
use serde::{Deserialize, Serialize};

declare! {
    /// Classification with an operator-valued kernel, through random features.
    pub struct Classification:
        {
            /// The kernel: a name, an expression such as "matern(2.5)" or "gaussian + 0.1*laplace", or its structured form.
            kernel / kernel: Kernel = Kernel::default(), Kind::Kernel;
        }
        lengthscale group drawn losses_of_classes precision memory tolerance_of_classes seed
}

/// Relative residual of conjugate gradients, unless another is asked for.
const RESIDUAL: f64 = 1e-10;

/// Losses of classification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassLoss {
    /// ‖f(x) − c‖² with the code c of the row's class.
    #[default]
    Squared,
    /// Σ over classes c of [1 − y_c f_c(x)]₊, y_c = 1 for the row's class and −1 for others.
    Hinge,
    /// Σ over classes c of [1 − y_c f_c(x)]₊².
    SquaredHinge,
    /// Σ over classes c other than the row's of [1/(T−1) + ⟨c, f(x)⟩]₊.
    SimplexHinge,
    /// log Σ over classes c of exp⟨c − c_y, f(x)⟩.
    Logistic,
}

impl ClassLoss {
    /// Their names.
    pub const NAMES: &[&str] = &["squared", "hinge", "squared-hinge", "simplex-hinge", "logistic"];

    /// The loss of outputs, unless there is a closed form.
    pub(super) fn named(self) -> Option<Named> {
        match self {
            ClassLoss::Squared => None,
            ClassLoss::Hinge => Some(crate::loss::Hinge.into()),
            ClassLoss::SquaredHinge => Some(crate::loss::SquaredHinge.into()),
            ClassLoss::SimplexHinge => Some(crate::loss::SimplexHinge.into()),
            ClassLoss::Logistic => Some(crate::loss::Logistic.into()),
        }
    }

    /// How outputs stand for T classes. Of two classes, one output tells.
    pub(super) fn code(self, classes: usize) -> Code {
        match self {
            ClassLoss::Hinge | ClassLoss::SquaredHinge if classes > 2 => Code::OneVsRest,
            _ => Code::Simplex,
        }
    }
}

/// What fitting returns.
pub struct FittedClasses<M = Linear> {
    /// The model, whose outputs are points among the corners of the simplex, or scores of the classes.
    pub model: M,
    /// What they say of classes.
    pub classes: Classes,
    /// How it was trained.
    pub training: Training,
}

impl Classification {
    /// Learns from rows whose one output is the number of a class. A first pass counts the classes and draws a sample,
    /// then regression on codes takes the passes it takes, and at most 10 000 rows, each predicted by the model without
    /// it, calibrate the probabilities. Time N·M² + K³; with other losses N·M·T for each of some hundred passes.
    ///
    /// ```
    /// use orff::learn::Classification;
    /// use orff::loss::Simplex;
    /// use orff::rows::{Inputs, Table};
    /// use orff::model::Query;
    /// use orff::watch::Silent;
    /// let x = faer::Mat::from_fn(90, 1, |i, _| (i % 3) as f64 * 4.0 + (i / 3) as f64 / 30.0);
    /// let y = faer::Mat::from_fn(90, 1, |i, _| (i % 3) as f64);
    /// let found = Classification::default().fit(&Table::new(x.clone(), y)?, &mut Silent)?;
    /// let f = found.model.predict(&Inputs::Dense(x), Query::default())?.mean; // 90×2
    /// assert!((0..90).all(|i| Simplex::new(3).decode(&[f[(i, 0)], f[(i, 1)]]) == i % 3));
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedClasses> {
        self.check()?;
        Ok(in_pool(self.threads, || self.fit_here(rows, None, watch))?.0)
    }

    /// Learns; with weights of atoms that are learned first, if asked for.
    pub(super) fn fit_here(
        &self,
        rows: &dyn Rows,
        weighing: Option<Weighing>,
        watch: &mut dyn Watch,
    ) -> Result<(FittedClasses, Option<Alignment>)> {
        if self.kernel.views().is_some() {
            let why = "its outputs are views of one function, not the corners of a simplex; use another kernel";
            return Err(Error::refused("a transformable kernel with classes", why));
        }
        let tally = tally(rows, self.seed, watch)?;
        let code = self.loss.code(tally.names.len());
        let coded = Coded::new(rows, code, &tally, &self.class_weight)?;
        match self.loss.named() {
            None => self.fit_squared(&coded, tally, weighing, watch),
            Some(loss) => self.fit_risk(&loss, &coded, tally, weighing, watch),
        }
    }

    fn fit_squared(
        &self,
        coded: &Coded,
        tally: Tally,
        weighing: Option<Weighing>,
        watch: &mut dyn Watch,
    ) -> Result<(FittedClasses, Option<Alignment>)> {
        let learner = self.regression();
        // a common unit: nothing depends on the order of the classes
        let (mut gathering, begun, _) =
            learner.begin_here(coded, Some(Units::Common), (false, weighing.is_some()), watch)?;
        tally.absent().for_each(|line| gathering.choices.say(watch, line));
        let alignment = weighing.map(|w| w.reweigh(&mut gathering, coded, watch)).transpose()?;
        let part = |batch: &_| coded.left(batch);
        let again = Again { rows: coded, part: Some(&part) };
        let (mut fitted, calibration): (Fitted, _) = if gathering.iterates() {
            // no leverages here: some rows are held out of a first solution, and join the second
            let held = Held::new(coded, self.seed, tally.sample.total);
            gathering.absorb(reblock(&held.rest(), BLOCK_ROWS)?, watch)?;
            let early = gathering.clone().solve_here(Some(again), None, watch)?;
            let calibration = held.calibrate(&early.model, Link::Shares, watch)?;
            gathering.absorb(reblock(&held, BLOCK_ROWS)?, watch)?;
            let all = gathering.solve_here(Some(again), None, watch)?;
            (all, calibration)
        } else {
            let fitted = learner.fit_here(again, gathering, begun, watch)?;
            let calibration = calibrate::leave_one_out(&fitted.model, coded, &tally.sample.rows, watch)?;
            (fitted, calibration)
        };
        // what it was needed for is done
        fitted.model.posterior = None.into();
        Ok((self.fitted(fitted, coded, tally, calibration, watch), alignment))
    }

    /// The model with its classes.
    pub(super) fn fitted(
        &self,
        Fitted { model, mut training }: Fitted,
        coded: &Coded,
        tally: Tally,
        calibration: Calibration,
        watch: &mut dyn Watch,
    ) -> FittedClasses {
        let line = calibration.how();
        watch.say(&line);
        training.choices.push(line);
        let labels = Labels::of(&tally.names);
        let classes = Classes { names: tally.names, labels, weights: tally.weights, code: coded.code, calibration };
        FittedClasses { model, classes, training }
    }

    /// The regression on codes. Its posterior has the leverages.
    pub(super) fn regression(&self) -> Regression {
        let Classification { kernel, lengthscale, group, features, map, draw, measure, sum, .. } = self.clone();
        Regression {
            solver: Auto::Fixed(Solver::Moments),
            kernel,
            lengthscale,
            group,
            features,
            map,
            draw,
            measure,
            sum,
            ridge: self.ridge.fixed().unwrap_or(Ridge::Loo),
            offset: self.offset,
            metric: None,
            posterior: true,
            precision: self.precision,
            memory: self.memory,
            tolerance: self.tolerance.fixed().unwrap_or(RESIDUAL),
            iterations: self.iterations,
            seed: self.seed,
            threads: self.threads,
        }
    }
}
