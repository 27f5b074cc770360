//! Distributions over atoms against what defines them.

use orff::align::{
    Method, Sampling, gibbs, kullback_leibler, log_power_divergence, power_divergence, within, within_log,
};
use orff::random::Stream;

fn simplex(n: usize, seed: u64) -> Vec<f64> {
    let mut s = Stream::new(seed, 8, 0);
    let raw: Vec<f64> = (0..n).map(|_| -s.uniform().ln()).collect();
    let total: f64 = raw.iter().sum();
    raw.into_iter().map(|v| v / total).collect()
}

fn losses(n: usize) -> Vec<f64> {
    let mut s = Stream::new(2, 9, 0);
    (0..n).map(|_| 0.3 + 0.4 * s.uniform()).collect()
}

fn mean(q: &[f64], losses: &[f64]) -> f64 {
    q.iter().zip(losses).map(|(q, l)| q * l).sum()
}

#[test]
fn divergences_by_their_definitions() {
    let (q, p) = (simplex(30, 1), simplex(30, 2));
    let kl: f64 = q.iter().zip(&p).map(|(q, p)| q * (q.ln() - p.ln())).sum();
    assert!((kullback_leibler(&q, &p) - kl).abs() < 1e-13);
    for mu in [1.2f64, 2.0, 3.7] {
        let power: f64 = q.iter().zip(&p).map(|(q, p)| p * (q / p).powf(mu)).sum::<f64>() - 1.0;
        assert!((power_divergence(&q, &p, mu) - power).abs() < 1e-12 * (1.0 + power), "{mu}");
    }
    let chi2: f64 = q.iter().zip(&p).map(|(q, p)| (q - p) * (q - p) / p).sum();
    assert!((power_divergence(&q, &p, 2.0) - chi2).abs() < 1e-12 * chi2);
    // ten digits of distributions that differ in the tenth
    let near: Vec<f64> = p.iter().enumerate().map(|(i, p)| p * (1.0 + if i % 2 == 0 { 1e-5 } else { 0.0 })).collect();
    let total: f64 = near.iter().sum();
    let near: Vec<f64> = near.iter().map(|v| v / total).collect();
    let chi2: f64 = near.iter().zip(&p).map(|(q, p)| (q - p) * (q - p) / p).sum();
    assert!((power_divergence(&near, &p, 3.0) / (3.0 * chi2) - 1.0).abs() < 1e-4); // ½μ(μ−1)χ²
    assert_eq!(kullback_leibler(&[0.5, 0.5], &[1.0, 0.0]), f64::INFINITY);
    assert_eq!(power_divergence(&[0.5, 0.5], &[1.0, 0.0], 2.0), f64::INFINITY);
}

#[test]
fn the_pseudo_posterior_is_the_best_for_its_bound() {
    let (p, losses) = (simplex(20, 3), losses(20));
    for t in [0.0, 1.0, 40.0, 1e6] {
        let q = gibbs(&p, &losses, t);
        assert!((q.iter().sum::<f64>() - 1.0).abs() < 1e-14 && q.iter().all(|q| *q >= 0.0));
        let value = |q: &[f64]| t * mean(q, &losses) + kullback_leibler(q, &p);
        for seed in 0..50 {
            // towards any other distribution it gets worse
            let other = simplex(20, 100 + seed);
            let some: Vec<f64> = q.iter().zip(&other).map(|(q, o)| 0.99 * q + 0.01 * o).collect();
            assert!(value(&some) > value(&q), "{t}");
        }
    }
}

/// The first-order conditions of min Σ qL with D_μ(q‖p) ≤ ρ: L + κ(q/p)^{μ−1} = η where q > 0, L ≥ η elsewhere, κ ≥ 0.
#[test]
fn the_constrained_posterior_meets_its_optimality_conditions() {
    let losses = losses(40);
    for p in [vec![1.0 / 40.0; 40], simplex(40, 4)] {
        for mu in [1.1, 1.5, 2.0, 4.0, 30.0] {
            for rho in [1e-6, 0.01, 0.5, 3.0] {
                let best = (0..40).fold(0, |best, m| if losses[m] < losses[best] { m } else { best });
                if rho >= p[best].powf(1.0 - mu) - 1.0 {
                    continue; // it does not bind
                }
                let q = within(&p, &losses, mu, rho).unwrap();
                assert!((q.iter().sum::<f64>() - 1.0).abs() < 1e-13);
                let far = power_divergence(&q, &p, mu);
                assert!((far - rho).abs() < 1e-9 * (1.0 + rho), "mu {mu}, rho {rho}: {far}");
                let power = |m: usize| (q[m] / p[m]).powf(mu - 1.0);
                let (a, b) = {
                    let mut by: Vec<usize> = (0..40).filter(|&m| q[m] > 0.0).collect();
                    by.sort_by(|&i, &j| losses[i].total_cmp(&losses[j]));
                    (by[0], by[by.len() - 1])
                };
                let kappa = (losses[b] - losses[a]) / (power(a) - power(b));
                let eta = losses[a] + kappa * power(a);
                assert!(kappa >= 0.0);
                for m in 0..40 {
                    let at = losses[m] + kappa * power(m);
                    if q[m] > 0.0 {
                        assert!((at - eta).abs() < 1e-6 * (1.0 + kappa), "mu {mu}, rho {rho}, atom {m}");
                    } else {
                        assert!(losses[m] >= eta - 1e-9);
                    }
                }
            }
        }
    }
}

