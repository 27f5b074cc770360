//! The reference learners on small problems: kernels, and outputs that are complete, weighted or partly missing.

mod definition;
mod files;
pub mod nystrom;
mod path;
mod refusals;

use faer::Mat;
use orff::kernel::{Kernel, Listed, Matrix, Output};
use orff::learn::{ExactRegression, FittedExact, Ridge};
use orff::model::{Prediction, Query};
use orff::random::Stream;
use orff::rows::{Inputs, Rows, Table, Weights};
use orff::spectrum::Spectrum;
use orff::watch::Silent;

const ALL: Query = Query { std: true, cov: true, noise: false, single: false };

fn inputs(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut s = Stream::new(seed, 11, 0);
    Mat::from_fn(n, d, |_, _| 3.0 * s.uniform() - 0.7)
}

fn outputs(x: &Mat<f64>, p: usize, noise: f64) -> Mat<f64> {
    let mut s = Stream::new(5, 12, 0);
    Mat::from_fn(x.nrows(), p, |i, t| {
        let a: f64 = (0..x.ncols()).map(|k| x[(i, k)] * (1.0 + 0.4 * (k + t) as f64)).sum();
        2.0 + t as f64 + 1.5 * (a + 0.3 * t as f64).sin() + noise * s.normal()
    })
}

fn spectrum(lengthscale: f64) -> Spectrum {
    Spectrum::default().with_lengthscale(lengthscale.into())
}

fn matrix(m: Mat<f64>) -> Matrix {
    Matrix::new(m, "matrix").unwrap()
}

fn coupled() -> Kernel {
    let gamma = faer::mat![[1.3, 0.5, -0.2], [0.5, 0.9, 0.3], [-0.2, 0.3, 0.7]];
    Kernel::decomposable(spectrum(0.9), Output::Given { matrix: matrix(gamma) })
}

fn other() -> Mat<f64> {
    faer::mat![[0.6, -0.1, 0.2], [-0.1, 1.1, 0.4], [0.2, 0.4, 0.8]]
}

/// Γ of rank 2: one direction of the outputs is only an offset.
fn deficient() -> Kernel {
    let b = faer::mat![[1.0, 0.2], [0.5, -0.8], [-0.3, 0.6]];
    Kernel::decomposable(spectrum(0.9), Output::Given { matrix: matrix(&b * b.transpose()) })
}

fn listed(d: usize, p: usize, r: usize, atoms: usize) -> Kernel {
    let mut s = Stream::new(8, 13, 0);
    let omega = Mat::from_fn(atoms, d, |_, _| s.normal());
    let factors = Mat::from_fn(atoms * p, r, |_, _| s.normal());
    let weights = (0..atoms).map(|_| 0.05 + 0.2 * s.uniform()).collect();
    Listed { omega: matrix(omega), factors: matrix(factors), weights: Some(weights) }.into()
}

/// Weights of rows, generic.
fn row_weights(n: usize) -> Weights {
    Weights::Row((0..n).map(|i| 0.3 + ((i * 7) % 5) as f64 * 0.4).collect())
}

/// Weights of entries; every column has the same sum.
fn entry_weights(n: usize, p: usize) -> Weights {
    let raw = Mat::from_fn(n, p, |i, t| 0.3 + ((i * 7 + t * 3) % 5) as f64 * 0.4);
    let sums: Vec<f64> = raw.col_iter().map(|c| c.iter().sum()).collect();
    Weights::Entry(Mat::from_fn(n, p, |i, t| raw[(i, t)] * n as f64 / sums[t]))
}

/// Takes away some outputs, never the first.
fn holes(mut y: Mat<f64>) -> Mat<f64> {
    for i in 0..y.nrows() {
        for t in 1..y.ncols() {
            if (3 * i + 5 * t) % 4 == 0 {
                y[(i, t)] = f64::NAN;
            }
        }
    }
    y
}

fn table(x: &Mat<f64>, y: &Mat<f64>, weights: &Option<Weights>) -> Table {
    let table = Table::new(x.clone(), y.clone()).unwrap();
    match weights {
        None => table,
        Some(w) => table.weighted(w.clone()).unwrap(),
    }
}

fn exact(kernel: &Kernel, ridge: Ridge, offset: bool) -> ExactRegression {
    ExactRegression { kernel: kernel.clone(), ridge, offset, ..ExactRegression::default() }
}

fn fit(learner: &ExactRegression, rows: &dyn Rows) -> FittedExact {
    learner.fit(rows, &mut Silent).unwrap()
}

fn predict(fitted: &FittedExact, x: &Mat<f64>) -> Prediction {
    fitted.model.predict(&Inputs::Dense(x.clone()), ALL).unwrap()
}

fn gap(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    assert_eq!((a.nrows(), a.ncols()), (b.nrows(), b.ncols()));
    (a - b).norm_max()
}

type Case = (&'static str, Kernel, usize);

fn kernels() -> Vec<Case> {
    vec![
        ("coupled", coupled(), 3),
        ("deficient", 0.7 * deficient(), 3),
        ("identity", identity(), 3),
        (
            "two matrices",
            coupled() + Kernel::decomposable(spectrum(0.5), Output::Given { matrix: matrix(other()) }),
            3,
        ),
        ("curl-free", Kernel::curl_free(spectrum(1.1)), 2),
        ("sum", Kernel::curl_free(spectrum(1.1)) + 0.4 * Kernel::div_free(spectrum(0.8)), 2),
        ("listed", listed(2, 3, 2, 6), 3),
    ]
}

fn identity() -> Kernel {
    Kernel::decomposable(spectrum(0.9), Output::Identity)
}

/// Complete, weighted by rows, by entries, with missing outputs, with both.
fn samples(x: &Mat<f64>, p: usize) -> Vec<(&'static str, Mat<f64>, Option<Weights>)> {
    let (n, y) = (x.nrows(), outputs(x, p, 0.2));
    vec![
        ("complete", y.clone(), None),
        ("row weights", y.clone(), Some(row_weights(n))),
        ("entry weights", y.clone(), Some(entry_weights(n, p))),
        ("missing", holes(y.clone()), None),
        ("missing, row weights", holes(y), Some(row_weights(n))),
    ]
}
