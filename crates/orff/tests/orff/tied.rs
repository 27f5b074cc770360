//! A metric of outputs some of which were not observed, or have standard errors of their own, or are views of a row:
//! generalised least squares with the covariance of what was observed, by elimination on dense matrices.

use super::ridge::dense::{Dense, dense_predict, phi, point, solve};
use super::ridge::{Data, gap, kernels, map_of, noise};
use super::solvers::{Whole, predict};
use faer::Mat;
use orff::feature::{Characters, FeatureMap, MapKind};
use orff::kernel::{Kernel, Matrix};
use orff::learn::{Fitted, Regression, Ridge, Solver};
use orff::linalg::cg;
use orff::model::Query;
use orff::params::Auto;
use orff::rows::{Inputs, Rows, Table, Tasks, Weights};
use orff::solve::{Entry, EntryParams, Observed, Strength, solve_entries};
use orff::watch::Silent;

/// A covariance without zeros.
fn metric(p: usize) -> Mat<f64> {
    let a = noise(9, p, p);
    &a * a.transpose() + Mat::<f64>::identity(p, p)
}

/// Rows of a dense problem: which outputs of it were observed, with which weights, in the order of its entries.
type Seen = Vec<Vec<(usize, f64)>>;

/// (θ, b) that minimise Σᵢ rᵀW^½(Σ_oo)⁻¹W^½r + μ‖θ‖² for a design (entries × unknowns), whose last columns are not penalised.
fn generalised(a: &Mat<f64>, y: &[f64], seen: &Seen, sigma: &Mat<f64>, mu: f64, free: usize) -> Vec<f64> {
    let mut s = Mat::<f64>::zeros(y.len(), y.len());
    let mut first = 0;
    for row in seen {
        let q = row.len();
        let own = Mat::from_fn(q, q, |j, k| sigma[(row[j].0, row[k].0)] / (row[j].1 * row[k].1).sqrt());
        s.submatrix_mut(first, first, q, q).copy_from(solve(&own, &Mat::identity(q, q)));
        first += q;
    }
    let mut left = a.transpose() * &s * a;
    (0..a.ncols() - free).for_each(|k| left[(k, k)] += mu);
    let y = Mat::from_fn(y.len(), 1, |i, _| y[i]);
    solve(&left, &(a.transpose() * &s * y)).col(0).iter().copied().collect()
}

fn params<'a>(ridge: f64, offset: bool, expansion: usize, metric: &'a Mat<f64>) -> EntryParams<'a> {
    let cg = cg::Params { tol: 1e-12, max_iter: 3000 };
    EntryParams { strength: Strength::Ridge(ridge), cg, offset, expansion, metric: Some(metric) }
}

#[test]
fn what_was_observed_has_its_part_of_the_metric() {
    let fresh = noise(20, 6, 3);
    let mut worst: f64 = 0.0;
    for (name, kernel, p) in kernels() {
        let (map, sigma) = (map_of(&kernel, p, MapKind::Pairs, 12), metric(p));
        for (variant, data) in Data::new(40, p).variants() {
            let dense = Dense::new(&map, &data);
            let observed = |i: usize| (0..p).map(|t| (t, data.weight(i, t))).filter(|(_, w)| *w > 0.0).collect();
            let seen: Seen = (0..data.rows()).map(observed).collect();
            let entries: Vec<f64> = (0..data.rows())
                .flat_map(|i| (0..p).map(move |t| (i, t)))
                .filter(|&(i, t)| data.weight(i, t) > 0.0)
                .map(|at| data.y[at])
                .collect();
            for offset in [false, true] {
                let what = format!("{name}, {variant}, offset {offset}");
                let (ridge, free) = (1e-3, if offset { p } else { 0 });
                let all = generalised(&dense.design(offset), &entries, &seen, &sigma, data.total() * ridge, free);
                let (theta, b) = all.split_at(map.unknowns());
                let b = if offset { b.to_vec() } else { vec![0.0; p] };
                let exact = dense_predict(&map, theta, &b, &fresh);
                let whole = Whole::of(&map, &data);
                let found = solve_entries(&map, &whole, params(ridge, offset, 1, &sigma), &mut Silent).unwrap();
                let constants: Vec<f64> = found.outputs.iter().map(|o| o.constant).collect();
                let error = gap(&predict(&map, found.table.as_ref(), &constants, &fresh), &exact);
                assert!(error < 1e-8, "{what}: off by {error:e}");
                let cost = data.total() * ridge * theta.iter().map(|v| v * v).sum::<f64>();
                let said: f64 = found.outputs.iter().zip(0..).map(|(o, t)| o.penalty / sigma[(t, t)]).sum();
                // of a kernel that does not split, Σ_tt of the mean of the sum
                if !name.contains("rank") && map.atoms().shared_factor().is_none() {
                    assert!((said / cost - 1.0).abs() < 1e-6, "{what}: nλ‖θ‖² {said} {cost}");
                }
                worst = worst.max(error);
            }
        }
    }
    println!("a metric with gaps against generalised least squares: {worst:.1e}");
}

