//! Kernels, groups, feature maps, moments and parameters, each against a closed form, its definition or an invariant.

use faer::{Mat, mat};
use orff::feature::{Characters, FeatureMap, Key, MapKind, Moments, Part, reblock};
use orff::group::Group;
use orff::kernel::{Atoms, CurlFree, Kernel, Listed, Matrix, Output, Seen, SumDraw, Transformable};
use orff::model::Preparation;
use orff::params::{Auto, Kind, Params};
use orff::random::Stream;
use orff::rows::{Csr, Inputs, Rows, Table, Weights};
use orff::spectrum::{Cauchy, Draw, DrawKind, Gaussian, Laplace, Lengthscale, Matern, Measure, SkewedChi2, Spectrum};
use orff::testing::{check_kernel, check_operator};
use rayon::prelude::*;
use serde_json::{Value, json};

fn gaussian(l: f64) -> Spectrum {
    Gaussian { lengthscale: l.into() }.into()
}

fn matern(nu: f64, l: f64) -> Spectrum {
    Matern { smoothness: nu, lengthscale: l.into() }.into()
}

fn cauchy(l: f64) -> Spectrum {
    Cauchy { lengthscale: l.into() }.into()
}

/// Gaussian with a lengthscale per input.
fn ard() -> Spectrum {
    Gaussian { lengthscale: Lengthscale::PerInput(vec![0.6, 1.1, 0.9]) }.into()
}

fn matrix(m: Mat<f64>) -> Matrix {
    Matrix::new(m, "matrix").unwrap()
}

fn given(m: Mat<f64>) -> Output {
    Output::Given { matrix: matrix(m) }
}

fn noise(seed: u64, rows: usize, cols: usize) -> Mat<f64> {
    let mut stream = Stream::new(seed, 99, 0);
    Mat::from_fn(rows, cols, |_, _| stream.normal())
}

/// Full rank, no zero, no symmetry beside its own.
fn gamma4() -> Mat<f64> {
    let a = noise(5, 4, 4);
    &a * a.transpose()
}

/// p = 4, rank 2.
fn gamma_low() -> Mat<f64> {
    let a = noise(6, 4, 2);
    &a * a.transpose()
}

fn adjacency() -> Matrix {
    matrix(mat![[0.0, 0.7, 0.2, 1.3], [0.7, 0.0, 0.4, 0.9], [0.2, 0.4, 0.0, 0.6], [1.3, 0.9, 0.6, 0.0]])
}

fn listed() -> Kernel {
    Listed {
        omega: matrix(noise(7, 5, 3)),
        factors: matrix(noise(8, 5 * 4, 2)),
        weights: Some(vec![0.3, 0.1, 0.25, 0.2, 0.4]),
    }
    .into()
}

fn transformable() -> Kernel {
    Transformable { spectrum: matern(1.5, 0.9), views: (0..4).map(|i| matrix(noise(20 + i, 2, 3))).collect() }.into()
}

/// Every kernel by name, with its (d, p).
fn kernels() -> Vec<(&'static str, Kernel, (usize, usize))> {
    let decomposable = |output| Kernel::decomposable(gaussian(0.9), output);
    let full = || Kernel::decomposable(matern(2.5, 1.2), given(gamma4()));
    let t23 = || matrix(noise(31, 2, 3));
    vec![
        ("identity", decomposable(Output::Identity), (3, 4)),
        ("given", decomposable(given(gamma4())), (3, 4)),
        ("given, rank 2", decomposable(given(gamma_low())), (3, 4)),
        ("given, ard", Kernel::decomposable(ard(), given(gamma4())), (3, 4)),
        ("covariance", decomposable(Output::Covariance), (3, 4)),
        ("laplacian", decomposable(Output::Laplacian { adjacency: adjacency(), epsilon: 0.0 }), (3, 4)),
        ("laplacian + ε", decomposable(Output::Laplacian { adjacency: adjacency(), epsilon: 0.3 }), (3, 4)),
        ("similarity", decomposable(Output::Similarity { gamma: 0.7, epsilon: None }), (3, 4)),
        ("similarity + ε", decomposable(Output::Similarity { gamma: 0.7, epsilon: Some(0.4) }), (3, 4)),
        ("laplace", Kernel::decomposable(Laplace { lengthscale: 1.3.into() }.into(), given(gamma4())), (2, 4)),
        ("skewed-chi2", Kernel::decomposable(SkewedChi2 { lengthscale: 1.0.into() }.into(), given(gamma4())), (2, 4)),
        ("curl-free gaussian", Kernel::curl_free(gaussian(0.8)), (3, 3)),
        ("curl-free ard", Kernel::curl_free(ard()), (3, 3)),
        ("curl-free matern", Kernel::curl_free(matern(3.5, 0.8)), (3, 3)),
        ("curl-free cauchy", Kernel::curl_free(cauchy(0.8)), (3, 3)),
        ("curl-free on the line", Kernel::curl_free(gaussian(0.8)), (1, 1)),
        ("curl-free auto", Kernel::curl_free(Spectrum::default()), (2, 2)),
        ("div-free gaussian", Kernel::div_free(gaussian(0.8)), (3, 3)),
        ("div-free plane", Kernel::div_free(gaussian(0.8)), (2, 2)),
        ("div-free d = 5", Kernel::div_free(gaussian(1.4)), (5, 5)),
        ("div-free matern", Kernel::div_free(matern(3.5, 0.8)), (3, 3)),
        ("div-free cauchy", Kernel::div_free(cauchy(0.8)), (2, 2)),
        ("div-free ard", Kernel::div_free(ard()), (3, 3)),
        ("helmholtz ard", Kernel::helmholtz(ard(), 0.4), (3, 3)),
        ("helmholtz cauchy", Kernel::helmholtz(cauchy(0.9), 0.6), (2, 2)),
        ("cauchy", Kernel::decomposable(cauchy(1.1), given(gamma4())), (2, 4)),
        ("helmholtz", Kernel::helmholtz(gaussian(0.8), 0.3), (3, 3)),
        ("helmholtz matern", Kernel::helmholtz(matern(3.5, 0.8), 0.8), (2, 2)),
        ("transformable", transformable(), (3, 4)),
        ("listed", listed(), (3, 4)),
        ("sum", Kernel::curl_free(gaussian(0.8)) + 0.7 * Kernel::div_free(matern(3.5, 1.1)), (3, 3)),
        (
            "sum with identity",
            Kernel::decomposable(gaussian(0.7), Output::Identity) + Kernel::curl_free(ard()),
            (3, 3),
        ),
        ("scale", 2.5 * full(), (3, 4)),
        ("product", full() * decomposable(given(gamma_low())), (3, 4)),
        (
            "product curl ∘ given",
            Kernel::curl_free(gaussian(0.8)) * Kernel::decomposable(gaussian(1.7), given(noise3())),
            (3, 3),
        ),
        ("product of sums", (full() + decomposable(Output::Identity)) * (0.4 * full()), (3, 4)),
        ("M K Mᵀ", Kernel::curl_free(gaussian(0.8)).conjugated(matrix(noise(30, 4, 3))), (3, 4)),
        ("M K Mᵀ decomposable", full().conjugated(matrix(noise(32, 2, 4))), (3, 2)),
        ("K(T·,T·)", Kernel::div_free(gaussian(0.8)).precomposed(t23()), (3, 2)),
        ("K(T·,T·) decomposable", full().precomposed(t23()), (3, 4)),
        (
            "all together",
            (1.5 * Kernel::curl_free(gaussian(0.8)).precomposed(t23()).conjugated(matrix(noise(33, 4, 2))) + full())
                * decomposable(given(gamma4())),
            (3, 4),
        ),
    ]
}

