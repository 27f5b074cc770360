//! Numbers back to Python, in the precision of what was asked about.

use crate::data::{BATCH, Source};
use faer::Mat;
use numpy::{PyArray1, PyArrayMethods};
use orff::rows::Inputs;
use orff::watch::Watch;
use orff::{Error, Result};
use pyo3::prelude::*;

/// An array of the given shape, row after row.
pub fn array(py: Python<'_>, values: Vec<f64>, shape: &[usize], single: bool) -> PyResult<Py<PyAny>> {
    Ok(if single {
        let values: Vec<f32> = values.into_iter().map(|v| v as f32).collect();
        PyArray1::from_vec(py, values).reshape(shape.to_vec())?.into_any().unbind()
    } else {
        PyArray1::from_vec(py, values).reshape(shape.to_vec())?.into_any().unbind()
    })
}

/// The numbers of a matrix, row after row.
pub fn extend(out: &mut Vec<f64>, m: &Mat<f64>) {
    for i in 0..m.nrows() {
        out.extend(m.row(i).iter());
    }
}

/// Calls `each` with some rows at a time; rows do not influence each other. Errors number rows from the first one.
pub fn by_blocks(rows: &Source, watch: &mut dyn Watch, mut each: impl FnMut(&Inputs) -> Result<()>) -> Result<()> {
    watch.stage("predict");
    let n = rows.rows();
    for from in (0..n).step_by(BATCH) {
        let to = (from + BATCH).min(n);
        each(&rows.read(from, to)?).map_err(|error| match error {
            Error::Value { row, column, value, problem } => Error::Value { row: from + row, column, value, problem },
            other => other,
        })?;
        watch.advance((to - from) as u64)?;
    }
    Ok(())
}
