//! Long rows and many tasks: the same fit as with NaN, over moments or over the rows; couplings; bad rows.

use faer::Mat;
use orff::learn::{ExactRegression, Fitted, Nystrom, Regression, Ridge, Solver};
use orff::model::Query;
use orff::params::Auto;
use orff::random::Stream;
use orff::rows::{Inputs, Rows, Table, Tasks, Weights};
use orff::watch::Silent;

/// Long rows of p tasks that are sums of two smooth functions of three inputs, and noise.
struct Long {
    x: Mat<f64>,
    task: Vec<usize>,
    y: Vec<f64>,
    p: usize,
}

fn truth(x: &[f64], t: usize) -> f64 {
    let (a, b) = ((1.3 * x[0]).sin() + x[1], (x[2] - 0.5 * x[0]).cos());
    let angle = 0.4 * t as f64;
    10.0 * t as f64 + (1.0 + t as f64) * (angle.cos() * a + angle.sin() * b)
}

impl Long {
    fn new(n: usize, p: usize, noise: f64, seed: u64) -> Self {
        let mut stream = Stream::new(seed, 5, 0);
        let x = Mat::from_fn(n, 3, |_, _| 4.0 * stream.uniform() - 2.0);
        let task: Vec<usize> = (0..n).map(|i| if i < p { i } else { stream.below(p) }).collect();
        let value = |i: usize, e: f64| truth(&row(&x, i), task[i]) + noise * (1.0 + task[i] as f64) * e;
        let y = (0..n).map(|i| value(i, stream.normal())).collect();
        Long { x, task, y, p }
    }

    fn rows(&self) -> Tasks<Table> {
        Tasks::of(Inputs::Dense(self.x.clone()), &self.task, &self.y, self.p).unwrap()
    }

    /// The same as a matrix with NaN.
    fn wide(&self) -> Mat<f64> {
        Mat::from_fn(self.y.len(), self.p, |i, t| if t == self.task[i] { self.y[i] } else { f64::NAN })
    }

    fn table(&self) -> Table {
        Table::new(self.x.clone(), self.wide()).unwrap()
    }
}

fn row(x: &Mat<f64>, i: usize) -> Vec<f64> {
    x.row(i).iter().copied().collect()
}

fn learner(kernel: &str, solver: Solver) -> Regression {
    Regression {
        kernel: kernel.parse().unwrap(),
        features: Auto::Fixed(60),
        ridge: Ridge::Given(1e-4),
        solver: Auto::Fixed(solver),
        ..Regression::default()
    }
}

fn fit(learner: &Regression, rows: &dyn Rows) -> Fitted {
    learner.fit(rows, &mut Silent).unwrap()
}

fn says(learner: &Regression, rows: &dyn Rows, words: &str) {
    let said = learner.fit(rows, &mut Silent).map(|_| ()).unwrap_err().to_string();
    assert!(said.contains(words), "{said}");
}

fn at(fitted: &Fitted, x: &Mat<f64>) -> Mat<f64> {
    fitted.model.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean
}

/// Largest difference relative to the largest number.
fn gap(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    assert_eq!((a.nrows(), a.ncols()), (b.nrows(), b.ncols()));
    (a - b).norm_max() / b.norm_max()
}

const COUPLED: &str = "decomposable(gaussian(1.5), [[2, 1, 0.5], [1, 3, 0.2], [0.5, 0.2, 1]])";

#[test]
fn long_rows_are_a_matrix_with_holes() {
    let data = Long::new(150, 3, 0.1, 1);
    let new = Long::new(20, 3, 0.0, 2).x;
    for kernel in ["decomposable", "matern(2.5)", COUPLED] {
        for solver in [Solver::Moments, Solver::Rows] {
            let learner = Regression { ridge: Ridge::Evidence, ..learner(kernel, solver) };
            let wide = fit(&learner, &data.table());
            for batch in [1, 7, 4096] {
                let long = fit(&learner, &data.rows().batched(batch));
                assert!(gap(&at(&long, &new), &at(&wide, &new)) < 1e-10, "{kernel} {solver:?}");
                assert_eq!(long.training.rows, 150);
                assert!((long.training.ridge / wide.training.ridge - 1.0).abs() < 1e-10);
            }
        }
    }
}

