//! Series: learning, validation, influence, forecasts.

use crate::answer::{array, extend};
use crate::fit::{Names, spec, values};
use crate::model::PyModel;
use crate::raise::raise;
use crate::task;
use faer::Mat;
use numpy::ndarray::Axis;
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use orff::learn::{Forecaster, Sequential, Validation, forecaster};
use orff::model::{Ask, Model, Query, Start};
use orff::params::{Param, Params};
use orff::series::{Given, Series};
use orff::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value, json};

/// A table of numbers.
pub type Numbers<'py> = PyReadonlyArray2<'py, f64>;

/// Rows that are turned into columns at a time.
const NEAR: usize = 256;

/// Values (n×p), what is known beside them (n×e), times, names of members.
pub type Rows<'py> = (Numbers<'py>, Numbers<'py>, Option<Vec<f64>>, Option<Vec<String>>);

fn mat(numbers: &Numbers) -> Mat<f64> {
    let (view, shape) = (numbers.as_array(), numbers.shape());
    let mut found = Mat::zeros(shape[0], shape[1]);
    // some rows at a time: they are near for all columns
    for (k, block) in view.axis_chunks_iter(Axis(0), NEAR).enumerate() {
        for (to, from) in found.subrows_mut(k * NEAR, block.nrows()).col_iter_mut().zip(block.columns()) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        }
    }
    found
}

/// The numbers of a matrix as an array.
fn out(py: Python<'_>, m: &Mat<f64>) -> PyResult<Py<PyAny>> {
    let mut values = Vec::with_capacity(m.nrows() * m.ncols());
    extend(&mut values, m);
    array(py, values, &[m.nrows(), m.ncols()], false)
}

/// The series of some rows.
fn generic(rows: Rows) -> Result<Series> {
    let (given, exogenous, times, members) = rows;
    Series::of(Given {
        values: mat(&given),
        exogenous: mat(&exogenous),
        times: times.as_deref(),
        members: members.as_deref(),
    })
}

/// The series of some rows, with the names of its variables.
fn series(rows: Rows, names: (Vec<String>, Vec<String>)) -> Result<Series> {
    let mut series = generic(rows)?;
    (series.names, series.exogenous) = names;
    Ok(series)
}

/// The learner of that name, its parameters and the series.
fn asked(
    py: Python<'_>,
    name: &str,
    parameters: &str,
    rows: Rows,
    names: (Vec<String>, Vec<String>),
) -> PyResult<(&'static Forecaster, Map<String, Value>, Series)> {
    let own = spec(name).unwrap_or(&[]);
    let unknown = || Error::parameter("learner", "a learner of series", name);
    let learner = forecaster(name).ok_or_else(|| raise(py, unknown(), own))?;
    let values = values(py, own, parameters)?;
    // wrong parameters before wrong rows
    let known = Names::new(names.1.clone(), names.0.clone());
    let series = series(rows, names).map_err(|e| raise(py, known.told(e), own))?;
    Ok((learner, values, series))
}

fn read<P: Params>(py: Python<'_>, text: &str) -> PyResult<P> {
    let named = |map: Map<String, Value>| -> Map<String, Value> {
        let name = |python: String| P::SPEC.iter().find(|p| p.python == python).map_or(python, |p| p.name.into());
        map.into_iter().map(|(python, value)| (name(python), value)).collect()
    };
    let wrong = |e: Error| raise(py, e, P::SPEC);
    let map = serde_json::from_str(text).map_err(|e| wrong(Error::Data(e.to_string())))?;
    P::from_values(&named(map)).map_err(wrong)
}

/// Learns from a series.
#[pyfunction]
#[pyo3(signature = (name, parameters, rows, names, tell=None))]
pub fn fit_series<'py>(
    py: Python<'py>,
    name: &str,
    parameters: &str,
    rows: Rows<'py>,
    names: (Vec<String>, Vec<String>),
    tell: Option<Py<PyAny>>,
) -> PyResult<PyModel> {
    let (learner, values, series) = asked(py, name, parameters, rows, names)?;
    let model = task::run(py, learner.spec, None, tell, move |watch| (learner.fit)(&values, &series, (), watch))?;
    Ok(model.into())
}

