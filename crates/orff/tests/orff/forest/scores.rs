//! What forests say of rows, against the definitions.

use super::splits::leaf;
use super::*;
use orff::Error;
use orff::forest::path_length;
use orff::learn::{IsolationForest, OneClassForest, learner};
use orff::metric::Ranking;
use orff::params::{Amount, Auto};
use orff::rows::{Inputs, Table, Weights};
use serde_json::{Map, Value, json};

fn row(x: &Mat<f64>, i: usize) -> Vec<f64> {
    x.row(i).iter().copied().collect()
}

#[test]
fn path_lengths_are_harmonic_sums() {
    for n in [2usize, 3, 10, 63, 64, 65, 66, 1000, 100_000] {
        let sum: f64 = (1..n).rev().map(|k| 1.0 / k as f64).sum();
        let expected = 2.0 * sum - 2.0 * (n - 1) as f64 / n as f64;
        assert!((path_length(n) - expected).abs() < 1e-13 * expected, "{n}: {} {expected}", path_length(n));
    }
}

/// Random cuts of equally spaced points choose each gap alike: the mean depth is that of a random search tree, c(n).
#[test]
fn isolation_trees_are_as_deep_as_random_search_trees() {
    let (n, trees) = (32, 600);
    let x = Mat::from_fn(n, 1, |i, _| i as f64);
    let forest = grow(&x, &plan(&x, trees, growth(Splitter::Random, 1000), Scoring::Depth));
    let mean = |tree: &orff::forest::Tree| {
        let depths = tree.depths();
        (0..n).map(|i| f64::from(depths[leaf(tree, &[i as f64])])).sum::<f64>() / n as f64
    };
    let means: Vec<f64> = forest.trees.iter().map(mean).collect();
    let centre = means.iter().sum::<f64>() / trees as f64;
    let variance = means.iter().map(|m| (m - centre).powi(2)).sum::<f64>() / (trees - 1) as f64;
    let z = (centre - path_length(n)) / (variance / trees as f64).sqrt();
    assert!(z.abs() < 4.0, "z = {z}, {centre}");
}

#[test]
fn the_three_scores_are_those_of_the_definitions() {
    let x = cloud(150, 3, 8);
    let inside = cloud(40, 3, 9);
    let splitter = best(Impurity::Gini, Hidden::Adaptive, 2);
    let plan = |scoring| Plan { sample: 60, columns: 2, ..super::plan(&x, 7, growth(splitter, 6), scoring) };
    let found = |scoring| grow(&x, &plan(scoring)).scores(&inside).unwrap();
    let (depth, density, typical) = (found(Scoring::Depth), found(Scoring::Density), found(Scoring::TypicalCell));
    let forest = grow(&x, &plan(Scoring::Depth));
    let mut outside = 0;
    for i in 0..40 {
        let row = row(&inside, i);
        let (mut paths, mut densities, mut counts, mut volumes) = (0.0, 0.0, 0.0, 0.0);
        for tree in &forest.trees {
            if !(0..2).all(|k| {
                row[tree.columns[k] as usize] >= tree.lower[k] && row[tree.columns[k] as usize] <= tree.upper[k]
            }) {
                outside += 1;
                volumes += 1.0;
                continue;
            }
            let at = leaf(tree, &row);
            let (n, volume) = (f64::from(tree.counts[at]), tree.log_volumes(&forest.lower, &forest.upper)[at].exp());
            paths += f64::from(tree.depths()[at]) + path_length(n as usize);
            densities += n / 60.0 / volume;
            counts += n / 60.0;
            volumes += volume;
        }
        let close = |a: f64, b: f64| (a - b).abs() < 1e-10 * (1.0 + b.abs());
        assert!(close(depth[i], -(2f64.powf(-paths / 7.0 / path_length(60)))), "{i}");
        let logged = |v: f64| if v > 0.0 { v.ln() } else { f64::MIN_POSITIVE.ln() };
        assert!(close(density[i], logged(densities / 7.0)), "{i}: {} {densities}", density[i]);
        assert!(close(typical[i], logged(counts / volumes)), "{i}: {} {counts}", typical[i]);
    }
    assert!(outside > 0 && outside < 7 * 40);
}

