//! Synthetic data: what the generators promise about their fields, seeds and noise.

use faer::Mat;
use orff::generate::{
    Potential, Sample, minh_field, minh_field_at, minh_points, multi_output, potential_field, vortex_field,
};

/// ∂f_a/∂x_b by central differences (p×d).
fn jacobian(f: impl Fn(&[f64]) -> Vec<f64>, x: &[f64]) -> Mat<f64> {
    let h = 1e-5;
    let moved = |b: usize, by: f64| {
        let mut x = x.to_vec();
        x[b] += by;
        f(&x)
    };
    let columns: Vec<(Vec<f64>, Vec<f64>)> = (0..x.len()).map(|b| (moved(b, h), moved(b, -h))).collect();
    Mat::from_fn(columns[0].0.len(), x.len(), |a, b| (columns[b].0[a] - columns[b].1[a]) / (2.0 * h))
}

/// Noise has the standard deviation that was asked for, to five standard errors.
fn noise_is(sample: &Sample, noise: f64) {
    let (n, p) = (sample.truth.nrows(), sample.truth.ncols());
    let residual = &sample.outputs - &sample.truth;
    let square = residual.squared_norm_l2() / (n * p) as f64;
    let error = (2.0 / (n * p) as f64).sqrt();
    assert!((square / (noise * noise) - 1.0).abs() < 5.0 * error, "{square}");
}

#[test]
fn minh_points_touch_the_cube() {
    let x = minh_points(100, 3, 4).unwrap();
    assert_eq!((x.nrows(), x.ncols(), x.norm_max()), (100, 3, 1.0));
    assert!(x == minh_points(100, 3, 4).unwrap() && x != minh_points(100, 3, 5).unwrap());
    // normal before the scaling: the fourth moment is 3 times the square of the second
    let many = minh_points(20_000, 2, 1).unwrap();
    let moment = |k: i32| many.col_iter().flat_map(|c| c.iter()).map(|v| v.powi(k)).sum::<f64>() / 40_000.0;
    let (second, fourth) = (moment(2), moment(4));
    assert!((fourth / (second * second) - 3.0).abs() < 5.0 * (24.0 / 40_000f64).sqrt());
    assert!(minh_points(0, 3, 1).is_err() && minh_points(3, 0, 1).is_err());
}

#[test]
fn minh_field_is_curl_free_on_its_grid() {
    let field = minh_field();
    assert_eq!((field.inputs.nrows(), field.truth.ncols()), (1600, 2));
    assert_eq!((field.inputs[(0, 0)], field.inputs[(0, 1)]), (-1.0, -1.0));
    assert!((field.inputs[(1599, 0)] + 0.4765).abs() < 1e-15 && (field.inputs[(39, 1)] + 1.0).abs() < 1e-15);
    let j = jacobian(|x| minh_field_at(x[0], x[1]).to_vec(), &[-0.9, -0.63]);
    assert!((j[(0, 1)] - j[(1, 0)]).abs() < 1e-8 && j[(0, 1)].abs() > 0.1);
}

#[test]
fn potential_fields_are_gradients_and_vortices_their_rotation() {
    let (field, vortex) = (potential_field(500, 3, 0.2, 7).unwrap(), vortex_field(500, 0.2, 7).unwrap());
    noise_is(&field, 0.2);
    noise_is(&vortex, 0.2);
    let potential = Potential::draw(3, 5, 7);
    let x = [0.3, -0.2, 0.6];
    let slope = jacobian(|x| vec![potential.value(x)], &x);
    let gradient = potential.gradient(&x);
    assert!((0..3).all(|k| (slope[(0, k)] - gradient[k]).abs() < 1e-8));
    assert!(field.truth.norm_max() > 0.5);

    let plane = potential_field(500, 2, 0.2, 7).unwrap();
    assert_eq!(plane.inputs, vortex.inputs);
    assert!(
        (0..500)
            .all(|i| { plane.truth[(i, 0)] == vortex.truth[(i, 1)] && plane.truth[(i, 1)] == -vortex.truth[(i, 0)] })
    );
    let potential = Potential::draw(2, 5, 7);
    let j = jacobian(|x| vec![-potential.gradient(x)[1], potential.gradient(x)[0]], &[0.1, 0.4]);
    assert!((j[(0, 0)] + j[(1, 1)]).abs() < 1e-8 && j[(0, 0)].abs() > 1e-3);
}

#[test]
fn multi_output_is_correlated_smooth_and_reproducible() {
    let data = multi_output(2000, 3, 5, 0.3, 2).unwrap();
    noise_is(&data, 0.3);
    // five outputs, three latent functions: rank 3
    let values = data.truth.singular_values().unwrap();
    assert!(values[2] > 1.0 && values[3] < 1e-10 * values[0]);
    assert_eq!(data, multi_output(2000, 3, 5, 0.3, 2).unwrap());
    assert_eq!(multi_output(10, 3, 5, 0.0, 2).unwrap().outputs, data.truth.subrows(0, 10).to_owned());
}

#[test]
fn impossible_requests_are_refused() {
    let message = |r: orff::Result<Sample>| r.unwrap_err().to_string();
    assert_eq!(message(potential_field(0, 2, 0.1, 1)), "rows: expected at least one, got 0");
    assert_eq!(message(potential_field(5, 0, 0.1, 1)), "inputs: expected at least one, got 0");
    assert_eq!(message(multi_output(5, 2, 0, 0.1, 1)), "outputs: expected at least one, got 0");
    assert_eq!(message(vortex_field(5, -1.0, 1)), "noise: expected a finite number ≥ 0, got -1");
    assert_eq!(message(vortex_field(5, f64::NAN, 1)), "noise: expected a finite number ≥ 0, got NaN");
}
