//! Quantiles from a table to a model, levels, intervals and scores.

use crate::desk::*;

/// y = 2x + (1 + x)e, e of four uniform numbers.
fn table(n: usize, start: u64) -> String {
    let mut state = start;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut text = "x,y\n".to_string();
    for _ in 0..n {
        let (x, e) = (uniform(), uniform() + uniform() + uniform() + uniform() - 2.0);
        text += &format!("{x},{}\n", 2.0 * x + (1.0 + x) * e);
    }
    text
}

#[test]
fn every_level_of_one_model() {
    let desk = Desk::new();
    desk.write("d.csv", &table(300, 1));
    desk.write("t.csv", &table(200, 2));
    let fit = ["fit", "quantiles", "d.csv", "--inputs", "x", "--output", "y", "-o", "m.orff", "--conformal", "auto"];
    let (_, said) = desk.ok(&fit);
    for word in ["lengthscale", "pinball loss", "duality gap", "converged", "75 rows kept aside"] {
        assert!(said.contains(word), "{word} in {said}");
    }
    let (out, _) =
        desk.ok(&["-q", "predict", "m.orff", "t.csv", "--levels", "0.1,0.5,0.9", "--interval", "0.9", "--keep", "x"]);
    let mut lines = out.lines();
    assert_eq!(lines.next(), Some("x,y_q0.1,y_q0.5,y_q0.9,y_lower,y_upper"));
    let rows: Vec<Vec<f64>> = lines.map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 200);
    assert!(rows.iter().all(|r| r[1] <= r[2] && r[2] <= r[3] && r[4] <= r[5]));
    // the median is 2x
    let apart = rows.iter().map(|r| (r[2] - 2.0 * r[0]).abs()).sum::<f64>() / 200.0;
    assert!(apart < 0.25, "{apart}");
    let (out, _) = desk.ok(&["-q", "predict", "m.orff", "t.csv"]);
    assert!(out.starts_with("y\n"));
    let (out, _) = desk.ok(&["-q", "evaluate", "m.orff", "t.csv", "--format", "json"]);
    let scores: serde_json::Value = serde_json::from_str(&out).unwrap();
    let of = &scores["quantiles"]["outputs"]["y"];
    assert_eq!(of["crossings"], 0);
    assert!((of["coverage"].as_f64().unwrap() - 0.9).abs() < 0.09, "{of}");
    assert!(of["pinball"].as_f64().unwrap() < 0.4 && of["below"].as_array().unwrap().len() == 9);
    let (out, _) = desk.ok(&["-q", "evaluate", "m.orff", "t.csv"]);
    assert!(out.contains("pinball") && out.contains("share below the quantile of 0.1"), "{out}");
    let (out, _) = desk.ok(&["-q", "inspect", "m.orff"]);
    assert!(out.contains("of every level, 4 functions of it, intervals corrected by 75 rows"), "{out}");
    let (out, _) = desk.ok(&["-q", "fit", "quantiles", "d.csv", "--inputs", "x", "--output", "y", "--folds", "3"]);
    assert!(out.contains("pinball"), "{out}");
}

#[test]
fn what_a_model_does_not_have_is_refused() {
    let desk = Desk::new();
    desk.write("d.csv", &table(60, 3));
    desk.ok(&["-q", "fit", "quantiles", "d.csv", "--output", "y", "-o", "q.orff"]);
    desk.ok(&["-q", "fit", "regression", "d.csv", "--output", "y", "-o", "r.orff"]);
    for (flags, said) in [
        (&["q.orff", "d.csv", "--std"][..], "--std: a model of quantiles has none"),
        (&["r.orff", "d.csv", "--levels", "0.5"], "--levels: this model has no quantiles"),
        (&["q.orff", "d.csv", "--levels", "1.5"], "expected a level between 0 and 1"),
        (&["q.orff", "d.csv", "--levels", "0.5,0.5"], "y_q0.5 is asked for twice"),
    ] {
        let error = desk.fails(&[&["predict"], flags].concat(), 2);
        assert!(error.contains(said), "{said} in {error}");
    }
}

#[test]
fn quantiles_are_drawn_as_a_fan() {
    let desk = Desk::new();
    desk.write("d.csv", &table(200, 1));
    desk.ok(&["fit", "quantiles", "d.csv", "--inputs", "x", "--output", "y", "-o", "m.orff"]);
    desk.ok(&["plot", "m.orff", "-o", "m.svg"]);
    let svg = desk.read("m.svg");
    assert!(svg.contains("95 %, 80 % and 50 % between quantiles"), "{svg}");
    // three bands, one over the other
    assert_eq!(svg.matches("<polygon").count(), 3, "{svg}");
    let said = desk.fails(&["plot", "m.orff", "-o", "m.svg", "--kind", "sets"], 2);
    assert!(said.contains("--kind sets: the model is none of outliers"), "{said}");
}

#[test]
fn levels_of_observations_and_draws() {
    let desk = Desk::new();
    desk.write("d.csv", &table(300, 1));
    desk.write("t.csv", &table(400, 2));
    desk.ok(&["-q", "fit", "quantiles", "d.csv", "--inputs", "x", "--output", "y", "-o", "m.orff"]);
    let rows = |flags: &[&str]| -> (String, Vec<Vec<f64>>) {
        let (out, _) = desk.ok(&[&["-q", "predict", "m.orff", "t.csv"], flags].concat());
        let cells = |line: &str| line.split(',').map(|v| v.parse().unwrap()).collect();
        (out.lines().next().unwrap().to_string(), out.lines().skip(1).map(cells).collect())
    };
    let (names, found) = rows(&["--cdf", "--samples", "25", "--interval", "0.8", "--keep", "y"]);
    assert!(names.starts_with("y,y_predicted,y_lower,y_upper,y_cdf,y_sample1,y_sample2,"), "{names}");
    for row in &found {
        // at its own quantile a row has the level of it
        assert_eq!(row[0] <= row[1], row[4] <= 0.5, "{row:?}");
        assert_eq!(row[2] <= row[0] && row[0] <= row[3], (0.1..=0.9).contains(&row[4]), "{row:?}");
    }
    let mean = found.iter().map(|row| row[4]).sum::<f64>() / 400.0;
    assert!((mean - 0.5).abs() < 0.08, "{mean}");
    let inside = |row: &Vec<f64>| row[5..].iter().filter(|v| row[2] <= **v && **v <= row[3]).count();
    let share = found.iter().map(inside).sum::<usize>() as f64 / 10_000.0;
    assert!((share - 0.8).abs() < 4.0 * 0.004, "{share}");
    // the same draws again, and others
    let (_, again) = rows(&["--samples", "25"]);
    assert!(found.iter().zip(&again).all(|(a, b)| a[5..] == b[1..]));
    let (_, other) = rows(&["--samples", "25", "--seed", "1"]);
    assert!(again.iter().zip(&other).all(|(a, b)| a[1..] != b[1..]));
    desk.write("new.csv", "x\n0.5\n");
    assert!(desk.fails(&["predict", "m.orff", "new.csv", "--cdf"], 2).contains("\"y\" not found"));
    for many in ["0", "10001", "1000000000000"] {
        desk.fails(&["predict", "m.orff", "new.csv", "--samples", many], 2);
    }
    desk.ok(&["-q", "fit", "regression", "d.csv", "--output", "y", "-o", "r.orff"]);
    for flags in [&["--cdf"][..], &["--samples", "3"]] {
        let said = desk.fails(&[&["predict", "r.orff", "t.csv"], flags].concat(), 2);
        assert!(said.contains(&format!("{}: this model has no quantiles", flags[0])), "{said}");
    }
}
