//! Least squares with a constant on the inputs themselves, from moments. \[least-squares\]

use super::ridge::times_rows;
use super::scale::beyond;
use crate::error::Result;
use crate::feature::{BLOCK_ROWS, Part};
use crate::linalg::{self, Cholesky};
use crate::model::{Affine, AffineSpread, Preparation};
use crate::solve::Centred;
use crate::watch::Watch;
use faer::{Mat, MatRef};
use rayon::prelude::*;
use std::ops::Range;

/// Pivots below this share of the largest are lost to rounding: columns that follow from others.
const DEPENDENT: f64 = 1e-12;
/// Deviations whose squares keep their digits.
const LEAST: f64 = 1e-145;

/// Blocks of rows whose moments are taken side by side.
const TOGETHER: usize = 16;

/// Rows in units in which their moments keep their digits.
pub(super) struct LeastSquares {
    preparation: Preparation,
    shift: Vec<f64>,
    ridge: f64,
}

/// Coefficients, the degrees of freedom they take, and how they were found.
pub(super) struct Found {
    pub affine: Affine,
    pub freedom: f64,
    pub how: &'static str,
}

impl LeastSquares {
    /// Centres and scales of some rows (n×d and n×p).
    pub fn begin(x: MatRef<f64>, y: MatRef<f64>, ridge: f64) -> Result<Self> {
        let d = x.ncols();
        let mut preparation = Preparation::plain(d);
        let all = |m: MatRef<f64>, what: &str| -> Result<Vec<_>> {
            (0..m.ncols()).into_par_iter().map(|k| measured(m, k, what)).collect()
        };
        for (k, (mean, sd)) in all(x, "input")?.into_iter().enumerate() {
            preparation.centre[k] = mean;
            preparation.scale[k] = if sd > 1e-12 * mean.abs() { sd } else { 1.0 };
        }
        let shift = all(y, "output")?.into_iter().map(|(mean, _)| mean).collect();
        Ok(LeastSquares { preparation, shift, ridge })
    }

    /// The same units with another ridge.
    pub fn with_ridge(&self, ridge: f64) -> Self {
        LeastSquares { preparation: self.preparation.clone(), shift: self.shift.clone(), ridge }
    }

    /// The moments of some rows. Time rows·(d + p)².
    pub fn part(&self, x: &Mat<f64>, y: &Mat<f64>, rows: Range<usize>, watch: &mut dyn Watch) -> Result<Part> {
        let (mut part, starts) = (Part::new(x.ncols(), y.ncols()), rows.clone().step_by(BLOCK_ROWS));
        // blocks side by side, added in their order: the same bits for any number of threads
        for some in starts.collect::<Vec<_>>().chunks(TOGETHER) {
            let block = |from: usize| self.block(x, y, from..rows.end.min(from + BLOCK_ROWS));
            let parts: Vec<Part> = some.par_iter().map(|&from| block(from)).collect();
            parts.iter().for_each(|own| part.merge(own));
            watch.advance(parts.iter().map(|own| own.rows as u64).sum())?;
        }
        Ok(part)
    }

    /// The moments of so few rows that they are near.
    fn block(&self, x: &Mat<f64>, y: &Mat<f64>, rows: Range<usize>) -> Part {
        let (from, n) = (rows.start, rows.len());
        let u = linalg::scaled(x.subrows(from, n), &self.preparation.centre, &self.preparation.scale);
        let y = linalg::less(y.subrows(from, n), &self.shift);
        let mut part = Part::new(x.ncols(), y.ncols());
        part.add(u.as_ref(), y.as_ref(), &vec![1.0; n]);
        part
    }

    /// Solves (Σ(u−ū)(u−ū)ᵀ + nλI)A = Σ(u−ū)(y−ȳ)ᵀ; the solution of least norm where columns depend on each other. The
    /// noise is left for whoever has the residuals.
    pub fn solve(&self, part: Part, posterior: bool) -> Result<Found> {
        let mut all = Centred::of(part, true);
        let (d, n) = (all.cc.nrows(), all.weight);
        let ridge = times_rows(self.ridge, n)?;
        (0..d).for_each(|k| all.cc[(k, k)] += ridge);
        let most = (0..d).map(|k| all.cc[(k, k)]).fold(0.0, f64::max);
        let factor = Cholesky::new(all.cc.as_ref()).ok().filter(|f| {
            let pivots = (0..d).map(|k| f.factor()[(k, k)] * f.factor()[(k, k)]);
            pivots.fold(f64::INFINITY, f64::min) > DEPENDENT * most
        });
        let (table, root, how) = match factor {
            Some(factor) => {
                let table = factor.solve(None, all.cy.as_ref())?;
                let root = posterior.then(|| factor.inverse_factor().transpose().to_owned());
                (table, root, "Cholesky")
            }
            None => {
                let eigen = linalg::eigen(all.cc.as_ref())?;
                let top = eigen.values.last().copied().unwrap_or(0.0);
                let kept: Vec<usize> = (0..d).filter(|&k| eigen.values[k] > DEPENDENT * top).collect();
                let root =
                    Mat::from_fn(d, kept.len(), |i, k| eigen.vectors[(i, kept[k])] / eigen.values[kept[k]].sqrt());
                let along = root.transpose() * &all.cy;
                (&root * along, Some(root).filter(|_| posterior), "eigenvalues, some columns depend on others")
            }
        };
        let drift = |t: usize| (0..d).map(|k| table[(k, t)] * all.mean_c[k]).sum::<f64>();
        let offset = (0..table.ncols()).map(|t| self.shift[t] + all.mean_y[t] - drift(t)).collect();
        let freedom = 1.0 + root.as_ref().map_or(d, Mat::ncols) as f64;
        let spread = root.map(|root| AffineSpread { root, mean: all.mean_c, rows: n });
        let noise = Mat::zeros(table.ncols(), table.ncols());
        let preparation = self.preparation.clone();
        Ok(Found { affine: Affine { preparation, table, offset, noise, spread }, freedom, how })
    }
}

/// Mean and standard deviation of a column, where their squares are numbers.
fn measured(x: MatRef<f64>, k: usize, of: &str) -> Result<(f64, f64)> {
    let column = linalg::column(x, k);
    let n = column.len().max(1) as f64;
    let mean = linalg::folds(column, 0.0, |sum, v| sum + v).iter().sum::<f64>() / n;
    let squares = linalg::folds(column, 0.0, |sum, v| sum + (v - mean) * (v - mean));
    let sd = (squares.iter().sum::<f64>() / n).sqrt();
    let reach = || column.iter().map(|v| (v - mean).abs()).fold(0.0, f64::max);
    match (mean + sd).is_finite() {
        false => Err(beyond(of, k, "spread too far")),
        // squares below this have lost digits
        true if mean.abs() < LEAST && reach() > 0.0 && reach() < LEAST => {
            Err(beyond(of, k, "lie too close together"))
        }
        true => Ok((mean, sd)),
    }
}
