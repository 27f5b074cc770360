//! Bounds of alignment losses, against laws whose expected loss is known.

use faer::Mat;
use orff::align::{Likeness, Sums, gibbs, kullback_leibler, power_divergence, within};
use orff::bound::{PacBayes, Weighed, guarantees, landmark};
use orff::kernel::{Atoms, Kernel, SumDraw};
use orff::learn::{AlignedFeatures, Centres, Compared, LandmarkFeatures};
use orff::params::{Amount, Auto};
use orff::random::Stream;
use orff::rows::{Batch, Inputs, Table, Weights};
use orff::spectrum::Draw;
use orff::watch::Silent;

/// A law on finitely many points of the plane, with classes.
struct Law {
    points: Vec<([f64; 2], usize)>,
    classes: usize,
}

impl Law {
    fn new(classes: usize) -> Self {
        let mut s = Stream::new(21, classes as u64, 0);
        let points = (0..12).map(|i| ([s.normal(), s.normal()], i % classes)).collect();
        Law { points, classes }
    }

    fn draw(&self, n: usize, seed: u64) -> Batch {
        let mut s = Stream::new(seed, 77, 0);
        let rows: Vec<usize> = (0..n).map(|_| s.below(self.points.len())).collect();
        let inputs = Inputs::Dense(Mat::from_fn(n, 2, |i, k| self.points[rows[i]].0[k]));
        Batch { inputs, outputs: Mat::from_fn(n, 1, |i, _| self.points[rows[i]].1 as f64), weights: None }
    }

    /// L(ω): over two independent rows.
    fn loss(&self, omega: &[f64]) -> f64 {
        let k = self.points.len() as f64;
        let mut sum = 0.0;
        for (x, y) in &self.points {
            for (z, w) in &self.points {
                let angle = omega[0] * (x[0] - z[0]) + omega[1] * (x[1] - z[1]);
                sum += 0.5 * (1.0 - if y == w { 1.0 } else { -1.0 } * angle.cos()) / (k * k);
            }
        }
        sum
    }
}

fn atoms() -> Atoms {
    let kernel: Kernel = "gaussian(0.8)".parse().unwrap();
    let kernel = kernel.resolve(&orff::kernel::Seen { outputs: 1, ..Default::default() }).unwrap();
    kernel.draw(2, 60, &Draw::default(), SumDraw::Concatenation).unwrap()
}

fn mean(q: &[f64], of: &[f64]) -> f64 {
    q.iter().zip(of).map(|(q, l)| q * l).sum()
}

/// The theorems hold for all q at once: also for those that an adversary who knows the law chooses after the draw.
#[test]
fn bounds_hold_at_their_confidence_whatever_the_weights() {
    let (atoms, delta, draws) = (atoms(), 0.2, 300);
    let omega = atoms.blocks[0].omega.to_dense();
    for classes in [2, 4] {
        let law = Law::new(classes);
        let truth: Vec<f64> = (0..60).map(|m| law.loss(&[omega[(m, 0)], omega[(m, 1)]])).collect();
        let p = vec![1.0 / 60.0; 60];
        for n in [4, 30] {
            let mut failed = [[0usize; 4]; 2];
            for seed in 0..draws {
                let mut sums = Sums::new(&atoms, Likeness::Classes(law.classes));
                sums.add(&atoms, &law.draw(n, seed)).unwrap();
                let seen = sums.losses().unwrap();
                let gap: Vec<f64> = seen.iter().zip(&truth).map(|(s, t)| s - t).collect();
                let t = (n as f64).sqrt();
                for (k, mu) in [1.5, 3.0].into_iter().enumerate() {
                    // what looks best, and what deceives most: a draw fails if one of them does
                    let mut now = [false; 4];
                    for q in [gibbs(&p, &seen, t), gibbs(&p, &gap, 4.0 * t), within(&p, &gap, mu, 5.0).unwrap()] {
                        let weighed = Weighed {
                            rows: n as f64,
                            loss: mean(&q, &seen),
                            kl: kullback_leibler(&q, &p),
                            chi2: power_divergence(&q, &p, 2.0),
                            mu,
                            log_divergence: power_divergence(&q, &p, mu).ln_1p(),
                            t,
                            classes,
                        };
                        let b = PacBayes::of(&weighed, delta).unwrap();
                        let expected = mean(&q, &truth);
                        for (now, bound) in
                            now.iter_mut().zip([b.corollary_2, b.theorem_3, b.theorem_4, b.corollary_5])
                        {
                            *now |= expected > bound;
                        }
                    }
                    failed[k].iter_mut().zip(now).for_each(|(count, now)| *count += usize::from(now));
                }
            }
            let most = at_most(delta, draws);
            assert!(failed.iter().flatten().all(|f| *f < most), "{classes} classes, {n} rows: {failed:?}");
        }
    }
}

