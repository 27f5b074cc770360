//! What all learners on a graph share: what was said of kernel, graph and fit.

use super::graph::Graphing;
use super::warped::megabytes;
use super::{ClassLoss, ClassWeight, Offset, Regression, choose};
use crate::error::{Error, Result};
use crate::params::Auto;

/// What was said of kernel, graph and fit, of any of these learners.
pub(super) struct Along {
    pub learner: Regression,
    pub graphing: Graphing,
    pub strength: Auto<f64>,
    /// Whether the product of strength and ridge is what was asked for.
    pub intrinsic: bool,
    pub offset: Offset,
    /// Without features: by the kernel itself.
    pub exact: bool,
}

/// What was said of classes.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub loss: ClassLoss,
    pub class_weight: &'a ClassWeight,
    /// The label that is none.
    pub unlabelled: Option<&'a str>,
}

impl Along {
    /// Refuses what cannot have the memory it needs, whatever the graph.
    pub fn has_room(&self, rows: usize, inputs: usize) -> Result<()> {
        let limit = self.learner.memory as f64;
        if self.exact {
            let bytes = 80.0 * rows as f64 * rows as f64;
            let cure = "use random features (laplacian), or raise memory";
            let refused = || Err(Error::memory(format!("the exact warped kernel of {rows} rows"), bytes, cure));
            return if bytes > limit * 1e6 { refused() } else { Ok(()) };
        }
        let Some(features) = self.learner.features.fixed() else { return Ok(()) };
        let need = megabytes(features, 1, (rows, inputs), (0, 0), self.learner.memory);
        if need > limit { Err(choose::too_many(features, need, self.learner.memory)) } else { Ok(()) }
    }

    /// With error bars, if asked for.
    pub fn with_posterior(mut self, posterior: bool) -> Self {
        self.learner.posterior = posterior;
        self
    }
}

/// From the parameters of a learner, with those of features or without.
macro_rules! along {
    ($self:ident) => {
        crate::learn::along::Along {
            learner: crate::learn::Regression {
                kernel: $self.kernel.clone(),
                lengthscale: $self.lengthscale.clone(),
                group: $self.group.clone(),
                ridge: $self.ridge,
                offset: $self.offset == crate::learn::Offset::Learned,
                posterior: false,
                memory: $self.memory,
                seed: $self.seed,
                ..Default::default()
            },
            graphing: crate::learn::graph::Graphing {
                rows: $self.graph_rows,
                neighbours: $self.neighbours,
                search: $self.search,
                bandwidth: $self.bandwidth,
                power: $self.power,
                memory: $self.memory,
                seed: $self.seed,
            },
            strength: Auto::Auto,
            intrinsic: false,
            offset: $self.offset,
            exact: true,
        }
    };
    ($self:ident, features) => {{
        let along = crate::learn::along::along!($self);
        let learner = crate::learn::Regression {
            features: $self.features,
            map: $self.map,
            draw: $self.draw,
            measure: $self.measure,
            sum: $self.sum,
            ..along.learner
        };
        crate::learn::along::Along { learner, exact: false, ..along }
    }};
}
pub(super) use along;

/// What a learner says of classes.
macro_rules! asked {
    ($self:ident) => {
        Some(crate::learn::along::Asked {
            loss: $self.loss,
            class_weight: &$self.class_weight,
            unlabelled: $self.unlabelled.as_deref(),
        })
    };
}
pub(super) use asked;
