//! What is derived from the code is current.

use std::process::Command;

#[test]
fn derived_files_are_current() {
    let out = Command::new(env!("CARGO_BIN_EXE_xtask")).arg("check").output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}
