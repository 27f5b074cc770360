//! Kernels warped by a graph and semi-supervised least squares, against dense formulas (I17 eq. 5, M16 eq. 72).

use faer::Mat;
use faer::prelude::Solve;
use orff::generate::two_moons;
use orff::graph::{Neighbours, Points, Search};
use orff::kernel::{Atoms, Kernel, Seen};
use orff::learn::{ExactLaplacian, LaplacianFeatures, LaplacianRidge, Offset, Regression, Ridge, SemiSupervised};
use orff::model::{Body, Info, Linear, Model, Query};
use orff::params::Auto;
use orff::random::Stream;
use orff::rows::{Csr, Inputs, Table, Weights};
use orff::watch::Silent;

fn normal(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut s = Stream::new(seed, 0, 0);
    Mat::from_fn(n, d, |_, _| s.normal())
}

/// L of q neighbours by its definition.
fn laplacian(x: &Mat<f64>, q: usize, sigma: f64) -> Mat<f64> {
    let n = x.nrows();
    let square = |i: usize, j: usize| (0..x.ncols()).map(|k| (x[(i, k)] - x[(j, k)]).powi(2)).sum::<f64>();
    let near: Vec<Vec<usize>> = (0..n)
        .map(|i| {
            let mut others: Vec<usize> = (0..n).filter(|&j| j != i).collect();
            others.sort_by(|&a, &b| square(i, a).total_cmp(&square(i, b)));
            others.truncate(q);
            others
        })
        .collect();
    let w = Mat::from_fn(n, n, |i, j| {
        let joined = near[i].contains(&j) || near[j].contains(&i);
        if joined { (-square(i, j) / (2.0 * sigma * sigma)).exp() } else { 0.0 }
    });
    let degree: Vec<f64> = (0..n).map(|i| (0..n).map(|j| w[(i, j)]).sum()).collect();
    Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - w[(i, j)] / (degree[i] * degree[j]).sqrt())
}

fn solved(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    a.partial_piv_lu().solve(b)
}

fn features(model: &Linear, x: &Mat<f64>) -> Mat<f64> {
    let width = model.width();
    let mut z = vec![0.0; x.nrows() * width];
    model.features(&Inputs::Dense(x.clone()), &mut z).unwrap();
    Mat::from_fn(x.nrows(), width, |i, k| z[i * width + k])
}

/// Φ(I+U)⁻¹Φᵀ = K̂ − K̂(I+MK̂)⁻¹MK̂, at rows of the graph and at others, for powers and maps.
#[test]
fn warped_features_are_the_warped_kernel() {
    let (x, fresh) = (normal(80, 3, 1), normal(20, 3, 2));
    let rows = Table::new(x.clone(), Mat::zeros(80, 0)).unwrap();
    for (power, strength, features_count) in [(1, 0.7, 60), (2, 30.0, 61), (3, 2.5, 60)] {
        let learner = LaplacianFeatures {
            kernel: "matern(2.5, 1.4)".parse().unwrap(),
            features: Auto::Fixed(features_count),
            neighbours: 6,
            bandwidth: Auto::Fixed(0.8),
            power,
            strength: Auto::Fixed(strength),
            ..LaplacianFeatures::default()
        };
        let (model, _) = learner.fit(&rows, &mut Silent).unwrap();
        let plain = Linear { warp: None, ..model.clone() };
        let seen = model.preparation.prepare(&Inputs::Dense(x.clone()), 1).unwrap().to_dense();
        let l = laplacian(&seen, 6, 0.8);
        let mut m = faer::Scale(strength) * Mat::<f64>::identity(80, 80);
        (0..power).for_each(|_| m = &l * &m);
        let (phi, at) = (features(&plain, &x), features(&plain, &fresh));
        let k = &phi * phi.transpose();
        let inner = Mat::<f64>::identity(80, 80) + &m * &k;
        let warped = |a: &Mat<f64>, b: &Mat<f64>| {
            let right = &m * (&phi * b.transpose());
            a * b.transpose() - (a * phi.transpose()) * solved(&inner, &right)
        };
        for (a, b) in [(&x, &x), (&x, &fresh), (&fresh, &fresh)] {
            let (za, zb) = (features(&model, a), features(&model, b));
            let of = |rows: &Mat<f64>| if rows == &x { phi.clone() } else { at.clone() };
            let error = (&za * zb.transpose() - warped(&of(a), &of(b))).norm_max();
            assert!(error < 1e-10, "power {power}: {error}");
        }
        // through a file
        let body = Body::Linear(Box::new(model.clone()));
        let bytes = Model { body, projection: None, info: Info::default(), series: None }.to_bytes().unwrap();
        let back = Model::from_bytes(bytes).unwrap();
        assert_eq!(features(back.linear().unwrap(), &fresh), features(&model, &fresh));
        // the best directions come first and the rest is small
        let few = LaplacianFeatures { rank: Auto::Fixed(25), ..learner.clone() };
        let (low, training) = few.fit(&rows, &mut Silent).unwrap();
        assert_eq!(low.width(), 25);
        let all = features(&model, &x);
        let truth = &all * all.transpose();
        let kept = features(&low, &x);
        let values = truth.self_adjoint_eigenvalues(faer::Side::Lower).unwrap();
        let best: f64 = values.iter().rev().skip(25).map(|v| v * v).sum();
        let error = (&kept * kept.transpose() - &truth).squared_norm_l2();
        assert!((error - best).abs() < 1e-8 * truth.squared_norm_l2(), "{error} {best}");
        assert!(training.choices.iter().any(|c| c.starts_with("rank 25 of ")));
    }
}

