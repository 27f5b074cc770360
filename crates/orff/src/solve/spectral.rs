//! One eigendecomposition, every ridge: solutions, degrees of freedom, cross-validation and evidence along a path.

use super::{Shape, Solution, Spread, System};
use crate::error::{Error, Result};
use crate::feature::Basis;
use crate::linalg;
use faer::{Mat, MatRef};
use serde::{Deserialize, Serialize};

/// A system with its matrices diagonalised.
pub struct Spectral {
    system: System,
    eigen: Vec<linalg::Eigen>,
    /// Qᵀ rhs of each component.
    turned: Vec<Vec<f64>>,
}

/// What is known of one ridge.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathPoint {
    /// λ.
    pub ridge: f64,
    /// Effective degrees of freedom.
    pub freedom: f64,
    /// Residual sum of squares.
    pub rss: f64,
    /// Generalised cross-validation score, per observation.
    pub gcv: f64,
    /// Log evidence, with the noise at its best value.
    pub evidence: f64,
    /// That noise variance.
    pub noise: f64,
    /// Exact leave-one-out mean squared error, when the second pass was made.
    pub loo: Option<f64>,
}

impl Spectral {
    /// Diagonalises every matrix of the system. Cost K³ per matrix.
    pub fn new(system: System) -> Result<Self> {
        let eigen: Vec<_> = system.groups.iter().map(|g| linalg::eigen(g.as_ref())).collect::<Result<_>>()?;
        let turned = system
            .components
            .iter()
            .map(|c| {
                let rhs = MatRef::from_column_major_slice(&c.rhs, c.rhs.len(), 1);
                let t = linalg::product(eigen[c.group].vectors.transpose(), rhs);
                (0..t.nrows()).map(|i| t[(i, 0)]).collect()
            })
            .collect();
        Ok(Spectral { system, eigen, turned })
    }

    /// The system.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// 1/(Λ + μ) of component k, with the pseudo-inverse at μ = 0; and μ. Rounding may leave small negative
    /// eigenvalues: they are zero.
    fn inverses(&self, k: usize, ridge: f64) -> (Vec<f64>, f64) {
        let c = &self.system.components[k];
        let mu = self.system.rows * ridge / c.s2;
        let values = &self.eigen[c.group].values;
        let top = values.iter().copied().fold(0.0, f64::max);
        let null = if mu == 0.0 { top * values.len() as f64 * f64::EPSILON } else { -1.0 };
        let inverse = |value: f64| if value <= null { 0.0 } else { 1.0 / (value + mu) };
        (values.iter().map(|v| inverse(v.max(0.0))).collect(), mu)
    }

    /// Scores of one ridge, each a sum over eigenvalues. \[evidence\] \[gcv\]
    pub fn at(&self, ridge: f64) -> PathPoint {
        let (mut rss, mut count) = self.system.rest;
        let mut quadratic = rss;
        let (mut freedom, mut log_det) = (0.0, 0.0);
        for (k, c) in self.system.components.iter().enumerate() {
            let (inverse, mu) = self.inverses(k, ridge);
            let values = &self.eigen[c.group].values;
            let (mut fitted, mut residual) = (0.0, 0.0);
            for (i, t) in self.turned[k].iter().enumerate() {
                let value = values[i].max(0.0);
                let share = inverse[i] * value;
                freedom += share;
                fitted += t * t * inverse[i];
                residual += t * t * inverse[i] * (2.0 - share);
                if mu > 0.0 {
                    log_det += libm::log1p(value / mu);
                }
            }
            rss += (c.yy - residual).max(0.0);
            quadratic += (c.yy - fitted).max(0.0);
            count += c.count;
        }
        let noise = (quadratic / count).max(f64::MIN_POSITIVE);
        let evidence = if ridge > 0.0 {
            -0.5 * (count * (libm::log(std::f64::consts::TAU * noise) + 1.0) + log_det)
        } else {
            f64::NEG_INFINITY
        };
        // (rss/N)/(1 − tr H/N)² with the offsets in the trace: N − tr H = count − freedom
        let left = (count - freedom) / self.system.observed;
        let gcv = if left > 0.0 { rss / self.system.observed / (left * left) } else { f64::INFINITY };
        PathPoint { ridge, freedom, rss, gcv, evidence, noise, loo: None }
    }

    /// Ridges from far below the smallest useful eigenvalue to far above the largest, evenly spaced in the logarithm.
    pub fn grid(&self, points: usize) -> Vec<f64> {
        let top = (self.system.components.iter())
            .map(|c| self.eigen[c.group].values.iter().copied().fold(0.0, f64::max) * c.s2)
            .fold(0.0, f64::max)
            / self.system.rows;
        grid(top, points)
    }

    /// The ridge that minimises a score, by the grid and then golden sections around its best point.
    pub fn minimise(&self, score: impl Fn(&PathPoint) -> f64) -> Result<PathPoint> {
        Ok(self.at(minimise(&self.grid(29), |l| score(&self.at(l)))?))
    }

