//! Files of typed columns, written by NumPy and PyArrow (`data/make.py`).

use crate::kit::*;
use orff::rows::{Rows, Weights};
use orff_table::{Error, Missing, Options, Select, Source};
use std::path::{Path, PathBuf};

pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/table/data").join(name)
}

const X: [[f64; 3]; 4] = [[1.0, 2.5, -3.0], [4.0, 5.25, 6.0], [7.0, -8.5, 9.0], [10.0, 11.0, 12.75]];
const Y: [f64; 4] = [0.5, -1.5, 2.5, 3.5];

fn read(name: &str, select: &Select) -> Vec<Vec<f64>> {
    // Batches of three rows: the last one is cut.
    let options = Options { batch: Some(3), ..Options::default() };
    let source = Source::open(&[data(name)], &options, select).unwrap();
    let all = rows(&source).unwrap();
    assert_eq!(source.bytes_read(), source.bytes_total().unwrap(), "{name}");
    assert_eq!(format!("{:?}", rows(&source).unwrap()), format!("{all:?}"));
    all
}

#[test]
fn npy() {
    for name in ["f8", "f8_fortran", "f4", "f2", "f8_big"] {
        assert_eq!(read(&format!("{name}.npy"), &Select::default()), X, "{name}");
    }
    for (name, shift) in [("i8", 0.0), ("i4", 0.0), ("i2_big", 0.0), ("i1", 0.0), ("u8", 100.0), ("u1", 100.0)] {
        let wanted = X.map(|r| r.map(|v| (4.0 * v + shift).trunc()));
        assert_eq!(read(&format!("{name}.npy"), &Select::default()), wanted, "{name}");
    }
    let wanted = X.map(|r| r.map(|v| f64::from(u8::from(v > 3.0))));
    assert_eq!(read("bool.npy", &Select::default()), wanted);
    assert_eq!(read("flat.npy", &Select::default()), Y.map(|v| [v]));
    let picked = Select { inputs: columns("3,1"), ..outputs("2") };
    assert_eq!(read("f8_fortran.npy", &picked), X.map(|[a, b, c]| [c, a, b]));
}

#[test]
fn npz() {
    let wanted: Vec<Vec<f64>> = X.iter().zip(Y).map(|(r, y)| r.iter().copied().chain([y]).collect()).collect();
    for name in ["stored.npz", "deflated.npz"] {
        // the first has an array of texts beside them
        let mut named = outputs("y");
        if name == "stored.npz" {
            let said = complaint(&data(name), &Options::default(), &named);
            assert!(said.contains("column \"name\" is of type text array (<U1), not numbers: use --ignore name"));
            named.ignore = columns("name");
        }
        assert_eq!(open(&data(name), &named).unwrap().input_names(), ["X1", "X2", "X3"]);
        assert_eq!(read(name, &named), wanted, "{name}");
        assert_eq!(read(name, &Select { inputs: columns("X"), ..outputs("y") }), wanted, "{name}");
    }
    let said = complaint(&data("unequal.npz"), &Options::default(), &outputs("y"));
    assert_eq!(
        said,
        "unequal.npz: array \"X\" has 4 rows, array \"y\" has 3 (choose columns with --inputs and --outputs)"
    );
}

