//! Probabilities from scores: two numbers, fitted to rows that were predicted by models that had not learned from them.
//! \[calibration\]

use super::coded::Coded;
use super::sample::SAMPLE_ROWS;
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Characters};
use crate::loss::Simplex;
use crate::model::{Calibration, Linear, Query};
use crate::random::Stream;
use crate::rows::{Batch, Rows, Weights};
use crate::watch::Watch;
use faer::prelude::Solve;
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// Share of the rows held out, at most.
const SHARE: f64 = 0.1;
/// Numbers to look at (rows times classes), at most, unless that leaves less than a thousand rows.
const MOST: usize = 1_000_000;
/// Widths that are tried, from 10⁻³ to 10.
const WIDTHS: usize = 25;
/// Mean log losses closer than this are the same.
const ALIKE: f64 = 1e-6;
/// Rows of a sum; sums of these are added in order.
const CHUNK: usize = 256;
const HELD_OUT: u64 = 0x6865_6c64_206f_7574;

/// Calibrates by closed-form leave-one-out predictions of sampled rows, whose outputs are the numbers of classes.
/// Cost n·K². \[loo\]
pub(super) fn leave_one_out(
    model: &Linear,
    coded: &Coded,
    sample: Batch,
    watch: &mut dyn Watch,
) -> Result<Calibration> {
    watch.stage("calibrate");
    let n = sample.inputs.nrows().min((MOST / coded.code.classes()).max(1000));
    let mut judged = Judged::new(coded.code);
    for from in (0..n).step_by(BLOCK_ROWS) {
        let block = coded.batch(sample.slice(from, (from + BLOCK_ROWS).min(n)))?;
        let f = left_out(model, &block, &coded.left(&block))?;
        judged.add(f.as_ref(), &block, &coded.classes_of(&block));
        watch.advance(block.inputs.nrows() as u64)?;
    }
    judged.calibrate(watch)
}

/// What the model without each row predicts there (n×p): y − (I − wH)⁻¹(y − f), H the leverage of the row and w the part
/// of its weight that is left out.
fn left_out(model: &Linear, rows: &Batch, left: &[f64]) -> Result<Mat<f64>> {
    let Some(posterior) = model.posterior.get()? else {
        return Err(Error::numerical("calibration", "the solution has no leverages; give a ridge > 0"));
    };
    let f = model.predict(&rows.inputs, Query::default())?.mean;
    let (y, p) = (&rows.outputs, model.outputs());
    let mut characters = Characters::new(model.map.characters());
    model.map.fill(&model.preparation.prepare(&rows.inputs, 1)?, &mut characters);
    // with one spread along every direction the leverage is a number
    let alike = posterior.spreads.len() == p
        && posterior.spreads.windows(2).all(|pair| pair[0].group == pair[1].group && pair[0].scale == pair[1].scale);
    if alike {
        let leverage = posterior.variance(&model.map, characters.as_mat());
        let stays = |i: usize| (1.0 - left[i] * leverage[(i, 0)]).max(f64::EPSILON);
        return Ok(Mat::from_fn(y.nrows(), p, |i, t| y[(i, t)] - (y[(i, t)] - f[(i, t)]) / stays(i)));
    }
    let leverages = posterior.covariance(&model.map, characters.as_mat());
    let mut out = Mat::zeros(y.nrows(), p);
    for (i, h) in leverages.iter().enumerate() {
        let stays = Mat::<f64>::identity(p, p) - faer::Scale(left[i]) * h;
        let residual = Mat::from_fn(p, 1, |t, _| y[(i, t)] - f[(i, t)]);
        let error = stays.partial_piv_lu().solve(&residual);
        (0..p).for_each(|t| out[(i, t)] = y[(i, t)] - error[(t, 0)]);
    }
    Ok(out)
}

/// Rows that are held out of a first solution, by their number.
pub(super) struct Held<'a> {
    rows: &'a Coded<'a>,
    seed: u64,
    share: f64,
    inside: bool,
}

impl<'a> Held<'a> {
    /// At most a tenth of the rows, and not many more than can be used.
    pub fn new(rows: &'a Coded<'a>, seed: u64, total: Option<usize>) -> Self {
        let useful = SAMPLE_ROWS.min((MOST / rows.code.classes()).max(1000));
        let share = total.map_or(SHARE, |n| useful as f64 / n as f64).min(SHARE);
        Held { rows, seed, share, inside: true }
    }

    /// The other rows.
    pub fn rest(&self) -> Self {
        Held { inside: false, ..*self }
    }

    /// Calibrates by the predictions of a model that has learned from the other rows.
    pub fn calibrate(&self, model: &Linear, coded: &Coded, watch: &mut dyn Watch) -> Result<Calibration> {
        watch.stage("calibrate");
        let mut judged = Judged::new(coded.code);
        for batch in self.batches()? {
            let batch = batch?;
            let f = model.predict(&batch.inputs, Query::default())?.mean;
            judged.add(f.as_ref(), &batch, &coded.classes_of(&batch));
            watch.advance(batch.inputs.nrows() as u64)?;
        }
        judged.calibrate(watch)
    }
}

