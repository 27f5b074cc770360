//! All quantiles in one fit: the solver, the learner, what is asked of its models.

mod answers;
mod fit;
mod joint;
mod solver;

use faer::Mat;
use orff::random::Stream;
use orff::special::normal_quantile;

/// A sine wave whose noise falls along it; the quantile of level t is known.
pub fn wave(n: usize, seed: u64) -> (Mat<f64>, Mat<f64>) {
    let mut stream = Stream::new(seed, 99, 0);
    let x: Vec<f64> = (0..n).map(|_| 1.5 * stream.uniform()).collect();
    let y: Vec<f64> = x.iter().map(|x| centre(*x) + spread(*x) * stream.normal()).collect();
    (Mat::from_fn(n, 1, |i, _| x[i]), Mat::from_fn(n, 1, |i, _| y[i]))
}

fn centre(x: f64) -> f64 {
    (4.0 * x).sin()
}

fn spread(x: f64) -> f64 {
    0.2 + 0.3 * (1.5 - x)
}

/// The quantile of level t at x.
pub fn truth(x: f64, t: f64) -> f64 {
    centre(x) + spread(x) * normal_quantile(t)
}

pub fn pinball(y: f64, q: f64, t: f64) -> f64 {
    if y > q { t * (y - q) } else { (1.0 - t) * (q - y) }
}
