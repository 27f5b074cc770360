//! Learners of series by name: what the command line, Python and the reference pages are made from.

use super::{Autoregression, Influence, Sequential, Validation};
use crate::error::Result;
use crate::model::Model;
use crate::params::{Param, Params};
use crate::series::Series;
use crate::watch::Watch;
use serde_json::{Map, Value};

/// How a learner of series answers: parameters over the defaults, a series, what is asked, someone who watches.
type Answer<Ask, T> = fn(&Map<String, Value>, &Series, Ask, &mut dyn Watch) -> Result<T>;

/// A learner of series.
pub struct Forecaster {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its class in Python.
    pub python: &'static str,
    /// One sentence about it.
    pub about: &'static str,
    /// Its parameters.
    pub spec: &'static [Param],
    /// Their defaults.
    pub defaults: fn() -> Map<String, Value>,
    /// Learns from a series.
    pub fit: Answer<(), Model>,
    /// Scores it by sequential cross-validation.
    pub validate: fn(&Map<String, Value>, &Series, &Sequential, &mut dyn Watch) -> Result<Validation>,
    /// Which variable moves which, with p-values from so many shifts of each.
    pub influence: Answer<usize, Influence>,
}

/// All learners of series.
pub const FORECASTERS: &[Forecaster] = &[Forecaster {
    name: "series",
    python: "FourierVAR",
    about: "Vector autoregression: the next rows of a series from the rows before them, linear or with a kernel",
    spec: Autoregression::SPEC,
    defaults: || match serde_json::to_value(Autoregression::default()) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    },
    fit: |values, series, (), watch| Autoregression::from_values(values)?.fit(series, watch),
    validate: |values, series, how, watch| Autoregression::from_values(values)?.validate(series, how, watch),
    influence: |values, series, shifts, watch| Autoregression::from_values(values)?.influence(series, shifts, watch),
}];

/// The learner of series of that name, if there is one.
pub fn forecaster(name: &str) -> Option<&'static Forecaster> {
    FORECASTERS.iter().find(|f| f.name == name)
}
