//! How long a search among n rows is. \[one-class-scores\]

/// Euler and Mascheroni's constant.
const EULER: f64 = 0.577_215_664_901_532_9;
/// From here on the expansion of harmonic numbers is exact to rounding.
const MANY: usize = 64;

/// c(n) = 2H(n − 1) − 2(n − 1)/n, the mean depth at which random cuts isolate one of n rows; H(i) = Σ 1/k. 0 for n < 2.
///
/// ```
/// use orff::forest::path_length;
/// assert_eq!((path_length(1), path_length(2)), (0.0, 1.0));
/// assert!((path_length(4) - (2.0 * (1.0 + 0.5 + 1.0 / 3.0) - 1.5)).abs() < 1e-15);
/// ```
pub fn path_length(n: usize) -> f64 {
    if n < 2 {
        return 0.0;
    }
    let share = (n - 1) as f64 / n as f64;
    2.0 * harmonic(n - 1) - 2.0 * share
}

fn harmonic(n: usize) -> f64 {
    if n < MANY {
        return (1..=n).rev().map(|k| 1.0 / k as f64).sum();
    }
    let n = n as f64;
    let square = n * n;
    libm::log(n) + EULER + 0.5 / n - 1.0 / (12.0 * square) + 1.0 / (120.0 * square * square)
}