/// More failures than these in so many draws are not of probability δ.
fn at_most(delta: f64, draws: u64) -> usize {
    let draws = draws as f64;
    (delta * draws + 4.0 * (delta * (1.0 - delta) * draws).sqrt()) as usize
}

/// The largest of N sums of n independent signs, each +1 with probability `plus`, by its law: P{max < s} = (1 − P{S ≥ s})ᴺ.
fn largest_of(log_many: f64, n: u64, plus: f64, s: &mut Stream) -> f64 {
    let level = (-s.uniform().ln()).ln();
    let (mut probability, mut tail) = (plus.powf(n as f64), 0.0f64);
    for k in (0..=n).rev() {
        tail += probability;
        if log_many + (-(-tail).ln_1p()).ln() >= level {
            return 2.0 * k as f64 - n as f64;
        }
        probability *= k as f64 / (n - k + 1) as f64 * (1.0 - plus) / plus;
    }
    -(n as f64)
}

/// Rows of N independent signs, candidate m looks at sign m alone (ω = π e_m): the adversary takes the one that deceives most, after the
/// draw. At one t, given beforehand, the bounds hold; with a part of what is paid for the choice among N they do not.
#[test]
fn bounds_hold_for_the_most_deceiving_of_many_and_not_for_less() {
    let (n, delta, draws) = (1000u64, 0.5, 200);
    let (rows, most) = (n as f64, at_most(delta, draws));
    let half = f64::sqrt(0.5);
    // ln N, the mean m of signs, the part of ln N: with 2⁶⁰ a twelfth is not enough, that Corollary 2 with none of it is not takes e³²⁰
    for (log_many, m, part, first) in [(60.0 * 2f64.ln(), half, 1.0 / 12.0, 1), (320.0, 0.0, 0.0, 0)] {
        let mut failed = [[0; 2]; 4];
        let t =
            (2.0 * rows * (part * log_many - f64::ln(delta) + if first == 0 { rows.ln_1p() } else { 0.0 })).sqrt();
        for seed in 0..draws {
            let sum = largest_of(log_many, n, 0.5 * (1.0 + m), &mut Stream::new(seed, 31, first as u64));
            let loss = 0.5 * (1.0 - (sum * sum - rows) / (rows * (rows - 1.0)));
            for (k, part) in [1.0, part].into_iter().enumerate() {
                let kl = part * log_many;
                let far = kl.exp_m1(); // a single candidate of N: KL = ln N, χ² = N − 1
                let w = Weighed { rows, loss, kl, chi2: far, mu: 2.0, log_divergence: kl, t, classes: 2 };
                let b = PacBayes::of(&w, delta).unwrap();
                let all = [b.corollary_2, b.theorem_3, b.theorem_4, b.corollary_5];
                failed.iter_mut().zip(all).for_each(|(count, b)| {
                    count[k] += usize::from(0.5 * (1.0 - m * m) > b);
                });
            }
        }
        for [all, less] in &failed[first..] {
            assert!(*all < most && *less > most, "{log_many}: {failed:?}, at most {most} of {draws}");
        }
    }
    // about 2⁶⁰ landmarks, each with a candidate of its own: L = ½
    let (many, fewer) = (1usize << 60, 1usize << 10);
    let t = (2.0 * rows * (fewer as f64 / delta).ln()).sqrt();
    let mut failed = [0; 2];
    for seed in 0..draws {
        let sum = largest_of((many as f64).ln(), n, 0.5, &mut Stream::new(seed, 32, 0));
        for (count, landmarks) in failed.iter_mut().zip([many, fewer]) {
            let bound = landmark(rows, 0.5 * (1.0 - sum / rows), 0.0, t, landmarks, delta).unwrap();
            *count += usize::from(0.5 > bound);
        }
    }
    assert!(failed[0] < most && failed[1] > most, "landmarks: {failed:?}, at most {most} of {draws}");
}

