//! Preconditioned conjugate gradients for a positive definite operator that is only applied, never stored.

use super::dot;
use crate::watch::Watch;
use crate::{Error, Result};
use std::cell::RefCell;
use std::fmt;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Relative residual ‖b − Ax‖/‖b‖ at which the solution is accepted.
    pub tol: f64,
    /// Largest number of applications of A.
    pub max_iter: usize,
}

impl Default for Params {
    fn default() -> Self {
        Params { tol: 1e-10, max_iter: 1000 }
    }
}

/// Why the iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The tolerance was reached.
    Converged,
    /// The iterations were used up: the solution is the best one found, the residual says how good it is.
    MaxIter,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Converged => "converged",
            Reason::MaxIter => "the iterations were used up",
        })
    }
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    pub iterations: usize,
    /// Applications of A: one for each iteration, and one for a start.
    pub passes: usize,
    /// ‖b − Ax‖ by the recurrence: the norm of the gradient of ½xᵀAx − bᵀx.
    pub gradient: f64,
    /// The same over ‖b‖.
    pub residual: f64,
    pub reason: Reason,
}

impl Report {
    /// In words.
    pub fn how(&self) -> String {
        let Report { iterations, passes, gradient, residual, reason } = self;
        format!(
            "{iterations} iterations, {passes} passes, gradient {gradient:.1e}, residual {residual:.1e}: {reason}"
        )
    }
}

/// A symmetric operator as a function: (v, out) sets out = Av.
pub type Operator<'a> = dyn FnMut(&[f64], &mut [f64]) -> Result<()> + 'a;

/// x with A x = b. `op(v, out)` sets out = Av; `precond(r, out)` sets out ≈ A⁻¹r and must be symmetric positive
/// definite; `watch(iteration, residual)` may stop by an error. One application of each per iteration and four
/// vectors. Sums run in a fixed order: the bits are those of `op` and `precond`.
///
/// Fails when A or the preconditioner is seen not to be positive definite, or when numbers are not finite. Running out
/// of iterations is no failure: see [`Report::reason`].
///
/// ```
/// use orff::linalg::cg::{conjugate_gradient, Params};
/// let mut op = |v: &[f64], out: &mut [f64]| {
///     out.copy_from_slice(&[2.0 * v[0] + v[1], v[0] + 3.0 * v[1]]);
///     Ok(())
/// };
/// let none = |r: &[f64], out: &mut [f64]| out.copy_from_slice(r);
/// let (x, report) = conjugate_gradient(&mut op, &none, &[3.0, 4.0], None, Params::default(), &mut |_, _| Ok(()))?;
/// assert!((x[0] - 1.0).abs() < 1e-14 && (x[1] - 1.0).abs() < 1e-14 && report.iterations <= 2);
/// # Ok::<(), orff::Error>(())
/// ```
pub fn conjugate_gradient(
    op: &mut Operator,
    precond: &dyn Fn(&[f64], &mut [f64]),
    b: &[f64],
    x0: Option<&[f64]>,
    params: Params,
    watch: &mut dyn FnMut(usize, f64) -> Result<()>,
) -> Result<(Vec<f64>, Report)> {
    one(op, precond, b, x0, params, &mut |iteration, residual, _| watch(iteration, residual))
}

/// The same from what the watch has kept, every iterate of which it is given. The operator may look at the watch, too.
pub fn resumed(
    op: &mut Operator,
    precond: &dyn Fn(&[f64], &mut [f64]),
    b: &[f64],
    params: Params,
    watch: &RefCell<&mut dyn Watch>,
) -> Result<(Vec<f64>, Report)> {
    let start = watch.borrow_mut().kept(b.len());
    one(op, precond, b, start.as_deref(), params, &mut |_, _, x| {
        let mut watch = watch.borrow_mut();
        watch.keep(x[0]);
        watch.advance(1)
    })
}

fn one(
    op: &mut Operator,
    precond: &dyn Fn(&[f64], &mut [f64]),
    b: &[f64],
    x0: Option<&[f64]>,
    params: Params,
    watch: &mut Observer,
) -> Result<(Vec<f64>, Report)> {
    let mut all = |_: &[usize], vectors: &[&[f64]]| -> Result<Vec<Vec<f64>>> {
        let mut one = |v: &[f64]| {
            let mut out = vec![0.0; v.len()];
            op(v, &mut out).map(|()| out)
        };
        vectors.iter().map(|v| one(v)).collect()
    };
    let start = x0.map(|x| vec![x.to_vec()]);
    let mut found = conjugate_gradients(&mut all, precond, &[b.to_vec()], start, params, watch)?;
    Ok(found.remove(0))
}

/// Told after each iteration: its number, the largest residual, and x of every system.
pub type Observer<'a> = dyn FnMut(usize, f64, &[&[f64]]) -> Result<()> + 'a;

/// Operators on several vectors at once: (numbers of the systems, v of each) to Av of each.
pub type Operators<'a> = dyn FnMut(&[usize], &[&[f64]]) -> Result<Vec<Vec<f64>>> + 'a;

