//! A kernel given by the user's own atoms (ω, B, a). \[atoms\]

use super::{Atoms, Block, Formula, Kernel, Matrix, Seen, Units, reading};
use crate::error::{Error, Result};
use crate::spectrum::Draw;
use faer::Mat;
use serde::{Deserialize, Serialize};

/// K₀(δ) = Σⱼ aⱼ cos⟨δ,ωⱼ⟩ BⱼBⱼᵀ, exactly: the atoms are the kernel, in the units of the inputs. Atoms with one output are a scalar kernel,
/// which serves any number of outputs, the same for each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// ωⱼ in rows (D×d).
    #[serde(deserialize_with = "reading::omega")]
    pub omega: Matrix,
    /// Bⱼ one below the other (D·p×r).
    #[serde(deserialize_with = "reading::factors")]
    pub factors: Matrix,
    /// aⱼ ≥ 0; all 1/D when absent.
    #[serde(default, deserialize_with = "reading::weights")]
    pub weights: Option<Vec<f64>>,
}

impl Listed {
    /// The atoms as given.
    pub fn atoms(&self) -> Result<Atoms> {
        let count = self.omega.mat().nrows();
        let even = vec![1.0 / count as f64; count];
        let weights = self.weights.as_deref().unwrap_or(&even);
        Atoms::listed(self.omega.mat().as_ref(), self.factors.mat().as_ref(), weights)
    }

    /// The atoms, which are of d inputs.
    fn of_inputs(&self, d: usize) -> Result<Atoms> {
        match self.omega.mat().ncols() {
            own if own == d => self.atoms(),
            own => Err(Error::shape("omega of the listed atoms", format!("{d} columns"), own)),
        }
    }

    /// The scalar kernel of atoms that are the same for each of p outputs, Bⱼ = bⱼ ⊗ I; none where outputs are tied.
    pub(super) fn scalar(&self) -> Option<(Listed, usize)> {
        let (count, b) = (self.omega.mat().nrows(), self.factors.mat());
        let p = b.nrows().checked_div(count)?;
        let own = Mat::from_fn(count, b.ncols().checked_div(p)?, |j, k| b[(j * p, k * p)]);
        let same = |i: usize, k: usize| b[(i, k)] == if i % p == k % p { own[(i / p, k / p)] } else { 0.0 };
        let whole = b.nrows() == count * p && b.ncols() == own.ncols() * p;
        if !whole || own.ncols() == 0 || !(0..b.nrows()).all(|i| (0..b.ncols()).all(|k| same(i, k))) {
            return None;
        }
        Some((Listed { factors: Matrix::new(own, "factors").ok()?, ..self.clone() }, p))
    }
}

impl Formula for Listed {
    fn check(&self) -> Result<()> {
        self.atoms().map(drop)
    }

    fn resolve(&self, seen: &Seen) -> Result<Kernel> {
        self.atoms()?;
        let (count, p) = (self.omega.mat().nrows(), seen.outputs);
        let (b, r) = (self.factors.mat(), self.factors.mat().ncols());
        if b.nrows() != count || p <= 1 {
            return Ok(self.clone().into());
        }
        // bⱼ ⊗ I
        let each = |i: usize, k: usize| if i % p == k % p { b[(i / p, k / p)] } else { 0.0 };
        let factors = Matrix::new(Mat::from_fn(count * p, r * p, each), "factors")?;
        Ok(Listed { factors, ..self.clone() }.into())
    }

    fn eval(&self, x: &[f64], z: &[f64]) -> Result<Mat<f64>> {
        self.of_inputs(x.len())?.eval(x, z)
    }

    /// All atoms, whatever `count`: fewer would be another kernel.
    fn draw(&self, d: usize, _: usize, _: &Draw) -> Result<Block> {
        Ok(self.of_inputs(d)?.blocks.remove(0))
    }

    fn units(&self) -> (Units, Units) {
        (Units::Fixed, Units::Common)
    }
}
