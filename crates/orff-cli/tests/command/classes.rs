//! Classes from a table to a model, labels and scores.

use crate::desk::*;
use serde_json::Value;

/// Three clusters in the plane named by words, with a little overlap; some rows of another file.
fn flowers(n: usize, start: u64) -> String {
    let mut state = start;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut text = "a,b,species\n".to_string();
    for i in 0..n {
        let (name, x, y) = [("rose", 0.0, 0.0), ("daisy", 3.0, 0.0), ("wild lily", 0.0, 3.0)][i % 3];
        let mut spread = || uniform() + uniform() + uniform() + uniform() - 2.0;
        text += &format!("{},{},{name}\n", x + 1.4 * spread(), y + 1.4 * spread());
    }
    text
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn labels_go_in_and_labels_come_out() {
    let desk = Desk::new();
    desk.write("d.csv", &flowers(240, 1));
    desk.write("t.csv", &flowers(90, 2));
    let (_, said) = desk.ok(&["fit", "classification", "d.csv", "--target", "species", "-o", "m.orff"]);
    for word in [
        "target species, 3 classes: daisy, rose, wild lily",
        "leave-one-out error within 0.01 % of the smallest",
        "calibrated on",
    ] {
        assert!(said.contains(word), "{word} in {said}");
    }
    desk.write("new.csv", "id,a,b\nx,0,0\ny,3,0\nz,0,3\n");
    let (out, _) = desk.ok(&["-q", "predict", "m.orff", "new.csv", "--keep", "id"]);
    assert_eq!(out, "id,species\nx,rose\ny,daisy\nz,wild lily\n");
    let (out, _) = desk.ok(&["-q", "predict", "m.orff", "new.csv", "--probabilities", "--scores"]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "species,p_daisy,p_rose,p_wild lily,score_daisy,score_rose,score_wild lily");
    let numbers: Vec<f64> = lines[1].split(',').skip(1).map(|v| v.parse().unwrap()).collect();
    assert!((numbers[..3].iter().sum::<f64>() - 1.0).abs() < 1e-12 && numbers[1] > 0.9, "{out}");
    assert!(numbers[3..].iter().sum::<f64>().abs() < 1e-9, "the corners of a simplex sum to zero: {out}");
    let (text, _) = desk.ok(&["evaluate", "m.orff", "t.csv"]);
    for word in ["accuracy 0.9", "log loss", "precision", "wild lily", "rows of each class (down) taken for each"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    let (text, _) = desk.ok(&["evaluate", "m.orff", "t.csv", "--format", "json"]);
    let found = json(&text);
    assert!(number(&found, &["overall", "accuracy"]) > 0.95, "{found}");
    assert!((number(&found, &["overall", "accuracy"]) + number(&found, &["overall", "error"]) - 1.0).abs() < 1e-12);
    let confusion = found["confusion"].as_array().unwrap();
    let row: f64 = confusion[0].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).sum();
    assert_eq!((row, number(&found, &["classes", "daisy", "weight"])), (30.0, 30.0));
    // what is scored is what is predicted
    let (out, _) = desk.ok(&["-q", "predict", "m.orff", "t.csv", "--keep", "species"]);
    let same = out.lines().skip(1).filter(|l| l.split_once(',').is_some_and(|(a, b)| a == b)).count();
    assert_eq!(same as f64 / 90.0, number(&found, &["overall", "accuracy"]));
    let (text, _) = desk.ok(&["inspect", "m.orff"]);
    assert!(text.contains("target       species") && text.contains("class        rose (80 rows)"), "{text}");
    assert!(!text.contains("noise"), "{text}");
    desk.ok(&["plot", "m.orff", "-o", "path.svg"]);
    let (help, _) = desk.ok(&["fit", "classification", "--help"]);
    assert!(help.contains("--target") && help.contains("--class-weight") && !help.contains("--outputs"), "{help}");
    let (help, _) = desk.ok(&["fit", "regression", "--help"]);
    assert!(!help.contains("--target"));
}

#[test]
fn rows_are_held_out_and_folded() {
    let desk = Desk::new();
    desk.write("d.csv", &flowers(400, 5));
    let line = ["fit", "classification", "d.csv", "--target", "species", "--features", "100"];
    let (text, _) = desk.ok(&[&line[..], &["--test", "0.25", "-o", "m.orff"]].concat());
    assert!(text.contains("25 % of the rows, held out") && text.contains("accuracy 0.9"), "{text}");
    let (text, _) = desk.ok(&[&line[..], &["--folds", "4"]].concat());
    assert!(text.contains("4 folds") && text.contains("on 400 rows"), "{text}");
}

/// Numbers, words and whole numbers written as fractions are classes; a file with types gives them back as they were.
#[test]
fn numbers_are_labels_too() {
    let desk = Desk::new();
    let text = flowers(120, 4).replace("rose", "10").replace("daisy", "9.0").replace("wild lily", "-1");
    desk.write("d.csv", &text);
    let (_, said) = desk.ok(&["fit", "classification", "d.csv", "--target", "3", "-o", "m.orff"]);
    assert!(said.contains("3 classes: -1, 9, 10"), "{said}");
    desk.write("new.csv", "a,b\n0,0\n3,0\n");
    let (out, _) = desk.ok(&["-q", "predict", "m.orff", "new.csv"]);
    assert_eq!(out, "species\n10\n9\n");
    desk.ok(&["-q", "predict", "m.orff", "new.csv", "-o", "out.npy"]);
    desk.ok(&["-q", "predict", "m.orff", "new.csv", "-o", "out.parquet"]);
    // the whole numbers of the Parquet file are inputs like any other
    desk.write("d2.csv", &flowers(60, 5));
    desk.ok(&["-q", "predict", "m.orff", "d2.csv", "-o", "p.parquet", "--keep", "a,b"]);
    desk.ok(&["-q", "fit", "regression", "p.parquet", "--outputs", "species", "--features", "20", "-o", "r.orff"]);
    desk.ok(&["-q", "fit", "classification", "p.parquet", "--target", "species", "--features", "40", "-o", "c.orff"]);
    let (out, _) = desk.ok(&["-q", "predict", "c.orff", "new.csv"]);
    assert_eq!(out, "species\n10\n9\n");
    desk.write("s.svm", &(0..40).map(|i| format!("{} 1:{}\n", ["+1", "-1"][i % 2], i % 2)).collect::<String>());
    let (_, said) =
        desk.ok(&["fit", "classification", "s.svm", "--file-format", "svmlight", "--target", "y", "-o", "s.orff"]);
    assert!(said.contains("2 classes: -1, 1"), "{said}");
}

#[test]
fn weights_of_classes_move_the_border() {
    let desk = Desk::new();
    let mut text = "x,c\n".to_string();
    for i in 0..200 {
        let u = (i as f64 * 0.618_033_988_75).fract();
        text += &format!(
            "{},{}\n",
            2.0 * u + if i % 10 == 0 { 0.9 } else { 0.0 },
            if i % 10 == 0 { "rare" } else { "often" }
        );
    }
    desk.write("d.csv", &text);
    let recall = |weight: &str| {
        let line = ["-q", "fit", "classification", "d.csv", "--target", "c", "--features", "40", "-o", "m.orff"];
        desk.ok(&[&line[..], &["--class-weight", weight]].concat());
        let (text, _) = desk.ok(&["evaluate", "m.orff", "d.csv", "--format", "json"]);
        number(&json(&text), &["classes", "rare", "recall"])
    };
    let (none, balanced, given) = (recall("none"), recall("balanced"), recall("rare=9,often=1"));
    assert!(balanced > none + 0.2 && given > none + 0.2, "{none} {balanced} {given}");
    let line = ["fit", "classification", "d.csv", "--target", "c", "-o", "m.orff", "--class-weight"];
    let said = desk.fails(&[&line[..], &["some"]].concat(), 2);
    assert!(
        said.contains("--class-weight: expected balanced, a number > 0 for each class by name, or none"),
        "{said}"
    );
    let said = desk.fails(
        &["-q", "fit", "classification", "d.csv", "--target", "c", "-o", "m.orff", "--class-weight", "few=2"],
        2,
    );
    assert!(said.contains("class_weight: expected weights of the classes often, rare, got one of \"few\""), "{said}");
}

#[test]
fn what_is_wrong_with_labels_is_said_with_its_place() {
    let desk = Desk::new();
    desk.write("d.csv", &flowers(60, 6));
    let fit = |file: &str, code: i32| {
        desk.fails(&["-q", "fit", "classification", file, "--target", "species", "-o", "m.orff"], code)
    };
    let said = desk.fails(&["fit", "classification", "d.csv", "-o", "m.orff"], 2);
    assert!(said.contains("--target: say which column holds the classes"), "{said}");
    desk.write("gap.csv", "a,b,species\n1,2,rose\n3,4,\n5,6,daisy\n");
    assert!(fit("gap.csv", 1).contains("gap.csv:3:3: the label is missing"));
    desk.write("one.csv", "a,b,species\n1,2,rose\n3,4,rose\n");
    assert!(fit("one.csv", 1).contains("one class only (rose)"));
    desk.write("none.csv", "a,b,species\n1,2,\n3,4,NA\n");
    assert!(fit("none.csv", 1).contains("column \"species\": no row has a label"));
    let many: String = (0..10_050).map(|i| format!("{i},{i},id{i}\n")).collect();
    desk.write("many.csv", &format!("a,b,species\n{many}"));
    assert!(fit("many.csv", 1).contains("more than 10000 different labels"));
    // a class with one row works
    desk.write("rare.csv", &format!("{}1,1,orchid\n", flowers(60, 7)));
    desk.ok(&["-q", "fit", "classification", "rare.csv", "--target", "species", "-o", "rare.orff"]);
    desk.ok(&["-q", "fit", "classification", "d.csv", "--target", "species", "-o", "m.orff"]);
    let said = desk.fails(&["-q", "evaluate", "m.orff", "rare.csv"], 1);
    assert!(
        said.contains("rare.csv:62:3: \"orchid\" is not one of the 3 classes of \"species\" seen in training"),
        "{said}"
    );
    desk.write("part.csv", "a,b,species\n0,0,rose\n3,0,\n");
    let (text, said) = desk.ok(&["evaluate", "m.orff", "part.csv"]);
    assert!(text.contains("on 1 rows") && said.contains("not scored: 1 rows without a label"), "{text} {said}");
    for flags in [&["--std"][..], &["--interval", "0.9"], &["--also", "curl"]] {
        let said = desk.fails(&[&["-q", "predict", "m.orff", "d.csv"], flags].concat(), 2);
        assert!(said.contains("use --probabilities or --scores"), "{said}");
    }
    let said = desk.fails(&["-q", "predict", "m.orff", "d.csv", "-o", "x.npy"], 2);
    assert!(said.contains("the labels are words"), "{said}");
    desk.write("r.csv", &rows(40, "x1,x2,y1,y2"));
    desk.ok(&["-q", "fit", "regression", "r.csv", "--outputs", "y1", "--features", "16", "-o", "r.orff"]);
    let said = desk.fails(&["-q", "predict", "r.orff", "r.csv", "--probabilities"], 2);
    assert!(said.contains("--probabilities: the outputs of this model are numbers"), "{said}");
}

/// Inputs that are missing leave a row without a label.
#[test]
fn rows_with_missing_inputs_have_no_label() {
    let desk = Desk::new();
    desk.write("d.csv", &flowers(60, 8));
    let fit = ["-q", "fit", "classification", "d.csv", "--target", "species", "--missing", "drop", "-o", "m.orff"];
    desk.ok(&[&fit[..], &["--features", "40"]].concat());
    desk.write("new.csv", "a,b\n0,0\n,1\n");
    let (out, said) = desk.ok(&["predict", "m.orff", "new.csv", "--probabilities"]);
    let last = out.lines().last().unwrap();
    assert_eq!(last, ",NaN,NaN,NaN", "{out}");
    assert!(said.contains("1 rows have missing inputs: they have no label"), "{said}");
}

#[test]
fn what_keeps_nothing_has_no_checkpoint() {
    let desk = Desk::new();
    desk.write("d.csv", "x,y\n1,2\n2,3\n3,5\n4,4\n");
    for solver in ["stochastic", "online"] {
        let line =
            ["fit", "risk", "d.csv", "--outputs", "y", "--solver", solver, "--checkpoint", "c", "-o", "m.orff"];
        assert!(desk.fails(&line, 2).contains(&format!("--checkpoint: solver {solver}: ")));
    }
}

/// A fit that used up its passes goes on from its checkpoint; other files and other sizes are told apart.
#[test]
fn a_fit_goes_on_from_its_checkpoint() {
    let desk = Desk::new();
    desk.write("d.csv", &flowers(240, 1));
    let fit = |more: &[&str]| {
        let base = ["fit", "classification", "d.csv", "--target", "species", "--loss", "logistic", "--ridge", "1e-5"];
        let kernel = ["--lengthscale", "1", "--features", "200", "-o", "m.orff"];
        desk.ok(&[&base[..], &kernel, more].concat()).1
    };
    let passes = |said: &str| -> usize {
        let line = said.lines().find(|line| line.contains("solved by L-BFGS")).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|w| w.starts_with("passes")).unwrap();
        words[at - 1].parse().unwrap()
    };
    let whole = passes(&fit(&[]));
    let said = fit(&["--checkpoint", "c", "--iterations", &(whole / 2).to_string()]);
    assert!(said.contains("not converged after") && !said.contains("goes on from"), "{said}");
    let said = fit(&["--checkpoint", "c"]);
    assert!(said.contains("goes on from c"), "{said}");
    assert!(passes(&said) < whole, "{} of {whole}", passes(&said));
    // another number of unknowns is another problem
    let said = fit(&["--checkpoint", "c", "--offset=false"]);
    assert!(!said.contains("goes on from"), "{said}");
    let fit = ["fit", "classification", "d.csv", "--target", "species", "-o", "m.orff", "--checkpoint", "d.csv"];
    let said = desk.fails(&fit, 1);
    assert!(said.contains("d.csv: not a checkpoint of orff"), "{said}");
}
