//! The one-class support vector machine of one level (Schölkopf, Platt, Shawe-Taylor, Smola and Williamson 2001). \[level-sets\]

use super::begin::in_pool;
use super::declare::declare;
use super::level_sets::USUAL;
use super::usual_rows::{Asked, drawn};
use super::{Detector, Regression};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::model::{Body, Outliers};
use crate::params::Params;
use crate::rows::Rows;
use crate::solve::one_class::{self, Levels};
use crate::spectrum::Lengthscale;
use crate::watch::Watch;

declare! {
    /// The set that holds all rows but a share ν of them, through random features.
    pub struct FourierOneClassSvm:
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
            /// ν: the share of rows outside.
            nu / nu: f64 = USUAL, Kind::Number { min: 1e-6, max: 0.999, open: false };
            /// Relative duality gap at which the fit stops.
            tolerance / tol: f64 = 1e-3, Kind::Number { min: 0.0, max: 1.0, open: true };
            /// Most iterations.
            iterations / max_iter: usize = 5000, Kind::Count { min: 1, max: u64::MAX };
        }
        limits
}

impl FourierOneClassSvm {
    /// Learns from rows, whose outputs, if any, are not looked at: f = ⟨θ, features⟩ and b minimise ½ν‖θ‖² − νb + (1/W)Σw\[b − f(x)\]₊.
    /// Scores are f, their offset is b.
    ///
    /// ```
    /// use orff::{learn::FourierOneClassSvm, model::Query, rows::{Inputs, Table}, watch::Silent};
    /// let x = faer::Mat::from_fn(200, 2, |i, k| (i * (37 + 24 * k) % 211) as f64 / 211.0);
    /// let rows = Table::new(x.clone(), faer::Mat::zeros(200, 0))?;
    /// let found = FourierOneClassSvm { nu: 0.3, ..FourierOneClassSvm::default() }.fit(&rows, &mut Silent)?;
    /// let f = found.body.predict(&Inputs::Dense(x), Query::default())?.mean;
    /// let out = (0..200).filter(|i| f[(*i, 0)] < found.outliers.offset).count();
    /// assert!((out as f64 - 60.0).abs() <= 10.0); // but for rows on the boundary it is ν
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Detector> {
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
        let mut found = in_pool(self.threads, || asked.fit(&Levels::one(self.nu), rows, watch))?;
        // b − f, of which f is the score
        let offset = std::mem::replace(&mut found.model.offset, vec![0.0])[0];
        found.model.table = faer::Scale(-1.0) * &found.model.table;
        let outliers = Outliers { offset, ..Outliers::default() };
        Ok(Detector { body: Body::Linear(Box::new(found.model)), outliers, training: found.training })
    }
}
