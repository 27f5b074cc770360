//! Scores of a ridge: degrees of freedom and GCV of the hat matrix, leave-one-out by refits, evidence as a density.

use super::dense::{Dense, dense_predict, solve};
use super::{Data, decomposable, gaussian, gram, kernels, map_of};
use crate::kernel::moments::moments_of;
use faer::Mat;
use orff::feature::{Characters, FeatureMap, MapKind};
use orff::kernel::{Kernel, Output};
use orff::rows::{Inputs, Weights};
use orff::solve::{Banded, Centred, LeftOut, Spectral, System};

/// Degrees of freedom, residuals and GCV from the dense hat matrix, offsets included.
#[test]
fn gcv_and_freedom_are_those_of_the_hat_matrix() {
    for (name, kernel, p) in kernels() {
        let map = map_of(&kernel, p, MapKind::Pairs, 12);
        let variants = Data::new(40, p).variants();
        for (variant, data) in [&variants[0], &variants[2], &variants[3]] {
            let dense = Dense::new(&map, data);
            let moments = moments_of(&map, &data.table());
            for offset in [false, true] {
                let spectral =
                    Spectral::new(System::new(&map, Centred::all(&moments, offset), None).unwrap()).unwrap();
                for ridge in [1e-3, 0.1] {
                    let (left, _) = dense.normal(data.total() * ridge, offset);
                    let a = dense.design(offset);
                    let hat = &a * solve(&left, &a.transpose().to_owned());
                    let n = a.nrows();
                    let y = Mat::from_fn(n, 1, |i, _| dense.y[i]);
                    let e = &y - &hat * &y;
                    let rss: f64 = (0..n).map(|i| e[(i, 0)] * e[(i, 0)]).sum();
                    let trace: f64 = (0..n).map(|i| hat[(i, i)]).sum();
                    let gcv = rss / n as f64 / (1.0 - trace / n as f64).powi(2);
                    let point = spectral.at(ridge);
                    let what = format!("{name}, {variant}, offset {offset}, ridge {ridge}");
                    let means = if offset { p as f64 } else { 0.0 };
                    assert!(
                        (point.freedom + means - trace).abs() < 1e-8 * trace,
                        "{what}: {} {trace}",
                        point.freedom
                    );
                    assert!((point.rss - rss).abs() < 1e-8 * rss, "{what}: {} {rss}", point.rss);
                    assert!((point.gcv - gcv).abs() < 1e-8 * gcv, "{what}: {} {gcv}", point.gcv);
                    let each = spectral.solve(&kernel_map(&map), ridge, false).unwrap().freedom.unwrap();
                    let sum: f64 = each.iter().sum();
                    assert!((sum - point.freedom).abs() < 1e-8 * sum, "{what}: {each:?}");
                }
            }
        }
    }
}

/// A band has the scores that eigenvalues have, for every kernel whose components have one matrix and one variance.
#[test]
fn bands_have_the_scores_of_eigenvalues() {
    let mut compared = Vec::new();
    for (name, kernel, p) in kernels() {
        let map = map_of(&kernel, p, MapKind::Pairs, 60);
        for (variant, data) in &Data::new(150, p).variants() {
            for offset in [false, true] {
                let centred = Centred::all(&moments_of(&map, &data.table()), offset);
                let system = System::new(&map, &centred, None).unwrap();
                if !system.same_variance() {
                    assert!(Banded::new(&system).is_err() && !Banded::suits(&system));
                    continue;
                }
                let band = Banded::new(&system).unwrap();
                let spectral = Spectral::new(system).unwrap();
                let what = format!("{name}, {variant}, offset {offset}");
                for ridge in [1e-6, 1e-3, 0.1, 50.0] {
                    let (a, b) = (band.at(ridge).unwrap(), spectral.at(ridge));
                    for (a, b) in [
                        (a.freedom, b.freedom),
                        (a.rss, b.rss),
                        (a.gcv, b.gcv),
                        (a.evidence, b.evidence),
                        (a.noise, b.noise),
                    ] {
                        assert!((a - b).abs() < 1e-7 * b.abs(), "{what}, ridge {ridge}: {a} and {b}");
                    }
                }
                assert!(band.at(0.0).is_none(), "no ridge has no scores");
                let path = band.path(0.0);
                let best = band.minimise(&path, |p| p.gcv).unwrap().unwrap();
                let other = spectral.minimise(|p| p.gcv).unwrap();
                assert!(best.gcv < other.gcv * (1.0 + 1e-9), "{what}: {best:?} and {other:?}");
                compared.push(name);
            }
        }
    }
    compared.dedup();
    println!("{compared:?}");
    assert!(["identity", "curl-free", "M K Mᵀ"].iter().all(|name| compared.contains(name)), "{compared:?}");
}

