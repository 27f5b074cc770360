//! Atoms: a finite operator-valued spectral measure, K̂(x,z) = Σⱼ aⱼ cos⟨χ(x)−χ(z), ωⱼ⟩ BⱼBⱼᵀ. \[atoms\]

use super::factor::Factors;
use crate::error::{Error, Result};
use crate::spectrum::Omega;
use faer::{Mat, MatRef};

/// Atoms whose factors have one shape.
#[derive(Clone, Debug)]
pub struct Block {
    /// The frequencies ωⱼ (D×d).
    pub omega: Omega,
    /// The weights aⱼ ≥ 0.
    pub weight: Vec<f64>,
    /// The factors Bⱼ (p×r).
    pub factors: Factors,
    /// What the draw did differently from what was asked, if anything.
    pub note: Option<String>,
}

/// All atoms of a kernel.
#[derive(Clone, Debug)]
pub struct Atoms {
    /// Blocks of atoms; a sum of kernels is their union.
    pub blocks: Vec<Block>,
}

impl Block {
    /// Number of atoms D.
    pub fn count(&self) -> usize {
        self.weight.len()
    }

    /// Bⱼ in full (p×r).
    pub fn factor(&self, j: usize) -> Mat<f64> {
        let mut omega = vec![0.0; self.omega.dimension()];
        self.omega.row(j, &mut omega);
        self.factors.dense(j, &omega)
    }

    /// The first `count` atoms, reweighted so that they estimate the same kernel.
    pub fn prefix(&self, count: usize) -> Block {
        let total = self.count();
        let count = count.min(total);
        let rescale = total as f64 / count.max(1) as f64;
        Block {
            omega: self.omega.prefix(count),
            weight: self.weight[..count].iter().map(|a| a * rescale).collect(),
            factors: self.factors.prefix(count),
            note: self.note.clone(),
        }
    }
}

impl Atoms {
    /// Number of atoms in all blocks.
    pub fn count(&self) -> usize {
        self.blocks.iter().map(Block::count).sum()
    }

    /// Number of inputs d.
    pub fn inputs(&self) -> usize {
        self.blocks[0].omega.dimension()
    }

    /// Number of outputs p.
    pub fn outputs(&self) -> usize {
        self.blocks[0].factors.outputs()
    }

    /// The common factor B when the kernel is decomposable: every block has the same constant B.
    pub fn shared_factor(&self) -> Option<&Mat<f64>> {
        let first = self.blocks[0].factors.shared()?;
        self.blocks.iter().all(|b| b.factors.shared() == Some(first)).then_some(first)
    }

    /// K̂(x, z) (p×p) by its definition, for points in chart coordinates. Cost D(d + p²r), or Dd + p²r where atoms share
    /// their factor.
    pub fn eval(&self, x: &[f64], z: &[f64]) -> Result<Mat<f64>> {
        let (d, p) = (self.inputs(), self.outputs());
        if x.len() != d || z.len() != d {
            return Err(Error::shape("point", format!("{d} coordinates"), x.len().min(z.len())));
        }
        let mut sum = Mat::<f64>::zeros(p, p);
        let mut omega = vec![0.0; d];
        let mut add = |scale: f64, b: &Mat<f64>| sum += faer::Scale(scale) * (b * b.transpose());
        for block in &self.blocks {
            let mut scalar = 0.0;
            for j in 0..block.count() {
                block.omega.row(j, &mut omega);
                let angle: f64 = (0..d).map(|k| (x[k] - z[k]) * omega[k]).sum();
                let scale = block.weight[j] * libm::cos(angle);
                match block.factors.shared() {
                    Some(_) => scalar += scale,
                    None => add(scale, &block.factors.dense(j, &omega)),
                }
            }
            block.factors.shared().into_iter().for_each(|b| add(scalar, b));
        }
        Ok(sum)
    }

    /// One block from arrays: ω (D×d), factors Bⱼ stacked (D·p×r), weights aⱼ (D).
    pub fn listed(omega: MatRef<f64>, factors: MatRef<f64>, weight: &[f64]) -> Result<Self> {
        let count = omega.nrows();
        if count == 0 || omega.ncols() == 0 {
            return Err(Error::shape("omega", "at least one atom and one input", "an empty matrix"));
        }
        if weight.len() != count {
            return Err(Error::shape("weights", format!("{count}, one per atom"), weight.len()));
        }
        if let Some(bad) = weight.iter().find(|a| !(a.is_finite() && **a >= 0.0)) {
            return Err(Error::parameter("weights", "finite numbers ≥ 0", bad));
        }
        if factors.nrows() == 0 || factors.nrows() % count != 0 || factors.ncols() == 0 {
            return Err(Error::shape(
                "factors",
                format!("D·p rows with D = {count} atoms, and at least one column"),
                format!("{}×{}", factors.nrows(), factors.ncols()),
            ));
        }
        for (name, m) in [("omega", omega), ("factors", factors)] {
            super::Matrix::new(m.to_owned(), name)?;
        }
        let p = factors.nrows() / count;
        let first = factors.subrows(0, p);
        // one factor for all makes the kernel decomposable
        let factors = match (1..count).all(|j| factors.subrows(j * p, p) == first) {
            true => Factors::Shared(first.to_owned()),
            false => Factors::Listed { outputs: p, stacked: factors.to_owned() },
        };
        Ok(Atoms {
            blocks: vec![Block {
                omega: Omega::Dense(omega.to_owned()),
                weight: weight.to_vec(),
                factors,
                note: None,
            }],
        })
    }
}
