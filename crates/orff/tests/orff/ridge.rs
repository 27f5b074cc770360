//! Ridge from moments against its definition: dense matrices built from the atoms one row and one entry at a time,
//! solved by elimination.

use faer::{Mat, MatRef, mat};
use orff::feature::{Characters, FeatureMap, MapKind, Moments, reblock};
use orff::kernel::{Kernel, Matrix, Output, Seen, SumDraw, Transformable};
use orff::learn::Regression;
use orff::linalg::cg;
use orff::model::{Body, Info, Linear, Model, Posterior, Preparation, Query};
use orff::random::Stream;
use orff::rows::{Inputs, Rows, Table, Weights};
use orff::solve::{Centred, LeftOut, Solution, Spectral, System, solve_direct, solve_iterative};
use orff::spectrum::{Draw, Gaussian, Matern, Spectrum};
use orff::testing::check_solver;
use orff::watch::Silent;

fn gaussian(l: f64) -> Spectrum {
    Gaussian { lengthscale: l.into() }.into()
}

pub(super) fn noise(seed: u64, rows: usize, cols: usize) -> Mat<f64> {
    let mut stream = Stream::new(seed, 98, 0);
    Mat::from_fn(rows, cols, |_, _| stream.normal())
}

fn gram(p: usize, rank: usize, seed: u64) -> Mat<f64> {
    let a = noise(seed, p, rank);
    &a * a.transpose()
}

fn given(m: Mat<f64>) -> Output {
    Output::Given { matrix: Matrix::new(m, "gamma").unwrap() }
}

fn decomposable(output: Output) -> Kernel {
    Kernel::decomposable(gaussian(1.1), output)
}

/// Kernels of three inputs with their number of outputs.
pub(super) fn kernels() -> Vec<(&'static str, Kernel, usize)> {
    let matern: Spectrum = Matern { smoothness: 2.5, lengthscale: 1.3.into() }.into();
    vec![
        ("identity", decomposable(Output::Identity), 4),
        ("diagonal", decomposable(given(mat![[0.5, 0.0], [0.0, 2.0]])), 2),
        ("full", decomposable(given(gram(4, 4, 1))), 4),
        ("rank 2 of 4", decomposable(given(gram(4, 2, 2))), 4),
        ("curl-free", Kernel::curl_free(gaussian(1.2)), 3),
        ("div-free", Kernel::div_free(matern.clone()), 3),
        ("helmholtz", Kernel::helmholtz(gaussian(1.2), 0.3), 3),
        (
            "sum",
            Kernel::decomposable(matern.clone(), given(gram(3, 2, 3))) + 0.5 * Kernel::curl_free(gaussian(1.0)),
            3,
        ),
        ("sum of one Γ", decomposable(given(gram(3, 2, 3))) + Kernel::decomposable(matern, given(gram(3, 2, 3))), 3),
        ("M K Mᵀ", Kernel::curl_free(gaussian(1.2)).conjugated(Matrix::new(noise(4, 5, 3), "m").unwrap()), 5),
    ]
}

pub(super) fn map_of(kernel: &Kernel, p: usize, kind: MapKind, features: usize) -> FeatureMap {
    let kernel = kernel.resolve(&Seen { outputs: p, ..Seen::default() }).unwrap();
    FeatureMap::draw(&kernel, 3, features, kind, &Draw { seed: 3, ..Draw::default() }, SumDraw::default()).unwrap()
}

/// Rows of a problem.
#[derive(Clone)]
pub(super) struct Data {
    pub x: Mat<f64>,
    pub y: Mat<f64>,
    pub weights: Option<Weights>,
}

impl Data {
    /// Smooth outputs with noise and a mean far from 0.
    pub fn new(n: usize, p: usize) -> Self {
        let (x, e, mix) = (noise(10, n, 3), noise(11, n, p), noise(12, 3, p));
        let y = Mat::from_fn(n, p, |i, t| {
            let s: f64 = (0..3).map(|k| mix[(k, t)] * x[(i, k)]).sum();
            s.sin() + 0.3 * e[(i, t)] + 0.7 + 0.4 * t as f64
        });
        Data { x, y, weights: None }
    }

    pub fn rows(&self) -> usize {
        self.x.nrows()
    }

    pub fn table(&self) -> Table {
        let table = Table::new(self.x.clone(), self.y.clone()).unwrap();
        match &self.weights {
            None => table,
            Some(w) => table.weighted(w.clone()).unwrap(),
        }
    }

    pub fn weight(&self, i: usize, t: usize) -> f64 {
        match &self.weights {
            _ if self.y[(i, t)].is_nan() => 0.0,
            None => 1.0,
            Some(Weights::Row(w)) => w[i],
            Some(Weights::Entry(w)) => w[(i, t)],
        }
    }

    /// n: weight of the rows with any output; a row's entries count their mean.
    pub fn total(&self) -> f64 {
        let row = |i: usize| {
            let seen: Vec<f64> = (0..self.y.ncols()).map(|t| self.weight(i, t)).filter(|w| *w > 0.0).collect();
            if seen.is_empty() { 0.0 } else { seen.iter().sum::<f64>() / seen.len() as f64 }
        };
        (0..self.rows()).map(row).sum()
    }

    /// The same problem with weights and holes of each kind; with holes no output is observed on all rows.
    pub fn variants(&self) -> Vec<(&'static str, Data)> {
        let (n, p) = (self.rows(), self.y.ncols());
        let mut stream = Stream::new(5, 5, 5);
        let row: Vec<f64> = (0..n).map(|i| if i % 7 == 3 { 0.0 } else { 0.2 + 2.0 * stream.uniform() }).collect();
        let entry = Mat::from_fn(n, p, |i, t| if (i + t) % 9 == 4 { 0.0 } else { 0.2 + 2.0 * stream.uniform() });
        let holes = |few: bool| {
            Mat::from_fn(n, p, |i, t| {
                let hole = if few { i % (p + 1) == t } else { i == 4 || stream_bit(i, t) };
                if hole { f64::NAN } else { self.y[(i, t)] }
            })
        };
        vec![
            ("plain", self.clone()),
            ("row weights", Data { weights: Some(Weights::Row(row.clone())), ..self.clone() }),
            ("few holes", Data { y: holes(true), ..self.clone() }),
            ("many holes", Data { y: holes(false), ..self.clone() }),
            ("holes and row weights", Data { y: holes(true), weights: Some(Weights::Row(row)), ..self.clone() }),
            ("entry weights", Data { weights: Some(Weights::Entry(entry)), ..self.clone() }),
        ]
    }
}