#[test]
fn long_rows_keep_their_weights() {
    let data = Long::new(120, 3, 0.1, 3);
    let w: Vec<f64> = (0..120).map(|i| (i % 4) as f64).collect();
    for solver in [Solver::Moments, Solver::Rows] {
        let learner = learner(COUPLED, solver);
        let long = fit(&learner, &data.rows().weighted(w.clone()).unwrap());
        let wide = fit(&learner, &data.table().weighted(Weights::Row(w.clone())).unwrap());
        assert!(gap(&at(&long, &data.x), &at(&wide, &data.x)) < 1e-10);
        // standard errors of values: weights of entries, of which only the ratios matter
        let pairs = Mat::from_fn(120, 2, |i, k| if k == 0 { data.task[i] as f64 } else { data.y[i] });
        let entry = |p: usize| Weights::Entry(Mat::from_fn(120, p, |i, _| 0.5 + w[i]));
        let long = Table::new(data.x.clone(), pairs).unwrap().weighted(entry(2)).unwrap();
        let long = fit(&learner, &Tasks::new(long, 3).unwrap());
        let wide = fit(&learner, &data.table().weighted(entry(3)).unwrap());
        assert!(gap(&at(&long, &data.x), &at(&wide, &data.x)) < 1e-10);
        assert!((long.model.noise[(1, 1)] / wide.model.noise[(1, 1)] - 1.0).abs() < 1e-9);
    }
}

/// Outputs with holes here and there, several in a row.
fn holes(y: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(y.nrows(), y.ncols(), |i, t| if (i * 7 + t * 5) % 4 == 0 { f64::NAN } else { y[(i, t)] })
}

#[test]
fn conjugate_gradients_over_rows_are_the_closed_form() {
    let mut stream = Stream::new(9, 0, 0);
    let x = Mat::from_fn(130, 2, |_, _| 4.0 * stream.uniform() - 2.0);
    let field = Mat::from_fn(130, 2, |i, t| (x[(i, t)] + 0.3 * x[(i, 1 - t)]).sin() + 0.05 * stream.normal());
    let entry = Mat::from_fn(130, 2, |_, _| 0.2 + stream.uniform());
    let rows: Vec<f64> = (0..130).map(|i| (i % 3) as f64).collect();
    let mut worst: f64 = 0.0;
    for kernel in [
        "decomposable(gaussian(1.2), [[2, 1], [1, 1]])",
        "decomposable(matern(1.5, 2), [[1, 0.7], [0.7, 0.49]])",
        "curl-free(gaussian(1.5))",
        "curl-free(gaussian(1.5)) + 0.3*div-free(gaussian(1))",
        "transformable(gaussian(1.5), [[1, 0], [0, 1]], [[0.5, 0.5], [0, 1]])",
    ] {
        for (y, weights) in [
            (field.clone(), None),
            (holes(&field), None),
            (holes(&field), Some(Weights::Row(rows.clone()))),
            (holes(&field), Some(Weights::Entry(entry.clone()))),
        ] {
            for offset in [true, false] {
                let table = Table::new(x.clone(), y.clone()).unwrap();
                let table = match weights.clone() {
                    Some(w) => table.weighted(w).unwrap(),
                    None => table,
                };
                let [closed, iterated] = [Solver::Moments, Solver::Rows].map(|solver| {
                    let learner = Regression { offset, tolerance: 1e-12, ..learner(kernel, solver) };
                    fit(&Regression { posterior: false, ..learner }, &table)
                });
                let apart = gap(&at(&iterated, &x), &at(&closed, &x));
                assert!(apart < 1e-8, "{kernel}, offset {offset}: {apart:e}");
                worst = worst.max(apart);
                let how = iterated.training.choices.last().unwrap();
                assert!(how.contains("conjugate gradients over"), "{how}");
                assert_eq!(iterated.training.rows, 130);
            }
        }
    }
    println!("{worst:e}");
}

#[test]
fn characters_are_made_anew_where_they_do_not_fit() {
    // more rows than a block; 100 characters of 3000 rows are 2.4 MB, a quarter of the memory 1 MB
    let data = Long::new(3000, 3, 0.1, 4);
    let learner = Regression { features: Auto::Fixed(100), ..learner(COUPLED, Solver::Rows) };
    let room = fit(&learner, &data.rows());
    let new = Long::new(50, 3, 0.0, 5).x;
    let tight = fit(&Regression { memory: 9, ..learner.clone() }, &data.rows());
    assert_eq!(at(&tight, &new), at(&room, &new));
    for threads in [1, 2, 4] {
        let threads = Regression { threads: Auto::Fixed(threads), ..learner.clone() };
        assert_eq!(at(&fit(&threads, &data.rows().batched(333)), &new), at(&room, &new));
    }
}

