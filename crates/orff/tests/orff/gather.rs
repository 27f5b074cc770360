//! Rows added, gatherings merged and sent away give the model of one pass.

use faer::Mat;
use orff::feature::MapKind;
use orff::learn::{Gathering, Regression, Ridge};
use orff::model::Query;
use orff::params::Auto;
use orff::random::Stream;
use orff::rows::{Inputs, Table, Weights};
use orff::watch::Silent;

struct Data {
    x: Mat<f64>,
    y: Mat<f64>,
    w: Mat<f64>,
}

/// Fields of the plane with missing components and uneven standard errors.
fn data(n: usize) -> Data {
    let mut s = Stream::new(8, 1, 0);
    let x = Mat::from_fn(n, 2, |_, _| 3.0 * s.uniform());
    let value = |i: usize, t: usize, e: f64| (x[(i, t)] * 1.3).sin() + 0.4 * x[(i, 1 - t)] + 0.1 * e;
    let y = Mat::from_fn(n, 2, |i, t| value(i, t, s.normal()));
    let w = Mat::from_fn(n, 2, |_, _| 0.5 + s.uniform());
    Data { x, y, w }
}

impl Data {
    fn rows(&self, from: usize, to: usize, weighted: bool) -> Table {
        let cut = |m: &Mat<f64>| m.subrows(from, to - from).to_owned();
        let table = Table::new(cut(&self.x), cut(&self.y)).unwrap();
        if weighted { table.weighted(Weights::Entry(cut(&self.w))).unwrap() } else { table }
    }
}

fn learner(kernel: &str) -> Regression {
    Regression { kernel: kernel.parse().unwrap(), features: Auto::Fixed(120), ..Regression::default() }
}

fn mean(g: &Gathering, x: &Mat<f64>) -> Mat<f64> {
    let query = Query { std: true, ..Query::default() };
    let p = g.solve(&mut Silent).unwrap().model.predict(&Inputs::Dense(x.clone()), query).unwrap();
    assert!(p.std.is_some());
    p.mean
}

#[test]
fn parts_merged_are_one_pass() {
    let mut data = data(500);
    for (missing, weighted) in [(false, false), (true, false), (false, true), (true, true)] {
        if missing {
            (0..500).step_by(3).for_each(|i| data.y[(i, i % 2)] = f64::NAN);
        }
        for (kernel, map) in [("decomposable", MapKind::Phases), ("helmholtz", MapKind::Pairs)] {
            let learner = Regression { map: Auto::Fixed(map), ..learner(kernel) };
            let all = data.rows(0, 500, weighted);
            let fitted = learner.fit(&all, &mut Silent).unwrap();
            let expected = fitted.model.predict(&Inputs::Dense(data.x.clone()), Query::default()).unwrap().mean;
            let begun = learner.begin(&all, &mut Silent).unwrap();
            assert_eq!(begun.rows(), 0);

            let mut once = begun.clone();
            once.add(&all, &mut Silent).unwrap();
            assert_eq!(mean(&once, &data.x), expected, "one pass has the bits of fit");

            let mut parts = begun.empty();
            let mut sent = Gathering::from_bytes(begun.to_bytes().unwrap()).unwrap();
            parts.add(&data.rows(0, 130, weighted), &mut Silent).unwrap();
            sent.add(&data.rows(130, 131, weighted), &mut Silent).unwrap();
            sent.add(&data.rows(131, 500, weighted), &mut Silent).unwrap();
            let back = Gathering::from_bytes(sent.to_bytes().unwrap()).unwrap();
            assert_eq!(back.moments(), sent.moments());
            parts.merge(&back).unwrap();
            assert_eq!(parts.rows(), 500);
            let gap = (mean(&parts, &data.x) - &expected).norm_max();
            assert!(gap < 1e-6, "{kernel}, missing {missing}, weighted {weighted}: {gap}");
        }
    }
}

#[test]
fn what_does_not_belong_together_is_refused_and_nothing_is_lost() {
    let mut data = data(200);
    let mut g = learner("decomposable").begin(&data.rows(0, 100, false), &mut Silent).unwrap();
    g.add(&data.rows(0, 100, false), &mut Silent).unwrap();
    let before = g.moments().clone();

    let other = learner("decomposable").begin(&data.rows(100, 200, false), &mut Silent).unwrap();
    let said = g.merge(&other).unwrap_err().to_string();
    assert!(said.contains("began differently") && said.contains("empty copy"), "{said}");
    let seed = Regression { seed: 1, ..learner("decomposable") };
    assert!(g.merge(&seed.begin(&data.rows(0, 100, false), &mut Silent).unwrap()).is_err());

    let wide = Table::new(Mat::zeros(3, 3), Mat::zeros(3, 2)).unwrap();
    let said = g.add(&wide, &mut Silent).unwrap_err().to_string();
    assert!(said.contains("2 inputs and 2 outputs as before"), "{said}");
    data.x[(150, 1)] = f64::NAN;
    assert!(g.add(&data.rows(100, 200, false), &mut Silent).is_err());
    assert_eq!((g.moments(), g.rows()), (&before, 100));

    let loo = Regression { ridge: Ridge::Loo, ..learner("decomposable") };
    let said = loo.begin(&data.rows(0, 100, false), &mut Silent).err().unwrap().to_string();
    assert!(said.contains("second pass"), "{said}");
    let said = g.empty().solve(&mut Silent).err().unwrap().to_string();
    assert!(said.contains("no row counts"), "{said}");
}

#[test]
fn altered_bytes_are_refused() {
    let data = data(60);
    let mut g = Regression { features: Auto::Fixed(16), ..learner("curl-free") }
        .begin(&data.rows(0, 60, false), &mut Silent)
        .unwrap();
    g.add(&data.rows(0, 60, false), &mut Silent).unwrap();
    let bytes = g.to_bytes().unwrap();
    for at in (0..bytes.len()).step_by(7) {
        let mut altered = bytes.clone();
        altered[at] ^= 0x20;
        assert!(Gathering::from_bytes(altered).is_err(), "byte {at} of {} went unnoticed", bytes.len());
    }
    assert!(Gathering::from_bytes(bytes[..bytes.len() - 1].to_vec()).is_err());
}

/// A warm start has the rows at hand: leave-one-out reads them again.
#[test]
fn a_kept_fit_is_the_fit() {
    let data = data(150);
    let (all, some) = (data.rows(0, 150, false), data.rows(0, 90, false));
    for ridge in [Ridge::Evidence, Ridge::Loo, Ridge::Given(1e-3)] {
        let learner = Regression { ridge, ..learner("decomposable") };
        let (mut kept, fitted) = learner.fit_kept(&all, &mut Silent).unwrap();
        assert_eq!(kept.rows(), 150);
        assert_eq!(fitted.model.table, learner.fit(&all, &mut Silent).unwrap().model.table);
        let (again, refitted) = kept.refit(&some, &mut Silent).unwrap();
        assert_eq!((kept.rows(), again.rows()), (150, 90));
        assert_eq!(refitted.training.kernel, fitted.training.kernel);
        let added = kept.add(&some, &mut Silent).map_err(|e| e.to_string());
        if ridge == Ridge::Loo {
            assert!(added.unwrap_err().contains("second pass"));
            assert_eq!(kept.rows(), 150);
        } else {
            assert!(added.is_ok() && kept.rows() == 240);
        }
    }
}
