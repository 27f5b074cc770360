//! Where the functions of a regularised problem live: ridge of several columns of values, by features or by the kernel
//! itself. \[space\]

use crate::error::{Error, Result};
use crate::feature::BLOCK_ROWS;
use crate::linalg::{self, Cholesky};
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// What ridge makes of targets.
pub struct Smoothed {
    /// hⱼ(xᵢ) (n×m), each column with the weighted mean zero.
    pub values: Mat<f64>,
    /// What the functions are made of: coefficients of features (r×m) or of kernel sections (n×m).
    pub coefficients: Mat<f64>,
    /// Σⱼ‖hⱼ‖².
    pub norm: f64,
}

/// Functions with a norm, known at n rows with weights w, W = Σw, up to a constant.
pub trait Space: Sync {
    /// The hⱼ that minimise (1/W)Σᵢwᵢ(hⱼ(xᵢ) − tᵢⱼ)² + cⱼ‖hⱼ‖²; targets (n×m) come multiplied by wᵢ/W.
    fn smooth(&mut self, targets: MatRef<f64>, shrink: &[f64]) -> Result<Smoothed>;
    /// Σⱼ‖gⱼ‖² of the functions gⱼ = Σᵢuᵢⱼ(k(xᵢ, ·) − mean), for u (n×m).
    fn norm(&self, u: MatRef<f64>) -> Result<f64>;
    /// By how much Σⱼ‖gⱼ‖² may be larger in the space that this one stands for, for u with Σᵢⱼ uᵢⱼ²/wᵢ·W = 1.
    fn lost(&self) -> f64 {
        0.0
    }
}

/// Features of the rows from..to (their number × M).
pub type Features<'a> = &'a (dyn Fn(usize, usize) -> Result<Mat<f64>> + Sync);

/// Weighted means of features (M): the mean of the rows in the space of their kernel.
pub(super) fn means(features: Features, (n, m): (usize, usize), weights: &[f64]) -> Result<Vec<f64>> {
    let total: f64 = weights.iter().sum();
    let mut means = vec![0.0; m];
    for (from, to) in blocks(n) {
        let block = features(from, to)?;
        for (mean, column) in means.iter_mut().zip(block.col_iter()) {
            *mean += column.iter().zip(&weights[from..to]).map(|(v, w)| v * w / total).sum::<f64>();
        }
    }
    Ok(means)
}

/// The rows in blocks, from and to.
pub(super) fn blocks(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).step_by(BLOCK_ROWS).map(move |from| (from, (from + BLOCK_ROWS).min(n)))
}

/// Functions linear in features, by the eigenvectors of their covariance; what is smaller than a floor is left out.
pub struct Reduced {
    /// The features along the eigenvectors, about their means (n×r).
    pub scores: Mat<f64>,
    /// The eigenvectors (M×r).
    pub directions: Mat<f64>,
    /// Weighted means of the features (M).
    pub means: Vec<f64>,
    /// The eigenvalues.
    values: Vec<f64>,
    /// The largest one that was left out.
    dropped: f64,
}

