//! One ridge by Cholesky.

use super::{Shape, Solution, Spread, System};
use crate::error::{Error, Result};
use crate::feature::FeatureMap;
use crate::linalg::{self, Cholesky};
use faer::{Mat, MatRef};

/// Solves the system for one ridge λ > 0 by a Cholesky factorisation per distinct matrix G + (nλ/s²)I.
/// Cost K³/3 each, and as much again twice over for the posterior.
pub fn solve_direct(map: &FeatureMap, system: &System, ridge: f64, posterior: bool) -> Result<Solution> {
    if ridge <= 0.0 {
        return Err(Error::refused("ridge 0 by Cholesky", "the system may be singular; the eigen solver handles it"));
    }
    let mut factored: Vec<(usize, f64, Cholesky, Option<f64>)> = Vec::new();
    let (mut solutions, mut freedom, mut spreads) = (Vec::new(), Vec::new(), Vec::new());
    for (k, c) in system.components.iter().enumerate() {
        let mu = system.rows * ridge / c.s2;
        let mut matrix = system.groups[c.group].clone();
        let n = matrix.nrows();
        (0..n).for_each(|i| matrix[(i, i)] += mu);
        let known = factored.iter().position(|(g, m, ..)| *g == c.group && (m - mu).abs() <= 1e-15 * mu);
        let at = match known {
            Some(at) => at,
            None => {
                factored.push((c.group, mu, Cholesky::new(matrix.as_ref())?, None));
                factored.len() - 1
            }
        };
        let rhs = MatRef::from_column_major_slice(&c.rhs, n, 1);
        let g = factored[at].2.solve(Some(matrix.as_ref()), rhs)?;
        solutions.push((0..n).map(|i| g[(i, 0)]).collect::<Vec<f64>>());
        if posterior {
            let mut root = None;
            if factored[at].3.is_none() {
                // R = L⁻ᵀ: R Rᵀ is the inverse
                let inverse = factored[at].2.half_solve(Mat::<f64>::identity(n, n).as_ref())?;
                let trace: f64 = (0..n).map(|j| inverse.col(j).iter().map(|v| v * v).sum::<f64>()).sum();
                factored[at].3 = Some(trace);
                root = Some(inverse.transpose().to_owned());
            }
            freedom.push(n as f64 - mu * factored[at].3.unwrap_or(0.0));
            let direction = match &system.shape {
                Shape::Directions { u, .. } => Some((0..u.nrows()).map(|t| u[(t, k)]).collect()),
                Shape::Lifted => None,
            };
            spreads.push(Spread { group: at, root, scale: vec![1.0; n], direction });
        }
    }
    let table = system.table(map, &solutions);
    let outputs = table.ncols();
    if !linalg::is_finite(table.as_ref()) {
        return Err(Error::numerical("ridge", "the solution is not finite; raise the ridge"));
    }
    let n = system.groups.first().map_or(0, Mat::nrows);
    Ok(Solution {
        freedom: posterior.then(|| system.freedom(outputs, &freedom)),
        table,
        posterior: posterior.then_some(spreads),
        how: format!("Cholesky of {n} unknowns"),
        iterations: 1,
    })
}
