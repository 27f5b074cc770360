//! Similarities to landmarks, and the machine on them.

use super::rows;
use faer::Mat;
use orff::learn::{Centres, ClassLoss, LandmarkClassification, LandmarkFeatures, TRANSFORMERS};
use orff::model::{Model, Query};
use orff::params::{Amount, Auto};
use orff::rows::{Inputs, Table};
use orff::watch::Silent;
use serde_json::{Map, json};

fn some(centres: Centres) -> LandmarkFeatures {
    LandmarkFeatures { landmarks: Amount::Count(11), atoms: 20, centres, ..LandmarkFeatures::default() }
}

fn psi(model: &orff::model::Linear, x: &Mat<f64>) -> Mat<f64> {
    let width = model.width();
    let mut out = vec![0.0; x.nrows() * width];
    model.features(&Inputs::Dense(x.clone()), &mut out).unwrap();
    Mat::from_fn(x.nrows(), width, |i, l| out[i * width + l])
}

/// ψ_l(x) = Σ q cos⟨ω, x_l − x⟩ with losses by their definition, all from what the model says of itself.
#[test]
fn features_are_those_of_the_definition() {
    let (x, y) = rows(150, 3, 3);
    let x = Mat::from_fn(150, 3, |i, k| 5.0 + [1.0, 10.0, 0.1][k] * x[(i, k)]);
    for centres in [Centres::Rows, Centres::Clusters] {
        let found = some(centres).fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
        let (model, learned) = (&found.model, &found.alignment);
        let omega = learned.frequencies(&model.preparation).unwrap();
        let points = model.preparation.restored(learned.landmarks.as_ref().unwrap()).unwrap();
        let own = centres == Centres::Rows;
        let at = psi(model, &x);
        let groups = learned.groups();
        assert_eq!((groups, omega.nrows(), model.width()), (11, 220, 11));
        for l in 0..groups {
            let label = learned.about.labels[l];
            let angle = |m: usize, i: usize| -> f64 {
                (0..3).map(|k| omega[(l * 20 + m, k)] * (points[(l, k)] - x[(i, k)])).sum()
            };
            let itself = (0..150).find(|&i| own && (0..3).all(|k| (points[(l, k)] - x[(i, k)]).abs() < 1e-9));
            assert_eq!(itself.is_some(), own);
            assert!(itself.is_none_or(|i| y[(i, 0)] as usize == label));
            let others: Vec<usize> = (0..150).filter(|i| Some(*i) != itself).collect();
            let loss = |m: usize| -> f64 {
                let one = |&i: &usize| {
                    0.5 * (1.0 - if y[(i, 0)] as usize == label { 1.0 } else { -1.0 } * angle(m, i).cos())
                };
                others.iter().map(one).sum::<f64>() / others.len() as f64
            };
            let (_, losses, q) = learned.group(l);
            let weight: Vec<f64> = (0..20).map(|m| (-(150f64.sqrt()) * loss(m)).exp()).collect();
            let total: f64 = weight.iter().sum();
            for m in 0..20 {
                assert!((losses[m] - loss(m)).abs() < 1e-11);
                assert!((q[m] - weight[m] / total).abs() < 1e-11);
            }
            for i in (0..150).step_by(29) {
                let expected: f64 = (0..20).map(|m| q[m] * angle(m, i).cos()).sum();
                assert!((at[(i, l)] - expected).abs() < 1e-11, "{} {expected}", at[(i, l)]);
            }
        }
    }
}

#[test]
fn centroids_are_those_of_their_classes() {
    // three tight groups, two of one class: its two centroids are their means
    let x = Mat::from_fn(90, 2, |i, k| {
        let centre = [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]][i % 3];
        centre[k] + 0.01 * ((i * (k + 3)) as f64).sin()
    });
    let y = Mat::from_fn(90, 1, |i, _| f64::from(i % 3 == 2));
    let learner = LandmarkFeatures { landmarks: Amount::Count(3), ..LandmarkFeatures::default() };
    let found = learner.fit(&Table::new(x.clone(), y).unwrap(), &mut Silent).unwrap();
    let points = found.model.preparation.restored(found.alignment.landmarks.as_ref().unwrap()).unwrap();
    assert_eq!(found.alignment.about.labels, [0, 0, 1]);
    for g in 0..3 {
        let mean = |k: usize| (g..90).step_by(3).map(|i| x[(i, k)]).sum::<f64>() / 30.0;
        let near = (0..3).any(|l| (0..2).all(|k| (points[(l, k)] - mean(k)).abs() < 1e-9));
        assert!(near, "group {g}: {points:?}");
    }
}

