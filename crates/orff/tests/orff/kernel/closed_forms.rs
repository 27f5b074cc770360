//! Fields and output operators against their formulas, written out or by differences.

use super::{adjacency, ard, cauchy, close, gaussian, matern, noise};
use faer::Mat;
use orff::kernel::{Kernel, Output};
use orff::random::Stream;

/// MATH §3, written out: e^{−‖δ‖²/2σ²}(I − δδᵀ/σ²)/σ² and e^{−‖δ‖²/2σ²}(δδᵀ/σ² + (d−1−‖δ‖²/σ²)I)/σ².
#[test]
fn gaussian_fields_have_their_closed_forms() {
    let sigma = 0.83;
    for d in [1, 2, 3, 6] {
        let mut stream = Stream::new(1, 2, d as u64);
        let x: Vec<f64> = (0..d).map(|_| stream.normal()).collect();
        let z: Vec<f64> = (0..d).map(|_| stream.normal()).collect();
        let delta: Vec<f64> = x.iter().zip(&z).map(|(a, b)| a - b).collect();
        let s2 = sigma * sigma;
        let square: f64 = delta.iter().map(|v| v * v).sum();
        let wave = (-square / (2.0 * s2)).exp();
        let eye = |i, j| if i == j { 1.0 } else { 0.0 };
        let curl = Mat::from_fn(d, d, |i, j| wave * (eye(i, j) - delta[i] * delta[j] / s2) / s2);
        let div = Mat::from_fn(d, d, |i, j| {
            wave * (delta[i] * delta[j] / s2 + (d as f64 - 1.0 - square / s2) * eye(i, j)) / s2
        });
        close(&Kernel::curl_free(gaussian(sigma)).eval(&x, &z).unwrap(), &curl, 1e-14);
        if d > 1 {
            close(&Kernel::div_free(gaussian(sigma)).eval(&x, &z).unwrap(), &div, 1e-14);
            let mixed = Kernel::helmholtz(gaussian(sigma), 0.3).eval(&x, &z).unwrap();
            close(&mixed, &(faer::Scale(0.3) * &curl + faer::Scale(0.7) * &div), 1e-14);
        }
    }
}

/// −∇∇ᵀk₀ by differences of k₀ itself; curl-free + div-free = −Δk₀ I.
#[test]
fn differential_kernels_are_second_derivatives() {
    let d = 3;
    let (x, z) = ([0.31, -0.52, 0.77], [-0.4, 0.23, 0.05]);
    for spectrum in [gaussian(0.8), ard(), matern(1.7, 0.9), matern(2.5, 0.9), matern(4.2, 1.3), cauchy(1.1)] {
        let h = 1e-4;
        let value = |shift: &dyn Fn(usize) -> f64| {
            let delta: Vec<f64> = (0..d).map(|k| x[k] - z[k] + shift(k)).collect();
            spectrum.value(&delta).unwrap()
        };
        let hessian = Mat::from_fn(d, d, |i, j| {
            let at =
                |a: f64, b: f64| value(&|k| h * (a * f64::from(u8::from(k == i)) + b * f64::from(u8::from(k == j))));
            -(at(1.0, 1.0) - at(1.0, -1.0) - at(-1.0, 1.0) + at(-1.0, -1.0)) / (4.0 * h * h)
        });
        let curl = Kernel::curl_free(spectrum.clone()).eval(&x, &z).unwrap();
        close(&curl, &hessian, 3e-7);
        let sum = (Kernel::curl_free(spectrum.clone()) + Kernel::div_free(spectrum.clone())).eval(&x, &z).unwrap();
        let laplacian: f64 = (0..d).map(|k| hessian[(k, k)]).sum();
        close(&sum, &Mat::from_fn(d, d, |i, j| if i == j { laplacian } else { 0.0 }), 1e-6);
    }
}

/// Γ by its definition, densely.
#[test]
fn output_operators_are_what_they_say() {
    let y = noise(40, 30, 4);
    let resolve = |output: Output| output.resolve(4, Some(y.as_ref())).unwrap();
    let mean = |t: usize| (0..30).map(|i| y[(i, t)]).sum::<f64>() / 30.0;
    let cov =
        Mat::from_fn(4, 4, |s, t| (0..30).map(|i| (y[(i, s)] - mean(s)) * (y[(i, t)] - mean(t))).sum::<f64>() / 30.0);
    close(&resolve(Output::Covariance), &cov, 1e-13);

    let w = adjacency().mat().clone();
    let laplacian =
        Mat::from_fn(
            4,
            4,
            |i, j| {
                if i == j { (0..4).filter(|&k| k != i).map(|k| w[(i, k)]).sum() } else { -w[(i, j)] }
            },
        );
    let pinv = resolve(Output::Laplacian { adjacency: adjacency(), epsilon: 0.0 });
    // Moore–Penrose
    close(&(&laplacian * &pinv * &laplacian), &laplacian, 1e-12);
    close(&(&pinv * &laplacian * &pinv), &pinv, 1e-12);
    close(&(&pinv * &laplacian), &(&pinv * &laplacian).transpose().to_owned(), 1e-12);
    let damped = &laplacian + faer::Scale(0.3) * Mat::<f64>::identity(4, 4);
    let inverse = resolve(Output::Laplacian { adjacency: adjacency(), epsilon: 0.3 });
    close(&(&inverse * &damped), &Mat::identity(4, 4), 1e-12);

    let similar = Mat::from_fn(4, 4, |s, t| {
        let square: f64 = (0..30).map(|i| (y[(i, s)] - y[(i, t)]).powi(2)).sum::<f64>() / 30.0;
        (-0.7 * square.sqrt()).exp()
    });
    let inverse = resolve(Output::Similarity { gamma: 0.7, epsilon: None });
    close(&(&inverse * &similar), &Mat::identity(4, 4), 1e-12);
    let graph = Mat::from_fn(4, 4, |i, j| {
        if i == j { 0.4 + (0..4).filter(|&k| k != i).map(|k| similar[(i, k)]).sum::<f64>() } else { -similar[(i, j)] }
    });
    let inverse = resolve(Output::Similarity { gamma: 0.7, epsilon: Some(0.4) });
    close(&(&inverse * &graph), &Mat::identity(4, 4), 1e-12);

    // a missing output changes only the pairs it belongs to
    let mut holes = y.clone();
    (0..10).for_each(|i| holes[(i, 2)] = f64::NAN);
    let with = Output::Covariance.resolve(4, Some(holes.as_ref())).unwrap();
    assert!((with[(0, 1)] - cov[(0, 1)]).abs() < 1e-13 && (with[(0, 2)] - cov[(0, 2)]).abs() > 1e-6);
}
