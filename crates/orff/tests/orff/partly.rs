//! Classes of rows with and without labels, what is chosen on labelled rows, and graphs that are given.

use faer::Mat;
use orff::generate::{Loops, two_moons};
use orff::learn::{
    ClassLoss, ClassWeight, ExactLaplacian, ExactLaplacianClassifier, ExactRegression, Fitted, FittedClasses,
    LaplacianClassifier, LaplacianFeatures, LaplacianRidge, Offset, Ridge, SemiSupervisedClassifier,
};
use orff::loss::Simplex;
use orff::model::{Classes, Linear, Query};
use orff::params::Auto;
use orff::random::Stream;
use orff::rows::{Batches, Csr, Inputs, Rows, Table};
use orff::watch::{Silent, Watch};

fn normal(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut s = Stream::new(seed, 5, 0);
    Mat::from_fn(n, d, |_, _| s.normal())
}

/// Rows with names of classes.
struct Words {
    rows: Table,
    names: Vec<String>,
}

impl Rows for Words {
    fn inputs(&self) -> usize {
        self.rows.inputs()
    }

    fn outputs(&self) -> usize {
        self.rows.outputs()
    }

    fn batches(&self) -> orff::Result<Batches<'_>> {
        self.rows.batches()
    }

    fn classes(&self) -> Option<&[String]> {
        Some(&self.names)
    }
}

fn at(model: &Linear, x: &Mat<f64>) -> Mat<f64> {
    model.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean
}

fn share_missed(f: &Mat<f64>, code: Simplex, truth: &dyn Fn(usize) -> usize) -> f64 {
    let row = |i: usize| f.row(i).iter().copied().collect::<Vec<f64>>();
    let n = f.nrows();
    (0..n).filter(|&i| code.decode(&row(i)) != truth(i)).count() as f64 / n as f64
}

fn missed_by(f: &Mat<f64>, classes: &Classes, truth: &dyn Fn(usize) -> usize) -> f64 {
    let row = |i: usize| f.row(i).iter().copied().collect::<Vec<f64>>();
    let wrong = |i: &usize| classes.code.decode(&row(*i), classes.names.len()) != truth(*i);
    (0..f.nrows()).filter(wrong).count() as f64 / f.nrows() as f64
}

/// The number in parentheses of the sentence about the ridge.
fn said(choices: &[String]) -> f64 {
    let line = choices.iter().find(|c| c.starts_with("ridge ")).unwrap();
    let inside = line.split('(').nth(1).unwrap();
    inside.split(' ').next().unwrap().parse().unwrap()
}

/// Three arcs around each other: the class of row i is i % 3.
fn arcs(n: usize, seed: u64) -> Mat<f64> {
    let mut s = Stream::new(seed, 6, 0);
    Mat::from_fn(n, 2, |_, _| s.uniform()).row_iter().enumerate().fold(Mat::zeros(n, 2), |mut x, (i, r)| {
        let (t, radius) = (4.0 * r[0], 1.0 + (i % 3) as f64);
        x[(i, 0)] = radius * t.cos() + 0.1 * (r[1] - 0.5);
        x[(i, 1)] = radius * t.sin();
        x
    })
}

