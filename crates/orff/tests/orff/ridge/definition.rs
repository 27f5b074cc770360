//! Eigenvalues, Cholesky and conjugate gradients against the definition of ridge, along the path and at its end.

use super::dense::{Dense, dense_predict, point, solve};
use super::{Data, decomposable, gap, gaussian, given, gram, iterative, kernels, map_of, noise, predict};
use crate::kernel::moments::moments_of;
use faer::Mat;
use orff::feature::MapKind;
use orff::kernel::Kernel;
use orff::rows::Rows;
use orff::solve::{Centred, Spectral, System, solve_direct};
use orff::testing::check_solver;

/// Eigenvalues, Cholesky and conjugate gradients all minimise (1/n)Σw(y − Φᵀθ − b)² + λ‖θ‖².
#[test]
fn ridge_from_moments_is_ridge_by_definition() {
    let fresh = noise(20, 6, 3);
    let (mut worst, mut worst_normal): (f64, f64) = (0.0, 0.0);
    for (name, kernel, p) in kernels() {
        for kind in [MapKind::Pairs, MapKind::Phases] {
            let map = map_of(&kernel, p, kind, 12);
            for (variant, data) in Data::new(40, p).variants() {
                let dense = Dense::new(&map, &data);
                let moments = moments_of(&map, &data.table());
                for offset in [false, true] {
                    let centred = Centred::all(&moments, offset);
                    let system = System::new(&map, &centred, None).unwrap();
                    let n = data.total();
                    assert!((system.rows - n).abs() < 1e-10, "{name}, {variant}: n is {}, not {n}", system.rows);
                    let spectral = Spectral::new(system.clone()).unwrap();
                    for ridge in [1e-3, 0.2] {
                        let (theta, b) = dense.solve(n * ridge, offset);
                        let exact = dense_predict(&map, &theta, &b, &fresh);
                        let solutions = [
                            spectral.solve(&map, ridge, false).unwrap(),
                            solve_direct(&map, &system, ridge, false).unwrap(),
                            iterative(&map, &centred, None, ridge),
                        ];
                        for solution in solutions {
                            let error = gap(&predict(&map, &centred, solution.table.as_ref(), &fresh), &exact);
                            let what = format!("{name}, {kind:?}, {variant}, offset {offset}, ridge {ridge}");
                            assert!(error < 1e-8, "{what}, {}: off by {error:e}", solution.how);
                            worst = worst.max(error);
                            let cost = n * ridge * theta.iter().map(|v| v * v).sum::<f64>();
                            let found: f64 = solution.penalty.iter().sum();
                            assert!((found / cost - 1.0).abs() < 1e-7, "{what}, {}: {found} {cost}", solution.how);
                            let offsets: Vec<f64> = (0..p)
                                .map(|t| {
                                    let one = &centred[t.min(centred.len() - 1)];
                                    let drift: f64 =
                                        (0..map.characters()).map(|m| solution.table[(m, t)] * one.mean_c[m]).sum();
                                    one.mean_y[t] - drift
                                })
                                .collect();
                            let batch = data.table().batches().unwrap().next().unwrap().unwrap();
                            let offsets = offset.then_some(offsets.as_slice());
                            let error = check_solver(&map, &batch, ridge, solution.table.as_ref(), offsets)
                                .unwrap_or_else(|e| panic!("{what}, {}: {e}", solution.how));
                            worst_normal = worst_normal.max(error);
                        }
                    }
                }
            }
        }
    }
    println!("ridge against its definition: {worst:.1e}, normal equations: {worst_normal:.1e}");
}

/// The decomposable path: one eigendecomposition, five ridges, each a dense solve.
#[test]
fn the_whole_path_is_dense_ridge_at_each_point() {
    let fresh = noise(21, 4, 3);
    for rank in [2, 4] {
        let map = map_of(&decomposable(given(gram(4, rank, 7))), 4, MapKind::Pairs, 16);
        let data = Data::new(50, 4);
        let centred = Centred::all(&moments_of(&map, &data.table()), true);
        let spectral = Spectral::new(System::new(&map, &centred, None).unwrap()).unwrap();
        let dense = Dense::new(&map, &data);
        for ridge in [1e-5, 1e-4, 1e-2, 1.0, 30.0] {
            let (theta, b) = dense.solve(50.0 * ridge, true);
            let exact = dense_predict(&map, &theta, &b, &fresh);
            let error = gap(
                &predict(&map, &centred, spectral.solve(&map, ridge, false).unwrap().table.as_ref(), &fresh),
                &exact,
            );
            assert!(error < 1e-8, "ridge {ridge}: {error:e}");
        }
    }
}