#[test]
fn parquet_and_arrow() {
    let parquet = ["mixed.parquet", "zstd.parquet", "gzip.parquet", "brotli.parquet", "lz4.parquet"];
    let arrow = ["lz4.feather", "zstd.feather", "plain.feather", "stream.arrows"];
    for name in parquet.into_iter().chain(arrow) {
        let select = Select { missing: Missing::Drop, ..outputs("u") };
        let said = complaint(&data(name), &Options::default(), &select);
        let types = "column \"colour\" holds text, column \"kind\" holds text, column \"when\" is of type timestamp";
        assert!(
            said.starts_with(&format!("{name}: {types}")) && said.contains("--ignore colour,kind,when"),
            "{said}"
        );
        let select = Select { inputs: columns("x1,x2,flag,price"), ..select };
        let source = open(&data(name), &select).unwrap();
        assert_eq!(source.input_names(), ["x1", "x2", "flag", "price"], "{name}");
        let found = read_nan(name, &select);
        assert_eq!(found, ["[1.5, 1.0, 1.0, 1.0, 0.25]", "[2.5, -2.0, 0.0, 2.0, NaN]", "[4.5, 4.0, 1.0, 4.0, 1.0]"]);
        // Mean of x1: 8.5/3. Categories: blue, red with shares 1/3, 2/3; p, q.
        let select = Select {
            inputs: columns("x1,colour,kind"),
            missing: Missing::Mean,
            one_hot: true,
            keep: columns("colour"),
            ..Select::default()
        };
        let source = open(&data(name), &select).unwrap();
        assert_eq!(source.input_names(), ["x1", "colour=blue", "colour=red", "kind=p", "kind=q"]);
        let all = rows(&source).unwrap();
        assert_eq!(all[0], [1.5, 0.0, 1.0, 1.0, 0.0]);
        assert_eq!(all[1], [2.5, 1.0, 0.0, 0.0, 1.0]);
        let gap: Vec<f64> = vec![8.5 / 3.0, 1.0 / 3.0, 2.0 / 3.0, 1.0, 0.0];
        assert!(all[2].iter().zip(&gap).all(|(a, b)| (a - b).abs() < 1e-15), "{:?}", all[2]);
        let kept: Vec<String> = source.pages().unwrap().flat_map(|p| p.unwrap().kept.remove(0)).collect();
        assert_eq!(kept, ["red", "blue", "", "red"]);
    }
}

/// A codec that nothing reads, put in the place of snappy: LZO is number 3 (6 in the footer), snappy is 1 (2).
#[test]
fn a_codec_that_is_not_read_is_named() {
    use parquet::arrow::ArrowWriter;
    use parquet::basic::Compression;
    use parquet::file::properties::WriterProperties;
    let x: arrow_array::ArrayRef = std::sync::Arc::new(arrow_array::Float64Array::from(vec![1.0, 2.0, 4.0]));
    let batch = arrow_array::RecordBatch::try_from_iter([("x", x)]).unwrap();
    let how = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(how)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    // the path of the column, its codec, the number of its values
    let codec = b"\x18\x01x\x15\x02\x16\x06";
    let at = bytes.windows(codec.len()).position(|w| w == codec).unwrap();
    bytes[at + 4] = 6;
    let (_dir, path) = file("t.parquet", &bytes);
    assert_eq!(
        complaint(&path, &Options::default(), &Select::default()),
        "t.parquet: columns are compressed with LZO, which is not read (save the file with snappy, gzip, brotli, lz4 or zstd)"
    );
}

fn read_nan(name: &str, select: &Select) -> Vec<String> {
    rows(&open(&data(name), select).unwrap()).unwrap().iter().map(|r| format!("{r:?}")).collect()
}

#[test]
fn streams_of_typed_files_are_copied_and_read_again() {
    for name in ["mixed.parquet", "stream.arrows", "stored.npz", "f8.npy"] {
        let bytes = std::fs::read(data(name)).unwrap();
        let inputs = if name.ends_with("npy") { "1" } else { "x1" };
        let inputs = columns(if name.ends_with("npz") { "X" } else { inputs });
        let select = Select { missing: Missing::Drop, inputs, ..Select::default() };
        let source =
            Source::read("standard input", std::io::Cursor::new(bytes), &Options::default(), &select).unwrap();
        assert!(source.rereadable());
        assert_eq!(rows(&source).unwrap(), rows(&source).unwrap());
    }
}

