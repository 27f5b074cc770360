//! Small tools of the tests.

use orff::rows::{Batch, Inputs, Rows};
use orff_table::{Options, Select, Selector, Source};
use std::path::{Path, PathBuf};

pub fn columns(text: &str) -> Option<Selector> {
    Some(text.parse().unwrap())
}

pub fn outputs(text: &str) -> Select {
    Select { outputs: columns(text), ..Select::default() }
}

/// A directory with one file.
pub fn file(name: &str, bytes: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (dir, path)
}

pub fn open(path: &Path, select: &Select) -> orff_table::Result<Source> {
    Source::open(&[path], &Options::default(), select)
}

pub fn text(text: &str, options: &Options, select: &Select) -> orff_table::Result<Source> {
    Source::read("t.csv", std::io::Cursor::new(text.as_bytes().to_vec()), options, select)
}

/// All rows, dense: inputs then outputs.
pub fn rows(source: &dyn Rows) -> orff::Result<Vec<Vec<f64>>> {
    let mut all = Vec::new();
    for batch in source.batches()? {
        let Batch { inputs, outputs, .. } = batch?;
        let n = inputs.nrows();
        assert_eq!(n, outputs.nrows());
        assert!(n > 0);
        for i in 0..n {
            let mut row = match &inputs {
                Inputs::Dense(x) => x.row(i).iter().copied().collect::<Vec<f64>>(),
                Inputs::Sparse(x) => {
                    let mut row = vec![0.0; x.width];
                    x.row(i).for_each(|(k, v)| row[k] = v);
                    row
                }
            };
            row.extend(outputs.row(i).iter());
            all.push(row);
        }
    }
    Ok(all)
}

/// The sentence of the first error that opening and reading a file gives, without the directory.
pub fn complaint(path: &Path, options: &Options, select: &Select) -> String {
    let said = match Source::open(&[path], options, select) {
        Err(e) => e.to_string(),
        Ok(source) => rows(&source).expect_err("an error was expected").to_string(),
    };
    said.replace(&format!("{}/", path.parent().unwrap().display()), "")
}

/// The sentence for a CSV text.
pub fn complaint_csv(text: impl AsRef<[u8]>, select: &Select) -> String {
    let (_dir, path) = file("t.csv", text);
    complaint(&path, &Options::default(), select)
}
