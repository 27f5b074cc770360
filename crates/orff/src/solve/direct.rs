//! One ridge by Cholesky.

use super::{Correct, Shape, Solution, Spread, System};
use crate::error::{Error, Result};
use crate::feature::FeatureMap;
use crate::linalg::{self, Cholesky};
use faer::Mat;

/// Solves the system for one ridge λ > 0 by a Cholesky factorisation per distinct matrix G + (nλ/s²)I.
/// Cost K³/3 each, and as much again twice over for the posterior.
pub fn solve_direct(map: &FeatureMap, system: &System, ridge: f64, posterior: bool) -> Result<Solution> {
    solve_in_place(map, system.clone(), ridge, posterior, &mut |_, _| Ok(None))
}

/// The same in the place of the system's matrices, and corrected.
pub(crate) fn solve_in_place(
    map: &FeatureMap,
    mut system: System,
    ridge: f64,
    posterior: bool,
    correct: Correct,
) -> Result<Solution> {
    if ridge <= 0.0 {
        return Err(Error::refused("ridge 0 by Cholesky", "the system may be singular; the eigen solver handles it"));
    }
    let count = system.components.len();
    let (mut freedom, mut spreads) = (vec![0.0; count], Vec::new());
    let unknowns = system.groups.first().map_or(0, Mat::nrows);
    let mut left: Vec<usize> = (0..count).collect();
    let mut factors: Vec<(Cholesky, Vec<usize>, f64)> = Vec::new();
    while let Some(&first) = left.first() {
        // components with one matrix share its factor
        let (g, mu) = (system.components[first].group, system.rows * ridge / system.components[first].s2);
        let alike = |k: &usize| {
            let c = &system.components[*k];
            c.group == g && (system.rows * ridge / c.s2 - mu).abs() <= 1e-13 * mu
        };
        let (members, rest): (Vec<usize>, Vec<usize>) = left.into_iter().partition(alike);
        left = rest;
        let last = !left.iter().any(|&k| system.components[k].group == g);
        let mut matrix =
            if last { std::mem::replace(&mut system.groups[g], Mat::new()) } else { system.groups[g].clone() };
        (0..matrix.nrows()).for_each(|i| matrix[(i, i)] += mu);
        factors.push((Cholesky::in_place(matrix)?, members, mu));
    }
    let mut solutions = solve_all(&system, &factors)?;
    while let Some(better) = correct(&system, &solutions)? {
        system.components.iter_mut().zip(better).for_each(|(c, rhs)| c.rhs = rhs);
        solutions = solve_all(&system, &factors)?;
    }
    if posterior {
        for (group, (cholesky, members, mu)) in factors.into_iter().enumerate() {
            // R = L⁻ᵀ: R Rᵀ is the inverse
            let n = cholesky.order();
            let inverse = cholesky.half_solve(Mat::<f64>::identity(n, n).as_ref())?;
            drop(cholesky);
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
        }
    }
    let table = system.table(map, &solutions);
    if !linalg::is_finite(table.as_ref()) {
        return Err(Error::numerical("ridge", "the solution is not finite; raise the ridge"));
    }
    Ok(Solution {
        freedom: posterior.then(|| system.freedom(&freedom)),
        penalty: system.penalty(&solutions, ridge),
        spread: system.spread(&solutions, ridge),
        table,
        posterior: posterior.then_some(spreads),
        how: format!("Cholesky of {unknowns} unknowns"),
        iterations: 1,
    })
}

/// The solution of each component with the factor it shares.
fn solve_all(system: &System, factors: &[(Cholesky, Vec<usize>, f64)]) -> Result<Vec<Vec<f64>>> {
    let mut solutions = vec![Vec::new(); system.components.len()];
    for (cholesky, members, _) in factors {
        let rhs = Mat::from_fn(cholesky.order(), members.len(), |i, j| system.components[members[j]].rhs[i]);
        let solved = cholesky.solve_factored(rhs.as_ref())?;
        members.iter().enumerate().for_each(|(j, &k)| solutions[k] = solved.col(j).iter().copied().collect());
    }
    Ok(solutions)
}
