//! Characters used up in panels against whole blocks of them.

use faer::Mat;
use orff::feature::{Characters, FeatureMap, MapKind, Packed};
use orff::kernel::{Kernel, Seen, SumDraw};
use orff::linalg::product;
use orff::rows::{Csr, Inputs};
use orff::spectrum::{Draw, DrawKind, Lengthscale, Measure};

/// Every 23rd row is twenty times as far away.
fn rows(n: usize, d: usize, size: f64) -> Mat<f64> {
    let far = |i: usize| if i % 23 == 5 { 20.0 } else { 1.0 };
    Mat::from_fn(n, d, |i, k| far(i) * size * (((i * 37 + k * 101) % 211) as f64 / 105.0 - 1.0))
}

fn sparse(x: &Mat<f64>) -> Inputs {
    let mut csr = Csr::empty(x.ncols());
    (0..x.nrows()).for_each(|i| csr.push((i % 3..x.ncols()).step_by(3).map(|k| (k, x[(i, k)]))));
    Inputs::Sparse(csr)
}

/// Maps of one output and of several, dense and structured, of one block and of two.
fn maps() -> Vec<(usize, FeatureMap)> {
    let mut maps = Vec::new();
    let kernel = |text: &str| text.parse::<Kernel>().unwrap().with_lengthscale(&Lengthscale::Common(1.5));
    for (text, d, p, kind) in [
        ("gaussian", 3, 1, DrawKind::QuasiMonteCarlo),
        ("matern(2.5) + gaussian(0.3)", 3, 2, DrawKind::Orthogonal),
        ("gaussian", 70, 1, DrawKind::Structured),
        ("curl-free(gaussian)", 3, 3, DrawKind::Iid),
    ] {
        for map in [MapKind::Pairs, MapKind::Phases] {
            let kernel = kernel(text).resolve(&Seen { outputs: p, ..Seen::default() }).unwrap();
            let how = Draw { kind, measure: Measure::Trace, seed: 3, purpose: 0 };
            maps.push((d, FeatureMap::draw(&kernel, d, 182, map, &how, SumDraw::Concatenation).unwrap()));
        }
    }
    maps
}

#[test]
fn values_in_panels_are_those_of_whole_blocks() {
    for (d, map) in maps() {
        let m = map.characters();
        for q in [1, 4, 5] {
            let table = Mat::from_fn(m, q, |i, t| ((i * 7 + t * 13) % 29) as f64 / 14.0 - 1.0);
            for size in [1.0, 300.0] {
                let x = rows(601, d, size);
                for inputs in [Inputs::Dense(x.clone()), sparse(&x)] {
                    let mut c = Characters::new(m);
                    map.fill(&inputs, &mut c);
                    let whole = product(c.as_mat(), table.as_ref());
                    let double = map.combine(&inputs, &Packed::<f64>::new(&map, &table));
                    assert!((&double - &whole).norm_max() < 1e-11, "{}", (&double - &whole).norm_max());
                    // angles up to 32 in single precision are wrong by some 1e-6 each
                    let single = map.combine(&inputs, &Packed::<f32>::new(&map, &table));
                    let error = (&single - &whole).norm_max();
                    assert!(error < 3e-4 && error > 0.0, "{error:e}, inputs of size {size}");
                    let some = map.combine(&inputs.slice(250, 263), &Packed::<f64>::new(&map, &table));
                    assert_eq!(some, double.subrows(250, 13).to_owned(), "rows do not influence each other");
                    let some = map.combine(&inputs.slice(250, 263), &Packed::<f32>::new(&map, &table));
                    assert_eq!(some, single.subrows(250, 13).to_owned(), "nor in single precision");
                }
            }
        }
    }
}

#[test]
fn rows_of_features_are_characters_times_factors() {
    for (d, map) in maps() {
        let m = map.characters();
        let factors: Vec<f64> = (0..m).map(|k| 0.5 + (k % 7) as f64).collect();
        for size in [1.0, 300.0] {
            let x = rows(131, d, size);
            for inputs in [Inputs::Dense(x.clone()), sparse(&x)] {
                let mut c = Characters::new(m);
                map.fill(&inputs, &mut c);
                let mut double = vec![0.0; 131 * m];
                map.write_rows(&inputs, &factors, &mut double).unwrap();
                let mut single = vec![0.0f32; 131 * m];
                let short: Vec<f32> = factors.iter().map(|f| *f as f32).collect();
                map.write_rows(&inputs, &short, &mut single).unwrap();
                let mut some = vec![0.0f32; 3 * m];
                map.write_rows(&inputs.slice(9, 12), &short, &mut some).unwrap();
                assert_eq!(some, single[9 * m..12 * m], "rows do not influence each other");
                for i in 0..131 {
                    for k in 0..m {
                        let exact = c.as_mat()[(i, k)] * factors[k];
                        assert_eq!(double[i * m + k], exact);
                        assert!((f64::from(single[i * m + k]) - exact).abs() < 1e-5 * factors[k]);
                    }
                }
            }
        }
        let far = Inputs::Dense(Mat::full(1, d, f64::MAX));
        let error = map.write_rows(&far, &factors, &mut vec![0.0; m]).unwrap_err().to_string();
        assert!(error.contains("too large"), "{error}");
    }
}

/// Many rows at once go past the caches; a few at a time do not.
#[test]
fn many_rows_of_features_are_those_of_few() {
    fn check<T: orff::linalg::Real + PartialEq + std::fmt::Debug>(map: &FeatureMap, d: usize) {
        let m = map.characters();
        let (n, x) = ((9 << 20) / size_of::<T>() / m, rows((9 << 20) / size_of::<T>() / m, d, 1.0));
        let factors: Vec<T> = (0..m).map(|k| T::of(0.5 + (k % 7) as f64)).collect();
        // odd places: neither the first number nor any row is where a register begins
        let mut whole = vec![T::default(); n * m + 1];
        map.write_rows(&Inputs::Dense(x.clone()), &factors, &mut whole[1..]).unwrap();
        let mut some = vec![T::default(); 500 * m];
        for from in (0..n - 500).step_by(1700) {
            map.write_rows(&Inputs::Dense(x.subrows(from, 500).to_owned()), &factors, &mut some).unwrap();
            assert!(whole[1 + from * m..][..500 * m] == some[..], "rows from {from} on");
        }
    }
    for (d, map) in maps() {
        check::<f64>(&map, d);
        check::<f32>(&map, d);
    }
}
