//! Random features whose weights are learned by kernel alignment: PBRFF of L19, and the divergences of Sinha and Duchi.
//! \[alignment\] \[pseudo-posterior\]

use super::begin::{Choices, in_pool};
use super::coded::tally;
use super::declare::declare;
use super::scalar::{Scalar, features_only};
use super::weighing::{spread, weighing};
use super::{Regression, choose, sample, scale};
use crate::align::Likeness;
use crate::error::{Error, Result};
use crate::feature::{FeatureMap, MapKind};
use crate::kernel::{Kernel, Units};
use crate::model::{Alignment, Candidates, Linear, Training};
use crate::params::{Auto, Params};
use crate::rows::Rows;
use crate::spectrum::Measure;
use crate::watch::Watch;
use serde::{Deserialize, Serialize};

declare! {
    /// Random features of a kernel that is learned: many candidates are drawn from a kernel, weighted by how well each tells
    /// which rows have like outputs, and a few are kept.
    pub struct AlignedFeatures:
        {
            /// The kernel candidates are drawn from, with one output: gaussian, matern(2.5), a sum or a product of such.
            kernel / kernel: Kernel = Kernel::default(), Kind::Kernel;
        }
        lengthscale_of_candidates group
        {
            /// Number of features that are kept, at most.
            features / n_components: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 10_000_000 });
        }
        alignment draw sum
        {
            /// What rows have in common: classes (the same label or not), targets (the product of their outputs about the mean, in
            /// standard deviations, at most 1); auto takes labels for classes and numbers for targets.
            likeness / likeness: Auto<Compared> = Auto::Auto, Kind::Auto(&Kind::Choice(&["classes", "targets"]));
        }
        limits
}

/// What is compared between rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compared {
    /// Classes.
    Classes,
    /// Numbers.
    Targets,
}

/// Features with learned weights.
pub struct FittedAlignment {
    /// The features.
    pub model: Linear,
    /// The weights of all candidates.
    pub alignment: Alignment,
    /// How they were learned.
    pub training: Training,
}

impl AlignedFeatures {
    /// Draws candidates, weighs them by one pass over the rows and keeps some. Time n·N·(d + 1), N the candidates.
    ///
    /// ```
    /// use orff::learn::AlignedFeatures;
    /// use orff::params::Auto;
    /// use orff::rows::Table;
    /// use orff::watch::Silent;
    /// // classes alternate along the first input; the second says nothing
    /// let x = faer::Mat::from_fn(300, 2, |i, k| (i as f64 * [0.618, 0.414][k]).fract() * 6.0);
    /// let y = faer::Mat::from_fn(300, 1, |i, _| f64::from(x[(i, 0)].rem_euclid(2.0) < 1.0));
    /// let learner = AlignedFeatures { features: Auto::Fixed(20), likeness: Auto::Fixed(orff::learn::Compared::Classes), ..Default::default() };
    /// let found = learner.fit(&Table::new(x, y)?, &mut Silent)?;
    /// let (loss, _, _) = found.alignment.summary(0);
    /// let prior: f64 = found.alignment.losses.iter().zip(&found.alignment.prior).map(|(l, p)| l * p).sum();
    /// assert!(loss < prior); // the learned kernel is better aligned than the one it comes from
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedAlignment> {
        self.check()?;
        weighing!(self).check()?;
        in_pool(self.threads, || self.fit_here(rows, watch))
    }

    fn fit_here(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedAlignment> {
        let choices = &mut Choices::default();
        if rows.inputs() == 0 || rows.outputs() == 0 {
            return Err(Error::Data("no inputs or no outputs: choose at least one column of each".into()));
        }
        if !rows.rereadable() {
            let why = "scales are known only after a first pass; save the rows to a file";
            return Err(Error::refused("kernel alignment of rows that are read once", why));
        }
        let given = self.kernel.with_lengthscale(&self.lengthscale);
        let compared = self.likeness.fixed().unwrap_or(match rows.classes() {
            Some(_) => Compared::Classes,
            None => Compared::Targets,
        });
        let (drawn, likeness) = match compared {
            Compared::Classes => {
                let tally = tally(rows, self.seed, watch)?;
                (tally.sample, Likeness::Classes(tally.names.len()))
            }
            Compared::Targets => {
                let (drawn, _) = sample::draw(rows, self.seed, watch)?;
                let (centre, deviations) = scale::outputs(&given, Some(Units::Free), &drawn.rows, true)?;
                let long = (centre.len() as f64).sqrt();
                (drawn, Likeness::Targets { centre, scale: deviations.iter().map(|s| s * long).collect() })
            }
        };
        let scalar = Scalar::of(&given, &self.group, self.seed, drawn)?;
        let d = scalar.preparation.centre.len();
        let features = self.features.fixed().unwrap_or_else(|| {
            let known = scalar.drawn.size().unwrap_or(usize::MAX / 16);
            let (features, reason) = choose::features(known, 1, 1, false, self.map.kind(2));
            choices.say(watch, reason);
            features
        });
        let kind = self.map.kind(features);
        let kept = if kind == MapKind::Pairs { features / 2 } else { features };
        if kind == MapKind::Pairs && features % 2 == 1 {
            let expected = "an even number ≥ 2 (a cosine and a sine per atom)";
            return Err(Error::parameter("features", expected, features));
        }
        let learner = Regression { draw: self.draw, sum: self.sum, seed: self.seed, ..Regression::default() };
        let Scalar { preparation, mut kernel, drawn, prepared, .. } = scalar;
        let median = choose::median_distance(&prepared, drawn.rows.weights.as_ref(), self.seed);
        if let Some((several, line)) = spread(&given, 1, median, &preparation)? {
            choices.say(watch, line);
            kernel = several;
        }
        let candidates = Candidates {
            draw: learner.kind(&kernel, d),
            kernel: kernel.clone(),
            count: 0,
            measure: Measure::Plain,
            sum: self.sum,
            seed: self.seed,
        };
        let (atoms, alignment) =
            weighing!(self).weigh(candidates, kept, likeness, &preparation, rows, choices, watch)?;
        let map = FeatureMap::of(atoms, kind, self.seed);
        let rows = drawn.total.unwrap_or(drawn.rows.inputs.nrows());
        let model = features_only(preparation, map, None);
        let choices = std::mem::take(&mut choices.lines);
        let training = Training { rows, kernel: Some(kernel), choices, ..Training::default() };
        Ok(FittedAlignment { model, alignment, training })
    }
}