/// Views of a row are rows of one function, and its noise is tied all the same; they share one constant.
#[test]
fn views_of_a_row_are_tied() {
    let (v, n, ridge) = (3, 30, 1e-3);
    let sigma = metric(v);
    let kernel: Kernel = "decomposable(gaussian(1.2), identity)".parse().unwrap();
    let map: FeatureMap = map_of(&kernel, 1, MapKind::Pairs, 12);
    let (x, e) = (noise(41, n * v, 3), noise(42, n * v, 1));
    let y: Vec<f64> = (0..n * v).map(|i| (x[(i, 0)] - x[(i, 2)]).sin() + 0.2 * e[(i, 0)] + 2.0).collect();
    let hole = |i: usize| i % 7 == 3;
    let weight = |i: usize| 0.5 + (i % 4) as f64;
    let mut c = Characters::new(map.characters());
    map.fill(&Inputs::Dense(x.clone()), &mut c);
    let kept: Vec<usize> = (0..n * v).filter(|&i| !hole(i)).collect();
    let entries = kept.iter().map(|&i| Entry { output: 0, row: i, value: y[i], weight: weight(i) }).collect();
    let whole = Whole(Observed::new(c.as_mat(), entries));
    let seen: Seen =
        (0..n).map(|i| (0..v).filter(|t| !hole(i * v + t)).map(|t| (t, weight(i * v + t))).collect()).collect();
    let total: f64 = kept.iter().map(|&i| weight(i)).sum::<f64>() / v as f64;
    for offset in [false, true] {
        let k = map.unknowns();
        let design = Mat::from_fn(kept.len(), k + usize::from(offset), |i, j| match j < k {
            true => phi(&map, &point(&x, kept[i]))[(j, 0)],
            false => 1.0,
        });
        let values: Vec<f64> = kept.iter().map(|&i| y[i]).collect();
        let all = generalised(&design, &values, &seen, &sigma, total * ridge, usize::from(offset));
        let constant = if offset { vec![all[k]] } else { vec![0.0] };
        let fresh = noise(43, 5, 3);
        let exact = dense_predict(&map, &all[..k], &constant, &fresh);
        let found = solve_entries(&map, &whole, params(ridge, offset, v, &sigma), &mut Silent).unwrap();
        let b = [found.outputs[0].constant];
        let error = gap(&predict(&map, found.table.as_ref(), &b, &fresh), &exact);
        assert!(error < 1e-8, "offset {offset}: {error:e}");
    }
}

fn learner(kernel: &str) -> Regression {
    let metric = Some(Matrix::new(faer::mat![[1.0, 0.6], [0.6, 2.0]], "metric").unwrap());
    let (features, ridge, tolerance) = (Auto::Fixed(60), Ridge::Given(1e-3), 1e-12);
    Regression { kernel: kernel.parse().unwrap(), metric, features, ridge, tolerance, ..Regression::default() }
}

fn at(fitted: &Fitted, x: &Mat<f64>) -> Mat<f64> {
    fitted.model.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean
}

fn field(n: usize) -> (Mat<f64>, Mat<f64>) {
    let (x, e) = (noise(51, n, 2), noise(52, n, 2));
    let y = Mat::from_fn(n, 2, |i, t| (x[(i, t)] + 0.3 * x[(i, 1 - t)]).sin() + 0.1 * e[(i, t)] + t as f64);
    (x, y)
}

const VIEWS: &str = "transformable(gaussian(1.5), [[1, 0], [0, 1]], [[0.5, 0.5], [0, 1]])";

