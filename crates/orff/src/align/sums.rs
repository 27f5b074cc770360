//! Alignment losses of many frequencies from one pass over the rows. \[alignment\]

use crate::error::{Error, Result};
use crate::feature::by_atom;
use crate::kernel::Atoms;
use crate::linalg::dot;
use crate::rows::{Batch, Inputs, Weights};
use std::ops::Range;

/// How alike the outputs of two rows are: λ ∈ [−1, 1].
#[derive(Clone, Debug, PartialEq)]
pub enum Likeness {
    /// 1 in the same of so many classes, −1 otherwise; the one output is the number of a class.
    Classes(usize),
    /// ⟨z, z′⟩ with z = (y − centre)/scale, drawn back to length 1 where it is longer: for y = ±1 that of two classes.
    Targets { centre: Vec<f64>, scale: Vec<f64> },
}

impl Likeness {
    /// Sums kept for each frequency: one per class, or one per output.
    fn width(&self) -> usize {
        match self {
            Likeness::Classes(classes) => *classes,
            Likeness::Targets { centre, .. } => centre.len(),
        }
    }

    /// Number of classes; 0 of targets.
    pub fn classes(&self) -> usize {
        match self {
            Likeness::Classes(classes) => *classes,
            Likeness::Targets { .. } => 0,
        }
    }

    /// Whether λ = ⟨z, z′⟩ for vectors of length at most 1: of two classes and of targets.
    pub fn is_product(&self) -> bool {
        !matches!(self, Likeness::Classes(classes) if *classes > 2)
    }
}

/// Σᵢ wᵢ e^{i⟨ω,xᵢ⟩} over the rows of each class (or Σᵢ wᵢ zᵢ e^{i⟨ω,xᵢ⟩}), for each of N frequencies: all that alignment
/// losses need. Rows may come in any number of blocks; sums have the order of the rows, whatever the number of threads.
#[derive(Clone, Debug)]
pub struct Sums {
    likeness: Likeness,
    /// For each atom: the real parts of its sums, then the imaginary ones (N·2R).
    sums: Vec<f64>,
    /// Σw.
    pub rows: f64,
    /// Σ wλᵢᵢ.
    diagonal: f64,
    /// Whether a row had another weight than 1.
    pub weighted: bool,
}

impl Sums {
    /// No rows yet, for so many atoms.
    pub fn new(atoms: &Atoms, likeness: Likeness) -> Self {
        let sums = vec![0.0; atoms.count() * 2 * likeness.width()];
        Sums { likeness, sums, rows: 0.0, diagonal: 0.0, weighted: false }
    }

    /// Megabytes for so many atoms.
    pub fn megabytes(atoms: usize, likeness: &Likeness) -> f64 {
        16e-6 * atoms as f64 * likeness.width() as f64
    }

    /// How outputs are compared.
    pub fn likeness(&self) -> &Likeness {
        &self.likeness
    }

    /// Adds rows in the kernel's coordinates, with weights of rows if any, by the same atoms as ever. Cost n·N·(d + R), R = 1 for
    /// classes.
    pub fn add(&mut self, atoms: &Atoms, rows: &Batch) -> Result<()> {
        let n = rows.inputs.nrows();
        let weight: Vec<f64> = match &rows.weights {
            None => vec![1.0; n],
            Some(Weights::Row(w)) => w.clone(),
            Some(Weights::Entry(_)) => {
                let why = "pairs of rows are compared; give each row a weight";
                return Err(Error::refused("weights of entries with kernel alignment", why));
            }
        };
        self.weighted |= weight.iter().any(|w| *w != 1.0);
        let (inputs, parts) = self.parts(rows, &weight)?;
        let width = self.likeness.width();
        let (mut sums, mut atom) = (self.sums.as_mut_slice(), 0);
        for block in &atoms.blocks {
            let (own, rest) = sums.split_at_mut(block.count() * 2 * width);
            by_atom(block, &inputs, 2 * width, own, |cos, sin, out| {
                let (real, imaginary) = out.split_at_mut(width);
                for (k, range, weights) in &parts {
                    real[*k] += dot(&cos[range.clone()], weights);
                    imaginary[*k] += dot(&sin[range.clone()], weights);
                }
            });
            (sums, atom) = (rest, atom + block.count());
        }
        debug_assert_eq!(atom, atoms.count());
        self.rows += weight.iter().sum::<f64>();
        Ok(())
    }

