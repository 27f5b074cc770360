//! One eigendecomposition, every ridge: solutions, degrees of freedom, cross-validation and evidence along a path.

use super::system::{CENTRING, NOTHING};
use super::{Correct, Shape, Solution, Spread, System};
use crate::error::{Error, Result};
use crate::feature::Basis;
use crate::linalg;
use faer::Mat;
use serde::{Deserialize, Serialize};

/// Ridges of a path.
pub(super) const POINTS: usize = 29;
/// Where a smaller share of the observations is left to the noise, GCV is a ratio of roundings, or near that of this share.
const LEFT: f64 = 1e-3;
/// Ridges up to this many times the rounding of the eigenvalues are as good as none.
pub(super) const TINY: f64 = 1e3;

/// A system with its matrices diagonalised.
pub struct Spectral {
    pub(super) system: System,
    pub(super) eigen: Vec<linalg::Eigen>,
    /// Where the eigenvalues of each matrix are lost to rounding.
    floors: Vec<f64>,
    /// Qᵀ rhs of each component.
    pub(super) turned: Vec<Vec<f64>>,
    /// The components by their filters.
    pub(super) classes: Vec<Class>,
    /// The class of each component.
    pub(super) class_of: Vec<usize>,
}

/// Components with one matrix and one s²: every ridge filters them alike, however many they are.
pub(super) struct Class {
    /// One of them.
    first: usize,
    /// How many.
    members: f64,
    /// Σ(Qᵀ rhs)² over them, for each eigenvalue.
    energy: Vec<f64>,
    /// Sum of their sums of squares, and of their counts.
    yy: f64,
    count: f64,
}

