//! Regularised risk of any loss by L-BFGS, with a duality gap. \[risk\]

use super::certificate::Certificate;
use super::empirical::{Empirical, curvature, empirical};
use super::{Preconditioner, lbfgs};
use crate::error::{Error, Result};
use crate::feature::Design;
use crate::linalg::dot;
use crate::loss::Loss;
use crate::watch::Watch;
use faer::Mat;
use std::cell::{Cell, RefCell};

/// What is minimised, and when to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// λ > 0.
    pub ridge: f64,
    /// Whether b is learned; it is not penalised.
    pub offset: bool,
    /// Relative duality gap at which a loss that is not smooth is solved.
    pub gap: f64,
    /// As [`lbfgs::Params::tol`], for smooth losses: the relative size of what predictions may still change.
    pub tol: f64,
    /// Whether the last smoothed problem of a loss with corners is solved to `tol`, too: it has one minimiser, so that the
    /// answer does not depend on rounding and on the way to it. It takes about as many passes again.
    pub settle: bool,
    /// Most passes over the rows.
    pub max_passes: usize,
    /// Probes of the [`Preconditioner`]; 0 for none.
    pub rank: usize,
}

impl Default for Params {
    fn default() -> Self {
        Params { ridge: 1e-3, offset: true, gap: 1e-4, tol: 1e-9, settle: false, max_passes: 2000, rank: 256 }
    }
}

/// What is known before the first pass.
#[derive(Clone, Copy, Default)]
pub struct Start<'a> {
    /// Where to start from, θ and b one after the other, instead of zero.
    pub unknowns: Option<&'a [f64]>,
    /// A preconditioner of this or a similar design, instead of a new one.
    pub preconditioner: Option<&'a Preconditioner>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub iterations: usize,
    /// Passes over the rows, with those of the preconditioner.
    pub passes: usize,
    /// J(θ, b).
    pub primal: f64,
    /// A lower bound of the minimum.
    pub dual: f64,
    /// (primal − dual)/primal.
    pub gap: f64,
    /// Norm of the last gradient of the (smoothed) risk.
    pub gradient: f64,
    /// The last smoothing μ; 0 for smooth losses.
    pub smoothing: f64,
    /// Why it ended.
    pub reason: lbfgs::Reason,
}

/// The minimiser.
#[derive(Clone, Debug)]
pub struct Minimum {
    /// θ (K).
    pub theta: Vec<f64>,
    /// Z = lift(θ) (M×p).
    pub table: Mat<f64>,
    /// b (p), zeros without offset.
    pub offset: Vec<f64>,
    pub report: Report,
}

impl Report {
    /// In words.
    pub fn how(&self) -> String {
        let Report { iterations, passes, gap, gradient, reason, .. } = self;
        format!(
            "L-BFGS, {iterations} iterations, {passes} passes, gradient {gradient:.1e}, duality gap {gap:.1e}: {reason}"
        )
    }
}

/// The least mean curvature that a preconditioner is made for, of a loss that is about 1.
const FLATTEST: f64 = 0.02;

