//! Curves as outputs: ridge with the integral kernel, on common grids and at arguments of their own.

mod definition;
mod learner;
mod refusals;

use faer::Mat;
use orff::random::Stream;

/// What curves are: smooth in both, with some noise.
pub(super) fn value(x: &[f64], t: f64) -> f64 {
    (1.3 * x[0] + 2.0 * t).sin() + 0.5 * x[1] * (3.0 * t).cos()
}

/// Inputs in the plane.
pub(super) fn inputs(n: usize, seed: u64) -> Mat<f64> {
    let mut s = Stream::new(seed, 71, 0);
    Mat::from_fn(n, 2, |_, _| 2.0 * s.uniform() - 1.0)
}

/// Curves at a common grid, with noise.
pub(super) fn on_grid(x: &Mat<f64>, grid: &[f64], noise: f64, seed: u64) -> Mat<f64> {
    let mut s = Stream::new(seed, 72, 0);
    Mat::from_fn(x.nrows(), grid.len(), |i, k| value(&[x[(i, 0)], x[(i, 1)]], grid[k]) + noise * s.normal())
}

/// Curves at arguments of their own, between one and seven of them.
pub(super) fn ragged(x: &Mat<f64>, noise: f64, seed: u64) -> Vec<(Vec<f64>, Vec<f64>)> {
    let mut s = Stream::new(seed, 73, 0);
    let curve = |i: usize| {
        let t: Vec<f64> = (0..1 + (5 * i) % 7).map(|_| s.uniform()).collect();
        let y = t.iter().map(|&t| value(&[x[(i, 0)], x[(i, 1)]], t) + noise * s.normal()).collect();
        (t, y)
    };
    (0..x.nrows()).map(curve).collect()
}
