//! The declarations of the library, for Python's tests: every parameter with the values it must refuse.

use orff::kernel::Kernel;
use orff::learn::{Estimator, LEARNERS, TRANSFORMERS};
use orff::params::{Param, Params};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

fn parameters(spec: &[Param], defaults: &Map<String, Value>) -> Value {
    let one = |p: &Param| {
        let bad: Vec<Value> = p
            .kind
            .bad_values()
            .into_iter()
            .map(|value| {
                let said = p.kind.check(p.python, &value).err().map(|e| e.to_string());
                json!({"value": value, "said": said})
            })
            .collect();
        json!({"name": p.name, "python": p.python, "default": defaults.get(p.name), "bad": bad})
    };
    spec.iter().map(one).collect()
}

/// Every class with its parameters, and every function of kernel expressions, as JSON.
#[pyfunction]
pub fn declarations() -> String {
    let learners = LEARNERS.iter().map(|l| (l.name, l.python, l.spec, (l.defaults)()));
    let transformers = TRANSFORMERS.iter().map(|t| (t.name, t.python, t.spec, (t.defaults)()));
    let classes: Vec<Value> = learners
        .chain(transformers)
        .map(|(name, python, spec, defaults)| {
            json!({"learner": name, "class": python, "parameters": parameters(spec, &defaults)})
        })
        .collect();
    let own = parameters(Estimator::SPEC, &Map::new());
    json!({"classes": classes, "estimator": own, "kernels": Kernel::functions()}).to_string()
}
