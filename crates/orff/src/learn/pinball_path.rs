//! Lengthscale and ridge of quantiles: the pinball loss of rows held out, along a path of ridges that falls, at lengthscales
//! an octave apart. \[quantiles\]

use crate::error::Result;
use crate::feature::{Characters, FeatureMap};
use crate::linalg;
use crate::rows::Inputs;
use crate::solve::Reduced;
use crate::solve::quantiles::{LevelLoss, Params, State, minimise};
use crate::watch::{Silent, Watch};
use faer::Mat;
use rayon::prelude::*;

/// Rows that are compared, at most, and folds of few and of many.
const ROWS: usize = 600;
const FOLDS: [usize; 2] = [5, 3];
const FEW: usize = 300;
/// The path: its first ridge, the ratio of neighbours, its length; it is left where two ridges in a row were no better.
const PATH: (f64, f64, usize) = (0.2, 0.2, 13);
const PATIENCE: usize = 2;
/// How far each problem is solved: its gap, and its steps.
const ROUGH: (f64, usize) = (1e-2, 60);
/// Octaves about the median distance, at most.
const OCTAVES: i32 = 5;
/// Losses closer than this share are the same, and the earlier one is taken.
const ALIKE: f64 = 1e-3;
/// A ridge where nothing can be compared.
const UNKNOWN: f64 = 1e-3;

/// Rows in scaled units, of which quantiles are to be learned.
pub(super) struct Scaled<'a> {
    /// In the kernel's coordinates.
    pub inputs: &'a Inputs,
    /// n×p, NaN where not observed.
    pub outputs: &'a Mat<f64>,
    /// n×p, 0 where not observed.
    pub weights: &'a Mat<f64>,
}

/// What was chosen.
pub(super) struct Chosen {
    /// The kernel's lengthscale in scaled inputs.
    pub lengthscale: f64,
    /// Wλ.
    pub shift: f64,
    /// The loss of rows held out, its folds and rows; none where there were too few.
    pub reason: Option<String>,
}

/// The features of a map, times their amplitudes (n×M).
pub(super) fn features(map: &FeatureMap, inputs: &Inputs) -> Mat<f64> {
    let mut characters = Characters::new(map.characters());
    map.fill(inputs, &mut characters);
    let mut out = characters.as_mat().to_owned();
    for (amplitude, column) in map.amplitudes().iter().zip(out.as_mut().col_iter_mut()) {
        column.iter_mut().for_each(|v| *v *= amplitude);
    }
    out
}

/// One output without one fold, and the fold.
struct Part {
    space: Reduced,
    y: Vec<f64>,
    w: Vec<f64>,
    /// The fold: features along the directions of the others (h×r), outputs, weights.
    held: (Mat<f64>, Vec<f64>, Vec<f64>),
    state: Option<State>,
}

impl Part {
    fn new(features: &Mat<f64>, rows: &Scaled, t: usize, own: &[usize], fold: &[usize], floor: f64) -> Result<Self> {
        let m = features.ncols();
        let column = |of: &Mat<f64>, rows: &[usize]| rows.iter().map(|&i| of[(i, t)]).collect::<Vec<f64>>();
        let w = column(rows.weights, own);
        let some = |from: usize, to: usize| Ok(Mat::from_fn(to - from, m, |i, k| features[(own[from + i], k)]));
        let space = Reduced::new(&some, (own.len(), m), &w, floor * w.iter().sum::<f64>().recip())?;
        let held = Mat::from_fn(fold.len(), m, |i, k| features[(fold[i], k)] - space.means[k]);
        let held = linalg::product(held.as_ref(), space.directions.as_ref());
        let held = (held, column(rows.outputs, fold), column(rows.weights, fold));
        Ok(Part { space, y: column(rows.outputs, own), w, held, state: None })
    }

    /// The loss of the fold, and its weight.
    fn loss(&mut self, loss: &LevelLoss, shift: f64) -> Result<(f64, f64)> {
        let ridge = shift / self.w.iter().sum::<f64>();
        let params = Params { ridge, gap: ROUGH.0, least: 0.0, iterations: ROUGH.1 };
        let found = minimise(&mut self.space, loss, &self.y, &self.w, params, self.state.take(), &mut Silent)?;
        let f = linalg::product(self.held.0.as_ref(), found.coefficients.as_ref());
        let mut sum = 0.0;
        for i in 0..f.nrows() {
            let g: Vec<f64> = (0..f.ncols()).map(|j| f[(i, j)] + found.constants[j]).collect();
            sum += self.held.2[i] * loss.value(&g, self.held.1[i]);
        }
        self.state = Some(found.state);
        Ok((sum, self.held.2.iter().sum()))
    }
}

