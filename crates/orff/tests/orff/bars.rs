//! Error bars: how wide they are against densities that are integrated by hand, what must not change them, and how often
//! they cover what they should.

use faer::Mat;
use orff::kernel::{Kernel, Listed, Matrix, Seen};
use orff::learn::{ExactRegression, Fitted, Nystrom, Regression, Ridge, Solver};
use orff::model::Query;
use orff::params::Auto;
use orff::random::Stream;
use orff::rows::{Inputs, Table, Weights};
use orff::watch::Silent;

/// Standard deviations of f and of a new observation at z, means, and the covariance of the noise.
struct Bars {
    mean: Mat<f64>,
    f: Mat<f64>,
    y: Mat<f64>,
    noise: Mat<f64>,
}

impl Bars {
    fn of(predict: impl Fn(Query) -> orff::Result<orff::model::Prediction>, noise: &Mat<f64>) -> Self {
        let ask = |noise: bool| predict(Query { std: true, noise, ..Query::default() }).unwrap();
        let (f, y) = (ask(false), ask(true));
        Bars { mean: f.mean, f: f.std.unwrap(), y: y.std.unwrap(), noise: noise.clone() }
    }

    /// Largest relative difference of anything.
    fn gap(&self, other: &Bars) -> f64 {
        let one = |a: &Mat<f64>, b: &Mat<f64>| (a - b).norm_max() / b.norm_max();
        let pairs =
            [(&self.mean, &other.mean), (&self.f, &other.f), (&self.y, &other.y), (&self.noise, &other.noise)];
        pairs.iter().map(|(a, b)| one(a, b)).fold(0.0, f64::max)
    }
}

const LEARNERS: [&str; 3] = ["features", "exact", "nystrom"];

fn bars(learner: &str, kernel: &Kernel, ridge: Ridge, rows: &Table, z: &Mat<f64>) -> Bars {
    let (kernel, z) = (kernel.clone(), Inputs::Dense(z.clone()));
    let (model, noise) = match learner {
        "features" => {
            let learner = Regression { kernel, ridge, features: Auto::Fixed(60), ..Regression::default() };
            let Fitted { model, .. } = learner.fit(rows, &mut Silent).unwrap();
            return Bars::of(|query| model.predict(&z, query), &model.noise);
        }
        "exact" => {
            let model = ExactRegression { kernel, ridge, ..ExactRegression::default() }.fit(rows, &mut Silent);
            let model = model.unwrap().model;
            let noise = model.noise.clone();
            (model, noise)
        }
        _ => {
            let points = Auto::Fixed(1000);
            let model = Nystrom { kernel, ridge, points, ..Nystrom::default() }.fit(rows, &mut Silent).unwrap().model;
            let noise = model.noise.clone();
            (model, noise)
        }
    };
    Bars::of(|query| model.predict(&z, query), &noise)
}

fn points(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut s = Stream::new(seed, 31, 0);
    Mat::from_fn(n, d, |_, _| 3.0 * s.uniform())
}

fn smooth(x: &Mat<f64>, i: usize) -> f64 {
    let last = x[(i, x.ncols() - 1)];
    (2.0 * x[(i, 0)]).sin() + 0.5 * last * last
}

/// A scalar kernel of few waves, which features have exactly.
fn waves(d: usize) -> Kernel {
    let mut s = Stream::new(8, 32, 0);
    let omega = Mat::from_fn(24, d, |_, _| 1.5 * s.normal());
    let matrix = |m: Mat<f64>| Matrix::new(m, "matrix").unwrap();
    Listed { omega: matrix(omega), factors: matrix(Mat::full(24, 1, 1.0)), weights: Some(vec![1.0 / 24.0; 24]) }
        .into()
}

/// Solves by Gaussian elimination with row exchanges.
fn eliminate(mut a: Mat<f64>, mut b: Mat<f64>) -> Mat<f64> {
    let (n, m) = (a.nrows(), b.ncols());
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[(i, k)].abs().total_cmp(&a[(j, k)].abs())).unwrap();
        (0..n).for_each(|j| (a[(k, j)], a[(pivot, j)]) = (a[(pivot, j)], a[(k, j)]));
        (0..m).for_each(|j| (b[(k, j)], b[(pivot, j)]) = (b[(pivot, j)], b[(k, j)]));
        for i in k + 1..n {
            let f = a[(i, k)] / a[(k, k)];
            (k..n).for_each(|j| a[(i, j)] -= f * a[(k, j)]);
            (0..m).for_each(|j| b[(i, j)] -= f * b[(k, j)]);
        }
    }
    for k in (0..n).rev() {
        for j in 0..m {
            let done: f64 = (k + 1..n).map(|i| a[(k, i)] * b[(i, j)]).sum();
            b[(k, j)] = (b[(k, j)] - done) / a[(k, k)];
        }
    }
    b
}

