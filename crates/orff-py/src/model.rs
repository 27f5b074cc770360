//! Fitted models.

use crate::answer::{Place, array, by_blocks, extend, room, table};
use crate::data::{Data, Source};
use crate::fit::Names;
use crate::gaps::{Gaps, blank};
use crate::raise::{in_python, raise};
use crate::task;
use numpy::{Element, PyReadonlyArray2};
use orff::Error;
use orff::linalg::Real;
use orff::model::{Body, Info, Model, Query};
use orff::params::Param;
use orff::rows::Inputs;
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
    pub fn spec(&self) -> &'static [Param] {
        crate::fit::spec(&self.model.info.learner).unwrap_or(&[])
    }

    /// Scores of each row (n, or n×width), in double precision: an offset is compared with them.
    fn scored(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        width: Option<usize>,
        threads: Option<usize>,
        what: impl Fn(&Model, &Inputs, &mut Vec<f64>) -> orff::Result<()> + Send + 'static,
    ) -> PyResult<Py<PyAny>> {
        let (rows, model, names) = (Source::of(x, "X")?, self.model.clone(), Names::of(&self.model));
        let shape: Vec<usize> = [rows.rows()].into_iter().chain(width).collect();
        // a row that is skipped would be neither usual nor unusual
        let gaps = Some(Gaps::of(&self.model)).filter(|gaps| !matches!(gaps, Gaps::Skipped)).unwrap_or(Gaps::Refused);
        let asked = shape.clone();
        let found = task::run(py, self.spec(), threads, None, move |watch| {
            let said = || format!("the scores of {} rows", rows.rows());
            let mut found = room(&asked, said, "ask for fewer rows at a time")?;
            by_blocks(&rows, &names, &gaps, width.unwrap_or(1), watch, |x| what(&model, x, &mut found))?;
            Ok(found)
        })?;
        array(py, found, &shape, false)
    }
}

impl PyModel {
    /// Features in the precision of the rows, written where NumPy keeps them.
    fn features<T: Real + Element + 'static>(
        &self,
        py: Python<'_>,
        rows: Source,
        threads: Option<usize>,
    ) -> PyResult<Py<PyAny>> {
        let (n, model, names) = (rows.rows(), self.model.clone(), Names::of(&self.model));
        let width = model.linear().map_err(|e| raise(py, e, &[]))?.width();
        let what = || format!("the table of {width} features at {n} rows");
        let out = table::<T>(py, [n, width], what, "transform fewer rows at a time, or take fewer features")?;
        let mut place = Place::of(&out)?;
        task::run(py, self.spec(), threads, None, move |watch| {
            let mut left = place.numbers();
            by_blocks(&rows, &names, &Gaps::Refused, width, watch, |x| {
                let (block, rest) = std::mem::take(&mut left).split_at_mut(x.nrows() * width);
                left = rest;
                model.features(x, block)
            })
            .map(drop)
        })?;
        Ok(out.into_any().unbind())
    }
}

