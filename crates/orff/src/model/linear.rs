//! A model that is linear in the characters: f(x) = Zᵀc(u) + b.

use super::posterior::{in_user_units, units};
use super::{Held, Preparation};
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Characters, FeatureMap, Packed};
use crate::linalg::Real;
use crate::rows::Inputs;
use faer::Mat;

/// What is asked of a prediction beside the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query {
    /// Standard deviations of each output.
    pub std: bool,
    /// The p×p covariance of each row.
    pub cov: bool,
    /// Whether they include the noise of a new observation.
    pub noise: bool,
    /// Whether the mean may be computed in single precision, in half the time, where that is right to some 1e-5 of the
    /// outputs' scale.
    pub single: bool,
}

impl Default for Query {
    fn default() -> Self {
        Query { std: false, cov: false, noise: true, single: false }
    }
}

/// A prediction for n rows.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// n×p.
    pub mean: Mat<f64>,
    /// n×p, if asked.
    pub std: Option<Mat<f64>>,
    /// p×p for each row, if asked.
    pub cov: Option<Vec<Mat<f64>>>,
}

/// Basis, table and offset, in the user's units.
#[derive(Clone, Debug)]
pub struct Linear {
    /// From inputs to the kernel's coordinates.
    pub preparation: Preparation,
    /// The characters.
    pub map: FeatureMap,
    /// Z (M×p; M×1 when the kernel has views).
    pub table: Mat<f64>,
    /// b (p).
    pub offset: Vec<f64>,
    /// Covariance of the noise (p×p).
    pub noise: Mat<f64>,
    /// Scale of each output in the prior, in the user's units (p): posterior directions are in scaled units.
    pub output_scale: Vec<f64>,
    /// The posterior, if kept.
    pub posterior: Held,
    /// What makes the features of a row of its characters; Φ(x) itself without it. Predictions need none, the table has it.
    pub warp: Option<Warp>,
}

/// Features that are not Φ(x) itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Warp {
    /// Φ(x)T, T M×m.
    Dense(Mat<f64>),
    /// One for each of so many groups of atoms, as many in each, one after the other: the sum of the group's characters times
    /// their numbers of the table (M×1).
    Grouped(usize),
}

impl Linear {
    /// Number of outputs p.
    pub fn outputs(&self) -> usize {
        self.offset.len()
    }

    /// Predicts n rows. Cost n·M·(d + p), and n·K² more for uncertainty. Rows do not influence each other.
    pub fn predict(&self, x: &Inputs, query: Query) -> Result<Prediction> {
        let (n, p) = (x.nrows(), self.outputs());
        let mut mean = Mat::zeros(n, p);
        let mut covs: Vec<Mat<f64>> = Vec::new();
        let wanted = query.std || query.cov;
        let mut std = if wanted { Mat::zeros(n, p) } else { Mat::new() };
        let posterior = if wanted { self.posterior.get()? } else { None };
        if wanted && posterior.is_none() {
            return Err(Error::refused(
                "uncertainty from this model",
                "it was fitted without a posterior (ridge 0, too few rows, too many unknowns, or switched off)",
            ));
        }
        if posterior.is_some_and(|posterior| !posterior.fits(&self.map)) {
            return Err(Error::Data(
                "the posterior is not that of this model: the file was altered, fit again".into(),
            ));
        }
        let combine: Box<dyn Fn(&Inputs) -> Mat<f64>> = if query.single && self.single_is_enough() {
            let table = Packed::<f32>::new(&self.map, &self.table);
            Box::new(move |u| self.map.combine(u, &table))
        } else {
            let table = Packed::<f64>::new(&self.map, &self.table);
            Box::new(move |u| self.map.combine(u, &table))
        };
        let mut characters = Characters::new(self.map.characters());
        // enough panels for many threads, where nothing larger than the predictions is kept
        let step = if wanted { BLOCK_ROWS } else { 16 * BLOCK_ROWS };
        for from in (0..n).step_by(step) {
            let to = (from + step).min(n);
            let u = self.preparation.prepare(&x.slice(from, to), from + 1)?;
            let f = combine(&u);
            let v = self.preparation.views.len();
            for i in 0..to - from {
                for t in 0..p {
                    let value = if v > 0 { f[(i * v + t, 0)] } else { f[(i, t)] };
                    mean[(from + i, t)] = value * self.table_scale(t) + self.offset[t];
                }
            }
            let Some(posterior) = posterior else { continue };
            self.map.fill(&u, &mut characters);
            let sigma = units(posterior.unit.as_ref(), &self.noise);
            if v == 0 && !query.cov {
                let raw = posterior.variance(&self.map, characters.as_mat());
                for t in 0..p {
                    let noise = if query.noise { self.noise[(t, t)].max(0.0) } else { 0.0 };
                    let variance = |v: f64| (v * sigma[t] * sigma[t] + noise).max(0.0);
                    (0..to - from).for_each(|i| std[(from + i, t)] = variance(raw[(i, t)]).sqrt());
                }
                continue;
            }
            let raw = match v {
                0 => posterior.covariance(&self.map, characters.as_mat()),
                _ => posterior.between_views(&self.map, characters.as_mat(), v),
            };
            for (i, raw) in raw.iter().enumerate() {
                let cov = in_user_units(raw, &sigma, query.noise.then_some(&self.noise));
                (0..p).for_each(|t| std[(from + i, t)] = cov[(t, t)].max(0.0).sqrt());
                covs.push(cov);
            }
        }
        if let Some(i) = (0..n).find(|&i| (0..p).any(|t| !mean[(i, t)].is_finite())) {
            return Err(too_far(i, "the prediction"));
        }
        Ok(Prediction { mean, std: query.std.then_some(std), cov: query.cov.then_some(covs) })
    }

