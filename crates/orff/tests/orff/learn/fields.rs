//! Fitted fields keep their geometry in the coordinates of the user; outputs that are views are one scalar problem.

use super::{field_points, field_rows};
use faer::Mat;
use orff::learn::{Regression, Ridge};
use orff::model::Query;
use orff::params::Auto;
use orff::random::Stream;
use orff::rows::{Inputs, Table};
use orff::watch::Silent;

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
