//! Ridge on products of features, c(x)ᵀΘg(t): curves as outputs. \[integral\]
//!
//! Minimises Σw(y − c(x)ᵀΘg(t))² + μ‖Θ‖² over the points (x, t, y) of curves. Along the eigenvectors of Σᵢωᵢc(xᵢ)c(xᵢ)ᵀ
//! (eigenvalues s) and of the mean of ggᵀ over points (eigenvalues τ) the normal equations of curves that all know the
//! same arguments are diagonal, Θ_ab = R_ab/(s_aτ_b + μ); for others that solution is a preconditioner.

use crate::error::Result;
use crate::linalg::{self, cg};
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// One side of the product, along its eigenvectors.
#[derive(Clone, Debug)]
pub struct Side {
    /// Features along the directions (n×r).
    pub scores: Mat<f64>,
    /// Eigenvectors (M×r).
    pub directions: Mat<f64>,
    /// Eigenvalues > 0 (r) of FᵀWF.
    pub values: Vec<f64>,
}

/// Eigenvalues below this share of the largest are rounding.
const ROUNDING: f64 = 1e-14;

impl Side {
    /// From features F (n×M) and weights ≥ 0 (n). Cost n·M·min(n, M) and the eigenvalues of the smaller side.
    pub fn new(features: &Mat<f64>, weights: &[f64]) -> Result<Self> {
        let (n, m) = features.shape();
        let weighted = Mat::from_fn(n, m, |i, k| weights[i].sqrt() * features[(i, k)]);
        let (few, many) = if n < m { (n, m) } else { (m, n) };
        let narrow = if n < m { weighted.transpose().to_owned() } else { weighted };
        let mut gram = Mat::zeros(few, few);
        // blocks of fixed sizes: the bits are those of the rows
        for from in (0..many).step_by(BLOCK) {
            let block = narrow.subrows(from, BLOCK.min(many - from)).to_owned();
            linalg::rank_update(gram.as_mut(), block.as_ref());
        }
        let found = linalg::eigen(gram.as_ref())?;
        let floor = ROUNDING * found.values.last().copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
        let first = found.values.partition_point(|v| *v <= floor);
        let values = found.values[first..].to_vec();
        let kept = found.vectors.subcols(first, values.len());
        let directions = match n < m {
            false => kept.to_owned(),
            true => {
                // from left to right singular vectors
                let right = linalg::product(narrow.as_ref(), kept);
                Mat::from_fn(m, values.len(), |k, j| right[(k, j)] / values[j].sqrt())
            }
        };
        let scores = linalg::product(features.as_ref(), directions.as_ref());
        Ok(Side { scores, directions, values })
    }
}

const BLOCK: usize = 1024;

/// Points of n curves: those of curve i are start[i]..start[i + 1].
#[derive(Clone, Debug, Default)]
pub struct Scatter {
    /// n + 1 offsets.
    pub start: Vec<usize>,
    /// Which of the different arguments.
    pub at: Vec<usize>,
    /// The value.
    pub value: Vec<f64>,
    /// Its weight > 0.
    pub weight: Vec<f64>,
}

impl Scatter {
    /// Number of curves.
    pub fn curves(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Σw of each curve: how much its inputs count.
    pub fn of_curves(&self) -> Vec<f64> {
        self.start.windows(2).map(|s| self.weight[s[0]..s[1]].iter().sum()).collect()
    }

    /// Σw of each argument over Σw of all: how much of a curve it stands for.
    pub fn of_arguments(&self, count: usize) -> Vec<f64> {
        let mut shares = vec![0.0; count];
        self.at.iter().zip(&self.weight).for_each(|(at, w)| shares[*at] += w);
        let total: f64 = self.weight.iter().sum();
        shares.iter_mut().for_each(|s| *s /= total);
        shares
    }

    /// Whether each curve knows all of so many arguments, in their order, with one weight.
    pub fn complete(&self, arguments: usize) -> bool {
        self.start.windows(2).all(|s| {
            let (at, w) = (&self.at[s[0]..s[1]], &self.weight[s[0]..s[1]]);
            at.len() == arguments && at.iter().enumerate().all(|(k, at)| k == *at) && w.iter().all(|v| *v == w[0])
        })
    }

    /// Some curves, in the order given.
    pub fn pick(&self, curves: &[usize]) -> Scatter {
        let mut some = Scatter { start: vec![0], ..Scatter::default() };
        for &i in curves {
            let span = self.start[i]..self.start[i + 1];
            some.at.extend(&self.at[span.clone()]);
            some.value.extend(&self.value[span.clone()]);
            some.weight.extend(&self.weight[span]);
            some.start.push(some.at.len());
        }
        some
    }
}

/// The problem: both sides, and the points.
pub struct Tensor<'a> {
    /// Features of the inputs, weighted by Σw of each curve: c(x).
    pub x: &'a Side,
    /// Features of the different arguments, weighted by their shares: g(t).
    pub t: &'a Side,
    /// What was observed.
    pub points: &'a Scatter,
}

