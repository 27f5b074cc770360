//! Synthetic data: what the generators promise about their fields, seeds and noise.

use faer::Mat;
use orff::generate::{
    Bend, Noise, Potential, Sample, autoregression, minh_field, minh_field_at, minh_points, multi_output,
    potential_field, vortex_field,
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

#[test]
fn series_of_the_thesis_follow_their_laws() {
    // the laws as the README of the data has them: g, the covariance C and s
    type Setting = (Bend, Noise, fn(f64) -> f64, fn(usize, usize) -> f64, f64);
    let settings: [Setting; 6] = [
        (Bend::Linear, Noise::White, |x| x, |i, j| if i == j { 0.9 } else { 0.0 }, 1.0),
        (Bend::Linear, Noise::Toeplitz, |x| x, |i, j| 0.9f64.powi(i.abs_diff(j) as i32), 1.0),
        (Bend::Exponential, Noise::White, |x| (-10.0 * x * x).exp(), |i, j| if i == j { 0.09 } else { 0.0 }, 0.1),
        (
            Bend::Exponential,
            Noise::Toeplitz,
            |x| (-10.0 * x * x).exp(),
            |i, j| 0.09f64.powi(i.abs_diff(j) as i32),
            0.1,
        ),
        (Bend::Sine, Noise::White, |x| (-x).sin(), |i, j| if i == j { 0.009 } else { 0.0 }, 1.0),
        (Bend::Sine, Noise::Toeplitz, |x| (-x).sin(), |i, j| 0.1 * 0.9f64.powi(i.abs_diff(j) as i32), 1.0),
    ];
    let n = 20_000;
    for (bend, noise, g, c, s) in settings {
        let (series, other) =
            (autoregression(n, 5, bend, noise, 3).unwrap(), autoregression(30, 5, bend, noise, 3).unwrap());
        assert_eq!(series.values.subrows(0, 30), other.values.subrows(0, 30), "the first rows of more");
        assert_ne!(autoregression(30, 5, bend, noise, 4).unwrap().values, other.values);
        let w = &series.weights;
        let beside = (0..25).filter(|k| k / 5 != k % 5 && w[(k / 5, k % 5)] != 0.0).count();
        assert_eq!(beside, 5);
        assert!((0..5).all(|i| w[(i, i)] == if bend == Bend::Exponential { 0.5 } else { 0.9 }));
        let largest = w.eigenvalues().unwrap().iter().map(|l| l.norm()).fold(0.0, f64::max);
        assert!(largest < 1.0, "{largest}");
        // the rows by definition, and residuals with the covariance s²C to five standard errors
        let rest = &series.values - &series.truth;
        let mut sums = Mat::<f64>::zeros(5, 5);
        for t in 1..n {
            for i in 0..5 {
                let mean: f64 = (0..5).map(|j| w[(j, i)] * g(series.values[(t - 1, j)])).sum();
                assert!((series.truth[(t, i)] - mean).abs() < 1e-10, "{bend:?} {noise:?} row {t}");
                (0..5).for_each(|j| sums[(i, j)] += rest[(t, i)] * rest[(t, j)]);
            }
        }
        for i in 0..5 {
            for j in 0..5 {
                let of = |i, j| s * s * c(i, j);
                let error = ((of(i, j) * of(i, j) + of(i, i) * of(j, j)) / n as f64).sqrt();
                let seen = sums[(i, j)] / (n - 1) as f64;
                assert!((seen - of(i, j)).abs() < 5.0 * error, "{bend:?} {noise:?} {i} {j}: {seen} {}", of(i, j));
                assert_eq!(series.noise[(i, j)], series.noise[(j, i)]);
                assert!((series.noise[(i, j)] - of(i, j)).abs() < 1e-12);
            }
        }
    }
    assert!(autoregression(0, 5, Bend::Sine, Noise::White, 1).is_err());
    assert!(autoregression(5, 0, Bend::Sine, Noise::White, 1).is_err());
    assert_eq!(autoregression(5, 1, Bend::Linear, Noise::Toeplitz, 1).unwrap().values.shape(), (5, 1));
}
