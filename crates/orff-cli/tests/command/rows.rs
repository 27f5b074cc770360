//! Which rows and columns: files in, files out, what is held out.

use crate::desk::*;
use std::io::Write;
use std::process::Stdio;

#[test]
fn standard_input_gives_the_model_of_the_file() {
    let desk = Desk::new();
    let text = rows(150, "x1,x2,y1,y2");
    desk.write("d.csv", &text);
    let common = ["--outputs", "y1,y2", "--features", "100", "-o"];
    desk.ok(&[&["-q", "fit", "regression", "d.csv"], &common[..], &["file.orff"]].concat());
    let mut child = desk
        .command(&[&["-q", "fit", "regression", "-"], &common[..], &["pipe.orff"]].concat())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    desk.ok(&["-q", "predict", "file.orff", "d.csv", "-o", "a.csv"]);
    desk.ok(&["-q", "predict", "pipe.orff", "d.csv", "-o", "b.csv"]);
    assert_eq!(desk.read("a.csv"), desk.read("b.csv"));
}

#[test]
fn held_out_rows_and_folds_are_scored() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(200, "x1,x2,y1,y2"));
    desk.write("named.csv", &rows(200, "x1,x2,up,down"));
    // scores are data, with the names of their columns
    let (said, _) =
        desk.ok(&["fit", "regression", "named.csv", "--outputs", "up,down", "--features", "80", "--test", "0.25"]);
    assert!(said.contains("25 % of the rows, held out") && said.contains("coverage"), "{said}");
    assert!(said.contains("\nup ") && said.contains("\ndown ") && !said.contains("\ny1"), "{said}");
    let (said, talk) =
        desk.ok(&["-q", "fit", "regression", "d.csv", "--outputs", "y1", "--features", "80", "--folds", "3"]);
    assert_eq!(talk, "");
    assert!(said.contains("3 folds"), "{said}");
    // output, R², RMSE, MAE, coverage of 90 % intervals on the rows held out, entries
    let line: Vec<&str> = said.lines().last().unwrap().split_whitespace().collect();
    let coverage: f64 = line[4].parse().unwrap();
    assert!((0.7..=1.0).contains(&coverage) && line[5] == "200", "{said}");
    let line = ["fit", "regression", "d.csv", "--outputs", "y1", "--features", "80", "-o", "m.orff"];
    let (_, said) = desk.ok(&[&line[..], &["--folds", "3"]].concat());
    for once in ["memory about", "draw quasi-monte-carlo", "fold 1 of 3", "fold 3 of 3", "fit on all rows"] {
        assert_eq!(said.matches(once).count(), 1, "{once} in {said}");
    }
    assert_eq!(said.matches("\nlengthscale").count(), 2, "of the first fold, and of all rows: {said}");
    let said = desk.fails(&[&line[..], &["--folds", "201"]].concat(), 2);
    assert!(said.contains("--folds: expected at most 200, the number of rows, got 201"), "{said}");
    desk.write("two.csv", "x,y\n1,2\n2,3\n");
    let said = desk.fails(&["fit", "regression", "two.csv", "--outputs", "y", "--test", "0.01"], 2);
    assert!(said.contains("--test: 0 of 2 rows would be held out"), "{said}");
}

/// What is held out must not move what is learned: a model of the training rows alone is the same model.
#[test]
fn means_do_not_leak_from_rows_held_out() {
    let desk = Desk::new();
    let line = |i: u64, x: f64| {
        let gap = if i % 4 == 1 { String::new() } else { format!("{x}") };
        format!("{gap},{},{}\n", (i * 37 % 100) as f64 / 50.0, (i * 37 % 100) as f64)
    };
    // rows held out by --test 0.3 with seed 0, by the published hash of their number
    let held = |i: u64| ((orff_table::hash(0, i) >> 11) as f64) < 0.3 * (1u64 << 53) as f64;
    let text = |far: f64, rows: &mut dyn Iterator<Item = u64>| {
        let x = |i: u64| (i * 61 % 100) as f64 / 50.0 + if held(i) { far } else { 0.0 };
        rows.fold("a,b,y\n".to_string(), |text, i| text + &line(i, x(i)))
    };
    desk.write("near.csv", &text(0.0, &mut (0..120)));
    desk.write("far.csv", &text(1e3, &mut (0..120)));
    desk.write("probe.csv", "a,b\n,0.5\n1,\n0.3,0.7\n");
    let mut predictions = Vec::new();
    for file in ["near.csv", "far.csv"] {
        let fit = ["-q", "fit", "regression", file, "--outputs", "y", "--missing", "mean", "--features", "32"];
        desk.ok(&[&fit[..], &["--test", "0.3", "-o", "m.orff"]].concat());
        predictions.push(desk.ok(&["-q", "predict", "m.orff", "probe.csv"]).0);
    }
    assert_eq!(predictions[0], predictions[1]);
}