/// Powers whose divergences are beyond the largest number: the constraint is met, and nothing within it that is known is better.
#[test]
fn large_powers_meet_their_constraint() {
    let (n, losses) = (40, losses(40));
    let p = vec![1.0 / n as f64; n];
    let mut best = losses.clone();
    best.sort_by(f64::total_cmp);
    for mu in [1.0001, 30.0, 150.0, 1000.0] {
        for kept in [4, 10, 33] {
            // as far as uniform weights of the best, which are one candidate
            let log = (mu - 1.0) * (n as f64 / kept as f64).ln();
            let q = within_log(&p, &losses, mu, log).unwrap();
            let far = log_power_divergence(&q, &p, mu);
            assert!((far - log).abs() < 1e-9 * (1.0 + log), "mu {mu}, {kept}: {far} for {log}");
            let uniform = best[..kept].iter().sum::<f64>() / kept as f64;
            assert!(mean(&q, &losses) <= uniform + 1e-12, "mu {mu}, {kept}: {} {uniform}", mean(&q, &losses));
        }
    }
    assert!(power_divergence(&[1.0, 0.0], &[0.5; 2], 1e4).is_infinite());
    assert!((log_power_divergence(&[1.0, 0.0], &[0.5; 2], 1e4) / (9999.0 * 2f64.ln()) - 1.0).abs() < 1e-14);
}

#[test]
fn where_the_divergence_does_not_bind_the_best_atoms_share_their_prior() {
    let losses = [0.5, 0.2, 0.7, 0.2, 0.9];
    let p = [0.1, 0.3, 0.2, 0.1, 0.3];
    for mu in [1.5f64, 2.0, 3.0] {
        let largest = 0.4f64.powf(1.0 - mu) - 1.0;
        let q = within(&p, &losses, mu, largest * 1.01).unwrap();
        let expected = [0.0, 0.75, 0.0, 0.25, 0.0];
        assert!(q.iter().zip(expected).all(|(q, e)| (q - e).abs() < 1e-15), "{q:?}");
        assert!(within(&p, &losses, mu, largest * 0.9).unwrap()[0] > 0.0);
    }
    assert_eq!(within(&p, &[0.3; 5], 2.0, 1.0).unwrap(), p.to_vec());
    assert!(within(&p, &losses, 1.0, 1.0).is_err() && within(&p, &losses, 2.0, -1.0).is_err());
    assert_eq!(
        Method::Chi2.posterior(&p, &losses, 100.0, (1.0, 0.2)).unwrap(),
        within(&p, &losses, 2.0, 0.2).unwrap()
    );
}

#[test]
fn draws_have_the_probabilities_of_the_posterior() {
    let q = [0.05, 0.4, 0.0, 0.25, 0.3];
    let n = 4000;
    for (way, count) in [(Sampling::WithReplacement, 3), (Sampling::WithoutReplacement, 2)] {
        let mut seen = [0.0; 5];
        for seed in 0..n {
            let kept = way.take(&q, count, seed);
            assert!((kept.iter().map(|(_, w)| w).sum::<f64>() - 1.0).abs() < 1e-14);
            assert!(kept.windows(2).all(|pair| pair[0].0 < pair[1].0));
            kept.iter().for_each(|(m, w)| seen[*m] += w * count as f64);
        }
        for (m, &q_m) in q.iter().enumerate() {
            // without replacement: first, or second after another one
            let expected = match way {
                Sampling::WithReplacement => 3.0 * q_m,
                _ => {
                    q_m + q.iter().enumerate().filter(|(k, _)| *k != m).map(|(_, k)| k * q_m / (1.0 - k)).sum::<f64>()
                }
            };
            let sd = (expected.min(1.0) * 3.0 / n as f64).sqrt().max(1e-9);
            let z = (seen[m] / n as f64 - expected) / sd;
            assert!(z.abs() < 4.0, "{way:?}, atom {m}: {} for {expected}", seen[m] / n as f64);
        }
    }
}
