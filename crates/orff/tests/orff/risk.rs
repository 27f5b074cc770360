//! Regression with any loss, by each solver.

use crate::exact::nystrom::Once;
use faer::Mat;
use orff::learn::{FittedRisk, Regression, Ridge, RiskRegression, RiskSolver};
use orff::model::{Body, Query};
use orff::params::Auto;
use orff::random::Stream;
use orff::rows::{Inputs, Table, Weights};
use orff::watch::Silent;
use std::sync::atomic::AtomicBool;

const SOLVERS: [RiskSolver; 4] =
    [RiskSolver::LBfgs, RiskSolver::Projected, RiskSolver::Stochastic, RiskSolver::Online];

/// n points of the plane, a curve of two outputs there, and noise.
fn data(n: usize, noise: f64, seed: u64) -> (Mat<f64>, Mat<f64>, Mat<f64>) {
    let mut s = Stream::new(seed, 21, 0);
    let x = Mat::from_fn(n, 2, |_, _| 3.0 * s.uniform());
    let truth = Mat::from_fn(n, 2, |i, t| 5.0 * (x[(i, 0)] - 0.5 * x[(i, 1)] + t as f64).sin() + 40.0);
    let y = Mat::from_fn(n, 2, |i, t| truth[(i, t)] + noise * s.normal());
    (x, truth, y)
}

fn at(found: &FittedRisk, x: &Mat<f64>) -> Mat<f64> {
    found.body.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean
}

fn rmse(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    (a - b).norm_l2() / ((a.nrows() * a.ncols()) as f64).sqrt()
}

fn learner(solver: RiskSolver, loss: &str) -> RiskRegression {
    RiskRegression {
        kernel: "decomposable(gaussian)".parse().unwrap(),
        lengthscale: 1.5.into(),
        features: Auto::Fixed(100),
        ridge: Auto::Fixed(1e-3),
        loss: loss.parse().unwrap(),
        solver,
        ..RiskRegression::default()
    }
}

/// With the squared loss and one ridge L-BFGS finds what the closed form finds, with weights and gaps; batches come near it.
#[test]
fn squared_losses_agree_with_ridge() {
    let (x, _, mut y) = data(300, 0.5, 1);
    y[(3, 1)] = f64::NAN;
    let weights = Weights::Row((0..300).map(|i| 0.5 + (i % 3) as f64).collect());
    let rows = Table::new(x.clone(), y).unwrap().weighted(weights).unwrap();
    let by = learner(RiskSolver::LBfgs, "squared");
    let ridge = Regression {
        kernel: by.kernel.clone(),
        lengthscale: by.lengthscale.clone(),
        features: by.features,
        ridge: Ridge::Given(1e-3),
        ..Regression::default()
    };
    let closed = ridge.fit(&rows, &mut Silent).unwrap().model;
    let closed = closed.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean;
    let found = by.fit(&rows, &mut Silent).unwrap();
    assert!(rmse(&at(&found, &x), &closed) < 1e-6, "{}", rmse(&at(&found, &x), &closed));
    let batches =
        RiskRegression { block: 40, passes: Auto::Fixed(1000), ..learner(RiskSolver::Stochastic, "squared") };
    let far = rmse(&at(&batches.fit(&rows, &mut Silent).unwrap(), &x), &closed);
    assert!(far < 0.15, "{far}");
}

/// Every solver learns from its defaults, says how it ended, and gives the same bits again.
#[test]
fn every_solver_learns_and_says_how_it_ended() {
    let (x, _, y) = data(400, 0.3, 2);
    let (fresh, truth, _) = data(200, 0.0, 3);
    let rows = Table::new(x, y).unwrap();
    let words = ["L-BFGS, ", "projected gradients, ", "doubly stochastic gradients, ", "ONORMA, "];
    for ((solver, word), limit) in SOLVERS.into_iter().zip(words).zip([0.2, 0.8, 0.25, 0.8]) {
        let by = RiskRegression { solver, ..RiskRegression::default() };
        let found = by.fit(&rows, &mut Silent).unwrap();
        let error = rmse(&at(&found, &fresh), &truth);
        println!("{solver:?}: {error} {:?}", found.training.choices.last());
        assert!(error < limit, "{solver:?}: {error} {:?}", found.training.choices);
        let how = found.training.choices.iter().find(|c| c.starts_with("solved by ")).unwrap();
        assert!(how.contains(word) && how.contains("gradient"), "{how}");
        assert_eq!(at(&by.fit(&rows, &mut Silent).unwrap(), &fresh), at(&found, &fresh), "{solver:?}");
        assert_eq!(matches!(found.body, Body::Exact(_)), solver == RiskSolver::Online);
    }
}