fn stream_bit(i: usize, t: usize) -> bool {
    Stream::new(6, i as u64, t as u64).uniform() < 0.35
}

fn moments_of(map: &FeatureMap, rows: &dyn Rows) -> Moments {
    let mut moments = Moments::new(map.characters(), rows.outputs());
    let mut c = Characters::new(map.characters());
    for block in reblock(rows, 16).unwrap() {
        let block = block.unwrap();
        map.fill(&block.inputs, &mut c);
        moments.add(&c, block.outputs.as_ref(), block.weights.as_ref()).unwrap();
    }
    moments
}

/// Φ(x), K×p, from the atoms by definition.
fn phi(map: &FeatureMap, x: &[f64]) -> Mat<f64> {
    let p = map.atoms().outputs();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for (b, block) in map.atoms().blocks.iter().enumerate() {
        let mut omega = vec![0.0; x.len()];
        for j in 0..block.count() {
            block.omega.row(j, &mut omega);
            let angle: f64 = omega.iter().zip(x).map(|(w, x)| w * x).sum();
            let waves = match map.kind() {
                MapKind::Pairs => vec![angle.cos(), angle.sin()],
                MapKind::Phases => vec![2f64.sqrt() * (angle + map.phases(b)[j]).cos()],
            };
            let factor = block.factor(j);
            for wave in waves {
                for k in 0..factor.ncols() {
                    rows.push((0..p).map(|t| block.weight[j].sqrt() * wave * factor[(t, k)]).collect());
                }
            }
        }
    }
    Mat::from_fn(rows.len(), p, |k, t| rows[k][t])
}

fn point(x: &Mat<f64>, i: usize) -> Vec<f64> {
    x.row(i).iter().copied().collect()
}

/// Every observed entry as one row: φ_t(xᵢ), yᵢₜ, its weight and t.
pub(super) struct Dense {
    pub a: Mat<f64>,
    y: Vec<f64>,
    w: Vec<f64>,
    of: Vec<usize>,
    p: usize,
}

impl Dense {
    pub fn new(map: &FeatureMap, data: &Data) -> Self {
        let p = data.y.ncols();
        let (mut rows, mut y, mut w, mut of) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for i in 0..data.rows() {
            let phi = phi(map, &point(&data.x, i));
            for t in (0..p).filter(|&t| data.weight(i, t) > 0.0) {
                rows.push(phi.col(t).to_owned());
                y.push(data.y[(i, t)]);
                w.push(data.weight(i, t));
                of.push(t);
            }
        }
        Dense { a: Mat::from_fn(rows.len(), map.unknowns(), |i, k| rows[i][k]), y, w, of, p }
    }

    /// The design with a column per offset.
    pub fn design(&self, offset: bool) -> Mat<f64> {
        let k = self.a.ncols();
        Mat::from_fn(self.y.len(), k + if offset { self.p } else { 0 }, |i, j| match j {
            j if j < k => self.a[(i, j)],
            j => f64::from(u8::from(self.of[i] == j - k)),
        })
    }

    /// AᵀWA + μI (no penalty on offsets) and AᵀWy.
    fn normal(&self, mu: f64, offset: bool) -> (Mat<f64>, Mat<f64>) {
        let a = self.design(offset);
        let wa = Mat::from_fn(a.nrows(), a.ncols(), |i, j| self.w[i] * a[(i, j)]);
        let mut left = wa.transpose() * &a;
        (0..self.a.ncols()).for_each(|k| left[(k, k)] += mu);
        let y = Mat::from_fn(self.y.len(), 1, |i, _| self.y[i]);
        (left, wa.transpose() * y)
    }

    /// (θ, b) of: minimise Σw(y − φᵀθ − b)² + μ‖θ‖².
    pub fn solve(&self, mu: f64, offset: bool) -> (Vec<f64>, Vec<f64>) {
        let (left, right) = self.normal(mu, offset);
        let x = solve(&left, &right);
        let k = self.a.ncols();
        let part = |from: usize, to: usize| (from..to).map(|i| x[(i, 0)]).collect::<Vec<f64>>();
        (part(0, k), if offset { part(k, k + self.p) } else { vec![0.0; self.p] })
    }
}

/// Gaussian elimination with partial pivoting.
fn solve(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let (n, m) = (a.nrows(), b.ncols());
    let (mut a, mut b) = (a.clone(), b.clone());
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[(i, k)].abs().total_cmp(&a[(j, k)].abs())).unwrap();
        for j in 0..n {
            (a[(k, j)], a[(pivot, j)]) = (a[(pivot, j)], a[(k, j)]);
        }
        for j in 0..m {
            (b[(k, j)], b[(pivot, j)]) = (b[(pivot, j)], b[(k, j)]);
        }
        for i in k + 1..n {
            let f = a[(i, k)] / a[(k, k)];
            (k..n).for_each(|j| a[(i, j)] -= f * a[(k, j)]);
            (0..m).for_each(|j| b[(i, j)] -= f * b[(k, j)]);
        }
    }
    for k in (0..n).rev() {
        for j in 0..m {
            let sum: f64 = (k + 1..n).map(|i| a[(k, i)] * b[(i, j)]).sum();
            b[(k, j)] = (b[(k, j)] - sum) / a[(k, k)];
        }
    }
    b
}

fn log_det(a: &Mat<f64>) -> f64 {
    let l = a.llt(faer::Side::Lower).unwrap();
    (0..a.nrows()).map(|i| 2.0 * l.L()[(i, i)].ln()).sum()
}

/// f(x) = Zᵀ(c(x) − c̄) + ȳ.
fn predict(map: &FeatureMap, data: &[Centred], table: MatRef<f64>, x: &Mat<f64>) -> Mat<f64> {
    let mut c = Characters::new(map.characters());
    map.fill(&Inputs::Dense(x.clone()), &mut c);
    let c = c.as_mat();
    Mat::from_fn(x.nrows(), table.ncols(), |i, t| {
        let one = &data[t.min(data.len() - 1)];
        one.mean_y[t] + (0..c.ncols()).map(|m| table[(m, t)] * (c[(i, m)] - one.mean_c[m])).sum::<f64>()
    })
}

pub(super) fn dense_predict(map: &FeatureMap, theta: &[f64], b: &[f64], x: &Mat<f64>) -> Mat<f64> {
    let values: Vec<Mat<f64>> = (0..x.nrows()).map(|i| phi(map, &point(x, i))).collect();
    Mat::from_fn(x.nrows(), b.len(), |i, t| {
        b[t] + values[i].col(t).iter().zip(theta).map(|(f, v)| f * v).sum::<f64>()
    })
}

