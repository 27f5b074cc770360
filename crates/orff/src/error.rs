//! What can go wrong, said so that a user can act on it: offender first, then what was expected, what was given,
//! what to do.

use std::path::PathBuf;

/// The error of every fallible operation of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is outside its range.
    #[error("{name}: expected {expected}, got {given}")]
    Parameter { name: String, expected: String, given: String },

    /// Two sizes that must agree do not.
    #[error("{what}: expected {expected}, got {given}")]
    Shape { what: String, expected: String, given: String },

    /// A combination that the theory forbids, with the reason and a way out.
    #[error("{what} is refused: {why}")]
    Refused { what: String, why: String },

    /// A text that cannot be read, with the place in it.
    #[error("{what}: \"{text}\": {problem}")]
    Expression { what: String, text: String, problem: String },

    /// A value of the data cannot be used.
    #[error("row {row}, column {column}: {value} {problem}")]
    Value { row: usize, column: String, value: String, problem: String },

    /// A linear system has no usable solution.
    #[error("{what}: {why}")]
    Numerical { what: String, why: String },

    /// More memory than there is, with what would take less.
    #[error("{what} needs {size} of memory: {cure}")]
    Memory { what: String, size: String, cure: String },

    /// The data as a whole cannot be learned from (no rows, no outputs, all weights zero, …).
    #[error("{0}")]
    Data(String),

    /// A row source failed; the message already names file, line and column.
    #[error("{0}")]
    Source(String),

    /// A model file that cannot be trusted.
    #[error("{}: {why}", path.display())]
    File { path: PathBuf, why: String },

    /// The operating system refused.
    #[error("{}: {}", path.display(), said(source))]
    Io { path: PathBuf, source: std::io::Error },

    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    /// A parameter outside its range: `ridge: expected a number ≥ 0, got -1`.
    pub fn parameter(name: impl Into<String>, expected: impl Into<String>, given: impl ToString) -> Self {
        Error::Parameter { name: name.into(), expected: expected.into(), given: given.to_string() }
    }

    /// The same of a parameter by another name, if it is about that one.
    pub(crate) fn renamed(self, from: &str, to: &str) -> Self {
        match self {
            Error::Parameter { name, expected, given } if name == from => Error::parameter(to, expected, given),
            other => other,
        }
    }

    /// Sizes that disagree: `inputs: expected 3 columns, got 2`.
    pub fn shape(what: impl Into<String>, expected: impl ToString, given: impl ToString) -> Self {
        Error::Shape { what: what.into(), expected: expected.to_string(), given: given.to_string() }
    }

    /// A combination without meaning: `curl-free with laplace is refused: …`.
    pub fn refused(what: impl Into<String>, why: impl Into<String>) -> Self {
        Error::Refused { what: what.into(), why: why.into() }
    }

    /// More bytes than there are: `the kernel of 200000 × 200000 points needs 320 GB of memory: …`.
    pub fn memory(what: impl Into<String>, bytes: f64, cure: impl Into<String>) -> Self {
        let scales = [(1e18, "EB"), (1e15, "PB"), (1e12, "TB"), (1e9, "GB")];
        let (unit, name) = scales.into_iter().find(|(unit, _)| bytes >= *unit).unwrap_or((1e6, "MB"));
        let size = bytes / unit;
        let size = if size < 10.0 { format!("{size:.1} {name}") } else { format!("{size:.0} {name}") };
        Error::Memory { what: what.into(), size, cure: cure.into() }
    }

    /// A linear system without a usable solution.
    pub fn numerical(what: impl Into<String>, why: impl Into<String>) -> Self {
        Error::Numerical { what: what.into(), why: why.into() }
    }
}

/// Results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What is said of a folder that is not there, of which the operating system says the same as of a file.
pub(crate) const NO_FOLDER: &str = "no such folder (make it first, or choose another)";

/// Words for the operating system's errors that users meet most.
pub fn said(e: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match e.kind() {
        ErrorKind::NotFound if e.to_string() == NO_FOLDER => NO_FOLDER.into(),
        ErrorKind::NotFound => "no such file".into(),
        ErrorKind::PermissionDenied => "permission denied".into(),
        ErrorKind::StorageFull => "no space left on the disk".into(),
        ErrorKind::BrokenPipe => "the reader of the output has gone".into(),
        _ => e.to_string(),
    }
}
