//! Probabilities from scores: two numbers, fitted to rows that were predicted by models that had not learned from them.
//! \[calibration\]

use super::coded::Coded;
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Characters};
use crate::model::{Calibration, Code, Linear, Query};
use crate::rows::{Batch, Weights};
use crate::watch::Watch;
use faer::prelude::Solve;
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// Numbers to look at (rows times classes), at most, unless that leaves less than a thousand rows.
pub(super) const MOST: usize = 1_000_000;
/// Widths that are tried, from 10⁻³ to 10.
const WIDTHS: usize = 25;
/// Mean log losses closer than this are the same.
const ALIKE: f64 = 1e-6;
/// Rows of a sum; sums of these are added in order.
const CHUNK: usize = 256;

/// Calibrates by closed-form leave-one-out predictions of sampled rows, whose outputs are the numbers of classes.
/// Cost n·K². \[loo\]
pub(super) fn leave_one_out(
    model: &Linear,
    coded: &Coded,
    sample: &Batch,
    watch: &mut dyn Watch,
) -> Result<Calibration> {
    watch.stage("calibrate");
    let n = sample.inputs.nrows().min((MOST / coded.classes()).max(1000));
    let mut judged = Judged::new(coded, Link::Shares);
    for from in (0..n).step_by(BLOCK_ROWS) {
        let block = coded.batch(sample.slice(from, (from + BLOCK_ROWS).min(n)))?;
        let f = left_out(model, &block, &coded.left(&block))?;
        judged.add(f.as_ref(), block.weights.as_ref(), &coded.classes_of(&block));
        watch.advance(block.inputs.nrows() as u64)?;
    }
    judged.calibrate(watch)
}

/// Calibrates by predictions f (n×p) of rows of these classes, by models that had not learned from them.
pub(super) fn of_predictions(
    (code, classes, link): (Code, usize, Link),
    f: MatRef<f64>,
    weights: &Weights,
    of: &[usize],
    watch: &mut dyn Watch,
) -> Result<Calibration> {
    watch.stage("calibrate");
    let (scores, class, weight) = (Vec::new(), Vec::new(), Vec::new());
    let mut judged = Judged { code, classes, link, scores, class, weight };
    judged.add(f, Some(weights), of);
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

/// What probabilities are made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// Shares q of the classes, which the squared loss estimates: a width and a sharpness.
    Shares,
    /// The softmax of scores: a sharpness.
    Softmax,
}

/// Scores of rows, by models that had not learned from them, with the classes of the rows.
#[derive(Clone)]
pub(super) struct Judged {
    code: Code,
    classes: usize,
    link: Link,
    /// n×T, row after row.
    scores: Vec<f64>,
    class: Vec<usize>,
    weight: Vec<f64>,
}

impl Judged {
    pub fn new(coded: &Coded, link: Link) -> Self {
        let (scores, class, weight) = (Vec::new(), Vec::new(), Vec::new());
        Judged { code: coded.code, classes: coded.classes(), link, scores, class, weight }
    }

    /// Adds predictions f (n×p) of rows of these classes.
    pub fn add(&mut self, f: MatRef<f64>, weights: Option<&Weights>, classes: &[usize]) {
        let mut scores = vec![0.0; self.classes];
        for i in 0..f.nrows() {
            let weight = match weights {
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

    /// Share of the weight whose class has not the largest score.
    pub fn error(&self) -> f64 {
        let (mut wrong, mut total) = (0.0, 0.0);
        for ((scores, class), weight) in self.scores.chunks(self.classes).zip(&self.class).zip(&self.weight) {
            let best = (1..scores.len()).fold(0, |best, c| if scores[c] > scores[best] { c } else { best });
            wrong += if best == *class { 0.0 } else { *weight };
            total += weight;
        }
        wrong / total.max(f64::MIN_POSITIVE)
    }

    /// The numbers with the smallest mean log loss: a grid of widths, Newton's method in the sharpness, in which the loss
    /// is convex.
    pub fn calibrate(&self, watch: &mut dyn Watch) -> Result<Calibration> {
        let rows = self.class.len();
        if rows == 0 {
            return Err(Error::numerical(
                "calibration",
                "no row has a finite leave-one-out prediction; raise the ridge",
            ));
        }
        let widths = match self.link {
            Link::Softmax => vec![None],
            Link::Shares => {
                let width = |k: usize| libm::pow(10.0, -3.0 + 4.0 * k as f64 / (WIDTHS - 1) as f64);
                (0..WIDTHS).map(|k| Some(width(k))).collect()
            }
        };
        let mut found = Vec::new();
        for width in widths {
            let (sharpness, loss) = self.sharpest(width);
            // of predictions that were solved to a gap, no more digits than that tells
            let sharpness = if self.link == Link::Softmax { three_digits(sharpness) } else { sharpness };
            found.push((Calibration { width, sharpness, rows }, loss));
            watch.advance(0)?;
        }
        // of widths that are as good, the smallest: the others differ by rounding
        let least = found.iter().map(|f| f.1).fold(f64::INFINITY, f64::min);
        let good = found.into_iter().find(|f| f.1 <= least + ALIKE);
        good.map(|f| f.0).ok_or_else(|| Error::numerical("calibration", "no width gives a finite loss"))
    }

    /// The best sharpness for a width, and the loss there.
    fn sharpest(&self, width: Option<f64>) -> (f64, f64) {
        let (t, unit) = (self.classes, Calibration { width, sharpness: 1.0, rows: 0 });
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
            if slope == 0.0 {
                break;
            }
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

/// A number > 0 with three digits.
fn three_digits(value: f64) -> f64 {
    let unit = libm::pow(10.0, libm::log10(value).floor() - 2.0);
    (value / unit).round() * unit
}
