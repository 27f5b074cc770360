//! The learner end to end: rows → fit → file → predict.

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

#[test]
fn defaults_learn_and_a_file_brings_them_back() {
    let (x, y) = noisy(600);
    let fitted = Regression::default().fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
    for c in &fitted.training.choices {
        println!("{c}");
    }
    let noise = fitted.model.noise[(0, 0)].sqrt();
    assert!((noise - 0.1).abs() < 0.015, "{noise}");
    let model = Model { body: Body::Linear(Box::new(fitted.model)), projection: None, info: Info::default() };
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
