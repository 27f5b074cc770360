//! The ways to solve agree to rounding, with the same bits for any threads; what rounding takes keeps its prior.

use super::{Data, gap, gaussian, iterative, kernels, map_of, noise, predict};
use crate::kernel::moments::moments_of;
use faer::Mat;
use orff::feature::{FeatureMap, MapKind};
use orff::kernel::{Kernel, Seen, SumDraw};
use orff::rows::Table;
use orff::solve::{Centred, Solution, Spectral, System, solve_direct};
use orff::spectrum::Draw;

/// Div-free in 20 dimensions: 1140 unknowns, by conjugate gradients and by Cholesky.
#[test]
fn div_free_in_twenty_dimensions_by_conjugate_gradients_is_cholesky() {
    let (d, n) = (20, 80);
    let kernel = Kernel::div_free(gaussian(5.0));
    let map = FeatureMap::draw(&kernel, d, 60, MapKind::Pairs, &Draw::default(), SumDraw::default()).unwrap();
    assert_eq!(map.unknowns(), 60 * 19);
    let table = Table::new(noise(30, n, d), noise(31, n, d)).unwrap();
    let centred = Centred::all(&moments_of(&map, &table), true);
    let direct = solve_direct(&map, &System::new(&map, &centred, None).unwrap(), 0.01, false).unwrap();
    let error = gap(&iterative(&map, &centred, None, 0.01).table, &direct.table);
    assert!(error < 1e-8, "{error:e}");
    println!("div-free, d = 20: conjugate gradients against Cholesky {error:.1e}");
}

/// The closed forms have the same bits whatever the number of threads.
#[test]
fn solutions_have_the_same_bits_for_any_threads() {
    for (name, kernel, p) in kernels().into_iter().filter(|k| ["full", "curl-free", "div-free"].contains(&k.0)) {
        let map = map_of(&kernel, p, MapKind::Pairs, if name == "div-free" { 180 } else { 300 });
        let data = Data::new(60, p);
        let fit = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let centred = Centred::all(&moments_of(&map, &data.table()), true);
                let system = System::new(&map, &centred, None).unwrap();
                let spectral = Spectral::new(system.clone()).unwrap();
                let solution = solve_direct(&map, &system, 0.01, true).unwrap();
                let cg = iterative(&map, &centred, None, 0.01).table;
                let root = solution.posterior.unwrap()[0].root.clone();
                (
                    system.groups,
                    spectral.solve(&map, 0.01, false).unwrap().table,
                    solution.table,
                    cg,
                    root,
                    spectral.at(0.01),
                )
            })
        };
        let one = fit(1);
        for threads in [2, 4] {
            assert!(fit(threads) == one, "{name} with {threads} threads");
        }
    }
}

/// Eigenvalues and Cholesky agree on smooth problems with many more unknowns than data tell of, off the data too.
#[test]
fn eigenvalues_are_cholesky_on_smooth_problems() {
    let spread = |seed: u64, n: usize, size: f64| {
        let u = noise(seed, n, 3);
        // the third coordinate hardly varies: a smooth problem in the plane
        Mat::from_fn(n, 3, |i, k| if k < 2 { size } else { 0.01 } * u[(i, k)])
    };
    let mut worst: f64 = 0.0;
    for (rows, features) in [(60, 1000), (300, 400), (900, 500)] {
        for lengthscale in [1.0, 2.0] {
            let x = spread(5, rows, 2.0);
            let y = Mat::from_fn(rows, 2, |i, t| (x[(i, 0)] - t as f64 * x[(i, 1)]).sin() + 0.05 * x[(i, 1)].cos());
            let kernel: Kernel = format!("gaussian({lengthscale})").parse().unwrap();
            let kernel = kernel.resolve(&Seen { outputs: 2, ..Seen::default() }).unwrap();
            let map = map_of(&kernel, 2, MapKind::Pairs, features);
            let moments = moments_of(&map, &Table::new(x, y).unwrap());
            let centred = Centred::all(&moments, true);
            let system = System::new(&map, &centred, None).unwrap();
            let spectral = Spectral::new(system.clone()).unwrap();
            let fresh = spread(6, 50, 3.0);
            for (ridge, tolerance) in [(1e-2, 1e-8), (1e-4, 1e-8), (1e-6, 1e-8), (1e-8, 1e-6)] {
                let by = |s: Solution| predict(&map, &centred, s.table.as_ref(), &fresh);
                let error = gap(
                    &by(spectral.solve(&map, ridge, false).unwrap()),
                    &by(solve_direct(&map, &system, ridge, false).unwrap()),
                );
                println!("{rows} rows, {features} features, lengthscale {lengthscale}, ridge {ridge:e}: {error:.1e}");
                assert!(error < tolerance, "{rows} rows, {features} features, {lengthscale}, {ridge:e}: {error:e}");
                worst = worst.max(error);
            }
        }
    }
    assert!(worst > 0.0);
}

/// Where observations tell nothing but rounding, at ridges lost to rounding too, the error bar is that of the prior: it
/// never is zero; and directions without part in the fit have none in the evidence.
#[test]
fn directions_lost_to_rounding_keep_their_prior() {
    for (rows, features) in [(60, 400), (400, 300)] {
        let u = noise(5, rows, 3);
        let x = Mat::from_fn(rows, 3, |i, k| if k < 2 { u[(i, k)] } else { 0.0 });
        let y = Mat::from_fn(rows, 1, |i, _| x[(i, 0)].sin());
        let kernel: Kernel = "gaussian(3)".parse().unwrap();
        let map = map_of(&kernel, 1, MapKind::Pairs, features);
        let centred = Centred::all(&moments_of(&map, &Table::new(x, y).unwrap()), true);
        let spectral = Spectral::new(System::new(&map, &centred, None).unwrap()).unwrap();
        let ridge = 1e-17;
        let prior = 1.0 / (rows as f64 * ridge);
        let spread = &spectral.solve(&map, ridge, true).unwrap().posterior.unwrap()[0];
        assert_eq!(spread.scale.len(), features);
        assert!(spread.scale.iter().all(|s| *s > 0.0 && *s <= prior * 1.000_001));
        let unseen = spread.scale.iter().filter(|s| **s > 0.5 * prior).count();
        assert!(unseen > features / 8, "{unseen} of {features} directions keep their prior");
        // halving a ridge that is lost adds ½ log 2 for each direction that is not
        let (a, b) = (spectral.at(ridge), spectral.at(ridge / 2.0));
        let kept = a.freedom.round();
        let moved = (a.freedom - b.freedom).abs();
        assert!(moved < 1e-2 && kept < features as f64 / 2.0, "freedom {} moves by {moved:e}", a.freedom);
        let gap = a.evidence - b.evidence - 0.5 * kept * 2f64.ln();
        assert!(gap.abs() < 0.1 * kept, "{gap} with {kept} directions");
    }
}
