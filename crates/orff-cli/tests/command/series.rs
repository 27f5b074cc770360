//! Series: fit, forecast, validate.

use crate::desk::*;

/// Two variables that turn about each other, from the first step on: y1 = 5 + cos, y2 = sin of t/4.
fn turning(n: usize, from: usize) -> Vec<[f64; 2]> {
    (from..from + n).map(|t| [5.0 + (t as f64 / 4.0).cos(), (t as f64 / 4.0).sin()]).collect()
}

/// Months from 2001-01 on.
fn month(t: usize) -> String {
    format!("{}-{:02}", 2001 + t / 12, t % 12 + 1)
}

fn table(rows: &[[f64; 2]], from: usize) -> String {
    let mut text = String::from("month,a,b\n");
    for (t, [a, b]) in rows.iter().enumerate() {
        text += &format!("{},{a},{b}\n", month(from + t));
    }
    text
}

/// The cells of a CSV text by rows, without its header.
fn cells(text: &str) -> Vec<Vec<String>> {
    text.lines().skip(1).map(|line| line.split(',').map(String::from).collect()).collect()
}

#[test]
fn a_series_is_learned_and_forecast() {
    let desk = Desk::new();
    desk.write("data.csv", &table(&turning(120, 0), 0));
    let fit = ["fit", "series", "data.csv", "--time", "month", "--method", "linear", "--order", "1", "-o", "m.orff"];
    let (_, said) = desk.ok(&fit);
    assert!(said.contains("series a, b (120 times)") && said.contains("wrote m.orff (119 steps)"), "{said}");
    // from where the series ended, and from another history
    let (own, _) = desk.ok(&["-q", "forecast", "m.orff", "--steps", "24"]);
    assert!(own.starts_with("step,a,b\n1,"), "{own}");
    desk.write("later.csv", &table(&turning(7, 200), 200));
    let (later, _) = desk.ok(&["-q", "forecast", "m.orff", "later.csv", "--steps", "5", "--interval", "0.9"]);
    assert!(later.starts_with("month,a,a_lower,a_upper,b,b_lower,b_upper\n"), "{later}");
    for (text, from, width) in [(&own, 120, 1), (&later, 207, 3)] {
        for (k, row) in cells(text).iter().enumerate() {
            let [[a, b]] = turning(1, from + k)[..] else { panic!() };
            let (x, y): (f64, f64) = (row[1].parse().unwrap(), row[1 + width].parse().unwrap());
            assert!((x - a).abs() < 1e-6 && (y - b).abs() < 1e-6, "{k}: {x} {y}");
        }
    }
    assert_eq!(cells(&later)[4][0], month(211));
    let (json, _) = desk.ok(&["inspect", "m.orff"]);
    assert!(json.contains("1 members, order 1") && json.contains("whiteness"), "{json}");
    let said = desk.fails(&["predict", "m.orff", "data.csv"], 2);
    assert!(said.contains("use orff forecast"), "{said}");
}

#[test]
fn validation_prints_what_it_found() {
    let desk = Desk::new();
    desk.write("data.csv", &table(&turning(60, 0), 0));
    let args =
        ["-q", "validate", "data.csv", "--time", "month", "--window", "30", "--horizon", "2", "--format", "json"];
    let (json, _) = desk.ok(&[&args[..], &["--method", "linear"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(number(&json, &["mse"]) < 1e-20);
    assert_eq!((number(&json, &["windows"]), json["by_step"].as_array().unwrap().len()), (30.0, 2));
    let (text, _) = desk.ok(&["-q", "validate", "data.csv", "--ignore", "month", "--features", "30"]);
    assert!(text.starts_with("30 windows of 30 rows, 30 rows predicted\nmean squared error 0.0"), "{text}");
}

#[test]
fn panels_and_what_is_known_beside_them() {
    // y = 0.5 y + 2u for both members, each with its own u
    let mut text = String::from("who,t,u,y\n");
    let mut future = String::from("who,u\n");
    let mut ends = Vec::new();
    for (who, shift) in [("anna", 0.3), ("otto", 1.9)] {
        let mut y = 0.0;
        for t in 0..40 {
            let u = (t as f64 * 0.7 + shift).sin();
            y = 0.5 * y + 2.0 * u;
            if t < 36 {
                text += &format!("{who},{t},{u},{y}\n");
            } else {
                future += &format!("{who},{u}\n");
                ends.push(y);
            }
        }
    }
    let desk = Desk::new();
    desk.write("data.csv", &text);
    desk.write("future.csv", &future);
    let fit = [
        "-q",
        "fit",
        "series",
        "data.csv",
        "--member",
        "who",
        "--time",
        "t",
        "--exogenous",
        "u",
        "--method",
        "linear",
    ];
    desk.ok(&[&fit[..], &["-o", "m.orff"]].concat());
    let (text, _) = desk.ok(&["-q", "forecast", "m.orff", "--steps", "4", "--future", "future.csv"]);
    assert!(text.starts_with("who,step,y\nanna,1,"), "{text}");
    for (row, y) in cells(&text).iter().zip(ends) {
        assert!((row[2].parse::<f64>().unwrap() - y).abs() < 1e-9, "{row:?}");
    }
    let said = desk.fails(&["-q", "forecast", "m.orff", "--steps", "4"], 2);
    assert!(said.contains("exogenous: expected 4 rows to come of 1 variables"), "{said}");
}

#[test]
fn bad_series_are_named() {
    let desk = Desk::new();
    let rows = turning(30, 0);
    desk.write("data.csv", &table(&rows, 0));
    let fit = |file: &str, rest: &[&str], code: i32| {
        desk.fails(&[&["-q", "fit", "series", file, "-o", "m.orff"], rest].concat(), code)
    };
    let said = fit("data.csv", &[], 2);
    assert!(said.contains("column \"month\" holds words") && said.contains("--time or --member"), "{said}");
    let said = fit("data.csv", &["--time", "month", "--order", "30"], 2);
    assert!(said.contains("order: expected") && said.contains("(30)"), "{said}");
    let mut lines: Vec<String> = table(&rows, 0).lines().map(String::from).collect();
    lines.swap(7, 8);
    desk.write("back.csv", &lines.join("\n"));
    let said = fit("back.csv", &["--time", "month"], 1);
    assert!(said.contains("row 8, column time") && said.contains("sort the rows by time"), "{said}");
    desk.write("words.csv", &table(&rows, 0).replace("2001-03", "soon"));
    let said = fit("words.csv", &["--time", "month"], 1);
    assert!(said.contains("row 3, column month: \"soon\" is not a time"), "{said}");
    // a month that is missing is a gap, and said
    lines.swap(7, 8);
    lines.remove(10);
    desk.write("gap.csv", &lines.join("\n"));
    let (_, said) = desk.ok(&["fit", "series", "gap.csv", "--time", "month", "--method", "linear", "-o", "m.orff"]);
    assert!(said.contains("1 rows are missing between") && said.contains("2 of 29 steps have a gap"), "{said}");
}