impl Tensor<'_> {
    fn shape(&self) -> (usize, usize) {
        (self.x.values.len(), self.t.values.len())
    }

    /// CᵀQ (r×r′), where row i of Q is Σ over the points of curve i of f(point)·g(t); curves that are left out add nothing.
    fn gather(&self, takes: &(dyn Fn(usize) -> bool + Sync), f: impl Fn(usize, usize) -> f64 + Sync) -> Mat<f64> {
        let (n, width) = (self.points.curves(), self.t.values.len());
        let g = rows_of(&self.t.scores);
        let mut sums = vec![0.0; n * width];
        sums.par_chunks_mut(width.max(1)).enumerate().filter(|(i, _)| takes(*i)).for_each(|(i, row)| {
            for k in self.points.start[i]..self.points.start[i + 1] {
                let (v, at) = (f(i, k), self.points.at[k] * width);
                row.iter_mut().zip(&g[at..at + width]).for_each(|(r, g)| *r += v * g);
            }
        });
        let sums = Mat::from_fn(n, width, |i, b| sums[i * width + b]);
        let mut out = Mat::zeros(self.x.values.len(), width);
        linalg::add_tn(out.as_mut(), self.x.scores.as_ref(), sums.as_ref());
        out
    }

    /// R = Σwy c(x)g(t)ᵀ (r×r′).
    fn right(&self, takes: &(dyn Fn(usize) -> bool + Sync)) -> Mat<f64> {
        self.gather(takes, |_, k| self.points.weight[k] * self.points.value[k])
    }

    fn diagonal(&self, shift: f64) -> Vec<f64> {
        let (r, width) = self.shape();
        (0..r * width).map(|k| self.x.values[k % r] * self.t.values[k / r] + shift).collect()
    }

    /// Θ along the directions (r×r′) for the shift μ = Wλ > 0, in closed form: for curves that all know the same arguments.
    pub fn closed(&self, shift: f64) -> Mat<f64> {
        let (right, diagonal) = (self.right(&|_| true), self.diagonal(shift));
        let r = right.nrows();
        Mat::from_fn(r, right.ncols(), |a, b| right[(a, b)] / diagonal[b * r + a])
    }

    /// The same by conjugate gradients, for any arguments; of the curves that `takes` says, from a given start. Cost of an
    /// iteration 4n·r·r′ and 4r′ for each point.
    pub fn iterate(
        &self,
        shift: f64,
        takes: &(dyn Fn(usize) -> bool + Sync),
        start: Option<&Mat<f64>>,
        params: cg::Params,
        tell: &mut dyn FnMut(usize, f64) -> Result<()>,
    ) -> Result<(Mat<f64>, cg::Report)> {
        let (r, width) = self.shape();
        let (right, diagonal) = (flat(&self.right(takes)), self.diagonal(shift));
        let g = rows_of(&self.t.scores);
        let mut op = |theta: &[f64], out: &mut [f64]| -> Result<()> {
            let h = linalg::product(self.x.scores.as_ref(), MatRef::from_column_major_slice(theta, r, width));
            let h = rows_of(&h);
            let value = |i: usize, k: usize| {
                let at = self.points.at[k] * width;
                self.points.weight[k] * linalg::dot(&h[i * width..(i + 1) * width], &g[at..at + width])
            };
            let image = flat(&self.gather(takes, value));
            out.iter_mut().zip(image).zip(theta).for_each(|((o, a), x)| *o = a + shift * x);
            Ok(())
        };
        let precondition = |v: &[f64], out: &mut [f64]| {
            out.iter_mut().zip(v).zip(&diagonal).for_each(|((o, v), d)| *o = v / d);
        };
        let start = start.map(flat);
        let (theta, report) = cg::conjugate_gradient(&mut op, &precondition, &right, start.as_deref(), params, tell)?;
        Ok((MatRef::from_column_major_slice(&theta, r, width).to_owned(), report))
    }

    /// Σw(y − f)² and Σw over the points of some curves.
    pub fn misfit(&self, theta: MatRef<f64>, takes: &(dyn Fn(usize) -> bool + Sync)) -> (f64, f64) {
        let width = self.t.values.len();
        let (h, g) = (rows_of(&linalg::product(self.x.scores.as_ref(), theta)), rows_of(&self.t.scores));
        let mut sums = (0.0, 0.0);
        for i in (0..self.points.curves()).filter(|&i| takes(i)) {
            for k in self.points.start[i]..self.points.start[i + 1] {
                let at = self.points.at[k] * width;
                let f = linalg::dot(&h[i * width..(i + 1) * width], &g[at..at + width]);
                let (e, w) = (self.points.value[k] - f, self.points.weight[k]);
                sums = (sums.0 + w * e * e, sums.1 + w);
            }
        }
        sums
    }

    /// The mean squared error of each curve when it is left out, for each shift, where all curves know the same arguments:
    /// in direction b of the curves it is ridge with the shift μ/τ_b, whose residual is divided by 1 − hᵢ. Cost 4n·r·r′ a shift.
    pub fn left_out(&self, shifts: &[f64]) -> Vec<f64> {
        let ((r, width), n) = (self.shape(), self.points.curves());
        let weights = self.points.of_curves();
        let total: f64 = weights.iter().sum();
        let squares = Mat::from_fn(n, r, |i, a| self.x.scores[(i, a)] * self.x.scores[(i, a)]);
        let g = rows_of(&self.t.scores);
        // coordinates of each curve along the directions, and what is orthogonal to all
        let (mut z, mut rest) = (Mat::<f64>::zeros(n, width), vec![0.0; n]);
        for i in 0..n {
            let span = self.points.start[i]..self.points.start[i + 1];
            let share = 1.0 / span.len() as f64;
            for k in span {
                let (y, at) = (self.points.value[k], self.points.at[k] * width);
                rest[i] += share * y * y;
                (0..width).for_each(|b| z[(i, b)] += share * y * g[at + b] / self.t.values[b].sqrt());
            }
            rest[i] -= (0..width).map(|b| z[(i, b)] * z[(i, b)]).sum::<f64>();
        }
        let right = self.right(&|_| true);
        let score = |shift: &f64| {
            let diagonal = self.diagonal(*shift);
            let theta = Mat::from_fn(r, width, |a, b| right[(a, b)] / diagonal[b * r + a] * self.t.values[b].sqrt());
            let inverse = Mat::from_fn(r, width, |a, b| self.t.values[b] / diagonal[b * r + a]);
            let fitted = linalg::product(self.x.scores.as_ref(), theta.as_ref());
            let leverage = linalg::product(squares.as_ref(), inverse.as_ref());
            let error = |i: usize| -> f64 {
                let of = |b: usize| {
                    let e = (z[(i, b)] - fitted[(i, b)]) / (1.0 - weights[i] * leverage[(i, b)]).max(1e-12);
                    e * e
                };
                rest[i].max(0.0) + (0..width).map(of).sum::<f64>()
            };
            (0..n).map(|i| weights[i] * error(i)).sum::<f64>() / total
        };
        shifts.iter().map(score).collect()
    }
}

/// A matrix row after row.
fn rows_of(m: &Mat<f64>) -> Vec<f64> {
    (0..m.nrows()).flat_map(|i| m.row(i).iter().copied()).collect()
}

/// A matrix column after column.
fn flat(m: &Mat<f64>) -> Vec<f64> {
    m.col_iter().flat_map(|c| c.iter().copied()).collect()
}
