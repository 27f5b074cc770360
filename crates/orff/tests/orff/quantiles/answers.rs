//! Quantiles, levels, samples and intervals are answers about one function.

use super::wave;
use faer::Mat;
use orff::curve::CurveBasis;
use orff::learn::{Conformal, QuantileFunction};
use orff::model::{Curves, Model};
use orff::random::Stream;
use orff::rows::{Inputs, Table};
use orff::watch::Silent;

fn curves(basis: CurveBasis) -> Curves {
    Curves { basis, calibration: None, argument: None }
}

#[test]
fn curves_that_fall_are_put_in_order() {
    let curves = curves(CurveBasis::Moments { count: 3, decay: 1.0 });
    // a scale below zero, and a bend that is larger than the scale
    let columns = faer::mat![[1.0, -2.0, 0.0], [0.0, 0.3, 2.0]];
    let levels: Vec<f64> = (1..1000).map(|k| k as f64 / 1000.0).collect();
    let q = curves.quantiles(columns.as_ref(), &levels).unwrap();
    assert!((0..2).all(|i| (1..999).all(|k| q[(i, k)] >= q[(i, k - 1)])));
    // a law that was turned round is that law, as the levels are symmetric
    assert!((q[(0, 899)] - (1.0 + 2.0 * 1.2815515655446004)).abs() < 1e-12);
    // asked alone, a level has the same answer
    for k in [3, 500, 997] {
        let alone = curves.quantiles(columns.as_ref(), &levels[k..=k]).unwrap();
        assert!(alone[(0, 0)] == q[(0, k)] && alone[(1, 0)] == q[(1, k)]);
    }
}

#[test]
fn levels_and_quantiles_are_each_others_inverse() {
    let curves = curves(CurveBasis::Moments { count: 2, decay: 1.0 });
    let columns = faer::mat![[3.0, 0.5], [-1.0, 2.0]];
    for t in [0.003, 0.2, 0.5, 0.77, 0.999] {
        let q = curves.quantiles(columns.as_ref(), &[t]).unwrap();
        let back = curves.cdf(columns.as_ref(), q.as_ref()).unwrap();
        assert!((back[(0, 0)] - t).abs() < 1e-12 && (back[(1, 0)] - t).abs() < 1e-12);
    }
    let far = curves.cdf(columns.as_ref(), faer::mat![[-100.0], [100.0]].as_ref()).unwrap();
    assert_eq!((far[(0, 0)], far[(1, 0)]), (0.0, 1.0));
    // between its levels the normal law is followed to three digits
    let q = curves.quantiles(columns.as_ref(), &[0.9012]).unwrap();
    assert!((q[(0, 0)] - (3.0 + 0.5 * 1.2884)).abs() < 1e-3);
    let jump = Curves { basis: CurveBasis::Hats { knots: vec![0.2, 0.8] }, calibration: None, argument: None };
    let level = jump.cdf(faer::mat![[1.0, 1.0]].as_ref(), faer::mat![[1.0]].as_ref()).unwrap();
    assert_eq!(level[(0, 0)], 1.0);
}

#[test]
fn samples_have_the_law_they_are_drawn_from() {
    let curves = curves(CurveBasis::Moments { count: 4, decay: 0.3 });
    let columns = faer::mat![[1.0, 0.5, 0.3, -0.2], [0.0, 2.0, -0.5, 0.1]];
    let n = 4000;
    let draws = curves.sample(columns.as_ref(), n, 11, 0);
    for i in 0..2 {
        let own = Mat::from_fn(1, 4, |_, j| columns[(i, j)]);
        for t in [0.05, 0.3, 0.5, 0.9] {
            let q = curves.quantiles(own.as_ref(), &[t]).unwrap()[(0, 0)];
            let below = (0..n).filter(|&k| draws[(i, k)] <= q).count() as f64;
            let z = (below - n as f64 * t) / (n as f64 * t * (1.0 - t)).sqrt();
            assert!(z.abs() < 4.0, "row {i}, level {t}: z = {z}");
        }
    }
    // a row has its own stream, wherever a block begins
    let later = curves.sample(columns.subrows(1, 1), n, 11, 1);
    assert_eq!(later.row(0), draws.row(1));
    assert_ne!(curves.sample(columns.as_ref(), n, 12, 0).row(0), draws.row(0));
}

