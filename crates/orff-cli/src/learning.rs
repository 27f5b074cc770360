//! `orff fit classification --learn`: classes with a kernel that is learned, by one of several ways.

use crate::flags::{self, Usage};
use anyhow::Result;
use clap::{Arg, ArgMatches};
use orff::learn::{LEARNERS, Learner, learner};
use orff::params::{Kind, Param};
use serde_json::{Map, Value};

/// The command whose kernel may be learned.
pub const NAME: &str = "classification";
/// The flag, and what it takes: landmarks, or a method of alignment.
const FLAG: &str = "learn";
const WAYS: Kind =
    Kind::WordOr(&["landmarks", "pac-bayes", "chi2"], &Kind::Number { min: 1.0, max: 1e3, open: true });

/// The learners of kernels.
fn learned() -> impl Iterator<Item = &'static Learner> {
    LEARNERS.iter().filter(|learner| learner.role.aligns())
}

/// Each word of the flag with its learner, and the method that it stands for.
fn words() -> Vec<(&'static str, &'static Learner, Option<&'static str>)> {
    let each = |l: &'static Learner| match l.spec.iter().any(|p| p.name == "landmarks") {
        true => vec![("landmarks", l, None)],
        false => orff::align::Method::NAMES.iter().map(|name| (*name, l, Some(*name))).collect(),
    };
    learned().flat_map(each).collect()
}

/// The flag, and parameters that only these learners have.
pub fn flags() -> Vec<Arg> {
    let help = "Learn the kernel first: pac-bayes, chi2 or the power of another divergence (candidates weighed by how well they \
                align with the labels), landmarks (a kernel for each of some points, whose values are the features)";
    let mut all = vec![Arg::new(FLAG).long(FLAG).value_name("WORD").help(help)];
    let mut seen: Vec<&str> = plain().iter().map(|param| param.name).collect();
    for learner in learned() {
        for param in learner.spec.iter().filter(|param| param.name != "method") {
            if !seen.contains(&param.name) {
                seen.push(param.name);
                let having: Vec<&str> = words().iter().filter(|w| has(w.1, param.name)).map(|word| word.0).collect();
                let default = (learner.defaults)();
                let flag = flags::flag(param, default.get(param.name));
                all.push(flag.help(format!("--learn {}: {}", having.join(" or "), param.text())));
            }
        }
    }
    all
}

fn plain() -> &'static [Param] {
    learner(NAME).map_or(&[], |learner| learner.spec)
}

fn has(learner: &Learner, name: &str) -> bool {
    learner.spec.iter().any(|param| param.name == name)
}

/// The learner that was asked for, with the method that it stands for; flags of others are refused.
pub fn chosen(matches: &ArgMatches) -> Result<(&'static Learner, Map<String, Value>)> {
    let asked = matches.get_one::<String>(FLAG);
    let (mut learner, mut values) = (learner(NAME)?, Map::new());
    if let Some(asked) = asked {
        let value = WAYS.parse("--learn", asked)?;
        // a power is one more method
        let fits = |word: &(&str, &Learner, Option<&str>)| word.0 == asked || value.is_number() && word.2.is_some();
        let (_, found, method) = words().into_iter().find(fits).ok_or_else(|| Usage(format!("--learn {asked}")))?;
        learner = found;
        if method.is_some() {
            values.insert("method".into(), value);
        }
    }
    // each method looks at one of these numbers
    let pac_bayes = values.get("method").is_some_and(|method| method == "pac-bayes");
    let (unused, whose) =
        if pac_bayes { ("divergence", "chi2 or a power") } else { ("strength", "pac-bayes or landmarks") };
    if let Some(given) = matches.get_one::<String>(unused).filter(|_| !values.is_empty()) {
        // what is no value at all is said first
        if let Some(param) = learner.spec.iter().find(|param| param.name == unused) {
            param.kind.parse(&format!("--{unused}"), given)?;
        }
        return Err(Usage(format!("--{unused}: it is for --learn {whose}")).into());
    }
    let named = learned().flat_map(|l| l.spec).chain(plain()).filter(|param| param.name != "method");
    for param in named {
        if !has(learner, param.name) && matches.get_one::<String>(param.name).is_some() {
            let having: Vec<&str> = words().iter().filter(|w| has(w.1, param.name)).map(|word| word.0).collect();
            let why = match having.is_empty() {
                true => format!("--learn {} has no such parameter", asked.map_or("", String::as_str)),
                false => format!("it is for --learn {}", having.join(" or ")),
            };
            return Err(Usage(format!("--{}: {why}", param.flag())).into());
        }
    }
    Ok((learner, values))
}