/// What is said of rows left out is what refits without their outputs give, for every kind of constant and for outputs
/// with different variances.
#[test]
fn left_out_rows_are_those_of_refits() {
    let (n, l) = (40, 12);
    let x = normal(n, 2, 1);
    let noise = normal(n, 2, 2);
    let value = |i: usize, t: usize| (x[(i, t)] + x[(i, 0)]).sin() + 1.0 + 0.2 * noise[(i, t)];
    let y = |gap: usize| Mat::from_fn(n, 2, |i, t| if i < l && i != gap { value(i, t) } else { f64::NAN });
    for kernel in ["decomposable(gaussian(1.5))", "decomposable(gaussian(1.5), [[2, 0.6], [0.6, 0.5]])"] {
        for offset in [Offset::Mean, Offset::Learned, Offset::None] {
            let learner = LaplacianRidge {
                kernel: kernel.parse().unwrap(),
                features: Auto::Fixed(60),
                neighbours: Auto::Fixed(4),
                bandwidth: Auto::Fixed(0.8),
                power: Auto::Fixed(2),
                strength: Auto::Fixed(3.0),
                offset,
                ..LaplacianRidge::default()
            };
            let fit = |gap: usize, ridge: Ridge| {
                let learner = LaplacianRidge { ridge, ..learner.clone() };
                learner.fit(&Table::new(x.clone(), y(gap)).unwrap(), &mut Silent).unwrap()
            };
            let whole = fit(n, Ridge::Loo);
            let refits = |ridge: f64| {
                // nλ is kept
                let given = Ridge::Given(ridge * l as f64 / (l - 1) as f64);
                let errors = (0..l).map(|i| {
                    let f = at(&fit(i, given).model, &x);
                    (0..2).map(|t| ((f[(i, t)] - value(i, t)) / whole.model.output_scale[t]).powi(2)).sum::<f64>()
                });
                errors.sum::<f64>() / l as f64
            };
            let ridge = whole.training.ridge;
            let (best, told) = (refits(ridge), said(&whole.training.choices));
            assert!((best - told).abs() < 1e-4 + 1e-3 * best, "{kernel} {offset:?}: {best} {told}");
            assert!(refits(10.0 * ridge) > best && refits(0.1 * ridge) > 0.999 * best, "{kernel} {offset:?}");
        }
    }
}

/// With more than 200 labelled rows ten folds are left out: the error that is said is that of other rows, nearly.
#[test]
fn ten_folds_tell_the_error_on_other_rows() {
    let (x, fresh) = (normal(900, 2, 3), normal(2000, 2, 4));
    let noise = normal(900, 1, 5);
    let f = |x: &Mat<f64>, i: usize| (2.0 * x[(i, 0)]).sin() * x[(i, 1)].cos();
    let y = Mat::from_fn(900, 1, |i, _| if i < 600 { f(&x, i) + 0.3 * noise[(i, 0)] } else { f64::NAN });
    let learner = LaplacianRidge {
        kernel: "gaussian(1)".parse().unwrap(),
        features: Auto::Fixed(200),
        neighbours: Auto::Fixed(8),
        power: Auto::Fixed(1),
        strength: Auto::Fixed(1e-3),
        ..LaplacianRidge::default()
    };
    let fitted = learner.fit(&Table::new(x, y).unwrap(), &mut Silent).unwrap();
    assert!(fitted.training.choices.iter().any(|c| c.starts_with("ridge") && c.ends_with("10 folds")));
    let mean = at(&fitted.model, &fresh);
    let scale = fitted.model.output_scale[0];
    let error: f64 = (0..2000).map(|i| (mean[(i, 0)] - f(&fresh, i)).powi(2)).sum::<f64>() / 2000.0 + 0.09;
    let told = said(&fitted.training.choices);
    assert!((told / (error / scale / scale) - 1.0).abs() < 0.2, "{told} {}", error / scale / scale);
}

/// The squared loss on codes is regression on codes, at one ridge and strength: both by eigenvectors, and classes of more than 1024
/// unknowns by one Cholesky factorisation.
#[test]
fn classes_are_regression_on_codes() {
    let x = arcs(90, 1);
    let codes = Simplex::new(3).codes();
    let known = |i: usize| i < 30;
    let classes = Mat::from_fn(90, 1, |i, _| if known(i) { (i % 3) as f64 } else { f64::NAN });
    let coded = Mat::from_fn(90, 2, |i, t| if known(i) { codes[(t, i % 3)] } else { f64::NAN });
    for (features, alike) in [(80, true), (1040, false)] {
        let classifier = LaplacianClassifier {
            kernel: "gaussian(0.8)".parse().unwrap(),
            features: Auto::Fixed(features),
            neighbours: Auto::Fixed(5),
            power: Auto::Fixed(1),
            strength: Auto::Fixed(4.0),
            ridge: Ridge::Given(1e-3),
            ..LaplacianClassifier::default()
        };
        let ridge = LaplacianRidge {
            kernel: classifier.kernel.clone(),
            features: classifier.features,
            neighbours: classifier.neighbours,
            power: classifier.power,
            strength: classifier.strength,
            ridge: classifier.ridge,
            ..LaplacianRidge::default()
        };
        let a = classifier.fit(&Table::new(x.clone(), classes.clone()).unwrap(), &mut Silent).unwrap();
        let b = ridge.fit(&Table::new(x.clone(), coded.clone()).unwrap(), &mut Silent).unwrap();
        assert!((at(&a.model, &x) - at(&b.model, &x)).norm_max() < 1e-9, "{features}");
        assert_eq!(a.classes.weights, [10.0, 10.0, 10.0]);
        let solved = |choices: &[String]| choices.iter().find(|line| line.starts_with("solved by")).cloned().unwrap();
        assert_eq!(solved(&a.training.choices) == solved(&b.training.choices), alike, "{features}");
    }
}

