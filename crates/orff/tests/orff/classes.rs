//! Classes: codes, probabilities, weights, and what is refused.

use faer::Mat;
use orff::learn::{ClassWeight, Classification, FittedClasses, Regression, Ridge, learner};
use orff::loss::Simplex;
use orff::metric::ClassScores;
use orff::model::{Calibration, Model, Query};
use orff::params::{Auto, Params};
use orff::random::Stream;
use orff::rows::{Inputs, Rows, Table, Weights};
use orff::watch::Silent;
use serde_json::{Map, json};

/// Three classes on the line with known probabilities ∝ (1, e^{2x}, e^{2.5 sin 3x}).
pub(super) fn known(x: f64) -> [f64; 3] {
    let shares = [1.0, (2.0 * x).exp(), (2.5 * (3.0 * x).sin()).exp()];
    shares.map(|s| s / shares.iter().sum::<f64>())
}

pub(super) fn drawn(n: usize, seed: u64) -> (Mat<f64>, Mat<f64>) {
    let mut stream = Stream::new(seed, 1, 0);
    let x = Mat::from_fn(n, 1, |_, _| 4.0 * stream.uniform() - 2.0);
    let y = Mat::from_fn(n, 1, |i, _| {
        let (p, u) = (known(x[(i, 0)]), stream.uniform());
        if u < p[0] {
            0.0
        } else if u < p[0] + p[1] {
            1.0
        } else {
            2.0
        }
    });
    (x, y)
}

fn model(values: serde_json::Value, rows: &dyn Rows) -> Model {
    let values = values.as_object().unwrap().clone();
    (learner("classification").unwrap().fit)(&values, rows, &mut Silent).unwrap()
}

fn refused(learner: &Classification, rows: &dyn Rows) -> String {
    learner.fit(rows, &mut Silent).err().unwrap().to_string()
}

fn small(features: usize) -> Classification {
    Classification { features: Auto::Fixed(features), ..Classification::default() }
}

fn at(found: &FittedClasses, x: &Mat<f64>) -> Mat<f64> {
    found.model.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean
}

fn gap(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    (a - b).norm_max()
}

/// Two classes are the numbers ±1: the same bits as regression on them.
#[test]
fn two_classes_are_regression_on_signs() {
    let (x, y) = drawn(300, 3);
    let y = Mat::from_fn(300, 1, |i, _| if y[(i, 0)] > 0.0 { 1.0 } else { 0.0 });
    let signs = Mat::from_fn(300, 1, |i, _| 1.0 - 2.0 * y[(i, 0)]);
    for ridge in [Ridge::Gcv, Ridge::Evidence, Ridge::Given(1e-3)] {
        let found = Classification { ridge: Auto::Fixed(ridge), ..small(60) }
            .fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent);
        let regression = Regression { ridge, features: Auto::Fixed(60), ..Regression::default() };
        let plain = regression.fit(&Table::new(x.clone(), signs.clone()).unwrap(), &mut Silent).unwrap();
        let mean = plain.model.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean;
        let found = found.unwrap();
        assert_eq!(at(&found, &x), mean, "{ridge:?}");
        assert_eq!(found.training.ridge, plain.training.ridge);
    }
    // by leave-one-out: the same errors, and the largest ridge that is nearly as good as the best
    let fit = |ridge| {
        Classification { ridge: Auto::Fixed(ridge), ..small(60) }
            .fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent)
    };
    let loo = Regression { ridge: Ridge::Loo, features: Auto::Fixed(60), ..Regression::default() };
    let loo = loo.fit(&Table::new(x.clone(), signs).unwrap(), &mut Silent).unwrap().training.path;
    let found = fit(Ridge::Loo).unwrap().training;
    assert_eq!(found.path, loo);
    let least = loo.iter().filter_map(|p| p.loo).fold(f64::INFINITY, f64::min);
    let good = loo.iter().filter(|p| p.loo.unwrap() <= 1.0001 * least).map(|p| p.ridge).fold(0.0, f64::max);
    assert_eq!(found.ridge, good);
}

/// Three functions of the code are regression on each coordinate.
#[test]
fn more_classes_are_regression_on_codes() {
    let (x, y) = drawn(200, 4);
    let code = Simplex::new(3).codes();
    let targets = Mat::from_fn(200, 2, |i, t| code[(t, y[(i, 0)] as usize)]);
    let found = Classification { ridge: Auto::Fixed(Ridge::Given(1e-3)), lengthscale: 0.7.into(), ..small(40) }
        .fit(&Table::new(x.clone(), y).unwrap(), &mut Silent)
        .unwrap();
    let plain = Regression {
        ridge: Ridge::Given(1e-3),
        lengthscale: 0.7.into(),
        features: Auto::Fixed(40),
        ..Regression::default()
    };
    let plain = plain.fit(&Table::new(x.clone(), targets).unwrap(), &mut Silent).unwrap();
    let mean = plain.model.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean;
    assert!(gap(&at(&found, &x), &mean) < 1e-10);
}