/// Several systems A_k x_k = b_k side by side, so that those not yet solved share each application of the operators;
/// otherwise as [`conjugate_gradient`].
pub fn conjugate_gradients(
    op: &mut Operators,
    precond: &dyn Fn(&[f64], &mut [f64]),
    b: &[Vec<f64>],
    x0: Option<Vec<Vec<f64>>>,
    params: Params,
    watch: &mut Observer,
) -> Result<Vec<(Vec<f64>, Report)>> {
    let mut columns: Vec<Column> = b.iter().map(|b| Column::new(b)).collect::<Result<_>>()?;
    if let Some(x0) = x0 {
        if x0.len() != b.len() || x0.iter().zip(b).any(|(x, b)| x.len() != b.len()) {
            let given = x0.iter().map(Vec::len).max().unwrap_or(0);
            let expected = b.iter().map(Vec::len).max().unwrap_or(0);
            return Err(Error::shape("start of conjugate gradients", format!("{expected} numbers"), given));
        }
        let solved: Vec<usize> = (0..b.len()).filter(|&k| columns[k].norm > 0.0).collect();
        let starts: Vec<&[f64]> = solved.iter().map(|&k| x0[k].as_slice()).collect();
        for (&k, image) in solved.iter().zip(op(&solved, &starts)?) {
            columns[k].start(&x0[k], &image);
        }
    }
    columns.iter_mut().for_each(|c| c.precondition(precond, None));
    let mut iterations = 0;
    loop {
        if columns.iter().any(|c| !c.residual.is_finite()) {
            return Err(broken("the residual is not finite"));
        }
        let left: Vec<usize> = (0..columns.len()).filter(|&k| columns[k].residual > params.tol).collect();
        if left.is_empty() || iterations == params.max_iter {
            let report = |c: Column| {
                let reason = if c.residual > params.tol { Reason::MaxIter } else { Reason::Converged };
                let (iterations, passes) = (c.iterations, c.iterations + usize::from(c.started));
                let (gradient, residual) = (c.residual * c.norm, c.residual);
                (c.x, Report { iterations, passes, gradient, residual, reason })
            };
            return Ok(columns.into_iter().map(report).collect());
        }
        if left.iter().any(|&k| !(columns[k].rz > 0.0 && columns[k].rz.is_finite())) {
            return Err(broken("the preconditioner is not positive definite"));
        }
        let vectors: Vec<&[f64]> = left.iter().map(|&k| columns[k].p.as_slice()).collect();
        let images = op(&left, &vectors)?;
        for (&k, ap) in left.iter().zip(images) {
            columns[k].step(&ap, precond)?;
        }
        iterations += 1;
        let residual = left.iter().map(|&k| columns[k].residual).fold(0.0, f64::max);
        watch(iterations, residual, &columns.iter().map(|c| c.x.as_slice()).collect::<Vec<_>>())?;
    }
}

/// One system under way.
struct Column {
    norm: f64,
    x: Vec<f64>,
    r: Vec<f64>,
    z: Vec<f64>,
    p: Vec<f64>,
    rz: f64,
    residual: f64,
    iterations: usize,
    /// Whether it began elsewhere than at zero.
    started: bool,
}

impl Column {
    fn new(b: &[f64]) -> Result<Self> {
        let (n, norm) = (b.len(), dot(b, b).sqrt());
        if !norm.is_finite() {
            return Err(broken("the right-hand side is not finite"));
        }
        let zero = vec![0.0; n];
        let residual = if norm > 0.0 { 1.0 } else { 0.0 };
        let (x, r, p) = (zero.clone(), b.to_vec(), Vec::new());
        Ok(Column { norm, x, r, z: zero, p, rz: 0.0, residual, iterations: 0, started: false })
    }

    fn start(&mut self, x: &[f64], image: &[f64]) {
        self.started = true;
        self.x.copy_from_slice(x);
        axpy(-1.0, image, &mut self.r);
        self.residual = dot(&self.r, &self.r).sqrt() / self.norm;
    }

    /// The next direction from the residual, conjugate to the last one if there was one.
    fn precondition(&mut self, precond: &dyn Fn(&[f64], &mut [f64]), last: Option<f64>) {
        precond(&self.r, &mut self.z);
        self.rz = dot(&self.r, &self.z);
        match last {
            None => self.p = self.z.clone(),
            Some(last) => {
                let beta = self.rz / last;
                self.p.iter_mut().zip(&self.z).for_each(|(p, z)| *p = z + beta * *p);
            }
        }
    }

    fn step(&mut self, ap: &[f64], precond: &dyn Fn(&[f64], &mut [f64])) -> Result<()> {
        let curvature = dot(&self.p, ap);
        if !(curvature > 0.0 && curvature.is_finite()) {
            return Err(broken("the operator is not positive definite to rounding (raise the ridge)"));
        }
        let (step, last) = (self.rz / curvature, self.rz);
        axpy(step, &self.p, &mut self.x);
        axpy(-step, ap, &mut self.r);
        self.precondition(precond, Some(last));
        self.iterations += 1;
        self.residual = dot(&self.r, &self.r).sqrt() / self.norm;
        Ok(())
    }
}

/// y += a·x.
fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

fn broken(why: &str) -> Error {
    Error::numerical("conjugate gradients", why)
}
