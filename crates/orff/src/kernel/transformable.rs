//! K(x,z)ᵢⱼ = k(ψᵢ(x), ψⱼ(z)): each output sees the inputs through its own view. \[transformable\]

use super::{Block, Formula, Kernel, Matrix, Seen, Units, decomposable, reading};
use crate::error::{Error, Result};
use crate::spectrum::{Draw, Spectrum};
use faer::Mat;
use serde::{Deserialize, Serialize};

/// A scalar kernel on views ψᵢ(x) = Tᵢx, one per output. Column i of Φ(x) is φ(ψᵢ(x)), so a row of data is p rows of a
/// scalar problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transformable {
    /// The law of the scalar kernel.
    #[serde(default)]
    pub spectrum: Spectrum,
    /// Tᵢ (d′×d), one per output.
    #[serde(deserialize_with = "reading::views")]
    pub views: Vec<Matrix>,
}

impl Transformable {
    fn view(&self, i: usize, x: &[f64]) -> Result<Vec<f64>> {
        let t = self.views[i].mat();
        if t.ncols() != x.len() {
            return Err(Error::shape(format!("view {}", i + 1), format!("{} columns", x.len()), t.ncols()));
        }
        Ok((0..t.nrows()).map(|a| (0..t.ncols()).map(|b| t[(a, b)] * x[b]).sum()).collect())
    }
}

impl Formula for Transformable {
    fn check(&self) -> Result<()> {
        self.spectrum.check_parameters()?;
        let size = |view: &Matrix| (view.mat().nrows(), view.mat().ncols());
        let Some((rows, cols)) = self.views.first().map(size) else {
            return Err(Error::shape("views", "at least one: a matrix for each output", "none"));
        };
        if let Some(bad) = self.views.iter().position(|view| size(view) != (rows, cols)) {
            let given = format!("another in view {}", bad + 1);
            return Err(Error::shape("views", format!("{rows}×{cols} in each"), given));
        }
        Ok(())
    }

    fn resolve(&self, seen: &Seen) -> Result<Kernel> {
        self.check()?;
        if self.views.len() != seen.outputs {
            return Err(Error::shape("views", format!("{}, one per output", seen.outputs), self.views.len()));
        }
        let spectrum = decomposable::close(&self.spectrum, seen);
        Ok(Transformable { spectrum, views: self.views.clone() }.into())
    }

    fn eval(&self, x: &[f64], z: &[f64]) -> Result<Mat<f64>> {
        let p = self.views.len();
        let mut k = Mat::zeros(p, p);
        for i in 0..p {
            for j in 0..p {
                let delta: Vec<f64> = self.view(i, x)?.iter().zip(self.view(j, z)?).map(|(a, b)| a - b).collect();
                k[(i, j)] = self.spectrum.value(&delta)?;
            }
        }
        Ok(k)
    }

    /// Atoms of the scalar kernel on one view (d is the dimension of a view).
    fn draw(&self, d: usize, count: usize, how: &Draw) -> Result<Block> {
        let scalar = Kernel::decomposable(self.spectrum.clone(), super::Output::Identity);
        let seen = Seen { outputs: 1, ..Seen::default() };
        scalar.resolve(&seen)?.formula().draw(d, count, how)
    }

    fn units(&self) -> (Units, Units) {
        let inputs = if decomposable::is_open(&self.spectrum) { Units::Common } else { Units::Fixed };
        (inputs, Units::Common)
    }
}
