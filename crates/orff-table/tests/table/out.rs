//! Rows out and in again; what a failed writer leaves.

use crate::kit::*;
use faer::{Mat, mat};
use orff_table::{Format, Kept, Options, Select, Source, Writer};
use std::io::Read;

fn values() -> Mat<f64> {
    mat![[0.1, 3.0], [-1.0 / 3.0, 1e300], [5e-324, -0.0], [1e15, 123456789.125]]
}

#[test]
fn every_format_reads_back() {
    let dir = tempfile::tempdir().unwrap();
    let names = ["u".to_string(), "v".to_string()];
    let texts = vec![["a", "b,c", "d\"e", "f\ng"].map(String::from).to_vec()];
    for name in ["t.csv", "t.csv.gz", "t.tsv", "t.parquet", "t.arrow", "t.npy"] {
        let path = dir.path().join(name);
        let (kept, kept_names) = if name == "t.npy" { (vec![], vec![]) } else { (texts.clone(), vec!["id".into()]) };
        let mut writer = Writer::create(&path, None, &kept_names, &names).unwrap();
        let first: Vec<Vec<String>> = kept.iter().map(|c: &Vec<String>| c[..3].to_vec()).collect();
        let last: Vec<Vec<String>> = kept.iter().map(|c| c[3..].to_vec()).collect();
        writer.write(&first, values().subrows(0, 3)).unwrap();
        writer.write(&last, values().subrows(3, 1)).unwrap();
        assert!(!path.exists(), "{name} appeared too early");
        writer.finish().unwrap();
        let keep = if name == "t.npy" { None } else { columns("id") };
        let select = Select { keep, ..Select::default() };
        let source = Source::open(&[&path], &Options::default(), &select).unwrap();
        let found = rows(&source).unwrap();
        for (i, row) in found.iter().enumerate() {
            for (k, value) in row.iter().enumerate() {
                assert_eq!(value.to_bits(), values()[(i, k)].to_bits(), "{name}: {i}, {k}");
            }
        }
        assert_eq!(found.len(), 4);
        if name != "t.npy" {
            let kept: Vec<String> = source.pages().unwrap().flat_map(|p| p.unwrap().kept.remove(0)).collect();
            assert_eq!(vec![kept], texts, "{name}");
        }
    }
    let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().collect();
    assert_eq!(left.len(), 6, "temporary files are left");
}

#[test]
fn text_is_the_shortest() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.csv.gz");
    let mut writer = Writer::create(&path, None, &[], &["u".into(), "v".into()]).unwrap();
    writer.write(&[], values().as_ref()).unwrap();
    writer.write(&[], mat![[f64::NAN, f64::INFINITY]].as_ref()).unwrap();
    writer.finish().unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap()).read_to_string(&mut text).unwrap();
    assert_eq!(text, "u,v\n0.1,3\n-0.3333333333333333,1e300\n5e-324,-0\n1000000000000000,123456789.125\nNaN,inf\n");
}

