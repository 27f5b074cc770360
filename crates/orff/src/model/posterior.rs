//! How sure the model is: posterior covariance of f(x) = σ² Φ(x)ᵀ(nP + nλI)⁻¹Φ(x). \[posterior\]

use crate::feature::FeatureMap;
use crate::linalg;
use crate::solve::Spread;
use faer::{Mat, MatRef};

/// The factors of a posterior covariance, in the user's output units up to σ.
#[derive(Clone, Debug)]
pub struct Posterior {
    /// R (K×K) of each group.
    pub roots: Vec<Mat<f64>>,
    /// The spreads: group, diagonal, direction (p) or none.
    pub spreads: Vec<Spread>,
    /// c̄ of each output (M×1 when common, else M×p).
    pub mean: Mat<f64>,
    /// Σw of each output.
    pub weight: Vec<f64>,
    /// Whether the offset was learned and so is uncertain too.
    pub offset: bool,
    /// Covariance of the noise up to a factor (p×p), when it was not taken to be the same and independent for all
    /// outputs.
    pub metric: Option<Mat<f64>>,
    /// σ of each output in the user's units, which C(x) is in; that of the noise if none is given.
    pub unit: Option<Vec<f64>>,
}

impl Posterior {
    /// From what a solver returned.
    pub fn new(mut spreads: Vec<Spread>, mean: Mat<f64>, weight: Vec<f64>, offset: bool) -> Self {
        let groups = spreads.iter().map(|s| s.group + 1).max().unwrap_or(0);
        let mut roots = vec![Mat::zeros(0, 0); groups];
        for spread in &mut spreads {
            if let Some(root) = spread.root.take() {
                roots[spread.group] = root;
            }
        }
        Posterior { roots, spreads, mean, weight, offset, metric: None, unit: None }
    }

    /// The same for a system that was given a metric Σ.
    pub fn with_metric(mut self, metric: Option<&Mat<f64>>) -> Self {
        self.metric = metric.cloned();
        self
    }

    /// The same in units of these σ.
    pub fn with_unit(mut self, unit: Vec<f64>) -> Self {
        self.unit = Some(unit);
        self
    }

    /// Whether its sizes are those of a map's characters, unknowns and outputs.
    pub fn fits(&self, map: &FeatureMap) -> bool {
        let (m, p) = (map.characters(), map.atoms().outputs());
        let whole = self.spreads.iter().all(|s| s.direction.is_some());
        let side = if whole { m } else { map.unknowns() };
        self.mean.nrows() == m
            && self.metric.as_ref().is_none_or(|metric| metric.nrows() == p)
            && self.spreads.iter().all(|s| self.roots[s.group].nrows() == side)
            && self.spreads.iter().all(|s| s.direction.as_ref().is_none_or(|u| u.len() == p))
    }

    /// C(x) (p×p) of each row, entry (s, t) in units of the σ of outputs s and t, for characters c (n×M). Cost n·K² (p times that when
    /// the kernel is not decomposable).
    pub fn covariance(&self, map: &FeatureMap, c: MatRef<f64>) -> Vec<Mat<f64>> {
        let (n, p) = (c.nrows(), map.atoms().outputs());
        let mut out = vec![Mat::zeros(p, p); n];
        if self.spreads.iter().all(|s| s.direction.is_some()) {
            self.along_directions(map, c, &mut out);
        } else {
            self.in_full(map, c, &mut out);
        }
        if self.offset {
            for cov in &mut out {
                match &self.metric {
                    None => (0..p).for_each(|t| cov[(t, t)] += 1.0 / self.weight[t.min(self.weight.len() - 1)]),
                    Some(metric) => *cov += faer::Scale(1.0 / self.weight[0]) * metric,
                }
            }
        }
        if let Some(metric) = &self.metric {
            let unit = |s: usize, t: usize| (metric[(s, s)] * metric[(t, t)]).sqrt();
            out.iter_mut().for_each(|cov| *cov = Mat::from_fn(p, p, |s, t| cov[(s, t)] / unit(s, t)));
        }
        out
    }

    /// The diagonals of [`covariance`](Self::covariance) (n×p); p times faster when the kernel is decomposable.
    pub fn variance(&self, map: &FeatureMap, c: MatRef<f64>) -> Mat<f64> {
        let (n, p) = (c.nrows(), map.atoms().outputs());
        if self.metric.is_some() || self.spreads.iter().any(|s| s.direction.is_none()) {
            let all = self.covariance(map, c);
            return Mat::from_fn(n, p, |i, t| all[i][(t, t)]);
        }
        let mut out = Mat::zeros(n, p);
        self.by_direction(map, c, |i, variances, u| {
            for (variance, u) in variances.iter().zip(u) {
                (0..p).for_each(|t| out[(i, t)] += variance * u[t] * u[t]);
            }
        });
        if self.offset {
            let constant = |t: usize| 1.0 / self.weight[t.min(self.weight.len() - 1)];
            (0..p).for_each(|t| (0..n).for_each(|i| out[(i, t)] += constant(t)));
        }
        out
    }

