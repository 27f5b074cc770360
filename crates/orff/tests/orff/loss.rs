//! Losses against their definitions: numbers worked out by hand, brute force, and the test-kit.

use faer::Mat;
use orff::loss::{Loss, Named, Simplex};
use orff::testing::check_loss;

fn named(text: &str) -> Named {
    text.parse().unwrap()
}

fn value(loss: &str, f: &[f64], y: &[f64]) -> f64 {
    named(loss).gradient(f, y, 0.0, &mut vec![0.0; f.len()])
}

#[test]
fn every_loss_passes_the_kit() {
    let words = ["huber(0.4)", "epsilon-insensitive(0.5)", "pinball(0.8)"];
    for text in Named::NAMES.iter().copied().chain(words) {
        for p in [1, 2, 5] {
            check_loss(&named(text), p).unwrap_or_else(|e| panic!("{text}, {p} outputs: {e}"));
        }
    }
}

#[test]
fn values_by_hand() {
    assert_eq!(value("squared", &[3.0, 1.0], &[1.0, f64::NAN]), 4.0);
    assert_eq!(value("huber(2)", &[1.5], &[0.0]), 2.25);
    assert_eq!(value("huber(2)", &[-5.0], &[0.0]), 16.0);
    assert_eq!(value("epsilon-insensitive(0.5)", &[2.0, 0.2], &[0.0, 0.0]), 1.5);
    // level 0.75: too low costs three times as much as too high
    assert_eq!(value("pinball(0.75)", &[0.0], &[2.0]), 1.5);
    assert_eq!(value("pinball(0.75)", &[2.0], &[0.0]), 0.5);
    assert_eq!(value("hinge", &[0.5, 2.0, -0.5], &[1.0, 1.0, 1.0]), 0.5 + 1.5);
    assert_eq!(value("squared-hinge", &[-1.0, 3.0], &[1.0, -1.0]), 4.0 + 16.0);
    // two classes: codes 1 and −1
    assert_eq!(value("simplex-hinge", &[0.25], &[0.0]), 0.75);
    assert_eq!(value("simplex-hinge", &[0.25], &[1.0]), 1.25);
    assert!((value("logistic", &[0.3], &[1.0]) - (1.0 + 0.6f64.exp()).ln()).abs() < 1e-15);
    assert!((value("logistic", &[900.0], &[1.0]) - 1800.0).abs() < 1e-12);
}

/// The definition with the codes written out.
#[test]
fn losses_of_classes_by_their_definition() {
    let f = [0.4, -1.1, 0.7];
    let codes = Simplex::new(4).codes();
    let score = |c: usize| (0..3).map(|k| codes[(k, c)] * f[k]).sum::<f64>();
    for y in 0..4 {
        let hinge: f64 = (0..4).filter(|c| *c != y).map(|c| (1.0 / 3.0 + score(c)).max(0.0)).sum();
        let logistic = (0..4).map(|c| (score(c) - score(y)).exp()).sum::<f64>().ln();
        assert!((value("simplex-hinge", &f, &[y as f64]) - hinge).abs() < 1e-14);
        assert!((value("logistic", &f, &[y as f64]) - logistic).abs() < 1e-14);
    }
}

/// The recursion of the code with −1/T, built matrix by matrix.
#[test]
fn the_simplex_code_is_its_recursion() {
    let mut codes = faer::mat![[1.0, -1.0]];
    for t in 2..9usize {
        assert!((Simplex::new(t).codes() - &codes).norm_max() < 1e-14, "{t} classes");
        let gram = codes.transpose() * &codes;
        let expected = Mat::from_fn(t, t, |a, b| if a == b { 1.0 } else { -1.0 / (t - 1) as f64 });
        assert!((gram - expected).norm_max() < 1e-14, "{t} classes");
        let (inner, shrink) = (codes, (1.0 - 1.0 / (t * t) as f64).sqrt());
        codes = Mat::from_fn(t, t + 1, |i, c| match (i, c) {
            (0, 0) => 1.0,
            (0, _) => -1.0 / t as f64,
            (_, 0) => 0.0,
            _ => shrink * inner[(i - 1, c - 1)],
        });
    }
    let code = Simplex::new(5);
    (0..5).for_each(|c| {
        let column: Vec<f64> = code.codes().col(c).iter().copied().collect();
        assert_eq!(code.decode(&column), c);
    });
}

/// ℓ*(u) = sup over f, on a fine grid, inside and outside of the domain.
#[test]
fn conjugates_by_brute_force() {
    for (text, y) in [
        ("squared", 0.7),
        ("huber(0.5)", 0.7),
        ("epsilon-insensitive(0.3)", -0.4),
        ("pinball(0.3)", 0.9),
        ("hinge", -1.0),
        ("squared-hinge", 1.0),
        ("simplex-hinge", 1.0),
        ("logistic", 0.0),
    ] {
        let loss = named(text);
        let mut slope = [0.0];
        let mut at = |f: f64, u: f64| u * f - loss.gradient(&[f], &[y], 0.0, &mut slope);
        for u in [-1.6, -0.9, -0.45, -0.2, 0.0, 0.15, 0.55, 0.9, 1.6] {
            let mut most = |width: f64| {
                (0..=40_000).map(|i| at(width * (i as f64 / 20_000.0 - 1.0), u)).fold(f64::NEG_INFINITY, f64::max)
            };
            let (near, far) = (most(10.0), most(20.0));
            let found = loss.conjugate(&[u], &[y]);
            if far > near + 1e-6 {
                assert_eq!(found, f64::INFINITY, "{text} at {u}");
            } else {
                assert!((found - far).abs() < 1e-5, "{text} at {u}: {found}, by brute force {far}");
            }
        }
    }
}

#[test]
fn names_are_read_and_written() {
    for text in ["squared", "huber(0.5)", "epsilon-insensitive(0)", "pinball(0.9)", "simplex-hinge"] {
        assert_eq!(named(text).to_string(), text);
    }
    assert_eq!(named(" huber ( 2 ) ").to_string(), "huber(2)");
    for (text, part) in [
        ("hubert", "expected one of squared, huber"),
        ("huber(0)", "threshold of huber: expected a number > 0, got 0"),
        ("huber(x)", "a name such as huber"),
        ("huber(1", "a name such as huber"),
        ("hinge(1)", "hinge without a parameter"),
        ("pinball(1)", "level of pinball"),
        ("pinball(nan)", "level of pinball"),
        ("epsilon-insensitive(-1)", "width"),
    ] {
        let said = text.parse::<Named>().unwrap_err().to_string();
        assert!(said.contains(part), "{text}: {said}");
    }
    let json = serde_json::to_string(&named("pinball(0.9)")).unwrap();
    assert_eq!(
        (json.as_str(), serde_json::from_str::<Named>(&json).unwrap()),
        ("\"pinball(0.9)\"", named("pinball(0.9)"))
    );
}
