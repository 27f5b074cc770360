//! What features of a scalar kernel begin with: a sample, scales, and the kernel with nothing left open.

use super::begin::{Choices, storable};
use super::{Sample, choose, sample, scale};
use crate::error::{Error, Result};
use crate::feature::FeatureMap;
use crate::group::Group;
use crate::kernel::{Kernel, Seen};
use crate::model::{Held, Linear, Preparation, Warp};
use crate::rows::{Inputs, Rows, Weights};
use crate::watch::Watch;
use faer::Mat;

/// Choices before features of a kernel with one output are drawn.
pub(super) struct Scalar {
    pub drawn: Sample,
    pub preparation: Preparation,
    /// The sample in the kernel's coordinates.
    pub prepared: Inputs,
    /// In these coordinates.
    pub kernel: Kernel,
    /// Why its lengthscale is the median distance, where it was open.
    pub reason: Option<String>,
}

impl Scalar {
    /// From rows, whose outputs are not looked at. A lengthscale that is open is the median distance.
    pub fn begin(
        given: &Kernel,
        group: &Group,
        seed: u64,
        rows: &dyn Rows,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<Self> {
        if rows.inputs() == 0 {
            return Err(Error::Data("no inputs: choose at least one column".into()));
        }
        let (drawn, _) = sample::draw(rows, seed, watch)?;
        let scalar = Self::of(given, group, seed, drawn)?;
        scalar.reason.iter().for_each(|reason| choices.say(watch, reason.clone()));
        Ok(scalar)
    }

    /// From a sample of rows that was drawn already.
    pub fn of(given: &Kernel, group: &Group, seed: u64, drawn: Sample) -> Result<Self> {
        if matches!(&drawn.rows.weights, Some(Weights::Row(w)) if w.iter().all(|w| *w == 0.0)) {
            return Err(Error::Data("no row counts: every weight is zero".into()));
        }
        let one = "one with one output, such as gaussian or matern(2.5)";
        if let Some(outputs) = given.own_outputs(drawn.rows.inputs.ncols())?.filter(|own| *own != 1) {
            return Err(Error::shape("kernel", one, outputs));
        }
        let preparation = scale::inputs(given, group, &drawn.rows).map_err(|e| drawn.named(e))?;
        let prepared = preparation.prepare(&drawn.rows.inputs, 1)?;
        let closed = Seen { outputs: 1, lengthscale: Some(1.0), ..Seen::default() };
        let open = given.resolve(&closed)? != given.resolve(&Seen { lengthscale: Some(2.0), ..closed })?;
        let median = if open { choose::median_distance(&prepared, drawn.rows.weights.as_ref(), seed) } else { 1.0 };
        let reason = open.then(|| format!("lengthscale {}: median distance", choose::length(median, &preparation)));
        let kernel = given.resolve(&Seen { lengthscale: Some(median), ..closed })?;
        storable(given, &kernel)?;
        let outputs = kernel.outputs(prepared.ncols())?;
        if outputs != 1 || kernel.views().is_some() {
            return Err(Error::shape("kernel", one, outputs));
        }
        Ok(Scalar { drawn, preparation, prepared, kernel, reason })
    }

    /// Number of rows, as far as it is known.
    pub fn rows(&self) -> usize {
        self.drawn.total.unwrap_or(self.drawn.rows.inputs.nrows())
    }
}

/// A model that has features and predicts nothing.
pub(super) fn features_only(preparation: Preparation, map: FeatureMap, warp: Option<Warp>) -> Linear {
    Linear {
        preparation,
        table: Mat::zeros(map.characters(), 1),
        map,
        offset: vec![0.0],
        noise: Mat::zeros(1, 1),
        output_scale: vec![1.0],
        posterior: Held::None,
        warp,
    }
}
