//! Exact leave-one-out errors at every ridge of a path, by one more pass over the rows. \[loo\]

use super::{Shape, Spectral};
use crate::error::{Error, Result};
use crate::linalg;
use faer::{Mat, MatRef};

/// Rows that are left out, one at a time.
#[derive(Clone, Copy)]
pub struct LeftOut<'a> {
    /// How much each row counts (n).
    pub weight: &'a [f64],
    /// How much of that is left out (n): all of it, or one of several repetitions.
    pub left: &'a [f64],
    /// Whether a constant was learned.
    pub offset: bool,
}

/// What blocks of rows need: made once for a path.
pub struct LeaveOneOut<'a> {
    spectral: &'a Spectral,
    /// Directions of the outputs, p×r.
    u: &'a Mat<f64>,
    /// √a∘Q (M×m), and what it makes of the mean character.
    vectors: Mat<f64>,
    centre: Mat<f64>,
    /// Filters of each ridge and class, m×(ridges·classes), and solutions of each ridge and direction, m×(ridges·r).
    filters: Mat<f64>,
    solutions: Mat<f64>,
}

impl Spectral {
    /// Leave-one-out at some ridges; `mean` is what rows' characters are centred by. Decomposable kernels and complete
    /// outputs only. Memory M².
    pub fn leave_one_out(&self, mean: &[f64], ridges: &[f64]) -> Result<LeaveOneOut<'_>> {
        let Shape::Directions { u, amplitudes } = &self.system.shape else {
            return Err(Error::refused(
                "leave-one-out for this kernel",
                "it is exact for decomposable kernels; use gcv",
            ));
        };
        let [eigen] = &self.eigen[..] else {
            return Err(Error::refused(
                "leave-one-out with missing outputs",
                "rows have no common leverage; use gcv",
            ));
        };
        let gram = u.transpose() * u;
        if (&gram - Mat::<f64>::identity(gram.nrows(), gram.ncols())).norm_max() > 1e-8 {
            return Err(Error::refused("leave-one-out with a metric", "whiten the outputs instead, or use gcv"));
        }
        let (rows, m) = eigen.vectors.shape();
        let vectors = Mat::from_fn(rows, m, |i, j| eigen.vectors[(i, j)] * amplitudes[i]);
        let centre = linalg::product(MatRef::from_row_major_slice(mean, 1, mean.len()), vectors.as_ref());
        let (classes, r) = (self.classes.len(), self.turned.len());
        let filters: Vec<Vec<f64>> =
            ridges.iter().flat_map(|&l| self.classes.iter().map(move |c| self.inverses(c, l).0)).collect();
        let of = |l: usize, k: usize| &filters[l * classes + self.class_of[k]];
        let solutions = Mat::from_fn(m, ridges.len() * r, |j, f| of(f / r, f % r)[j] * self.turned[f % r][j]);
        let filters = Mat::from_fn(m, filters.len(), |j, f| filters[f][j]);
        Ok(LeaveOneOut { spectral: self, u, vectors, centre, filters, solutions })
    }
}

impl LeaveOneOut<'_> {
    /// Adds Σw e²/(1−h)² of some rows to each ridge. `c` (n×M) are characters, `y` (n×p) outputs that are centred.
    /// Cost n·M² once and n·M·(1 + r) per ridge. The bits depend on the number of rows, not on that of threads.
    pub fn add(&self, c: MatRef<f64>, y: MatRef<f64>, LeftOut { weight, left, offset }: LeftOut, sums: &mut [f64]) {
        let Spectral { system, classes, class_of, turned, .. } = self.spectral;
        let (classes, r) = (classes.len(), turned.len());
        let mut q = linalg::block_product(c, self.vectors.as_ref()); // Qᵀ(√a∘c) of each row
        for (j, column) in q.col_iter_mut().enumerate() {
            column.iter_mut().for_each(|v| *v -= self.centre[(0, j)]);
        }
        let targets = linalg::product(y, self.u.as_ref()); // n×r
        let fitted = linalg::block_product(q.as_ref(), self.solutions.as_ref()); // n×(ridges·r)
        q.col_iter_mut().for_each(|column| column.iter_mut().for_each(|v| *v *= *v));
        let leverages = linalg::block_product(q.as_ref(), self.filters.as_ref()); // n×(ridges·classes)
        for i in 0..q.nrows() {
            let mean = if offset { left[i] / system.rows } else { 0.0 };
            let total: f64 = (0..y.ncols()).map(|t| y[(i, t)] * y[(i, t)]).sum();
            let inside: f64 = (0..r).map(|k| targets[(i, k)] * targets[(i, k)]).sum();
            let outside = (total - inside).max(0.0) / ((1.0 - mean) * (1.0 - mean));
            for (l, sum) in sums.iter_mut().enumerate() {
                let error = |k: usize| {
                    let stays = 1.0 - (left[i] * leverages[(i, l * classes + class_of[k])] + mean);
                    ((targets[(i, k)] - fitted[(i, l * r + k)]) / stays).powi(2)
                };
                *sum += weight[i] * ((0..r).map(error).sum::<f64>() + outside);
            }
        }
    }
}