/// The best ridge is that of a fine grid, to 10⁻⁴, and no ridge of the path is better.
#[test]
fn the_best_ridge_is_found() {
    let (name, kernel, p) = kernels().swap_remove(0);
    let map = map_of(&kernel, p, MapKind::Pairs, 60);
    for (variant, data) in &Data::new(150, p).variants() {
        let system = System::new(&map, Centred::all(&moments_of(&map, &data.table()), true), None).unwrap();
        let spectral = Spectral::new(system).unwrap();
        for score in [|p: &orff::solve::PathPoint| p.gcv, |p: &orff::solve::PathPoint| -p.evidence] {
            let best = spectral.minimise(score).unwrap();
            assert!(spectral.path().iter().all(|p| score(p) >= score(&best)), "{name}, {variant}");
            let near = |k: i32| spectral.at(best.ridge * libm::exp(1e-4 * f64::from(k)));
            let fine = (-300..=300).min_by(|a, b| score(&near(*a)).total_cmp(&score(&near(*b)))).unwrap();
            assert!(fine.abs() <= 1, "{name}, {variant}: the best is {fine} steps away");
        }
    }
}

/// Where the rows are interpolated, residuals and what is left of the degrees of freedom vanish together, and by sums their ratio
/// is rounding. By eigenvalues Λ of the kernel it is not: n Σ(t/(Λ + μ))²/(Σ 1/(Λ + μ))².
#[test]
fn generalised_cross_validation_is_not_of_rounding() {
    for (n, lengthscale) in [(140, 0.1), (200, 0.3), (260, 0.1), (260, 1.0)] {
        let kernel = Kernel::decomposable(gaussian(lengthscale), Output::Identity);
        let map = map_of(&kernel, 1, MapKind::Pairs, 300);
        let data = Data::new(n, 1);
        let design = Dense::new(&map, &data).design(false);
        let kernel = orff::linalg::eigen((&design * design.transpose()).as_ref()).unwrap();
        let turned = kernel.vectors.transpose() * &data.y;
        let exact = |ridge: f64| {
            let weight = |i: usize| 1.0 / (kernel.values[i].max(0.0) + n as f64 * ridge);
            let residuals: f64 = (0..n).map(|i| (turned[(i, 0)] * weight(i)).powi(2)).sum();
            n as f64 * residuals / (0..n).map(weight).sum::<f64>().powi(2)
        };
        let system = System::new(&map, Centred::all(&moments_of(&map, &data.table()), false), None).unwrap();
        let band = Banded::new(&system).unwrap();
        let spectral = Spectral::new(system).unwrap();
        let chosen = spectral.minimise(|p| p.gcv).unwrap();
        let banded = band.minimise(&band.path(0.0), |p| p.gcv).unwrap().unwrap();
        println!("{n} rows: {chosen:?}, {banded:?}");
        for point in spectral.path().into_iter().chain(band.path(0.0)).chain([chosen, banded]) {
            let exact = exact(point.ridge);
            let off = (point.gcv / exact - 1.0).abs();
            assert!(off < 0.05 || point.gcv.is_infinite(), "{n} rows: {} of {exact} at {}", point.gcv, point.ridge);
        }
    }
}

fn kernel_map(map: &FeatureMap) -> FeatureMap {
    map.clone()
}

/// Exact leave-one-out: n refits with the same nλ, without each row or with a part of its weight only.
#[test]
fn leave_one_out_is_n_refits() {
    let mut worst: f64 = 0.0;
    for (name, kernel, p) in
        kernels().into_iter().filter(|k| ["identity", "full", "rank 2 of 4", "sum of one Γ"].contains(&k.0))
    {
        let map = map_of(&kernel, p, MapKind::Pairs, 10);
        for (variant, data) in &Data::new(24, p).variants()[..2] {
            let n = data.rows();
            let moments = moments_of(&map, &data.table());
            for (offset, share) in [(false, 1.0), (true, 1.0), (true, 0.4)] {
                let centred = Centred::all(&moments, offset);
                let all = &centred[0];
                let spectral = Spectral::new(System::new(&map, &centred, None).unwrap()).unwrap();
                let ridges = [1e-3, 0.1];
                let mut sums = [0.0; 2];
                let mut c = Characters::new(map.characters());
                map.fill(&Inputs::Dense(data.x.clone()), &mut c);
                let errors = spectral.leave_one_out(&all.mean_c, &ridges).unwrap();
                let y = Mat::from_fn(n, p, |i, t| data.y[(i, t)] - all.mean_y[t]);
                let w: Vec<f64> = (0..n).map(|i| data.weight(i, 0)).collect();
                let left: Vec<f64> = w.iter().map(|w| share * w).collect();
                // in two blocks, as a pass does it
                for (from, len) in [(0, 10), (10, n - 10)] {
                    let (c, y) = (c.as_mat().subrows(from, len), y.subrows(from, len));
                    let rows = LeftOut { weight: &w[from..from + len], left: &left[from..from + len], offset };
                    errors.add(c, y, rows, &mut sums);
                }
                for (ridge, sum) in ridges.iter().zip(sums) {
                    let refits: f64 = (0..n)
                        .filter(|&i| w[i] > 0.0)
                        .map(|i| {
                            let rest = (0..n).map(|j| if j == i { w[j] - left[j] } else { w[j] }).collect();
                            let rest = Data { weights: Some(Weights::Row(rest)), ..data.clone() };
                            let (theta, b) = Dense::new(&map, &rest).solve(data.total() * ridge, offset);
                            let f = dense_predict(&map, &theta, &b, &data.x.subrows(i, 1).to_owned());
                            w[i] * (0..p).map(|t| (data.y[(i, t)] - f[(0, t)]).powi(2)).sum::<f64>()
                        })
                        .sum();
                    let error = (sum - refits).abs() / refits;
                    assert!(error < 1e-8, "{name}, {variant}, offset {offset}: {sum} for {refits}");
                    worst = worst.max(error);
                }
            }
        }
    }
    println!("leave-one-out against refits: {worst:.1e}");
}

