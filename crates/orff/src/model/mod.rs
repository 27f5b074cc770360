//! Models: what learning leaves behind. They predict, save themselves, and load.

mod field;
mod linear;
mod posterior;
mod prepare;

pub use field::{Energies, Parts};
pub use linear::{Linear, Prediction, Query};
pub use posterior::Posterior;
pub use prepare::Preparation;
