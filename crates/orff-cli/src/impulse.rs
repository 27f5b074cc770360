//! `orff impulse`: what a shock of one variable does to all of them.

use crate::history::{self, History, said};
use crate::progress::tell;
use crate::series::columns_of;
use crate::{Session, flags};
use anyhow::{Context, Result};
use clap::{Arg, ArgMatches, Command};
use faer::Mat;
use orff::model::Model;
use orff_table::{Kept, Writer};

/// `orff impulse MODEL [FILE…] --steps N`.
pub fn command() -> Command {
    let about = "Follow a shock of each variable of a series: the forecast with it less the forecast without";
    let steps = Arg::new("steps")
        .long("steps")
        .value_name("N")
        .value_parser(clap::value_parser!(u32).range(1..=10_000_000))
        .default_value("10")
        .help("Rows to follow it");
    let size = Arg::new("size")
        .long("size")
        .value_name("NUMBERS")
        .value_delimiter(',')
        .value_parser(clap::value_parser!(f64))
        .allow_hyphen_values(true)
        .help("Size of the shock: a number for all variables, or one for each; a linear model answers in proportion [default: 1]");
    history::arguments(Command::new("impulse").about(about)).arg(steps).arg(size)
}

/// Writes for each step and each shock the response of every variable.
pub fn run(matches: &ArgMatches, session: &Session) -> Result<()> {
    let model = Model::load(flags::path(matches, "model"))?;
    let columns = columns_of(&model)?;
    let dynamics = model.dynamics()?;
    let p = dynamics.names.len();
    let steps = matches.get_one::<u32>("steps").map_or(10, |steps| *steps as usize);
    let size: Vec<f64> = match matches.get_many::<f64>("size").map(|s| s.copied().collect::<Vec<_>>()) {
        None => vec![1.0; p],
        Some(one) if one.len() == 1 => vec![one[0]; p],
        Some(each) if each.len() == p => each,
        Some(other) => {
            let given = other.len();
            return Err(
                flags::Usage(format!("--size: expected one number, or {p} (one for each), got {given}")).into()
            );
        }
    };
    let known = History::read(matches, &columns, dynamics)?;
    let mut kept: Vec<Kept> = Vec::new();
    if dynamics.members.len() > 1 {
        kept.push(columns.member.as_deref().unwrap_or("member").into());
    }
    kept.extend(["step".into(), "shock".into()]);
    // nothing is written before everything is known
    let mut parts = Vec::new();
    for before in &known.starts {
        let future = known.future(dynamics, before)?;
        let found = model
            .impulse_response(&History::start(before, future.as_ref()), steps, &size)
            .with_context(|| said(dynamics, before.member))?;
        if !session.quiet {
            found.warnings.iter().for_each(|line| tell(&format!("warning: {}{line}", said(dynamics, before.member))));
        }
        let (at, of) = (|i: usize| i / p, |i: usize| i % p);
        let n = (steps + 1) * p;
        let mut texts: Vec<Vec<String>> = vec![
            (0..n).map(|i| at(i).to_string()).collect(),
            (0..n).map(|i| dynamics.names[of(i)].clone()).collect(),
        ];
        if dynamics.members.len() > 1 {
            texts.insert(0, vec![dynamics.members[before.member].clone(); n]);
        }
        parts.push((texts, Mat::from_fn(n, p, |i, k| found.at[at(i)][(k, of(i))])));
    }
    let target = flags::path(matches, "out");
    let mut writer = Writer::create(target, None, &kept, &dynamics.names)?;
    parts.iter().try_for_each(|(texts, out)| writer.write(texts, out.as_ref()))?;
    writer.finish()?;
    if !session.quiet && target.as_os_str() != "-" {
        tell(&format!("wrote {} ({} rows)", target.display(), parts.iter().map(|p| p.1.nrows()).sum::<usize>()));
    }
    Ok(())
}
