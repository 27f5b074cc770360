//! The `orff` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(orff_cli::main(std::env::args_os()))
}
