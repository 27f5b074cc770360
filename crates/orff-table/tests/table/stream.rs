//! Standard input, several files, parts of a table.

use crate::kit::*;
use orff::rows::{Rows, Table};
use orff_table::{Missing, Options, Select, Source, Split, hash};
use std::collections::BTreeMap;

#[test]
fn a_stream_is_read_once() {
    let t: String = "x,u\n"
        .chars()
        .chain((0..100).flat_map(|k| format!("{k},{}\n", 2 * k).into_bytes()).map(char::from))
        .collect();
    let options = Options { batch: Some(7), ..Options::default() };
    let source = text(&t, &options, &outputs("u")).unwrap();
    assert!(!source.rereadable());
    assert_eq!(source.bytes_total(), None);
    // Looking at the first rows, even twice, does not lose them.
    let head = source.head(10).unwrap();
    assert_eq!(head.iter().map(|b| b.inputs.nrows()).collect::<Vec<_>>(), [7, 3]);
    assert_eq!(source.head(20).unwrap().iter().map(|b| b.inputs.nrows()).sum::<usize>(), 20);
    let wanted: Vec<Vec<f64>> = (0..100).map(|k| vec![k as f64, 2.0 * k as f64]).collect();
    assert_eq!(rows(&source).unwrap(), wanted);
    let again = rows(&source).unwrap_err();
    assert!(matches!(again, orff::Error::Source(_)));
    assert_eq!(
        again.to_string(),
        "standard input can be read only once (save it to a file first, and give the file)"
    );
    let source = text(&t, &options, &outputs("u")).unwrap();
    assert_eq!(source.head(1000).unwrap().iter().map(|b| b.inputs.nrows()).sum::<usize>(), 100);
    assert_eq!(rows(&source).unwrap(), wanted);
}

#[test]
fn means_of_a_stream_must_be_given() {
    let t = "x,u\n,1\n2,2\n";
    let select = Select { missing: Missing::Mean, ..outputs("u") };
    let said = text(t, &Options::default(), &select).err().unwrap().to_string();
    assert_eq!(
        said,
        "t.csv: means, categories and tasks need a pass over all rows, and this source can be read only once (save it to a \
         file first)"
    );
    let select = Select { means: BTreeMap::from([("x".into(), 5.0)]), ..select };
    assert_eq!(rows(&text(t, &Options::default(), &select).unwrap()).unwrap(), [[5.0, 1.0], [2.0, 2.0]]);
}

#[test]
fn several_files() {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    put("b.csv", "u,x\n4,3\n");
    put("a.csv", "x,u\n1,2\n");
    put("c.csv", "5,6\n");
    put("other.txt", "nothing");
    let pattern = dir.path().join("[a-c].csv");
    let source = Source::open(&[&pattern], &Options::default(), &outputs("u")).unwrap();
    assert_eq!(rows(&source).unwrap(), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    assert_eq!(source.bytes_read(), source.bytes_total().unwrap());
    put("c.csv", "x,v\n5,6\n");
    let said = Source::open(&[&pattern], &Options::default(), &outputs("u")).err().unwrap().to_string();
    assert!(said.ends_with("c.csv; columns: x, v") && said.starts_with("column \"u\""), "{said}");
    let said = Source::open(&[dir.path().join("*.none")], &Options::default(), &outputs("u")).err().unwrap();
    assert!(said.to_string().ends_with("*.none: no file matches this pattern"));
    let said = Source::open(&["-", "a.csv"], &Options::default(), &outputs("u")).err().unwrap();
    assert_eq!(said.to_string(), "standard input (-) cannot be mixed with files");
    let none: [&str; 0] = [];
    let said = Source::open(&none, &Options::default(), &outputs("u")).err().unwrap();
    assert_eq!(said.to_string(), "no file is given (use - for standard input)");
}

#[test]
fn splits_are_the_same_for_any_batches() {
    let n = 5000;
    let x = faer::Mat::from_fn(n, 1, |i, _| i as f64);
    let whole = Table::new(x.clone(), x.clone()).unwrap();
    let pieces = Table::new(x.clone(), x).unwrap().batched(17);
    let test = rows(&Split::test(&whole, 0.3, 11).unwrap()).unwrap();
    assert_eq!(test, rows(&Split::test(&pieces, 0.3, 11).unwrap()).unwrap());
    let train = rows(&Split::train(&pieces as &dyn Rows, 0.3, 11).unwrap()).unwrap();
    assert_eq!(train.len() + test.len(), n);
    // Binomial: 1500 ± 4·√(5000·0.3·0.7).
    assert!((test.len() as f64 - 1500.0).abs() < 4.0 * 32.4, "{}", test.len());
    assert!(test.iter().all(|r| (hash(11, r[0] as u64) as f64 / 2f64.powi(64)) < 0.3));
    let mut seen = vec![0; n];
    for k in 0..5 {
        let fold = rows(&Split::fold(&pieces, k, 5, 3).unwrap()).unwrap();
        let rest = rows(&Split::without_fold(&pieces, k, 5, 3).unwrap()).unwrap();
        assert_eq!(fold.len() + rest.len(), n);
        assert!((fold.len() as f64 - 1000.0).abs() < 4.0 * 28.3, "{}", fold.len());
        fold.iter().for_each(|r| seen[r[0] as usize] += 1);
    }
    assert!(seen.iter().all(|&k| k == 1));
    let said = |r: Result<Split<'_, Table>, orff::Error>| r.err().unwrap().to_string();
    assert_eq!(said(Split::test(&whole, 1.0, 0)), "test: expected a fraction between 0 and 1, got 1");
    assert_eq!(said(Split::fold(&whole, 0, 1, 0)), "folds: expected at least 2, got 1");
    assert_eq!(said(Split::fold(&whole, 5, 5, 0)), "fold: expected a number below 5, got 5");
}

#[test]
fn a_source_can_be_shared_by_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Source>();
}
