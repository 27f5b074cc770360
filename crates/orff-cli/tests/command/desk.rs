//! A folder to work in, and the command run in it.

use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

pub struct Desk {
    folder: TempDir,
}

impl Desk {
    pub fn new() -> Self {
        Desk { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_orff"));
        command.current_dir(self.folder.path()).args(args);
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    pub fn ok(&self, args: &[&str]) -> (String, String) {
        let out = self.run(args);
        let (stdout, stderr) = texts(&out);
        assert!(out.status.success(), "{args:?}: {stderr}");
        (stdout, stderr)
    }

    /// Expects a failure with that exit code and nothing on standard output; returns what was said.
    pub fn fails(&self, args: &[&str], code: i32) -> String {
        let out = self.run(args);
        let (stdout, stderr) = texts(&out);
        assert_eq!(out.status.code(), Some(code), "{args:?}: {stderr}");
        assert_eq!(stdout, "", "{args:?}");
        assert!(!stderr.contains("panicked"), "{stderr}");
        stderr
    }
}

pub fn texts(out: &Output) -> (String, String) {
    (String::from_utf8_lossy(&out.stdout).into(), String::from_utf8_lossy(&out.stderr).into())
}

/// Rows of a smooth function with two outputs, by a small generator of our own.
pub fn rows(n: usize, header: &str) -> String {
    let mut state = 12345u64;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut text = format!("{header}\n");
    for _ in 0..n {
        let (a, b) = (4.0 * uniform() - 2.0, 4.0 * uniform() - 2.0);
        let noise = 0.05 * (uniform() + uniform() - 1.0);
        text += &format!("{a},{b},{},{}\n", (1.5 * a).sin() + b + noise, a * b - noise);
    }
    text
}

pub fn number(json: &serde_json::Value, path: &[&str]) -> f64 {
    path.iter().fold(json, |v, k| &v[*k]).as_f64().unwrap()
}
