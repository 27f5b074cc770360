//! Curves from a table of points, or with a column for each argument, to a model and its answers.

use crate::desk::*;

fn value(x: f64, z: f64, t: f64) -> f64 {
    (2.0 * x + 3.0 * t).sin() + z * t
}

/// Points of n curves at two to eight arguments of their own.
fn points(n: usize, from: usize) -> String {
    let mut text = "id,x,z,t,y\n".to_string();
    for i in from..from + n {
        let (x, z) = ((i * 37 % 101) as f64 / 50.0 - 1.0, (i * 53 % 97) as f64 / 50.0 - 1.0);
        for k in 0..2 + i % 7 {
            let t = ((i * 29 + k * 61) % 97) as f64 / 96.0;
            text += &format!("c{i},{x},{z},{t},{}\n", value(x, z, t));
        }
    }
    text
}

const FIT: [&str; 8] = ["fit", "functional", "d.csv", "--id", "id", "--at", "t", "--output"];

#[test]
fn points_to_a_model_and_its_answers() {
    let desk = Desk::new();
    desk.write("d.csv", &points(90, 0));
    desk.write("t.csv", &points(30, 90));
    let (_, said) = desk.ok(&[&FIT[..], &["y", "-o", "m.orff"]].concat());
    for word in [
        "inputs x, z; curves of t, y",
        "lengthscale of the argument",
        "ridge",
        "conjugate gradients over",
        "no error bars",
    ] {
        assert!(said.contains(word), "{word} in {said}");
    }
    desk.write("new.csv", "x,z\n0.5,-0.2\n-0.3,0.9\n");
    let (out, _) = desk.ok(&["-q", "predict", "m.orff", "new.csv", "--at", "0,0.25,0.8"]);
    let mut lines = out.lines();
    assert_eq!(lines.next(), Some("y_at0,y_at0.25,y_at0.8"));
    for (line, (x, z)) in lines.zip([(0.5, -0.2), (-0.3, 0.9)]) {
        for (cell, t) in line.split(',').zip([0.0, 0.25, 0.8]) {
            assert!((cell.parse::<f64>().unwrap() - value(x, z, t)).abs() < 0.05, "{line}");
        }
    }
    // one answer for each row, at its own argument, and the same by the scores
    let (out, _) = desk.ok(&["-q", "predict", "m.orff", "t.csv", "--at", "t", "--keep", "id,y"]);
    assert!(out.starts_with("id,y,y_predicted\n"), "{out}");
    let square = |l: &str| {
        let cells: Vec<&str> = l.split(',').collect();
        (cells[1].parse::<f64>().unwrap() - cells[2].parse::<f64>().unwrap()).powi(2)
    };
    let squares: Vec<f64> = out.lines().skip(1).map(square).collect();
    let rmse = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
    let (out, _) = desk.ok(&["-q", "evaluate", "m.orff", "t.csv", "--format", "json"]);
    let scores: serde_json::Value = serde_json::from_str(&out).unwrap();
    let of = &scores["outputs"]["points"];
    assert!((of["rmse"].as_f64().unwrap() - rmse).abs() < 1e-9 && rmse < 0.05, "{of} {rmse}");
    let (out, _) = desk.ok(&["-q", "inspect", "m.orff"]);
    assert!(out.contains("t from 0 to 1") && out.contains("along"), "{out}");
    let (out, _) = desk.ok(&["-q", "predict", "m.orff", "new.csv"]);
    assert_eq!(out.lines().next().unwrap().split(',').count(), 97);
    // whole curves are held out
    let (out, _) = desk.ok(&[&["-q"], &FIT[..], &["y", "--folds", "3"]].concat());
    assert!(out.contains("points") && out.contains(&format!("{}", points(90, 0).lines().count() - 1)), "{out}");
}

#[test]
fn a_column_for_each_argument() {
    let desk = Desk::new();
    let mut text = "x,z,a,b,c,d\n".to_string();
    let grid = [0.0, 0.3, 0.6, 1.0];
    for i in 0..60 {
        let (x, z) = ((i * 37 % 101) as f64 / 50.0 - 1.0, (i * 53 % 97) as f64 / 50.0 - 1.0);
        let cells: Vec<String> = grid.iter().map(|t| value(x, z, *t).to_string()).collect();
        text += &format!("{x},{z},{}\n", cells.join(","));
    }
    desk.write("w.csv", &text);
    let fit = ["fit", "functional", "w.csv", "--outputs", "a..d", "--grid", "0,0.3,0.6,1", "-o", "m.orff"];
    let (_, said) = desk.ok(&fit);
    assert!(said.contains("60 curves know the same 4 arguments"), "{said}");
    let (out, _) = desk.ok(&["-q", "predict", "m.orff", "w.csv"]);
    assert!(out.starts_with("a,b,c,d\n"));
    let (out, _) = desk.ok(&["-q", "predict", "m.orff", "w.csv", "--at", "0.45"]);
    let first: f64 = out.lines().nth(1).unwrap().parse().unwrap();
    assert!(out.starts_with("y_at0.45\n") && (first - value(-1.0, -1.0, 0.45)).abs() < 0.2, "{first}");
    let (out, _) = desk.ok(&["-q", "evaluate", "m.orff", "w.csv"]);
    assert!(out.contains("points") && out.contains("240"), "{out}");
    let (out, _) = desk.ok(&["-q", "fit", "functional", "w.csv", "--outputs", "a..d", "--test", "0.3"]);
    assert!(out.contains("points"), "{out}");
}

