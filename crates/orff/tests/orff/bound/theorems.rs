//! The theorems as functions: the papers' formulas, brute force, monotone, inverted.

use super::{ask, coupled, scalar, spectrum};
use orff::bound::{Bound, Setting, bounds, net};
use orff::kernel::Kernel;
use orff::spectrum::Measure;
use serde_json::json;

fn named<'a>(all: &'a [Bound], name: &str) -> &'a Bound {
    all.iter().find(|b| b.name == name).unwrap()
}

#[test]
fn the_scalar_case_is_the_formula_of_rahimi_and_recht() {
    // claim 1 of the paper: 2⁸ (σ_p diam/ε)² exp(−Dε²/(4(d+2))), σ_p² = E‖ω‖² = d/ℓ²
    for (d, diameter, epsilon, atoms) in [(1, 1.0, 0.1, 40_000u64), (3, 2.0, 0.2, 30_000), (20, 1.5, 0.3, 60_000)] {
        let setting = Setting::new(scalar(spectrum("gaussian", 0.5.into())), d, diameter);
        let found = bounds(&setting).unwrap();
        let (d, n) = (d as f64, atoms as f64);
        let claim =
            256.0 * (4.0 * d) * (diameter / epsilon).powi(2) * (-n * epsilon * epsilon / (4.0 * (d + 2.0))).exp();
        assert!(claim < 1.0);
        let ours = named(&found.bounds, "rahimi-recht").probability(atoms, epsilon).unwrap();
        assert!((ours / claim - 1.0).abs() < 1e-12, "{ours} {claim}");
    }
    // T17 Corollary 5.1: the error of k₀Γ is ‖Γ‖ times that of k₀
    let s = || spectrum("gaussian", 0.5.into());
    let gamma = orff::bound::Constants::of(&coupled(s()), 2, 1.0, Measure::Plain).unwrap().norm;
    let at = |k: Kernel| bounds(&Setting::new(k, 2, 1.0)).unwrap().bounds;
    let (one, many) = (at(scalar(s())), at(coupled(s())));
    let one = named(&one, "rahimi-recht").probability(50_000, 0.1).unwrap();
    let many = named(&many, "rahimi-recht").probability(50_000, 0.1 * gamma).unwrap();
    assert!(one < 1.0 && (one / many - 1.0).abs() < 1e-9);
}

#[test]
fn corrected_forms_are_those_of_the_page() {
    // curl-free gaussian, σ = 1, d = 3, trace: ‖A‖ = ‖A‖_HS = 3, m = E‖ω‖³ = 2^{3/2}Γ(3)/Γ(3/2), v = ‖E[A²]‖ = 3, p_int = 3
    let found = bounds(&Setting::new(Kernel::curl_free(spectrum("gaussian", 1.0.into())), 3, 2.0)).unwrap().bounds;
    let (d, c, m) = (3.0f64, 2.0, 2f64.powf(1.5) * 2.0 / (std::f64::consts::PI.sqrt() / 2.0));
    let (epsilon, atoms) = (0.8, 20_000u64);
    let n = atoms as f64;
    let cd = 4.0 * (d.powf(1.0 / (d + 1.0)) + d.powf(-d / (d + 1.0)));
    let power = |x: f64| x.powf(d / (d + 1.0));
    let check = |name: &str, expected: f64| {
        let ours = named(&found, name).probability(atoms, epsilon).unwrap();
        assert!(expected < 1.0 && (ours / expected - 1.0).abs() < 1e-9, "{name}: {ours} {expected}");
    };
    let psi = epsilon * epsilon / (8.0 * (d + 1.0) * (3.0 + 4.0 * epsilon / 6.0));
    check("brault-2017-bounded", cd * power(4.0 * m * c / epsilon) * 6f64.powf(1.0 / (d + 1.0)) * (-n * psi).exp());
    let a = 2f64.powf((3.0 * d + 1.0) / (d + 1.0)) * (d.powf(1.0 / (d + 1.0)) + d.powf(-d / (d + 1.0)));
    let rate = n * epsilon / (4.0 * (d + 1.0) * 3.0) * (1.0 + 3.0 * epsilon / (2.0 * 9.0)).ln();
    check("minh-uniform", a * power(2.0 * m * c / epsilon) * (-rate).exp());
    let u = 4.0 * (3.0 / 2f64.ln() + 1.0);
    let k = (16.0 * 2f64.sqrt() * 3.0 * u * u / 3.0).ln();
    let (f, e) = (4.0 / 3.0, n * epsilon / (8.0 * u * k)); // ε > vf/(uK)
    assert!(epsilon > 3.0 * f / (u * k));
    let r = 1.0 + 3.0 / (2.0 * e).powi(2);
    let at = cd * power(4.0 * m * c / epsilon) * (3.0 * r).powf(1.0 / (d + 1.0)) * (-e / (d + 1.0)).exp();
    let ours = named(&found, "brault-2017-unbounded").probability(atoms, epsilon).unwrap();
    assert!((ours / at.min(1.0) - 1.0).abs() < 1e-9, "{ours} {at}");
    let ub = u * (1.0 + 2.0 * u * u / 3.0).ln();
    let e = std::f64::consts::E;
    assert!(epsilon * ub > 4.0 * (e - 1.0) * 3.0);
    let c_d = 3.0
        * ((d / 2.0).powf(-d / (d + 2.0)) + (d / 2.0).powf(2.0 / (d + 2.0)))
        * 2f64.powf((6.0 * d + 2.0) / (d + 2.0));
    // σ_p² = E‖ω‖²‖A‖² = 9 E_trace‖ω‖² = 9(d+2)
    let at = c_d
        * (45f64.sqrt() * c / epsilon).powf(2.0 * d / (d + 2.0))
        * (-(5.0 * n) * epsilon / ((d + 2.0) * (e - 1.0) * ub)).exp();
    let ours = named(&found, "brault-2016").probability(5 * atoms, epsilon).unwrap();
    assert!(at < 1.0 && (ours / at - 1.0).abs() < 1e-9, "{ours} {at}");
    // M16 Theorem 11
    let at = 2.0 * (-(n * 0.2) / 6.0 * (1.0 + 3.0 * 0.2 / 9.0f64).ln()).exp();
    let ours = named(&found, "minh-pointwise").probability(atoms, 0.2).unwrap();
    assert!((ours / at - 1.0).abs() < 1e-9);
}

