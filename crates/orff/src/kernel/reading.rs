//! Fields of structured kernels, read so that what is wrong is said by the name of the field and in our words.

use super::expression::DEPTH;
use super::{Matrix, Output};
use crate::error::{Error, Result};
use crate::params::{Auto, field, said};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

pub(super) const FACTOR: &str = "a finite number > 0";
pub(super) const GRADIENT: &str = "a number > 0 and < 1 (0 is div-free, 1 is curl-free)";
pub(super) const AT_LEAST_ZERO: &str = "a number ≥ 0";
pub(super) const WEIGHTS: &str = "finite numbers ≥ 0, one per atom";

/// Whether a structured form has more kernels inside each other than an expression may have.
pub(crate) fn too_deep(form: &Value) -> bool {
    let mut left = vec![(form, 0)];
    while let Some((value, above)) = left.pop() {
        match value {
            Value::Object(fields) => {
                let level = above + usize::from(fields.contains_key("kernel"));
                if level > DEPTH {
                    return true;
                }
                left.extend(fields.values().map(|field| (field, level)));
            }
            Value::Array(items) => left.extend(items.iter().filter(|i| !i.is_number()).map(|item| (item, above))),
            _ => {}
        }
    }
    false
}

/// The refusal of such a form; `name` is the argument it speaks of.
pub fn nested(name: &str) -> Error {
    Error::parameter(name, format!("kernels nested at most {DEPTH} deep"), "more")
}

pub(super) fn factor<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    field(from, "factor of a kernel", FACTOR)
}

pub(super) fn gradient<'de, D: Deserializer<'de>>(from: D) -> Result<Auto<f64>, D::Error> {
    field(from, "gradient", &format!("auto or {GRADIENT}"))
}

pub(super) fn gamma<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    field(from, "gamma", AT_LEAST_ZERO)
}

pub(super) fn epsilon<'de, D: Deserializer<'de>, T: de::DeserializeOwned>(from: D) -> Result<T, D::Error> {
    field(from, "epsilon", AT_LEAST_ZERO)
}

pub(super) fn weights<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<f64>>, D::Error> {
    field(from, "weights", WEIGHTS)
}

/// Γ: its structured form, or its expression.
pub(super) fn output<'de, D: Deserializer<'de>>(from: D) -> Result<Output, D::Error> {
    match Value::deserialize(from)? {
        Value::String(text) => text.parse().map_err(de::Error::custom),
        Value::Object(form) if form.contains_key("name") => {
            serde_json::from_value(Value::Object(form)).map_err(de::Error::custom)
        }
        Value::Array(rows) => Ok(Output::Given { matrix: rows_of(&Value::Array(rows), "output")? }),
        other => {
            let expected = "a word such as identity or covariance, or a matrix given by its rows";
            Err(de::Error::custom(Error::parameter("output", expected, said(&other))))
        }
    }
}

/// The matrices of views, each by its number.
pub(super) fn views<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Matrix>, D::Error> {
    let list: Vec<Value> = field(from, "views", "a list of matrices, one per output")?;
    list.iter().enumerate().map(|(i, view)| rows_of(view, &format!("view {}", i + 1))).collect()
}

fn rows_of<E: de::Error>(value: &Value, name: &str) -> Result<Matrix, E> {
    Matrix::of_rows(value, name).map_err(E::custom)
}

macro_rules! matrices {
    ($($name:ident $said:literal),*) => {
        $(pub(super) fn $name<'de, D: Deserializer<'de>>(from: D) -> Result<Matrix, D::Error> {
            rows_of(&Value::deserialize(from)?, $said)
        })*
    };
}

matrices!(given "output", adjacency "adjacency", omega "omega", factors "factors", by "by");