/// Rows of a smooth function with holes: most rows have no output, some only a part.
struct Holes {
    x: Mat<f64>,
    y: Mat<f64>,
    fresh: Mat<f64>,
}

fn holes(n: usize, d: usize, p: usize, partly: bool) -> Holes {
    let mut s = Stream::new(9, 1, 0);
    let x = Mat::from_fn(n, d, |_, _| s.normal());
    let y = Mat::from_fn(n, p, |i, t| {
        let hole = i % 3 != 0 || (partly && (i + t) % 4 == 0);
        if hole { f64::NAN } else { (x[(i, 0)] + t as f64).sin() + 0.1 * s.normal() }
    });
    Holes { x, y, fresh: normal(15, d, 77) }
}

/// The solution of M16 eq. 72 without offset, entry by entry: (JK + lγ_I MK + lγ_A)a = y; its values at other points.
/// `k` and `cross` have p×p blocks.
fn dense(k: &Mat<f64>, m: &Mat<f64>, y: &[f64], l: f64, gamma: (f64, f64), cross: &Mat<f64>) -> Mat<f64> {
    let n = y.len();
    let j = Mat::from_fn(n, n, |a, b| if a == b && y[a].is_finite() { 1.0 } else { 0.0 });
    let right = Mat::from_fn(n, 1, |a, _| if y[a].is_finite() { y[a] } else { 0.0 });
    let left = &j * k + faer::Scale(l * gamma.1) * (m * k) + faer::Scale(l * gamma.0) * Mat::<f64>::identity(n, n);
    cross * solved(&left, &right)
}

/// K(xᵢ, zⱼ) (n·p×m·p) of atoms.
fn gram(atoms: &Atoms, x: &Mat<f64>, z: &Mat<f64>) -> Mat<f64> {
    let p = atoms.outputs();
    let row = |m: &Mat<f64>, i: usize| m.row(i).iter().copied().collect::<Vec<f64>>();
    let mut out = Mat::zeros(x.nrows() * p, z.nrows() * p);
    for i in 0..x.nrows() {
        for j in 0..z.nrows() {
            let block = atoms.eval(&row(x, i), &row(z, j)).unwrap();
            out.submatrix_mut(i * p, j * p, p, p).copy_from(&block);
        }
    }
    out
}

/// L ⊗ I_p.
fn tensor(l: &Mat<f64>, p: usize) -> Mat<f64> {
    Mat::from_fn(l.nrows() * p, l.ncols() * p, |a, b| if a % p == b % p { l[(a / p, b / p)] } else { 0.0 })
}

