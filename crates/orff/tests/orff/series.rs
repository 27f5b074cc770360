//! Series: lags, gaps, least squares, forecasts, diagnostics, impulse responses, influence.

use faer::Mat;
use faer::linalg::solvers::SolveLstsq;
use orff::learn::{Autoregression, FORECASTERS, Method, Order, Ridge, Standardise};
use orff::model::{Ask, Body, Model, Query, Start};
use orff::params::Auto;
use orff::random::Stream;
use orff::rows::Inputs;
use orff::series::{Given, Lags, Series, Whiteness};
use orff::watch::Silent;
use serde_json::{Map, json};
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// x_{t+1} = b + A x_t + e (n×p), A by rows.
fn vector(a: &[&[f64]], b: &[f64], noise: f64, n: usize, seed: u64) -> Mat<f64> {
    let p = a.len();
    let mut s = Stream::new(seed, 0x7374, 0);
    let mut x = vec![0.0; p];
    let mut out = Mat::zeros(n, p);
    for i in 0..n + 50 {
        x = (0..p).map(|k| b[k] + (0..p).map(|j| a[k][j] * x[j]).sum::<f64>() + noise * s.normal()).collect();
        if i >= 50 {
            (0..p).for_each(|k| out[(i - 50, k)] = x[k]);
        }
    }
    out
}

const A: [&[f64]; 3] = [&[0.5, 0.0, 0.3], &[-0.4, 0.6, 0.0], &[0.0, 0.0, 0.7]];
const B: [f64; 3] = [1.0, -2.0, 0.5];

fn three(n: usize) -> Mat<f64> {
    vector(&A, &B, 0.3, n, 1)
}

fn linear(order: usize) -> Autoregression {
    Autoregression { method: Method::Linear, order: Order::Given(order), ..Autoregression::default() }
}

fn features(count: usize) -> Autoregression {
    Autoregression { features: Auto::Fixed(count), ..Autoregression::default() }
}

/// [1, x] \ y by Householder's method ((d+1)×p).
pub fn least_squares(x: &Mat<f64>, y: &Mat<f64>) -> Mat<f64> {
    let ones = Mat::from_fn(x.nrows(), x.ncols() + 1, |i, k| if k == 0 { 1.0 } else { x[(i, k - 1)] });
    ones.qr().solve_lstsq(y)
}

fn forecast(model: &Model, history: &Mat<f64>, steps: usize) -> Mat<f64> {
    let start = Start { history, member: 0, future: None };
    model.forecast(&start, &Ask { steps, ..Ask::default() }, &mut Silent).unwrap().mean
}

#[test]
fn lags_stand_where_they_say() {
    // y_t = (10t, 10t+1), u_t = 1000+t: every number tells its place
    let values = Mat::from_fn(9, 2, |t, k| (10 * t + k) as f64);
    let exogenous = Mat::from_fn(9, 1, |t, _| 1000.0 + t as f64);
    let series = Series::of(Given { values, exogenous, times: None, members: None }).unwrap();
    let lags = Lags { order: 3, ahead: 2 };
    let rows = lags.transitions(&series).unwrap();
    assert_eq!(rows.at, [3, 4, 5, 6, 7]);
    for (i, &t) in rows.at.iter().enumerate() {
        let x: Vec<f64> = rows.inputs.row(i).iter().copied().collect();
        let y: Vec<f64> = rows.outputs.row(i).iter().copied().collect();
        let t = t as f64 * 10.0;
        let u = 1000.0 + t / 10.0;
        assert_eq!(x, [t - 10.0, t - 9.0, t - 20.0, t - 19.0, t - 30.0, t - 29.0, u, u + 1.0]);
        assert_eq!(y, [t, t + 1.0, t + 10.0, t + 11.0]);
    }
    assert_eq!(lags.names(&series.names, &series.exogenous)[..3], ["y1[-1]", "y2[-1]", "y1[-2]"]);
}

