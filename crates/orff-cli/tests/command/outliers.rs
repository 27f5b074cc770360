//! Outliers from a table to a model, scores and how good they are.

use crate::desk::*;
use serde_json::Value;

/// A cloud in the plane with every twentieth row far away, named by a word.
fn cloud(n: usize, start: u64) -> String {
    let mut state = start;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut text = "id,a,b,kind\n".to_string();
    for i in 0..n {
        let mut spread = || uniform() + uniform() + uniform() + uniform() - 2.0;
        let (far, kind) = if i % 20 == 7 { (4.0, "odd") } else { (0.0, "usual") };
        text += &format!("r{i},{},{},{kind}\n", spread() + far, 10.0 * spread());
    }
    text
}

#[test]
fn rows_go_in_and_scores_come_out() {
    let desk = Desk::new();
    desk.write("d.csv", &cloud(400, 1));
    desk.write("t.csv", &cloud(200, 2));
    for method in ["forest", "isolation"] {
        let line = ["fit", "one-class", "d.csv", "--method", method, "--ignore", "id"];
        let (_, said) = desk.ok(&[&line[..], &["--target", "kind", "--outliers", "odd", "-o", "m.orff"]].concat());
        assert!(said.contains("inputs a, b; target kind, 2 classes: odd, usual"), "{said}");
        let (out, _) = desk.ok(&["-q", "predict", "m.orff", "t.csv", "--keep", "id,kind"]);
        let rows: Vec<Vec<&str>> = out.lines().map(|l| l.split(',').collect()).collect();
        assert_eq!((rows[0].join(","), rows.len()), ("id,kind,score,outlier".into(), 201));
        let mean = |kind: &str| {
            let of: Vec<f64> = rows.iter().filter(|r| r[1] == kind).map(|r| r[2].parse().unwrap()).collect();
            of.iter().sum::<f64>() / of.len() as f64
        };
        assert!(mean("odd") < mean("usual") - 0.05, "{method}");
        // the column and its labels are those of the fit
        let (text, _) = desk.ok(&["evaluate", "m.orff", "t.csv", "--format", "json"]);
        let found: Value = serde_json::from_str(&text).unwrap();
        assert!(number(&found, &["overall", "roc_auc"]) > 0.9, "{method}: {found}");
        assert_eq!((number(&found, &["overall", "count"]), number(&found, &["overall", "outliers"])), (200.0, 10.0));
        let (text, _) = desk.ok(&["evaluate", "m.orff", "t.csv"]);
        assert!(text.contains("ROC AUC 0.9") || text.contains("ROC AUC 1.0"), "{text}");
        let (text, _) = desk.ok(&["inspect", "m.orff"]);
        assert!(text.contains("forest       100 trees") && text.contains("outliers     score below -0.5"), "{text}");
        assert!(!text.contains("ridge") && !text.contains("noise"), "{text}");
        // rows to be scored need not say what they are
        desk.write("new.csv", "b,a\n0,0\n0,9\n");
        let (out, _) = desk.ok(&["-q", "predict", "m.orff", "new.csv"]);
        assert!(out.lines().nth(1).unwrap().ends_with(",0") && out.lines().nth(2).unwrap().ends_with(",1"), "{out}");
    }
    // without a column that tells, nothing is learned about it
    desk.ok(&["fit", "one-class", "d.csv", "--inputs", "a,b", "--contamination", "0.05", "-o", "plain.orff"]);
    assert!(
        desk.fails(&["evaluate", "plain.orff", "t.csv"], 2).contains("--target: say which column tells outliers")
    );
    let (text, _) = desk.ok(&["evaluate", "plain.orff", "t.csv", "--target", "kind", "--outliers", "odd"]);
    assert!(text.contains("200 rows, 10 outliers"), "{text}");
    let (out, _) = desk.ok(&["-q", "predict", "plain.orff", "d.csv"]);
    assert_eq!(out.lines().filter(|l| l.ends_with(",1")).count(), 20, "5 % of 400");
}

#[test]
fn rows_are_held_out_and_labels_are_checked() {
    let desk = Desk::new();
    desk.write("d.csv", &cloud(300, 5));
    let line = ["fit", "one-class", "d.csv", "--ignore", "id", "--trees", "40"];
    let told = ["--target", "kind", "--outliers", "odd"];
    let (text, _) = desk.ok(&[&line[..], &told, &["--test", "0.4"]].concat());
    assert!(text.contains("40 % of the rows, held out") && text.contains("ROC AUC "), "{text}");
    let (text, _) = desk.ok(&[&line[..], &told, &["--folds", "3"]].concat());
    assert!(text.contains("300 rows, 15 outliers"), "{text}");
    let said = desk.fails(&[&line[..], &["--target", "kind", "-o", "m.orff"]].concat(), 2);
    assert!(said.ends_with("orff: --outliers: expected labels of kind (odd, usual), got 1\n"), "{said}");
    let said = desk.fails(&[&line[..], &["--test", "0.4"]].concat(), 2);
    assert!(said.contains("--target: say which column tells outliers"), "{said}");
    let said = desk.fails(&[&line[..], &["--method", "isolation", "--gamma", "2", "-o", "m.orff"]].concat(), 2);
    assert!(said.contains("--gamma: isolation has no such parameter (it is one of forest)"), "{said}");
    desk.ok(&[&line[..], &told, &["-o", "m.orff"]].concat());
    let said = desk.fails(&["predict", "m.orff", "d.csv", "--std"], 2);
    assert!(said.contains("--std: a model of outliers says a score"), "{said}");
    desk.write("y.csv", "x,y\n1,2\n2,3\n3,5\n4,4\n");
    desk.ok(&["fit", "regression", "y.csv", "--output", "y", "-o", "r.orff"]);
    let said = desk.fails(&["evaluate", "r.orff", "y.csv", "--target", "y"], 2);
    assert!(said.contains("--target: the model is none of outliers"), "{said}");
    let (help, _) = desk.ok(&["fit", "one-class", "--help"]);
    assert!(help.contains("--method") && help.contains("--contamination") && !help.contains("--outputs"), "{help}");
}