#[test]
fn nets_are_minimal() {
    for (k, a, b, radius, d) in [(1.0, 3.0, 1e-6, 2.0, 3), (2.0, 0.5, 1e-9, 0.7, 5), (1.0, 1e-3, 10.0, 1.0, 2)] {
        let ours = net(k, f64::ln(a), f64::ln(b), radius, d).exp();
        let at = |r: f64| a * r.powf(k) + b * (4.0 * radius / r).powi(d as i32);
        let brute = (1..=400_000).map(|i| at(4.0 * radius * f64::from(i) / 400_000.0)).fold(f64::INFINITY, f64::min);
        assert!(ours <= brute * (1.0 + 1e-9) && ours > brute * (1.0 - 1e-4), "{ours} {brute}");
    }
}

#[test]
fn bounds_fall_with_features_and_with_epsilon_and_their_inverses_invert() {
    let kernels = [
        "gaussian",
        "cauchy",
        "matern(2.5)",
        "curl-free",
        "div-free",
        "helmholtz(gradient=0.3)",
        "2*curl-free + div-free",
    ];
    for kernel in kernels {
        for measure in ["plain", "trace"] {
            for dimension in [2, 5] {
                let q = |more: serde_json::Value| {
                    let mut all =
                        json!({"kernel": kernel, "measure": measure, "dimension": dimension, "diameter": 1.5});
                    all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                    ask(all).unwrap()
                };
                let value =
                    |a: &orff::bound::Answer, name: &str| a.bounds.iter().find(|b| b.name == name).unwrap().value;
                let names: Vec<&str> =
                    q(json!({"features": 10, "epsilon": 1.0})).bounds.iter().map(|b| b.name).collect();
                for name in names {
                    let mut before = 1.0;
                    for power in 1..30 {
                        let now = value(&q(json!({"features": 1u64 << power, "epsilon": 0.7})), name).unwrap();
                        assert!(now <= before, "{kernel} {name}: D");
                        before = now;
                    }
                    assert!(before < 1e-3, "{kernel} {measure} {dimension} {name}: {before}");
                    let mut before = 1.0;
                    for power in -20..12 {
                        let now =
                            value(&q(json!({"features": 1u64 << 18, "epsilon": 2f64.powi(power)})), name).unwrap();
                        assert!(now <= before, "{kernel} {name}: ε");
                        before = now;
                    }
                    for (features, p) in [(1u64 << 14, 0.05), (1 << 22, 1e-6)] {
                        let epsilon = value(&q(json!({"features": features, "probability": p})), name).unwrap();
                        let at = |epsilon: f64| {
                            value(&q(json!({"features": features, "epsilon": epsilon})), name).unwrap()
                        };
                        assert!(
                            at(epsilon) <= p * (1.0 + 1e-9) && at(epsilon * (1.0 - 1e-9)) > p * (1.0 - 1e-6),
                            "{kernel} {name}"
                        );
                        let enough = value(&q(json!({"epsilon": epsilon, "probability": p})), name).unwrap();
                        assert!(enough <= features as f64 + 4.0, "{kernel} {name}: {enough} {features}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_tightest_bound_comes_first_and_nothing_hangs() {
    let a = ask(json!({"kernel": "curl-free", "dimension": 3, "diameter": 2.0, "features": 200_000, "epsilon": 0.5}))
        .unwrap();
    let uniform: Vec<f64> = a.bounds[..4].iter().map(|b| b.value.unwrap()).collect();
    assert!(uniform.is_sorted() && a.bounds[4].name == "minh-pointwise" && a.bounds.len() == 5);
    // extremes answer too
    for (epsilon, probability) in [(1e-300, 1e-300), (1e300, 0.5), (1e-12, 1e-12)] {
        let a = ask(
            json!({"kernel": "div-free", "dimension": 40, "diameter": 1e6, "epsilon": epsilon, "probability": probability}),
        );
        assert!(a.unwrap().bounds.iter().all(|b| b.value.is_none_or(|v| v >= 2.0)));
    }
    let tiny = ask(json!({"dimension": 2, "diameter": 1e-150, "features": 2, "probability": 0.5})).unwrap();
    assert!(tiny.bounds.iter().all(|b| b.value.is_none_or(|v| v > 0.0)));
}

#[test]
fn learning_is_answered_with_the_constants_of_the_kernel() {
    use orff::bound::{Consistency, Fitted, Generalisation, Warped};
    use orff::feature::MapKind;
    // curl-free gaussian, trace: ‖K̂(x,x)‖ ≤ Tr K̂(x,x) = d/ℓ²
    let q = json!({"kernel": "curl-free", "dimension": 3, "lengthscale": 0.5, "features": 200, "rows": 1000, "ridge": 0.1,
        "largest": 2.0, "norm": 1.5, "probability": 0.1});
    let learning = ask(q).unwrap().learning.unwrap();
    let fitted = Fitted { rows: 1000, ridge: 0.1, kappa: 12.0, trace: 12.0, largest: 2.0, norm: 1.5, risk: 0.0 };
    let (ours, direct) = (learning.generalisation.unwrap(), Generalisation::of(&fitted, 0.1).unwrap());
    assert!((ours.stability / direct.stability - 1.0).abs() < 1e-12 && (ours.norm / direct.norm - 1.0).abs() < 1e-12);
    assert!(learning.assumptions.iter().any(|a| a.contains("‖y‖ ≤ 2")), "{:?}", learning.assumptions);
    let l = 12f64.sqrt() * 1.5 + 2.0;
    let direct = Consistency::of((1000, 100), (l, 0.5 * l * l), 1.5, (12.0, 12.0), 0.1).unwrap();
    assert!((learning.consistency.unwrap().approximation / direct.approximation - 1.0).abs() < 1e-12);
    let q = json!({"dimension": 2, "features": 200, "rows": 50, "graph": 0.3});
    let learning = ask(q).unwrap().learning.unwrap();
    assert!(learning.assumptions.iter().any(|a| a.contains("k₀(0) = 1")) && learning.generalisation.is_none());
    let warped = learning.warped.unwrap();
    assert_eq!(warped, Warped::of(50, 100, None, 0.3, MapKind::Pairs).unwrap());
    for (more, word) in [
        (json!({"kernel": "curl-free", "measure": "plain", "rows": 10, "ridge": 1.0}), "measure trace"),
        (json!({"kernel": "curl-free", "rows": 10, "graph": 1.0}), "one output"),
        // numbers that would change nothing
        (json!({"ridge": 0.1}), "ridge: expected auto where no rows are given"),
        (json!({"graph": 0.1}), "graph: expected auto where no rows are given"),
        (json!({"rows": 10}), "rows: expected auto, or a number beside a ridge"),
        (json!({"largest": 2.0}), "largest: expected auto where no rows are given"),
        (json!({"rows": 10, "graph": 0.1, "largest": 2.0}), "largest: expected auto without a ridge or a norm"),
        (
            json!({"features": "auto", "epsilon": 0.1, "rows": 10, "graph": 0.1}),
            "graph: expected auto where features",
        ),
        (json!({"features": "auto", "epsilon": 0.1, "rows": 10, "norm": 1.0}), "norm: expected auto where features"),
    ] {
        let mut all = json!({"dimension": 2, "features": 200});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let said = ask(all).unwrap_err().to_string();
        assert!(said.contains(word), "{said}");
    }
    // variances beside it: at the origin Var[A] = (d−1)/ℓ⁴
    let spread =
        ask(json!({"kernel": "curl-free", "dimension": 3, "lengthscale": 0.5, "features": 200})).unwrap().variance;
    assert!((spread[0].exact.unwrap() - 32.0).abs() < 1e-9 && spread.iter().all(|s| s.exact.unwrap() <= s.always));
}
