//! Ridge in the space of the data: (K/n + λI)u = y/n, with Gram matrices in place of moments. \[dual\]
//!
//! With weights w and an offset, v = √w⁻¹u solves (A + nλI)v = P√w y, A = P√w K √w P, P the projection that centres:
//! the same minimiser as ridge on features with centred moments (T17 Th. 6.3).

use super::spectral::{grid, minimise};
use super::system::CENTRING;
use super::{Group, PathPoint};
use crate::error::Result;
use crate::linalg::{self, Cholesky, Eigen};
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// One scalar problem (A + (nλ/s²)I) g = target on a group.
#[derive(Clone, Debug)]
pub struct DualComponent {
    /// Its group.
    pub group: usize,
    /// Prior variance; 0 for outputs that the kernel cannot explain.
    pub s2: f64,
    /// P√w y (N).
    pub target: Vec<f64>,
    /// Number of its observations, less one for each offset.
    pub count: f64,
    /// Its direction of the outputs (p), or none when its entries are single outputs.
    pub direction: Option<Vec<f64>>,
}

/// Exact ridge regression before a ridge is known.
#[derive(Clone, Debug)]
pub struct Dual {
    /// n of nλ.
    pub rows: f64,
    /// Number of all observed entries.
    pub observed: f64,
    /// The Gram matrices.
    pub groups: Vec<Group>,
    /// The problems on them.
    pub components: Vec<DualComponent>,
}

/// What was found for one ridge.
#[derive(Clone, Debug)]
pub struct DualSolution {
    /// v of each component (N): u = √w v.
    pub coefficients: Vec<Vec<f64>>,
    /// Residuals P√w(y − f) of each component (N).
    pub residuals: Vec<Vec<f64>>,
    /// Degrees of freedom of each component.
    pub freedom: Vec<f64>,
    /// R of the inverses R diag(scale) Rᵀ, with its group.
    pub roots: Vec<(usize, Mat<f64>)>,
    /// For each component: which root, and the scale; none where s² = 0 or λ = 0.
    pub inverses: Vec<Option<(usize, Vec<f64>)>>,
    /// In words.
    pub how: String,
}

impl Dual {
    fn mu(&self, c: &DualComponent, ridge: f64) -> f64 {
        if c.s2 > 0.0 { self.rows * ridge / c.s2 } else { f64::INFINITY }
    }

    /// The components of each distinct matrix A + (nλ/s²)I.
    fn alike(&self) -> Vec<(usize, f64, Vec<usize>)> {
        let mut found: Vec<(usize, f64, Vec<usize>)> = Vec::new();
        for (k, c) in self.components.iter().enumerate().filter(|(_, c)| c.s2 > 0.0) {
            match found.iter_mut().find(|(g, s2, _)| *g == c.group && (s2 - c.s2).abs() <= 1e-14 * c.s2) {
                Some((.., members)) => members.push(k),
                None => found.push((c.group, c.s2, vec![k])),
            }
        }
        found
    }

    /// Number of different matrices A + (nλ/s²)I on one group, at most.
    pub fn distinct(&self) -> usize {
        let alike = self.alike();
        (0..self.groups.len()).map(|g| alike.iter().filter(|a| a.0 == g).count()).max().unwrap_or(0)
    }

    /// One ridge λ > 0 by a Cholesky factorisation of each distinct matrix: N³ operations with the degrees of
    /// freedom. Inverses are kept if asked, N² numbers for each distinct matrix.
    pub fn solve(&self, ridge: f64, keep: bool) -> Result<DualSolution> {
        let mut out = DualSolution::unexplained(self, format!("Cholesky of {} observations", self.order()));
        for (group, s2, members) in self.alike() {
            let mut matrix = self.groups[group].gram.clone();
            let (n, mu) = (matrix.nrows(), self.rows * ridge / s2);
            (0..n).for_each(|i| matrix[(i, i)] += mu);
            let cholesky = Cholesky::new(matrix.as_ref())?;
            let targets = Mat::from_fn(n, members.len(), |i, k| self.components[members[k]].target[i]);
            let found = cholesky.solve(Some(matrix.as_ref()), targets.as_ref())?;
            drop(matrix);
            let inverse = cholesky.inverse_factor();
            let trace: f64 = (0..n).map(|j| inverse.col(j).iter().map(|v| v * v).sum::<f64>()).sum();
            for (at, &k) in members.iter().enumerate() {
                out.coefficients[k] = found.col(at).iter().map(|g| g / s2).collect();
                out.residuals[k] = found.col(at).iter().map(|g| mu * g).collect();
                out.freedom[k] = n as f64 - mu * trace;
                out.inverses[k] = keep.then(|| (out.roots.len(), vec![1.0; n]));
            }
            if keep {
                out.roots.push((group, inverse.transpose().to_owned()));
            }
        }
        Ok(out)
    }