#[test]
fn level_sets_tell_outliers_at_any_level() {
    let desk = Desk::new();
    desk.write("d.csv", &cloud(300, 1));
    desk.write("t.csv", &cloud(200, 2));
    for method in ["level-sets", "svm"] {
        let line = ["fit", "one-class", "d.csv", "--method", method, "--inputs", "a,b", "--features", "200"];
        let (_, said) = desk.ok(&[&line[..], &["-o", "m.orff"]].concat());
        assert!(said.contains("as often as ν says") && said.contains("duality gap"), "{said}");
        let (text, _) =
            desk.ok(&["evaluate", "m.orff", "t.csv", "--target", "kind", "--outliers", "odd", "--format", "json"]);
        let found: Value = serde_json::from_str(&text).unwrap();
        assert!(number(&found, &["overall", "roc_auc"]) > 0.9, "{method}: {found}");
        let (text, _) = desk.ok(&["inspect", "m.orff"]);
        assert!(text.contains("outliers     score below 0.") && text.contains("gaussian("), "{text}");
        let asked = ["-q", "predict", "m.orff", "t.csv", "--levels", "0.1,0.6"];
        if method == "svm" {
            assert!(desk.fails(&asked, 2).contains("--levels: a set of another level"), "{method}");
            continue;
        }
        assert!(text.contains("level sets   of every level, 24 functions of it"), "{text}");
        let (out, _) = desk.ok(&asked);
        let rows: Vec<Vec<f64>> =
            out.lines().skip(1).map(|l| l.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
        assert_eq!((out.lines().next(), rows.len()), (Some("score,outlier,outlier_0.1,outlier_0.6"), 200));
        for row in rows {
            let expected = [0.05, 0.1, 0.6].map(|level| f64::from(u8::from(row[0] < level)));
            assert_eq!(row[1..], expected, "{row:?}");
        }
        // how far inside those sets
        let (out, _) = desk.ok(&[&asked[..], &["--scores"]].concat());
        assert!(out.starts_with("score,outlier,outlier_0.1,outlier_0.6,inside_0.1,inside_0.6\n"), "{out}");
        for line in out.lines().skip(1) {
            let row: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
            assert_eq!([row[4] < 0.0, row[5] < 0.0], [row[2] == 1.0, row[3] == 1.0], "{line}");
        }
        assert!(desk.fails(&["predict", "m.orff", "t.csv", "--scores"], 2).contains("--scores"));
        let twice = desk.fails(&["predict", "m.orff", "t.csv", "--levels", "0.1,0.1"], 2);
        assert!(twice.contains("outlier_0.1 is asked for twice"), "{twice}");
    }
    let line = ["fit", "one-class", "d.csv", "--inputs", "a,b", "--method", "svm", "--nu", "1", "-o", "m.orff"];
    assert!(desk.fails(&line, 2).contains("--nu"), "a level is below 1");
}

#[test]
fn every_method_is_drawn() {
    let desk = Desk::new();
    desk.write("d.csv", &cloud(200, 1));
    desk.write("t.csv", &cloud(60, 2));
    for (method, words) in
        [("level-sets", "a share ν"), ("svm", "are beyond"), ("forest", "are beyond"), ("isolation", "score")]
    {
        let fit = ["fit", "one-class", "d.csv", "--method", method, "-o", "m.orff", "--inputs"];
        desk.ok(&[&fit[..], &["a,b"]].concat());
        desk.ok(&["plot", "m.orff", "-o", "m.svg"]);
        let own = desk.read("m.svg");
        assert!(own.contains(words) && own.contains("\na\n") && own.contains("\nb\n"), "{method}: {own}");
        // other rows in the place of those of the fit
        desk.ok(&["plot", "m.orff", "-o", "t.svg", "--data", "t.csv", "--title", "rows of others"]);
        let others = desk.read("t.svg");
        assert!(others.contains("rows of others") && others != own, "{method}");
        let (out, _) = desk.ok(&["-q", "predict", "m.orff", "t.csv"]);
        let outliers = out.lines().filter(|line| line.ends_with(",1")).count();
        assert!(others.contains(&format!("{outliers} outlier")), "{method}: {outliers} {others}");
        desk.ok(&[&fit[..], &["b"]].concat());
        desk.ok(&["plot", "m.orff", "-o", "line.svg"]);
        let said = desk.fails(&["plot", "m.orff", "-o", "m.svg", "--kind", "path"], 2);
        assert!(said.contains("--kind path: of a model of outliers the sets are drawn"), "{said}");
    }
    desk.write("three.csv", "a,b,c\n1,2,3\n2,4,5\n3,1,1\n0,1,2\n");
    desk.ok(&["fit", "one-class", "three.csv", "-o", "m.orff"]);
    let said = desk.fails(&["plot", "m.orff", "-o", "m.svg"], 2);
    assert!(said.contains("drawn with one input or two, got 3"), "{said}");
}
