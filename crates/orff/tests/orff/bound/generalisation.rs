//! Generalisation bounds on repeated synthetic data, and the bound of warped kernels against dense matrices.

use super::{scalar, spectrum};
use faer::Mat;
use orff::bound::{Consistency, Fitted, Generalisation, Warped, rademacher};
use orff::feature::{Characters, FeatureMap, MapKind};
use orff::kernel::{Kernel, SumDraw};
use orff::linalg::{Cholesky, eigen};
use orff::random::Stream;
use orff::rows::Inputs;
use orff::spectrum::Draw;

/// Φ of rows on the line (n×M), k₀(0) = 1.
fn features(map: &FeatureMap, x: &[f64]) -> Mat<f64> {
    let mut c = Characters::new(map.characters());
    map.fill(&Inputs::Dense(Mat::from_fn(x.len(), 1, |i, _| x[i])), &mut c);
    let b = map.stacked_factors();
    Mat::from_fn(x.len(), map.unknowns(), |i, k| c.column(k)[i] * b[(k, 0)])
}

#[test]
fn risks_stay_below_their_bounds() {
    let kernel: Kernel = scalar(spectrum("gaussian", 0.02.into()));
    let map = FeatureMap::draw(&kernel, 1, 200, MapKind::Pairs, &Draw::default(), SumDraw::default()).unwrap();
    // y = ±1 regardless of x: what is learned is noise, and the gap is as large as it gets
    let rows = |n: usize, seed| {
        let mut s = Stream::new(seed, 77, 0);
        let x: Vec<f64> = (0..n).map(|_| s.uniform()).collect();
        let y = Mat::from_fn(n, 1, |_, _| s.sign());
        (x, y)
    };
    let (mut printed, mut largest) = (0, 0f64);
    let draws = 40;
    for seed in 0..draws {
        let (n, ridge) = (100, 1e-4);
        let (x, y) = rows(n, seed);
        let phi = features(&map, &x);
        let mut p = faer::Scale(1.0 / n as f64) * (phi.transpose() * &phi);
        (0..p.nrows()).for_each(|i| p[(i, i)] += ridge);
        let q = faer::Scale(1.0 / n as f64) * (phi.transpose() * &y);
        let theta = Cholesky::new(p.as_ref()).unwrap().solve(Some(p.as_ref()), q.as_ref()).unwrap();
        let (far, other) = rows(2000, 1000 + seed);
        let risk = |phi: Mat<f64>, y: &Mat<f64>| 0.5 * (phi * &theta - y).squared_norm_l2() / y.nrows() as f64;
        let (seen, expected) = (risk(phi, &y), risk(features(&map, &far), &other));
        let f =
            Fitted { rows: n as u64, ridge, kappa: 1.0, trace: 1.0, largest: 1.0, norm: theta.norm_l2(), risk: seen };
        let g = Generalisation::of(&f, 0.05).unwrap();
        let gap = expected - seen;
        largest = largest.max(gap);
        assert!(gap > 0.2, "{gap}");
        for bound in [g.complexity.unwrap(), g.stability, g.norm] {
            assert!(gap <= bound, "{gap} > {bound}");
        }
        // the norm that was found is smaller than what λ alone promises
        assert!(f.norm <= (1.0 / ridge).sqrt() && g.norm < g.complexity.unwrap());
        // T17 (7.6) as printed, for the same learner in other units: K/c and λ/c with c = 10⁶
        let (kappa, lambda) = (1e-6f64, ridge * 1e-6);
        let a = (1.0 + kappa / lambda.sqrt()).powi(2);
        let root = ((1.0 / 0.05f64).ln() / (2.0 * n as f64)).sqrt();
        let as_printed = kappa * kappa * a / (lambda * n as f64) + a * (4.0 * kappa * kappa / lambda + 1.0) * root;
        printed += usize::from(gap > as_printed);
    }
    assert!(printed as u64 == draws, "{printed} of {draws}, largest gap {largest}");
}

