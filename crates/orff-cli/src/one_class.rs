//! `orff fit one-class`: outliers among rows without outputs, by one of several methods.

use crate::flags::{self, Usage};
use anyhow::Result;
use clap::{Arg, ArgMatches};
use orff::learn::{LEARNERS, Learner};
use orff::params::Param;

/// The name of the command.
pub const NAME: &str = "one-class";
/// One sentence about it.
pub const ABOUT: &str = "Which rows are unlike the others: outliers, by a score of how usual each row is";

/// The learners that are its methods; the first one is taken unless another is asked for.
fn methods() -> impl Iterator<Item = &'static Learner> {
    LEARNERS.iter().filter(|learner| learner.role.detects())
}

/// Its flags: the method, and the parameters of all methods, each once.
pub fn flags() -> Vec<Arg> {
    let names: Vec<&str> = methods().map(|m| m.name).collect();
    let each: Vec<String> = methods().map(|m| format!("{} ({})", m.name, lower(m.about))).collect();
    let method = Arg::new("method")
        .long("method")
        .value_name("WORD")
        .help(format!("How: {} [default: {}]", each.join("; "), names.first().unwrap_or(&"")))
        .value_parser(names.clone());
    let mut seen: Vec<&Param> = Vec::new();
    let mut all = vec![method];
    for learner in methods() {
        for param in learner.spec {
            if seen.iter().any(|other| other.name == param.name) {
                continue;
            }
            seen.push(param);
            let having: Vec<&Learner> = methods().filter(|m| m.spec.iter().any(|p| p.name == param.name)).collect();
            let own = (learner.defaults)();
            let same = having.iter().all(|m| {
                (m.defaults)().get(param.name) == own.get(param.name)
                    && m.spec.iter().any(|p| p.name == param.name && p.text() == param.text())
            });
            let mut flag = flags::flag(param, own.get(param.name));
            if having.len() < names.len() || !same {
                let told = |m: &&Learner| {
                    let text = m.spec.iter().find(|p| p.name == param.name).map(Param::text).unwrap_or_default();
                    format!("{}: {text}", m.name)
                };
                let texts = if same { vec![told(&having[0])] } else { having.iter().map(told).collect() };
                flag = flag.help(texts.join(" "));
            }
            all.push(flag);
        }
    }
    all
}

fn lower(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}

/// The learner of the method that was asked for; flags of other methods are refused.
pub fn learner(matches: &ArgMatches) -> Result<&'static Learner> {
    let asked = matches.get_one::<String>("method");
    let found = methods().find(|m| asked.is_none_or(|name| name == m.name));
    let learner = found.ok_or_else(|| Usage("--method: there is none".into()))?;
    for param in methods().flat_map(|m| m.spec) {
        let own = learner.spec.iter().any(|p| p.name == param.name);
        if !own && matches.get_one::<String>(param.name).is_some() {
            let having: Vec<&str> =
                methods().filter(|m| m.spec.iter().any(|p| p.name == param.name)).map(|m| m.name).collect();
            let why = format!("{} has no such parameter (it is one of {})", learner.name, having.join(", "));
            return Err(Usage(format!("--{}: {why}", param.flag())).into());
        }
    }
    Ok(learner)
}
