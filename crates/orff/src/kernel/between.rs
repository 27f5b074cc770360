//! Kernels between linear maps: M K Mᵀ has the atoms MB, K(T·,T·) those of Tᵀω with B of the original ω. \[algebra\]

use super::algebra::{not_transformable, relist};
use super::{Block, Factors, Formula, Kernel, Matrix, Seen, Units, reading};
use crate::error::{Error, Result};
use crate::spectrum::{Draw, Omega};
use faer::Mat;
use serde::{Deserialize, Serialize};

/// M K Mᵀ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conjugated {
    /// M (p′×p).
    #[serde(deserialize_with = "reading::by")]
    pub by: Matrix,
    /// K.
    pub of: Box<Kernel>,
}

/// K(Tx, Tz).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Precomposed {
    /// T (d′×d).
    #[serde(deserialize_with = "reading::by", alias = "with")]
    pub by: Matrix,
    /// K on d′ inputs.
    pub of: Box<Kernel>,
}

impl Kernel {
    /// M K Mᵀ with M p′×p.
    pub fn conjugated(self, by: Matrix) -> Kernel {
        Conjugated { by, of: Box::new(self) }.into()
    }

    /// K(T·, T·) with T d′×d.
    pub fn precomposed(self, by: Matrix) -> Kernel {
        Precomposed { by, of: Box::new(self) }.into()
    }
}

impl Formula for Conjugated {
    fn check(&self) -> Result<()> {
        not_transformable(&self.of, "M K Mᵀ")?;
        self.of.check()
    }

    fn resolve(&self, seen: &Seen) -> Result<Kernel> {
        let (rows, columns) = (self.by.mat().nrows(), self.by.mat().ncols());
        if rows != seen.outputs {
            return Err(Error::shape("matrix of M K Mᵀ", format!("{} rows, one per output", seen.outputs), rows));
        }
        not_transformable(&self.of, "M K Mᵀ")?;
        let of = self.of.resolve(&Seen { outputs: columns, sample: None, ..*seen })?;
        Ok(of.conjugated(self.by.clone()))
    }

    fn eval(&self, x: &[f64], z: &[f64]) -> Result<Mat<f64>> {
        let (m, k) = (self.by.mat(), self.of.eval(x, z)?);
        if m.ncols() != k.nrows() {
            return Err(Error::shape("matrix of M K Mᵀ", format!("{} columns", k.nrows()), m.ncols()));
        }
        Ok(m * k * m.transpose())
    }

    fn draw(&self, d: usize, count: usize, how: &Draw) -> Result<Block> {
        let block = self.of.formula().draw(d, count, how)?;
        let m = self.by.mat();
        if m.ncols() != block.factors.outputs() {
            return Err(Error::shape("matrix of M K Mᵀ", format!("{} columns", block.factors.outputs()), m.ncols()));
        }
        let factors = match block.factors.shared() {
            Some(b) => Factors::Shared(m * b),
            None => relist(&block, |_, b| m * b),
        };
        Ok(Block { factors, ..block })
    }

    fn units(&self) -> (Units, Units) {
        (self.of.units().0, Units::Common)
    }
}

impl Formula for Precomposed {
    fn check(&self) -> Result<()> {
        not_transformable(&self.of, "a change of inputs")?;
        self.of.check()
    }

    fn resolve(&self, seen: &Seen) -> Result<Kernel> {
        not_transformable(&self.of, "a change of inputs")?;
        let of = self.of.resolve(seen)?;
        Ok(of.precomposed(self.by.clone()))
    }

    fn eval(&self, x: &[f64], z: &[f64]) -> Result<Mat<f64>> {
        let t = self.by.mat();
        if t.ncols() != x.len() {
            return Err(Error::shape("matrix of K(T·,T·)", format!("{} columns", x.len()), t.ncols()));
        }
        let map = |x: &[f64]| -> Vec<f64> {
            (0..t.nrows()).map(|i| (0..t.ncols()).map(|k| t[(i, k)] * x[k]).sum()).collect()
        };
        self.of.eval(&map(x), &map(z))
    }

    fn draw(&self, d: usize, count: usize, how: &Draw) -> Result<Block> {
        let t = self.by.mat();
        if t.ncols() != d {
            return Err(Error::shape("matrix of K(T·,T·)", format!("{d} columns"), t.ncols()));
        }
        let block = self.of.formula().draw(t.nrows(), count, how)?;
        let factors = match block.factors.shared() {
            Some(b) => Factors::Shared(b.clone()),
            None => relist(&block, |_, b| b),
        };
        let omega = Omega::Dense(block.omega.to_dense() * t);
        Ok(Block { omega, factors, ..block })
    }

    fn units(&self) -> (Units, Units) {
        let (inputs, outputs) = self.of.units();
        (inputs.max(Units::Common), outputs)
    }
}
