//! Sequential cross-validation is what fits on each window by itself give.

use crate::series::least_squares;
use faer::Mat;
use orff::learn::{Autoregression, ExactRegression, Method, Order, Regression, Ridge, Sequential, Standardise};
use orff::model::Query;
use orff::params::Auto;
use orff::random::Stream;
use orff::rows::{Inputs, Table};
use orff::series::{Given, Series};
use orff::watch::Silent;

/// A damped turn in the plane with a bend and noise, far from zero (n×2).
pub fn bent(n: usize, seed: u64) -> Mat<f64> {
    let mut s = Stream::new(seed, 0x626e, 0);
    let (mut a, mut b) = (1.0f64, 0.0f64);
    let mut out = Mat::zeros(n, 2);
    for i in 0..n {
        (a, b) = (0.8 * a - 0.5 * b.sin() + 0.2 * s.normal(), 0.5 * a + 0.7 * b + 0.2 * s.normal());
        (out[(i, 0)], out[(i, 1)]) = (a + 30.0, b);
    }
    out
}

fn learner(method: Method) -> Autoregression {
    Autoregression {
        method,
        lengthscale: 1.7.into(),
        ridge: Ridge::Given(1e-3),
        features: Auto::Fixed(40),
        ..Autoregression::default()
    }
}

/// Errors of the row after each window, from a fit on each.
fn refitted(
    values: &Mat<f64>,
    windows: &[(usize, usize)],
    fit: &dyn Fn(&Mat<f64>, &Mat<f64>, &Mat<f64>) -> Mat<f64>,
) -> Mat<f64> {
    let mut out = Mat::zeros(windows.len(), 2);
    for (w, &(from, end)) in windows.iter().enumerate() {
        let n = end - from - 1;
        let (x, y) = (values.subrows(from, n).to_owned(), values.subrows(from + 1, n).to_owned());
        let mean = fit(&x, &y, &values.subrows(end - 1, 1).to_owned());
        (0..2).for_each(|k| out[(w, k)] = values[(end, k)] - mean[(0, k)]);
    }
    out
}

fn close(found: &Mat<f64>, truth: &Mat<f64>) {
    assert_eq!(found.shape(), truth.shape());
    let gap = (found - truth).norm_max();
    assert!(gap < 1e-8, "{gap:e}");
}

#[test]
fn windows_of_least_squares() {
    let values = bent(130, 1);
    let series = Series::new(values.clone()).unwrap();
    let plain = |x: &Mat<f64>, y: &Mat<f64>, at: &Mat<f64>| {
        let by = least_squares(x, y);
        Mat::from_fn(1, 2, |_, k| by[(0, k)] + by[(1, k)] * at[(0, 0)] + by[(2, k)] * at[(0, 1)])
    };
    let learner = Autoregression { ridge: Ridge::Evidence, ..learner(Method::Linear) };
    for (window, step, expanding) in [(40, 1, false), (40, 7, false), (11, 30, false), (25, 2, true)] {
        let how = Sequential { window: Auto::Fixed(window), step, expanding, ..Sequential::default() };
        let found = learner.validate(&series, &how, &mut Silent).unwrap();
        let windows: Vec<(usize, usize)> =
            (window..130).step_by(step).map(|end| (if expanding { 0 } else { end - window }, end)).collect();
        let truth = refitted(&values, &windows, &plain);
        close(&found.errors, &truth);
        let squares: Vec<f64> =
            (0..windows.len()).map(|i| truth.row(i).iter().map(|e| e * e).sum::<f64>() / 2.0).collect();
        let mse = squares.iter().sum::<f64>() / squares.len() as f64;
        let sd = (squares.iter().map(|s| (s - mse).powi(2)).sum::<f64>() / squares.len() as f64).sqrt();
        assert!((found.mse - mse).abs() < 1e-10 && (found.sd - sd).abs() < 1e-10);
        assert_eq!((found.windows, found.rows, found.skipped), (windows.len(), windows.len(), 0));
    }
}

