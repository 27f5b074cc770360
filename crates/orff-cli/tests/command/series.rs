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
    assert!(own.starts_with("month,a,b\n2011-01,"), "{own}");
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
    for level in ["-0.5", "0", "1.5"] {
        let said = desk.fails(&["forecast", "m.orff", "--interval", level], 2);
        assert!(said.contains(&format!("expected a level between 0 and 1, got {level}")), "{said}");
    }
    let (json, _) = desk.ok(&["inspect", "m.orff"]);
    assert!(json.contains("one series, order 1, 1 row at once") && json.contains("whiteness"), "{json}");
    let said = desk.fails(&["evaluate", "m.orff", "data.csv"], 2);
    assert!(said.contains("orff validate"), "{said}");
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
    assert!(text.starts_with("who,t,y\nanna,36,"), "{text}");
    for (row, y) in cells(&text).iter().zip(ends) {
        assert!((row[2].parse::<f64>().unwrap() - y).abs() < 1e-9, "{row:?}");
    }
    let said = desk.fails(&["-q", "forecast", "m.orff", "--steps", "4"], 2);
    assert!(said.contains("exogenous: expected 4 rows to come of 1 variables, got none"), "{said}");
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
    assert!(
        said.contains("row 8, column month: 2001-07 does not come after the time of row 7,")
            && said.contains("sort the rows by time"),
        "{said}"
    );
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

#[test]
fn rows_are_predicted_from_those_before_them() {
    let desk = Desk::new();
    let mut lines: Vec<String> = table(&turning(60, 0), 0).lines().map(String::from).collect();
    desk.write("data.csv", &lines.join("\n"));
    let fit =
        ["-q", "fit", "series", "data.csv", "--time", "month", "--method", "linear", "--order", "2", "-o", "m.orff"];
    desk.ok(&fit);
    lines.remove(20); // the nineteenth month; the two after it have no complete past
    desk.write("gap.csv", &lines.join("\n"));
    let (text, said) = desk.ok(&["predict", "m.orff", "gap.csv", "--interval", "0.9", "--std"]);
    assert!(text.starts_with("month,a,a_std,a_lower,a_upper,b,"), "{text}");
    assert!(said.contains("the past of 4 rows is not all known"), "{said}");
    let found = cells(&text);
    assert_eq!((found.len(), found[19][0].as_str()), (59, "2002-09"));
    for (i, row) in found.iter().enumerate() {
        let month = if i < 19 { i } else { i + 1 };
        let [[a, b]] = turning(1, month)[..] else { panic!() };
        if [0, 1, 19, 20].contains(&i) {
            assert!(row[1] == "NaN" && row[5] == "NaN", "{i}: {row:?}");
            continue;
        }
        let (x, y): (f64, f64) = (row[1].parse().unwrap(), row[5].parse().unwrap());
        assert!((x - a).abs() < 1e-6 && (y - b).abs() < 1e-6, "{i}: {row:?}");
        let (std, low, high): (f64, f64, f64) =
            (row[2].parse().unwrap(), row[3].parse().unwrap(), row[4].parse().unwrap());
        assert!((high - x - 1.6448536269514722 * std).abs() < 1e-12 && (x - low - (high - x)).abs() < 1e-12);
    }
    let said = desk.fails(&["predict", "m.orff", "gap.csv", "--keep", "a"], 2);
    assert!(said.contains("--keep: rows of a series"), "{said}");
    let said = desk.fails(&["predict", "m.orff", "gap.csv", "--scores"], 2);
    assert!(said.contains("--scores"), "{said}");
}

