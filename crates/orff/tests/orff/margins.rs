//! Classes by losses other than the squared one: minima, weights, folds, probabilities, and what is said of them.

use super::classes::{drawn, known};
use faer::Mat;
use orff::learn::{ClassLoss, ClassWeight, Classification, FittedClasses, Ridge, learner};
use orff::loss::{Loss, Named};
use orff::metric::ClassScores;
use orff::model::{Classes, Code, Model, Query};
use orff::params::Auto;
use orff::random::Stream;
use orff::rows::{Inputs, Rows, Table, Weights};
use orff::watch::{Silent, Watch};
use serde_json::{Map, json};

const LOSSES: [ClassLoss; 4] =
    [ClassLoss::Hinge, ClassLoss::SquaredHinge, ClassLoss::SimplexHinge, ClassLoss::Logistic];

fn small(loss: ClassLoss) -> Classification {
    Classification { loss, features: Auto::Fixed(40), lengthscale: 0.7.into(), ..Classification::default() }
}

fn given(loss: ClassLoss, ridge: f64) -> Classification {
    Classification { ridge: Auto::Fixed(Ridge::Given(ridge)), ..small(loss) }
}

fn model(values: serde_json::Value, rows: &dyn Rows) -> Model {
    let values = values.as_object().unwrap().clone();
    (learner("classification").unwrap().fit)(&values, rows, &mut Silent).unwrap()
}

fn fit(learner: &Classification, rows: &dyn Rows) -> FittedClasses {
    learner.fit(rows, &mut Silent).unwrap()
}

fn at(found: &FittedClasses, x: &Mat<f64>) -> Mat<f64> {
    found.model.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean
}

fn gap(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    (a - b).norm_max()
}

/// J as it is defined, with the table and the constants of a model: its features are weighted characters, one set for
/// each output.
fn risk(found: &FittedClasses, loss: &str, x: &Mat<f64>, y: &Mat<f64>, ridge: f64, table: &Mat<f64>) -> f64 {
    let loss: Named = loss.parse().unwrap();
    let mut other = found.model.clone();
    other.table = table.clone();
    let f = other.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean;
    let (n, p, t) = (x.nrows(), f.ncols(), found.classes.names.len());
    let row = |i: usize| {
        let class = y[(i, 0)] as usize;
        let target: Vec<f64> = if !loss.nature().by_output {
            vec![class as f64]
        } else if t == 2 {
            vec![1.0 - 2.0 * class as f64]
        } else {
            (0..t).map(|c| if c == class { 1.0 } else { -1.0 }).collect()
        };
        let f: Vec<f64> = f.row(i).iter().copied().collect();
        loss.gradient(&f, &target, 0.0, &mut vec![0.0; p])
    };
    // Z = √a θ with a = 1/D, two characters for each of D atoms
    let atoms = table.nrows() as f64 / 2.0;
    (0..n).map(row).sum::<f64>() / n as f64 + ridge * atoms * table.squared_norm_l2()
}

/// What is fitted is the minimum of the risk as it is written down: no step in any direction lowers it.
#[test]
fn fits_minimise_the_risk() {
    let (x, y) = drawn(150, 21);
    for (loss, name) in LOSSES.into_iter().zip(["hinge", "squared-hinge", "simplex-hinge", "logistic"]) {
        for two in [false, true] {
            let y = Mat::from_fn(150, 1, |i, _| if two { y[(i, 0)].min(1.0) } else { y[(i, 0)] });
            let ridge = 1e-3;
            let learner = match loss {
                ClassLoss::Hinge | ClassLoss::SimplexHinge => {
                    Classification { tolerance: Auto::Fixed(1e-4), ..given(loss, ridge) }
                }
                _ => given(loss, ridge),
            };
            let found = fit(&learner, &Table::new(x.clone(), y.clone()).unwrap());
            assert_eq!(
                found.classes.code == Code::OneVsRest,
                !two && name.ends_with("hinge") && !name.starts_with("si")
            );
            let least = risk(&found, name, &x, &y, ridge, &found.model.table);
            let mut stream = Stream::new(1, 2, 3);
            let size = found.model.table.norm_max();
            for step in [1e-3, 1e-2, 0.1] {
                for _ in 0..10 {
                    let table = &found.model.table;
                    let moved = Mat::from_fn(table.nrows(), table.ncols(), |i, t| {
                        table[(i, t)] + step * size * stream.normal()
                    });
                    let there = risk(&found, name, &x, &y, ridge, &moved);
                    // losses with corners are solved to a gap
                    assert!(there > least * (1.0 - 1e-4), "{name}, two {two}, step {step}: {there} {least}");
                }
            }
            let shrunk = faer::Scale(0.97) * &found.model.table;
            assert!(risk(&found, name, &x, &y, ridge, &shrunk) > least * (1.0 - 1e-4), "{name}");
            let grown = faer::Scale(1.03) * &found.model.table;
            assert!(risk(&found, name, &x, &y, ridge, &grown) > least * (1.0 - 1e-4), "{name}");
        }
    }
}