impl Reduced {
    /// From features (n×M) of rows with weights > 0, made in blocks of rows `features(from, to)` (M columns), three times over.
    /// Cost n·M·min(n, M) and the eigenvalues of the smaller side; memory n·r and a block.
    pub fn new(features: Features, (n, m): (usize, usize), weights: &[f64], floor: f64) -> Result<Self> {
        let total: f64 = weights.iter().sum();
        // with fewer rows than features all are one block
        let step = if n < m { n.max(1) } else { BLOCK_ROWS };
        let blocks = || (0..n).step_by(step).map(|from| (from, (from + step).min(n)));
        let means = means(features, (n, m), weights)?;
        let centred = |from: usize, to: usize| -> Result<Mat<f64>> {
            let mut block = features(from, to)?;
            for (mean, column) in means.iter().zip(block.as_mut().col_iter_mut()) {
                column.iter_mut().for_each(|v| *v -= mean);
            }
            Ok(block)
        };
        let side = n.min(m);
        let (mut gram, mut whole) = (Mat::zeros(side, side), None);
        for (from, to) in blocks() {
            let mut block = centred(from, to)?;
            for column in block.as_mut().col_iter_mut() {
                column.iter_mut().zip(&weights[from..to]).for_each(|(v, w)| *v *= (w / total).sqrt());
            }
            if n < m {
                let block = block.transpose().to_owned();
                linalg::rank_update(gram.as_mut(), block.as_ref());
                whole = Some(block);
            } else {
                linalg::rank_update(gram.as_mut(), block.as_ref());
            }
        }
        let found = linalg::eigen(gram.as_ref())?;
        // rounding makes eigenvalues of its own
        let top = found.values.last().copied().unwrap_or(0.0);
        let floor = floor.max(1e-13 * top);
        let first = found.values.partition_point(|v| *v <= floor);
        let dropped = if first > 0 { found.values[first - 1].max(0.0) } else { 0.0 };
        let values = found.values[first..].to_vec();
        let kept = found.vectors.subcols(first, values.len());
        let directions = match whole {
            None => kept.to_owned(),
            Some(whole) => {
                // from left to right singular vectors
                let right = linalg::product(whole.as_ref(), kept);
                Mat::from_fn(m, values.len(), |k, j| right[(k, j)] / values[j].sqrt())
            }
        };
        let mut scores = Mat::zeros(n, values.len());
        for (from, to) in blocks() {
            let block = linalg::product(centred(from, to)?.as_ref(), directions.as_ref());
            scores.as_mut().subrows_mut(from, to - from).copy_from(block);
        }
        Ok(Reduced { scores, directions, means, values, dropped })
    }

    /// Coefficients of the features (M×m) of coefficients along the directions, and the constants that centring took away.
    pub fn unfold(&self, coefficients: MatRef<f64>) -> (Mat<f64>, Vec<f64>) {
        let table = linalg::product(self.directions.as_ref(), coefficients);
        let shift = |j: usize| -table.col(j).iter().zip(&self.means).map(|(z, mean)| z * mean).sum::<f64>();
        let shifts = (0..table.ncols()).map(shift).collect();
        (table, shifts)
    }
}

impl Space for Reduced {
    fn smooth(&mut self, targets: MatRef<f64>, shrink: &[f64]) -> Result<Smoothed> {
        let mut coefficients = Mat::zeros(self.values.len(), targets.ncols());
        linalg::add_tn(coefficients.as_mut(), self.scores.as_ref(), targets);
        for (j, c) in shrink.iter().enumerate() {
            (0..self.values.len()).for_each(|k| coefficients[(k, j)] /= self.values[k] + c);
        }
        let norm = coefficients.squared_norm_l2();
        Ok(Smoothed { values: linalg::product(self.scores.as_ref(), coefficients.as_ref()), coefficients, norm })
    }

    fn norm(&self, u: MatRef<f64>) -> Result<f64> {
        let mut g = Mat::zeros(self.values.len(), u.ncols());
        linalg::add_tn(g.as_mut(), self.scores.as_ref(), u);
        Ok(g.squared_norm_l2())
    }

    fn lost(&self) -> f64 {
        self.dropped
    }
}

/// Functions of the space of a kernel itself, by its matrix at the rows: the exact reference.
///
/// With D = √(w/W) and P what centres by D: (PDKDP + cI)v = PDt, a = DPv, h = Σaᵢk(xᵢ, ·).
pub struct Sections {
    /// PDKDP (n×n).
    matrix: Mat<f64>,
    /// D (n).
    share: Vec<f64>,
    /// Weighted mean of each section over the rows (n).
    means: Vec<f64>,
    /// Factors of PDKDP + cI, and their c.
    factors: Vec<(f64, Cholesky)>,
}

impl Sections {
    /// From K (n×n) and weights > 0.
    pub fn new(mut kernel: Mat<f64>, weights: &[f64]) -> Self {
        let (n, total) = (kernel.nrows(), weights.iter().sum::<f64>());
        let share: Vec<f64> = weights.iter().map(|w| (w / total).sqrt()).collect();
        for j in 0..n {
            (0..n).for_each(|i| kernel[(i, j)] *= share[i] * share[j]);
        }
        // P = I − ddᵀ with d = D1, a unit vector
        let d = Mat::from_fn(n, 1, |i, _| share[i]);
        let kd = linalg::product(kernel.as_ref(), d.as_ref());
        let means = (0..n).map(|i| kd[(i, 0)] / share[i]).collect();
        let dkd: f64 = (0..n).map(|i| share[i] * kd[(i, 0)]).sum();
        for j in 0..n {
            (0..n).for_each(|i| {
                kernel[(i, j)] += share[i] * share[j] * dkd - share[i] * kd[(j, 0)] - kd[(i, 0)] * share[j]
            });
        }
        Sections { matrix: kernel, share, means, factors: Vec::new() }
    }

