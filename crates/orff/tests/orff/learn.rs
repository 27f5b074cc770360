//! The learner end to end: rows → fit → file → predict.

use faer::Mat;
use orff::learn::{FourierFeatures, Nystrom, Regression, Ridge};
use orff::model::{Body, Info, Model, Query};
use orff::params::Auto;
use orff::random::Stream;
use orff::rows::{Csr, Inputs, Table, Weights};
use orff::watch::Silent;

fn noisy(n: usize) -> (Mat<f64>, Mat<f64>) {
    let mut s = Stream::new(3, 1, 0);
    let x = Mat::from_fn(n, 2, |_, _| 3.0 * s.uniform());
    let y = Mat::from_fn(n, 3, |i, t| {
        (x[(i, 0)] * (t + 1) as f64).sin() + x[(i, 1)] * x[(i, 1)] * 0.3 + 0.1 * s.normal()
    });
    (x, y)
}

#[test]
fn defaults_learn_and_a_file_brings_them_back() {
    let (x, y) = noisy(600);
    let fitted = Regression::default().fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
    for c in &fitted.training.choices {
        println!("{c}");
    }
    let noise = fitted.model.noise[(0, 0)].sqrt();
    assert!((noise - 0.1).abs() < 0.015, "{noise}");
    let model =
        Model { body: Body::Linear(Box::new(fitted.model)), projection: None, info: Info::default(), series: None };
    let back = Model::from_bytes(model.to_bytes().unwrap()).unwrap();
    let q = Query { std: true, ..Query::default() };
    let (a, b) = (model.predict(&Inputs::Dense(x.clone()), q).unwrap(), back.predict(&Inputs::Dense(x), q).unwrap());
    assert_eq!(a.mean, b.mean);
    assert_eq!(a.std, b.std);
}

/// A file may be sealed and yet contradict itself.
#[test]
fn parts_that_do_not_belong_together_are_refused() {
    let (x, y) = noisy(60);
    let learner = Regression { features: Auto::Fixed(16), ..Regression::default() };
    let linear = learner.fit(&Table::new(x.clone(), y).unwrap(), &mut Silent).unwrap().model;
    let back = |linear: &orff::model::Linear, edit: &dyn Fn(&mut Info)| {
        let mut info = Info::default();
        edit(&mut info);
        let model = Model { body: Body::Linear(Box::new(linear.clone())), projection: None, info, series: None };
        Model::from_bytes(model.to_bytes().unwrap())
    };
    assert!(back(&linear, &|info| info.training.points = vec![vec![0.0; 5]]).is_ok());
    for width in [0, 4, 6] {
        let said = back(&linear, &|info| info.training.points = vec![vec![0.0; width]]).unwrap_err().to_string();
        assert!(said.contains("2 inputs and 3 outputs"), "{said}");
    }
    assert!(back(&linear, &|info| info.outputs = vec!["a".into(); 4]).is_err());
    assert!(back(&linear, &|info| info.inputs = vec!["a".into()]).is_err());
    let posterior = linear.posterior.get().unwrap().unwrap().clone();
    for which in 0..3 {
        let mut other = posterior.clone();
        match which {
            0 => other.mean = other.mean.transpose().to_owned(),
            1 => other.roots[0] = Mat::zeros(3, other.roots[0].ncols()),
            _ => other.spreads[0].direction = Some(vec![1.0]),
        }
        let altered = orff::model::Linear { posterior: Some(other).into(), ..linear.clone() };
        let query = Query { std: true, ..Query::default() };
        let said = back(&altered, &|_| ()).unwrap().predict(&Inputs::Dense(x.clone()), query).unwrap_err();
        assert!(said.to_string().contains("not that of this model"), "{said}");
    }
}