/// Integer weights of rows are repeated rows in any order, in the choice of the ridge too; weights of classes are weights
/// of rows.
#[test]
fn weights_are_repeated_rows() {
    let (x, y) = drawn(90, 22);
    let times: Vec<usize> = (0..90).map(|i| i * 7 % 4).collect();
    let repeated: Vec<usize> = (0..90).rev().flat_map(|i| std::iter::repeat_n(i, times[i])).collect();
    let pick = |m: &Mat<f64>, rows: &[usize]| Mat::from_fn(rows.len(), 1, |i, _| m[(rows[i], 0)]);
    let weights = Weights::Row(times.iter().map(|&t| t as f64).collect());
    let weighted = Table::new(x.clone(), y.clone()).unwrap().weighted(weights).unwrap();
    let table = Table::new(pick(&x, &repeated), pick(&y, &repeated)).unwrap();
    for loss in LOSSES {
        // losses with corners are solved to a gap, and a rounding more or less may be a step more
        let cornered = matches!(loss, ClassLoss::Hinge | ClassLoss::SimplexHinge);
        let (near, sharp) = if cornered { (0.1, 0.02) } else { (1e-6, 1e-6) };
        let (a, b) = (fit(&small(loss), &weighted), fit(&small(loss), &table));
        let said = format!("{loss:?}: {:?} {:?}", a.training.choices, b.training.choices);
        assert!((a.training.ridge / b.training.ridge - 1.0).abs() < 1e-12, "{said}");
        assert!(gap(&at(&a, &x), &at(&b, &x)) < near, "{loss:?}: {}", gap(&at(&a, &x), &at(&b, &x)));
        let (c, d) = (a.classes.calibration, b.classes.calibration);
        assert!((c.sharpness / d.sharpness - 1.0).abs() < sharp, "{loss:?}: {c:?} {d:?}");

        let given_weights = Map::from_iter([("1".to_string(), json!(3.0)), ("2".to_string(), json!(0.5))]);
        let by_class = Classification { class_weight: ClassWeight::Given(given_weights), ..small(loss) };
        let rows = Weights::Row((0..90).map(|i| [1.0, 3.0, 0.5][y[(i, 0)] as usize]).collect());
        let by_row = Table::new(x.clone(), y.clone()).unwrap().weighted(rows).unwrap();
        let (a, b) = (fit(&by_class, &Table::new(x.clone(), y.clone()).unwrap()), fit(&small(loss), &by_row));
        assert!(gap(&at(&a, &x), &at(&b, &x)) < near, "{loss:?}: {}", gap(&at(&a, &x), &at(&b, &x)));
    }
}

/// What is learned does not depend on which class has which number, the number of threads, or whether characters are kept.
#[test]
fn nothing_else_matters() {
    let (x, y) = drawn(4000, 23);
    let renamed = Mat::from_fn(4000, 1, |i, _| [2.0, 0.0, 1.0][y[(i, 0)] as usize]);
    let rows = Table::new(x.clone(), y).unwrap();
    let grid = Mat::from_fn(50, 1, |i, _| i as f64 / 12.5 - 2.0);
    for (loss, near) in [(ClassLoss::Hinge, 0.1), (ClassLoss::Logistic, 1e-6)] {
        let tolerance = Auto::Fixed(if near > 1e-3 { 1e-2 } else { 1e-8 });
        let learner = Classification { features: Auto::Fixed(100), tolerance, ..given(loss, 1e-3) };
        let first = fit(&learner, &rows);
        // 4000×100 characters take 3.2 MB: within a quarter of a gigabyte, beyond a quarter of 12 MB
        for other in [
            Classification { threads: Auto::Fixed(1), ..learner.clone() },
            Classification { memory: 12, ..learner.clone() },
        ] {
            let other = fit(&other, &rows);
            assert_eq!(at(&first, &grid), at(&other, &grid), "{loss:?}");
            assert_eq!(first.classes, other.classes);
        }
        let other = fit(&learner, &Table::new(x.clone(), renamed.clone()).unwrap());
        let scores = |found: &FittedClasses| {
            let (f, mut row) = (at(found, &grid), vec![0.0; 3]);
            Mat::from_fn(50, 3, |i, k| {
                found.classes.code.scores(&f.row(i).iter().copied().collect::<Vec<f64>>(), &mut row);
                row[k]
            })
        };
        let (a, b) = (scores(&first), scores(&other));
        let b = Mat::from_fn(50, 3, |i, k| b[(i, [2, 0, 1][k])]);
        assert!(gap(&a, &b) < near * a.norm_max(), "{loss:?}: {}", gap(&a, &b));
    }
}