#[test]
fn windows_of_features_and_of_the_exact_kernel() {
    let values = bent(90, 2);
    let series = Series::new(values.clone()).unwrap();
    let how = Sequential { window: Auto::Fixed(50), step: 3, ..Sequential::default() };
    let windows: Vec<(usize, usize)> = (50..90).step_by(3).map(|end| (end - 50, end)).collect();
    let by_features = |x: &Mat<f64>, y: &Mat<f64>, at: &Mat<f64>| {
        let one = Regression {
            lengthscale: 1.7.into(),
            ridge: Ridge::Given(1e-3),
            features: Auto::Fixed(40),
            posterior: false,
            ..Regression::default()
        };
        let fitted = one.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
        fitted.model.predict(&Inputs::Dense(at.clone()), Query::default()).unwrap().mean
    };
    let found = learner(Method::Features).validate(&series, &how, &mut Silent).unwrap();
    close(&found.errors, &refitted(&values, &windows, &by_features));
    let by_kernel = |x: &Mat<f64>, y: &Mat<f64>, at: &Mat<f64>| {
        let one =
            ExactRegression { lengthscale: 1.7.into(), ridge: Ridge::Given(1e-3), ..ExactRegression::default() };
        let fitted = one.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
        fitted.model.predict(&Inputs::Dense(at.clone()), Query::default()).unwrap().mean
    };
    let found = learner(Method::Exact).validate(&series, &how, &mut Silent).unwrap();
    close(&found.errors, &refitted(&values, &windows, &by_kernel));
}

#[test]
fn many_wide_windows_keep_few_sums() {
    // so many unknowns that the sums of all windows are not kept at once
    let values = bent(400, 3);
    let series = Series::new(values.clone()).unwrap();
    let wide = Autoregression { features: Auto::Fixed(420), ..learner(Method::Features) };
    let how = Sequential { window: Auto::Fixed(330), ..Sequential::default() };
    let found = wide.validate(&series, &how, &mut Silent).unwrap();
    assert_eq!(found.windows, 70);
    let by_features = |x: &Mat<f64>, y: &Mat<f64>, at: &Mat<f64>| {
        let one = Regression {
            lengthscale: 1.7.into(),
            ridge: Ridge::Given(1e-3),
            features: Auto::Fixed(420),
            posterior: false,
            ..Regression::default()
        };
        let fitted = one.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
        fitted.model.predict(&Inputs::Dense(at.clone()), Query::default()).unwrap().mean
    };
    for w in [0, 8, 9, 10, 41, 69] {
        let truth = refitted(&values, &[(w, w + 330)], &by_features);
        close(&found.errors.subrows(w, 1).to_owned(), &truth);
    }
}