#[test]
fn many_tasks_are_fitted_over_the_rows_by_themselves() {
    let data = Long::new(1200, 40, 0.05, 6);
    let gamma = Mat::from_fn(40, 40, |s, t| (0.4 * (s as f64 - t as f64)).cos() + if s == t { 0.05 } else { 0.0 });
    let rows: Vec<String> = (0..40)
        .map(|s| format!("[{}]", (0..40).map(|t| format!("{}", gamma[(s, t)])).collect::<Vec<_>>().join(", ")))
        .collect();
    // each task has the scale 1 + t: M K Mᵀ gives the kernel these units
    let scale: Vec<String> = (0..40)
        .map(|s| {
            let entry = |t: usize| if s == t { format!("{}", 1 + t) } else { "0".into() };
            format!("[{}]", (0..40).map(entry).collect::<Vec<_>>().join(", "))
        })
        .collect();
    let kernel = format!("conjugate([{}], decomposable(gaussian(2), [{}]))", scale.join(", "), rows.join(", "));
    let learner = Regression { kernel: kernel.parse().unwrap(), features: Auto::Fixed(300), ..Regression::default() };
    let fitted = fit(&learner, &data.rows());
    let said = fitted.training.choices.join("\n");
    assert!(said.contains("solver rows: moments of 40 outputs would take"), "{said}");
    let new = Long::new(60, 40, 0.0, 7).x;
    let mean = at(&fitted, &new);
    let error = |t: usize| {
        let square = |i: usize| ((mean[(i, t)] - truth(&row(&new, i), t)) / (1.0 + t as f64)).powi(2);
        ((0..60).map(square).sum::<f64>() / 60.0).sqrt()
    };
    // thirty rows of a task alone say little of a function of three inputs
    let worst = (0..40).map(error).fold(0.0, f64::max);
    assert!(worst < 0.25, "{worst}");
}

#[test]
fn tasks_never_seen_together_are_coupled_by_what_they_predict() {
    let (mut won, mut sum) = (0, [0.0; 2]);
    for seed in 0..4 {
        let data = Long::new(160, 5, 0.1, 10 + seed);
        let new = Long::new(200, 5, 0.0, 20 + seed).x;
        let error = |output: &str| {
            let kernel = format!("decomposable(gaussian, {output})").parse().unwrap();
            let learner = Regression { kernel, seed, features: Auto::Fixed(200), ..Regression::default() };
            let fitted = fit(&learner, &data.rows());
            let mean = at(&fitted, &new);
            let one = |i: usize, t: usize| ((mean[(i, t)] - truth(&row(&new, i), t)) / (1.0 + t as f64)).powi(2);
            let sum: f64 = (0..200).map(|i| (0..5).map(|t| one(i, t)).sum::<f64>()).sum();
            ((sum / 1000.0).sqrt(), fitted.training.choices.join("\n"))
        };
        let (alone, _) = error("identity");
        let (coupled, said) = error("covariance");
        assert!(said.contains("outputs are not observed together"), "{said}");
        won += usize::from(coupled < alone);
        sum[0] += alone;
        sum[1] += coupled;
    }
    println!("{sum:?}");
    assert!(won == 4 && sum[1] < 0.8 * sum[0], "{won} of 4, {sum:?}");
}

#[test]
fn kernel_sections_are_coupled_alike() {
    let data = Long::new(80, 3, 0.1, 50);
    let kernel = |output: &str| format!("decomposable(gaussian, {output})").parse::<orff::kernel::Kernel>().unwrap();
    let exact = ExactRegression { kernel: kernel("covariance"), ..ExactRegression::default() };
    let nystrom = Nystrom { kernel: kernel("covariance"), ..Nystrom::default() };
    let features = Regression { kernel: kernel("covariance"), ..Regression::default() };
    let gammas = [
        exact.fit(&data.rows(), &mut Silent).unwrap().training,
        nystrom.fit(&data.rows(), &mut Silent).unwrap().training,
        fit(&features, &data.rows()).training,
    ]
    .map(|training| training.kernel.unwrap().separated().unwrap().1);
    // tasks 0 and 1 are 0.4 of an angle apart: their correlation is known but for the spread of the two functions
    for gamma in gammas {
        let correlation = gamma[(0, 1)] / (gamma[(0, 0)] * gamma[(1, 1)]).sqrt();
        assert!(correlation > 0.4 && correlation < 1.0, "{gamma:?}");
    }
}