/// By default the error is near the least there is, and so is the log loss; logistic and squared-hinge probabilities are
/// about those of the draw.
#[test]
fn defaults_are_good() {
    let (x, y) = drawn(1500, 24);
    let rows = Table::new(x, y).unwrap();
    let (fresh, truth) = drawn(8000, 25);
    for name in ["hinge", "squared-hinge", "simplex-hinge", "logistic"] {
        let found = model(json!({"loss": name, "features": 100}), &rows);
        let scores = found.scores(&Inputs::Dense(fresh.clone()), Query::default()).unwrap();
        let p = found.probabilities(&scores).unwrap();
        let (mut ours, mut bayes, mut square) = (ClassScores::new(3), ClassScores::new(3), 0.0);
        let taken = Classes::decide(&scores);
        for i in 0..8000 {
            let (q, class) = (known(fresh[(i, 0)]), truth[(i, 0)] as usize);
            let best = (0..3).max_by(|&a, &b| q[a].total_cmp(&q[b])).unwrap();
            bayes.add(class, best, q[class], 1.0);
            ours.add(class, taken[i], p[(i, class)], 1.0);
            square += (0..3).map(|k| (p[(i, k)] - q[k]).powi(2)).sum::<f64>() / 24_000.0;
        }
        let (ours, bayes) = (ours.overall(), bayes.overall());
        println!("{name}: {ours:?} {bayes:?} rms {} {:?}", square.sqrt(), found.info.training.choices);
        let (error, loss, rms) = match name {
            "logistic" => (0.015, 0.02, 0.05),
            "squared-hinge" => (0.015, 0.05, 0.08),
            _ => (0.025, 0.15, 0.15),
        };
        assert!(ours.error < bayes.error + error && ours.log_loss < bayes.log_loss + loss, "{name}: {ours:?}");
        assert!(square.sqrt() < rms, "{name}: {}", square.sqrt());
        let choices = &found.info.training.choices;
        let says = |words: &str| choices.iter().any(|line| line.contains(words));
        assert!(says("in 5 folds of 1500 rows") && says("solved by L-BFGS") && says("converged"), "{choices:?}");
        assert!(says(if name == "logistic" { "softmax of the scores" } else { "calibrated on 1500 rows" }));
        assert!(found.info.training.iterations >= 1);
    }
}

/// More rows than the folds look at: some are held out for the probabilities.
#[test]
fn many_rows_are_calibrated_on_those_held_out() {
    let (x, y) = drawn(5000, 26);
    let values = json!({"loss": "squared-hinge", "features": 60, "lengthscale": 0.7});
    let found = model(values, &Table::new(x, y).unwrap());
    let rows = found.classes().unwrap().calibration.rows;
    assert!((400..600).contains(&rows), "{rows}");
    assert!(found.info.training.choices.iter().any(|line| line.contains("5 folds of 4096 rows")));
    let (fresh, truth) = drawn(4000, 27);
    let scores = found.scores(&Inputs::Dense(fresh.clone()), Query::default()).unwrap();
    let p = found.probabilities(&scores).unwrap();
    let loss = |of: &dyn Fn(usize, usize) -> f64| {
        (0..4000).map(|i| -of(i, truth[(i, 0)] as usize).ln()).sum::<f64>() / 4000.0
    };
    let (ours, best) = (loss(&|i, k| p[(i, k)]), loss(&|i, k| known(fresh[(i, 0)])[k]));
    assert!(ours < best + 0.02, "{ours} {best}");
}

