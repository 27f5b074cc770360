//! `orff bound`, and what a fit reports of its own.

use crate::desk::*;

#[test]
fn two_of_three_numbers_answer_the_third() {
    let desk = Desk::new();
    let ask = |more: &[&str]| {
        let kernel = ["bound", "--kernel", "curl-free", "--dimension", "3", "--diameter", "2", "--format", "json"];
        let (said, _) = desk.ok(&[&kernel, more].concat());
        serde_json::from_str::<serde_json::Value>(&said).unwrap()
    };
    let best = |json: &serde_json::Value| number(&json["bounds"][0], &["value"]);
    let epsilon = ask(&["--features", "20000", "--probability", "0.01"]);
    assert_eq!(epsilon["asked"], "epsilon");
    let e = best(&epsilon).to_string();
    let back = ask(&["--features", "20000", "--epsilon", &e]);
    assert!((best(&back) - 0.01).abs() < 1e-6);
    let features = ask(&["--epsilon", &e, "--probability", "0.01"]);
    assert!((best(&features) - 20000.0).abs() <= 2.0, "{}", best(&features));
    // a bound says its assumptions, and measured errors stand beside it
    let seen = ask(&["--features", "200", "--probability", "0.1", "--draws", "20"]);
    assert!(number(&seen, &["measured"]) < best(&seen));
    let (text, _) =
        desk.ok(&["bound", "--kernel", "curl-free", "--dimension", "3", "--features", "200", "--empirical"]);
    assert!(text.contains("measured (20 draws of 100 atoms") && text.contains("independent draws"), "{text}");
    assert!(text.contains("not rahimi-recht"), "{text}");
    let learning = ["--rows", "1000", "--ridge", "0.1", "--norm", "2"];
    let (text, _) = desk.ok(&[&["bound", "--dimension", "3", "--features", "200"][..], &learning].concat());
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
    assert!(at("Proposition 7.1") < at("(7.5)") && at("(7.5)") < at("(7.6)"), "the tightest first: {text}");
    assert!(text.contains("assumed: independent draws; rows independent and alike, ‖y‖ ≤ 1"), "{text}");
    let (text, _) = desk.ok(&["bound", "--dimension", "3", "--features", "20", "--epsilon", "0.1"]);
    assert!(text.contains("no bound says anything here"), "{text}");
    for (args, sentence) in [
        (vec!["--kernel", "curl-free(laplace)", "--dimension", "2", "--features", "20"], "no second derivative"),
        (vec!["--kernel", "div-free", "--dimension", "1", "--features", "20"], "in one dimension"),
        (vec!["--dimension", "2"], "features or an epsilon"),
        (vec!["--dimension", "2", "--features", "20", "--epsilon", "0"], "--epsilon: expected"),
        (vec!["--dimension", "0", "--features", "20"], "--dimension: expected"),
        (
            vec!["--dimension", "2", "--features", "20", "--ridge", "0.1"],
            "ridge: expected auto where no rows are given",
        ),
        // flags that nothing would come of
        (vec!["--features", "20", "--largest", "3"], "largest: expected auto where no rows are given"),
        (vec!["--features", "20", "--seed", "3"], "--seed: nothing is drawn"),
        (vec!["--features", "20", "--empirical", "--draws", "0"], "--draws: expected at least 1"),
    ] {
        let said = desk.fails(&[&["bound"][..], &args].concat(), 2);
        assert!(said.contains(sentence), "{args:?}: {said}");
    }
}

#[test]
fn sums_have_variances_however_they_are_drawn() {
    let desk = Desk::new();
    let line =
        ["bound", "--kernel", "curl-free + 0.5*div-free", "--dimension", "3", "--features", "200", "--empirical"];
    for sum in ["concatenation", "mixture"] {
        let (text, _) = desk.ok(&[&line[..], &["--sum", sum]].concat());
        let said: Vec<&str> = text.lines().filter(|l| l.starts_with("variance times atoms at distance")).collect();
        assert!(said.len() == 3 && said.iter().all(|l| l.contains("; measured ")), "{sum}: {text}");
    }
    let (text, _) =
        desk.ok(&["bound", "--kernel", "conjugate([[1, 2]], curl-free)", "--dimension", "2", "--features", "20"]);
    assert!(text.contains("not variance: the variance of conjugate"), "{text}");
}

