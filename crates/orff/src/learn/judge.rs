//! Labelled rows under warped features: what they are predicted to be without their own outputs, and how good that is.
//! \[left-out\]

use super::Offset;
use super::left_out::{Dual, Folds};
use crate::error::{Error, Result};
use crate::feature::Basis;
use crate::linalg::{self, Cholesky};
use crate::model::Code;
use crate::solve::directions;
use faer::Mat;

/// Ridges that are compared, half powers of ten from 10⁻¹⁰ to 10 of the largest eigenvalue: below, rounding decides.
const RIDGES: usize = 23;

/// How predictions are judged.
pub(super) enum Judge<'a> {
    /// By their mean squared error.
    Squares,
    /// By the class each row is taken for.
    Classes {
        code: Code,
        /// Number of classes.
        count: usize,
        /// Of each row.
        classes: &'a [usize],
    },
}

impl Judge<'_> {
    /// The score of predictions f for outputs y (l×p), the smaller the better; infinite where some are not finite.
    ///
    /// Of classes it is the share that is missed, and where that does not differ, 1 − r² with the correlation r of
    /// predictions and codes about zero: a function that is small far from labels may be right everywhere.
    pub fn score(&self, f: &Mat<f64>, y: &Mat<f64>, weights: &[f64]) -> f64 {
        if !linalg::is_finite(f.as_ref()) {
            return f64::INFINITY;
        }
        let (l, p) = y.shape();
        let total: f64 = weights.iter().sum();
        let sum = |of: &dyn Fn(usize, usize) -> f64| -> f64 {
            (0..l).map(|i| weights[i] * (0..p).map(|t| of(i, t)).sum::<f64>()).sum::<f64>() / total
        };
        match self {
            Judge::Squares => sum(&|i, t| (f[(i, t)] - y[(i, t)]) * (f[(i, t)] - y[(i, t)])),
            Judge::Classes { code, classes, .. } => {
                let missed: f64 =
                    (0..l).filter(|&i| best(&self.scores(f, i)) != classes[i]).map(|i| weights[i]).sum();
                // what the outputs of all classes have in common tells nothing
                let common = |m: &Mat<f64>, i: usize| match code {
                    Code::Simplex => 0.0,
                    Code::OneVsRest => m.row(i).iter().sum::<f64>() / p as f64,
                };
                let (of_f, of_y): (Vec<f64>, Vec<f64>) = (0..l).map(|i| (common(f, i), common(y, i))).unzip();
                let (ff, fy, yy) = (
                    sum(&|i, t| (f[(i, t)] - of_f[i]) * (f[(i, t)] - of_f[i])),
                    sum(&|i, t| (f[(i, t)] - of_f[i]) * (y[(i, t)] - of_y[i])),
                    sum(&|i, t| (y[(i, t)] - of_y[i]) * (y[(i, t)] - of_y[i])),
                );
                let alike = if ff > 0.0 && fy > 0.0 { fy * fy / (ff * yy) } else { 0.0 };
                missed / total + TIE * (1.0 - alike)
            }
        }
    }

    /// Scores of the classes of row i, none without classes.
    fn scores(&self, f: &Mat<f64>, i: usize) -> Vec<f64> {
        let Judge::Classes { code, count, .. } = self else { return Vec::new() };
        let point: Vec<f64> = f.row(i).iter().copied().collect();
        let mut scores = vec![0.0; *count];
        code.scores(&point, &mut scores);
        scores
    }

    /// How good predictions are, in words.
    pub fn said(&self, f: &Mat<f64>, y: &Mat<f64>, weights: &[f64]) -> String {
        match self {
            Judge::Squares => format!("{:.4} in scaled outputs", self.score(f, y, weights)),
            Judge::Classes { classes, .. } => {
                let missed = (0..f.nrows()).filter(|&i| best(&self.scores(f, i)) != classes[i]).count();
                format!("{missed} of {}", f.nrows())
            }
        }
    }

    /// In words.
    pub fn named(&self) -> &'static str {
        match self {
            Judge::Squares => "smallest squared error",
            Judge::Classes { .. } => "fewest labels missed",
        }
    }
}

/// The class with the largest score; the first of equals.
fn best(scores: &[f64]) -> usize {
    (1..scores.len()).fold(0, |best, c| if scores[c] > scores[best] { c } else { best })
}

/// How much 1 − r² counts beside the share of classes missed.
const TIE: f64 = 0.5;

/// Labelled rows through the features of a map whose outputs are one operator's.
pub(super) struct Labelled {
    /// Amplitudes times characters (M×l).
    pub features: Mat<f64>,
    /// Outputs in scaled units (l×p), complete.
    pub outputs: Mat<f64>,
    pub weights: Vec<f64>,
    pub folds: Folds,
    pub offset: Offset,
    /// Of the characters (M).
    pub amplitudes: Vec<f64>,
    /// Directions of the outputs (p×r) and their variances.
    directions: Mat<f64>,
    variances: Vec<f64>,
}

