//! Every kernel by name, with its standard check: the mean of its features is the kernel, for the draws it takes.

mod closed_forms;
mod draws;
mod features;
mod group;
pub(super) mod moments;
mod params;
mod refusals;

use faer::{Mat, mat};
use orff::kernel::{Kernel, Listed, Matrix, Output, Transformable};
use orff::random::Stream;
use orff::spectrum::{Cauchy, DrawKind, Gaussian, Laplace, Lengthscale, Matern, Measure, SkewedChi2, Spectrum};
use orff::testing::check_kernel;
use rayon::prelude::*;

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

fn close(a: &Mat<f64>, b: &Mat<f64>, tol: f64) {
    assert_eq!((a.nrows(), a.ncols()), (b.nrows(), b.ncols()));
    assert!(orff::linalg::is_finite(a.as_ref()) && orff::linalg::is_finite(b.as_ref()), "{a:?} {b:?}");
    let gap = (a - b).norm_max();
    assert!(gap <= tol * (1.0 + b.norm_max()), "differ by {gap:e}:\n{a:?}\n{b:?}");
}

fn says<T: std::fmt::Debug>(result: orff::Result<T>, sentence: &str) {
    let error = result.expect_err(sentence).to_string();
    assert!(error.contains(sentence), "expected \"{sentence}\" in \"{error}\"");
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