/// The value of the regularised risk of a model of two classes, (1/l)Σℓ + λfᵀK̃⁻¹f, by the warped kernel itself.
fn risk(f: &Mat<f64>, gram: &Mat<f64>, y: &[f64], ridge: f64, loss: &dyn Fn(f64) -> f64) -> f64 {
    use faer::prelude::Solve;
    let l = y.len();
    let solved = gram.partial_piv_lu().solve(f);
    let square: f64 = (0..l).map(|i| f[(i, 0)] * solved[(i, 0)]).sum();
    (0..l).map(|i| loss(y[i] * f[(i, 0)])).sum::<f64>() / l as f64 + ridge * square
}

/// Support vector machines and logistic regression minimise their risk over the warped kernel: no step in the coefficients
/// of its sections makes it smaller, and the solution is a sum of such sections.
#[test]
fn other_losses_minimise_their_risk() {
    let moons = two_moons(120, 0.1, 3).unwrap();
    let (n, l, ridge, strength) = (120, 24, 1e-3, 2.0);
    let class = |i: usize| if moons.truth[(i, 0)] > 0.0 { 0.0 } else { 1.0 };
    let rows =
        Table::new(moons.inputs.clone(), Mat::from_fn(n, 1, |i, _| if i < l { class(i) } else { f64::NAN })).unwrap();
    // features of the same warped kernel
    let features = LaplacianFeatures {
        kernel: "gaussian(0.5)".parse().unwrap(),
        features: Auto::Fixed(150),
        measure: orff::spectrum::Measure::Trace,
        neighbours: 6,
        power: 2,
        strength: Auto::Fixed(strength),
        ..LaplacianFeatures::default()
    };
    let (map, _) = features.fit(&rows, &mut Silent).unwrap();
    let width = map.width();
    let mut z = vec![0.0; n * width];
    map.features(&Inputs::Dense(moons.inputs.clone()), &mut z).unwrap();
    let z = Mat::from_fn(n, width, |i, k| z[i * width + k]);
    let gram = Mat::from_fn(l, l, |i, j| (0..width).map(|k| z[(i, k)] * z[(j, k)]).sum::<f64>());
    let y: Vec<f64> = (0..l).map(|i| moons.truth[(i, 0)]).collect();
    let hinge = |m: f64| (1.0 - m).max(0.0);
    // the codes of two classes are ±1: log Σ exp⟨c − c_y, f⟩ = log(1 + exp(−2yf))
    let logistic = |m: f64| (-2.0 * m).exp().ln_1p();
    let squares = |m: f64| (1.0 - m).max(0.0).powi(2);
    let cases: [(ClassLoss, &dyn Fn(f64) -> f64); 4] = [
        (ClassLoss::Hinge, &hinge),
        (ClassLoss::SquaredHinge, &squares),
        (ClassLoss::SimplexHinge, &hinge),
        (ClassLoss::Logistic, &logistic),
    ];
    for (loss, formula) in cases {
        let learner = LaplacianClassifier {
            kernel: features.kernel.clone(),
            features: features.features,
            neighbours: Auto::Fixed(6),
            power: Auto::Fixed(2),
            strength: features.strength,
            loss,
            ridge: Ridge::Given(ridge),
            offset: Offset::None,
            ..LaplacianClassifier::default()
        };
        let found = learner.fit(&rows, &mut Silent).unwrap();
        let all = at(&found.model, &moons.inputs);
        let f = all.subrows(0, l).to_owned();
        let least = risk(&f, &gram, &y, ridge, formula);
        // f elsewhere is the combination of sections that f at the labelled rows says
        let a = {
            use faer::prelude::Solve;
            gram.partial_piv_lu().solve(&f)
        };
        let cross = Mat::from_fn(n, l, |i, j| (0..width).map(|k| z[(i, k)] * z[(j, k)]).sum::<f64>());
        assert!((&cross * &a - &all).norm_max() < 1e-6 * all.norm_max(), "{loss:?}");
        let mut s = Stream::new(8, 0, 0);
        for step in [1e-2, 3e-3, 1e-3] {
            for _ in 0..40 {
                let moved = Mat::from_fn(l, 1, |i, _| a[(i, 0)] + step * a.norm_max() * s.normal());
                let other = risk(&(&gram * moved), &gram, &y, ridge, formula);
                assert!(other > least * (1.0 - 2e-4), "{loss:?}: {other} {least}");
            }
        }
        assert!(share_missed(&all, Simplex::new(2), &|i| class(i) as usize) < 0.1, "{loss:?}");
    }
}

