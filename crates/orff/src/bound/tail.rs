//! A bound as a function of D and ε, and its inverses.

use crate::error::{Error, Result};
use serde::Serialize;

/// In which norm of p×p matrices an error is measured. The Hilbert–Schmidt norm is never below the operator norm, so that a bound
/// of the first is one of the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Norm {
    /// The largest singular value.
    Operator,
    /// The root of the sum of squares of the entries.
    HilbertSchmidt,
}

/// For which pairs of points it holds at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// All pairs of points of a set of the given diameter.
    Uniform,
    /// One pair, which is fixed before the atoms are drawn.
    Pointwise,
}

/// ln P as a function of D and ε.
type Tail = Box<dyn Fn(f64, f64) -> f64 + Send + Sync>;

/// One theorem for one kernel: P{‖K̂ − K‖ ≥ ε} ≤ P(D, ε), not increasing in D and in ε.
///
/// ```
/// use orff::bound::{Setting, bounds};
/// use orff::kernel::{Kernel, Output, Seen};
/// let k = Kernel::default().resolve(&Seen { outputs: 1, lengthscale: Some(1.0), ..Seen::default() })?;
/// let found = bounds(&Setting::new(k, 2, 1.0))?;
/// let b = &found.bounds[0];
/// let epsilon = b.epsilon(1000, 0.05)?.unwrap();
/// assert!((b.probability(1000, epsilon)? - 0.05).abs() < 1e-9); // the inverse of a continuous one
/// assert!(b.atoms(epsilon, 0.05)?.unwrap() <= 1000);
/// # Ok::<(), orff::Error>(())
/// ```
pub struct Bound {
    /// A short name.
    pub name: &'static str,
    /// Where it is printed.
    pub source: &'static str,
    /// For which points.
    pub scope: Scope,
    /// In which norm.
    pub norm: Norm,
    /// What has to be true, with the numbers it was computed with.
    pub assumptions: Vec<String>,
    tail: Tail,
}

impl std::fmt::Debug for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bound").field("name", &self.name).field("source", &self.source).finish_non_exhaustive()
    }
}

impl Bound {
    /// A bound from ln P(D, ε).
    pub(super) fn new(
        (name, source): (&'static str, &'static str),
        scope: Scope,
        norm: Norm,
        assumptions: Vec<String>,
        tail: impl Fn(f64, f64) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Bound { name, source, scope, norm, assumptions, tail: Box::new(tail) }
    }

    /// ln P, at most 0.
    pub(super) fn ln(&self, atoms: f64, epsilon: f64) -> f64 {
        let ln = (self.tail)(atoms, epsilon);
        // NaN is an overflow on the way to nothing known
        if ln.is_nan() { 0.0 } else { ln.min(0.0) }
    }

    /// The probability that the error of D atoms reaches ε, at most; 1 says nothing.
    pub fn probability(&self, atoms: u64, epsilon: f64) -> Result<f64> {
        check_atoms(atoms)?;
        check_epsilon(epsilon)?;
        Ok(libm::exp(self.ln(atoms as f64, epsilon)))
    }

    /// The smallest ε that the error of D atoms reaches with at most this probability; none if no ε has it.
    pub fn epsilon(&self, atoms: u64, probability: f64) -> Result<Option<f64>> {
        check_atoms(atoms)?;
        let goal = check_probability(probability)?;
        let reached = |ln_epsilon: f64| self.ln(atoms as f64, libm::exp(ln_epsilon)) <= goal;
        // 10^±143: squares of it are still numbers
        let (mut low, mut high) = (-330.0, 330.0);
        if !reached(high) {
            return Ok(None);
        }
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if reached(middle) { high = middle } else { low = middle }
        }
        Ok(Some(libm::exp(high)))
    }

    /// The fewest atoms D whose error reaches ε with at most this probability; none if there are more than 2⁵³.
    pub fn atoms(&self, epsilon: f64, probability: f64) -> Result<Option<u64>> {
        check_epsilon(epsilon)?;
        let goal = check_probability(probability)?;
        let enough = |atoms: u64| self.ln(atoms as f64, epsilon) <= goal;
        let mut high = 1;
        while !enough(high) {
            if high >= 1 << 53 {
                return Ok(None);
            }
            high *= 2;
        }
        let mut low = high / 2; // not enough, or zero
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if enough(middle) { high = middle } else { low = middle }
        }
        Ok(Some(high))
    }
}

fn check_atoms(atoms: u64) -> Result<()> {
    if atoms > 0 { Ok(()) } else { Err(Error::parameter("atoms", "a whole number ≥ 1", atoms)) }
}

fn check_epsilon(epsilon: f64) -> Result<()> {
    let right = epsilon.is_finite() && epsilon > 0.0;
    if right { Ok(()) } else { Err(Error::parameter("epsilon", "a number > 0", epsilon)) }
}

/// ln of a probability between 0 and 1.
pub(super) fn check_probability(probability: f64) -> Result<f64> {
    let right = probability > 0.0 && probability < 1.0;
    if right {
        Ok(libm::log(probability))
    } else {
        Err(Error::parameter("probability", "a number > 0 and < 1", probability))
    }
}
