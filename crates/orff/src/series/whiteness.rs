//! Whether residuals still tell something of each other.

use crate::linalg::{self, Cholesky};
use crate::special::gamma_tail;
use faer::Mat;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Rows whose products are taken at a time.
const NEAR: usize = 2048;

/// Autocorrelations of residuals and tests of whiteness. \[portmanteau\]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Whiteness {
    /// Autocorrelation of each variable (p) at the lags 1, 2, ….
    pub autocorrelation: Vec<Vec<f64>>,
    /// Ljung and Box's statistic of each variable (p).
    pub ljung_box: Vec<f64>,
    /// Their p-values.
    pub ljung_box_p: Vec<f64>,
    /// The statistic of all variables at once (Hosking's, adjusted for short series), if there is one.
    pub portmanteau: Option<f64>,
    /// Its p-value.
    pub portmanteau_p: Option<f64>,
    /// Degrees of freedom of the statistic of all.
    pub freedom: usize,
    /// Residuals looked at.
    pub rows: usize,
}

impl Whiteness {
    /// Of residuals of members (each n×p, NaN where there is none), up to some lag, of a model that looks back `order` rows.
    pub fn of(members: &[Mat<f64>], lags: usize, order: usize) -> Self {
        let p = members.first().map_or(0, Mat::ncols);
        let known: Vec<Vec<bool>> = members.iter().map(complete).collect();
        let rows = known.iter().flatten().filter(|known| **known).count();
        if rows < 2 || p == 0 || lags == 0 {
            return Whiteness::default();
        }
        let n = rows as f64;
        let sum = |m: &Mat<f64>, known: &[bool], t: usize| -> f64 {
            linalg::column(m.as_ref(), t).iter().zip(known).map(|(v, known)| if *known { *v } else { 0.0 }).sum()
        };
        let all = |t: usize| members.iter().zip(&known).map(|(m, known)| sum(m, known, t)).sum::<f64>();
        let mean: Vec<f64> = (0..p).into_par_iter().map(|t| all(t) / n).collect();
        // C_h = Σ r_t r_{t−h}ᵀ/n (p×p), of some rows at a time: they are near for all lags
        let mut sums = vec![Mat::zeros(p, p); lags + 1];
        for (m, known) in members.iter().zip(&known) {
            for from in (0..m.nrows()).step_by(NEAR) {
                let (first, to) = (from.saturating_sub(lags), (from + NEAR).min(m.nrows()));
                let mut r = linalg::less(m.subrows(first, to - first), &mean);
                // a residual that is not known counts for nothing
                (first..to).filter(|&i| !known[i]).for_each(|i| r.row_mut(i - first).fill(0.0));
                sums.par_iter_mut().enumerate().filter(|(h, _)| *h < to).for_each(|(h, c)| {
                    let start = from.max(h);
                    let rows = |at: usize| r.subrows(at - first, to - start);
                    linalg::add_tn(c.as_mut(), rows(start), rows(start - h));
                });
            }
        }
        let covariance = |h: usize| faer::Scale(1.0 / n) * &sums[h];
        let zero = covariance(0);
        let factor = Cholesky::new(zero.as_ref()).ok();
        let (mut autocorrelation, mut box_sums, mut total) = (Vec::new(), vec![0.0; p], 0.0);
        for h in 1..=lags {
            let c = covariance(h);
            let rho = |t: usize| if zero[(t, t)] > 0.0 { c[(t, t)] / zero[(t, t)] } else { 0.0 };
            let left = (n - h as f64).max(1.0);
            (0..p).for_each(|t| box_sums[t] += rho(t) * rho(t) / left);
            autocorrelation.push((0..p).map(rho).collect());
            // tr(C_hᵀ C_0⁻¹ C_h C_0⁻¹) = ‖L⁻¹ C_h L⁻ᵀ‖²
            let white = factor.as_ref().and_then(|l| {
                let half = l.half_solve(c.as_ref()).ok()?;
                l.half_solve(half.transpose()).ok()
            });
            total += white.map_or(f64::NAN, |w| w.squared_norm_l2() / left);
        }
        let ljung_box: Vec<f64> = box_sums.iter().map(|s| n * (n + 2.0) * s).collect();
        let own = lags.saturating_sub(order);
        let freedom = p * p * own;
        let tail = |statistic: f64, freedom: usize| {
            if freedom == 0 { f64::NAN } else { gamma_tail(0.5 * freedom as f64, 0.5 * statistic) }
        };
        let portmanteau = Some(n * n * total).filter(|q| q.is_finite() && freedom > 0);
        Whiteness {
            ljung_box_p: ljung_box.iter().map(|q| tail(*q, lags)).collect(),
            portmanteau_p: portmanteau.map(|q| tail(q, freedom)),
            autocorrelation,
            ljung_box,
            portmanteau,
            freedom,
            rows,
        }
    }
}

/// Which rows have all their values.
pub(super) fn complete(rows: &Mat<f64>) -> Vec<bool> {
    let mut known = vec![true; rows.nrows()];
    for k in 0..rows.ncols() {
        let column = linalg::column(rows.as_ref(), k);
        column.iter().zip(&mut known).for_each(|(v, known)| *known &= v.is_finite());
    }
    known
}

/// The covariance of complete rows (n×p) about their mean, with n − spent degrees of freedom left (p×p).
pub(crate) fn covariance(rows: &Mat<f64>, spent: f64) -> Mat<f64> {
    let (n, p) = (rows.nrows(), rows.ncols());
    let sum = |t: usize| linalg::folds(linalg::column(rows.as_ref(), t), 0.0, |sum, v| sum + v).iter().sum::<f64>();
    let mean: Vec<f64> = (0..p).map(|t| sum(t) / n.max(1) as f64).collect();
    let mut sum = Mat::zeros(p, p);
    for from in (0..n).step_by(NEAR) {
        let centred = linalg::less(rows.subrows(from, (n - from).min(NEAR)), &mean);
        linalg::add_tn(sum.as_mut(), centred.as_ref(), centred.as_ref());
    }
    let left = (n as f64 - spent).max(0.1 * n as f64).max(1.0);
    faer::Scale(1.0 / left) * sum
}
