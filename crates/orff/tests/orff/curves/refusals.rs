//! What is no curve is refused in words.

use super::{inputs, on_grid};
use faer::Mat;
use orff::learn::{FunctionalRidge, Grid};
use orff::params::Auto;
use orff::rows::{Inputs, Points, Rows, Table};
use orff::watch::Silent;

fn said(learner: &FunctionalRidge, rows: &dyn Rows) -> String {
    match learner.model(rows, &mut Silent) {
        Ok(_) => "fitted".into(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn grids_fit_their_columns() {
    let x = inputs(12, 1);
    let rows = Table::new(x.clone(), on_grid(&x, &[0.0, 0.5, 1.0], 0.1, 1)).unwrap();
    let with =
        |grid: &[f64]| said(&FunctionalRidge { grid: Grid::Given(grid.to_vec()), ..Default::default() }, &rows);
    assert_eq!(with(&[0.0, 1.0]), "grid: expected 3 numbers, an argument for each output, got 2 numbers");
    assert_eq!(with(&[0.0, 1.0, 0.0]), "grid: expected different numbers, got 0 twice");
    assert_eq!(with(&[1.0, 0.0, 0.5]), "fitted");
    let points = Points::of(Inputs::Dense(x), &vec![(vec![0.0], vec![1.0]); 12]).unwrap();
    let both = said(&FunctionalRidge { grid: Grid::Given(vec![0.0]), ..Default::default() }, &points);
    assert!(both.contains("arguments of their own"), "{both}");
    let odd = said(&FunctionalRidge { argument_features: Auto::Fixed(7), ..Default::default() }, &rows);
    assert!(odd.starts_with("argument_features: expected an even number"), "{odd}");
    let field = FunctionalRidge { argument_kernel: "curl-free".parse().unwrap(), ..Default::default() };
    assert!(said(&field, &rows).contains("a scalar one"), "{}", said(&field, &rows));
}

#[test]
fn points_are_points() {
    let of = |curves: &[(Vec<f64>, Vec<f64>)]| match Points::of(Inputs::Dense(inputs(curves.len(), 1)), curves) {
        Ok(rows) => said(&FunctionalRidge::default(), &rows),
        Err(error) => error.to_string(),
    };
    let fine = (vec![0.0, 0.4], vec![1.0, 2.0]);
    let nan = f64::NAN;
    assert_eq!(
        of(&[fine.clone(), (vec![0.1], vec![1.0, 2.0])]),
        "curve 2: expected as many values as arguments, got 1 arguments and 2 values"
    );
    let twice = of(&[fine.clone(), (vec![0.3, 0.3], vec![1.0, 2.0])]);
    assert!(twice.contains("row 2") && twice.contains("0.3 occurs twice in one curve"), "{twice}");
    let lost = of(&[fine.clone(), (vec![nan], vec![1.0])]);
    assert!(lost.contains("row 2") && lost.contains("each value of a curve has its argument"), "{lost}");
    assert!(of(&[fine.clone(), (vec![0.3], vec![f64::INFINITY])]).contains("is not a finite number"));
    assert!(of(&[(vec![0.1], vec![nan]), (vec![], vec![])]).contains("no point of a curve was observed"));
    // curves without points, single points and single curves are fine
    assert_eq!(of(&[fine.clone(), (vec![], vec![]), (vec![0.3], vec![1.0])]), "fitted");
    assert_eq!(of(&[(vec![0.3], vec![1.0])]), "fitted");
    assert_eq!(of(&[fine]), "fitted");
    assert!(of(&[]).contains("no rows"), "{}", of(&[]));
}

#[test]
fn outputs_that_never_vary_are_fitted_as_they_are() {
    let rows = Table::new(inputs(15, 1), Mat::full(15, 4, 2.5)).unwrap();
    let model = FunctionalRidge::default().model(&rows, &mut Silent).unwrap();
    let values = model.values(&Inputs::Dense(inputs(3, 2)), &[0.0, 1.7, 30.0]).unwrap();
    assert!((0..3).all(|i| (0..3).all(|k| (values[(i, k)] - 2.5).abs() < 1e-12)));
    let refused = model.values(&Inputs::Dense(inputs(3, 2)), &[f64::NAN]).unwrap_err().to_string();
    assert_eq!(refused, "at: expected finite numbers, got NaN");
}
