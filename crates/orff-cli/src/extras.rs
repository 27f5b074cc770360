//! Completions and manual pages, from the same declarations as the command itself.

use anyhow::Result;
use clap::{Arg, ArgMatches, Command};
use std::io::Write;
use std::path::PathBuf;

/// `orff completions SHELL`.
pub fn completions() -> Command {
    Command::new("completions").about("Print completions for a shell").arg(
        Arg::new("shell")
            .value_name("SHELL")
            .required(true)
            .value_parser(clap::value_parser!(clap_complete::Shell))
            .help("bash, elvish, fish, powershell or zsh"),
    )
}

/// `orff man DIRECTORY`.
pub fn man() -> Command {
    Command::new("man").about("Write manual pages, one per command").arg(
        Arg::new("directory")
            .value_name("DIRECTORY")
            .required(true)
            .value_parser(clap::value_parser!(PathBuf))
            .help("Where to write orff.1, orff-fit.1, …"),
    )
}

/// Prints completions.
pub fn run_completions(matches: &ArgMatches) -> Result<()> {
    if let Some(shell) = matches.get_one::<clap_complete::Shell>("shell") {
        let mut text = Vec::new();
        clap_complete::generate(*shell, &mut crate::command(), "orff", &mut text);
        let mut out = crate::progress::stdout();
        out.write_all(&text)?;
        out.flush()?;
    }
    Ok(())
}

/// Writes manual pages.
pub fn run_man(matches: &ArgMatches) -> Result<()> {
    if let Some(directory) = matches.get_one::<PathBuf>("directory") {
        std::fs::create_dir_all(directory)?;
        clap_mangen::generate_to(crate::command(), directory)?;
    }
    Ok(())
}
