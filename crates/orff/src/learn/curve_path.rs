//! Lengthscales and ridge of curves: the error of whole curves left out, at lengthscales of the inputs and of the argument
//! an octave apart. \[integral\]

use super::curve_rows::CurveRows;
use crate::error::Result;
use crate::linalg::cg;
use crate::rows::Inputs;
use crate::solve::{Scatter, Side, Tensor};
use crate::watch::Watch;
use faer::Mat;
use std::collections::BTreeMap;

/// Curves that are compared, and their points, at most.
const CURVES: usize = 600;
const POINTS: usize = 30_000;
/// The path of closed forms: λ of the first ridge, the ratio of neighbours, its length.
const PATH: (f64, f64, usize) = (1.0, 0.316_227_766_016_837_94, 21);
/// That of conjugate gradients, which is left where two ridges in a row were no better; how far each is solved.
const STEEP: (f64, f64, usize) = (1.0, 0.1, 9);
const PATIENCE: usize = 2;
const ROUGH: cg::Params = cg::Params { tol: 1e-4, max_iter: 60 };
const FOLDS: usize = 5;
/// Octaves about the first guess, at most.
const OCTAVES: i32 = 5;
/// Errors closer than this share are the same, and the earlier one is taken.
const ALIKE: f64 = 1e-3;
/// λ where nothing can be compared.
const UNKNOWN: f64 = 1e-3;

/// What is left open, and the first guesses.
pub(super) struct Open {
    /// Lengthscale of the inputs, and whether it is open.
    pub inputs: (f64, bool),
    /// That of the argument.
    pub argument: (f64, bool),
    /// Wλ, where the ridge is given.
    pub shift: Option<f64>,
}

/// What was chosen.
pub(super) struct Chosen {
    /// Lengthscales in scaled units.
    pub inputs: f64,
    pub argument: f64,
    /// Wλ.
    pub shift: f64,
    /// By which error; none where there was nothing to compare.
    pub reason: Option<String>,
}

/// Features of some inputs with a constant (n×(M+1)), or of arguments (L×M′), at a lengthscale.
pub(super) type OfInputs<'a> = &'a dyn Fn(f64, &Inputs) -> Result<Mat<f64>>;
pub(super) type OfArguments<'a> = &'a dyn Fn(f64) -> Result<Mat<f64>>;

struct Search<'a> {
    open: &'a Open,
    inputs: Inputs,
    points: Scatter,
    arguments: usize,
    path: Vec<f64>,
    x_at: OfInputs<'a>,
    t_at: OfArguments<'a>,
    x: BTreeMap<i32, Side>,
    t: BTreeMap<i32, Side>,
    scores: BTreeMap<(i32, i32), (f64, usize)>,
}

impl Search<'_> {
    fn lengthscales(&self, (x, t): (i32, i32)) -> (f64, f64) {
        (self.open.inputs.0 * libm::exp2(f64::from(x)), self.open.argument.0 * libm::exp2(f64::from(t)))
    }

    /// The smallest error along the path, and the place of its ridge.
    fn score(&mut self, at: (i32, i32), watch: &mut dyn Watch) -> Result<(f64, usize)> {
        if let Some(known) = self.scores.get(&at) {
            return Ok(*known);
        }
        let (x, t) = self.lengthscales(at);
        if !self.x.contains_key(&at.0) {
            let side = Side::new(&(self.x_at)(x, &self.inputs)?, &self.points.of_curves())?;
            self.x.insert(at.0, side);
        }
        if !self.t.contains_key(&at.1) {
            let side = Side::new(&(self.t_at)(t)?, &self.points.of_arguments(self.arguments))?;
            self.t.insert(at.1, side);
        }
        let tensor = Tensor { x: &self.x[&at.0], t: &self.t[&at.1], points: &self.points };
        let errors = match self.points.complete(self.arguments) {
            true => tensor.left_out(&self.path),
            false => folds(&tensor, &self.path, watch)?,
        };
        watch.advance(1)?;
        let mut best = (f64::INFINITY, 0);
        for (k, error) in errors.into_iter().enumerate() {
            if error < (1.0 - ALIKE) * best.0 {
                best = (error, k);
            }
        }
        self.scores.insert(at, best);
        Ok(best)
    }
}

