//! Ridge over few rows in the dual, at every ridge: what each row is predicted to be by the rows of other folds. \[left-out\]

use super::Offset;
use crate::error::Result;
use crate::linalg::{self, Cholesky, Eigen};
use crate::random::Stream;
use faer::Mat;
use rayon::prelude::*;

/// Up to so many rows each is a fold of its own.
const ALONE: usize = 200;
/// Folds of more rows.
const FOLDS: usize = 10;
const PURPOSE: u64 = 0x666f_6c64_7320_6f66;

/// Rows in folds, of every class as many as of it in the others.
#[derive(Clone, Debug)]
pub(super) struct Folds {
    /// The rows of each fold.
    members: Vec<Vec<usize>>,
}

impl Folds {
    /// Folds of rows with these classes (any number for rows without).
    pub fn new(classes: &[usize], seed: u64) -> Self {
        let l = classes.len();
        if l <= ALONE {
            return Folds { members: (0..l).map(|i| vec![i]).collect() };
        }
        Self::split(classes, seed, FOLDS)
    }

    /// So many folds.
    pub fn split(classes: &[usize], seed: u64, count: usize) -> Self {
        let l = classes.len();
        let mut order: Vec<(usize, u64, usize)> =
            (0..l).map(|i| (classes[i], Stream::new(seed, PURPOSE, i as u64).bits(), i)).collect();
        order.sort_unstable();
        let mut members = vec![Vec::with_capacity(l / count.max(1) + 1); count.max(1)];
        order.into_iter().enumerate().for_each(|(at, (_, _, i))| members[at % count.max(1)].push(i));
        Folds { members }
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.members.len()
    }

    /// In words.
    pub fn named(&self) -> String {
        match self.members.iter().all(|fold| fold.len() == 1) {
            true => "one row left out at a time".into(),
            false => format!("{} folds", self.count()),
        }
    }

    /// The rows of each fold.
    pub fn iter(&self) -> impl Iterator<Item = &[usize]> {
        self.members.iter().map(Vec::as_slice)
    }

    /// Weighted means (p) of the outputs (l×p) of the rows outside each fold; zero where there are none.
    pub fn means(&self, y: &Mat<f64>, weights: &[f64]) -> Vec<Vec<f64>> {
        let sum = |rows: &mut dyn Iterator<Item = usize>| {
            let mut sums = vec![0.0; y.ncols() + 1];
            for i in rows {
                (0..y.ncols()).for_each(|t| sums[t] += weights[i] * y[(i, t)]);
                sums[y.ncols()] += weights[i];
            }
            sums
        };
        let all = sum(&mut (0..y.nrows()));
        let mean = |fold: &Vec<usize>| {
            let own = sum(&mut fold.iter().copied());
            let weight = all[y.ncols()] - own[y.ncols()];
            (0..y.ncols()).map(|t| if weight > 0.0 { (all[t] - own[t]) / weight } else { 0.0 }).collect()
        };
        self.members.iter().map(mean).collect()
    }
}

/// A kernel matrix of weighted rows, diagonalised.
pub(super) struct Dual {
    /// Of √w K √w (l×l).
    eigen: Eigen,
    /// √w (l).
    root: Vec<f64>,
    /// Σw.
    total: f64,
}

impl Dual {
    /// Of K = VᵀV for features V (M×l) of the rows. Cost l³.
    pub fn new(features: &Mat<f64>, weights: &[f64]) -> Result<Self> {
        let root: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        let mut gram = linalg::product(features.transpose(), features.as_ref());
        for j in 0..root.len() {
            (0..root.len()).for_each(|i| gram[(i, j)] *= root[i] * root[j]);
        }
        Ok(Dual { eigen: linalg::eigen(gram.as_ref())?, root, total: weights.iter().sum() })
    }

    /// The largest ridge worth a look: nλ is the largest eigenvalue there.
    pub fn top(&self) -> f64 {
        self.eigen.values.iter().copied().fold(0.0, f64::max) / self.total
    }

    /// What the rows of each fold are predicted to be by the others at one ridge (l×q), for outputs y (l×q), nλ kept. With
    /// A = (√wK√w + nλI)⁻¹ the residual of a fold F is (A_FF)⁻¹(A√wy)_F/√w; a constant that is learned makes A zero on √w,
    /// and the mean of the others is subtracted from y. NaN where it is lost to rounding. Cost l²·(q + l/folds).
    pub fn held_out(&self, ridge: f64, y: &Mat<f64>, folds: &Folds, offset: Offset) -> Mat<f64> {
        let (l, q) = y.shape();
        let mu = ridge * self.total;
        let vectors = &self.eigen.vectors; // l×l
        let inverse: Vec<f64> = self.eigen.values.iter().map(|v| 1.0 / (v.max(0.0) + mu)).collect();
        let filter = |b: &Mat<f64>| {
            let mut turned = linalg::product(vectors.transpose(), b.as_ref());
            for t in 0..b.ncols() {
                turned.col_mut(t).iter_mut().zip(&inverse).for_each(|(v, i)| *v *= i);
            }
            linalg::product(vectors.as_ref(), turned.as_ref())
        };
        let mut ay = filter(&Mat::from_fn(l, q, |i, t| self.root[i] * y[(i, t)])); // A√wy
        let a1 = filter(&Mat::from_fn(l, 1, |i, _| self.root[i])); // A√w
        let norm: f64 = (0..l).map(|i| self.root[i] * a1[(i, 0)]).sum();
        if offset == Offset::Learned {
            for t in 0..q {
                let drift = (0..l).map(|i| self.root[i] * ay[(i, t)]).sum::<f64>() / norm;
                (0..l).for_each(|i| ay[(i, t)] -= drift * a1[(i, 0)]);
            }
        }
        let weights: Vec<f64> = self.root.iter().map(|r| r * r).collect();
        let means = if offset == Offset::Mean { folds.means(y, &weights) } else { Vec::new() };
        let residual = |(f, fold): (usize, &Vec<usize>)| -> Mat<f64> {
            let s = fold.len();
            let own = Mat::from_fn(s, l, |a, k| vectors[(fold[a], k)]);
            let scaled = Mat::from_fn(l, s, |k, a| inverse[k] * own[(a, k)]);
            let mut block = linalg::product(own.as_ref(), scaled.as_ref()); // A_FF
            let mut right = Mat::from_fn(s, q, |a, t| ay[(fold[a], t)]);
            match offset {
                Offset::Mean => {
                    for t in 0..q {
                        (0..s).for_each(|a| right[(a, t)] -= means[f][t] * a1[(fold[a], 0)]);
                    }
                }
                Offset::Learned => {
                    for b in 0..s {
                        (0..s).for_each(|a| block[(a, b)] -= a1[(fold[a], 0)] * a1[(fold[b], 0)] / norm);
                    }
                }
                Offset::None => {}
            }
            let solved = Cholesky::new(block.as_ref()).and_then(|factor| factor.solve(None, right.as_ref()));
            solved.unwrap_or_else(|_| Mat::full(s, q, f64::NAN))
        };
        let residuals: Vec<Mat<f64>> = folds.members.par_iter().enumerate().map(residual).collect();
        let mut out = Mat::zeros(l, q);
        for (fold, residual) in folds.members.iter().zip(&residuals) {
            for (a, &i) in fold.iter().enumerate() {
                (0..q).for_each(|t| out[(i, t)] = y[(i, t)] - residual[(a, t)] / self.root[i]);
            }
        }
        out
    }
}