    /// The solution at one ridge; λ = 0 gives the one of least norm.
    pub fn solve(&self, map: &dyn Basis, ridge: f64, posterior: bool) -> Solution {
        let mut solutions = Vec::new();
        let mut freedom = Vec::new();
        let mut spreads: Vec<Spread> = Vec::new();
        for (k, c) in self.system.components.iter().enumerate() {
            let (inverse, _) = self.inverses(k, ridge);
            let eigen = &self.eigen[c.group];
            let scaled: Vec<f64> = self.turned[k].iter().zip(&inverse).map(|(t, i)| t * i).collect();
            let g =
                linalg::product(eigen.vectors.as_ref(), MatRef::from_column_major_slice(&scaled, scaled.len(), 1));
            solutions.push((0..g.nrows()).map(|i| g[(i, 0)]).collect::<Vec<f64>>());
            freedom.push(inverse.iter().zip(&eigen.values).map(|(i, v)| i * v.max(0.0)).sum());
            if posterior && ridge > 0.0 {
                let first = !spreads.iter().any(|s| s.group == c.group);
                let direction = match &self.system.shape {
                    Shape::Directions { u, .. } => Some((0..u.nrows()).map(|t| u[(t, k)]).collect()),
                    Shape::Lifted => None,
                };
                let root = first.then(|| eigen.vectors.clone());
                spreads.push(Spread { group: c.group, root, scale: inverse, direction });
            }
        }
        let table = self.system.table(map, &solutions);
        let outputs = table.ncols();
        Solution {
            freedom: Some(self.system.freedom(outputs, &freedom)),
            table,
            posterior: (posterior && ridge > 0.0).then_some(spreads),
            how: format!("eigenvalues of {} unknowns", self.turned.first().map_or(0, Vec::len)),
        }
    }

    /// For leave-one-out: leverages of rows and their residuals. `c` (n×M) are characters, `y` (n×p) outputs, both
    /// centred; `weight` the rows' weights. Adds Σw e²/(1−h)² of the rows to each ridge. Decomposable kernels and
    /// complete outputs only. Cost n·M² once and n·M·r per ridge. \[loo\]
    pub fn add_leave_one_out(
        &self,
        c: MatRef<f64>,
        y: MatRef<f64>,
        weight: &[f64],
        offset: bool,
        ridges: &[f64],
        sums: &mut [f64],
    ) -> Result<()> {
        let Shape::Directions { u, amplitudes } = &self.system.shape else {
            return Err(Error::refused(
                "leave-one-out for this kernel",
                "it is exact for decomposable kernels; use gcv",
            ));
        };
        if self.eigen.len() != 1 {
            return Err(Error::refused(
                "leave-one-out with missing outputs",
                "rows have no common leverage; use gcv",
            ));
        }
        let gram = u.transpose() * u;
        if (&gram - Mat::<f64>::identity(gram.nrows(), gram.ncols())).norm_max() > 1e-8 {
            return Err(Error::refused("leave-one-out with a metric", "whiten the outputs instead, or use gcv"));
        }
        let m = amplitudes.len();
        let mut vectors = self.eigen[0].vectors.clone();
        for j in 0..m {
            (0..m).for_each(|i| vectors[(i, j)] *= amplitudes[i]);
        }
        let q = linalg::product(c, vectors.as_ref()); // n×M: Qᵀ(√a∘c) of each row
        let targets = linalg::product(y, u.as_ref()); // n×r
        let total: Vec<f64> = (0..y.nrows()).map(|i| (0..y.ncols()).map(|t| y[(i, t)] * y[(i, t)]).sum()).collect();
        for (&ridge, sum) in ridges.iter().zip(sums.iter_mut()) {
            let inverses: Vec<Vec<f64>> = (0..self.turned.len()).map(|k| self.inverses(k, ridge).0).collect();
            for i in 0..q.nrows() {
                let mean = if offset { weight[i] / self.system.rows } else { 0.0 };
                let (mut error, mut inside) = (0.0, 0.0);
                for (k, inverse) in inverses.iter().enumerate() {
                    let (mut h, mut f) = (0.0, 0.0);
                    for j in 0..m {
                        let v = q[(i, j)] * inverse[j];
                        h += v * q[(i, j)];
                        f += v * self.turned[k][j];
                    }
                    let left = 1.0 - (weight[i] * h + mean);
                    let e = (targets[(i, k)] - f) / left;
                    error += e * e;
                    inside += targets[(i, k)] * targets[(i, k)];
                }
                let outside = (total[i] - inside).max(0.0) / ((1.0 - mean) * (1.0 - mean));
                *sum += weight[i] * (error + outside);
            }
        }
        Ok(())
    }

    /// The eigenvectors of a group, for tests.
    pub fn vectors(&self, group: usize) -> &Mat<f64> {
        &self.eigen[group].vectors
    }
}

/// Ridges from 10⁻¹² to 10² of `top` (1 if that is zero), evenly spaced in the logarithm.
pub(super) fn grid(top: f64, points: usize) -> Vec<f64> {
    let top = if top > 0.0 { top } else { 1.0 };
    let step = 14.0 / (points.max(2) - 1) as f64;
    (0..points).map(|i| top * libm::pow(10.0, -12.0 + step * i as f64)).collect()
}

/// The ridge that minimises a score: the best of a grid, then golden sections around it.
pub(super) fn minimise(grid: &[f64], score: impl Fn(f64) -> f64) -> Result<f64> {
    let scores: Vec<f64> = grid.iter().map(|&l| score(l)).collect();
    let best = (0..grid.len())
        .filter(|&i| scores[i].is_finite())
        .min_by(|&a, &b| scores[a].total_cmp(&scores[b]))
        .ok_or_else(|| Error::numerical("ridge", "no ridge gives a finite score; give one with --ridge"))?;
    let (mut low, mut high) = (grid[best.saturating_sub(1)].ln(), grid[(best + 1).min(grid.len() - 1)].ln());
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let value = |log: f64| score(libm::exp(log));
    let (mut a, mut b) = (high - golden * (high - low), low + golden * (high - low));
    let (mut fa, mut fb) = (value(a), value(b));
    for _ in 0..20 {
        if fa < fb {
            (high, b, fb) = (b, a, fa);
            a = high - golden * (high - low);
            fa = value(a);
        } else {
            (low, a, fa) = (a, b, fb);
            b = low + golden * (high - low);
            fb = value(b);
        }
    }
    Ok(libm::exp(0.5 * (low + high)))
}
