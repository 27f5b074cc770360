//! Learning under way: moments of the rows so far, which add, merge, travel and become models.

use crate::data::Data;
use crate::fit::{Names, spec, values, with_outputs};
use crate::model::PyModel;
use crate::raise::raise;
use crate::task;
use orff::learn::{Begin, Gathering, Learner, learner};
use orff::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The moments of the rows so far, with everything that was chosen before the first one.
#[pyclass(frozen, module = "orff._orff", name = "Gathering")]
pub struct PyGathering {
    learner: &'static Learner,
    values: Map<String, Value>,
    names: Names,
    column: bool,
    gathering: Arc<Mutex<Gathering>>,
}

fn lock(gathering: &Mutex<Gathering>) -> MutexGuard<'_, Gathering> {
    // one that fails to add is left as it was
    gathering.lock().unwrap_or_else(PoisonError::into_inner)
}

fn begin(of: &Learner) -> Result<Begin> {
    of.begin.ok_or_else(|| Error::refused(format!("adding rows to {}", of.name), "it learns from all rows at once"))
}

impl PyGathering {
    fn with(&self, gathering: Gathering) -> Self {
        let gathering = Arc::new(Mutex::new(gathering));
        let (learner, column) = (self.learner, self.column);
        PyGathering { learner, values: self.values.clone(), names: self.names.clone(), column, gathering }
    }
}

#[pymethods]
impl PyGathering {
    /// Fixes scales, lengthscale and features from these rows; none is added yet.
    #[new]
    #[pyo3(signature = (name, parameters, x, y, weights, names, tell=None, tasks=None))]
    #[allow(clippy::too_many_arguments)]
    fn new<'py>(
        py: Python<'py>,
        name: &str,
        parameters: &str,
        x: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        weights: Option<&Bound<'py, PyAny>>,
        names: Names,
        tell: Option<Py<PyAny>>,
        tasks: Option<usize>,
    ) -> PyResult<Self> {
        let learner = learner(name).map_err(|e| raise(py, e, &[]))?;
        let begin = begin(learner).map_err(|e| raise(py, e, &[]))?;
        let (given, rows) = (values(py, learner.spec, parameters)?, Data::of(x, Some(y), weights)?);
        let (own, column) = (given.clone(), rows.column());
        let gathering = task::run(py, learner.spec, None, tell, move |watch| {
            with_outputs(&rows, tasks, |rows| begin(&own, rows, watch))
        })?;
        Ok(PyGathering { learner, values: given, names, column, gathering: Arc::new(Mutex::new(gathering)) })
    }

    /// Adds rows. When it fails, nothing was added.
    #[pyo3(signature = (x, y, weights, tell=None, tasks=None))]
    fn add<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        weights: Option<&Bound<'py, PyAny>>,
        tell: Option<Py<PyAny>>,
        tasks: Option<usize>,
    ) -> PyResult<()> {
        let (rows, gathering) = (Data::of(x, Some(y), weights)?, self.gathering.clone());
        task::run(py, self.learner.spec, None, tell, move |watch| {
            // not under the lock: a thread that waits for its share of the work may take up another addition
            let mut more = lock(&gathering).empty();
            with_outputs(&rows, tasks, |rows| more.add(rows, watch))?;
            lock(&gathering).merge(&more)
        })
    }

    /// Adds the rows that another gathering with the same choices has seen.
    fn merge(&self, py: Python<'_>, other: &PyGathering) -> PyResult<()> {
        let (gathering, other) = (self.gathering.clone(), other.gathering.clone());
        task::run(py, self.learner.spec, None, None, move |_| {
            let more = lock(&other).clone();
            lock(&gathering).merge(&more)
        })
    }

    /// The same choices with no rows yet: where another process starts.
    fn empty(&self) -> Self {
        self.with(lock(&self.gathering).empty())
    }

    /// Number of rows so far, of inputs and of outputs.
    fn shape(&self) -> (usize, usize, usize) {
        let gathering = lock(&self.gathering);
        (gathering.rows(), gathering.inputs(), gathering.outputs())
    }

    /// The model of the rows so far.
    #[pyo3(signature = (tell=None))]
    fn solve(&self, py: Python<'_>, tell: Option<Py<PyAny>>) -> PyResult<PyModel> {
        let (gathering, of, values) = (self.gathering.clone(), self.learner, self.values.clone());
        let (names, column) = (self.names.clone(), self.column);
        let model = task::run(py, of.spec, None, tell, move |watch| {
            let gathering = lock(&gathering).clone();
            names.give(of.solve(&values, &gathering, watch)?, column)
        })?;
        Ok(model.into())
    }

    /// A gathering from what it was pickled as.
    #[classmethod]
    fn restore(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        name: &str,
        values: &str,
        names: Names,
        column: bool,
        bytes: Vec<u8>,
    ) -> PyResult<Self> {
        let learner = learner(name).map_err(|e| raise(py, e, &[]))?;
        let wrong = |e: serde_json::Error| raise(py, Error::Data(format!("parameters: {e}")), &[]);
        let values = serde_json::from_str(values).map_err(wrong)?;
        let gathering = task::run(py, spec(name).unwrap_or(&[]), None, None, move |_| Gathering::from_bytes(bytes))?;
        Ok(PyGathering { learner, values, names, column, gathering: Arc::new(Mutex::new(gathering)) })
    }

    /// Pickles through the bytes of its file.
    #[allow(clippy::type_complexity)]
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (&'static str, String, Names, bool, Bound<'py, PyBytes>))> {
        let gathering = self.gathering.clone();
        let bytes = task::run(py, &[], None, None, move |_| lock(&gathering).to_bytes())?;
        let values = Value::Object(self.values.clone()).to_string();
        let make = py.get_type::<PyGathering>().getattr("restore")?;
        Ok((make, (self.learner.name, values, self.names.clone(), self.column, PyBytes::new(py, &bytes))))
    }
}