/// A refusal of error bars, by the argument that asked for them.
fn unsure(error: Error, std: bool) -> Error {
    match error {
        Error::Refused { what, why } if what.starts_with("uncertainty") => {
            Error::refused(format!("{}: {what}", if std { "return_std" } else { "return_cov" }), why)
        }
        other => other,
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
        let (rows, model, gaps) = (Source::of(x, "X")?, self.model.clone(), Gaps::of(&self.model));
        let (n, p, single, names) = (rows.rows(), model.outputs(), rows.single(), Names::of(&model));
        let (mean, deviations, covariances) = task::run(py, self.spec(), threads, None, move |watch| {
            let wanted = |yes: bool, shape: &[usize]| {
                let what = || {
                    format!(
                        "the prediction of {p} outputs at {n} rows{}",
                        if cov { ", with covariances," } else { "" }
                    )
                };
                if yes { room(shape, what, "ask for fewer rows at a time") } else { Ok(Vec::new()) }
            };
            let mut covariances = wanted(cov, &[n, p, p])?;
            let (mut mean, mut deviations) = (wanted(true, &[n, p])?, wanted(std, &[n, p])?);
            let skipped = by_blocks(&rows, &names, &gaps, if cov { p * p } else { p }, watch, |x| {
                let found = model.predict(x, Query { std, cov, noise, single }).map_err(|e| unsure(e, std))?;
                extend(&mut mean, &found.mean);
                found.std.iter().for_each(|s| extend(&mut deviations, s));
                found.cov.iter().flatten().for_each(|c| extend(&mut covariances, c));
                Ok(())
            })?;
            blank(&mut mean, p, &skipped);
            blank(&mut deviations, p, &skipped);
            blank(&mut covariances, p * p, &skipped);
            Ok((mean, deviations, covariances))
        })?;
        Ok((
            array(py, mean, &[n, p], single)?,
            std.then(|| array(py, deviations, &[n, p], single)).transpose()?,
            cov.then(|| array(py, covariances, &[n, p, p], single)).transpose()?,
        ))
    }

    /// Scores (n×T) of the classes, or their probabilities.
    #[pyo3(signature = (x, probabilities=false, threads=None))]
    fn classify<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        probabilities: bool,
        threads: Option<usize>,
    ) -> PyResult<Py<PyAny>> {
        let (rows, model) = (Source::of(x, "X")?, self.model.clone());
        let t = model.classes().map_err(|e| raise(py, e, self.spec()))?.names.len();
        let (n, single, names) = (rows.rows(), rows.single(), Names::of(&model));
        // a row that is skipped would have no class
        let gaps = Some(Gaps::of(&self.model)).filter(|gaps| !matches!(gaps, Gaps::Skipped)).unwrap_or(Gaps::Refused);
        let found = task::run(py, self.spec(), threads, None, move |watch| {
            let what = || format!("the scores of {t} classes at {n} rows");
            let mut found = room(&[n, t], what, "ask for fewer rows at a time")?;
            by_blocks(&rows, &names, &gaps, t, watch, |x| {
                let scores = model.scores(x, Query { single, ..Query::default() })?;
                extend(&mut found, &if probabilities { model.probabilities(&scores)? } else { scores });
                Ok(())
            })?;
            Ok(found)
        })?;
        array(py, found, &[n, t], single)
    }

    /// How usual each row is (n), in double precision: an offset is compared with it.
    #[pyo3(signature = (x, threads=None))]
    fn normality<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, threads: Option<usize>) -> PyResult<Py<PyAny>> {
        self.scored(py, x, None, threads, |model, x, found| {
            found.extend(model.normality(x)?);
            Ok(())
        })
    }

    /// How far inside sets of given levels each row is (n×L).
    #[pyo3(signature = (x, levels, threads=None))]
    fn inside<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        levels: Vec<f64>,
        threads: Option<usize>,
    ) -> PyResult<Py<PyAny>> {
        self.scored(py, x, Some(levels.len()), threads, move |model, x, found| {
            extend(found, &model.inside(x, &levels)?);
            Ok(())
        })
    }

    /// The share of each input in the splits of a forest (d), if they were looked for.
    fn importance(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        match &self.model.body {
            Body::Forest(grown) => {
                grown.forest.importance.as_ref().map(|v| array(py, v.clone(), &[v.len()], false)).transpose()
            }
            _ => Ok(None),
        }
    }

    /// Quantiles (n×p·L) at levels, those of the first output first.
    #[pyo3(signature = (x, levels, threads=None))]
    fn quantiles<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        levels: Vec<f64>,
        threads: Option<usize>,
    ) -> PyResult<Py<PyAny>> {
        crate::curves::quantiles(py, self, x, levels, threads)
    }

    /// Values of curves (n×L) at arguments.
    #[pyo3(signature = (x, at, threads=None))]
    fn values<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        at: Vec<f64>,
        threads: Option<usize>,
    ) -> PyResult<Py<PyAny>> {
        crate::curves::values(py, self, x, at, threads)
    }

    /// Values of the curve of each row at arguments of its own (n×L).
    #[pyo3(signature = (x, at, threads=None))]
    fn values_of_each<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        at: PyReadonlyArray2<'py, f64>,
        threads: Option<usize>,
    ) -> PyResult<Py<PyAny>> {
        crate::curves::values_of_each(py, self, x, &at, threads)
    }

    /// The argument of curves, as JSON.
    fn argument(&self, py: Python<'_>) -> PyResult<String> {
        let (_, argument) = self.model.functions().map_err(|e| raise(py, e, self.spec()))?;
        serde_json::to_string(argument).map_err(|e| pyo3::exceptions::PyRuntimeError::new_err(e.to_string()))
    }

    /// Ends of intervals (n×2p), the lower ones first.
    #[pyo3(signature = (x, coverage, threads=None))]
    fn interval<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        coverage: f64,
        threads: Option<usize>,
    ) -> PyResult<Py<PyAny>> {
        crate::curves::interval(py, self, x, coverage, threads)
    }

    /// P(Y ≤ y) (n×p) for values y (n×p).
    #[pyo3(signature = (x, y, threads=None))]
    fn cdf<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        y: PyReadonlyArray2<'py, f64>,
        threads: Option<usize>,
    ) -> PyResult<Py<PyAny>> {
        crate::curves::cdf(py, self, x, &y, threads)
    }

    /// Draws (n×p·count), those of the first output first.
    #[pyo3(signature = (x, count, seed, threads=None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        count: usize,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<Py<PyAny>> {
        crate::curves::sample(py, self, x, count, seed, threads)
    }

    /// The features of a fitted transformer (n×M).
    #[pyo3(signature = (x, threads=None))]
    fn transform<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, threads: Option<usize>) -> PyResult<Py<PyAny>> {
        let rows = Source::of(x, "X")?;
        if rows.single() { self.features::<f32>(py, rows, threads) } else { self.features::<f64>(py, rows, threads) }
    }

    /// Number of inputs, outputs and features (0 where there are none).
    fn shape(&self) -> (usize, usize, usize) {
        let features = self.model.linear().map_or(0, |linear| linear.width());
        (self.model.inputs(), self.model.outputs(), features)
    }

    /// How the model came to be, as JSON; choices begin with the names that parameters have in Python. Of the encoding only
    /// whether inputs had names: the rest has an entry for each of them.
    fn info(&self) -> PyResult<String> {
        let own = &self.model.info;
        let mut training = own.training.clone();
        training.choices.iter_mut().for_each(|line| *line = in_python(line, self.spec()));
        let info = Info {
            learner: own.learner.clone(),
            params: own.params.clone(),
            inputs: own.inputs.clone(),
            outputs: own.outputs.clone(),
            column: own.column,
            classes: own.classes.clone(),
            outliers: own.outliers.clone(),
            encoding: serde_json::json!({ "named": own.encoding.get("named") }),
            training,
        };
        let text = serde_json::to_string(&info);
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
        crate::field::calculus(py, &self.model, self.spec(), word, Source::of(x, "X")?, threads)
    }

    /// The field as a gradient, a rotation and a constant, with the energies of each.
    fn decompose<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        crate::field::decompose(py, &self.model, self.spec(), Source::of(x, "X")?, threads)
    }

    /// Rows to come: mean (steps×p), ends of the intervals if asked, warnings.
    #[pyo3(signature = (history, member, future, ask))]
    fn forecast<'py>(
        &self,
        py: Python<'py>,
        history: Option<PyReadonlyArray2<'py, f64>>,
        member: Option<&str>,
        future: Option<PyReadonlyArray2<'py, f64>>,
        ask: &str,
    ) -> PyResult<(Py<PyAny>, Option<(Py<PyAny>, Py<PyAny>)>, Vec<String>)> {
        crate::series::forecast(py, self, history, member, future, ask)
    }

    /// Responses ((steps + 1)×p×p) to shocks of the latest row, and warnings.
    #[pyo3(signature = (history, member, future, steps, size))]
    fn impulse_response<'py>(
        &self,
        py: Python<'py>,
        history: Option<PyReadonlyArray2<'py, f64>>,
        member: Option<&str>,
        future: Option<PyReadonlyArray2<'py, f64>>,
        steps: usize,
        size: Vec<f64>,
    ) -> PyResult<(Py<PyAny>, Vec<String>)> {
        crate::series::impulse_response(py, self, history, member, future, steps, size)
    }

    /// Every row of a series (n×p) from the rows before it, and its deviation if asked.
    fn one_step<'py>(
        &self,
        py: Python<'py>,
        rows: crate::series::Rows<'py>,
        std: bool,
    ) -> PyResult<(Py<PyAny>, Option<Py<PyAny>>)> {
        crate::series::one_step(py, self, rows, std)
    }

    /// What a model knows of its series, as JSON.
    fn series(&self, py: Python<'_>) -> PyResult<String> {
        crate::series::describe(&self.model).map_err(|e| raise(py, e, &[]))
    }

    /// Numbers of a model of a series: residuals, ending, coefficients, constants.
    fn numbers(&self, py: Python<'_>, word: &str) -> PyResult<Py<PyAny>> {
        crate::series::numbers(py, &self.model, word)
    }

    /// Numbers of learned weights: candidates, prior, posterior, losses, landmarks.
    fn alignment(&self, py: Python<'_>, word: &str) -> PyResult<Py<PyAny>> {
        crate::alignment::numbers(py, self, word)
    }

    /// What is guaranteed of the expected alignment loss with such a probability of failure, as JSON.
    fn guarantees(&self, py: Python<'_>, probability: f64) -> PyResult<String> {
        crate::alignment::bounds(self, probability).map_err(|e| raise(py, e, self.spec()))
    }

    /// What the theory says of the model, from the rows that it was learned from, as JSON.
    #[pyo3(signature = (x, y, weights, probability, threads=None))]
    fn report<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        y: Option<&Bound<'py, PyAny>>,
        weights: Option<&Bound<'py, PyAny>>,
        probability: f64,
        threads: Option<usize>,
    ) -> PyResult<String> {
        crate::bound::report(py, self, Data::of(x, y, weights)?, probability, threads)
    }

    /// The same of a model of a series.
    #[pyo3(signature = (rows, probability, threads=None))]
    fn report_series<'py>(
        &self,
        py: Python<'py>,
        rows: crate::series::Rows<'py>,
        probability: f64,
        threads: Option<usize>,
    ) -> PyResult<String> {
        crate::series::report(py, self, rows, probability, threads)
    }

    /// The atoms of a scalar kernel: frequencies (D×d) in the user's units, and weights (D).
    fn atoms(&self, py: Python<'_>) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        crate::alignment::atoms(py, self)
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
