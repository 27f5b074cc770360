//! The learner end to end: rows → fit → file → predict, with what it chooses and says.

mod fields;
mod intervals;
mod refusals;
mod rows;

use faer::Mat;
use orff::learn::{Regression, Ridge};
use orff::model::{Body, Info, Model, Query};
use orff::params::Auto;
use orff::random::Stream;
use orff::rows::{Inputs, Table};
use orff::watch::Silent;

fn noisy(n: usize) -> (Mat<f64>, Mat<f64>) {
    let mut s = Stream::new(3, 1, 0);
    let x = Mat::from_fn(n, 2, |_, _| 3.0 * s.uniform());
    let y = Mat::from_fn(n, 3, |i, t| {
        (x[(i, 0)] * (t + 1) as f64).sin() + x[(i, 1)] * x[(i, 1)] * 0.3 + 0.1 * s.normal()
    });
    (x, y)
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
fn every_learner_passes_the_standard_check() {
    for learner in orff::learn::LEARNERS {
        let error = orff::testing::check_learner(learner).unwrap();
        assert!(error < 0.1, "{}: {error}", learner.name);
    }
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
    let model = Model {
        body: Body::Linear(Box::new(fitted.model)),
        projection: None,
        info: Info::default(),
        series: None,
        curves: None,
        alignment: None,
    };
    let back = Model::from_bytes(model.to_bytes().unwrap()).unwrap();
    let q = Query { std: true, ..Query::default() };
    let (a, b) = (model.predict(&Inputs::Dense(x.clone()), q).unwrap(), back.predict(&Inputs::Dense(x), q).unwrap());
    assert_eq!(a.mean, b.mean);
    assert_eq!(a.std, b.std);
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

/// What is said is what was done, with few rows too.
#[test]
fn choices_are_those_of_the_model() {
    let (x, y) = field_rows(5, 1.0);
    let learner =
        Regression { lengthscale: 1e4.into(), kernel: "helmholtz".parse().unwrap(), ..Regression::default() };
    let said = learner.fit(&Table::new(x, y).unwrap(), &mut Silent).unwrap().training.choices.join("\n");
    assert!(said.contains("gradient share 0.500") && !said.contains("lengthscale"), "{said}");

    // a field has no more unknowns than observed entries, or 2048
    for (n, features, unknowns) in [(300, 1024, 2048), (1200, 1200, 2400)] {
        let (x, y) = field_rows(n, 1.0);
        let kernel = "helmholtz(gaussian(10000), 0.5)".parse().unwrap();
        let learner = Regression { kernel, ridge: Ridge::Given(1e-3), posterior: false, ..Regression::default() };
        let fitted = learner.fit(&Table::new(x, y).unwrap(), &mut Silent).unwrap();
        let line = format!("features {features}: 2 unknowns per column, {unknowns} unknowns for {n} rows");
        assert_eq!(fitted.model.map.characters(), features);
        assert!(fitted.training.choices[0].starts_with(&line), "{}", fitted.training.choices[0]);
    }

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