#[test]
fn a_machine_on_similarities_is_a_table_of_characters() {
    let (x, y) = rows(400, 2, 3);
    let table = Table::new(x.clone(), y.clone()).unwrap();
    for loss in [ClassLoss::Squared, ClassLoss::SimplexHinge, ClassLoss::Logistic] {
        let learner = LandmarkClassification {
            lengthscale: 0.2.into(),
            landmarks: Amount::Count(25),
            atoms: 40,
            loss,
            ridge: orff::learn::Ridge::Given(1e-4),
            ..LandmarkClassification::default()
        };
        let (found, alignment) = learner.fit(&table, &mut Silent).unwrap();
        let features = LandmarkFeatures {
            lengthscale: 0.2.into(),
            landmarks: Amount::Count(25),
            atoms: 40,
            ..LandmarkFeatures::default()
        };
        let features = features.fit(&table, &mut Silent).unwrap();
        assert_eq!(features.alignment, alignment);
        let psi = psi(&features.model, &x);
        let f = found.model.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean;
        // predictions are affine in ψ: least squares finds them again, exactly
        let design = Mat::from_fn(400, psi.ncols() + 1, |i, k| if k == 0 { 1.0 } else { psi[(i, k - 1)] });
        let normal = design.transpose() * &design;
        let right = design.transpose() * &f;
        let solved = orff::linalg::Cholesky::new(
            Mat::from_fn(normal.nrows(), normal.ncols(), |i, j| normal[(i, j)] + if i == j { 1e-10 } else { 0.0 })
                .as_ref(),
        )
        .unwrap()
        .solve(None, right.as_ref())
        .unwrap();
        let error = (&design * &solved - &f).norm_max();
        assert!(error < 1e-4 * f.norm_max(), "{error}");
        if loss == ClassLoss::Squared {
            // the normal equations of ridge about the means
            let code = orff::loss::Simplex::new(3).codes();
            let residual = Mat::from_fn(400, 2, |i, t| code[(t, y[(i, 0)] as usize)] - f[(i, t)]);
            assert!((0..2).all(|t| residual.col(t).iter().sum::<f64>().abs() < 1e-8));
        }
        let wrong = |i: &usize| found.classes.code.decode(&[f[(*i, 0)], f[(*i, 1)]], 3) as f64 != y[(*i, 0)];
        let missed = (0..400).filter(wrong).count();
        assert!(missed < 200, "{loss:?}: {missed} of 400");
    }
}

#[test]
fn files_and_threads_change_nothing() {
    let (x, y) = rows(300, 40, 2);
    let transformer = TRANSFORMERS.iter().find(|t| t.name == "landmark-features").unwrap();
    let values = Map::from_iter([("landmarks".to_string(), json!(13))]);
    let model = (transformer.fit)(&values, &Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
    let back = Model::from_bytes(model.to_bytes().unwrap()).unwrap();
    assert_eq!(psi(back.linear().unwrap(), &x), psi(model.linear().unwrap(), &x));
    assert_eq!(back.alignment().unwrap(), model.alignment().unwrap());
    let learner = LandmarkFeatures { landmarks: Amount::Count(13), threads: Auto::Fixed(1), ..Default::default() };
    let one = learner.fit(&Table::new(x.clone(), y).unwrap().batched(17), &mut Silent).unwrap();
    assert_eq!(&one.alignment, model.alignment().unwrap());
    assert_eq!(psi(&one.model, &x), psi(model.linear().unwrap(), &x));
    let alone = psi(&one.model, &x.subrows(7, 1).to_owned());
    assert_eq!(alone.row(0), psi(&one.model, &x).row(7));
}
