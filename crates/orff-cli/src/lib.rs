//! The `orff` command, as a library so that `python -m orff` is the same command.

mod calculus;
mod config;
mod data;
mod draw;
mod evaluate;
mod experiment;
mod extras;
mod fit;
mod flags;
mod inspect;
mod plot;
mod predict;
mod progress;

use clap::{ArgMatches, Command};
use std::ffi::OsString;

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
        .arg(flags::switch("quiet", "Say nothing but errors").short('q').global(true))
        .subcommand(fit::command())
        .subcommand(predict::command())
        .subcommand(evaluate::command())
        .subcommand(inspect::command())
        .subcommand(draw::command())
        .subcommand(experiment::command())
        .subcommand(extras::completions())
        .subcommand(extras::man())
}

fn run(matches: &ArgMatches) -> anyhow::Result<()> {
    let session = Session { quiet: matches.get_flag("quiet") };
    match matches.subcommand() {
        Some(("fit", m)) => fit::run(m, &session),
        Some(("predict", m)) => predict::run(m, &session),
        Some(("evaluate", m)) => evaluate::run(m, &session),
        Some(("inspect", m)) => inspect::run(m),
        Some(("plot", m)) => draw::run(m),
        Some(("experiment", m)) => experiment::run(m),
        Some(("completions", m)) => extras::run_completions(m),
        Some(("man", m)) => extras::run_man(m),
        _ => Ok(()),
    }
}

/// 0: done (a reader that closed the pipe early has what it wanted). 1: failed. 2: asked wrongly.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    progress::listen();
    let matches = match command().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            let asked = error.use_stderr();
            let _ = error.print();
            return if asked { 2 } else { 0 };
        }
    };
    let Err(error) = run(&matches) else { return 0 };
    if is_broken_pipe(&error) {
        return 0;
    }
    eprintln!("orff: {}", sentence(&error));
    if is_usage(&error) { 2 } else { 1 }
}

/// What went wrong and why; a cause that was already said is not said again.
fn sentence(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |said, cause| match said.as_str() {
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
        matches!(
            cause.downcast_ref::<orff::Error>(),
            Some(orff::Error::Parameter { .. } | orff::Error::Expression { .. })
        ) || cause.downcast_ref::<flags::Usage>().is_some()
    })
}
