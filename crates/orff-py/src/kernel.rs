//! Kernels as values.

use crate::answer::array;
use crate::data::Columns;
use crate::raise::raise;
use crate::task;
use orff::kernel::{Kernel, Seen};
use orff::{Error, Result};
use pyo3::prelude::*;

/// A kernel from its structured form or from a JSON text of its expression.
fn read(json: &str) -> Result<Kernel> {
    let wrong = |e: serde_json::Error| Error::Data(format!("kernel: {e}"));
    match serde_json::from_str(json).map_err(wrong)? {
        serde_json::Value::String(text) => text.parse(),
        form => serde_json::from_value(form).map_err(wrong),
    }
}

/// The structured form of a kernel, as JSON, and its expression.
#[pyfunction]
pub fn kernel(py: Python<'_>, json: &str) -> PyResult<(String, String)> {
    let kernel = read(json).map_err(|e| raise(py, e, &[]))?;
    let form = serde_json::to_string(&kernel);
    Ok((form.map_err(|e| raise(py, Error::Data(e.to_string()), &[]))?, kernel.to_string()))
}

/// K(x, z) of every pair, exactly: n×m×p×p. `outputs` is p where the kernel leaves it open.
#[pyfunction]
#[pyo3(signature = (json, x, z, outputs=None))]
pub fn kernel_eval<'py>(
    py: Python<'py>,
    json: &str,
    x: &Bound<'py, PyAny>,
    z: &Bound<'py, PyAny>,
    outputs: Option<usize>,
) -> PyResult<Py<PyAny>> {
    let (x, z) = (Columns::of(x)?, Columns::of(z)?);
    let (n, m, d, single) = (x.rows(), z.rows(), x.width(), x.single);
    let kernel = read(json).map_err(|e| raise(py, e, &[]))?;
    let (values, p) = task::run(py, &[], None, None, move |watch| {
        if z.width() != d {
            return Err(Error::shape("Z", format!("{d} columns as in X"), z.width()));
        }
        let kernel = resolve(&kernel, d, outputs)?;
        let p = kernel.outputs(d)?;
        let (x, z) = (x.read(0, n)?, z.read(0, m)?);
        let row = |a: &faer::Mat<f64>, i: usize| a.row(i).iter().copied().collect::<Vec<f64>>();
        let points: Vec<Vec<f64>> = (0..m).map(|j| row(&z, j)).collect();
        let mut values = Vec::with_capacity(n * m * p * p);
        for i in 0..n {
            let point = row(&x, i);
            for other in &points {
                crate::answer::extend(&mut values, &kernel.eval(&point, other)?);
            }
            watch.advance(1)?;
        }
        Ok((values, p))
    })?;
    array(py, values, &[n, m, p, p], single)
}

/// The kernel with its number of outputs: the one given, else its own, else one.
fn resolve(kernel: &Kernel, d: usize, outputs: Option<usize>) -> Result<Kernel> {
    let with = |outputs: usize| kernel.resolve(&Seen { outputs, ..Seen::default() });
    match outputs {
        Some(p) => with(p),
        // a kernel with outputs of its own evaluates as it is; scalar ones have as many as one wants
        None => match kernel.outputs(d) {
            Ok(p) => with(p),
            Err(_) => with(1),
        },
    }
}
