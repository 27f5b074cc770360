//! Learning functions whose values are vectors, fields, curves or sets: operator-valued kernels through random
//! Fourier features, at the cost of a linear model.
//!
//! The modules are listed in the order of the theory; each uses only those above it.

pub mod error;
pub mod random;
pub mod rows;
pub mod special;
pub mod spectrum;

pub use error::{Error, Result};
