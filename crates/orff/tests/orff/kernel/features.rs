//! Feature maps: the dot test of every kernel, characters by their definition and with the same bits however made.

use super::{close, gamma4, gaussian, given, kernels, matern, noise};
use crate::graph::sparse;
use faer::Mat;
use orff::feature::{Characters, FeatureMap, MapKind};
use orff::kernel::{Kernel, Output, Seen, SumDraw};
use orff::rows::Inputs;
use orff::spectrum::{Draw, DrawKind};
use orff::testing::check_operator;

pub(super) fn some_map(kernel: &Kernel, d: usize, p: usize, kind: MapKind) -> FeatureMap {
    let kernel = kernel.resolve(&Seen {
        outputs: p,
        sample: Some(noise(77, 20, p).as_ref()),
        lengthscale: Some(0.9),
        gradient: None,
    });
    let d = kernel.as_ref().unwrap().views().map_or(d, |v| v[0].mat().nrows());
    let how = Draw { seed: 4, ..Draw::default() };
    FeatureMap::draw(&kernel.unwrap(), d, 2 * 9, kind, &how, SumDraw::default()).unwrap()
}

#[test]
fn feature_maps_pass_the_dot_test() {
    let mut z = 0;
    for (name, kernel, (d, p)) in kernels() {
        for kind in [MapKind::Pairs, MapKind::Phases] {
            let map = some_map(&kernel, d, p, kind);
            let (m, k, p, n) = (map.characters(), map.unknowns(), map.atoms().outputs(), 6);
            let x = Inputs::Dense(noise(3, n, map.atoms().inputs()));
            let flat = |a: Mat<f64>| -> Vec<f64> {
                (0..a.nrows() * a.ncols()).map(|i| a[(i / a.ncols(), i % a.ncols())]).collect()
            };
            let tall = |v: &[f64], rows: usize| Mat::from_fn(rows, p, |i, t| v[i * p + t]);
            check_operator(k, n * p, |t| flat(map.apply(&x, t)), |y| map.adjoint(&x, tall(y, n).as_ref()))
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            check_operator(k, m * p, |t| flat(map.lift(t)), |g| map.lower(tall(g, m).as_ref()))
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            z += 1;
        }
    }
    assert_eq!(z, 2 * kernels().len());
}

/// cos(⟨x,ω⟩ + b) etc. by the definition, entry by entry.
#[test]
fn characters_are_cosines_and_sines() {
    for kind in [MapKind::Pairs, MapKind::Phases] {
        let kernel = Kernel::curl_free(gaussian(0.8)) + Kernel::decomposable(matern(2.5, 1.0), Output::Identity);
        let map = some_map(&kernel, 3, 3, kind);
        let x = noise(9, 5, 3);
        let mut c = Characters::new(map.characters());
        map.fill(&Inputs::Dense(x.clone()), &mut c);
        let mut at = 0;
        for (b, block) in map.atoms().blocks.iter().enumerate() {
            let sines = kind == MapKind::Pairs;
            for sine in if sines { vec![false, true] } else { vec![false] } {
                for j in 0..block.count() {
                    let mut omega = vec![0.0; 3];
                    block.omega.row(j, &mut omega);
                    for i in 0..5 {
                        let angle: f64 = (0..3).map(|k| omega[k] * x[(i, k)]).sum();
                        let angle = angle + if sines { 0.0 } else { map.phases(b)[j] };
                        let expected = if sine { angle.sin() } else { angle.cos() };
                        assert!((c.as_mat()[(i, at)] - expected).abs() < 1e-13);
                    }
                    at += 1;
                }
            }
        }
        assert_eq!(at, map.characters());
    }
}

pub(super) fn pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn characters_have_the_same_bits_for_any_threads_batches_and_for_sparse_rows_the_same_values() {
    for how in [Draw::default(), Draw { kind: DrawKind::Structured, ..Draw::default() }] {
        let (n, d) = (53, 40);
        let kernel = Kernel::decomposable(gaussian(4.0), given(gamma4()));
        let map = FeatureMap::draw(&kernel, d, 300, MapKind::Pairs, &how, SumDraw::default()).unwrap();
        let mut x = noise(12, n, d);
        (0..n).for_each(|i| (0..d).filter(|k| (i * 7 + k) % 3 != 0).for_each(|k| x[(i, k)] = 0.0));
        let fill = |x: &Inputs| {
            let mut c = Characters::new(300);
            map.fill(x, &mut c);
            c.as_mat().to_owned()
        };
        let all = pool(1, || fill(&Inputs::Dense(x.clone())));
        for threads in [2, 4] {
            assert_eq!(pool(threads, || fill(&Inputs::Dense(x.clone()))), all);
        }
        for batch in [1, 7, 20] {
            for from in (0..n).step_by(batch) {
                let to = (from + batch).min(n);
                let part = fill(&Inputs::Dense(x.clone()).slice(from, to));
                assert_eq!(part, all.subrows(from, to - from), "rows {from} to {to}");
            }
        }
        let sparse = sparse(&x);
        let of_sparse = fill(&sparse);
        close(&of_sparse, &all, 1e-13);
        assert_eq!(fill(&sparse.slice(10, 23)), of_sparse.subrows(10, 13));
    }
}
