//! How far the expected alignment loss of a learned kernel can be above the one that was seen: L19. \[pac-bayes\]

use super::generalisation::not_negative;
use super::tail::check_probability;
use crate::align::power_divergence;
use crate::error::{Error, Result};
use crate::model::Alignment;
use serde::{Deserialize, Serialize};

/// What the bounds need to know of weights q of candidates with prior p.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weighed {
    /// Rows n ≥ 2.
    pub rows: f64,
    /// L̂ of the learned kernel.
    pub loss: f64,
    /// KL(q‖p).
    pub kl: f64,
    /// χ²(q‖p).
    pub chi2: f64,
    /// μ > 1 and ln(1 + D_μ(q‖p)).
    pub mu: f64,
    pub log_divergence: f64,
    /// t > 0, chosen before the rows were seen.
    pub t: f64,
    /// Number of classes; 0 for targets.
    pub classes: usize,
}

/// Bounds of the expected loss of the learned kernel, each of which fails with probability δ at most.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PacBayes {
    /// L̂ + (2/t)(KL + t²/2(n−1) + ln((n+1)/δ)).
    pub corollary_2: f64,
    /// L̂ + (1/t)(KL + t²/2n + ln(1/δ)).
    pub theorem_3: f64,
    /// μ ≥ 2: L̂ + √V(D_μ+1)^{1/μ}δ^{−(1−1/μ)}; μ < 2: V^{1−1/μ} for √V. V = 1/4(n−1) for two classes and targets, 1/2n for more.
    pub theorem_4: f64,
    /// The same with μ = 2: L̂ + √(V(χ²+1)/δ).
    pub corollary_5: f64,
}

impl PacBayes {
    /// All bounds; a value of 1 and more says nothing, as losses are at most 1.
    ///
    /// ```
    /// use orff::bound::{PacBayes, Weighed};
    /// let log_divergence = 3f64.ln();
    /// let seen = Weighed { rows: 1e4, loss: 0.4, kl: 1.0, chi2: 2.0, mu: 2.0, log_divergence, t: 100.0, classes: 2 };
    /// let bounds = PacBayes::of(&seen, 0.05)?;
    /// assert!((bounds.theorem_4 - bounds.corollary_5).abs() < 1e-15);
    /// assert!(bounds.theorem_3 < bounds.corollary_2); // the second-order bound has no ln n
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn of(seen: &Weighed, delta: f64) -> Result<Self> {
        let ln = check_probability(delta)?;
        let Weighed { rows: n, loss, kl, chi2, mu, log_divergence, t, classes } = *seen;
        if !(n.is_finite() && n >= 2.0) {
            return Err(Error::parameter("rows", "a number ≥ 2 (pairs of rows are compared)", n));
        }
        for (name, value) in [("loss", loss), ("kl", kl), ("chi2", chi2), ("log_divergence", log_divergence)] {
            not_negative(name, value)?;
        }
        if !(mu.is_finite() && mu > 1.0) {
            return Err(Error::parameter("mu", "a number > 1", mu));
        }
        positive(t)?;
        let variance = if classes > 2 { 0.5 / n } else { 0.25 / (n - 1.0) };
        // Hölder's other exponent is μ/(μ−1): moments of this order, at most 2 where μ ≥ 2
        let root = |mu: f64| if mu >= 2.0 { variance.sqrt() } else { libm::pow(variance, 1.0 - 1.0 / mu) };
        let power = |mu: f64, log: f64| loss + root(mu) * libm::exp(log / mu - (1.0 - 1.0 / mu) * ln);
        Ok(PacBayes {
            corollary_2: loss + 2.0 / t * (kl + t * t / (2.0 * (n - 1.0)) + (n + 1.0).ln() - ln),
            theorem_3: loss + (kl + t * t / (2.0 * n) - ln) / t,
            theorem_4: power(mu, log_divergence),
            corollary_5: power(2.0, libm::log1p(chi2)),
        })
    }
}

