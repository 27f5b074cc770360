//! svmlight rows.

use crate::kit::*;
use orff::rows::{Inputs, Rows};
use orff_table::{Format, Options, Select, Source};

#[test]
fn read() {
    let t = "# made by hand\n1 1:0.5 4:-2 # a\n-1 qid:3 3:1e3\n\n1\n0.5 4:4 1:1\n";
    let (_dir, path) = file("t.svm", t);
    let source = open(&path, &outputs("y")).unwrap();
    assert_eq!((source.inputs(), source.outputs()), (4, 1));
    let wanted = [
        [0.5, 0.0, 0.0, -2.0, 1.0],
        [0.0, 0.0, 1e3, 0.0, -1.0],
        [0.0, 0.0, 0.0, 0.0, 1.0],
        [1.0, 0.0, 0.0, 4.0, 0.5],
    ];
    assert_eq!(rows(&source).unwrap(), wanted);
    assert_eq!(source.bytes_read(), t.len() as u64);
    let zero = "2,3 0:1 2:5\n4,5 1:6\n";
    let (_dir, path) = file("zero.libsvm", zero);
    let source = open(&path, &outputs("y")).unwrap();
    assert_eq!(source.output_names(), ["y1", "y2"]);
    assert_eq!(rows(&source).unwrap(), [[1.0, 0.0, 5.0, 2.0, 3.0], [0.0, 6.0, 0.0, 4.0, 5.0]]);
    // A model meets rows without labels.
    let e = source.encoding().clone();
    let (_dir, path) = file("new.svm", "0:7\n1:8 2:9\n");
    let source = Source::with_encoding(&[&path], &Options::default(), &e, false, None).unwrap();
    assert_eq!(rows(&source).unwrap(), [[7.0, 0.0, 0.0], [0.0, 8.0, 9.0]]);
}

#[test]
fn wide_rows_stay_sparse() {
    let t: String = (0..100).map(|i| format!("1 {}:2 50000:3\n", i + 1)).collect();
    let (_dir, path) = file("wide.svm", t);
    let source = open(&path, &outputs("y")).unwrap();
    for batch in source.batches().unwrap() {
        let Inputs::Sparse(x) = batch.unwrap().inputs else { panic!("dense") };
        assert_eq!((x.width, x.nrows(), x.values.len()), (50_000, 100, 200));
    }
}

#[test]
fn complaints() {
    let said = |t: &str| {
        let (_dir, path) = file("t.svm", t);
        complaint(&path, &Options::default(), &outputs("y"))
    };
    assert_eq!(said("1 1:2\n1 x:2\n"), "t.svm:2:2: \"x\" is not an index");
    assert_eq!(said("1 1:2\n1 3\n"), "t.svm:2:2: \"3\" is not index:value");
    assert_eq!(said("1 1:2\n1 1:z\n"), "t.svm:2:2: \"z\" is not a number");
    assert_eq!(said("1 1:2\nz 1:1\n"), "t.svm:2:1: \"z\" is not a number");
    assert_eq!(said("1 1:2\n1 1:inf\n"), "t.svm:2:2: \"inf\" is not finite");
    assert_eq!(said("1 1:2\n1,2 1:3\n"), "t.svm:2:1: 2 labels, expected 1 as in the first row");
    assert_eq!(
        said("1 1:2 400000000:3\n"),
        "t.svm:1:3: index 400000000 would make more than the 10000000 inputs that are allowed (hash the features to fewer)"
    );
    assert_eq!(said("1 2:2 2:3\n"), "t.svm:1:1: index 2 is given twice in one row");
    assert_eq!(
        said("1 1:2\n1 1:nan\n"),
        "t.svm:2: the value of input x1 is missing (use --missing drop to skip such rows)"
    );
    let (_dir, path) = file("t.svm", "1 1:1 5:1\n");
    let narrow = Options { width: Some(3), ..Options::default() };
    assert_eq!(complaint(&path, &narrow, &outputs("y")), "t.svm:1:1: index 5 is beyond the last input, 3");
    let zero = Options { zero_based: Some(false), ..Options::default() };
    let (_dir, path) = file("t.svm", "1 0:1 5:1\n");
    assert_eq!(
        complaint(&path, &zero, &outputs("y")),
        "t.svm:1:1: index 0, but indices count from 1 here (use --zero-based)"
    );
    let stdin = |options: &Options| {
        Source::read("standard input", &b"1 1:1\n"[..], options, &outputs("y")).err().map(|e| e.to_string())
    };
    let svm = Options { format: Some(Format::Svmlight), ..Options::default() };
    assert_eq!(
        stdin(&svm).unwrap(),
        "the number of inputs of sparse rows that can be read only once is needed (give --width, or save the rows to \
         a file first)"
    );
    assert_eq!(stdin(&Options { width: Some(2), ..svm }), None);
    let (_dir2, csv) = file("t.csv", "a,b\n1,2\n");
    let e = open(&csv, &outputs("b")).unwrap().encoding().clone();
    let wrong = Source::with_encoding(&[&path], &Options::default(), &e, false, None).err().unwrap();
    assert_eq!(wrong.to_string(), "the model was trained on columns, not on sparse svmlight rows");
    let e = open(&path, &outputs("y")).unwrap().encoding().clone();
    let wrong = Source::with_encoding(&[&csv], &Options::default(), &e, false, None).err().unwrap();
    assert_eq!(wrong.to_string(), "the model was trained on sparse svmlight rows: give it such rows");
    let both = Source::open(&[csv, path], &Options::default(), &Select::default());
    assert_eq!(both.err().unwrap().to_string(), "svmlight files cannot be mixed with files of other formats");
}