fn noise3() -> Mat<f64> {
    let a = noise(34, 3, 3);
    &a * a.transpose()
}

/// The draws that a kernel of `kernels` refuses: the tilt is for gaussian laws, rotations for rotation-invariant ones
/// (of a field by the trace measure: with one common lengthscale; the trace measure of decomposable kernels is plain).
fn refusals(name: &str) -> Vec<(DrawKind, Measure)> {
    use DrawKind::{Iid, Orthogonal, QuasiMonteCarlo, Structured};
    use Measure::{Plain, Tilted, Trace};
    let refused = |kind: DrawKind, measure: Measure| {
        let rotated = matches!(kind, Orthogonal | Structured);
        match name {
            "curl-free ard" | "div-free ard" | "helmholtz ard" | "sum with identity" => rotated && measure == Trace,
            "curl-free cauchy" | "div-free cauchy" | "helmholtz cauchy" | "cauchy" | "skewed-chi2" | "laplace" => {
                rotated || measure == Tilted
            }
            "curl-free matern"
            | "div-free matern"
            | "helmholtz matern"
            | "transformable"
            | "sum"
            | "scale"
            | "product"
            | "product of sums"
            | "M K Mᵀ decomposable"
            | "K(T·,T·) decomposable"
            | "all together" => measure == Tilted,
            _ => false,
        }
    };
    let kinds = [Iid, Orthogonal, QuasiMonteCarlo, Structured];
    let all = kinds.into_iter().flat_map(|kind| [Plain, Trace, Tilted].map(|measure| (kind, measure)));
    all.filter(|&(kind, measure)| refused(kind, measure)).collect()
}

/// Random against exact for every kernel × measure × draw × map, by z-score over 120 seeds.
#[test]
fn every_kernel_is_the_mean_of_its_features() {
    let check = |(name, kernel, (d, p)): (&str, Kernel, (usize, usize))| match check_kernel(&kernel, d, p) {
        Ok(seen) => {
            println!("{name}: largest |z| = {:.2}", seen.z);
            let meant = refusals(name);
            (seen.refused != meant).then(|| format!("{name}: refuses {:?}, expected {meant:?}", seen.refused))
        }
        Err(e) => Some(format!("{name}: {e}")),
    };
    let failures: Vec<String> = kernels().into_par_iter().filter_map(check).collect();
    assert!(failures.is_empty(), "{failures:#?}");
}

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

