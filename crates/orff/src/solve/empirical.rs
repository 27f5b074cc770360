//! The mean loss of rows under features, its gradient and its conjugate: one pass. \[risk\]

use crate::error::{Error, Result};
use crate::feature::{Design, Seen, sweep};
use crate::linalg;
use crate::loss::Loss;
use crate::random::Stream;
use crate::rows::Weights;
use crate::watch::Watch;
use faer::{Mat, MatRef};

/// Purpose of the streams of signs.
const SIGNS: u64 = 0x7369_676e_73;
/// The step that measures the curvature of smooth losses.
const STEP: f64 = 1e-3;

/// What one pass tells of f = Φᵀθ + b, with W = Σw over the rows of which something was observed.
#[derive(Clone, Debug)]
pub struct Empirical {
    /// W.
    pub weight: f64,
    /// (1/W)Σwℓ(f; y).
    pub loss: f64,
    /// The same of the smoothed loss.
    pub smoothed: f64,
    /// (1/W)Σwℓ*(u; y) at the gradients u of the smoothed losses.
    pub conjugate: f64,
    /// (1/W)Σw c uᵀ (M×p); lowered it is the gradient by θ.
    pub gradient: Mat<f64>,
    /// (1/W)Σw u (p): the gradient by b.
    pub offset: Vec<f64>,
}

/// Passes over the rows with the loss smoothed by μ ≥ 0. Cost of one sweep with p columns. Wrong targets and weights are
/// refused by the number of their row.
pub fn empirical(
    design: &dyn Design,
    loss: &dyn Loss,
    table: MatRef<f64>,
    offset: &[f64],
    smoothing: f64,
    watch: &mut dyn Watch,
) -> Result<Empirical> {
    let p = table.ncols();
    let mut sums = Sums { loss, smoothing, weight: 0.0, exact: 0.0, smoothed: 0.0, conjugate: 0.0 };
    let (mut f, mut y, mut u) = (vec![0.0; p], Vec::new(), vec![0.0; p]);
    let swept = sweep(design, table, offset, watch, &mut |seen, mut block| {
        for i in 0..block.nrows() {
            f.iter_mut().enumerate().for_each(|(t, f)| *f = block[(i, t)]);
            y.clear();
            y.extend(seen.outputs.row(i).iter().copied());
            sums.add(seen, i, &f, &y, &mut u)?;
            u.iter().enumerate().for_each(|(t, u)| block[(i, t)] = *u);
        }
        Ok(())
    })?;
    let Sums { weight, exact, smoothed, conjugate, .. } = sums;
    if weight <= 0.0 {
        return Err(Error::Data("no row counts: every weight is zero, or no output was observed".into()));
    }
    Ok(Empirical {
        weight,
        loss: exact / weight,
        smoothed: smoothed / weight,
        conjugate: conjugate / weight,
        gradient: faer::Scale(1.0 / weight) * swept.gradient,
        offset: swept.total.iter().map(|u| u / weight).collect(),
    })
}

/// The mean second derivative of the (smoothed) loss by a prediction, at f = Φᵀθ + b: differences of gradients along signs,
/// the same for all rows, over steps as wide as the corners are bent. Cost of half a sweep.
pub fn curvature(
    design: &dyn Design,
    loss: &dyn Loss,
    table: MatRef<f64>,
    offset: &[f64],
    smoothing: f64,
    watch: &mut dyn Watch,
) -> Result<f64> {
    let p = table.ncols();
    let step = if smoothing > 0.0 { smoothing } else { STEP };
    let (mut change, mut weight) = (0.0, 0.0);
    let (mut here, mut there) = (vec![0.0; p], vec![0.0; p]);
    let mut signs = Stream::new(0, SIGNS, 0);
    let along: Vec<f64> = (0..p).map(|_| step * signs.sign()).collect();
    design.pass(watch, &mut |seen| {
        let f = linalg::product(seen.characters, table);
        for i in 0..f.nrows() {
            let y: Vec<f64> = seen.outputs.row(i).iter().copied().collect();
            // who evaluates the loss refuses them by name
            if loss.check(&y, p).is_err() {
                continue;
            }
            let at: Vec<f64> = (0..p).map(|t| f[(i, t)] + offset[t]).collect();
            let moved: Vec<f64> = at.iter().zip(&along).map(|(f, d)| f + d).collect();
            loss.gradient(&at, &y, smoothing, &mut here);
            loss.gradient(&moved, &y, smoothing, &mut there);
            let w = seen.row_weight(i);
            change += w * (0..p).map(|t| along[t] * (there[t] - here[t])).sum::<f64>();
            weight += w;
        }
        Ok(())
    })?;
    Ok(if weight > 0.0 { change / (weight * p as f64 * step * step) } else { 0.0 })
}

struct Sums<'a> {
    loss: &'a dyn Loss,
    smoothing: f64,
    weight: f64,
    exact: f64,
    smoothed: f64,
    conjugate: f64,
}

impl Sums<'_> {
    /// Adds row i; u becomes its gradient times its weight.
    fn add(&mut self, seen: &Seen, i: usize, f: &[f64], y: &[f64], u: &mut [f64]) -> Result<()> {
        self.loss.check(y, f.len()).map_err(|error| match error {
            Error::Parameter { name, expected, given } => {
                let problem = format!("is no {name} for this loss: expected {expected}");
                Error::Value { row: seen.first + i + 1, column: "outputs".into(), value: given, problem }
            }
            other => other,
        })?;
        u.fill(0.0);
        match seen.weights {
            Some(Weights::Entry(_)) if !self.loss.nature().by_output => {
                return Err(Error::refused("weights of entries with classes", "a class is one entry; weigh rows"));
            }
            Some(Weights::Entry(_)) => {
                for t in 0..f.len() {
                    let w = seen.weight(i, t);
                    self.entry(w, &f[t..=t], &y[t..=t], &mut u[t..=t])?;
                }
                self.weight += seen.row_weight(i);
            }
            _ if y.iter().all(|y| y.is_nan()) => {}
            weights => {
                let w = if let Some(Weights::Row(w)) = weights { w[i] } else { 1.0 };
                self.entry(w, f, y, u)?;
                self.weight += w;
            }
        }
        Ok(())
    }

    fn entry(&mut self, w: f64, f: &[f64], y: &[f64], u: &mut [f64]) -> Result<()> {
        if !(w.is_finite() && w >= 0.0) {
            return Err(Error::parameter("weights", "finite numbers ≥ 0", w));
        }
        if w == 0.0 {
            return Ok(());
        }
        let exact = self.loss.gradient(f, y, 0.0, u);
        let smooth = self.smoothing == 0.0 || self.loss.nature().smooth;
        let smoothed = if smooth { exact } else { self.loss.gradient(f, y, self.smoothing, u) };
        self.exact += w * exact;
        self.smoothed += w * smoothed;
        self.conjugate += w * self.loss.conjugate(u, y);
        u.iter_mut().for_each(|u| *u *= w);
        Ok(())
    }
}
