//! Kernels as values.

use crate::answer::{array, extend, room};
use crate::data::{BATCH, Columns};
use crate::raise::{OF_POINTS, raise, refuse_kernel, sized};
use crate::task;
use orff::kernel::{Kernel, Seen, nested};
use orff::{Error, Result};
use pyo3::prelude::*;

/// A kernel from its structured form or from a JSON text of its expression; errors speak of the argument `name`.
fn read(json: &str, name: &str) -> Result<Kernel> {
    Kernel::from_value(serde_json::from_str(json).map_err(|e| unread(e, name, name))?, name)
}

/// Why a JSON text could not be read; the only thing in it that can be too deep is a kernel, the argument `kernel`.
pub fn unread(error: serde_json::Error, name: &str, kernel: &str) -> Error {
    let said = error.to_string();
    if said.starts_with("recursion limit") { nested(kernel) } else { Error::Data(format!("{name}: {said}")) }
}

/// The structured form of a kernel, as JSON, and its expression.
#[pyfunction]
#[pyo3(signature = (json, name="kernel"))]
pub fn kernel(py: Python<'_>, json: &str, name: &str) -> PyResult<(String, String)> {
    let kernel = read(json, name).map_err(|e| refuse_kernel(py, e, name))?;
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
    let (x, z) = (Columns::of(x, "X")?, Columns::of(z, "Z")?);
    let (n, m, d, single) = (x.rows(), z.rows(), x.width(), x.single);
    let kernel = read(json, "kernel").map_err(|e| raise(py, e, &[]))?;
    let (values, p) = task::run(py, &[], None, None, move |watch| {
        if d == 0 {
            return Err(Error::shape("X", "at least one column", 0));
        }
        if z.width() != d {
            return Err(Error::shape("Z", format!("{d} columns as in X"), z.width()));
        }
        let of_points = |e: Error| sized(e, &OF_POINTS);
        let p = number_of_outputs(&kernel, d, outputs).map_err(of_points)?;
        let what = || format!("the kernel of {n} × {m} points with {p} outputs");
        let mut values = room(&[n.max(1), m.max(1), p, p], what, "ask for fewer points at a time")?;
        let kernel = kernel.resolve(&Seen { outputs: p, ..Seen::default() }).map_err(of_points)?;
        let (x, z) = (points(&x, "X")?, points(&z, "Z")?);
        for point in x.chunks_exact(d) {
            for other in z.chunks_exact(d) {
                extend(&mut values, &kernel.eval(point, other).map_err(of_points)?);
            }
            watch.advance(1)?;
        }
        Ok((values, p))
    })?;
    array(py, values, &[n, m, p, p], single)
}

/// As many as the kernel has by itself, else as many as were asked for, else one.
fn number_of_outputs(kernel: &Kernel, d: usize, asked: Option<usize>) -> Result<usize> {
    match (kernel.own_outputs(d)?, asked) {
        (Some(own), Some(asked)) if own != asked => Err(Error::parameter(
            "outputs",
            format!("{own}, as many as this kernel has on the {d} columns of X, or None"),
            asked,
        )),
        (own, asked) => Ok(own.or(asked).unwrap_or(1)),
    }
}

/// The points of a table, which are finite: row after row.
fn points(table: &Columns, name: &str) -> Result<Vec<f64>> {
    let (n, d) = (table.rows(), table.width());
    let mut points = room(&[n, d], || format!("{name} of {n} × {d} numbers"), "ask for fewer points at a time")?;
    for from in (0..n).step_by(BATCH) {
        extend(&mut points, &table.read(from, (from + BATCH).min(n))?);
    }
    match points.iter().position(|v| !v.is_finite()) {
        None => Ok(points),
        Some(k) => {
            let given = format!("{} in row {}, column {}", points[k], k / d + 1, k % d + 1);
            Err(Error::shape(name, "finite numbers", given))
        }
    }
}
