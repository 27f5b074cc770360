//! Draws against kernels, by z-score; prefixes, threads, orthogonality, quasi-Monte-Carlo.

use super::{KINDS, MEASURES, closed, how, spectra, spectrum};
use faer::Mat;
use orff::spectrum::{Draw, DrawKind, Lengthscale, Measure, check_spectrum, largest_score};

/// One lengthscale, and one per input.
fn lengthscales(d: usize) -> [Lengthscale; 2] {
    [0.7.into(), (0..d).map(|k| [0.5, 2.0, 0.9, 1.4, 0.3][k % 5]).collect::<Vec<_>>().into()]
}

#[test]
fn every_draw_of_every_spectrum_has_its_kernel() {
    for d in [1, 2, 3, 5] {
        for lengthscale in lengthscales(d) {
            for s in spectra(&lengthscale, d) {
                check_spectrum(&s, d).unwrap();
            }
        }
    }
}

/// The combinations that are allowed, so that a wrong refusal does not hide from the test above; and their scores.
#[test]
fn the_table_of_draws() {
    let mut worst = 0.0f64;
    for (name, orthogonal, trace, tilted) in [
        ("gaussian", true, true, true),
        ("laplace", false, false, false),
        ("cauchy", false, true, false),
        ("matern", true, true, false),
        ("skewed-chi2", false, true, false),
        ("spectral-mixture", false, true, false),
    ] {
        let s = closed(spectrum(name, 0.5), 3);
        for kind in KINDS {
            for (measure, measure_allowed) in MEASURES.into_iter().zip([true, trace, tilted]) {
                let kind_allowed = orthogonal || matches!(kind, DrawKind::Iid | DrawKind::QuasiMonteCarlo);
                let drawn = s.draw(3, 10, &how(kind, measure, 1));
                assert_eq!(drawn.is_ok(), kind_allowed && measure_allowed, "{name} {kind} {measure}");
                if drawn.is_ok() {
                    let score = largest_score(&s, 3, kind, measure, 0..400).unwrap();
                    println!("{name:12} {kind} {measure} largest |z| of 21 = {score:.2}");
                    worst = worst.max(score);
                }
            }
        }
    }
    assert!(worst < 4.5, "|z| = {worst}");
}

#[test]
fn the_first_atoms_of_more_are_the_same_atoms_for_any_number_of_threads() {
    for s in spectra(&0.5.into(), 33) {
        for kind in KINDS {
            for measure in MEASURES {
                let how = how(kind, measure, 3);
                let Ok(all) = s.draw(33, 150, &how) else { continue };
                for (threads, count) in [(1, 150), (2, 149), (4, 70), (2, 1), (1, 0)] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    let some = pool.install(|| s.draw(33, count, &how)).unwrap();
                    assert_eq!(some.omega.count(), count);
                    assert_eq!(some.omega.dimension(), 33);
                    assert_eq!(some.omega.to_dense(), all.omega.prefix(count).to_dense(), "{} {kind}", s.name());
                    assert_eq!(some.ratio, all.ratio[..count]);
                }
            }
        }
    }
}

#[test]
fn seeds_and_purposes_are_independent() {
    let s = spectrum("gaussian", 1.0);
    for kind in KINDS {
        let draw = |seed, purpose| {
            s.draw(40, 50, &Draw { kind, measure: Measure::Plain, seed, purpose }).unwrap().omega.to_dense()
        };
        assert_eq!(draw(1, 0), draw(1, 0));
        for (seed, purpose) in [(0, 1), (1, 1), (2, 0)] {
            let (a, b) = (draw(1, 0), draw(seed, purpose));
            let n = 2000.0f64;
            let product = (0..40).flat_map(|k| (0..50).map(move |j| (j, k))).map(|at| a[at] * b[at]).sum::<f64>();
            assert!(product.abs() < 5.0 * n.sqrt(), "{kind}: {product}");
        }
    }
}

/// Two quasi-Monte-Carlo draws side by side, as in a Schur product of kernels: ω = ω₁ + ω₂ has k₁k₂.
#[test]
fn two_purposes_make_a_product() {
    let s = spectrum("gaussian", 1.0);
    let exact = s.value(&[0.8]).unwrap().powi(2);
    let error = |kind| {
        let one = |seed| {
            let draw = |purpose| {
                s.draw(1, 256, &Draw { kind, measure: Measure::Plain, seed, purpose }).unwrap().omega.to_dense()
            };
            let (a, b) = (draw(0), draw(1));
            ((0..256).map(|j| (0.8 * (a[(j, 0)] + b[(j, 0)])).cos()).sum::<f64>() / 256.0 - exact).powi(2)
        };
        ((0..100).map(one).sum::<f64>() / 100.0).sqrt()
    };
    let (iid, qmc) = (error(DrawKind::Iid), error(DrawKind::QuasiMonteCarlo));
    assert!(qmc < 1.2 * iid, "{qmc} against {iid}");
}

