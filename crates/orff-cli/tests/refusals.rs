//! Every value that a parameter must refuse is refused on the command line with the sentence of the library.

use orff::learn::{FORECASTERS, LEARNERS, Learner};
use orff::params::Param;
use serde_json::Value;
use std::process::Command;

/// Every learner: its words after `fit`, the flag of the columns that it learns (none where it takes all), its parameters.
fn learners() -> impl Iterator<Item = (Vec<&'static str>, Option<&'static str>, &'static [Param])> {
    let landmarks = |l: &Learner| l.spec.iter().any(|p| p.name == "landmarks");
    let learners = LEARNERS.iter().map(move |l| match l.role {
        role if role.detects() => (vec!["one-class", "--method", l.name], None, l.spec),
        role if role.aligns() => {
            let learned = if landmarks(l) { "landmarks" } else { "pac-bayes" };
            (vec!["classification", "--learn", learned], Some("--target"), l.spec)
        }
        role => (vec![l.name], Some(if role.classifies() { "--target" } else { "--outputs" }), l.spec),
    });
    learners.chain(FORECASTERS.iter().map(|f| (vec![f.name], None, f.spec)))
}

#[test]
fn bad_values_are_refused_with_the_sentences_of_the_library() {
    for (name, learned, spec) in learners() {
        // any label may stand for none; the method of alignment is said by --learn, whose words are below
        let named = |param: &&Param| !(param.name == "method" && name.contains(&"--learn"));
        for param in spec.iter().filter(named).filter(|param| param.name != "unlabelled") {
            for bad in param.kind.bad_values() {
                let flag = format!("--{}", param.flag());
                let said = param.kind.check(&flag, &bad).unwrap_err().to_string();
                let text = match &bad {
                    Value::String(word) => word.clone(),
                    other => other.to_string(),
                };
                let out = Command::new(env!("CARGO_BIN_EXE_orff"))
                    .arg("fit")
                    .args(&name)
                    .args(["no-such-file.csv", "-o", "m.orff"])
                    .args(learned.iter().flat_map(|flag| [*flag, "y"]))
                    .arg(format!("{flag}={text}"))
                    .output()
                    .unwrap();
                let stderr = String::from_utf8_lossy(&out.stderr);
                assert_eq!(out.status.code(), Some(2), "{name:?} {flag}={text}: {stderr}");
                assert_eq!(stderr.trim_end(), format!("orff: {said}"), "{name:?} {flag}={text}");
            }
        }
    }
}

#[test]
fn every_kind_of_parameter_has_values_to_refuse() {
    for (name, _, spec) in learners() {
        for param in spec {
            let few = param.kind.bad_values().len();
            assert!(few >= 2, "{name:?} {}: {few} bad values", param.name);
        }
    }
}

#[test]
fn what_is_no_way_to_learn_a_kernel_is_refused() {
    for bad in ["no-such-word", "0.5", "1", "inf", "[2]"] {
        let out = Command::new(env!("CARGO_BIN_EXE_orff"))
            .args(["fit", "classification", "no-such-file.csv", "--target", "y", "-o", "m.orff", "--learn", bad])
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "--learn {bad}: {stderr}");
        assert!(stderr.starts_with("orff: --learn: expected landmarks, pac-bayes, chi2"), "--learn {bad}: {stderr}");
        assert!(
            stderr.contains(&format!("got {}", if bad == "no-such-word" { "\"no-such-word\"" } else { bad })),
            "{stderr}"
        );
    }
}
