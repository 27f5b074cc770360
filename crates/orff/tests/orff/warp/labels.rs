//! Few labels among many rows: what is chosen and said, sparse and odd rows, what cannot be learned.

use super::{Holes, holes, normal, on_graph};
use crate::graph::sparse;
use faer::Mat;
use orff::generate::two_moons;
use orff::graph::{Neighbours, Points, Search};
use orff::kernel::Kernel;
use orff::learn::{ExactLaplacian, LaplacianRidge, Offset, Regression, Ridge, SemiSupervised};
use orff::model::{Linear, Query};
use orff::params::Auto;
use orff::random::Stream;
use orff::rows::{Inputs, Table, Weights};
use orff::watch::Silent;

/// Error of signs among the unlabelled rows.
fn wrong(mean: &Mat<f64>, truth: &Mat<f64>) -> f64 {
    let n = truth.nrows();
    (2..n).filter(|&i| mean[(i, 0)] * truth[(i, 0)] <= 0.0).count() as f64 / (n - 2) as f64
}

/// Two moons, 500 unlabelled rows and one label each, everything by default but the number of characters.
#[test]
fn two_moons_need_two_labels() {
    let (mut warped, mut plain, mut exact) = (0.0, 0.0, 0.0);
    for seed in 0..10 {
        let moons = two_moons(502, 0.05, seed).unwrap();
        let y = Mat::from_fn(502, 1, |i, _| if i < 2 { moons.truth[(i, 0)] } else { f64::NAN });
        let rows = Table::new(moons.inputs.clone(), y.clone()).unwrap();
        let inputs = Inputs::Dense(moons.inputs.clone());
        let learner = LaplacianRidge { features: Auto::Fixed(1000), posterior: false, ..LaplacianRidge::default() };
        let fitted = learner.fit(&rows, &mut Silent).unwrap();
        if seed == 0 {
            fitted.training.choices.iter().for_each(|c| println!("{c}"));
        }
        warped += wrong(&fitted.model.predict(&inputs, Query::default()).unwrap().mean, &moons.truth) / 10.0;
        let two = Table::new(moons.inputs.subrows(0, 2).to_owned(), y.subrows(0, 2).to_owned()).unwrap();
        let ridge = Regression { features: Auto::Fixed(1000), posterior: false, ..Regression::default() };
        let mean = ridge.fit(&two, &mut Silent).unwrap().model.predict(&inputs, Query::default()).unwrap().mean;
        plain += wrong(&mean, &moons.truth) / 10.0;
        if seed < 2 {
            let mean = ExactLaplacian::default().fit(&rows, &mut Silent).unwrap().model;
            exact += wrong(&mean.predict(&inputs, Query::default()).unwrap().mean, &moons.truth) / 2.0;
        }
    }
    println!("warped {warped:.4}, plain {plain:.4}, exact {exact:.4}");
    assert!(warped < 0.03 && plain > 0.15 && exact < 0.03, "{warped} {plain} {exact}");
}

/// With more features the answers come near those of the exact warped kernel, at the rate of Monte Carlo or better: same
/// graph, strength and ridge, everywhere on the moons, three draws each.
#[test]
fn features_approach_the_exact_warped_kernel() {
    let moons = two_moons(202, 0.05, 3).unwrap();
    let y = Mat::from_fn(202, 1, |i, _| if i < 2 { moons.truth[(i, 0)] } else { f64::NAN });
    let (rows, inputs) = (Table::new(moons.inputs.clone(), y).unwrap(), Inputs::Dense(moons.inputs.clone()));
    let by = LaplacianRidge {
        kernel: "gaussian(0.5)".parse().unwrap(),
        draw: Auto::Fixed(orff::spectrum::DrawKind::Iid),
        ridge: Ridge::Given(1e-4),
        posterior: false,
        ..on_graph((8, 0.3, 1), 20.0)
    };
    let exact = ExactLaplacian {
        kernel: by.kernel.clone(),
        neighbours: by.neighbours,
        bandwidth: by.bandwidth,
        power: by.power,
        strength: by.strength,
        ridge: by.ridge,
        ..ExactLaplacian::default()
    };
    let exact = exact.fit(&rows, &mut Silent).unwrap().model.predict(&inputs, Query::default()).unwrap().mean;
    let apart = |features: usize| {
        let one = |seed: u64| {
            let by = LaplacianRidge { features: Auto::Fixed(features), seed, ..by.clone() };
            let mean = by.fit(&rows, &mut Silent).unwrap().model.predict(&inputs, Query::default()).unwrap().mean;
            (mean - &exact).squared_norm_l2() / exact.squared_norm_l2()
        };
        (0..3).map(one).sum::<f64>().sqrt() / 3f64.sqrt()
    };
    let errors: Vec<f64> = [60, 240, 960, 3840].into_iter().map(apart).collect();
    println!("{errors:?}");
    assert!(errors.windows(2).all(|pair| pair[1] < 0.75 * pair[0]) && errors[3] < 0.1, "{errors:?}");
}

