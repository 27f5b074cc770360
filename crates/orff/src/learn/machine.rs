//! Losses without a closed form over labelled rows under warped features: support vector machines and logistic
//! regression (LapRFSVM of I17). \[warp\] \[risk\]

use super::begin::Choices;
use super::judge::{Judge, Labelled};
use super::left_out::Folds;
use super::noise::Column;
use super::stage::Stage;
use super::warped::Solved;
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Basis, Design, Seen, Visit};
use crate::linalg;
use crate::loss::Loss;
use crate::model::Code;
use crate::rows::Weights;
use crate::solve::{minimise_risk, risk};
use crate::watch::Watch;
use faer::{Mat, MatRef};

/// Folds that choose the ridge, and rows above which one of them is enough.
const FOLDS: usize = 5;
const MANY: usize = 2000;
/// Ridges that are compared: powers of ten of the mean squared length of the features over the rows, the largest first.
const RIDGES: std::ops::RangeInclusive<i32> = -7..=0;
/// Relative duality gap of a fit that is only compared with others.
const ROUGH: f64 = 1e-3;
/// Passes of such a fit, at most.
const QUICK: usize = 300;
/// Scores closer than this are the same.
const SAME: f64 = 0.01;
/// Probes of the preconditioner, at most.
const PROBES: usize = 64;

/// Labelled rows and a loss of their classes.
pub(super) struct Machine<'a> {
    pub labelled: &'a Labelled,
    pub classes: &'a [usize],
    /// How outputs stand for them, and how many there are.
    pub code: (Code, usize),
    pub loss: &'a dyn Loss,
    /// Whether a constant is learned.
    pub offset: bool,
    pub stage: &'a Stage,
    pub seed: u64,
}

/// How a fit ends: table of warped features, offset, all unknowns for the next one, and a report.
struct End {
    table: Mat<f64>,
    offset: Vec<f64>,
    unknowns: Vec<f64>,
    report: risk::Report,
}

impl Machine<'_> {
    /// The minimiser at the given ridge, or at the best one.
    pub fn solve(
        &self,
        moment: &Mat<f64>,
        strength: f64,
        given: Option<f64>,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<Solved> {
        let Some(s2) = self.labelled.variance() else {
            return Err(Error::refused(
                "this loss with an output operator that is not the identity",
                "its directions would be warped each for itself; use the squared loss, or leave the operator out",
            ));
        };
        let factor = self.labelled.factor(moment, strength, s2)?;
        let half = factor.half_solve(self.labelled.features.as_ref())?; // M×l
        let l = half.ncols();
        let rows = Mat::from_fn(l, half.nrows(), |i, k| s2.sqrt() * half[(k, i)]);
        drop(half);
        let (ridge, held_out) = self.ridge(&rows, given, choices, watch)?;
        let (all, usual): (Vec<usize>, _) = ((0..l).collect(), risk::Params::default());
        let End { table, offset, report, .. } =
            self.fit(&rows, &all, ridge, (usual.gap, usual.max_passes), None, watch)?;
        choices.say(watch, format!("solved by {}", report.how()));
        // back to the coordinates of the characters, and to scaled outputs
        let mut table = faer::Scale(s2.sqrt()) * factor.half_solve_transposed(table.as_ref())?;
        let (means, scales) = (&self.stage.means, &self.stage.scales);
        for t in 0..table.ncols() {
            (0..table.nrows()).for_each(|m| table[(m, t)] *= self.labelled.amplitudes[m] / scales[t]);
        }
        let columns = (0..offset.len()).map(|t| Column::of((offset[t] - means[t]) / scales[t])).collect();
        let scaled = |f: &Mat<f64>| Mat::from_fn(f.nrows(), f.ncols(), |i, t| (f[(i, t)] - means[t]) / scales[t]);
        let held_out = Some((held_out.0, scaled(&held_out.1)));
        Ok(Solved { table, columns, squared: None, ridge, path: Vec::new(), iterations: report.iterations, held_out })
    }

    /// The largest ridge with the fewest missed labels, and what rows were predicted to be by others at it.
    fn ridge(
        &self,
        rows: &Mat<f64>,
        given: Option<f64>,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<(f64, (Vec<usize>, Mat<f64>))> {
        let l = rows.nrows();
        let folds = Folds::split(self.classes, self.seed, FOLDS.min(l));
        let used: Vec<&[usize]> = folds.iter().take(if l > MANY { 1 } else { FOLDS }).collect();
        let held: Vec<usize> = used.iter().flat_map(|fold| fold.iter().copied()).collect();
        let unit = rows.squared_norm_l2() / (l * l) as f64;
        let ridges = match given {
            Some(ridge) => vec![ridge],
            None => RIDGES.rev().map(|k| unit * libm::pow(10.0, f64::from(k))).collect(),
        };
        let mut predicted: Vec<Mat<f64>> = vec![Mat::zeros(held.len(), self.labelled.outputs.ncols()); ridges.len()];
        let mut at = 0;
        for fold in used {
            let mut out = vec![false; l];
            fold.iter().for_each(|&i| out[i] = true);
            let others: Vec<usize> = (0..l).filter(|&i| !out[i]).collect();
            let mut start: Option<Vec<f64>> = None;
            for (ridge, predicted) in ridges.iter().zip(&mut predicted) {
                let end = self.fit(rows, &others, *ridge, (ROUGH, QUICK), start.as_deref(), watch)?;
                let own = Mat::from_fn(fold.len(), rows.ncols(), |a, k| rows[(fold[a], k)]);
                let f = linalg::product(own.as_ref(), end.table.as_ref());
                for t in 0..f.ncols() {
                    (0..fold.len()).for_each(|a| predicted[(at + a, t)] = f[(a, t)] + end.offset[t]);
                }
                start = Some(end.unknowns);
            }
            at += fold.len();
        }
        let classes: Vec<usize> = held.iter().map(|&i| self.classes[i]).collect();
        let (code, count) = self.code;
        let judge = Judge::Classes { code, count, classes: &classes };
        let y = code.targets(&classes, count);
        let weights: Vec<f64> = held.iter().map(|&i| self.labelled.weights[i]).collect();
        let scores: Vec<f64> = predicted.iter().map(|f| judge.score(f, &y, &weights)).collect();
        // of ridges that are as good, the largest: labels can be separated by ever smaller ones, at ever more passes
        let best = (1..scores.len()).fold(0, |best, k| if scores[k] < scores[best] - SAME { k } else { best });
        if given.is_none() {
            let by = format!("{} ({}), five folds", judge.named(), judge.said(&predicted[best], &y, &weights));
            choices.say(watch, format!("ridge of this loss {:.3e}: {by}", ridges[best]));
        }
        Ok((ridges[best], (held, predicted.swap_remove(best))))
    }

    /// The minimiser over some rows.
    fn fit(
        &self,
        rows: &Mat<f64>,
        some: &[usize],
        ridge: f64,
        (gap, max_passes): (f64, usize),
        start: Option<&[f64]>,
        watch: &mut dyn Watch,
    ) -> Result<End> {
        let every = some.len() == rows.nrows();
        let of: Vec<usize> = some.iter().map(|&i| self.classes[i]).collect();
        let design = Kept {
            features: if every {
                None
            } else {
                Some(Mat::from_fn(some.len(), rows.ncols(), |i, k| rows[(some[i], k)]))
            },
            all: rows,
            targets: match self.loss.nature().by_output {
                true => self.code.0.targets(&of, self.code.1),
                false => Mat::from_fn(of.len(), 1, |i, _| of[i] as f64),
            },
            weights: some.iter().map(|&i| self.labelled.weights[i]).collect(),
            basis: Apart::new(rows.ncols(), self.outputs()),
        };
        let rank = PROBES.min(some.len()).min(rows.ncols());
        let params = risk::Params { ridge, offset: self.offset, gap, rank, max_passes, ..risk::Params::default() };
        let start = risk::Start { unknowns: start, preconditioner: None };
        let found = minimise_risk(&design, self.loss, params, start, watch)?;
        let mut unknowns = found.theta;
        if self.offset {
            unknowns.extend(&found.offset);
        }
        Ok(End { table: found.table, offset: found.offset, unknowns, report: found.report })
    }

    fn outputs(&self) -> usize {
        self.labelled.outputs.ncols()
    }
}

/// Rows whose features are in memory.
struct Kept<'a> {
    /// Some of the rows; none for all.
    features: Option<Mat<f64>>,
    all: &'a Mat<f64>,
    /// What the loss compares with: codes (n×p), or the number of each row's class (n×1).
    targets: Mat<f64>,
    weights: Vec<f64>,
    basis: Apart,
}

