//! Learning: weights, choices, files, and what is refused.

use super::{clouds, table};
use faer::Mat;
use orff::learn::{LevelSets, learner};
use orff::model::Model;
use orff::rows::{Inputs, Table, Weights};
use orff::watch::Silent;
use serde_json::{Value, json};

const NAMES: [&str; 2] = ["level-sets", "svm"];

fn fit(name: &str, values: Value, rows: &Table) -> orff::Result<Model> {
    (learner(name)?.fit)(values.as_object().unwrap(), rows, &mut Silent)
}

#[test]
fn weights_are_repetitions() {
    let x = clouds(60, 1);
    let twice = Mat::from_fn(120, 2, |i, k| x[(i % 60, k)]);
    let once = Mat::from_fn(90, 2, |i, k| x[(i % 60, k)]); // the first half twice
    let weights = Weights::Row((0..60).map(|i| if i < 30 { 2.0 } else { 1.0 }).collect());
    for name in NAMES {
        let scores =
            |rows: &Table| fit(name, json!({}), rows).unwrap().normality(&Inputs::Dense(clouds(50, 2))).unwrap();
        assert_eq!(scores(&table(&twice)).len(), 50);
        let (a, b) = (scores(&table(&once)), scores(&table(&x).weighted(weights.clone()).unwrap()));
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12), "{name}");
    }
}

#[test]
fn choices_are_said_and_the_gap_with_them() {
    for name in NAMES {
        let model = fit(name, json!({}), &table(&clouds(240, 1))).unwrap();
        let said = model.info.training.choices.join("\n");
        for words in ["lengthscale", "as often as ν says", "features 1024", "duality gap", "converged"] {
            assert!(said.contains(words), "{name}: {words}: {said}");
        }
        let told = fit(name, json!({"lengthscale": 2.0, "features": 300, "iterations": 3}), &table(&clouds(240, 1)));
        let said = told.unwrap().info.training.choices.join("\n");
        assert!(!said.contains("lengthscale") && said.contains("not converged after 3 iterations"), "{said}");
    }
    let (found, _) = LevelSets::default().fit(&table(&clouds(240, 1)), &mut Silent).unwrap();
    assert!(found.training.choices.iter().any(|line| line.starts_with("nu auto")));
    assert_eq!((found.outliers.offset, found.training.points[0].len()), (0.05, 2));
}

#[test]
fn files_hold_the_sets() {
    let rows = Inputs::Dense(clouds(40, 2));
    for name in NAMES {
        let model = fit(name, json!({"features": 100}), &table(&clouds(100, 1))).unwrap();
        let again = Model::from_bytes(model.to_bytes().unwrap()).unwrap();
        assert_eq!(again.normality(&rows).unwrap(), model.normality(&rows).unwrap());
        assert_eq!((again.outputs(), again.inputs()), (1, 2));
        match name {
            "svm" => assert!(again.inside(&rows, &[0.1]).unwrap_err().to_string().contains("it has one offset")),
            _ => assert_eq!(again.inside(&rows, &[0.1]).unwrap(), model.inside(&rows, &[0.1]).unwrap()),
        }
    }
}

#[test]
fn few_rows_and_constant_columns_have_sets() {
    for name in NAMES {
        for n in [2, 3, 7] {
            // the last column is constant
            let x = Mat::from_fn(n, 3, |i, k| if k == 2 { 4.0 } else { ((i + 1) * (k + 2)) as f64 });
            let model = fit(name, json!({}), &table(&x)).unwrap();
            let scores = model.normality(&Inputs::Dense(x)).unwrap();
            assert!(scores.iter().all(|s| s.is_finite()), "{name} {n}: {scores:?}");
            if n == 2 {
                // two rows are both on the boundary, which is part of the set
                assert!(scores.iter().all(|s| *s >= model.outliers().unwrap().offset), "{name}: {scores:?}");
            }
            let far = model.normality(&Inputs::Dense(faer::mat![[900.0, -700.0, 4.0]])).unwrap();
            assert!(far[0] < model.outliers().unwrap().offset, "{name} {n}: {far:?}");
        }
    }
}

#[test]
fn what_cannot_be_learned_is_refused() {
    let x = clouds(20, 1);
    for name in NAMES {
        let said = |values: Value, rows: &Table| fit(name, values, rows).unwrap_err().to_string();
        for rows in [Mat::zeros(1, 2), Mat::full(9, 2, 3.0)] {
            assert!(said(json!({}), &table(&rows)).starts_with("all rows are equal (as good as 1 sample)"));
        }
        assert!(said(json!({}), &table(&Mat::zeros(0, 2))).contains("no rows"));
        let mut hole = x.clone();
        hole[(3, 1)] = f64::NAN;
        assert!(said(json!({}), &table(&hole)).contains("row 4, column 2"), "{}", said(json!({}), &table(&hole)));
        assert!(said(json!({"memory": 1}), &table(&clouds(40_000, 1))).contains("memory"), "{name}");
        for wrong in [0.0, 1.0, -0.1, 2.0] {
            assert!(said(json!({ "nu": wrong }), &table(&x)).starts_with("nu"), "{name} {wrong}");
        }
        assert!(said(json!({"kernel": "curl-free"}), &table(&x)).contains("kernel"));
        let entries =
            Table::new(x.clone(), Mat::zeros(20, 2)).unwrap().weighted(Weights::Entry(Mat::full(20, 2, 1.0)));
        assert!(said(json!({}), &entries.unwrap()).contains("give each row a weight"));
    }
    let model = fit("level-sets", json!({"features": 64}), &table(&x)).unwrap();
    for wrong in [0.0, 1.0, f64::NAN] {
        let said = model.inside(&Inputs::Dense(x.clone()), &[wrong]).unwrap_err().to_string();
        assert!(said.starts_with("nu: expected a number between 0 and 1"), "{said}");
    }
}
