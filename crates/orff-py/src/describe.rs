//! The declarations of the library, for Python's tests: every parameter with the values it must refuse.

use crate::raise::takes;
use orff::Error;
use orff::kernel::Kernel;
use orff::learn::{Estimator, FORECASTERS, Gatherer, LEARNERS, TRANSFORMERS};
use orff::params::{Param, Params};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

fn parameters(spec: &[Param], defaults: &Map<String, Value>) -> Value {
    let one = |p: &Param| {
        let bad: Vec<Value> = p
            .kind
            .bad_values()
            .into_iter()
            // of other types, where those are refused
            .chain([Value::Null, json!(true), json!({}), json!([["a"]])])
            .filter_map(|value| {
                let said = match p.kind.check(p.python, &value).err()? {
                    Error::Parameter { name, expected, given } => {
                        Error::Parameter { expected: takes(p.python, expected), name, given }
                    }
                    other => other,
                };
                let said = said.to_string();
                Some(json!({"value": value, "said": said}))
            })
            .collect();
        json!({"name": p.name, "python": p.python, "default": defaults.get(p.name), "bad": bad})
    };
    spec.iter().map(one).collect()
}

/// The defaults of parameters that only Python has.
fn own<P: Params>() -> impl Iterator<Item = (String, Value)> {
    let values = serde_json::to_value(P::default()).unwrap_or_default();
    values.as_object().cloned().unwrap_or_default().into_iter()
}

/// Every class with its parameters, and every function of kernel expressions, as JSON.
#[pyfunction]
pub fn declarations() -> String {
    let learners = LEARNERS.iter().map(|l| (l.name, l.python, l.spec, (l.defaults)(), l.begin.is_some()));
    let transformers = TRANSFORMERS.iter().map(|t| (t.name, t.python, t.spec, (t.defaults)(), false));
    let forecasters = FORECASTERS.iter().map(|f| (f.name, f.python, f.spec, (f.defaults)(), false));
    let classes: Vec<Value> = learners
        .chain(transformers)
        .chain(forecasters)
        .map(|(name, python, spec, mut defaults, gathers)| {
            defaults.extend(own::<Estimator>().chain(own::<Gatherer>()));
            let gatherer = if gathers { Gatherer::SPEC } else { &[] };
            let spec: Vec<Param> = spec.iter().chain(gatherer).chain(Estimator::SPEC).copied().collect();
            json!({"learner": name, "class": python, "parameters": parameters(&spec, &defaults)})
        })
        .collect();
    json!({"classes": classes, "kernels": Kernel::functions()}).to_string()
}
