//! What a model knows of how the weights of its atoms were learned. \[alignment\] \[pseudo-posterior\]

use super::{Linear, Model, Preparation};
use crate::align::{Method, kullback_leibler, log_power_divergence};
use crate::archive::{Archive, Reader};
use crate::error::{Error, Result};
use crate::kernel::{Kernel, Listed, Matrix, SumDraw};
use crate::spectrum::{Draw, DrawKind, Measure};
use faer::Mat;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Weights of candidates: one distribution over all of them, or one for the candidates of each landmark.
#[derive(Clone, Debug, PartialEq)]
pub struct Alignment {
    /// Where they come from.
    pub about: Learned,
    /// The prior of each candidate (N): its share of the kernel they were drawn from.
    pub prior: Vec<f64>,
    /// L̂ of each (N).
    pub losses: Vec<f64>,
    /// The learned probability of each (N); those of a landmark sum to 1.
    pub posterior: Vec<f64>,
    /// Landmarks in the kernel's coordinates (L×d); none where one kernel is learned for all points.
    pub landmarks: Option<Mat<f64>>,
}

/// How weights were learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// The divergence.
    pub method: Method,
    /// β of q ∝ p exp(−β√n L).
    pub beta: f64,
    /// ρ of D_μ ≤ ρ; what is beyond the largest number is written as this.
    pub rho: f64,
    /// n, a row of weight w counting as w rows.
    pub rows: f64,
    /// Number of classes; 0 for targets.
    pub classes: usize,
    /// How candidates are drawn again.
    pub candidates: Candidates,
    /// The class of each landmark.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<usize>,
    /// Whether landmarks are rows that were learned from, chosen without looking at the others.
    #[serde(default)]
    pub own: bool,
    /// Whether β was chosen in sight of the losses.
    #[serde(default)]
    pub chosen: bool,
    /// Whether rows had weights.
    #[serde(default)]
    pub weighted: bool,
}

/// Frequencies that depend on nothing but this.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidates {
    /// The prior kernel, in scaled coordinates.
    pub kernel: Kernel,
    /// How many.
    pub count: usize,
    /// How they are drawn.
    pub draw: DrawKind,
    /// From which measure.
    pub measure: Measure,
    /// How a sum shares them.
    pub sum: SumDraw,
    /// Seed.
    pub seed: u64,
}

impl Candidates {
    /// The same draw as ever, for d inputs.
    pub fn atoms(&self, d: usize) -> Result<crate::kernel::Atoms> {
        let how = Draw { kind: self.draw, measure: self.measure, seed: self.seed, purpose: 0 };
        self.kernel.draw(d, self.count, &how, self.sum)
    }
}

impl Alignment {
    /// Number of distributions: 1, or one for each landmark.
    pub fn groups(&self) -> usize {
        self.landmarks.as_ref().map_or(1, Mat::nrows)
    }

    /// Prior, losses and posterior of one of them.
    pub fn group(&self, g: usize) -> (&[f64], &[f64], &[f64]) {
        let each = self.posterior.len() / self.groups();
        let range = g * each..(g + 1) * each;
        (&self.prior[range.clone()], &self.losses[range.clone()], &self.posterior[range])
    }

    /// L̂ of the learned kernel, KL and ln(1 + D_μ) to the prior (μ = 2 for Kullback–Leibler), of one distribution.
    pub fn summary(&self, g: usize) -> (f64, f64, f64) {
        let (prior, losses, q) = self.group(g);
        let loss = losses.iter().zip(q).map(|(l, q)| l * q).sum();
        (loss, kullback_leibler(q, prior), log_power_divergence(q, prior, self.about.method.mu().unwrap_or(2.0)))
    }

    /// ω of every candidate (N×d) in the chart of the group, in the user's units.
    pub fn frequencies(&self, preparation: &Preparation) -> Result<Mat<f64>> {
        let atoms = self.about.candidates.atoms(preparation.scale.len())?;
        let mut all = Mat::zeros(atoms.count(), preparation.scale.len());
        let mut at = 0;
        for block in &atoms.blocks {
            let omega = block.omega.to_dense();
            for j in 0..omega.nrows() {
                (0..omega.ncols()).for_each(|k| all[(at + j, k)] = omega[(j, k)] / preparation.scale[k]);
            }
            at += omega.nrows();
        }
        Ok(all)
    }

    pub(super) fn header(&self) -> Result<Value> {
        serde_json::to_value(&self.about).map_err(|e| Error::Data(e.to_string()))
    }

    pub(super) fn store<'a>(&'a self, archive: &mut Archive<'a>) {
        archive.put_vec("alignment.prior", self.prior.as_slice());
        archive.put_vec("alignment.losses", self.losses.as_slice());
        archive.put_vec("alignment.posterior", self.posterior.as_slice());
        if let Some(landmarks) = &self.landmarks {
            archive.put_mat("alignment.landmarks", landmarks.as_ref());
        }
    }

    pub(super) fn restore(file: &Reader, d: usize) -> Result<Option<Box<Alignment>>> {
        if file.header()["alignment"].is_null() {
            return Ok(None);
        }
        let about: Learned = file.part("alignment")?;
        let posterior = file.vec("alignment.posterior", None)?;
        let count = posterior.len();
        let landmarks = match file.has("alignment.landmarks") {
            true => Some(file.mat("alignment.landmarks", Some(about.labels.len()), Some(d))?),
            false => None,
        };
        let groups = landmarks.as_ref().map_or(1, Mat::nrows);
        if count == 0 || groups == 0 || count % groups != 0 || count != about.candidates.count {
            return Err(file.damaged("its candidates are not those of its weights; fit again or restore a copy"));
        }
        let (prior, losses) = (file.vec("alignment.prior", Some(count))?, file.vec("alignment.losses", Some(count))?);
        Ok(Some(Box::new(Alignment { about, prior, losses, posterior, landmarks })))
    }
}

impl Linear {
    /// The kernel of the features with one output, as atoms in the user's units: Σ aⱼ cos⟨χ(x) − χ(z), ωⱼ⟩ for each of
    /// so many outputs, which any learner on the same group takes.
    pub fn listed(&self, outputs: usize) -> Result<Listed> {
        let atoms = self.map.atoms();
        let d = atoms.inputs();
        let (mut omega, mut weights) = (Mat::zeros(atoms.count(), d), Vec::new());
        let (mut row, mut at) = (vec![0.0; d], 0);
        for block in &atoms.blocks {
            let shared = block.factors.shared().filter(|b| b.nrows() == b.ncols());
            let Some(factor) = shared.filter(|_| self.preparation.views.is_empty()) else {
                return Err(Error::refused("this model as a list of atoms", "its outputs do not share one kernel"));
            };
            for j in 0..block.count() {
                block.omega.row(j, &mut row);
                (0..d).for_each(|k| omega[(at, k)] = row[k] / self.preparation.scale[k]);
                weights.push(block.weight[j] * factor[(0, 0)] * factor[(0, 0)]);
                at += 1;
            }
        }
        let p = outputs.max(1);
        let factors = Mat::from_fn(at * p, p, |i, t| if i % p == t { 1.0 } else { 0.0 });
        Ok(Listed {
            omega: Matrix::new(omega, "omega")?,
            factors: Matrix::new(factors, "factors")?,
            weights: Some(weights),
        })
    }
}

impl Model {
    /// How the weights of its atoms were learned.
    pub fn alignment(&self) -> Result<&Alignment> {
        self.alignment.as_deref().ok_or_else(|| {
            Error::refused(
                "learned weights of this model",
                "its kernel was not learned; fit with a method of alignment",
            )
        })
    }
}
