//! Forests that tell the usual from the unusual: one-class random forests (T17, appendix D) and isolation forests.
//!
//! A tree cuts the box of a sub-sample into cells. Where rows are dense its cells are small and deep, so that the depth of the
//! cell of a row, or its density, says how usual the row is. \[one-class-split\] \[one-class-scores\]

mod criterion;
mod ensemble;
mod file;
mod grow;
mod path;
mod score;
mod split;
mod tree;

pub use criterion::{Criterion, Hidden, Impurity};
pub use ensemble::{Forest, Plan};
pub use file::ForestHeader;
pub use grow::{Growth, Splitter};
pub use path::path_length;
pub use score::Scoring;
pub use split::{Cut, best_cut};
pub use tree::{Node, Tree};