/// Two moons with one label each, and three arcs with eight, by every classifier and loss, everything by default.
#[test]
fn few_labels_are_enough() {
    let moons = two_moons(302, 0.05, 0).unwrap();
    let class = |i: usize| usize::from(moons.truth[(i, 0)] < 0.0);
    let two =
        Table::new(moons.inputs.clone(), Mat::from_fn(302, 1, |i, _| if i < 2 { class(i) as f64 } else { f64::NAN }))
            .unwrap();
    let three = arcs(150, 2);
    let eight =
        Table::new(three.clone(), Mat::from_fn(150, 1, |i, _| if i < 24 { (i % 3) as f64 } else { f64::NAN }));
    let eight = eight.unwrap();
    let losses =
        [ClassLoss::Squared, ClassLoss::Hinge, ClassLoss::SquaredHinge, ClassLoss::SimplexHinge, ClassLoss::Logistic];
    let judge = |found: FittedClasses, x: &Mat<f64>, truth: &dyn Fn(usize) -> usize| {
        (missed_by(&at(&found.model, x), &found.classes, truth), found.training.choices)
    };
    for loss in losses {
        let learner = LaplacianClassifier { features: Auto::Fixed(300), loss, ..LaplacianClassifier::default() };
        let (missed, said) = judge(learner.fit(&two, &mut Silent).unwrap(), &moons.inputs, &class);
        assert!(missed < 0.03, "{loss:?}: {missed} {said:?}");
        let (missed, said) = judge(learner.fit(&eight, &mut Silent).unwrap(), &three, &|i| i % 3);
        assert!(missed < 0.08, "{loss:?}: {missed} {said:?}");
        let exact = ExactLaplacianClassifier { loss, ..ExactLaplacianClassifier::default() };
        let found = exact.fit(&eight, &mut Silent).unwrap();
        let f = found.model.predict(&Inputs::Dense(three.clone()), Query::default()).unwrap().mean;
        let missed = missed_by(&f, &found.classes, &|i| i % 3);
        assert!(missed < 0.08, "exact {loss:?}: {missed} {:?}", found.training.choices);
    }
    let semi = SemiSupervisedClassifier {
        views: Some("1; 2".into()),
        features: Auto::Fixed(200),
        agreement: 0.1,
        ..SemiSupervisedClassifier::default()
    };
    let found = semi.fit(&eight, &mut Silent).unwrap();
    assert!(found.training.choices.iter().any(|c| c.starts_with("intrinsic")));
    let one = SemiSupervisedClassifier { features: Auto::Fixed(300), ..SemiSupervisedClassifier::default() };
    let (missed, said) = judge(one.fit(&eight, &mut Silent).unwrap(), &three, &|i| i % 3);
    assert!(missed < 0.08, "{missed} {said:?}");
}

