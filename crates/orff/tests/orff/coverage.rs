//! Intervals of forecasts hold as often as they say: shares over simulated series, by z-score.

use faer::Mat;
use orff::generate::{Bend, Noise, autoregression};
use orff::learn::{Autoregression, Method, Order};
use orff::model::{Ask, Start};
use orff::params::Auto;
use orff::series::Series;
use orff::watch::Silent;

/// How often intervals of 90 % held at each step, and how many there were: models of the first rows of some series forecast
/// from rows further on, far enough apart not to share noise.
fn held(
    learner: &Autoregression,
    (bend, noise, p): (Bend, Noise, usize),
    (rows, seeds, starts, steps): (usize, u64, usize, usize),
) -> (Vec<f64>, f64) {
    let mut held = vec![0.0; steps];
    for seed in 0..seeds {
        let series = autoregression(rows + starts * steps, p, bend, noise, seed).unwrap().values;
        let first = Series::new(series.subrows(0, rows).to_owned()).unwrap();
        let model = learner.fit(&first, &mut Silent).unwrap();
        for start in 0..starts {
            let at = rows + start * steps;
            let history: Mat<f64> = series.subrows(0, at).to_owned();
            let ask = Ask { steps, interval: 0.9, paths: 400, seed: start as u64 };
            let start = Start { history: &history, member: 0, future: None };
            let found = model.forecast(&start, &ask, &mut Silent).unwrap();
            let (low, high) = found.interval.unwrap();
            for k in 0..steps {
                for t in 0..p {
                    let y = series[(at + k, t)];
                    held[k] += f64::from(u8::from(low[(k, t)] <= y && y <= high[(k, t)]));
                }
            }
        }
    }
    let count = (seeds as usize * starts * p) as f64;
    (held.into_iter().map(|h| h / count).collect(), count)
}

fn close_to_nine_tenths(what: &str, (shares, count): (Vec<f64>, f64)) {
    for (k, share) in shares.iter().enumerate() {
        let z = (share - 0.9) / (0.09 / count).sqrt();
        assert!(z.abs() < 4.0, "{what}, step {}: {share} of {count}, z = {z}", k + 1);
    }
}

#[test]
fn intervals_of_few_rows_hold_because_of_the_posterior() {
    let with = Autoregression { method: Method::Linear, order: Order::Given(2), ..Autoregression::default() };
    let without = Autoregression { posterior: false, ..with.clone() };
    let setting = ((Bend::Linear, Noise::White, 3), (24, 150, 1, 3));
    let (with, count) = held(&with, setting.0, setting.1);
    let without = held(&without, setting.0, setting.1).0;
    let error = (0.09 / count).sqrt();
    // seven coefficients of 22 rows: paths of residuals alone are too narrow, by much more than chance
    assert!(without[0] < 0.9 - 4.0 * error, "{without:?}");
    assert!(with[0] > without[0] + 2.0 * error && (with[0] - 0.9).abs() < 4.0 * error, "{with:?} {without:?}");
}

#[test]
fn variables_that_are_nearly_one_sum_keep_their_intervals() {
    // y₃ = y₁ + y₂ but for a thousandth: what is known of y₁ and y₂ holds for forecasts of all three
    let near = |n: usize, seed: u64| {
        let two = autoregression(n, 2, Bend::Linear, Noise::White, seed).unwrap().values;
        let mut random = orff::random::Stream::new(seed, 0x6e65_6172, 0);
        Mat::from_fn(
            n,
            3,
            |i, k| if k < 2 { two[(i, k)] } else { two[(i, 0)] + two[(i, 1)] + 1e-3 * random.normal() },
        )
    };
    let learner = Autoregression { method: Method::Linear, order: Order::Given(2), ..Autoregression::default() };
    let (steps, seeds, mut held) = (6, 200, [0.0; 6]);
    for seed in 0..seeds {
        let series = near(80 + steps, seed);
        let history = series.subrows(0, 80).to_owned();
        let model = learner.fit(&Series::new(history.clone()).unwrap(), &mut Silent).unwrap();
        let ask = Ask { steps, interval: 0.9, paths: 200, seed };
        let start = Start { history: &history, member: 0, future: None };
        let found = model.forecast(&start, &ask, &mut Silent).unwrap();
        assert!(found.warnings.is_empty(), "{:?}", found.warnings);
        let (low, high) = found.interval.unwrap();
        let truth = |k: usize| series[(80 + k, 0)];
        (0..steps).for_each(|k| held[k] += f64::from(u8::from(low[(k, 0)] <= truth(k) && truth(k) <= high[(k, 0)])));
        // never far wider than the process itself moves in so many steps
        assert!(high[(steps - 1, 0)] - low[(steps - 1, 0)] < 100.0, "{seed}: {}", high[(5, 0)] - low[(5, 0)]);
    }
    close_to_nine_tenths("nearly collinear", (held.iter().map(|h| h / seeds as f64).collect(), seeds as f64));
}

