//! Learning under way: moments of the rows so far, which add, merge, travel and become models.

use crate::data::Data;
use crate::fit::{Names, spec, values, with_outputs};
use crate::model::PyModel;
use crate::raise::{raise, weighed};
use crate::task;
use orff::learn::{Begin, Gathering, Learner, learner};
use orff::rows::Rows;
use orff::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex, PoisonError};

/// The moments of the rows so far, with everything that was chosen before the first one.
#[pyclass(frozen, module = "orff._orff", name = "Gathering")]
pub struct PyGathering {
    learner: &'static Learner,
    values: Map<String, Value>,
    names: Names,
    column: bool,
    /// What was gathered never changes: more rows make another one, which takes its place.
    gathering: Mutex<Arc<Gathering>>,
}

fn begin(of: &Learner) -> Result<Begin> {
    of.begin.ok_or_else(|| Error::refused(format!("adding rows to {}", of.name), "it learns from all rows at once"))
}

impl PyGathering {
    fn with(&self, gathering: Arc<Gathering>) -> Self {
        let (learner, column) = (self.learner, self.column);
        let (values, names) = (self.values.clone(), self.names.clone());
        PyGathering { learner, values, names, column, gathering: Mutex::new(gathering) }
    }

    /// What was gathered so far.
    fn now(&self) -> Arc<Gathering> {
        self.gathering.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes the place of what was gathered before, unless another thread was faster.
    fn replace(&self, before: &Arc<Gathering>, after: Gathering) -> bool {
        let mut now = self.gathering.lock().unwrap_or_else(PoisonError::into_inner);
        let same = Arc::ptr_eq(&now, before);
        if same {
            *now = Arc::new(after);
        }
        same
    }

    /// Adds the rows of another. The sum is made on the pool and takes its place here, once it has arrived: whatever is
    /// interrupted before adds nothing.
    fn join(&self, py: Python<'_>, more: Arc<Gathering>) -> PyResult<()> {
        loop {
            let before = self.now();
            let (mine, theirs) = (before.clone(), more.clone());
            let after = task::run(py, self.learner.spec, None, None, move |_| {
                let mut sum = (*mine).clone();
                sum.merge(&theirs)?;
                Ok(sum)
            })?;
            // who pressed Ctrl-C while the sum arrived does not want it either
            py.check_signals()?;
            if self.replace(&before, after) {
                return Ok(());
            }
        }
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
        let (own, column, known) = (given.clone(), rows.column(), names.clone());
        let gathering = task::run(py, learner.spec, None, tell, move |watch| {
            with_outputs(&rows, tasks, |rows| begin(&own, rows, watch)).map_err(|e| known.told(e))
        })?;
        Ok(PyGathering { learner, values: given, names, column, gathering: Mutex::new(Arc::new(gathering)) })
    }

    /// Learns from rows and keeps what was gathered, with the choices of an earlier one where there is one.
    #[staticmethod]
    #[pyo3(signature = (name, parameters, x, y, weights, names, earlier=None, tell=None, tasks=None))]
    #[allow(clippy::too_many_arguments)]
    fn fit<'py>(
        py: Python<'py>,
        name: &str,
        parameters: &str,
        x: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        weights: Option<&Bound<'py, PyAny>>,
        names: Names,
        earlier: Option<&PyGathering>,
        tell: Option<Py<PyAny>>,
        tasks: Option<usize>,
    ) -> PyResult<(Self, PyModel)> {
        let learner = learner(name).map_err(|e| raise(py, e, &[]))?;
        let (given, rows) = (values(py, learner.spec, parameters)?, Data::of(x, Some(y), weights)?);
        let (own, column, earlier) = (given.clone(), rows.column(), earlier.map(PyGathering::now));
        let (known, has_weights) = (names.clone(), weights.is_some());
        let (gathering, model) = task::run(py, learner.spec, None, tell, move |watch| {
            let kept = |rows: &dyn Rows| learner.fit_kept(&own, earlier.as_deref(), rows, watch);
            let wrong = |e| weighed(known.told(e), has_weights);
            let (gathering, model) = with_outputs(&rows, tasks, kept).map_err(wrong)?;
            Ok((gathering, known.give(model, column)?))
        })?;
        let gathering = Mutex::new(Arc::new(gathering));
        Ok((PyGathering { learner, values: given, names, column, gathering }, model.into()))
    }

    /// Adds rows. When it fails or is interrupted, nothing was added.
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
        let (rows, before, names) = (Data::of(x, Some(y), weights)?, self.now(), self.names.clone());
        let more = task::run(py, self.learner.spec, None, tell, move |watch| {
            let mut more = before.empty();
            with_outputs(&rows, tasks, |rows| more.add(rows, watch)).map_err(|e| names.told(e))?;
            Ok(more)
        })?;
        self.join(py, Arc::new(more))
    }

    /// Adds the rows that another gathering with the same choices has seen.
    fn merge(&self, py: Python<'_>, other: &PyGathering) -> PyResult<()> {
        self.join(py, other.now())
    }

    /// The same rows, to which others can be added; nothing is copied before they are.
    fn copy(&self) -> Self {
        self.with(self.now())
    }

    /// The same choices with no rows yet: where another process starts.
    fn empty(&self) -> Self {
        self.with(Arc::new(self.now().empty()))
    }

    /// Number of rows so far, of inputs and of outputs.
    fn shape(&self) -> (usize, usize, usize) {
        let gathering = self.now();
        (gathering.rows(), gathering.inputs(), gathering.outputs())
    }

    /// The model of the rows so far.
    #[pyo3(signature = (tell=None))]
    fn solve(&self, py: Python<'_>, tell: Option<Py<PyAny>>) -> PyResult<PyModel> {
        let (gathering, of, values) = (self.now(), self.learner, self.values.clone());
        let (names, column) = (self.names.clone(), self.column);
        let model = task::run(py, of.spec, None, tell, move |watch| {
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
        Ok(PyGathering { learner, values, names, column, gathering: Mutex::new(Arc::new(gathering)) })
    }

    /// Pickles through the bytes of its file.
    #[allow(clippy::type_complexity)]
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (&'static str, String, Names, bool, Bound<'py, PyBytes>))> {
        let gathering = self.now();
        let bytes = task::run(py, &[], None, None, move |_| gathering.to_bytes())?;
        let values = Value::Object(self.values.clone()).to_string();
        let make = py.get_type::<PyGathering>().getattr("restore")?;
        Ok((make, (self.learner.name, values, self.names.clone(), self.column, PyBytes::new(py, &bytes))))
    }
}