/// L19 Theorem 1 for all of some landmarks at once, by the union bound: L̂ˡ + (1/t)(KL + t²/2m + ln(landmarks/δ)), m the rows
/// that each was compared with: n − 1 for landmarks among n rows, n for others, which must not depend on the rows.
///
/// ```
/// use orff::bound::landmark;
/// // more landmarks need ln(10)/t more
/// let (one, ten) = (landmark(999.0, 0.3, 0.5, 30.0, 1, 0.05)?, landmark(999.0, 0.3, 0.5, 30.0, 10, 0.05)?);
/// assert!((ten - one - 10f64.ln() / 30.0).abs() < 1e-15);
/// # Ok::<(), orff::Error>(())
/// ```
pub fn landmark(compared: f64, loss: f64, kl: f64, t: f64, landmarks: usize, delta: f64) -> Result<f64> {
    let ln = check_probability(delta)?;
    if !(compared.is_finite() && compared >= 1.0) {
        return Err(Error::parameter("compared", "a number ≥ 1 (rows that a landmark is compared with)", compared));
    }
    not_negative("loss", loss)?;
    not_negative("kl", kl)?;
    positive(t)?;
    Ok(loss + (kl + t * t / (2.0 * compared) + (landmarks.max(1) as f64).ln() - ln) / t)
}

fn positive(t: f64) -> Result<()> {
    if t.is_finite() && t > 0.0 { Ok(()) } else { Err(Error::parameter("t", "a number > 0", t)) }
}

/// What is guaranteed of a fitted alignment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Guarantee {
    /// Short name.
    pub name: &'static str,
    /// The loss it bounds, as it was seen: of the learned kernel, or the mean over landmarks.
    pub loss: f64,
    /// The bound of the expected one; of landmarks the mean of their bounds, which hold all at once.
    pub value: f64,
    /// What has to be true.
    pub assumptions: Vec<String>,
}

/// The bounds of a fitted alignment, the tightest first; each fails with probability δ at most. They hold for all weights at once and a t that
/// no row was asked for: β√n for pac-bayes with a β that was given, √n otherwise (β = 0, chosen by the losses, another method).
pub fn guarantees(alignment: &Alignment, delta: f64) -> Result<Vec<Guarantee>> {
    let about = &alignment.about;
    let n = about.rows;
    let given = about.method.mu().is_none() && about.beta > 0.0 && !about.chosen;
    let beta = if given { about.beta } else { 1.0 };
    let t = beta * n.sqrt();
    let targets =
        if about.classes == 0 { ", what targets are compared with at their mean and deviation" } else { "" };
    let rows = format!(
        "{n} independent rows of one law; candidates, kernel and t = {t:.4} chosen without looking at them (units and open lengthscales look at their inputs{targets})"
    );
    let weights = "violated: rows have weights, and the copies they stand for are not independent";
    let weights = about.weighted.then(|| weights.to_string());
    if let Some(landmarks) = &alignment.landmarks {
        let count = landmarks.nrows();
        let compared = if about.own { n - 1.0 } else { n };
        let (mut loss, mut value) = (0.0, 0.0);
        for g in 0..count {
            let (seen, kl, _) = alignment.summary(g);
            loss += seen / count as f64;
            value += landmark(compared, seen.max(0.0), kl, t, count, delta)? / count as f64;
        }
        let mut assumptions = vec![rows, format!("for all {count} landmarks at once")];
        if !about.own {
            assumptions.push("violated: landmarks are centroids of the rows, on which they should not depend".into());
        }
        assumptions.extend(weights);
        return Ok(vec![Guarantee { name: "theorem-1", loss, value, assumptions }]);
    }
    let (loss, kl, log_divergence) = alignment.summary(0);
    let mu = about.method.mu().unwrap_or(2.0);
    let chi2 = power_divergence(&alignment.posterior, &alignment.prior, 2.0);
    let seen = Weighed { rows: n, loss: loss.max(0.0), kl, chi2, mu, log_divergence, t, classes: about.classes };
    let bounds = PacBayes::of(&seen, delta)?;
    let mut all = vec![
        ("corollary-2", bounds.corollary_2, format!("KL {kl:.4}")),
        ("theorem-3", bounds.theorem_3, format!("KL {kl:.4}")),
        ("corollary-5", bounds.corollary_5, format!("chi2 {chi2:.4}")),
    ];
    if mu != 2.0 {
        all.push((
            "theorem-4",
            bounds.theorem_4,
            format!("ln(1 + D) {log_divergence:.4}, D the divergence of power {mu}"),
        ));
    }
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    let line = |(name, value, far): (&'static str, f64, String)| Guarantee {
        name,
        loss,
        value,
        assumptions: [rows.clone(), far].into_iter().chain(weights.clone()).collect(),
    };
    Ok(all.into_iter().map(line).collect())
}