/// Errors that are small have digits too.
#[test]
fn small_numbers_of_a_report_are_numbers() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(300, "x1,x2,y1,y2"));
    let fit = ["fit", "regression", "d.csv", "--outputs", "y1,y2", "--features", "800", "--ridge", "1e-9"];
    let (said, _) = desk.ok(&[&fit[..], &["--kernel", "gaussian(200)", "-o", "m.orff", "--report"]].concat());
    let line = said.lines().find(|l| l.contains("largest error measured")).unwrap();
    let value: f64 = line.split_whitespace().next().unwrap().parse().unwrap();
    assert!(value > 0.0 && value < 5e-5, "{said}");
}

#[test]
fn a_fit_reports_its_approximation_and_its_bounds() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(300, "x1,x2,y1,y2"));
    let fit = ["fit", "regression", "d.csv", "--outputs", "y1,y2", "--features", "200", "--ridge", "0.01"];
    for more in [&["-o", "m.orff"][..], &["--test", "0.2"], &["-o", "n.orff", "--kernel", "helmholtz(gradient=0.4)"]]
    {
        let (said, _) = desk.ok(&[&fit, more, &["--report"]].concat());
        let value = |what: &str| -> f64 {
            let line = said.lines().find(|l| l.contains(what)).unwrap_or_else(|| panic!("{what}: {said}"));
            line.split_whitespace().next().unwrap().parse().unwrap()
        };
        assert!(value("largest error measured") < value("bound for all rows"), "{said}");
        let mean = value("mean over the rows");
        for what in ["Proposition 7.1", "(7.5)", "(7.6)"] {
            assert!(mean < value(what), "{said}");
        }
    }
    // kernels of machines without outputs, and of the inputs of curves
    desk.write("c.csv", &rows(60, "x1,x2,y1,y2"));
    for (line, of) in [
        (&["fit", "one-class", "d.csv", "--inputs", "x1,x2", "--method", "svm"][..], "the kernel"),
        (&["fit", "one-class", "d.csv", "--inputs", "x1,x2", "--method", "level-sets"], "the kernel of the inputs"),
        (&["fit", "functional", "c.csv", "--outputs", "y1,y2", "--grid", "0,1"], "the kernel of the inputs"),
    ] {
        let (said, _) = desk.ok(&[line, &["--features", "100", "-o", "o.orff", "--report"]].concat());
        assert!(said.contains(&format!("approximation of {of} (")), "{line:?}: {said}");
        let value = |what: &str| -> f64 {
            let line = said.lines().find(|l| l.contains(what)).unwrap_or_else(|| panic!("{what}: {said}"));
            line.split_whitespace().next().unwrap().parse().unwrap()
        };
        assert!(value("largest error measured") > 0.0, "{line:?}: {said}");
        assert!(value("largest error measured") < value("bound for all rows"), "{line:?}: {said}");
    }
    // the score stands beside it, where nothing was held out too
    let (said, _) = desk.ok(&[&fit[..], &["-o", "m.orff", "--report"]].concat());
    let (own, _) = desk.ok(&["evaluate", "m.orff", "d.csv"]);
    let scores: Vec<&str> = own.lines().skip(1).collect();
    assert!(said.starts_with(&format!("the rows that were learned from\n{}\n", scores.join("\n"))), "{said} {own}");
    let (said, _) = desk.ok(&["fit", "exact", "d.csv", "--outputs", "y1", "-o", "e.orff", "--report"]);
    assert!(said.contains("the model has no random features"), "{said}");
    let said = desk.fails(&["fit", "regression", "d.csv", "--outputs", "y1", "--folds", "3", "--report"], 2);
    assert!(said.contains("--report"), "{said}");
}

/// More features than anyone draws: what was measured instead is said, at once.
#[test]
fn errors_that_are_too_small_to_measure_are_extrapolated() {
    let desk = Desk::new();
    let line = ["bound", "--kernel", "curl-free", "--dimension", "3", "--diameter", "2", "--epsilon", "1e-6"];
    let (text, _) = desk.ok(&[&line[..], &["--empirical"]].concat());
    let said = text.lines().find(|l| l.contains("measured")).unwrap();
    assert!(said.contains("not measured, so many features are not tried: about, if errors go on falling"), "{text}");
    assert!(said.contains("20 draws of 1024 atoms"), "{text}");
    let about: f64 = said.split_whitespace().next().unwrap().parse().unwrap();
    assert!((1e12..1e14).contains(&about), "{about}");
}
