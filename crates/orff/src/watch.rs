//! Progress and interruption, outside the mathematics.

use crate::error::Result;

/// Told what a long task is doing; stops it by returning an error ([`crate::Error::Interrupted`]).
pub trait Watch: Send {
    /// A new stage begins.
    fn stage(&mut self, _name: &str) {}
    /// Some rows (or iterations) of the stage are done.
    fn advance(&mut self, _done: u64) -> Result<()> {
        Ok(())
    }
    /// The unknowns an iteration has come to: what it can be started from again.
    fn keep(&mut self, _unknowns: &[f64]) {}
    /// So many unknowns to start from instead of zero, as kept by a run that was cut short, if there are any. What is
    /// minimised is convex: where an iteration starts decides how long it takes, not where it ends.
    fn kept(&mut self, _count: usize) -> Option<Vec<f64>> {
        None
    }
    /// Megabytes that whoever watches holds already: what a fit says it will take counts them.
    fn held(&self) -> f64 {
        0.0
    }
    /// A choice was made, with its reason.
    fn say(&mut self, _line: &str) {}
}

/// Watches nothing.
pub struct Silent;

impl Watch for Silent {}
