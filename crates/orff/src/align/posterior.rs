//! Distributions over atoms that balance their alignment losses against the distance to the prior. \[pseudo-posterior\]

use super::divergence::log_power_divergence;
use crate::error::{Error, Result};

/// q ∝ p exp(−tL): the minimiser of Σ qL + KL(q‖p)/t over all q (L19 (11), (12) and (19), t = β√n).
///
/// ```
/// use orff::align::{gibbs, kullback_leibler};
/// let (p, losses, t) = ([0.2, 0.3, 0.5], [0.6, 0.4, 0.5], 3.0);
/// let q = gibbs(&p, &losses, t);
/// let value = |q: &[f64]| q.iter().zip(&losses).map(|(q, l)| q * l).sum::<f64>() + kullback_leibler(q, &p) / t;
/// let mean: f64 = p.iter().zip(&losses).map(|(p, l): (&f64, &f64)| p * (-t * l).exp()).sum();
/// assert!((value(&q) + mean.ln() / t).abs() < 1e-15); // the minimum is −ln E_p[exp(−tL)]/t
/// ```
pub fn gibbs(prior: &[f64], losses: &[f64], t: f64) -> Vec<f64> {
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let t = t.min(f64::MAX); // the least loss counts, whatever t
    let q: Vec<f64> = prior.iter().zip(losses).map(|(p, l)| p * libm::exp(-t * (l - least))).collect();
    normalised(q)
}

/// The minimiser of Σ qL over all q with D_μ(q‖p) ≤ ρ (Sinha and Duchi 2016; L19 (17) and (18)): q ∝ p(η − L)₊^{1/(μ−1)}, η
/// by bisection. Where ρ is at least P^{1−μ} − 1, P the prior mass of the atoms of least loss, q is the prior on these.
///
/// The Lagrangian's stationarity Lₘ + κμ(qₘ/pₘ)^{μ−1} = η (≥ where qₘ = 0) gives the form; D_μ falls from P^{1−μ} − 1 to 0 as
/// η grows from the least loss to infinity. Cost N for each of some hundred steps.
///
/// ```
/// use orff::align::{power_divergence, within};
/// let (p, losses) = ([0.25; 4], [0.1, 0.4, 0.5, 0.8]);
/// let q = within(&p, &losses, 2.0, 0.3)?;
/// assert!((power_divergence(&q, &p, 2.0) - 0.3).abs() < 1e-12); // the constraint is met with equality
/// assert_eq!(within(&p, &losses, 2.0, 3.0)?, [1.0, 0.0, 0.0, 0.0]); // all mass on the best
/// # Ok::<(), orff::Error>(())
/// ```
pub fn within(prior: &[f64], losses: &[f64], mu: f64, rho: f64) -> Result<Vec<f64>> {
    if !(rho.is_finite() && rho >= 0.0) {
        return Err(Error::parameter("divergence", "a number ≥ 0", rho));
    }
    within_log(prior, losses, mu, libm::log1p(rho))
}

/// The same with ln(1 + ρ) for ρ, which large powers μ take beyond the largest number.
pub fn within_log(prior: &[f64], losses: &[f64], mu: f64, log: f64) -> Result<Vec<f64>> {
    if !(mu.is_finite() && mu > 1.0) {
        return Err(Error::parameter("method", "a number > 1 (the power of the divergence)", mu));
    }
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let most = losses.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if log <= 0.0 || most <= least {
        return Ok(normalised(prior.to_vec()));
    }
    // u in 0…1, and q ∝ p(1 − u/s)₊^{1/(μ−1)}
    let u: Vec<f64> = losses.iter().map(|l| (l - least) / (most - least)).collect();
    let mass: f64 = prior.iter().sum();
    let best: f64 = prior.iter().zip(&u).filter(|(_, u)| **u == 0.0).map(|(p, _)| p).sum::<f64>() / mass;
    if best > 0.0 && log >= (1.0 - mu) * best.ln() {
        return Ok(normalised(prior.iter().zip(&u).map(|(p, u)| if *u == 0.0 { *p } else { 0.0 }).collect()));
    }
    let power = 1.0 / (mu - 1.0);
    let ratio = |u: f64, s: f64| if u < s { libm::exp(power * libm::log1p(-u / s)) } else { 0.0 };
    let before = normalised(prior.to_vec());
    let at = |s: f64| normalised(before.iter().zip(&u).map(|(p, u)| p * ratio(*u, s)).collect());
    let far = |s: f64| log_power_divergence(&at(s), &before, mu);
    let mut low = u.iter().copied().filter(|u| *u > 0.0).fold(f64::INFINITY, f64::min);
    let mut high = 2.0;
    while far(high) > log && high < 1e150 {
        low = high;
        high *= high;
    }
    // in logarithms, until neighbouring numbers are left
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        if middle <= low || middle >= high {
            break;
        }
        if far(middle) > log { low = middle } else { high = middle }
    }
    // large powers make steps: between neighbouring numbers the atoms at the edge gain most of their weight
    let edge = |t: f64| {
        let of = |u: f64| if u == low { t } else { ratio(u, high) };
        normalised(before.iter().zip(&u).map(|(p, u)| p * of(*u)).collect())
    };
    let (mut less, mut more) = (0.0, ratio(low, high));
    for _ in 0..60 {
        let middle = 0.5 * (less + more);
        if log_power_divergence(&edge(middle), &before, mu) > log { less = middle } else { more = middle }
    }
    Ok(edge(more))
}

fn normalised(mut q: Vec<f64>) -> Vec<f64> {
    let total: f64 = q.iter().sum();
    q.iter_mut().for_each(|q| *q /= total);
    q
}
