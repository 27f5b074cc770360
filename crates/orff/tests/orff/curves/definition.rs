//! Both ways to solve are the minimiser that the definition has, by a dense system in the unknowns of Θ, or in the points
//! with the exact kernel.

use super::{inputs, on_grid, ragged, value};
use faer::Mat;
use faer::linalg::solvers::Solve;
use orff::learn::{FunctionalRidge, Grid};
use orff::model::{Body, Model};
use orff::params::Auto;
use orff::rows::{Inputs, Points, Rows, Table, Weights};
use orff::solve::{Scatter, Side, Tensor};
use orff::watch::Silent;

/// Θ (M×L) that minimises Σw(y − cᵢᵀΘg)² + μ‖Θ‖², by the normal equations of vec Θ, one point at a time.
fn dense(c: &Mat<f64>, g: &Mat<f64>, points: &Scatter, shift: f64) -> Mat<f64> {
    let (m, l) = (c.ncols(), g.ncols());
    let mut normal = Mat::from_fn(m * l, m * l, |u, v| if u == v { shift } else { 0.0 });
    let mut right = Mat::<f64>::zeros(m * l, 1);
    for i in 0..points.curves() {
        for k in points.start[i]..points.start[i + 1] {
            let f = |u: usize| c[(i, u % m)] * g[(points.at[k], u / m)];
            for u in 0..m * l {
                right[(u, 0)] += points.weight[k] * points.value[k] * f(u);
                (0..m * l).for_each(|v| normal[(u, v)] += points.weight[k] * f(u) * f(v));
            }
        }
    }
    let theta = normal.partial_piv_lu().solve(&right);
    Mat::from_fn(m, l, |a, b| theta[(b * m + a, 0)])
}

fn numbers(rows: usize, columns: usize, phase: f64) -> Mat<f64> {
    Mat::from_fn(rows, columns, |i, k| ((i * 7 + k * 3) as f64 * 0.37 + phase + (i * k) as f64 * 0.11).sin())
}

/// Points of n curves at some of so many arguments, with unlike weights.
fn scattered(n: usize, arguments: usize, takes: impl Fn(usize, usize) -> bool) -> Scatter {
    let mut points = Scatter { start: vec![0], ..Scatter::default() };
    for i in 0..n {
        for k in (0..arguments).filter(|&k| takes(i, k)) {
            points.at.push(k);
            points.value.push(((i + 2 * k) as f64 * 0.9).cos());
            points.weight.push(0.5 + (i % 3) as f64);
        }
        points.start.push(points.at.len());
    }
    points
}

fn whole(tensor: &Tensor, theta: &Mat<f64>) -> Mat<f64> {
    &tensor.x.directions * theta * tensor.t.directions.transpose()
}

#[test]
fn closed_form_and_conjugate_gradients_are_the_dense_solution() {
    let (c, g) = (numbers(11, 5, 0.3), numbers(6, 4, 1.1));
    for (name, takes) in [("common", (|_, _| true) as fn(usize, usize) -> bool), ("ragged", |i, k| (i + k) % 3 != 0)]
    {
        let points = scattered(11, 6, takes);
        let x = Side::new(&c, &points.of_curves()).unwrap();
        let t = Side::new(&g, &points.of_arguments(6)).unwrap();
        let tensor = Tensor { x: &x, t: &t, points: &points };
        assert_eq!(points.complete(6), name == "common");
        for shift in [3.0, 1e-2] {
            let expected = dense(&c, &g, &points, shift);
            let params = orff::linalg::cg::Params { tol: 1e-13, max_iter: 500 };
            let (found, report) = tensor.iterate(shift, &|_| true, None, params, &mut |_, _| Ok(())).unwrap();
            let error = (&whole(&tensor, &found) - &expected).norm_max();
            assert!(error < 1e-8 * expected.norm_max(), "{name} {shift}: {error} after {}", report.iterations);
            if name == "common" {
                assert!(report.iterations <= 2, "the preconditioner is exact: {}", report.iterations);
                let closed = whole(&tensor, &tensor.closed(shift));
                assert!((&closed - &expected).norm_max() < 1e-10 * expected.norm_max());
            }
        }
    }
}