#[test]
fn gaps_leave_out_the_steps_they_are_in() {
    let given = |times: Option<&[f64]>, hole: Option<usize>| {
        let values = Mat::from_fn(8, 1, |t, _| if Some(t) == hole { f64::NAN } else { t as f64 });
        Series::of(Given { values, exogenous: Mat::zeros(8, 0), times, members: None })
    };
    let lags = Lags { order: 2, ahead: 1 };
    assert_eq!(lags.transitions(&given(None, None).unwrap()).unwrap().at, [2, 3, 4, 5, 6, 7]);
    // a value that is not known is in the way of three steps
    assert_eq!(lags.transitions(&given(None, Some(3)).unwrap()).unwrap().at, [2, 6, 7]);
    // months of 28 to 31 days follow each other; the third and fourth are missing
    let months = [0.0, 31.0, 120.0, 151.0, 181.0, 212.0, 243.0, 273.0];
    let series = given(Some(&months), None).unwrap();
    assert_eq!((series.filled, series.length()), (2, 10));
    assert_eq!(lags.transitions(&series).unwrap().at, [6, 7, 8, 9]);
    let said = |times: &[f64]| given(Some(times), None).unwrap_err().to_string();
    let back = said(&[0.0, 1.0, 2.0, 2.0, 4.0, 5.0, 6.0, 7.0]);
    assert!(
        back.starts_with("row 4, column time: 2 does not come after the time of row 3, the one before: "),
        "{back}"
    );
    let uneven = said(&[0.0, 1.0, 2.0, 2.1, 4.0, 5.0, 6.0, 7.0]);
    assert!(uneven.contains("row 4") && uneven.contains("evenly"), "{uneven}");
    let far = said(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 1e9]);
    assert!(far.contains("not evenly spaced"), "{far}");
    assert!(said(&[0.0, 1.0, f64::NAN, 3.0, 4.0, 5.0, 6.0, 7.0]).contains("is not a time"));
}

#[test]
fn least_squares_is_that_of_householder() {
    let values = three(300);
    for order in [1, 3] {
        let series = Series::new(values.clone()).unwrap();
        let rows = Lags { order, ahead: 1 }.transitions(&series).unwrap();
        let truth = least_squares(&rows.inputs, &rows.outputs);
        let model = linear(order).fit(&series, &mut Silent).unwrap();
        let Body::Affine(affine) = &model.body else { panic!("not linear") };
        let (a, b) = affine.coefficients();
        for t in 0..3 {
            assert!((b[t] - truth[(0, t)]).abs() < 1e-11);
            (0..3 * order).for_each(|k| assert!((a[(k, t)] - truth[(k + 1, t)]).abs() < 1e-11));
        }
        // covariance of the noise and of the prediction, from the residuals and (ZᵀZ)⁻¹
        let n = rows.rows();
        let z = Mat::from_fn(n, 3 * order + 1, |i, k| if k == 0 { 1.0 } else { rows.inputs[(i, k - 1)] });
        let rest = &rows.outputs - &z * &truth;
        let sigma = faer::Scale(1.0 / (n - 3 * order - 1) as f64) * (rest.transpose() * &rest);
        assert!((model.noise() - &sigma).norm_max() < 1e-12);
        let x = Mat::from_fn(1, 3 * order, |_, k| (k as f64).sin());
        let one = Mat::from_fn(1, 3 * order + 1, |_, k| if k == 0 { 1.0 } else { x[(0, k - 1)] });
        let gram = z.transpose() * &z;
        use faer::linalg::solvers::Solve;
        let share = (&one * gram.partial_piv_lu().solve(one.transpose()))[(0, 0)];
        let query = Query { cov: true, noise: false, ..Query::default() };
        let cov = model.predict(&Inputs::Dense(x), query).unwrap().cov.unwrap();
        assert!((&cov[0] - faer::Scale(share) * &sigma).norm_max() < 1e-10);
    }
}

#[test]
fn columns_that_depend_on_others_and_constants_are_no_obstacle() {
    let base = three(120);
    // the fourth variable is the sum of the first two, the fifth is constant
    let values = Mat::from_fn(120, 5, |i, k| match k {
        3 => base[(i, 0)] + base[(i, 1)],
        4 => 7.0,
        _ => base[(i, k)],
    });
    let model = linear(1).fit(&Series::new(values.clone()).unwrap(), &mut Silent).unwrap();
    let plain = linear(1).fit(&Series::new(base.clone()).unwrap(), &mut Silent).unwrap();
    let (a, b) = (forecast(&model, &values, 12), forecast(&plain, &base, 12));
    for i in 0..12 {
        (0..3).for_each(|k| assert!((a[(i, k)] - b[(i, k)]).abs() < 1e-8));
        assert!((a[(i, 3)] - b[(i, 0)] - b[(i, 1)]).abs() < 1e-8 && (a[(i, 4)] - 7.0).abs() < 1e-9);
    }
    assert!(model.info.training.choices.iter().any(|line| line.starts_with("y5: constant")));
    let model = features(60).fit(&Series::new(values.clone()).unwrap(), &mut Silent).unwrap();
    assert!((forecast(&model, &values, 3)[(2, 4)] - 7.0).abs() < 1e-9);
}

