//! Flags made from declared parameters, and values from flags and configuration files.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Command};
use orff::kernel::Kernel;
use orff::params::{Kind, Param};
use serde_json::{Map, Value};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The command was asked for something it cannot be asked for.
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// The file that an argument names: one that is required or has a default.
pub fn path<'a>(matches: &'a ArgMatches, name: &str) -> &'a Path {
    matches.get_one::<PathBuf>(name).expect("clap requires it, or knows its default")
}

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
    let words = param.kind.words();
    // one word, such as auto, is said where it is described; shells complete it all the same
    let takes = if words.len() > 1 && !matches!(param.kind, Kind::Flag) {
        format!(" [takes: {}]", param.kind.expected().trim_start_matches("one of "))
    } else {
        String::new()
    };
    let arg = Arg::new(param.name)
        .long(param.flag())
        .value_name(value_name(&param.kind))
        .help(format!("{}{takes}{shown}", param.text()))
        .value_parser(Words(words))
        .hide_possible_values(true)
        .allow_hyphen_values(true);
    match param.kind {
        Kind::Flag => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
        _ => arg,
    }
}

/// Any text, checked later by the declaration of the parameter, whose sentence is the same everywhere; the words are for
/// the completions of shells.
#[derive(Clone)]
struct Words(Vec<&'static str>);

impl TypedValueParser for Words {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        (!self.0.is_empty()).then(|| Box::new(self.0.iter().map(PossibleValue::new)) as _)
    }
}

fn value_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Count { .. } => "N",
        Kind::Number { .. } | Kind::Amount => "X",
        Kind::Choice(_) => "WORD",
        Kind::Flag => "BOOL",
        Kind::Auto(inner) | Kind::WordOr(_, inner) => value_name(inner),
        Kind::Several(_) => "X,…",
        Kind::Text => "TEXT",
        Kind::Kernel => "KERNEL",
        Kind::Form(form) => form.name,
        Kind::Matrix => "MATRIX",
        Kind::ClassWeights => "NAME=X,…",
    }
}

/// The values given on the command line, each checked against its declaration.
pub fn given(spec: &[Param], matches: &ArgMatches) -> anyhow::Result<Map<String, Value>> {
    let mut values = Map::new();
    for param in spec {
        // a command may say a parameter by another flag
        if let Ok(Some(text)) = matches.try_get_one::<String>(param.name) {
            let value = match (param.kind, text.strip_prefix('@')) {
                (Kind::Kernel | Kind::Matrix, Some(path)) => in_file(param, path)?,
                (Kind::Kernel, None) => {
                    read(param, text).map_err(|e| match std::path::Path::new(text).is_file() {
                        true => {
                            Usage(format!("--kernel: {text} is a file (write @ before its name: @{text})")).into()
                        }
                        false => e,
                    })?
                }
                _ => read(param, text)?,
            };
            values.insert(param.name.into(), value);
        }
    }
    Ok(values)
}

fn read(param: &Param, text: &str) -> anyhow::Result<Value> {
    if matches!(param.kind, Kind::Kernel) && text.starts_with('{') {
        let form = serde_json::from_str(text).map_err(|e| Usage(format!("--kernel: not JSON: {e}")))?;
        return kernel(&form).map(|()| form);
    }
    let value = param.kind.parse(&format!("--{}", param.flag()), text)?;
    if matches!(param.kind, Kind::Kernel) {
        kernel(&value)?;
    }
    Ok(value)
}

/// A kernel or a matrix may be in a file: `--kernel @kernel.json`.
fn in_file(param: &Param, path: &str) -> anyhow::Result<Value> {
    let flag = param.flag();
    let holds = match param.kind {
        Kind::Matrix => "a matrix by its rows, such as [[1, 0.5], [0.5, 1]]",
        _ => {
            "an expression such as curl-free(matern(2.5)), or the structured form that orff inspect --format json shows"
        }
    };
    let text = std::fs::read_to_string(path).map_err(|e| {
        let why = match e.kind() {
            std::io::ErrorKind::InvalidData => "not a text file".to_string(),
            _ => orff::error::said(&e),
        };
        anyhow::anyhow!("--{flag}: {path}: {why} (expected a file that holds {holds})")
    })?;
    read(param, text.trim()).map_err(|e| {
        let why = e.to_string();
        let why =
            [format!("--{flag}: "), format!("{flag}: ")].iter().fold(&why[..], |w, p| w.strip_prefix(p).unwrap_or(w));
        Usage(format!("--{flag}: {path}: {why} (expected {holds})")).into()
    })
}

/// Checks a kernel, as text or in its structured form.
pub fn kernel(value: &Value) -> anyhow::Result<()> {
    match value {
        Value::String(text) => text.parse::<Kernel>().map(|_| ())?,
        form => {
            serde_json::from_value::<Kernel>(form.clone()).map(|_| ()).map_err(|e| Usage(format!("--kernel: {e}")))?
        }
    }
    Ok(())
}
