//! Preconditioned conjugate gradients for a positive definite operator that is only applied, never stored.

use super::dot;
use crate::{Error, Result};

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

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    pub iterations: usize,
    /// ‖b − Ax‖/‖b‖ by the recurrence.
    pub residual: f64,
    pub reason: Reason,
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
    let n = b.len();
    if let Some(x0) = x0
        && x0.len() != n
    {
        return Err(Error::shape("start of conjugate gradients", format!("{n} numbers"), x0.len()));
    }
    let norm_b = dot(b, b).sqrt();
    if !norm_b.is_finite() {
        return Err(broken("the right-hand side is not finite"));
    }
    if norm_b == 0.0 {
        return Ok((vec![0.0; n], Report { iterations: 0, residual: 0.0, reason: Reason::Converged }));
    }

    let mut x = vec![0.0; n];
    let mut r = b.to_vec();
    let mut ap = vec![0.0; n];
    if let Some(x0) = x0 {
        x.copy_from_slice(x0);
        op(&x, &mut ap)?;
        axpy(-1.0, &ap, &mut r);
    }
    let mut z = vec![0.0; n];
    precond(&r, &mut z);
    let mut p = z.clone();
    let mut rz = dot(&r, &z);
    let mut residual = dot(&r, &r).sqrt() / norm_b;
    let mut iterations = 0;
    loop {
        if !residual.is_finite() {
            return Err(broken("the residual is not finite"));
        }
        if residual <= params.tol {
            return Ok((x, Report { iterations, residual, reason: Reason::Converged }));
        }
        if iterations == params.max_iter {
            return Ok((x, Report { iterations, residual, reason: Reason::MaxIter }));
        }
        if !(rz > 0.0 && rz.is_finite()) {
            return Err(broken("the preconditioner is not positive definite"));
        }
        op(&p, &mut ap)?;
        let curvature = dot(&p, &ap);
        if !(curvature > 0.0 && curvature.is_finite()) {
            return Err(broken("the operator is not positive definite to rounding (raise the ridge)"));
        }
        let step = rz / curvature;
        axpy(step, &p, &mut x);
        axpy(-step, &ap, &mut r);
        precond(&r, &mut z);
        let rz_next = dot(&r, &z);
        let beta = rz_next / rz;
        for (p, z) in p.iter_mut().zip(&z) {
            *p = z + beta * *p;
        }
        rz = rz_next;
        iterations += 1;
        residual = dot(&r, &r).sqrt() / norm_b;
        watch(iterations, residual)?;
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