impl Labelled {
    /// Rows with characters (l×M) of a basis; none where the kernel does not split.
    pub fn new(
        basis: &dyn Basis,
        characters: &Mat<f64>,
        outputs: Mat<f64>,
        weights: Vec<f64>,
        folds: Folds,
        offset: Offset,
    ) -> Result<Option<Self>> {
        let Some((b, amplitudes)) = basis.shared() else { return Ok(None) };
        let (directions, variances) = directions(b)?;
        let (l, m) = characters.shape();
        let features = Mat::from_fn(m, l, |k, i| amplitudes[k] * characters[(i, k)]);
        Ok(Some(Labelled { features, outputs, weights, folds, offset, amplitudes, directions, variances }))
    }

    /// The one variance of all directions, where they share it and leave no output out.
    pub fn variance(&self) -> Option<f64> {
        let first = *self.variances.first()?;
        let alike = self.variances.iter().all(|s2| (s2 - first).abs() <= 1e-13 * first);
        (alike && self.variances.len() == self.outputs.ncols()).then_some(first)
    }

    /// F with FFᵀ = I + αs²P, P the penalty's moment (M×M) times the amplitudes.
    pub fn factor(&self, moment: &Mat<f64>, strength: f64, variance: f64) -> Result<Cholesky> {
        let a = &self.amplitudes;
        let times = strength * variance;
        let mut matrix = Mat::from_fn(a.len(), a.len(), |i, j| times * a[i] * a[j] * moment[(i, j)]);
        (0..a.len()).for_each(|i| matrix[(i, i)] += 1.0);
        Cholesky::in_place(matrix).map_err(|_| {
            Error::numerical("warp", format!("the penalty of strength {strength:.1e} is lost to rounding; lower it"))
        })
    }

    /// The rows under features warped with a strength. Cost M³/3 + M²l + l³ for each distinct variance.
    pub fn warped(&self, moment: &Mat<f64>, strength: f64) -> Result<Validated<'_>> {
        let (mut kinds, mut of): (Vec<(f64, Dual)>, Vec<usize>) = Default::default();
        for &s2 in &self.variances {
            let at = match kinds.iter().position(|(other, _)| (s2 - other).abs() <= 1e-13 * s2) {
                Some(at) => at,
                None => {
                    let half = self.factor(moment, strength, s2)?.half_solve(self.features.as_ref())?;
                    kinds.push((s2, Dual::new(&(faer::Scale(s2.sqrt()) * half), &self.weights)?));
                    kinds.len() - 1
                }
            };
            of.push(at);
        }
        Ok(Validated { rows: self, duals: kinds.into_iter().map(|(_, dual)| dual).collect(), of })
    }
}

/// Labelled rows at one strength, ready for any ridge.
pub(super) struct Validated<'a> {
    rows: &'a Labelled,
    duals: Vec<Dual>,
    /// The dual of each direction.
    of: Vec<usize>,
}

impl Validated<'_> {
    /// Predictions of every row by the others, at one ridge (l×p).
    pub fn held_out(&self, ridge: f64) -> Mat<f64> {
        let Labelled { outputs: y, directions: u, folds, offset, .. } = self.rows;
        let along = linalg::product(y.as_ref(), u.as_ref()); // l×r
        let mut found = Mat::zeros(along.nrows(), along.ncols());
        for (d, dual) in self.duals.iter().enumerate() {
            let members: Vec<usize> = (0..along.ncols()).filter(|&k| self.of[k] == d).collect();
            let some = Mat::from_fn(along.nrows(), members.len(), |i, j| along[(i, members[j])]);
            let held = dual.held_out(ridge, &some, folds, *offset);
            for (j, &k) in members.iter().enumerate() {
                found.col_mut(k).copy_from(held.col(j));
            }
        }
        let mut out = linalg::product(found.as_ref(), u.transpose());
        if u.ncols() < u.nrows() && *offset != Offset::None {
            // of what the kernel cannot express the mean is all there is
            for (fold, mean) in folds.iter().zip(folds.means(y, &self.rows.weights)) {
                let inside: Vec<f64> =
                    (0..u.ncols()).map(|k| (0..u.nrows()).map(|t| u[(t, k)] * mean[t]).sum()).collect();
                for &i in fold {
                    for t in 0..u.nrows() {
                        out[(i, t)] += mean[t] - (0..u.ncols()).map(|k| u[(t, k)] * inside[k]).sum::<f64>();
                    }
                }
            }
        }
        out
    }

    /// The score at one ridge.
    pub fn score(&self, ridge: f64, judge: &Judge) -> f64 {
        judge.score(&self.held_out(ridge), &self.rows.outputs, &self.rows.weights)
    }

    /// How good the predictions at one ridge are, in words.
    pub fn said(&self, ridge: f64, judge: &Judge) -> String {
        judge.said(&self.held_out(ridge), &self.rows.outputs, &self.rows.weights)
    }

    /// The best ridge of a grid and its score; of equals the largest.
    pub fn best(&self, judge: &Judge) -> (f64, f64) {
        let top = self.duals.iter().map(Dual::top).fold(0.0, f64::max);
        let top = if top > 0.0 { top } else { 1.0 };
        let ridges = (0..RIDGES).map(|k| top * libm::pow(10.0, 1.0 - 0.5 * k as f64));
        let mut best = (top, f64::INFINITY);
        for ridge in ridges {
            let score = self.score(ridge, judge);
            if score < best.1 {
                best = (ridge, score);
            }
        }
        best
    }
}
