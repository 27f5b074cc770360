//! Graphs of rows: nearest neighbours, the normalised Laplacian as a linear operator, and its moment under characters.
//! \[laplacian\]

mod descent;
mod forest;
mod laplacian;
mod moment;
mod nearest;
mod points;

pub use laplacian::Laplacian;
pub use moment::{Fill, Moment};
pub use nearest::{EXACT_ROWS, Neighbours, Search};
pub use points::Points;