/// n labels ±1 with mean m and ω = 0: L̂ = ½(1 − (S² − n)/(n(n−1))), L = ½(1 − m²).
fn binary(n: u64, plus: f64) -> (f64, f64) {
    let (n, mut mean, mut square) = (n as f64, 0.0, 0.0);
    let mut probability = (1.0 - plus).powf(n);
    for k in 0..=n as u64 {
        let s = 2.0 * k as f64 - n;
        let loss = 0.5 * (1.0 - (s * s - n) / (n * (n - 1.0)));
        mean += probability * loss;
        square += probability * loss * loss;
        probability *= (n - k as f64) / (k as f64 + 1.0) * plus / (1.0 - plus);
    }
    (mean, square - mean * mean)
}

#[test]
fn the_variance_of_two_classes_is_at_most_a_quarter_over_n_less_one() {
    let mut printed = false;
    for n in 2..40 {
        for k in 1..20 {
            let (mean, variance) = binary(n, k as f64 / 20.0);
            let m = k as f64 / 10.0 - 1.0;
            assert!((mean - 0.5 * (1.0 - m * m)).abs() < 1e-12, "it is unbiased");
            assert!(variance <= 0.25 / (n - 1) as f64 * (1.0 + 1e-9), "{n} {k}: {variance}");
            printed |= variance > 0.25 / n as f64 * (1.0 + 1e-9);
        }
    }
    assert!(printed, "the printed 1/4n is exceeded somewhere");
    assert!((binary(2, 0.5).1 - 0.25).abs() < 1e-15, "and ours is met");
}

/// One class of probability ¾, all other rows of classes of their own, ω = 0: λ = 1 for two rows of that class only.
#[test]
fn the_variance_of_many_classes_is_above_the_printed_one() {
    let n = 200.0;
    let (mut first, mut second, mut probability) = (0.0, 0.0, 0.25f64.powf(n));
    for k in 0..=200u32 {
        let k = f64::from(k);
        let loss = 1.0 - k * (k - 1.0) / (n * (n - 1.0));
        first += probability * loss;
        second += probability * loss * loss;
        probability *= (n - k) / (k + 1.0) * 3.0;
    }
    let variance = second - first * first;
    assert!(variance > 1.5 * 0.25 / n && variance < 0.5 / n, "{variance}");
}