/// Standard deviation of f(z) where y ~ N(b, σ²A), A = W⁻¹ + K/(nλ), with b and log σ² uniform: b in closed form
/// (kriging with an unknown mean), σ² by the trapezoidal rule.
fn by_integration(x: &Mat<f64>, y: &Mat<f64>, w: &[f64], ridge: f64, z: &Mat<f64>) -> Vec<f64> {
    let (n, shift) = (x.nrows(), ridge * w.iter().sum::<f64>());
    let kernel = waves(x.ncols()).resolve(&Seen { outputs: 1, ..Seen::default() }).unwrap();
    let row = |m: &Mat<f64>, i: usize| m.row(i).iter().copied().collect::<Vec<f64>>();
    let k =
        |a: &Mat<f64>, i: usize, b: &Mat<f64>, j: usize| kernel.eval(&row(a, i), &row(b, j)).unwrap()[(0, 0)] / shift;
    let a = Mat::from_fn(n, n, |i, j| k(x, i, x, j) + if i == j { 1.0 / w[i] } else { 0.0 });
    // y, the constant, and the sections at z
    let right = Mat::from_fn(n, 2 + z.nrows(), |i, j| match j {
        0 => y[(i, 0)],
        1 => 1.0,
        j => k(x, i, z, j - 2),
    });
    let solved = eliminate(a, right.clone());
    let product = |s: usize, t: usize| (0..n).map(|i| right[(i, s)] * solved[(i, t)]).sum::<f64>();
    let quadratic = product(0, 0) - product(1, 0).powi(2) / product(1, 1);
    // the constant takes one of the n observations
    let log_density = |log: f64| -0.5 * ((n - 1) as f64 * log + quadratic / log.exp());
    let middle = (quadratic / n as f64).ln();
    let grid: Vec<f64> = (0..40_000).map(|i| middle - 10.0 + 60.0 * i as f64 / 40_000.0).collect();
    let density: Vec<f64> = grid.iter().map(|log| (log_density(*log) - log_density(middle)).exp()).collect();
    let first: f64 = grid.iter().zip(&density).map(|(log, d)| log.exp() * d).sum();
    let sigma2 = first / density.iter().sum::<f64>();
    let variance = |j: usize| {
        let known = product(j + 2, j + 2) - (1.0 - product(1, j + 2)).powi(2) / product(1, 1);
        sigma2 * (k(z, j, z, j) - known)
    };
    (0..z.nrows()).map(|j| variance(j).sqrt()).collect()
}

/// At any ridge, with residuals or with none left, and with precisions of the observations.
#[test]
fn the_width_of_a_bar_is_that_of_the_density() {
    let (n, z) = (14, points(5, 2, 2));
    let x = points(n, 2, 1);
    let y = Mat::from_fn(n, 1, |i, _| 40.0 + 3.0 * smooth(&x, i));
    let precise: Vec<f64> = (0..n).map(|i| 0.4 + 0.5 * (i % 4) as f64).collect();
    for (what, w) in [("alike", vec![1.0; n]), ("precisions", precise)] {
        let rows = Table::new(x.clone(), y.clone()).unwrap();
        let rows = match what {
            "alike" => rows,
            _ => rows.weighted(Weights::Entry(Mat::from_fn(n, 1, |i, _| w[i]))).unwrap(),
        };
        for ridge in [1e-6, 1e-3, 0.1] {
            let expected = by_integration(&x, &y, &w, ridge, &z);
            for learner in LEARNERS {
                let found = bars(learner, &waves(2), Ridge::Given(ridge), &rows, &z);
                for (i, expected) in expected.iter().enumerate() {
                    let ratio = found.f[(i, 0)] / expected;
                    assert!((ratio - 1.0).abs() < 1e-3, "{learner}, {what}, ridge {ridge}: {ratio}");
                }
            }
        }
    }
}

