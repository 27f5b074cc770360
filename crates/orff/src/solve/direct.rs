//! One ridge by Cholesky.

use super::{Shape, Solution, Spread, System};
use crate::error::{Error, Result};
use crate::feature::FeatureMap;
use crate::linalg::{self, Cholesky};
use faer::Mat;

/// Solves the system for one ridge λ > 0 by a Cholesky factorisation per distinct matrix G + (nλ/s²)I.
/// Cost K³/3 each, and as much again twice over for the posterior.
pub fn solve_direct(map: &FeatureMap, system: &System, ridge: f64, posterior: bool) -> Result<Solution> {
    if ridge <= 0.0 {
        return Err(Error::refused("ridge 0 by Cholesky", "the system may be singular; the eigen solver handles it"));
    }
    let count = system.components.len();
    let (mut solutions, mut freedom, mut spreads) = (vec![Vec::new(); count], vec![0.0; count], Vec::new());
    let mut left: Vec<usize> = (0..count).collect();
    let mut group = 0;
    while let Some(&first) = left.first() {
        // components with one matrix share its factor
        let (g, mu) = (system.components[first].group, system.rows * ridge / system.components[first].s2);
        let alike = |k: &usize| {
            let c = &system.components[*k];
            c.group == g && (system.rows * ridge / c.s2 - mu).abs() <= 1e-13 * mu
        };
        let (members, rest): (Vec<usize>, Vec<usize>) = left.into_iter().partition(alike);
        left = rest;
        let mut matrix = system.groups[g].clone();
        let n = matrix.nrows();
        (0..n).for_each(|i| matrix[(i, i)] += mu);
        let cholesky = Cholesky::new(matrix.as_ref())?;
        let rhs = Mat::from_fn(n, members.len(), |i, j| system.components[members[j]].rhs[i]);
        let solved = cholesky.solve(Some(matrix.as_ref()), rhs.as_ref())?;
        members.iter().enumerate().for_each(|(j, &k)| solutions[k] = solved.col(j).iter().copied().collect());
        if posterior {
            // R = L⁻ᵀ: R Rᵀ is the inverse
            let inverse = cholesky.half_solve(Mat::<f64>::identity(n, n).as_ref())?;
            let trace: f64 = (0..n).map(|j| inverse.col(j).iter().map(|v| v * v).sum::<f64>()).sum();
            let mut root = Some(inverse.transpose().to_owned());
            for k in members {
                freedom[k] = n as f64 - mu * trace;
                let direction = match &system.shape {
                    Shape::Directions { u, .. } => Some(u.col(k).iter().copied().collect()),
                    Shape::Lifted => None,
                };
                spreads.push(Spread { group, root: root.take(), scale: vec![1.0; n], direction });
            }
            group += 1;
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