    /// The order of the largest Gram matrix.
    pub fn order(&self) -> usize {
        self.groups.iter().map(|g| g.entries.len()).max().unwrap_or(0)
    }
}

impl DualSolution {
    /// Nothing fitted yet: the residuals are the data.
    fn unexplained(dual: &Dual, how: String) -> Self {
        DualSolution {
            coefficients: dual.components.iter().map(|c| vec![0.0; c.target.len()]).collect(),
            residuals: dual.components.iter().map(|c| c.target.clone()).collect(),
            freedom: vec![0.0; dual.components.len()],
            roots: Vec::new(),
            inverses: vec![None; dual.components.len()],
            how,
        }
    }
}

/// Exact ridge regression with its Gram matrices diagonalised: every ridge at once.
pub struct DualSpectral<'a> {
    dual: &'a Dual,
    eigen: Vec<Eigen>,
    /// Qᵀ target of each component.
    turned: Vec<Vec<f64>>,
}

impl<'a> DualSpectral<'a> {
    /// Diagonalises every Gram matrix. Cost N³ each.
    pub fn new(dual: &'a Dual) -> Result<Self> {
        let mut eigen: Vec<Eigen> =
            dual.groups.iter().map(|g| linalg::eigen(g.gram.as_ref())).collect::<Result<_>>()?;
        for (e, group) in eigen.iter_mut().zip(&dual.groups) {
            // what rounding leaves of a zero, on either side, and what centring does
            let floor = e.values.iter().copied().fold(0.0, f64::max) * e.values.len() as f64 * f64::EPSILON;
            let floor = floor.max(CENTRING * group.size);
            e.values.iter_mut().filter(|v| **v <= floor).for_each(|v| *v = 0.0);
        }
        let turned = (dual.components.iter())
            .map(|c| {
                let target = MatRef::from_column_major_slice(&c.target, c.target.len(), 1);
                let t = linalg::product(eigen[c.group].vectors.transpose(), target);
                (0..t.nrows()).map(|i| t[(i, 0)]).collect()
            })
            .collect();
        Ok(DualSpectral { dual, eigen, turned })
    }

    /// 1/(Λ+μ) and Λ/(Λ+μ) and μ/(Λ+μ) of every eigenvalue; the pseudo-inverse at μ = 0.
    fn filters(&self, k: usize, ridge: f64) -> Vec<[f64; 3]> {
        let c = &self.dual.components[k];
        let (mu, values) = (self.dual.mu(c, ridge), &self.eigen[c.group].values);
        let filter = |value: &f64| {
            if mu.is_infinite() || value + mu == 0.0 {
                [0.0, 0.0, 1.0]
            } else {
                [1.0 / (value + mu), value / (value + mu), mu / (value + mu)]
            }
        };
        values.iter().map(filter).collect()
    }

    /// Scores of one ridge. The evidence is the density of the data (of their contrasts, with an offset) at the noise
    /// that maximises it. \[evidence\] \[gcv\]
    pub fn at(&self, ridge: f64) -> PathPoint {
        let (mut rss, mut quadratic, mut freedom, mut log_det, mut count) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (k, c) in self.dual.components.iter().enumerate() {
            let mu = self.dual.mu(c, ridge);
            let values = &self.eigen[c.group].values;
            for ((t, value), [_, share, left]) in self.turned[k].iter().zip(values).zip(self.filters(k, ridge)) {
                rss += (t * left) * (t * left);
                quadratic += t * t * left;
                freedom += share;
                if mu > 0.0 && mu.is_finite() {
                    log_det += libm::log1p(value / mu);
                }
            }
            count += c.count;
        }
        let noise = (quadratic / count).max(f64::MIN_POSITIVE);
        let evidence = if ridge > 0.0 {
            -0.5 * (count * (libm::log(std::f64::consts::TAU * noise) + 1.0) + log_det)
        } else {
            f64::NEG_INFINITY
        };
        // (rss/N)/(1 − tr H/N)² with the offsets in the trace: N − tr H = count − freedom
        let observed = self.dual.observed;
        let left = (count - freedom) / observed;
        let gcv = if left > 0.0 { rss / observed / (left * left) } else { f64::INFINITY };
        PathPoint { ridge, freedom, rss, gcv, evidence, noise, loo: None }
    }