/// Leave-one-out speaks of Euclidean residuals along orthonormal directions: not with a metric, not for fields.
#[test]
fn leave_one_out_is_refused_where_it_is_not_exact() {
    let data = Data::new(30, 3);
    let refused = |kernel: Kernel, data: &Data, metric: Option<&Mat<f64>>| {
        let map = map_of(&kernel, 3, MapKind::Pairs, 12);
        let spectral =
            Spectral::new(System::new(&map, Centred::all(&moments_of(&map, &data.table()), false), metric).unwrap());
        spectral.unwrap().leave_one_out(&[0.0; 12], &[0.1]).err().unwrap().to_string()
    };
    let metric = gram(3, 3, 9) + Mat::<f64>::identity(3, 3);
    assert!(refused(Kernel::curl_free(gaussian(1.0)), &data, None).contains("use gcv"));
    assert!(refused(decomposable(Output::Identity), &data.variants()[2].1, None).contains("use gcv"));
    assert!(refused(decomposable(Output::Identity), &data, Some(&metric)).contains("use gcv"));
}

fn log_det(a: &Mat<f64>) -> f64 {
    let l = a.llt(faer::Side::Lower).unwrap();
    (0..a.nrows()).map(|i| 2.0 * l.L()[(i, i)].ln()).sum()
}

/// Without offset the evidence is the log density of y ~ N(0, σ²(I + ΦᵀΦ/nλ)) at its best σ²; with offset it is that
/// of the contrasts, up to a constant.
#[test]
fn evidence_is_a_gaussian_log_density() {
    let mut worst: f64 = 0.0;
    for (name, kernel, p) in kernels() {
        let map = map_of(&kernel, p, MapKind::Pairs, 12);
        let variants = Data::new(30, p).variants();
        for (variant, data) in [&variants[0], &variants[2]] {
            let dense = Dense::new(&map, data);
            let count = dense.y.len();
            let y = Mat::from_fn(count, 1, |i, _| dense.y[i]);
            let moments = moments_of(&map, &data.table());
            for offset in [false, true] {
                let spectral =
                    Spectral::new(System::new(&map, Centred::all(&moments, offset), None).unwrap()).unwrap();
                let gaps: Vec<f64> = [1e-3, 0.03, 1.0]
                    .iter()
                    .map(|&ridge| {
                        let mut v = faer::Scale(1.0 / (data.total() * ridge)) * (&dense.a * dense.a.transpose());
                        (0..count).for_each(|i| v[(i, i)] += 1.0);
                        let point = spectral.at(ridge);
                        let vy = solve(&v, &y);
                        let mut quadratic = (y.transpose() * &vy)[(0, 0)];
                        let mut log = log_det(&v);
                        let mut free = count as f64;
                        if offset {
                            let x = Mat::from_fn(count, p, |i, t| f64::from(u8::from(dense.of[i] == t)));
                            let xvx = x.transpose() * solve(&v, &x);
                            let xvy = x.transpose() * &vy;
                            quadratic -= (xvy.transpose() * solve(&xvx, &xvy))[(0, 0)];
                            log += log_det(&xvx);
                            free -= p as f64;
                        }
                        assert!((point.noise - quadratic / free).abs() < 1e-8 * point.noise, "{name}, {variant}");
                        let s = point.noise;
                        let density = -0.5 * (free * (std::f64::consts::TAU * s).ln() + log + quadratic / s);
                        point.evidence - density
                    })
                    .collect();
                let zero = if offset { gaps[0] } else { 0.0 };
                for gap in gaps {
                    assert!((gap - zero).abs() < 1e-7, "{name}, {variant}, offset {offset}: {}", gap - zero);
                    worst = worst.max((gap - zero).abs());
                }
            }
        }
    }
    println!("evidence against the dense density: {worst:.1e}");
}