#[test]
fn learners_take_a_metric_with_gaps() {
    let (x, y) = field(90);
    let holes = Mat::from_fn(90, 2, |i, t| if (i * 7 + t * 5) % 4 == 0 { f64::NAN } else { y[(i, t)] });
    let (whole, gaps) = (Table::new(x.clone(), y.clone()).unwrap(), Table::new(x.clone(), holes).unwrap());
    for kernel in ["decomposable(gaussian(1.2), [[2, 1], [1, 1]])", "curl-free(gaussian(1.5))"] {
        let by = |solver| Regression { solver: Auto::Fixed(solver), ..learner(kernel) };
        let [moments, rows] = [Solver::Moments, Solver::Rows].map(|s| by(s).fit(&whole, &mut Silent).unwrap());
        let apart = gap(&at(&rows, &x), &at(&moments, &x));
        assert!(apart < 1e-8, "{kernel}: {apart:e}");
        let (a, b) = (&rows.model.noise, &moments.model.noise);
        assert!(
            (a[(0, 1)] / (a[(0, 0)] * a[(1, 1)]).sqrt() / (b[(0, 1)] / (b[(0, 0)] * b[(1, 1)]).sqrt()) - 1.0).abs()
                < 1e-9
        );
    }
    for kernel in ["decomposable(gaussian(1.2), [[2, 1], [1, 1]])", "curl-free(gaussian(1.5))", VIEWS] {
        let learner = learner(kernel);
        for rows in [
            &gaps,
            &gaps.clone().weighted(Weights::Entry(Mat::from_fn(90, 2, |i, t| 1.0 + ((i + t) % 3) as f64))).unwrap(),
        ] {
            let fitted = learner.fit(rows, &mut Silent).unwrap();
            assert!(fitted.training.choices.iter().any(|line| line.starts_with("solver rows: a metric ties")));
            let none = Regression { metric: None, ..learner.clone() }.fit(rows, &mut Silent).unwrap();
            let apart = gap(&at(&fitted, &x), &at(&none, &x));
            assert!(apart > 1e-4 && apart < 0.3, "{kernel}: the metric tells {apart:e}");
        }
        // entries of a row in one order or the other
        let refused =
            |learner: Regression, rows: &dyn Rows| learner.fit(rows, &mut Silent).err().unwrap().to_string();
        let said = refused(Regression { solver: Auto::Fixed(Solver::Moments), ..learner.clone() }, &gaps);
        assert!(said.contains("use solver rows"), "{said}");
        let said = refused(Regression { ridge: Ridge::Given(0.0), ..learner.clone() }, &gaps);
        assert!(said.starts_with("a metric with missing outputs") && said.contains("need a ridge > 0"), "{said}");
    }
    let tasks: Vec<usize> = (0..90).map(|i| i % 2).collect();
    let values: Vec<f64> = (0..90).map(|i| y[(i, i % 2)]).collect();
    let long = Tasks::of(Inputs::Dense(x), &tasks, &values, 2).unwrap();
    let said = learner("decomposable(gaussian(1.2), [[2, 1], [1, 1]])").fit(&long, &mut Silent).err().unwrap();
    assert!(said.to_string().contains("long rows have one each"), "{said}");
}

/// A diagonal metric is weights of entries, of views too.
#[test]
fn a_diagonal_metric_is_weights() {
    let (x, y) = field(90);
    let table = Table::new(x.clone(), y).unwrap();
    let diagonal = Some(Matrix::new(faer::mat![[1.5, 0.0], [0.0, 0.5]], "metric").unwrap());
    let by = learner("curl-free(gaussian(1.5))");
    for kernel in ["curl-free(gaussian(1.5))", VIEWS] {
        let learner = Regression { kernel: kernel.parse().unwrap(), metric: diagonal.clone(), ..by.clone() };
        let with = learner.fit(&table, &mut Silent).unwrap();
        // as many rows: the mean of the weights of a row is what it counts
        let (a, b) = (1.0 / 1.5, 1.0 / 0.5);
        let weights = Mat::from_fn(90, 2, |_, t| if t == 0 { a } else { b });
        let same = Ridge::Given(1e-3 / ((a + b) / 2.0));
        let weighted = Regression { metric: None, ridge: same, ..learner }
            .fit(&table.clone().weighted(Weights::Entry(weights)).unwrap(), &mut Silent)
            .unwrap();
        let apart = gap(&at(&with, &x), &at(&weighted, &x));
        assert!(apart < 1e-7, "{kernel}: {apart:e}");
    }
}
