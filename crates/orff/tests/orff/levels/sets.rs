//! What the sets are asked for: their shares, one in the other, beside the plain machine.

use super::{clouds, rank_correlation, table};
use faer::Mat;
use orff::learn::{FourierOneClassSvm, LevelSets};
use orff::model::{Model, Query};
use orff::random::Stream;
use orff::rows::Inputs;
use orff::spectrum::Lengthscale;
use orff::watch::Silent;

/// ν from 0.02 to 0.98.
fn grid() -> Vec<f64> {
    (1..=49).map(|k| k as f64 / 50.0).collect()
}

fn share(scores: &[f64], nu: f64) -> f64 {
    scores.iter().filter(|s| **s < nu).count() as f64 / scores.len() as f64
}

#[test]
fn rows_held_out_leave_as_often_as_nu_says() {
    // boundaries that 600 rows draw are off as shares of 600 rows are; those of 4000 hardly
    for (n, drawn) in [(600, 1.0 / 600.0), (4000, 0.0)] {
        let model = LevelSets::default().model(&table(&clouds(n, 1)), &mut Silent).unwrap();
        let scores = model.normality(&Inputs::Dense(clouds(4000, 2))).unwrap();
        for nu in grid() {
            let noise = (nu * (1.0 - nu) * (1.0 / 4000.0 + drawn)).sqrt();
            let found = share(&scores, nu);
            assert!((found - nu).abs() <= 0.02 + 2.0 * noise, "{n}, {nu}: {found}");
        }
    }
}

#[test]
fn sets_are_one_in_the_other() {
    let model = LevelSets::default().model(&table(&clouds(300, 3)), &mut Silent).unwrap();
    let mut rows = clouds(300, 4);
    // some of them anywhere
    (0..300).step_by(3).for_each(|i| rows[(i, 0)] = (i as f64 * 0.7).sin() * 15.0);
    let rows = Inputs::Dense(rows);
    let levels: Vec<f64> = [1e-6, 5e-5, 1e-3].into_iter().chain(grid()).chain([0.999, 0.99995, 0.999999]).collect();
    let (inside, scores) = (model.inside(&rows, &levels).unwrap(), model.normality(&rows).unwrap());
    assert!(scores.iter().all(|s| *s > 0.0 && *s < 1.0));
    for i in 0..300 {
        for (k, nu) in levels.iter().enumerate() {
            // out at a level, out at all above it
            assert!(k == 0 || inside[(i, k)] < 0.0 || inside[(i, k - 1)] >= 0.0, "{i} {nu}");
            // at the boundary itself rounding decides
            let apart = (scores[i] / nu - 1.0).abs() > 1e-9;
            assert!(
                !apart || (scores[i] > *nu) == (inside[(i, k)] > 0.0),
                "{i} {nu}: {} {}",
                scores[i],
                inside[(i, k)]
            );
        }
    }
}

/// Gap at which rows near the boundary are on the side where the minimum has them.
const TIGHT: f64 = 1e-4;

/// Values of f − b of the plain machine, with the lengthscale and the features of a model.
fn plain(model: &Model, lengthscale: &Lengthscale, nu: f64, rows: &Inputs) -> Vec<f64> {
    let found = FourierOneClassSvm { nu, lengthscale: lengthscale.clone(), tolerance: TIGHT, ..Default::default() }
        .fit(&table(&clouds(600, 1)), &mut Silent)
        .unwrap();
    assert_eq!(found.training.kernel, model.info.training.kernel);
    let f = found.body.predict(rows, Query::default()).unwrap().mean;
    f.col(0).iter().map(|f| f - found.outliers.offset).collect()
}

#[test]
fn each_level_is_that_of_the_plain_machine() {
    // half the median distance, and what is chosen
    for lengthscale in [Lengthscale::Common(5.0), chosen()] {
        agrees(&lengthscale);
    }
}

/// The lengthscale that is chosen for 600 rows, in their units.
fn chosen() -> Lengthscale {
    let model = LevelSets::default().model(&table(&clouds(600, 1)), &mut Silent).unwrap();
    let form = serde_json::to_value(&model.info.training.kernel).unwrap();
    let scaled = form["spectrum"]["lengthscale"].as_f64().unwrap();
    Lengthscale::PerInput(model.preparation().scale.iter().map(|unit| scaled * unit).collect())
}

fn agrees(lengthscale: &Lengthscale) {
    let model = LevelSets { lengthscale: lengthscale.clone(), tolerance: TIGHT, ..LevelSets::default() };
    let model = model.model(&table(&clouds(600, 1)), &mut Silent).unwrap();
    for rows in [clouds(600, 1), clouds(3000, 5)] {
        let rows = Inputs::Dense(rows);
        let scores = model.normality(&rows).unwrap();
        for nu in [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98] {
            let alone = plain(&model, lengthscale, nu, &rows);
            let inside = model.inside(&rows, &[nu]).unwrap();
            let together: Vec<f64> = inside.col(0).iter().copied().collect();
            let out = alone.iter().filter(|v| **v < 0.0).count() as f64 / alone.len() as f64;
            let correlation = rank_correlation(&alone, &together);
            assert!((out - share(&scores, nu)).abs() < 0.0101, "{nu}: {out} {}", share(&scores, nu));
            assert!(correlation > 0.95, "{nu}: {correlation}");
        }
    }
}

/// Draws whose sets at ν = 0.02 are not those between the levels 0.01 and 0.05, and lengthscales for them.
fn draws() -> [(Mat<f64>, f64); 2] {
    let mut stream = Stream::new(4, 4, 0);
    [(clouds(300, 7), 5.0), (Mat::from_fn(200, 2, |_, _| stream.normal()), 2.0)]
}

#[test]
fn small_levels_rank_rows_as_the_plain_machine_does() {
    for (x, lengthscale) in draws() {
        let (rows, lengthscale) = (table(&x), Lengthscale::Common(lengthscale));
        let alone = FourierOneClassSvm {
            nu: 0.02,
            lengthscale: lengthscale.clone(),
            tolerance: TIGHT,
            ..FourierOneClassSvm::default()
        };
        let alone = alone.fit(&rows, &mut Silent).unwrap();
        let together = LevelSets { lengthscale, ..LevelSets::default() }.model(&rows, &mut Silent).unwrap();
        assert_eq!(alone.training.kernel, together.info.training.kernel);
        let x = Inputs::Dense(x);
        let f = alone.body.predict(&x, Query::default()).unwrap().mean;
        let inside = together.inside(&x, &[0.02]).unwrap();
        let correlation = rank_correlation(f.col_as_slice(0), inside.col_as_slice(0));
        assert!(correlation > 0.95, "{correlation}");
    }
}

#[test]
fn small_levels_take_few_steps() {
    for (x, lengthscale) in draws() {
        let (rows, lengthscale) = (table(&x), Lengthscale::Common(lengthscale));
        let (all, _) = LevelSets { lengthscale, ..LevelSets::default() }.fit(&rows, &mut Silent).unwrap();
        assert!(all.training.iterations <= 300, "{}", all.training.iterations);
    }
    for nu in [0.01, 0.02] {
        // short: nearly all directions of the features matter
        let lengthscale = Lengthscale::Common(4.0);
        let one = FourierOneClassSvm { nu, lengthscale, ..FourierOneClassSvm::default() };
        let one = one.fit(&table(&clouds(600, 1)), &mut Silent).unwrap();
        assert!(one.training.iterations <= 300, "{nu}: {}", one.training.iterations);
    }
}
