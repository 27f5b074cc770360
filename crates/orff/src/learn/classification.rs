//! Classification: ridge regression on the corners of a simplex, in one pass over the rows.

use super::begin::in_pool;
use super::calibrate::{self, Held};
use super::coded::{Coded, tally};
use super::mixed::Precision;
use super::ridge::{Again, Ridge};
use super::{Fitted, Regression, Solver};
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, MapKind, reblock};
use crate::group::Group;
use crate::kernel::{Kernel, SumDraw, Units};
use crate::model::{Classes, Labels, Linear, Training};
use crate::params::{Auto, Params};
use crate::rows::Rows;
use crate::spectrum::{DrawKind, Lengthscale, Measure};
use crate::watch::Watch;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

crate::params! {
    /// Classification with an operator-valued kernel, through random features.
    pub struct Classification {
        /// The kernel: a name, an expression such as "matern(2.5)" or "gaussian + 0.1*laplace", or its structured form.
        kernel / kernel: Kernel = Kernel::default(), Kind::Kernel;
        /// Lengthscale of every spectrum of the kernel that leaves its own open: auto, a number in the units of the
        /// inputs, or one number per input.
        lengthscale / lengthscale: Lengthscale = Lengthscale::Auto,
            Kind::Auto(&Kind::Several(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true }));
        /// Group on which the kernel is shift-invariant.
        group / group: Group = Group::Additive, Kind::Group;
        /// Number of columns of the feature map.
        features / n_components: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 10_000_000 });
        /// Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and phases
        /// for an odd number of columns.
        map / feature_map: Auto<MapKind> = Auto::Auto, Kind::Auto(&Kind::Choice(&["pairs", "phases"]));
        /// How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        /// error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
        draw / draw: Auto<DrawKind> = Auto::Auto,
            Kind::Auto(&Kind::Choice(&["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"]));
        /// Which measure they are drawn from; trace is bounded and has the smallest error.
        measure / measure: Measure = Measure::Trace, Kind::Choice(Measure::NAMES);
        /// How a sum of kernels shares its atoms.
        sum / sum: SumDraw = SumDraw::Concatenation, Kind::Choice(&["concatenation", "mixture"]);
        /// The loss: squared, on the simplex code of the classes, in closed form.
        loss / loss: ClassLoss = ClassLoss::Squared, Kind::Choice(&["squared"]);
        /// Weights of the classes: balanced (each class counts the same in all), a number for each class by name
        /// (classes without one weigh 1), or none. Probabilities are those of the weighted rows.
        class_weight / class_weight: ClassWeight = ClassWeight::None, Kind::ClassWeights;
        /// The ridge: a number (λ of the mean loss), or how to choose it; loo takes the largest whose exact leave-one-out
        /// error is within 0.01 % of the smallest.
        ridge / alpha: Ridge = Ridge::Loo,
            Kind::WordOr(&["loo", "gcv", "evidence"], &Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
        /// Learn a constant for each class.
        offset / fit_intercept: bool = true, Kind::Flag;
        /// Precision of features and their products: double; or mixed, which computes them in single precision and then
        /// corrects the solution by short passes in double until it is that of double precision, and says so where it
        /// cannot. auto is mixed for inputs in single precision with a given ridge, double otherwise.
        precision / precision: Auto<Precision> = Auto::Auto, Kind::Auto(&Kind::Choice(&["double", "mixed"]));
        /// Most memory in megabytes; a fit that would need more is refused before it starts.
        memory / memory: usize = 16_384, Kind::Count { min: 1, max: u64::MAX };
        /// Relative residual at which conjugate gradients stop.
        tolerance / tol: f64 = 1e-10, Kind::Number { min: 0.0, max: 1.0, open: true };
        /// Most iterations of conjugate gradients.
        iterations / max_iter: usize = 2000, Kind::Count { min: 1, max: u64::MAX };
        /// Seed of every random choice.
        seed / random_state: u64 = 0, Kind::Count { min: 0, max: u64::MAX };
        /// Number of threads; results do not depend on it.
        threads / n_jobs: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 4096 });
    }
}

/// Losses of classification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassLoss {
    /// ‖f(x) − c‖² with the code c of the row's class.
    #[default]
    Squared,
}

/// How much classes count.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ClassWeight {
    /// Every row counts as it is.
    #[default]
    None,
    /// Every class counts the same in all: rows of class c weigh W/(T·W_c).
    Balanced,
    /// Some or all classes by name; others weigh 1.
    Given(Map<String, Value>),
}

impl Serialize for ClassWeight {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            ClassWeight::None => s.serialize_none(),
            ClassWeight::Balanced => s.serialize_str("balanced"),
            ClassWeight::Given(each) => each.serialize(s),
        }
    }
}