/// Steps that are far too long are told, not solved for.
#[test]
fn a_divergence_is_no_solution() {
    let (x, _, y) = data(400, 0.3, 2);
    let rows = Table::new(x, y).unwrap();
    let by = |step: f64| RiskRegression {
        solver: RiskSolver::Stochastic,
        step: Auto::Fixed(step),
        ridge: Auto::Fixed(1e-4),
        passes: Auto::Fixed(3),
        ..RiskRegression::default()
    };
    assert!(by(1.0).fit(&rows, &mut Silent).is_ok());
    for step in [1e3, 1e9] {
        let error = by(step).fit(&rows, &mut Silent).map(drop).unwrap_err().to_string();
        assert!(error.contains("lower the step"), "{error}");
    }
}

/// Huber's loss is not led astray by a tenth of the rows; the pinball loss finds its quantile.
#[test]
fn losses_do_what_they_are_for() {
    let (x, truth, clean) = data(600, 0.3, 4);
    let spoiled = Mat::from_fn(600, 2, |i, t| clean[(i, t)] + if i % 10 == 0 { 60.0 } else { 0.0 });
    let rows = Table::new(x.clone(), spoiled).unwrap();
    let error =
        |loss: &str| rmse(&at(&learner(RiskSolver::LBfgs, loss).fit(&rows, &mut Silent).unwrap(), &x), &truth);
    let (robust, squared) = (error("huber(0.05)"), error("squared"));
    assert!(robust < 0.5 && squared > 5.0, "{robust} {squared}");
    for level in [0.1, 0.8] {
        let (x, _, y) = data(2000, 1.0, 5);
        let by = learner(RiskSolver::LBfgs, &format!("pinball({level})"));
        let f = at(&by.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap(), &x);
        let below = (0..2000).filter(|&i| y[(i, 0)] <= f[(i, 0)]).count() as f64 / 2000.0;
        assert!((below - level).abs() < 0.02, "{level}: {below}");
    }
}

#[test]
fn streams_are_learned_from_in_one_pass() {
    let (x, _, y) = data(3000, 0.3, 6);
    let (fresh, truth, _) = data(200, 0.0, 7);
    let stream = || Once(Table::new(x.clone(), y.clone()).unwrap().batched(1000), AtomicBool::new(false));
    for (solver, limit) in [(RiskSolver::Stochastic, 0.3), (RiskSolver::Online, 1.2)] {
        let by = RiskRegression { budget: 5000, batch: 64, ..learner(solver, "squared") };
        let found = by.fit(&stream(), &mut Silent).unwrap();
        assert_eq!(found.training.rows, 3000);
        let error = rmse(&at(&found, &fresh), &truth);
        assert!(error < limit, "{solver:?}: {error}");
        let twice = RiskRegression { passes: Auto::Fixed(2), ..by };
        assert!(twice.fit(&stream(), &mut Silent).err().unwrap().to_string().contains("give one pass"));
    }
    for solver in [RiskSolver::LBfgs, RiskSolver::Projected] {
        let said = learner(solver, "squared").fit(&stream(), &mut Silent).err().unwrap().to_string();
        assert!(said.contains("solver stochastic or online"), "{said}");
    }
}

#[test]
fn what_cannot_be_minimised_is_said() {
    let (x, _, y) = data(50, 0.1, 8);
    let rows = Table::new(x, y).unwrap();
    let said = |by: RiskRegression, rows: &Table| by.fit(rows, &mut Silent).err().unwrap().to_string();
    for loss in ["hinge", "logistic", "simplex-hinge"] {
        assert!(
            said(learner(RiskSolver::LBfgs, loss), &rows).starts_with("loss: expected squared, huber(δ)"),
            "{loss}"
        );
    }
    let weighted = rows.clone().weighted(Weights::Row(vec![2.0; 50])).unwrap();
    assert!(said(learner(RiskSolver::Online, "squared"), &weighted).contains("weights of rows in online learning"));
    let steep = RiskRegression { step: Auto::Fixed(1e4), ..learner(RiskSolver::Online, "squared") };
    assert!(said(steep, &rows).starts_with("step: expected"));
}