/// Sequential cross-validation: scores by name, with errors (rows×p) and the times of rows.
#[pyfunction]
#[pyo3(signature = (name, parameters, rows, names, how, tell=None))]
pub fn validate_series<'py>(
    py: Python<'py>,
    name: &str,
    parameters: &str,
    rows: Rows<'py>,
    names: (Vec<String>, Vec<String>),
    how: &str,
    tell: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let how: Sequential = read(py, how)?;
    let (learner, values, series) = asked(py, name, parameters, rows, names)?;
    let all: Vec<Param> = learner.spec.iter().chain(Sequential::SPEC).copied().collect();
    let found: Validation =
        task::run(py, &all, None, tell, move |watch| (learner.validate)(&values, &series, &how, watch))?;
    let dict = PyDict::new(py);
    dict.set_item("mse", found.mse)?;
    dict.set_item("sd", found.sd)?;
    dict.set_item("by_step", found.by_step)?;
    dict.set_item("by_variable", found.by_variable)?;
    dict.set_item("windows", found.windows)?;
    dict.set_item("window", found.window)?;
    dict.set_item("skipped", found.skipped)?;
    dict.set_item("alpha", found.training.ridge)?;
    dict.set_item("choices", found.training.choices)?;
    dict.set_item("at", found.at)?;
    dict.set_item("errors", out(py, &found.errors)?)?;
    Ok(dict)
}

/// Influence of variables on each other (p×p), and p-values if shifts are asked for.
#[pyfunction]
#[pyo3(signature = (name, parameters, rows, names, shifts, tell=None))]
pub fn influence_series<'py>(
    py: Python<'py>,
    name: &str,
    parameters: &str,
    rows: Rows<'py>,
    names: (Vec<String>, Vec<String>),
    shifts: usize,
    tell: Option<Py<PyAny>>,
) -> PyResult<(Py<PyAny>, Option<Py<PyAny>>)> {
    let (learner, values, series) = asked(py, name, parameters, rows, names)?;
    let found =
        task::run(py, learner.spec, None, tell, move |watch| (learner.influence)(&values, &series, shifts, watch))?;
    Ok((out(py, &found.strength)?, found.p_value.map(|p| out(py, &p)).transpose()?))
}

/// Mean, ends of intervals, warnings.
type Forecasts = (Py<PyAny>, Option<(Py<PyAny>, Py<PyAny>)>, Vec<String>);

/// The history of a forecast: that given, or the end of what the model was learned from.
fn history(model: &Model, given: Option<Numbers>, member: Option<&str>) -> Result<(usize, Mat<f64>)> {
    let dynamics = model.dynamics()?;
    let member = dynamics.member(member)?;
    Ok((member, given.map_or_else(|| dynamics.ending(member), |given| mat(&given))))
}

/// A value that cannot be used is one of the history.
fn of_history(error: Error) -> Error {
    match error {
        Error::Value { row, column, value, problem } => {
            Error::Value { row, column: format!("{column} of the history"), value, problem }
        }
        other => other,
    }
}

/// The rows after a history (the end of the series unless given).
pub fn forecast<'py>(
    py: Python<'py>,
    model: &PyModel,
    given: Option<Numbers<'py>>,
    member: Option<&str>,
    future: Option<Numbers<'py>>,
    ask: &str,
) -> PyResult<Forecasts> {
    let ask: Ask = read(py, ask)?;
    let (member, history) = history(&model.model, given, member).map_err(|e| raise(py, e, Ask::SPEC))?;
    let (future, model) = (future.as_ref().map(mat), model.model.clone());
    let found = task::run(py, Ask::SPEC, None, None, move |watch| {
        let start = Start { history: &history, member, future: future.as_ref() };
        model.forecast(&start, &ask, watch).map_err(of_history)
    })?;
    let interval = found.interval.map(|(low, high)| PyResult::Ok((out(py, &low)?, out(py, &high)?))).transpose()?;
    Ok((out(py, &found.mean)?, interval, found.warnings))
}

