//! Random Fourier features of a scalar kernel, for other programs' linear models.

use super::begin::{Choices, in_pool};
use super::declare::declare;
use super::scalar::{Scalar, features_only};
use super::{Regression, choose};
use crate::error::Result;
use crate::feature::MapKind;
use crate::kernel::Kernel;
use crate::model::{Linear, Training};
use crate::params::{Auto, Params};
use crate::rows::Rows;
use crate::spectrum::{Lengthscale, Measure};
use crate::watch::Watch;

declare! {
    /// Random Fourier features: columns z(x) with ⟨z(x), z(x′)⟩ ≈ k(x, x′).
    pub struct FourierFeatures:
        {
            /// The kernel, with one output: gaussian, matern(2.5), a sum or a product of such.
            kernel / kernel: Kernel = Kernel::default(), Kind::Kernel;
            /// Lengthscale of every spectrum of the kernel that leaves its own open: auto (the median distance between
            /// scaled rows), a number in the units of the inputs, or one number per input.
            lengthscale / lengthscale: Lengthscale = Lengthscale::Auto,
                Kind::Auto(&Kind::Several(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true }));
        }
        group
        {
            /// Number of features.
            features / n_components: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 10_000_000 });
        }
        draw
        {
            /// Which measure they are drawn from; plain is the kernel's own.
            measure / measure: Measure = Measure::Plain, Kind::Choice(Measure::NAMES);
        }
        sum
        {
            /// Most memory in megabytes; features that would need more are refused before they are drawn.
            memory / memory: usize = 16_384, Kind::Count { min: 1, max: u64::MAX };
        }
        seed
}

impl FourierFeatures {
    /// Draws the features for rows, whose outputs are not looked at: a sample fixes scales and what is left open.
    ///
    /// ```
    /// use orff::learn::FourierFeatures;
    /// use orff::rows::{Inputs, Table};
    /// use orff::watch::Silent;
    /// let x = faer::Mat::from_fn(50, 3, |i, k| ((i * (k + 2)) as f64).sin());
    /// let learner = FourierFeatures { kernel: "gaussian(0.7)".parse()?, ..FourierFeatures::default() };
    /// let (model, _) = learner.fit(&Table::new(x.clone(), faer::Mat::zeros(50, 0))?, &mut Silent)?;
    /// let columns = model.map.characters();
    /// let mut z = vec![0.0; 50 * columns];
    /// model.features(&Inputs::Dense(x), &mut z)?;
    /// let square: f64 = z[7 * columns..8 * columns].iter().map(|v| v * v).sum();
    /// assert!((square - 1.0).abs() < 1e-12); // k(x, x) = 1, exactly
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<(Linear, Training)> {
        self.check()?;
        in_pool(self.threads, || self.fit_here(rows, watch))
    }

    fn fit_here(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<(Linear, Training)> {
        let mut choices = Choices::default();
        let given = self.kernel.with_lengthscale(&self.lengthscale);
        let Scalar { drawn, preparation, kernel, .. } =
            Scalar::begin(&given, &self.group, self.seed, rows, &mut choices, watch)?;
        let d = preparation.centre.len();
        let features = match self.features.fixed() {
            Some(features) => features,
            None => {
                let known = drawn.size().unwrap_or(usize::MAX / 16);
                let (mut n, mut reason) = choose::features(known, 1, 1, false, self.map.kind(2));
                let fits = |n: usize| self.megabytes(n, d) <= self.memory as f64;
                if !fits(n) {
                    (n, reason) = choose::fewer(n, self.memory, fits)?;
                }
                choices.say(watch, reason);
                n
            }
        };
        let megabytes = self.megabytes(features, d);
        if megabytes > self.memory as f64 {
            return Err(choose::too_many(features, megabytes, self.memory));
        }
        let (draw, measure, sum, map, seed) = (self.draw, self.measure, self.sum, self.map, self.seed);
        let learner = Regression { draw, measure, sum, map, seed, ..Regression::default() };
        let map = learner.draw_map(&kernel, d, features)?;
        let model = features_only(preparation, map, None);
        let rows = drawn.total.unwrap_or(drawn.rows.inputs.nrows());
        let training = Training { rows, kernel: Some(kernel), choices: choices.lines, ..Training::default() };
        Ok((model, training))
    }

    /// Megabytes that frequencies of so many features take: drawn, kept, and copied into the model.
    fn megabytes(&self, features: usize, d: usize) -> f64 {
        let atoms = features as f64 / if self.map.kind(features) == MapKind::Pairs { 2.0 } else { 1.0 };
        8.0 * (3.0 * atoms * d as f64 + 2.0 * features as f64) / 1e6
    }
}
