//! Learners: parameter structs whose `fit` reads rows and returns a model.

mod apart;
mod begin;
mod choose;
mod coupled;
mod estimator;
mod exact;
mod exact_posterior;
mod features;
mod gather;
mod gather_file;
mod landmarks;
mod mixed;
mod nystrom;
mod plan;
mod registry;
mod regression;
mod ridge;
mod rowwise;
mod sample;
mod scale;
mod stage;
mod sections;

pub use begin::FittedExact;
pub use estimator::{Estimator, Gatherer};
pub use exact::ExactRegression;
pub use features::FourierFeatures;
pub use gather::Gathering;
pub use landmarks::Landmarks;
pub use mixed::Precision;
pub use nystrom::Nystrom;
pub use plan::Solver;
pub use registry::{Begin, LEARNERS, Learner, Role, TRANSFORMERS, Transformer, learner, transformer};
pub use regression::{Fitted, Regression};
pub use ridge::Ridge;
pub use sample::{SAMPLE_ROWS, Sample};