/// Eight rows in two corners, half of them labelled.
#[test]
fn a_handful_of_rows() {
    let x = Mat::from_fn(8, 2, |i, k| (i / 4 * 5 + (i >> k & 1)) as f64);
    let y = Mat::from_fn(8, 1, |i, _| if i % 2 == 0 { (i / 4) as f64 } else { f64::NAN });
    let found = LaplacianClassifier::default().fit(&Table::new(x.clone(), y).unwrap(), &mut Silent).unwrap();
    assert_eq!(share_missed(&at(&found.model, &x), Simplex::new(2), &|i| i / 4), 0.0, "{:?}", found.training.choices);
}

/// A label may stand for none; one class, no labels, classes without rows and wrong numbers are answered.
#[test]
fn labels_that_are_none_and_labels_that_are_wrong() {
    let x = arcs(60, 3);
    let words = |y: &dyn Fn(usize) -> f64, names: &[&str]| Words {
        rows: Table::new(x.clone(), Mat::from_fn(60, 1, |i, _| y(i))).unwrap(),
        names: names.iter().map(|n| n.to_string()).collect(),
    };
    let learner = LaplacianClassifier { features: Auto::Fixed(60), ..LaplacianClassifier::default() };
    let marked = LaplacianClassifier { unlabelled: Some("-1".into()), ..learner.clone() };
    // -1 is a class unless it is said to be none
    let one = words(&|i| if i < 24 { 1.0 + (i % 3) as f64 } else { 0.0 }, &["-1", "a", "b", "c"]);
    let other = words(&|i| if i < 24 { (i % 3) as f64 } else { f64::NAN }, &["a", "b", "c"]);
    let (a, b) = (marked.fit(&one, &mut Silent).unwrap(), learner.fit(&other, &mut Silent).unwrap());
    assert_eq!(a.classes.names, ["a", "b", "c"]);
    assert_eq!(at(&a.model, &x), at(&b.model, &x));
    assert_eq!(learner.fit(&one, &mut Silent).unwrap().classes.names.len(), 4);
    let fails = |rows: &dyn Rows| learner.fit(rows, &mut Silent).err().unwrap().to_string();
    assert!(fails(&words(&|_| f64::NAN, &["a", "b"])).contains("every label is missing"));
    assert!(fails(&words(&|i| if i < 9 { 1.0 } else { f64::NAN }, &["a", "b"])).contains("one class only (b)"));
    assert!(fails(&words(&|_| 0.5, &["a", "b"])).contains("is not the number of a class"));
    let found = learner.fit(&words(&|i| (i % 2) as f64, &["a", "b", "c"]), &mut Silent).unwrap();
    assert!(found.training.choices.iter().any(|c| c == "class c: no rows to learn from"));
    // a balanced weight makes up for rows
    let weighted = LaplacianClassifier { class_weight: ClassWeight::Balanced, ..learner.clone() };
    assert!(weighted.fit(&words(&|i| f64::from(u8::from(i % 7 == 0)), &["a", "b"]), &mut Silent).is_ok());
    let field = LaplacianClassifier { kernel: "curl-free".parse().unwrap(), ..learner.clone() };
    assert!(field.fit(&other, &mut Silent).err().unwrap().to_string().contains("tied otherwise"));
}

/// Each output of a squared hinge of three classes is the machine of its class against the rest.
#[test]
fn margins_of_several_classes_are_one_against_the_rest() {
    let x = arcs(90, 4);
    let rows = |class: &dyn Fn(usize) -> f64| {
        let y = Mat::from_fn(90, 1, |i, _| if i < 40 { class(i) } else { f64::NAN });
        Table::new(x.clone(), y).unwrap()
    };
    for offset in [Offset::None, Offset::Learned] {
        let learner = LaplacianClassifier {
            kernel: "gaussian(0.8)".parse().unwrap(),
            features: Auto::Fixed(80),
            neighbours: Auto::Fixed(5),
            power: Auto::Fixed(1),
            strength: Auto::Fixed(4.0),
            ridge: Ridge::Given(1e-3),
            loss: ClassLoss::SquaredHinge,
            offset,
            ..LaplacianClassifier::default()
        };
        let all = learner.fit(&rows(&|i| (i % 3) as f64), &mut Silent).unwrap();
        assert_eq!((all.model.outputs(), all.classes.names.len()), (3, 3));
        let f = at(&all.model, &x);
        for class in 0..3 {
            let one = learner.fit(&rows(&|i| f64::from(u8::from(i % 3 != class))), &mut Silent).unwrap();
            let g = at(&one.model, &x);
            let apart = (0..90).map(|i| (f[(i, class)] - g[(i, 0)]).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-4 && g.norm_max() > 0.5, "{offset:?} {class}: {apart}");
        }
    }
}