/// What is learned does not depend on which class has which number.
#[test]
fn the_order_of_classes_does_not_matter() {
    let (x, y) = drawn(400, 5);
    let other = Mat::from_fn(400, 1, |i, _| [2.0, 0.0, 1.0][y[(i, 0)] as usize]);
    let first = model(json!({"features": 60}), &Table::new(x.clone(), y).unwrap());
    let second = model(json!({"features": 60}), &Table::new(x.clone(), other).unwrap());
    let x = Inputs::Dense(x);
    let (a, b) = (first.scores(&x, Query::default()).unwrap(), second.scores(&x, Query::default()).unwrap());
    let (p, q) = (first.probabilities(&a).unwrap(), second.probabilities(&b).unwrap());
    for i in 0..400 {
        for (k, l) in [(0, 2), (1, 0), (2, 1)] {
            assert!((a[(i, k)] - b[(i, l)]).abs() < 1e-8 && (p[(i, k)] - q[(i, l)]).abs() < 1e-5);
        }
    }
}

/// Integer weights of rows are repeated rows, in everything that is chosen; weights of classes are repeated rows, where
/// nothing is chosen by leaving rows out.
#[test]
fn weights_are_repeated_rows() {
    let (x, y) = drawn(120, 6);
    let times: Vec<usize> = (0..120).map(|i| i * 7 % 4).collect();
    let repeated: Vec<usize> = (0..120).flat_map(|i| std::iter::repeat_n(i, times[i])).collect();
    let pick = |m: &Mat<f64>, rows: &[usize]| Mat::from_fn(rows.len(), 1, |i, _| m[(rows[i], 0)]);
    let weights = Weights::Row(times.iter().map(|&t| t as f64).collect());
    let weighted = Table::new(x.clone(), y.clone()).unwrap().weighted(weights).unwrap();
    let table = Table::new(pick(&x, &repeated), pick(&y, &repeated)).unwrap();
    for ridge in [json!("loo"), json!("evidence"), json!(1e-3)] {
        let values = json!({"features": 40, "ridge": ridge});
        let (a, b) = (model(values.clone(), &weighted), model(values, &table));
        let inputs = Inputs::Dense(x.clone());
        let (s, t) = (a.scores(&inputs, Query::default()).unwrap(), b.scores(&inputs, Query::default()).unwrap());
        assert!(gap(&s, &t) < 1e-7, "{ridge}: {}", gap(&s, &t));
        assert!(gap(&a.probabilities(&s).unwrap(), &b.probabilities(&t).unwrap()) < 1e-4, "{ridge}");
    }
    let double: Vec<usize> = (0..120).flat_map(|i| std::iter::repeat_n(i, 1 + 2 * (y[(i, 0)] as usize))).collect();
    let table = Table::new(pick(&x, &double), pick(&y, &double)).unwrap();
    let plain = Table::new(x.clone(), y.clone()).unwrap();
    let given = Map::from_iter([("1".to_string(), json!(3.0)), ("2".to_string(), json!(5.0))]);
    for ridge in [Ridge::Evidence, Ridge::Gcv, Ridge::Given(1e-2)] {
        let class_weight = ClassWeight::Given(given.clone());
        let learner =
            Classification { ridge: Auto::Fixed(ridge), class_weight, lengthscale: 0.7.into(), ..small(40) };
        let a = learner.fit(&plain, &mut Silent).unwrap();
        let b = Classification { class_weight: ClassWeight::None, ..learner }.fit(&table, &mut Silent).unwrap();
        assert!(gap(&at(&a, &x), &at(&b, &x)) < 1e-6, "{ridge:?}");
    }
}

/// Balanced: Σw of every class is the same, and so is what a model without inputs to speak of says.
#[test]
fn balanced_classes_count_the_same() {
    let mut stream = Stream::new(8, 0, 0);
    let x = Mat::from_fn(300, 1, |_, _| stream.uniform());
    let y = Mat::from_fn(300, 1, |i, _| if i % 10 == 0 { 1.0 } else { 0.0 });
    let table = Table::new(x.clone(), y).unwrap();
    // a ridge so large that only the constant is left: Σ w c / Σ w
    let learner = Classification { ridge: Auto::Fixed(Ridge::Given(1e9)), ..small(16) };
    let plain = at(&learner.fit(&table, &mut Silent).unwrap(), &x);
    assert!((plain[(0, 0)] - 0.8).abs() < 1e-6, "{}", plain[(0, 0)]);
    let balanced = Classification { class_weight: ClassWeight::Balanced, ..learner };
    assert!(at(&balanced.fit(&table, &mut Silent).unwrap(), &x)[(0, 0)].abs() < 1e-6);
}

