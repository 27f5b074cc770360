//! `orff influence`: which variable of a series moves which.

use crate::progress::Progress;
use crate::series::{asked, flagged};
use crate::{Session, evaluate};
use anyhow::Result;
use clap::{Arg, ArgMatches, Command};
use faer::Mat;
use orff::learn::{FORECASTERS, Influence};
use serde_json::{Map, Value, json};
use std::io::Write;

/// `orff influence FILE…`.
pub fn command() -> Command {
    let about = "Say which variable of a series moves which: average slopes, and how often chance gives as much";
    let shifts = Arg::new("shifts")
        .long("shifts")
        .value_name("N")
        .value_parser(clap::value_parser!(u32))
        .default_value("99")
        .help("Fits for each variable in which what its past has of its own is moved in time; 0 for no p-values");
    flagged(Command::new("influence").about(about).arg(shifts).arg(evaluate::report_arg()), &FORECASTERS[0])
}

/// Prints a table with a row for each variable that is moved.
pub fn run(matches: &ArgMatches, session: &Session) -> Result<()> {
    let forecaster = &FORECASTERS[0];
    let shifts = matches.get_one::<u32>("shifts").map_or(99, |shifts| *shifts as usize);
    let (values, series, ..) = asked(forecaster, &[], matches, session)?;
    let mut watch = Progress::new(session.quiet, || (0, None));
    let found = (forecaster.influence)(&values, &series, shifts, &mut watch)?;
    drop(watch);
    let json = matches.get_one::<String>("report").is_some_and(|f| f == "json");
    print(&found, &series.names, json, &mut crate::progress::stdout())
}

fn print(found: &Influence, names: &[String], json: bool, out: &mut dyn Write) -> Result<()> {
    if json {
        let table = |m: &Mat<f64>| -> Map<String, Value> {
            let row = |i: usize| -> Map<String, Value> {
                names.iter().enumerate().map(|(j, name)| (name.clone(), json!(m[(i, j)]))).collect()
            };
            names.iter().enumerate().map(|(i, name)| (name.clone(), Value::Object(row(i)))).collect()
        };
        let all = json!({"strength": table(&found.strength), "p_value": found.p_value.as_ref().map(table)});
        writeln!(out, "{}", serde_json::to_string_pretty(&all)?)?;
        return Ok(());
    }
    writeln!(out, "{:16} {:16} {:>9}  {:>7}", "moved", "by", "strength", "p-value")?;
    for (i, moved) in names.iter().enumerate() {
        for (j, by) in names.iter().enumerate() {
            let chance = found.p_value.as_ref().map_or("–".into(), |p| format!("{:.3}", p[(i, j)]));
            writeln!(out, "{moved:16} {by:16} {:9.4}  {chance:>7}", found.strength[(i, j)])?;
        }
    }
    Ok(())
}
