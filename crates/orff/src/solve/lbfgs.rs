//! L-BFGS: the minimum of a smooth convex function from values and gradients. \[lbfgs\]

use crate::error::{Error, Result};
use crate::linalg::dot;
use std::collections::VecDeque;
use std::fmt;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Stop when gᵀHg ≤ tol²·|value|, H the approximate inverse of the second derivative: about twice what is left to gain.
    pub tol: f64,
    /// Largest number of evaluations.
    pub max_passes: usize,
    /// Steps that are remembered.
    pub memory: usize,
}

impl Default for Params {
    fn default() -> Self {
        Params { tol: 1e-9, max_passes: 1000, memory: 20 }
    }
}

/// Why the iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The tolerance was reached.
    Converged,
    /// The observer was content.
    Observer,
    /// The evaluations were used up: the best point is returned, the gradient says how good it is.
    MaxPasses,
    /// No step lowers the value: rounding is reached, or the function is not what it says.
    Stalled,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Converged | Reason::Observer => "converged",
            Reason::MaxPasses => "the passes were used up",
            Reason::Stalled => "rounding is reached",
        })
    }
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    pub iterations: usize,
    /// Evaluations of value and gradient.
    pub passes: usize,
    pub value: f64,
    /// Euclidean norm of the gradient.
    pub gradient: f64,
    /// gᵀHg at the end.
    pub decrement: f64,
    pub reason: Reason,
}

/// Value and gradient: `f(x, g)` sets g and returns the value.
pub type Function<'a> = dyn FnMut(&[f64], &mut [f64]) -> Result<f64> + 'a;

/// Sufficient decrease, and the largest part of the slope that may be left.
const WOLFE: (f64, f64) = (1e-4, 0.9);
/// Relative changes of the value that are rounding: below, slopes alone decide (Hager and Zhang 2005).
const ROUNDING: f64 = 1e-13;
/// Trials of one line search.
const TRIALS: usize = 40;

/// Minimises from x₀. `precond(g, out)` sets out ≈ H g, symmetric positive definite; `observe(iteration, x)` is called
/// after each step and may end the iteration (`true`) or fail. Values that are not finite count as too large, except at
/// the start, where they are an error. Cost: about one evaluation and 4·memory products of vectors per step.
///
/// ```
/// use orff::solve::lbfgs::{minimise, Params};
/// let mut f = |x: &[f64], g: &mut [f64]| {
///     g.copy_from_slice(&[4.0 * x[0].powi(3) + x[0] - 1.0, 200.0 * x[1]]);
///     Ok(x[0].powi(4) + 0.5 * x[0] * x[0] - x[0] + 100.0 * x[1] * x[1])
/// };
/// let (x, report) = minimise(&mut f, &|g, out| out.copy_from_slice(g), vec![3.0, 1.0], Params::default(), &mut |_, _| Ok(false))?;
/// assert!((x[0] - 0.5).abs() < 1e-7 && x[1].abs() < 1e-7 && report.passes < 40);
/// # Ok::<(), orff::Error>(())
/// ```
pub fn minimise(
    f: &mut Function,
    precond: &dyn Fn(&[f64], &mut [f64]),
    x: Vec<f64>,
    params: Params,
    observe: &mut dyn FnMut(usize, &[f64]) -> Result<bool>,
) -> Result<(Vec<f64>, Report)> {
    let n = x.len();
    let mut g = vec![0.0; n];
    let value = f(&x, &mut g)?;
    if !value.is_finite() || g.iter().any(|v| !v.is_finite()) {
        return Err(Error::numerical("L-BFGS", "the value or the gradient at the start is not finite"));
    }
    let mut at = Point { x, g, value };
    let mut memory = Memory { pairs: VecDeque::new(), most: params.memory.max(1) };
    let (mut iterations, mut passes) = (0, 1);
    loop {
        let mut direction = memory.times(&at.g, precond);
        let mut decrement = dot(&direction, &at.g);
        let usable = decrement > 0.0 && decrement.is_finite();
        if !usable && !memory.pairs.is_empty() {
            memory.pairs.clear();
            direction = memory.times(&at.g, precond);
            decrement = dot(&direction, &at.g);
        }
        let report = |reason| Report {
            iterations,
            passes,
            value: at.value,
            gradient: dot(&at.g, &at.g).sqrt(),
            decrement,
            reason,
        };
        if decrement <= params.tol * params.tol * at.value.abs() || at.g.iter().all(|g| *g == 0.0) {
            let report = report(Reason::Converged);
            return Ok((at.x, report));
        }
        if passes >= params.max_passes {
            let report = report(Reason::MaxPasses);
            return Ok((at.x, report));
        }
        if !(decrement > 0.0 && decrement.is_finite()) {
            return Err(Error::numerical("L-BFGS", "the preconditioner is not positive definite (raise the ridge)"));
        }
        direction.iter_mut().for_each(|d| *d = -*d);
        let left = (params.max_passes - passes).min(TRIALS);
        let (next, trials) = search(f, &at, &direction, -decrement, left)?;
        let Some(next) = next else {
            if memory.pairs.is_empty() {
                let report = Report { passes: passes + trials, ..report(Reason::Stalled) };
                return Ok((at.x, report));
            }
            // once more from the preconditioner alone
            passes += trials;
            memory.pairs.clear();
            continue;
        };
        passes += trials;
        iterations += 1;
        memory.push(&at, &next);
        at = next;
        if observe(iterations, &at.x)? {
            let report = Report {
                iterations,
                passes,
                value: at.value,
                gradient: dot(&at.g, &at.g).sqrt(),
                decrement,
                reason: Reason::Observer,
            };
            return Ok((at.x, report));
        }
    }
}