/// A graph that comes with the rows is the one of neighbours, where its weights are.
#[test]
fn a_given_graph_takes_the_place_of_neighbours() {
    let x = normal(50, 2, 9);
    let (q, sigma) = (5, 0.6);
    let learner = LaplacianRidge {
        kernel: "gaussian(1)".parse().unwrap(),
        features: Auto::Fixed(60),
        neighbours: Auto::Fixed(q),
        bandwidth: Auto::Fixed(sigma),
        power: Auto::Fixed(1),
        strength: Auto::Fixed(5.0),
        ridge: Ridge::Given(1e-3),
        ..LaplacianRidge::default()
    };
    let y = Mat::from_fn(50, 1, |i, _| if i % 4 == 0 { x[(i, 0)].sin() } else { f64::NAN });
    let plain = learner.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
    let u = plain.model.preparation.prepare(&Inputs::Dense(x.clone()), 1).unwrap().to_dense();
    let square = |i: usize, j: usize| (0..2).map(|k| (u[(i, k)] - u[(j, k)]).powi(2)).sum::<f64>();
    let mut weights = Csr::empty(50);
    for i in 0..50 {
        let mut others: Vec<usize> = (0..50).filter(|&j| j != i).collect();
        others.sort_by(|&a, &b| square(i, a).total_cmp(&square(i, b)));
        others.truncate(q);
        others.sort_unstable();
        weights.push(others.into_iter().map(|j| (j, (-square(i, j) / (2.0 * sigma * sigma)).exp())));
    }
    let table = Table::new(x.clone(), y).unwrap();
    let joined = learner.fit(&table.clone().joined(weights.clone()), &mut Silent).unwrap();
    assert!((at(&joined.model, &x) - at(&plain.model, &x)).norm_max() < 1e-9);
    assert!(joined.training.choices.iter().any(|c| c.starts_with("graph: given")));
    // with everything to be chosen, too
    let open = LaplacianRidge { features: Auto::Fixed(60), ..LaplacianRidge::default() };
    assert!(open.fit(&table.clone().joined(weights.clone()), &mut Silent).is_ok());
    let features = LaplacianFeatures { features: Auto::Fixed(40), ..LaplacianFeatures::default() };
    assert!(features.fit(&table.clone().joined(weights.clone()), &mut Silent).is_ok());
    let few = Csr { width: 2, start: vec![0, 0, 0], columns: Vec::new(), values: Vec::new() };
    let error = learner.fit(&table.clone().joined(few), &mut Silent).err().unwrap().to_string();
    assert!(error.contains("graph: expected weights of 50 rows"), "{error}");
    weights.values[3] = -1.0;
    assert!(learner.fit(&table.joined(weights), &mut Silent).err().unwrap().to_string().contains("weight ≥ 0"));
}

/// More features than the memory has room for are refused before they are drawn, and fewer are chosen where none are given.
#[test]
fn memory_is_a_limit() {
    let x = normal(300, 2, 1);
    let y = Mat::from_fn(300, 1, |i, _| if i < 20 { (i % 2) as f64 } else { f64::NAN });
    let rows = Table::new(x, y).unwrap();
    let wide = LaplacianFeatures { features: Auto::Fixed(50_000), memory: 500, ..LaplacianFeatures::default() };
    assert!(wide.fit(&rows, &mut Silent).err().unwrap().to_string().starts_with("features: expected so many"));
    let wide = LaplacianClassifier { features: Auto::Fixed(50_000), memory: 500, ..LaplacianClassifier::default() };
    assert!(wide.fit(&rows, &mut Silent).err().unwrap().to_string().starts_with("features: expected so many"));
    let small = LaplacianClassifier { memory: 20, ..LaplacianClassifier::default() };
    let found = small.fit(&rows, &mut Silent).unwrap();
    assert!(found.model.map.characters() < 700);
    assert!(found.training.choices.iter().any(|c| c.contains("what 20 MB (the parameter memory) have room for")));
}