/// L19 Theorem 4 as printed, μ = 4: (1/4n)^{1−1/μ}(D_μ+1)^{1/μ}δ^{−(1−1/μ)}; with q = p a single frequency.
#[test]
fn the_printed_theorem_4_is_violated_and_ours_is_not() {
    let (n, mu, delta, draws) = (20_000usize, 4.0, 0.1, 200);
    let plus = 0.5 * (1.0 + 0.5f64.sqrt());
    let (mut ours, mut printed) = (0, 0);
    for seed in 0..draws {
        let mut s = Stream::new(seed, 5, 0);
        let sum: f64 = (0..n).map(|_| if s.uniform() < plus { 1.0 } else { -1.0 }).sum();
        let rows = n as f64;
        let seen = 0.5 * (1.0 - (sum * sum - rows) / (rows * (rows - 1.0)));
        let weighed =
            Weighed { rows, loss: seen, kl: 0.0, chi2: 0.0, mu, log_divergence: 0.0, t: rows.sqrt(), classes: 2 };
        let truth = 0.25;
        ours += usize::from(truth > PacBayes::of(&weighed, delta).unwrap().theorem_4);
        printed += usize::from(truth > seen + (0.25 / rows / delta).powf(1.0 - 1.0 / mu));
    }
    println!("printed violated in {printed} of {draws} draws, ours in {ours}");
    assert!(printed > 50 && ours <= 20, "printed {printed}, ours {ours}");
}

#[test]
fn bounds_grow_with_losses_and_divergences_and_fall_with_rows_and_doubt() {
    let at = |rows: f64, loss: f64, far: f64, delta: f64, mu: f64| {
        let t = rows.sqrt();
        let w = Weighed { rows, loss, kl: far, chi2: far, mu, log_divergence: far.ln_1p(), t, classes: 3 };
        let b = PacBayes::of(&w, delta).unwrap();
        let l = landmark(rows - 1.0, loss, far, t, 7, delta).unwrap();
        [b.corollary_2, b.theorem_3, b.theorem_4, b.corollary_5, l]
    };
    for mu in [1.3, 2.0, 5.0] {
        let base = at(500.0, 0.4, 1.0, 0.05, mu);
        assert!(at(500.0, 0.5, 1.0, 0.05, mu).iter().zip(base).all(|(a, b)| *a > b));
        assert!(at(500.0, 0.4, 2.0, 0.05, mu).iter().zip(base).all(|(a, b)| *a > b));
        assert!(at(5000.0, 0.4, 1.0, 0.05, mu).iter().zip(base).all(|(a, b)| *a < b));
        assert!(at(500.0, 0.4, 1.0, 0.5, mu).iter().zip(base).all(|(a, b)| *a < b));
    }
    let w = Weighed { rows: 1.0, loss: 0.4, kl: 0.0, chi2: 0.0, mu: 2.0, log_divergence: 0.0, t: 1.0, classes: 2 };
    assert!(PacBayes::of(&w, 0.05).is_err() && PacBayes::of(&Weighed { rows: 9.0, t: 0.0, ..w }, 0.05).is_err());
    assert!(PacBayes::of(&Weighed { rows: 9.0, ..w }, 0.0).is_err());
}

