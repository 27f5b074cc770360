//! A model that is a sum of kernel sections: f(x) = Σⱼ K(x, zⱼ)uⱼ + b, from exact ridge or from Nyström.

use super::posterior::{in_user_units, units};
use super::{Held, Prediction, Preparation, Query};
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::linalg;
use crate::rows::Inputs;
use faer::{Mat, MatRef};

/// Numbers of kernel sections computed at a time.
const SECTIONS: usize = 1 << 21;

/// Points, coefficients and offset.
#[derive(Clone, Debug)]
pub struct Exact {
    /// From inputs to the kernel's coordinates.
    pub preparation: Preparation,
    /// The kernel with nothing left open, on prepared rows; the scalar kernel when there are views.
    pub kernel: Kernel,
    /// zⱼ, prepared (m×d).
    pub points: Mat<f64>,
    /// uⱼ (m×p; m×1 when there are views), in scaled outputs.
    pub coefficients: Mat<f64>,
    /// Scale of each output (p).
    pub output_scale: Vec<f64>,
    /// b (p), in the user's units.
    pub offset: Vec<f64>,
    /// Covariance of the noise (p×p), in the user's units.
    pub noise: Mat<f64>,
    /// What error bars need, if kept.
    pub posterior: Held<ExactPosterior>,
}

/// The posterior covariance of f(x) in units of σ²: with k = K(Z, x) and q = T k,
/// Σ over spans of [prior·K(x,x) − qᵀ diag(scale) q − Lᵀk − kᵀL], plus a constant. \[posterior\]
#[derive(Clone, Debug)]
pub struct ExactPosterior {
    /// T of each root (its rows × m, or × m·p for spans without direction).
    pub roots: Vec<Mat<f64>>,
    /// The spans.
    pub spans: Vec<Span>,
    /// The constant (p×p).
    pub constant: Mat<f64>,
    /// σ of each output in the user's units; that of the noise if none is given.
    pub unit: Option<Vec<f64>>,
}

/// The outputs along one direction of a decomposable kernel, or all of them.
#[derive(Clone, Debug)]
pub struct Span {
    /// Which T.
    pub root: usize,
    /// Prior variance in units of σ²: s²/(nλ).
    pub prior: f64,
    /// Of each row of T.
    pub scale: Vec<f64>,
    /// L: m×1 along a direction, else m·p×p.
    pub linear: Mat<f64>,
    /// The direction (p); none for all outputs at once.
    pub direction: Option<Vec<f64>>,
}

impl Exact {
    /// Number of outputs p.
    pub fn outputs(&self) -> usize {
        self.offset.len()
    }

    /// Predicts n rows. Cost n·m kernel values, and n·m² more for uncertainty (p³ times that when the kernel is not
    /// decomposable). Rows do not influence each other, nor do threads.
    pub fn predict(&self, x: &Inputs, query: Query) -> Result<Prediction> {
        let (n, p, v) = (x.nrows(), self.outputs(), self.preparation.expansion());
        let wanted = query.std || query.cov;
        let posterior = if wanted { self.posterior.get()? } else { None };
        if wanted && posterior.is_none() {
            return Err(Error::refused(
                "uncertainty from this model",
                "it was fitted without a posterior (ridge 0, too few rows, or switched off)",
            ));
        }
        let (m, columns) = (self.points.nrows(), self.coefficients.ncols());
        let separated = self.kernel.separated();
        let (scalar, weights) = match &separated {
            Some((k, gamma)) => (k, linalg::product(self.coefficients.as_ref(), gamma.as_ref())),
            None => {
                (&self.kernel, Mat::from_fn(m * columns, 1, |j, _| self.coefficients[(j / columns, j % columns)]))
            }
        };
        let whole = posterior.is_some_and(|p| p.spans.iter().any(|s| s.direction.is_none()));
        let width = if separated.is_none() || whole { columns } else { 1 };
        let step = (SECTIONS / (m * v * width * width)).clamp(1, 1024);
        let mut mean = Mat::zeros(n, p);
        let mut covs: Vec<Mat<f64>> = Vec::new();
        for from in (0..n).step_by(step) {
            let to = (from + step).min(n);
            let u = self.preparation.prepare(&x.slice(from, to), from + 1)?.into_dense();
            let sections = scalar.sections(u.as_ref(), self.points.as_ref())?;
            let f = linalg::product(sections.as_ref(), weights.as_ref());
            for i in 0..to - from {
                for t in 0..p {
                    let value = match (&separated, self.preparation.views.is_empty()) {
                        (Some(_), true) => f[(i, t)],
                        // one row per view, or one per output
                        _ => f[(i * p + t, 0)],
                    };
                    mean[(from + i, t)] = value * self.output_scale[t] + self.offset[t];
                }
            }
            if let Some(posterior) = posterior {
                let unit = units(posterior.unit.as_ref(), &self.noise);
                let full = match (whole, &separated) {
                    (true, Some(_)) => Some(self.kernel.sections(u.as_ref(), self.points.as_ref())?),
                    _ => None,
                };
                let sections = full.as_ref().unwrap_or(&sections).as_ref();
                for raw in self.covariance(posterior, scalar, u.as_ref(), sections)? {
                    let noise = query.noise.then_some(&self.noise);
                    covs.push(in_user_units(&raw, &unit, noise));
                }
            }
        }
        let std = query.std.then(|| Mat::from_fn(n, p, |i, t| covs[i][(t, t)].max(0.0).sqrt()));
        Ok(Prediction { mean, std, cov: query.cov.then_some(covs) })
    }

