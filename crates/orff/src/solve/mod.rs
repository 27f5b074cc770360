//! Solvers. Ridge regression from moments: a band or eigenvalues for a whole path, Cholesky for one ridge, conjugate gradients
//! where the system is too large for these; and from the entries themselves where moments are too large. Any loss by
//! passes over the rows: L-BFGS, projected gradients; by batches: doubly stochastic gradients; row by row with the exact
//! kernel: ONORMA.

mod alike;
mod banded;
mod centred;
mod certificate;
mod direct;
pub mod doubly;
mod dual;
mod empirical;
mod entries;
mod gram;
mod iterate;
pub mod lbfgs;
mod leave_one_out;
mod mixture;
pub mod one_class;
pub mod online;
mod penalty;
mod precondition;
pub mod projected;
pub mod quantiles;
pub mod risk;
mod space;
mod spectral;
mod system;
mod tensor;
mod tied;
mod warp;

pub use banded::Banded;
pub use centred::Centred;
pub use direct::solve_direct;
pub(crate) use direct::solve_in_place;
pub use doubly::Doubly;
pub use dual::{Dual, DualComponent, DualSolution, DualSpectral};
pub use empirical::{Empirical, empirical};
pub use entries::{Entry, EntryParams, EntrySolution, Observed, OfOutput, Passes, Strength, solve_entries};
pub use gram::Group;
pub use iterate::solve_iterative;
pub use leave_one_out::{LeaveOneOut, LeftOut};
pub use mixture::{Form as MixtureForm, Maximum, MixtureEvidence};
pub use online::Onorma;
pub use precondition::Preconditioner;
pub use projected::minimise_projected;
pub use risk::minimise_risk;
pub use space::{Features, Reduced, Sections, Smoothed, Space};
pub use spectral::{PathPoint, Spectral};
pub use system::{Component, Shape, System};
pub(crate) use system::{INCOMPLETE_METRIC, directions, incomplete_metric, is_diagonal, whitener, wrong_metric};
pub use tensor::{Scatter, Side, Tensor};
pub use warp::Warp;

use crate::error::{Error, Result};
use faer::Mat;

/// Refuses outputs that were never observed, given the total weight of each.
pub(crate) fn check_observed(totals: &[f64]) -> Result<()> {
    if !totals.iter().any(|w| *w > 0.0) {
        return Err(Error::Data("no row counts: every weight is zero, or no output was observed".into()));
    }
    match totals.iter().position(|w| *w <= 0.0) {
        Some(t) => Err(Error::Data(format!("output {}: not observed on any row with a weight > 0", t + 1))),
        None => Ok(()),
    }
}

/// Asked for better right-hand sides, given a system and its solutions, until there are none.
pub(crate) type Correct<'a> = &'a mut dyn FnMut(&System, &[Vec<f64>]) -> Result<Option<Vec<Vec<f64>>>>;

/// What a solver found for one ridge.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The table Z (M×p): f(x) = Zᵀ(c(x) − c̄) + ȳ.
    pub table: Mat<f64>,
    /// cc·Z (M×p), where it is known.
    pub spread: Option<Mat<f64>>,
    /// Effective degrees of freedom of each output, where they are known.
    pub freedom: Option<Vec<f64>>,
    /// nλ‖θ‖² of each output, in the units of its residual sum of squares.
    pub penalty: Vec<f64>,
    /// What a posterior covariance needs, where it is affordable.
    pub posterior: Option<Vec<Spread>>,
    /// In words: which solver, how it ended.
    pub how: String,
    /// Iterations; 1 for a factorisation.
    pub iterations: usize,
}

/// A part of the posterior covariance: Φ(x)ᵀ R diag(d) Rᵀ Φ(x) σ² along one direction of the outputs, or all at once.
#[derive(Clone, Debug)]
pub struct Spread {
    /// Which of the stored R (K×K) it uses.
    pub group: usize,
    /// R itself, on the first spread of a group.
    pub root: Option<Mat<f64>>,
    /// d (K).
    pub scale: Vec<f64>,
    /// The direction u (p) when the kernel is decomposable.
    pub direction: Option<Vec<f64>>,
}
