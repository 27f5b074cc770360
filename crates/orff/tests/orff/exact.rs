//! The reference learners against their definitions: dense systems solved by naive loops, refits, densities, and the
//! features' ridge on the same atoms.

use faer::Mat;
use orff::archive::{Archive, Reader};
use orff::kernel::{Kernel, Listed, Matrix, Output, Seen, Transformable};
use orff::learn::{ExactRegression, FittedExact, Landmarks, Nystrom, Regression, Ridge};
use orff::model::{Body, Info, Model, Prediction, Query, Training};
use orff::params::{Auto, Params};
use orff::random::Stream;
use orff::rows::{Batch, Inputs, Rows, Table, Weights};
use orff::solve::{Dual, DualComponent, DualSpectral, Group, PathPoint};
use orff::spectrum::Spectrum;
use orff::watch::Silent;
use std::sync::atomic::{AtomicBool, Ordering};

const ALL: Query = Query { std: true, cov: true, noise: false, single: false };

// ---- data

fn inputs(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut s = Stream::new(seed, 11, 0);
    Mat::from_fn(n, d, |_, _| 3.0 * s.uniform() - 0.7)
}

fn outputs(x: &Mat<f64>, p: usize, noise: f64) -> Mat<f64> {
    let mut s = Stream::new(5, 12, 0);
    Mat::from_fn(x.nrows(), p, |i, t| {
        let a: f64 = (0..x.ncols()).map(|k| x[(i, k)] * (1.0 + 0.4 * (k + t) as f64)).sum();
        2.0 + t as f64 + 1.5 * (a + 0.3 * t as f64).sin() + noise * s.normal()
    })
}

fn spectrum(lengthscale: f64) -> Spectrum {
    Spectrum::default().with_lengthscale(lengthscale.into())
}

fn matrix(m: Mat<f64>) -> Matrix {
    Matrix::new(m, "matrix").unwrap()
}

fn coupled() -> Kernel {
    let gamma = faer::mat![[1.3, 0.5, -0.2], [0.5, 0.9, 0.3], [-0.2, 0.3, 0.7]];
    Kernel::decomposable(spectrum(0.9), Output::Given { matrix: matrix(gamma) })
}

fn other() -> Mat<f64> {
    faer::mat![[0.6, -0.1, 0.2], [-0.1, 1.1, 0.4], [0.2, 0.4, 0.8]]
}

/// Γ of rank 2: one direction of the outputs is only an offset.
fn deficient() -> Kernel {
    let b = faer::mat![[1.0, 0.2], [0.5, -0.8], [-0.3, 0.6]];
    Kernel::decomposable(spectrum(0.9), Output::Given { matrix: matrix(&b * b.transpose()) })
}

fn listed(d: usize, p: usize, r: usize, atoms: usize) -> Kernel {
    let mut s = Stream::new(8, 13, 0);
    let omega = Mat::from_fn(atoms, d, |_, _| s.normal());
    let factors = Mat::from_fn(atoms * p, r, |_, _| s.normal());
    let weights = (0..atoms).map(|_| 0.05 + 0.2 * s.uniform()).collect();
    Listed { omega: matrix(omega), factors: matrix(factors), weights: Some(weights) }.into()
}

/// Weights of rows, generic.
fn row_weights(n: usize) -> Weights {
    Weights::Row((0..n).map(|i| 0.3 + ((i * 7) % 5) as f64 * 0.4).collect())
}

/// Weights of entries; every column has the same sum.
fn entry_weights(n: usize, p: usize) -> Weights {
    let raw = Mat::from_fn(n, p, |i, t| 0.3 + ((i * 7 + t * 3) % 5) as f64 * 0.4);
    let sums: Vec<f64> = raw.col_iter().map(|c| c.iter().sum()).collect();
    Weights::Entry(Mat::from_fn(n, p, |i, t| raw[(i, t)] * n as f64 / sums[t]))
}

/// Takes away some outputs, never the first.
fn holes(mut y: Mat<f64>) -> Mat<f64> {
    for i in 0..y.nrows() {
        for t in 1..y.ncols() {
            if (3 * i + 5 * t) % 4 == 0 {
                y[(i, t)] = f64::NAN;
            }
        }
    }
    y
}

fn table(x: &Mat<f64>, y: &Mat<f64>, weights: &Option<Weights>) -> Table {
    let table = Table::new(x.clone(), y.clone()).unwrap();
    match weights {
        None => table,
        Some(w) => table.weighted(w.clone()).unwrap(),
    }
}