fn flat(y: &Mat<f64>) -> Vec<f64> {
    (0..y.nrows()).flat_map(|i| (0..y.ncols()).map(move |t| (i, t))).map(|at| y[at]).collect()
}

/// Feature equivalence: ridge on warped features is the dense formula with K̂, for kernels that split and kernels that do
/// not, complete outputs and partly missing ones.
#[test]
fn the_learner_is_the_dense_formula() {
    let kernels = [
        ("decomposable(gaussian(1.2))", 3, 2),
        ("decomposable(gaussian(1.2), [[2, 0.6], [0.6, 0.5]])", 3, 2),
        ("decomposable(matern(1.5, 1.1), [[1, 0], [0, 4]])", 2, 2),
        ("curl-free(gaussian(1.3))", 2, 2),
    ];
    for (text, d, p) in kernels {
        for partly in [false, true] {
            let Holes { x, y, fresh } = holes(60, d, p, partly);
            let (ridge, strength) = (3e-3, 5.0);
            let learner = LaplacianRidge {
                kernel: text.parse().unwrap(),
                features: Auto::Fixed(40),
                neighbours: Auto::Fixed(5),
                bandwidth: Auto::Fixed(0.7),
                power: Auto::Fixed(2),
                strength: Auto::Fixed(strength),
                ridge: Ridge::Given(ridge),
                offset: Offset::None,
                ..LaplacianRidge::default()
            };
            let fitted = learner.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
            let model = fitted.model;
            let prepared = |x: &Mat<f64>| model.preparation.prepare(&Inputs::Dense(x.clone()), 1).unwrap().to_dense();
            let (u, v) = (prepared(&x), prepared(&fresh));
            let l = laplacian(&u, 5, 0.7);
            let m = tensor(&(&l * &l), p);
            let atoms = model.map.atoms();
            // outputs of these kernels may be scaled: the problem is solved in scaled outputs
            let scaled = Mat::from_fn(60, p, |i, t| y[(i, t)] / model.output_scale[t]);
            let labelled = (0..60).filter(|&i| (0..p).any(|t| y[(i, t)].is_finite())).count() as f64;
            let gamma = (ridge, ridge * strength);
            let truth = dense(&gram(atoms, &u, &u), &m, &flat(&scaled), labelled, gamma, &gram(atoms, &v, &u));
            let mean = model.predict(&Inputs::Dense(fresh), Query::default()).unwrap().mean;
            for i in 0..15 {
                for t in 0..p {
                    let error = mean[(i, t)] - truth[(i * p + t, 0)] * model.output_scale[t];
                    assert!(error.abs() < 1e-9, "{text}, partly {partly}: {error}");
                }
            }
        }
    }
}