/// How many 90 % intervals of a series held at each step, and how many there were.
type Held = (Vec<f64>, f64);

/// Of each series, those of forecasts that did not say that they follow from rows further out than any learned from, and of
/// those that did: it is said before the rows to come are seen.
fn held_by_place(
    learner: &Autoregression,
    (bend, noise, p): (Bend, Noise, usize),
    (rows, seeds, starts, steps): (usize, u64, usize, usize),
) -> [Vec<Held>; 2] {
    let mut by_place = [Vec::new(), Vec::new()];
    for seed in 0..seeds {
        let series = autoregression(rows + starts * steps, p, bend, noise, seed).unwrap().values;
        let first = Series::new(series.subrows(0, rows).to_owned()).unwrap();
        let model = learner.fit(&first, &mut Silent).unwrap();
        let mut own = [(vec![0.0; steps], 0.0), (vec![0.0; steps], 0.0)];
        for start in 0..starts {
            let at = rows + start * steps;
            let history: Mat<f64> = series.subrows(0, at).to_owned();
            let ask = Ask { steps, interval: 0.9, paths: 300, seed: start as u64 };
            let start = Start { history: &history, member: 0, future: None };
            let found = model.forecast(&start, &ask, &mut Silent).unwrap();
            let outside = found.warnings.iter().any(|line| line.contains("further out than any that was learned"));
            let (held, count) = &mut own[usize::from(outside)];
            let (low, high) = found.interval.unwrap();
            for (k, held) in held.iter_mut().enumerate() {
                let inside = |t: &usize| (low[(k, *t)]..=high[(k, *t)]).contains(&series[(at + k, *t)]);
                *held += (0..p).filter(inside).count() as f64;
            }
            *count += p as f64;
        }
        by_place.iter_mut().zip(own).for_each(|(all, own)| all.push(own));
    }
    by_place
}

/// The share of a step and its standard error. Intervals of one series share a model, its noise above all: it is series that are
/// drawn independently.
fn share_of_series(series: &[Held], k: usize) -> (f64, f64) {
    let (held, count) = series.iter().fold((0.0, 0.0), |(h, c), (held, count)| (h + held[k], c + count));
    let share = held / count;
    let squares: f64 = series.iter().map(|(held, count)| (held[k] - share * count).powi(2)).sum();
    let n = series.len() as f64;
    (share, (squares * n / (n - 1.0)).sqrt() / count)
}

#[test]
fn intervals_of_bent_series_hold_where_rows_were_learned_from() {
    let learner = Autoregression { features: Auto::Fixed(80), ..Autoregression::default() };
    for (bend, noise) in
        [(Bend::Exponential, Noise::White), (Bend::Exponential, Noise::Toeplitz), (Bend::Sine, Noise::Toeplitz)]
    {
        let [inside, _] = held_by_place(&learner, (bend, noise, 3), (200, 100, 8, 3));
        for k in 0..3 {
            let (share, error) = share_of_series(&inside, k);
            let z = (share - 0.9) / error;
            // an error that cannot tell 0.85 from 0.9 would prove nothing
            assert!(error < 0.0125 && z.abs() < 4.0, "{bend:?}, {noise:?}, step {}: {share}, z = {z}", k + 1);
        }
    }
}

#[test]
fn intervals_of_few_rows_of_a_bent_series_need_the_posterior() {
    let with = Autoregression { features: Auto::Fixed(80), ..Autoregression::default() };
    let without = Autoregression { posterior: false, ..with.clone() };
    let setting = ((Bend::Exponential, Noise::Toeplitz, 3), (60, 40, 8, 1));
    let all = |learner: &Autoregression| {
        // whether a forecast is outside is known with the posterior only: both are judged by all
        let [inside, outside] = held_by_place(learner, setting.0, setting.1);
        inside.iter().zip(&outside).map(|((a, _), (b, _))| (a[0] + b[0]) / 24.0).collect::<Vec<f64>>()
    };
    let gain: Vec<f64> = all(&with).iter().zip(all(&without)).map(|(with, without)| with - without).collect();
    let n = gain.len() as f64;
    let mean = gain.iter().sum::<f64>() / n;
    let error = (gain.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
    assert!(mean > 3.0 * error && mean > 0.01, "{mean} {error}");
}