fn exact(kernel: &Kernel, ridge: Ridge, offset: bool) -> ExactRegression {
    ExactRegression { kernel: kernel.clone(), ridge, offset, ..ExactRegression::default() }
}

fn fit(learner: &ExactRegression, rows: &dyn Rows) -> FittedExact {
    learner.fit(rows, &mut Silent).unwrap()
}

fn predict(fitted: &FittedExact, x: &Mat<f64>) -> Prediction {
    fitted.model.predict(&Inputs::Dense(x.clone()), ALL).unwrap()
}

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

fn gap(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    assert_eq!((a.nrows(), a.ncols()), (b.nrows(), b.ncols()));
    (a - b).norm_max()
}

// ---- naive algebra

/// Solves by Gaussian elimination with row exchanges; also log |det|.
fn eliminate(mut a: Vec<Vec<f64>>, mut b: Vec<Vec<f64>>) -> (Vec<Vec<f64>>, f64) {
    let n = a.len();
    let mut log_det = 0.0;
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        log_det += a[k][k].abs().ln();
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= f * a[k][j];
            }
            for j in 0..b[i].len() {
                b[i][j] -= f * b[k][j];
            }
        }
    }
    for k in (0..n).rev() {
        for j in 0..b[k].len() {
            let done: f64 = (k + 1..n).map(|i| a[k][i] * b[i][j]).sum();
            b[k][j] = (b[k][j] - done) / a[k][k];
        }
    }
    (b, log_det)
}

fn row(x: &Mat<f64>, i: usize) -> Vec<f64> {
    x.row(i).iter().copied().collect()
}

/// The observed entries (i, t) with their weights, and n of the mean loss.
fn observed(y: &Mat<f64>, weights: &Option<Weights>) -> (Vec<(usize, usize, f64)>, f64) {
    let (mut entries, mut rows) = (Vec::new(), 0.0);
    for i in 0..y.nrows() {
        let mut seen = Vec::new();
        for t in 0..y.ncols() {
            let w = match weights {
                None => 1.0,
                Some(Weights::Row(w)) => w[i],
                Some(Weights::Entry(w)) => w[(i, t)],
            };
            if y[(i, t)].is_finite() {
                seen.push((i, t, w));
            }
        }
        rows += seen.iter().map(|e| e.2).sum::<f64>() / seen.len().max(1) as f64;
        entries.extend(seen);
    }
    (entries, rows)
}

/// f at the rows of z from the definition: (K + nλW⁻¹)u + Eb = y, Eᵀu = 0, with a constant for each output.
fn definition(
    kernel: &Kernel,
    (x, y, weights): (&Mat<f64>, &Mat<f64>, &Option<Weights>),
    ridge: f64,
    offset: bool,
    z: &Mat<f64>,
) -> Mat<f64> {
    let p = y.ncols();
    let kernel = kernel.resolve(&Seen { outputs: p, ..Seen::default() }).unwrap();
    let (entries, rows) = observed(y, weights);
    let n = entries.len();
    let q = if offset { p } else { 0 };
    let mut a = vec![vec![0.0; n + q]; n + q];
    let mut b = vec![vec![0.0]; n + q];
    for (e, &(i, s, w)) in entries.iter().enumerate() {
        for (f, &(j, t, _)) in entries.iter().enumerate() {
            a[e][f] = kernel.eval(&row(x, i), &row(x, j)).unwrap()[(s, t)];
        }
        a[e][e] += rows * ridge / w;
        b[e][0] = y[(i, s)];
        if offset {
            a[e][n + s] = 1.0;
            a[n + s][e] = 1.0;
        }
    }
    let (u, _) = eliminate(a, b);
    Mat::from_fn(z.nrows(), p, |i, s| {
        let sum: f64 = (entries.iter().enumerate())
            .map(|(e, &(j, t, _))| kernel.eval(&row(z, i), &row(x, j)).unwrap()[(s, t)] * u[e][0])
            .sum();
        sum + if offset { u[n + s][0] } else { 0.0 }
    })
}

// ---- exact ridge

