//! Classes with a kernel whose atoms are weighed by alignment first. \[alignment\] \[pseudo-posterior\]

use super::begin::in_pool;
use super::declare::declare;
use super::weighing::weighing;
use super::{Classification, FittedClasses, mixture};
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::model::Alignment;
use crate::params::Params;
use crate::rows::Rows;
use crate::watch::Watch;

declare! {
    /// Classification with few random features of a kernel that is learned by alignment.
    pub struct AlignedClassification:
        {
            /// The kernel candidates are drawn from: gaussian, matern(2.5), a sum or a product of such.
            kernel / kernel: Kernel = Kernel::default(), Kind::Kernel;
        }
        lengthscale_of_candidates group features alignment draw trace sum losses_of_classes precision memory tolerance_of_classes seed
}

impl AlignedClassification {
    /// Learns from rows whose one output is the number of a class: what is left open is chosen as by [`Classification`] (a lengthscale
    /// that is open: candidates of several about the median distance), then candidates are weighed by one pass, then the fit takes the ones that are kept. Time n·N·(d + 1) more than that one.
    ///
    /// ```
    /// use orff::learn::AlignedClassification;
    /// use orff::params::Auto;
    /// use orff::rows::Table;
    /// use orff::watch::Silent;
    /// let x = faer::Mat::from_fn(200, 2, |i, k| (i as f64 * [0.618, 0.414][k]).fract() * 4.0);
    /// let y = faer::Mat::from_fn(200, 1, |i, _| f64::from(x[(i, 0)].rem_euclid(2.0) < 1.0));
    /// let learner = AlignedClassification { features: Auto::Fixed(40), ..Default::default() };
    /// let (found, alignment) = learner.fit(&Table::new(x, y)?, &mut Silent)?;
    /// assert_eq!(found.model.map.characters(), 40);
    /// assert!((alignment.posterior.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<(FittedClasses, Alignment)> {
        self.check()?;
        weighing!(self).check()?;
        if mixture::any(&self.kernel, 1) != self.kernel {
            let why =
                "they are drawn before labels are looked at; give the components that classification by itself finds";
            return Err(Error::refused("a kernel of candidates whose components are to be learned", why));
        }
        let learner = self.classification();
        let (found, alignment) = in_pool(self.threads, || learner.fit_here(rows, Some(weighing!(self)), watch))?;
        let alignment = alignment.ok_or_else(super::weighing::untied)?;
        Ok((found, alignment))
    }

    fn classification(&self) -> Classification {
        let Self { kernel, lengthscale, group, features, map, draw, measure, sum, class_weight, .. } = self.clone();
        Classification {
            kernel,
            lengthscale,
            group,
            features,
            map,
            draw,
            measure,
            sum,
            class_weight,
            loss: self.loss,
            ridge: self.ridge,
            offset: self.offset,
            precision: self.precision,
            memory: self.memory,
            tolerance: self.tolerance,
            iterations: self.iterations,
            seed: self.seed,
            threads: self.threads,
        }
    }
}
