//! Learners along a graph against the dense formula: with features, with the kernel itself, with several views.

use super::{Holes, gram, holes, laplacian, on_graph, solved};
use faer::Mat;
use orff::kernel::{Atoms, Kernel, Seen};
use orff::learn::{ExactLaplacian, LaplacianRidge, Offset, Ridge, SemiSupervised};
use orff::model::Query;
use orff::params::Auto;
use orff::rows::{Inputs, Table};
use orff::watch::Silent;

/// The solution of M16 eq. 72 without offset, entry by entry: (JK + lγ_I MK + lγ_A)a = y; its values at other points.
/// `k` and `cross` have p×p blocks.
fn dense(k: &Mat<f64>, m: &Mat<f64>, y: &[f64], l: f64, gamma: (f64, f64), cross: &Mat<f64>) -> Mat<f64> {
    let n = y.len();
    let j = Mat::from_fn(n, n, |a, b| if a == b && y[a].is_finite() { 1.0 } else { 0.0 });
    let right = Mat::from_fn(n, 1, |a, _| if y[a].is_finite() { y[a] } else { 0.0 });
    let left = &j * k + faer::Scale(l * gamma.1) * (m * k) + faer::Scale(l * gamma.0) * Mat::<f64>::identity(n, n);
    cross * solved(&left, &right)
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
                ridge: Ridge::Given(ridge),
                offset: Offset::None,
                ..on_graph((5, 0.7, 2), strength)
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
                ridge: Ridge::Given(ridge),
                offset,
                ..on_graph((5, 0.7, 1), strength)
            };
            let fitted = learner.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap();
            let rough = fitted.model.predict(&Inputs::Dense(fresh.clone()), Query::default()).unwrap().mean;
            (&rough - &mean).norm_l2() / mean.norm_l2()
        };
        let (few, many) = (with(40), with(1200));
        assert!(many < 0.02 && 2.0 * many < few, "{few} {many}");
    }
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