/// Largest difference relative to b; NaN if anything is not finite (norm_max would not tell).
pub(super) fn gap(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    if !orff::linalg::is_finite(a.as_ref()) || !orff::linalg::is_finite(b.as_ref()) {
        return f64::NAN;
    }
    (a - b).norm_max() / b.norm_max().max(1e-300)
}

fn iterative(map: &FeatureMap, data: &[Centred], ridge: f64) -> Solution {
    let params = cg::Params { tol: 1e-13, max_iter: 5000 };
    solve_iterative(map, data, ridge, params, &mut Silent).unwrap()
}

/// Eigenvalues, Cholesky and conjugate gradients all minimise (1/n)Σw(y − Φᵀθ − b)² + λ‖θ‖².
#[test]
fn ridge_from_moments_is_ridge_by_definition() {
    let fresh = noise(20, 6, 3);
    let (mut worst, mut worst_normal): (f64, f64) = (0.0, 0.0);
    for (name, kernel, p) in kernels() {
        for kind in [MapKind::Pairs, MapKind::Phases] {
            let map = map_of(&kernel, p, kind, 12);
            for (variant, data) in Data::new(40, p).variants() {
                let dense = Dense::new(&map, &data);
                let moments = moments_of(&map, &data.table());
                for offset in [false, true] {
                    let centred = Centred::all(&moments, offset);
                    let system = System::new(&map, &centred, None).unwrap();
                    let n = data.total();
                    assert!((system.rows - n).abs() < 1e-10, "{name}, {variant}: n is {}, not {n}", system.rows);
                    let spectral = Spectral::new(system.clone()).unwrap();
                    for ridge in [1e-3, 0.2] {
                        let (theta, b) = dense.solve(n * ridge, offset);
                        let exact = dense_predict(&map, &theta, &b, &fresh);
                        let solutions = [
                            spectral.solve(&map, ridge, false).unwrap(),
                            solve_direct(&map, &system, ridge, false).unwrap(),
                            iterative(&map, &centred, ridge),
                        ];
                        for solution in solutions {
                            let error = gap(&predict(&map, &centred, solution.table.as_ref(), &fresh), &exact);
                            let what = format!("{name}, {kind:?}, {variant}, offset {offset}, ridge {ridge}");
                            assert!(error < 1e-8, "{what}, {}: off by {error:e}", solution.how);
                            worst = worst.max(error);
                            let cost = n * ridge * theta.iter().map(|v| v * v).sum::<f64>();
                            let found: f64 = solution.penalty.iter().sum();
                            assert!((found / cost - 1.0).abs() < 1e-7, "{what}, {}: {found} {cost}", solution.how);
                            let offsets: Vec<f64> = (0..p)
                                .map(|t| {
                                    let one = &centred[t.min(centred.len() - 1)];
                                    let drift: f64 =
                                        (0..map.characters()).map(|m| solution.table[(m, t)] * one.mean_c[m]).sum();
                                    one.mean_y[t] - drift
                                })
                                .collect();
                            let batch = data.table().batches().unwrap().next().unwrap().unwrap();
                            let offsets = offset.then_some(offsets.as_slice());
                            let error = check_solver(&map, &batch, ridge, solution.table.as_ref(), offsets)
                                .unwrap_or_else(|e| panic!("{what}, {}: {e}", solution.how));
                            worst_normal = worst_normal.max(error);
                        }
                    }
                }
            }
        }
    }
    println!("ridge against its definition: {worst:.1e}, normal equations: {worst_normal:.1e}");
}

/// With few patterns of holes a decomposable kernel with diagonal Γ still splits into outputs, others into directions.
#[test]
fn systems_split_where_they_can() {
    let data = Data::new(30, 4);
    let plain = map_of(&decomposable(Output::Identity), 4, MapKind::Pairs, 12);
    let coupled = map_of(&decomposable(given(gram(4, 2, 2))), 4, MapKind::Pairs, 12);
    let holes = data.variants()[2].1.clone();
    let system = |map: &FeatureMap, data: &Data| {
        System::new(map, &Centred::all(&moments_of(map, &data.table()), true), None).unwrap()
    };
    let sizes = |s: System| (s.groups.len(), s.components.len(), s.groups[0].nrows());
    assert_eq!(sizes(system(&plain, &data)), (1, 4, 12));
    assert_eq!(sizes(system(&plain, &holes)), (4, 4, 12));
    assert_eq!(sizes(system(&coupled, &data)), (1, 2, 12));
    assert_eq!(sizes(system(&coupled, &holes)), (1, 1, 24));
}

/// The decomposable path: one eigendecomposition, five ridges, each a dense solve.
#[test]
fn the_whole_path_is_dense_ridge_at_each_point() {
    let fresh = noise(21, 4, 3);
    for rank in [2, 4] {
        let map = map_of(&decomposable(given(gram(4, rank, 7))), 4, MapKind::Pairs, 16);
        let data = Data::new(50, 4);
        let centred = Centred::all(&moments_of(&map, &data.table()), true);
        let spectral = Spectral::new(System::new(&map, &centred, None).unwrap()).unwrap();
        let dense = Dense::new(&map, &data);
        for ridge in [1e-5, 1e-4, 1e-2, 1.0, 30.0] {
            let (theta, b) = dense.solve(50.0 * ridge, true);
            let exact = dense_predict(&map, &theta, &b, &fresh);
            let error = gap(
                &predict(&map, &centred, spectral.solve(&map, ridge, false).unwrap().table.as_ref(), &fresh),
                &exact,
            );
            assert!(error < 1e-8, "ridge {ridge}: {error:e}");
        }
    }
}