/// Classes with one row or none, two rows in all, copies of rows.
#[test]
fn small_classes_work() {
    let mut stream = Stream::new(2, 2, 2);
    let y: Vec<f64> = (0..40).map(|i| if i == 17 { 3.0 } else { (i % 2) as f64 }).collect();
    let x = Mat::from_fn(40, 1, |i, _| 3.0 * y[i] + 0.2 * stream.normal());
    let table = Table::new(x.clone(), Mat::from_fn(40, 1, |i, _| y[i])).unwrap();
    let two = Table::new(faer::mat![[0.0], [1.0]], faer::mat![[0.0], [1.0]]).unwrap();
    let copies =
        Table::new(Mat::from_fn(9, 1, |i, _| (i % 3) as f64), Mat::from_fn(9, 1, |i, _| (i % 3) as f64)).unwrap();
    for name in ["hinge", "squared-hinge", "simplex-hinge", "logistic"] {
        let found = model(json!({"loss": name}), &table);
        let scores = found.scores(&Inputs::Dense(x.clone()), Query::default()).unwrap();
        let right = Classes::decide(&scores).iter().zip(&y).filter(|(a, b)| **a as f64 == **b).count();
        assert!(right >= 39, "{name}: {right} {:?} {scores:?}", found.info.training.choices);
        assert!(found.info.training.choices.iter().any(|c| c == "class 2: no rows to learn from"));
        for rows in [&two, &copies] {
            let found = model(json!({"loss": name}), rows);
            let at = Inputs::Dense(faer::mat![[0.0], [1.0]]);
            let scores = found.scores(&at, Query::default()).unwrap();
            assert_eq!(Classes::decide(&scores), [0, 1], "{name}");
            let p = found.probabilities(&scores).unwrap();
            assert!(p[(0, 0)] > p[(1, 0)] && (p.row(0).iter().sum::<f64>() - 1.0).abs() < 1e-12, "{name}");
        }
    }
}

#[test]
fn a_file_brings_outputs_of_each_class_back() {
    let (x, y) = drawn(100, 28);
    let values = json!({"loss": "hinge", "features": 30, "ridge": 1e-2});
    let before = model(values, &Table::new(x.clone(), y).unwrap());
    let after = Model::from_bytes(before.to_bytes().unwrap()).unwrap();
    assert_eq!(after.outputs(), 3);
    let x = Inputs::Dense(x);
    assert_eq!(before.scores(&x, Query::default()).unwrap(), after.scores(&x, Query::default()).unwrap());
    assert_eq!(before.info.classes, after.info.classes);
    let mut other = before.clone();
    other.info.classes.as_mut().unwrap().code = Code::Simplex;
    assert!(Model::from_bytes(other.to_bytes().unwrap()).is_err());
}

#[test]
fn what_is_not_possible_is_said() {
    let (x, y) = drawn(60, 29);
    let rows = Table::new(x, y).unwrap();
    for ridge in [Ridge::Loo, Ridge::Gcv, Ridge::Evidence] {
        let learner = Classification { ridge: Auto::Fixed(ridge), ..small(ClassLoss::Hinge) };
        let said = learner.fit(&rows, &mut Silent).err().unwrap().to_string();
        assert!(said.contains("ridge with loss hinge is refused") && said.contains("auto"), "{said}");
    }
    let hurried = Classification { iterations: 3, ..given(ClassLoss::Hinge, 1e-6) };
    let said = fit(&hurried, &rows).training.choices;
    assert!(said.iter().any(|line| line.starts_with("not converged after")), "{said:?}");
    let tight = Classification { memory: 2, ..given(ClassLoss::Logistic, 1e-2) };
    assert!(tight.fit(&rows, &mut Silent).err().unwrap().to_string().contains("2 MB"));
}

/// Every stage answers an interrupt.
#[test]
fn fits_can_be_interrupted() {
    struct Stop<'a> {
        at: &'a str,
        here: bool,
        stages: Vec<String>,
    }
    impl Watch for Stop<'_> {
        fn stage(&mut self, name: &str) {
            self.stages.push(name.to_string());
            self.here = name == self.at;
        }
        fn advance(&mut self, _: u64) -> orff::Result<()> {
            if self.here { Err(orff::Error::Interrupted) } else { Ok(()) }
        }
    }
    let (x, y) = drawn(300, 30);
    let rows = Table::new(x, y).unwrap();
    let mut watch = Stop { at: "", here: false, stages: Vec::new() };
    small(ClassLoss::SquaredHinge).fit(&rows, &mut watch).unwrap();
    for stage in ["sample", "fold", "folds", "precondition", "minimise", "calibrate"] {
        assert!(watch.stages.iter().any(|s| s == stage), "{stage}: {:?}", watch.stages);
        let mut stop = Stop { at: stage, here: false, stages: Vec::new() };
        let error = small(ClassLoss::SquaredHinge).fit(&rows, &mut stop).err();
        assert!(matches!(error, Some(orff::Error::Interrupted)), "{stage}");
    }
}
