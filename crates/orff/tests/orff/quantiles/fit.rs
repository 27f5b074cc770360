//! What the learner makes of rows.

use super::{pinball, truth, wave};
use faer::Mat;
use orff::Error;
use orff::learn::{Conformal, QuantileFunction};
use orff::model::{Model, Query};
use orff::params::Auto;
use orff::rows::{Inputs, Table, Weights};
use orff::watch::Silent;

fn fit(learner: &QuantileFunction, x: &Mat<f64>, y: &Mat<f64>) -> Result<Model, Error> {
    learner.model(&Table::new(x.clone(), y.clone())?, &mut Silent)
}

const LEVELS: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

#[test]
fn quantiles_of_a_known_law() {
    let ((x, y), (fresh, seen)) = (wave(1500, 1), wave(2000, 2));
    let model = fit(&QuantileFunction::default(), &x, &y).unwrap();
    let q = model.quantiles(&Inputs::Dense(fresh.clone()), &LEVELS).unwrap();
    for (k, t) in LEVELS.into_iter().enumerate() {
        let mean = |of: &dyn Fn(usize) -> f64| (0..2000).map(of).sum::<f64>() / 2000.0;
        let found = mean(&|i| pinball(seen[(i, 0)], q[(i, k)], t));
        let best = mean(&|i| pinball(seen[(i, 0)], truth(fresh[(i, 0)], t), t));
        assert!(found < 1.03 * best, "level {t}: {found} against {best}");
        let apart = mean(&|i| (q[(i, k)] - truth(fresh[(i, 0)], t)).abs());
        assert!(apart < 0.1, "level {t}: {apart}");
    }
    let said = model.info.training.choices.join("\n");
    assert!(said.contains("duality gap") && said.contains("converged"), "{said}");
}

#[test]
fn several_outputs_are_fitted_as_each_alone() {
    let ((x, y), (_, z)) = (wave(80, 3), wave(80, 4));
    let both = Mat::from_fn(80, 2, |i, t| if t == 0 { y[(i, 0)] } else { 5.0 * z[(i, 0)] - 3.0 });
    let learner =
        QuantileFunction { lengthscale: 0.4.into(), ridge: Auto::Fixed(1e-3), ..QuantileFunction::default() };
    let (joint, alone) = (fit(&learner, &x, &both).unwrap(), fit(&learner, &x, &y).unwrap());
    let at = Inputs::Dense(x);
    let (a, b) = (joint.quantiles(&at, &LEVELS).unwrap(), alone.quantiles(&at, &LEVELS).unwrap());
    assert_eq!((a.ncols(), joint.outputs()), (10, 2));
    // rows come in another order
    assert!((a.subcols(0, 5) - &b).norm_max() < 0.05);
    // the median is the prediction
    let median = joint.predict(&at, Query::default()).unwrap().mean;
    assert!(median.col(0) == a.col(2) && median.col(1) == a.col(7));
}

#[test]
fn a_weight_is_a_repetition_and_nothing_depends_on_the_order() {
    let (x, y) = wave(60, 5);
    let times = |i: usize| i % 3;
    let again: Vec<usize> = (0..60).rev().flat_map(|i| vec![i; times(i)]).collect();
    let rows = |m: &Mat<f64>| Mat::from_fn(again.len(), 1, |i, _| m[(again[i], 0)]);
    let weights = Weights::Row((0..60).map(|i| times(i) as f64).collect());
    let weighted = Table::new(x.clone(), y.clone()).unwrap().weighted(weights).unwrap();
    let repeated = Table::new(rows(&x), rows(&y)).unwrap();
    let learner = QuantileFunction::default();
    let at = |table: &Table| {
        learner.model(table, &mut Silent).unwrap().quantiles(&Inputs::Dense(x.clone()), &LEVELS).unwrap()
    };
    assert!((at(&weighted) - at(&repeated)).norm_max() < 1e-9);
}