#[test]
fn every_way_to_choose_the_ridge_is_close() {
    let (x, y) = noisy(400);
    let mut fits = Vec::new();
    for ridge in [Ridge::Evidence, Ridge::Gcv, Ridge::Loo] {
        let learner = Regression { ridge, features: Auto::Fixed(400), ..Regression::default() };
        let fitted = learner.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
        println!("{ridge:?} {}", fitted.training.ridge);
        fits.push(fitted.model.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean);
    }
    assert!((&fits[0] - &fits[1]).norm_max() < 0.1);
    assert!((&fits[0] - &fits[2]).norm_max() < 0.1);
}

/// A field of the plane in badly scaled coordinates: metres about a far origin, the second `flat` times as wide.
fn field_rows(n: usize, flat: f64) -> (Mat<f64>, Mat<f64>) {
    let mut s = Stream::new(5, 2, 0);
    let x = field_points(n, flat, &mut s);
    let y = Mat::from_fn(n, 2, |i, t| {
        let (a, b) = (x[(i, 0)] / 1e4, x[(i, 1)] / 1e4);
        let clean = if t == 0 { a.cos() * b.cos() } else { -a.sin() * b.sin() };
        7.0 + clean + 0.05 * s.normal()
    });
    (x, y)
}

fn field_points(n: usize, flat: f64, s: &mut Stream) -> Mat<f64> {
    Mat::from_fn(n, 2, |_, k| 4.2e6 * (k + 1) as f64 + if k == 0 { 3.0e4 } else { 3.0e4 * flat } * s.uniform())
}

#[test]
fn a_fitted_field_keeps_its_geometry_in_the_users_coordinates() {
    for (kernel, curl_free, flat) in [
        ("curl-free(matern(2.5))", true, 1.0),
        ("div-free(gaussian)", false, 1.0),
        ("curl-free(gaussian)", true, 0.02),
        ("div-free(matern(2.5))", false, 0.02),
    ] {
        let (x, y) = field_rows(120, flat);
        let learner =
            Regression { kernel: kernel.parse().unwrap(), features: Auto::Fixed(160), ..Regression::default() };
        let model = learner.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap().model;
        let mut s = Stream::new(9, 9, 0);
        let off = field_points(40, flat, &mut s);
        let at = |x: &Mat<f64>| model.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean;
        let jacobians = model.jacobian(&Inputs::Dense(off.clone())).unwrap();
        let exact: Vec<f64> = if curl_free {
            let c = model.curl(&Inputs::Dense(off.clone())).unwrap();
            (0..40).map(|i| c[(i, 0)]).collect()
        } else {
            model.divergence(&Inputs::Dense(off.clone())).unwrap()
        };
        let step = 30.0; // metres: a thousandth of the region
        let shifted = |k: usize, h: f64| at(&Mat::from_fn(40, 2, |i, j| off[(i, j)] + if j == k { h } else { 0.0 }));
        let derivative = |k: usize| {
            let (near, far) =
                (shifted(k, step) - shifted(k, -step), shifted(k, 2.0 * step) - shifted(k, -2.0 * step));
            faer::Scale(1.0 / (12.0 * step)) * (faer::Scale(8.0) * near - far)
        };
        let (dx, dy) = (derivative(0), derivative(1));
        for i in 0..40 {
            let size = jacobians[i].norm_l2();
            assert!(size > 1e-6, "the field varies");
            assert!(exact[i].abs() < 1e-9 * size, "{kernel}: {} of {size}", exact[i]);
            let by_differences = if curl_free { dx[(i, 1)] - dy[(i, 0)] } else { dx[(i, 0)] + dy[(i, 1)] };
            assert!(by_differences.abs() < 1e-6 * size, "{kernel}: {by_differences} of {size}");
            assert!((jacobians[i][(0, 1)] - dy[(i, 0)]).abs() < 1e-6 * size);
        }
    }
}