/// With an offset and the kernel itself: the reference agrees with the dense formula in the contrasts of the labels, and
/// features approach it.
#[test]
fn the_exact_learner_is_the_dense_formula() {
    let Holes { x, y, fresh } = holes(70, 2, 2, false);
    let kernel: Kernel = "decomposable(gaussian(1.1), [[1, 0.3], [0.3, 2]])".parse().unwrap();
    let (ridge, strength) = (2e-3, 4.0);
    for offset in [Offset::None, Offset::Learned] {
        let learner = ExactLaplacian {
            kernel: kernel.clone(),
            neighbours: Auto::Fixed(5),
            bandwidth: Auto::Fixed(0.7),
            power: Auto::Fixed(1),
            strength: Auto::Fixed(strength),
            ridge: Ridge::Given(ridge),
            offset,
            ..ExactLaplacian::default()
        };
        let fitted = learner.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
        let model = fitted.model;
        let prepared = |x: &Mat<f64>| model.preparation.prepare(&Inputs::Dense(x.clone()), 1).unwrap().to_dense();
        let (u, v) = (prepared(&x), prepared(&fresh));
        let l = tensor(&laplacian(&u, 5, 0.7), 2);
        let whole = |a: &Mat<f64>, b: &Mat<f64>| {
            kernel.resolve(&Seen { outputs: 2, ..Seen::default() }).unwrap().sections(a.as_ref(), b.as_ref()).unwrap()
        };
        // an offset is an unpenalised constant: f = g + b with (1/l)Σ‖y − g − b‖² least in b too
        let labelled: Vec<usize> = (0..70).filter(|&i| y[(i, 0)].is_finite()).collect();
        let solve = |y: &Mat<f64>| {
            let (k, cross) = (whole(&u, &u), whole(&v, &u));
            let all = dense(&k, &l, &flat(y), labelled.len() as f64, (ridge, ridge * strength), &cross);
            let here = dense(&k, &l, &flat(y), labelled.len() as f64, (ridge, ridge * strength), &k);
            (all, here)
        };
        let (base, at) = solve(&y);
        // responses to a constant in each output give the best constants: 2×2 equations
        let unit = |t: usize| {
            Mat::from_fn(70, 2, |i, s| if y[(i, s)].is_nan() { f64::NAN } else { f64::from(u8::from(s == t)) })
        };
        let ones: Vec<_> = (0..2).map(|t| solve(&unit(t))).collect();
        let mut truth = base.clone();
        if offset == Offset::Learned {
            // Σ over labelled rows of the residual is zero for each output
            let mean = |f: &dyn Fn(usize, usize) -> f64, t: usize| labelled.iter().map(|&i| f(i, t)).sum::<f64>();
            let a =
                Mat::from_fn(2, 2, |s, t| mean(&|i, s| f64::from(u8::from(s == t)) - ones[t].1[(i * 2 + s, 0)], s));
            let b = Mat::from_fn(2, 1, |s, _| mean(&|i, s| y[(i, s)] - at[(i * 2 + s, 0)], s));
            let c = solved(&a, &b);
            for i in 0..15 {
                for s in 0..2 {
                    truth[(i * 2 + s, 0)] += c[(s, 0)];
                    (0..2).for_each(|t| truth[(i * 2 + s, 0)] -= c[(t, 0)] * ones[t].0[(i * 2 + s, 0)]);
                }
            }
        }
        let mean = model.predict(&Inputs::Dense(fresh.clone()), Query::default()).unwrap().mean;
        let error = (0..30).map(|a| (mean[(a / 2, a % 2)] - truth[(a, 0)]).abs()).fold(0.0, f64::max);
        assert!(error < 1e-7, "{offset:?}: {error}");
        // features: the same answer as their number grows
        let with = |features: usize| {
            let learner = LaplacianRidge {
                kernel: kernel.clone(),
                features: Auto::Fixed(features),
                neighbours: Auto::Fixed(5),
                bandwidth: Auto::Fixed(0.7),
                power: Auto::Fixed(1),
                strength: Auto::Fixed(strength),
                ridge: Ridge::Given(ridge),
                offset,
                ..LaplacianRidge::default()
            };
            let fitted = learner.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
            let rough = fitted.model.predict(&Inputs::Dense(fresh.clone()), Query::default()).unwrap().mean;
            (&rough - &mean).norm_l2() / mean.norm_l2()
        };
        let (few, many) = (with(40), with(1200));
        assert!(many < 0.02 && 2.0 * many < few, "{few} {many}");
    }
}

