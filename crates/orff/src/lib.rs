//! Learning functions whose values are vectors, fields, curves or sets: operator-valued kernels through random
//! Fourier features, at the cost of a linear model.
//!
//! The modules are listed in the order of the theory; each uses only those above it.

pub mod error;
pub mod archive;
pub mod rows;
pub mod group;
pub mod params;
pub mod watch;
pub mod linalg;
pub mod special;
pub mod random;
pub mod spectrum;
pub mod kernel;
pub mod curve;
pub mod feature;
pub mod loss;
pub mod graph;
pub mod metric;
pub mod align;
pub mod solve;
pub mod forest;
pub mod series;
pub mod model;
pub mod learn;
pub mod bound;
pub mod generate;
pub mod testing;

pub use error::{Error, Result};

/// The examples of the front page.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