/// Thirty rows of a smooth function without noise: the evidence takes a tiny ridge, and nothing is left of the residuals.
#[test]
fn few_rows_without_noise_have_bars_that_cover() {
    for (d, learner) in [(2, "features"), (3, "features"), (2, "exact"), (2, "nystrom")] {
        let mut covered = Vec::new();
        for seed in 0..6 {
            let (x, z) = (points(30, d, 10 + seed), points(200, d, 50 + seed));
            let y = Mat::from_fn(30, 1, |i, _| smooth(&x, i));
            let rows = Table::new(x, y).unwrap();
            let inputs = Inputs::Dense(z.clone());
            let query = Query { std: true, noise: false, ..Query::default() };
            let got = match learner {
                "features" => Regression::default().fit(&rows, &mut Silent).unwrap().model.predict(&inputs, query),
                "exact" => ExactRegression::default().fit(&rows, &mut Silent).unwrap().model.predict(&inputs, query),
                _ => Nystrom::default().fit(&rows, &mut Silent).unwrap().model.predict(&inputs, query),
            };
            let (mean, std) = got.map(|p| (p.mean, p.std.unwrap())).unwrap();
            let inside = |i: &usize| (mean[(*i, 0)] - smooth(&z, *i)).abs() <= 1.6448536 * std[(*i, 0)];
            covered.push((0..200).filter(inside).count() as f64 / 200.0);
        }
        let average = covered.iter().sum::<f64>() / 6.0;
        println!("{learner}, {d} inputs: {covered:?}");
        assert!(average > 0.7, "{learner}, {d} inputs: {covered:?}");
        assert!(covered.iter().all(|c| *c > 0.2), "{learner}, {d} inputs: {covered:?}");
    }
}

/// An output without noise beside one with much: each has the noise of its own residuals, and bars that cover.
#[test]
fn outputs_of_unequal_noise_have_bars_of_their_own() {
    let sd = [0.01, 0.5];
    let mut s = Stream::new(3, 33, 0);
    let x = points(300, 2, 4);
    let y = Mat::from_fn(300, 2, |i, t| smooth(&x, i) + sd[t] * s.normal());
    let z = points(400, 2, 5);
    let found = bars("features", &"gaussian".parse().unwrap(), Ridge::Evidence, &Table::new(x, y).unwrap(), &z);
    assert!(found.noise[(0, 0)].sqrt() < 0.1, "{}", found.noise[(0, 0)].sqrt());
    assert!((found.noise[(1, 1)].sqrt() / 0.5 - 1.0).abs() < 0.12, "{}", found.noise[(1, 1)].sqrt());
    for t in 0..2 {
        let inside = |i: &usize| (found.mean[(*i, t)] - smooth(&z, *i)).abs() <= 1.6448536 * found.f[(*i, t)];
        let covered = (0..400).filter(inside).count() as f64 / 400.0;
        println!("output {t}: {covered}");
        assert!(covered > 0.65, "output {t}: {covered}");
    }
}

fn two_outputs(n: usize) -> (Mat<f64>, Mat<f64>) {
    let mut s = Stream::new(6, 34, 0);
    let x = points(n, 2, 7);
    let y = Mat::from_fn(n, 2, |i, t| smooth(&x, i) * (1.0 + 2.0 * t as f64) + 0.2 * s.normal());
    (x, y)
}

const KERNELS: [&str; 4] = [
    "gaussian(0.9)",
    "decomposable(gaussian(0.9), [[1.0, 0.4], [0.4, 0.7]])",
    "curl-free(gaussian(0.9))",
    "helmholtz(gaussian(0.9), 0.3)",
];

