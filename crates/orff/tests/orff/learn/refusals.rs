//! Bad data, bad files and numbers beyond measure are refused by name and place, never by a panic.

use super::noisy;
use faer::Mat;
use orff::group::Group;
use orff::learn::{FourierFeatures, Nystrom, Regression, Ridge, learner};
use orff::model::{Body, Info, Model, Query};
use orff::params::Auto;
use orff::rows::{Csr, Inputs, Table, Weights};
use orff::spectrum::Lengthscale;
use orff::watch::Silent;
use serde_json::{Map, Value, json};

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

/// A file may be sealed and yet contradict itself.
#[test]
fn parts_that_do_not_belong_together_are_refused() {
    let (x, y) = noisy(60);
    let learner = Regression { features: Auto::Fixed(16), ..Regression::default() };
    let linear = learner.fit(&Table::new(x.clone(), y).unwrap(), &mut Silent).unwrap().model;
    let back = |linear: &orff::model::Linear, edit: &dyn Fn(&mut Info)| {
        let mut info = Info::default();
        edit(&mut info);
        let model = Model {
            body: Body::Linear(Box::new(linear.clone())),
            projection: None,
            info,
            series: None,
            curves: None,
            alignment: None,
        };
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
    for weights in [Weights::Row(vec![1e-320; 40]), Weights::Entry(Mat::full(40, 3, 1e-320))] {
        let said = refused(rows().weighted(weights).unwrap());
        assert!(said.starts_with("weights: expected a sum above 1e-150"), "{said}");
    }
    // in whatever batches they come, those of all rows count
    let uneven = Weights::Row((0..40).map(|i| if i < 10 { 1e-320 } else { 1.0 }).collect());
    assert!(Regression::default().fit(&rows().weighted(uneven).unwrap().batched(5), &mut Silent).is_ok());
    let tiny = |scale: f64| Table::new(faer::Scale(scale) * &x, y.clone()).unwrap();
    assert_eq!(
        refused(tiny(1e-300)),
        "input 1: its values lie too close together for floating-point numbers; look for wrong entries, or change its unit"
    );
    assert!(Regression::default().fit(&tiny(1e-140), &mut Silent).is_ok());
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

/// Choices come from some of the rows; a value that they cannot be made from is named by its row among all.
#[test]
fn a_wrong_value_is_named_by_its_row_whether_it_is_in_the_sample_or_not() {
    let n = 3 * orff::learn::SAMPLE_ROWS;
    let y = Mat::from_fn(n, 1, |i, _| (i % 7) as f64);
    for row in n - 12..n {
        let x =
            |wrong: f64| Mat::from_fn(n, 2, |i, k| if (i, k) == (row, 1) { wrong } else { (i % 11 + k + 1) as f64 });
        let said = |learner: Regression, wrong: f64| {
            let rows = Table::new(x(wrong), y.clone()).unwrap().batched(5000);
            learner.fit(&rows, &mut Silent).err().unwrap().to_string()
        };
        let plain = || Regression {
            features: Auto::Fixed(16),
            lengthscale: Lengthscale::Common(1.0),
            ridge: Ridge::Given(1e-3),
            ..Regression::default()
        };
        let on = Regression { group: Group::Multiplicative, ..plain() };
        for said in [said(plain(), f64::NAN), said(on, -1.0)] {
            assert!(said.contains(&format!("row {}, column 2", row + 1)), "row {}: {said}", row + 1);
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

#[test]
fn the_ends_of_floating_point_are_refused_by_the_name_of_what_is_there() {
    let (x, y) = noisy(40);
    let rows = || Table::new(x.clone(), y.clone()).unwrap();
    let said = |name: &str, given: Value, rows: &Table| -> String {
        let given: Map<String, Value> = given.as_object().cloned().unwrap();
        let features = if name == "joint-quantiles" { json!({}) } else { json!({ "features": 16 }) };
        let given = given.into_iter().chain(features.as_object().cloned().unwrap()).collect();
        (learner(name).unwrap().fit)(&given, rows, &mut Silent).err().unwrap().to_string()
    };
    let light = rows().weighted(Weights::Row(vec![5e-324; 40])).unwrap();
    for name in ["functional", "quantiles", "joint-quantiles", "regression"] {
        let said = said(name, json!({}), &light);
        assert!(said.starts_with("weights: expected a sum above 1e-150"), "{name}: {said}");
    }
    for level in [5e-324, 1.0 - 2f64.powi(-53)] {
        let said = said("joint-quantiles", json!({ "levels": [level] }), &rows());
        assert!(said.starts_with("levels: expected numbers from 1e-9 to 1 − 1e-9"), "{said}");
    }
    for bandwidth in [1e150, 1e-150] {
        let said = said("laplacian", json!({ "bandwidth": bandwidth }), &rows());
        assert!(said.starts_with("bandwidth: expected numbers from 1e-140 to 1e140"), "{said}");
    }
    let given = json!({ "features": 16 }).as_object().cloned().unwrap();
    let model = (learner("quantiles").unwrap().fit)(&given, &rows(), &mut Silent).unwrap();
    let at = model.curves.as_ref().unwrap().margins(y.ncols(), 1.0 - 2f64.powi(-53));
    assert!(at.unwrap_err().to_string().starts_with("interval: expected a number between 0 and 1"));
}
