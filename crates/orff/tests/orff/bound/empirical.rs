//! Bounds beside errors that are seen.

use super::constants::waves;
use super::{ask, coupled, identity, scalar, spectrum};
use orff::bound::{Report, Scope, Setting, bounds, measure};
use orff::feature::MapKind;
use orff::kernel::{Kernel, SumDraw};
use orff::spectrum::{Draw, Measure};
use orff::watch::Silent;
use serde_json::json;

/// Errors at one pair of points in Hilbert–Schmidt norm, in ascending order, one for each draw of the atoms.
fn at_one_pair(setting: &Setting, atoms: u64, draws: u64) -> Vec<f64> {
    let (x, z) = (vec![0.3; setting.inputs], vec![-0.1; setting.inputs]);
    let exact = setting.kernel.eval(&x, &z).unwrap();
    let mut errors: Vec<f64> = (0..draws)
        .map(|seed| {
            let how = Draw { measure: setting.measure, seed: 100 + seed, ..Draw::default() };
            let drawn = setting.kernel.draw(setting.inputs, atoms as usize, &how, setting.sum).unwrap();
            (drawn.eval(&x, &z).unwrap() - &exact).norm_l2()
        })
        .collect();
    errors.sort_by(f64::total_cmp);
    errors
}

#[test]
fn every_bound_is_above_the_quantile_of_errors() {
    let gaussian = || spectrum("gaussian", 0.8.into());
    let mix = || 0.5 * Kernel::curl_free(gaussian()) + Kernel::div_free(spectrum("matern", 0.8.into()));
    let kernels = [
        ("gaussian", scalar(gaussian())),
        ("gaussian Γ", coupled(spectrum("gaussian", 0.8.into()))),
        ("matern", scalar(spectrum("matern", 0.8.into()))),
        ("cauchy", scalar(spectrum("cauchy", 0.8.into()))),
        ("laplace", scalar(spectrum("laplace", 0.8.into()))),
        ("curl-free", Kernel::curl_free(gaussian())),
        ("curl-free matern", Kernel::curl_free(spectrum("matern", 0.8.into()))),
        ("div-free", Kernel::div_free(gaussian())),
        ("helmholtz", Kernel::helmholtz(gaussian(), 0.3)),
        ("waves", scalar(waves())),
        ("curl-free waves", Kernel::curl_free(waves())),
        ("sum", mix()),
        ("mixture", mix()),
        ("mixture Γ", 3.0 * coupled(gaussian()) + coupled(spectrum("matern", 0.3.into()))),
        ("mixture of Γ", 3.0 * coupled(gaussian()) + identity(3, spectrum("matern", 0.3.into()))),
    ];
    let mut compared = (0, 0);
    for (name, kernel) in kernels {
        for d in [1, 2, 4] {
            if kernel.eval(&vec![0.0; d], &vec![0.0; d]).is_err() {
                continue; // no field on the line, and waves of the plane
            }
            for law in [Measure::Plain, Measure::Trace] {
                for atoms in [20, 200] {
                    let sum = if name.starts_with("mixture") { SumDraw::Mixture } else { SumDraw::Concatenation };
                    let setting = Setting { measure: law, sum, ..Setting::new(kernel.clone(), d, 1.0) };
                    let found = bounds(&setting).unwrap();
                    let seen = measure(&setting, atoms, 20, 5, &mut Silent).unwrap();
                    let alone = at_one_pair(&setting, atoms, 40);
                    for p in [0.1, 0.5] {
                        for bound in &found.bounds {
                            let epsilon = bound.epsilon(atoms, p).unwrap().unwrap();
                            // of all pairs at once, or of the one that was fixed before
                            let (quantile, count) = match bound.scope {
                                Scope::Uniform => (seen.quantile(p), &mut compared.0),
                                Scope::Pointwise => (alone[39 - (40.0 * p) as usize], &mut compared.1),
                            };
                            assert!(epsilon >= quantile, "{name} d = {d}, {atoms}: {} < {quantile}", bound.name);
                            *count += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(compared.0 > 600 && compared.1 > 100, "{compared:?}");
}

#[test]
fn one_pair_of_points_stays_below_its_bound() {
    // M16 Theorem 11 at one δ: the share of draws that reach ε, in Hilbert–Schmidt norm, over 400 draws
    let kernel = Kernel::curl_free(spectrum("gaussian", 1.0.into()));
    let (x, z) = ([0.4, -0.2], [0.0, 0.1]);
    let exact = kernel.eval(&x, &z).unwrap();
    for kind in [MapKind::Pairs, MapKind::Phases] {
        let bound =
            orff::bound::pointwise(&orff::bound::Constants::of(&kernel, 2, 1.0, Measure::Trace).unwrap(), kind)
                .unwrap();
        let mut errors: Vec<f64> = (0..400)
            .map(|seed| {
                let how = orff::spectrum::Draw { measure: Measure::Trace, seed, ..Default::default() };
                let map = orff::feature::FeatureMap::draw(&kernel, 2, 100, kind, &how, Default::default()).unwrap();
                let phi = |x: &[f64]| {
                    let mut c = orff::feature::Characters::new(map.characters());
                    map.fill(&orff::rows::Inputs::Dense(faer::Mat::from_fn(1, 2, |_, k| x[k])), &mut c);
                    let (b, of) = (map.stacked_factors(), map.character_of_unknown());
                    faer::Mat::from_fn(2, map.unknowns(), |t, k| c.column(of[k])[0] * b[(k, t)])
                };
                (phi(&x) * phi(&z).transpose() - &exact).norm_l2()
            })
            .collect();
        errors.sort_by(f64::total_cmp);
        let atoms = if kind == MapKind::Pairs { 50 } else { 100 };
        for rank in [200, 300, 360, 390] {
            let share = (400 - rank) as f64 / 400.0;
            let most = bound.probability(atoms, errors[rank]).unwrap();
            assert!(most >= share, "{kind:?}: {most} < {share}");
        }
        // and it is a bound of that size, not of another
        assert!(bound.epsilon(atoms, 0.1).unwrap().unwrap() < 6.0 * errors[360]);
    }
}

#[test]
fn measured_errors_are_those_of_the_definition() {
    // the same draw by Atoms::eval at the same points: |K̂(0) − K(0)| is part of the largest error
    let kernel = Kernel::curl_free(spectrum("gaussian", 1.0.into()));
    let setting = Setting { measure: Measure::Plain, ..Setting::new(kernel.clone(), 2, 1e-9) };
    let seen = measure(&setting, 30, 1, 9, &mut Silent).unwrap();
    let how = orff::spectrum::Draw { seed: 9, ..Default::default() };
    let at = kernel.draw(2, 30, &how, Default::default()).unwrap().eval(&[0.0; 2], &[0.0; 2]).unwrap();
    let error = at - kernel.eval(&[0.0; 2], &[0.0; 2]).unwrap();
    let e = orff::linalg::eigen(error.as_ref()).unwrap().values;
    assert!((seen.errors[0] - e[0].abs().max(e[1].abs())).abs() < 1e-9);
    // the same for any number of threads
    let again = |n| {
        orff::linalg::with_threads(Some(n), || {
            measure(&Setting::new(kernel.clone(), 2, 1.0), 3000, 2, 1, &mut Silent)
        })
        .unwrap()
        .unwrap()
    };
    assert_eq!(again(1).errors, again(3).errors);
    // what is asked for is what is measured
    let q = json!({"kernel": "curl-free", "dimension": 2, "diameter": 1.0, "draws": 20});
    let with = |more: serde_json::Value| {
        let mut all = q.clone();
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ask(all).unwrap()
    };
    let epsilon = with(json!({"features": 400, "probability": 0.1})).measured.unwrap();
    let share = with(json!({"features": 400, "epsilon": epsilon * 1.0001})).measured.unwrap();
    assert!(share <= 0.1, "{share}");
    let features = with(json!({"epsilon": epsilon, "probability": 0.1})).measured.unwrap();
    assert!(features > 100.0 && features < 800.0, "{features}");
}

/// What would take hours is not measured: it is guessed from the errors of few atoms, and said to be.
#[test]
fn features_beyond_measure_are_guessed() {
    let at = |epsilon: f64, dimension: usize, draws: u64| {
        ask(json!({"kernel": "curl-free", "dimension": dimension, "epsilon": epsilon, "draws": draws})).unwrap()
    };
    let (few, many, more) = (at(0.08, 2, 20), at(1e-6, 2, 20), at(1e-7, 2, 20));
    let measured = few.measured.unwrap();
    assert!(few.extrapolated.is_none() && many.measured.is_none());
    let (seen, guess) = (many.empirical.unwrap(), many.extrapolated.unwrap());
    assert!(seen.errors.len() == 20 && seen.atoms == 1024 && seen.errors[0] > 1e-6);
    // D ∝ ε⁻²
    assert!((more.extrapolated.unwrap() / guess / 100.0 - 1.0).abs() < 1e-9);
    let ratio = guess / (measured * 0.08f64.powi(2) / 1e-12);
    assert!((0.3..3.0).contains(&ratio), "{ratio}");
    // operators of 10⁴ entries are not tried by the hundred thousand
    let wide = at(1e-3, 100, 1);
    assert!(wide.measured.is_none() && wide.empirical.unwrap().atoms <= 512, "{:?}", wide.extrapolated);
    let said = ask(json!({"dimension": 100_000, "features": 2_000_000, "draws": 1})).unwrap_err().to_string();
    assert!(said.contains("at most 2684 atoms of 100000 inputs"), "{said}");
}

/// Of a series: the kernel between lagged rows, as the model sees them, and no word about the expected loss.
#[test]
fn reports_of_series_are_of_their_lagged_rows() {
    use orff::learn::{Autoregression, Method, Order, Standardise};
    use orff::series::{Given, Series};
    let mut s = orff::random::Stream::new(3, 1, 4);
    let values = faer::Mat::from_fn(90, 2, |i, t| [1.0, 30.0][t] * ((i as f64 * [0.7, 0.3][t]).sin() + s.normal()));
    let members: Vec<String> = (0..90).map(|i| ["a", "b"][i % 2].to_string()).collect();
    let exogenous = faer::Mat::zeros(90, 0);
    let given = Given { values: values.clone(), exogenous, times: None, members: Some(&members) };
    let series = Series::of(given).unwrap();
    let learner = Autoregression {
        order: Order::Given(2),
        standardise: Standardise::Members,
        features: orff::params::Auto::Fixed(100),
        ..Autoregression::default()
    };
    let model = learner.fit(&series, &mut Silent).unwrap();
    let found = Report::of_series(&model, &series, 0.05, &mut Silent).unwrap();
    assert!(found.generalisation.unwrap_err().contains("depend on those before them"));
    // by hand: rows of a member are every other one, in units of its own
    let unit = |i: usize, t: usize| {
        let own: Vec<f64> = (i % 2..90).step_by(2).map(|k| values[(k, t)]).collect();
        let mean = own.iter().sum::<f64>() / 45.0;
        let spread = (own.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 45.0).sqrt();
        (values[(i, t)] - mean) / spread
    };
    let linear = model.linear().unwrap();
    let rows = faer::Mat::from_fn(86, 4, |i, k| unit(i + 4 - 2 * (1 + k / 2), k % 2));
    let orff::rows::Inputs::Dense(rows) = linear.preparation.prepare(&orff::rows::Inputs::Dense(rows), 1).unwrap()
    else {
        panic!("dense rows stay dense")
    };
    let kernel = model.info.training.kernel.clone().unwrap();
    let at = |i: usize| rows.row(i).iter().copied().collect::<Vec<f64>>();
    let error = |i: usize| {
        let (a, b) = (at(i), at(43 + i));
        let e = linear.map.atoms().eval(&a, &b).unwrap() - kernel.eval(&a, &b).unwrap();
        orff::linalg::eigen(e.as_ref()).unwrap().values.iter().fold(0.0f64, |most, e| most.max(e.abs()))
    };
    let expected = (0..43).map(error).fold(0.0, f64::max);
    let seen = found.approximation.unwrap();
    assert!((seen.measured - expected).abs() < 1e-9, "{} {expected}", seen.measured);
    assert!(seen.bound.unwrap().0 > expected);
    let linear = Autoregression { method: Method::Linear, ..learner };
    let linear = Report::of_series(&linear.fit(&series, &mut Silent).unwrap(), &series, 0.05, &mut Silent).unwrap();
    assert!(linear.approximation.unwrap_err().contains("no random features"));
}

/// Classes by the squared loss are ridge regression of their codes; of two classes these are ±1.
#[test]
fn reports_of_two_classes_are_those_of_their_codes() {
    let mut s = orff::random::Stream::new(5, 1, 0);
    let x = faer::Mat::from_fn(120, 2, |_, _| s.normal());
    let class = faer::Mat::from_fn(120, 1, |i, _| f64::from(x[(i, 0)] + 0.5 * s.normal() > 0.3));
    let report = |name: &str, y: &faer::Mat<f64>, more: serde_json::Value| {
        let mut values = json!({"lengthscale": 1.2, "features": 60, "ridge": 0.01});
        values.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let rows = orff::rows::Table::new(x.clone(), y.clone()).unwrap();
        let model =
            (orff::learn::learner(name).unwrap().fit)(values.as_object().unwrap(), &rows, &mut Silent).unwrap();
        Report::of(&model, &rows, 0.05, &mut Silent).unwrap()
    };
    let codes = faer::Mat::from_fn(120, 1, |i, _| 2.0 * class[(i, 0)] - 1.0);
    let (a, a_bounds) = report("classification", &class, json!({})).generalisation.unwrap();
    let (b, b_bounds) = report("regression", &codes, json!({})).generalisation.unwrap();
    for (name, a, b) in [
        ("norm", a.norm, b.norm),
        ("κ", a.kappa, b.kappa),
        ("‖y‖", a.largest, b.largest),
        ("risk", a.risk, b.risk),
        ("bound", a_bounds.norm, b_bounds.norm),
    ] {
        assert!((a / b - 1.0).abs() < 1e-8 && a > 0.0, "{name}: {a} {b}");
    }
    for (more, why) in
        [(json!({"class_weight": "balanced"}), "without weights"), (json!({"loss": "logistic"}), "squared loss")]
    {
        let refused = report("classification", &class, more).generalisation.unwrap_err();
        assert!(refused.contains(why), "{refused}");
    }
}

#[test]
fn reports_are_of_the_draw_that_was_made() {
    let mut s = orff::random::Stream::new(6, 1, 0);
    let x = faer::Mat::from_fn(80, 1, |_, _| 4.0 * s.uniform());
    let y = faer::Mat::from_fn(80, 1, |i, _| x[(i, 0)].sin() + 0.1 * s.normal());
    let rows = orff::rows::Table::new(x, y).unwrap();
    let report = |kernel: &str, sum: &str| {
        let kernel: Kernel = kernel.parse().unwrap();
        let values = json!({"kernel": kernel, "sum": sum, "features": 200});
        let learner = orff::learn::learner("regression").unwrap();
        let model = (learner.fit)(values.as_object().unwrap(), &rows, &mut Silent).unwrap();
        Report::of(&model, &rows, 0.05, &mut Silent).unwrap().approximation.unwrap()
    };
    // atoms of a mixture of laws have one law, and other constants than terms with atoms of their own
    let both = ["mixture", "concatenation"].map(|sum| report("gaussian(0.5) + gaussian(2.0)", sum).bound.unwrap().0);
    assert!(both[0] < both[1], "{both:?}");
    for (kernel, sum) in [
        ("gaussian(0.5) + gaussian(2.0)", "mixture"),
        ("gaussian(0.5) + gaussian(2.0)", "concatenation"),
        ("gaussian(0.5)", "mixture"),
        ("spectral-mixture([[1, 3, 0.4], [0.5, 0.2, 1]])", "concatenation"),
        ("spectral-mixture(2)", "concatenation"),
    ] {
        let found = report(kernel, sum);
        assert!(found.bound.is_some_and(|(epsilon, _)| epsilon > found.measured), "{kernel}: {found:?}");
    }
}

/// What learned atoms approximate is the kernel of all weighted candidates: in the user's units, from what the model says of itself.
#[test]
fn learned_kernels_are_compared_with_all_of_their_candidates() {
    let mut s = orff::random::Stream::new(8, 1, 0);
    let n = 200;
    let x = faer::Mat::from_fn(n, 3, |_, k| [1.0, 20.0, 0.1][k] * s.uniform());
    let y = faer::Mat::from_fn(n, 1, |i, _| f64::from((6.0 * x[(i, 0)]).sin() > 0.0));
    let rows = orff::rows::Table::new(x.clone(), y).unwrap();
    let fit = |more: serde_json::Value| {
        let mut values = json!({"candidates": 300, "strength": 0.5, "ridge": 0.01});
        values.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let learner = orff::learn::learner("aligned-classification").unwrap();
        (learner.fit)(values.as_object().unwrap(), &rows, &mut Silent).unwrap()
    };
    for (way, features) in [("with-replacement", 40), ("without-replacement", 40), ("weights", 40), ("weights", 600)]
    {
        let model = fit(json!({"sampling": way, "features": features}));
        let report = Report::of(&model, &rows, 0.05, &mut Silent).unwrap();
        let found = report.approximation.unwrap();
        let (linear, learned) = (model.linear().unwrap(), model.alignment().unwrap());
        let kept = Kernel::from(linear.listed(1).unwrap());
        let omega = learned.frequencies(&linear.preparation).unwrap();
        let at = |i: usize| -> Vec<f64> { x.row(i).iter().copied().collect() };
        // rows of the first half beside those of the second
        let error = |i: usize| {
            let (a, b) = (at(i), at(n / 2 + i));
            let angle = |m: usize| (0..3).map(|k| omega[(m, k)] * (a[k] - b[k])).sum::<f64>();
            let all: f64 = learned.posterior.iter().enumerate().map(|(m, q)| q * angle(m).cos()).sum();
            (kept.eval(&a, &b).unwrap()[(0, 0)] - all).abs()
        };
        let expected = (0..n / 2).map(error).fold(0.0, f64::max);
        assert!((found.measured - expected).abs() < 1e-10, "{way}: {} {expected}", found.measured);
        assert!(found.bound.unwrap().0 > found.measured && (found.scale - 1.0).abs() < 1e-12, "{way}: {found:?}");
        assert_eq!(found.measured < 1e-10, features == 600, "{way}: all are kept, or not");
    }
    // M16 Theorem 12 by its formula: M = σ² = 1, m₁ = Σq‖ω‖ in the coordinates of the kernel
    let model = fit(json!({"features": 4000, "candidates": 9000, "strength": 0.1}));
    let found = Report::of(&model, &rows, 0.05, &mut Silent).unwrap().approximation.unwrap();
    let (linear, learned) = (model.linear().unwrap(), model.alignment().unwrap());
    let omega = learned.frequencies(&linear.preparation).unwrap();
    let length = |m: usize| (0..3).map(|k| (omega[(m, k)] * linear.preparation.scale[k]).powi(2)).sum::<f64>().sqrt();
    let m: f64 = learned.posterior.iter().enumerate().map(|(i, q)| q * length(i)).sum();
    let (epsilon, name) = found.bound.unwrap();
    let (d, atoms) = (3.0f64, linear.map.atoms().count() as f64);
    let rate = atoms * epsilon / (4.0 * (d + 1.0)) * (1.0 + epsilon / 2.0).ln();
    let constant = 2f64.powf((3.0 * d + 1.0) / (d + 1.0)) * (d.powf(1.0 / (d + 1.0)) + d.powf(-d / (d + 1.0)));
    let at = constant * (2.0 * m * found.diameter / epsilon).powf(d / (d + 1.0)) * (-rate).exp();
    assert!(name == "minh-uniform" && (at / 0.05 - 1.0).abs() < 1e-6, "{name}: {at}");
}

#[test]
fn neighbouring_seeds_have_no_draw_in_common() {
    // points so near that every pair has the error of one point with itself, whatever pairs the seed chose
    let setting = Setting::new(Kernel::curl_free(spectrum("gaussian", 1.0.into())), 2, 1e-9);
    let errors = |seed| measure(&setting, 20, 30, seed, &mut Silent).unwrap().errors;
    let (a, b) = (errors(0), errors(1));
    assert!(a.iter().all(|a| b.iter().all(|b| (a - b).abs() > 1e-7)));
}