impl Rows for Held<'_> {
    fn inputs(&self) -> usize {
        self.rows.inputs()
    }

    fn outputs(&self) -> usize {
        self.rows.outputs()
    }

    fn batches(&self) -> Result<Box<dyn Iterator<Item = Result<Batch>> + '_>> {
        let mut first = 0;
        Ok(Box::new(self.rows.batches()?.map(move |batch| {
            let batch = batch?;
            let n = batch.inputs.nrows();
            let held = |i: &usize| {
                let draw = Stream::new(self.seed, HELD_OUT, (first + i) as u64).uniform();
                (draw < self.share) == self.inside
            };
            let kept: Vec<usize> = (0..n).filter(held).collect();
            first += n;
            let weights = match &batch.weights {
                Some(Weights::Row(w)) => Some(Weights::Row(kept.iter().map(|&i| w[i]).collect())),
                _ => None,
            };
            let outputs = Mat::from_fn(kept.len(), batch.outputs.ncols(), |i, t| batch.outputs[(kept[i], t)]);
            Ok(Batch { inputs: batch.inputs.pick(&kept), outputs, weights })
        })))
    }

    fn single(&self) -> bool {
        self.rows.single()
    }
}

/// Scores of rows, by models that had not learned from them, with the classes of the rows.
struct Judged {
    code: Simplex,
    /// n×T, row after row.
    scores: Vec<f64>,
    class: Vec<usize>,
    weight: Vec<f64>,
}

impl Judged {
    fn new(code: Simplex) -> Self {
        Judged { code, scores: Vec::new(), class: Vec::new(), weight: Vec::new() }
    }

    /// Adds predictions f (n×T−1) of rows of these classes.
    fn add(&mut self, f: MatRef<f64>, rows: &Batch, classes: &[usize]) {
        let mut scores = vec![0.0; self.code.classes()];
        for i in 0..f.nrows() {
            let weight = match &rows.weights {
                Some(Weights::Row(w)) => w[i],
                _ => 1.0,
            };
            let f: Vec<f64> = f.row(i).iter().copied().collect();
            if weight > 0.0 && f.iter().all(|v| v.is_finite()) {
                self.code.scores(&f, &mut scores);
                self.scores.extend(&scores);
                self.class.push(classes[i]);
                self.weight.push(weight);
            }
        }
    }

    /// The two numbers with the smallest mean log loss: a grid of widths, Newton's method in the sharpness, in which the
    /// loss is convex.
    fn calibrate(&self, watch: &mut dyn Watch) -> Result<Calibration> {
        let rows = self.class.len();
        if rows == 0 {
            return Err(Error::numerical(
                "calibration",
                "no row has a finite leave-one-out prediction; raise the ridge",
            ));
        }
        let mut found = Vec::new();
        for k in 0..WIDTHS {
            let width = libm::pow(10.0, -3.0 + 4.0 * k as f64 / (WIDTHS - 1) as f64);
            let (sharpness, loss) = self.sharpest(width);
            found.push((Calibration { width, sharpness, rows }, loss));
            watch.advance(0)?;
        }
        // of widths that are as good, the smallest: the others differ by rounding
        let least = found.iter().map(|f| f.1).fold(f64::INFINITY, f64::min);
        let good = found.into_iter().find(|f| f.1 <= least + ALIKE);
        good.map(|f| f.0).ok_or_else(|| Error::numerical("calibration", "no width gives a finite loss"))
    }

    /// The best sharpness for a width, and the loss there.
    fn sharpest(&self, width: f64) -> (f64, f64) {
        let (t, unit) = (self.code.classes(), Calibration { width, sharpness: 1.0, rows: 0 });
        let logs: Vec<f64> = self.scores.par_iter().map(|s| unit.log_share(*s, t)).collect();
        let total: f64 = self.weight.iter().sum();
        // as if a share of one row more had any other class: certainty is never reached (Platt 2000)
        let other = 1.0 / (total + 2.0);
        let target = |logs: &[f64], class: usize| {
            let others = (logs.iter().sum::<f64>() - logs[class]) / (t - 1) as f64;
            (1.0 - other) * logs[class] + other * others
        };
        // mean loss, its slope and curvature in the sharpness
        let at = |a: f64| -> [f64; 3] {
            let parts: Vec<[f64; 3]> = (logs.par_chunks(CHUNK * t).enumerate())
                .map(|(chunk, logs)| {
                    let mut sums = [0.0; 3];
                    for (i, logs) in logs.chunks(t).enumerate() {
                        let row = chunk * CHUNK + i;
                        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                        let (mut norm, mut mean, mut square) = (0.0, 0.0, 0.0);
                        for l in logs {
                            let p = libm::exp(a * (l - most));
                            norm += p;
                            mean += p * (l - most);
                            square += p * (l - most) * (l - most);
                        }
                        let (mean, square) = (mean / norm, square / norm);
                        let target = target(logs, self.class[row]) - most;
                        let w = self.weight[row] / total;
                        sums[0] += w * (libm::log(norm) - a * target);
                        sums[1] += w * (mean - target);
                        sums[2] += w * (square - mean * mean).max(0.0);
                    }
                    sums
                })
                .collect();
            parts.iter().fold([0.0; 3], |sum, part| [sum[0] + part[0], sum[1] + part[1], sum[2] + part[2]])
        };
        // the slope grows with a: Newton in log a, inside a bracket that shrinks
        let (mut low, mut high): (f64, f64) = (-9.0, 9.0);
        let mut log = 0.0;
        for _ in 0..40 {
            let a = libm::exp(log);
            let [_, slope, curvature] = at(a);
            if slope > 0.0 {
                high = log
            } else {
                low = log
            }
            let step = -slope * a / (curvature * a * a + slope.max(0.0) * a).max(f64::MIN_POSITIVE);
            let next = log + step;
            let next = if next > low && next < high { next } else { 0.5 * (low + high) };
            if (next - log).abs() < 1e-13 {
                break;
            }
            log = next;
        }
        let a = libm::exp(log);
        (a, at(a)[0])
    }
}
