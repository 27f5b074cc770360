//! The calculus of fitted fields.

use crate::answer::{array, by_blocks, extend, room};
use crate::data::Source;
use crate::fit::Names;
use crate::gaps::{Gaps, blank};
use crate::task;
use orff::model::{Energies, Linear, Model};
use orff::params::Param;
use orff::rows::Inputs;
use orff::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::borrow::Cow;
use std::sync::Arc;

/// One quantity at the rows of a block, row after row, and the shape of one row.
fn block(field: &Linear, word: &str, x: &Inputs, out: &mut Vec<f64>) -> Result<()> {
    match word {
        "jacobian" => field.jacobian(x)?.iter().for_each(|j| extend(out, j)),
        "divergence" => out.extend(field.divergence(x)?),
        "curl" => extend(out, &field.curl(x)?),
        "potential" => out.extend(field.potential(x)?),
        "stream_function" => out.extend(field.stream_function(x)?),
        "vector_potential" => extend(out, &field.vector_potential(x)?),
        other => return Err(Error::parameter("quantity", "a derivative or a potential", other)),
    }
    Ok(())
}

/// The field that has the quantity asked for.
fn having<'a>(field: &'a Linear, word: &str) -> Result<Cow<'a, Linear>> {
    match word {
        "potential" => field.as_gradient(),
        "stream_function" | "vector_potential" => field.as_rotation(),
        _ => Ok(Cow::Borrowed(field)),
    }
}

/// A derivative or a potential at rows, in the user's coordinates.
pub fn calculus(
    py: Python<'_>,
    model: &Arc<Model>,
    spec: &[Param],
    word: &str,
    rows: Source,
    threads: Option<usize>,
) -> PyResult<Py<PyAny>> {
    let (n, single, d, p) = (rows.rows(), rows.single(), model.inputs(), model.outputs());
    let (model, asked, gaps, names) = (model.clone(), word.to_string(), Gaps::of(model), Names::of(model));
    let shape = match word {
        "jacobian" => vec![n, p, d],
        "curl" | "vector_potential" if d > 2 => vec![n, d * (d - 1) / 2],
        _ => vec![n],
    };
    let sizes = shape.clone();
    let values = task::run(py, spec, threads, None, move |watch| {
        let what = || format!("the {} of {p} components at {n} points", asked.replace('_', " "));
        let field = having(model.linear()?, &asked)?;
        let mut values = room(&sizes, what, "ask for fewer points at a time")?;
        let width = sizes.iter().skip(1).product();
        let skipped = by_blocks(&rows, &names, &gaps, width, watch, |x| {
            block(&field, &asked, &*model.projected(x)?, &mut values)
        })?;
        blank(&mut values, width, &skipped);
        Ok(values)
    })?;
    array(py, values, &shape, single)
}

/// The Helmholtz decomposition at rows: gradient, rotation (n×d), mean (d) and the energies.
pub fn decompose<'py>(
    py: Python<'py>,
    model: &Arc<Model>,
    spec: &[Param],
    rows: Source,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let (n, single, d) = (rows.rows(), rows.single(), model.inputs());
    let (model, names) = (model.clone(), Names::of(model));
    let (gradient, rotation, mean, energies) = task::run(py, spec, threads, None, move |watch| {
        let part = || {
            let what = || format!("a part of {d} components at {n} points");
            room(&[n, d], what, "ask for fewer points at a time")
        };
        let (mut gradient, mut rotation, mut mean) = (part()?, part()?, Vec::new());
        by_blocks(&rows, &names, &Gaps::Refused, d, watch, |x| {
            mean = model.linear()?.parts(&*model.projected(x)?, &mut gradient, &mut rotation)?;
            Ok(())
        })?;
        // means and energies are those of all rows
        let energies = Energies::about_means(&mut gradient, &mut rotation, &mut mean);
        Ok((gradient, rotation, mean, energies))
    })?;
    let out = PyDict::new(py);
    out.set_item("gradient", array(py, gradient, &[n, d], single)?)?;
    out.set_item("rotation", array(py, rotation, &[n, d], single)?)?;
    let width = mean.len();
    out.set_item("mean", array(py, mean, &[width], single)?)?;
    let parts = PyDict::new(py);
    for (name, value) in [
        ("gradient", energies.gradient),
        ("rotation", energies.rotation),
        ("mean", energies.mean),
        ("cross", energies.cross),
    ] {
        parts.set_item(name, value)?;
    }
    out.set_item("energies", parts)?;
    Ok(out)
}
