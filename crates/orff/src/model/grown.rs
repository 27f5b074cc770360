//! A forest as a model: what it says of a row is one output, how usual the row is.

use super::{Prediction, Preparation, Query};
use crate::archive::{Archive, Reader};
use crate::error::{Error, Result};
use crate::forest::{Forest, ForestHeader};
use crate::rows::Inputs;
use faer::Mat;

/// A forest, and what its inputs must satisfy.
#[derive(Clone, Debug)]
pub struct Grown {
    /// Only checks: trees need no scales.
    pub preparation: Preparation,
    /// The forest.
    pub forest: Forest,
    /// The noise of the one output (1×1): none.
    pub noise: Mat<f64>,
}

impl From<Forest> for Grown {
    fn from(forest: Forest) -> Self {
        Grown { preparation: Preparation::plain(forest.lower.len()), forest, noise: Mat::zeros(1, 1) }
    }
}

impl Grown {
    /// The score of n rows (n×1). Time n · trees · depth.
    pub fn predict(&self, x: &Inputs, query: Query) -> Result<Prediction> {
        if query.std || query.cov {
            return Err(Error::refused("uncertainty from this model", "a forest scores rows and has no error bars"));
        }
        let scores = self.forest.scores(&self.preparation.prepare(x, 1)?.into_dense())?;
        Ok(Prediction { mean: Mat::from_fn(scores.len(), 1, |i, _| scores[i]), std: None, cov: None })
    }

    pub(super) fn header(&self) -> ForestHeader {
        self.forest.header()
    }

    pub(super) fn store<'a>(&'a self, archive: &mut Archive<'a>) {
        self.forest.store(archive);
    }

    pub(super) fn restore(file: &Reader) -> Result<Grown> {
        Ok(Forest::restore(file, &file.part("forest")?)?.into())
    }
}
