//! Features that are learned similarities to landmarks (L19 §4.2). \[landmark-kernels\]

use super::FittedAlignment;
use super::begin::{Choices, in_pool};
use super::coded::tally;
use super::declare::declare;
use super::landmarking::{Landmarked, landmarking};
use super::scalar::features_only;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::model::{Training, Warp};
use crate::params::Params;
use crate::rows::Rows;
use crate::spectrum::Lengthscale;
use crate::watch::Watch;
use faer::Mat;

declare! {
    /// Similarities to landmarks: for each a kernel of its own, learned from which rows have its label.
    pub struct LandmarkFeatures:
        {
            /// The kernel candidates are drawn from, with one output: gaussian, matern(2.5), a product of such.
            kernel / kernel: Kernel = Kernel::default(), Kind::Kernel;
            /// Lengthscale of every spectrum of the kernel that leaves its own open: auto (the median distance between
            /// scaled rows), a number in the units of the inputs, or one number per input.
            lengthscale / lengthscale: Lengthscale = Lengthscale::Auto,
                Kind::Auto(&Kind::Several(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true }));
        }
        group landmarks
        {
            /// Most memory in megabytes; a fit that would need more is refused before it starts.
            memory / memory: usize = 16_384, Kind::Count { min: 1, max: u64::MAX };
        }
        seed
}

impl LandmarkFeatures {
    /// Chooses landmarks and learns a kernel for each, from rows whose one output is the number of a class. Time n·L·D·(d + 1).
    ///
    /// ```
    /// use orff::learn::LandmarkFeatures;
    /// use orff::params::Amount;
    /// use orff::rows::{Inputs, Table};
    /// use orff::watch::Silent;
    /// let x = faer::Mat::from_fn(200, 2, |i, k| (i as f64 * [0.618, 0.414][k]).fract() * 4.0);
    /// let y = faer::Mat::from_fn(200, 1, |i, _| f64::from(x[(i, 0)] > 2.0));
    /// let learner = LandmarkFeatures { landmarks: Amount::Count(7), ..Default::default() };
    /// let found = learner.fit(&Table::new(x.clone(), y)?, &mut Silent)?;
    /// let landmarks = found.model.preparation.restored(found.alignment.landmarks.as_ref().unwrap())?;
    /// let mut psi = vec![0.0_f64; 7 * found.alignment.groups()];
    /// found.model.features(&Inputs::Dense(landmarks), &mut psi)?;
    /// assert!((0..7).all(|l| (psi[l * 7 + l] - 1.0).abs() < 1e-12)); // a landmark is like itself
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedAlignment> {
        self.check()?;
        in_pool(self.threads, || self.fit_here(rows, watch))
    }

    fn fit_here(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedAlignment> {
        let mut choices = Choices::default();
        let tally = tally(rows, self.seed, watch)?;
        let given = self.kernel.with_lengthscale(&self.lengthscale);
        let (found, tally) = landmarking!(self, &given).learn(rows, tally, &mut choices, watch)?;
        let Landmarked { preparation, kernel, map, coefficients, alignment } = found;
        let groups = alignment.groups();
        let mut model = features_only(preparation, map, Some(Warp::Grouped(groups)));
        model.table = Mat::from_fn(coefficients.len(), 1, |m, _| coefficients[m]);
        let rows = tally.sample.total.unwrap_or(0);
        let training = Training { rows, kernel: Some(kernel), choices: choices.lines, ..Training::default() };
        Ok(FittedAlignment { model, alignment, training })
    }
}