#[test]
fn formulas_of_chapter_7() {
    let f = Fitted { rows: 400, ridge: 0.25, kappa: 4.0, trace: 6.0, largest: 3.0, norm: 2.0, risk: 0.0 };
    let g = Generalisation::of(&f, 0.1).unwrap();
    // 8·(9/0.25)·√(4/400)·(√6 + √(4 ln 20/2))
    assert!((g.complexity.unwrap() - 28.8 * (6f64.sqrt() + (2.0 * 20f64.ln()).sqrt())).abs() < 1e-10);
    // s = 3·(1 + 4) = 15: 2·225·4/(0.25·400) + 225·(64 + ½)·√(ln 10/800)
    assert!((g.stability - (18.0 + 225.0 * 64.5 * (10f64.ln() / 800.0).sqrt())).abs() < 1e-9);
    // C/√κ = 1.5, ‖θ‖ = 2 ≤ 3 = 2¹·1.5, δ₁ = (2/3)(0.1)/6, L = 2·3 + 3
    let delta = 0.1f64 / 9.0;
    let by_hand = 2.0 * (2.0 / 400.0f64).sqrt() * (27.0 * 6f64.sqrt() + 40.5 * (2.0 / delta).ln().sqrt());
    assert!((g.norm - by_hand).abs() < 1e-9, "{} {by_hand}", g.norm);
    assert!(Generalisation::of(&Fitted { ridge: 5.0, ..f }, 0.1).unwrap().complexity.is_none());
    for wrong in [Fitted { ridge: 0.0, ..f }, Fitted { rows: 0, ..f }, Fitted { kappa: f64::NAN, ..f }] {
        assert!(Generalisation::of(&wrong, 0.1).is_err());
    }
    assert!(Generalisation::of(&f, 0.0).is_err() && Generalisation::of(&f, 1.0).is_err());
    let c = Consistency::of((400, 100), (2.0, 3.0), 1.5, (6.0, 4.0), 0.1).unwrap();
    assert!((c.estimation - 2.0 * rademacher(400, 2.0, 1.5, 6.0, 3.0, 0.1).unwrap()).abs() < 1e-12);
    assert!((c.approximation - 0.6 * (1.0 + (2.0 * 10f64.ln()).sqrt())).abs() < 1e-12);
}

fn norm(m: &Mat<f64>) -> f64 {
    let e = eigen(m.as_ref()).unwrap().values;
    e[0].abs().max(e[e.len() - 1].abs())
}

#[test]
fn warped_kernels_stay_near_their_approximations() {
    let n = 40;
    let kernel: Kernel = scalar(spectrum("gaussian", 0.2.into()));
    let x: Vec<f64> = (0..n).map(|i| i as f64 / n as f64).collect();
    let k = Mat::from_fn(n, n, |i, j| kernel.eval(&[x[i]], &[x[j]]).unwrap()[(0, 0)]);
    // the Laplacian of a path, times 3
    let m = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => 3.0 * if i == 0 || i == n - 1 { 1.0 } else { 2.0 },
        1 => -3.0,
        _ => 0.0,
    });
    // K − K(I + MK)⁻¹MK = (I + KM)⁻¹K, by LU
    let warp = |k: &Mat<f64>| {
        use faer::linalg::solvers::Solve;
        (Mat::<f64>::identity(n, n) + k * &m).partial_piv_lu().solve(k)
    };
    let symmetric = |m: Mat<f64>| faer::Scale(0.5) * (&m + m.transpose());
    for kind in [MapKind::Pairs, MapKind::Phases] {
        let atoms = 50;
        let columns = if kind == MapKind::Pairs { 2 * atoms } else { atoms };
        let w = Warped::of(n as u64, atoms as u64, Some(norm(&k)), norm(&m), kind).unwrap();
        let draws = 30;
        let (mut plain, mut warped) = (0.0, 0.0);
        for seed in 0..draws {
            let how = Draw { seed, ..Draw::default() };
            let map = FeatureMap::draw(&kernel, 1, columns, kind, &how, SumDraw::default()).unwrap();
            let phi = features(&map, &x);
            let approximate = &phi * phi.transpose();
            let (a, b) = (norm(&symmetric(&approximate - &k)), norm(&symmetric(warp(&approximate) - warp(&k))));
            // Lemma 3 holds draw by draw
            assert!(b <= a * w.factor, "{b} > {a}·{}", w.factor);
            (plain, warped) = (plain + a / draws as f64, warped + b / draws as f64);
        }
        assert!(plain <= w.plain && warped <= w.warped, "{plain} {} {warped} {}", w.plain, w.warped);
        // I17's printed bound is never below ours for pairs
        let printed = (3.0 * 1600.0 * 40f64.ln() / atoms as f64).sqrt() + 80.0 * 40f64.ln() / atoms as f64;
        assert!(kind == MapKind::Phases || w.plain <= printed);
    }
    assert!(Warped::of(0, 1, None, 0.0, MapKind::Pairs).is_err());
    assert!(Warped::of(10, 1, Some(11.0), 0.0, MapKind::Pairs).is_err());
    assert!(Warped::of(10, 1, None, f64::NAN, MapKind::Pairs).is_err());
}
