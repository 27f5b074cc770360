//! Scores along the path of ridges, against refits and densities; two problems that are one have one path.

use super::definition::{definition, eliminate, observed, row};
use super::{
    ALL, coupled, deficient, exact, fit, gap, holes, inputs, kernels, listed, outputs, predict, samples, table,
};
use faer::Mat;
use orff::kernel::{Kernel, Seen};
use orff::learn::{FittedExact, Regression, Ridge};
use orff::model::Training;
use orff::rows::{Inputs, Weights};
use orff::solve::PathPoint;
use orff::watch::Silent;

/// A point of the path, counted from the largest ridge.
fn from_end(fitted: &FittedExact, k: usize) -> PathPoint {
    fitted.training.path[fitted.training.path.len() - k]
}

/// Points of the grids of two paths side by side, those with the `most` largest ridges. The ridge that was taken is not
/// one of them: a minimum is only found to the root of the rounding.
fn paths<'a>(a: &'a Training, b: &'a Training, most: usize) -> impl Iterator<Item = (&'a PathPoint, &'a PathPoint)> {
    let grid = |of: &'a Training| of.path.iter().rev().filter(|p| p.ridge != of.ridge);
    grid(a).zip(grid(b)).take(most)
}

#[test]
fn the_kronecker_trick_is_the_dense_computation() {
    let x = inputs(15, 2, 1);
    let y = outputs(&x, 3, 0.3);
    let ones = Some(Weights::Entry(Mat::from_fn(15, 3, |_, _| 1.0)));
    for kernel in [coupled(), deficient()] {
        for offset in [false, true] {
            let learner = exact(&kernel, Ridge::Loo, offset);
            // weights of entries, though all 1, forbid the trick
            let (trick, dense) = (fit(&learner, &table(&x, &y, &None)), fit(&learner, &table(&x, &y, &ones)));
            assert!(
                (trick.training.ridge / dense.training.ridge - 1.0).abs() < 1e-3,
                "{} {}",
                trick.training.ridge,
                dense.training.ridge
            );
            // below, rounding decides which eigenvalues are zero
            for (a, b) in paths(&trick.training, &dense.training, 20) {
                let same = |a: f64, b: f64| (a - b).abs() <= 1e-7 * (1.0 + b.abs());
                let b_loo = b.loo.unwrap();
                assert!(same(a.ridge / b.ridge, 1.0), "{a:?} {b:?}");
                assert!(same(a.loo.unwrap(), b_loo), "{a:?} {b:?}");
                assert!(same(a.evidence, b.evidence) && same(a.freedom, b.freedom), "{a:?} {b:?}");
                assert!(same(a.rss, b.rss) && same(a.noise, b.noise), "{a:?} {b:?}");
            }
        }
    }
}

#[test]
fn features_ridge_is_kernel_ridge_on_their_kernel() {
    // T17 Th. 6.3, with the posterior and the scores of every ridge
    let (x, z) = (inputs(40, 2, 1), inputs(7, 2, 2));
    let kernel = listed(2, 3, 2, 6);
    let mut worst: f64 = 0.0;
    for (what, y, weights) in samples(&x, 3) {
        for offset in [false, true] {
            for ridge in [Ridge::Given(1e-3), Ridge::Evidence, Ridge::Gcv] {
                let rows = table(&x, &y, &weights);
                let features = Regression { kernel: kernel.clone(), ridge, offset, ..Regression::default() };
                let features = features.fit(&rows, &mut Silent).unwrap();
                let sections = fit(&exact(&kernel, ridge, offset), &rows);
                assert!(
                    (features.training.ridge / sections.training.ridge - 1.0).abs() < 1e-5,
                    "{} {}",
                    features.training.ridge,
                    sections.training.ridge
                );
                if let Ridge::Given(_) = ridge {
                    let a = features.model.predict(&Inputs::Dense(z.clone()), ALL).unwrap();
                    let b = predict(&sections, &z);
                    let mut errors =
                        vec![gap(&a.mean, &b.mean), gap(a.std.as_ref().unwrap(), b.std.as_ref().unwrap())];
                    errors.push(gap(&features.model.noise, &sections.model.noise));
                    for (a, b) in a.cov.unwrap().iter().zip(&b.cov.unwrap()) {
                        errors.push(gap(a, b));
                    }
                    let error = errors.iter().copied().fold(0.0, f64::max);
                    assert!(error < 1e-8, "{what}, offset {offset}: {errors:?}");
                    worst = worst.max(error);
                }
                for (a, b) in paths(&features.training, &sections.training, 29) {
                    let same = |a: f64, b: f64| (a - b).abs() <= 1e-6 * (1.0 + b.abs());
                    assert!(same(a.ridge / b.ridge, 1.0), "{what}: {a:?} {b:?}");
                    // the features' residuals are a difference of large numbers
                    if a.ridge > 1e-7 {
                        assert!(same(a.evidence, b.evidence) && same(a.gcv, b.gcv), "{what}: {a:?} {b:?}");
                        assert!(same(a.freedom, b.freedom), "{what}: {a:?} {b:?}");
                    }
                }
            }
        }
    }
    println!("largest difference {worst:e}");
}