/// The components of a system by their filters, and the class of each.
fn classes(system: &System, turned: &[Vec<f64>]) -> (Vec<Class>, Vec<usize>) {
    let (mut classes, mut class_of): (Vec<Class>, Vec<usize>) = Default::default();
    for (k, c) in system.components.iter().enumerate() {
        let alike = |class: &Class| {
            let first = &system.components[class.first];
            first.group == c.group && (first.s2 - c.s2).abs() <= 1e-13 * c.s2
        };
        let at = classes.iter().position(alike).unwrap_or_else(|| {
            let energy = vec![0.0; turned[k].len()];
            classes.push(Class { first: k, members: 0.0, energy, yy: 0.0, count: 0.0 });
            classes.len() - 1
        });
        let class = &mut classes[at];
        class.members += 1.0;
        class.energy.iter_mut().zip(&turned[k]).for_each(|(e, t)| *e += t * t);
        class.yy += c.yy;
        class.count += c.count;
        class_of.push(at);
    }
    (classes, class_of)
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

impl PathPoint {
    /// A path in the order of its ridges that this point is on.
    pub fn among(self, mut path: Vec<PathPoint>) -> Vec<PathPoint> {
        if let Err(at) = path.binary_search_by(|p| p.ridge.total_cmp(&self.ridge)) {
            path.insert(at, self);
        }
        path
    }
}

/// What the scores of a ridge are made of: sums over the components of a system.
pub(super) struct Sums {
    /// tr H without the offsets, and log det (I + G/μ).
    pub freedom: f64,
    pub log_det: f64,
    rss: f64,
    quadratic: f64,
    count: f64,
}

impl Sums {
    /// Of what no component explains: its sum of squares and its count.
    pub fn of((rest, count): (f64, f64)) -> Self {
        Sums { freedom: 0.0, log_det: 0.0, rss: rest, quadratic: rest, count }
    }

    /// Adds components whose outputs have this sum of squares, with gᵀ(G + μ)⁻¹g and gᵀ(G + μ)⁻¹(2 − G(G + μ)⁻¹)g of their
    /// right-hand sides.
    pub fn explain(&mut self, yy: f64, count: f64, fitted: f64, residual: f64) {
        self.rss += (yy - residual).max(0.0);
        self.quadratic += (yy - fitted).max(0.0);
        self.count += count;
    }

    /// The scores, with so many observations.
    pub fn point(self, ridge: f64, observed: f64) -> PathPoint {
        let Sums { freedom, log_det, rss, quadratic, count } = self;
        let noise = (quadratic / count).max(f64::MIN_POSITIVE);
        let evidence = if ridge > 0.0 {
            -0.5 * (count * (libm::log(std::f64::consts::TAU * noise) + 1.0) + log_det)
        } else {
            f64::NEG_INFINITY
        };
        // (rss/N)/(1 − tr H/N)² with the offsets in the trace: N − tr H = count − freedom
        let left = (count - freedom) / observed;
        let gcv = if left > LEFT { rss / observed / (left * left) } else { f64::INFINITY };
        PathPoint { ridge, freedom, rss, gcv, evidence, noise, loo: None }
    }
}

impl Spectral {
    /// Diagonalises every matrix of the system. Cost K³ per matrix, K n² with few observations n. Only eigenvalues
    /// that are not zero count for anything but the posterior.
    pub fn new(mut system: System) -> Result<Self> {
        let observed = |g: usize| {
            let points = system.components.iter().filter(|c| c.group == g).map(|c| c.points);
            points.fold(0.0, f64::max) as usize
        };
        let ranks: Vec<usize> = (0..system.groups.len()).map(observed).collect();
        // the matrices are not needed any more
        let matrices = std::mem::take(&mut system.groups).into_iter().zip(ranks);
        let mut eigen: Vec<_> =
            matrices.map(|(a, rank)| linalg::eigen_of_rank(a.as_ref(), rank)).collect::<Result<_>>()?;
        let mut floors = Vec::new();
        for (g, eigen) in eigen.iter_mut().enumerate() {
            let sizes = system.components.iter().filter(|c| c.group == g).map(|c| c.size);
            let size = sizes.fold(0.0, f64::max);
            let top = eigen.values.iter().copied().fold(0.0, f64::max);
            // sums over the rows are rounded too: a matrix that is no larger than that is all zeros
            let zero = if top <= NOTHING * size { top } else { CENTRING * size };
            eigen.values.iter_mut().for_each(|v| *v = if *v > zero { *v } else { 0.0 });
            floors
                .push(eigen.values.iter().copied().fold(0.0, f64::max) * eigen.vectors.nrows() as f64 * f64::EPSILON);
        }
        let turned = turned(&system, &eigen);
        let (classes, class_of) = classes(&system, &turned);
        Ok(Spectral { system, eigen, floors, turned, classes, class_of })
    }

    /// The system, without its matrices.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// 1/(Λ + μ) of a class, and μ. Where both are lost to rounding it is zero: the right-hand side along such an
    /// eigenvalue is mostly rounding, which a tiny ridge would blow up; at μ = 0 this is the pseudo-inverse.
    pub(super) fn inverses(&self, class: &Class, ridge: f64) -> (Vec<f64>, f64) {
        let c = &self.system.components[class.first];
        let mu = self.system.rows * ridge / c.s2;
        let values = &self.eigen[c.group].values;
        let floor = self.floors[c.group];
        // of a matrix of zeros the right-hand side is all rounding
        let lost = |value: f64| value <= floor && (mu <= TINY * floor || floor == 0.0);
        let inverse = |value: &f64| if lost(*value) { 0.0 } else { 1.0 / (value + mu) };
        (values.iter().map(inverse).collect(), mu)
    }

    /// Scores of one ridge, each a sum over eigenvalues. \[evidence\] \[gcv\]
    pub fn at(&self, ridge: f64) -> PathPoint {
        let mut sums = Sums::of(self.system.rest);
        for class in &self.classes {
            let (inverse, mu) = self.inverses(class, ridge);
            let values = &self.eigen[self.system.components[class.first].group].values;
            let (mut fitted, mut residual) = (0.0, 0.0);
            for (i, energy) in class.energy.iter().enumerate() {
                let value = values[i];
                let share = inverse[i] * value;
                sums.freedom += class.members * share;
                fitted += energy * inverse[i];
                residual += energy * inverse[i] * (2.0 - share);
                if inverse[i] > 0.0 && mu > 0.0 {
                    sums.log_det += class.members * libm::log1p(value / mu);
                }
            }
            sums.explain(class.yy, class.count, fitted, residual);
        }
        sums.point(ridge, self.system.observed)
    }

    /// Ridges from far below the smallest useful eigenvalue to far above the largest, evenly spaced in the logarithm.
    pub fn grid(&self, points: usize) -> Vec<f64> {
        let top = (self.system.components.iter())
            .map(|c| self.eigen[c.group].values.iter().copied().fold(0.0, f64::max) * c.s2)
            .fold(0.0, f64::max)
            / self.system.rows;
        grid(top, points)
    }

    /// Scores of the ridges of a path.
    pub fn path(&self) -> Vec<PathPoint> {
        self.grid(POINTS).into_iter().map(|ridge| self.at(ridge)).collect()
    }

    /// The least ridge that counts beside such an error of the matrices, at most the largest of the grid.
    pub(crate) fn least(&self, error: f64) -> f64 {
        let s2 = self.system.components.iter().map(|c| c.s2).fold(0.0, f64::max);
        let most = self.grid(2).last().copied().unwrap_or(f64::INFINITY);
        (error * s2 / self.system.rows).min(most)
    }

    /// The ridge that minimises a score, by the grid and then golden sections around its best point.
    pub fn minimise(&self, score: impl Fn(&PathPoint) -> f64) -> Result<PathPoint> {
        Ok(self.at(minimise(&self.grid(POINTS), |l| score(&self.at(l)))?))
    }

    /// The solutions of the components at one ridge, whose filters are given.
    fn solutions(&self, inverses: &[(Vec<f64>, f64)]) -> Vec<Vec<f64>> {
        let of = |k: usize| &inverses[self.class_of[k]].0;
        let mut solutions = vec![Vec::new(); self.turned.len()];
        for (g, eigen) in self.eigen.iter().enumerate() {
            let group = |k: &usize| self.system.components[*k].group == g;
            let members: Vec<usize> = (0..solutions.len()).filter(group).collect();
            let scaled = Mat::from_fn(eigen.values.len(), members.len(), |i, j| {
                self.turned[members[j]][i] * of(members[j])[i]
            });
            let g = linalg::product(eigen.vectors.as_ref(), scaled.as_ref());
            members.iter().enumerate().for_each(|(j, &k)| solutions[k] = g.col(j).iter().copied().collect());
        }
        solutions
    }

    /// The filters of every class at one ridge.
    fn filters(&self, ridge: f64) -> Vec<(Vec<f64>, f64)> {
        self.classes.iter().map(|c| self.inverses(c, ridge)).collect()
    }

    /// The solution at one ridge; λ = 0 gives the one of least norm.
    pub fn solve(&self, map: &dyn Basis, ridge: f64, posterior: bool) -> Result<Solution> {
        let filters = self.filters(ridge);
        self.finish(map, ridge, posterior, &filters, &self.solutions(&filters))
    }

    /// The same for λ > 0, corrected; the scores along the path stay as they were.
    pub(crate) fn solve_corrected(
        &mut self,
        map: &dyn Basis,
        ridge: f64,
        posterior: bool,
        correct: Correct,
    ) -> Result<Solution> {
        let filters = self.filters(ridge);
        let mut solutions = self.solutions(&filters);
        while let Some(better) = correct(&self.system, &solutions)? {
            self.system.components.iter_mut().zip(better).for_each(|(c, rhs)| c.rhs = rhs);
            self.turned = turned(&self.system, &self.eigen);
            solutions = self.solutions(&filters);
        }
        self.finish(map, ridge, posterior, &filters, &solutions)
    }

    fn finish(
        &self,
        map: &dyn Basis,
        ridge: f64,
        posterior: bool,
        inverses: &[(Vec<f64>, f64)],
        solutions: &[Vec<f64>],
    ) -> Result<Solution> {
        let of = |k: usize| &inverses[self.class_of[k]].0;
        let mut freedom = Vec::new();
        let mut spreads: Vec<Spread> = Vec::new();
        let mut first = vec![true; self.eigen.len()];
        for (k, c) in self.system.components.iter().enumerate() {
            let eigen = &self.eigen[c.group];
            freedom.push(of(k).iter().zip(&eigen.values).map(|(i, v)| i * v).sum());
            if posterior && ridge > 0.0 {
                let direction = match &self.system.shape {
                    Shape::Directions { u, .. } => Some(u.col(k).iter().copied().collect()),
                    Shape::Lifted => None,
                };
                let root = if std::mem::take(&mut first[c.group]) { Some(whole(&eigen.vectors)?) } else { None };
                // where no observation was, or is lost to rounding, the prior is left
                let mu = inverses[self.class_of[k]].1;
                let values = eigen.values.iter().copied().chain(std::iter::repeat(0.0));
                let scale = values.take(eigen.vectors.nrows()).map(|value| 1.0 / (value + mu)).collect();
                spreads.push(Spread { group: c.group, root, scale, direction });
            }
        }
        let table = self.system.table(map, solutions);
        let unknowns = self.eigen.first().map_or(0, |e| e.vectors.nrows());
        Ok(Solution {
            spread: self.system.spread(solutions, ridge),
            freedom: Some(self.system.freedom(&freedom)),
            penalty: self.system.penalty(solutions, ridge),
            table,
            posterior: (posterior && ridge > 0.0).then_some(spreads),
            how: match self.eigen.first().filter(|_| ridge == 0.0) {
                // the shortest solution is zero along what rounding hides
                Some(_) => {
                    let kept = inverses.iter().map(|(i, _)| i.iter().filter(|i| **i > 0.0).count()).min();
                    let kept = kept.unwrap_or(0);
                    format!("eigenvalues of {unknowns} unknowns, {kept} of them above rounding")
                }
                None => format!("eigenvalues of {unknowns} unknowns"),
            },
            iterations: 1,
        })
    }
}

/// Qᵀ rhs of each component.
fn turned(system: &System, eigen: &[linalg::Eigen]) -> Vec<Vec<f64>> {
    let mut turned = vec![Vec::new(); system.components.len()];
    for (g, eigen) in eigen.iter().enumerate() {
        let members: Vec<usize> = (0..turned.len()).filter(|&k| system.components[k].group == g).collect();
        let rhs = Mat::from_fn(eigen.vectors.nrows(), members.len(), |i, j| system.components[members[j]].rhs[i]);
        let t = linalg::product(eigen.vectors.transpose(), rhs.as_ref());
        members.iter().enumerate().for_each(|(j, &k)| turned[k] = t.col(j).iter().copied().collect());
    }
    turned
}

/// The eigenvectors, and a basis of the rest.
fn whole(vectors: &Mat<f64>) -> Result<Mat<f64>> {
    let (k, r) = vectors.shape();
    if k == r {
        return Ok(vectors.clone());
    }
    let mut all = Mat::zeros(k, k);
    all.subcols_mut(0, r).copy_from(vectors);
    all.subcols_mut(r, k - r).copy_from(linalg::complement(vectors.as_ref())?);
    Ok(all)
}

/// Ridges from 10⁻¹² to 10² of `top` (1 if that is zero), evenly spaced in the logarithm.
pub(super) fn grid(top: f64, points: usize) -> Vec<f64> {
    let top = if top > 0.0 { top } else { 1.0 };
    let step = 14.0 / (points.max(2) - 1) as f64;
    (0..points).map(|i| top * libm::pow(10.0, -12.0 + step * i as f64)).collect()
}

/// Golden sections, to a thousandth of a ridge.
const SECTIONS: usize = 16;
/// Between ridges by which the rest of the way is reckoned, in the logarithm.
const BESIDE: f64 = 0.01;

/// The ridge that minimises a score: the best of a grid, then golden sections around it, and a step of Newton from differences,
/// so that a little rounding moves it a little only. Of ridges that are equally good the largest, which has the smallest function
/// and, where the data say nothing of it, the smallest error bars.
pub(super) fn minimise(grid: &[f64], score: impl Fn(f64) -> f64) -> Result<f64> {
    let scores: Vec<f64> = grid.iter().map(|&l| score(l)).collect();
    let best = (0..grid.len())
        .filter(|&i| scores[i].is_finite())
        .min_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(b.cmp(&a)))
        .ok_or_else(|| Error::numerical("ridge", "no ridge gives a finite score; give one yourself"))?;
    let (mut low, mut high) = (grid[best.saturating_sub(1)].ln(), grid[(best + 1).min(grid.len() - 1)].ln());
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let value = |log: f64| score(libm::exp(log));
    let (mut a, mut b) = (high - golden * (high - low), low + golden * (high - low));
    let (mut fa, mut fb) = (value(a), value(b));
    for _ in 0..SECTIONS {
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
    let middle = 0.5 * (low + high);
    let [f2, f1, f, g1, g2] = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|k| value(middle + k * BESIDE));
    // both to the fourth order
    let slope = (8.0 * (g1 - f1) - (g2 - f2)) / 12.0;
    let bend = (16.0 * (g1 + f1) - (g2 + f2) - 30.0 * f) / 12.0;
    let step = -slope / bend * BESIDE;
    let near = bend > 0.0 && step.abs() <= high - low;
    let found = libm::exp(if near { middle + step } else { middle });
    Ok(if score(found) <= scores[best] { found } else { grid[best] })
}
