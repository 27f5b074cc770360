//! What all learners on a graph share: what was said of kernel, graph and fit.

use super::graph::Graphing;
use super::{ClassLoss, ClassWeight, Offset, Regression};
use crate::params::Auto;

/// What was said of kernel, graph and fit, of any of these learners.
pub(super) struct Along {
    pub learner: Regression,
    pub graphing: Graphing,
    pub strength: Auto<f64>,
    /// Whether the product of strength and ridge is what was asked for.
    pub intrinsic: bool,
    pub offset: Offset,
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
        crate::learn::along::Along { learner, ..along }
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
