//! The posterior covariance, and metrics of the outputs as covariances of the noise, against dense matrices.

use super::dense::{Dense, dense_predict, phi, point, solve};
use super::{Data, decomposable, gap, gaussian, given, gram, iterative, kernels, map_of, noise, predict};
use crate::kernel::moments::moments_of;
use faer::{Mat, mat};
use orff::feature::{Characters, MapKind};
use orff::kernel::{Kernel, Matrix};
use orff::learn::{Fitted, Regression, Ridge};
use orff::linalg::cg;
use orff::model::{Body, Info, Linear, Model, Posterior, Preparation, Query};
use orff::params::Auto;
use orff::rows::{Inputs, Table};
use orff::solve::{Centred, Spectral, System, solve_direct, solve_iterative};
use orff::watch::Silent;

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
                let iterated = iterative(&map, &centred, Some(&metric), ridge);
                assert!(gap(&table, &iterated.table) < 1e-8, "{name}: conjugate gradients");
                let penalty = spectral.solve(&map, ridge, false).unwrap().penalty;
                for (t, exact) in penalty.iter().enumerate() {
                    assert!((iterated.penalty[t] / exact - 1.0).abs() < 1e-7, "{name}, output {t}: nλ‖θ‖²");
                }
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
    let nearly = mat![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1e-310]];
    for bad in [mat![[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]], nearly, Mat::identity(2, 2)] {
        assert!(System::new(&map, &centred, Some(&bad)).unwrap_err().to_string().starts_with("metric: expected"));
    }
    let holes = Data::new(40, 3).variants()[2].1.clone();
    let centred = Centred::all(&moments_of(&map, &holes.table()), true);
    let refused = System::new(&map, &centred, Some(&metric)).unwrap_err().to_string();
    assert!(refused.contains("whiten complete outputs"), "{refused}");
    let how = cg::Params::default();
    let error = solve_iterative(&map, &centred, Some(&metric), 0.1, how, &mut Silent).unwrap_err();
    assert_eq!(error.to_string(), refused);
}

/// More unknowns than are factored: a learner with a metric is that of outputs whitened by hand, and says so of its noise.
#[test]
fn a_metric_with_many_unknowns_is_whitening() {
    let (d, n) = (20, 60);
    // ones on the diagonal: a learner takes a metric up to a factor
    let metric = Mat::from_fn(d, d, |s, t| if s == t { 1.0 } else { 0.4 / (1.0 + s.abs_diff(t) as f64) });
    let l = metric.llt(faer::Side::Lower).unwrap().L().to_owned();
    let inverse = solve(&l, &Mat::identity(d, d));
    let (x, fresh) = (noise(31, n, d), noise(32, 5, d));
    let y = Mat::from_fn(n, d, |i, t| (x[(i, (t + 1) % d)] - 0.3 * x[(i, t)]).sin());
    let kernel = Kernel::div_free(gaussian(4.0));
    let fit = |kernel: Kernel, y: Mat<f64>, metric: Option<Mat<f64>>, ridge: Ridge| {
        let metric = metric.map(|m| Matrix::new(m, "metric").unwrap());
        let (features, tolerance) = (Auto::Fixed(440), 1e-12);
        let learner = Regression { kernel, metric, features, ridge, tolerance, ..Regression::default() };
        learner.fit(&Table::new(x.clone(), y).unwrap(), &mut Silent).unwrap()
    };
    for ridge in [Ridge::Given(0.01), Ridge::Evidence] {
        let whole = fit(kernel.clone(), y.clone(), Some(metric.clone()), ridge);
        assert!(whole.training.choices.iter().any(|line| line.contains("conjugate gradients on 8360 unknowns")));
        let by_hand = kernel.clone().conjugated(Matrix::new(inverse.clone(), "m").unwrap());
        let white = fit(by_hand, &y * inverse.transpose(), None, ridge);
        assert!((whole.training.ridge / white.training.ridge - 1.0).abs() < 1e-6, "{ridge:?}");
        let f = |fitted: &Fitted| fitted.model.predict(&Inputs::Dense(fresh.clone()), Query::default()).unwrap().mean;
        let error = gap(&f(&whole), &(f(&white) * l.transpose()));
        assert!(error < 1e-6, "{ridge:?}: {error:e}");
        let correlation = |s: usize, t: usize| {
            let noise = &whole.model.noise;
            noise[(s, t)] / (noise[(s, s)] * noise[(t, t)]).sqrt()
        };
        assert!((correlation(3, 4) - metric[(3, 4)]).abs() < 1e-12 && whole.model.noise[(0, 0)] > 0.0);
    }
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
            let model = Model {
                body: Body::Linear(Box::new(linear)),
                projection: None,
                info: Info::default(),
                series: None,
                curves: None,
                alignment: None,
            };
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
