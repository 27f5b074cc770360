//! Scores of every ridge of a system with one matrix, which is made a band: a fifth of the time of its eigenvectors, and a
//! third of their memory. \[band\]

use super::System;
use super::spectral::{POINTS, PathPoint, Sums, TINY, grid, minimise};
use super::system::NOTHING;
use crate::error::{Error, Result};
use crate::linalg::Band;
use faer::Mat;
use rayon::prelude::*;

/// Between ridges by which the bend of a score is told, in the logarithm.
const STEP: f64 = 0.5;

/// A system whose matrix was made a band.
pub struct Banded {
    band: Band,
    /// The largest eigenvalue, about, and the trace before centring.
    largest: f64,
    size: f64,
    /// n of nλ, s², number of components, their sum of squares and their count.
    rows: f64,
    s2: f64,
    members: f64,
    yy: f64,
    count: f64,
    /// What no component explains, and the number of observations.
    rest: (f64, f64),
    observed: f64,
}

impl Banded {
    /// From so many unknowns on a band is made sooner than eigenvectors.
    pub const MANY: usize = 256;

    /// Whether the scores of a system are found sooner so: one matrix and one variance serve all of its many unknowns, and it
    /// has more observations than would leave most eigenvalues zero.
    pub fn suits(system: &System) -> bool {
        let points = system.components.iter().map(|c| c.points).fold(0.0, f64::max);
        let unknowns = system.groups.first().map_or(0, Mat::nrows);
        system.same_variance() && unknowns >= Self::MANY && 2.0 * points >= unknowns as f64
    }

    /// Makes a copy of the matrix a band: 4K³/3 operations.
    pub fn new(system: &System) -> Result<Self> {
        let ([matrix], [first, ..], true) = (&system.groups[..], &system.components[..], system.same_variance())
        else {
            return Err(Error::refused("a band of several matrices", "their scores are found by eigenvalues"));
        };
        let rhs = Mat::from_fn(matrix.nrows(), system.components.len(), |i, k| system.components[k].rhs[i]);
        let band = Band::new(matrix.clone(), rhs.as_ref())?;
        Ok(Banded {
            largest: band.largest(),
            band,
            size: system.components.iter().map(|c| c.size).fold(0.0, f64::max),
            rows: system.rows,
            s2: first.s2,
            members: system.components.len() as f64,
            yy: system.components.iter().map(|c| c.yy).sum(),
            count: system.components.iter().map(|c| c.count).sum(),
            rest: system.rest,
            observed: system.observed,
        })
    }

    /// Scores of one ridge, none where G + μ is not positive to rounding. \[evidence\] \[gcv\]
    pub fn at(&self, ridge: f64) -> Option<PathPoint> {
        let mu = self.rows * ridge / self.s2;
        let found = self.band.shifted(mu).filter(|_| mu > 0.0)?;
        let n = self.band.order() as f64;
        let mut sums = Sums::of(self.rest);
        sums.freedom = self.members * (n - mu * found.trace);
        sums.log_det = self.members * (found.log_det - n * libm::log(mu));
        sums.explain(self.yy, self.count, found.once, found.once + mu * found.twice);
        Some(sums.point(ridge, self.observed))
    }

    /// Whether the matrix is more than what centring leaves of equal rows.
    pub(crate) fn tells(&self) -> bool {
        self.largest > NOTHING * self.size
    }

    /// The ridges of a path from the least one that counts on, as far as they have scores.
    pub fn path(&self, least: f64) -> Vec<PathPoint> {
        let ridges = grid(self.largest * self.s2 / self.rows, POINTS);
        ridges.into_par_iter().filter(|l| *l >= least).filter_map(|l| self.at(l)).collect()
    }

    /// The least ridge that counts beside such an error of the matrix.
    pub(crate) fn least(&self, error: f64) -> f64 {
        error * self.s2 / self.rows
    }

    /// The least ridge at which one factorisation is as good as eigenvalues.
    pub(crate) fn told(&self) -> f64 {
        self.least(TINY * self.largest * self.band.order() as f64 * f64::EPSILON)
    }

    /// The ridge that minimises a score: the best of the path, then golden sections around it.
    pub fn minimise(&self, path: &[PathPoint], score: impl Fn(&PathPoint) -> f64) -> Result<Option<PathPoint>> {
        let ridges: Vec<f64> = path.iter().map(|p| p.ridge).collect();
        let point = |ridge: f64| path.iter().find(|p| p.ridge == ridge).copied().or_else(|| self.at(ridge));
        Ok(self.at(minimise(&ridges, |ridge| point(ridge).map_or(f64::INFINITY, |p| score(&p)))?))
    }

    /// By what share of itself the best ridge is off, at most and about, when each entry of the features is off by chance, by
    /// such a deviation; none where ridges beside it have no scores. The score (to be minimised) is that of the log evidence, up
    /// to its sign. \[mixed\]
    pub(crate) fn doubt(&self, best: &PathPoint, deviation: f64, score: impl Fn(&PathPoint) -> f64) -> Option<f64> {
        let mu = self.rows * best.ridge / self.s2;
        let found = self.band.shifted(mu)?;
        let (fitted, norm) = ((found.once - mu * found.twice).max(0.0), found.twice);
        let residual = deviation * 4.0 * (fitted * norm).sqrt() / (best.rss / self.count);
        let determinant =
            deviation * (best.freedom / mu).sqrt() + deviation.powi(2) * self.rows / mu * self.band.order() as f64;
        let [below, above] = [-STEP, STEP].map(|step| self.at(best.ridge * libm::exp(step)));
        let bend = (score(&below?) + score(&above?) - 2.0 * score(best)) / (STEP * STEP);
        (bend > 0.0 && bend.is_finite()).then(|| (residual + self.members * determinant) / bend)
    }
}
