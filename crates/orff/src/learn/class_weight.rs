//! How much classes count.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How much classes count.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ClassWeight {
    /// Every row counts as it is.
    #[default]
    None,
    /// Every class counts the same in all: rows of class c weigh W/(T·W_c).
    Balanced,
    /// Some or all classes by name; others weigh 1.
    Given(Map<String, Value>),
}

impl Serialize for ClassWeight {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            ClassWeight::None => s.serialize_none(),
            ClassWeight::Balanced => s.serialize_str("balanced"),
            ClassWeight::Given(each) => each.serialize(s),
        }
    }
}

impl<'de> Deserialize<'de> for ClassWeight {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        // what else it may be, its declaration has refused
        Ok(match Value::deserialize(d)? {
            Value::Object(each) => ClassWeight::Given(each),
            Value::String(_) => ClassWeight::Balanced,
            _ => ClassWeight::None,
        })
    }
}

impl ClassWeight {
    /// The weight of each class, given its name and Σw of its rows.
    pub(super) fn of(&self, names: &[String], weights: &[f64]) -> Result<Vec<f64>> {
        let each = match self {
            ClassWeight::None => return Ok(vec![1.0; names.len()]),
            ClassWeight::Balanced => {
                let (total, seen) = (weights.iter().sum::<f64>(), weights.iter().filter(|w| **w > 0.0).count());
                let weight = |w: &f64| if *w > 0.0 { total / (seen as f64 * w) } else { 1.0 };
                return Ok(weights.iter().map(weight).collect());
            }
            ClassWeight::Given(each) => each,
        };
        if let Some(stranger) = each.keys().find(|name| !names.contains(name)) {
            let known: Vec<&str> = names.iter().take(20).map(String::as_str).collect();
            let more = if names.len() > known.len() { ", …" } else { "" };
            let expected = format!("weights of the classes {}{more}", known.join(", "));
            return Err(Error::parameter("class_weight", expected, format!("one of \"{stranger}\"")));
        }
        let number = |name: &String| each.get(name).and_then(Value::as_f64).unwrap_or(1.0);
        Ok(names.iter().map(number).collect())
    }
}
