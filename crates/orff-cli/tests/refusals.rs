//! Every value that a parameter must refuse is refused on the command line with the sentence of the library.

use orff::learn::LEARNERS;
use orff::params::Kind;
use serde_json::Value;
use std::process::Command;

#[test]
fn bad_values_are_refused_with_the_sentences_of_the_library() {
    for learner in LEARNERS {
        let learned = if learner.role.classifies() { "--target" } else { "--outputs" };
        // every word is a text
        for param in learner.spec.iter().filter(|param| !matches!(param.kind, Kind::Text)) {
            for bad in param.kind.bad_values() {
                let flag = format!("--{}", param.flag());
                let said = param.kind.check(&flag, &bad).unwrap_err().to_string();
                let text = match &bad {
                    Value::String(word) => word.clone(),
                    other => other.to_string(),
                };
                let out = Command::new(env!("CARGO_BIN_EXE_orff"))
                    .args(["fit", learner.name, "no-such-file.csv", learned, "y", "-o", "m.orff"])
                    .arg(format!("{flag}={text}"))
                    .output()
                    .unwrap();
                let stderr = String::from_utf8_lossy(&out.stderr);
                assert_eq!(out.status.code(), Some(2), "{flag}={text}: {stderr}");
                assert_eq!(stderr.trim_end(), format!("orff: {said}"), "{flag}={text}");
            }
        }
    }
}

#[test]
fn every_kind_of_parameter_has_values_to_refuse() {
    for learner in LEARNERS {
        for param in learner.spec {
            let few = param.kind.bad_values().len();
            assert!(few >= 2 || matches!(param.kind, Kind::Text), "{}: {few} bad values", param.name);
        }
    }
}
