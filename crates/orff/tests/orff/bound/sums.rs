//! Sums of kernels: their variances beside draws, for terms with atoms of their own and for a mixture.

use super::{ask, coupled, scalar, spectrum};
use faer::Mat;
use orff::bound::{Constants, Setting, Variance, bounds};
use orff::feature::{FeatureMap, MapKind};
use orff::kernel::{Kernel, SumDraw};
use orff::spectrum::{Draw, Measure};
use serde_json::json;

/// K̂(x, z) of a map, atom by atom.
fn approximate(map: &FeatureMap, x: &[f64], z: &[f64]) -> Mat<f64> {
    let dot = |w: &[f64], x: &[f64]| w.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
    let p = map.atoms().outputs();
    let mut sum = Mat::<f64>::zeros(p, p);
    for (b, block) in map.atoms().blocks.iter().enumerate() {
        let mut omega = vec![0.0; x.len()];
        for j in 0..block.count() {
            block.omega.row(j, &mut omega);
            let wave = match map.kind() {
                MapKind::Pairs => (dot(&omega, x) - dot(&omega, z)).cos(),
                MapKind::Phases => {
                    let phase = map.phases(b)[j];
                    2.0 * (dot(&omega, x) + phase).cos() * (dot(&omega, z) + phase).cos()
                }
            };
            let factor = block.factors.dense(j, &omega);
            sum += faer::Scale(block.weight[j] * wave) * (&factor * factor.transpose());
        }
    }
    sum
}

fn kernels() -> Vec<(&'static str, Kernel, Measure)> {
    let gaussian = || spectrum("gaussian", 0.7.into());
    let wide = || spectrum("gaussian", 1.6.into());
    vec![
        ("two of one Γ", 0.4 * coupled(gaussian()) + 2.0 * coupled(wide()), Measure::Plain),
        ("three", scalar(gaussian()) + 0.3 * scalar(wide()) + scalar(spectrum("matern", 0.5.into())), Measure::Plain),
        ("field", Kernel::curl_free(gaussian()) + 0.2 * Kernel::div_free(wide()), Measure::Trace),
        ("field, plain", Kernel::curl_free(gaussian()) + 3.0 * Kernel::helmholtz(wide(), 0.3), Measure::Plain),
    ]
}

#[test]
fn variances_of_sums_are_those_of_draws() {
    let (x, z, atoms, draws) = ([0.3, -0.1], [-0.1, 0.25], 6, 6000);
    let delta = [x[0] - z[0], x[1] - z[1]];
    for (name, kernel, measure) in kernels() {
        let exact = kernel.eval(&x, &z).unwrap();
        for (sum, map) in [SumDraw::Concatenation, SumDraw::Mixture]
            .into_iter()
            .flat_map(|sum| [MapKind::Pairs, MapKind::Phases].map(|map| (sum, map)))
        {
            let found = Variance::at(&kernel, &delta, measure, map, sum).unwrap();
            let v = found.exact.unwrap();
            let squares: Vec<Mat<f64>> = (0..draws)
                .map(|seed| {
                    let how = Draw { measure, seed, ..Draw::default() };
                    let drawn = FeatureMap::of(kernel.draw(2, atoms, &how, sum).unwrap(), map, seed);
                    let error = approximate(&drawn, &x, &z) - &exact;
                    faer::Scale(atoms as f64) * (&error * &error)
                })
                .collect();
            let p = exact.nrows();
            for (i, j) in (0..p).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                let n = draws as f64;
                let mean = squares.iter().map(|s| s[(i, j)]).sum::<f64>() / n;
                let spread = squares.iter().map(|s| (s[(i, j)] - mean).powi(2)).sum::<f64>() / (n - 1.0);
                let score = (mean - v[(i, j)]) / (spread / n).sqrt();
                assert!(score.abs() < 4.5, "{name}, {sum:?}, {map:?}: entry {i}, {j} z = {score}");
            }
            let gap = orff::linalg::eigen((&found.always - &v).as_ref()).unwrap().values;
            assert!(gap[0] > -1e-12 * v.norm_l2(), "{name}, {sum:?}, {map:?}: {gap:?}");
            assert!(found.brault_2016.is_none(), "printed for one law");
        }
    }
}

