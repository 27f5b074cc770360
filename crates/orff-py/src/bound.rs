//! Bounds of errors; numbers and words go in and come out as JSON.

use crate::data::Data;
use crate::fit::values;
use crate::kernel::unread;
use crate::model::PyModel;
use crate::raise::raise;
use crate::task;
use faer::Mat;
use orff::bound::{
    Consistency, Fitted, Generalisation, PacBayes, Question, Report, Variance, Warped, Weighed, landmark,
};
use orff::feature::MapKind;
use orff::kernel::{Kernel, Seen, SumDraw};
use orff::params::Params;
use orff::series::Series;
use orff::spectrum::Measure;
use orff::{Error, Result};
use pyo3::prelude::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The answer to a question about features, epsilon and probability.
#[pyfunction]
#[pyo3(signature = (parameters, threads=None, tell=None))]
pub fn bound(py: Python<'_>, parameters: &str, threads: Option<usize>, tell: Option<Py<PyAny>>) -> PyResult<String> {
    let spec = Question::SPEC;
    let question = Question::from_values(&values(py, spec, parameters)?).map_err(|e| raise(py, e, spec))?;
    task::run(py, spec, threads, tell, move |watch| {
        let answer = question.answer(watch)?;
        serde_json::to_string(&answer).map_err(|e| Error::Data(e.to_string()))
    })
}

/// What the theory says of a model that was learned from these rows, as JSON.
pub fn report(
    py: Python<'_>,
    model: &PyModel,
    rows: Data,
    probability: f64,
    threads: Option<usize>,
) -> PyResult<String> {
    let own = model.model.clone();
    task::run(py, model.spec(), threads, None, move |watch| Ok(told(Report::of(&own, &rows, probability, watch)?)))
}

/// The same of a model that was learned from a series.
pub fn report_series(
    py: Python<'_>,
    model: &PyModel,
    series: Series,
    probability: f64,
    threads: Option<usize>,
) -> PyResult<String> {
    let own = model.model.clone();
    task::run(py, model.spec(), threads, None, move |watch| {
        Ok(told(Report::of_series(&own, &series, probability, watch)?))
    })
}

/// A report as JSON: expected losses are sums of the mean and its gap.
fn told(found: Report) -> String {
    let mut refused = serde_json::Map::new();
    let mut part = |name: &str, value: std::result::Result<Value, String>| match value {
        Ok(value) => value,
        Err(why) => {
            refused.insert(name.into(), why.into());
            Value::Null
        }
    };
    let approximation = part(
        "approximation",
        found.approximation.map(|a| {
            let (bound, name) = a.bound.unzip();
            json!({ "measured": a.measured, "bound": bound, "name": name, "scale": a.scale, "diameter": a.diameter })
        }),
    );
    let generalisation = part(
        "generalisation",
        found.generalisation.map(|(f, gap)| {
            let Fitted { rows, ridge, kappa, trace, largest, norm, risk } = f;
            let sizes = json!({
                "rows": rows, "alpha": ridge, "kappa": kappa, "trace": trace, "largest": largest, "norm": norm,
            });
            json!({
                "risk": risk,
                "norm": risk + gap.norm,
                "complexity": gap.complexity.map(|gap| risk + gap),
                "stability": risk + gap.stability,
                "sizes": sizes,
            })
        }),
    );
    let alignment: serde_json::Map<String, Value> =
        found.alignment.iter().map(|bound| (bound.name.to_string(), bound.value.into())).collect();
    json!({
        "approximation": approximation,
        "generalisation": generalisation,
        "alignment": alignment,
        "refused": refused,
    })
    .to_string()
}

/// One of the formulas that need no kernel law: variance, generalisation, alignment, landmark, consistency, warped.
#[pyfunction]
pub fn bound_formula(py: Python<'_>, word: &str, numbers: &str) -> PyResult<String> {
    let value = match word {
        "variance" => read(numbers).and_then(variance),
        "generalisation" => {
            read(numbers).and_then(|(f, delta): (Fitted, f64)| written(Generalisation::of(&f, delta)?))
        }
        "alignment" => read(numbers).and_then(|(w, delta): (Weighed, f64)| written(PacBayes::of(&w, delta)?)),
        "landmark" => read(numbers)
            .and_then(|n: Landmark| written(landmark(n.compared, n.loss, n.kl, n.t, n.landmarks, n.probability)?)),
        "consistency" => read(numbers).and_then(|n: Chapter7| {
            let (sizes, loss, trace) = ((n.rows, n.atoms), (n.lipschitz, n.largest), (n.trace, n.largest_operator));
            written(Consistency::of(sizes, loss, n.norm, trace, n.probability)?)
        }),
        _ => read(numbers)
            .and_then(|n: Graph| written(Warped::of(n.rows, n.atoms, n.kernel_norm, n.graph_norm, n.feature_map)?)),
    };
    Ok(value.map_err(|e| raise(py, e, Question::SPEC))?.to_string())
}

fn read<T: DeserializeOwned>(numbers: &str) -> Result<T> {
    serde_json::from_str(numbers).map_err(|e| unread(e, "numbers", "kernel"))
}

fn written(value: impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|e| Error::Data(e.to_string()))
}

#[derive(Deserialize)]
struct Chapter7 {
    rows: u64,
    atoms: u64,
    lipschitz: f64,
    largest: f64,
    norm: f64,
    trace: f64,
    largest_operator: f64,
    probability: f64,
}

#[derive(Deserialize)]
struct Landmark {
    compared: f64,
    loss: f64,
    kl: f64,
    t: f64,
    landmarks: usize,
    probability: f64,
}

#[derive(Deserialize)]
struct Graph {
    rows: u64,
    atoms: u64,
    kernel_norm: Option<f64>,
    graph_norm: f64,
    feature_map: MapKind,
}

#[derive(Deserialize)]
struct At {
    kernel: Kernel,
    delta: Vec<f64>,
    outputs: usize,
    measure: Measure,
    feature_map: MapKind,
    sum: SumDraw,
}

fn variance(at: At) -> Result<Value> {
    let d = at.delta.len();
    let p = at.kernel.own_outputs(d)?.unwrap_or(at.outputs);
    let kernel = at.kernel.with_lengthscale(&1.0.into());
    let kernel = kernel.resolve(&Seen { outputs: p, gradient: Some(0.5), ..Seen::default() })?;
    let v = Variance::at(&kernel, &at.delta, at.measure, at.feature_map, at.sum)?;
    let rows =
        |m: &Mat<f64>| -> Vec<Vec<f64>> { (0..m.nrows()).map(|i| m.row(i).iter().copied().collect()).collect() };
    Ok(json!({
        "exact": v.exact.as_ref().map(rows),
        "always": rows(&v.always),
        "of_a": rows(&v.of_a),
        "brault_2016": v.brault_2016,
        "brault_2017": v.brault_2017,
    }))
}
