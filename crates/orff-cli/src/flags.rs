//! Flags made from declared parameters, and values from flags and configuration files.

use clap::{Arg, ArgAction, ArgMatches};
use orff::params::{Kind, Param};
use serde_json::{Map, Value};

/// The command was asked for something it cannot be asked for.
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// A flag without a value.
pub fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// The flag of a parameter; its default is part of the help.
pub fn flag(param: &Param, default: Option<&Value>) -> Arg {
    let shown = match default {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(word)) => format!(" [default: {word}]"),
        Some(Value::Object(_)) => String::new(),
        Some(value) => format!(" [default: {value}]"),
    };
    let arg = Arg::new(param.name)
        .long(param.flag())
        .value_name(value_name(&param.kind))
        .help(format!("{}{shown}", param.text()))
        .allow_hyphen_values(true);
    match param.kind {
        Kind::Flag => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
        _ => arg,
    }
}

fn value_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Count { .. } => "N",
        Kind::Number { .. } => "X",
        Kind::Choice(_) => "WORD",
        Kind::Flag => "BOOL",
        Kind::Auto(inner) | Kind::WordOr(_, inner) => value_name(inner),
        Kind::Several(_) => "X,…",
        Kind::Text => "TEXT",
        Kind::Kernel => "KERNEL",
        Kind::Group => "GROUP",
        Kind::Matrix => "MATRIX",
    }
}

/// The values given on the command line, each checked against its declaration.
pub fn given(spec: &[Param], matches: &ArgMatches) -> anyhow::Result<Map<String, Value>> {
    let mut values = Map::new();
    for param in spec {
        if let Some(text) = matches.get_one::<String>(param.name) {
            let text = &from_file(param, text)?;
            let value = param.kind.parse(&format!("--{}", param.flag()), text)?;
            if matches!((param.kind, &value), (Kind::Kernel, Value::String(_))) {
                text.parse::<orff::kernel::Kernel>()?;
            }
            values.insert(param.name.into(), value);
        }
    }
    Ok(values)
}

/// A kernel or a matrix may be in a file: `--kernel @kernel.json`.
fn from_file(param: &Param, text: &str) -> anyhow::Result<String> {
    match (param.kind, text.strip_prefix('@')) {
        (Kind::Kernel | Kind::Matrix, Some(path)) => {
            let text =
                std::fs::read_to_string(path).map_err(|e| Usage(format!("--{}: {path}: {e}", param.flag())))?;
            Ok(text.trim().to_string())
        }
        _ => Ok(text.to_string()),
    }
}
