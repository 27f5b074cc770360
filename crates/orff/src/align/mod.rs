//! Kernel alignment: how well cos⟨ω, x − x′⟩ says whether the outputs of two rows are alike, for each of many
//! frequencies, and the distribution over frequencies that is learned from it (L19; Sinha and Duchi 2016). A learned
//! kernel is the old atoms with other weights.

mod divergence;
mod method;
mod posterior;
mod subset;
mod sums;

pub use divergence::{kullback_leibler, log_power_divergence, power_divergence};
pub use method::Method;
pub use posterior::{gibbs, within, within_log};
pub use subset::Sampling;
pub use sums::{Likeness, Sums};
