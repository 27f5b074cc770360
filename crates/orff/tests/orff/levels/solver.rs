//! The minimisers against bounds that another way to the optimum gives.

use faer::Mat;
use orff::curve::CurveBasis;
use orff::random::Stream;
use orff::solve::one_class::{Levels, Minimum, Params, minimise};
use orff::solve::quantiles::Reason;
use orff::watch::Silent;

const TIGHT: Params = Params { gap: 1e-5, iterations: 100_000 };

/// Features of a gaussian kernel at normal points (n×M), and weights of the rows.
fn problem(n: usize, columns: usize, seed: u64) -> (Mat<f64>, Vec<f64>) {
    let mut stream = Stream::new(seed, 7, 0);
    let x = Mat::from_fn(n, 3, |_, _| stream.normal());
    let omega = Mat::from_fn(3, columns / 2, |_, _| 0.7 * stream.normal());
    let phase = &x * &omega;
    let size = (2.0 / columns as f64).sqrt();
    let features = Mat::from_fn(n, columns, |i, k| {
        size * if k % 2 == 0 { phase[(i, k / 2)].cos() } else { phase[(i, k / 2)].sin() }
    });
    (features, (0..n).map(|i| 0.5 + (i % 3) as f64).collect())
}

fn solve(features: &Mat<f64>, w: &[f64], levels: &Levels, params: Params) -> Minimum {
    let block = |from: usize, to: usize| Ok(features.subrows(from, to - from).to_owned());
    minimise(&block, features.shape(), w, levels, params, &mut Silent).unwrap()
}

/// ½ν‖f‖² − νb + (1/W)Σw[b − f]₊ by its definition, at the curves of a minimiser.
fn risk(features: &Mat<f64>, w: &[f64], basis: &CurveBasis, found: &Minimum, nu: f64) -> f64 {
    let at = basis.at(&[nu]);
    let theta = Mat::from_fn(features.ncols(), 1, |k, _| {
        -(0..at.ncols()).map(|j| at[(0, j)] * found.table[(k, j)]).sum::<f64>()
    });
    let b: f64 = (0..at.ncols()).map(|j| at[(0, j)] * found.constants[j]).sum();
    let f = features * &theta;
    let total: f64 = w.iter().sum();
    let loss: f64 = (0..w.len()).map(|i| w[i] / total * (b - f[(i, 0)]).max(0.0)).sum();
    0.5 * nu * theta.squared_norm_l2() - nu * b + loss
}

/// The maximum of −αᵀKα/2ν over 0 ≤ αᵢ ≤ wᵢ/W, Σα = ν, by moving weight between pairs of rows: a lower bound of the risk.
fn bound(features: &Mat<f64>, w: &[f64], nu: f64) -> f64 {
    let kernel = features * features.transpose();
    let (n, total) = (w.len(), w.iter().sum::<f64>());
    let most: Vec<f64> = w.iter().map(|w| w / total).collect();
    let mut alpha: Vec<f64> = most.iter().map(|m| m * nu).collect();
    let mut g: Vec<f64> = (0..n).map(|i| (0..n).map(|j| kernel[(i, j)] * alpha[j]).sum()).collect();
    for _ in 0..200_000 {
        let up = (0..n).filter(|i| alpha[*i] < most[*i]).min_by(|i, j| g[*i].total_cmp(&g[*j])).unwrap();
        let down = (0..n).filter(|i| alpha[*i] > 0.0).max_by(|i, j| g[*i].total_cmp(&g[*j])).unwrap();
        if g[down] - g[up] < 1e-10 {
            break;
        }
        let curve = kernel[(up, up)] + kernel[(down, down)] - 2.0 * kernel[(up, down)];
        let step = ((g[down] - g[up]) / curve.max(1e-12)).min(most[up] - alpha[up]).min(alpha[down]);
        alpha[up] += step;
        alpha[down] -= step;
        (0..n).for_each(|i| g[i] += step * (kernel[(i, up)] - kernel[(i, down)]));
    }
    -(0..n).map(|i| alpha[i] * g[i]).sum::<f64>() / (2.0 * nu)
}

