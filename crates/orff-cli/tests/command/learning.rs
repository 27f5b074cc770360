//! Kernels that are learned, from a table to a model, labels and scores.

use crate::desk::*;

/// Classes in stripes along the first of three inputs, named by words.
fn stripes(n: usize, start: u64) -> String {
    let mut state = start;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut text = "a,b,c,stripe\n".to_string();
    for _ in 0..n {
        let (a, b, c) = (4.0 * uniform(), uniform(), 100.0 * uniform());
        text += &format!("{a},{b},{c},{}\n", ["dark", "light"][a as usize % 2]);
    }
    text
}

#[test]
fn every_way_to_learn_a_kernel_goes_from_a_file_to_scores() {
    let desk = Desk::new();
    desk.write("d.csv", &stripes(400, 1));
    desk.write("t.csv", &stripes(200, 2));
    for (word, own) in [
        ("pac-bayes", ["--strength", "10"]),
        ("chi2", ["--divergence", "20"]),
        ("1.5", ["--sampling", "without-replacement"]),
        ("150", ["--candidates", "4000"]),
        ("landmarks", ["--lengthscale", "0.5,3,300"]),
    ] {
        let line =
            ["fit", "classification", "d.csv", "--target", "stripe", "--learn", word, "-o", "m.orff", "--report"];
        let line = [&line[..], &own].concat();
        let sized = if word == "landmarks" { ["--landmarks", "0.2"] } else { ["--features", "60"] };
        let (out, said) = desk.ok(&[&line[..], &sized].concat());
        assert!(said.contains("alignment loss"), "{word}: {said}");
        let of =
            if word == "landmarks" { "the kernels about landmarks" } else { "the posterior over all candidates" };
        assert!(out.contains(&format!("expected alignment loss of {of}")) && out.contains("of L19"), "{word}: {out}");
        let approximated =
            if word == "landmarks" { ": kernels about landmarks keep" } else { " of the learned kernel of all" };
        assert!(out.contains(&format!("approximation{approximated}")), "{word}: {out}");
        // what is not used is not said
        let used = if word == "landmarks" { "--" } else { "lengthscales of candidates in octaves" };
        assert!(!said.lines().any(|line| line.trim_start().starts_with("lengthscale ")), "{word}: {said}");
        assert!(used == "--" || said.contains(used), "{word}: {said}");
        let (text, _) = desk.ok(&["evaluate", "m.orff", "t.csv", "--format", "json"]);
        let found: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(number(&found, &["overall", "accuracy"]) > 0.9, "{word}: {text}");
        let (out, _) = desk.ok(&["-q", "predict", "m.orff", "t.csv", "--keep", "stripe"]);
        let same = out.lines().skip(1).filter(|l| l.split_once(',').is_some_and(|(a, b)| a == b)).count();
        assert_eq!(same as f64 / 200.0, number(&found, &["overall", "accuracy"]), "{word}");
        let (text, _) = desk.ok(&["inspect", "m.orff"]);
        assert!(text.contains("learned      ") && text.contains("expected alignment loss "), "{word}: {text}");
    }
    let (text, _) = desk.ok(&["inspect", "m.orff"]);
    assert!(text.contains("80 landmarks with 64 candidates each") && text.contains("violated"), "{text}");
}

#[test]
fn flags_of_other_ways_are_refused() {
    let desk = Desk::new();
    desk.write("d.csv", &stripes(50, 1));
    let line = ["fit", "classification", "d.csv", "--target", "stripe", "-o", "m.orff"];
    for (more, said) in [
        (vec!["--landmarks", "9"], "--landmarks: it is for --learn landmarks"),
        (vec!["--candidates", "9"], "--candidates: it is for --learn pac-bayes or chi2"),
        (vec!["--learn", "pac-bayes", "--divergence", "2"], "--divergence: it is for --learn chi2 or a power"),
        (vec!["--learn", "chi2", "--strength", "2"], "--strength: it is for --learn pac-bayes or landmarks"),
        (vec!["--learn", "chi2", "--landmarks", "9"], "--landmarks: it is for --learn landmarks"),
        (vec!["--learn", "landmarks", "--features", "10"], "--features: it is for --learn pac-bayes or chi2"),
        (
            vec!["--learn", "best"],
            "--learn: expected landmarks, pac-bayes, chi2 or a number > 1 and ≤ 1000, got \"best\"",
        ),
        (vec!["--learn", "0.5"], "--learn: expected landmarks, pac-bayes, chi2 or a number > 1 and ≤ 1000, got 0.5"),
    ] {
        let refused = desk.fails(&[&line[..], &more].concat(), 2);
        assert!(refused.contains(said), "{more:?}: {refused}");
    }
}