/// T17 Th. 6.3: ridge on Φ is kernel ridge on the Gram matrix ΦᵀΦ of the atoms.
#[test]
fn ridge_on_features_is_kernel_ridge_on_their_gram() {
    let fresh = noise(22, 4, 3);
    let mut worst: f64 = 0.0;
    for (name, kernel, p) in kernels() {
        let map = map_of(&kernel, p, MapKind::Pairs, 14);
        let data = Data::new(25, p);
        let n = data.rows();
        let k =
            |x: &Mat<f64>, i: usize, z: &Mat<f64>, j: usize| map.atoms().eval(&point(x, i), &point(z, j)).unwrap();
        let block = |x: &Mat<f64>| {
            let mut all = Mat::zeros(x.nrows() * p, n * p);
            for i in 0..x.nrows() {
                for j in 0..n {
                    let k = k(x, i, &data.x, j);
                    (0..p).for_each(|s| (0..p).for_each(|t| all[(i * p + s, j * p + t)] = k[(s, t)]));
                }
            }
            all
        };
        let centred = Centred::all(&moments_of(&map, &data.table()), false);
        let spectral = Spectral::new(System::new(&map, &centred, None).unwrap()).unwrap();
        for ridge in [1e-3, 0.1] {
            let mut left = block(&data.x);
            (0..n * p).for_each(|i| left[(i, i)] += n as f64 * ridge);
            let u = solve(&left, &Mat::from_fn(n * p, 1, |i, _| data.y[(i / p, i % p)]));
            let f = block(&fresh) * u;
            let exact = Mat::from_fn(4, p, |i, t| f[(i * p + t, 0)]);
            let error = gap(
                &predict(&map, &centred, spectral.solve(&map, ridge, false).unwrap().table.as_ref(), &fresh),
                &exact,
            );
            assert!(error < 1e-8, "{name}: {error:e}");
            worst = worst.max(error);
        }
    }
    println!("features against kernel ridge: {worst:.1e}");
}

/// Degrees of freedom, residuals and GCV from the dense hat matrix, offsets included.
#[test]
fn gcv_and_freedom_are_those_of_the_hat_matrix() {
    for (name, kernel, p) in kernels() {
        let map = map_of(&kernel, p, MapKind::Pairs, 12);
        let variants = Data::new(40, p).variants();
        for (variant, data) in [&variants[0], &variants[2], &variants[3]] {
            let dense = Dense::new(&map, data);
            let moments = moments_of(&map, &data.table());
            for offset in [false, true] {
                let spectral =
                    Spectral::new(System::new(&map, &Centred::all(&moments, offset), None).unwrap()).unwrap();
                for ridge in [1e-3, 0.1] {
                    let (left, _) = dense.normal(data.total() * ridge, offset);
                    let a = dense.design(offset);
                    let hat = &a * solve(&left, &a.transpose().to_owned());
                    let n = a.nrows();
                    let y = Mat::from_fn(n, 1, |i, _| dense.y[i]);
                    let e = &y - &hat * &y;
                    let rss: f64 = (0..n).map(|i| e[(i, 0)] * e[(i, 0)]).sum();
                    let trace: f64 = (0..n).map(|i| hat[(i, i)]).sum();
                    let gcv = rss / n as f64 / (1.0 - trace / n as f64).powi(2);
                    let point = spectral.at(ridge);
                    let what = format!("{name}, {variant}, offset {offset}, ridge {ridge}");
                    let means = if offset { p as f64 } else { 0.0 };
                    assert!(
                        (point.freedom + means - trace).abs() < 1e-8 * trace,
                        "{what}: {} {trace}",
                        point.freedom
                    );
                    assert!((point.rss - rss).abs() < 1e-8 * rss, "{what}: {} {rss}", point.rss);
                    assert!((point.gcv - gcv).abs() < 1e-8 * gcv, "{what}: {} {gcv}", point.gcv);
                    let each = spectral.solve(&kernel_map(&map), ridge, false).unwrap().freedom.unwrap();
                    let sum: f64 = each.iter().sum();
                    assert!((sum - point.freedom).abs() < 1e-8 * sum, "{what}: {each:?}");
                }
            }
        }
    }
}

fn kernel_map(map: &FeatureMap) -> FeatureMap {
    map.clone()
}

/// Exact leave-one-out: n refits with the same nλ, without each row or with a part of its weight only.
#[test]
fn leave_one_out_is_n_refits() {
    let mut worst: f64 = 0.0;
    for (name, kernel, p) in
        kernels().into_iter().filter(|k| ["identity", "full", "rank 2 of 4", "sum of one Γ"].contains(&k.0))
    {
        let map = map_of(&kernel, p, MapKind::Pairs, 10);
        for (variant, data) in &Data::new(24, p).variants()[..2] {
            let n = data.rows();
            let moments = moments_of(&map, &data.table());
            for (offset, share) in [(false, 1.0), (true, 1.0), (true, 0.4)] {
                let centred = Centred::all(&moments, offset);
                let all = &centred[0];
                let spectral = Spectral::new(System::new(&map, &centred, None).unwrap()).unwrap();
                let ridges = [1e-3, 0.1];
                let mut sums = [0.0; 2];
                let mut c = Characters::new(map.characters());
                map.fill(&Inputs::Dense(data.x.clone()), &mut c);
                let errors = spectral.leave_one_out(&all.mean_c, &ridges).unwrap();
                let y = Mat::from_fn(n, p, |i, t| data.y[(i, t)] - all.mean_y[t]);
                let w: Vec<f64> = (0..n).map(|i| data.weight(i, 0)).collect();
                let left: Vec<f64> = w.iter().map(|w| share * w).collect();
                // in two blocks, as a pass does it
                for (from, len) in [(0, 10), (10, n - 10)] {
                    let (c, y) = (c.as_mat().subrows(from, len), y.subrows(from, len));
                    let rows = LeftOut { weight: &w[from..from + len], left: &left[from..from + len], offset };
                    errors.add(c, y, rows, &mut sums);
                }
                for (ridge, sum) in ridges.iter().zip(sums) {
                    let refits: f64 = (0..n)
                        .filter(|&i| w[i] > 0.0)
                        .map(|i| {
                            let rest = (0..n).map(|j| if j == i { w[j] - left[j] } else { w[j] }).collect();
                            let rest = Data { weights: Some(Weights::Row(rest)), ..data.clone() };
                            let (theta, b) = Dense::new(&map, &rest).solve(data.total() * ridge, offset);
                            let f = dense_predict(&map, &theta, &b, &data.x.subrows(i, 1).to_owned());
                            w[i] * (0..p).map(|t| (data.y[(i, t)] - f[(0, t)]).powi(2)).sum::<f64>()
                        })
                        .sum();
                    let error = (sum - refits).abs() / refits;
                    assert!(error < 1e-8, "{name}, {variant}, offset {offset}: {sum} for {refits}");
                    worst = worst.max(error);
                }
            }
        }
    }
    println!("leave-one-out against refits: {worst:.1e}");
}

