//! Data sets of the papers: they do not ship with Orff; ORFF_DATA is the folder that has them.

use crate::flags::Usage;
use anyhow::Result;
use faer::Mat;
use flate2::read::GzDecoder;
use orff::rows::{Csr, Inputs, Rows};
use orff_table::{Options, Select, Source};
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

/// A file of the folder.
pub fn file(name: &str) -> Result<PathBuf> {
    let missing = |why: String| Usage(format!("ORFF_DATA: {why} (expected the folder of the papers' data sets)"));
    let folder = std::env::var_os("ORFF_DATA").ok_or_else(|| missing("it is not set".into()))?;
    let path = PathBuf::from(folder).join(name);
    if path.is_file() { Ok(path) } else { Err(missing(format!("there is no {}", path.display())).into()) }
}

/// The text of such a file, compressed or not.
pub fn text(name: &str) -> Result<String> {
    let path = file(name)?;
    let mut bytes = Vec::new();
    let opened = File::open(&path)?;
    if name.ends_with(".gz") {
        GzDecoder::new(opened).read_to_end(&mut bytes)?
    } else {
        (&opened).read_to_end(&mut bytes)?
    };
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// All rows of such a file: inputs (n×d) and outputs (n×p), by columns.
pub fn table(name: &str, inputs: &str, outputs: &str) -> Result<(Mat<f64>, Mat<f64>)> {
    let select = Select { inputs: Some(inputs.parse()?), outputs: Some(outputs.parse()?), ..Select::default() };
    read(name, &select)
}

/// Some columns of such a file; NaN where a value is missing.
pub fn columns(name: &str, columns: &str) -> Result<Mat<f64>> {
    let select = Select { series: true, outputs: Some(columns.parse()?), ..Select::default() };
    Ok(read(name, &select)?.1)
}

fn read(name: &str, select: &Select) -> Result<(Mat<f64>, Mat<f64>)> {
    let source = Source::open(&[file(name)?], &Options::default(), select)?;
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for batch in source.batches()? {
        let batch = batch?;
        let Inputs::Dense(dense) = batch.inputs else { continue };
        for i in 0..dense.nrows() {
            x.push(dense.row(i).iter().copied().collect::<Vec<f64>>());
            y.push(batch.outputs.row(i).iter().copied().collect::<Vec<f64>>());
        }
    }
    let mat = |rows: &[Vec<f64>], width: usize| Mat::from_fn(rows.len(), width, |i, k| rows[i][k]);
    Ok((mat(&x, source.inputs()), mat(&y, source.outputs())))
}

/// All rows of an svmlight file, and the label of each.
pub fn sparse(name: &str) -> Result<(Csr, Vec<f64>)> {
    let select = Select { outputs: Some("y".parse()?), ..Select::default() };
    let source = Source::open(&[file(name)?], &Options::default(), &select)?;
    let mut all = Csr::empty(source.inputs());
    let mut labels = Vec::new();
    for batch in source.batches()? {
        let batch = batch?;
        all.append(&batch.inputs);
        labels.extend(batch.outputs.col(0).iter());
    }
    Ok((all, labels))
}