type Case = (&'static str, Kernel, usize);

fn kernels() -> Vec<Case> {
    vec![
        ("coupled", coupled(), 3),
        ("deficient", 0.7 * deficient(), 3),
        ("identity", identity(), 3),
        (
            "two matrices",
            coupled() + Kernel::decomposable(spectrum(0.5), Output::Given { matrix: matrix(other()) }),
            3,
        ),
        ("curl-free", Kernel::curl_free(spectrum(1.1)), 2),
        ("sum", Kernel::curl_free(spectrum(1.1)) + 0.4 * Kernel::div_free(spectrum(0.8)), 2),
        ("listed", listed(2, 3, 2, 6), 3),
    ]
}

fn identity() -> Kernel {
    Kernel::decomposable(spectrum(0.9), Output::Identity)
}

/// Complete, weighted by rows, by entries, with missing outputs, with both.
fn samples(x: &Mat<f64>, p: usize) -> Vec<(&'static str, Mat<f64>, Option<Weights>)> {
    let (n, y) = (x.nrows(), outputs(x, p, 0.2));
    vec![
        ("complete", y.clone(), None),
        ("row weights", y.clone(), Some(row_weights(n))),
        ("entry weights", y.clone(), Some(entry_weights(n, p))),
        ("missing", holes(y.clone()), None),
        ("missing, row weights", holes(y), Some(row_weights(n))),
    ]
}

#[test]
fn separated_kernels_are_scalar_times_matrix() {
    let with = |gamma: Mat<f64>, l: f64| Kernel::decomposable(spectrum(l), Output::Given { matrix: matrix(gamma) });
    let m = matrix(faer::mat![[1.0, 0.4, -0.3], [0.2, -0.7, 0.5]]);
    let t = matrix(faer::mat![[0.3, 1.0], [-0.6, 0.2], [0.9, 0.5]]);
    let cases = [
        coupled(),
        1.7 * coupled(),
        coupled() + 0.6 * with(coupled().separated().unwrap().1, 0.4),
        coupled() * with(other(), 0.6),
        coupled().conjugated(m),
        coupled().precomposed(t),
    ];
    for kernel in cases {
        let (scalar, gamma) = kernel.separated().unwrap();
        let (x, z) = ([0.3, -0.2], [-0.5, 0.4]);
        let (k, expected) = (scalar.eval(&x, &z).unwrap(), kernel.eval(&x, &z).unwrap());
        assert_eq!((k.nrows(), k.ncols()), (1, 1));
        assert!(gap(&(faer::Scale(k[(0, 0)]) * gamma), &expected) < 1e-15, "{kernel:?}");
    }
    for kernel in [Kernel::curl_free(spectrum(1.0)), listed(2, 3, 2, 4), coupled() + with(other(), 0.9)] {
        assert!(kernel.separated().is_none(), "{kernel:?}");
    }
}

#[test]
fn exact_ridge_is_its_definition() {
    let (x, z) = (inputs(17, 2, 1), inputs(6, 2, 2));
    for (name, kernel, p) in kernels() {
        for (what, y, weights) in samples(&x, p) {
            for offset in [false, true] {
                let learner = exact(&kernel, Ridge::Given(3e-3), offset);
                let fitted = fit(&learner, &table(&x, &y, &weights));
                let expected = definition(&kernel, (&x, &y, &weights), 3e-3, offset, &z);
                let error = gap(&predict(&fitted, &z).mean, &expected);
                assert!(error < 1e-9, "{name}, {what}, offset {offset}: {error:e}");
            }
        }
    }
}

#[test]
fn cholesky_and_eigenvalues_are_one_solution() {
    let x = inputs(14, 2, 1);
    for (name, kernel, p) in [("coupled", coupled(), 3), ("curl-free", Kernel::curl_free(spectrum(1.1)), 2)] {
        for offset in [false, true] {
            let entries: Vec<(usize, usize)> = (0..14 * p).map(|e| (e / p, e % p)).filter(|e| e.0 != e.1).collect();
            let all = kernel.sections(x.as_ref(), x.as_ref()).unwrap();
            let at = |e: usize| entries[e].0 * p + entries[e].1;
            let gram = Mat::from_fn(entries.len(), entries.len(), |e, f| all[(at(e), at(f))]);
            let weights: Vec<f64> = (0..entries.len()).map(|e| 0.4 + (e % 3) as f64).collect();
            let group = Group::new(gram, entries.clone(), &weights, p, offset);
            let y: Vec<f64> = (0..entries.len()).map(|e| (e as f64).sin()).collect();
            let (target, count) = (group.target(&y), weights.iter().sum());
            let component = |s2: f64| DualComponent { group: 0, s2, target: target.clone(), count, direction: None };
            let dual = Dual {
                rows: 10.0,
                observed: 14.0,
                groups: vec![group],
                components: vec![component(1.0), component(0.3)],
            };
            let (a, b) = (dual.solve(1e-3, true).unwrap(), DualSpectral::new(&dual).unwrap().solve(1e-3, true));
            assert_eq!(dual.distinct(), 2);
            for k in 0..2 {
                let gap = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(gap(&a.coefficients[k], &b.coefficients[k]) < 1e-9, "{name}");
                assert!(gap(&a.residuals[k], &b.residuals[k]) < 1e-9, "{name}");
                assert!((a.freedom[k] - b.freedom[k]).abs() < 1e-9, "{name}");
                let inverse = |s: &orff::solve::DualSolution| {
                    let (root, scale) = s.inverses[k].as_ref().unwrap();
                    let r = &s.roots[*root].1;
                    Mat::from_fn(r.nrows(), r.ncols(), |i, j| r[(i, j)] * scale[j]) * r.transpose()
                };
                assert!((inverse(&a) - inverse(&b)).norm_max() < 1e-9 * inverse(&a).norm_max(), "{name}");
            }
        }
    }
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

#[test]
fn views_are_the_transformable_kernel() {
    let (x, z) = (inputs(9, 3, 1), inputs(4, 3, 2));
    let y = holes(outputs(&x, 2, 0.2));
    let views = vec![
        matrix(faer::mat![[1.0, 0.3, 0.0], [0.0, 1.0, -0.4]]),
        matrix(faer::mat![[0.2, 0.0, 1.0], [0.7, -1.0, 0.1]]),
    ];
    let kernel: Kernel = Transformable { spectrum: spectrum(1.2), views }.into();
    let ridge = 2e-3;
    let fitted = fit(&exact(&kernel, Ridge::Given(ridge), false), &table(&x, &y, &None));
    let found = predict(&fitted, &z);
    // n counts rows of the scalar problem, one per view and output, as parts of a row
    let (entries, rows) = observed(&y, &None);
    let n = entries.len() as f64 / 2.0;
    let expected = definition(&kernel, (&x, &y, &None), ridge * n / rows, false, &z);
    assert!(gap(&found.mean, &expected) < 1e-9, "{:e}", gap(&found.mean, &expected));
    // covariance between views: K(z,z) − K(z,X)(K + nλI)⁻¹K(X,z), in units of σ²/(nλ)
    let k = |a: &Mat<f64>, i: usize, s: usize, b: &Mat<f64>, j: usize, t: usize| {
        kernel.eval(&row(a, i), &row(b, j)).unwrap()[(s, t)]
    };
    for i in 0..4 {
        let mut a = vec![vec![0.0; entries.len()]; entries.len()];
        for (e, &(j, s, _)) in entries.iter().enumerate() {
            for (f, &(l, t, _)) in entries.iter().enumerate() {
                a[e][f] = k(&x, j, s, &x, l, t) + if e == f { n * ridge } else { 0.0 };
            }
        }
        let b: Vec<Vec<f64>> =
            entries.iter().map(|&(j, t, _)| (0..2).map(|s| k(&x, j, t, &z, i, s)).collect()).collect();
        let (solved, _) = eliminate(a, b.clone());
        let sd = |t: usize| fitted.model.posterior.get().unwrap().unwrap().unit.as_ref().unwrap()[t];
        let expected = Mat::from_fn(2, 2, |s, t| {
            let less: f64 = (0..entries.len()).map(|e| b[e][s] * solved[e][t]).sum();
            (k(&z, i, s, &z, i, t) - less) / (n * ridge) * sd(s) * sd(t)
        });
        let cov = &found.cov.as_ref().unwrap()[i];
        assert!(gap(cov, &expected) < 1e-9, "{cov:?} {expected:?}");
    }
    // all landmarks: the same model, with one constant for all views or none
    for offset in [false, true] {
        let ridge = Ridge::Given(ridge);
        let points = Auto::Fixed(1000);
        let all = Nystrom { kernel: kernel.clone(), ridge, offset, points, ..Nystrom::default() };
        let all = predict(&all.fit(&table(&x, &y, &None), &mut Silent).unwrap(), &z);
        let one = predict(&fit(&exact(&kernel, ridge, offset), &table(&x, &y, &None)), &z);
        assert!(gap(&all.mean, &one.mean) < 1e-7);
        all.cov.unwrap().iter().zip(&one.cov.unwrap()).for_each(|(a, b)| assert!(gap(a, b) < 1e-7, "{a:?} {b:?}"));
    }
}

#[test]
fn threads_and_batches_change_no_bit() {
    let x = inputs(300, 2, 1);
    let y = outputs(&x, 3, 0.2);
    for kernel in [coupled(), identity()] {
        let mut seen: Vec<(Prediction, Prediction)> = Vec::new();
        for (threads, batch) in [(1, 1000), (2, 7)] {
            let threads = Auto::Fixed(threads);
            let learner = ExactRegression { threads, ..exact(&kernel, Ridge::Given(1e-3), true) };
            let rows = table(&x, &y, &None).batched(batch);
            let points = Auto::Fixed(50);
            let nystrom = Nystrom { kernel: kernel.clone(), threads, points, ..Nystrom::default() };
            let nystrom = nystrom.fit(&rows, &mut Silent).unwrap();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.fixed().unwrap()).build().unwrap();
            let exact = fit(&learner, &rows);
            seen.push(pool.install(|| (predict(&exact, &x), predict(&nystrom, &x))));
            // a row alone is a row of a batch
            let one = Inputs::Dense(x.subrows(17, 1).to_owned());
            let alone = nystrom.model.predict(&one, ALL).unwrap();
            assert_eq!(alone.mean.row(0), seen[seen.len() - 1].1.mean.row(17));
            assert_eq!(alone.std.unwrap().row(0), seen[seen.len() - 1].1.std.as_ref().unwrap().row(17));
        }
        assert_eq!(seen[0].0.mean, seen[1].0.mean);
        assert_eq!(seen[0].0.std, seen[1].0.std);
        assert_eq!(seen[0].1.mean, seen[1].1.mean);
        assert_eq!(seen[0].1.cov, seen[1].1.cov);
    }
}

// ---- Nyström

#[test]
fn all_landmarks_are_exact_ridge() {
    let (x, z) = (inputs(25, 2, 1), inputs(6, 2, 2));
    let mut worst: f64 = 0.0;
    for (name, kernel, p) in kernels() {
        for (what, y, weights) in samples(&x, p) {
            for offset in [false, true] {
                let rows = table(&x, &y, &weights);
                let nystrom = Nystrom {
                    kernel: kernel.clone(),
                    ridge: Ridge::Given(1e-3),
                    offset,
                    points: Auto::Fixed(25),
                    ..Nystrom::default()
                };
                let a = nystrom.fit(&rows, &mut Silent).unwrap();
                let b = fit(&exact(&kernel, Ridge::Given(1e-3), offset), &rows);
                let (a, b) = (predict(&a, &z), predict(&b, &z));
                let mut errors = vec![gap(&a.mean, &b.mean), gap(&a.std.unwrap(), &b.std.unwrap())];
                errors.extend(a.cov.unwrap().iter().zip(&b.cov.unwrap()).map(|(a, b)| gap(a, b)));
                let error = errors.iter().copied().fold(0.0, f64::max);
                assert!(error < 1e-7, "{name}, {what}, offset {offset}: {errors:?}");
                worst = worst.max(error);
            }
        }
    }
    println!("largest difference {worst:e}");
}

#[test]
fn more_landmarks_are_closer_to_exact_ridge() {
    let (x, z) = (inputs(200, 2, 1), inputs(100, 2, 2));
    for (kernel, p) in [(coupled(), 3), (Kernel::curl_free(spectrum(1.1)), 2)] {
        let rows = table(&x, &outputs(&x, p, 0.1), &None);
        let ridge = Ridge::Given(1e-5);
        let target = predict(&fit(&exact(&kernel, ridge, true), &rows), &z).mean;
        for landmarks in [Landmarks::Uniform, Landmarks::Distant] {
            let error = |points: usize| {
                let points = Auto::Fixed(points);
                let learner = Nystrom { kernel: kernel.clone(), ridge, points, landmarks, ..Nystrom::default() };
                let mean = predict(&learner.fit(&rows, &mut Silent).unwrap(), &z).mean;
                (&mean - &target).norm_l2() / target.norm_l2()
            };
            let errors = [error(8), error(25), error(80)];
            println!("{landmarks:?} {errors:?}");
            assert!(errors[0] > 2.0 * errors[1] && errors[1] > 2.0 * errors[2], "{errors:?}");
            assert!(errors[2] < 1e-3, "{errors:?}");
        }
    }
}

/// Rows that can be read only once.
struct Once(Table, AtomicBool);

impl Rows for Once {
    fn inputs(&self) -> usize {
        self.0.inputs()
    }
    fn outputs(&self) -> usize {
        self.0.outputs()
    }
    fn batches(&self) -> orff::Result<Box<dyn Iterator<Item = orff::Result<Batch>> + '_>> {
        assert!(!self.1.swap(true, Ordering::SeqCst), "read twice");
        self.0.batches()
    }
    fn rereadable(&self) -> bool {
        false
    }
}