/// Without offset the evidence is the log density of y ~ N(0, σ²(I + ΦᵀΦ/nλ)) at its best σ²; with offset it is that
/// of the contrasts, up to a constant.
#[test]
fn evidence_is_a_gaussian_log_density() {
    let mut worst: f64 = 0.0;
    for (name, kernel, p) in kernels() {
        let map = map_of(&kernel, p, MapKind::Pairs, 12);
        let variants = Data::new(30, p).variants();
        for (variant, data) in [&variants[0], &variants[2]] {
            let dense = Dense::new(&map, data);
            let count = dense.y.len();
            let y = Mat::from_fn(count, 1, |i, _| dense.y[i]);
            let moments = moments_of(&map, &data.table());
            for offset in [false, true] {
                let spectral =
                    Spectral::new(System::new(&map, &Centred::all(&moments, offset), None).unwrap()).unwrap();
                let gaps: Vec<f64> = [1e-3, 0.03, 1.0]
                    .iter()
                    .map(|&ridge| {
                        let mut v = faer::Scale(1.0 / (data.total() * ridge)) * (&dense.a * dense.a.transpose());
                        (0..count).for_each(|i| v[(i, i)] += 1.0);
                        let point = spectral.at(ridge);
                        let vy = solve(&v, &y);
                        let mut quadratic = (y.transpose() * &vy)[(0, 0)];
                        let mut log = log_det(&v);
                        let mut free = count as f64;
                        if offset {
                            let x = Mat::from_fn(count, p, |i, t| f64::from(u8::from(dense.of[i] == t)));
                            let xvx = x.transpose() * solve(&v, &x);
                            let xvy = x.transpose() * &vy;
                            quadratic -= (xvy.transpose() * solve(&xvx, &xvy))[(0, 0)];
                            log += log_det(&xvx);
                            free -= p as f64;
                        }
                        assert!((point.noise - quadratic / free).abs() < 1e-8 * point.noise, "{name}, {variant}");
                        let s = point.noise;
                        let density = -0.5 * (free * (std::f64::consts::TAU * s).ln() + log + quadratic / s);
                        point.evidence - density
                    })
                    .collect();
                let zero = if offset { gaps[0] } else { 0.0 };
                for gap in gaps {
                    assert!((gap - zero).abs() < 1e-7, "{name}, {variant}, offset {offset}: {}", gap - zero);
                    worst = worst.max((gap - zero).abs());
                }
            }
        }
    }
    println!("evidence against the dense density: {worst:.1e}");
}

/// λ = 0 takes the least-norm interpolant (fewer entries than unknowns) or least squares (more).
#[test]
fn ridge_zero_has_least_norm() {
    let fresh = noise(23, 4, 3);
    for (name, kernel, p) in [
        ("full", Kernel::decomposable(gaussian(0.6), given(gram(2, 2, 1))), 2),
        ("curl-free", Kernel::curl_free(gaussian(0.6)), 3),
    ] {
        for (n, features) in [(5, 40), (40, 10)] {
            let map = map_of(&kernel, p, MapKind::Pairs, features);
            let data = Data::new(n, p);
            let dense = Dense::new(&map, &data);
            for offset in [false, true] {
                let centred = Centred::all(&moments_of(&map, &data.table()), offset);
                let spectral = Spectral::new(System::new(&map, &centred, None).unwrap()).unwrap();
                // centre by hand, then the limit of small ridges through the small one of the two Gram matrices
                let mean = |t: usize, v: &dyn Fn(usize) -> f64| {
                    if offset { (0..n).map(|i| v(i * p + t)).sum::<f64>() / n as f64 } else { 0.0 }
                };
                let y = Mat::from_fn(n * p, 1, |i, _| dense.y[i] - mean(i % p, &|j| dense.y[j]));
                let bars = Mat::from_fn(p, dense.a.ncols(), |t, k| mean(t, &|j| dense.a[(j, k)]));
                let a = Mat::from_fn(n * p, dense.a.ncols(), |i, k| dense.a[(i, k)] - bars[(i % p, k)]);
                let theta = if n * p > a.ncols() {
                    solve(&(a.transpose() * &a), &(a.transpose() * &y))
                } else {
                    // AAᵀ has one null direction per offset, along which y has no part: a shift leaves the rest alone
                    let mut small = &a * a.transpose();
                    if offset {
                        for t in 0..p {
                            (0..n).for_each(|i| (0..n).for_each(|j| small[(i * p + t, j * p + t)] += 1.0));
                        }
                    }
                    a.transpose() * solve(&small, &y)
                };
                let theta: Vec<f64> = (0..theta.nrows()).map(|k| theta[(k, 0)]).collect();
                let b: Vec<f64> = (0..p)
                    .map(|t| {
                        mean(t, &|j| dense.y[j]) - (0..theta.len()).map(|k| bars[(t, k)] * theta[k]).sum::<f64>()
                    })
                    .collect();
                let exact = dense_predict(&map, &theta, &b, &fresh);
                let error = gap(
                    &predict(&map, &centred, spectral.solve(&map, 0.0, false).unwrap().table.as_ref(), &fresh),
                    &exact,
                );
                assert!(error < 1e-7, "{name}, {n} rows, offset {offset}: {error:e}");
            }
        }
    }
}

/// σ⁻² times the posterior covariance is Φ(x)ᵀ(ΣwΦΦᵀ + nλI)⁻¹Φ(x), with a flat prior on the offsets if they are learned.
#[test]
fn posterior_covariance_is_the_dense_one() {
    let fresh = noise(24, 5, 3);
    let mut worst: f64 = 0.0;
    for (name, kernel, p) in kernels() {
        // more rows than unknowns, and fewer
        for (kind, features, rows) in [(MapKind::Pairs, 12, 40), (MapKind::Phases, 12, 40), (MapKind::Pairs, 64, 9)] {
            let map = map_of(&kernel, p, kind, features);
            for (variant, data) in Data::new(rows, p).variants() {
                let dense = Dense::new(&map, &data);
                let moments = moments_of(&map, &data.table());
                for offset in [false, true] {
                    let centred = Centred::all(&moments, offset);
                    let system = System::new(&map, &centred, None).unwrap();
                    let ridge = 0.01;
                    let (left, _) = dense.normal(data.total() * ridge, offset);
                    let spectral = Spectral::new(system.clone()).unwrap();
                    for solution in [
                        spectral.solve(&map, ridge, true).unwrap(),
                        solve_direct(&map, &system, ridge, true).unwrap(),
                    ] {
                        let mean = Mat::from_fn(map.characters(), centred.len(), |m, t| centred[t].mean_c[m]);
                        let weight = centred.iter().map(|c| c.weight).collect();
                        let posterior = Posterior::new(solution.posterior.unwrap(), mean, weight, offset);
                        let mut c = Characters::new(map.characters());
                        map.fill(&Inputs::Dense(fresh.clone()), &mut c);
                        for (i, cov) in posterior.covariance(&map, c.as_mat()).iter().enumerate() {
                            let phi = phi(&map, &point(&fresh, i));
                            let k = phi.nrows();
                            let full = Mat::from_fn(left.nrows(), p, |j, t| match j {
                                j if j < k => phi[(j, t)],
                                j => f64::from(u8::from(j - k == t)),
                            });
                            let exact = full.transpose() * solve(&left, &full);
                            let error = gap(cov, &exact);
                            let what = format!("{name}, {kind:?}, {variant}, offset {offset}, {}", solution.how);
                            assert!(error < 1e-8, "{what}: {error:e}\n{cov:?}\n{exact:?}");
                            worst = worst.max(error);
                        }
                    }
                }
            }
        }
    }
    println!("posterior covariance against dense: {worst:.1e}");
}

