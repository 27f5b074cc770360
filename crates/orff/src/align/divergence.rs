//! How far a distribution is from another, over the same finitely many things. \[divergences\]

/// KL(q‖p) = Σ q ln(q/p); infinite where q has mass and p has none.
///
/// ```
/// use orff::align::kullback_leibler;
/// // all mass on one of four
/// assert!((kullback_leibler(&[1.0, 0.0, 0.0, 0.0], &[0.25; 4]) - 4f64.ln()).abs() < 1e-15);
/// ```
pub fn kullback_leibler(q: &[f64], p: &[f64]) -> f64 {
    let term = |(q, p): (&f64, &f64)| if *q > 0.0 { q * (q / p).ln() } else { 0.0 };
    q.iter().zip(p).map(term).sum::<f64>().max(0.0)
}

/// D_μ(q‖p) = Σ p(q/p)^μ − 1 for μ > 1; μ = 2 is χ². Infinite where q has mass and p has none.
///
/// Σ(q − p) = 0, so it is the sum of p((q/p)^μ − 1 − μ(q/p − 1)) ≥ 0: distributions that are close lose no digits.
///
/// ```
/// use orff::align::power_divergence;
/// // uniform on k of n: (n/k)^{μ−1} − 1
/// assert!((power_divergence(&[0.5, 0.5, 0.0, 0.0], &[0.25; 4], 3.0) - 3.0).abs() < 1e-15);
/// ```
pub fn power_divergence(q: &[f64], p: &[f64], mu: f64) -> f64 {
    let term = |(q, p): (&f64, &f64)| match (*q > 0.0, *p > 0.0) {
        (false, false) => 0.0,
        (true, false) => f64::INFINITY,
        (_, true) => p * excess(q / p - 1.0, mu),
    };
    q.iter().zip(p).map(term).sum()
}

/// ln(1 + D_μ(q‖p)): a number even where D_μ itself is beyond the largest one, as powers of a hundred and more are.
///
/// ```
/// use orff::align::log_power_divergence;
/// // uniform on one of a thousand: (μ−1) ln 1000
/// let (mut q, p) = (vec![0.0; 1000], vec![1e-3; 1000]);
/// q[7] = 1.0;
/// assert!((log_power_divergence(&q, &p, 151.0) / (150.0 * 1000f64.ln()) - 1.0).abs() < 1e-12);
/// ```
pub fn log_power_divergence(q: &[f64], p: &[f64], mu: f64) -> f64 {
    let far = power_divergence(q, p, mu);
    if far.is_finite() || q.iter().zip(p).any(|(q, p)| *q > 0.0 && *p <= 0.0) {
        return libm::log1p(far);
    }
    // ln Σ p(q/p)^μ about its largest term
    let log = |(q, p): (&f64, &f64)| {
        if *q > 0.0 { mu * libm::log(*q) - (mu - 1.0) * libm::log(*p) } else { f64::NEG_INFINITY }
    };
    let logs: Vec<f64> = q.iter().zip(p).map(log).collect();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most + libm::log(logs.iter().map(|log| libm::exp(log - most)).sum())
}

/// (1 + e)^μ − 1 − μe.
pub(super) fn excess(e: f64, mu: f64) -> f64 {
    if mu == 2.0 {
        return e * e;
    }
    (libm::expm1(mu * libm::log1p(e)) - mu * e).max(0.0)
}
