//! How atoms are drawn, and what a draw is.

use super::omega::Omega;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An enum of names: kebab-case in files and on the command line.
macro_rules! names {
    ($(#[$meta:meta])* $Name:ident $what:literal { $($(#[$inner:meta])* $Variant:ident $name:literal $($alias:literal)?),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $Name { $($(#[$inner])* #[serde(rename = $name $(, alias = $alias)?)] $Variant),* }

        impl $Name {
            /// All names.
            pub const NAMES: &[&str] = &[$($name),*];
        }

        impl fmt::Display for $Name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($Name::$Variant => $name),* })
            }
        }

        impl FromStr for $Name {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                match text {
                    $($name $(| $alias)? => Ok($Name::$Variant),)*
                    _ => {
                        let expected = format!("one of {}", Self::NAMES.join(", "));
                        Err(Error::parameter($what, expected, format!("{text:?}")))
                    }
                }
            }
        }
    };
}

names! {
    /// Which dependence the atoms have among each other; each alone always has the law.
    #[derive(Default)]
    DrawKind "draw" {
        /// Independent.
        #[default]
        Iid "iid",
        /// Blocks of d orthogonal directions: smaller error, for rotation-invariant laws.
        Orthogonal "orthogonal",
        /// Scrambled Sobol points through the quantiles: smaller error in few dimensions.
        QuasiMonteCarlo "quasi-monte-carlo" "qmc",
        /// Products of Hadamard and sign matrices: O(D log d) per row, for rotation-invariant laws and d ≥ 32.
        Structured "structured",
    }
}

names! {
    /// From which measure the atoms are drawn; the density ratio corrects for it.
    #[derive(Default)]
    Measure "measure" {
        /// ρ itself.
        #[default]
        Plain "plain",
        /// ‖ω‖²ρ/E‖ω‖²: bounded atoms for curl-free and divergence-free kernels.
        Trace "trace",
        /// N(0, 2ℓ⁻²) for the gaussian.
        Tilted "tilted",
    }
}

/// How atoms are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draw {
    /// Dependence among atoms.
    pub kind: DrawKind,
    /// The measure they are drawn from.
    pub measure: Measure,
    /// Seed.
    pub seed: u64,
    /// Separates independent draws under one seed, such as the two factors of a product.
    pub purpose: u64,
}

/// Atoms as drawn.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// Frequencies, D×d.
    pub omega: Omega,
    /// Density ratio dρ/dρ_drawn at each atom: E_ρ[f(ω)] is the mean of ratio·f(ω).
    pub ratio: Vec<f64>,
    /// What the user should know, such as a draw that was replaced by another.
    pub note: Option<String>,
}
