//! What can go wrong with a table, said with the place: offender first, then what was expected and what to do.

use orff::error::said;
use std::io;
use std::path::PathBuf;

/// The error of every fallible operation of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// One cell cannot be used: `field.csv:17:3: "n/a" is not a number (…)`.
    #[error("{place}: {problem}")]
    Cell { place: String, problem: String },

    /// A column that was asked for does not exist, or cannot be what it was asked to be.
    #[error("{0}")]
    Column(String),

    /// A file as a whole cannot be read as a table.
    #[error("{file}: {problem}")]
    File { file: String, problem: String },

    /// Options that contradict each other or the source.
    #[error("{0}")]
    Options(String),

    /// The operating system refused. The kind (`BrokenPipe`, `StorageFull`, …) is kept in `source`.
    #[error("{}: {}", path.display(), said(source))]
    Io { path: PathBuf, source: io::Error },
}

/// Results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn cell(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Error::Cell { place: place.into(), problem: problem.into() }
    }

    pub(crate) fn file(file: impl Into<String>, problem: impl Into<String>) -> Self {
        Error::File { file: file.into(), problem: problem.into() }
    }

    pub(crate) fn io(path: impl Into<PathBuf>, source: io::Error) -> Self {
        Error::Io { path: path.into(), source }
    }

    /// Whether the reader of our output went away (`orff predict … | head`).
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Error::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<Error> for orff::Error {
    fn from(e: Error) -> Self {
        match e {
            Error::Io { path, source } => orff::Error::Io { path, source },
            other => orff::Error::Source(other.to_string()),
        }
    }
}
