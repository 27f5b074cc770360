//! Lengthscale and ridge by the errors of sequential cross-validation so far.

use crate::sequential::bent;
use faer::Mat;
use faer::linalg::solvers::SolveLstsq;
use orff::learn::{Autoregression, Choose, Method, Order, Ridge, Sequential};
use orff::params::Auto;
use orff::series::Series;
use orff::watch::Silent;

fn learner(method: Method) -> Autoregression {
    Autoregression { method, choose: Choose::Validation, features: Auto::Fixed(30), ..Autoregression::default() }
}

fn powers() -> Vec<f64> {
    (-8..=1).map(|k| 10f64.powi(k)).collect()
}

fn column(x: &Mat<f64>, k: usize) -> (f64, f64) {
    let n = x.nrows() as f64;
    let mean = x.col(k).iter().sum::<f64>() / n;
    (mean, (x.col(k).iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt())
}

/// Ridge regression of the rows of a window (from..end) with m lags, whose steps ahead are iterated (steps×2): Householder's
/// method on the rows about their means, inputs in the given units, above √(nλ)·I.
fn ridge(values: &Mat<f64>, (from, end): (usize, usize), m: usize, units: &[f64], by: f64, steps: usize) -> Mat<f64> {
    let n = end - from - m;
    let x = Mat::from_fn(n, 2 * m, |i, k| values[(from + m + i - 1 - k / 2, k % 2)]);
    let y = values.subrows(from + m, n).to_owned();
    let (cx, cy): (Vec<f64>, Vec<f64>) =
        ((0..2 * m).map(|k| column(&x, k).0).collect(), (0..2).map(|k| column(&y, k).0).collect());
    let root = (n as f64 * by).sqrt();
    let tall = Mat::from_fn(n + 2 * m, 2 * m, |i, k| match i {
        i if i < n => (x[(i, k)] - cx[k]) / units[k],
        i if i - n == k => root,
        _ => 0.0,
    });
    let right = Mat::from_fn(n + 2 * m, 2, |i, k| if i < n { y[(i, k)] - cy[k] } else { 0.0 });
    let table: Mat<f64> = tall.qr().solve_lstsq(&right);
    let mut past: Vec<f64> = (0..2 * m).map(|k| values[(end - 1 - k / 2, k % 2)]).collect();
    let mut out = Mat::zeros(steps, 2);
    for s in 0..steps {
        for t in 0..2 {
            out[(s, t)] = cy[t] + (0..2 * m).map(|k| (past[k] - cx[k]) / units[k] * table[(k, t)]).sum::<f64>();
        }
        past.rotate_right(2);
        (past[0], past[1]) = (out[(s, 0)], out[(s, 1)]);
    }
    out
}

#[test]
fn the_best_ridge_so_far_predicts() {
    let (values, m, window) = (bent(130, 11), 4, 40);
    let ridges: Vec<f64> = [0.0].into_iter().chain(powers()).collect();
    let first = Mat::from_fn(window - m, 2 * m, |i, k| values[(m + i - 1 - k / 2, k % 2)]);
    let units: Vec<f64> = (0..2 * m).map(|k| column(&first, k).1).collect();
    for horizon in [1, 3] {
        let steps = |end: usize| horizon.min(130 - end);
        let miss = |range: (usize, usize), by: f64| {
            ridge(&values, range, m, &units, by, steps(range.1)) - values.subrows(range.1, steps(range.1))
        };
        let square = |range: (usize, usize)| {
            ridges.iter().map(|&by| miss(range, by).squared_norm_l2() / 2.0).collect::<Vec<f64>>()
        };
        // windows of half the size that end, with what they predict, inside the first one
        let mut sums = vec![0.0; ridges.len()];
        let inside = window / 2..=window - horizon;
        let weight = (window / 2) as f64 / inside.clone().count() as f64;
        for end in inside {
            square((end - window / 2, end)).iter().zip(&mut sums).for_each(|(e, sum)| *sum += weight * e);
        }
        let (mut truth, mut used) = (Vec::new(), Vec::new());
        for end in window..130 {
            // what the windows before have missed is known once all of it was observed
            if end >= window + horizon {
                let before = end - horizon;
                square((before - window, before)).iter().zip(&mut sums).for_each(|(e, sum)| *sum += e);
            }
            let best = (0..sums.len()).min_by(|&a, &b| sums[a].total_cmp(&sums[b])).unwrap();
            used.push(best);
            let missed = miss((end - window, end), ridges[best]);
            (0..missed.nrows()).for_each(|s| truth.push([-missed[(s, 0)], -missed[(s, 1)]]));
        }
        let line = Autoregression { order: Order::Given(m), ..learner(Method::Linear) };
        let how = Sequential { window: Auto::Fixed(window), horizon, ..Sequential::default() };
        let found = line.validate(&Series::new(values.clone()).unwrap(), &how, &mut Silent).unwrap();
        used.dedup();
        assert!(used.len() > 1, "the ridge should change: {used:?}");
        assert_eq!(found.errors.nrows(), truth.len());
        for (i, row) in truth.iter().enumerate() {
            (0..2).for_each(|t| assert!((found.errors[(i, t)] - row[t]).abs() < 1e-7, "{horizon}, {i}"));
        }
        assert_eq!(found.training.ridge, ridges[*used.last().unwrap()]);
    }
}

#[test]
fn what_comes_later_has_no_part_in_a_prediction() {
    let values = bent(80, 12);
    let later = Mat::from_fn(80, 2, |i, k| if i < 60 { values[(i, k)] } else { 9.0 * values[(i, k)] });
    for (method, horizon) in [(Method::Features, 1), (Method::Features, 2), (Method::Linear, 2)] {
        let how = Sequential { window: Auto::Fixed(40), horizon, ..Sequential::default() };
        let run = |values: &Mat<f64>, threads| {
            let learner = Autoregression { threads: Auto::Fixed(threads), ..learner(method) };
            learner.validate(&Series::new(values.clone()).unwrap(), &how, &mut Silent).unwrap()
        };
        let (a, b) = (run(&values, 1), run(&later, 2));
        // the rows of windows whose last predicted row comes before the change
        let same = (21 - horizon) * horizon;
        // sums of windows may be made in another order: rounding is all that may differ
        assert!((a.errors.subrows(0, same) - b.errors.subrows(0, same)).norm_max() < 1e-9, "{method:?} {horizon}");
        assert_ne!(a.errors, b.errors);
        assert!(a.at.windows(2).all(|pair| pair[0] < pair[1] + horizon), "{:?}", a.at);
    }
}

#[test]
fn a_fit_takes_the_ridge_with_the_smallest_error() {
    let series = Series::new(bent(90, 13)).unwrap();
    for method in [Method::Linear, Method::Features, Method::Exact] {
        let given = Autoregression { lengthscale: 1.7.into(), ..learner(method) };
        let chosen = given.fit(&series, &mut Silent).unwrap();
        let mut best = (f64::INFINITY, 0.0);
        for ridge in [0.0].into_iter().chain(powers()).filter(|&r| r > 0.0 || method == Method::Linear) {
            let one = Autoregression { ridge: Ridge::Given(ridge), choose: Choose::Evidence, ..given.clone() };
            let mse = one.validate(&series, &Sequential::default(), &mut Silent).unwrap().mse;
            if mse < best.0 {
                best = (mse, ridge);
            }
        }
        assert_eq!(chosen.info.training.ridge, best.1, "{method:?}");
        assert!(chosen.info.training.choices.iter().any(|line| line.contains("candidates after 45 windows")));
    }
}

#[test]
fn nothing_open_is_what_was_given() {
    let series = Series::new(bent(60, 15)).unwrap();
    let how = Sequential { window: Auto::Fixed(30), ..Sequential::default() };
    let given = Autoregression { lengthscale: 2.0.into(), ridge: Ridge::Given(1e-3), ..learner(Method::Features) };
    let plain = Autoregression { choose: Choose::Evidence, ..given.clone() };
    let run = |learner: &Autoregression| learner.validate(&series, &how, &mut Silent).unwrap().errors;
    assert_eq!(run(&given), run(&plain));
    // a window too short to be cut in halves starts from the middle
    let short = Sequential { window: Auto::Fixed(3), step: 10, ..Sequential::default() };
    let found = learner(Method::Features).validate(&series, &short, &mut Silent).unwrap();
    assert!(
        found.mse.is_finite() && found.training.choices[0].contains("too few rows"),
        "{:?}",
        found.training.choices
    );
}