#[test]
fn shocks_are_followed_and_influence_is_told() {
    // a is moved by b, b by itself: a' = 0.5 a + 0.4 b, b' = 0.6 b + e
    let mut random = 1u64;
    let mut noise = || {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 40) as f64 / (1u64 << 24) as f64 - 0.5
    };
    let (mut a, mut b, mut text) = (0.0, 0.0, String::from("a,b\n"));
    for _ in 0..300 {
        (a, b) = (0.5 * a + 0.4 * b + noise(), 0.6 * b + noise());
        text += &format!("{a},{b}\n");
    }
    let desk = Desk::new();
    desk.write("data.csv", &text);
    desk.ok(&["-q", "fit", "series", "data.csv", "--method", "linear", "-o", "m.orff"]);
    let (text, _) = desk.ok(&["-q", "impulse", "m.orff", "--steps", "3"]);
    let found = cells(&text);
    assert!(text.starts_with("step,shock,a,b\n0,a,1,0\n0,b,0,1\n1,a,") && found.len() == 8, "{text}");
    let value = |row: usize, k: usize| -> f64 { found[row][k].parse().unwrap() };
    // the second step is the square of the first: a shock of b moves a
    let square: f64 = value(2, 2) * value(3, 2) + value(3, 2) * value(3, 3);
    assert!((value(5, 2) - square).abs() < 1e-9 && (value(3, 2) - 0.4).abs() < 0.1, "{text}");
    let (twice, _) = desk.ok(&["-q", "impulse", "m.orff", "data.csv", "--steps", "3", "--size", "2,-4"]);
    let other = cells(&twice);
    assert!((other[5][2].parse::<f64>().unwrap() + 4.0 * square).abs() < 1e-9, "{twice}");
    // a shock that leaves the rows learned from is followed by a line
    let (far, _) = desk.ok(&["impulse", "m.orff", "--steps", "3", "--size", "1000"]);
    assert!((cells(&far)[5][2].parse::<f64>().unwrap() - 1000.0 * square).abs() < 1e-6, "{far}");
    desk.ok(&["-q", "fit", "series", "data.csv", "--features", "40", "-o", "bent.orff"]);
    let (_, said) = desk.ok(&["impulse", "bent.orff", "--steps", "3", "--size", "50"]);
    assert!(said.contains("warning: a shock of a by 50: step 1 follows from rows further out"), "{said}");
    let said = desk.fails(&["impulse", "m.orff", "--size", "1,2,3"], 2);
    assert!(said.contains("--size: expected one number, or 2"), "{said}");
    let influence = ["-q", "influence", "data.csv", "--method", "linear", "--shifts", "39"];
    let (json, _) = desk.ok(&[&influence[..], &["--format", "json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let p = |moved: &str, by: &str| number(&json, &["p_value", moved, by]);
    assert!(p("a", "b") <= 0.025 && p("a", "a") <= 0.025 && p("b", "b") <= 0.025 && p("b", "a") > 0.05, "{json}");
    let (text, _) = desk.ok(&influence);
    assert!(text.lines().nth(2).is_some_and(|l| l.starts_with("a                b ")), "{text}");
    let said = desk.fails(&["influence", "data.csv", "--order", "evidence"], 2);
    assert!(said.contains("give the order"), "{said}");
}

#[test]
fn ends_of_months_go_on_as_ends_of_months() {
    let desk = Desk::new();
    let ends = ["2003-07-31", "2003-08-31", "2003-09-30", "2003-10-31", "2003-11-30", "2003-12-31"];
    let rows = turning(6, 0);
    let mut text = String::from("day,a,b\n");
    ends.iter().zip(&rows).for_each(|(end, [a, b])| text += &format!("{end},{a},{b}\n"));
    desk.write("data.csv", &text);
    desk.ok(&["-q", "fit", "series", "data.csv", "--time", "day", "--method", "linear", "-o", "m.orff"]);
    let (text, _) = desk.ok(&["-q", "forecast", "m.orff", "data.csv", "--steps", "4"]);
    let days = |text: &str| cells(text).iter().map(|row| row[0].clone()).collect::<Vec<_>>();
    let expected = ["2004-01-31", "2004-02-29", "2004-03-31", "2004-04-30"];
    assert_eq!(days(&text), expected);
    // from the end of what was learned from, and from one row, which does not tell how far rows are apart
    let (text, _) = desk.ok(&["-q", "forecast", "m.orff", "--steps", "4"]);
    assert!(text.starts_with("day,") && days(&text) == expected, "{text}");
    desk.write("one.csv", "day,a,b\n2003-12-31,5,1\n");
    assert_eq!(days(&desk.ok(&["-q", "forecast", "m.orff", "one.csv", "--steps", "4"]).0), expected);
}

#[test]
fn weekends_are_no_gaps_where_no_row_is_on_one() {
    let desk = Desk::new();
    // 2024-02-19 is a Monday; the leap day is among them
    let weeks = ["2024-02-19", "2024-02-26", "2024-03-04", "2024-03-11"];
    let day = |k: usize| {
        let (start, of) = (weeks[k / 5], k % 5);
        let (month, day): (usize, usize) = (start[5..7].parse().unwrap(), start[8..].parse().unwrap());
        match (month, day + of) {
            (2, late) if late > 29 => format!("2024-03-{:02}", late - 29),
            (month, day) => format!("2024-{month:02}-{day:02}"),
        }
    };
    let text = |rows: &[usize]| {
        let line = |k: &usize| format!("{},{},{}\n", day(*k), (*k as f64 / 4.0).cos(), (*k as f64 / 4.0).sin());
        String::from("day,a,b\n") + &rows.iter().map(line).collect::<String>()
    };
    let days = |text: &str| cells(text).iter().map(|row| row[0].clone()).collect::<Vec<_>>();
    let fit = ["fit", "series", "data.csv", "--time", "day", "--method", "linear", "-o", "m.orff"];
    desk.write("data.csv", &text(&(0..20).collect::<Vec<_>>()));
    let (_, said) = desk.ok(&fit);
    assert!(!said.contains("gap") && said.contains("wrote m.orff (19 steps)"), "{said}");
    let expected = ["2024-03-18", "2024-03-19", "2024-03-20", "2024-03-21", "2024-03-22", "2024-03-25"];
    assert_eq!(days(&desk.ok(&["-q", "forecast", "m.orff", "--steps", "6"]).0), expected);
    // from one row, a Friday, too
    desk.write("one.csv", &text(&[9]));
    assert_eq!(days(&desk.ok(&["-q", "forecast", "m.orff", "one.csv", "--steps", "2"]).0), [day(10), day(11)]);
    // a holiday is one row that is missing
    desk.write("data.csv", &text(&(0..20).filter(|k| *k != 7).collect::<Vec<_>>()));
    let (_, said) = desk.ok(&fit);
    assert!(said.contains("1 rows are missing between") && said.contains("2 of 19 steps have a gap"), "{said}");
    // a row on a Saturday makes weekends count
    desk.write("data.csv", &(text(&(0..20).collect::<Vec<_>>()) + "2024-03-16,1,0\n"));
    let (_, said) = desk.ok(&fit);
    assert!(said.contains("6 rows are missing between"), "{said}");
}

#[test]
fn rows_to_come_are_of_the_times_to_come() {
    let desk = Desk::new();
    let line = |t: usize| format!("{},{}", month(t), (t % 5) as f64);
    let rows: String =
        (0..40).map(|t| format!("{},{}\n", line(t), ((t * 7919) % 13) as f64 + 2.0 * (t % 5) as f64)).collect();
    desk.write("data.csv", &format!("month,u,a\n{rows}"));
    desk.ok(&[
        "-q",
        "fit",
        "series",
        "data.csv",
        "--time",
        "month",
        "--exogenous",
        "u",
        "--method",
        "linear",
        "-o",
        "m.orff",
    ]);
    let future = |from: usize| (from..from + 3).map(|t| line(t) + "\n").collect::<String>();
    desk.write("right.csv", &format!("month,u\n{}", future(40)));
    desk.write("late.csv", &format!("month,u\n{}", future(41)));
    desk.write("bare.csv", "u\n0\n1\n2\n");
    let forecast = ["-q", "forecast", "m.orff", "--steps", "3", "--future"];
    let (right, _) = desk.ok(&[&forecast[..], &["right.csv"]].concat());
    assert!(right.starts_with("month,a\n2004-05,"), "{right}");
    assert_eq!(right, desk.ok(&[&forecast[..], &["bare.csv"]].concat()).0);
    let said = desk.fails(&[&forecast[..], &["late.csv"]].concat(), 1);
    assert!(said.contains("row 1 is of 2004-06, but the forecast goes on with 2004-05"), "{said}");
    desk.ok(&["-q", "fit", "series", "data.csv", "--time", "month", "--method", "linear", "-o", "m.orff"]);
    let said = desk.fails(&[&forecast[..], &["right.csv"]].concat(), 1);
    assert!(said.contains("--future: nothing is known beside this series"), "{said}");
}

#[test]
fn a_forecast_from_where_nothing_was_learned_says_so() {
    let desk = Desk::new();
    let rough: String = (0..120)
        .map(|t| {
            format!("{},{}\n", (t as f64 / 4.0).cos() + 0.1 * ((t * 7919) % 13) as f64 / 13.0, (t as f64 / 4.0).sin())
        })
        .collect();
    desk.write("rough.csv", &format!("a,b\n{rough}"));
    desk.ok(&["-q", "fit", "series", "rough.csv", "--features", "100", "-o", "m.orff"]);
    desk.write("near.csv", "a,b\n1,0\n");
    desk.write("far.csv", "a,b\n9,-8\n");
    let (_, said) = desk.ok(&["forecast", "m.orff", "near.csv", "--steps", "3"]);
    assert!(!said.contains("warning"), "{said}");
    let (_, said) = desk.ok(&["forecast", "m.orff", "far.csv", "--steps", "3"]);
    assert!(said.contains("warning: step 1 follows from rows further out than any that was learned from"), "{said}");
}

#[test]
fn a_fit_of_a_series_reports_its_approximation_beside_one_step() {
    let desk = Desk::new();
    // two rows are missing, so that some steps are left out
    let text = table(&turning(120, 0), 0);
    let kept = text.lines().enumerate().filter(|(i, _)| !(40..42).contains(i)).map(|(_, l)| format!("{l}\n"));
    desk.write("data.csv", &kept.collect::<String>());
    let fit = ["-q", "fit", "series", "data.csv", "--time", "month", "-o", "m.orff", "--report"];
    let (said, _) = desk.ok(&[&fit[..], &["--features", "100", "--order", "2"]].concat());
    let value = |what: &str| -> f64 {
        let line = said.lines().find(|l| l.contains(what)).unwrap_or_else(|| panic!("{what}: {said}"));
        line.split_whitespace().next().unwrap().parse().unwrap()
    };
    assert!(said.starts_with("one step ahead, the rows that were learned from (orff validate"), "{said}");
    assert!(value("largest error measured") < value("bound for all rows") && value("largest error measured") > 0.0);
    assert!(
        said.contains("expected loss: a bound of the expected loss is refused: it is for independent rows"),
        "{said}"
    );
    // the scores are those of the predictions: 118 rows, less two at the start and two after the gap
    let (rows, _) = desk.ok(&["-q", "predict", "m.orff", "data.csv"]);
    let data = desk.read("data.csv");
    let known = cells(&rows).into_iter().zip(cells(&data)).filter(|(p, _)| p[1] != "NaN" && !p[1].is_empty());
    let errors: Vec<f64> = known.map(|(p, y)| p[1].parse::<f64>().unwrap() - y[1].parse::<f64>().unwrap()).collect();
    let rmse = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
    let line: Vec<&str> = said.lines().find(|l| l.starts_with("a ")).unwrap().split_whitespace().collect();
    assert_eq!((errors.len(), line[5]), (114, "114"), "{said}");
    assert!((line[2].parse::<f64>().unwrap() / rmse - 1.0).abs() < 1e-3, "{said} {rmse}");
    let (said, _) = desk.ok(&[&fit[..], &["--method", "linear"]].concat());
    assert!(said.contains("approximation: the model has no random features"), "{said}");
}