#[test]
fn one_level_meets_its_dual() {
    for (n, columns, nu) in [(90, 40, 0.1), (90, 40, 0.5), (90, 40, 0.93), (25, 60, 0.3)] {
        let (features, w) = problem(n, columns, 1);
        let levels = Levels::one(nu);
        let found = solve(&features, &w, &levels, TIGHT);
        assert_eq!(found.report.reason, Reason::Converged);
        let (primal, dual) = (risk(&features, &w, &levels.basis, &found, nu), bound(&features, &w, nu));
        assert!(primal >= dual - 1e-12 && primal - dual <= 1e-4 * dual.abs(), "{nu}: {primal} {dual}");
        // what it says of itself is the risk, but for the square of the mean and the scale of the densities
        let mean = Mat::from_fn(1, n, |_, i| w[i] / w.iter().sum::<f64>()) * &features;
        let own = found.spread * found.report.primal - 0.5 * nu * mean.squared_norm_l2();
        assert!((own - primal).abs() <= 1e-9 * primal.abs().max(1e-3), "{nu}: {own} {primal}");
    }
}

#[test]
fn rows_outside_and_on_the_boundary_are_what_nu_says() {
    let (features, _) = problem(200, 60, 2);
    for nu in [0.05, 0.3, 0.8] {
        let found = solve(&features, &[1.0; 200], &Levels::one(nu), TIGHT);
        let u = &features * &found.table;
        let value = |i: usize| u[(i, 0)] + found.constants[0];
        let out = (0..200).filter(|i| value(*i) > 1e-4 * found.spread).count() as f64 / 200.0;
        let near = (0..200).filter(|i| value(*i) > -1e-4 * found.spread).count() as f64 / 200.0;
        assert!(out <= nu + 1e-12 && nu <= near + 1e-12, "{nu}: {out} {near}");
    }
}

#[test]
fn all_levels_together_are_nearly_as_good_as_each_alone() {
    let (features, w) = problem(120, 40, 3);
    let mut excess = Vec::new();
    for count in [2, 4, 8] {
        let levels = Levels::all(CurveBasis::Moments { count, decay: 1.0 }, 24);
        let found = solve(&features, &w, &levels, Params { gap: 1e-4, ..TIGHT });
        let integral = |of: &dyn Fn(f64) -> f64| -> f64 {
            levels.nodes.iter().zip(&levels.weights).map(|(nu, v)| v * of(*nu)).sum()
        };
        let together = integral(&|nu| risk(&features, &w, &levels.basis, &found, nu));
        let alone = integral(&|nu| bound(&features, &w, nu));
        assert!(together >= alone, "{count}: {together} {alone}");
        excess.push((together - alone) / alone.abs());
    }
    assert!(excess[1] < excess[0] && excess[2] < excess[1] && excess[2] < 2e-3, "{excess:?}");
}

#[test]
fn the_scale_of_the_kernel_does_not_matter() {
    let (features, w) = problem(60, 30, 4);
    let levels = Levels::all(CurveBasis::Moments { count: 4, decay: 1.0 }, 12);
    let one = solve(&features, &w, &levels, TIGHT);
    let large = solve(&(faer::Scale(1e4) * &features), &w, &levels, TIGHT);
    let ratio = large.spread / one.spread;
    assert!((ratio / 1e8 - 1.0).abs() < 1e-9);
    let (a, b) = (&features * &one.table, faer::Scale(1e4) * &features * &large.table);
    for i in 0..60 {
        for j in 0..4 {
            let (a, b) = (a[(i, j)] + one.constants[j], (b[(i, j)] + large.constants[j]) / ratio);
            assert!((a - b).abs() < 1e-6 * one.spread, "{i} {j}: {a} {b}");
        }
    }
}