    /// C(x) (p×p) of each row of data in units of σ², from the prepared rows u and their sections.
    fn covariance(
        &self,
        posterior: &ExactPosterior,
        scalar: &Kernel,
        u: MatRef<f64>,
        sections: MatRef<f64>,
    ) -> Result<Vec<Mat<f64>>> {
        let (p, v) = (self.outputs(), self.preparation.expansion());
        let mut out = vec![posterior.constant.clone(); u.nrows() / v];
        let zero = vec![0.0; u.ncols()];
        let turned: Vec<Mat<f64>> =
            posterior.roots.iter().map(|t| linalg::product(sections, t.transpose())).collect();
        for span in &posterior.spans {
            let q: Vec<Vec<f64>> =
                (0..sections.nrows()).map(|i| turned[span.root].row(i).iter().copied().collect()).collect();
            let linear = linalg::product(sections, span.linear.as_ref());
            let known = |a: usize, b: usize| -> f64 {
                (0..span.scale.len()).map(|j| span.scale[j] * q[a][j] * q[b][j]).sum()
            };
            match &span.direction {
                Some(along) if v == 1 => {
                    let prior = span.prior * scalar.eval(&zero, &zero)?[(0, 0)];
                    for (i, cov) in out.iter_mut().enumerate() {
                        let variance = prior - known(i, i) - 2.0 * linear[(i, 0)];
                        for (s, us) in along.iter().enumerate() {
                            along.iter().enumerate().for_each(|(t, ut)| cov[(s, t)] += variance * us * ut);
                        }
                    }
                }
                // views of one row: the scalar function at p places
                Some(_) => {
                    for (i, cov) in out.iter_mut().enumerate() {
                        let here = u.subrows(i * v, v);
                        let prior = scalar.sections(here, here)?;
                        for (s, t) in pairs(p) {
                            let (a, b) = (i * v + s, i * v + t);
                            let less = known(a, b) + linear[(a, 0)] + linear[(b, 0)];
                            cov[(s, t)] += span.prior * prior[(s, t)] - less;
                        }
                    }
                }
                None => {
                    let prior = self.kernel.eval(&zero, &zero)?;
                    for (i, cov) in out.iter_mut().enumerate() {
                        for (s, t) in pairs(p) {
                            let (a, b) = (i * p + s, i * p + t);
                            let less = known(a, b) + linear[(a, t)] + linear[(b, s)];
                            cov[(s, t)] += span.prior * prior[(s, t)] - less;
                        }
                    }
                }
            }
        }
        Ok(out)
    }
}

fn pairs(p: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..p).flat_map(move |s| (0..p).map(move |t| (s, t)))
}
