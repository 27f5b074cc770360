//! Features and classifiers with learned weights, end to end.

use super::rows;
use faer::Mat;
use orff::align::{Method, Sampling};
use orff::kernel::{Kernel, Seen};
use orff::learn::{AlignedClassification, AlignedFeatures, ClassLoss, Compared, Regression, TRANSFORMERS, learner};
use orff::model::{Classes, Model, Query};
use orff::params::Auto;
use orff::rows::{Inputs, Rows, Table};
use orff::watch::Silent;
use serde_json::{Map, json};

fn features(x: &Mat<f64>, y: &Mat<f64>, learner: AlignedFeatures) -> orff::learn::FittedAlignment {
    learner.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap()
}

fn some() -> AlignedFeatures {
    AlignedFeatures {
        features: Auto::Fixed(40),
        candidates: Auto::Fixed(160),
        likeness: Auto::Fixed(Compared::Classes),
        ..AlignedFeatures::default()
    }
}

#[test]
fn features_have_the_learned_kernel() {
    let (x, y) = rows(300, 3, 2);
    let points = x.subrows(0, 20).to_owned();
    for sampling in [Sampling::Weights, Sampling::WithoutReplacement, Sampling::WithReplacement] {
        // all candidates are kept: the kernel is Σ q cos in the user's units, whatever scale the rows have
        let all = AlignedFeatures { candidates: Auto::Fixed(20), sampling, ..some() };
        let found = features(&x, &y, all);
        let model = &found.model;
        let columns = model.map.characters();
        let mut z = vec![0.0; 20 * columns];
        model.features(&Inputs::Dense(points.clone()), &mut z).unwrap();
        let listed: Kernel = model.listed(1).unwrap().into();
        let frequencies = found.alignment.frequencies(&model.preparation).unwrap();
        for i in 0..20 {
            let product: f64 = (0..columns).map(|k| z[i * columns + k] * z[k]).sum();
            let row = |i: usize| -> Vec<f64> { points.row(i).iter().copied().collect() };
            let value = listed.eval(&row(i), &row(0)).unwrap()[(0, 0)];
            assert!((product - value).abs() < 1e-12);
            if sampling == Sampling::Weights {
                let term = |m: usize| {
                    let angle: f64 = (0..3).map(|k| frequencies[(m, k)] * (points[(i, k)] - points[(0, k)])).sum();
                    found.alignment.posterior[m] * angle.cos()
                };
                let expected: f64 = (0..20).map(term).sum();
                assert!((product - expected).abs() < 1e-12, "{product} {expected}");
            }
        }
    }
}

#[test]
fn nothing_depends_on_threads_batches_or_files() {
    let (x, y) = rows(2500, 4, 3);
    for method in [Method::PacBayes, Method::Chi2, Method::Power(1.5)] {
        let learner = AlignedFeatures { method, ..some() };
        let found = features(&x, &y, learner.clone());
        for (threads, batch) in [(1, 7), (2, 999)] {
            let rows = Table::new(x.clone(), y.clone()).unwrap().batched(batch);
            let again = AlignedFeatures { threads: Auto::Fixed(threads), ..learner.clone() };
            let again = again.fit(&rows, &mut Silent).unwrap();
            assert_eq!(again.alignment, found.alignment);
        }
    }
    let transformer = TRANSFORMERS.iter().find(|t| t.name == "aligned-features").unwrap();
    let values = Map::from_iter([("features".to_string(), json!(40)), ("likeness".to_string(), json!("classes"))]);
    let model = (transformer.fit)(&values, &Table::new(x.clone(), y).unwrap(), &mut Silent).unwrap();
    let back = Model::from_bytes(model.to_bytes().unwrap()).unwrap();
    assert_eq!(back.alignment().unwrap(), model.alignment().unwrap());
    let z = |model: &Model| {
        let mut z = vec![0.0; 2500 * model.linear().unwrap().width()];
        model.features(&Inputs::Dense(x.clone()), &mut z).unwrap();
        z
    };
    assert_eq!(z(&back), z(&model));
}

#[test]
fn more_strength_and_more_divergence_align_better() {
    let (x, y) = rows(400, 2, 2);
    let loss = |learner: AlignedFeatures| features(&x, &y, learner).alignment.summary(0);
    let mut last = f64::INFINITY;
    for strength in [0.0, 0.3, 1.0, 10.0, 1e4] {
        let (loss, kl, _) = loss(AlignedFeatures { strength: Auto::Fixed(strength), ..some() });
        assert!(loss < last && (strength > 0.0 || kl < 1e-14), "{strength}: {loss}");
        last = loss;
    }
    let least = last;
    last = f64::INFINITY;
    for rho in [0.0, 0.1, 1.0, 10.0, 1e6] {
        let (loss, _, log) = loss(AlignedFeatures { method: Method::Chi2, divergence: Auto::Fixed(rho), ..some() });
        assert!(loss < last && log.exp_m1() <= rho * (1.0 + 1e-9) + 1e-12, "{rho}: {loss}");
        last = loss;
    }
    // both end at the best candidate
    assert!((last - least).abs() < 1e-6);
}

