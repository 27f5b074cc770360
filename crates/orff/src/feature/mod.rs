//! Feature maps: Φ(x)ᵀθ = Zᵀc(x) with characters c(x) of the inputs and a table Z = lift(θ); and the one pass over
//! the data that every closed form needs.

mod basis;
mod by_atom;
mod characters;
mod file;
mod kept;
mod map;
mod moments;
mod panel;
mod pass;
mod sweep;

pub use basis::Basis;
pub use by_atom::by_atom;
pub use characters::Characters;
pub use file::MapHeader;
pub use kept::Kept;
pub use map::{FeatureMap, MapKind};
pub use moments::{Key, Moments, Part};
pub use panel::Packed;
pub use pass::{BLOCK_ROWS, Blocks, reblock};
pub(crate) use pass::{ahead, join};
pub use sweep::{Design, Mapped, Prepare, Seen, Swept, Visit, sweep};