#[test]
fn complaints() {
    let said = |name: &str, select: &Select| complaint(&data(name), &Options::default(), select);
    let one = |inputs: &str| Select { inputs: columns(inputs), ..Select::default() };
    assert_eq!(
        said("mixed.parquet", &one("x1")),
        "mixed.parquet: row 3, column \"x1\": the value is missing (use --missing drop to skip such rows, or --missing mean)"
    );
    assert_eq!(
        said("mixed.parquet", &one("colour")),
        "mixed.parquet: input \"colour\" holds text (use --one-hot to encode categories, or --ignore \"colour\")"
    );
    assert_eq!(
        said("lz4.feather", &one("when")),
        "lz4.feather: column \"when\" is of type timestamp, which cannot be used (convert it to numbers)"
    );
    assert_eq!(said("empty.parquet", &one("x1")), "empty.parquet: no rows: the file holds only column names");
    let npy = |what: &str| {
        let a = if what.starts_with("array") { "an" } else { "a" };
        format!("{a} {what} cannot be read (save one or two axes of numbers)")
    };
    let objects = npy("array of Python objects (|O)");
    assert_eq!(said("objects.npy", &Select::default()), format!("objects.npy: {objects}"));
    assert_eq!(said("complex.npy", &Select::default()), format!("complex.npy: {}", npy("complex array (<c16)")));
    assert_eq!(said("cube.npy", &Select::default()), format!("cube.npy: {}", npy("array with 3 axes")));
    assert_eq!(said("scalar.npy", &Select::default()), format!("scalar.npy: {}", npy("array with 0 axes")));
    assert_eq!(said("text.npy", &Select::default()), format!("text.npy: {}", npy("text array (<U1)")));
    assert_eq!(
        said("stored.npz", &one("name")),
        "stored.npz: column \"name\" is of type text array (<U1), which cannot be used (convert it to numbers)"
    );
    for (name, why) in [
        ("mixed.parquet", "it does not end as a Parquet file does: is it truncated?"),
        ("plain.feather", "it does not end as an Arrow file does: is it truncated?"),
        ("stream.arrows", "it ends within a message: is it truncated?"),
        ("f8.npy", "it ends before its last number: is it truncated?"),
        ("stored.npz", "its table of contents is missing: is it truncated?"),
    ] {
        let bytes = std::fs::read(data(name)).unwrap();
        let cut = if name == "stream.arrows" { 2 } else { 30 };
        let (_dir, path) = file(name, &bytes[..bytes.len() - cut]);
        let said = complaint(&path, &Options::default(), &Select { missing: Missing::Drop, ..Select::default() });
        assert_eq!(said, format!("{name}: the file is damaged ({why})"));
    }
}

#[test]
fn weights_of_rows_and_entries() {
    let t = "x,u,v,w,su,sv\n1,2,3,2,0.5,1\n4,5,NA,0,0.25,NA\n";
    let (_dir, path) = file("t.csv", t);
    let weights = |select: &Select| {
        let source = open(&path, select).unwrap();
        source.batches().unwrap().next().unwrap().unwrap().weights
    };
    let row = Select { weight: columns("w"), inputs: columns("x"), ..outputs("u,v") };
    assert_eq!(weights(&row), Some(Weights::Row(vec![2.0, 0.0])));
    let entry = Select { errors: columns("su,sv"), weight: None, ..row.clone() };
    assert_eq!(weights(&entry), Some(Weights::Entry(faer::mat![[4.0, 1.0], [16.0, 0.0]])));
    let both = Select { errors: columns("su,sv"), ..row };
    assert_eq!(weights(&both), Some(Weights::Entry(faer::mat![[8.0, 2.0], [0.0, 0.0]])));
    let wrong = |t: &str| complaint_csv(t, &both);
    assert_eq!(wrong("x,u,v,w,su,sv\n1,2,3,-2,0.5,1\n"), "t.csv:2:4: weight -2 is negative (expected ≥ 0)");
    assert_eq!(wrong("x,u,v,w,su,sv\n1,2,3,,0.5,1\n"), "t.csv:2:4: the cell is empty (every row needs a weight)");
    assert_eq!(wrong("x,u,v,w,su,sv\n1,2,3,1,0,1\n"), "t.csv:2:5: the standard error is 0 (expected a number > 0)");
    assert_eq!(
        wrong("x,u,v,w,su,sv\n1,2,3,1,1,\n"),
        "t.csv:2:6: the standard error is missing (expected a number > 0)"
    );
    let err = open(&path, &Select { errors: columns("su"), ..both.clone() }).err().unwrap();
    assert!(matches!(&err, Error::Options(s) if s == "errors: expected one column per output (2), got 1"));
}