#[test]
fn iterated_forecasts_are_powers_of_the_companion() {
    let values = three(200);
    let series = Series::new(values.clone()).unwrap();
    let model = linear(2).fit(&series, &mut Silent).unwrap();
    let Body::Affine(affine) = &model.body else { panic!("not linear") };
    let (a, b) = affine.coefficients();
    let companion = Mat::from_fn(6, 6, |i, k| if i < 3 { a[(k, i)] } else { f64::from(u8::from(k + 3 == i)) });
    let constant = Mat::from_fn(6, 1, |i, _| if i < 3 { b[i] } else { 0.0 });
    let mut state = Mat::from_fn(6, 1, |i, _| values[(199 - i / 3, i % 3)]);
    let found = forecast(&model, &values, 20);
    for step in 0..20 {
        state = &companion * &state + &constant;
        (0..3).for_each(|k| assert!((found[(step, k)] - state[(k, 0)]).abs() < 1e-10));
    }
    // responses to unit shocks are the top left corners of the powers
    let start = Start { history: &values, member: 0, future: None };
    let responses = model.impulse_response(&start, 6, &[1.0; 3]).unwrap().at;
    let mut power = Mat::<f64>::identity(6, 6);
    for response in responses {
        assert!((&response - power.submatrix(0, 0, 3, 3)).norm_max() < 1e-9);
        power = &companion * &power;
    }
    // the model's own end is the end of the series
    assert_eq!(model.dynamics().unwrap().ending(0), values.subrows(198, 2).to_owned());
}

#[test]
fn direct_forecasts_are_fits_of_each_step() {
    let values = three(150);
    let learner = Autoregression { ahead: 4, ..linear(1) };
    let model = learner.fit(&Series::new(values.clone()).unwrap(), &mut Silent).unwrap();
    let found = forecast(&model, &values, 6);
    let last = |row: &Mat<f64>, by: &Mat<f64>, k: usize| {
        by[(0, k)] + (0..3).map(|j| by[(j + 1, k)] * row[(0, j)]).sum::<f64>()
    };
    for step in 1..=4 {
        let x = values.subrows(0, 150 - 4).to_owned();
        let y = values.subrows(step, 150 - 4).to_owned();
        let by = least_squares(&x, &y);
        let row = values.subrows(149, 1).to_owned();
        (0..3).for_each(|k| assert!((found[(step - 1, k)] - last(&row, &by, k)).abs() < 1e-10));
        if step < 3 {
            // what is further than that starts again from the fourth
            let row = found.subrows(3, 1).to_owned();
            (0..3).for_each(|k| assert!((found[(step + 3, k)] - last(&row, &by, k)).abs() < 1e-10));
        }
    }
}

#[test]
fn what_is_known_beside_the_series_counts() {
    // y_t = 0.5 y_{t−1} + 2 u_t
    let mut s = Stream::new(4, 0, 0);
    let u: Vec<f64> = (0..60).map(|_| s.normal()).collect();
    let mut y = vec![1.0];
    (1..60).for_each(|t| y.push(0.5 * y[t - 1] + 2.0 * u[t]));
    let values = Mat::from_fn(50, 1, |i, _| y[i]);
    let exogenous = Mat::from_fn(50, 1, |i, _| u[i]);
    let future = Mat::from_fn(10, 1, |i, _| u[50 + i]);
    let series = Series::of(Given { values: values.clone(), exogenous, times: None, members: None }).unwrap();
    let model = linear(1).fit(&series, &mut Silent).unwrap();
    let start = |future| Start { history: &values, member: 0, future };
    let ask = Ask { steps: 10, ..Ask::default() };
    let found = model.forecast(&start(Some(&future)), &ask, &mut Silent).unwrap().mean;
    (0..10).for_each(|k| assert!((found[(k, 0)] - y[50 + k]).abs() < 1e-9));
    let said = model.forecast(&start(None), &ask, &mut Silent).unwrap_err().to_string();
    assert!(said.contains("exogenous: expected 10 rows to come of 1 variables"), "{said}");
}

