//! Error bars and intervals: they cover what they say, and are the diagonal of the covariance.

use super::noisy;
use orff::learn::Regression;
use orff::model::Query;
use orff::params::Auto;
use orff::rows::{Inputs, Table};
use orff::watch::Silent;

#[test]
fn intervals_cover_what_they_say() {
    let (x, y) = noisy(1200);
    let part = |from: usize, n: usize| (x.subrows(from, n).to_owned(), y.subrows(from, n).to_owned());
    let ((train_x, train_y), (test_x, test_y)) = (part(0, 500), part(500, 700));
    for kernel in ["decomposable", "decomposable(matern(2.5), covariance)"] {
        let learner =
            Regression { kernel: kernel.parse().unwrap(), features: Auto::Fixed(300), ..Regression::default() };
        let model = learner.fit(&Table::new(train_x.clone(), train_y.clone()).unwrap(), &mut Silent).unwrap().model;
        let got = model.predict(&Inputs::Dense(test_x.clone()), Query { std: true, ..Query::default() }).unwrap();
        let std = got.std.unwrap();
        let inside = (0..700)
            .flat_map(|i| (0..3).map(move |t| (i, t)))
            .filter(|&(i, t)| (got.mean[(i, t)] - test_y[(i, t)]).abs() <= 1.6448536 * std[(i, t)])
            .count();
        let share = inside as f64 / 2100.0;
        // 0.9 ± four binomial deviations
        assert!((share - 0.9).abs() < 4.0 * (0.09f64 / 2100.0).sqrt(), "{kernel}: {share}");
    }
}

/// Error bars alone take another way than whole covariances.
#[test]
fn error_bars_are_the_diagonal_of_the_covariance() {
    let (x, mut y) = noisy(120);
    for (kernel, missing) in [
        ("decomposable", false),
        ("decomposable(gaussian, given([[2, 1, 0], [1, 2, 0.5], [0, 0.5, 1]]))", false),
        ("decomposable", true),
        ("decomposable(gaussian, given([[2, 1, 0], [1, 2, 0.5], [0, 0.5, 1]]))", true),
    ] {
        if missing {
            (0..120).step_by(4).for_each(|i| y[(i, i % 3)] = f64::NAN);
        }
        let kernel = kernel.parse().unwrap();
        let learner = Regression { kernel, features: Auto::Fixed(100), ..Regression::default() };
        let fitted = learner.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
        for noise in [false, true] {
            let ask = |cov| Query { std: true, cov, noise, single: false };
            let at = |cov| fitted.model.predict(&Inputs::Dense(x.clone()), ask(cov)).unwrap();
            let (alone, whole) = (at(false).std.unwrap(), at(true));
            for (i, cov) in whole.cov.unwrap().iter().enumerate() {
                for t in 0..3 {
                    let expected = cov[(t, t)].sqrt();
                    assert!(expected > 0.0 && (alone[(i, t)] - expected).abs() < 1e-10 * expected);
                }
            }
        }
    }
}