/// Precisions of entries are relative: one factor for all changes no bar, and ones are no weights at all. Weights of rows
/// count repetitions: more of them are narrower bars.
#[test]
fn precisions_have_no_unit() {
    let (x, y) = two_outputs(30);
    let holes = Mat::from_fn(30, 2, |i, t| if i % 5 == t { f64::NAN } else { y[(i, t)] });
    let (z, table) = (points(6, 2, 8), |y: &Mat<f64>| Table::new(x.clone(), y.clone()).unwrap());
    let uneven = Mat::from_fn(30, 2, |i, t| (0.3 + ((i * 7 + t * 3) % 5) as f64) * (1.0 + 9.0 * t as f64));
    for kernel in KERNELS {
        let kernel: Kernel = kernel.parse().unwrap();
        for learner in LEARNERS {
            let fit = |y: &Mat<f64>, weights: Option<Weights>| {
                let rows = match weights {
                    None => table(y),
                    Some(weights) => table(y).weighted(weights).unwrap(),
                };
                bars(learner, &kernel, Ridge::Given(1e-3), &rows, &z)
            };
            for weights in [Mat::full(30, 2, 1.0), uneven.clone()] {
                let one = fit(&holes, Some(Weights::Entry(weights.clone())));
                for c in [2.0, 100.0] {
                    let other = fit(&holes, Some(Weights::Entry(faer::Scale(c) * &weights)));
                    let gap = one.gap(&other);
                    assert!(gap < 1e-6, "{kernel}, {learner}: bars differ by {gap:e} for weights {c} times as large");
                }
            }
            let (ones, none) = (fit(&y, Some(Weights::Entry(Mat::full(30, 2, 7.0)))), fit(&y, None));
            // tied outputs with weights of their own share one number of degrees of freedom
            let gap = (&ones.mean - &none.mean).norm_max();
            assert!(gap < 1e-6 && ones.gap(&none) < 0.05, "{kernel}, {learner}: {gap:e} {:e}", ones.gap(&none));
            let rows = fit(&y, Some(Weights::Row(vec![4.0; 30])));
            let ratio = rows.f[(0, 0)] / none.f[(0, 0)];
            assert!(ratio < 0.75, "{kernel}, {learner}: four times the rows, bars {ratio} times as wide");
        }
    }
}

/// An output whose precisions are a hundred times as large as another's has the same noise, if its values have.
#[test]
fn the_noise_is_that_of_an_observation_of_average_weight() {
    let mut s = Stream::new(9, 35, 0);
    let x = points(400, 2, 9);
    let y = Mat::from_fn(400, 2, |i, _| smooth(&x, i) + 0.2 * s.normal());
    let weights = Mat::from_fn(400, 2, |_, t| [1.0, 100.0][t]);
    let rows = Table::new(x, y).unwrap().weighted(Weights::Entry(weights)).unwrap();
    for solver in [Solver::Moments, Solver::Rows] {
        let learner = Regression {
            features: Auto::Fixed(100),
            solver: Auto::Fixed(solver),
            ridge: Ridge::Given(1e-5),
            ..Regression::default()
        };
        let noise = learner.fit(&rows, &mut Silent).unwrap().model.noise;
        for t in 0..2 {
            assert!((noise[(t, t)].sqrt() / 0.2 - 1.0).abs() < 0.12, "{solver:?}, output {t}: {noise:?}");
        }
    }
}

/// The solver over rows has no bars, but its noise is as indifferent to the unit of precisions.
#[test]
fn the_noise_of_rows_has_no_unit_of_precisions() {
    let (x, y) = two_outputs(60);
    let holes = Mat::from_fn(60, 2, |i, t| if i % 5 == t { f64::NAN } else { y[(i, t)] });
    for ridge in [Ridge::Given(1e-4), Ridge::Evidence] {
        let fit = |c: f64| {
            let weights = Mat::from_fn(60, 2, |i, t| c * (0.3 + ((i * 7 + t * 3) % 5) as f64));
            let rows = Table::new(x.clone(), holes.clone()).unwrap().weighted(Weights::Entry(weights)).unwrap();
            let features = Auto::Fixed(80);
            let learner = Regression { solver: Auto::Fixed(Solver::Rows), features, ridge, ..Regression::default() };
            learner.fit(&rows, &mut Silent).unwrap().model.noise
        };
        let (one, many) = (fit(1.0), fit(100.0));
        assert!((&one - &many).norm_max() < 1e-5 * one.norm_max(), "{one:?} {many:?}");
    }
}

