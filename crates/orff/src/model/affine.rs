//! A model that is linear in the inputs themselves: f(x) = Aᵀu + b, from least squares.

use super::{Prediction, Preparation, Query};
use crate::archive::{Archive, Reader};
use crate::error::{Error, Result};
use crate::linalg;
use crate::rows::Inputs;
use faer::{Mat, MatMut, MatRef};
use serde::{Deserialize, Serialize};

/// Coefficients and constants, with what error bars need.
#[derive(Clone, Debug)]
pub struct Affine {
    /// From inputs to u: centre and scale.
    pub preparation: Preparation,
    /// A (d×p), of scaled inputs u.
    pub table: Mat<f64>,
    /// b (p).
    pub offset: Vec<f64>,
    /// Covariance of the noise (p×p).
    pub noise: Mat<f64>,
    /// The uncertainty of the coefficients, if kept.
    pub spread: Option<AffineSpread>,
}

/// The variance of f(x) in units of the noise: 1/n + ‖Rᵀ(u − ū)‖². \[least-squares\]
#[derive(Clone, Debug)]
pub struct AffineSpread {
    /// R (d×r) with RRᵀ = (Σ(u−ū)(u−ū)ᵀ + nλI)⁻¹.
    pub root: Mat<f64>,
    /// ū (d).
    pub mean: Vec<f64>,
    /// n.
    pub rows: f64,
}

/// What the header says of such a model beside its tensors.
#[derive(Serialize, Deserialize)]
pub(super) struct AffineHeader {
    preparation: Preparation,
    rows: Option<f64>,
}

impl Affine {
    /// Number of outputs p.
    pub fn outputs(&self) -> usize {
        self.offset.len()
    }

    /// The coefficients of the inputs in the user's units (d×p), and the constants (p).
    pub fn coefficients(&self) -> (Mat<f64>, Vec<f64>) {
        let Preparation { centre, scale, .. } = &self.preparation;
        let a = Mat::from_fn(self.table.nrows(), self.table.ncols(), |k, t| self.table[(k, t)] / scale[k]);
        let constant = |t: usize| self.offset[t] - (0..a.nrows()).map(|k| a[(k, t)] * centre[k]).sum::<f64>();
        let b = (0..self.outputs()).map(constant).collect();
        (a, b)
    }

    /// Aᵀu + b of scaled rows (n×d): n×p.
    fn line(&self, u: MatRef<f64>) -> Mat<f64> {
        let mut mean = linalg::product(u, self.table.as_ref());
        for t in 0..self.outputs() {
            linalg::column_mut(mean.as_mut(), t).iter_mut().for_each(|v| *v += self.offset[t]);
        }
        mean
    }

    /// What is left of outputs (n×p) of inputs (n×d) that are numbers, in their place. Cost n·d·p.
    pub(crate) fn subtract_from(&self, mut outputs: MatMut<f64>, inputs: MatRef<f64>) {
        let Preparation { centre, scale, .. } = &self.preparation;
        outputs -= self.line(linalg::scaled(inputs, centre, scale).as_ref());
    }

    /// Predicts n rows. Cost n·d·p, and n·d² more for uncertainty.
    pub fn predict(&self, x: &Inputs, query: Query) -> Result<Prediction> {
        let u = self.preparation.prepare(x, 1)?.into_dense();
        let (n, p) = (u.nrows(), self.outputs());
        let mean = self.line(u.as_ref());
        if !query.std && !query.cov {
            return Ok(Prediction { mean, std: None, cov: None });
        }
        let Some(spread) = &self.spread else {
            return Err(Error::refused("uncertainty from this model", "it was fitted without (posterior = false)"));
        };
        let centred = Mat::from_fn(n, u.ncols(), |i, k| u[(i, k)] - spread.mean[k]);
        let q = linalg::product(centred.as_ref(), spread.root.as_ref());
        let more = if query.noise { 1.0 } else { 0.0 };
        let share: Vec<f64> =
            (0..n).map(|i| 1.0 / spread.rows + q.row(i).iter().map(|v| v * v).sum::<f64>() + more).collect();
        let std = query.std.then(|| Mat::from_fn(n, p, |i, t| (share[i] * self.noise[(t, t)].max(0.0)).sqrt()));
        let cov = query.cov.then(|| share.iter().map(|s| faer::Scale(*s) * &self.noise).collect());
        Ok(Prediction { mean, std, cov })
    }

    pub(super) fn header(&self) -> AffineHeader {
        AffineHeader { preparation: self.preparation.clone(), rows: self.spread.as_ref().map(|s| s.rows) }
    }

    pub(super) fn store<'a>(&'a self, archive: &mut Archive<'a>) {
        archive.put_mat("table", self.table.as_ref());
        archive.put_vec("offset", self.offset.as_slice());
        archive.put_mat("noise", self.noise.as_ref());
        if let Some(spread) = &self.spread {
            archive.put_mat("spread.root", spread.root.as_ref());
            archive.put_vec("spread.mean", spread.mean.as_slice());
        }
    }

    pub(super) fn restore(file: &Reader) -> Result<Affine> {
        let AffineHeader { preparation, rows } = file.part("affine")?;
        preparation.check(file)?;
        let d = preparation.centre.len();
        let table = file.mat("table", Some(d), None)?;
        let p = table.ncols();
        let offset = file.vec("offset", Some(p))?;
        let noise = file.mat("noise", Some(p), Some(p))?;
        let spread = match rows {
            None => None,
            Some(rows) => {
                let (root, mean) = (file.mat("spread.root", Some(d), None)?, file.vec("spread.mean", Some(d))?);
                Some(AffineSpread { root, mean, rows })
            }
        };
        if p == 0 || !preparation.views.is_empty() || rows.is_some_and(|n| !(n > 0.0)) {
            return Err(file.damaged("its coefficients are not those of a linear model; fit again or restore a copy"));
        }
        Ok(Affine { preparation, table, offset, noise, spread })
    }
}