/// Probabilities against those the classes were drawn with, and the error against the best there is.
#[test]
fn probabilities_are_those_of_the_draw() {
    let (x, y) = drawn(3000, 11);
    let found = model(json!({}), &Table::new(x, y).unwrap());
    let (fresh, truth) = drawn(20_000, 12);
    let scores = found.scores(&Inputs::Dense(fresh.clone()), Query::default()).unwrap();
    let p = found.probabilities(&scores).unwrap();
    let (mut worst, mut square, mut bayes) = (0f64, 0.0, ClassScores::new(3));
    let mut ours = ClassScores::new(3);
    for i in 0..20_000 {
        let q = known(fresh[(i, 0)]);
        let class = truth[(i, 0)] as usize;
        let best = (0..3).max_by(|&a, &b| q[a].total_cmp(&q[b])).unwrap();
        let taken = (0..3).max_by(|&a, &b| p[(i, a)].total_cmp(&p[(i, b)])).unwrap();
        bayes.add(class, best, q[class], 1.0);
        ours.add(class, taken, p[(i, class)], 1.0);
        for k in 0..3 {
            worst = worst.max((p[(i, k)] - q[k]).abs());
            square += (p[(i, k)] - q[k]).powi(2) / 60_000.0;
        }
        assert!(((0..3).map(|k| p[(i, k)]).sum::<f64>() - 1.0).abs() < 1e-12);
    }
    let (ours, bayes) = (ours.overall(), bayes.overall());
    println!("{ours:?} {bayes:?} worst {worst} rms {}", square.sqrt());
    assert!(ours.error < bayes.error + 0.01 && ours.log_loss < bayes.log_loss + 0.01, "{ours:?} {bayes:?}");
    assert!(square.sqrt() < 0.04, "{}", square.sqrt());
    // of the rows that are given a probability between two tenths, about as many are of the class
    for k in 0..3 {
        for tenth in 0..10 {
            let rows: Vec<usize> = (0..20_000).filter(|&i| (p[(i, k)] * 10.0) as usize == tenth).collect();
            if rows.len() < 500 {
                continue;
            }
            let n = rows.len() as f64;
            let said = rows.iter().map(|&i| p[(i, k)]).sum::<f64>() / n;
            let seen = rows.iter().filter(|&&i| truth[(i, 0)] as usize == k).count() as f64 / n;
            assert!((said - seen).abs() < 0.05, "class {k}: said {said}, seen {seen} on {n} rows");
        }
    }
}