#[test]
fn predictions_stand_beside_their_rows() {
    let desk = Desk::new();
    let text: String = rows(60, "x1,x2,y1,y2").lines().enumerate().fold(String::new(), |text, (i, row)| match i {
        0 => format!("id,{row}\n"),
        i if i % 10 == 3 => format!("{text}{i},,{}\n", row.split_once(',').unwrap().1),
        i => format!("{text}{i},{row}\n"),
    });
    desk.write("gaps.csv", &text);
    let line = ["fit", "regression", "gaps.csv", "--ignore", "id", "--outputs", "y1,y2", "--features", "32"];
    let (_, said) = desk.ok(&[&line[..], &["--missing", "drop", "-o", "m.orff"]].concat());
    assert!(said.contains("wrote m.orff (54 rows, 6 with missing inputs dropped)"), "{said}");
    let (out, said) = desk.ok(&["predict", "m.orff", "gaps.csv", "--keep", "id", "--interval", "0.9"]);
    assert!(said.contains("6 rows have missing inputs: their predictions are NaN"), "{said}");
    let lines: Vec<Vec<&str>> = out.lines().skip(1).map(|l| l.split(',').collect()).collect();
    assert_eq!(lines.len(), 60);
    for (i, line) in lines.iter().enumerate() {
        assert_eq!(line[0], (i + 1).to_string());
        assert!(line[1..].iter().all(|v| (*v == "NaN") == ((i + 1) % 10 == 3)), "{line:?}");
    }
    let (table, said) = desk.ok(&["evaluate", "m.orff", "gaps.csv"]);
    assert!(said.contains("not scored: 6 rows with missing inputs") && table.contains(" 54\n"), "{said}{table}");
    // a model that was fitted without gaps says what to do about one, and does it
    let whole = ["-q", "fit", "regression", "whole.csv", "--outputs", "y1,y2", "--features", "32", "-o", "w.orff"];
    desk.write("whole.csv", &rows(60, "x1,x2,y1,y2"));
    desk.ok(&whole);
    let said = desk.fails(&["evaluate", "w.orff", "gaps.csv"], 1);
    assert!(said.contains("gaps.csv:4:2: the cell is empty (use --missing drop"), "{said}");
    let (out, _) = desk.ok(&["-q", "predict", "w.orff", "gaps.csv", "--missing", "drop"]);
    assert_eq!((out.lines().count(), out.lines().nth(3)), (61, Some("NaN,NaN")));
    desk.ok(&["evaluate", "w.orff", "gaps.csv", "--missing", "drop"]);
    let said = desk.fails(&["predict", "w.orff", "gaps.csv", "--missing", "mean"], 2);
    assert!(said.contains("the model knows no means"), "{said}");
    // numbers that are carried to a file with types are numbers there: they can be learned from
    desk.ok(&["-q", "predict", "m.orff", "gaps.csv", "--keep", "id", "-o", "out.parquet"]);
    let again = ["fit", "regression", "out.parquet", "--inputs", "id", "--outputs", "y1", "--features", "16"];
    desk.ok(&[&again[..], &["-o", "again.orff"]].concat());
}

/// The covariance of a prediction beside it: its diagonal is the square of the deviations, its entries are the library's.
#[test]
fn covariances_stand_beside_predictions() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(80, "x1,x2,y1,y2"));
    let kernel = "decomposable(gaussian(1), [[1, 0.8], [0.8, 1]])";
    let fit = ["-q", "fit", "regression", "d.csv", "--outputs", "y1,y2", "--features", "40", "--kernel", kernel];
    desk.ok(&[&fit[..], &["-o", "m.orff"]].concat());
    let model = orff::model::Model::load(&desk.path("m.orff")).unwrap();
    for flags in [&["--std", "--cov"][..], &["--std", "--cov", "--no-noise"]] {
        let (text, _) = desk.ok(&[&["-q", "predict", "m.orff", "d.csv"][..], flags].concat());
        assert_eq!(text.lines().next().unwrap(), "y1,y1_std,y2,y2_std,cov_y1_y1,cov_y1_y2,cov_y2_y2");
        let query = orff::model::Query { cov: true, noise: flags.len() == 2, ..Default::default() };
        for (line, row) in text.lines().skip(1).zip(rows(80, "").lines().skip(1)) {
            let [line, row] = [line, row].map(|l| l.split(',').map(|v| v.parse().unwrap()).collect::<Vec<f64>>());
            let x = orff::rows::Inputs::Dense(faer::mat![[row[0], row[1]]]);
            let cov = &model.predict(&x, query).unwrap().cov.unwrap()[0];
            for (found, exact) in line[4..].iter().zip([cov[(0, 0)], cov[(0, 1)], cov[(1, 1)]]) {
                assert!((found - exact).abs() <= 1e-12 * cov.norm_max(), "{found} {exact}");
            }
            assert!((line[1] * line[1] / line[4] - 1.0).abs() < 1e-9 && line[5] != 0.0);
        }
    }
    desk.write("long.csv", "x1,x2,what\n0.1,0.2,y1\n");
    let said = desk.fails(&["predict", "m.orff", "long.csv", "--task", "what", "--cov"], 2);
    assert!(said.contains("--cov: a row of one task"), "{said}");
}

