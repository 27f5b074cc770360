//! Drawn atoms: the geometry of their factors, convergence of products, the bias of structured draws.

use super::{close, gamma4, gaussian, given, matern, matrix, noise, says};
use faer::{Mat, mat};
use orff::kernel::{Kernel, SumDraw};
use orff::random::Stream;
use orff::spectrum::{Draw, DrawKind, Measure};
use rayon::prelude::*;

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