    /// Ridges of the path, as for features.
    pub fn grid(&self, points: usize) -> Vec<f64> {
        let top = (self.dual.components.iter())
            .map(|c| self.eigen[c.group].values.iter().copied().fold(0.0, f64::max) * c.s2)
            .fold(0.0, f64::max);
        grid(top / self.dual.rows, points)
    }

    /// The ridge that minimises a score, by the grid and then golden sections around its best point.
    pub fn minimise(&self, score: impl Fn(f64) -> f64) -> Result<f64> {
        minimise(&self.grid(29), score)
    }

    /// Exact leave-one-row-out: the weighted mean squared error when each row is predicted by the minimiser of the
    /// same sum without it (nλ stays as it is). Cost N² per component. \[loo\]
    pub fn leave_one_out(&self, ridge: f64) -> f64 {
        let (mut sum, mut weight) = (0.0, 0.0);
        for (k, c) in self.dual.components.iter().enumerate() {
            let (group, vectors) = (&self.dual.groups[c.group], &self.eigen[c.group].vectors);
            let filters = self.filters(k, ridge);
            let n = c.target.len();
            let rows: Vec<Vec<f64>> = (0..n).map(|e| vectors.row(e).iter().copied().collect()).collect();
            let residual = |e: usize| -> f64 { (0..n).map(|j| rows[e][j] * filters[j][2] * self.turned[k][j]).sum() };
            let leverage = |e: usize, f: usize| -> f64 {
                let shared = if group.offset && group.entries[e].1 == group.entries[f].1 {
                    group.root[e] * group.root[f] / group.totals[group.entries[e].1]
                } else {
                    0.0
                };
                shared + (0..n).map(|j| rows[e][j] * filters[j][1] * rows[f][j]).sum::<f64>()
            };
            let mut starts: Vec<usize> =
                (0..n).filter(|&e| e == 0 || group.entries[e].0 != group.entries[e - 1].0).collect();
            starts.push(n);
            let errors: Vec<f64> = starts
                .par_windows(2)
                .map(|span| {
                    let block: Vec<usize> = (span[0]..span[1]).collect();
                    left_out(&block, residual, leverage)
                })
                .collect();
            sum += errors.iter().sum::<f64>();
            weight += group.root.iter().map(|r| r * r).sum::<f64>();
        }
        sum / weight
    }

    /// The solution at one ridge; λ = 0 gives the one of least norm. Inverses are kept if asked and λ > 0.
    pub fn solve(self, ridge: f64, keep: bool) -> DualSolution {
        let how = format!("eigenvalues of {} observations", self.dual.order());
        let mut out = DualSolution::unexplained(self.dual, how);
        for (k, c) in self.dual.components.iter().enumerate().filter(|(_, c)| c.s2 > 0.0) {
            let filters = self.filters(k, ridge);
            let both = Mat::from_fn(c.target.len(), 2, |j, s| self.turned[k][j] * filters[j][2 * s]);
            let both = linalg::product(self.eigen[c.group].vectors.as_ref(), both.as_ref());
            out.coefficients[k] = both.col(0).iter().map(|g| g / c.s2).collect();
            out.residuals[k] = both.col(1).iter().copied().collect();
            out.freedom[k] = filters.iter().map(|f| f[1]).sum();
            out.inverses[k] = (keep && ridge > 0.0).then(|| (c.group, filters.iter().map(|f| f[0]).collect()));
        }
        if keep {
            out.roots = self.eigen.into_iter().enumerate().map(|(g, e)| (g, e.vectors)).collect();
        }
        out
    }
}

/// ‖(I − H_BB)⁻¹ r_B‖²: the squared error at the observations B when they are left out; infinite where nothing else
/// tells of them.
fn left_out(block: &[usize], residual: impl Fn(usize) -> f64, leverage: impl Fn(usize, usize) -> f64) -> f64 {
    let b = block.len();
    let left = Mat::from_fn(b, b, |i, j| f64::from(u8::from(i == j)) - leverage(block[i], block[j]));
    let r = Mat::from_fn(b, 1, |i, _| residual(block[i]));
    // rounding cannot tell a smaller difference from none
    if (0..b).any(|i| left[(i, i)] <= 1e-12) {
        return f64::INFINITY;
    }
    let solved: Result<Mat<f64>> = Cholesky::new(left.as_ref()).and_then(|c| c.solve(None, r.as_ref()));
    solved.map_or(f64::INFINITY, |e| (0..b).map(|i| e[(i, 0)] * e[(i, 0)]).sum())
}
