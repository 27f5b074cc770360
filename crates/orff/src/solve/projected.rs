//! The constrained risk of T17 (7.7): (1/W)Σwℓ with ‖θⱼ‖ ≤ R/√D for every atom, by accelerated projected gradients.
//! \[projected\]

use super::certificate::Certificate;
use super::empirical::{Empirical, empirical};
use crate::error::{Error, Result};
use crate::feature::{Design, sweep};
use crate::linalg::dot;
use crate::loss::Loss;
use crate::watch::Watch;
use faer::Mat;
use std::fmt;

/// What is minimised, and when to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// R > 0, the thesis' M: every atom has ‖θⱼ‖ ≤ R/√D (its proposition prints R/D, which is for features without 1/√D).
    pub bound: f64,
    /// Whether b is learned; it is not constrained.
    pub offset: bool,
    /// Relative duality gap at which it is solved.
    pub gap: f64,
    /// Most passes over the rows.
    pub max_passes: usize,
}

impl Default for Params {
    fn default() -> Self {
        Params { bound: 10.0, offset: true, gap: 1e-4, max_passes: 5000 }
    }
}

/// Why the iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The gap is closed.
    Converged,
    /// The passes were used up.
    MaxPasses,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Converged => "converged",
            Reason::MaxPasses => "the passes were used up",
        })
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub iterations: usize,
    pub passes: usize,
    /// The mean loss at the solution.
    pub primal: f64,
    /// A lower bound of the minimum.
    pub dual: f64,
    /// (primal − dual)/primal.
    pub gap: f64,
    /// Norm of the last projected gradient: the step that the projection leaves, over its length.
    pub gradient: f64,
    /// The last smoothing μ; 0 for smooth losses.
    pub smoothing: f64,
    pub reason: Reason,
}

impl Report {
    /// In words.
    pub fn how(&self) -> String {
        let Report { iterations, passes, gap, gradient, reason, .. } = self;
        format!(
            "projected gradients, {iterations} iterations, {passes} passes, gradient {gradient:.1e}, duality gap {gap:.1e}: {reason}"
        )
    }
}

/// The minimiser.
#[derive(Clone, Debug)]
pub struct Projected {
    /// θ (K).
    pub theta: Vec<f64>,
    /// Z = lift(θ) (M×p).
    pub table: Mat<f64>,
    /// b (p), zeros without offset.
    pub offset: Vec<f64>,
    pub report: Report,
}

/// Steps between two looks at the risk itself.
const LOOK: usize = 10;
/// Passes that measure the largest eigenvalue of P.
const POWERS: usize = 12;

/// Minimises from zero, or from what the watch has kept; `atoms` is the atom of each unknown, from 0 ([`FeatureMap::atom_of_unknown`]).
///
/// With u the gradients of the losses and ḡⱼ the part of (1/W)ΣwΦu of an atom, the risk is at least
/// −(1/W)Σwℓ*(u) − (R/√D)Σ‖ḡⱼ‖ − ‖s‖R′, s = (1/W)Σwu, wherever ‖b‖ ≤ R′ = 10(1 + ‖b‖). Cost: a sweep with p columns per pass.
///
/// [`FeatureMap::atom_of_unknown`]: crate::feature::FeatureMap::atom_of_unknown
pub fn minimise_projected(
    design: &dyn Design,
    loss: &dyn Loss,
    atoms: &[usize],
    params: Params,
    watch: &mut dyn Watch,
) -> Result<Projected> {
    if !(params.bound > 0.0 && params.bound.is_finite()) {
        return Err(Error::parameter("bound", "a number > 0", params.bound));
    }
    let (m, p) = design.basis().shape();
    let k = design.basis().lower(Mat::zeros(m, p).as_ref()).len();
    if atoms.len() != k {
        return Err(Error::shape("atoms", format!("the atom of each of {k} unknowns"), atoms.len()));
    }
    let count = atoms.iter().max().map_or(0, |a| a + 1);
    let ball = Balls { atoms, count, radius: params.bound / (count as f64).sqrt() };
    watch.stage("step size");
    let top = largest(design, params.offset, k, watch)?;
    let mut passes = POWERS;
    watch.stage("minimise");
    let size = k + if params.offset { p } else { 0 };
    let mut x = watch.kept(size).unwrap_or_else(|| vec![0.0; size]);
    ball.project(&mut x[..k]);
    let mut at = |x: &[f64], smoothing: f64| {
        let mut offset = x[k..].to_vec();
        offset.resize(p, 0.0);
        watch.keep(x);
        empirical(design, loss, design.basis().lift(&x[..k]).as_ref(), &offset, smoothing, watch)
    };
    let smooth = loss.nature().smooth;
    let start = at(&x, 0.0)?;
    passes += 1;
    let mut smoothing = if smooth { 0.0 } else { 0.2 * start.loss.max(f64::MIN_POSITIVE) / p as f64 };
    let mut best = Certificate::new(x.clone());
    best.point(&x, start.loss);
    let (mut ahead, mut speed, mut iterations) = (x.clone(), 1.0f64, 0);
    let mut moved;
    let reason = loop {
        // curvatures: 2 for the squared losses; 1/μ for bent corners, whose codes make it at most 2/μ
        let curvature = if smooth || !loss.nature().by_output { 2.0 } else { 1.0 };
        let step = 1.0 / (top * if smooth { curvature } else { curvature / smoothing });
        let seen = at(&ahead, smoothing)?;
        passes += 1;
        let gradient = flat(design, &seen, params.offset);
        best.bound(ball.bound(&seen, &gradient[..k]), &seen.offset, &ahead[k..]);
        let mut next: Vec<f64> = ahead.iter().zip(&gradient).map(|(x, g)| x - step * g).collect();
        ball.project(&mut next[..k]);
        moved = ahead.iter().zip(&next).map(|(a, n)| (a - n) * (a - n)).sum::<f64>().sqrt() / step;
        let faster = 0.5 * (1.0 + (1.0 + 4.0 * speed * speed).sqrt());
        // speed is lost where it leads uphill (O'Donoghue and Candès 2015)
        let uphill: f64 = ahead.iter().zip(&next).zip(&x).map(|((a, n), x)| (a - n) * (n - x)).sum();
        let push = if uphill > 0.0 { 0.0 } else { (speed - 1.0) / faster };
        ahead = next.iter().zip(&x).map(|(n, x)| n + push * (n - x)).collect();
        speed = if uphill > 0.0 { 1.0 } else { faster };
        x = next;
        iterations += 1;
        if iterations % LOOK == 0 {
            let seen = at(&x, smoothing)?;
            passes += 1;
            let gradient = flat(design, &seen, params.offset);
            let drift = best.bound(ball.bound(&seen, &gradient[..k]), &seen.offset, &x[k..]);
            best.point(&x, seen.loss);
            if best.gap() <= params.gap {
                break Reason::Converged;
            }
            // what keeps the smoothed problem from its own minimum
            let level = dot(&gradient[..k], &x[..k]) + ball.radius * ball.norms(&gradient[..k]).iter().sum::<f64>();
            if !smooth && level + drift <= 0.1 * smoothing * p as f64 {
                (smoothing, speed) = (0.25 * smoothing, 1.0);
                ahead = x.clone();
            }
        }
        if passes >= params.max_passes {
            break Reason::MaxPasses;
        }
    };
    let (primal, dual, gap) = (best.primal, best.dual(), best.gap());
    let report = Report { iterations, passes, primal, dual, gap, gradient: moved, smoothing, reason };
    let x = best.x;
    let mut offset = x[k..].to_vec();
    offset.resize(p, 0.0);
    Ok(Projected { table: design.basis().lift(&x[..k]), theta: x[..k].to_vec(), offset, report })
}