#[test]
fn members_of_a_panel_share_one_model() {
    let (one, two) = (three(80), vector(&A, &B, 0.3, 60, 2));
    let names: Vec<String> = (0..140).map(|i| if i < 80 { "a".into() } else { "b".into() }).collect();
    let values = Mat::from_fn(140, 3, |i, k| if i < 80 { one[(i, k)] } else { two[(i - 80, k)] });
    let panel = |values: &Mat<f64>| {
        let exogenous = Mat::zeros(140, 0);
        Series::of(Given { values: values.clone(), exogenous, times: None, members: Some(&names) }).unwrap()
    };
    let model = linear(1).fit(&panel(&values), &mut Silent).unwrap();
    // no step leads from one member to the other
    let x = Mat::from_fn(79 + 59, 3, |i, k| if i < 79 { one[(i, k)] } else { two[(i - 79, k)] });
    let y = Mat::from_fn(79 + 59, 3, |i, k| if i < 79 { one[(i + 1, k)] } else { two[(i - 78, k)] });
    let truth = least_squares(&x, &y);
    let Body::Affine(affine) = &model.body else { panic!("not linear") };
    let a = affine.coefficients().0;
    (0..9).for_each(|k| assert!((a[(k / 3, k % 3)] - truth[(k / 3 + 1, k % 3)]).abs() < 1e-10));
    // each by its own units: a member in other units is the same member
    let other = Mat::from_fn(140, 3, |i, k| if i < 80 { values[(i, k)] } else { 100.0 + 30.0 * values[(i, k)] });
    let learner = Autoregression { standardise: Standardise::Members, ..linear(1) };
    let (plain, moved) =
        (learner.fit(&panel(&values), &mut Silent).unwrap(), learner.fit(&panel(&other), &mut Silent).unwrap());
    let at = |model: &Model| {
        let history = model.dynamics().unwrap().ending(1);
        let start = Start { history: &history, member: 1, future: None };
        model.forecast(&start, &Ask { steps: 5, interval: 0.8, ..Ask::default() }, &mut Silent).unwrap()
    };
    let (plain, moved) = (at(&plain), at(&moved));
    let (low, high) = (plain.interval.unwrap().0, moved.interval.unwrap().0);
    for i in 0..5 {
        for k in 0..3 {
            assert!((100.0 + 30.0 * plain.mean[(i, k)] - moved.mean[(i, k)]).abs() < 1e-7);
            assert!((100.0 + 30.0 * low[(i, k)] - high[(i, k)]).abs() < 1e-6);
        }
    }
}

#[test]
fn intervals_widen_as_the_theory_says() {
    // of x_{t+1} = 0.8 x_t + e the variance after h steps is Σ 0.64^k
    let values = vector(&[&[0.8]], &[0.0], 1.0, 4000, 5);
    let model = linear(1).fit(&Series::new(values.clone()).unwrap(), &mut Silent).unwrap();
    let ask = Ask { steps: 12, interval: 0.9, paths: 4000, ..Ask::default() };
    let start = Start { history: &values, member: 0, future: None };
    let found = model.forecast(&start, &ask, &mut Silent).unwrap();
    assert!(found.warnings.is_empty());
    let (low, high) = found.interval.unwrap();
    for h in 1..=12 {
        let sd = (0..h).map(|k| 0.64f64.powi(k)).sum::<f64>().sqrt();
        let half = 0.5 * (high[(h as usize - 1, 0)] - low[(h as usize - 1, 0)]);
        // a quantile of n paths has the deviation √(q(1−q)/n)/density; the noise is known to √(1/2n) of itself
        let density = 0.10313 / sd;
        let error = (0.05f64 * 0.95 / 4000.0).sqrt() / density + 1.645 * sd / 8000f64.sqrt();
        assert!((half - 1.645 * sd).abs() < 5.0 * error, "step {h}: {half} against {}", 1.645 * sd);
    }
    // few rows: the function itself is not well known, and intervals say so
    let short = values.subrows(0, 25).to_owned();
    let model = linear(1).fit(&Series::new(short.clone()).unwrap(), &mut Silent).unwrap();
    let bare = Autoregression { posterior: false, ..linear(1) }
        .fit(&Series::new(short.clone()).unwrap(), &mut Silent)
        .unwrap();
    let width = |model: &Model| {
        let start = Start { history: &short, member: 0, future: None };
        let found = model.forecast(&start, &ask, &mut Silent).unwrap();
        let (low, high) = found.interval.unwrap();
        (high[(0, 0)] - low[(0, 0)], found.warnings)
    };
    let ((with, none), (without, said)) = (width(&model), width(&bare));
    assert!(with > without && none.is_empty() && said[0].contains("residuals alone"));
}

#[test]
fn explosions_are_said() {
    let mut s = Stream::new(9, 0, 0);
    let mut y = vec![1.0];
    (1..40).for_each(|t| y.push(1.3 * y[t - 1] + 0.1 * s.normal()));
    let values = Mat::from_fn(40, 1, |i, _| y[i]);
    let model = linear(1).fit(&Series::new(values.clone()).unwrap(), &mut Silent).unwrap();
    let start = Start { history: &values, member: 0, future: None };
    let found = model.forecast(&start, &Ask { steps: 60, interval: 0.9, ..Ask::default() }, &mut Silent).unwrap();
    let said = |what: &str| found.warnings.iter().any(|line| line.contains(what));
    assert!(said("the forecast explodes: at step 1"), "{:?}", found.warnings);
    assert!(found.mean[(0, 0)].is_finite() && found.mean[(59, 0)].is_nan());
    assert!(
        said("simulated paths explode") && said("step 2 follows from rows further out than any"),
        "{:?}",
        found.warnings
    );
    // where all paths have left upwards nothing bounds the observation; before, intervals hold the mean
    let (low, high) = found.interval.unwrap();
    assert_eq!(high[(59, 0)], f64::INFINITY);
    assert!(low[(0, 0)] < found.mean[(0, 0)] && found.mean[(0, 0)] < high[(0, 0)] && high[(0, 0)].is_finite());
    assert!((0..60).all(|k| low[(k, 0)] <= high[(k, 0)]));
    // features are bounded, and so are their forecasts
    let model = features(40).fit(&Series::new(values.clone()).unwrap(), &mut Silent).unwrap();
    assert!(forecast(&model, &values, 60)[(59, 0)].is_finite());
}

