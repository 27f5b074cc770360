//! The encoding of a model meets new files.

use crate::kit::*;
use orff::rows::Rows;
use orff_table::{Code, Encoding, Missing, Options, Select, Source};

const TRAIN: &str = "id,size,colour,u\n1,2,red,10\n2,4,blue,20\n3,NA,red,30\n";

fn model(select: &Select) -> Encoding {
    let (_dir, path) = file("train.csv", TRAIN);
    let encoding = open(&path, select).unwrap().encoding().clone();
    // What the model file keeps is what comes back.
    let text = serde_json::to_string(&encoding).unwrap();
    assert_eq!(serde_json::from_str::<Encoding>(&text).unwrap(), encoding);
    encoding
}

fn full() -> Encoding {
    model(&Select { inputs: columns("size,colour"), missing: Missing::Mean, one_hot: true, ..outputs("u") })
}

fn apply(encoding: &Encoding, text: &str, outputs: bool) -> Result<Vec<Vec<f64>>, String> {
    let (_dir, path) = file("new.csv", text);
    let source = Source::with_encoding(&[&path], &Options::default(), encoding, outputs, None);
    let said = |e: String| e.replace(&format!("{}/", path.parent().unwrap().display()), "");
    let source = source.map_err(|e| said(e.to_string()))?;
    rows(&source).map_err(|e| said(e.to_string()))
}

#[test]
fn by_name() {
    let e = full();
    assert_eq!(e.inputs[0].code, Code::Number { mean: Some(3.0) });
    assert_eq!(e.input_names(), ["size", "colour=blue", "colour=red"]);
    let wanted = [vec![3.0, 1.0, 0.0], vec![7.0, 1.0 / 3.0, 2.0 / 3.0]];
    assert_eq!(apply(&e, "colour,size\nblue,\nNA,7\n", false).unwrap(), wanted);
    let wanted = [vec![3.0, 1.0, 0.0, 5.0]];
    assert_eq!(apply(&e, "u,colour,other,size\n5,blue,x,\n", true).unwrap(), wanted);
    assert_eq!(
        apply(&e, "colour,sise\nblue,1\n", false).unwrap_err(),
        "column \"size\" not found in new.csv; did you mean \"sise\"? columns: colour, sise"
    );
    assert_eq!(
        apply(&e, "colour,size\ngreen,1\n", false).unwrap_err(),
        "new.csv:2:1: \"green\" is not one of the 2 categories of \"colour\" seen in training"
    );
    assert_eq!(
        apply(&e, "colour,size\nred,1\n", true).unwrap_err(),
        "column \"u\" not found in new.csv; columns: colour, size"
    );
}

/// Rows to be scored may come without the weights or the standard errors of those learned from.
#[test]
fn weights_are_for_learning() {
    let e = model(&Select { inputs: columns("size"), weight: columns("id"), missing: Missing::Drop, ..outputs("u") });
    assert!(e.weight.is_some());
    assert_eq!(apply(&e, "u,size\n5,7\n", true).unwrap(), [[7.0, 5.0]]);
    let e = model(&Select { inputs: columns("size"), errors: columns("id"), missing: Missing::Drop, ..outputs("u") });
    assert_eq!(e.errors.len(), 1);
    assert_eq!(apply(&e, "u,size\n5,7\n", true).unwrap(), [[7.0, 5.0]]);
}

#[test]
fn by_position() {
    let e = model(&Select { inputs: columns("size,id"), missing: Missing::Drop, ..outputs("u") });
    // As many columns as in training: positions of the training table.
    assert_eq!(apply(&e, "1,2,3,4\n", false).unwrap(), [[2.0, 1.0]]);
    assert_eq!(apply(&e, "1,2,3,4\n", true).unwrap(), [[2.0, 1.0, 4.0]]);
    // Only the inputs, in the order of the model.
    assert_eq!(apply(&e, "8,9\n", false).unwrap(), [[8.0, 9.0]]);
    assert_eq!(
        apply(&e, "8,9,10\n", false).unwrap_err(),
        "new.csv: columns are found by position, since the file has no column names: expected 4 columns as in \
         training, or only the inputs in order, got 3"
    );
}

#[test]
fn missing_policy_is_kept() {
    let e = model(&Select { inputs: columns("id"), ..outputs("u") });
    assert!(apply(&e, "id\n1\n\nNA\n", false).unwrap_err().starts_with("new.csv:4:1: \"NA\" is not a number"));
    let mut damaged = full();
    damaged.inputs[0].code = Code::Number { mean: None };
    assert_eq!(
        apply(&damaged, "colour,size\nred,1\n", false).unwrap_err(),
        "encoding: the mean of column \"size\" is not known"
    );
}

