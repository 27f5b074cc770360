//! Losses ℓ(f; y): they see predictions and targets only. \[losses\]
//!
//! A new loss is one file with its [`Entry`] (a sum over outputs) or its [`Loss`], and one line in the list below.

mod entry;
mod simplex;

pub use entry::Entry;
pub use simplex::Simplex;

use crate::error::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A convex function of the p predictions f for one row. Its targets y are p numbers (NaN where not observed, which
/// counts nothing), or one number, the class 0, …, p, whose code in R^p is that of [`Simplex`] (NaN counts nothing).
pub trait Loss: Sync {
    /// ℓ(f; y), or with μ = `smoothing` > 0 a smooth function ℓ_μ with ℓ − pμ/2 ≤ ℓ_μ ≤ ℓ whose gradient is 1/μ-Lipschitz
    /// for each of its terms; losses that are smooth ignore μ. The gradient u (a subgradient where there is none) goes
    /// into `out`; it always lies in the domain of the conjugate.
    fn gradient(&self, f: &[f64], y: &[f64], smoothing: f64, out: &mut [f64]) -> f64;
    /// ℓ*(u; y) = sup_f ⟨u, f⟩ − ℓ(f; y); infinite outside its domain.
    fn conjugate(&self, u: &[f64], y: &[f64]) -> f64;
    /// What solvers must know of it.
    fn nature(&self) -> Nature;
    /// Refuses targets that are not the loss's, for p outputs.
    fn check(&self, y: &[f64], outputs: usize) -> Result<()>;
}

/// What solvers must know of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    /// Whether its gradient is continuous.
    pub smooth: bool,
    /// Whether it is a sum over outputs, so that each may be missing or have its own weight; else y is a class.
    pub by_output: bool,
}

impl Nature {
    /// Number of targets of a row with p predictions.
    pub fn targets(self, outputs: usize) -> usize {
        if self.by_output { outputs } else { 1 }
    }
}

macro_rules! losses {
    ($($module:ident $Name:ident $name:literal $($parameter:ident)?: $formula:literal),* $(,)?) => {
        $(mod $module; pub use $module::$Name;)*

        /// A loss by its name, with its parameter in parentheses if it has one.
        ///
        /// ```
        /// use orff::loss::{Loss, Named};
        /// let loss: Named = "huber(0.5)".parse()?;
        /// let mut slope = [0.0];
        /// assert_eq!(loss.gradient(&[3.0], &[1.0], 0.0, &mut slope), 2.0 * 0.5 * 2.0 - 0.25);
        /// assert_eq!((slope, loss.to_string().as_str()), ([1.0], "huber(0.5)"));
        /// # Ok::<(), orff::Error>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Named {
            $(#[doc = $formula] $Name($Name),)*
        }

        impl Named {
            /// All names.
            pub const NAMES: &[&str] = &[$($name),*];
            /// The formula of each, in the same order.
            pub const FORMULAS: &[&str] = &[$($formula),*];

            /// The loss itself.
            pub fn loss(&self) -> &dyn Loss {
                match self { $(Named::$Name(loss) => loss,)* }
            }

            /// The loss of a name, with its parameter or the default.
            fn read(name: &str, given: Option<f64>) -> Result<Self> {
                match name {
                    $($name => {
                        #[allow(unused_mut)]
                        let (mut loss, mut given) = ($Name::default(), given);
                        $(if let Some(value) = given.take() { loss.$parameter = value; })?
                        match given {
                            None => loss.check_parameter().map(|()| Named::$Name(loss)),
                            Some(value) => Err(Error::parameter("loss", format!("{} without a parameter", $name), value)),
                        }
                    })*
                    _ => {
                        let expected = format!("one of {}", Self::NAMES.join(", "));
                        Err(Error::parameter("loss", expected, format!("{name:?}")))
                    }
                }
            }
        }

        impl fmt::Display for Named {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(#[allow(unused_variables)] Named::$Name(loss) => {
                        f.write_str($name)?;
                        $(write!(f, "({})", loss.$parameter)?;)?
                    })*
                }
                Ok(())
            }
        }

        $(impl From<$Name> for Named {
            fn from(loss: $Name) -> Self {
                Named::$Name(loss)
            }
        })*
    };
}

losses! {
    squared Squared "squared": "Σ (f − y)²",
    huber Huber "huber" threshold: "Σ (f − y)² up to |f − y| = δ, then 2δ|f − y| − δ²",
    epsilon_insensitive EpsilonInsensitive "epsilon-insensitive" width: "Σ [|f − y| − ε]₊",
    pinball Pinball "pinball" level: "Σ max(τ(y − f), (τ − 1)(y − f))",
    hinge Hinge "hinge": "Σ [1 − yf]₊, y = ±1",
    squared_hinge SquaredHinge "squared-hinge": "Σ [1 − yf]₊², y = ±1",
    simplex_hinge SimplexHinge "simplex-hinge": "Σ over classes c ≠ y of [1/(T−1) + ⟨c, f⟩]₊",
    logistic Logistic "logistic": "log Σ over classes c of exp⟨c − c_y, f⟩",
}

impl Loss for Named {
    fn gradient(&self, f: &[f64], y: &[f64], smoothing: f64, out: &mut [f64]) -> f64 {
        self.loss().gradient(f, y, smoothing, out)
    }

    fn conjugate(&self, u: &[f64], y: &[f64]) -> f64 {
        self.loss().conjugate(u, y)
    }

    fn nature(&self) -> Nature {
        self.loss().nature()
    }

    fn check(&self, y: &[f64], outputs: usize) -> Result<()> {
        self.loss().check(y, outputs)
    }
}

impl Default for Named {
    /// Squared.
    fn default() -> Self {
        Named::Squared(Squared)
    }
}

impl FromStr for Named {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        let Some((name, rest)) = text.split_once('(') else { return Named::read(text, None) };
        let number = rest.strip_suffix(')').and_then(|number| number.trim().parse().ok());
        match number {
            Some(number) => Named::read(name.trim(), Some(number)),
            None => Err(Error::parameter("loss", "a name such as huber or huber(1.5)", format!("{text:?}"))),
        }
    }
}

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A class 0, …, p as a number of its own, or none for NaN.
fn class(y: &[f64]) -> Option<usize> {
    (!y[0].is_nan()).then_some(y[0] as usize)
}

/// Refuses a target that is not the number of one of p + 1 classes.
fn check_class(y: &[f64], outputs: usize) -> Result<()> {
    let [value] = y else { return Err(Error::shape("targets", "one class for each row", y.len())) };
    if value.is_nan() || (*value >= 0.0 && *value <= outputs as f64 && value.fract() == 0.0) {
        return Ok(());
    }
    Err(Error::parameter("class", format!("a whole number from 0 to {outputs}"), value))
}