/// Minimises J(θ, b) = (1/W)Σwℓ(Φᵀθ + b; y) + λ‖θ‖².
///
/// Each pass also gives a lower bound: for any u in the domains of ℓ*, with ḡ = (1/W)ΣwΦu and s = (1/W)Σwu,
/// J ≥ −(1/W)Σwℓ*(u) − ‖ḡ‖²/4λ − ‖s‖R wherever ‖b‖ ≤ R; u are the gradients of the (smoothed) losses, and R is
/// 10(1 + ‖b‖) at the last b. Losses that are not smooth are smoothed less and less until the gap is closed. Cost: a sweep with p columns
/// per pass, memory K·(40 + rank).
pub fn minimise_risk(
    design: &dyn Design,
    loss: &dyn Loss,
    params: Params,
    start: Start,
    watch: &mut dyn Watch,
) -> Result<Minimum> {
    if !(params.ridge > 0.0 && params.ridge.is_finite()) {
        return Err(Error::parameter("ridge", "a number > 0", params.ridge));
    }
    let (m, p) = design.basis().shape();
    let k = design.basis().lower(Mat::zeros(m, p).as_ref()).len();
    let size = k + if params.offset { p } else { 0 };
    let mut x = vec![0.0; size];
    if let Some(start) = start.unknowns {
        if start.len() != size {
            return Err(Error::shape("start", format!("{size} numbers"), start.len()));
        }
        x.copy_from_slice(start);
    } else if let Some(kept) = watch.kept(size) {
        x = kept;
    }
    let made = match (start.preconditioner, params.rank) {
        (Some(_), _) | (None, 0) => None,
        (None, rank) => {
            watch.stage("precondition");
            Some(Preconditioner::new(design, rank, params.offset, watch)?)
        }
    };
    let mut passes = made.as_ref().map_or(0, |p| p.passes);
    let preconditioner = start.preconditioner.or(made.as_ref());
    // the second derivative is about hP + 2λI, h the mean curvature of the loss
    let mean = Cell::new(2.0);
    let precond = |v: &[f64], out: &mut [f64]| match preconditioner {
        Some(by) => {
            let h = mean.get();
            by.apply(2.0 * params.ridge / h, v, out);
            out.iter_mut().for_each(|o| *o /= h);
        }
        None => out.copy_from_slice(v),
    };
    watch.stage("minimise");
    let smooth = loss.nature().smooth;
    let best = RefCell::new(Certificate::new(x.clone()));
    // what keeps the smoothed problem from its own minimum, at the last evaluation
    let level = Cell::new(f64::INFINITY);
    let last = Cell::new(f64::INFINITY);
    let (mut smoothing, mut iterations, mut settling) = (0.0, 0, false);
    if !smooth {
        // its effect, pμ/2, is a tenth of the risk at the start
        let first = evaluate(design, loss, &params, k, &x, 0.0, watch)?.0;
        passes += 1;
        smoothing = 0.2 * first.loss.max(f64::MIN_POSITIVE) / p as f64;
    }
    let no_offset = vec![0.0; p];
    loop {
        if preconditioner.is_some() {
            let b = if params.offset { &x[k..] } else { &no_offset };
            let table = design.basis().lift(&x[..k]);
            mean.set(curvature(design, loss, table.as_ref(), b, smoothing, watch)?.max(FLATTEST));
            passes += 1;
        }
        let mut f = |x: &[f64], g: &mut [f64]| {
            let (seen, value) = evaluate(design, loss, &params, k, x, smoothing, watch)?;
            level.set(bound(&mut best.borrow_mut(), design, &params, k, x, &seen, value, g));
            last.set(value.0);
            watch.keep(x);
            Ok(value.1)
        };
        let mut observe = |_: usize, _: &[f64]| {
            let best = best.borrow();
            Ok(!smooth && !settling && (best.gap() <= params.gap || level.get() <= 0.1 * smoothing * p as f64))
        };
        let limits = lbfgs::Params {
            tol: if smooth || settling { params.tol } else { 0.0 },
            max_passes: params.max_passes.saturating_sub(passes).max(1),
            ..lbfgs::Params::default()
        };
        let (end, report) = lbfgs::minimise(&mut f, &precond, x, limits, &mut observe)?;
        (passes, iterations) = (passes + report.passes, iterations + report.iterations);
        if !smooth && !settling && params.settle && best.borrow().gap() <= params.gap && passes < params.max_passes {
            (settling, x) = (true, end);
            continue;
        }
        let best = best.borrow();
        let settled = settling && last.get() - best.dual() <= params.gap * last.get();
        let done = if smooth {
            Some(report.reason)
        } else if settled || (!settling && best.gap() <= params.gap) {
            Some(lbfgs::Reason::Converged)
        } else if passes >= params.max_passes {
            Some(lbfgs::Reason::MaxPasses)
        } else if smoothing * p as f64 <= 1e-3 * params.gap * best.primal {
            Some(lbfgs::Reason::Stalled)
        } else {
            None
        };
        if let Some(reason) = done {
            let x = if smooth || settled { end } else { best.x.clone() };
            let primal = if settled { last.get() } else { best.primal };
            let (dual, gradient) = (best.dual(), report.gradient);
            let gap = if settled { ((primal - dual) / primal.max(f64::MIN_POSITIVE)).max(0.0) } else { best.gap() };
            // the passes may be used up while it settles: the gap is closed all the same
            let reason = if best.gap() <= params.gap && !smooth { lbfgs::Reason::Converged } else { reason };
            let report = Report { iterations, passes, primal, dual, gap, gradient, smoothing, reason };
            let mut offset = x[k..].to_vec();
            offset.resize(p, 0.0);
            return Ok(Minimum { table: design.basis().lift(&x[..k]), theta: x[..k].to_vec(), offset, report });
        }
        x = end;
        smoothing *= 0.25;
    }
}

/// J and its smoothed form.
type Values = (f64, f64);

fn evaluate(
    design: &dyn Design,
    loss: &dyn Loss,
    params: &Params,
    k: usize,
    x: &[f64],
    smoothing: f64,
    watch: &mut dyn Watch,
) -> Result<(Empirical, Values)> {
    let p = design.basis().shape().1;
    let zero = vec![0.0; p];
    let (theta, offset) = (&x[..k], if params.offset { &x[k..] } else { &zero });
    let seen = empirical(design, loss, design.basis().lift(theta).as_ref(), offset, smoothing, watch)?;
    let penalty = params.ridge * dot(theta, theta);
    let values = (seen.loss + penalty, seen.smoothed + penalty);
    Ok((seen, values))
}

/// The gradient, and what the evaluation says of the minimum; returns the gap of the smoothed problem.
#[allow(clippy::too_many_arguments)]
fn bound(
    best: &mut Certificate,
    design: &dyn Design,
    params: &Params,
    k: usize,
    x: &[f64],
    seen: &Empirical,
    (primal, _): Values,
    g: &mut [f64],
) -> f64 {
    let lowered = design.basis().lower(seen.gradient.as_ref());
    for i in 0..k {
        g[i] = lowered[i] + 2.0 * params.ridge * x[i];
    }
    if params.offset {
        g[k..].copy_from_slice(&seen.offset);
    }
    best.point(x, primal);
    let bare = -seen.conjugate - dot(&lowered, &lowered) / (4.0 * params.ridge);
    let drift = best.bound(bare, &seen.offset, &x[k..]);
    // the gap of the smoothed problem is that of a square
    dot(&g[..k], &g[..k]) / (4.0 * params.ridge) + drift
}
