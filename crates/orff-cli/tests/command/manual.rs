//! The lines of the manual, help, and configuration files.

use crate::desk::*;
use std::path::Path;

#[test]
fn the_lines_of_the_manual_work_as_written() {
    let desk = Desk::new();
    desk.write("train.csv", &rows(300, "x1,x2,y1,y2"));
    desk.write("test.csv", &rows(100, "x1,x2,y1,y2"));
    desk.write("new.csv", "x1,x2\n0.5,1\n-1,0.25\n");
    let (stdout, stderr) = desk.ok(&["fit", "regression", "train.csv", "--outputs", "y1,y2", "-o", "m.orff"]);
    assert_eq!(stdout, "", "stdout carries data only");
    for word in ["lengthscale", "features", "memory about", "ridge", "wrote m.orff (300 rows)"] {
        assert!(stderr.contains(word), "{word} in {stderr}");
    }
    desk.ok(&["predict", "m.orff", "new.csv", "-o", "out.csv", "--interval", "0.9"]);
    let out = desk.read("out.csv");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "y1,y1_lower,y1_upper,y2,y2_lower,y2_upper");
    let first: Vec<f64> = lines[1].split(',').map(|v| v.parse().unwrap()).collect();
    assert!((first[0] - (0.75f64.sin() + 1.0)).abs() < 0.1 && first[1] < first[0] && first[0] < first[2], "{out}");
    assert!((first[3] - 0.5).abs() < 0.1);
    let (json, _) = desk.ok(&["evaluate", "m.orff", "test.csv", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(number(&json, &["outputs", "y1", "r2"]) > 0.99);
    assert!(number(&json, &["overall", "coverage"]) > 0.8);
    let (text, _) = desk.ok(&["inspect", "m.orff"]);
    assert!(text.contains("x1, x2") && text.contains("decomposable(gaussian("), "{text}");
    assert!(text.contains(concat!("\nwritten by   orff ", env!("CARGO_PKG_VERSION"), "\n")), "{text}");
    desk.ok(&["plot", "m.orff", "-o", "field.svg"]);
    assert!(desk.read("field.svg").starts_with("<svg"));
    let (list, _) = desk.ok(&["experiment", "list"]);
    assert!(list.contains("m16-table-1") && list.contains("m16-table-2"));
}

#[test]
fn a_configuration_file_is_overridden_by_flags() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(100, "x1,x2,y1,y2"));
    desk.write("c.toml", "outputs = \"y1\"\nfeatures = 64\nridge = 0.001\nkernel = \"decomposable(matern(1.5))\"\n");
    desk.ok(&[
        "fit",
        "regression",
        "d.csv",
        "--config",
        "c.toml",
        "--inputs",
        "x1,x2",
        "--features",
        "80",
        "-o",
        "m.orff",
    ]);
    let (json, _) = desk.ok(&["inspect", "m.orff", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((json["params"]["features"].as_u64(), number(&json, &["params", "ridge"])), (Some(80), 0.001));
    desk.write("bad.toml", "featurs = 3\n");
    let said =
        desk.fails(&["fit", "regression", "d.csv", "--config", "bad.toml", "--outputs", "y1", "-o", "m.orff"], 2);
    assert!(said.contains("unknown parameter \"featurs\"; did you mean features?"), "{said}");
}

#[test]
fn help_completions_and_manual_come_from_the_declarations() {
    let desk = Desk::new();
    let (help, _) = desk.ok(&["fit", "regression", "--help"]);
    for flag in [
        "--features",
        "--lengthscale",
        "--ridge",
        "--draw",
        "--measure",
        "--seed",
        "--threads",
        "--config",
        "--project",
    ] {
        assert!(help.contains(flag), "{flag}");
    }
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("[takes: additive, multiplicative, skewed(c)"), "{help}");
    assert!(help.contains("[takes: evidence, gcv, loo or a number ≥ 0]"), "{help}");
    let (text, _) = desk.ok(&["completions", "bash"]);
    assert!(text.contains("--lengthscale") && text.contains("quasi-monte-carlo"));
    desk.ok(&["man", "pages"]);
    assert!(Path::new(&desk.path("pages/orff-fit-regression.1")).exists());
}

#[test]
fn references_are_learners_too() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(120, "x1,x2,y1,y2"));
    for learner in ["exact", "nystrom"] {
        desk.ok(&["-q", "fit", learner, "d.csv", "--outputs", "y1,y2", "-o", "m.orff"]);
        let (json, _) = desk.ok(&["evaluate", "m.orff", "d.csv", "--format", "json"]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert!(number(&json, &["overall", "r2"]) > 0.98, "{learner}: {json}");
        desk.ok(&["inspect", "m.orff"]);
    }
}

#[test]
fn a_configuration_file_may_list_columns() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(60, "x1,x2,\"y, 1\",y2"));
    desk.write("c.toml", "inputs = [\"x1\", 2]\noutputs = [\"y, 1\", \"y2\"]\nfeatures = 16\n");
    let (_, said) = desk.ok(&["fit", "regression", "d.csv", "--config", "c.toml", "-o", "m.orff"]);
    assert!(said.contains("inputs x1, x2; outputs y, 1, y2"), "{said}");
    desk.write("c.toml", "outputs = [[\"y2\"]]\n");
    let said = desk.fails(&["fit", "regression", "d.csv", "--config", "c.toml", "-o", "m.orff"], 2);
    assert!(said.contains("c.toml: outputs: expected"), "{said}");
}

#[test]
fn an_output_operator_may_be_a_bare_matrix() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(60, "x1,x2,y1,y2"));
    let line =
        ["-q", "fit", "regression", "d.csv", "--outputs", "y1,y2", "--features", "16", "-o", "m.orff", "--kernel"];
    desk.ok(&[&line[..], &["decomposable(gaussian, [[1, 0.5], [0.5, 1]])"]].concat());
    let (text, _) = desk.ok(&["inspect", "m.orff"]);
    assert!(text.contains("given([[1, 0.5], [0.5, 1]])"), "{text}");
}