/// Where inputs are constant no ridge is better than another: nothing of the prior is believed, the function is the mean and
/// error bars elsewhere are those of the outputs. What centring leaves of zeros is no evidence.
#[test]
fn constant_inputs_have_plain_error_bars() {
    // fewer rows than features, whose eigenvectors are few, and more, for which a band is made
    for (n, features) in [(60, None), (600, Some(400))] {
        let y = points(n, 1, 5);
        let weights = points(n, 1, 6);
        for weight in [vec![1.0; n], weights.col(0).iter().map(|v| 0.1 + v.abs()).collect::<Vec<f64>>()] {
            let total: f64 = weight.iter().sum();
            let mean = (0..n).map(|i| weight[i] * y[(i, 0)]).sum::<f64>() / total;
            let square = (0..n).map(|i| weight[i] * (y[(i, 0)] - mean).powi(2)).sum::<f64>() / (total - 1.0);
            let rows = Table::new(Mat::from_fn(n, 2, |_, k| 1.1 + 1.2 * k as f64), y.clone()).unwrap();
            let rows = rows.weighted(Weights::Row(weight)).unwrap();
            for name in ["regression", "exact", "nystrom"] {
                let learner = orff::learn::learner(name).unwrap();
                let mut given = serde_json::Map::new();
                if let Some(features) = features.filter(|_| name == "regression") {
                    given.insert("features".into(), features.into());
                }
                let model = (learner.fit)(&given, &rows, &mut Silent).unwrap();
                let query = Query { std: true, ..Query::default() };
                let found = model.predict(&Inputs::Dense(points(6, 2, 8)), query).unwrap();
                for i in 0..6 {
                    let ratio = found.std.as_ref().unwrap()[(i, 0)] / square.sqrt();
                    assert!((0.9..1.2).contains(&ratio), "{n}, {name}: {ratio} of the deviation of the outputs");
                    assert!((found.mean[(i, 0)] - mean).abs() < 1e-6, "{n}, {name}: {} {mean}", found.mean[(i, 0)]);
                }
            }
        }
    }
}

/// A metric is the covariance of the noise up to a factor: no factor changes anything, and c·I is no metric where outputs
/// have one scale. Where each is scaled for itself that is a metric of their variances.
#[test]
fn a_metric_has_no_unit() {
    let (x, y) = two_outputs(40);
    let z = points(6, 2, 8);
    let rows = Table::new(x, y.clone()).unwrap();
    let variance = |t: usize| {
        let mean = y.col(t).iter().sum::<f64>() / 40.0;
        y.col(t).iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 40.0
    };
    for name in KERNELS {
        let kernel: Kernel = name.parse().unwrap();
        for ridge in [Ridge::Given(1e-3), Ridge::Evidence] {
            let fit = |metric: Option<Mat<f64>>| {
                let metric = metric.map(|m| Matrix::new(m, "metric").unwrap());
                let features = Auto::Fixed(60);
                let learner = Regression { kernel: kernel.clone(), metric, ridge, features, ..Regression::default() };
                let model = learner.fit(&rows, &mut Silent).unwrap().model;
                Bars::of(|query| model.predict(&Inputs::Dense(z.clone()), query), &model.noise)
            };
            let full = faer::mat![[1.0, 0.3], [0.3, 0.5]];
            let (none, unit, one) = (fit(None), fit(Some(Mat::identity(2, 2))), fit(Some(full.clone())));
            for c in [0.01, 100.0] {
                let other = fit(Some(faer::Scale(c) * Mat::<f64>::identity(2, 2)));
                assert!(other.gap(&unit) < 1e-5, "{name}, {ridge:?}, {c}: {:e}", other.gap(&unit));
                let other = fit(Some(faer::Scale(c) * &full));
                assert!(other.gap(&one) < 1e-5, "{name}, {ridge:?}, {c}: {:e}", other.gap(&one));
            }
            if name != KERNELS[0] {
                // the same function; one variance in place of two
                assert!((&none.mean - &unit.mean).norm_max() < 1e-5, "{name}, {ridge:?}");
                let judged = |bars: &Bars| bars.noise[(0, 0)] + bars.noise[(1, 1)];
                assert!((judged(&none) / judged(&unit) - 1.0).abs() < 1e-5, "{name}, {ridge:?}");
                for i in 0..6 {
                    let square = |t: usize| (none.f[(i, t)] / unit.f[(i, t)]).powi(2);
                    assert!((square(0) + square(1) - 2.0).abs() < 1e-5, "{name}, {ridge:?}");
                }
            }
            if name == KERNELS[0] {
                let own = Mat::from_fn(2, 2, |s, t| if s == t { 3.0 * variance(t) } else { 0.0 });
                let (with, without) = (fit(Some(own)), fit(None));
                assert!((&with.mean - &without.mean).norm_max() < 1e-6, "{ridge:?}");
            }
        }
    }
}