    /// Number of features of a row: M, or those of the warp.
    pub fn width(&self) -> usize {
        match &self.warp {
            None => self.map.characters(),
            Some(Warp::Dense(warp)) => warp.ncols(),
            Some(Warp::Grouped(groups)) => *groups,
        }
    }

    /// Φ(x) of each row for a model with one output, or Φ(x)T with a warp, row after row into `out` (n×M, or n×m).
    /// Cost n·M·d, and n·M·m with a warp.
    pub fn features<T: Real>(&self, x: &Inputs, out: &mut [T]) -> Result<()> {
        match &self.warp {
            None => {}
            Some(warp) => {
                match warp {
                    Warp::Dense(warp) => self.warped(warp, x, out)?,
                    Warp::Grouped(groups) => self.grouped(*groups, x, out)?,
                }
                let far = out.iter().position(|v| !Into::<f64>::into(*v).is_finite());
                return far.map_or(Ok(()), |k| Err(too_far(k / self.width(), "a feature")));
            }
        }
        let (m, n) = (self.map.characters(), x.nrows());
        if self.map.atoms().outputs() != 1 || !self.preparation.views.is_empty() || self.map.unknowns() != m {
            return Err(Error::refused("features of this model", "they are a matrix for each row; ask one output"));
        }
        if Some(out.len()) != n.checked_mul(m) {
            return Err(Error::shape("features", format!("room for {n}×{m} numbers"), out.len()));
        }
        let factors = self.map.stacked_factors();
        let factors: Vec<T> = factors.col(0).iter().map(|f| T::of(*f)).collect();
        let step = 16 * BLOCK_ROWS;
        for from in (0..n).step_by(step) {
            let to = (from + step).min(n);
            let u = self.preparation.prepare(&x.slice(from, to), from + 1)?;
            self.map.write_rows(&u, &factors, &mut out[from * m..to * m])?;
        }
        Ok(())
    }

    /// The features of a warp: values of a table with a column for each.
    fn warped<T: Real>(&self, warp: &Mat<f64>, x: &Inputs, out: &mut [T]) -> Result<()> {
        let (n, width) = (x.nrows(), warp.ncols());
        if Some(out.len()) != n.checked_mul(width) {
            return Err(Error::shape("features", format!("room for {n}×{width} numbers"), out.len()));
        }
        let factors = self.map.stacked_factors();
        let table = Mat::from_fn(warp.nrows(), width, |m, k| factors[(m, 0)] * warp[(m, k)]);
        let table = Packed::<f64>::new(&self.map, &table);
        for (from, out) in (0..n).step_by(BLOCK_ROWS).zip(out.chunks_mut(BLOCK_ROWS * width)) {
            let to = (from + BLOCK_ROWS).min(n);
            let values = self.map.combine(&self.preparation.prepare(&x.slice(from, to), from + 1)?, &table);
            for (i, line) in out.chunks_exact_mut(width).enumerate() {
                line.iter_mut().enumerate().for_each(|(k, v)| *v = T::of(values[(i, k)]));
            }
        }
        Ok(())
    }

    /// The features of groups of atoms.
    fn grouped<T: Real>(&self, groups: usize, x: &Inputs, out: &mut [T]) -> Result<()> {
        if Some(out.len()) != x.nrows().checked_mul(groups) {
            return Err(Error::shape("features", format!("room for {}×{groups} numbers", x.nrows()), out.len()));
        }
        let coefficients: Vec<f64> = self.table.col(0).iter().copied().collect();
        for (from, out) in (0..x.nrows()).step_by(BLOCK_ROWS).zip(out.chunks_mut(BLOCK_ROWS * groups)) {
            let to = (from + BLOCK_ROWS).min(x.nrows());
            let u = self.preparation.prepare(&x.slice(from, to), from + 1)?;
            let values = self.map.group_sums(&u, &coefficients, groups);
            for (i, line) in out.chunks_exact_mut(groups).enumerate() {
                line.iter_mut().enumerate().for_each(|(k, v)| *v = T::of(values[(i, k)]));
            }
        }
        Ok(())
    }

    /// Whether values in single precision are right to some 1e-5 of the outputs' scale: characters are right to 2⁻²⁴, and
    /// a table with large entries that cancel makes more of it.
    fn single_is_enough(&self) -> bool {
        let worst = |t: usize| {
            let scale = if self.preparation.views.is_empty() { self.output_scale[t] } else { 1.0 };
            self.table.col(t).norm_l2() * f64::from(f32::EPSILON) / scale
        };
        (0..self.table.ncols()).map(worst).fold(0.0, f64::max) <= 1e-5
    }

    fn table_scale(&self, t: usize) -> f64 {
        // a table shared by views is in scaled units, one with a column per output in the user's
        if self.preparation.views.is_empty() { 1.0 } else { self.output_scale[t] }
    }
}

/// The refusal of a row beyond all that numbers can tell.
pub(super) fn too_far(row: usize, what: &str) -> Error {
    Error::Value {
        row: row + 1,
        column: "inputs".into(),
        value: what.into(),
        problem: "is not finite: the inputs are too far from those learned from".into(),
    }
}