/// The error of curves in folds left out, along a path that falls.
fn folds(tensor: &Tensor, path: &[f64], watch: &mut dyn Watch) -> Result<Vec<f64>> {
    let folds = FOLDS.min(tensor.points.curves());
    let mut starts: Vec<Option<Mat<f64>>> = vec![None; folds];
    let (mut errors, mut best, mut since): (Vec<f64>, f64, usize) = (Vec::new(), f64::INFINITY, 0);
    for shift in path {
        let mut sums = (0.0, 0.0);
        for (fold, start) in starts.iter_mut().enumerate() {
            let mut tell = |_: usize, _: f64| watch.advance(0);
            let (theta, _) = tensor.iterate(*shift, &|i| i % folds != fold, start.as_ref(), ROUGH, &mut tell)?;
            let (error, weight) = tensor.misfit(theta.as_ref(), &|i| i % folds == fold);
            sums = (sums.0 + error, sums.1 + weight);
            *start = Some(theta);
        }
        let error = sums.0 / sums.1;
        errors.push(error);
        since = if error < (1.0 - ALIKE) * best { 0 } else { since + 1 };
        best = best.min(error);
        if since >= PATIENCE {
            break;
        }
    }
    Ok(errors)
}

/// Chooses what is left open.
pub(super) fn choose(
    rows: &CurveRows,
    open: &Open,
    x_at: OfInputs,
    t_at: OfArguments,
    watch: &mut dyn Watch,
) -> Result<Chosen> {
    watch.stage("choose");
    let (n, total) = (rows.curves(), rows.total());
    let (inputs, argument) = (open.inputs.0, open.argument.0);
    let unknown = Chosen { inputs, argument, shift: open.shift.unwrap_or(UNKNOWN * total), reason: None };
    if n < 3 || (open.shift.is_some() && !open.inputs.1 && !open.argument.1) {
        return Ok(unknown);
    }
    let each = rows.points.at.len().div_ceil(n);
    let count = n.min(CURVES).min((POINTS / each).max(20));
    let some: Vec<usize> = (0..count).map(|i| i * n / count).collect();
    let points = rows.points.pick(&some);
    let complete = points.complete(rows.arguments.len());
    let (first, ratio, length) = if complete { PATH } else { STEEP };
    // what is compared on some curves is Wλ, so that it means the same for all of them
    let path = match open.shift {
        Some(shift) => vec![shift],
        None => (0..length).map(|k| first * total * libm::pow(ratio, k as f64)).collect(),
    };
    let inputs = rows.inputs.pick(&some);
    let arguments = rows.arguments.len();
    let (x, t, scores) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut search = Search { open, inputs, points, arguments, path, x_at, t_at, x, t, scores };
    let mut at = (0, 0);
    let mut best = search.score(at, watch)?;
    loop {
        let before = at;
        let steps = [((0, 1), open.argument.1), ((1, 0), open.inputs.1)];
        for (step, _) in steps.into_iter().filter(|(_, free)| *free) {
            for sign in [1, -1] {
                loop {
                    let next = (at.0 + sign * step.0, at.1 + sign * step.1);
                    if next.0.abs() > OCTAVES || next.1.abs() > OCTAVES {
                        break;
                    }
                    let score = search.score(next, watch)?;
                    if score.0 >= (1.0 - ALIKE) * best.0 {
                        break;
                    }
                    (at, best) = (next, score);
                }
            }
        }
        if at == before {
            break;
        }
    }
    if !best.0.is_finite() {
        return Ok(unknown);
    }
    let how =
        if complete { "left out one at a time".into() } else { format!("left out in {} folds", FOLDS.min(count)) };
    let reason = format!(
        "smallest error of curves {how} (mean square {:.4e} of scaled values; {count} of {n} curves, {} pairs of lengthscales)",
        best.0,
        search.scores.len()
    );
    let (inputs, argument) = search.lengthscales(at);
    Ok(Chosen { inputs, argument, shift: search.path[best.1], reason: Some(reason) })
}
