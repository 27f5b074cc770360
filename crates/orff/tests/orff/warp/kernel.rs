//! Warped features are the warped kernel, and evidence and posterior are those of the warped kernel.

use super::{Holes, gram, holes, laplacian, normal, on_graph, solved};
use faer::Mat;
use orff::learn::{LaplacianFeatures, LaplacianRidge, Offset, Ridge};
use orff::model::{Body, Info, Linear, Model, Query};
use orff::params::Auto;
use orff::rows::{Inputs, Table};
use orff::watch::Silent;

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
        let bytes =
            Model { body, projection: None, info: Info::default(), series: None, curves: None, alignment: None }
                .to_bytes()
                .unwrap();
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

/// The evidence along the path is the density of the labelled outputs under the warped kernel.
#[test]
fn the_evidence_is_that_of_the_warped_kernel() {
    let Holes { x, y, .. } = holes(60, 2, 1, false);
    let learner = LaplacianRidge {
        kernel: "gaussian(0.9)".parse().unwrap(),
        features: Auto::Fixed(50),
        ridge: Ridge::Evidence,
        offset: Offset::None,
        ..on_graph((4, 0.5, 1), 3.0)
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
