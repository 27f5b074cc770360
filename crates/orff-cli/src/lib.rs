//! The `orff` command, as a library so that `python -m orff` is the same command.

mod bound;
mod calculus;
mod calendar;
mod checkpoint;
mod classify;
mod config;
mod curves;
mod data;
mod detect;
mod draw;
mod evaluate;
mod experiment;
mod extras;
mod fit;
mod flags;
mod forecast;
mod history;
mod holdout;
mod impulse;
mod influence;
mod inspect;
mod learning;
mod one_class;
mod one_step;
mod placed;
mod plot;
mod predict;
mod progress;
mod quantiles;
mod report;
mod series;
mod theory;
mod usual;

use anyhow::Context;
use clap::{ArgMatches, Command};
use orff::linalg::with_threads;
use std::ffi::OsString;
use std::io::Write;

/// What every command needs to know.
pub struct Session {
    /// Say nothing that is not an error.
    pub quiet: bool,
}

/// The whole command line, from which help, man page and completions are made.
pub fn command() -> Command {
    Command::new("orff")
        .about("Learn functions whose values are vectors, fields, curves or sets")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(
            "Exit codes: 0 done; 1 the work failed (data, files, numbers); 2 the call was wrong (flags, parameters, \
             columns that do not exist)",
        )
        .arg(flags::switch("quiet", "Say nothing but errors").short('q').global(true))
        .subcommand(fit::command())
        .subcommand(predict::command())
        .subcommand(evaluate::command())
        .subcommand(forecast::command())
        .subcommand(series::validate_command())
        .subcommand(impulse::command())
        .subcommand(influence::command())
        .subcommand(inspect::command())
        .subcommand(bound::command())
        .subcommand(draw::command())
        .subcommand(experiment::command())
        .subcommand(extras::completions())
        .subcommand(extras::man())
}

fn run(matches: &ArgMatches) -> anyhow::Result<()> {
    let session = Session { quiet: matches.get_flag("quiet") };
    if let Some((_, m)) = matches.subcommand() {
        let inner = m.subcommand().filter(|_| matches.subcommand_name() == Some("fit")).map_or(m, |(_, inner)| inner);
        data::spare(inner)?;
    }
    match matches.subcommand() {
        Some(("fit", m)) => fit::run(m, &session),
        Some(("predict", m)) => in_threads(m, || predict::run(m, &session)),
        Some(("evaluate", m)) => in_threads(m, || evaluate::run(m, &session)),
        Some(("forecast", m)) => forecast::run(m, &session),
        Some(("validate", m)) => series::validate(m, &session),
        Some(("impulse", m)) => impulse::run(m, &session),
        Some(("influence", m)) => influence::run(m, &session),
        Some(("inspect", m)) => inspect::run(m),
        Some(("bound", m)) => bound::run(m, &session),
        Some(("plot", m)) => draw::run(m),
        Some(("experiment", m)) => experiment::run(m),
        Some(("completions", m)) => extras::run_completions(m),
        Some(("man", m)) => extras::run_man(m),
        _ => Ok(()),
    }
}

/// With as many threads as were asked for.
fn in_threads(matches: &ArgMatches, work: impl FnOnce() -> anyhow::Result<()> + Send) -> anyhow::Result<()> {
    with_threads(matches.get_one::<u16>("threads").map(|n| usize::from(*n)), work)?
}

/// 0: done (a reader that closed the pipe early has what it wanted). 1: the work failed. 2: the call was wrong.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    progress::listen();
    let matches = match command().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) if error.use_stderr() => {
            let _ = error.print();
            return 2;
        }
        // help and version were asked for: they are work like any other
        Err(error) => return code(error.print().and_then(|()| std::io::stdout().flush()).context("standard output")),
    };
    code(run(&matches))
}

fn code(done: anyhow::Result<()>) -> u8 {
    let Err(error) = done else { return 0 };
    if is_broken_pipe(&error) {
        return 0;
    }
    progress::tell(&format!("orff: {}", sentence(&error)));
    if is_usage(&error) { 2 } else { 1 }
}

/// What went wrong and why. Errors of the libraries say their own causes; one that was already said is not said again.
fn sentence(error: &anyhow::Error) -> String {
    let own = |e: &&(dyn std::error::Error + 'static)| e.is::<orff::Error>() || e.is::<orff_table::Error>();
    let last = error.chain().position(|e| own(&e)).unwrap_or(usize::MAX);
    let causes = error.chain().take(last.saturating_add(1)).map(ToString::to_string);
    causes.fold(String::new(), |said, cause| match said.as_str() {
        "" => cause,
        before if before.contains(&cause) => said,
        before => format!("{before}: {cause}"),
    })
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

fn is_usage(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        use orff::Error::{Expression, Parameter, Refused, Shape};
        use orff_table::Error::{Column, Options};
        matches!(cause.downcast_ref(), Some(Parameter { .. } | Expression { .. } | Refused { .. } | Shape { .. }))
            || matches!(cause.downcast_ref(), Some(Column(_) | Options(_)))
            || cause.downcast_ref::<flags::Usage>().is_some()
    })
}