/// Rows on loops are the same however they are read, and only the first have outputs.
#[test]
fn loops_are_the_same_however_they_are_read() {
    let loops = Loops::new(9000, 120, (12, 7), 3, 0.02, 1).unwrap();
    let (x, y) = loops.read(0, 9000);
    let mut first = 0;
    for batch in loops.batches().unwrap() {
        let batch = batch.unwrap();
        let Inputs::Dense(part) = batch.inputs else { panic!("dense rows") };
        for i in 0..part.nrows() {
            assert!((0..12).all(|k| part[(i, k)] == x[(first + i, k)]));
            let told = batch.outputs.row(i).iter().all(|v| v.is_finite());
            assert_eq!(told, first + i < 120);
            assert!(!told || batch.outputs.row(i) == y.row(first + i));
        }
        first += part.nrows();
    }
    assert_eq!(first, 9000);
    assert!(Loops::new(10, 2, (0, 1), 1, 0.0, 0).is_err() && Loops::new(10, 2, (1, 1), 1, -1.0, 0).is_err());
}

/// Rows without outputs show how curves run: more is learned with them than from the labelled rows alone, even by the kernel
/// itself. Many rows on curves ask for strong penalties.
#[test]
fn unlabelled_rows_on_loops_tell_what_labelled_ones_cannot() {
    for seed in 0..3 {
        let (rows, labelled) = (1500, 90);
        let loops = |n: usize| Loops::new(n, labelled, (20, 3), 3, 0.002, seed).unwrap();
        let (x, truth) = loops(2500).read(1500, 2500);
        let error = |mean: Mat<f64>| (&mean - &truth).norm_l2() / truth.norm_l2();
        let x = Inputs::Dense(x);
        let learner =
            LaplacianRidge { features: Auto::Fixed(400), posterior: false, seed, ..LaplacianRidge::default() };
        let found = learner.fit(&loops(rows), &mut Silent).unwrap();
        let with = error(found.model.predict(&x, Query::default()).unwrap().mean);
        let alone = ExactRegression::default().fit(&loops(labelled), &mut Silent).unwrap();
        let alone = error(alone.model.predict(&x, Query::default()).unwrap().mean);
        assert!(
            with < 0.5 * alone,
            "seed {seed}: {with} with unlabelled rows, {alone} without: {:?}",
            found.training.choices
        );
    }
}

/// Neighbours among many rows on curves are close, and each edge of their graph says little; parts of the rows have neighbours
/// farther away. One part is the graph of all.
#[test]
fn graphs_of_parts_of_many_rows_tell_more() {
    let (rows, labelled) = (8000, 90);
    let loops = |n: usize| Loops::new(n, labelled, (20, 3), 3, 0.002, 0).unwrap();
    let (x, truth) = loops(rows + 1000).read(rows, rows + 1000);
    let x = Inputs::Dense(x);
    let fit = |graph_rows: Auto<usize>, rows: usize| {
        let learner = LaplacianRidge {
            graph_rows,
            features: Auto::Fixed(400),
            neighbours: Auto::Fixed(10),
            power: Auto::Fixed(1),
            posterior: false,
            ..LaplacianRidge::default()
        };
        learner.fit(&loops(rows), &mut Silent).unwrap()
    };
    let error = |found: &Fitted| {
        let mean = found.model.predict(&x, Query::default()).unwrap().mean;
        (&mean - &truth).norm_l2() / truth.norm_l2()
    };
    let (whole, parts) = (fit(Auto::Fixed(rows), rows), fit(Auto::Fixed(1000), rows));
    assert!(error(&parts) < 0.7 * error(&whole), "{} in parts, {} in all", error(&parts), error(&whole));
    let said = parts.training.choices.iter().find(|line| line.starts_with("graph:")).unwrap();
    assert!(said.contains("10 neighbours of each of 8000 rows in 8 graphs, of 1000 rows"), "{said}");
    let same = |a: &Fitted, b: &Fitted| error(a) == error(b);
    assert!(same(&fit(Auto::Auto, 1500), &fit(Auto::Fixed(751), 1500)), "one part is all of them");
    assert!(!same(&fit(Auto::Auto, 1500), &fit(Auto::Fixed(750), 1500)));
}

