//! Columns by name, position and range; what is said when one is not there.

use crate::kit::*;
use orff_table::{Select, Selector};

const T: &str = "id,velocity,x1,x2,x3,u\na,1,2,3,4,5\nb,6,7,8,9,10\n";

fn names(select: &Select) -> Vec<String> {
    let (_dir, path) = file("wind.csv", T);
    let source = open(&path, select).unwrap();
    source.input_names().into_iter().chain(["|".into()]).chain(source.output_names()).collect()
}

fn said(select: &Select) -> String {
    complaint_csv(T, select)
}

#[test]
fn resolved() {
    let inputs = |s: &str| Select { inputs: columns(s), ..Select::default() };
    let without = |s: &str| Select { ignore: columns(s), ..Select::default() };
    assert_eq!(names(&without("id")), ["velocity", "x1", "x2", "x3", "u", "|"]);
    assert_eq!(names(&without("1,x2..u")), ["velocity", "x1", "|"]);
    assert_eq!(names(&Select { ignore: columns("1"), ..outputs("u") }), ["velocity", "x1", "x2", "x3", "|", "u"]);
    assert_eq!(names(&Select { ignore: columns("x2"), ..inputs("x1..x3") }), ["x1", "x3", "|"]);
    assert_eq!(names(&inputs("x1..x3")), ["x1", "x2", "x3", "|"]);
    assert_eq!(names(&inputs("3..5")), ["x1", "x2", "x3", "|"]);
    assert_eq!(names(&inputs("x2..")), ["x2", "x3", "u", "|"]);
    assert_eq!(names(&inputs("6, velocity,4")), ["u", "velocity", "x2", "|"]);
    let all = Select { weight: columns("x3"), keep: columns("id"), ..outputs("u,2..2") };
    assert_eq!(names(&all), ["x1", "x2", "|", "u", "velocity"]);
    let (_dir, path) = file("t.csv", "\"a,b\",c..d,2\n1,2,3\n");
    let odd = open(&path, &inputs("\"a,b\",c..d,2")).unwrap();
    assert_eq!(odd.input_names(), ["a,b", "c..d", "2"], "a name wins over a position and a range");
}

#[test]
fn complaints() {
    let inputs = |s: &str| said(&Select { inputs: columns(s), ..Select::default() });
    let list = "columns: id, velocity, x1, x2, x3, u";
    assert_eq!(
        inputs("veloctiy"),
        format!("column \"veloctiy\" not found in t.csv; did you mean \"velocity\"? {list}")
    );
    assert_eq!(
        inputs("Velocity"),
        format!("column \"Velocity\" not found in t.csv; did you mean \"velocity\"? {list}")
    );
    assert_eq!(inputs("temperature"), format!("column \"temperature\" not found in t.csv; {list}"));
    assert_eq!(inputs("x1..x9"), format!("column \"x9\" not found in t.csv; did you mean \"x1\"? {list}"));
    assert_eq!(inputs("7"), "column 7 not found in t.csv, which has 6 columns (counted from 1)");
    assert_eq!(inputs("0"), "column 0 not found in t.csv, which has 6 columns (counted from 1)");
    assert_eq!(inputs("x3..x1"), "columns x3..x1: the first end comes after the second in t.csv (write x1..x3)");
    assert_eq!(inputs("x1,3"), "column \"x1\" of t.csv is given twice");
    let both = Select { inputs: columns("x1,u"), ..outputs("u") };
    assert_eq!(said(&both), "column \"u\" of t.csv is both an input and an output");
    assert_eq!(
        said(&Select { inputs: columns("id"), ..Select::default() }),
        "t.csv:2:1: \"a\" is not a number (input \"id\": use --one-hot to encode categories, --missing-tokens if it \
         stands for a missing value, or --ignore \"id\")"
    );
    assert_eq!(said(&outputs("id")).split(" (").next().unwrap(), "t.csv:2:1: \"a\" is not a number");
    assert_eq!(said(&Select { weight: columns("x1,x2"), ..outputs("u") }), "weight: expected one column, got 2");
    assert_eq!(
        complaint_csv("a,b\nx,y\n", &Select::default()),
        "t.csv: column \"a\" holds words such as \"x\" (line 2), column \"b\" holds words such as \"y\" (line 2), not \
         numbers: use --ignore a,b to leave out, --one-hot to encode words, or --inputs to say which columns to use"
    );
    assert_eq!(said(&Select { ignore: columns("u"), ..outputs("u") }), "column \"u\" of t.csv is used and ignored");
    let all = Select { ignore: columns("1.."), ..Select::default() };
    assert_eq!(said(&all), "t.csv: no column is left for the inputs");
    assert_eq!(
        complaint_csv("a,b,a\n1,2,3\n", &Select::default()),
        "column name \"a\" appears twice in t.csv (columns 1 and 3): rename one of them"
    );
    assert_eq!(
        complaint_csv("1,0.5,1,g\n1,2,3,b\n", &Select { ignore: columns("g"), ..Select::default() }),
        "column name \"1\" appears twice in t.csv (columns 1 and 3): rename one of them (or use --header no: is it data?)"
    );
    assert_eq!("a,,b".parse::<Selector>().unwrap_err().to_string(), "columns \"a,,b\": an item of the list is empty");
    assert_eq!("\"a".parse::<Selector>().unwrap_err().to_string(), "columns \"\\\"a\": a quote is not closed");
    let many: Vec<String> = (0..100).map(|k| format!("col{k}")).collect();
    let wide = format!("{}\n{}\n", many.join(","), vec!["1"; 100].join(","));
    let said = complaint_csv(&wide, &outputs("nothing"));
    assert!(said.ends_with("col19, … and 80 more"), "{said}");
}

#[test]
fn words_are_refused_and_empty_columns_left_out_by_default() {
    let t = "a,the b,c,\n1,red,TRUE,\n2,blue,False,\n";
    assert_eq!(
        complaint_csv(t, &Select::default()),
        "t.csv: column \"the b\" holds words such as \"red\" (line 2), not numbers: use --ignore 'the b' to leave out, \
         --one-hot to encode words, or --inputs to say which columns to use"
    );
    let (_dir, path) = file("t.csv", t);
    let source = open(&path, &Select { ignore: columns("the b"), ..Select::default() }).unwrap();
    assert_eq!(source.input_names(), ["a", "c"]);
    assert_eq!(source.left_out(), ["c4"]);
    assert_eq!(rows(&source).unwrap(), [[1.0, 1.0], [2.0, 0.0]]);
}
