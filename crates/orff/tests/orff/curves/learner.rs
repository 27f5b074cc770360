//! What is chosen and said, gaps, weights, files.

use super::{inputs, on_grid, ragged};
use faer::Mat;
use orff::learn::{FunctionalRidge, Grid};
use orff::model::{Model, Query};
use orff::params::Auto;
use orff::rows::{Inputs, Points, Rows, Table, Weights};
use orff::watch::Silent;

fn grid() -> Vec<f64> {
    (0..10).map(|k| 2.0 + k as f64 / 9.0).collect()
}

fn fitted(learner: &FunctionalRidge, rows: &dyn Rows) -> Model {
    learner.model(rows, &mut Silent).unwrap()
}

fn at_grid(learner: &FunctionalRidge, x: &Mat<f64>, y: &Mat<f64>, weights: Option<Weights>) -> Mat<f64> {
    let rows = Table::new(x.clone(), y.clone()).unwrap();
    let rows = match weights {
        Some(weights) => rows.weighted(weights).unwrap(),
        None => rows,
    };
    fitted(learner, &rows).predict(&Inputs::Dense(inputs(7, 8)), Query::default()).unwrap().mean
}

#[test]
fn defaults_say_what_they_chose() {
    let x = inputs(60, 1);
    let learner = FunctionalRidge { grid: Grid::Given(grid()), ..FunctionalRidge::default() };
    let model = fitted(&learner, &Table::new(x.clone(), on_grid(&x, &grid(), 0.1, 1)).unwrap());
    let said = model.info.training.choices.join("\n");
    for word in [
        "features 480",
        "lengthscale ",
        "lengthscale of the argument",
        "ridge",
        "features of the argument",
        "one at a time",
        "no error bars",
    ] {
        assert!(said.contains(word), "{word}: {said}");
    }
    let (_, argument) = model.functions().unwrap();
    assert_eq!((argument.values.clone(), argument.range), (grid(), (2.0, 3.0)));
    let refused = model.predict(&Inputs::Dense(x), Query { std: true, ..Query::default() }).unwrap_err().to_string();
    assert!(refused.contains("no error bars"), "{refused}");
}

/// Rougher curves ask for a shorter lengthscale of the argument.
#[test]
fn the_lengthscale_of_the_argument_follows_the_curves() {
    let x = inputs(80, 1);
    let t: Vec<f64> = (0..40).map(|k| k as f64 / 39.0).collect();
    let chosen = |speed: f64| {
        let y = Mat::from_fn(80, 40, |i, k| (speed * t[k] + x[(i, 0)]).sin() + 0.3 * x[(i, 1)]);
        let learner = FunctionalRidge { grid: Grid::Given(t.clone()), ..FunctionalRidge::default() };
        let model = fitted(&learner, &Table::new(x.clone(), y).unwrap());
        let (_, argument) = model.functions().unwrap();

        argument.kernel.eval(&[0.0], &[0.05 / argument.scale]).unwrap()[(0, 0)] // the closer to 1, the longer
    };
    assert!(chosen(2.0) > chosen(25.0) + 1e-3, "{} {}", chosen(2.0), chosen(25.0));
}

#[test]
fn what_is_not_observed_is_not_learned_from() {
    let (x, t) = (inputs(40, 1), grid());
    let y = on_grid(&x, &t, 0.1, 1);
    let holes = Mat::from_fn(40, 10, |i, k| if (i + 3 * k) % 4 == 0 { f64::NAN } else { y[(i, k)] });
    let learner = FunctionalRidge { tolerance: 1e-12, ..FunctionalRidge::default() };
    let wide = FunctionalRidge { grid: Grid::Given(t.clone()), ..learner.clone() };
    let found = at_grid(&wide, &x, &holes, None);
    // the same as points, and as points of weight zero whose values are nonsense
    let curves: Vec<_> =
        (0..40).map(|i| (0..10).filter(|&k| !holes[(i, k)].is_nan()).map(|k| (t[k], y[(i, k)])).unzip()).collect();
    let model = fitted(&learner, &Points::of(Inputs::Dense(x.clone()), &curves).unwrap());
    let values = model.values(&Inputs::Dense(inputs(7, 8)), &t).unwrap();
    assert!((&values - &found).norm_max() < 1e-9, "{}", (&values - &found).norm_max());
    let w = Mat::from_fn(40, 10, |i, k| if holes[(i, k)].is_nan() { 0.0 } else { 1.0 });
    let nonsense = Mat::from_fn(40, 10, |i, k| if holes[(i, k)].is_nan() { 1e3 } else { y[(i, k)] });
    assert!((&at_grid(&wide, &x, &nonsense, Some(Weights::Entry(w))) - &found).norm_max() < 1e-9);
}

#[test]
fn a_weight_is_a_number_of_copies() {
    let (x, t) = (inputs(20, 1), grid());
    let y = on_grid(&x, &t, 0.1, 1);
    let learner = FunctionalRidge { grid: Grid::Given(t), ..FunctionalRidge::default() };
    let w: Vec<f64> = (0..20).map(|i| (i % 3) as f64).collect();
    let copies: Vec<usize> = (0..20).flat_map(|i| vec![i; i % 3]).collect();
    let some = |m: &Mat<f64>| Mat::from_fn(copies.len(), m.ncols(), |i, k| m[(copies[i], k)]);
    let weighted = at_grid(&learner, &x, &y, Some(Weights::Row(w)));
    assert!((&weighted - &at_grid(&learner, &some(&x), &some(&y), None)).norm_max() < 1e-9);
}

#[test]
fn a_file_brings_back_curves() {
    let x = inputs(30, 1);
    let rows = Points::of(Inputs::Dense(x.clone()), &ragged(&x, 0.1, 1)).unwrap();
    let model = fitted(&FunctionalRidge { features: Auto::Fixed(40), ..FunctionalRidge::default() }, &rows);
    let back = Model::from_bytes(model.to_bytes().unwrap()).unwrap();
    let fresh = Inputs::Dense(inputs(5, 3));
    let at = [-0.2, 0.3, 1.4];
    assert_eq!(model.values(&fresh, &at).unwrap(), back.values(&fresh, &at).unwrap());
    assert_eq!(model.functions().unwrap().1, back.functions().unwrap().1);
    assert!(back.quantiles(&fresh, &[0.5]).unwrap_err().to_string().contains("fit a model of quantiles"));
    assert_eq!(back.info.outputs.len(), back.outputs());
}

/// One at a time and all together, at common arguments and at one for each row.
#[test]
fn answers_do_not_depend_on_each_other() {
    let x = inputs(30, 1);
    let rows = Points::of(Inputs::Dense(x.clone()), &ragged(&x, 0.1, 1)).unwrap();
    let model = fitted(&FunctionalRidge::default(), &rows);
    let fresh = inputs(6, 3);
    let at = [0.0, 0.21, 0.5, 0.77, 0.9, 1.0];
    let all = model.values(&Inputs::Dense(fresh.clone()), &at).unwrap();
    let columns = model.columns(&Inputs::Dense(fresh.clone()), false).unwrap();
    let each = model.functions().unwrap().0.value_of_each(columns.as_ref(), &at).unwrap();
    for i in 0..6 {
        assert!((each[i] - all[(i, i)]).abs() < 1e-12);
        let one = model.values(&Inputs::Dense(fresh.subrows(i, 1).to_owned()), &at[i..=i]).unwrap();
        assert!((one[(0, 0)] - all[(i, i)]).abs() < 1e-12);
    }
}
