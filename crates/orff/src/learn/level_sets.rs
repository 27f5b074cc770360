//! All level sets in one fit: the continuous one-class support vector machine (T17 §9.1.5). \[level-sets\]

use super::begin::in_pool;
use super::declare::declare;
use super::sharpest::all_levels;
use super::usual_rows::{Asked, drawn};
use super::{Detector, Regression};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::model::{Body, Curves, Model, Outliers};
use crate::params::{Auto, Params};
use crate::rows::Rows;
use crate::solve::one_class;
use crate::spectrum::Lengthscale;
use crate::watch::Watch;
use serde_json::{Map, Value};

declare! {
    /// Sets that hold all rows but a share ν of them, for every ν at once and one in the other, through random features.
    pub struct LevelSets:
        {
            /// The kernel of the inputs, with one output: gaussian, matern(2.5), a sum or a product of such.
            kernel / kernel: Kernel = Kernel::default(), Kind::Kernel;
            /// Lengthscale of every spectrum of the kernel that leaves its own open: auto (the smallest sets, in half octaves of the
            /// median distance between scaled rows, which rows held out leave as often as ν says), a number in the units of the
            /// inputs, or one number per input.
            lengthscale / lengthscale: Lengthscale = Lengthscale::Auto,
                Kind::Auto(&Kind::Several(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true }));
        }
        group features draw sum
        {
            /// Levels ν between which f and b change evenly, from 0.01 to 0.99, closer to each other where ν is small. More follow the
            /// machine of each level more closely.
            knots / n_knots: usize = 24, Kind::Count { min: 2, max: 99 };
            /// The level ν whose set tells outliers unless another is asked for: their share among rows like those of the fit;
            /// auto is 0.05.
            nu / nu: Auto<f64> = Auto::Auto, Kind::Auto(&Kind::Number { min: 1e-6, max: 0.99, open: false });
            /// Relative duality gap at which the fit stops.
            tolerance / tol: f64 = 1e-3, Kind::Number { min: 0.0, max: 1.0, open: true };
            /// Most iterations.
            iterations / max_iter: usize = 5000, Kind::Count { min: 1, max: u64::MAX };
        }
        limits
}

/// The level that tells outliers where none is given.
pub(super) const USUAL: f64 = 0.05;

impl LevelSets {
    /// Learns from rows, whose outputs, if any, are not looked at: f_x(ν) = Σⱼφⱼ(ν)⟨θⱼ, features of x⟩ and b(ν) = Σⱼφⱼ(ν)cⱼ minimise
    /// (1/W)Σw∫\[b − f_x\]₊dν + ½∫ν‖f‖²dν − ∫νbdν. All rows are held in memory: n·(d + min(n, M)) numbers; time n·M·min(n, M),
    /// and n·m·min(n, M) for each step of the solver.
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<(Detector, Curves)> {
        self.check()?;
        let Self { draw, sum, map, seed, .. } = *self;
        let asked = Asked {
            kernel: self.kernel.with_lengthscale(&self.lengthscale),
            group: &self.group,
            features: self.features,
            drawn: drawn(Regression { draw, sum, map, seed, ..Regression::default() }),
            stop: one_class::Params { gap: self.tolerance, iterations: self.iterations },
            memory: self.memory,
        };
        let levels = all_levels(self.knots);
        let mut found = in_pool(self.threads, || asked.fit(&levels, rows, watch))?;
        let offset = self.nu.fixed().unwrap_or(USUAL);
        if self.nu.fixed().is_none() {
            let line = format!("nu auto: outliers are out at ν = {USUAL}; other levels may be asked for");
            watch.say(&line);
            found.training.choices.push(line);
        }
        let outliers = Outliers { offset, ..Outliers::default() };
        let detector = Detector { body: Body::Linear(Box::new(found.model)), outliers, training: found.training };
        Ok((detector, Curves { basis: levels.basis, calibration: None, argument: None }))
    }

    /// The same as a model with its name and parameters.
    pub fn model(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Model> {
        let values = match serde_json::to_value(self) {
            Ok(Value::Object(values)) => values,
            _ => Map::new(),
        };
        super::registry::level_model(values, rows, watch)
    }
}
