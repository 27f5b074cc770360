//! Parameters from a TOML file; flags go before it.

use crate::flags::{self, Usage};
use anyhow::{Context, Result};
use orff::error::said;
use orff::params::{Kind, Param};
use orff_table::Selector;
use serde_json::{Map, Value};
use std::path::Path;

/// Reads a file of `name = value` lines and gives each value to the list of parameters that declares it.
pub fn read(path: &Path, specs: &[&[Param]]) -> Result<Vec<Map<String, Value>>> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Usage(format!("--config: {} cannot be read: {}", path.display(), said(&e))))?;
    let table: toml::Table =
        toml::from_str(&text).map_err(|e| Usage(format!("{}: {}", path.display(), e.to_string().trim_end())))?;
    let mut out = vec![Map::new(); specs.len()];
    for (key, value) in table {
        let name = key.replace('-', "_");
        let found = specs.iter().position(|spec| spec.iter().any(|p| p.name == name));
        let Some(at) = found else {
            let known: Vec<String> = specs.iter().flat_map(|s| s.iter().map(Param::flag)).collect();
            let near = nearest(&key, &known).map(|n| format!("; did you mean {n}?")).unwrap_or_default();
            return Err(Usage(format!("{}: unknown parameter \"{key}\"{near}", path.display())).into());
        };
        let param = specs[at].iter().find(|p| p.name == name).expect("it was just found");
        let value = listed(param, serde_json::to_value(value)?);
        param.kind.check(&name, &value).with_context(|| path.display().to_string())?;
        if matches!(param.kind, Kind::Kernel) {
            flags::kernel(&value).with_context(|| path.display().to_string())?;
        }
        out[at].insert(name, value);
    }
    Ok(out)
}

/// A list of columns (`outputs = ["y1", "y2"]`) as the text it is on the command line.
fn listed(param: &Param, value: Value) -> Value {
    let items = match (&param.kind, &value) {
        (Kind::Text, Value::Array(items)) if !items.is_empty() => items,
        _ => return value,
    };
    let item = |v: &Value| match v {
        Value::String(name) => Some(name.clone()),
        Value::Number(position) => Some(position.to_string()),
        _ => None,
    };
    match items.iter().map(item).collect::<Option<Vec<_>>>() {
        Some(items) => Value::String(Selector::names(items).to_string()),
        None => value,
    }
}

/// The known word that shares most with a mistyped one, if it shares enough.
fn nearest<'a>(word: &str, known: &'a [String]) -> Option<&'a String> {
    let distance = |a: &str, b: &str| {
        let b: Vec<char> = b.chars().collect();
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.chars().enumerate() {
            let mut before = row[0];
            row[0] = i + 1;
            for (j, y) in b.iter().enumerate() {
                let change = before + usize::from(x != *y);
                before = row[j + 1];
                row[j + 1] = change.min(before + 1).min(row[j] + 1);
            }
        }
        row[b.len()]
    };
    known.iter().map(|k| (distance(word, k), k)).filter(|(d, k)| *d <= 1 + k.len() / 4).min().map(|(_, k)| k)
}