/// In the coordinates of another group a curl-free field is not curl-free: such a fit is refused, by every learner.
#[test]
fn fields_live_on_the_additive_group() {
    let (x, y) = field_rows(30, 1.0);
    let rows = Table::new(x, y).unwrap();
    for kernel in ["curl-free", "decomposable + 0.1*div-free(gaussian(2))", "precompose([[1,0],[0,2]], helmholtz)"] {
        for name in ["regression", "exact", "nystrom"] {
            for (group, allowed) in [("multiplicative", false), ("skewed(1)", false), ("additive", true)] {
                let values = serde_json::json!({ "kernel": kernel, "group": group });
                let fit = orff::learn::learner(name).unwrap().fit;
                match fit(values.as_object().unwrap(), &rows, &mut Silent) {
                    Ok(_) => assert!(allowed, "{name}: {kernel} on {group}"),
                    Err(e) => assert!(!allowed && e.to_string().contains("additive group"), "{name}: {e}"),
                }
            }
        }
    }
}

/// What is said is what was done, with few rows too.
#[test]
fn choices_are_those_of_the_model() {
    let (x, y) = field_rows(5, 1.0);
    let learner =
        Regression { lengthscale: 1e4.into(), kernel: "helmholtz".parse().unwrap(), ..Regression::default() };
    let said = learner.fit(&Table::new(x, y).unwrap(), &mut Silent).unwrap().training.choices.join("\n");
    assert!(said.contains("gradient share 0.500") && !said.contains("lengthscale"), "{said}");

    let (x, y) = noisy(300);
    let rows = Table::new(x, y).unwrap();
    let small = Regression { memory: 20, lengthscale: 1.0.into(), ..Regression::default() };
    let fitted = small.fit(&rows, &mut Silent).unwrap();
    let said = fitted.training.choices.join("\n");
    let features = fitted.model.map.characters();
    assert!(features >= 64 && said.contains(&format!("features {features}: what 20 MB")), "{said}");
    let none = Regression { ridge: Ridge::Given(0.0), features: Auto::Fixed(40), ..small };
    let fitted = none.fit(&rows, &mut Silent).unwrap();
    assert!(!fitted.model.posterior.exists());
    assert!(fitted.training.choices.iter().any(|line| line.contains("no error bars: a ridge of 0")));
}

/// Data far rougher than the distances between rows suggest.
#[test]
fn lengthscales_are_searched_until_the_evidence_falls() {
    let mut s = Stream::new(11, 0, 0);
    let x = Mat::from_fn(400, 1, |_, _| s.uniform());
    let y = Mat::from_fn(400, 1, |i, _| (160.0 * x[(i, 0)]).sin() + 0.01 * s.normal());
    let fitted = Regression::default().fit(&Table::new(x, y).unwrap(), &mut Silent).unwrap();
    let said = fitted.training.choices.iter().find(|line| line.starts_with("lengthscale")).unwrap();
    let times: f64 = said.split(", ").last().unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(times < 0.06, "{said}");
}

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

#[test]
fn outputs_tied_together_with_gaps_get_features_that_can_be_solved_at_once() {
    let (x, y) = noisy(300);
    let gaps = Mat::from_fn(300, 3, |i, t| if i % 3 == t { f64::NAN } else { y[(i, t)] });
    let kernel: orff::kernel::Kernel = "decomposable(gaussian, covariance)".parse().unwrap();
    let learner = Regression { kernel, lengthscale: 1.0.into(), ..Regression::default() };
    for (y, most) in [(y.clone(), 4096), (gaps, 4096 / 3)] {
        let begun = learner.begin(&Table::new(x.clone(), y).unwrap(), &mut Silent).unwrap();
        assert!(begun.moments().characters() <= most, "{}", begun.moments().characters());
    }
}

