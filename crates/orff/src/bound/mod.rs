//! How far random features can be from their kernel, and what was learned from its mean error: the bounds of the papers, with their
//! misprints corrected (`docs/bounds.md` has the proofs), as functions of D, ε and a probability. One file per family of theorems.

mod constants;
mod empirical;
mod frequencies;
mod generalisation;
mod intrinsic;
mod koltchinskii;
mod learning;
mod minh;
mod mixture;
mod net;
mod pac_bayes;
mod question;
mod rahimi_recht;
mod report;
mod setting;
mod tail;
mod variance;
mod warped;
mod waves;

pub use constants::Constants;
pub use empirical::{Empirical, Needed, Pairs, measure, needed};
pub use frequencies::Frequencies;
pub use generalisation::{Consistency, Fitted, Generalisation, rademacher};
pub use intrinsic::{bounded, unbounded};
pub use koltchinskii::koltchinskii;
pub use learning::Learning;
pub use minh::{pointwise, uniform};
pub use net::net;
pub use pac_bayes::{Guarantee, PacBayes, Weighed, guarantees, landmark};
pub use question::{Answer, Line, Question, Spread};
pub use rahimi_recht::rahimi_recht;
pub use report::{Approximation, Report};
pub use setting::{Found, Refusal, Setting, bounds};
pub use tail::{Bound, Norm, Scope};
pub use variance::Variance;
pub use warped::Warped;

use crate::error::{Error, Result};

/// Refuses a theorem one of whose constants does not exist.
fn finite(constant: f64, theorem: &str, what: &str) -> Result<()> {
    if constant.is_finite() { Ok(()) } else { Err(Error::refused(theorem, format!("it needs a finite {what}"))) }
}