#[test]
fn defaults_learn_from_a_stream() {
    let x = inputs(300, 2, 1);
    let y = outputs(&x, 2, 0.1);
    let once = || Once(table(&x, &y, &None).batched(64), AtomicBool::new(false));
    let exact = ExactRegression::default().fit(&once(), &mut Silent).unwrap();
    let nystrom = Nystrom::default().fit(&once(), &mut Silent).unwrap();
    for (name, fitted) in [("exact", exact), ("nystrom", nystrom)] {
        println!("{:#?}", fitted.training.choices);
        assert_eq!(fitted.training.rows, 300);
        let noise = fitted.model.noise[(0, 0)].sqrt();
        assert!((noise - 0.1).abs() < 0.02, "{name}: noise {noise}");
        let z = inputs(200, 2, 3);
        let error = (&predict(&fitted, &z).mean - &outputs(&z, 2, 0.0)).norm_l2() / 20.0;
        assert!(error < 0.06, "{name}: {error}");
    }
}

// ---- sentences

fn refusal<T>(result: orff::Result<T>) -> String {
    match result {
        Ok(_) => panic!("was accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn refusals_say_what_to_do() {
    let x = inputs(300, 2, 1);
    let y = outputs(&x, 2, 0.1);
    let curl = Kernel::curl_free(spectrum(1.0));
    let small = |kernel: &Kernel| ExactRegression { memory: 5, ..exact(kernel, Ridge::Evidence, true) };
    let tell = |learner: &ExactRegression, rows: &dyn Rows| refusal(learner.fit(rows, &mut Silent));
    assert!(small(&identity()).fit(&table(&x, &y, &None), &mut Silent).is_ok());
    assert_eq!(
        tell(&small(&curl), &table(&x, &y, &None)),
        "exact ridge on 300 rows × 2 outputs is refused: it needs 0.018 GB and memory allows 5 MB; use random \
         features or Nyström landmarks, or raise memory"
    );
    let many = Mat::from_fn(20_000, 1, |i, _| i as f64);
    let big = tell(&ExactRegression::default(), &table(&many, &Mat::from_fn(20_000, 3, |i, _| i as f64), &None));
    assert!(big.starts_with("exact ridge on 20000 rows × 3 outputs is refused: it needs 20 GB"), "{big}");
    let empty = table(&Mat::zeros(0, 2), &Mat::zeros(0, 2), &None);
    assert!(tell(&ExactRegression::default(), &empty).starts_with("no rows"));
    assert!(refusal(Nystrom::default().fit(&empty, &mut Silent)).starts_with("no rows"));
    let wrong = tell(&exact(&curl, Ridge::Evidence, true), &table(&x, &outputs(&x, 3, 0.1), &None));
    assert_eq!(
        wrong,
        "outputs: expected 2, as many as the kernel has (a field has as many as there are inputs), got 3"
    );
    let never = Mat::from_fn(300, 2, |i, t| if t == 1 { f64::NAN } else { y[(i, t)] });
    for kernel in [&curl, &identity()] {
        let rows = table(&x, &never, &None);
        assert_eq!(
            tell(&exact(kernel, Ridge::Given(1e-3), true), &rows),
            "output 2: not observed on any row with a weight > 0"
        );
        let nystrom = Nystrom { kernel: kernel.clone(), ..Nystrom::default() };
        assert_eq!(refusal(nystrom.fit(&rows, &mut Silent)), "output 2: not observed on any row with a weight > 0");
    }
    let nothing = table(&x, &y, &Some(Weights::Row(vec![0.0; 300])));
    let line = "no row counts: every weight is zero, or no output was observed";
    assert_eq!(tell(&exact(&curl, Ridge::Given(1e-3), true), &nothing), line);
    let nystrom = Nystrom { kernel: identity(), ..Nystrom::default() };
    assert_eq!(refusal(nystrom.fit(&nothing, &mut Silent)), line);
    let loo = refusal(Nystrom { ridge: Ridge::Loo, ..Nystrom::default() }.fit(&table(&x, &y, &None), &mut Silent));
    assert_eq!(loo, "ridge: expected evidence, gcv or a number ≥ 0, got loo");
    let without = ExactRegression { posterior: false, ..exact(&curl, Ridge::Given(1e-3), true) };
    let fitted = fit(&without, &table(&x, &y, &None));
    let refused = refusal(fitted.model.predict(&Inputs::Dense(x.clone()), ALL));
    assert!(refused.starts_with("uncertainty from this model is refused"), "{refused}");
    for param in ExactRegression::SPEC.iter().chain(Nystrom::SPEC) {
        for bad in param.kind.bad_values() {
            assert!(param.kind.check(param.name, &bad).is_err(), "{} {bad}", param.name);
        }
    }
}

#[test]
fn constant_outputs_and_single_rows_are_learned_as_they_are() {
    let x = inputs(20, 2, 1);
    let y = Mat::from_fn(20, 2, |_, t| 4.0 + t as f64);
    for kernel in [identity(), Kernel::curl_free(spectrum(1.0))] {
        for ridge in [Ridge::Evidence, Ridge::Gcv, Ridge::Loo, Ridge::Given(1e-3), Ridge::Given(0.0)] {
            let fitted = fit(&exact(&kernel, ridge, true), &table(&x, &y, &None));
            let mean = fitted.model.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean;
            assert!(gap(&mean, &y) < 1e-12, "{ridge:?}: {:e}", gap(&mean, &y));
        }
        let nystrom = Nystrom { kernel: kernel.clone(), ..Nystrom::default() };
        let fitted = nystrom.fit(&table(&x, &y, &None), &mut Silent).unwrap();
        assert!(gap(&predict(&fitted, &x).mean, &y) < 1e-12);
        let one = table(&inputs(1, 2, 1), &faer::mat![[3.0, -1.0]], &None);
        let fitted = fit(&exact(&kernel, Ridge::Given(0.1), true), &one);
        let at = Inputs::Dense(inputs(1, 2, 7));
        let mean = fitted.model.predict(&at, Query::default()).unwrap().mean;
        assert!(gap(&mean, &faer::mat![[3.0, -1.0]]) < 1e-14);
        // one row tells nothing of the noise about its constant
        let landmark = Nystrom { kernel: kernel.clone(), ridge: Ridge::Given(0.1), ..Nystrom::default() };
        for fitted in [fitted, landmark.fit(&one, &mut Silent).unwrap()] {
            assert!(fitted.model.predict(&at, ALL).is_err());
            assert_eq!(fitted.training.choices.iter().filter(|c| c.starts_with("no error bars: too few")).count(), 1);
        }
    }
}

#[test]
fn ridge_zero_interpolates() {
    let x = inputs(15, 2, 1);
    // short lengthscales: the Gram matrix is far from singular
    let given = Output::Given { matrix: matrix(faer::mat![[1.3, 0.5], [0.5, 0.9]]) };
    let kernels = [Kernel::decomposable(spectrum(0.4), given), Kernel::curl_free(spectrum(0.4))];
    for kernel in kernels {
        let y = outputs(&x, 2, 0.3);
        let fitted = fit(&exact(&kernel, Ridge::Given(0.0), true), &table(&x, &y, &None));
        let mean = fitted.model.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean;
        assert!(gap(&mean, &y) < 1e-8, "{:e}", gap(&mean, &y));
    }
}

// ---- files

fn model(fitted: FittedExact) -> Model {
    Model { body: Body::Exact(Box::new(fitted.model)), projection: None, info: Info::default(), series: None }
}

#[test]
fn a_file_brings_the_model_back() {
    let x = inputs(20, 2, 1);
    for (_, kernel, p) in kernels() {
        for (_, y, weights) in samples(&x, p) {
            let nystrom = Nystrom { kernel: kernel.clone(), points: Auto::Fixed(9), ..Nystrom::default() };
            let rows = table(&x, &y, &weights);
            for fitted in
                [fit(&exact(&kernel, Ridge::Given(1e-3), true), &rows), nystrom.fit(&rows, &mut Silent).unwrap()]
            {
                let model = model(fitted);
                let back = Model::from_bytes(model.to_bytes().unwrap()).unwrap();
                assert_eq!((back.inputs(), back.outputs()), (2, p));
                let at = Inputs::Dense(inputs(5, 2, 2));
                let (a, b) = (model.predict(&at, ALL).unwrap(), back.predict(&at, ALL).unwrap());
                assert_eq!(a.mean, b.mean);
                assert_eq!(a.std, b.std);
                assert_eq!(a.cov, b.cov);
                assert_eq!(back.to_bytes().unwrap(), model.to_bytes().unwrap());
            }
        }
    }
}

#[test]
fn a_file_that_contradicts_itself_is_refused() {
    let x = inputs(12, 2, 1);
    let at = Inputs::Dense(inputs(3, 2, 2));
    for (name, kernel, p) in kernels() {
        let fitted = fit(&exact(&kernel, Ridge::Given(1e-3), true), &table(&x, &outputs(&x, p, 0.1), &None));
        let file = Reader::from_bytes(model(fitted).to_bytes().unwrap()).unwrap();
        let usable = |archive: Archive| -> bool {
            match Model::from_bytes(archive.to_bytes().unwrap()) {
                Ok(model) => model.predict(&at, ALL).is_ok(),
                Err(_) => false,
            }
        };
        let copy = |header: serde_json::Value| {
            let mut archive = Archive::new("model", header);
            file.names().for_each(|name| archive.put_stored(name, &file).unwrap());
            archive
        };
        assert!(usable(copy(file.header().clone())));
        // every tensor with a row more, a column more, one less
        for tensor in file.names() {
            let shape = file.shape(tensor).unwrap().to_vec();
            for (more, wide) in [(1i64, 0i64), (0, 1), (-1, 0), (0, -1)] {
                let side = |k: usize, by: i64| (shape.get(k).copied().unwrap_or(1) as i64 + by) as usize;
                let values = Mat::from_fn(side(0, more), side(1, wide), |i, k| 1.0 / (1 + i + k) as f64);
                let mut archive = copy(file.header().clone());
                match shape.len() {
                    2 => archive.put_mat(tensor, values.as_ref()),
                    _ if wide != 0 => continue,
                    _ => archive.put_vec(tensor, values.col(0).iter().copied().collect::<Vec<f64>>()),
                }
                assert!(!usable(archive), "{name}: {tensor} with {more} rows and {wide} columns more");
            }
        }
        let separable = ["coupled", "deficient", "identity"].contains(&name);
        // a header that speaks of another kernel, preparation or posterior
        let other = if p == 2 { coupled() } else { Kernel::curl_free(spectrum(1.0)) };
        let edits: Vec<(&str, serde_json::Value)> = vec![
            ("/exact/kernel", serde_json::to_value(other).unwrap()),
            ("/exact/kernel", serde_json::to_value(Kernel::default()).unwrap()),
            ("/exact/kernel", serde_json::to_value(listed(3, p, 1, 2)).unwrap()),
            ("/exact/kernel", serde_json::json!({"kernel": "sum", "terms": []})),
            ("/exact/kernel", serde_json::json!(3)),
            // the posterior of a decomposable kernel has fewer numbers
            (["/exact/kernel", "/body"][usize::from(!separable)], serde_json::to_value(listed(2, 3, 2, 2)).unwrap()),
            ("/exact/preparation/inputs", serde_json::json!(3)),
            ("/exact/preparation/scale", serde_json::json!([1.0, 0.0])),
            ("/exact/preparation/centre", serde_json::json!([0.0])),
            ("/exact/preparation/views", serde_json::json!([[[1.0, 0.0], [0.0, 1.0]]])),
            ("/exact/posterior/roots", serde_json::json!(1_000_000_000_000u64)),
            ("/exact/posterior/roots", serde_json::json!(0)),
            ("/exact/posterior/spans/0/root", serde_json::json!(7)),
            ("/exact/posterior/spans/0/direction", serde_json::json!(true)), // turned over
            ("/body", serde_json::json!("linear")),
            ("/body", serde_json::json!("exacter")),
        ];
        for (at, value) in edits {
            let mut header = file.header().clone();
            let place = header.pointer_mut(at).unwrap();
            let value = match value {
                serde_json::Value::Bool(_) => serde_json::json!(!place.as_bool().unwrap()),
                other => other,
            };
            *place = value.clone();
            assert!(!usable(copy(header)), "{name}: {at} = {value}");
        }
    }
}