/// In many dimensions volumes are beyond the reach of numbers: their logarithms are not.
#[test]
fn volumes_that_are_no_numbers_have_scores() {
    let x = cloud(300, 400, 5);
    let deep = Growth { depth: 300, ..growth(best(Impurity::Gini, Hidden::Adaptive, 20), 300) };
    for scoring in [Scoring::Density, Scoring::TypicalCell] {
        let forest = grow(&x, &Plan { columns: 400, ..plan(&x, 2, deep, scoring) });
        let scores = forest.scores(&x).unwrap();
        assert!(scores.iter().all(|s| s.is_finite()), "{scores:?}");
    }
}

#[test]
fn the_score_does_not_depend_on_neighbours_or_blocks() {
    let x = cloud(700, 4, 21);
    let forest = grow(&x, &plan(&x, 9, growth(best(Impurity::Gini, Hidden::Adaptive, 3), 8), Scoring::Depth));
    let all = forest.scores(&x).unwrap();
    for i in [0, 7, 8, 255, 256, 699] {
        let alone = forest.scores(&x.subrows(i, 1).to_owned()).unwrap();
        assert_eq!(alone[0].to_bits(), all[i].to_bits());
    }
    assert!(matches!(forest.scores(&Mat::zeros(2, 3)), Err(Error::Shape { .. })));
}

/// Numbers of scikit-learn 1.9 (`roc_auc_score`, `average_precision_score` of −score).
#[test]
fn areas_are_those_of_scikit_learn() {
    let scores = [0.3, 0.1, 0.3, 0.7, 0.5, 0.5, 0.5, 0.9, 0.2, 0.8, 0.05];
    let outlier = [1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0];
    let mut ranking = Ranking::default();
    scores.iter().zip(outlier).for_each(|(s, o)| ranking.add(*s, o == 1, *s < 0.25));
    let found = ranking.overall();
    assert!(
        (found.roc_auc.unwrap() - 0.589_285_714_285_714_3).abs() < 1e-15
            && (found.average_precision.unwrap() - 0.433_333_333_333_333_35).abs() < 1e-15
    );
    assert_eq!((found.precision, found.recall, found.outliers, found.count), (Some(1.0 / 3.0), Some(0.25), 4, 11));
    let mut parts = [Ranking::default(), Ranking::default()];
    scores.iter().zip(outlier).enumerate().for_each(|(i, (s, o))| parts[i % 2].add(*s, o == 1, *s < 0.25));
    let [mut a, b] = parts;
    a.merge(&b);
    assert_eq!(a.overall(), found);
    let nothing = Ranking::default().overall();
    assert_eq!((nothing.roc_auc, nothing.average_precision, nothing.count), (None, None, 0));
}

fn table(x: &Mat<f64>) -> Table {
    Table::new(x.clone(), Mat::zeros(x.nrows(), 0)).unwrap()
}

#[test]
fn contamination_is_the_share_below_the_offset() {
    let x = cloud(500, 3, 6);
    for share in [0.02, 0.1, 0.5] {
        let found = OneClassForest { contamination: Auto::Fixed(share), trees: 30, ..OneClassForest::default() };
        let found = found.fit(&table(&x), &mut Silent).unwrap();
        let scores = found.body.predict(&Inputs::Dense(x.clone()), Default::default()).unwrap().mean;
        let below = (0..500).filter(|i| scores[(*i, 0)] < found.outliers.offset).count();
        assert_eq!(below, (share * 500.0) as usize);
    }
}