#[test]
fn blocks_of_orthogonal_draws_are_orthogonal() {
    for name in ["gaussian", "matern"] {
        for d in [1, 2, 5, 40] {
            let scales: Vec<f64> = (0..d).map(|k| 0.3 + 0.1 * k as f64).collect();
            let drawn =
                spectrum(name, scales.clone()).draw(d, 2 * d + 1, &how(DrawKind::Orthogonal, Measure::Plain, 4));
            let omega = drawn.unwrap().omega.to_dense();
            let dot =
                |i: usize, j: usize| (0..d).map(|k| omega[(i, k)] * omega[(j, k)] * scales[k].powi(2)).sum::<f64>();
            for i in 0..2 * d + 1 {
                for j in (0..i).filter(|j| j / d == i / d) {
                    assert!(dot(i, j).abs() < 1e-13 * (dot(i, i) * dot(j, j)).sqrt(), "{name} d = {d}");
                }
            }
        }
    }
}

/// Root mean square error of k₀ at one point over 50 seeds.
fn error(name: &str, d: usize, count: usize, kind: DrawKind) -> f64 {
    let s = spectrum(name, 1.0);
    let delta: Vec<f64> = (0..d).map(|k| 0.6 - 0.2 * k as f64).collect();
    let exact = s.value(&delta).unwrap();
    let one = |seed| {
        let omega = s.draw(d, count, &how(kind, Measure::Plain, seed)).unwrap().omega.to_dense();
        let phase = |j: usize| (0..d).map(|k| delta[k] * omega[(j, k)]).sum::<f64>();
        ((0..count).map(|j| phase(j).cos()).sum::<f64>() / count as f64 - exact).powi(2)
    };
    ((0..50).map(one).sum::<f64>() / 50.0).sqrt()
}

#[test]
fn quasi_monte_carlo_and_orthogonal_draws_have_smaller_errors() {
    for name in ["gaussian", "cauchy", "matern"] {
        let (iid, qmc) = (error(name, 3, 1024, DrawKind::Iid), error(name, 3, 1024, DrawKind::QuasiMonteCarlo));
        assert!(qmc < 0.35 * iid, "{name}: {qmc} against {iid}");
    }
    let (iid, orthogonal) =
        (error("gaussian", 8, 256, DrawKind::Iid), error("gaussian", 8, 256, DrawKind::Orthogonal));
    assert!(orthogonal < 0.7 * iid, "{orthogonal} against {iid}");
}

#[test]
fn very_many_inputs() {
    let d = 50_000;
    for (kind, measure) in [
        (DrawKind::Iid, Measure::Plain),
        (DrawKind::Iid, Measure::Trace),
        (DrawKind::Orthogonal, Measure::Trace),
        (DrawKind::Structured, Measure::Plain),
    ] {
        let drawn = spectrum("gaussian", 2.0).draw(d, 5, &how(kind, measure, 1)).unwrap();
        let omega = drawn.omega.to_dense();
        for j in 0..5 {
            // ℓ²‖ω‖² ~ χ²(d) or χ²(d+2): mean d, deviation √2d
            let square: f64 = (0..d).map(|k| (2.0 * omega[(j, k)]).powi(2)).sum();
            assert!((square - d as f64).abs() < 5.0 * (2.0 * d as f64).sqrt(), "{kind} {measure}: {square}");
            let expected = if measure == Measure::Trace { d as f64 / square } else { 1.0 };
            assert!((drawn.ratio[j] / expected - 1.0).abs() < 1e-12);
        }
        // angles of dense rows, a tile at a time
        let x = Mat::from_fn(3, d, |i, k| ((i * 7 + k) % 13) as f64 - 6.0);
        let mut angles = Mat::<f64>::zeros(3, 5);
        drawn.omega.project(x.as_ref(), 0, angles.as_mut());
        let dense = &x * omega.transpose();
        assert!((&angles - &dense).norm_max() < 1e-10 * dense.norm_max(), "{kind} {measure}");
    }
}