#[test]
fn outputs_that_are_missing_count_nothing() {
    let (x, y) = wave(90, 6);
    let gaps = Mat::from_fn(90, 2, |i, t| if t == 1 && i % 2 == 0 { f64::NAN } else { y[(i, 0)] });
    let learner = QuantileFunction {
        lengthscale: 0.4.into(),
        ridge: Auto::Fixed(1e-3),
        tolerance: 1e-5,
        ..QuantileFunction::default()
    };
    let odd = |m: &Mat<f64>| Mat::from_fn(45, 1, |i, _| m[(2 * i + 1, 0)]);
    let (some, all) = (fit(&learner, &odd(&x), &odd(&y)).unwrap(), fit(&learner, &x, &gaps).unwrap());
    let (a, b) = (some.quantiles(&Inputs::Dense(x.clone()), &[0.5]), all.quantiles(&Inputs::Dense(x), &[0.5]));
    assert!((a.unwrap().col(0) - b.unwrap().col(1)).norm_max() < 0.02);
}

#[test]
fn outputs_without_noise_are_learned_to_the_end() {
    let x = Mat::from_fn(300, 1, |i, _| i as f64 / 150.0 - 1.0);
    let y = Mat::from_fn(300, 1, |i, _| 5.0 * (3.0 * x[(i, 0)]).sin());
    let model = fit(&QuantileFunction::default(), &x, &y).unwrap();
    let said = model.info.training.choices.join("\n");
    assert!(said.contains(": converged") && !said.contains("not converged"), "{said}");
    let q = model.quantiles(&Inputs::Dense(x), &LEVELS).unwrap();
    let apart = (0..300).map(|i| (0..5).map(|k| (q[(i, k)] - y[(i, 0)]).abs()).fold(0.0, f64::max));
    assert!(apart.fold(0.0, f64::max) < 1e-4, "{q:?}");
}

#[test]
fn few_and_constant_rows_are_answered() {
    let at = Inputs::Dense(Mat::from_fn(4, 1, |i, _| i as f64));
    for n in [1, 2, 5] {
        let x = Mat::from_fn(n, 1, |i, _| i as f64);
        let model = fit(&QuantileFunction::default(), &x, &Mat::full(n, 1, 7.0)).unwrap();
        let q = model.quantiles(&at, &[0.1, 0.9]).unwrap();
        assert!((0..4).all(|i| (q[(i, 0)] - 7.0).abs() < 1e-6 && (q[(i, 1)] - 7.0).abs() < 1e-6), "{n} {q:?}");
    }
    let flat = fit(&QuantileFunction::default(), &Mat::full(30, 1, 2.0), &wave(30, 7).1).unwrap();
    assert!(flat.quantiles(&at, &[0.5]).unwrap()[(0, 0)].is_finite());
}

#[test]
fn what_cannot_be_done_is_refused() {
    let (x, y) = wave(40, 8);
    let said = |learner: QuantileFunction| fit(&learner, &x, &y).err().map(|e| e.to_string()).unwrap_or_default();
    let usual = QuantileFunction::default;
    assert!(
        said(QuantileFunction { kernel: "curl-free".parse().unwrap(), ..usual() })
            .starts_with("kernel: expected a scalar one")
    );
    assert!(
        said(QuantileFunction { memory: 1, features: Auto::Fixed(100_000), ..usual() })
            .starts_with("features: expected so many")
    );
    let one = fit(
        &QuantileFunction { conformal: Conformal::Share(0.9), ..usual() },
        &x.subrows(0, 1).to_owned(),
        &y.subrows(0, 1).to_owned(),
    );
    assert!(one.err().unwrap().to_string().contains("lower the parameter conformal"));
    let one = fit(
        &QuantileFunction { conformal: Conformal::Auto, ..usual() },
        &x.subrows(0, 1).to_owned(),
        &y.subrows(0, 1).to_owned(),
    );
    assert!(one.err().unwrap().to_string().contains("leave out the parameter conformal"));
    let model = fit(&usual(), &x, &y).unwrap();
    for level in [0.0, 1.0, -0.1, f64::NAN, f64::INFINITY] {
        let refused = model.quantiles(&Inputs::Dense(x.clone()), &[0.5, level]).unwrap_err().to_string();
        assert!(refused.starts_with("levels: expected a number between 0 and 1"), "{refused}");
    }
    let regression = orff::learn::learner("regression").unwrap();
    let other =
        (regression.fit)(&Default::default(), &Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
    assert!(
        other
            .quantiles(&Inputs::Dense(x.clone()), &[0.5])
            .unwrap_err()
            .to_string()
            .contains("fit a model of quantiles")
    );
}