/// The evidence along the path is the density of the labelled outputs under the warped kernel.
#[test]
fn the_evidence_is_that_of_the_warped_kernel() {
    let Holes { x, y, .. } = holes(60, 2, 1, false);
    let learner = LaplacianRidge {
        kernel: "gaussian(0.9)".parse().unwrap(),
        features: Auto::Fixed(50),
        neighbours: Auto::Fixed(4),
        bandwidth: Auto::Fixed(0.5),
        power: Auto::Fixed(1),
        strength: Auto::Fixed(3.0),
        ridge: Ridge::Evidence,
        offset: Offset::None,
        ..LaplacianRidge::default()
    };
    let fitted = learner.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
    let (model, training) = (fitted.model, fitted.training);
    let u = model.preparation.prepare(&Inputs::Dense(x.clone()), 1).unwrap().to_dense();
    let k = gram(model.map.atoms(), &u, &u);
    let m = faer::Scale(3.0) * laplacian(&u, 4, 0.5);
    let warped = &k - &k * solved(&(Mat::<f64>::identity(60, 60) + &m * &k), &(&m * &k));
    let labelled: Vec<usize> = (0..60).filter(|&i| y[(i, 0)].is_finite()).collect();
    let n = labelled.len();
    for point in training.path.iter().step_by(5) {
        let c = Mat::from_fn(n, n, |a, b| {
            f64::from(u8::from(a == b)) + warped[(labelled[a], labelled[b])] / (n as f64 * point.ridge)
        });
        let t = Mat::from_fn(n, 1, |a, _| y[(labelled[a], 0)] / model.output_scale[0]);
        let quadratic = (t.transpose() * solved(&c, &t))[(0, 0)];
        let log_det = c.self_adjoint_eigenvalues(faer::Side::Lower).unwrap().iter().map(|v| v.ln()).sum::<f64>();
        let sigma2 = quadratic / n as f64;
        let evidence = -0.5 * (n as f64 * ((std::f64::consts::TAU * sigma2).ln() + 1.0) + log_det);
        if point.ridge > 1e-9 {
            let error = (evidence - point.evidence).abs();
            assert!(error < 1e-6 * (1.0 + evidence.abs()), "{} {evidence} {}", point.ridge, point.evidence);
        }
    }
    // the posterior: σ²(K̃(x,x) − K̃(x,X)(K̃ + nλ)⁻¹K̃(X,x))/(nλ), Student's with n degrees of freedom: σ² of y over n − 2
    let found =
        model.predict(&Inputs::Dense(x.clone()), Query { std: true, noise: false, ..Query::default() }).unwrap();
    let mu = n as f64 * training.ridge;
    let inner = Mat::from_fn(n, n, |a, b| warped[(labelled[a], labelled[b])] + if a == b { mu } else { 0.0 });
    let known = Mat::from_fn(n, 1, |a, _| y[(labelled[a], 0)]);
    let sigma2 = mu * (known.transpose() * solved(&inner, &known))[(0, 0)] / (n as f64 - 2.0);
    for i in (0..60).step_by(7) {
        let cross = Mat::from_fn(n, 1, |a, _| warped[(labelled[a], i)]);
        let left = warped[(i, i)] - (cross.transpose() * solved(&inner, &cross))[(0, 0)];
        let expected = (left / mu * sigma2).sqrt();
        let std = found.std.as_ref().unwrap()[(i, 0)];
        assert!((std - expected).abs() < 1e-6 * expected, "{std} {expected}");
    }
}

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

