//! Gram matrices of observations, whitened by their weights and centred about their means. \[dual\]

use crate::linalg;
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// Observations that share a Gram matrix.
#[derive(Clone, Debug)]
pub struct Group {
    /// Point and offset class (0..q) of each of the N observations; those of one point are consecutive.
    pub entries: Vec<(usize, usize)>,
    /// √w (N).
    pub root: Vec<f64>,
    /// Σw of each class (q).
    pub totals: Vec<f64>,
    /// Whether each class has an offset.
    pub offset: bool,
    /// A (N×N), both triangles.
    pub gram: Mat<f64>,
    /// K M (N×q), where column c of M (N×q) averages over class c; zero without offset.
    pub drift: Mat<f64>,
    /// MᵀK M (q×q).
    pub corner: Mat<f64>,
    /// ΣwᵢKᵢᵢ: the trace of A before it was centred.
    pub size: f64,
}

impl Group {
    /// Whitens and centres the Gram matrix K (N×N) of the entries with weights w > 0.
    pub fn new(
        mut gram: Mat<f64>,
        entries: Vec<(usize, usize)>,
        weight: &[f64],
        classes: usize,
        offset: bool,
    ) -> Self {
        let n = entries.len();
        let mut totals = vec![0.0; classes];
        entries.iter().zip(weight).for_each(|(&(_, c), w)| totals[c] += w);
        let root: Vec<f64> = weight.iter().map(|w| w.sqrt()).collect();
        let mut group = Group {
            entries,
            root,
            totals,
            offset,
            gram: Mat::zeros(0, 0),
            drift: Mat::zeros(n, classes),
            corner: Mat::zeros(classes, classes),
            size: weight.iter().enumerate().map(|(i, w)| w * gram[(i, i)]).sum(),
        };
        if offset {
            let mean = group.mean();
            group.drift = linalg::product(gram.as_ref(), mean.as_ref());
            group.corner = linalg::product(mean.transpose(), group.drift.as_ref());
        }
        let (drift, corner, root) = (&group.drift, &group.corner, &group.root);
        let class: Vec<usize> = group.entries.iter().map(|e| e.1).collect();
        gram.par_col_chunks_mut(1).enumerate().for_each(|(j, mut column)| {
            for i in 0..n {
                let (a, b) = (class[i], class[j]);
                let k = column[(i, 0)] - drift[(i, b)] - drift[(j, a)] + corner[(a, b)];
                column[(i, 0)] = root[i] * root[j] * k;
            }
        });
        group.gram = gram;
        group
    }

    /// M (N×q): wᵢ/W of each class; zero without offset.
    pub fn mean(&self) -> Mat<f64> {
        let mut mean = Mat::zeros(self.entries.len(), self.totals.len());
        if self.offset {
            for (e, &(_, c)) in self.entries.iter().enumerate() {
                mean[(e, c)] = self.root[e] * self.root[e] / self.totals[c];
            }
        }
        mean
    }

    /// Weighted mean of each class (q) of values at the entries (N); zero without offset.
    pub fn means(&self, y: &[f64]) -> Vec<f64> {
        let mean = self.mean();
        (0..self.totals.len()).map(|c| (0..y.len()).map(|e| mean[(e, c)] * y[e]).sum()).collect()
    }

    /// P√w y: the right-hand side of values y at the entries.
    pub fn target(&self, y: &[f64]) -> Vec<f64> {
        let means = self.means(y);
        self.entries.iter().zip(y).zip(&self.root).map(|((&(_, c), y), r)| r * (y - means[c])).collect()
    }

    /// Rᵀ P √w for R (N×k): takes K(X, x) to the coordinates of R.
    pub fn turn(&self, r: MatRef<f64>) -> Mat<f64> {
        let mut out = r.transpose().to_owned(); // k×N
        if self.offset {
            let mut along = Mat::<f64>::zeros(r.ncols(), self.totals.len());
            for (e, &(_, c)) in self.entries.iter().enumerate() {
                let share = self.root[e] / self.totals[c].sqrt();
                (0..r.ncols()).for_each(|k| along[(k, c)] += r[(e, k)] * share);
            }
            for (e, &(_, c)) in self.entries.iter().enumerate() {
                let share = self.root[e] / self.totals[c].sqrt();
                (0..r.ncols()).for_each(|k| out[(k, e)] -= along[(k, c)] * share);
            }
        }
        for (e, root) in self.root.iter().enumerate() {
            out.col_mut(e).iter_mut().for_each(|v| *v *= root);
        }
        out
    }
}
