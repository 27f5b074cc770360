//! One ridge by conjugate gradients on the moments: each product is lift, M×M times M×p, lower. No K×K matrix.

use super::penalty::penalties;
use super::{Centred, Solution, system};
use crate::error::{Error, Result};
use crate::feature::FeatureMap;
use crate::linalg::{self, cg};
use crate::watch::Watch;
use faer::Mat;
use std::cell::RefCell;

/// Solves for one ridge with products through the moments only; `data` and `metric` as for [`super::System::new`].
/// Cost M²p per iteration, memory K. Used where K is too large for a factorisation (div-free in many dimensions).
pub fn solve_iterative(
    map: &FeatureMap,
    data: &[Centred],
    metric: Option<&Mat<f64>>,
    ridge: f64,
    params: cg::Params,
    watch: &mut dyn Watch,
) -> Result<Solution> {
    system::agree(map, data)?;
    let p = map.atoms().outputs();
    let white = metric.map(|m| system::whitener(m, p)).transpose()?;
    if white.is_some() && data.len() != 1 {
        return Err(system::incomplete_metric());
    }
    // Σ⁻¹ = L⁻ᵀL⁻¹: residuals become L⁻ᵀL⁻¹ of themselves before they are lowered \[metric\]
    let precision = white.as_ref().map(|(inverse, _)| inverse.transpose() * inverse); // p×p
    let lower = |g: Mat<f64>| match &precision {
        None => map.lower(g.as_ref()),
        Some(precision) => map.lower(linalg::product(g.as_ref(), precision.as_ref()).as_ref()),
    };
    let shift = data[0].rows * ridge;
    let of = |t: usize| if data.len() == 1 { &data[0] } else { &data[t] };
    let m = map.characters();
    let right = lower(Mat::from_fn(m, p, |i, t| of(t).cy[(i, t)]));

    let mut op = |theta: &[f64], out: &mut [f64]| -> Result<()> {
        let z = map.lift(theta);
        let mut g = Mat::zeros(m, p);
        if data.len() == 1 {
            linalg::add_tn(g.as_mut(), data[0].cc.as_ref(), z.as_ref()); // cc is symmetric
        } else {
            for (t, one) in data.iter().enumerate() {
                linalg::add_tn(g.as_mut().subcols_mut(t, 1), one.cc.as_ref(), z.subcols(t, 1));
            }
        }
        let lowered = lower(g);
        out.iter_mut().zip(lowered).zip(theta).for_each(|((o, a), x)| *o = a + shift * x);
        Ok(())
    };
    // Jacobi: diagonal Σ_t (L⁻¹f_i)_t² cc_t[m,m] + nλ; the factors come one character at a time
    let diagonal = diagonal(map, white.as_ref().map(|w| &w.0), &|i, t| of(t).cc[(i, i)], shift);
    let precondition =
        |r: &[f64], out: &mut [f64]| out.iter_mut().zip(r).zip(&diagonal).for_each(|((o, r), d)| *o = r / d);
    watch.stage("solve");
    let (theta, report) = cg::resumed(&mut op, &precondition, &right, params, &RefCell::new(watch))?;
    settled(&report)?;
    Ok(Solution {
        table: map.lift(&theta),
        spread: None,
        freedom: None,
        penalty: penalties(map, white.as_ref(), &theta, shift, &(0..p).map(|t| of(t).count).collect::<Vec<_>>())?,
        posterior: None,
        how: format!("conjugate gradients on {} unknowns, {}", theta.len(), report.how()),
        iterations: report.iterations.max(1),
    })
}

/// Refuses a solution that is none.
pub(super) fn settled(report: &cg::Report) -> Result<()> {
    if report.reason == cg::Reason::Converged || report.residual <= 1e-4 {
        return Ok(());
    }
    Err(Error::numerical(
        "conjugate gradients",
        format!(
            "stopped after {} iterations at a relative residual of {:.1e}; raise the ridge or allow more",
            report.iterations, report.residual
        ),
    ))
}

/// Σ_t f_kt² cc(m, t) + shift for each unknown k of character m, whose factors f are turned by a matrix (p×p) if it is
/// given.
pub(super) fn diagonal(
    map: &FeatureMap,
    turn: Option<&Mat<f64>>,
    cc: &dyn Fn(usize, usize) -> f64,
    shift: f64,
) -> Vec<f64> {
    let mut diagonal = Vec::with_capacity(map.unknowns());
    map.each_factor(|m, amplitude, b| {
        let turned = turn.map(|turn| turn * b);
        let b = turned.as_ref().unwrap_or(b);
        for k in 0..b.ncols() {
            let sum: f64 = (0..b.nrows()).map(|t| b[(t, k)] * b[(t, k)] * cc(m, t)).sum();
            diagonal.push((amplitude * amplitude * sum + shift).max(f64::MIN_POSITIVE));
        }
    });
    diagonal
}
