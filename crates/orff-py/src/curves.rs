//! Quantiles, intervals, distribution functions and samples of fitted models of quantiles; values of curves.

use crate::answer::{array, by_blocks, extend, room};
use crate::data::Source;
use crate::fit::Names;
use crate::gaps::{Gaps, blank};
use crate::model::PyModel;
use crate::raise::raise;
use crate::task;
use faer::{Mat, MatRef};
use numpy::PyReadonlyArray2;
use orff::model::Curves;
use orff::{Error, Result};
use pyo3::prelude::*;

impl PyModel {
    /// Numbers of each row (n×width) from the columns of its curves; told the number of the first row of a block.
    fn of_curves(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        width: usize,
        threads: Option<usize>,
        what: impl Fn(&Curves, MatRef<f64>, usize) -> Result<Mat<f64>> + Send + 'static,
    ) -> PyResult<(Py<PyAny>, usize)> {
        let (rows, model, gaps) = (Source::of(x, "X")?, self.model.clone(), Gaps::of(&self.model));
        let (n, single, names) = (rows.rows(), rows.single(), Names::of(&model));
        let found = task::run(py, self.spec(), threads, None, move |watch| {
            let asked = || format!("the answer of {width} numbers at {n} rows");
            let mut found = room(&[n, width], asked, "ask for fewer rows at a time")?;
            let mut first = 0;
            let skipped = by_blocks(&rows, &names, &gaps, width, watch, |x| {
                let curves =
                    model.curves().or_else(|refused| model.functions().map_or(Err(refused), |known| Ok(known.0)))?;
                let columns = model.columns(x, single)?;
                extend(&mut found, &what(curves, columns.as_ref(), first)?);
                first += x.nrows();
                Ok(())
            })?;
            blank(&mut found, width, &skipped);
            Ok(found)
        })?;
        Ok((array(py, found, &[n, width], single)?, n))
    }
}

/// Quantiles (n×p·L) at levels.
pub fn quantiles(
    py: Python<'_>,
    model: &PyModel,
    x: &Bound<'_, PyAny>,
    levels: Vec<f64>,
    threads: Option<usize>,
) -> PyResult<Py<PyAny>> {
    let width = model.model.outputs() * levels.len();
    let of = move |curves: &Curves, columns: MatRef<f64>, _: usize| curves.quantiles(columns, &levels);
    Ok(model.of_curves(py, x, width, threads, of)?.0)
}

/// Values of curves (n×L) at arguments.
pub fn values(
    py: Python<'_>,
    model: &PyModel,
    x: &Bound<'_, PyAny>,
    at: Vec<f64>,
    threads: Option<usize>,
) -> PyResult<Py<PyAny>> {
    let of = {
        let at = at.clone();
        move |curves: &Curves, columns: MatRef<f64>, _: usize| curves.values(columns, &at)
    };
    Ok(model.of_curves(py, x, at.len(), threads, of)?.0)
}

/// Values of the curve of each row at arguments of its own (n×L), NaN where those are.
pub fn values_of_each(
    py: Python<'_>,
    model: &PyModel,
    x: &Bound<'_, PyAny>,
    at: &PyReadonlyArray2<'_, f64>,
    threads: Option<usize>,
) -> PyResult<Py<PyAny>> {
    let at = at.as_array();
    let at = Mat::from_fn(at.nrows(), at.ncols(), |i, k| at[(i, k)]);
    let width = at.ncols();
    let of = move |curves: &Curves, columns: MatRef<f64>, first: usize| {
        let n = columns.nrows();
        let mut out = Mat::zeros(n, width);
        for k in 0..width {
            let own: Vec<f64> = (0..n).map(|i| at[(first + i, k)]).collect();
            let known: Vec<f64> = own.iter().map(|t| if t.is_nan() { 0.0 } else { *t }).collect();
            let values = curves.value_of_each(columns, &known)?;
            (0..n).for_each(|i| out[(i, k)] = if own[i].is_nan() { f64::NAN } else { values[i] });
        }
        Ok(out)
    };
    Ok(model.of_curves(py, x, width, threads, of)?.0)
}

/// Ends of intervals (n×2p), the lower ones first.
pub fn interval(
    py: Python<'_>,
    model: &PyModel,
    x: &Bound<'_, PyAny>,
    coverage: f64,
    threads: Option<usize>,
) -> PyResult<Py<PyAny>> {
    let p = model.model.outputs();
    let named = |error: Error| match error {
        Error::Parameter { expected, given, .. } => Error::Parameter { name: "coverage".into(), expected, given },
        other => other,
    };
    let reached = model.model.curves().and_then(|curves| curves.reach(coverage));
    reached.map_err(|e| raise(py, named(e), model.spec()))?;
    let margins = model.model.curves().and_then(|curves| curves.margins(p, coverage));
    let margins = margins.map_err(|e| raise(py, e, model.spec()))?;
    let of = move |curves: &Curves, columns: MatRef<f64>, _: usize| {
        let (lower, upper) = curves.interval(columns, coverage, &margins)?;
        Ok(Mat::from_fn(lower.nrows(), 2 * p, |i, t| if t < p { lower[(i, t)] } else { upper[(i, t - p)] }))
    };
    Ok(model.of_curves(py, x, 2 * p, threads, of)?.0)
}

/// P(Y ≤ y) (n×p).
pub fn cdf(
    py: Python<'_>,
    model: &PyModel,
    x: &Bound<'_, PyAny>,
    y: &PyReadonlyArray2<'_, f64>,
    threads: Option<usize>,
) -> PyResult<Py<PyAny>> {
    let y = y.as_array();
    let y = Mat::from_fn(y.nrows(), y.ncols(), |i, t| y[(i, t)]);
    let of = move |curves: &Curves, columns: MatRef<f64>, first: usize| {
        curves.cdf(columns, y.subrows(first, columns.nrows()))
    };
    Ok(model.of_curves(py, x, model.model.outputs(), threads, of)?.0)
}

/// Draws (n×p·count).
pub fn sample(
    py: Python<'_>,
    model: &PyModel,
    x: &Bound<'_, PyAny>,
    count: usize,
    seed: u64,
    threads: Option<usize>,
) -> PyResult<Py<PyAny>> {
    let width = model.model.outputs() * count;
    let of =
        move |curves: &Curves, columns: MatRef<f64>, first: usize| Ok(curves.sample(columns, count, seed, first));
    Ok(model.of_curves(py, x, width, threads, of)?.0)
}
