//! Groups: their charts, a kernel in the coordinates of the user, values outside the domain.

use super::{given, matrix, says};
use faer::mat;
use orff::group::Group;
use orff::kernel::Kernel;
use orff::model::Preparation;
use orff::rows::{Csr, Inputs};
use orff::spectrum::SkewedChi2;

#[test]
fn charts_are_homomorphisms() {
    let groups = [
        (Group::Multiplicative, vec![0.0, 0.0]),
        (Group::Skewed { c: vec![0.7] }, vec![0.7, 0.7]),
        (Group::Skewed { c: vec![0.7, 1.9] }, vec![0.7, 1.9]),
    ];
    for (group, c) in groups {
        group.check(2).unwrap();
        for (k, c) in c.iter().enumerate() {
            // (x ⊙ z) + c = (x + c)(z + c)
            let (x, z) = (0.31, 2.7);
            let product = (x + c) * (z + c) - c;
            let chart = |v: f64| group.chart(k, v).unwrap();
            assert!((chart(product) - chart(x) - chart(z)).abs() < 1e-14);
            // neutral element and inverse
            assert!(chart(1.0 - c).abs() < 1e-15);
            assert!((chart(1.0 / (x + c) - c) + chart(x)).abs() < 1e-14);
            let h = 1e-6;
            let slope = (chart(x + h) - chart(x - h)) / (2.0 * h);
            assert!((group.derivative(k, x) - slope).abs() < 1e-8);
            assert_eq!(group.chart(k, -c), None);
            assert_eq!(group.chart(k, f64::NAN), None);
        }
    }
    assert_eq!(Group::Additive.chart(0, -3.5), Some(-3.5));
    says(Group::Skewed { c: vec![1.0, 2.0] }.check(3), "c of the skewed group: expected one number or 3, got 2");
}

/// In the user's coordinates the kernel is ∏ 2√(xₖ+c)√(zₖ+c)/(xₖ+zₖ+2c); features through the chart converge to it.
#[test]
fn skewed_chi2_is_itself_in_the_users_coordinates() {
    let c = [0.4, 1.1, 0.05];
    let group = Group::Skewed { c: c.to_vec() };
    let (x, z) = ([0.3, -0.9, 2.0], [1.7, 0.4, 0.6]);
    let chart = |x: &[f64; 3]| -> Vec<f64> { (0..3).map(|k| group.chart(k, x[k]).unwrap()).collect() };
    let kernel = Kernel::decomposable(SkewedChi2 { lengthscale: 1.0.into() }.into(), given(mat![[1.0]]));
    let exact: f64 =
        (0..3).map(|k| 2.0 * ((x[k] + c[k]) * (z[k] + c[k])).sqrt() / (x[k] + z[k] + 2.0 * c[k])).product();
    assert!((kernel.eval(&chart(&x), &chart(&z)).unwrap()[(0, 0)] - exact).abs() < 1e-14);
}

#[test]
fn a_value_outside_the_group_is_named() {
    let preparation = Preparation { group: Group::Skewed { c: vec![0.5, 2.0] }, ..Preparation::plain(2) };
    let x = Inputs::Dense(mat![[1.0, 1.0], [3.0, -2.5], [1.0, 1.0]]);
    let error = preparation.prepare(&x, 11).unwrap_err().to_string();
    assert_eq!(error, "row 12, column 2: -2.5 is outside the domain of the skewed group (x > -2)");
    // with two views a row of data is two rows of the scalar problem, but still one row to the user
    let views = vec![matrix(mat![[1.0, 0.0]]), matrix(mat![[0.0, 1.0]])];
    let preparation = Preparation {
        views,
        group: Group::Multiplicative,
        centre: vec![0.0],
        scale: vec![1.0],
        ..Preparation::plain(2)
    };
    let x = Inputs::Dense(mat![[1.0, 1.0], [3.0, 1.0], [1.0, -4.0]]);
    let error = preparation.prepare(&x, 1).unwrap_err().to_string();
    assert!(error.starts_with("row 3, ") && error.contains(": -4 is outside"), "{error}");
    let x = Inputs::Dense(mat![[1.0, 1.0], [f64::INFINITY, 1.0]]);
    let error = Preparation::plain(2).prepare(&x, 1).unwrap_err().to_string();
    assert!(error.starts_with("row 2, column 1: inf is not a finite number"), "{error}");
    let wide = Csr { width: 2, start: vec![0, 1], columns: vec![2], values: vec![0.5] };
    let error = Preparation::plain(2).prepare(&Inputs::Sparse(wide), 1).unwrap_err().to_string();
    assert!(error.starts_with("row 1, column 3: ") && error.contains("2 columns"), "{error}");
}