/// The metric ⟨y, Σ⁻¹y′⟩: the argument, outputs whitened by hand and the dense definition agree.
#[test]
fn a_metric_is_whitening() {
    let fresh = noise(25, 4, 3);
    let metric = gram(3, 3, 9) + Mat::<f64>::identity(3, 3);
    let l = metric.llt(faer::Side::Lower).unwrap().L().to_owned();
    let inverse = solve(&l, &Mat::identity(3, 3));
    let data = Data::new(40, 3);
    for (name, kernel) in [
        ("full", decomposable(given(gram(3, 3, 1)))),
        ("rank 2", decomposable(given(gram(3, 2, 1)))),
        ("curl-free", Kernel::curl_free(gaussian(1.2))),
    ] {
        let map = map_of(&kernel, 3, MapKind::Pairs, 12);
        let white =
            map_of(&kernel.clone().conjugated(Matrix::new(inverse.clone(), "m").unwrap()), 3, MapKind::Pairs, 12);
        let turned = Data { y: &data.y * inverse.transpose(), ..data.clone() };
        for offset in [false, true] {
            let centred = Centred::all(&moments_of(&map, &data.table()), offset);
            let by_hand = Centred::all(&moments_of(&white, &turned.table()), offset);
            let system = System::new(&map, &centred, Some(&metric)).unwrap();
            let spectral = Spectral::new(system.clone()).unwrap();
            let reference = Spectral::new(System::new(&white, &by_hand, None).unwrap()).unwrap();
            for ridge in [1e-3, 0.1] {
                let table = spectral.solve(&map, ridge, false).unwrap().table;
                let direct = solve_direct(&map, &system, ridge, false).unwrap().table;
                assert!(gap(&table, &direct) < 1e-8);
                let f = predict(&map, &centred, table.as_ref(), &fresh);
                let white_f =
                    predict(&white, &by_hand, reference.solve(&white, ridge, false).unwrap().table.as_ref(), &fresh);
                let error = gap(&f, &(&white_f * l.transpose()));
                assert!(error < 1e-8, "{name}: whitening by hand is off by {error:e}");
                // dense: Σ (y − f)ᵀΣ⁻¹(y − f) is the plain problem of rows L⁻¹Φᵀ
                let (theta, b) = Dense::new(&white, &turned).solve(40.0 * ridge, offset);
                let exact = dense_predict(&white, &theta, &b, &fresh) * l.transpose();
                let error = gap(&f, &exact);
                assert!(error < 1e-8, "{name}: {error:e}");
                let (a, b) = (spectral.at(ridge), reference.at(ridge));
                assert!((a.evidence - b.evidence).abs() < 1e-7 && (a.gcv - b.gcv).abs() < 1e-9 * a.gcv);
                if name != "curl-free" {
                    // residuals of output t have Σ_tt of the noise, less what the hat matrix of white rows takes: LH_iiLᵀ
                    let dense = Dense::new(&white, &turned);
                    let (left, _) = dense.normal(40.0 * ridge, offset);
                    let hat = dense.design(offset) * solve(&left, &dense.design(offset).transpose().to_owned());
                    let freedom = spectral.solve(&map, ridge, false).unwrap().freedom.unwrap();
                    for t in 0..3 {
                        let taken = |i: usize| -> f64 {
                            let entry = |(u, v): (usize, usize)| l[(t, u)] * hat[(3 * i + u, 3 * i + v)] * l[(t, v)];
                            (0..9).map(|uv| entry((uv / 3, uv % 3))).sum()
                        };
                        let means = if offset { 1.0 } else { 0.0 };
                        let exact = (0..40).map(taken).sum::<f64>() / metric[(t, t)] - means;
                        assert!(
                            (freedom[t] / exact - 1.0).abs() < 1e-8,
                            "{name}, output {t}: {} {exact}",
                            freedom[t]
                        );
                    }
                }
            }
        }
    }
    let map = map_of(&Kernel::curl_free(gaussian(1.2)), 3, MapKind::Pairs, 12);
    let centred = Centred::all(&moments_of(&map, &data.table()), true);
    for bad in [mat![[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]], Mat::identity(2, 2)] {
        assert!(System::new(&map, &centred, Some(&bad)).unwrap_err().to_string().starts_with("metric: expected"));
    }
    let holes = Data::new(40, 3).variants()[2].1.clone();
    let centred = Centred::all(&moments_of(&map, &holes.table()), true);
    assert!(System::new(&map, &centred, Some(&metric)).unwrap_err().to_string().contains("whiten complete outputs"));
}