#[test]
fn a_learned_kernel_is_one_for_any_learner() {
    let (x, y) = rows(300, 3, 2);
    let learner = AlignedFeatures {
        kernel: "gaussian(0.2)".parse().unwrap(),
        candidates: Auto::Fixed(4000),
        strength: Auto::Fixed(30.0),
        ..some()
    };
    let found = features(&x, &y, learner);
    let kernel: Kernel = found.model.listed(2).unwrap().into();
    assert!(kernel.resolve(&Seen { outputs: 2, ..Seen::default() }).is_ok());
    let targets = Mat::from_fn(300, 2, |i, t| y[(i, 0)] * (t as f64 + 1.0) - 0.5);
    let learner = Regression { kernel, ..Regression::default() };
    let fitted = learner.fit(&Table::new(x.clone(), targets.clone()).unwrap(), &mut Silent).unwrap();
    assert_eq!(fitted.model.map.characters(), 40);
    let mean = fitted.model.predict(&Inputs::Dense(x), Query::default()).unwrap().mean;
    let (mut error, mut spread) = (0.0, 0.0);
    for i in 0..300 {
        error += (mean[(i, 0)] - targets[(i, 0)]).powi(2);
        spread += targets[(i, 0)].powi(2);
    }
    assert!(error < 0.8 * spread, "{error} of {spread}");
}

/// A list of atoms with one output is a scalar kernel, as gaussian is: it serves classes and learners of curves, too.
#[test]
fn a_learned_kernel_of_one_output_serves_many() {
    let (x, y) = rows(200, 3, 3);
    let found = features(&x, &y, some());
    let (one, two) = (Kernel::from(found.model.listed(1).unwrap()), Kernel::from(found.model.listed(2).unwrap()));
    let seen = Seen { outputs: 2, ..Seen::default() };
    let (a, b) = (x.row(0).iter().copied().collect::<Vec<_>>(), x.row(7).iter().copied().collect::<Vec<_>>());
    let apart = one.resolve(&seen).unwrap().eval(&a, &b).unwrap() - two.eval(&a, &b).unwrap();
    assert!(apart.norm_max() < 1e-15 && one.own_outputs(3).unwrap().is_none());
    assert_eq!(two.own_outputs(3).unwrap(), Some(2));
    let table = Table::new(x.clone(), y.clone()).unwrap();
    let values = |kernel: &Kernel| Map::from_iter([("kernel".to_string(), serde_json::to_value(kernel).unwrap())]);
    assert_eq!(two.separated(), Some((one.clone(), Mat::identity(2, 2))));
    let graphs = ["laplacian", "laplacian-classification", "semi-supervised-classification"];
    let others = ["classification", "regression", "exact", "nystrom", "risk", "quantiles", "svm", "level-sets"];
    for name in others.into_iter().chain(graphs) {
        let Ok(learner) = learner(name) else { panic!("no learner {name}") };
        let found = (learner.fit)(&values(&one), &table, &mut Silent);
        assert!(found.is_ok(), "{name}: {}", found.err().unwrap());
    }
}

/// Few learned features tell what as many drawn ones cannot: one direction of many matters.
#[test]
fn few_learned_features_are_worth_many_drawn_ones() {
    let mut s = orff::random::Stream::new(1, 2, 3);
    let x = Mat::from_fn(1600, 5, |_, _| 2.0 * s.uniform() - 1.0);
    let y = Mat::from_fn(1600, 1, |i, _| f64::from((6.0 * x[(i, 0)]).sin() > 0.0));
    let (train, test) = ((0..1200), (1200..1600));
    let part = |r: &std::ops::Range<usize>, m: &Mat<f64>| m.subrows(r.start, r.len()).to_owned();
    let rows = Table::new(part(&train, &x), part(&train, &y)).unwrap();
    for loss in [ClassLoss::Squared, ClassLoss::SimplexHinge] {
        let kernel: Kernel = "gaussian(0.3)".parse().unwrap();
        let learner = AlignedClassification {
            kernel: kernel.clone(),
            features: Auto::Fixed(40),
            candidates: Auto::Fixed(4000),
            strength: Auto::Fixed(20.0),
            loss,
            ..AlignedClassification::default()
        };
        let (found, alignment) = learner.fit(&rows, &mut Silent).unwrap();
        assert_eq!((found.model.map.characters(), alignment.losses.len()), (40, 4000));
        let plain = orff::learn::Classification { kernel, features: Auto::Fixed(40), loss, ..Default::default() };
        let plain = plain.fit(&rows, &mut Silent).unwrap();
        let missed = |found: &orff::learn::FittedClasses| {
            let f = found.model.predict(&Inputs::Dense(part(&test, &x)), Query::default()).unwrap().mean;
            let wrong = |i: &usize| found.classes.code.decode(&[f[(*i, 0)]], 2) as f64 != y[(1200 + i, 0)];
            (0..400).filter(wrong).count() as f64 / 400.0
        };
        let (few, drawn) = (missed(&found), missed(&plain));
        assert!(few < 0.1 && drawn > 0.2, "{loss:?}: learned {few}, drawn {drawn}");
    }
}