#[test]
fn views_are_one_scalar_problem() {
    // both outputs are h of their own view of the inputs: one h serves them
    let mut s = Stream::new(11, 3, 0);
    let x = Mat::from_fn(300, 2, |_, _| 2.0 * s.uniform());
    let h = |v: f64| (2.0 * v).sin();
    let y = Mat::from_fn(300, 2, |i, t| h(if t == 0 { x[(i, 0)] + x[(i, 1)] } else { x[(i, 0)] - x[(i, 1)] }));
    let kernel = "transformable(gaussian, [[1, 1]], [[1, -1]])".parse().unwrap();
    let learner = Regression { kernel, features: Auto::Fixed(100), ..Regression::default() };
    let model = learner.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap().model;
    let got = model.predict(&Inputs::Dense(x), Query { std: true, ..Query::default() }).unwrap();
    assert!((got.mean - y).norm_max() < 0.02);
    assert!(got.std.unwrap()[(0, 0)].is_finite());
    // two equal views have one value: without noise they vary together, wholly
    let x = Mat::from_fn(60, 1, |i, _| i as f64 / 20.0);
    let y = Mat::from_fn(60, 2, |i, _| (i as f64 / 20.0).sin());
    let kernel = "transformable(gaussian(0.7), [[1]], [[1]])".parse().unwrap();
    let learner =
        Regression { kernel, features: Auto::Fixed(40), ridge: Ridge::Given(1e-3), ..Regression::default() };
    let model = learner.fit(&Table::new(x.clone(), y).unwrap(), &mut Silent).unwrap().model;
    let query = Query { cov: true, noise: false, ..Query::default() };
    let cov = model.predict(&Inputs::Dense(x), query).unwrap().cov.unwrap();
    assert!(cov.iter().all(|c| c[(0, 0)] > 0.0 && (c[(0, 1)] / c[(0, 0)] - 1.0).abs() < 1e-9));
}

#[test]
fn intervals_cover_what_they_say() {
    let (x, y) = noisy(1200);
    let part = |from: usize, n: usize| (x.subrows(from, n).to_owned(), y.subrows(from, n).to_owned());
    let ((train_x, train_y), (test_x, test_y)) = (part(0, 500), part(500, 700));
    for kernel in ["decomposable", "decomposable(matern(2.5), covariance)"] {
        let learner =
            Regression { kernel: kernel.parse().unwrap(), features: Auto::Fixed(300), ..Regression::default() };
        let model = learner.fit(&Table::new(train_x.clone(), train_y.clone()).unwrap(), &mut Silent).unwrap().model;
        let got = model.predict(&Inputs::Dense(test_x.clone()), Query { std: true, ..Query::default() }).unwrap();
        let std = got.std.unwrap();
        let inside = (0..700)
            .flat_map(|i| (0..3).map(move |t| (i, t)))
            .filter(|&(i, t)| (got.mean[(i, t)] - test_y[(i, t)]).abs() <= 1.6448536 * std[(i, t)])
            .count();
        let share = inside as f64 / 2100.0;
        // 0.9 ± four binomial deviations
        assert!((share - 0.9).abs() < 4.0 * (0.09f64 / 2100.0).sqrt(), "{kernel}: {share}");
    }
}

/// Error bars alone take another way than whole covariances.
#[test]
fn error_bars_are_the_diagonal_of_the_covariance() {
    let (x, mut y) = noisy(120);
    for (kernel, missing) in [
        ("decomposable", false),
        ("decomposable(gaussian, given([[2, 1, 0], [1, 2, 0.5], [0, 0.5, 1]]))", false),
        ("decomposable", true),
        ("decomposable(gaussian, given([[2, 1, 0], [1, 2, 0.5], [0, 0.5, 1]]))", true),
    ] {
        if missing {
            (0..120).step_by(4).for_each(|i| y[(i, i % 3)] = f64::NAN);
        }
        let kernel = kernel.parse().unwrap();
        let learner = Regression { kernel, features: Auto::Fixed(100), ..Regression::default() };
        let fitted = learner.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
        for noise in [false, true] {
            let ask = |cov| Query { std: true, cov, noise, single: false };
            let at = |cov| fitted.model.predict(&Inputs::Dense(x.clone()), ask(cov)).unwrap();
            let (alone, whole) = (at(false).std.unwrap(), at(true));
            for (i, cov) in whole.cov.unwrap().iter().enumerate() {
                for t in 0..3 {
                    let expected = cov[(t, t)].sqrt();
                    assert!(expected > 0.0 && (alone[(i, t)] - expected).abs() < 1e-10 * expected);
                }
            }
        }
    }
}

