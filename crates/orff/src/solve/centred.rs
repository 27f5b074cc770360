//! Moments about their means: what systems are made of.

use crate::feature::{Moments, Part};
use crate::linalg;
use faer::{Mat, MatRef};
use std::ops::Range;

/// Moments about the mean (or about zero, without offset), of all outputs together or of one.
#[derive(Clone, Debug)]
pub struct Centred {
    /// n of the mean loss: the weight of all rows with an observed output, this one or another.
    pub rows: f64,
    /// Number of rows spoken of, whatever their weights.
    pub points: f64,
    /// Number of observations: Σw when weights count repetitions, the number of rows when they are precisions 1/σ².
    pub observations: f64,
    /// Σw of the rows spoken of.
    pub weight: f64,
    /// Degrees of freedom left to the data: the observations, less one for an offset.
    pub count: f64,
    /// c̄ (M), zero without offset.
    pub mean_c: Vec<f64>,
    /// ȳ (p), zero without offset.
    pub mean_y: Vec<f64>,
    /// Σw(c−c̄)(c−c̄)ᵀ (M×M), both triangles.
    pub cc: Mat<f64>,
    /// Σw(c−c̄)(y−ȳ)ᵀ (M×p).
    pub cy: Mat<f64>,
    /// Σw(y−ȳ)(y−ȳ)ᵀ (p×p).
    pub yy: Mat<f64>,
}

impl Centred {
    /// Of all outputs together when every row has them all, else one for each output.
    pub fn all(moments: &Moments, offset: bool) -> Vec<Self> {
        Self::take(moments.clone(), offset)
    }

    /// As [`all`](Self::all), in the place of the moments.
    pub fn take(moments: Moments, offset: bool) -> Vec<Self> {
        let (rows, relative) = (moments.weight(), moments.relative());
        let among = |part: Part| {
            let (observations, weight) = (if relative { part.rows } else { part.weight }, part.weight);
            let one = Self::of(part, offset);
            let count = observations - (weight - one.count);
            Centred { rows, observations, count, ..one }
        };
        match moments.into_complete() {
            Ok(part) => vec![among(part)],
            Err(moments) => (0..moments.outputs()).map(|t| among(moments.output(t))).collect(),
        }
    }

    /// Centres a part of moments, as if there were no other rows.
    pub fn of(part: Part, offset: bool) -> Self {
        let Part { rows: points, mut cc, mut cy, mut yy, .. } = part;
        linalg::mirror(cc.as_mut());
        let (m, p) = (cy.nrows(), cy.ncols());
        let (mut mean_c, mut mean_y) = (vec![0.0; m], vec![0.0; p]);
        if offset && part.weight > 0.0 {
            mean_c = part.sum_c.iter().map(|s| s / part.weight).collect();
            mean_y = part.sum_y.iter().map(|s| s / part.weight).collect();
            for j in 0..m {
                for i in 0..m {
                    cc[(i, j)] -= part.weight * mean_c[i] * mean_c[j];
                }
            }
            for t in 0..p {
                (0..m).for_each(|i| cy[(i, t)] -= part.weight * mean_c[i] * mean_y[t]);
                (0..p).for_each(|s| yy[(s, t)] -= part.weight * mean_y[s] * mean_y[t]);
            }
        }
        // what was not observed has no constant either
        let count = part.weight - if offset && part.weight > 0.0 { 1.0 } else { 0.0 };
        Centred {
            rows: part.weight,
            points,
            observations: part.weight,
            weight: part.weight,
            count,
            mean_c,
            mean_y,
            cc,
            cy,
            yy,
        }
    }

    /// The same without the moments of the characters, which a system may then have.
    pub fn summary(&self) -> Self {
        let (mean_c, mean_y) = (self.mean_c.clone(), self.mean_y.clone());
        Centred { mean_c, mean_y, cc: Mat::new(), cy: self.cy.clone(), yy: self.yy.clone(), ..*self }
    }

    /// The constant of some outputs and their residual sums of squares, when z (M×q) are their columns of the table and
    /// `spread` is cc·z, if it is known.
    pub fn explained(&self, outputs: Range<usize>, z: MatRef<f64>, spread: Option<MatRef<f64>>) -> Vec<(f64, f64)> {
        let spread = spread.map_or_else(|| linalg::product(self.cc.as_ref(), z), |s| s.to_owned()); // M×q
        let one = |(q, t): (usize, usize)| {
            let (mut drift, mut fitted, mut energy) = (0.0, 0.0, 0.0);
            for i in 0..z.nrows() {
                drift += z[(i, q)] * self.mean_c[i];
                fitted += z[(i, q)] * self.cy[(i, t)];
                energy += z[(i, q)] * spread[(i, q)];
            }
            (self.mean_y[t] - drift, (self.yy[(t, t)] - 2.0 * fitted + energy).max(0.0))
        };
        outputs.enumerate().map(one).collect()
    }

    /// Σw c² of character m: about zero, not about the mean.
    pub fn energy(&self, m: usize) -> f64 {
        self.cc[(m, m)] + self.weight * self.mean_c[m] * self.mean_c[m]
    }

    /// The moments of some of the characters.
    pub fn restricted(&self, keep: &[usize]) -> Self {
        Centred {
            mean_c: keep.iter().map(|&m| self.mean_c[m]).collect(),
            mean_y: self.mean_y.clone(),
            cc: Mat::from_fn(keep.len(), keep.len(), |i, j| self.cc[(keep[i], keep[j])]),
            cy: Mat::from_fn(keep.len(), self.cy.ncols(), |i, t| self.cy[(keep[i], t)]),
            yy: self.yy.clone(),
            ..*self
        }
    }

    /// The same moments of outputs y′ = T y (T q×p).
    pub fn transformed(mut self, t: MatRef<f64>) -> Self {
        self.cy = linalg::product(self.cy.as_ref(), t.transpose());
        self.yy = t * &self.yy * t.transpose();
        let mean: Vec<f64> =
            (0..t.nrows()).map(|i| (0..t.ncols()).map(|k| t[(i, k)] * self.mean_y[k]).sum()).collect();
        self.mean_y = mean;
        self
    }
}