impl<'de> Deserialize<'de> for ClassWeight {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        // what else it may be, its declaration has refused
        Ok(match Value::deserialize(d)? {
            Value::Object(each) => ClassWeight::Given(each),
            Value::String(_) => ClassWeight::Balanced,
            _ => ClassWeight::None,
        })
    }
}

impl ClassWeight {
    /// The weight of each class, given its name and Σw of its rows.
    pub(super) fn of(&self, names: &[String], weights: &[f64]) -> Result<Vec<f64>> {
        let each = match self {
            ClassWeight::None => return Ok(vec![1.0; names.len()]),
            ClassWeight::Balanced => {
                let (total, seen) = (weights.iter().sum::<f64>(), weights.iter().filter(|w| **w > 0.0).count());
                let weight = |w: &f64| if *w > 0.0 { total / (seen as f64 * w) } else { 1.0 };
                return Ok(weights.iter().map(weight).collect());
            }
            ClassWeight::Given(each) => each,
        };
        if let Some(stranger) = each.keys().find(|name| !names.contains(name)) {
            let known: Vec<&str> = names.iter().take(20).map(String::as_str).collect();
            let more = if names.len() > known.len() { ", …" } else { "" };
            let expected = format!("weights of the classes {}{more}", known.join(", "));
            return Err(Error::parameter("class_weight", expected, format!("one of \"{stranger}\"")));
        }
        let number = |name: &String| each.get(name).and_then(Value::as_f64).unwrap_or(1.0);
        Ok(names.iter().map(number).collect())
    }
}

/// What fitting returns.
pub struct FittedClasses {
    /// The model, whose outputs are points among the corners of the simplex.
    pub model: Linear,
    /// What they say of classes.
    pub classes: Classes,
    /// How it was trained.
    pub training: Training,
}

impl Classification {
    /// Learns from rows whose one output is the number of a class. A first pass counts the classes and draws a sample,
    /// then regression on codes takes the passes it takes, and at most 10 000 rows, each predicted by the model without
    /// it, calibrate the probabilities. Time N·M² + K³.
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
        in_pool(self.threads, || self.fit_here(rows, watch))
    }

    fn fit_here(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedClasses> {
        if self.kernel.views().is_some() {
            let why = "its outputs are views of one function, not the corners of a simplex; use another kernel";
            return Err(Error::refused("a transformable kernel with classes", why));
        }
        let tally = tally(rows, self.seed, watch)?;
        let coded = Coded::new(rows, &tally, &self.class_weight)?;
        let learner = self.regression();
        // a common unit: nothing depends on the order of the classes
        let (mut gathering, begun, _) = learner.begin_here(&coded, Some(Units::Common), false, watch)?;
        for (name, _) in tally.names.iter().zip(&tally.weights).filter(|(_, w)| **w == 0.0) {
            gathering.choices.say(watch, format!("class {name}: no rows to learn from"));
        }
        let part = |batch: &_| coded.left(batch);
        let (mut fitted, calibration): (Fitted, _) = if gathering.iterates() {
            // no leverages here: some rows are held out of a first solution, and join the second
            let held = Held::new(&coded, self.seed, tally.sample.total);
            gathering.absorb(reblock(&held.rest(), BLOCK_ROWS)?, watch)?;
            let early = gathering.clone().solve_here(Some(Again { rows: &coded, part: Some(&part) }), None, watch)?;
            let calibration = held.calibrate(&early.model, &coded, watch)?;
            gathering.absorb(reblock(&held, BLOCK_ROWS)?, watch)?;
            let all = gathering.solve_here(Some(Again { rows: &coded, part: Some(&part) }), None, watch)?;
            (all, calibration)
        } else {
            let fitted = learner.fit_here(Again { rows: &coded, part: Some(&part) }, gathering, begun, watch)?;
            let calibration = calibrate::leave_one_out(&fitted.model, &coded, tally.sample.rows, watch)?;
            (fitted, calibration)
        };
        let line = format!(
            "probabilities: calibrated on {} rows, sharpness {:.2}, width {:.3}",
            calibration.rows, calibration.sharpness, calibration.width
        );
        watch.say(&line);
        fitted.training.choices.push(line);
        // what it was needed for is done
        fitted.model.posterior = None.into();
        let labels = Labels::of(&tally.names);
        let classes = Classes { names: tally.names, labels, weights: tally.weights, calibration };
        Ok(FittedClasses { model: fitted.model, classes, training: fitted.training })
    }

    /// The regression on codes. Its posterior has the leverages.
    fn regression(&self) -> Regression {
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
            ridge: self.ridge,
            offset: self.offset,
            metric: None,
            posterior: true,
            precision: self.precision,
            memory: self.memory,
            tolerance: self.tolerance,
            iterations: self.iterations,
            seed: self.seed,
            threads: self.threads,
        }
    }
}