#[test]
fn whiteness_is_that_of_the_textbooks() {
    let white = vector(&[&[0.0, 0.0], &[0.0, 0.0]], &[0.0, 0.0], 1.0, 400, 3);
    let n = 400.0;
    let found = Whiteness::of(std::slice::from_ref(&white), 8, 1);
    let mean: Vec<f64> = (0..2).map(|t| white.col(t).iter().sum::<f64>() / n).collect();
    let gamma = |h: usize| {
        Mat::from_fn(2, 2, |a, b| {
            (h..400).map(|i| (white[(i, a)] - mean[a]) * (white[(i - h, b)] - mean[b])).sum::<f64>() / n
        })
    };
    let zero = gamma(0);
    let det = zero[(0, 0)] * zero[(1, 1)] - zero[(0, 1)] * zero[(1, 0)];
    let inverse = faer::mat![[zero[(1, 1)] / det, -zero[(0, 1)] / det], [-zero[(1, 0)] / det, zero[(0, 0)] / det]];
    let (mut q, mut lb) = (0.0, [0.0; 2]);
    for h in 1..=8 {
        let c = gamma(h);
        let product = c.transpose() * &inverse * &c * &inverse;
        q += n * n * (product[(0, 0)] + product[(1, 1)]) / (n - h as f64);
        for t in 0..2 {
            let rho = c[(t, t)] / zero[(t, t)];
            assert!((found.autocorrelation[h - 1][t] - rho).abs() < 1e-13);
            lb[t] += n * (n + 2.0) * rho * rho / (n - h as f64);
        }
    }
    assert!((found.portmanteau.unwrap() - q).abs() < 1e-9 * q && found.freedom == 4 * 7);
    let tail = |q: f64, k: f64| 1.0 - ChiSquared::new(k).unwrap().cdf(q);
    assert!((found.portmanteau_p.unwrap() - tail(q, 28.0)).abs() < 1e-10);
    (0..2).for_each(|t| assert!((found.ljung_box_p[t] - tail(lb[t], 8.0)).abs() < 1e-10));
    assert!(found.portmanteau_p.unwrap() > 0.01);
    // a model of too low an order leaves something behind
    let mut s = Stream::new(2, 0, 0);
    let mut y = vec![0.0, 0.0, 0.0];
    (3..500).for_each(|t| y.push(0.8 * y[t - 3] + s.normal()));
    let series = Series::new(Mat::from_fn(500, 1, |i, _| y[i])).unwrap();
    let p = |order: usize| {
        linear(order).fit(&series, &mut Silent).unwrap().dynamics().unwrap().whiteness.portmanteau_p.unwrap()
    };
    assert!(p(1) < 1e-6 && p(3) > 0.01, "{} {}", p(1), p(3));
}

#[test]
fn orders_are_found() {
    let mut s = Stream::new(6, 0, 0);
    let mut y = vec![0.0, 0.0, 0.0];
    (3..400).for_each(|t| y.push(0.3 * y[t - 1] - 0.6 * y[t - 3] + s.normal()));
    let series = Series::new(Mat::from_fn(400, 1, |i, _| y[i])).unwrap();
    for word in [Order::Evidence, Order::Validation] {
        for base in [linear(1), features(60)] {
            let learner = Autoregression { order: word, max_order: 5, ..base };
            let model = learner.fit(&series, &mut Silent).unwrap();
            assert_eq!(model.dynamics().unwrap().lags.order, 3, "{:?} {:?}", learner.method, word);
            // the numbers that are told bear it out
            let line = model.info.training.choices.iter().find(|line| line.starts_with("order 3")).unwrap();
            let told = line.rsplit_once('(').unwrap().1.trim_end_matches(')').split(", ");
            let scores: Vec<f64> = told.map(|one| one.split_once(": ").unwrap().1.parse().unwrap()).collect();
            let sign = if word == Order::Evidence { -1.0 } else { 1.0 };
            assert!(scores.iter().all(|s| sign * s >= sign * scores[2]), "{line}");
        }
    }
    let given = Autoregression { order: Order::Evidence, ridge: Ridge::Given(0.1), ..features(20) };
    assert!(given.fit(&series, &mut Silent).unwrap_err().to_string().contains("order by evidence"));
}