fn close(a: &Mat<f64>, b: &Mat<f64>, tol: f64) {
    assert_eq!((a.nrows(), a.ncols()), (b.nrows(), b.ncols()));
    assert!(orff::linalg::is_finite(a.as_ref()) && orff::linalg::is_finite(b.as_ref()), "{a:?} {b:?}");
    let gap = (a - b).norm_max();
    assert!(gap <= tol * (1.0 + b.norm_max()), "differ by {gap:e}:\n{a:?}\n{b:?}");
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

/// Fields of atoms: B(ω) is along ω (no curl) or across it (no divergence), with as few columns as can be.
#[test]
fn factors_of_fields_have_their_geometry() {
    for d in [2, 3, 5] {
        for (kernel, columns) in [
            (Kernel::curl_free(gaussian(0.8)), 1),
            (Kernel::div_free(gaussian(0.8)), d - 1),
            (Kernel::helmholtz(gaussian(0.8), 0.4), d),
        ] {
            let atoms = kernel.draw(d, 7, &Draw::default(), SumDraw::default()).unwrap();
            for block in &atoms.blocks {
                assert_eq!(block.factors.columns(), columns);
                for j in 0..7 {
                    let mut omega = vec![0.0; d];
                    block.omega.row(j, &mut omega);
                    let square: f64 = omega.iter().map(|w| w * w).sum();
                    let b = block.factor(j);
                    let outer = |i: usize, k: usize| omega[i] * omega[k];
                    let (w, v) = match columns {
                        1 => (1.0, 0.0),
                        c if c == d - 1 => (0.0, 1.0),
                        _ => (0.4, 0.6),
                    };
                    // in the plane r = 1 for both: tell them apart by the kernel
                    let (w, v) = if kernel == Kernel::div_free(gaussian(0.8)) { (0.0, 1.0) } else { (w, v) };
                    let expected = Mat::from_fn(d, d, |i, k| {
                        w * outer(i, k) + v * (if i == k { square } else { 0.0 } - outer(i, k))
                    });
                    close(&(&b * b.transpose()), &expected, 1e-13 * square);
                }
            }
        }
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

fn says<T: std::fmt::Debug>(result: orff::Result<T>, sentence: &str) {
    let error = result.expect_err(sentence).to_string();
    assert!(error.contains(sentence), "expected \"{sentence}\" in \"{error}\"");
}

#[test]
fn what_has_no_meaning_is_refused_with_the_reason() {
    let how = Draw::default();
    let draw = |kernel: &Kernel, d: usize| kernel.draw(d, 4, &how, SumDraw::default());
    let laplace: Spectrum = Laplace { lengthscale: 1.0.into() }.into();
    let chi2: Spectrum = SkewedChi2 { lengthscale: 1.0.into() }.into();
    for kernel in [Kernel::curl_free(laplace.clone()), Kernel::curl_free(matern(1.0, 1.0))] {
        says(draw(&kernel, 2), "has no second derivative at 0 (E‖ω‖² = ∞)");
        says(kernel.eval(&[0.0, 0.1], &[0.2, 0.3]), "has no second derivative at 0");
    }
    says(draw(&Kernel::div_free(laplace), 2), "div-free with laplace is refused");
    says(draw(&Kernel::div_free(gaussian(1.0)), 1), "div-free in one dimension is refused");
    says(draw(&Kernel::helmholtz(gaussian(1.0), 0.5), 1), "helmholtz in one dimension is refused");
    says(Kernel::div_free(gaussian(1.0)).eval(&[0.0], &[1.0]), "a field on the line without divergence is constant");
    says(draw(&Kernel::curl_free(chi2), 2), "curl-free with skewed-chi2 is refused");
    for w in [0.0, 1.0, -0.1, f64::NAN] {
        says(draw(&Kernel::helmholtz(gaussian(1.0), w), 2), "a number > 0 and < 1");
    }
    let tilted = Draw { measure: Measure::Tilted, ..Draw::default() };
    says(Kernel::curl_free(matern(2.5, 1.0)).draw(2, 4, &tilted, SumDraw::default()), "gaussian only");
    for kind in [DrawKind::Orthogonal, DrawKind::Structured] {
        let how = Draw { kind, ..Draw::default() };
        says(Kernel::curl_free(cauchy(1.0)).draw(2, 4, &how, SumDraw::default()), "not rotation-invariant");
    }
    for odd in [0, 7] {
        says(
            FeatureMap::draw(&Kernel::curl_free(gaussian(1.0)), 2, odd, MapKind::Pairs, &how, SumDraw::default()),
            "features: expected an even number ≥ 2",
        );
    }
    let seen = Seen { outputs: 4, sample: None, lengthscale: None, gradient: None };
    let four = || Kernel::decomposable(gaussian(1.0), Output::Identity);
    for with in [
        listed(),
        2.0 * listed(),
        listed().conjugated(matrix(noise(1, 4, 4))),
        listed().precomposed(matrix(noise(1, 3, 3))),
        listed() + four(),
        2.0 * (four() + 3.0 * listed()),
    ] {
        says((four() * with.clone()).resolve(&seen), "a product with listed atoms is refused");
        says((with * four()).resolve(&seen), "a product with listed atoms is refused");
    }
    says((transformable() + four()).resolve(&seen), "a sum of a transformable kernel is refused");
    says((2.0 * transformable()).resolve(&seen), "a multiple of a transformable kernel is refused");
    says((transformable() * four()).resolve(&seen), "a product of a transformable kernel is refused");
    says(transformable().resolve(&Seen { outputs: 3, ..seen }), "views: expected 3, one per output, got 4");
    says((-1.0 * four()).resolve(&seen), "factor of a kernel: expected a finite number > 0, got -1");
    says(four().conjugated(matrix(noise(1, 3, 2))).resolve(&seen), "M K Mᵀ");

    let gamma = |m: Mat<f64>| Kernel::decomposable(gaussian(1.0), given(m)).resolve(&Seen { outputs: 2, ..seen });
    says(gamma(mat![[1.0, 2.0], [2.0, 1.0]]), "output: expected a symmetric positive semi-definite matrix");
    says(gamma(mat![[1.0, 0.5], [0.4, 1.0]]), "0.4 at (2, 1) and 0.5 at (1, 2)");
    says(gamma(Mat::identity(3, 3)), "output matrix: expected 2×2");
    says(Matrix::new(mat![[f64::NAN]], "gamma"), "gamma: expected finite numbers, got NaN at row 1, column 1");
    let graph = |m: Mat<f64>| Output::Laplacian { adjacency: matrix(m), epsilon: 0.0 }.resolve(2, None);
    says(
        graph(mat![[0.0, -0.5], [-0.5, 0.0]]),
        "adjacency: expected symmetric weights ≥ 0, got -0.5 at row 1, column 2",
    );
    says(graph(mat![[0.0, 0.5], [0.1, 0.0]]), "adjacency: expected symmetric weights ≥ 0");
    says(Output::Covariance.resolve(2, None), "needs training outputs");
    let different = Kernel::curl_free(gaussian(1.0)) + Kernel::decomposable(gaussian(1.0), given(gamma4()));
    says(draw(&different, 3), "terms of a sum of kernels: expected 3 outputs in each, got 4");
    says(different.eval(&[0.0; 3], &[1.0; 3]), "terms of a sum of kernels");
    says(listed().draw(2, 4, &how, SumDraw::default()), "omega of the listed atoms: expected 2 columns, got 3");
    says(
        Atoms::listed(noise(1, 3, 2).as_ref(), noise(2, 3, 1).as_ref(), &[1.0, -1.0, 1.0]),
        "weights: expected finite",
    );
}

/// A product draws two frequencies per atom; they must stay independent of each other for every draw, or more atoms do
/// not help: the error at 4096 atoms must be far below that at 64.
#[test]
fn products_converge_with_the_number_of_atoms() {
    let kernel = Kernel::decomposable(gaussian(0.8), given(mat![[1.0]]))
        * Kernel::decomposable(gaussian(1.1), given(mat![[1.0]]));
    let (x, z) = ([0.4, -0.3], [-0.2, 0.5]);
    let exact = kernel.eval(&x, &z).unwrap()[(0, 0)];
    for kind in [DrawKind::Iid, DrawKind::Orthogonal, DrawKind::QuasiMonteCarlo] {
        let error = |count: usize| {
            let one = |seed: u64| {
                let how = Draw { kind, seed, ..Draw::default() };
                let atoms = kernel.draw(2, count, &how, SumDraw::default()).unwrap();
                (atoms.eval(&x, &z).unwrap()[(0, 0)] - exact).powi(2)
            };
            ((0..30).map(one).sum::<f64>() / 30.0).sqrt()
        };
        let (few, many) = (error(64), error(4096));
        assert!(many < 0.25 * few, "{kind}: error {few:.1e} with 64 atoms, {many:.1e} with 4096");
    }
}

/// Structured draws are biased, by less than 0.01 of the kernel's size from 32 inputs on: every kind of factor, every
/// measure that is allowed.
#[test]
fn structured_draws_have_a_small_bias() {
    let d = 33;
    let kernels = [
        ("given", Kernel::decomposable(gaussian(4.0), given(gamma4()))),
        ("matern", Kernel::decomposable(matern(2.5, 4.0), given(gamma4()))),
        ("curl-free", Kernel::curl_free(gaussian(4.0))),
        ("curl-free matern", Kernel::curl_free(matern(3.5, 4.0))),
        ("div-free", Kernel::div_free(gaussian(4.0))),
        ("helmholtz", Kernel::helmholtz(gaussian(4.0), 0.3)),
        ("div-free matern", Kernel::div_free(matern(3.5, 4.0))),
        ("M K Mᵀ", Kernel::curl_free(gaussian(4.0)).conjugated(matrix(noise(30, 4, d)))),
        ("sum", Kernel::curl_free(gaussian(4.0)) + 0.5 * Kernel::div_free(gaussian(5.0))),
        (
            "product",
            Kernel::decomposable(gaussian(6.0), given(gamma4()))
                * Kernel::decomposable(gaussian(6.0), given(gamma4())),
        ),
    ];
    let mut stream = Stream::new(3, 3, 3);
    let (x, zero): (Vec<f64>, Vec<f64>) = (0..d).map(|_| (stream.normal(), 0.0)).unzip();
    let seeds = 120;
    for (name, kernel) in kernels {
        let exact = kernel.eval(&x, &zero).unwrap();
        let size = kernel.eval(&zero, &zero).unwrap().norm_max();
        for measure in [Measure::Plain, Measure::Trace, Measure::Tilted] {
            let how = |seed| Draw { kind: DrawKind::Structured, measure, seed, ..Draw::default() };
            if measure == Measure::Tilted && name.contains("matern") {
                says(kernel.draw(d, 256, &how(0), SumDraw::default()), "for gaussian only");
                continue;
            }
            let one = |seed| {
                let atoms = kernel.draw(d, 256, &how(seed), SumDraw::default()).unwrap();
                atoms.eval(&x, &zero).unwrap()
            };
            let all: Vec<Mat<f64>> = (0..seeds).into_par_iter().map(one).collect();
            let mean = all.iter().fold(Mat::zeros(exact.nrows(), exact.ncols()), |sum: Mat<f64>, k| sum + k);
            let mean = faer::Scale(1.0 / seeds as f64) * mean;
            let bias = (&mean - &exact).norm_max() / size;
            let squares = Mat::from_fn(exact.nrows(), exact.ncols(), |i, j| {
                all.iter().map(|k| (k[(i, j)] - mean[(i, j)]).powi(2)).sum::<f64>()
            });
            let error = squares.norm_max().sqrt() / seeds as f64 / size;
            assert!(bias < 0.01 + 3.0 * error, "{name}, {measure}: bias {bias}, standard error {error}");
            println!("{name}, {measure}: {bias:.4}");
        }
    }
}

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

fn some_map(kernel: &Kernel, d: usize, p: usize, kind: MapKind) -> FeatureMap {
    let kernel = kernel.resolve(&Seen {
        outputs: p,
        sample: Some(noise(77, 20, p).as_ref()),
        lengthscale: Some(0.9),
        gradient: None,
    });
    let d = kernel.as_ref().unwrap().views().map_or(d, |v| v[0].mat().nrows());
    let how = Draw { seed: 4, ..Draw::default() };
    FeatureMap::draw(&kernel.unwrap(), d, 2 * 9, kind, &how, SumDraw::default()).unwrap()
}

#[test]
fn feature_maps_pass_the_dot_test() {
    let mut z = 0;
    for (name, kernel, (d, p)) in kernels() {
        for kind in [MapKind::Pairs, MapKind::Phases] {
            let map = some_map(&kernel, d, p, kind);
            let (m, k, p, n) = (map.characters(), map.unknowns(), map.atoms().outputs(), 6);
            let x = Inputs::Dense(noise(3, n, map.atoms().inputs()));
            let flat = |a: Mat<f64>| -> Vec<f64> {
                (0..a.nrows() * a.ncols()).map(|i| a[(i / a.ncols(), i % a.ncols())]).collect()
            };
            let tall = |v: &[f64], rows: usize| Mat::from_fn(rows, p, |i, t| v[i * p + t]);
            check_operator(k, n * p, |t| flat(map.apply(&x, t)), |y| map.adjoint(&x, tall(y, n).as_ref()))
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            check_operator(k, m * p, |t| flat(map.lift(t)), |g| map.lower(tall(g, m).as_ref()))
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            z += 1;
        }
    }
    assert_eq!(z, 2 * kernels().len());
}

/// cos(⟨x,ω⟩ + b) etc. by the definition, entry by entry.
#[test]
fn characters_are_cosines_and_sines() {
    for kind in [MapKind::Pairs, MapKind::Phases] {
        let kernel = Kernel::curl_free(gaussian(0.8)) + Kernel::decomposable(matern(2.5, 1.0), Output::Identity);
        let map = some_map(&kernel, 3, 3, kind);
        let x = noise(9, 5, 3);
        let mut c = Characters::new(map.characters());
        map.fill(&Inputs::Dense(x.clone()), &mut c);
        let mut at = 0;
        for (b, block) in map.atoms().blocks.iter().enumerate() {
            let sines = kind == MapKind::Pairs;
            for sine in if sines { vec![false, true] } else { vec![false] } {
                for j in 0..block.count() {
                    let mut omega = vec![0.0; 3];
                    block.omega.row(j, &mut omega);
                    for i in 0..5 {
                        let angle: f64 = (0..3).map(|k| omega[k] * x[(i, k)]).sum();
                        let angle = angle + if sines { 0.0 } else { map.phases(b)[j] };
                        let expected = if sine { angle.sin() } else { angle.cos() };
                        assert!((c.as_mat()[(i, at)] - expected).abs() < 1e-13);
                    }
                    at += 1;
                }
            }
        }
        assert_eq!(at, map.characters());
    }
}

fn pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn characters_have_the_same_bits_for_any_threads_batches_and_for_sparse_rows_the_same_values() {
    for how in [Draw::default(), Draw { kind: DrawKind::Structured, ..Draw::default() }] {
        let (n, d) = (53, 40);
        let kernel = Kernel::decomposable(gaussian(4.0), given(gamma4()));
        let map = FeatureMap::draw(&kernel, d, 300, MapKind::Pairs, &how, SumDraw::default()).unwrap();
        let mut x = noise(12, n, d);
        (0..n).for_each(|i| (0..d).filter(|k| (i * 7 + k) % 3 != 0).for_each(|k| x[(i, k)] = 0.0));
        let fill = |x: &Inputs| {
            let mut c = Characters::new(300);
            map.fill(x, &mut c);
            c.as_mat().to_owned()
        };
        let all = pool(1, || fill(&Inputs::Dense(x.clone())));
        for threads in [2, 4] {
            assert_eq!(pool(threads, || fill(&Inputs::Dense(x.clone()))), all);
        }
        for batch in [1, 7, 20] {
            for from in (0..n).step_by(batch) {
                let to = (from + batch).min(n);
                let part = fill(&Inputs::Dense(x.clone()).slice(from, to));
                assert_eq!(part, all.subrows(from, to - from), "rows {from} to {to}");
            }
        }
        let mut sparse = Csr { width: d, start: vec![0], columns: vec![], values: vec![] };
        for i in 0..n {
            for k in (0..d).filter(|&k| x[(i, k)] != 0.0) {
                sparse.columns.push(k as u32);
                sparse.values.push(x[(i, k)]);
            }
            sparse.start.push(sparse.values.len());
        }
        let of_sparse = fill(&Inputs::Sparse(sparse.clone()));
        close(&of_sparse, &all, 1e-13);
        assert_eq!(fill(&Inputs::Sparse(sparse).slice(10, 23)), of_sparse.subrows(10, 13));
    }
}

/// Moments of a source by the pass over it.
fn moments_of(map: &FeatureMap, rows: &dyn Rows) -> Moments {
    let mut moments = Moments::new(map.characters(), rows.outputs());
    let mut c = Characters::new(map.characters());
    for block in reblock(rows, 16).unwrap() {
        let block = block.unwrap();
        map.fill(&block.inputs, &mut c);
        moments.add(&c, block.outputs.as_ref(), block.weights.as_ref()).unwrap();
    }
    moments
}

fn small_map() -> FeatureMap {
    some_map(&Kernel::decomposable(gaussian(0.9), Output::Identity), 3, 4, MapKind::Pairs)
}

fn characters(map: &FeatureMap, x: &Mat<f64>) -> Mat<f64> {
    let mut c = Characters::new(map.characters());
    map.fill(&Inputs::Dense(x.clone()), &mut c);
    c.as_mat().to_owned()
}

/// The sums of one output by their definition, over the rows where it is observed and counts.
fn by_hand(c: &Mat<f64>, y: &Mat<f64>, w: impl Fn(usize, usize) -> f64, t: usize) -> (f64, Mat<f64>, Mat<f64>, f64) {
    let rows: Vec<usize> = (0..y.nrows()).filter(|&i| !y[(i, t)].is_nan() && w(i, t) > 0.0).collect();
    let weight = rows.iter().map(|&i| w(i, t)).sum();
    let cc = Mat::from_fn(c.ncols(), c.ncols(), |a, b| rows.iter().map(|&i| w(i, t) * c[(i, a)] * c[(i, b)]).sum());
    let cy = Mat::from_fn(c.ncols(), 1, |a, _| rows.iter().map(|&i| w(i, t) * c[(i, a)] * y[(i, t)]).sum());
    let yy = rows.iter().map(|&i| w(i, t) * y[(i, t)] * y[(i, t)]).sum();
    (weight, cc, cy, yy)
}

fn assert_output(part: &Part, expected: (f64, Mat<f64>, Mat<f64>, f64), c: &Mat<f64>, t: usize) {
    let (weight, cc, cy, yy) = expected;
    assert!((part.weight - weight).abs() < 1e-10);
    for a in 0..c.ncols() {
        assert!((part.cy[(a, t)] - cy[(a, 0)]).abs() < 1e-10);
        for b in 0..=a {
            assert!((part.cc[(a, b)] - cc[(a, b)]).abs() < 1e-10);
        }
    }
    assert!((part.yy[(t, t)] - yy).abs() < 1e-10);
}

#[test]
fn moments_of_any_pattern_and_weights_are_the_sums_of_each_output() {
    let map = small_map();
    let (n, p) = (47, 4);
    let x = noise(50, n, 3);
    let c = characters(&map, &x);
    let whole = noise(51, n, p);
    let holes = |rule: &dyn Fn(usize, usize) -> bool| {
        Mat::from_fn(n, p, |i, t| if rule(i, t) { f64::NAN } else { whole[(i, t)] })
    };
    let outputs = [
        ("complete", whole.clone()),
        ("two patterns", holes(&|i, t| t == 1 && i % 3 == 0)),
        ("a row without outputs, none everywhere", holes(&|i, t| i == 5 || (i + t) % 4 == 0)),
        ("many patterns", holes(&|i, t| (i * i + 3 * i * t + t) % 5 < 2)),
    ];
    let mut stream = Stream::new(8, 8, 8);
    let row: Vec<f64> = (0..n).map(|i| if i % 9 == 4 { 0.0 } else { 0.2 + stream.uniform() }).collect();
    let entry = Mat::from_fn(n, p, |i, t| if (i + 2 * t) % 11 == 0 { 0.0 } else { 0.1 + stream.uniform() });
    for (name, y) in &outputs {
        for weights in [None, Some(Weights::Row(row.clone())), Some(Weights::Entry(entry.clone()))] {
            let table = Table::new(x.clone(), y.clone()).unwrap();
            let table = match &weights {
                None => table,
                Some(w) => table.weighted(w.clone()).unwrap(),
            };
            let moments = moments_of(&map, &table);
            let w = |i: usize, t: usize| match &weights {
                None => 1.0,
                Some(Weights::Row(w)) => w[i],
                Some(Weights::Entry(w)) => w[(i, t)],
            };
            for t in 0..p {
                assert_output(&moments.output(t), by_hand(&c, y, w, t), &c, t);
            }
            assert!(moments.parts().len() <= p);
            assert_eq!(
                moments.complete().is_some(),
                *name == "complete" && !matches!(weights, Some(Weights::Entry(_)))
            );
            // n: rows with any observed output; entries of one row count their mean
            let total: f64 = (0..n)
                .map(|i| {
                    let seen: Vec<f64> =
                        (0..p).filter(|&t| !y[(i, t)].is_nan()).map(|t| w(i, t)).filter(|w| *w > 0.0).collect();
                    if seen.is_empty() { 0.0 } else { seen.iter().sum::<f64>() / seen.len() as f64 }
                })
                .sum();
            assert!((moments.weight() - total).abs() < 1e-10, "{name}: {} for {total}", moments.weight());

            // two halves merged in either order are one pass, and merging does not depend on how each is kept
            for cut in [3, 20, 40] {
                let batch = table.batches().unwrap().next().unwrap().unwrap();
                let half = |from: usize, to: usize| {
                    let mut moments = Moments::new(map.characters(), p);
                    let part = batch.slice(from, to);
                    let mut c = Characters::new(map.characters());
                    map.fill(&part.inputs, &mut c);
                    moments.add(&c, part.outputs.as_ref(), part.weights.as_ref()).unwrap();
                    moments
                };
                for (mut left, right) in [(half(0, cut), half(cut, n)), (half(cut, n), half(0, cut))] {
                    left.merge(&right).unwrap();
                    (0..p).for_each(|t| assert_output(&left.output(t), by_hand(&c, y, w, t), &c, t));
                    assert!((left.weight() - total).abs() < 1e-10);
                    left.merge(&Moments::new(map.characters(), p)).unwrap();
                    assert!((left.weight() - total).abs() < 1e-10);
                }
            }
        }
    }
}

#[test]
fn moments_switch_from_patterns_to_outputs() {
    let map = small_map();
    let y = Mat::from_fn(32, 4, |i, t| if i >> t & 1 == 1 { f64::NAN } else { (i + t) as f64 });
    let few = Mat::from_fn(32, 4, |i, t| if i % 2 == 1 && t == 3 { f64::NAN } else { (i + t) as f64 });
    let x = noise(52, 32, 3);
    let many = moments_of(&map, &Table::new(x.clone(), y).unwrap());
    assert!(many.parts().keys().all(|k| matches!(k, Key::Output(_))) && many.parts().len() == 4);
    let few = moments_of(&map, &Table::new(x, few).unwrap());
    assert!(few.parts().keys().all(|k| matches!(k, Key::Pattern(_))) && few.parts().len() == 2);
    let stored =
        Moments::from_parts(few.characters(), few.outputs(), few.weight(), few.relative(), few.parts().clone());
    assert_eq!(stored, few);
}

#[test]
fn moments_have_the_same_bits_for_any_threads_and_batches() {
    let kernel = Kernel::decomposable(gaussian(0.9), Output::Identity);
    let how = Draw::default();
    let kernel = kernel.resolve(&Seen { outputs: 3, ..Seen::default() }).unwrap();
    let map = FeatureMap::draw(&kernel, 2, 260, MapKind::Pairs, &how, SumDraw::default()).unwrap();
    let n = 70;
    let x = noise(60, n, 2);
    let y = Mat::from_fn(n, 3, |i, t| if (i + t) % 5 == 0 { f64::NAN } else { (i as f64 * 0.1 + t as f64).sin() });
    for y in [y, noise(61, n, 3)] {
        let table = Table::new(x.clone(), y).unwrap();
        let first = pool(1, || moments_of(&map, &table));
        for threads in [1, 2, 4] {
            for batch in [1, 7, 4096] {
                let again = pool(threads, || moments_of(&map, &table.clone().batched(batch)));
                assert!(again == first, "{threads} threads, batches of {batch}");
            }
        }
    }
}

#[test]
fn whole_weights_are_repetitions_and_zero_weights_are_absences() {
    let map = small_map();
    let (x, y) = (noise(70, 20, 3), noise(71, 20, 4));
    let times = |i: usize| [1, 3, 0, 2][i % 4];
    let rows: Vec<usize> = (0..20).flat_map(|i| std::iter::repeat_n(i, times(i))).collect();
    let pick = |m: &Mat<f64>| Mat::from_fn(rows.len(), m.ncols(), |i, k| m[(rows[i], k)]);
    let repeated = moments_of(&map, &Table::new(pick(&x), pick(&y)).unwrap());
    let w: Vec<f64> = (0..20).map(|i| times(i) as f64).collect();
    let weighted = moments_of(&map, &Table::new(x, y).unwrap().weighted(Weights::Row(w)).unwrap());
    let (a, b) = (repeated.complete().unwrap(), weighted.complete().unwrap());
    assert_eq!(weighted.weight(), rows.len() as f64);
    assert!((a.weight - b.weight).abs() < 1e-12);
    close(&a.cc, &b.cc, 1e-12);
    close(&a.cy, &b.cy, 1e-12);
    close(&a.yy, &b.yy, 1e-12);
    assert!(a.sum_c.iter().zip(&b.sum_c).chain(a.sum_y.iter().zip(&b.sum_y)).all(|(u, v)| (u - v).abs() < 1e-12));
}

#[test]
fn bad_weights_and_infinite_outputs_are_refused() {
    let map = small_map();
    let mut c = Characters::new(map.characters());
    map.fill(&Inputs::Dense(noise(1, 2, 3)), &mut c);
    let y = noise(2, 2, 4);
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let mut moments = Moments::new(map.characters(), 4);
        says(moments.add(&c, y.as_ref(), Some(&Weights::Row(vec![1.0, bad]))), "weight");
        let mut w = Mat::full(2, 4, 1.0);
        w[(1, 2)] = bad;
        says(moments.add(&c, y.as_ref(), Some(&Weights::Entry(w))), "weight");
        assert_eq!(moments, Moments::new(map.characters(), 4));
    }
    let mut y = y;
    y[(1, 2)] = f64::INFINITY;
    let mut moments = Moments::new(map.characters(), 4);
    says(moments.add(&c, y.as_ref(), None), "inf");
}

#[test]
fn reblocking_keeps_rows_order_and_kind() {
    let (n, d, p) = (23, 2, 3);
    let (x, y) = (noise(80, n, d), noise(81, n, p));
    let w = noise(82, n, p);
    let table = Table::new(x.clone(), y.clone()).unwrap().weighted(Weights::Entry(w.clone())).unwrap();
    for batch in [1, 5, 23, 100] {
        for size in [1, 4, 23, 50] {
            let table = table.clone().batched(batch);
            let mut at = 0;
            for block in reblock(&table, size).unwrap() {
                let block = block.unwrap();
                let rows = block.inputs.nrows();
                assert_eq!(rows, size.min(n - at));
                assert_eq!(block.inputs, Inputs::Dense(x.clone()).slice(at, at + rows));
                assert_eq!(block.outputs, y.subrows(at, rows));
                let Some(Weights::Entry(seen)) = block.weights else { panic!("weights were lost") };
                assert_eq!(seen, w.subrows(at, rows));
                at += rows;
            }
            assert_eq!(at, n);
        }
    }
}

orff::params! {
    /// Made up.
    pub struct Example {
        /// How many.
        count / n_count: u64 = 3, Kind::Count { min: 1, max: 10 };
        /// How much.
        ridge / alpha: Auto<f64> = Auto::Auto, Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
        /// Which.
        draw / draw: String = "iid".into(), Kind::Choice(&["iid", "orthogonal"]);
        /// Whether.
        offset / fit_intercept: bool = true, Kind::Flag;
        /// One or several.
        levels / levels: Vec<f64> = vec![0.5], Kind::Several(&Kind::Number { min: 0.0, max: 1.0, open: false });
    }
}

#[test]
fn kinds_refuse_their_bad_values_in_words() {
    const COUNT: Kind = Kind::Count { min: 2, max: 9 };
    const NUMBER: Kind = Kind::Number { min: 0.0, max: 1.0, open: false };
    let kinds = [
        (COUNT, "a whole number from 2 to 9"),
        (Kind::Count { min: 0, max: u64::MAX }, "a whole number ≥ 0"),
        (Kind::Number { min: 0.0, max: f64::INFINITY, open: true }, "a number > 0"),
        (NUMBER, "a number ≥ 0 and ≤ 1"),
        (Kind::Choice(&["a", "b"]), "one of a, b"),
        (Kind::Flag, "true or false"),
        (Kind::Auto(&COUNT), "auto or a whole number from 2 to 9"),
        (Kind::WordOr(&["gcv", "loo"], &NUMBER), "gcv, loo or a number ≥ 0 and ≤ 1"),
        (Kind::Several(&NUMBER), "a number ≥ 0 and ≤ 1, or a list of them"),
        (Kind::Kernel, "a kernel such as decomposable"),
        (Kind::Group, "additive, multiplicative, skewed(c)"),
        (Kind::Matrix, "a symmetric positive definite matrix given by its rows, or none"),
    ];
    for (kind, expected) in kinds {
        assert!(!kind.bad_values().is_empty());
        for bad in kind.bad_values() {
            let error = kind.check("thing", &bad).expect_err(&format!("{kind:?} takes {bad}")).to_string();
            assert!(error.starts_with(&format!("thing: expected {expected}")) && error.contains("got "), "{error}");
        }
    }
    assert!(Kind::Several(&NUMBER).check("levels", &json!([])).is_err());
    assert!(Kind::Several(&NUMBER).check("levels", &json!([0.1, 2.0])).is_err());
    assert!(Kind::Matrix.check("metric", &json!([])).is_err());
    assert!(Kind::Matrix.check("metric", &json!([[2.0, 1.0], [1.0, 2.0]])).is_ok());
    for bad in [json!([[1.0, 2.0], [2.0, 1.0]]), json!([[1.0, 0.5], [0.2, 1.0]]), json!([[0.0]])] {
        assert!(Kind::Matrix.check("metric", &bad).is_err(), "{bad} is not positive definite, or not symmetric");
    }
    let parsed = |kind: Kind, text: &str| kind.parse("thing", text).unwrap();
    assert_eq!(parsed(Kind::Several(&NUMBER), "0.1, 0.5"), json!([0.1, 0.5]));
    assert_eq!(parsed(Kind::Several(&NUMBER), "0.25"), json!(0.25));
    assert_eq!(parsed(Kind::Auto(&COUNT), "auto"), json!("auto"));
    assert_eq!(parsed(Kind::Auto(&COUNT), "4"), json!(4));
    assert_eq!(parsed(Kind::Flag, "true"), json!(true));
    assert_eq!(parsed(Kind::WordOr(&["gcv"], &NUMBER), "gcv"), json!("gcv"));
    // what the sentence offers is taken
    assert_eq!(parsed(Kind::Matrix, "none"), Value::Null);
    assert_eq!(parsed(Kind::Matrix, "[[1, 0], [0, 2]]"), json!([[1, 0], [0, 2]]));
    assert!(Kind::Number { min: 0.0, max: f64::INFINITY, open: false }.parse("ridge", "1e999").is_err());
    assert!(Kind::Number { min: 0.0, max: f64::INFINITY, open: false }.parse("ridge", "nan").is_err());
}

#[test]
fn declared_parameters_read_back_check_and_refuse() {
    let example = Example { ridge: Auto::Fixed(0.1 + 0.2), levels: vec![0.1, 0.9], ..Example::default() };
    example.check().unwrap();
    let text = serde_json::to_string(&example).unwrap();
    assert_eq!(serde_json::from_str::<Example>(&text).unwrap(), example);
    assert_eq!(serde_json::from_str::<Example>("{}").unwrap(), Example::default());
    let Value::Object(values) = serde_json::to_value(&example).unwrap() else { panic!() };
    assert_eq!(Example::from_values(&values).unwrap(), example);
    for param in Example::SPEC {
        for bad in param.kind.bad_values() {
            let mut values = serde_json::Map::new();
            values.insert(param.name.into(), bad);
            says(Example::from_values(&values), &format!("{}: expected {}", param.name, param.kind.expected()));
        }
    }
    let mut values = serde_json::Map::new();
    values.insert("cuont".into(), json!(3));
    says(Example::from_values(&values), "cuont: expected one of the parameters count, ridge, draw, offset, levels");
    says(
        Example { ridge: Auto::Fixed(f64::NAN), ..Example::default() }.check(),
        "ridge: expected auto or a number > 0",
    );
    assert_eq!(Example::SPEC[1].python, "alpha");
    assert!(serde_json::from_str::<Auto<f64>>("\"automatic\"").unwrap_err().to_string().contains("automatic"));
    let _ = CurlFree { spectrum: gaussian(1.0) };
}

#[test]
fn kernels_that_no_data_can_make_right_are_refused_when_they_are_made() {
    let said = |form: serde_json::Value| Kernel::from_value(form, "thing").unwrap_err().to_string();
    let of = |fields: serde_json::Value| {
        let mut form = json!({"kernel": "decomposable"});
        form.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        form
    };
    for (form, sentence) in [
        (
            json!({"kernel": "scaled", "factor": 0, "of": "gaussian"}),
            "factor of a kernel: expected a finite number > 0, got 0",
        ),
        (
            json!({"kernel": "scaled", "factor": "x", "of": "gaussian"}),
            "factor of a kernel: expected a finite number > 0, got x",
        ),
        (json!({"kernel": "sum", "terms": []}), "sum of kernels: expected at least one term, got none"),
        (
            json!({"kernel": "transformable", "views": []}),
            "views: expected at least one: a matrix for each output, got none",
        ),
        (
            json!({"kernel": "transformable", "views": [[[1.0]], [[1.0, 2.0]]]}),
            "views: expected 1×1 in each, got another in view 2",
        ),
        (
            json!({"kernel": "transformable", "views": [[[1.0]], 3]}),
            "view 2: expected a matrix given by its rows, [[1, 0], [0, 1]], got 3",
        ),
        (
            json!({"kernel": "helmholtz", "gradient": 1.0}),
            "gradient: expected a number > 0 and < 1 (0 is div-free, 1 is curl-free), got 1",
        ),
        (
            of(json!({"spectrum": {"name": "matern", "smoothness": null}})),
            "smoothness: expected a number from 0.1 to 1000000, got none",
        ),
        (
            of(json!({"spectrum": {"name": "gaussian", "lengthscale": []}})),
            "lengthscale: expected one number, or one number per input, got an empty list",
        ),
        (of(json!({"output": [[1.0], [2.0, 3.0]]})), "output: expected 1 numbers in every row, got 2 in row 2"),
        (of(json!({"output": {"name": "similarity", "gamma": -1.0}})), "gamma: expected a number ≥ 0, got -1"),
        (
            of(json!({"output": {"name": "laplacian", "adjacency": [[0.0]], "epsilon": -1.0}})),
            "epsilon: expected a number ≥ 0, got -1",
        ),
        (json!("gausian"), "thing: \"gausian\": unknown kernel \"gausian\" at character 1; did you mean gaussian?"),
    ] {
        assert_eq!(said(form), sentence);
    }
    assert!(
        said(of(json!({"output": [[1.0, 2.0], [2.0, 1.0]]}))).starts_with("output: expected a symmetric positive")
    );
    assert!(
        said(json!({"kernel": "curl-free", "spectrum": {"name": "laplace"}}))
            .starts_with("curl-free with laplace is refused")
    );
    assert!(said(json!(3)).starts_with("thing: expected a kernel such as"));
    assert!(said(json!({"kernel": "x"})).starts_with("thing: expected a kernel such as"));
    // an open lengthscale, and what depends on the data, is none of these
    for fine in
        ["gaussian", "curl-free(matern)", "decomposable(laplace, covariance)", "precompose(by=[[1, 2]], of=gaussian)"]
    {
        Kernel::from_value(json!(fine), "thing").unwrap();
    }
    // files of before
    let with = json!({"kernel": "precomposed", "with": [[1.0, 2.0]], "of": "gaussian"});
    assert_eq!(Kernel::from_value(with, "thing").unwrap(), "precompose([[1, 2]], gaussian)".parse().unwrap());
}

#[test]
fn kernels_know_how_many_outputs_they_have_by_themselves() {
    let own = |text: &str| text.parse::<Kernel>().unwrap().own_outputs(3).map_err(|e| e.to_string());
    assert_eq!(own("gaussian"), Ok(None));
    assert_eq!(own("curl-free"), Ok(Some(3)));
    assert_eq!(own("gaussian + 2*helmholtz + laplace"), Ok(Some(3)));
    assert_eq!(own("decomposable(gaussian, [[1, 0], [0, 1]])*cauchy"), Ok(Some(2)));
    assert_eq!(own("conjugate([[1, 2]], gaussian)"), Ok(Some(1)));
    assert_eq!(own("precompose([[1, 0, 0], [0, 1, 0]], div-free)"), Ok(Some(2)));
    assert_eq!(own("transformable(gaussian, [[1, 0, 0]], [[0, 1, 0]])"), Ok(Some(2)));
    assert_eq!(own("atoms([[1, 2, 3], [4, 5, 6]], [[1], [2], [3], [4]])"), Ok(Some(2)));
    let said = "terms of a sum of kernels: expected 3 outputs in each, got 2".to_string();
    assert_eq!(own("curl-free + decomposable(gaussian, [[1, 0], [0, 1]])"), Err(said));
}