#[test]
fn what_few_or_equal_rows_say() {
    for (n, d, value) in [(1, 2, None), (2, 1, None), (30, 2, Some(4.0)), (5, 1, Some(0.0))] {
        let x = Mat::from_fn(n, d, |i, k| value.unwrap_or((i + k) as f64));
        for name in ["forest", "isolation"] {
            let values = Map::from_iter([("contamination".to_string(), json!(0.1))]);
            let model = (learner(name).unwrap().fit)(&values, &table(&x), &mut Silent).unwrap();
            let scores = model.normality(&Inputs::Dense(x.clone())).unwrap();
            assert!(scores.iter().all(|s| s.is_finite()) && model.outliers().unwrap().offset.is_finite(), "{name}");
        }
    }
}

/// Rows that nothing tells apart are no outliers, whatever rounding makes of their depth.
#[test]
fn equal_rows_are_usual() {
    for n in [1, 2, 7, 30, 50, 77, 300] {
        let x = Mat::full(n, 2, 4.0);
        for name in ["forest", "isolation"] {
            let model = (learner(name).unwrap().fit)(&Map::new(), &table(&x), &mut Silent).unwrap();
            let offset = model.outliers().unwrap().offset;
            let scores = model.normality(&Inputs::Dense(x.clone())).unwrap();
            assert!(scores.iter().all(|s| *s >= offset), "{name}, {n} rows: {} below {offset}", scores[0]);
        }
    }
}

#[test]
fn what_cannot_be_learned_is_refused() {
    let said = |values: Value, rows: &Table| {
        let values = values.as_object().unwrap().clone();
        (learner("forest").unwrap().fit)(&values, rows, &mut Silent).unwrap_err().to_string()
    };
    let x = cloud(20, 2, 1);
    let none = Table::new(Mat::zeros(0, 2), Mat::zeros(0, 0)).unwrap();
    assert!(said(json!({}), &none).contains("no rows"));
    let mut hole = x.clone();
    hole[(3, 1)] = f64::NAN;
    assert!(said(json!({}), &table(&hole)).starts_with("row 4, column 2: NaN is not a finite number"));
    hole[(3, 1)] = 1e308;
    hole[(4, 1)] = -1e308;
    assert!(said(json!({}), &table(&hole)).starts_with("input 2: from -1e308 to 1e308 is too wide"));
    let weighted = table(&x).weighted(Weights::Row(vec![1.0; 20])).unwrap();
    assert!(said(json!({}), &weighted).contains("weights of rows for a forest is refused"));
    let wide = Table::new(Mat::zeros(1000, 200), Mat::zeros(1000, 0)).unwrap();
    assert!(said(json!({"memory": 1}), &wide).contains("raise memory"));
    assert!(said(json!({"samples": 1.5}), &table(&x)).starts_with("samples: expected auto or a whole number ≥ 1"));
}

/// Outliers stand out, by every way of cutting and scoring, also as rows that were learned from.
#[test]
fn outliers_are_found() {
    let x = cloud(400, 4, 31);
    let far = |scores: &[f64]| {
        let mut ranking = Ranking::default();
        scores.iter().enumerate().for_each(|(i, s)| ranking.add(*s, i + 3 > 400, false));
        ranking.overall().roc_auc.unwrap()
    };
    for criterion in [Impurity::Gini, Impurity::Shannon] {
        for scoring in [Scoring::Depth, Scoring::Density, Scoring::TypicalCell] {
            let how = OneClassForest { criterion, scoring, trees: 60, ..OneClassForest::default() };
            let found = how.fit(&table(&x), &mut Silent).unwrap();
            let scores = found.body.predict(&Inputs::Dense(x.clone()), Default::default()).unwrap().mean;
            let auc = far(scores.col_as_slice(0));
            assert!(auc > 0.95, "{criterion:?} {scoring:?}: {auc}");
        }
    }
    let how =
        IsolationForest { samples: Auto::Fixed(Amount::Share(0.5)), bootstrap: true, ..IsolationForest::default() };
    let found = how.fit(&table(&x), &mut Silent).unwrap();
    let scores = found.body.predict(&Inputs::Dense(x.clone()), Default::default()).unwrap().mean;
    assert!(far(scores.col_as_slice(0)) > 0.95);
}