/// Without unlabelled rows and with strength 0 it is plain ridge.
#[test]
fn strength_zero_is_plain_ridge() {
    let Holes { x, y, fresh } = holes(90, 2, 2, true);
    let kernel: Kernel = "decomposable(gaussian(1.0))".parse().unwrap();
    let rows = Table::new(x, y).unwrap();
    let warped = LaplacianRidge {
        kernel: kernel.clone(),
        features: Auto::Fixed(60),
        strength: Auto::Fixed(0.0),
        ridge: Ridge::Given(1e-3),
        offset: Offset::Learned,
        ..LaplacianRidge::default()
    };
    let plain = Regression { kernel, features: Auto::Fixed(60), ridge: Ridge::Given(1e-3), ..Regression::default() };
    let query = Query { std: true, ..Query::default() };
    let a = warped.fit(&rows, &mut Silent).unwrap().model.predict(&Inputs::Dense(fresh.clone()), query).unwrap();
    let b = plain.fit(&rows, &mut Silent).unwrap().model.predict(&Inputs::Dense(fresh), query).unwrap();
    // the centre of the inputs is that of all rows in both
    assert!((&a.mean - &b.mean).norm_max() < 1e-9);
    assert!((a.std.unwrap() - b.std.unwrap()).norm_max() < 1e-6);
}

/// Choices are made on labelled rows where there are enough of them, and everything is said.
#[test]
fn defaults_choose_and_say_so() {
    let moons = two_moons(300, 0.08, 4).unwrap();
    let y = Mat::from_fn(300, 1, |i, _| if i < 30 { moons.truth[(i, 0)] } else { f64::NAN });
    let rows = Table::new(moons.inputs.clone(), y).unwrap();
    let inputs = Inputs::Dense(moons.inputs.clone());
    let fitted = SemiSupervised { features: Auto::Fixed(300), ..SemiSupervised::default() }.fit(&rows, &mut Silent);
    let fitted = fitted.unwrap();
    fitted.training.choices.iter().for_each(|c| println!("{c}"));
    for word in [
        "30 labelled rows and 270 without",
        "graph: ",
        "neighbours",
        "power",
        "bandwidth",
        "lengthscale",
        "strength",
        "ridge",
        "intrinsic",
    ] {
        assert!(fitted.training.choices.iter().any(|c| c.starts_with(word)), "{word}");
    }
    let error = wrong(&fitted.model.predict(&inputs, Query::default()).unwrap().mean, &moons.truth);
    assert!(error < 0.03, "{error}");
}

/// Sparse rows learn what dense rows learn.
#[test]
fn sparse_rows() {
    let mut s = Stream::new(31, 0, 0);
    let x = Mat::from_fn(60, 12, |_, _| if s.uniform() < 0.3 { s.normal() } else { 0.0 });
    let y = Mat::from_fn(60, 1, |i, _| if i % 2 == 0 { x[(i, 0)] + x[(i, 3)] } else { f64::NAN });
    let learner = LaplacianRidge {
        kernel: "gaussian(2.0)".parse().unwrap(),
        features: Auto::Fixed(60),
        ridge: Ridge::Given(1e-3),
        ..on_graph((10, 1.0, 1), 1.0)
    };
    let csr = sparse(&x);
    let a = learner.fit(&Table::of(csr.clone(), y.clone()).unwrap(), &mut Silent).unwrap().model;
    let b = learner.fit(&Table::new(x.clone(), y).unwrap(), &mut Silent).unwrap().model;
    let at = |m: &Linear, x: &Inputs| m.predict(x, Query::default()).unwrap().mean;
    // dense rows are centred, which changes no difference of rows, but where characters begin to count
    let (from_sparse, from_dense) = (at(&a, &csr), at(&b, &Inputs::Dense(x)));
    assert!((&from_sparse - &from_dense).norm_max() < 1e-6, "{}", (&from_sparse - &from_dense).norm_max());
}

