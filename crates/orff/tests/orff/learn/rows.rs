//! Rows however they come: in any batches and threads, sparse or dense, with gaps and weights.

use super::{field_rows, noisy};
use crate::graph::sparse;
use faer::Mat;
use orff::learn::Regression;
use orff::model::Query;
use orff::params::Auto;
use orff::rows::{Inputs, Table};
use orff::watch::Silent;

fn rows_width(kernel: &str) -> usize {
    if kernel == "curl-free" { 3 } else { 2 }
}

#[test]
fn bits_do_not_depend_on_threads_or_batches() {
    let (x, y) = noisy(2200);
    let fit = |threads: usize, batch: usize, kernel: &str| {
        let learner = Regression {
            kernel: kernel.parse().unwrap(),
            features: Auto::Fixed(64),
            threads: Auto::Fixed(threads),
            ..Regression::default()
        };
        let x =
            if kernel == "curl-free" { Mat::from_fn(2200, 3, |i, k| x[(i, k % 2)] + k as f64) } else { x.clone() };
        let rows = Table::new(x, y.clone()).unwrap().batched(batch);
        let fitted = learner.fit(&rows, &mut Silent).unwrap();
        let x = Inputs::Dense(Mat::from_fn(5, rows_width(kernel), |i, k| (i + k) as f64 / 3.0));
        let got = fitted.model.predict(&x, Query { std: true, ..Query::default() }).unwrap();
        (fitted.model.table, fitted.model.noise, got.mean, got.std.unwrap(), fitted.training.ridge)
    };
    for kernel in ["decomposable(gaussian, covariance)", "curl-free"] {
        let first = fit(1, 4096, kernel);
        for (threads, batch) in [(2, 4096), (4, 4096), (1, 7), (2, 1), (4, 7)] {
            assert!(fit(threads, batch, kernel) == first, "{kernel}: {threads} threads, batches of {batch}");
        }
    }
}

/// A model of dense rows, whose inputs are centred, answers sparse rows with the same numbers; and the other way round.
#[test]
fn sparse_and_dense_rows_are_the_same_rows_to_any_model() {
    let x = Mat::from_fn(
        120,
        3,
        |i, k| if (i + k) % 4 == 0 { 0.0 } else { 3.0 + ((i * 37 + k * 11) % 101) as f64 / 50.0 },
    );
    let y = Mat::from_fn(120, 2, |i, t| (x[(i, 0)] + t as f64 * x[(i, 1)]).sin());
    let (dense, sparse) = (Inputs::Dense(x.clone()), sparse(&x));
    for name in ["regression", "exact", "nystrom"] {
        for learned in [&dense, &sparse] {
            let rows = Table::of(learned.clone(), y.clone()).unwrap();
            let values = serde_json::json!({ "ridge": 1e-4 });
            let fit = orff::learn::learner(name).unwrap().fit;
            let model = fit(values.as_object().unwrap(), &rows, &mut Silent).unwrap();
            let of = |x: &Inputs| model.predict(x, Query::default()).unwrap().mean;
            let gap = (of(&dense) - of(&sparse)).norm_max();
            assert!(gap < 1e-9, "{name}: {gap:e}");
        }
    }
}

#[test]
fn missing_outputs_and_weights_reach_the_model() {
    let (x, mut y) = noisy(400);
    let whole = y.clone();
    for i in 0..400 {
        // each row lacks one output, some lack two
        y[(i, i % 3)] = f64::NAN;
        if i % 5 == 0 {
            y[(i, (i + 1) % 3)] = f64::NAN;
        }
    }
    for kernel in ["decomposable", "decomposable(matern(2.5), covariance)"] {
        let learner =
            Regression { kernel: kernel.parse().unwrap(), features: Auto::Fixed(200), ..Regression::default() };
        let fitted = learner.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
        let mean = fitted.model.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean;
        let hidden: Vec<f64> = (0..400).map(|i| mean[(i, i % 3)] - whole[(i, i % 3)]).collect();
        let rmse = (hidden.iter().map(|e| e * e).sum::<f64>() / 400.0).sqrt();
        assert!(rmse < 0.13, "{kernel}: {rmse} against a noise of 0.1");
    }
    // a field measured in one component at a time
    let (x2, y2) = field_rows(300, 1.0);
    let halves = Mat::from_fn(300, 2, |i, t| if i % 2 == t { f64::NAN } else { y2[(i, t)] });
    for kernel in ["curl-free(matern(2.5))", "helmholtz", "curl-free + 0.1*div-free"] {
        let learner =
            Regression { kernel: kernel.parse().unwrap(), features: Auto::Fixed(160), ..Regression::default() };
        let fitted = learner.fit(&Table::new(x2.clone(), halves.clone()).unwrap(), &mut Silent).unwrap();
        let got = fitted.model.predict(&Inputs::Dense(x2.clone()), Query { std: true, ..Query::default() }).unwrap();
        let hidden: Vec<f64> = (0..300).map(|i| got.mean[(i, i % 2)] - y2[(i, i % 2)]).collect();
        let rmse = (hidden.iter().map(|e| e * e).sum::<f64>() / 300.0).sqrt();
        assert!(rmse < 0.09, "{kernel}: {rmse} against a noise of 0.05");
        let inside =
            (0..300).filter(|&i| hidden[i].abs() <= 1.6448536 * got.std.as_ref().unwrap()[(i, i % 2)]).count();
        assert!((240..=300).contains(&inside), "{kernel}: {inside} of 300 in 90 % intervals");
    }
    // precisions: scaling them all changes nothing
    let weights = Mat::from_fn(400, 3, |i, t| 1.0 + ((i + t) % 4) as f64);
    let fit = |scale: f64| {
        let rows = Table::new(x.clone(), y.clone()).unwrap();
        let rows = rows.weighted(orff::rows::Weights::Entry(faer::Scale(scale) * &weights)).unwrap();
        let learner = Regression { features: Auto::Fixed(100), ..Regression::default() };
        let model = learner.fit(&rows, &mut Silent).unwrap().model;
        let mean = model.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean;
        (mean, model.noise)
    };
    let ((a, noise_a), (b, noise_b)) = (fit(1.0), fit(1e4));
    assert!((&a - &b).norm_max() < 1e-6 && (noise_a - noise_b).norm_max() < 1e-6);
}