    /// C(x) (v×v) of each row of data whose v views are consecutive rows of c: views share θ, so their values vary
    /// together. Cost n·K².
    pub fn between_views(&self, map: &FeatureMap, c: MatRef<f64>, v: usize) -> Vec<Mat<f64>> {
        let amplitudes = map.amplitudes();
        let q = linalg::product(self.centred(c, 0, |m| amplitudes[m]).as_ref(), self.roots[0].as_ref());
        let scale = &self.spreads[0].scale;
        let constant = if self.offset { 1.0 / self.weight[0] } else { 0.0 };
        let row = |i: usize| {
            Mat::from_fn(v, v, |s, t| {
                let pair = |(j, d): (usize, &f64)| d * q[(i * v + s, j)] * q[(i * v + t, j)];
                scale.iter().enumerate().map(pair).sum::<f64>() + constant
            })
        };
        (0..c.nrows() / v).map(row).collect()
    }

    fn centred(&self, c: MatRef<f64>, t: usize, scale: impl Fn(usize) -> f64) -> Mat<f64> {
        let t = t.min(self.mean.ncols() - 1);
        Mat::from_fn(c.nrows(), c.ncols(), |i, m| scale(m) * (c[(i, m)] - self.mean[(m, t)]))
    }

    fn along_directions(&self, map: &FeatureMap, c: MatRef<f64>, out: &mut [Mat<f64>]) {
        let p = map.atoms().outputs();
        self.by_direction(map, c, |i, variances, u| {
            // Σ v u uᵀ, entry by entry: directions are often coordinates
            let cov = &mut out[i];
            for (variance, u) in variances.iter().zip(u) {
                for t in (0..p).filter(|&t| u[t] != 0.0) {
                    let scaled = variance * u[t];
                    (0..p).for_each(|s| cov[(s, t)] += scaled * u[s]);
                }
            }
        });
    }

    /// The variances of each row along the directions u of each group, told to `each`.
    fn by_direction(&self, map: &FeatureMap, c: MatRef<f64>, mut each: impl FnMut(usize, &[f64], &[&[f64]])) {
        let amplitudes = map.amplitudes();
        for (group, root) in self.roots.iter().enumerate() {
            let members: Vec<_> = self.spreads.iter().filter(|s| s.group == group).collect();
            let u: Vec<&[f64]> = members.iter().map(|s| s.direction.as_deref().unwrap_or(&[])).collect();
            // with one mean per output each group belongs to one output
            let Some(t) = u.first().map(|u| u.iter().position(|v| *v != 0.0).unwrap_or(0)) else { continue };
            // many outputs share few scales
            let mut scales: Vec<&[f64]> = Vec::new();
            let mut class = Vec::with_capacity(members.len());
            for spread in &members {
                let known = scales.iter().position(|scale| *scale == spread.scale);
                class.push(known.unwrap_or(scales.len()));
                if known.is_none() {
                    scales.push(&spread.scale);
                }
            }
            let q = linalg::product(self.centred(c, t, |m| amplitudes[m]).as_ref(), root.as_ref());
            let squares = Mat::from_fn(q.nrows(), q.ncols(), |i, j| q[(i, j)] * q[(i, j)]);
            let weights = Mat::from_fn(q.ncols(), scales.len(), |j, k| scales[k][j]);
            let variances = linalg::product(squares.as_ref(), weights.as_ref()); // n×scales
            let mut row = vec![0.0; members.len()];
            for i in 0..c.nrows() {
                row.iter_mut().zip(&class).for_each(|(v, &k)| *v = variances[(i, k)]);
                each(i, &row, &u);
            }
        }
    }

    fn in_full(&self, map: &FeatureMap, c: MatRef<f64>, out: &mut [Mat<f64>]) {
        let (factors, of, p) = (map.stacked_factors(), map.character_of_unknown(), map.atoms().outputs());
        let (root, scale) = (&self.roots[0], &self.spreads[0].scale);
        let turned: Vec<Mat<f64>> = (0..p)
            .map(|t| {
                let centred = self.centred(c, t, |_| 1.0);
                let phi = Mat::from_fn(c.nrows(), of.len(), |i, k| factors[(k, t)] * centred[(i, of[k])]);
                linalg::product(phi.as_ref(), root.as_ref())
            })
            .collect();
        for (i, cov) in out.iter_mut().enumerate() {
            for s in 0..p {
                for t in 0..=s {
                    let sum: f64 =
                        scale.iter().enumerate().map(|(j, d)| d * turned[s][(i, j)] * turned[t][(i, j)]).sum();
                    cov[(s, t)] += sum;
                    if s != t {
                        cov[(t, s)] += sum;
                    }
                }
            }
        }
    }
}

/// σ of each output (p): the posterior's, or that of the noise.
pub(super) fn units(of: Option<&Vec<f64>>, noise: &Mat<f64>) -> Vec<f64> {
    let own = || (0..noise.nrows()).map(|t| noise[(t, t)].max(0.0).sqrt()).collect();
    of.cloned().unwrap_or_else(own)
}

/// A covariance from one in units of σ, with the noise of a new observation if it is given.
pub(super) fn in_user_units(raw: &Mat<f64>, unit: &[f64], noise: Option<&Mat<f64>>) -> Mat<f64> {
    Mat::from_fn(raw.nrows(), raw.ncols(), |s, t| {
        raw[(s, t)] * unit[s] * unit[t] + noise.map_or(0.0, |noise| noise[(s, t)])
    })
}