#[test]
fn leave_one_out_is_what_refits_give() {
    let x = inputs(13, 2, 1);
    for (name, kernel, p) in kernels() {
        for (what, y, weights) in samples(&x, p) {
            let offset = name != "listed";
            let fitted = fit(&exact(&kernel, Ridge::Loo, offset), &table(&x, &y, &weights));
            let point = from_end(&fitted, 9);
            let (entries, rows) = observed(&y, &weights);
            let (mut sum, mut total) = (0.0, 0.0);
            for left in 0..x.nrows() {
                let keep: Vec<usize> = (0..x.nrows()).filter(|&i| i != left).collect();
                let pick = |m: &Mat<f64>| Mat::from_fn(keep.len(), m.ncols(), |i, k| m[(keep[i], k)]);
                let others = weights.as_ref().map(|w| match w {
                    Weights::Row(w) => Weights::Row(keep.iter().map(|&i| w[i]).collect()),
                    Weights::Entry(w) => Weights::Entry(pick(w)),
                });
                let rest = (&pick(&x), &pick(&y), &others);
                let place = Mat::from_fn(1, 2, |_, k| x[(left, k)]);
                // the sum without one row: nλ stays, so λ grows
                let ridge = point.ridge * rows / observed(rest.1, &others).1;
                let mean = definition(&kernel, rest, ridge, offset, &place);
                for &(_, t, w) in entries.iter().filter(|e| e.0 == left) {
                    sum += w * ((mean[(0, t)] - y[(left, t)]) / fitted.model.output_scale[t]).powi(2);
                    total += w;
                }
            }
            let (loo, expected) = (point.loo.unwrap(), sum / total);
            assert!((loo / expected - 1.0).abs() < 1e-6, "{name}, {what}: {loo} {expected}");
        }
    }
}

/// log N(Hy; 0, σ²(I + HKHᵀ/nλ)), H the contrasts of each output (all of y without offset).
fn log_density(kernel: &Kernel, x: &Mat<f64>, y: &Mat<f64>, (ridge, noise): (f64, f64), offset: bool) -> f64 {
    let (n, p) = (x.nrows(), y.ncols());
    let kernel = kernel.resolve(&Seen { outputs: p, ..Seen::default() }).unwrap();
    let mut h: Vec<Vec<f64>> = Vec::new();
    for t in 0..p {
        for k in 0..n {
            let mut one = vec![0.0; n * p];
            if !offset {
                one[k * p + t] = 1.0;
            } else if k > 0 {
                let norm = ((k * (k + 1)) as f64).sqrt(); // Helmert
                (0..k).for_each(|i| one[i * p + t] = 1.0 / norm);
                one[k * p + t] = -(k as f64) / norm;
            } else {
                continue;
            }
            h.push(one);
        }
    }
    let entry = |a: usize, b: usize| kernel.eval(&row(x, a / p), &row(x, b / p)).unwrap()[(a % p, b % p)];
    let k: Vec<Vec<f64>> = (0..n * p).map(|a| (0..n * p).map(|b| entry(a, b)).collect()).collect();
    let m = h.len();
    let mut cov = vec![vec![0.0; m]; m];
    for a in 0..m {
        let kh: Vec<f64> = (0..n * p).map(|e| (0..n * p).map(|f| h[a][f] * k[f][e]).sum()).collect();
        for b in 0..m {
            let inner: f64 = (0..n * p).map(|e| kh[e] * h[b][e]).sum();
            cov[a][b] = noise * (f64::from(u8::from(a == b)) + inner / (n as f64 * ridge));
        }
    }
    let hy: Vec<f64> = h.iter().map(|h| (0..n * p).map(|e| h[e] * y[(e / p, e % p)]).sum()).collect();
    let (solved, log_det) = eliminate(cov, hy.iter().map(|v| vec![*v]).collect());
    let quadratic: f64 = hy.iter().zip(&solved).map(|(a, b)| a * b[0]).sum();
    -0.5 * (m as f64 * std::f64::consts::TAU.ln() + log_det + quadratic)
}