#[test]
fn what_cannot_be_learned_is_said() {
    let x = normal(20, 2, 3);
    let said = |y: Mat<f64>, learner: LaplacianRidge| {
        let rows = Table::new(x.subrows(0, y.nrows()).to_owned(), y).unwrap();
        learner.fit(&rows, &mut Silent).err().map_or(String::new(), |e| e.to_string())
    };
    let missing = Mat::from_fn(20, 2, |i, t| if t == 0 && i < 5 { 1.0 } else { f64::NAN });
    assert!(said(Mat::from_fn(20, 2, |_, _| f64::NAN), LaplacianRidge::default()).contains("no output was observed"));
    assert!(said(missing.clone(), LaplacianRidge::default()).contains("output 2: not observed"));
    assert!(said(Mat::zeros(20, 0), LaplacianRidge::default()).contains("no outputs"));
    assert!(said(Mat::zeros(1, 1), LaplacianRidge::default()).contains("at least two rows"));
    let zero = LaplacianRidge { ridge: Ridge::Given(0.0), ..LaplacianRidge::default() };
    assert!(said(Mat::zeros(20, 1), zero).contains("ridge: expected"));
    let wide = LaplacianRidge { features: Auto::Fixed(100_000), memory: 100, ..LaplacianRidge::default() };
    assert!(said(Mat::zeros(20, 1), wide).contains("features: expected"));
    let views = LaplacianRidge {
        kernel: "transformable(gaussian(2), [[1, 0]], [[0, 1]])".parse().unwrap(),
        ..LaplacianRidge::default()
    };
    assert!(said(Mat::zeros(20, 2), views).contains("transformable"));
    let semi = |views: &str, combination: Option<&str>| {
        let learner = SemiSupervised {
            views: Some(views.into()),
            combination: combination.map(Into::into),
            ..SemiSupervised::default()
        };
        learner.fit(&Table::new(x.clone(), Mat::zeros(20, 1)).unwrap(), &mut Silent).err().unwrap().to_string()
    };
    for bad in ["1", "1; 3", "0; 1", "1; x", "", "1;", "2-1; 1"] {
        assert!(semi(bad, None).starts_with("views: expected"), "{bad}: {}", semi(bad, None));
    }
    for bad in ["1", "1, 0", "1, x", "1, 2, 3"] {
        assert!(semi("1; 2", Some(bad)).starts_with("combination: expected"), "{bad}");
    }
    let alone = SemiSupervised { intrinsic: Auto::Fixed(1.0), ..SemiSupervised::default() };
    let error = alone.fit(&Table::new(x.clone(), Mat::zeros(20, 1)).unwrap(), &mut Silent).err().unwrap();
    assert!(error.to_string().contains("give both"), "{error}");
    let exact = ExactLaplacian { memory: 1, ..ExactLaplacian::default() };
    let rows = Table::new(normal(200, 2, 1), Mat::zeros(200, 1)).unwrap();
    assert!(exact.fit(&rows, &mut Silent).err().unwrap().to_string().contains("needs"));
}

/// Copies of rows, more neighbours than rows, weights of rows and rows of weight zero.
#[test]
fn odd_rows_are_learned_from() {
    let mut x = normal(12, 2, 6);
    (0..2).for_each(|k| (1..6).for_each(|i| x[(i, k)] = x[(0, k)]));
    let y = Mat::from_fn(12, 1, |i, _| if i % 2 == 0 { i as f64 } else { f64::NAN });
    let learner =
        LaplacianRidge { neighbours: Auto::Fixed(50), features: Auto::Fixed(30), ..LaplacianRidge::default() };
    let fitted = learner.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
    assert!(fitted.training.choices.iter().any(|c| c.contains("11 neighbours of each of 12 rows, all there are")));
    let same = Table::new(Mat::zeros(12, 2), y.clone()).unwrap();
    assert!(learner.fit(&same, &mut Silent).is_ok());
    // a row that does not count is a row without an output
    let given = LaplacianRidge {
        strength: Auto::Fixed(2.0),
        ridge: Ridge::Given(1e-2),
        kernel: "gaussian(1)".parse().unwrap(),
        ..learner
    };
    let full = Mat::from_fn(12, 1, |i, _| i as f64);
    let weights = Weights::Row((0..12).map(|i| if i % 2 == 0 { 2.0 } else { 0.0 }).collect());
    let a = given.fit(&Table::new(x.clone(), full).unwrap().weighted(weights).unwrap(), &mut Silent).unwrap().model;
    let b = given.fit(&Table::new(x.clone(), y).unwrap(), &mut Silent).unwrap().model;
    let at = |m: &Linear| m.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean;
    assert!((at(&a) - at(&b)).norm_max() < 1e-9);
    // neighbours of the whole set are those of the graph
    let found = Neighbours::find(&Points::of(&Inputs::Dense(x)), 50, Search::Exact, 0, &mut Silent).unwrap();
    assert_eq!(found.each, 11);
}