/// Balls of one radius, one for the unknowns of each atom.
struct Balls<'a> {
    atoms: &'a [usize],
    count: usize,
    radius: f64,
}

impl Balls<'_> {
    fn norms(&self, theta: &[f64]) -> Vec<f64> {
        let mut squares = vec![0.0; self.count];
        self.atoms.iter().zip(theta).for_each(|(j, t)| squares[*j] += t * t);
        squares.into_iter().map(f64::sqrt).collect()
    }

    fn project(&self, theta: &mut [f64]) {
        let norms = self.norms(theta);
        let shrink = |norm: f64| if norm > self.radius { self.radius / norm } else { 1.0 };
        self.atoms.iter().zip(theta).for_each(|(j, t)| *t *= shrink(norms[*j]));
    }

    /// The lower bound without the term of the offset: the least of ⟨ḡ, θ⟩ in the balls is −radius·Σ‖ḡⱼ‖.
    fn bound(&self, seen: &Empirical, gradient: &[f64]) -> f64 {
        -seen.conjugate - self.radius * self.norms(gradient).iter().sum::<f64>()
    }
}

fn flat(design: &dyn Design, seen: &Empirical, offset: bool) -> Vec<f64> {
    let mut gradient = design.basis().lower(seen.gradient.as_ref());
    if offset {
        gradient.extend(&seen.offset);
    }
    gradient
}

/// A bound of the largest eigenvalue of (1/W)Σw(Φ; I)(Φ; I)ᵀ, by the power method from a vector without zeros.
fn largest(design: &dyn Design, offset: bool, k: usize, watch: &mut dyn Watch) -> Result<f64> {
    let (_, p) = design.basis().shape();
    let mut v: Vec<f64> = (0..k + if offset { p } else { 0 }).map(|i| 1.0 + 0.5 * (i as f64).sin()).collect();
    let mut value = 0.0;
    for _ in 0..POWERS {
        let norm = dot(&v, &v).sqrt();
        v.iter_mut().for_each(|v| *v /= norm);
        let mut b = v[k..].to_vec();
        b.resize(p, 0.0);
        let mut weight = 0.0;
        let swept = sweep(design, design.basis().lift(&v[..k]).as_ref(), &b, watch, &mut |seen, mut f| {
            for i in 0..f.nrows() {
                let w = seen.row_weight(i);
                weight += w;
                (0..p).for_each(|t| f[(i, t)] *= w);
            }
            Ok(())
        })?;
        if weight <= 0.0 {
            return Err(Error::Data("no row counts: every weight is zero, or no output was observed".into()));
        }
        let mut image = design.basis().lower(swept.gradient.as_ref());
        if offset {
            image.extend(&swept.total);
        }
        image.iter_mut().for_each(|v| *v /= weight);
        value = dot(&image, &image).sqrt();
        if value == 0.0 {
            return Err(Error::numerical("projected gradients", "the features are zero on all rows"));
        }
        v = image;
    }
    // the method comes from below
    Ok(1.1 * value)
}