/// With a metric Σ the noise is N(0, σ²Σ): a model's covariance is σ² times the dense one, offsets included, and
/// survives its file.
#[test]
fn a_metric_is_the_covariance_of_the_noise() {
    let fresh = noise(26, 4, 3);
    let metric = gram(3, 3, 9) + Mat::<f64>::identity(3, 3);
    let precision = solve(&metric, &Mat::identity(3, 3));
    let (data, ridge, sigma2) = (Data::new(40, 3), 0.01, 0.37);
    for kernel in [decomposable(given(gram(3, 2, 1))), Kernel::curl_free(gaussian(1.2))] {
        let map = map_of(&kernel, 3, MapKind::Pairs, 12);
        let k = map.unknowns();
        for offset in [false, true] {
            let centred = Centred::all(&moments_of(&map, &data.table()), offset);
            let system = System::new(&map, &centred, Some(&metric)).unwrap();
            let solution = solve_direct(&map, &system, ridge, true).unwrap();
            let mean = Mat::from_fn(map.characters(), 1, |m, _| centred[0].mean_c[m]);
            let posterior = Posterior::new(solution.posterior.unwrap(), mean, vec![centred[0].weight], offset);
            let linear = Linear {
                preparation: Preparation::plain(3),
                map: map.clone(),
                table: solution.table,
                offset: vec![0.0; 3],
                noise: faer::Scale(sigma2) * &metric,
                output_scale: vec![1.0; 3],
                posterior: Some(posterior.with_metric(Some(&metric))).into(),
                warp: None,
            };
            let model =
                Model { body: Body::Linear(Box::new(linear)), projection: None, info: Info::default(), series: None };
            let back = Model::from_bytes(model.to_bytes().unwrap()).unwrap();
            let query = Query { cov: true, noise: false, ..Query::default() };
            let inputs = Inputs::Dense(fresh.clone());
            let covs = model.predict(&inputs, query).unwrap().cov.unwrap();
            assert_eq!(covs, back.predict(&inputs, query).unwrap().cov.unwrap());
            let size = k + if offset { 3 } else { 0 };
            // rows of [Φ; I]: p columns each
            let full = |x: Vec<f64>| {
                let phi = phi(&map, &x);
                Mat::from_fn(size, 3, |j, t| if j < k { phi[(j, t)] } else { f64::from(u8::from(j - k == t)) })
            };
            let mut left = Mat::<f64>::zeros(size, size);
            (0..k).for_each(|j| left[(j, j)] = 40.0 * ridge);
            for i in 0..40 {
                let f = full(point(&data.x, i));
                left += &f * &precision * f.transpose();
            }
            for (i, cov) in covs.iter().enumerate() {
                let f = full(point(&fresh, i));
                let exact = faer::Scale(sigma2) * (f.transpose() * solve(&left, &f));
                assert!(gap(cov, &exact) < 1e-8, "offset {offset}: {cov:?} {exact:?}");
            }
        }
    }
}

/// A field has as many outputs as inputs; other data are refused in words, never by a panic.
#[test]
fn other_numbers_of_outputs_are_refused() {
    let map = map_of(&Kernel::curl_free(gaussian(1.2)), 3, MapKind::Pairs, 12);
    for p in [2, 4] {
        for (variant, data) in Data::new(20, p).variants() {
            let centred = Centred::all(&moments_of(&map, &data.table()), true);
            let sentence = format!(
                "outputs: expected 3, as many as the kernel has (a field has as many as there are inputs), got {p}"
            );
            assert_eq!(System::new(&map, &centred, None).unwrap_err().to_string(), sentence, "{variant}");
            let error = solve_iterative(&map, &centred, 0.1, cg::Params::default(), &mut Silent).unwrap_err();
            assert_eq!(error.to_string(), sentence);
            let learner = Regression { kernel: Kernel::curl_free(gaussian(1.2)), ..Regression::default() };
            let error = learner.fit(&data.table(), &mut Silent).err().unwrap();
            assert_eq!(error.to_string(), sentence, "{variant}");
        }
    }
    let views = vec![Matrix::new(mat![[1.0, 0.5]], "view").unwrap(); 3];
    let kernel = Transformable { spectrum: gaussian(1.0), views }.into();
    let learner = Regression { kernel, ..Regression::default() };
    let error = learner.fit(&Data::new(20, 3).table(), &mut Silent).err().unwrap();
    assert_eq!(error.to_string(), "view 1: expected 3 columns, one per input, got 2");
}

/// Leave-one-out speaks of Euclidean residuals along orthonormal directions: not with a metric, not for fields.
#[test]
fn leave_one_out_is_refused_where_it_is_not_exact() {
    let data = Data::new(30, 3);
    let refused = |kernel: Kernel, data: &Data, metric: Option<&Mat<f64>>| {
        let map = map_of(&kernel, 3, MapKind::Pairs, 12);
        let spectral =
            Spectral::new(System::new(&map, &Centred::all(&moments_of(&map, &data.table()), false), metric).unwrap());
        spectral.unwrap().leave_one_out(&[0.0; 12], &[0.1]).err().unwrap().to_string()
    };
    let metric = gram(3, 3, 9) + Mat::<f64>::identity(3, 3);
    assert!(refused(Kernel::curl_free(gaussian(1.0)), &data, None).contains("use gcv"));
    assert!(refused(decomposable(Output::Identity), &data.variants()[2].1, None).contains("use gcv"));
    assert!(refused(decomposable(Output::Identity), &data, Some(&metric)).contains("use gcv"));
}

/// Div-free in 20 dimensions: 1140 unknowns, by conjugate gradients and by Cholesky.
#[test]
fn div_free_in_twenty_dimensions_by_conjugate_gradients_is_cholesky() {
    let (d, n) = (20, 80);
    let kernel = Kernel::div_free(gaussian(5.0));
    let map = FeatureMap::draw(&kernel, d, 60, MapKind::Pairs, &Draw::default(), SumDraw::default()).unwrap();
    assert_eq!(map.unknowns(), 60 * 19);
    let table = Table::new(noise(30, n, d), noise(31, n, d)).unwrap();
    let centred = Centred::all(&moments_of(&map, &table), true);
    let direct = solve_direct(&map, &System::new(&map, &centred, None).unwrap(), 0.01, false).unwrap();
    let error = gap(&iterative(&map, &centred, 0.01).table, &direct.table);
    assert!(error < 1e-8, "{error:e}");
    println!("div-free, d = 20: conjugate gradients against Cholesky {error:.1e}");
}

/// The closed forms have the same bits whatever the number of threads.
#[test]
fn solutions_have_the_same_bits_for_any_threads() {
    for (name, kernel, p) in kernels().into_iter().filter(|k| ["full", "curl-free", "div-free"].contains(&k.0)) {
        let map = map_of(&kernel, p, MapKind::Pairs, if name == "div-free" { 180 } else { 300 });
        let data = Data::new(60, p);
        let fit = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let centred = Centred::all(&moments_of(&map, &data.table()), true);
                let system = System::new(&map, &centred, None).unwrap();
                let spectral = Spectral::new(system.clone()).unwrap();
                let solution = solve_direct(&map, &system, 0.01, true).unwrap();
                let cg = iterative(&map, &centred, 0.01).table;
                let root = solution.posterior.unwrap()[0].root.clone();
                (
                    system.groups,
                    spectral.solve(&map, 0.01, false).unwrap().table,
                    solution.table,
                    cg,
                    root,
                    spectral.at(0.01),
                )
            })
        };
        let one = fit(1);
        for threads in [2, 4] {
            assert!(fit(threads) == one, "{name} with {threads} threads");
        }
    }
}

