//! Long rows: --task and --output.

use crate::desk::*;

/// Two tasks of the rows of [`rows`], one after the other: a,b,task,value.
fn long(wide: &str) -> String {
    let mut text = String::from("a,b,what,value\n");
    for (i, line) in wide.lines().skip(1).enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        let (name, value) = if i % 3 == 0 { ("u", cells[2]) } else { ("v", cells[3]) };
        text += &format!("{},{},{name},{value}\n", cells[0], cells[1]);
    }
    text
}

/// The same with a column for each.
fn holes(wide: &str) -> String {
    let mut text = String::from("a,b,u,v\n");
    for (i, line) in wide.lines().skip(1).enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        let (u, v) = if i % 3 == 0 { (cells[2], "") } else { ("", cells[3]) };
        text += &format!("{},{},{u},{v}\n", cells[0], cells[1]);
    }
    text
}

fn desk() -> Desk {
    let desk = Desk::new();
    let wide = rows(200, "a,b,u,v");
    desk.write("wide.csv", &wide);
    desk.write("long.csv", &long(&wide));
    desk.write("holes.csv", &holes(&wide));
    desk
}

const FIT: [&str; 4] = ["--features", "80", "--ridge", "1e-4"];

/// The numbers of a column.
fn column(text: &str, name: &str) -> Vec<f64> {
    let at = text.lines().next().unwrap().split(',').position(|c| c == name).unwrap();
    text.lines().skip(1).map(|l| l.split(',').nth(at).unwrap().parse().unwrap()).collect()
}

#[test]
fn long_rows_are_learned_predicted_and_scored() {
    let desk = desk();
    let fit = |file: &str, rest: &[&str], model: &str| {
        let args = [&["fit", "regression", file], rest, &FIT, &["-o", model]].concat();
        desk.ok(&args)
    };
    let (_, said) = fit("long.csv", &["--task", "what", "--output", "value"], "long.orff");
    assert!(said.contains("inputs a, b; outputs u, v"), "{said}");
    fit("holes.csv", &["--outputs", "u,v"], "wide.orff");
    // all tasks of every row: those of the matrix with holes
    let (a, _) = desk.ok(&["predict", "long.orff", "wide.csv"]);
    let (b, _) = desk.ok(&["predict", "wide.orff", "wide.csv"]);
    for name in ["u", "v"] {
        let gap = column(&a, name).iter().zip(column(&b, name)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(gap < 1e-10, "{name}: {gap:e}");
    }
    // one value per row, that of its task, with a deviation
    let (one, _) = desk.ok(&["predict", "long.orff", "long.csv", "--task", "what", "--std"]);
    assert_eq!(one.lines().next().unwrap(), "value,value_std");
    for (i, value) in column(&one, "value").into_iter().enumerate() {
        assert_eq!(value, column(&a, if i % 3 == 0 { "u" } else { "v" })[i]);
    }
    // the column of the tasks may have another name, and outputs of their own columns are tasks too
    desk.write("other.csv", &desk.read("long.csv").replace("what,value", "which,seen"));
    let (other, _) = desk.ok(&["predict", "long.orff", "other.csv", "--task", "which"]);
    assert_eq!(column(&other, "value"), column(&one, "value"));
    desk.ok(&["predict", "wide.orff", "other.csv", "--task", "which"]);
    let scores = |args: &[&str]| -> serde_json::Value {
        serde_json::from_str(&desk.ok(&[args, &["--format", "json"]].concat()).0).unwrap()
    };
    let long = scores(&["evaluate", "long.orff", "long.csv"]);
    let wide = scores(&["evaluate", "wide.orff", "holes.csv"]);
    for name in ["u", "v"] {
        assert!((number(&long, &["outputs", name, "r2"]) - number(&wide, &["outputs", name, "r2"])).abs() < 1e-9);
    }
    assert_eq!(number(&long, &["outputs", "u", "count"]), 67.0);
    let other = scores(&["evaluate", "wide.orff", "other.csv", "--task", "which", "--output", "seen"]);
    assert!((number(&other, &["overall", "rmse"]) - number(&wide, &["overall", "rmse"])).abs() < 1e-9);
    // held out and folded
    let args =
        ["fit", "regression", "long.csv", "--task", "what", "--output", "value", "--test", "0.2", "--folds", "3"];
    let (out, _) = desk.ok(&[&args[..], &FIT].concat());
    assert!(out.contains("3 folds") && out.contains("held out"), "{out}");
}

#[test]
fn numbers_are_tasks_and_columns_may_have_no_names() {
    let desk = desk();
    let text: String = desk.read("long.csv").lines().skip(1).map(|l| format!("{l}\n")).collect();
    desk.write("bare.csv", &text.replace(",u,", ",10.0,").replace(",v,", ",9.0,"));
    let args = ["fit", "regression", "bare.csv", "--task", "3", "--output", "4", "-o", "m.orff"];
    let (_, said) = desk.ok(&[&args[..], &FIT].concat());
    assert!(said.contains("outputs 9, 10"), "{said}");
    desk.write("next.csv", &text.replace(",u,", ",10,").replace(",v,", ",9,"));
    let (a, _) = desk.ok(&["predict", "m.orff", "bare.csv", "--task", "3"]);
    let (b, _) = desk.ok(&["predict", "m.orff", "next.csv", "--task", "3"]);
    assert_eq!(a, b);
    assert_eq!(a.lines().next(), Some("value"));
}

#[test]
fn tasks_that_cannot_be_are_refused() {
    let desk = desk();
    let fit = ["fit", "regression", "long.csv", "-o", "m.orff", "--task", "what"];
    let fails = |rest: &[&str], words: &str| {
        let said = desk.fails(&[&fit[..], rest].concat(), 2);
        assert!(said.contains(words), "{said}");
    };
    fails(&[], "--outputs: say which column has the value of the task");
    fails(&["--output", "a,value"], "outputs: expected one column, the value of the task of each row, got 2");
    fails(&["--output", "what"], "is the task and something else");
    fails(&["--inputs", "a,what", "--output", "value"], "is both an input and the task");
    desk.ok(&[&fit[..], &["--output", "value"], &FIT].concat());
    desk.write("new.csv", "a,b,what\n1,2,u\n1,2,w\n");
    let said = desk.fails(&["predict", "m.orff", "new.csv", "--task", "what", "-o", "out.csv"], 1);
    assert!(said.contains("new.csv:3:3: \"w\" is not one of the 2 tasks of the model (u, v)"), "{said}");
    desk.write("new.csv", "a,b,what\n1,2,u\n1,2,\n");
    let said = desk.fails(&["predict", "m.orff", "new.csv", "--task", "what", "-o", "out.csv"], 1);
    assert!(said.contains("new.csv:3:3: the task is missing"), "{said}");
    let (out, _) = desk.ok(&["predict", "m.orff", "new.csv", "--task", "what", "--missing", "drop"]);
    assert!(out.lines().nth(2).is_some_and(|l| l.contains("NaN")), "{out}");
    desk.write("empty.csv", "a,b,what,value\n1,2,,3\n2,1,,3\n");
    let args = ["fit", "regression", "empty.csv", "-o", "m.orff", "--task", "what", "--output", "value"];
    assert!(desk.fails(&args, 1).contains("has no tasks"));
    desk.ok(&["fit", "regression", "wide.csv", "--outputs", "u,v", "--features", "40", "-o", "w.orff"]);
    let said = desk.fails(&["evaluate", "w.orff", "long.csv", "--task", "what"], 2);
    assert!(said.contains("--output: say which column has the value of the task"), "{said}");
}
