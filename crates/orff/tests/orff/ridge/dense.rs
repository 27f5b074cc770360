//! Ridge by its definition: dense matrices built from the atoms one row and one entry at a time, solved by elimination.

use super::Data;
use faer::Mat;
use orff::feature::{FeatureMap, MapKind};

/// Φ(x), K×p, from the atoms by definition.
pub(crate) fn phi(map: &FeatureMap, x: &[f64]) -> Mat<f64> {
    let p = map.atoms().outputs();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for (b, block) in map.atoms().blocks.iter().enumerate() {
        let mut omega = vec![0.0; x.len()];
        for j in 0..block.count() {
            block.omega.row(j, &mut omega);
            let angle: f64 = omega.iter().zip(x).map(|(w, x)| w * x).sum();
            let waves = match map.kind() {
                MapKind::Pairs => vec![angle.cos(), angle.sin()],
                MapKind::Phases => vec![2f64.sqrt() * (angle + map.phases(b)[j]).cos()],
            };
            let factor = block.factor(j);
            for wave in waves {
                for k in 0..factor.ncols() {
                    rows.push((0..p).map(|t| block.weight[j].sqrt() * wave * factor[(t, k)]).collect());
                }
            }
        }
    }
    Mat::from_fn(rows.len(), p, |k, t| rows[k][t])
}

pub(crate) fn point(x: &Mat<f64>, i: usize) -> Vec<f64> {
    x.row(i).iter().copied().collect()
}

/// Every observed entry as one row: φ_t(xᵢ), yᵢₜ, its weight and t.
pub(crate) struct Dense {
    pub a: Mat<f64>,
    pub(super) y: Vec<f64>,
    w: Vec<f64>,
    pub(super) of: Vec<usize>,
    p: usize,
}

impl Dense {
    pub fn new(map: &FeatureMap, data: &Data) -> Self {
        let p = data.y.ncols();
        let (mut rows, mut y, mut w, mut of) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for i in 0..data.rows() {
            let phi = phi(map, &point(&data.x, i));
            for t in (0..p).filter(|&t| data.weight(i, t) > 0.0) {
                rows.push(phi.col(t).to_owned());
                y.push(data.y[(i, t)]);
                w.push(data.weight(i, t));
                of.push(t);
            }
        }
        Dense { a: Mat::from_fn(rows.len(), map.unknowns(), |i, k| rows[i][k]), y, w, of, p }
    }

    /// The design with a column per offset.
    pub fn design(&self, offset: bool) -> Mat<f64> {
        let k = self.a.ncols();
        Mat::from_fn(self.y.len(), k + if offset { self.p } else { 0 }, |i, j| match j {
            j if j < k => self.a[(i, j)],
            j => f64::from(u8::from(self.of[i] == j - k)),
        })
    }

    /// AᵀWA + μI (no penalty on offsets) and AᵀWy.
    pub(super) fn normal(&self, mu: f64, offset: bool) -> (Mat<f64>, Mat<f64>) {
        let a = self.design(offset);
        let wa = Mat::from_fn(a.nrows(), a.ncols(), |i, j| self.w[i] * a[(i, j)]);
        let mut left = wa.transpose() * &a;
        (0..self.a.ncols()).for_each(|k| left[(k, k)] += mu);
        let y = Mat::from_fn(self.y.len(), 1, |i, _| self.y[i]);
        (left, wa.transpose() * y)
    }

    /// (θ, b) of: minimise Σw(y − φᵀθ − b)² + μ‖θ‖².
    pub fn solve(&self, mu: f64, offset: bool) -> (Vec<f64>, Vec<f64>) {
        let (left, right) = self.normal(mu, offset);
        let x = solve(&left, &right);
        let k = self.a.ncols();
        let part = |from: usize, to: usize| (from..to).map(|i| x[(i, 0)]).collect::<Vec<f64>>();
        (part(0, k), if offset { part(k, k + self.p) } else { vec![0.0; self.p] })
    }
}

/// Gaussian elimination with partial pivoting.
pub(crate) fn solve(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let (n, m) = (a.nrows(), b.ncols());
    let (mut a, mut b) = (a.clone(), b.clone());
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[(i, k)].abs().total_cmp(&a[(j, k)].abs())).unwrap();
        for j in 0..n {
            (a[(k, j)], a[(pivot, j)]) = (a[(pivot, j)], a[(k, j)]);
        }
        for j in 0..m {
            (b[(k, j)], b[(pivot, j)]) = (b[(pivot, j)], b[(k, j)]);
        }
        for i in k + 1..n {
            let f = a[(i, k)] / a[(k, k)];
            (k..n).for_each(|j| a[(i, j)] -= f * a[(k, j)]);
            (0..m).for_each(|j| b[(i, j)] -= f * b[(k, j)]);
        }
    }
    for k in (0..n).rev() {
        for j in 0..m {
            let sum: f64 = (k + 1..n).map(|i| a[(k, i)] * b[(i, j)]).sum();
            b[(k, j)] = (b[(k, j)] - sum) / a[(k, k)];
        }
    }
    b
}

pub(crate) fn dense_predict(map: &FeatureMap, theta: &[f64], b: &[f64], x: &Mat<f64>) -> Mat<f64> {
    let values: Vec<Mat<f64>> = (0..x.nrows()).map(|i| phi(map, &point(x, i))).collect();
    Mat::from_fn(x.nrows(), b.len(), |i, t| {
        b[t] + values[i].col(t).iter().zip(theta).map(|(f, v)| f * v).sum::<f64>()
    })
}