/// Multiplying every weight by a constant changes no fit: λ belongs to the mean loss.
#[test]
fn weights_count_relative_to_each_other() {
    for (name, kernel, p) in kernels() {
        let map = map_of(&kernel, p, MapKind::Pairs, 12);
        for index in [1, 4, 5] {
            let data = Data::new(40, p).variants()[index].1.clone();
            let scaled = match data.weights.clone().unwrap() {
                Weights::Row(w) => Weights::Row(w.iter().map(|w| 5.0 * w).collect()),
                Weights::Entry(w) => Weights::Entry(faer::Scale(5.0) * w),
            };
            let fit = |data: &Data| {
                let centred = Centred::all(&moments_of(&map, &data.table()), true);
                Spectral::new(System::new(&map, &centred, None).unwrap()).unwrap().solve(&map, 0.01, false).unwrap()
            };
            let (a, b) = (fit(&data), fit(&Data { weights: Some(scaled), ..data.clone() }));
            assert!(gap(&a.table, &b.table) < 1e-9, "{name}");
        }
    }
}

/// A weight of zero is a missing entry, and equal weights in a row are a weight of the row.
#[test]
fn entry_weights_generalise_holes_and_row_weights() {
    let (n, p) = (40, 3);
    for (name, kernel, p) in kernels().into_iter().filter(|k| k.2 == p) {
        let map = map_of(&kernel, p, MapKind::Pairs, 12);
        let data = Data::new(n, p);
        let fit = |data: &Data| {
            let centred = Centred::all(&moments_of(&map, &data.table()), true);
            Spectral::new(System::new(&map, &centred, None).unwrap()).unwrap().solve(&map, 0.01, false).unwrap().table
        };
        let holes = data.variants()[2].1.clone();
        let zeros = Mat::from_fn(n, p, |i, t| if holes.y[(i, t)].is_nan() { 0.0 } else { 1.0 });
        let as_weights = Data { weights: Some(Weights::Entry(zeros)), ..data.clone() };
        assert!(gap(&fit(&as_weights), &fit(&holes)) < 1e-9, "{name}");
        let rows = data.variants()[1].1.clone();
        let Some(Weights::Row(w)) = rows.weights.clone() else { panic!() };
        let entries = Data { weights: Some(Weights::Entry(Mat::from_fn(n, p, |i, _| w[i]))), ..data };
        assert!(gap(&fit(&entries), &fit(&rows)) < 1e-9, "{name}");
    }
}

/// Eigenvalues and Cholesky agree on smooth problems with many more unknowns than data tell of, off the data too.
#[test]
fn eigenvalues_are_cholesky_on_smooth_problems() {
    let spread = |seed: u64, n: usize, size: f64| {
        let u = noise(seed, n, 3);
        // the third coordinate hardly varies: a smooth problem in the plane
        Mat::from_fn(n, 3, |i, k| if k < 2 { size } else { 0.01 } * u[(i, k)])
    };
    let mut worst: f64 = 0.0;
    for (rows, features) in [(60, 1000), (300, 400), (900, 500)] {
        for lengthscale in [1.0, 2.0] {
            let x = spread(5, rows, 2.0);
            let y = Mat::from_fn(rows, 2, |i, t| (x[(i, 0)] - t as f64 * x[(i, 1)]).sin() + 0.05 * x[(i, 1)].cos());
            let kernel: Kernel = format!("gaussian({lengthscale})").parse().unwrap();
            let kernel = kernel.resolve(&Seen { outputs: 2, ..Seen::default() }).unwrap();
            let map = map_of(&kernel, 2, MapKind::Pairs, features);
            let moments = moments_of(&map, &Table::new(x, y).unwrap());
            let centred = Centred::all(&moments, true);
            let system = System::new(&map, &centred, None).unwrap();
            let spectral = Spectral::new(system.clone()).unwrap();
            let fresh = spread(6, 50, 3.0);
            for (ridge, tolerance) in [(1e-2, 1e-8), (1e-4, 1e-8), (1e-6, 1e-8), (1e-8, 1e-6)] {
                let by = |s: Solution| predict(&map, &centred, s.table.as_ref(), &fresh);
                let error = gap(
                    &by(spectral.solve(&map, ridge, false).unwrap()),
                    &by(solve_direct(&map, &system, ridge, false).unwrap()),
                );
                println!("{rows} rows, {features} features, lengthscale {lengthscale}, ridge {ridge:e}: {error:.1e}");
                assert!(error < tolerance, "{rows} rows, {features} features, {lengthscale}, {ridge:e}: {error:e}");
                worst = worst.max(error);
            }
        }
    }
    assert!(worst > 0.0);
}

/// Where observations tell nothing but rounding, at ridges lost to rounding too, the error bar is that of the prior: it
/// never is zero; and directions without part in the fit have none in the evidence.
#[test]
fn directions_lost_to_rounding_keep_their_prior() {
    for (rows, features) in [(60, 400), (400, 300)] {
        let u = noise(5, rows, 3);
        let x = Mat::from_fn(rows, 3, |i, k| if k < 2 { u[(i, k)] } else { 0.0 });
        let y = Mat::from_fn(rows, 1, |i, _| x[(i, 0)].sin());
        let kernel: Kernel = "gaussian(3)".parse().unwrap();
        let map = map_of(&kernel, 1, MapKind::Pairs, features);
        let centred = Centred::all(&moments_of(&map, &Table::new(x, y).unwrap()), true);
        let spectral = Spectral::new(System::new(&map, &centred, None).unwrap()).unwrap();
        let ridge = 1e-17;
        let prior = 1.0 / (rows as f64 * ridge);
        let spread = &spectral.solve(&map, ridge, true).unwrap().posterior.unwrap()[0];
        assert_eq!(spread.scale.len(), features);
        assert!(spread.scale.iter().all(|s| *s > 0.0 && *s <= prior * 1.000_001));
        let unseen = spread.scale.iter().filter(|s| **s > 0.5 * prior).count();
        assert!(unseen > features / 8, "{unseen} of {features} directions keep their prior");
        // halving a ridge that is lost adds ½ log 2 for each direction that is not
        let (a, b) = (spectral.at(ridge), spectral.at(ridge / 2.0));
        let kept = a.freedom.round();
        let moved = (a.freedom - b.freedom).abs();
        assert!(moved < 1e-2 && kept < features as f64 / 2.0, "freedom {} moves by {moved:e}", a.freedom);
        let gap = a.evidence - b.evidence - 0.5 * kept * 2f64.ln();
        assert!(gap.abs() < 0.1 * kept, "{gap} with {kept} directions");
    }
}