#[test]
fn further_steps_panels_and_gaps() {
    // two steps ahead: the first prediction is the input of the second
    let values = bent(60, 4);
    let series = Series::new(values.clone()).unwrap();
    let line = Autoregression { ridge: Ridge::Evidence, ..learner(Method::Linear) };
    let how = Sequential { window: Auto::Fixed(30), step: 5, horizon: 2, ..Sequential::default() };
    let found = line.validate(&series, &how, &mut Silent).unwrap();
    assert_eq!((found.windows, found.rows, found.by_step.len()), (6, 12, 2));
    let (mut first, mut second) = (0.0, 0.0);
    for (w, end) in (30..60).step_by(5).enumerate() {
        let by = least_squares(&values.subrows(end - 30, 29).to_owned(), &values.subrows(end - 29, 29).to_owned());
        let next = |at: [f64; 2]| [0, 1].map(|k| by[(0, k)] + by[(1, k)] * at[0] + by[(2, k)] * at[1]);
        let one = next([values[(end - 1, 0)], values[(end - 1, 1)]]);
        let two = next(one);
        for k in 0..2 {
            assert!((found.errors[(2 * w, k)] - (values[(end, k)] - one[k])).abs() < 1e-9);
            assert!((found.errors[(2 * w + 1, k)] - (values[(end + 1, k)] - two[k])).abs() < 1e-9);
            first += (values[(end, k)] - one[k]).powi(2) / 12.0;
            second += (values[(end + 1, k)] - two[k]).powi(2) / 12.0;
        }
    }
    assert!((found.by_step[0] - first).abs() < 1e-10 && (found.by_step[1] - second).abs() < 1e-10);
    // members in step with each other: the window holds both, the second one begins later
    let other = bent(45, 5);
    let names: Vec<String> = (0..105).map(|i| if i < 60 { "a".into() } else { "b".into() }).collect();
    let times: Vec<f64> = (0..105).map(|i| if i < 60 { i as f64 } else { (i - 60 + 15) as f64 }).collect();
    let both = Mat::from_fn(105, 2, |i, k| if i < 60 { values[(i, k)] } else { other[(i - 60, k)] });
    let panel = Series::of(Given {
        values: both.clone(),
        exogenous: Mat::zeros(105, 0),
        times: Some(&times),
        members: Some(&names),
    })
    .unwrap();
    let how = Sequential { window: Auto::Fixed(30), step: 10, ..Sequential::default() };
    let found = line.validate(&panel, &how, &mut Silent).unwrap();
    for (w, end) in [30usize, 40, 50].into_iter().enumerate() {
        let mut x = Vec::new();
        let mut y = Vec::new();
        for t in end - 29..end {
            x.push([values[(t - 1, 0)], values[(t - 1, 1)]]);
            y.push([values[(t, 0)], values[(t, 1)]]);
            if t >= 16 {
                x.push([other[(t - 16, 0)], other[(t - 16, 1)]]);
                y.push([other[(t - 15, 0)], other[(t - 15, 1)]]);
            }
        }
        let mat = |rows: &[[f64; 2]]| Mat::from_fn(rows.len(), 2, |i, k| rows[i][k]);
        let by = least_squares(&mat(&x), &mat(&y));
        for (m, at, now) in [
            (0, [values[(end - 1, 0)], values[(end - 1, 1)]], [values[(end, 0)], values[(end, 1)]]),
            (1, [other[(end - 16, 0)], other[(end - 16, 1)]], [other[(end - 15, 0)], other[(end - 15, 1)]]),
        ] {
            for k in 0..2 {
                let mean = by[(0, k)] + by[(1, k)] * at[0] + by[(2, k)] * at[1];
                assert!((found.errors[(2 * w + m, k)] - (now[k] - mean)).abs() < 1e-8);
            }
        }
    }
    // rows whose past is not known are not predicted, and counted
    let holes = Mat::from_fn(60, 2, |i, k| if i == 35 { f64::NAN } else { values[(i, k)] });
    let how = Sequential { window: Auto::Fixed(30), ..Sequential::default() };
    let found = line.validate(&Series::new(holes).unwrap(), &how, &mut Silent).unwrap();
    assert_eq!((found.rows, found.skipped), (28, 2));
    // nor are those after windows in which nothing is known
    let holes = Mat::from_fn(60, 2, |i, k| if (25..40).contains(&i) { f64::NAN } else { values[(i, k)] });
    let how = Sequential { window: Auto::Fixed(10), ..Sequential::default() };
    let found = line.validate(&Series::new(holes.clone()).unwrap(), &how, &mut Silent).unwrap();
    assert_eq!((found.windows, found.rows, found.skipped), (40, 15 + 17, 8 + 10));
    let early = Mat::from_fn(60, 2, |i, k| holes[((i + 25) % 60, k)]);
    let said = line.validate(&Series::new(early).unwrap(), &how, &mut Silent).unwrap_err().to_string();
    assert!(said.contains("the first window of 10 rows has fewer than two steps"), "{said}");
}

#[test]
fn units_are_those_of_the_first_window() {
    // what comes after it changes nothing of what was predicted before
    let values = bent(80, 6);
    let later = Mat::from_fn(80, 2, |i, k| if i < 60 { values[(i, k)] } else { 50.0 * values[(i, k)] });
    let how = Sequential { window: Auto::Fixed(40), ..Sequential::default() };
    let learner =
        Autoregression { standardise: Standardise::Members, features: Auto::Fixed(30), ..Autoregression::default() };
    let run = |values: Mat<f64>| learner.validate(&Series::new(values).unwrap(), &how, &mut Silent).unwrap();
    let (a, b) = (run(values), run(later));
    assert_eq!(a.training.ridge, b.training.ridge);
    assert_eq!(a.errors.subrows(0, 20), b.errors.subrows(0, 20));
}

