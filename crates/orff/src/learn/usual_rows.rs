//! One-class support vector machines: rows without outputs, features of them, and the minimiser. \[level-sets\]

use super::begin::Choices;
use super::level_rows::{Conformal, LevelRows, said};
use super::pinball_path::features;
use super::sharpest::{self, Rough};
use super::{Regression, choose};
use crate::error::{Error, Result};
use crate::feature::FeatureMap;
use crate::group::Group;
use crate::kernel::Kernel;
use crate::model::{Held, Linear, Training};
use crate::params::Auto;
use crate::rows::{Batch, Batches, Rows, Weights};
use crate::solve::one_class::{self, Levels, Params};
use crate::spectrum::Measure;
use crate::watch::Watch;
use faer::Mat;

/// Features: eight for each row, within these.
const FEATURES: (usize, usize) = (128, 1024);

/// What a one-class machine is told.
pub(super) struct Asked<'a> {
    pub kernel: Kernel,
    pub group: &'a Group,
    pub features: Auto<usize>,
    /// How features are drawn.
    pub drawn: Regression,
    pub stop: Params,
    pub memory: usize,
}

/// Curves b(ν) − f_x(ν), and how they were found.
pub(super) struct Found {
    pub model: Linear,
    pub training: Training,
}

/// Rows without their outputs, in place of which they have a zero.
struct Alone<'a>(&'a dyn Rows);

impl Rows for Alone<'_> {
    fn inputs(&self) -> usize {
        self.0.inputs()
    }

    fn outputs(&self) -> usize {
        1
    }

    fn batches(&self) -> Result<Batches<'_>> {
        Ok(Box::new(self.0.batches()?.map(|batch| {
            let batch = batch?;
            if matches!(batch.weights, Some(Weights::Entry(_))) {
                return Err(Error::refused("weights of entries of rows without outputs", "give each row a weight"));
            }
            let outputs = Mat::zeros(batch.inputs.nrows(), 1);
            Ok(Batch { outputs, ..batch })
        })))
    }

    fn rereadable(&self) -> bool {
        self.0.rereadable()
    }

    fn single(&self) -> bool {
        self.0.single()
    }
}

impl Asked<'_> {
    /// Learns from rows; their outputs, if any, are not looked at.
    pub fn fit(&self, levels: &Levels, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Found> {
        if rows.inputs() == 0 {
            return Err(Error::Data("no inputs: choose at least one column".into()));
        }
        let mut choices = Choices::default();
        let seed = self.drawn.seed;
        let seen =
            LevelRows::read(&self.kernel, self.group, Conformal::None, (self.memory, seed), &Alone(rows), watch)?;
        let (n, d, m) = (seen.inputs.nrows(), seen.preparation.centre.len(), levels.basis.count());
        if n < 2 {
            let how = "a set about one point says nothing of others";
            return Err(Error::Data(format!(
                "all rows are equal (as good as 1 sample): expected two or more; {how}"
            )));
        }
        let width = self.width((n, d), levels, &mut choices, watch)?;
        let map_at =
            |lengthscale: f64, columns: usize| self.drawn.draw_map(&seen.kernel(columns, lengthscale)?, d, width);
        let lengthscale = match seen.open_median() {
            None => 1.0,
            Some(median) => {
                let rough = Rough { inputs: &seen.inputs, weights: seen.row_weights(), seed };
                let (found, by) = sharpest::choose(&rough, &|lengthscale| map_at(lengthscale, 1), median, watch)?;
                choices.say(watch, format!("lengthscale {}: {by}", choose::length(found, &seen.preparation)));
                found
            }
        };
        let map = map_at(lengthscale, m)?;
        watch.stage("fit");
        let block = |from: usize, to: usize| Ok(features(&map, &seen.inputs.slice(from, to)));
        let size = (n, map.characters());
        let found = one_class::minimise(&block, size, seen.row_weights(), levels, self.stop, watch)?;
        said(found.report, &mut choices, watch);
        let mut training = seen.training((lengthscale, 0.0), choices, found.report.iterations)?;
        training.points.iter_mut().for_each(|point| point.truncate(rows.inputs()));
        let model = linear(seen, map, found);
        Ok(Found { model, training })
    }

    /// Columns of the feature map, refused where rows and features would not fit into the memory.
    fn width(
        &self,
        (n, d): (usize, usize),
        levels: &Levels,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<usize> {
        let (q, m) = (levels.nodes.len(), levels.basis.count());
        let megabytes = |features: usize| {
            let rows = n as f64 * (2 * d + features.min(n) + 2 * q + 4 * m) as f64;
            8e-6 * (rows + features as f64 * (4 * features.min(n) + d + m) as f64)
        };
        let fits = |features: usize| megabytes(features) <= self.memory as f64;
        match self.features.fixed() {
            Some(features) if fits(features) => Ok(features),
            Some(features) => Err(choose::too_many(features, megabytes(features), self.memory)),
            None => {
                let most = (8 * n).clamp(FEATURES.0, FEATURES.1);
                let reason = format!("features {most}: eight for each row, within {} and {}", FEATURES.0, FEATURES.1);
                let (features, reason) =
                    if fits(most) { (most, reason) } else { choose::fewer(most, self.memory, fits)? };
                choices.say(watch, reason);
                Ok(features)
            }
        }
    }
}

/// How features of one-class machines are drawn: as plain ones.
pub(super) fn drawn(like: Regression) -> Regression {
    Regression { measure: Measure::Plain, ..like }
}

/// The model in the user's units.
fn linear(seen: LevelRows, map: FeatureMap, found: one_class::Minimum) -> Linear {
    let amplitudes = map.amplitudes();
    let (rows, columns) = found.table.shape();
    Linear {
        preparation: seen.preparation,
        table: Mat::from_fn(rows, columns, |k, j| amplitudes[k] * found.table[(k, j)]),
        map,
        offset: found.constants,
        noise: Mat::zeros(columns, columns),
        output_scale: vec![found.spread; columns],
        posterior: Held::None,
        warp: None,
    }
}