#[test]
fn a_curve_left_out_has_the_error_of_the_fit_without_it() {
    let (c, g) = (numbers(9, 4, 0.3), numbers(6, 4, 1.1));
    let points = scattered(9, 6, |_, _| true);
    let x = Side::new(&c, &points.of_curves()).unwrap();
    let t = Side::new(&g, &points.of_arguments(6)).unwrap();
    let found = Tensor { x: &x, t: &t, points: &points }.left_out(&[0.7, 1e-3]);
    for (shift, found) in [0.7, 1e-3].into_iter().zip(found) {
        let (mut sum, mut weight) = (0.0, 0.0);
        for out in 0..9 {
            let rest: Vec<usize> = (0..9).filter(|&i| i != out).collect();
            let some = Mat::from_fn(8, 4, |i, k| c[(rest[i], k)]);
            let theta = dense(&some, &g, &points.pick(&rest), shift);
            for k in points.start[out]..points.start[out + 1] {
                let f: f64 = (0..4)
                    .flat_map(|a| (0..4).map(move |b| (a, b)))
                    .map(|(a, b)| c[(out, a)] * theta[(a, b)] * g[(points.at[k], b)])
                    .sum();
                sum += points.weight[k] * (points.value[k] - f).powi(2);
                weight += points.weight[k];
            }
        }
        assert!((found - sum / weight).abs() < 1e-9 * found, "{found} {}", sum / weight);
    }
}

fn given(features: usize, waves: usize, seed: u64) -> FunctionalRidge {
    FunctionalRidge {
        lengthscale: 0.9.into(),
        argument_lengthscale: 0.4.into(),
        ridge: Auto::Fixed(1e-3),
        features: Auto::Fixed(features),
        argument_features: Auto::Fixed(waves),
        tolerance: 1e-13,
        seed,
        ..FunctionalRidge::default()
    }
}

fn fitted(learner: &FunctionalRidge, rows: &dyn Rows) -> Model {
    learner.model(rows, &mut Silent).unwrap()
}

/// A complete grid, once as columns and once as points of which one more was asked for and not observed.
#[test]
fn both_ways_agree_on_a_common_grid() {
    let grid: Vec<f64> = (0..8).map(|k| k as f64 / 7.0).collect();
    let x = inputs(25, 1);
    let y = on_grid(&x, &grid, 0.1, 1);
    let learner = given(60, 24, 0);
    let wide = FunctionalRidge { grid: Grid::Given(grid.clone()), ..learner.clone() };
    let closed = fitted(&wide, &Table::new(x.clone(), y.clone()).unwrap());
    assert!(closed.info.training.choices.iter().any(|l| l.starts_with("solved by eigenvalues")));
    let curves: Vec<_> = (0..25).map(|i| (grid.clone(), y.row(i).iter().copied().collect())).collect();
    let points = fitted(&learner, &Points::of(Inputs::Dense(x.clone()), &curves).unwrap());
    let at: Vec<f64> = (0..20).map(|k| -0.1 + k as f64 * 0.07).collect();
    let fresh = Inputs::Dense(inputs(10, 5));
    let values = closed.values(&fresh, &at).unwrap();
    assert!((&values - &points.values(&fresh, &at).unwrap()).norm_max() < 1e-11);
    // weights that differ within a curve by nothing but rounding of the loss: the iterative way, the same problem
    let mut w = Mat::full(25, 8, 1.0);
    w[(3, 2)] = 1.0 + 1e-13;
    let rows = Table::new(x, y).unwrap().weighted(Weights::Entry(w)).unwrap();
    let iterated = fitted(&wide, &rows);
    assert!(iterated.info.training.choices.iter().any(|l| l.starts_with("solved by conjugate gradients")));
    assert!((&values - &iterated.values(&fresh, &at).unwrap()).norm_max() < 1e-8);
}