#[test]
fn a_fitted_alignment_has_the_bounds_of_its_numbers() {
    let mut s = Stream::new(4, 4, 4);
    let x = Mat::from_fn(500, 2, |_, _| s.uniform());
    let y = Mat::from_fn(500, 1, |i, _| f64::from(x[(i, 0)] > 0.5));
    let rows = Table::new(x, y).unwrap();
    let learner = AlignedFeatures {
        features: Auto::Fixed(20),
        candidates: Auto::Fixed(100),
        strength: Auto::Fixed(2.0),
        likeness: Auto::Fixed(Compared::Classes),
        ..AlignedFeatures::default()
    };
    let found = learner.fit(&rows, &mut Silent).unwrap().alignment;
    let all = guarantees(&found, 0.05).unwrap();
    assert!(all.windows(2).all(|pair| pair[0].value <= pair[1].value));
    let value = |name: &str| all.iter().find(|g| g.name == name).unwrap().value;
    let kl: f64 = 100f64.ln() + found.posterior.iter().filter(|q| **q > 0.0).map(|q| q * q.ln()).sum::<f64>();
    let loss = mean(&found.posterior, &found.losses);
    let t = 2.0 * 500f64.sqrt();
    let theorem_3 = loss + (kl + t * t / 1000.0 + 20f64.ln()) / t;
    assert!((value("theorem-3") - theorem_3).abs() < 1e-10, "{} {theorem_3}", value("theorem-3"));
    // a strength that the losses chose is none that the theorem allows: t is √n then
    let auto = AlignedFeatures { strength: Auto::Auto, features: Auto::Fixed(4), ..learner.clone() };
    let auto = auto.fit(&rows, &mut Silent).unwrap().alignment;
    assert!(auto.about.chosen && !found.about.chosen, "{}", auto.about.beta);
    let kl_of = |q: &[f64]| 100f64.ln() + q.iter().filter(|q| **q > 0.0).map(|q| q * q.ln()).sum::<f64>();
    let t = 500f64.sqrt();
    let expected = mean(&auto.posterior, &auto.losses) + (kl_of(&auto.posterior) + t * t / 1000.0 + 20f64.ln()) / t;
    let all_auto = guarantees(&auto, 0.05).unwrap();
    let seen = all_auto.iter().find(|g| g.name == "theorem-3").unwrap().value;
    assert!((seen - expected).abs() < 1e-10, "{seen} {expected}");
    let chi2: f64 = found.posterior.iter().map(|q| 100.0 * q * q).sum::<f64>() - 1.0;
    let corollary_5 = loss + ((chi2 + 1.0) / (4.0 * 499.0 * 0.05)).sqrt();
    assert!((value("corollary-5") - corollary_5).abs() < 1e-10);
    for (centres, told) in [(Centres::Rows, false), (Centres::Clusters, true)] {
        let learner = LandmarkFeatures { landmarks: Amount::Count(9), centres, ..LandmarkFeatures::default() };
        let found = learner.fit(&rows, &mut Silent).unwrap().alignment;
        let one = &guarantees(&found, 0.05).unwrap()[0];
        assert_eq!(one.assumptions.iter().any(|a| a.starts_with("violated")), told);
        let groups = found.groups();
        let each = |g: usize| {
            let (_, losses, q) = found.group(g);
            let kl = 64f64.ln() + q.iter().filter(|q| **q > 0.0).map(|q| q * q.ln()).sum::<f64>();
            let (t, m) = (500f64.sqrt(), if told { 500.0 } else { 499.0 });
            mean(q, losses) + (kl + t * t / (2.0 * m) + (groups as f64 / 0.05).ln()) / t
        };
        let expected = (0..groups).map(each).sum::<f64>() / groups as f64;
        assert!((one.value - expected).abs() < 1e-10, "{} {expected}", one.value);
    }
}

#[test]
fn weights_of_rows_are_no_rows() {
    let mut s = Stream::new(9, 4, 4);
    let x = Mat::from_fn(60, 2, |_, _| s.uniform());
    let y = Mat::from_fn(60, 1, |i, _| f64::from(x[(i, 0)] > 0.5));
    let learner = AlignedFeatures { likeness: Auto::Fixed(Compared::Classes), ..AlignedFeatures::default() };
    for (weight, told) in [(1.0, false), (3.0, true)] {
        let rows = Table::new(x.clone(), y.clone()).unwrap().weighted(Weights::Row(vec![weight; 60])).unwrap();
        let found = learner.fit(&rows, &mut Silent).unwrap().alignment;
        for bound in guarantees(&found, 0.05).unwrap() {
            assert_eq!(bound.assumptions.iter().any(|a| a.starts_with("violated: rows have weights")), told);
            assert!(!bound.assumptions[0].contains("targets"), "{:?}", bound.assumptions);
        }
    }
    // what they are compared with comes from the rows
    let targets = AlignedFeatures { likeness: Auto::Fixed(Compared::Targets), ..learner };
    let found = targets.fit(&Table::new(x, y).unwrap(), &mut Silent).unwrap().alignment;
    for bound in guarantees(&found, 0.05).unwrap() {
        assert!(bound.assumptions[0].contains("targets are compared with at their mean"), "{:?}", bound.assumptions);
    }
}