#[test]
fn every_method_goes_through_a_file_and_any_threads() {
    let values = three(90);
    let series = Series::new(values.clone()).unwrap();
    for method in [Method::Linear, Method::Features, Method::Exact] {
        let learner = |threads| Autoregression { method, threads: Auto::Fixed(threads), ..features(60) };
        let at = |model: &Model| {
            let start = Start { history: &values, member: 0, future: None };
            let ask = Ask { steps: 7, interval: 0.5, paths: 100, ..Ask::default() };
            let found = model.forecast(&start, &ask, &mut Silent).unwrap();
            let (low, high) = found.interval.unwrap();
            [found.mean, low, high]
        };
        let model = learner(1).fit(&series, &mut Silent).unwrap();
        let known = at(&model);
        assert_eq!(known, at(&learner(2).fit(&series, &mut Silent).unwrap()), "{method:?}");
        let again = Model::from_bytes(model.to_bytes().unwrap()).unwrap();
        assert_eq!(known, at(&again), "{method:?}");
        assert_eq!(model.dynamics().unwrap(), again.dynamics().unwrap());
    }
}

#[test]
fn influence_sees_what_moves_what() {
    let values = three(300);
    let series = Series::new(values.clone()).unwrap();
    for learner in [linear(1), Autoregression { ridge: Ridge::Given(1e-4), ..features(60) }] {
        let found = learner.influence(&series, 49, &mut Silent).unwrap();
        let p = found.p_value.unwrap();
        for i in 0..3 {
            for j in 0..3 {
                let there = A[i][j] != 0.0;
                assert_eq!(p[(i, j)] <= 0.02, there, "{:?}: {i} from {j}: {}", learner.method, p[(i, j)]);
            }
        }
        if learner.method == Method::Linear {
            let truth = least_squares(&values.subrows(0, 299).to_owned(), &values.subrows(1, 299).to_owned());
            let sd = |k: usize| {
                let rows = values.subrows(1, 299);
                let mean = rows.col(k).iter().sum::<f64>() / 299.0;
                (rows.col(k).iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 299.0).sqrt()
            };
            for i in 0..3 {
                for j in 0..3 {
                    let slope = truth[(j + 1, i)].abs() * sd(j) / sd(i);
                    assert!((found.strength[(i, j)] - slope).abs() < 1e-8);
                }
            }
        }
    }
}

#[test]
fn chance_gives_p_values_of_every_size() {
    // two variables that do not move each other, both slow: p-values are uniform on 1/20, …, 1
    let mut seen = Vec::new();
    for seed in 0..60 {
        let series = Series::new(vector(&[&[0.8, 0.0], &[0.0, 0.8]], &[0.0, 0.0], 1.0, 120, 100 + seed)).unwrap();
        let learner = Autoregression { seed, ..linear(1) };
        let p = learner.influence(&series, 19, &mut Silent).unwrap().p_value.unwrap();
        seen.extend([p[(0, 1)], p[(1, 0)]]);
        assert!(p[(0, 0)] == 0.05 && p[(1, 1)] == 0.05, "what moves itself is always seen");
    }
    let n = seen.len() as f64;
    let mean = seen.iter().sum::<f64>() / n;
    let z = (mean - 0.525) / ((400.0 - 1.0) / 12.0 / 400.0 / n).sqrt();
    assert!(z.abs() < 4.0, "mean {mean}, z = {z}");
    let small = seen.iter().filter(|p| **p <= 0.101).count() as f64 / n;
    assert!((small - 0.1) / (0.09 / n).sqrt() < 4.0, "{small} are at most a tenth");
}

#[test]
fn bad_series_are_refused_with_the_reason() {
    let series = Series::new(three(12)).unwrap();
    let said = |learner: Autoregression| learner.fit(&series, &mut Silent).unwrap_err().to_string();
    let long = said(linear(12));
    assert!(
        long.starts_with("order: expected order and rows ahead of together at most the length of the series (12)"),
        "{long}"
    );
    assert!(said(Autoregression { ahead: 11, ..linear(2) }).contains("12"));
    assert!(Series::new(Mat::zeros(0, 2)).is_err() && Series::new(Mat::zeros(3, 0)).is_err());
    let infinite = Mat::from_fn(5, 2, |i, k| if (i, k) == (3, 1) { f64::INFINITY } else { i as f64 });
    let said = Series::new(infinite).unwrap_err().to_string();
    assert!(said.starts_with("row 4, column variable 2: inf is not a finite number"), "{said}");
    let holes = Mat::from_fn(20, 1, |i, _| if i % 2 == 0 { f64::NAN } else { 1.0 });
    let said = linear(1).fit(&Series::new(holes).unwrap(), &mut Silent).unwrap_err().to_string();
    assert!(said.contains("no 2 consecutive rows"), "{said}");
    let model = linear(2).fit(&series, &mut Silent).unwrap();
    let short = three(1);
    let start = Start { history: &short, member: 0, future: None };
    let said = model.forecast(&start, &Ask::default(), &mut Silent).unwrap_err().to_string();
    assert!(said.contains("history: expected at least 2 rows"), "{said}");
    for forecaster in FORECASTERS {
        for param in forecaster.spec {
            for bad in param.kind.bad_values() {
                let values = Map::from_iter([(param.name.to_string(), bad.clone())]);
                let said = match (forecaster.fit)(&values, &series, (), &mut Silent) {
                    Ok(_) => panic!("{} takes {bad}", param.name),
                    Err(error) => error.to_string(),
                };
                assert_eq!(said, param.kind.check(param.name, &bad).unwrap_err().to_string());
            }
        }
    }
    let plain = orff::learn::learner("regression").unwrap();
    let table = orff::rows::Table::new(three(20), three(20)).unwrap();
    let values = Map::from_iter([("features".to_string(), json!(20))]);
    let model = (plain.fit)(&values, &table, &mut Silent).unwrap();
    let said = model.forecast(&start, &Ask::default(), &mut Silent).unwrap_err().to_string();
    assert!(said.contains("not learned from a series"), "{said}");
}