/// A given Γ or graph ties outputs in their own units; outputs that it does not know to be small are warned of.
#[test]
fn units_apart_that_gamma_does_not_know_are_warned_of() {
    let (x, y) = noisy(200);
    let warned = |kernel: &str, ratio: f64| {
        let y = Mat::from_fn(200, 2, |i, t| y[(i, t)] * if t == 1 { ratio } else { 1.0 });
        let learner =
            Regression { kernel: kernel.parse().unwrap(), features: Auto::Fixed(32), ..Regression::default() };
        let fitted = learner.fit(&Table::new(x.clone(), y).unwrap(), &mut Silent).unwrap();
        let said = fitted.training.choices.into_iter().find(|line| line.starts_with("warning: "));
        assert!(
            said.iter().all(|line| line.contains("(output 2) to ") && line.contains("divide the outputs")),
            "{said:?}"
        );
        said.is_some()
    };
    let given = "decomposable(gaussian, [[1, 0.3], [0.3, 1]])";
    let graph = "decomposable(gaussian, laplacian([[0, 1], [1, 0]], 0.1))";
    for kernel in [given, graph] {
        assert!(warned(kernel, 1e-3), "{kernel}");
        assert!(!warned(kernel, 1.0), "{kernel}");
    }
    // the same ratio in Γ, and kernels that scale each output by itself or are fields
    for kernel in [
        "decomposable(gaussian, [[1, 0], [0, 1e-6]])",
        "decomposable(gaussian, covariance)",
        "decomposable",
        "curl-free",
    ] {
        assert!(!warned(kernel, 1e-3), "{kernel}");
    }
}

/// A row seen twice says nothing of the noise: taken for two rows, the evidence would have no bound as noise and lengthscale
/// vanish together, and the model would know its own rows only.
#[test]
fn copies_of_rows_do_not_pass_for_exact_ones() {
    let mut stream = orff::random::Stream::new(4, 0, 0);
    let x = Mat::from_fn(140, 6, |_, _| stream.normal());
    // outputs of few values, as grades are
    let y =
        Mat::from_fn(140, 1, |i, _| (x[(i, 0)] + 0.5 * x[(i, 1)] + 0.6 * stream.normal()).round().clamp(-1.0, 1.0));
    let truth = |i: usize| x[(i, 0)] + 0.5 * x[(i, 1)];
    let fit = |copies: usize| {
        let of = |m: &Mat<f64>| Mat::from_fn(100 + copies, m.ncols(), |i, k| m[(i % 100, k)]);
        Regression::default().fit(&Table::new(of(&x), of(&y)).unwrap(), &mut Silent).unwrap()
    };
    let lengthscale = |copies: usize| {
        let form = serde_json::to_value(fit(copies).training.kernel).unwrap();
        form["spectrum"]["lengthscale"].as_f64().unwrap()
    };
    let alone = lengthscale(0);
    for copies in [1, 12, 100] {
        let with = lengthscale(copies);
        assert!(with > 0.5 * alone && with < 2.0 * alone, "{copies}: {with}, without copies {alone}");
    }
    // rows that were not learned from
    let others = Inputs::Dense(Mat::from_fn(40, 6, |i, k| x[(100 + i, k)]));
    let found = fit(12).model.predict(&others, Query::default()).unwrap().mean;
    let error: f64 = (0..40).map(|i| (found[(i, 0)] - truth(100 + i).clamp(-1.0, 1.0)).powi(2)).sum::<f64>() / 40.0;
    assert!(error < 0.25, "{error}");
}
