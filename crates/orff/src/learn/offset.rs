//! The constant of each output beside a function that a graph keeps smooth.

use serde::{Deserialize, Serialize};

/// How the constant is found. The normalised Laplacian is zero on √degree, not on constants: a function that stays near zero
/// wherever few rows are is free, so a constant that is learned with it may take half of what the function says away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Offset {
    /// The mean of the labelled outputs.
    #[default]
    Mean,
    /// Learned with the function, at no cost.
    Learned,
    /// Zero.
    None,
}

impl Offset {
    /// Whether outputs are taken about their mean first.
    pub(super) fn centred(self) -> bool {
        self != Offset::None
    }
}