#[test]
fn the_format_of_files_and_of_reports_are_two_flags() {
    let desk = Desk::new();
    desk.write("rows.unknown", &rows(60, "x1,x2,y1,y2"));
    let files = ["--file-format", "csv"];
    let line = ["fit", "regression", "rows.unknown", "--outputs", "y1,y2", "--features", "16", "-o", "m.orff"];
    let said = desk.fails(&line, 1);
    assert!(said.contains("use --file-format csv"), "{said}");
    desk.ok(&[&line[..], &files[..]].concat());
    desk.ok(&[&["predict", "m.orff", "rows.unknown"], &files[..]].concat());
    let (json, _) = desk.ok(&[&["evaluate", "m.orff", "rows.unknown", "--format", "json"], &files[..]].concat());
    serde_json::from_str::<serde_json::Value>(&json).unwrap();
    desk.ok(&[&["plot", "m.orff", "-o", "p.svg", "--data", "rows.unknown"], &files[..]].concat());
    desk.write("c.toml", "file-format = \"csv\"\n");
    desk.ok(&[&line[..], &["--config", "c.toml"]].concat());
}

#[test]
fn words_become_columns_when_asked() {
    let desk = Desk::new();
    let mut text = String::from("x,colour,y\n");
    for i in 0..90 {
        let colour = ["red", "green", "blue"][i % 3];
        text += &format!("{},{colour},{}\n", i as f64 / 30.0, (i % 3) as f64 * 2.0);
    }
    desk.write("d.csv", &text);
    let said = desk.fails(&["fit", "regression", "d.csv", "--outputs", "y", "-o", "m.orff"], 2);
    let told =
        "column \"colour\" holds words such as \"red\" (line 2), not numbers: use --ignore colour to leave out";
    assert!(said.contains(told) && said.contains("--one-hot"), "{said}");
    let few = ["--outputs", "y", "--features", "64", "-o", "m.orff"];
    let (_, said) = desk.ok(&[&["fit", "regression", "d.csv", "--ignore", "colour"], &few[..]].concat());
    assert!(said.contains("inputs x; outputs y"), "{said}");
    let (_, said) = desk.ok(&[&["fit", "regression", "d.csv", "--one-hot"], &few[..]].concat());
    assert!(said.contains("inputs x, colour=blue, colour=green, colour=red; outputs y"), "{said}");
    let line = ["fit", "regression", "d.csv", "--inputs", "x,colour"];
    let said = desk.fails(&[&line[..], &["--outputs", "y", "-o", "m.orff"]].concat(), 1);
    assert!(said.contains("colour"), "{said}");
    desk.ok(&[&line[..], &["--one-hot", "--outputs", "y", "--features", "64", "-o", "m.orff"]].concat());
    let (json, _) = desk.ok(&["evaluate", "m.orff", "d.csv", "--format", "json"]);
    assert!(number(&serde_json::from_str(&json).unwrap(), &["overall", "r2"]) > 0.99, "{json}");
}

/// Documents of 40 words out of 50 000, half of them about a subject whose 60 words have a tone: the mean tone is learned.
#[test]
fn text_with_fifty_thousand_inputs_is_learned() {
    let desk = Desk::new();
    let mut state = 7u64;
    let mut below = |n: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % n
    };
    let mut documents = |n: usize| {
        let mut text = String::new();
        for _ in 0..n {
            let mut words: Vec<u64> = (0..20).flat_map(|_| [1 + below(60), 61 + below(49_940)]).collect();
            words.sort_unstable();
            words.dedup();
            let about: Vec<f64> = words.iter().filter(|w| **w <= 60).map(|w| (w % 7) as f64).collect();
            text += &format!("{}", about.iter().sum::<f64>() / about.len() as f64);
            words.iter().for_each(|word| text += &format!(" {word}:1"));
            text += "\n";
        }
        text
    };
    desk.write("d.svm", &documents(3000));
    desk.write("new.svm", &documents(500));
    let reading = ["--file-format", "svmlight", "--width", "50000"];
    let line = ["fit", "regression", "d.svm", "--outputs", "y", "--features", "600", "-o", "m.orff"];
    desk.ok(&[&line[..], &reading[..]].concat());
    let (json, _) = desk.ok(&[&["evaluate", "m.orff", "new.svm", "--format", "json"], &reading[..]].concat());
    let r2 = number(&serde_json::from_str(&json).unwrap(), &["overall", "r2"]);
    assert!(r2 > 0.5, "{json}");
}
