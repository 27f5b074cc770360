//! Every value that a parameter must refuse is refused on the command line with the sentence of the library.

use orff::learn::{FORECASTERS, LEARNERS};
use orff::params::{Kind, Param};
use serde_json::Value;
use std::process::Command;

/// Every learner: its name, the flag of the columns that it learns (none where it takes all), its parameters.
fn learners() -> impl Iterator<Item = (&'static str, Option<&'static str>, &'static [Param])> {
    let learned = |classes: bool| Some(if classes { "--target" } else { "--outputs" });
    let learners = LEARNERS.iter().map(move |l| (l.name, learned(l.role.classifies()), l.spec));
    learners.chain(FORECASTERS.iter().map(|f| (f.name, None, f.spec)))
}

#[test]
fn bad_values_are_refused_with_the_sentences_of_the_library() {
    for (name, learned, spec) in learners() {
        // every word is a text
        for param in spec.iter().filter(|param| !matches!(param.kind, Kind::Text)) {
            for bad in param.kind.bad_values() {
                let flag = format!("--{}", param.flag());
                let said = param.kind.check(&flag, &bad).unwrap_err().to_string();
                let text = match &bad {
                    Value::String(word) => word.clone(),
                    other => other.to_string(),
                };
                let out = Command::new(env!("CARGO_BIN_EXE_orff"))
                    .args(["fit", name, "no-such-file.csv", "-o", "m.orff"])
                    .args(learned.iter().flat_map(|flag| [*flag, "y"]))
                    .arg(format!("{flag}={text}"))
                    .output()
                    .unwrap();
                let stderr = String::from_utf8_lossy(&out.stderr);
                assert_eq!(out.status.code(), Some(2), "{name} {flag}={text}: {stderr}");
                assert_eq!(stderr.trim_end(), format!("orff: {said}"), "{name} {flag}={text}");
            }
        }
    }
}

#[test]
fn every_kind_of_parameter_has_values_to_refuse() {
    for (name, _, spec) in learners() {
        for param in spec {
            let few = param.kind.bad_values().len();
            assert!(few >= 2 || matches!(param.kind, Kind::Text), "{name} {}: {few} bad values", param.name);
        }
    }
}