/// The kernel solution: α = (K + W λ I)⁻¹(y − ȳ) with K = (k(x, x′) + 1)k_T(t, t′) at all points.
fn exact(x: &Mat<f64>, curves: &[(Vec<f64>, Vec<f64>)], fresh: &Mat<f64>, at: &[f64]) -> Mat<f64> {
    let points: Vec<(usize, f64, f64)> =
        curves.iter().enumerate().flat_map(|(i, (t, y))| t.iter().zip(y).map(move |(t, y)| (i, *t, *y))).collect();
    let n = points.len();
    let mean = points.iter().map(|p| p.2).sum::<f64>() / n as f64;
    let kernel = |a: (f64, f64), s: f64, b: (f64, f64), t: f64| {
        let square = ((a.0 - b.0).powi(2) + (a.1 - b.1).powi(2)) / (0.9 * 0.9);
        ((-0.5 * square).exp() + 1.0) * (-0.5 * ((s - t) / 0.4).powi(2)).exp()
    };
    let place = |x: &Mat<f64>, i: usize| (x[(i, 0)], x[(i, 1)]);
    let of = |p: usize, q: usize| kernel(place(x, points[p].0), points[p].1, place(x, points[q].0), points[q].1);
    let system = Mat::from_fn(n, n, |p, q| of(p, q) + if p == q { n as f64 * 1e-3 } else { 0.0 });
    let alpha = system.partial_piv_lu().solve(&Mat::from_fn(n, 1, |p, _| points[p].2 - mean));
    Mat::from_fn(fresh.nrows(), at.len(), |i, k| {
        let sum: f64 =
            (0..n).map(|p| kernel(place(fresh, i), at[k], place(x, points[p].0), points[p].1) * alpha[(p, 0)]).sum();
        mean + sum
    })
}

#[test]
fn features_converge_to_the_kernel() {
    let (x, fresh) = (inputs(30, 2), inputs(12, 3));
    let curves = ragged(&x, 0.1, 2);
    let at = [0.05, 0.4, 0.77];
    let expected = exact(&x, &curves, &fresh, &at);
    let rows = Points::of(Inputs::Dense(x), &curves).unwrap();
    let error = |features: usize, waves: usize| -> f64 {
        let each = (0..4).map(|seed| {
            let model = fitted(&given(features, waves, seed), &rows);
            (&model.values(&Inputs::Dense(fresh.clone()), &at).unwrap() - &expected).squared_norm_l2()
        });
        (each.sum::<f64>() / (4.0 * 36.0)).sqrt()
    };
    let errors = [error(32, 16), error(256, 64), error(2048, 256)];
    println!("{errors:?}");
    assert!(errors[1] < 0.5 * errors[0] && errors[2] < 0.5 * errors[1] && errors[2] < 3e-3, "{errors:?}");
}

/// The curves of the fit at the arguments that were seen, away from noise.
#[test]
fn truth_is_found_from_few_points_of_many_curves() {
    let x = inputs(300, 4);
    let curves = ragged(&x, 0.05, 4);
    let rows = Points::of(Inputs::Dense(x), &curves).unwrap();
    let model = fitted(&FunctionalRidge::default(), &rows);
    let fresh = inputs(50, 9);
    let at = [0.1, 0.35, 0.6, 0.9];
    let values = model.values(&Inputs::Dense(fresh.clone()), &at).unwrap();
    let square: f64 = (0..50)
        .flat_map(|i| (0..4).map(move |k| (i, k)))
        .map(|(i, k)| (values[(i, k)] - value(&[fresh[(i, 0)], fresh[(i, 1)]], at[k])).powi(2))
        .sum();
    let error = (square / 200.0).sqrt();
    assert!(error < 0.03, "{error}");
    let Body::Linear(linear) = &model.body else { panic!("features are linear") };
    assert_eq!(linear.outputs(), model.functions().unwrap().0.basis.count());
}