#[test]
fn shocks_larger_than_the_series_are_followed() {
    // a series of small numbers and shocks of 1: a line answers in proportion, other models say that they leave the rows
    let values = three(200);
    let small = Mat::from_fn(200, 3, |i, k| 1e-3 * values[(i, k)]);
    let responses = |learner: &Autoregression, values: &Mat<f64>, size: f64| {
        let model = learner.fit(&Series::new(values.clone()).unwrap(), &mut Silent).unwrap();
        let start = Start { history: values, member: 0, future: None };
        model.impulse_response(&start, 5, &[size; 3]).unwrap()
    };
    for learner in [linear(2), Autoregression { ahead: 2, ..linear(1) }] {
        let (own, other) = (responses(&learner, &values, 1.0), responses(&learner, &small, 1.0));
        assert!(own.warnings.is_empty() && other.warnings.is_empty());
        own.at.iter().zip(&other.at).for_each(|(a, b)| assert!((a - b).norm_max() < 1e-9));
    }
    // what direct steps answer is the difference of two forecasts
    let learner = Autoregression { ahead: 2, standardise: Standardise::Members, ..linear(2) };
    let model = learner.fit(&Series::new(values.clone()).unwrap(), &mut Silent).unwrap();
    let start = Start { history: &values, member: 0, future: None };
    let found = model.impulse_response(&start, 5, &[0.5, -0.2, 0.1]).unwrap();
    let mut moved = values.clone();
    moved[(199, 1)] -= 0.2;
    let (with, without) = (forecast(&model, &moved, 5), forecast(&model, &values, 5));
    for step in 1..=5 {
        (0..3).for_each(|i| {
            let truth = with[(step - 1, i)] - without[(step - 1, i)];
            assert!((found.at[step][(i, 1)] - truth).abs() < 1e-10, "step {step}");
        });
    }
    let far = responses(&features(60), &small, 1.0);
    assert!(
        far.at.len() == 6 && far.warnings.iter().any(|line| line.starts_with("a shock of y1 by 1: step 1 follows"))
    );
    assert!(responses(&features(60), &small, 1e-4).warnings.is_empty());
}

#[test]
fn orders_are_judged_on_the_same_rows() {
    // every eighth row is not known: order 4 can predict half of the rows that order 1 can
    let mut s = Stream::new(16, 0, 0);
    let mut y = vec![0.0];
    (1..400).for_each(|t| y.push(0.6 * y[t - 1] + s.normal() * if t % 8 < 4 { 3.0 } else { 0.3 }));
    let known = |t: usize| t % 8 != 7;
    let series = Series::new(Mat::from_fn(400, 1, |t, _| if known(t) { y[t] } else { f64::NAN })).unwrap();
    let learner = Autoregression { order: Order::Validation, max_order: 4, ..linear(1) };
    let model = learner.fit(&series, &mut Silent).unwrap();
    let line = model.info.training.choices.iter().find(|line| line.starts_with("order ")).unwrap();
    let told: f64 = line.rsplit_once("(1: ").unwrap().1.split_once(',').unwrap().0.parse().unwrap();
    // the error of order 1 at rows whose four rows before are known, by a fit on each window
    let (mut sum, mut count) = (0.0, 0.0);
    for end in (200..400).step_by(4).filter(|&t| known(t) && (1..=4).all(|k| known(t - k))) {
        let rows: Vec<usize> = (end - 199..end).filter(|&t| known(t) && known(t - 1)).collect();
        let x = Mat::from_fn(rows.len(), 1, |i, _| y[rows[i] - 1]);
        let by = least_squares(&x, &Mat::from_fn(rows.len(), 1, |i, _| y[rows[i]]));
        sum += (y[end] - by[(0, 0)] - by[(1, 0)] * y[end - 1]).powi(2);
        count += 1.0;
    }
    assert!(count > 5.0 && (told - sum / count).abs() < 1e-6, "{line}: {}", sum / count);
}