/// The constants of a mixture are at least those of its atoms, and of one term twice those of that term.
#[test]
fn constants_of_mixtures_dominate_their_atoms() {
    let atoms = 20_000;
    for (name, kernel, measure) in kernels() {
        let setting = Setting { measure, sum: SumDraw::Mixture, ..Setting::new(kernel.clone(), 2, 1.0) };
        let found = bounds(&setting).unwrap();
        let [c] = found.constants.as_slice() else { panic!("{name}: one law") };
        let how = Draw { measure, seed: 3, ..Draw::default() };
        let drawn = kernel.draw(2, atoms, &how, SumDraw::Mixture).unwrap();
        let (mut m, mut square, mut largest, mut psi) =
            (Vec::new(), Mat::<f64>::zeros(c.outputs, c.outputs), 0f64, 0.0);
        for block in &drawn.blocks {
            let mut omega = vec![0.0; 2];
            for j in 0..block.count() {
                block.omega.row(j, &mut omega);
                let b = block.factors.dense(j, &omega);
                let a = faer::Scale(atoms as f64 * block.weight[j]) * (&b * b.transpose());
                let norm = *orff::linalg::eigen(a.as_ref()).unwrap().values.last().unwrap();
                m.push(norm * omega.iter().map(|w| w * w).sum::<f64>().sqrt());
                square += faer::Scale(1.0 / atoms as f64) * (&a * &a);
                largest = largest.max(norm);
                psi += (norm / c.orlicz).exp() / atoms as f64;
            }
        }
        let n = atoms as f64;
        let mean = m.iter().sum::<f64>() / n;
        let error = (m.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / n / n).sqrt();
        assert!(mean < c.lipschitz + 4.5 * error && mean > 0.8 * c.lipschitz, "{name}: m {mean}, {}", c.lipschitz);
        let second = m.iter().map(|m| m * m).sum::<f64>() / n;
        assert!(second < 1.2 * c.lipschitz_square, "{name}: σ_p² {second}, {}", c.lipschitz_square);
        assert!(largest <= c.largest * (1.0 + 1e-12), "{name}: {largest}, {}", c.largest);
        assert!(psi < 2.1, "{name}: ψ₁ {psi}");
        let e = orff::linalg::eigen(square.as_ref()).unwrap().values;
        let trace: f64 = e.iter().sum();
        assert!(*e.last().unwrap() < 1.1 * c.square && trace < 1.1 * c.dimension * c.variance, "{name}: {e:?}");
    }
    let one = || Kernel::curl_free(spectrum("gaussian", 0.7.into()));
    let setting = |kernel| Setting { sum: SumDraw::Mixture, ..Setting::new(kernel, 3, 1.0) };
    let twice = &bounds(&setting(0.25 * one() + 0.75 * one())).unwrap().constants[0];
    let alone = Constants::of(&one(), 3, 1.0, Measure::Trace).unwrap();
    for (a, b) in [
        (twice.norm, alone.norm),
        (twice.largest, alone.largest),
        (twice.orlicz, alone.orlicz),
        (twice.lipschitz, alone.lipschitz),
        (twice.lipschitz_square, alone.lipschitz_square),
        (twice.square, alone.square),
        (twice.share, alone.share),
    ] {
        assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
    }
}

#[test]
fn answers_tell_variances_of_sums_and_what_was_seen_of_them() {
    for sum in ["concatenation", "mixture"] {
        let found = ask(json!({
            "kernel": "gaussian(0.5) + 0.2*gaussian(2.0)", "dimension": 2, "diameter": 1.0, "features": 8,
            "draws": 2000, "sum": sum,
        }))
        .unwrap();
        assert_eq!(found.variance.len(), 3);
        for spread in &found.variance {
            let (exact, seen) = (spread.exact.unwrap(), spread.measured.unwrap());
            // no error of one point with itself where all weights are fixed
            let far = if exact < 1e-12 { seen.abs() } else { (seen / exact - 1.0).abs() };
            // squares of errors that are nearly normal: deviation √(2/2000)
            assert!(far < 0.2, "{sum}: {spread:?}");
            assert!(exact <= spread.always * (1.0 + 1e-12) + 1e-12, "{sum}: {spread:?}");
        }
    }
    // what has no variance here says why
    let found = ask(json!({
        "kernel": "conjugate([[1, 2], [0, 1]], curl-free)", "dimension": 2, "features": 8, "epsilon": 0.1,
    }))
    .unwrap();
    assert!(found.variance.is_empty() && found.refused.iter().any(|r| r.name == "variance"), "{:?}", found.refused);
}
