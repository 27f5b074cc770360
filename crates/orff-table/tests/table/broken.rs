//! Files that are not what they should be.

use crate::kit::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use orff_table::{Format, Missing, Options, Select, Source};
use std::io::Write;

fn said(name: &str, bytes: impl AsRef<[u8]>) -> String {
    let (_dir, path) = file(name, bytes);
    complaint(&path, &Options::default(), &Select::default())
}

fn zipped(text: &str) -> Vec<u8> {
    let mut zip = GzEncoder::new(Vec::new(), Compression::default());
    zip.write_all(text.as_bytes()).unwrap();
    zip.finish().unwrap()
}

#[test]
fn whole_files() {
    for name in ["t.csv", "t.parquet", "t.arrow", "t.npy", "t.npz", "t.svm"] {
        assert_eq!(said(name, ""), format!("{name}: the file is empty"));
    }
    assert_eq!(said("t.csv", "\n \n"), "t.csv: the file is empty");
    assert_eq!(said("t.csv.gz", zipped("")), "t.csv.gz: the file is empty");
    assert_eq!(said("t.csv", "x,y\n"), "t.csv: no rows: the file holds only column names");
    let (_dir, path) = file("t.csv", "x,y\n");
    let select = Select { inputs: columns("x"), ..Select::default() };
    assert_eq!(complaint(&path, &Options::default(), &select), "t.csv: no rows: the file holds only column names");
    assert_eq!(said("t.csv", "x,y\n1,\0\n"), "t.csv: is not a text file: it contains zero bytes");
    assert_eq!(said("t.csv", b"\xff\xfex\0"), "t.csv: is UTF-16 text (save it as UTF-8)");
    assert_eq!(
        said("t.csv", b"x,caf\xe9\n1,2\n"),
        "t.csv: the name of column 2 is not UTF-8 (save the file as UTF-8)"
    );
    assert_eq!(said("t.csv", "PAR1xxxxxxxx"), "t.csv: holds Parquet data, not CSV (use --file-format parquet)");
    assert_eq!(said("t.parquet", "x,y\n1,2\n"), "t.parquet: is not Parquet: it begins with \"x,y\\n1,2\\n\"");
    assert_eq!(
        said("t.xyz", "x,y\n1,2\n"),
        "t.xyz: the format is not known from the name (use --file-format csv, parquet, arrow, npy, npz or svmlight)"
    );
    assert_eq!(said("t.parquet", "PAR1"), "t.parquet: the file is damaged (it is too short)");
    assert_eq!(
        "xls".parse::<Format>().unwrap_err().to_string(),
        "--file-format: expected one of csv, parquet, arrow, npy, npz, svmlight, got \"xls\""
    );
    assert_eq!("x".parse::<Missing>().unwrap_err().to_string(), "missing: expected error, drop or mean, got \"x\"");
}

#[test]
fn paths() {
    let dir = tempfile::tempdir().unwrap();
    let open = |p: &std::path::Path| Source::open(&[p], &Options::default(), &Select::default()).err().unwrap();
    let e = open(&dir.path().join("none.csv"));
    assert!(e.to_string().ends_with("none.csv: no such file"));
    assert!(matches!(orff::Error::from(e), orff::Error::Io { .. }));
    assert!(open(dir.path()).to_string().ends_with("is a directory (name its files, as in \"dir/*.csv\")"));
}

#[test]
fn gzip() {
    let text: String = (0..20_000).map(|k| format!("{k},{}\n", k * k)).collect();
    let good = zipped(&text);
    let (_dir, path) = file("t.csv.gz", &good);
    let source = open(&path, &Select::default()).unwrap();
    assert_eq!(rows(&source).unwrap().len(), 20_000);
    assert_eq!((source.bytes_read(), source.bytes_total()), (good.len() as u64, Some(good.len() as u64)));
    // Several members one after the other, and a name without .gz.
    let (_dir, path) = file("t.csv", [good.clone(), zipped("1,2\n")].concat());
    assert_eq!(rows(&open(&path, &Select::default()).unwrap()).unwrap().len(), 20_001);
    let cut = "t.csv.gz: the compressed data ends early (is the file truncated?)";
    assert_eq!(said("t.csv.gz", &good[..good.len() - 20]), cut);
    assert_eq!(said("t.csv.gz", &good[..20]), cut);
    let mut bad = good.clone();
    bad[10..60].fill(0xff);
    assert!(
        said("t.csv.gz", &bad).starts_with("t.csv.gz: the compressed data is damaged ("),
        "{}",
        said("t.csv.gz", &bad)
    );
}

#[test]
fn rows_that_are_all_dropped() {
    let (_dir, path) = file("t.csv", "x,y\n1,\n2,NA\n");
    let select = Select { inputs: columns("x,y"), missing: Missing::Drop, ..Select::default() };
    assert_eq!(
        complaint(&path, &Options::default(), &select),
        "t.csv: no row is left: every row has a missing value and was dropped (use --missing mean)"
    );
}

#[test]
fn an_unclosed_quote() {
    let rows: String = (0..100_000).map(|k| format!("{k},2\n")).collect();
    assert_eq!(said("t.csv", format!("x,y\n1,\"2\n{rows}")), "t.csv:2: a quote is not closed");
    assert_eq!(said("t.csv", format!("x,y\n{rows}\n1,\"2\n3,4")), "t.csv:100003: a quote is not closed");
    let (_dir, path) = file("t.csv", "x,y\n1,\"2\n\"\n");
    assert_eq!(super::kit::rows(&open(&path, &Select::default()).unwrap()).unwrap(), [[1.0, 2.0]]);
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_a_stream() {
    use orff::rows::Rows;
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|s| s.success()) {
        return;
    }
    let to = pipe.clone();
    let feeder = std::thread::spawn(move || std::fs::write(to, "x,u\n1,2\n").unwrap());
    let source = Source::open(&[&pipe], &Options::default(), &outputs("u")).unwrap();
    feeder.join().unwrap();
    assert!(!source.rereadable());
    assert_eq!(rows(&source).unwrap(), [[1.0, 2.0]]);
}