#[test]
fn evidence_is_the_density_of_the_data() {
    let x = inputs(11, 2, 1);
    for (name, kernel, p) in kernels() {
        let y = outputs(&x, p, 0.3);
        for offset in [false, true] {
            let fitted = fit(&exact(&kernel, Ridge::Evidence, offset), &table(&x, &y, &None));
            let scaled = Mat::from_fn(11, p, |i, t| y[(i, t)] / fitted.model.output_scale[t]);
            for point in [from_end(&fitted, 10), from_end(&fitted, 6), from_end(&fitted, 2)] {
                let at = |noise: f64| log_density(&kernel, &x, &scaled, (point.ridge, noise), offset);
                let expected = at(point.noise);
                assert!((point.evidence - expected).abs() < 1e-6 * expected.abs(), "{name}: {point:?} {expected}");
                assert!(at(1.05 * point.noise) < expected && at(0.95 * point.noise) < expected);
            }
            // the ridge chosen has more of it than its neighbours on the path
            let best = fitted.training.path.iter().map(|p| p.evidence).fold(f64::NEG_INFINITY, f64::max);
            let chosen = fitted.training.path.iter().find(|p| p.evidence == best).unwrap().ridge;
            assert!((fitted.training.ridge / chosen).ln().abs() < 1.2, "{name}: {} {chosen}", fitted.training.ridge);
        }
    }
}

#[test]
fn a_weight_of_two_is_a_row_twice() {
    let x = inputs(12, 2, 1);
    for (name, kernel, p) in kernels() {
        let y = holes(outputs(&x, p, 0.2));
        let weights = Weights::Row((0..12).map(|i| if i % 3 == 0 { 2.0 } else { 1.0 }).collect());
        let twice: Vec<usize> =
            (0..12).flat_map(|i| std::iter::repeat_n(i, if i % 3 == 0 { 2 } else { 1 })).collect();
        let pick = |m: &Mat<f64>| Mat::from_fn(twice.len(), m.ncols(), |i, k| m[(twice[i], k)]);
        for ridge in [Ridge::Given(1e-2), Ridge::Loo] {
            let a = fit(&exact(&kernel, ridge, true), &table(&x, &y, &Some(weights.clone())));
            let b = fit(&exact(&kernel, ridge, true), &table(&pick(&x), &pick(&y), &None));
            // columns with scales of their own have scores in units that differ
            let scale = (a.model.output_scale[0] / b.model.output_scale[0]).powi(2);
            let common = name != "identity";
            for (a, b) in paths(&a.training, &b.training, if common { 16 } else { 0 }) {
                assert!((a.ridge / b.ridge - 1.0).abs() < 1e-9, "{name}: {a:?} {b:?}");
                assert!((a.noise * scale / b.noise - 1.0).abs() < 1e-7, "{name}: {a:?} {b:?}");
                assert!((a.freedom / b.freedom - 1.0).abs() < 1e-7, "{name}: {a:?} {b:?}");
                assert!((a.gcv * scale / b.gcv - 1.0).abs() < 1e-7, "{name}: {a:?} {b:?}");
            }
            if let Ridge::Given(_) = ridge {
                let (a, b) = (predict(&a, &x), predict(&b, &x));
                assert!(gap(&a.mean, &b.mean) < 1e-9, "{name}: {:e}", gap(&a.mean, &b.mean));
                assert!(gap(&a.std.unwrap(), &b.std.unwrap()) < 1e-9, "{name}");
            }
        }
    }
}