/// Chooses what is left open: a lengthscale in octaves of the median distance, Wλ along the path.
pub(super) fn choose(
    rows: &Scaled,
    loss: &LevelLoss,
    map_at: &dyn Fn(f64) -> Result<FeatureMap>,
    (median, open): (f64, bool),
    given: Option<f64>,
    watch: &mut dyn Watch,
) -> Result<Chosen> {
    watch.stage("choose");
    let (n, p) = rows.outputs.shape();
    let total: f64 = (0..n).map(|i| rows.weights[(i, 0)]).sum();
    let unknown = Chosen { lengthscale: median, shift: given.unwrap_or(UNKNOWN * total), reason: None };
    let some: Vec<usize> = (0..n.min(ROWS)).map(|i| i * n / n.min(ROWS)).collect();
    let folds = if some.len() <= FEW { FOLDS[0] } else { FOLDS[1] };
    if some.len() < 2 * folds || (given.is_some() && !open) {
        return Ok(unknown);
    }
    let inputs = rows.inputs.pick(&some);
    let picked = |of: &Mat<f64>| Mat::from_fn(some.len(), p, |i, t| of[(some[i], t)]);
    let (outputs, weights) = (picked(rows.outputs), picked(rows.weights));
    let small = Scaled { inputs: &inputs, outputs: &outputs, weights: &weights };
    // what is compared on some rows is Wλ, so that it means the same for all of them
    let path: Vec<f64> = match given {
        Some(shift) => vec![shift],
        None => (0..PATH.2).map(|k| PATH.0 * total * libm::pow(PATH.1, k as f64)).collect(),
    };
    let mut best: Option<(f64, f64, usize)> = None;
    let (mut tried, mut direction) = (0, 0);
    let mut octave: i32 = 0;
    loop {
        let lengthscale = if open { median * libm::exp2(f64::from(octave)) } else { median };
        let features = features(&map_at(lengthscale)?, small.inputs);
        let floor = 1e-2 * path.last().copied().unwrap_or(1.0);
        let mut parts = Vec::new();
        for t in 0..p {
            for k in 0..folds {
                let seen = |fold: bool| move |&i: &usize| (i % folds == k) == fold;
                let counts = |i: &usize| small.weights[(*i, t)] > 0.0;
                let own: Vec<usize> = (0..some.len()).filter(seen(false)).filter(counts).collect();
                let fold: Vec<usize> = (0..some.len()).filter(seen(true)).filter(counts).collect();
                if own.len() > 1 && !fold.is_empty() {
                    parts.push((t, own, fold));
                }
            }
        }
        let parts: Result<Vec<Part>> =
            parts.into_par_iter().map(|(t, own, fold)| Part::new(&features, &small, t, &own, &fold, floor)).collect();
        let mut parts = parts?;
        if parts.is_empty() {
            return Ok(unknown);
        }
        // at other lengthscales ridges near the best one are enough
        let from = best.map_or(0, |best: (f64, f64, usize)| best.2.saturating_sub(2));
        let (mut here, mut since): (Option<(f64, usize)>, usize) = (None, 0);
        for (k, shift) in path.iter().enumerate().skip(from) {
            let found: Result<Vec<(f64, f64)>> = parts.par_iter_mut().map(|part| part.loss(loss, *shift)).collect();
            let (sum, weight) = found?.into_iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
            watch.advance(1)?;
            tried += 1;
            let score = sum / weight;
            if here.is_none_or(|here| score < (1.0 - ALIKE) * here.0) {
                here = Some((score, k));
                since = 0;
            } else {
                since += 1;
            }
            if since >= PATIENCE {
                break;
            }
        }
        let better = match (here, best) {
            (Some(here), Some(best)) => here.0 < (1.0 - ALIKE) * best.0,
            _ => true,
        };
        if let (true, Some(here)) = (better, here) {
            best = Some((here.0, lengthscale, here.1));
        }
        if !open {
            break;
        }
        // longer ones first, as long as they are better, then shorter ones
        (direction, octave) = match (direction, better) {
            (0, _) => (1, 1),
            (1, false) if octave == 1 => (-1, -1),
            (_, true) if octave.abs() < OCTAVES => (direction, octave + direction),
            _ => break,
        };
    }
    let Some((score, lengthscale, k)) = best else { return Ok(unknown) };
    let reason = format!(
        "smallest pinball loss ({score:.4} of scaled outputs) in {folds} folds of {} rows, {tried} fits",
        some.len()
    );
    Ok(Chosen { lengthscale, shift: path[k], reason: Some(reason) })
}