#[test]
fn bad_data_are_refused_with_their_place() {
    let fit = |x: Mat<f64>, y: Mat<f64>| {
        let learner = Regression { features: Auto::Fixed(16), ..Regression::default() };
        learner.fit(&Table::new(x, y).unwrap(), &mut Silent).map(|f| f.model).map_err(|e| e.to_string())
    };
    let mut x = Mat::from_fn(20, 2, |i, k| (i * (k + 1)) as f64);
    let y = Mat::from_fn(20, 1, |i, _| i as f64);
    x[(4, 1)] = f64::NAN;
    let said = fit(x.clone(), y.clone()).unwrap_err();
    assert!(said.starts_with("row 5, column 2: NaN is not a finite number"), "{said}");
    x[(4, 1)] = 1.0;
    let mut z = y.clone();
    z[(7, 0)] = f64::INFINITY;
    assert!(fit(x.clone(), z).unwrap_err().starts_with("row 8, column output 1: inf is not a finite number"));
    assert!(fit(Mat::zeros(0, 2), Mat::zeros(0, 1)).unwrap_err().starts_with("no rows"));
    assert!(fit(x.clone(), Mat::zeros(20, 0)).unwrap_err().starts_with("no inputs or no outputs"));
    let nothing = Mat::from_fn(20, 1, |_, _| f64::NAN);
    assert!(fit(x.clone(), nothing).unwrap_err().contains("no output was observed"));
    // constant inputs and outputs are legal
    let model = fit(Mat::from_fn(20, 2, |_, _| 3.0), Mat::from_fn(20, 1, |_, _| 2.5)).unwrap();
    let at = model.predict(&Inputs::Dense(Mat::from_fn(1, 2, |_, _| 3.0)), Query::default()).unwrap();
    assert!((at.mean[(0, 0)] - 2.5).abs() < 1e-9);
    let rows = Table::new(x, y).unwrap().weighted(orff::rows::Weights::Row(vec![0.0; 20])).unwrap();
    let said = Regression::default().fit(&rows, &mut Silent).err().unwrap().to_string();
    assert!(said.contains("every weight is zero"), "{said}");
}

#[test]
fn a_large_system_is_solved_by_conjugate_gradients() {
    // div-free in ten dimensions: nine unknowns per character, more than eigenvalues are asked for
    let mut s = Stream::new(2, 7, 0);
    let x = Mat::from_fn(300, 10, |_, _| s.normal());
    let y = Mat::from_fn(300, 10, |i, t| (x[(i, (t + 1) % 10)]).sin());
    let kernel: orff::kernel::Kernel = "div-free".parse().unwrap();
    let learner = Regression { kernel, features: Auto::Fixed(600), lengthscale: 3.0.into(), ..Regression::default() };
    let fitted = learner.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
    assert!(fitted.training.choices.iter().any(|c| c.contains("conjugate gradients on 5400 unknowns")));
    let mean = fitted.model.predict(&Inputs::Dense(x), Query::default()).unwrap().mean;
    assert!((&mean - &y).norm_l2() < 0.6 * y.norm_l2());
    let div = fitted.model.divergence(&Inputs::Dense(Mat::from_fn(3, 10, |i, k| (i + k) as f64 / 7.0))).unwrap();
    assert!(div.iter().all(|d| d.abs() < 1e-9), "{div:?}");
}