/// Calibration is what it says: the limit of small widths is q⁺, that of large ones a softmax; the order is kept.
#[test]
fn calibration_has_its_limits() {
    let scores = [0.9, -0.2, -0.7];
    let apply = |width: f64, sharpness: f64| {
        let mut p = scores;
        Calibration { width: Some(width), sharpness, rows: 1 }.apply(&mut p);
        p
    };
    let q: Vec<f64> = scores.iter().map(|s| (1.0 + 2.0 * s) / 3.0f64).map(|q: f64| q.max(0.0)).collect();
    let linear = apply(1e-4, 1.0);
    let sum: f64 = q.iter().sum();
    assert!(linear.iter().zip(&q).all(|(p, q)| (p - q / sum).abs() < 1e-3), "{linear:?}");
    // w log(1 + e^{q/w}) ≈ w log 2 + q/2, to the power a: e^{a q/(2 w log 2)}
    let soft = apply(1e5, 2e5 * 2f64.ln());
    let shares: Vec<f64> = scores.iter().map(|s| ((1.0 + 2.0 * s) / 3.0).exp()).collect();
    let sum: f64 = shares.iter().sum();
    assert!(soft.iter().zip(&shares).all(|(p, s)| (p - s / sum).abs() < 1e-4), "{soft:?}");
    for (width, sharpness) in [(1e-3, 30.0), (0.1, 0.2), (3.0, 500.0)] {
        let p = apply(width, sharpness);
        assert!(p[0] >= p[1] && p[1] >= p[2] && (p.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{p:?}");
    }
}

/// Too many unknowns for a factorisation: conjugate gradients, and rows held out for the probabilities.
#[test]
fn large_systems_are_calibrated_on_rows_held_out() {
    let (x, y) = drawn(1500, 13);
    let found = model(json!({"features": 4200, "lengthscale": 0.6, "ridge": "gcv", "tolerance": 1e-6}), &{
        Table::new(x, y).unwrap()
    });
    let calibration = found.classes().unwrap().calibration;
    assert!((100..200).contains(&calibration.rows), "{calibration:?}");
    let (fresh, truth) = drawn(4000, 14);
    let scores = found.scores(&Inputs::Dense(fresh.clone()), Query::default()).unwrap();
    let p = found.probabilities(&scores).unwrap();
    let loss = |of: &dyn Fn(usize, usize) -> f64| {
        (0..4000).map(|i| -of(i, truth[(i, 0)] as usize).ln()).sum::<f64>() / 4000.0
    };
    let (ours, best) = (loss(&|i, k| p[(i, k)]), loss(&|i, k| known(fresh[(i, 0)])[k]));
    assert!(ours < best + 0.03, "{ours} {best}");
    assert_eq!(found.info.training.rows, 1500);
}

#[test]
fn a_file_brings_classes_back() {
    let (x, y) = drawn(100, 15);
    let before = model(json!({"features": 30}), &Table::new(x.clone(), y).unwrap());
    let after = Model::from_bytes(before.to_bytes().unwrap()).unwrap();
    assert_eq!(before.info.classes, after.info.classes);
    let x = Inputs::Dense(x);
    assert_eq!(before.scores(&x, Query::default()).unwrap(), after.scores(&x, Query::default()).unwrap());
    assert!(!after.has_posterior());
    let mut other = before.clone();
    if let Some(classes) = other.info.classes.as_mut() {
        classes.names.push("one more".into());
    }
    let said = Model::from_bytes(other.to_bytes().unwrap()).unwrap_err().to_string();
    assert!(said.contains("classes are not those of 2 outputs"), "{said}");
}

#[test]
fn what_cannot_be_learned_is_refused() {
    let rows = |y: &[f64]| {
        Table::new(Mat::from_fn(y.len(), 1, |i, _| i as f64), Mat::from_fn(y.len(), 1, |i, _| y[i])).unwrap()
    };
    let learner = small(8);
    assert_eq!(
        refused(&learner, &rows(&[1.0, 1.0, 1.0])),
        "one class only (1): there is nothing to tell apart; expected rows of at least two classes"
    );
    let none = rows(&[0.0, 1.0]).weighted(Weights::Row(vec![0.0; 2])).unwrap();
    assert!(refused(&learner, &none).starts_with("no row counts"));
    let said = refused(&learner, &rows(&[0.0, f64::NAN, 1.0]));
    assert_eq!(said, "row 2, column class: the label is missing (every row to learn from needs one)");
    assert!(
        refused(&learner, &rows(&[0.0, 0.5, 1.0])).contains("row 2, column class: 0.5 is not the number of a class")
    );
    assert!(refused(&learner, &rows(&[0.0, -1.0])).contains("-1 is not the number of a class"));
    let wide = Table::new(Mat::zeros(3, 1), Mat::zeros(3, 2)).unwrap();
    assert!(refused(&learner, &wide).contains("expected one output"));
    let given = Map::from_iter([("seven".to_string(), json!(2.0))]);
    let weighted = Classification { class_weight: ClassWeight::Given(given), ..small(8) };
    let said = refused(&weighted, &rows(&[0.0, 1.0]));
    assert_eq!(said, "class_weight: expected weights of the classes 0, 1, got one of \"seven\"");
    let views = json!({"kernel": "transformable(gaussian, [[1]])"});
    let views = Classification::from_values(views.as_object().unwrap()).unwrap();
    assert!(refused(&views, &rows(&[0.0, 1.0])).starts_with("a transformable kernel with classes is refused"));
}

/// A class with one row, or with none, is no obstacle.
#[test]
fn small_classes_work() {
    let mut stream = Stream::new(2, 2, 2);
    let y: Vec<f64> = (0..40).map(|i| if i == 17 { 3.0 } else { (i % 2) as f64 }).collect();
    let x = Mat::from_fn(40, 1, |i, _| 3.0 * y[i] + 0.2 * stream.normal());
    let table = Table::new(x.clone(), Mat::from_fn(40, 1, |i, _| y[i])).unwrap();
    let found = model(json!({}), &table);
    let names = &found.classes().unwrap().names;
    assert_eq!(names.len(), 4);
    let scores = found.scores(&Inputs::Dense(x), Query::default()).unwrap();
    let right = orff::model::Classes::decide(&scores).iter().zip(&y).filter(|(a, b)| **a as f64 == **b).count();
    assert!(right >= 39, "{right}");
    assert!(found.info.training.choices.iter().any(|c| c == "class 2: no rows to learn from"));
    // two rows of two classes
    let two = Table::new(faer::mat![[0.0], [1.0]], faer::mat![[0.0], [1.0]]).unwrap();
    let found = model(json!({}), &two);
    let p = found.probabilities(&found.scores(&Inputs::Dense(faer::mat![[0.0]]), Query::default()).unwrap()).unwrap();
    assert!(p[(0, 0)].is_finite());
}