#[test]
fn margins_are_the_ranks_of_scores() {
    // the curve is 0 at all levels: the score of a row is |y|
    let kept = Mat::from_fn(19, 3, |i, c| [0.0, i as f64 * if i % 2 == 0 { 1.0 } else { -1.0 }, 1.0][c]);
    let curves = Curves { basis: CurveBasis::Hats { knots: vec![0.5] }, calibration: Some(kept), argument: None };
    assert_eq!(curves.margins(1, 0.9).unwrap(), [17.0]); // the 18th of 19
    assert_eq!(curves.margins(1, 0.5).unwrap(), [9.0]); // the 10th
    let (lower, upper) = curves.interval(faer::mat![[1.0]].as_ref(), 0.9, &[17.0]).unwrap();
    assert_eq!((lower[(0, 0)], upper[(0, 0)]), (-16.0, 18.0));
    let refused = curves.margins(1, 0.96).unwrap_err().to_string();
    assert!(refused.contains("it takes at least 24"), "{refused}");
}

/// Intervals hold what they promise on average over data sets, though the model is far too smooth.
#[test]
fn corrected_intervals_cover() {
    let (mut inside, mut asked, mut plain) = (0.0, 0.0, 0.0);
    for seed in 0..30 {
        let (x, y) = wave(60, 100 + seed);
        let (fresh, seen) = wave(200, 500 + seed);
        let fit = |conformal: Conformal| -> Model {
            let learner = QuantileFunction {
                lengthscale: 30.0.into(),
                ridge: orff::params::Auto::Fixed(10.0),
                conformal,
                ..QuantileFunction::default()
            };
            learner.model(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap()
        };
        let covered = |model: &Model| {
            let columns = model.columns(&Inputs::Dense(fresh.clone()), false).unwrap();
            let curves = model.curves().unwrap();
            let (lower, upper) = curves.interval(columns.as_ref(), 0.8, &curves.margins(1, 0.8).unwrap()).unwrap();
            (0..200).filter(|&i| lower[(i, 0)] <= seen[(i, 0)] && seen[(i, 0)] <= upper[(i, 0)]).count() as f64
        };
        let model = fit(Conformal::Share(0.5));
        let again = Model::from_bytes(model.to_bytes().unwrap()).unwrap();
        assert_eq!(covered(&model), covered(&again));
        inside += covered(&model);
        plain += covered(&fit(Conformal::None));
        asked += 200.0;
    }
    // of 30 rows the 25th: between 0.8 and 25/31, spread over data sets with standard deviation 0.07
    let share = inside / asked;
    assert!((share - 25.0 / 31.0).abs() < 4.0 * 0.075 / 30f64.sqrt(), "{share}, {}", plain / asked);
}

/// Rows that share their inputs are kept aside as others are: one of two classes is no measure of the other.
#[test]
fn corrected_intervals_cover_classes() {
    for quiet in [0.0, 1.0] {
        let (mut inside, mut asked) = (0, 0);
        for seed in 0..30 {
            let mut stream = Stream::new(seed, 5, quiet as u64);
            let mut rows = |n: usize| {
                let x = Mat::from_fn(n, 1, |_, _| stream.below(2) as f64);
                let y =
                    Mat::from_fn(n, 1, |i, _| if x[(i, 0)] == quiet { 0.1 } else { 2.0 } * stream.normal().powi(3));
                (x, y)
            };
            let ((x, y), (fresh, seen)) = (rows(200), rows(400));
            let learner = QuantileFunction {
                lengthscale: 1.0.into(),
                ridge: orff::params::Auto::Fixed(10.0),
                features: orff::params::Auto::Fixed(8),
                conformal: Conformal::Auto,
                ..QuantileFunction::default()
            };
            let model = learner.model(&Table::new(x, y).unwrap(), &mut Silent).unwrap();
            let columns = model.columns(&Inputs::Dense(fresh), false).unwrap();
            let curves = model.curves().unwrap();
            let (lower, upper) = curves.interval(columns.as_ref(), 0.9, &curves.margins(1, 0.9).unwrap()).unwrap();
            inside += (0..400).filter(|&i| lower[(i, 0)] <= seen[(i, 0)] && seen[(i, 0)] <= upper[(i, 0)]).count();
            asked += 400;
        }
        // of 50 rows the 46th: 46/51, spread over data sets with standard deviation 0.042
        let share = inside as f64 / asked as f64;
        assert!((share - 46.0 / 51.0).abs() < 4.0 * 0.045 / 30f64.sqrt(), "{quiet}: {share}");
    }
}

/// A row that was seen several times is several rows.
#[test]
fn copies_are_kept_aside_one_by_one() {
    let (x, y) =
        (Mat::from_fn(200, 1, |i, _| (i % 3) as f64), Mat::from_fn(200, 1, |i, _| (i * i % 7 + i % 5) as f64));
    let learner = QuantileFunction { conformal: Conformal::Auto, ..QuantileFunction::default() };
    let model = learner.model(&Table::new(x, y).unwrap(), &mut Silent).unwrap();
    // of 50 rows, not of a quarter of the different ones
    assert!(model.curves().unwrap().margins(1, 0.98).is_ok());
    assert!(model.curves().unwrap().margins(1, 0.985).is_err());
}