#[test]
fn every_learner_passes_the_standard_check() {
    for learner in orff::learn::LEARNERS {
        let error = orff::testing::check_learner(learner).unwrap();
        // classes along a graph are chosen for the rows of the graph, and are worse on these rows, which are not in it
        let most = if learner.role == orff::learn::Role::SemiSupervisedClassifier { 0.25 } else { 0.1 };
        assert!(error < most, "{}: {error}", learner.name);
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
    let mut csr = Csr { width: 3, start: vec![0], columns: Vec::new(), values: Vec::new() };
    for i in 0..120 {
        for k in (0..3).filter(|&k| x[(i, k)] != 0.0) {
            csr.columns.push(k as u32);
            csr.values.push(x[(i, k)]);
        }
        csr.start.push(csr.values.len());
    }
    let (dense, sparse) = (Inputs::Dense(x.clone()), Inputs::Sparse(csr));
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
fn absurd_weights_are_no_panic() {
    let x = Mat::from_fn(40, 1, |i, _| i as f64 / 8.0);
    let y = Mat::from_fn(40, 1, |i, _| (i as f64 / 8.0).sin());
    for weight in [1e-300, 1e-3, 1e18, 1e300] {
        let rows = Table::new(x.clone(), y.clone()).unwrap().weighted(Weights::Row(vec![weight; 40])).unwrap();
        // weights that underflow or overflow in the sums are an error, others are learned from
        let fitted = Regression::default().fit(&rows, &mut Silent);
        assert!(fitted.is_ok() || !(1e-3..=1e18).contains(&weight), "{weight:e}");
        if let Ok(fitted) = fitted {
            let mean = fitted.model.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean;
            assert!((0..40).all(|i| mean[(i, 0)].is_finite()));
        }
    }
}

#[test]
fn numbers_are_read_as_people_write_them() {
    let kind = orff::params::Kind::Number { min: 0.0, max: 10.0, open: false };
    for (text, number) in [(".5", 0.5), ("+1", 1.0), ("2.", 2.0), ("1e-3", 1e-3), ("3", 3.0)] {
        assert_eq!(kind.parse("ridge", text).unwrap().as_f64(), Some(number));
    }
    assert!(["nan", "inf", "x", "-1", "", "1 2"].iter().all(|text| kind.parse("ridge", text).is_err()));
}

/// What no floating-point number or memory can hold is refused by its name, before it is made.
#[test]
fn what_is_too_much_is_named() {
    let (x, y) = noisy(40);
    let refused = |rows: Table| Regression::default().fit(&rows, &mut Silent).err().unwrap().to_string();
    let rows = || Table::new(x.clone(), y.clone()).unwrap();
    for weights in [Weights::Row(vec![1e308; 40]), Weights::Entry(Mat::full(40, 3, 1e308))] {
        let said = refused(rows().weighted(weights).unwrap());
        assert!(said.starts_with("weights: expected a sum below 1e150"), "{said}");
    }
    let wide = |n: usize, width: usize| {
        let csr = Csr { width, start: vec![0; n + 1], columns: Vec::new(), values: Vec::new() };
        Table::of(Inputs::Sparse(csr), Mat::zeros(n, 1)).unwrap()
    };
    let said = refused(wide(40, 1 << 33));
    assert!(said.starts_with("inputs: expected at most 10000000 columns"), "{said}");
    let features = FourierFeatures { features: Auto::Fixed(10_000_000), ..FourierFeatures::default() };
    let said =
        features.fit(&Table::new(Mat::zeros(3, 20_000), Mat::zeros(3, 0)).unwrap(), &mut Silent).err().unwrap();
    assert!(said.to_string().starts_with("features: expected so many that the fit stays within 16384 MB"), "{said}");
    let said = Nystrom::default().fit(&wide(400, 10_000_000), &mut Silent).err().unwrap().to_string();
    assert!(said.contains("a dense copy of 400 sparse rows") && said.contains("32 GB"), "{said}");
}