#[test]
fn bad_windows_are_refused() {
    let series = Series::new(bent(30, 7)).unwrap();
    let said = |window: usize, order: usize| {
        let how = Sequential { window: Auto::Fixed(window), ..Sequential::default() };
        let learner = Autoregression { order: Order::Given(order), ..learner(Method::Linear) };
        learner.validate(&series, &how, &mut Silent).unwrap_err().to_string()
    };
    assert!(said(30, 1).contains("window: expected at least 2 rows"), "{}", said(30, 1));
    assert!(said(4, 4).contains("window: expected at least 5 rows"));
    let chosen = Autoregression { order: Order::Evidence, ..learner(Method::Linear) };
    assert!(
        chosen
            .validate(&series, &Sequential::default(), &mut Silent)
            .unwrap_err()
            .to_string()
            .contains("give the order")
    );
}

#[test]
fn windows_of_higher_orders_and_direct_steps() {
    // two rows back and two at once: blocks of a refit on each window, three steps ahead
    let values = bent(70, 8);
    let series = Series::new(values.clone()).unwrap();
    let learner =
        Autoregression { order: Order::Given(2), ahead: 2, ridge: Ridge::Evidence, ..learner(Method::Linear) };
    for expanding in [false, true] {
        let how = Sequential { window: Auto::Fixed(35), step: 4, horizon: 3, expanding };
        let found = learner.validate(&series, &how, &mut Silent).unwrap();
        let mut row = 0;
        for end in (35..70).step_by(4) {
            let from = if expanding { 0 } else { end - 35 };
            let n = end - from - 3;
            let x = Mat::from_fn(n, 4, |i, k| values[(from + i + 1 - k / 2, k % 2)]);
            let y = Mat::from_fn(n, 4, |i, k| values[(from + i + 2 + k / 2, k % 2)]);
            let by = least_squares(&x, &y);
            let block = |one: [f64; 2], two: [f64; 2]| {
                let state = [1.0, one[0], one[1], two[0], two[1]];
                [0, 1, 2, 3].map(|k| (0..5).map(|j| by[(j, k)] * state[j]).sum::<f64>())
            };
            let at = |t: usize| [values[(t, 0)], values[(t, 1)]];
            let first = block(at(end - 1), at(end - 2));
            let second = block([first[2], first[3]], [first[0], first[1]]);
            let path = [first[0], first[1], first[2], first[3], second[0], second[1]];
            for k in 0..3.min(70 - end) {
                for t in 0..2 {
                    let truth = values[(end + k, t)] - path[2 * k + t];
                    assert!((found.errors[(row, t)] - truth).abs() < 1e-8, "{expanding} {end} {k}");
                }
                row += 1;
            }
        }
        assert_eq!(found.rows, row);
    }
}

#[test]
fn windows_of_a_ridge_below_rounding() {
    // features of a long lengthscale depend on each other, and the ridge is nothing beside them: no factor exists
    let values = bent(160, 9);
    let series = Series::new(values).unwrap();
    let line = Autoregression { ridge: Ridge::Evidence, ..learner(Method::Linear) };
    let how = Sequential { window: Auto::Fixed(120), ..Sequential::default() };
    let known = line.validate(&series, &how, &mut Silent).unwrap().mse;
    for ridge in [1e-18, 1e-20] {
        let bare =
            Autoregression { lengthscale: 40.0.into(), ridge: Ridge::Given(ridge), ..learner(Method::Features) };
        let found = bare.validate(&series, &how, &mut Silent).unwrap();
        assert!(found.rows == 40 && found.mse < 2.0 * known, "{ridge:e}: {} against {known}", found.mse);
        let choices = bare.fit(&series, &mut Silent).unwrap().info.training.choices;
        assert!(choices.iter().any(|line| line.starts_with("solved by eigenvalues")), "{choices:?}");
    }
}