/// Without a word about lengthscales: candidates have several, and the alignment finds the ones that matter.
#[test]
fn waves_are_found_by_default() {
    let mut s = orff::random::Stream::new(4, 2, 3);
    for (d, turns, features, asked) in [
        (2, 6.0, Auto::Auto, 360),
        (2, 15.0, Auto::Auto, 360),
        (5, 6.0, Auto::Auto, 340),
        (5, 6.0, Auto::Fixed(40), 320),
    ] {
        let x = Mat::from_fn(1600, d, |_, _| 2.0 * s.uniform() - 1.0);
        let y = Mat::from_fn(1600, 1, |i, _| f64::from((turns * x[(i, 0)]).sin() > 0.0));
        let part = |m: &Mat<f64>, from: usize, count: usize| m.subrows(from, count).to_owned();
        let rows = Table::new(part(&x, 0, 1200), part(&y, 0, 1200)).unwrap();
        let learner = AlignedClassification { features, ..AlignedClassification::default() };
        let (found, alignment) = learner.fit(&rows, &mut Silent).unwrap();
        let f = found.model.predict(&Inputs::Dense(part(&x, 1200, 400)), Query::default()).unwrap().mean;
        let right = |i: &usize| found.classes.code.decode(&[f[(*i, 0)]], 2) as f64 == y[(1200 + i, 0)];
        let right = (0..400).filter(right).count();
        assert!(right > asked, "{d} inputs, {turns}: {right} of 400: {:?}", found.training.choices);
        // the prior is a mixture over lengthscales, drawn again from the file in the same way
        let atoms = alignment.about.candidates.atoms(d).unwrap();
        assert_eq!((atoms.blocks.len(), atoms.count()), (5, alignment.losses.len()));
        // as far from the prior as uniform weights of what is kept
        let times = atoms.count() as f64 / found.model.map.atoms().count() as f64;
        let chi2 = orff::align::power_divergence(&alignment.posterior, &alignment.prior, 2.0);
        assert!((chi2 / (times - 1.0) - 1.0).abs() < 1e-6 || alignment.about.beta == 1.0, "{chi2} {times}");
        let chosen = |line: &String| line.starts_with("lengthscales of candidates in octaves");
        assert!(found.training.choices.iter().any(chosen));
    }
}

#[test]
fn refusals_say_what_to_do() {
    let (x, y) = rows(30, 2, 2);
    let table = Table::new(x.clone(), y.clone()).unwrap();
    let said = |learner: AlignedFeatures| match learner.fit(&table, &mut Silent) {
        Ok(_) => panic!("accepted"),
        Err(e) => e.to_string(),
    };
    assert!(said(AlignedFeatures { kernel: "curl-free".parse().unwrap(), ..some() }).contains("one output"));
    assert!(
        said(AlignedFeatures { candidates: Auto::Fixed(90_000_000), memory: 100, ..some() }).contains("candidates")
    );
    assert!(
        said(AlignedFeatures { features: Auto::Fixed(3), map: Auto::Fixed(orff::feature::MapKind::Pairs), ..some() })
            .contains("even")
    );
    // a law that labels have chosen is no prior
    let kernel: Kernel = "spectral-mixture(2)".parse().unwrap();
    let learned = AlignedClassification { kernel, ..AlignedClassification::default() }.fit(&table, &mut Silent);
    assert!(learned.err().unwrap().to_string().contains("drawn before labels are looked at"));
    let one = Table::new(x.subrows(0, 1).to_owned(), Mat::zeros(1, 1)).unwrap();
    let alone = AlignedFeatures { likeness: Auto::Fixed(Compared::Targets), ..some() }.fit(&one, &mut Silent);
    assert!(alone.err().unwrap().to_string().contains("at least two"));
    let gap = Mat::from_fn(30, 1, |i, _| if i == 4 { f64::NAN } else { i as f64 });
    let gap = Table::new(x, gap).unwrap();
    let gap = AlignedFeatures { likeness: Auto::Fixed(Compared::Targets), ..some() }.fit(&gap, &mut Silent);
    assert!(gap.err().unwrap().to_string().contains("complete rows"));
}

#[test]
fn the_learner_of_the_command_scores_as_the_library_does() {
    let (x, y) = rows(200, 2, 3);
    let table = Table::new(x.clone(), y.clone()).unwrap();
    let values = Map::from_iter([
        ("features".to_string(), json!(60)),
        ("method".to_string(), json!(3.0)),
        ("divergence".to_string(), json!(2.0)),
    ]);
    let model = (learner("aligned-classification").unwrap().fit)(&values, &table, &mut Silent).unwrap();
    assert_eq!(model.alignment().unwrap().about.method, Method::Power(3.0));
    let scores = model.scores(&Inputs::Dense(x), Query::default()).unwrap();
    let right = Classes::decide(&scores).into_iter().enumerate().filter(|(i, c)| *c as f64 == y[(*i, 0)]).count();
    assert!(right > 150 && table.rereadable(), "{right} of 200");
}
