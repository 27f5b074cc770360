//! Learners: parameter structs whose `fit` reads rows and returns a model.

mod begin;
mod choose;
mod exact;
mod nystrom;
mod regression;
mod sample;
mod scale;

pub use begin::FittedExact;
pub use exact::ExactRegression;
pub use nystrom::{Landmarks, Nystrom};
pub use regression::{Fitted, Regression, Ridge};
pub use sample::{SAMPLE_ROWS, Sample};
