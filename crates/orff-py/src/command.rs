//! The command itself.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the `orff` command with these arguments (the first is its name); returns the exit code.
#[pyfunction]
pub fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| orff_cli::main(arguments))
}
