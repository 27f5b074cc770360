//! Ridge regression by conjugate gradients over the rows: no moments, no K×K matrix, every entry with its own weight.
//! \[rowwise\]

use super::Preconditioner;
use crate::error::{Error, Result};
use crate::feature::{Design, Seen, sweep};
use crate::linalg::cg;
use crate::watch::Watch;
use faer::Mat;

/// What is solved, and when to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// λ > 0.
    pub ridge: f64,
    /// Whether b is learned; it is not penalised.
    pub offset: bool,
    /// Relative residual at which a solution is accepted.
    pub tol: f64,
    /// Most iterations, each a pass over the rows.
    pub max_iter: usize,
    /// Probes of the [`Preconditioner`]; 0 for none.
    pub rank: usize,
}

impl Default for Params {
    fn default() -> Self {
        Params { ridge: 1e-3, offset: true, tol: 1e-11, max_iter: 1000, rank: 256 }
    }
}

/// The solution for one set of outputs.
#[derive(Clone, Debug)]
pub struct Rowwise {
    /// θ (K).
    pub theta: Vec<f64>,
    /// Z = lift(θ) (M×p).
    pub table: Mat<f64>,
    /// b (p), zeros without offset.
    pub offset: Vec<f64>,
    pub report: cg::Report,
    /// Passes over the rows, for all sets together.
    pub passes: usize,
}

/// Minimises (1/W)Σw(f − y)² + λ‖θ‖² over the observed entries, f = Φᵀθ + b. Rows may have q sets of p outputs side by
/// side: each is a problem of its own, with its own missing entries, and all share the passes. Cost of a sweep with
/// p columns per iteration and unsolved set; memory K·(5q + rank).
pub fn solve_rowwise(design: &dyn Design, params: Params, watch: &mut dyn Watch) -> Result<Vec<Rowwise>> {
    if !(params.ridge > 0.0 && params.ridge.is_finite()) {
        return Err(Error::parameter("ridge", "a number > 0", params.ridge));
    }
    let basis = design.basis();
    let (m, p) = basis.shape();
    let k = basis.lower(Mat::zeros(m, p).as_ref()).len();
    watch.stage("precondition");
    let preconditioner = match params.rank {
        0 => None,
        rank => Some(Preconditioner::new(design, params.ridge, rank, params.offset, watch)?),
    };
    let mut passes = preconditioner.as_ref().map_or(0, |p| p.passes);
    watch.stage("solve");
    let (right, weights) = right_sides(design, params.offset, watch)?;
    passes += 1;

    let mut op = |sets: &[usize], vectors: &[&[f64]]| -> Result<Vec<Vec<f64>>> {
        let width = sets.len() * p;
        let mut table = Mat::zeros(m, width);
        let mut offset = vec![0.0; width];
        for (j, x) in vectors.iter().enumerate() {
            table.as_mut().subcols_mut(j * p, p).copy_from(basis.lift(&x[..k]));
            offset[j * p..(j + 1) * p].iter_mut().zip(&x[k..]).for_each(|(b, x)| *b = *x);
        }
        let swept = sweep(design, table.as_ref(), &offset, watch, &mut |seen, mut f| {
            for (j, set) in sets.iter().enumerate() {
                for t in 0..p {
                    (0..f.nrows()).for_each(|i| f[(i, j * p + t)] *= seen.weight(i, set * p + t));
                }
            }
            Ok(())
        })?;
        passes += 1;
        let one = |(j, set): (usize, &usize)| {
            let mut out = basis.lower(swept.gradient.subcols(j * p, p));
            out.extend(swept.total[j * p..(j + 1) * p].iter().take(vectors[j].len() - k));
            out.iter_mut().for_each(|o| *o /= weights[*set]);
            out[..k].iter_mut().zip(vectors[j]).for_each(|(o, x)| *o += params.ridge * x);
            out
        };
        Ok(sets.iter().enumerate().map(one).collect())
    };
    let precond = |r: &[f64], out: &mut [f64]| match &preconditioner {
        Some(by) => by.apply(r, out),
        None => out.copy_from_slice(r),
    };
    let limits = cg::Params { tol: params.tol, max_iter: params.max_iter };
    let found = cg::conjugate_gradients(&mut op, &precond, &right, None, limits, &mut |_, _| Ok(()))?;
    let fit = |(x, report): (Vec<f64>, cg::Report)| {
        let mut offset = x[k..].to_vec();
        offset.resize(p, 0.0);
        Rowwise { table: basis.lift(&x[..k]), theta: x[..k].to_vec(), offset, report, passes }
    };
    Ok(found.into_iter().map(fit).collect())
}

/// (1/W)(ΣwΦy, Σwy) of each set of outputs, and W.
fn right_sides(design: &dyn Design, offset: bool, watch: &mut dyn Watch) -> Result<(Vec<Vec<f64>>, Vec<f64>)> {
    let (m, p) = design.basis().shape();
    let mut sums: Option<(Mat<f64>, Vec<f64>, Vec<f64>)> = None;
    design.pass(watch, &mut |seen| {
        let width = seen.outputs.ncols();
        if width == 0 || width % p != 0 {
            return Err(Error::shape("outputs", format!("{p} columns, or several times as many"), width));
        }
        let (gradient, total, weights) =
            sums.get_or_insert_with(|| (Mat::zeros(m, width), vec![0.0; width], vec![0.0; width / p]));
        let mut right = Mat::zeros(seen.outputs.nrows(), width);
        for i in 0..right.nrows() {
            for t in 0..width {
                right[(i, t)] = weighted(seen, i, t)?;
                total[t] += right[(i, t)];
            }
            for (set, weight) in weights.iter_mut().enumerate() {
                let seen: Vec<f64> = (0..p).map(|t| seen.weight(i, set * p + t)).filter(|w| *w > 0.0).collect();
                *weight += seen.iter().sum::<f64>() / seen.len().max(1) as f64;
            }
        }
        crate::linalg::add_tn(gradient.as_mut(), seen.characters, right.as_ref());
        Ok(())
    })?;
    let (gradient, total, weights) = sums.ok_or_else(|| Error::Data("there are no rows".into()))?;
    if weights.iter().any(|w| *w <= 0.0) {
        return Err(Error::Data("no row counts: every weight is zero, or no output was observed".into()));
    }
    let one = |(set, weight): (usize, &f64)| {
        let mut right = design.basis().lower(gradient.subcols(set * p, p));
        if offset {
            right.extend(&total[set * p..(set + 1) * p]);
        }
        right.iter_mut().for_each(|r| *r /= weight);
        right
    };
    Ok((weights.iter().enumerate().map(one).collect(), weights))
}

/// w·y of an entry, 0 where it was not observed.
fn weighted(seen: &Seen, i: usize, t: usize) -> Result<f64> {
    let (w, y) = (seen.weight(i, t), seen.outputs[(i, t)]);
    if !(w.is_finite() && w >= 0.0) {
        return Err(Error::parameter("weights", "finite numbers ≥ 0", w));
    }
    if y.is_infinite() {
        let problem = "is no output: expected a finite number, or NaN where not observed".into();
        return Err(Error::Value {
            row: seen.first + i + 1,
            column: format!("output {}", t + 1),
            value: y.to_string(),
            problem,
        });
    }
    Ok(if w > 0.0 { w * y } else { 0.0 })
}
