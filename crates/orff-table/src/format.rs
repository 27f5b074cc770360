//! Which format a file has: by its extension, checked against its first bytes.

use crate::error::{Error, Result};
use std::path::Path;
use std::str::FromStr;

/// The formats that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text with delimiters, also compressed by gzip.
    Csv,
    /// Apache Parquet.
    Parquet,
    /// Apache Arrow IPC, file or stream (Feather version 2).
    Arrow,
    /// One NumPy array.
    Npy,
    /// Several NumPy arrays.
    Npz,
    /// Sparse rows `label index:value …`, also compressed by gzip.
    Svmlight,
}

/// How many first bytes [`Format::of_bytes`] looks at.
pub(crate) const MAGIC: usize = 8;

impl Format {
    /// The format that the extension of a path promises.
    ///
    /// ```
    /// use orff_table::Format;
    /// assert_eq!(Format::of_path("wind.csv.gz".as_ref()), Some(Format::Csv));
    /// assert_eq!(Format::of_path("wind.odt".as_ref()), None);
    /// ```
    pub fn of_path(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        Some(match name.rsplit_once('.')?.1 {
            "csv" | "tsv" | "tab" | "txt" | "dat" | "data" => Format::Csv,
            "parquet" | "pq" => Format::Parquet,
            "arrow" | "arrows" | "ipc" | "feather" => Format::Arrow,
            "npy" => Format::Npy,
            "npz" => Format::Npz,
            "svm" | "svmlight" | "libsvm" => Format::Svmlight,
            _ => return None,
        })
    }

    /// The binary format that the first bytes of a file announce.
    pub(crate) fn of_bytes(head: &[u8]) -> Option<Format> {
        const STREAM: [u8; 4] = [0xff; 4];
        Some(match head {
            h if h.starts_with(b"PAR1") => Format::Parquet,
            h if h.starts_with(b"ARROW1") || h.starts_with(&STREAM) => Format::Arrow,
            h if h.starts_with(b"\x93NUMPY") => Format::Npy,
            h if h.starts_with(b"PK\x03\x04") || h.starts_with(b"PK\x05\x06") => Format::Npz,
            _ => return None,
        })
    }

    /// The format of a file from what was asked, what its name says and what its first bytes say.
    pub(crate) fn decide(asked: Option<Format>, file: &str, head: &[u8]) -> Result<Format> {
        let found = Format::of_bytes(head);
        let named = asked.or_else(|| Format::of_path(Path::new(file)));
        match (named, found) {
            (Some(n), Some(f)) if n != f => {
                Err(Error::file(file, format!("holds {f} data, not {n} (use --file-format {})", f.word())))
            }
            (Some(n), None) if !n.is_text() => Err(Error::file(file, format!("is not {n}: {}", first(head)))),
            (Some(n), _) => Ok(n),
            (None, Some(f)) => Ok(f),
            (None, None) => Err(Error::file(
                file,
                "the format is not known from the name (use --file-format csv, parquet, arrow, npy, npz or svmlight)",
            )),
        }
    }

    pub(crate) fn is_text(self) -> bool {
        matches!(self, Format::Csv | Format::Svmlight)
    }

    fn word(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
            Format::Npy => "npy",
            Format::Npz => "npz",
            Format::Svmlight => "svmlight",
        }
    }
}

fn first(head: &[u8]) -> String {
    if head.is_empty() {
        return "the file is empty".into();
    }
    format!("it begins with \"{}\"", head.escape_ascii())
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        use Format::*;
        let all = [Csv, Parquet, Arrow, Npy, Npz, Svmlight];
        all.into_iter().find(|f| f.word() == word).ok_or_else(|| {
            Error::Options(format!(
                "--file-format: expected one of csv, parquet, arrow, npy, npz, svmlight, got {word:?}"
            ))
        })
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Format::Csv => "CSV",
            Format::Parquet => "Parquet",
            Format::Arrow => "Arrow IPC",
            Format::Npy => "NumPy .npy",
            Format::Npz => "NumPy .npz",
            Format::Svmlight => "svmlight",
        })
    }
}