struct Point {
    x: Vec<f64>,
    g: Vec<f64>,
    value: f64,
}

/// The last steps s with the changes y of the gradient along them, and 1/⟨s, y⟩.
struct Memory {
    pairs: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
    most: usize,
}

impl Memory {
    fn push(&mut self, from: &Point, to: &Point) {
        let less = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
        let (s, y) = (less(&to.x, &from.x), less(&to.g, &from.g));
        let curvature = dot(&s, &y);
        if curvature > f64::EPSILON * dot(&y, &y).sqrt() * dot(&s, &s).sqrt() {
            if self.pairs.len() == self.most {
                self.pairs.pop_front();
            }
            self.pairs.push_back((s, y, 1.0 / curvature));
        }
    }

    /// Hg by the two loops; between them the preconditioner, scaled to the curvature of the last step.
    fn times(&self, g: &[f64], precond: &dyn Fn(&[f64], &mut [f64])) -> Vec<f64> {
        let mut q = g.to_vec();
        let mut shares = Vec::with_capacity(self.pairs.len());
        for (s, y, inverse) in self.pairs.iter().rev() {
            let share = inverse * dot(s, &q);
            q.iter_mut().zip(y).for_each(|(q, y)| *q -= share * y);
            shares.push(share);
        }
        let mut r = vec![0.0; q.len()];
        precond(&q, &mut r);
        if let Some((_, y, inverse)) = self.pairs.back() {
            let mut hy = vec![0.0; y.len()];
            precond(y, &mut hy);
            let scale = 1.0 / (inverse * dot(y, &hy));
            if scale.is_finite() && scale > 0.0 {
                r.iter_mut().for_each(|r| *r *= scale);
            }
        }
        for ((s, y, inverse), share) in self.pairs.iter().zip(shares.into_iter().rev()) {
            let back = inverse * dot(y, &r);
            r.iter_mut().zip(s).for_each(|(r, s)| *r += (share - back) * s);
        }
        r
    }
}

/// A step along d that fulfils the strong Wolfe conditions, or their approximate form where the value changes by
/// rounding only; and the number of trials. The bracket has a negative slope on its left.
fn search(f: &mut Function, from: &Point, d: &[f64], slope: f64, most: usize) -> Result<(Option<Point>, usize)> {
    let noise = ROUNDING * from.value.abs();
    let (mut low, mut low_slope, mut high, mut high_slope) = (0.0, slope, f64::INFINITY, f64::NAN);
    let (mut step, mut width) = (1.0, f64::INFINITY);
    let mut best: Option<Point> = None;
    for trial in 1..=most {
        let x: Vec<f64> = from.x.iter().zip(d).map(|(x, d)| x + step * d).collect();
        let mut g = vec![0.0; x.len()];
        let value = f(&x, &mut g)?;
        let here = dot(&g, d);
        let finite = value.is_finite() && here.is_finite();
        if finite {
            let decreased = value <= from.value + WOLFE.0 * step * slope;
            let flat = value <= from.value + noise && here <= (2.0 * WOLFE.0 - 1.0) * slope;
            if (decreased || flat) && here.abs() <= WOLFE.1 * slope.abs() {
                return Ok((Some(Point { x, g, value }), trial));
            }
            if decreased && best.as_ref().is_none_or(|b| value < b.value) {
                best = Some(Point { x, g, value });
            }
        }
        if finite && here < 0.0 && value <= from.value + noise {
            (low, low_slope) = (step, here);
        } else {
            (high, high_slope) = (step, if finite { here } else { f64::NAN });
        }
        step = if high.is_infinite() {
            4.0 * step
        } else {
            // the zero of the slope between the two ends, away from both
            let secant = low - low_slope * (high - low) / (high_slope - low_slope);
            let margin = 0.1 * (high - low);
            // where one end is far steeper the zero is near the other end each time: then halves, or tenths of what is far too long
            let slow = high - low > 0.5 * std::mem::replace(&mut width, high - low);
            if high_slope > 0.0 && secant.is_finite() && !slow {
                secant.clamp(low + margin, high - margin)
            } else if low == 0.0 {
                0.1 * high
            } else {
                0.5 * (low + high)
            }
        };
        if high - low <= f64::EPSILON * high {
            return Ok((best, trial));
        }
    }
    Ok((best, most))
}
