//! Fitted models.

use crate::answer::{array, by_blocks, extend};
use crate::data::Source;
use crate::raise::raise;
use crate::task;
use orff::model::{Model, Query};
use orff::params::Param;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use std::path::PathBuf;
use std::sync::Arc;

/// Mean, standard deviations, covariances.
type Predicted = (Py<PyAny>, Option<Py<PyAny>>, Option<Py<PyAny>>);

/// A fitted model: it predicts, saves itself and loads.
#[pyclass(frozen, module = "orff._orff", name = "Model")]
pub struct PyModel {
    pub model: Arc<Model>,
}

impl PyModel {
    /// The declared parameters of its learner.
    fn spec(&self) -> &'static [Param] {
        crate::fit::spec(&self.model.info.learner).unwrap_or(&[])
    }
}

impl From<Model> for PyModel {
    fn from(model: Model) -> Self {
        PyModel { model: Arc::new(model) }
    }
}

#[pymethods]
impl PyModel {
    /// Mean (n×p), and standard deviations (n×p) and covariances (n×p×p) if asked, else None.
    #[pyo3(signature = (x, std=false, cov=false, noise=true, threads=None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        std: bool,
        cov: bool,
        noise: bool,
        threads: Option<usize>,
    ) -> PyResult<Predicted> {
        let (rows, model) = (Source::of(x)?, self.model.clone());
        let (n, p, single) = (rows.rows(), model.outputs(), rows.single());
        let (mean, deviations, covariances) = task::run(py, self.spec(), threads, None, move |watch| {
            let (mut mean, mut deviations, mut covariances) = (Vec::with_capacity(n * p), Vec::new(), Vec::new());
            by_blocks(&rows, watch, |x| {
                let found = model.predict(x, Query { std, cov, noise })?;
                extend(&mut mean, &found.mean);
                found.std.iter().for_each(|s| extend(&mut deviations, s));
                found.cov.iter().flatten().for_each(|c| extend(&mut covariances, c));
                Ok(())
            })?;
            Ok((mean, deviations, covariances))
        })?;
        Ok((
            array(py, mean, &[n, p], single)?,
            std.then(|| array(py, deviations, &[n, p], single)).transpose()?,
            cov.then(|| array(py, covariances, &[n, p, p], single)).transpose()?,
        ))
    }

    /// The features of a fitted transformer (n×M).
    #[pyo3(signature = (x, threads=None))]
    fn transform<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, threads: Option<usize>) -> PyResult<Py<PyAny>> {
        let (rows, model) = (Source::of(x)?, self.model.clone());
        let (n, single) = (rows.rows(), rows.single());
        let width = model.linear().map_err(|e| raise(py, e, &[]))?.map.characters();
        let values = task::run(py, self.spec(), threads, None, move |watch| {
            let mut values = Vec::with_capacity(n * width);
            by_blocks(&rows, watch, |x| {
                extend(&mut values, &model.features(x)?);
                Ok(())
            })?;
            Ok(values)
        })?;
        array(py, values, &[n, width], single)
    }

    /// Number of inputs, outputs and characters (0 where there are none).
    fn shape(&self) -> (usize, usize, usize) {
        let characters = self.model.linear().map_or(0, |linear| linear.map.characters());
        (self.model.inputs(), self.model.outputs(), characters)
    }

    /// How the model came to be, as JSON.
    fn info(&self) -> PyResult<String> {
        let text = serde_json::to_string(&self.model.info);
        text.map_err(|e| pyo3::exceptions::PyRuntimeError::new_err(e.to_string()))
    }

    /// The learner's parameters as they were given, by their Python names, as JSON.
    fn parameters(&self) -> String {
        let given = self.model.info.params.as_object();
        let named = |(name, value): (&String, &serde_json::Value)| {
            let param = self.spec().iter().find(|p| p.name == name);
            (param.map_or(name.clone(), |p| p.python.into()), value.clone())
        };
        serde_json::Value::Object(given.into_iter().flatten().map(named).collect()).to_string()
    }

    /// Covariance of the noise (p×p).
    fn noise(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let (p, mut values) = (self.model.outputs(), Vec::new());
        extend(&mut values, self.model.noise());
        array(py, values, &[p, p], false)
    }

    /// Where an input of the kernel's coordinates comes from: centre and scale of each input.
    fn scales(&self) -> (Vec<f64>, Vec<f64>) {
        let preparation = self.model.preparation();
        (preparation.centre.clone(), preparation.scale.clone())
    }

    /// A derivative or a potential of a field, see `field.rs`.
    fn calculus<'py>(
        &self,
        py: Python<'py>,
        word: &str,
        x: &Bound<'py, PyAny>,
        threads: Option<usize>,
    ) -> PyResult<Py<PyAny>> {
        crate::field::calculus(py, &self.model, self.spec(), word, Source::of(x)?, threads)
    }

    /// The field as a gradient, a rotation and a constant, with the energies of each.
    fn decompose<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        crate::field::decompose(py, &self.model, self.spec(), Source::of(x)?, threads)
    }

    /// Writes the file that the command reads too.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let model = self.model.clone();
        task::run(py, self.spec(), None, None, move |_| model.save(&path))
    }

    /// Reads such a file.
    #[classmethod]
    fn load(_class: &Bound<'_, PyType>, py: Python<'_>, path: PathBuf) -> PyResult<PyModel> {
        task::run(py, &[], None, None, move |_| Model::load(&path)).map(PyModel::from)
    }

    /// The bytes of the file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let model = self.model.clone();
        let bytes = task::run(py, self.spec(), None, None, move |_| model.to_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A model from the bytes of its file.
    #[classmethod]
    fn from_bytes(_class: &Bound<'_, PyType>, py: Python<'_>, bytes: Vec<u8>) -> PyResult<PyModel> {
        task::run(py, &[], None, None, move |_| Model::from_bytes(bytes)).map(PyModel::from)
    }

    /// Pickles through the bytes of the file.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let make = py.get_type::<PyModel>().getattr("from_bytes")?;
        Ok((make, (self.to_bytes(py)?,)))
    }
}
