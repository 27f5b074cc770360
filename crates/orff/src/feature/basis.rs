//! What the normal equations need to know of features: Φ(x) = Σ over characters of c_m(x) times a factor.

use super::FeatureMap;
use faer::{Mat, MatRef};

/// Features that are scalar characters times p×r factors, whatever the characters are (waves, kernel sections).
pub trait Basis {
    /// Number of characters M and of outputs p.
    fn shape(&self) -> (usize, usize);
    /// The one factor B (p×r) of all characters and the amplitude of each (M), if the kernel is decomposable.
    fn shared(&self) -> Option<(&Mat<f64>, Vec<f64>)>;
    /// The transposed columns of every character's factor one below the other (K×p), and their characters (K).
    fn stacked(&self) -> (Mat<f64>, Vec<usize>);
    /// Z (M×p): row m is the factor of character m times its part of θ.
    fn lift(&self, theta: &[f64]) -> Mat<f64>;
    /// θ (K) = lower(G) for G M×p, the adjoint of [`lift`](Self::lift).
    fn lower(&self, g: MatRef<f64>) -> Vec<f64> {
        let (factors, of) = self.stacked();
        let one = |(i, &m): (usize, &usize)| (0..g.ncols()).map(|t| factors[(i, t)] * g[(m, t)]).sum();
        of.iter().enumerate().map(one).collect()
    }
}

impl Basis for FeatureMap {
    fn shape(&self) -> (usize, usize) {
        (self.characters(), self.atoms().outputs())
    }

    fn shared(&self) -> Option<(&Mat<f64>, Vec<f64>)> {
        self.atoms().shared_factor().map(|b| (b, self.amplitudes()))
    }

    fn stacked(&self) -> (Mat<f64>, Vec<usize>) {
        (self.stacked_factors(), self.character_of_unknown())
    }

    fn lift(&self, theta: &[f64]) -> Mat<f64> {
        FeatureMap::lift(self, theta)
    }

    fn lower(&self, g: MatRef<f64>) -> Vec<f64> {
        FeatureMap::lower(self, g)
    }
}
