//! Parameters: what each kind takes and refuses, and how declared ones are read back.

use super::{gaussian, says};
use orff::group::Group;
use orff::kernel::CurlFree;
use orff::params::{Auto, Kind, Params};
use serde_json::{Value, json};

orff::params! {
    /// Made up.
    pub struct Example {
        /// How many.
        count / n_count: u64 = 3, Kind::Count { min: 1, max: 10 };
        /// How much.
        ridge / alpha: Auto<f64> = Auto::Auto, Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
        /// Which.
        draw / draw: String = "iid".into(), Kind::Choice(&["iid", "orthogonal"]);
        /// Whether.
        offset / fit_intercept: bool = true, Kind::Flag;
        /// One or several.
        levels / levels: Vec<f64> = vec![0.5], Kind::Several(&Kind::Number { min: 0.0, max: 1.0, open: false });
    }
}

#[test]
fn kinds_refuse_their_bad_values_in_words() {
    const COUNT: Kind = Kind::Count { min: 2, max: 9 };
    const NUMBER: Kind = Kind::Number { min: 0.0, max: 1.0, open: false };
    let kinds = [
        (COUNT, "a whole number from 2 to 9"),
        (Kind::Count { min: 0, max: u64::MAX }, "a whole number ≥ 0"),
        (Kind::Number { min: 0.0, max: f64::INFINITY, open: true }, "a number > 0"),
        (NUMBER, "a number ≥ 0 and ≤ 1"),
        (Kind::Choice(&["a", "b"]), "one of a, b"),
        (Kind::Flag, "true or false"),
        (Kind::Auto(&COUNT), "auto or a whole number from 2 to 9"),
        (Kind::WordOr(&["gcv", "loo"], &NUMBER), "gcv, loo or a number ≥ 0 and ≤ 1"),
        (Kind::Several(&NUMBER), "a number ≥ 0 and ≤ 1, or a list of them"),
        (Kind::Kernel, "a kernel such as decomposable"),
        (Kind::Form(&Group::FORM), "additive, multiplicative, skewed(c)"),
        (Kind::Matrix, "a symmetric positive definite matrix given by its rows, or none"),
    ];
    for (kind, expected) in kinds {
        assert!(!kind.bad_values().is_empty());
        for bad in kind.bad_values() {
            let error = kind.check("thing", &bad).expect_err(&format!("{kind:?} takes {bad}")).to_string();
            // an expression is answered by what is wrong in it
            let read = matches!(kind, Kind::Kernel) && error.starts_with(&format!("thing: {bad}: "));
            let plain = error.starts_with(&format!("thing: expected {expected}")) && error.contains("got ");
            assert!(read == (matches!(kind, Kind::Kernel) && bad.is_string()) && (read || plain), "{error}");
        }
    }
    // a word of digits is no number, and is not said as one
    let said = |kind: Kind, value| kind.check("thing", &value).unwrap_err().to_string();
    assert!(said(Kind::Auto(&COUNT), json!("5")).ends_with(", got \"5\""));
    assert!(said(NUMBER, json!("nan")).ends_with(", got nan") && said(NUMBER, json!(null)).ends_with(", got none"));
    assert!(Kind::Several(&NUMBER).check("levels", &json!([])).is_err());
    assert!(Kind::Several(&NUMBER).check("levels", &json!([0.1, 2.0])).is_err());
    assert!(Kind::Matrix.check("metric", &json!([])).is_err());
    assert!(Kind::Matrix.check("metric", &json!([[2.0, 1.0], [1.0, 2.0]])).is_ok());
    for bad in [json!([[1.0, 2.0], [2.0, 1.0]]), json!([[1.0, 0.5], [0.2, 1.0]]), json!([[0.0]])] {
        assert!(Kind::Matrix.check("metric", &bad).is_err(), "{bad} is not positive definite, or not symmetric");
    }
    let parsed = |kind: Kind, text: &str| kind.parse("thing", text).unwrap();
    assert_eq!(parsed(Kind::Several(&NUMBER), "0.1, 0.5"), json!([0.1, 0.5]));
    assert_eq!(parsed(Kind::Several(&NUMBER), "0.25"), json!(0.25));
    assert_eq!(parsed(Kind::Auto(&COUNT), "auto"), json!("auto"));
    assert_eq!(parsed(Kind::Auto(&COUNT), "4"), json!(4));
    assert_eq!(parsed(Kind::Flag, "true"), json!(true));
    assert_eq!(parsed(Kind::WordOr(&["gcv"], &NUMBER), "gcv"), json!("gcv"));
    // what the sentence offers is taken
    assert_eq!(parsed(Kind::Matrix, "none"), Value::Null);
    assert_eq!(parsed(Kind::Matrix, "[[1, 0], [0, 2]]"), json!([[1, 0], [0, 2]]));
    assert!(Kind::Number { min: 0.0, max: f64::INFINITY, open: false }.parse("ridge", "1e999").is_err());
    assert!(Kind::Number { min: 0.0, max: f64::INFINITY, open: false }.parse("ridge", "nan").is_err());
}

#[test]
fn declared_parameters_read_back_check_and_refuse() {
    let example = Example { ridge: Auto::Fixed(0.1 + 0.2), levels: vec![0.1, 0.9], ..Example::default() };
    example.check().unwrap();
    let text = serde_json::to_string(&example).unwrap();
    assert_eq!(serde_json::from_str::<Example>(&text).unwrap(), example);
    assert_eq!(serde_json::from_str::<Example>("{}").unwrap(), Example::default());
    let Value::Object(values) = serde_json::to_value(&example).unwrap() else { panic!() };
    assert_eq!(Example::from_values(&values).unwrap(), example);
    for param in Example::SPEC {
        for bad in param.kind.bad_values() {
            let mut values = serde_json::Map::new();
            values.insert(param.name.into(), bad);
            says(Example::from_values(&values), &format!("{}: expected {}", param.name, param.kind.expected()));
        }
    }
    let mut values = serde_json::Map::new();
    values.insert("cuont".into(), json!(3));
    says(Example::from_values(&values), "cuont: expected one of the parameters count, ridge, draw, offset, levels");
    says(
        Example { ridge: Auto::Fixed(f64::NAN), ..Example::default() }.check(),
        "ridge: expected auto or a number > 0",
    );
    assert_eq!(Example::SPEC[1].python, "alpha");
    assert!(serde_json::from_str::<Auto<f64>>("\"automatic\"").unwrap_err().to_string().contains("automatic"));
    let _ = CurlFree { spectrum: gaussian(1.0) };
}