    /// Which rows, with which coefficients, go to which sum; rows of one class are put side by side.
    #[allow(clippy::type_complexity)]
    fn parts(&mut self, rows: &Batch, weight: &[f64]) -> Result<(Inputs, Vec<(usize, Range<usize>, Vec<f64>)>)> {
        let (n, y) = (weight.len(), &rows.outputs);
        match &self.likeness {
            Likeness::Classes(classes) => {
                let mut order: Vec<usize> = (0..n).collect();
                if let Some(i) = (0..n).find(|&i| !(y[(i, 0)] >= 0.0 && y[(i, 0)] < *classes as f64)) {
                    let expected = format!("the number of a class below {classes}");
                    return Err(Error::shape("classes", expected, y[(i, 0)]));
                }
                order.sort_by_key(|&i| y[(i, 0)] as usize);
                let mut parts: Vec<(usize, Range<usize>, Vec<f64>)> = Vec::new();
                for (at, &i) in order.iter().enumerate() {
                    let class = y[(i, 0)] as usize;
                    match parts.last_mut().filter(|(last, _, _)| *last == class) {
                        Some((_, range, weights)) => {
                            range.end += 1;
                            weights.push(weight[i]);
                        }
                        None => parts.push((class, at..at + 1, vec![weight[i]])),
                    }
                }
                self.diagonal += weight.iter().sum::<f64>();
                Ok((rows.inputs.pick(&order), parts))
            }
            Likeness::Targets { centre, scale } => {
                let raw = |i: usize, t: usize| (y[(i, t)] - centre[t]) / scale[t];
                let norm = |i: usize| (0..centre.len()).map(|t| raw(i, t) * raw(i, t)).sum::<f64>().sqrt();
                let over: Vec<f64> = (0..n).map(|i| norm(i).max(1.0)).collect();
                let z = |i: usize, t: usize| raw(i, t) / over[i];
                if let Some(i) = (0..n).find(|&i| (0..centre.len()).any(|t| !y[(i, t)].is_finite())) {
                    return Err(Error::shape("outputs", "complete rows to align with", format!("a gap in row {i}")));
                }
                let part = |t: usize| (t, 0..n, (0..n).map(|i| weight[i] * z(i, t)).collect());
                let square = |i: usize| (0..centre.len()).map(|t| z(i, t) * z(i, t)).sum::<f64>();
                self.diagonal += (0..n).map(|i| weight[i] * square(i)).sum::<f64>();
                Ok((rows.inputs.clone(), (0..centre.len()).map(part).collect()))
            }
        }
    }

    /// L̂ of each frequency over all pairs of different rows (L19 (9)): ½(1 − (T − Σwλᵢᵢ)/(n(n−1))), T = Σᵢⱼ wᵢwⱼλᵢⱼ cos⟨ω, xᵢ−xⱼ⟩ from
    /// the sums, n = Σw: a row of weight w counts as w rows. Cost N·R.
    pub fn losses(&self) -> Result<Vec<f64>> {
        let n = self.rows;
        if n <= 1.0 {
            let expected = "at least two (weights count rows: those of all rows must sum to more than 1)";
            return Err(Error::shape("rows to align with", expected, n));
        }
        let width = self.likeness.width();
        let square = |parts: &[f64]| parts.iter().map(|s| s * s).sum::<f64>();
        let total = |parts: &[f64]| parts.iter().sum::<f64>();
        let loss = |sums: &[f64]| {
            let (real, imaginary) = sums.split_at(width);
            let all = match self.likeness {
                Likeness::Classes(_) => 2.0 * square(sums) - total(real).powi(2) - total(imaginary).powi(2),
                Likeness::Targets { .. } => square(sums),
            };
            0.5 * (1.0 - (all - self.diagonal) / (n * (n - 1.0)))
        };
        Ok(self.sums.chunks_exact(2 * width).map(loss).collect())
    }

    /// L̂ˡ of some atoms over the pairs of one landmark with all rows (L19 §4.1): ½(1 − Σⱼ λ(y, yⱼ) cos⟨ω, x − xⱼ⟩/n), from the
    /// cosines and sines of the landmark x of class y under atoms first, first + 1, …. A landmark that is one of the rows is not
    /// compared with itself.
    pub fn landmark(&self, first: usize, class: usize, own: bool, angles: &[(f64, f64)]) -> Vec<f64> {
        let width = self.likeness.width();
        let itself = if own { 1.0 } else { 0.0 };
        let loss = |(m, (cos, sin)): (usize, &(f64, f64))| {
            let (real, imaginary) = self.sums[(first + m) * 2 * width..][..2 * width].split_at(width);
            let towards = |parts: &[f64]| 2.0 * parts[class] - parts.iter().sum::<f64>();
            0.5 * (1.0 - (cos * towards(real) + sin * towards(imaginary) - itself) / (self.rows - itself))
        };
        angles.iter().enumerate().map(loss).collect()
    }
}