#[test]
fn categories() {
    let one_hot = Select { one_hot: true, ..outputs("u") };
    let many: String = (0..1001).map(|k| format!("v{k},1\n")).collect();
    assert_eq!(
        complaint_csv(format!("c,u\n{many}"), &one_hot),
        "t.csv: column \"c\" has more than 1000 categories (is it an identifier? use --ignore)"
    );
    let (_dir, path) = file("t.csv", "zip,x,u\n20,1,1\n10,2,1\n20,3,1\n");
    let source = open(&path, &Select { categories: columns("zip"), ..outputs("u") }).unwrap();
    assert_eq!(source.input_names(), ["zip=10", "zip=20", "x"]);
    assert_eq!(rows(&source).unwrap()[1], [1.0, 0.0, 2.0, 1.0]);
    assert_eq!(
        complaint_csv("c,u\nred,1\n,2\n", &one_hot),
        "t.csv:3:1: the category is missing (use --missing drop to skip such rows, or --missing mean)"
    );
}

#[test]
fn carried_columns() {
    let e = model(&Select { inputs: columns("size"), missing: Missing::Drop, ..outputs("u") });
    let (_dir, path) = file("new.csv", "name,size\n\"a, b\",1\nc,NA\nNA,3\n");
    let source = Source::with_encoding(&[&path], &Options::default(), &e, false, columns("name")).unwrap();
    assert_eq!((source.inputs(), source.outputs()), (1, 0));
    assert_eq!(source.kept(), ["name".into()]);
    let pages: Vec<_> = source.pages().unwrap().map(|p| p.unwrap()).collect();
    assert_eq!(pages[0].kept, [["a, b", "c", "NA"]], "texts of all rows, as written");
    assert_eq!((pages[0].nrows(), &pages[0].used[..]), (3, &[0, 2][..]), "the second row cannot be used");
    assert_eq!((pages[0].batch.inputs.nrows(), source.skipped()), (2, 1));
}

#[test]
fn rows_without_inputs_are_no_error_where_only_predictions_are_asked_for() {
    let e = model(&Select { inputs: columns("size"), missing: Missing::Drop, ..outputs("u") });
    let (_dir, path) = file("new.csv", "size,u\n,1\nNA,2\n");
    let source = Source::with_encoding(&[&path], &Options::default(), &e, false, None).unwrap();
    let pages: Vec<_> = source.pages().unwrap().map(|p| p.unwrap()).collect();
    assert_eq!((pages.len(), pages[0].nrows(), pages[0].used.len()), (1, 2, 0));
    assert_eq!(rows(&source).unwrap(), Vec::<Vec<f64>>::new());
    assert_eq!(
        apply(&e, "size,u\n,1\nNA,2\n", true).unwrap_err(),
        "new.csv: no row is left: every row has a missing value and was dropped (use --missing mean)"
    );
}

#[test]
fn a_value_is_named_by_its_place() {
    let value = |row: usize, column: &str| orff::Error::Value {
        row,
        column: column.into(),
        value: "-3".into(),
        problem: "is wrong".into(),
    };
    let select = Select { missing: Missing::Drop, one_hot: true, inputs: columns("colour,size"), ..outputs("u") };
    let (_dir, path) = file("train.csv", TRAIN.replace("2,4,blue", "2,,blue"));
    let source = open(&path, &select).unwrap();
    let page = source.pages().unwrap().next().unwrap().unwrap();
    assert_eq!(page.batch.inputs.nrows(), 1, "only the first row has a size");
    let said = |e: orff::Error| page.placed(e).to_string().replace(&path.display().to_string(), "train.csv");
    assert_eq!(said(value(1, "3")), "train.csv:2:2: input \"size\": -3 is wrong");
    assert_eq!(said(value(1, "2")), "train.csv:2:3: input \"colour\": -3 is wrong");
    assert_eq!(said(value(1, "1 of view 2")), "train.csv:2: input 1 of view 2: -3 is wrong");
    assert_eq!(said(value(9, "1")), "row 9, column 1: -3 is wrong", "no such row here");
    assert_eq!(said(orff::Error::Interrupted), "interrupted");
}

#[test]
fn means_come_from_the_rows_learned_from() {
    let select = Select { missing: Missing::Mean, one_hot: true, ..outputs("u") };
    let (_dir, path) = file("t.csv", "size,colour,u\n1,red,0\n,blue,0\n3,,0\n100,blue,0\n");
    let all = open(&path, &select).unwrap();
    assert_eq!(all.encoding().inputs[0].code, Code::Number { mean: Some(104.0 / 3.0) });
    let part = all.learned_from(|row| row < 3).unwrap();
    assert_eq!(part.encoding().inputs[0].code, Code::Number { mean: Some(2.0) });
    assert_eq!(part.input_names(), ["size", "colour=blue", "colour=red"]);
    assert_eq!(rows(&part).unwrap()[1..3], [[2.0, 1.0, 0.0, 0.0], [3.0, 0.5, 0.5, 0.0]]);
    let first = all.learned_from(|row| row == 0).unwrap();
    assert_eq!(rows(&first).unwrap()[2], [3.0, 0.0, 1.0, 0.0], "a category that was held out has no share");
    let none = all.learned_from(|row| row == 1).err().unwrap().to_string();
    assert!(none.ends_with("column \"size\" has no values to take a mean of"), "{none}");
}