    /// The constants that centring took away from functions with these coefficients (n×m).
    pub fn shifts(&self, coefficients: MatRef<f64>) -> Vec<f64> {
        let shift =
            |column: faer::ColRef<f64>| -column.iter().zip(&self.means).map(|(a, mean)| a * mean).sum::<f64>();
        coefficients.col_iter().map(shift).collect()
    }

    fn centre(&self, v: &mut Mat<f64>) {
        for j in 0..v.ncols() {
            let mean: f64 = v.col(j).iter().zip(&self.share).map(|(v, d)| v * d).sum();
            v.as_mut().col_mut(j).iter_mut().zip(&self.share).for_each(|(v, d)| *v -= mean * d);
        }
    }

    fn known(&self, c: f64) -> Option<usize> {
        self.factors.iter().position(|(other, _)| (c - other).abs() <= 1e-14 * c)
    }

    fn factor(&mut self, c: f64) -> Result<usize> {
        if let Some(at) = self.known(c) {
            return Ok(at);
        }
        let mut matrix = self.matrix.clone();
        (0..matrix.nrows()).for_each(|i| matrix[(i, i)] += c);
        let factor = Cholesky::in_place(matrix).map_err(|_| {
            Error::numerical(
                "ridge",
                format!("the kernel matrix with {c:.1e} on its diagonal is lost to rounding; raise it"),
            )
        })?;
        self.factors.push((c, factor));
        Ok(self.factors.len() - 1)
    }
}

impl Space for Sections {
    fn smooth(&mut self, targets: MatRef<f64>, shrink: &[f64]) -> Result<Smoothed> {
        let (n, m) = targets.shape();
        // another strength of agreement: the old factors are not asked for again
        if shrink.iter().any(|c| self.factors.len() >= m && self.known(*c).is_none()) {
            self.factors.clear();
        }
        // targets are wt/W = D·Dt
        let mut right = Mat::from_fn(n, m, |i, j| targets[(i, j)] / self.share[i]);
        self.centre(&mut right);
        let at: Vec<usize> = shrink.iter().map(|c| self.factor(*c)).collect::<Result<_>>()?;
        // each column has a factor of its own, checked when it was made: they are read side by side
        let solve = |(j, at): (usize, &usize)| self.factors[*at].1.solve(None, right.subcols(j, 1));
        let solved: Vec<Mat<f64>> = at.par_iter().enumerate().map(solve).collect::<Result<_>>()?;
        let mut v = Mat::from_fn(n, m, |i, j| solved[j][(i, 0)]);
        // values D⁻¹(right − cv): no product with the matrix
        let mut values = Mat::from_fn(n, m, |i, j| right[(i, j)] - shrink[j] * v[(i, j)]);
        let norm = (0..m).map(|j| values.col(j).iter().zip(v.col(j).iter()).map(|(h, v)| h * v).sum::<f64>()).sum();
        for j in 0..m {
            values.as_mut().col_mut(j).iter_mut().zip(&self.share).for_each(|(h, d)| *h /= d);
        }
        self.centre(&mut v);
        let coefficients = Mat::from_fn(n, m, |i, j| self.share[i] * v[(i, j)]);
        Ok(Smoothed { values, coefficients, norm })
    }

    fn norm(&self, u: MatRef<f64>) -> Result<f64> {
        let mut v = Mat::from_fn(u.nrows(), u.ncols(), |i, j| u[(i, j)] / self.share[i]);
        self.centre(&mut v);
        let image = linalg::product(self.matrix.as_ref(), v.as_ref());
        Ok((0..v.ncols()).map(|j| image.col(j).iter().zip(v.col(j).iter()).map(|(a, b)| a * b).sum::<f64>()).sum())
    }
}
