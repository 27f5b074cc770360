//! Learning, by the name of a learner: a new one needs nothing here.

use crate::data::{Data, Source};
use crate::kernel::unread;
use crate::model::PyModel;
use crate::raise::{raise, weighed};
use crate::task;
use orff::learn::{Estimator, FORECASTERS, Gatherer, LEARNERS, TRANSFORMERS, learner, transformer};
use orff::model::Labels as Stand;
use orff::params::{Param, Params};
use orff::rows::{Inputs, Points, Rows, Tasks};
use orff::{Error, Result};
use orff_table::{Encoding, Labels};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use serde_json::{Map, Value};

/// The parameters of a learner, transformer or forecaster.
pub fn spec(name: &str) -> Option<&'static [Param]> {
    let learners = LEARNERS.iter().map(|l| (l.name, l.spec));
    let others = TRANSFORMERS.iter().map(|t| (t.name, t.spec)).chain(FORECASTERS.iter().map(|f| (f.name, f.spec)));
    learners.chain(others).find(|(n, _)| *n == name).map(|(_, spec)| spec)
}

/// Values by their Python names, as JSON, under Orff's names. Those that every estimator has are checked here.
pub fn values(py: Python<'_>, spec: &[Param], json: &str) -> PyResult<Map<String, Value>> {
    let wrong = |e: serde_json::Error| raise(py, unread(e, "parameters", "kernel"), spec);
    let mut given: Map<String, Value> = serde_json::from_str(json).map_err(wrong)?;
    for own in Estimator::SPEC.iter().chain(Gatherer::SPEC) {
        if let Some(value) = given.remove(own.python) {
            own.kind.check(own.python, &value).map_err(|e| raise(py, e, spec))?;
        }
    }
    let name = |python: String| spec.iter().find(|p| p.python == python).map_or(python, |p| p.name.into());
    Ok(given.into_iter().map(|(python, value)| (name(python), value)).collect())
}

/// Names of the inputs and of the outputs, where the data had some.
#[derive(Clone, FromPyObject, IntoPyObject)]
pub struct Names(Option<Vec<String>>, Option<Vec<String>>);

impl Names {
    /// Of inputs and of outputs.
    pub fn new(inputs: Vec<String>, outputs: Vec<String>) -> Self {
        Names(Some(inputs), Some(outputs))
    }

    /// Those of the inputs of a model, where the rows that it was learned from had some.
    pub fn of(model: &orff::model::Model) -> Self {
        let named = model.info.encoding.get("named").and_then(Value::as_bool).unwrap_or(false);
        Names(named.then(|| model.info.inputs.clone()), None)
    }

    /// An error that speaks of a column by its number, with the name that the column has.
    pub fn told(&self, error: Error) -> Error {
        match error {
            Error::Value { row, column, value, problem } => {
                Error::Value { row, column: self.named(&column), value, problem }
            }
            Error::Data(sentence) => Error::Data(match sentence.split_once(": ") {
                Some((column, rest)) if column.contains(' ') => format!("{}: {rest}", self.named(column)),
                _ => sentence,
            }),
            other => other,
        }
    }

    fn named(&self, column: &str) -> String {
        let Names(inputs, outputs) = self;
        let (names, number) = match column.split_once(' ') {
            None => (inputs, column),
            Some(("input" | "exogenous", number)) => (inputs, number),
            Some(("output" | "variable", number)) => (outputs, number),
            Some(_) => return column.into(),
        };
        let place = number.parse::<usize>().ok().and_then(|k| k.checked_sub(1));
        let name = place.and_then(|k| names.as_ref()?.get(k));
        name.map_or(column.into(), |name| format!("{column} ('{name}')"))
    }

    /// Tells a model what its columns are called, where the command finds them in a table, and whether a single output
    /// has an axis of its own.
    pub fn give(self, mut model: orff::model::Model, column: bool) -> Result<orff::model::Model> {
        let Names(inputs, outputs) = self;
        let (named, info) = (inputs.is_some(), &mut model.info);
        info.column = column;
        info.inputs = inputs.unwrap_or_else(|| std::mem::take(&mut info.inputs));
        info.outputs = outputs.unwrap_or_else(|| std::mem::take(&mut info.outputs));
        let labels = info.classes.as_ref().map(|c| Labels { values: c.names.clone(), required: true });
        // a score is no column of a table
        let outputs = if info.outliers.is_some() { Vec::new() } else { info.outputs.clone() };
        let encoding = Encoding { named, labels, ..Encoding::numbers(info.inputs.clone(), outputs) };
        info.encoding = serde_json::to_value(encoding).map_err(|e| Error::Data(e.to_string()))?;
        Ok(model)
    }
}

/// Does something with rows that have a column for each output: those of `tasks` are long.
pub fn with_outputs<T>(rows: &Data, tasks: Option<usize>, with: impl FnOnce(&dyn Rows) -> Result<T>) -> Result<T> {
    match tasks {
        None => with(rows),
        Some(tasks) => with(&Tasks::new(rows, tasks)?),
    }
}

/// Learns with the learner (or transformer) of that name. With a number of `tasks`, rows are long: the two columns of y are
/// the number of a task and its value. With names of classes and the word for what they stand for, y has the number of a
/// class for each row. The weights of a graph of the rows are sparse rows as x may be. Of `points`, y has the arguments and values
/// of a curve in turn.
#[pyfunction]
#[pyo3(signature = (name, parameters, x, y, weights, names, tell=None, tasks=None, classes=None, graph=None, points=false))]
#[allow(clippy::too_many_arguments)]
pub fn fit<'py>(
    py: Python<'py>,
    name: &str,
    parameters: &str,
    x: &Bound<'py, PyAny>,
    y: Option<&Bound<'py, PyAny>>,
    weights: Option<&Bound<'py, PyAny>>,
    names: Names,
    tell: Option<Py<PyAny>>,
    tasks: Option<usize>,
    classes: Option<(Vec<String>, String)>,
    graph: Option<&Bound<'py, PyAny>>,
    points: bool,
) -> PyResult<PyModel> {
    let spec = spec(name).unwrap_or(&[]);
    let (values, mut rows) = (values(py, spec, parameters)?, Data::of(x, y, weights)?);
    let stand_for = match classes {
        None => None,
        Some((names, word)) => {
            rows.classes = Some(names);
            let known = serde_json::from_value::<Stand>(Value::String(word));
            Some(known.map_err(|e| raise(py, Error::Data(e.to_string()), spec))?)
        }
    };
    if let Some(graph) = graph {
        let weights = Source::of(graph, "graph")?;
        match weights.read(0, weights.rows()).map_err(|e| raise(py, e, spec))? {
            Inputs::Sparse(weights) => rows.graph = Some(weights),
            Inputs::Dense(_) => return Err(PyTypeError::new_err("graph: expected sparse rows")),
        }
    }
    let (name, column, has_weights) = (name.to_string(), rows.column(), weights.is_some());
    let model = task::run(py, spec, None, tell, move |watch| {
        let fit = match transformer(&name) {
            Some(transformer) => transformer.fit,
            None => learner(&name)?.fit,
        };
        let fitted = match points {
            true => fit(&values, &Points::new(&rows)?, watch),
            false => with_outputs(&rows, tasks, |rows| fit(&values, rows, watch)),
        };
        let mut model = fitted.map_err(|e| weighed(names.told(e), has_weights))?;
        if let (Some(classes), Some(stand_for)) = (&mut model.info.classes, stand_for) {
            classes.labels = stand_for;
        }
        names.give(model, column)
    })?;
    Ok(model.into())
}
