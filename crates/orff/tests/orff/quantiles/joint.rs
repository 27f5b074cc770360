//! The exact reference and what features make of it.

use super::wave;
use orff::curve::CurveBasis;
use orff::learn::{JointQuantiles, LevelList, QuantileFunction, learner};
use orff::model::Model;
use orff::params::Auto;
use orff::rows::{Inputs, Table};
use orff::watch::Silent;
use serde_json::{Map, json};

#[test]
fn features_come_near_the_exact_kernel() {
    let ((x, y), (fresh, _)) = (wave(150, 21), wave(50, 22));
    let rows = Table::new(x, y).unwrap();
    let given = [("lengthscale", json!(0.4)), ("ridge", json!(1e-4)), ("tolerance", json!(1e-4))];
    let given = Map::from_iter(given.map(|(k, v)| (k.to_string(), v)));
    let fit = |name: &str| (learner(name).unwrap().fit)(&given, &rows, &mut Silent).unwrap();
    let (exact, drawn) = (fit("joint-quantiles"), fit("quantiles"));
    let at = |model: &Model, t: f64| model.quantiles(&Inputs::Dense(fresh.clone()), &[t]).unwrap();
    // another level kernel, so only near
    for t in [0.1, 0.5, 0.9] {
        let apart = (at(&exact, t) - at(&drawn, t)).norm_l2() / 50f64.sqrt();
        assert!(apart < 0.12, "level {t}: {apart}");
    }
    let curves = exact.curves.as_ref().unwrap();
    assert_eq!(curves.basis, CurveBasis::Hats { knots: vec![0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95] });
    // beyond the levels an interval would be one of fewer rows than it says
    assert!(curves.reach(0.9).is_ok());
    let error = curves.reach(0.92).unwrap_err().to_string();
    assert!(error.contains("at most 0.9000, as levels from 0.05 to 0.95"), "{error}");
    let again = Model::from_bytes(exact.to_bytes().unwrap()).unwrap();
    assert_eq!(at(&again, 0.3), at(&exact, 0.3));
}

#[test]
fn one_level_of_both_is_one_problem() {
    // with a level kernel that is constant and one level, both are plain quantile regression at that level
    let (x, y) = wave(70, 23);
    let rows = Table::new(x.clone(), y).unwrap();
    let exact = JointQuantiles {
        lengthscale: 0.5.into(),
        ridge: Auto::Fixed(1e-3),
        levels: LevelList(vec![0.5]),
        tolerance: 1e-5,
        iterations: 50_000,
        ..JointQuantiles::default()
    };
    let fitted = exact.fit(&rows, &mut Silent).unwrap();
    let found = fitted.curves.quantiles(
        fitted.model.predict(&Inputs::Dense(x.clone()), Default::default()).unwrap().mean.as_ref(),
        &[0.5],
    );
    // the pinball loss at one half is half the absolute error, which is half of epsilon-insensitive(0)
    let other = orff::solve::minimise_risk;
    let (found, map) = (found.unwrap(), map(4000));
    let mean = orff::linalg::dot(&column(&rows), &vec![1.0 / 70.0; 70]);
    let sd = (column(&rows).iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / 70.0).sqrt();
    let scaled: Vec<f64> = column(&rows).iter().map(|v| (v - mean) / sd).collect();
    let table = Table::new(x.clone(), faer::Mat::from_fn(70, 1, |i, _| scaled[i])).unwrap();
    let design = orff::feature::Mapped::plain(&map, &table);
    let params = orff::solve::risk::Params { ridge: 1e-3, gap: 1e-5, max_passes: 20_000, ..Default::default() };
    let loss = orff::loss::Pinball { level: 0.5 };
    let minimum = other(&design, &loss, params, Default::default(), &mut Silent).unwrap();
    let f = map.apply(&Inputs::Dense(x), &minimum.theta);
    for i in 0..70 {
        let theirs = mean + sd * (f[(i, 0)] + minimum.offset[0]);
        assert!((found[(i, 0)] - theirs).abs() < 0.05, "row {i}: {} and {theirs}", found[(i, 0)]);
    }
}

fn column(rows: &Table) -> Vec<f64> {
    use orff::rows::Rows;
    rows.batches().unwrap().flat_map(|b| b.unwrap().outputs.col(0).iter().copied().collect::<Vec<f64>>()).collect()
}

/// Features of the kernel with lengthscale 0.5.
fn map(features: usize) -> orff::feature::FeatureMap {
    use orff::kernel::{Kernel, Seen, SumDraw};
    use orff::spectrum::{Draw, DrawKind};
    let kernel: Kernel = "gaussian(0.5)".parse().unwrap();
    let kernel = kernel.resolve(&Seen { outputs: 1, ..Seen::default() }).unwrap();
    let how = Draw { kind: DrawKind::QuasiMonteCarlo, ..Draw::default() };
    orff::feature::FeatureMap::draw(&kernel, 1, features, orff::feature::MapKind::Pairs, &how, SumDraw::default())
        .unwrap()
}

#[test]
fn quantile_function_reports_its_gap() {
    let (x, y) = wave(100, 24);
    let learner = QuantileFunction { iterations: 10, tolerance: 1e-9, ..QuantileFunction::default() };
    let model = learner.model(&Table::new(x, y).unwrap(), &mut Silent).unwrap();
    let said = model.info.training.choices.join("\n");
    assert!(said.contains("not converged after 10 iterations: raise iterations"), "{said}");
}