#[test]
fn orders_of_constants_sums_and_short_series() {
    let mut s = Stream::new(6, 0, 0);
    let mut y = vec![0.0, 0.0, 0.0];
    (3..400).for_each(|t| y.push(0.3 * y[t - 1] - 0.6 * y[t - 3] + s.normal()));
    // a constant, and twice the series: the order is that of the series
    let values = Mat::from_fn(400, 3, |i, k| [y[i], 7.0, 2.0 * y[i]][k]);
    let learner = Autoregression { order: Order::Evidence, max_order: 5, ..linear(1) };
    let of = |values: Mat<f64>| {
        let model = learner.fit(&Series::new(values).unwrap(), &mut Silent)?;
        Ok::<usize, orff::Error>(model.dynamics()?.lags.order)
    };
    assert_eq!(of(values.subcols(0, 2).to_owned()).unwrap(), 3);
    assert_eq!(of(values).unwrap(), 3);
    // more coefficients than rows: nothing is left to judge by, whatever the fit
    let short = Mat::from_fn(12, 2, |_, _| s.normal());
    assert!(of(short).unwrap() <= 2);
    let said = |order: Order, n: usize| {
        let learner = Autoregression { order, ..linear(1) };
        learner.fit(&Series::new(three(n)).unwrap(), &mut Silent).unwrap_err().to_string()
    };
    let validated = said(Order::Validation, 12);
    assert!(validated.starts_with("max_order: expected at most 4, as half of the rows"), "{validated}");
    let judged = said(Order::Evidence, 7);
    assert!(judged.starts_with("max_order: expected at most 5, as the longest run of rows"), "{judged}");
}

#[test]
fn numbers_whose_squares_are_lost_are_refused() {
    let values = three(60);
    for (unit, why) in
        [(1e200, "is too large"), (1e-200, "lie too close together"), (1e-160, "lie too close together")]
    {
        let series = Series::new(Mat::from_fn(60, 3, |i, k| unit * values[(i, k)]));
        let said = series.and_then(|series| linear(1).fit(&series, &mut Silent)).unwrap_err().to_string();
        assert!(said.contains(why) && said.contains("change its unit"), "{said}");
    }
    for unit in [1e-100, 1e100] {
        let scaled = Mat::from_fn(60, 3, |i, k| unit * values[(i, k)]);
        let plain = linear(1).fit(&Series::new(values.clone()).unwrap(), &mut Silent).unwrap();
        let model = linear(1).fit(&Series::new(scaled.clone()).unwrap(), &mut Silent).unwrap();
        let gap = &forecast(&plain, &values, 4) - faer::Scale(1.0 / unit) * forecast(&model, &scaled, 4);
        assert!(gap.norm_max() < 1e-9);
    }
}

#[test]
fn what_is_known_beside_a_series_is_refused_by_its_own_name() {
    let values = three(60);
    let beside = |u: &dyn Fn(usize) -> f64| {
        let exogenous = Mat::from_fn(60, 1, |i, _| u(i));
        Series::of(Given { values: values.clone(), exogenous, times: None, members: None })
    };
    let wave = |i: usize| (i as f64).sin();
    for learner in [linear(2), features(20)] {
        let said = |u: &dyn Fn(usize) -> f64| {
            beside(u).and_then(|series| learner.fit(&series, &mut Silent)).unwrap_err().to_string()
        };
        assert!(said(&|_| f64::NAN).starts_with("exogenous: no value beside"), "{}", said(&|_| f64::NAN));
        let close = said(&|i| 1e-310 * wave(i));
        assert!(close.starts_with("exogenous 1: its values lie too close together"), "{close}");
        let large = said(&|i| if i == 7 { 1e300 } else { wave(i) });
        assert!(large.starts_with("row 8, column exogenous 1: 1") && large.contains("is too large"), "{large}");
        let model = learner.fit(&beside(&wave).unwrap(), &mut Silent).unwrap();
        let responses = |future: &Mat<f64>| {
            let start = Start { history: &values, member: 0, future: Some(future) };
            model.impulse_response(&start, 3, &[1.0; 3]).map_err(|e| e.to_string())
        };
        let few = responses(&Mat::full(2, 1, 1.0)).unwrap_err();
        assert_eq!(few, "exogenous: expected 3 rows to come of 1 variables, got 2×1");
        let unknown = responses(&Mat::full(3, 1, f64::NAN)).unwrap_err();
        assert_eq!(unknown, "exogenous: every value of the rows to come must be known");
        assert!(responses(&Mat::full(3, 1, 1.0)).is_ok());
    }
}
