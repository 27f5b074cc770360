//! The standard check of a learner.

use crate::learn::Learner;
use crate::metric::Ranking;
use crate::model::{Classes, Model, Query};
use crate::random::Stream;
use crate::rows::{Inputs, Table};
use crate::watch::Silent;
use faer::Mat;
use serde_json::{Map, Value, json};

/// Whether a learner keeps its promises: it learns a smooth field from its defaults, gives the same bits for one and two
/// threads and for any batches, comes back from its file the same, predicts each row by itself, and refuses every bad
/// value of every parameter with a sentence that names it. A classifier is shown which of three functions is largest, a
/// detector of outliers the rows alone. Returns the root mean squared error on rows it was not shown, the share of those whose
/// class it missed, or the share of pairs of such a row and one far away that it has in the wrong order (ties count half).
///
/// ```
/// let learner = orff::learn::learner("regression").unwrap();
/// assert!(orff::testing::check_learner(learner).unwrap() < 0.1);
/// ```
pub fn check_learner(learner: &Learner) -> Result<f64, String> {
    let data = if learner.role.classifies() { regions } else { field };
    let (x, y) = data(160, 1);
    let fit = |values: &Map<String, Value>, batch: usize| -> Result<Model, String> {
        let rows = Table::new(x.clone(), y.clone()).map_err(|e| e.to_string())?.batched(batch);
        (learner.fit)(values, &rows, &mut Silent).map_err(|e| format!("{}: {e}", learner.name))
    };
    let threads = |n: u64| Map::from_iter([("threads".to_string(), json!(n))]);
    let (fresh, truth) = data(60, 2);
    let at = |model: &Model| -> Result<Mat<f64>, String> {
        Ok(model.predict(&Inputs::Dense(fresh.clone()), Query::default()).map_err(|e| e.to_string())?.mean)
    };
    let model = fit(&Map::new(), usize::MAX)?;
    let mean = at(&model)?;
    if at(&fit(&threads(1), 7)?)? != mean || at(&fit(&threads(2), 64)?)? != mean {
        return Err(format!("{}: threads or batches change the predictions", learner.name));
    }
    let bytes = model.to_bytes().map_err(|e| e.to_string())?;
    if at(&Model::from_bytes(bytes).map_err(|e| e.to_string())?)? != mean {
        return Err(format!("{}: the model changes on its way through a file", learner.name));
    }
    let last = Inputs::Dense(fresh.subrows(59, 1).to_owned());
    let alone = model.predict(&last, Query::default()).map_err(|e| e.to_string())?.mean;
    if alone.row(0) != mean.row(59) {
        return Err(format!("{}: a row is predicted differently alone than among others", learner.name));
    }
    for param in learner.spec {
        for bad in param.kind.bad_values() {
            let values = Map::from_iter([(param.name.to_string(), bad.clone())]);
            let declared = param.kind.check(param.name, &bad).map_or_else(|e| e.to_string(), |()| "nothing".into());
            match fit(&values, usize::MAX) {
                Ok(_) => return Err(format!("{}: accepts {bad} for {}", learner.name, param.name)),
                Err(said) if !said.contains(&declared) => {
                    return Err(format!("{}: {bad} for {} is refused with \"{said}\"", learner.name, param.name));
                }
                Err(_) => {}
            }
        }
    }
    if learner.role.classifies() {
        let scores = model.scores(&Inputs::Dense(fresh.clone()), Query::default()).map_err(|e| e.to_string())?;
        let missed = Classes::decide(&scores).into_iter().enumerate().filter(|(i, k)| *k as f64 != truth[(*i, 0)]);
        return Ok(missed.count() as f64 / 60.0);
    }
    if learner.role.detects() {
        let far = Mat::from_fn(60, 2, |i, k| fresh[(i, k)] + if i % 2 == k { 6.0 } else { -6.0 });
        let far = model.normality(&Inputs::Dense(far)).map_err(|e| e.to_string())?;
        let mut ranking = Ranking::default();
        far.iter().for_each(|score| ranking.add(*score, true, true));
        mean.col(0).iter().for_each(|score| ranking.add(*score, false, false));
        return Ok(1.0 - ranking.overall().roc_auc.unwrap_or(0.0));
    }
    let square: f64 = (0..60).map(|i| (0..2).map(|t| (mean[(i, t)] - truth[(i, t)]).powi(2)).sum::<f64>()).sum();
    Ok((square / 120.0).sqrt())
}

/// Points of the plane and a smooth field there, without noise.
fn field(n: usize, purpose: u64) -> (Mat<f64>, Mat<f64>) {
    let mut stream = Stream::new(17, purpose, 0);
    let x = Mat::from_fn(n, 2, |_, _| 3.0 * stream.uniform());
    let y = Mat::from_fn(n, 2, |i, t| match t {
        0 => libm::cos(x[(i, 0)]) * libm::cos(x[(i, 1)]),
        _ => libm::sin(x[(i, 0)] - 0.5 * x[(i, 1)]),
    });
    (x, y)
}

/// The same points, and which of the two components and their negative sum is largest there.
fn regions(n: usize, purpose: u64) -> (Mat<f64>, Mat<f64>) {
    let (x, y) = field(n, purpose);
    let three = Mat::from_fn(n, 3, |i, k| if k < 2 { y[(i, k)] } else { -y[(i, 0)] - y[(i, 1)] });
    let classes = Classes::decide(&three);
    (x, Mat::from_fn(n, 1, |i, _| classes[i] as f64))
}