impl Design for Kept<'_> {
    fn basis(&self) -> &dyn Basis {
        &self.basis
    }

    fn pass(&self, watch: &mut dyn Watch, visit: Visit) -> Result<()> {
        let features = self.features.as_ref().unwrap_or(self.all);
        for first in (0..features.nrows()).step_by(BLOCK_ROWS) {
            let n = BLOCK_ROWS.min(features.nrows() - first);
            let weights = Weights::Row(self.weights[first..first + n].to_vec());
            let (characters, outputs) = (features.subrows(first, n), self.targets.subrows(first, n));
            visit(&Seen { first, characters, outputs, weights: Some(&weights) })?;
            watch.advance(0)?;
        }
        Ok(())
    }
}

/// Features of scalar functions, one for each output.
pub(super) struct Apart {
    characters: usize,
    identity: Mat<f64>,
}

impl Apart {
    /// So many features and outputs.
    pub fn new(characters: usize, outputs: usize) -> Self {
        Apart { characters, identity: Mat::identity(outputs, outputs) }
    }
}

impl Basis for Apart {
    fn shape(&self) -> (usize, usize) {
        (self.characters, self.identity.nrows())
    }

    fn shared(&self) -> Option<(&Mat<f64>, Vec<f64>)> {
        Some((&self.identity, vec![1.0; self.characters]))
    }

    fn stacked(&self) -> (Mat<f64>, Vec<usize>) {
        let p = self.identity.nrows();
        let unknowns = self.characters * p;
        (Mat::from_fn(unknowns, p, |k, t| self.identity[(k % p, t)]), (0..unknowns).map(|k| k / p).collect())
    }

    fn lift(&self, theta: &[f64]) -> Mat<f64> {
        let p = self.identity.nrows();
        Mat::from_fn(self.characters, p, |m, t| theta[m * p + t])
    }

    fn lower(&self, g: MatRef<f64>) -> Vec<f64> {
        let p = self.identity.nrows();
        (0..self.characters * p).map(|k| g[(k / p, k % p)]).collect()
    }
}