/// Responses ((steps + 1)×p×p) to shocks of the latest row, and warnings.
pub fn impulse_response<'py>(
    py: Python<'py>,
    model: &PyModel,
    given: Option<Numbers<'py>>,
    member: Option<&str>,
    future: Option<Numbers<'py>>,
    steps: usize,
    size: Vec<f64>,
) -> PyResult<(Py<PyAny>, Vec<String>)> {
    let (member, history) = history(&model.model, given, member).map_err(|e| raise(py, e, Ask::SPEC))?;
    let (future, p, model) = (future.as_ref().map(mat), history.ncols(), model.model.clone());
    let found = task::run(py, Ask::SPEC, None, None, move |_| {
        let start = Start { history: &history, member, future: future.as_ref() };
        model.impulse_response(&start, steps, &size).map_err(of_history)
    })?;
    let mut values = Vec::new();
    found.at.iter().for_each(|m| extend(&mut values, m));
    Ok((array(py, values, &[steps + 1, p, p], false)?, found.warnings))
}

/// Every row of a series (n×p) from the rows before it, and its deviation if asked.
pub fn one_step<'py>(
    py: Python<'py>,
    model: &PyModel,
    rows: Rows<'py>,
    std: bool,
) -> PyResult<(Py<PyAny>, Option<Py<PyAny>>)> {
    let dynamics = model.model.dynamics().map_err(|e| raise(py, e, &[]))?;
    let known = Names::new(dynamics.exogenous.clone(), dynamics.names.clone());
    let series = generic(rows).map_err(|e| raise(py, known.told(e), Ask::SPEC))?;
    let model = model.model.clone();
    let query = Query { std, ..Query::default() };
    let found = task::run(py, Ask::SPEC, None, None, move |_| model.one_step(&series, query))?;
    Ok((out(py, &found.mean)?, found.std.map(|std| out(py, &std)).transpose()?))
}

/// What the theory says of a model that was learned from these rows, as JSON.
pub fn report<'py>(
    py: Python<'py>,
    model: &PyModel,
    rows: Rows<'py>,
    probability: f64,
    threads: Option<usize>,
) -> PyResult<String> {
    let series = generic(rows).map_err(|e| raise(py, e, model.spec()))?;
    crate::bound::report_series(py, model, series, probability, threads)
}

/// What a model knows of its series, as JSON.
pub fn describe(model: &Model) -> Result<String> {
    let d = model.dynamics()?;
    let known = json!({
        "order": d.lags.order, "ahead": d.lags.ahead, "names": d.names, "exogenous": d.exogenous, "members": d.members,
        "whiteness": d.whiteness,
    });
    Ok(known.to_string())
}

/// Residuals (r×hp) of the last rows, and of a linear model coefficients (d×p) and constants (1×p).
pub fn numbers(py: Python<'_>, model: &Model, word: &str) -> PyResult<Py<PyAny>> {
    let dynamics = model.dynamics().map_err(|e| raise(py, e, &[]))?;
    match (word, &model.body) {
        ("residuals", _) => out(py, &dynamics.residuals),
        ("ending", _) => out(py, &dynamics.tail),
        ("coefficients", orff::model::Body::Affine(affine)) => out(py, &affine.coefficients().0),
        ("constants", orff::model::Body::Affine(affine)) => {
            let constants = affine.coefficients().1;
            array(py, constants, &[1, dynamics.names.len() * dynamics.lags.ahead], false)
        }
        _ => Err(raise(
            py,
            Error::refused(format!("{word} of this model"), "a linear one has them (method = linear)"),
            &[],
        )),
    }
}
