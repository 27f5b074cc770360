//! The splitting against other ways to the same minimum.

use faer::Mat;
use orff::curve::CurveBasis;
use orff::random::Stream;
use orff::solve::quantiles::{LevelLoss, Params, Reason, minimise};
use orff::solve::{Reduced, Sections};
use orff::special::gauss_legendre;
use orff::watch::Silent;

fn problem(n: usize, m: usize) -> (Mat<f64>, Vec<f64>, Vec<f64>) {
    let mut stream = Stream::new(3, 5, 0);
    let features = Mat::from_fn(n, m, |_, _| stream.normal() / (m as f64).sqrt());
    let y = (0..n).map(|i| 2.0 * features[(i, 0)] + (0.5 + features[(i, 1)].abs()) * stream.normal()).collect();
    let w = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
    (features, y, w)
}

fn loss(crossing: f64) -> LevelLoss {
    let (nodes, weights) = gauss_legendre(7);
    LevelLoss::new(&CurveBasis::Moments { count: 3, decay: 0.5 }, nodes, weights, crossing)
}

fn space(features: &Mat<f64>, w: &[f64], floor: f64) -> Reduced {
    let block = |from: usize, to: usize| Ok(features.subrows(from, to - from).to_owned());
    Reduced::new(&block, features.shape(), w, floor).unwrap()
}

/// The risk with its penalty, by its definition.
fn risk(features: &Mat<f64>, y: &[f64], w: &[f64], loss: &LevelLoss, table: &Mat<f64>, b: &[f64], ridge: f64) -> f64 {
    let f = features * table;
    let total: f64 = w.iter().sum();
    let row = |i: usize| -> f64 {
        let g: Vec<f64> = (0..b.len()).map(|j| f[(i, j)] + b[j]).collect();
        w[i] / total * loss.value(&g, y[i])
    };
    (0..y.len()).map(row).sum::<f64>() + ridge * table.squared_norm_l2()
}

#[test]
fn the_loss_is_that_of_its_definition() {
    let (nodes, weights) = (vec![0.25, 0.5, 0.75], vec![0.2, 0.5, 0.3]);
    let loss = LevelLoss::new(&CurveBasis::Hats { knots: nodes.clone() }, nodes, weights, 3.0);
    // values 2, 1, 4 for y = 3: the first two cross by one
    let expected = 0.2 * 0.25 * 1.0 + 0.5 * 0.5 * 2.0 + 0.3 * 0.25 * 1.0 + 3.0 / 3.0 * 1.0;
    assert!((loss.value(&[2.0, 1.0, 4.0], 3.0) - expected).abs() < 1e-15);
}

#[test]
fn the_bounds_hold_and_meet() {
    for (n, crossing) in [(120, 0.0), (120, 2.0), (15, 1.0)] {
        let (features, y, w) = problem(n, 20);
        let loss = loss(crossing);
        let solve = |gap: f64| {
            let params = Params { ridge: 1e-3, gap, least: 0.0, iterations: 100_000 };
            let mut space = space(&features, &w, 0.0);
            let found = minimise(&mut space, &loss, &y, &w, params, None, &mut Silent).unwrap();
            let (table, shift) = space.unfold(found.coefficients.as_ref());
            let b: Vec<f64> = found.constants.iter().zip(&shift).map(|(c, s)| c + s).collect();
            (found.report, risk(&features, &y, &w, &loss, &table, &b, 1e-3), table, b)
        };
        let (rough, value, ..) = solve(1e-2);
        assert!((rough.primal - value).abs() < 1e-12 * value, "{rough:?} {value}");
        assert!(rough.gap <= 1e-2 && rough.reason == Reason::Converged);
        let (fine, best, table, b) = solve(1e-7);
        assert!(fine.gap <= 1e-7);
        assert!(rough.dual <= best && fine.dual <= best && best <= rough.primal);
        // no step in any direction is better than the gap allows
        let mut stream = Stream::new(8, 1, 0);
        for scale in [1e-1, 1e-2, 1e-3] {
            for _ in 0..20 {
                let moved =
                    Mat::from_fn(table.nrows(), table.ncols(), |i, j| table[(i, j)] + scale * stream.normal());
                let other: Vec<f64> = b.iter().map(|b| b + scale * stream.normal()).collect();
                assert!(risk(&features, &y, &w, &loss, &moved, &other, 1e-3) >= fine.dual);
            }
        }
    }
}

#[test]
fn features_and_their_kernel_have_one_minimum() {
    let (features, y, w) = problem(60, 9);
    let (loss, params) = (loss(1.0), Params { ridge: 2e-3, gap: 1e-6, least: 0.0, iterations: 100_000 });
    let mut by_features = space(&features, &w, 0.0);
    let one = minimise(&mut by_features, &loss, &y, &w, params, None, &mut Silent).unwrap();
    let kernel = &features * features.transpose();
    let mut by_kernel = Sections::new(kernel.clone(), &w);
    let other = minimise(&mut by_kernel, &loss, &y, &w, params, None, &mut Silent).unwrap();
    assert!((one.report.primal - other.report.primal).abs() < 3e-6 * one.report.primal);
    // values at the rows, about their means
    let (table, _) = by_features.unfold(one.coefficients.as_ref());
    let (f, g) = (&features * &table, &kernel * &other.coefficients);
    for j in 0..3 {
        let mean = |v: &Mat<f64>| (0..60).map(|i| w[i] * v[(i, j)]).sum::<f64>() / w.iter().sum::<f64>();
        let (a, b) = (mean(&f), mean(&g));
        let apart = (0..60).map(|i| ((f[(i, j)] - a) - (g[(i, j)] - b)).abs()).fold(0.0, f64::max);
        assert!(apart < 0.02, "{apart}");
    }
}

#[test]
fn what_is_left_out_is_in_the_gap() {
    let (features, y, w) = problem(80, 20);
    let loss = loss(1.0);
    let params = Params { ridge: 1e-3, gap: 1e-6, least: 0.0, iterations: 20_000 };
    let full = minimise(&mut space(&features, &w, 0.0), &loss, &y, &w, params, None, &mut Silent).unwrap();
    // half of the directions are missing: the bound is still one of the whole problem
    let part = minimise(
        &mut space(&features, &w, 0.05),
        &loss,
        &y,
        &w,
        Params { iterations: 500, ..params },
        None,
        &mut Silent,
    );
    let part = part.unwrap().report;
    assert!(part.dual <= full.report.primal && part.primal > full.report.primal && part.gap > 1e-3, "{part:?}");
}