/// T17 Th. 6.3: ridge on Φ is kernel ridge on the Gram matrix ΦᵀΦ of the atoms.
#[test]
fn ridge_on_features_is_kernel_ridge_on_their_gram() {
    let fresh = noise(22, 4, 3);
    let mut worst: f64 = 0.0;
    for (name, kernel, p) in kernels() {
        let map = map_of(&kernel, p, MapKind::Pairs, 14);
        let data = Data::new(25, p);
        let n = data.rows();
        let k =
            |x: &Mat<f64>, i: usize, z: &Mat<f64>, j: usize| map.atoms().eval(&point(x, i), &point(z, j)).unwrap();
        let block = |x: &Mat<f64>| {
            let mut all = Mat::zeros(x.nrows() * p, n * p);
            for i in 0..x.nrows() {
                for j in 0..n {
                    let k = k(x, i, &data.x, j);
                    (0..p).for_each(|s| (0..p).for_each(|t| all[(i * p + s, j * p + t)] = k[(s, t)]));
                }
            }
            all
        };
        let centred = Centred::all(&moments_of(&map, &data.table()), false);
        let spectral = Spectral::new(System::new(&map, &centred, None).unwrap()).unwrap();
        for ridge in [1e-3, 0.1] {
            let mut left = block(&data.x);
            (0..n * p).for_each(|i| left[(i, i)] += n as f64 * ridge);
            let u = solve(&left, &Mat::from_fn(n * p, 1, |i, _| data.y[(i / p, i % p)]));
            let f = block(&fresh) * u;
            let exact = Mat::from_fn(4, p, |i, t| f[(i * p + t, 0)]);
            let error = gap(
                &predict(&map, &centred, spectral.solve(&map, ridge, false).unwrap().table.as_ref(), &fresh),
                &exact,
            );
            assert!(error < 1e-8, "{name}: {error:e}");
            worst = worst.max(error);
        }
    }
    println!("features against kernel ridge: {worst:.1e}");
}

/// λ = 0 takes the least-norm interpolant (fewer entries than unknowns) or least squares (more).
#[test]
fn ridge_zero_has_least_norm() {
    let fresh = noise(23, 4, 3);
    for (name, kernel, p) in [
        ("full", Kernel::decomposable(gaussian(0.6), given(gram(2, 2, 1))), 2),
        ("curl-free", Kernel::curl_free(gaussian(0.6)), 3),
    ] {
        for (n, features) in [(5, 40), (40, 10)] {
            let map = map_of(&kernel, p, MapKind::Pairs, features);
            let data = Data::new(n, p);
            let dense = Dense::new(&map, &data);
            for offset in [false, true] {
                let centred = Centred::all(&moments_of(&map, &data.table()), offset);
                let spectral = Spectral::new(System::new(&map, &centred, None).unwrap()).unwrap();
                // centre by hand, then the limit of small ridges through the small one of the two Gram matrices
                let mean = |t: usize, v: &dyn Fn(usize) -> f64| {
                    if offset { (0..n).map(|i| v(i * p + t)).sum::<f64>() / n as f64 } else { 0.0 }
                };
                let y = Mat::from_fn(n * p, 1, |i, _| dense.y[i] - mean(i % p, &|j| dense.y[j]));
                let bars = Mat::from_fn(p, dense.a.ncols(), |t, k| mean(t, &|j| dense.a[(j, k)]));
                let a = Mat::from_fn(n * p, dense.a.ncols(), |i, k| dense.a[(i, k)] - bars[(i % p, k)]);
                let theta = if n * p > a.ncols() {
                    solve(&(a.transpose() * &a), &(a.transpose() * &y))
                } else {
                    // AAᵀ has one null direction per offset, along which y has no part: a shift leaves the rest alone
                    let mut small = &a * a.transpose();
                    if offset {
                        for t in 0..p {
                            (0..n).for_each(|i| (0..n).for_each(|j| small[(i * p + t, j * p + t)] += 1.0));
                        }
                    }
                    a.transpose() * solve(&small, &y)
                };
                let theta: Vec<f64> = (0..theta.nrows()).map(|k| theta[(k, 0)]).collect();
                let b: Vec<f64> = (0..p)
                    .map(|t| {
                        mean(t, &|j| dense.y[j]) - (0..theta.len()).map(|k| bars[(t, k)] * theta[k]).sum::<f64>()
                    })
                    .collect();
                let exact = dense_predict(&map, &theta, &b, &fresh);
                let error = gap(
                    &predict(&map, &centred, spectral.solve(&map, 0.0, false).unwrap().table.as_ref(), &fresh),
                    &exact,
                );
                assert!(error < 1e-7, "{name}, {n} rows, offset {offset}: {error:e}");
            }
        }
    }
}
