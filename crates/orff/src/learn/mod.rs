//! Learners: parameter structs whose `fit` reads rows and returns a model.

mod choose;
mod registry;
mod regression;
mod sample;
mod scale;

pub use registry::{LEARNERS, Learner, learner};
pub use regression::{Fitted, Regression, Ridge};
pub use sample::{SAMPLE_ROWS, Sample};