#[test]
fn a_writer_that_is_dropped_leaves_what_was_there() {
    let (dir, path) = file("t.csv", "old");
    for format in [Format::Csv, Format::Parquet, Format::Arrow, Format::Npy] {
        let mut writer = Writer::create(&path, Some(format), &[], &["u".into(), "v".into()]).unwrap();
        writer.write(&[], values().as_ref()).unwrap();
        drop(writer);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}

#[test]
fn complaints() {
    let dir = tempfile::tempdir().unwrap();
    let said = |name: &str, kept: &[Kept]| {
        let e = Writer::create(dir.path().join(name), None, kept, &["u".into()]).err().unwrap().to_string();
        e.replace(&format!("{}/", dir.path().display()), "")
    };
    assert_eq!(
        said("t.odt", &[]),
        "t.odt: the format is not known from the name (use .csv, .csv.gz, .parquet, .arrow or .npy)"
    );
    assert_eq!(said("t.npz", &[]), "t.npz: NumPy .npz is not written (use .csv, .parquet, .arrow or .npy)");
    assert_eq!(said("t.parquet.gz", &[]), "t.parquet.gz: Parquet is not written in compressed form");
    assert_eq!(
        said("t.npy", &["id".into()]),
        "t.npy: a NumPy array cannot hold carried columns (use .csv or .parquet)"
    );
    assert_eq!(said("none/t.csv", &[]), "none/t.csv: no such file");
    let mut writer = Writer::create(dir.path().join("t.csv"), None, &[], &["u".into()]).unwrap();
    assert!(
        writer
            .write(&[], values().as_ref())
            .unwrap_err()
            .to_string()
            .ends_with("t.csv: expected 0 carried columns and 1 numbers per row, got 0 and 2")
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let names = ["u".to_string(), "v".to_string()];
    for format in [Format::Csv, Format::Parquet, Format::Arrow] {
        let mut writer = Writer::create("/dev/full", Some(format), &[], &names).unwrap();
        let written = writer.write(&[], Mat::<f64>::from_fn(10_000, 2, |i, k| (i + k) as f64).as_ref());
        let said = written.and_then(|()| writer.finish()).unwrap_err().to_string();
        assert_eq!(said, "/dev/full: no space left on the disk", "{format}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let (dir, path) = file("t.csv", "old");
    let link = dir.path().join("link.csv");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    Writer::create(&link, None, &[], &["u".into()]).unwrap().finish().unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "u\n");
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn carried_numbers_stay_numbers() {
    use orff_table::Carried::{Integer, Number, Text};
    let dir = tempfile::tempdir().unwrap();
    let ids = dir.path().join("ids.csv");
    std::fs::write(&ids, "id,height,name,x\n007,1.5,a,1\n8,NA,NA,2\n").unwrap();
    let keep = Select { keep: columns("id,height,name"), ..Select::default() };
    let mut from = Source::open(&[&ids], &Options::default(), &keep).unwrap();
    for (name, holds) in [("a.parquet", [Number, Number, Text]), ("b.arrow", [Number, Number, Text])] {
        assert_eq!(from.kept().iter().map(|k| k.holds).collect::<Vec<_>>(), holds);
        let path = dir.path().join(name);
        let mut writer = Writer::create(&path, None, from.kept(), &["u".into()]).unwrap();
        for page in from.pages().unwrap() {
            writer.write(&page.unwrap().kept, mat![[0.5], [0.25]].as_ref()).unwrap();
        }
        writer.finish().unwrap();
        let select = Select { inputs: columns("id,u"), outputs: columns("height"), ..keep.clone() };
        from = Source::open(&[&path], &Options::default(), &select).unwrap();
        let found = rows(&from).unwrap();
        assert_eq!(found[0], [7.0, 0.5, 1.5]);
        assert!(found[1][..2] == [8.0, 0.25] && found[1][2].is_nan(), "a missing number is null: {found:?}");
        assert_eq!(from.pages().unwrap().next().unwrap().unwrap().kept[2], ["a", "NA"], "texts stay as written");
    }
    let whole = dir.path().join("whole.parquet");
    let big = 9_007_199_254_740_993_i64; // no double has this value
    let kept = Kept { name: "id".into(), holds: Integer };
    let mut writer = Writer::create(&whole, None, std::slice::from_ref(&kept), &["u".into()]).unwrap();
    writer.write(&[vec![big.to_string(), String::new()]], mat![[1.0], [2.0]].as_ref()).unwrap();
    writer.finish().unwrap();
    let keep = Select { keep: columns("id"), ..Select::default() };
    let source = Source::open(&[&whole], &Options::default(), &keep).unwrap();
    assert_eq!(source.kept(), [kept]);
    assert_eq!(source.pages().unwrap().next().unwrap().unwrap().kept, [[big.to_string(), String::new()]]);
    let number = Kept { name: "id".into(), holds: Number };
    let mut writer = Writer::create(dir.path().join("w.arrow"), None, &[number], &["u".into()]).unwrap();
    assert_eq!(
        writer.write(&[vec!["A7".into()]], mat![[1.0]].as_ref()).unwrap_err().to_string(),
        "carried column \"id\": \"A7\" is not a number (the first rows hold numbers only, so the file cannot hold it: \
         write .csv)"
    );
}