/// Two and ten labels of two moons, and more and more rows without: one graph of all rows asked for a kernel that no thousand
/// features could represent, and the moons were lost.
#[test]
fn few_labels_are_enough_for_many_rows() {
    let missed = |labels: usize, rows: usize, seed: u64| {
        let moons = two_moons(rows, 0.05, seed).unwrap();
        let class = |i: usize| usize::from(moons.truth[(i, 0)] < 0.0);
        let y = Mat::from_fn(rows, 1, |i, _| if i < labels { class(i) as f64 } else { f64::NAN });
        let learner = LaplacianClassifier { features: Auto::Fixed(1000), ..LaplacianClassifier::default() };
        let found = learner.fit(&Table::new(moons.inputs.clone(), y).unwrap(), &mut Silent).unwrap();
        missed_by(&at(&found.model, &moons.inputs), &found.classes, &class)
    };
    for (labels, rows) in [(2, 2000), (2, 8000), (10, 5000)] {
        let each: Vec<f64> = (0..3).map(|seed| missed(labels, rows, seed)).collect();
        assert!(each.iter().sum::<f64>() / 3.0 < 0.03, "{labels} labels of {rows}: {each:?}");
    }
}

/// Which stages a fit came to.
struct Stages(Vec<String>);

impl Watch for Stages {
    fn stage(&mut self, name: &str) {
        self.0.push(name.into());
    }
}

#[test]
fn what_has_no_room_is_refused_before_neighbours_are_searched() {
    let table = Table::new(arcs(900, 1), Mat::from_fn(900, 1, |i, _| if i < 30 { i as f64 } else { f64::NAN }));
    let table = table.unwrap();
    let mut stages = Stages(Vec::new());
    let wide = LaplacianRidge { features: Auto::Fixed(2000), memory: 50, ..LaplacianRidge::default() };
    assert!(wide.fit(&table, &mut stages).is_err());
    let exact = ExactLaplacian { memory: 20, ..ExactLaplacian::default() };
    assert!(exact.fit(&table, &mut stages).is_err());
    let features = LaplacianFeatures { features: Auto::Fixed(2000), memory: 50, ..LaplacianFeatures::default() };
    assert!(features.fit(&table, &mut stages).is_err());
    assert!(!stages.0.iter().any(|name| name == "neighbours"), "{:?}", stages.0);
}

/// Gaps among the outputs leave evidence to choose: it compares rows of a graph too, and says what it does not compare.
#[test]
fn evidence_compares_rows_of_a_graph() {
    let rows = 2400;
    let moons = two_moons(rows, 0.05, 0).unwrap();
    let gap = |i: usize, t: usize| i >= 60 || t == 1 && i.is_multiple_of(2);
    let value = |i: usize, t: usize| if t == 0 { moons.truth[(i, 0)] } else { moons.inputs[(i, 0)] };
    let y = Mat::from_fn(rows, 2, |i, t| if gap(i, t) { f64::NAN } else { value(i, t) });
    let table = Table::new(moons.inputs.clone(), y).unwrap();
    let fit = |graph_rows: Auto<usize>| {
        let mut stages = Stages(Vec::new());
        let learner = LaplacianRidge { graph_rows, features: Auto::Fixed(300), ..LaplacianRidge::default() };
        let said = learner.fit(&table, &mut stages).unwrap().training.choices.join("\n");
        (stages.0.iter().filter(|name| *name == "Laplacian").count(), said)
    };
    // it starts with graphs of 500 rows, and one of all is one moment more
    let ((open, said), (given, _)) = (fit(Auto::Auto), fit(Auto::Fixed(500)));
    assert_eq!(open, given + 1, "{said}");
    assert!(said.contains("graph rows 500: largest evidence"), "{said}");
    assert!(said.contains("neighbours 10: not compared by evidence"), "{said}");
}