#[test]
fn a_task_seen_twice_counts_twice_and_one_task_is_one_output() {
    let data = Long::new(90, 3, 0.1, 30);
    let twice = |v: &[f64]| -> Vec<f64> { v.iter().chain(&v[..30]).copied().collect() };
    let x = Mat::from_fn(120, 3, |i, k| data.x[(i % 90, k)]);
    let task: Vec<usize> = (0..120).map(|i| data.task[i % 90]).collect();
    let doubled = Tasks::of(Inputs::Dense(x), &task, &twice(&data.y), 3).unwrap();
    let weights: Vec<f64> = (0..90).map(|i| if i < 30 { 2.0 } else { 1.0 }).collect();
    let single = Long::new(80, 1, 0.1, 31);
    let plain = Mat::from_fn(80, 1, |i, _| single.y[i]);
    for solver in [Solver::Moments, Solver::Rows] {
        let learner = learner(COUPLED, solver);
        let weighted = fit(&learner, &data.rows().weighted(weights.clone()).unwrap());
        assert!(gap(&at(&fit(&learner, &doubled), &data.x), &at(&weighted, &data.x)) < 1e-9);
        let learner = self::learner("gaussian", solver);
        let one = fit(&learner, &single.rows());
        let same = fit(&learner, &Table::new(single.x.clone(), plain.clone()).unwrap());
        assert!(gap(&at(&one, &single.x), &at(&same, &single.x)) < 1e-9);
    }
}

#[test]
fn long_rows_that_cannot_be_are_refused() {
    let data = Long::new(40, 3, 0.1, 40);
    let x = || Inputs::Dense(data.x.clone());
    let said = |rows: orff::Result<Tasks<Table>>| rows.map(|_| ()).unwrap_err().to_string();
    assert!(said(Tasks::of(x(), &data.task[1..], &data.y, 3)).contains("task: expected 40 rows"));
    assert!(said(Tasks::of(x(), &data.task, &data.y[1..], 3)).contains("values: expected 40 rows"));
    assert!(said(Tasks::of(x(), &data.task, &data.y, 0)).contains("no tasks"));
    assert!(said(Tasks::new(data.table(), 3)).contains("expected two outputs, the task and its value, got 3"));
    for solver in [Solver::Moments, Solver::Rows] {
        let learner = learner("gaussian", solver);
        let few = Tasks::of(x(), &data.task, &data.y, 2).unwrap();
        says(&learner, &few, "column task: 2 is not the number of a task (a whole number from 0 to 1)");
        let more = Tasks::of(x(), &data.task, &data.y, 4).unwrap();
        says(&learner, &more, "output 4: not observed on any row");
        let pairs = Mat::from_fn(40, 2, |i, k| if k == 0 { 0.5 } else { data.y[i] });
        let halves = Tasks::new(Table::new(data.x.clone(), pairs).unwrap(), 3).unwrap();
        says(&learner, &halves, "row 1, column task: 0.5 is not the number of a task");
        let mut y = data.y.clone();
        y[7] = f64::INFINITY;
        let infinite = Tasks::of(x(), &data.task, &y, 3).unwrap();
        says(&learner, &infinite, "row 8, column output: inf is not a finite number");
        let none = Tasks::of(x(), &data.task, &[f64::NAN; 40], 3).unwrap();
        says(&learner, &none, "no output was observed");
        let empty = Tasks::of(Inputs::Dense(Mat::zeros(0, 3)), &[], &[], 3).unwrap();
        says(&learner, &empty, "no rows");
    }
    let rows = data.rows();
    says(&Regression { ridge: Ridge::Given(0.0), ..learner("gaussian", Solver::Rows) }, &rows, "need a ridge > 0");
    says(&Regression { ridge: Ridge::Loo, ..learner("gaussian", Solver::Rows) }, &rows, "leave-one-out needs");
}