#[test]
fn what_is_no_curve_is_refused() {
    let desk = Desk::new();
    desk.write("d.csv", &points(20, 0));
    desk.write("apart.csv", "id,x,t,y\na,1,0,2\na,1.5,1,3\n");
    desk.write("twice.csv", "id,x,t,y\na,1,0.5,2\na,1,0.5,3\n");
    desk.write("lost.csv", "id,x,t,y\na,1,0.5,2\na,1,,3\n");
    desk.write("nameless.csv", "id,x,t,y\na,1,0.5,2\n,1,0.7,3\n");
    let fails = |flags: &[&str], code: i32, said: &str| {
        let error = desk.fails(flags, code);
        assert!(error.contains(said), "{said} in {error}");
    };
    let long = |file| vec!["fit", "functional", file, "--id", "id", "--at", "t", "--output", "y", "-o", "m.orff"];
    fails(&long("apart.csv"), 1, "apart.csv:3: id a has x = 1.5 here and x = 1 before");
    fails(&long("twice.csv"), 1, "twice.csv:3: id a: argument 0.5 occurs twice");
    fails(&long("lost.csv"), 1, "is no argument");
    fails(&long("nameless.csv"), 1, "nameless.csv:3: no id: each row says which curve");
    fails(&["fit", "functional", "d.csv", "--at", "t", "--output", "y", "-o", "m.orff"], 2, "--id: say which column");
    fails(
        &["fit", "functional", "d.csv", "--id", "id", "--output", "y", "-o", "m.orff"],
        2,
        "--at: say which column",
    );
    desk.ok(&[&["-q"][..], &long("d.csv")].concat());
    fails(&["predict", "m.orff", "d.csv", "--levels", "0.5"], 2, "--levels: a model of curves says their values");
    fails(
        &["predict", "m.orff", "d.csv", "--at", "0,much"],
        2,
        "--at: expected finite numbers or the name of a column",
    );
    fails(&["predict", "m.orff", "d.csv", "--at", "0.5,0.5"], 2, "y_at0.5 is asked for twice");
    fails(&["predict", "m.orff", "d.csv", "--at", "nowhere"], 2, "nowhere");
    desk.ok(&["-q", "fit", "regression", "d.csv", "--inputs", "x", "--output", "y", "-o", "r.orff"]);
    fails(&["predict", "r.orff", "d.csv", "--at", "0.5"], 2, "--at: the outputs of this model are no curves");
}

#[test]
fn curves_are_drawn_with_their_points() {
    let desk = Desk::new();
    desk.write("d.csv", &points(40, 0));
    desk.ok(&[&["-q"], &FIT[..], &["y", "-o", "m.orff"]].concat());
    desk.ok(&["plot", "m.orff", "--data", "d.csv", "-o", "m.svg"]);
    let svg = desk.read("m.svg");
    assert!(svg.contains("first 9 of 40 curves") && svg.contains("x = "), "{svg}");
    let drawn: usize = (0..9).map(|i| 2 + i % 7).sum();
    assert_eq!(svg.matches("<circle").count(), drawn, "{svg}");
    let said = desk.fails(&["plot", "m.orff", "-o", "m.svg"], 2);
    assert!(said.contains("--data: the model keeps no rows of the fit"), "{said}");
    let said = desk.fails(&["plot", "m.orff", "--data", "d.csv", "--kind", "scatter", "-o", "m.svg"], 2);
    assert!(said.contains("use --kind curves"), "{said}");
    // rows on a grid are kept
    let mut text = "x,a,b,c\n".to_string();
    (0..20).for_each(|i| text += &format!("{i},{},{},{}\n", i % 4, i % 5, i % 3));
    desk.write("w.csv", &text);
    desk.ok(&["-q", "fit", "functional", "w.csv", "--outputs", "a,b,c", "--grid", "0,0.5,1", "-o", "g.orff"]);
    desk.ok(&["plot", "g.orff", "-o", "g.svg"]);
    assert_eq!(desk.read("g.svg").matches("<circle").count(), 27);
    desk.ok(&["plot", "g.orff", "--data", "w.csv", "-o", "h.svg"]);
    desk.ok(&["-q", "fit", "regression", "w.csv", "--outputs", "a", "--inputs", "x", "-o", "r.orff"]);
    let said = desk.fails(&["plot", "r.orff", "--kind", "curves", "-o", "g.svg"], 2);
    assert!(said.contains("--kind curves: the outputs of this model are no curves"), "{said}");
}