/// Views: two groups of inputs, weights 0.7 and 0.3, graphs of their own and a penalty on their disagreement, against the
/// dense formula for functions with a component for each view.
#[test]
fn views_are_the_dense_formula() {
    let n = 50;
    let Holes { x, y, fresh } = holes(n, 3, 2, false);
    let (a, ridge, intrinsic, agreement) = ([0.7, 0.3], 2e-3, 8e-3, 0.4);
    for views in ["1-2; 3", "1,3; 2-3"] {
        let learner = SemiSupervised {
            kernel: "decomposable(gaussian(1.2), [[1, 0.3], [0.3, 2]])".parse().unwrap(),
            features: Auto::Fixed(40),
            neighbours: Auto::Fixed(4),
            bandwidth: Auto::Fixed(0.6),
            power: Auto::Fixed(1),
            views: Some(views.into()),
            combination: Some("0.7, 0.3".into()),
            intrinsic: Auto::Fixed(intrinsic),
            agreement,
            ridge: Ridge::Given(ridge),
            offset: Offset::None,
            ..SemiSupervised::default()
        };
        let fitted = learner.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
        let model = fitted.model;
        let prepared = |x: &Mat<f64>| model.preparation.prepare(&Inputs::Dense(x.clone()), 1).unwrap().to_dense();
        let (u, v) = (prepared(&x), prepared(&fresh));
        let columns: [&[usize]; 2] = if views.starts_with("1-2") { [&[0, 1], &[2]] } else { [&[0, 2], &[1, 2]] };
        let blocks = &model.map.atoms().blocks;
        assert_eq!(blocks.len(), 2);
        // unknown values f_v(x_i)_t at v·2n + 2i + t
        let size = 4 * n;
        let (mut k, mut m) = (Mat::zeros(size, size), Mat::zeros(size, size));
        let mut cross = Mat::zeros(30, size);
        for w in 0..2 {
            // atoms of a view weigh a² in the map of the answer
            let one = Atoms { blocks: vec![blocks[w].clone()] };
            let unweighted = faer::Scale(1.0 / (a[w] * a[w])) * gram(&one, &u, &u);
            k.submatrix_mut(w * 2 * n, w * 2 * n, 2 * n, 2 * n).copy_from(&unweighted);
            let far = faer::Scale(1.0 / a[w]) * gram(&one, &v, &u);
            cross.submatrix_mut(0, w * 2 * n, 30, 2 * n).copy_from(&far);
            let seen = Mat::from_fn(n, columns[w].len(), |i, c| u[(i, columns[w][c])]);
            m.submatrix_mut(w * 2 * n, w * 2 * n, 2 * n, 2 * n).copy_from(&tensor(&laplacian(&seen, 4, 0.6), 2));
        }
        for e in 0..2 * n {
            for (s, t, sign) in [(0, 0, 1.0), (1, 1, 1.0), (0, 1, -1.0), (1, 0, -1.0)] {
                m[(s * 2 * n + e, t * 2 * n + e)] += agreement * sign;
            }
        }
        // C adds the views with their weights: (C*CJK + lγ_I MK + lγ_A)a = C*y
        let l = (0..n).filter(|&i| y[(i, 0)].is_finite()).count() as f64;
        let c = Mat::from_fn(2 * n, size, |e, b| {
            if b % (2 * n) == e && y[(e / 2, e % 2)].is_finite() { a[b / (2 * n)] } else { 0.0 }
        });
        let target = Mat::from_fn(2 * n, 1, |e, _| y[(e / 2, e % 2)] / model.output_scale[e % 2]);
        let target = Mat::from_fn(2 * n, 1, |e, _| if target[(e, 0)].is_finite() { target[(e, 0)] } else { 0.0 });
        let left = c.transpose() * &c * &k
            + faer::Scale(l * intrinsic) * (&m * &k)
            + faer::Scale(l * ridge) * Mat::<f64>::identity(size, size);
        let coefficients = solved(&left, &(c.transpose() * target));
        // the answer at other rows: Σ a_v f_v, f_v = K_v a
        let truth = &cross * &coefficients;
        let mean = model.predict(&Inputs::Dense(fresh.clone()), Query::default()).unwrap().mean;
        for e in 0..30 {
            let error = mean[(e / 2, e % 2)] - truth[(e, 0)] * model.output_scale[e % 2];
            assert!(error.abs() < 1e-9, "{views}: {error}");
        }
    }
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
    let mut csr = Csr { width: 12, start: vec![0], columns: Vec::new(), values: Vec::new() };
    for i in 0..60 {
        for k in (0..12).filter(|&k| x[(i, k)] != 0.0) {
            csr.columns.push(k as u32);
            csr.values.push(x[(i, k)]);
        }
        csr.start.push(csr.values.len());
    }
    let learner = LaplacianRidge {
        kernel: "gaussian(2.0)".parse().unwrap(),
        features: Auto::Fixed(60),
        neighbours: Auto::Fixed(10),
        bandwidth: Auto::Fixed(1.0),
        power: Auto::Fixed(1),
        strength: Auto::Fixed(1.0),
        ridge: Ridge::Given(1e-3),
        ..LaplacianRidge::default()
    };
    let sparse = Table::of(Inputs::Sparse(csr.clone()), y.clone()).unwrap();
    let a = learner.fit(&sparse, &mut Silent).unwrap().model;
    let b = learner.fit(&Table::new(x.clone(), y).unwrap(), &mut Silent).unwrap().model;
    let at = |m: &Linear, x: &Inputs| m.predict(x, Query::default()).unwrap().mean;
    // dense rows are centred, which changes no difference of rows, but where characters begin to count
    let (from_sparse, from_dense) = (at(&a, &Inputs::Sparse(csr)), at(&b, &Inputs::Dense(x)));
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
