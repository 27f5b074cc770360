//! Delimited text: dialects, places of errors.

use crate::kit::*;
use orff_table::{Missing, Options, Select};

#[test]
fn dialects() {
    let wanted = [vec![1.0, 2.5, 3.0], vec![-4.0, 5e3, 6.25]];
    let header = |t: &str| {
        let (_dir, path) = file("t.csv", t);
        let source = open(&path, &outputs("u")).unwrap();
        assert_eq!(source.input_names(), ["x", "y"]);
        assert_eq!(source.output_names(), ["u"]);
        assert_eq!(rows(&source).unwrap(), wanted, "{t:?}");
        assert_eq!(rows(&source).unwrap(), wanted, "read again: {t:?}");
    };
    header("x,y,u\n1,2.5,3\n-4,5e3,6.25\n");
    header("x,y,u\n1,2.5,3\n-4,5e3,6.25");
    header("\u{feff}x,y,u\r\n1,2.5,3\r\n-4,5e3,6.25\r\n");
    header("x,y,u\r1,2.5,3\r-4,5e3,6.25\r");
    header("x,y,u\r1,2.5,3\r-4,5e3,6.25");
    header("  x   y  u\r 1   2.5  3 \r-4 \t 5e3  6.25\r");
    header("\"x\",\"y\",\"u\"\n\"1\",2.5,3\n\n-4,\"5e3\",6.25\n\n");
    header("x;y;u\n1;2.5;3\n-4;5e3;6.25\n");
    header("x\ty\tu\n1\t2.5\t3\n-4\t5e3\t6.25\n");
    header("x|y|u\n1|2.5|3\n-4|5e3|6.25\n");
    header("  x   y  u\n 1   2.5  3 \n-4 \t 5e3  6.25\n");
    header(" x , y,u\n 1, 2.5 ,3\n-4,5e3, 6.25\n");
    let (_dir, path) = file("t.dat", "1 2.5 3\n-4 5e3 6.25\n");
    let source = open(&path, &outputs("3")).unwrap();
    assert_eq!(source.input_names(), ["c1", "c2"]);
    assert_eq!(rows(&source).unwrap(), wanted);
}

#[test]
fn header_and_delimiter_can_be_given() {
    let options = Options { header: Some(true), ..Options::default() };
    let source = text("1,2\n3,4\n", &options, &Select::default()).unwrap();
    assert_eq!(source.input_names(), ["1", "2"]);
    assert_eq!(rows(&source).unwrap(), [[3.0, 4.0]]);
    let options = Options { header: Some(false), delimiter: Some(b'/'), ..Options::default() };
    let source = text("1/2\n3/4\n", &options, &Select::default()).unwrap();
    assert_eq!(rows(&source).unwrap(), [[1.0, 2.0], [3.0, 4.0]]);
    let options = Options { comment: Some(b'#'), ..Options::default() };
    let source = text("# made by hand\nx,y\n1,2\n#3,4\n", &options, &Select::default()).unwrap();
    assert_eq!(rows(&source).unwrap(), [[1.0, 2.0]]);
}

/// Beyond the first stretch too, which is what tells how lines end.
#[test]
fn carriage_returns_end_the_lines_of_long_files() {
    let text: String =
        std::iter::once("x,y\r".into()).chain((0..60_000).map(|i| format!("{i},{}\r", 2 * i))).collect();
    let (_dir, path) = file("t.csv", text);
    let found = rows(&open(&path, &outputs("y")).unwrap()).unwrap();
    assert!(found.len() == 60_000 && found.iter().enumerate().all(|(i, r)| *r == [i as f64, 2.0 * i as f64]));
}

#[test]
fn places() {
    let s = Select::default();
    let advice = "(use --missing drop to skip such rows, or --missing mean)";
    assert_eq!(complaint_csv("x,y\n1,2\n3,n/a\n", &s), format!("t.csv:3:2: \"n/a\" is not a number {advice}"));
    assert_eq!(complaint_csv("x,y\r\n1,2\r\n3,n/a\r\n", &s), format!("t.csv:3:2: \"n/a\" is not a number {advice}"));
    assert_eq!(complaint_csv("x,y\r1,2\r3,n/a\r", &s), format!("t.csv:3:2: \"n/a\" is not a number {advice}"));
    assert_eq!(complaint_csv("x,y\n\n1,2\n\n,4\n", &s), format!("t.csv:5:1: the cell is empty {advice}"));
    assert_eq!(complaint_csv("\"a\nb\",y\n1,2\n1,NaN\n", &s), format!("t.csv:4:2: \"NaN\" is not a number {advice}"));
    assert_eq!(
        complaint_csv("x,y\n1,2\n3,4,5\n", &s),
        "t.csv:3: 3 fields, expected 2 as in the header (is a quote or a delimiter missing?)"
    );
    assert_eq!(
        complaint_csv("1,2\n3,4\n5\n", &s),
        "t.csv:3: 1 fields, expected 2 as in the first row (is a quote or a delimiter missing?)"
    );
    assert_eq!(
        complaint_csv("x,y\n1,2\n3,-inf\n", &s),
        "t.csv:3:2: \"-inf\" is not finite (correct it, or mark it as missing)"
    );
    assert_eq!(
        complaint_csv("x,y\n1,2\n3,1e999\n", &s),
        "t.csv:3:2: \"1e999\" is not finite (correct it, or mark it as missing)"
    );
}

#[test]
fn missing_values() {
    let t = "x,y,u\n1,2,NA\n3,-,4\n?,6,5\n7,8,9\n";
    let (_dir, path) = file("t.csv", t);
    let select = |missing| Select { missing, ..outputs("u") };
    let found = rows(&open(&path, &select(Missing::Drop)).unwrap()).unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!(found[0][..2], [1.0, 2.0]);
    assert!(found[0][2].is_nan());
    assert_eq!(found[1], [7.0, 8.0, 9.0]);
    let source = open(&path, &Select { drop_unobserved: true, ..select(Missing::Drop) }).unwrap();
    assert_eq!(rows(&source).unwrap(), [[7.0, 8.0, 9.0]]);
    // Means by hand: (1 + 3 + 7)/3 and (2 + 6 + 8)/3.
    let found = rows(&open(&path, &select(Missing::Mean)).unwrap()).unwrap();
    assert!((found[2][0] - 11.0 / 3.0).abs() < 1e-15);
    assert!((found[1][1] - 16.0 / 3.0).abs() < 1e-15);
    let options = Options { missing_tokens: Some(vec!["-999".into()]), ..Options::default() };
    let source = text("x,u\n-999,1\n2,-999\n", &options, &select(Missing::Drop)).unwrap();
    let found = rows(&source).unwrap();
    assert_eq!(found[0][0], 2.0);
    assert!(found.len() == 1 && found[0][1].is_nan());
}
