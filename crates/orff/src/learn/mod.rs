//! Learners: parameter structs whose `fit` reads rows and returns a model.

mod choose;
mod regression;
mod sample;
mod scale;

pub use regression::{Fitted, Regression, Ridge};
pub use sample::{Sample, SAMPLE_ROWS};
