//! Rows out: CSV, Parquet, Arrow IPC or NumPy, by extension.

use crate::error::{Error, Result};
use crate::format::Format;
use crate::keep::Kept;
use crate::sink::{Columns, Csv, Npy, Sink};
use crate::target::Target;
use faer::MatRef;
use std::path::{Path, PathBuf};

/// Writes rows: some columns that were carried along, then columns of numbers. Parquet and Arrow files hold carried
/// columns as what they were, texts or numbers. The file appears under its
/// name when [`finish`](Writer::finish) is called; a writer that is dropped leaves nothing.
///
/// ```
/// use orff_table::Writer;
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("out.csv");
/// let mut writer = Writer::create(&path, None, &["id".into()], &["u".into(), "v".into()])?;
/// writer.write(&[vec!["a".into()]], faer::mat![[0.1, 1e300]].as_ref())?;
/// writer.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "id,u,v\na,0.1,1e300\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Writer {
    sink: Box<dyn Sink>,
    name: PathBuf,
    kept: usize,
    columns: usize,
}

impl Writer {
    /// Starts a file in the format of its extension (`.csv`, `.csv.gz`, `.tsv`, `.parquet`, `.arrow`, `.npy`), or in
    /// the given one; `-` is standard output, in CSV unless another format is given.
    pub fn create(path: impl AsRef<Path>, format: Option<Format>, kept: &[Kept], columns: &[String]) -> Result<Self> {
        let path = path.as_ref();
        let stdout = path.as_os_str() == "-";
        let shown = path.display().to_string();
        let format = match format.or_else(|| Format::of_path(path)) {
            Some(f) => f,
            None if stdout => Format::Csv,
            None => {
                let how = "the format is not known from the name (use .csv, .csv.gz, .parquet, .arrow or .npy)";
                return Err(Error::file(shown, how));
            }
        };
        let lower = shown.to_ascii_lowercase();
        let zipped = lower.ends_with(".gz");
        if zipped && format != Format::Csv {
            return Err(Error::file(shown, format!("{format} is not written in compressed form")));
        }
        if let Format::Npz | Format::Svmlight = format {
            return Err(Error::file(shown, format!("{format} is not written (use .csv, .parquet, .arrow or .npy)")));
        }
        if format == Format::Npy && !kept.is_empty() {
            return Err(Error::file(shown, "a NumPy array cannot hold carried columns (use .csv or .parquet)"));
        }
        let target = Target::create(path)?;
        if format == Format::Npy && !matches!(target, Target::File(..)) {
            return Err(Error::file(shown, "a NumPy array can only be written to a file"));
        }
        let name = target.name();
        let tab = lower.trim_end_matches(".gz").ends_with(".tsv");
        let sink: std::io::Result<Box<dyn Sink>> = match format {
            Format::Parquet => Columns::parquet(target, kept, columns).map(|s| Box::new(s) as _),
            Format::Arrow => Columns::arrow(target, kept, columns).map(|s| Box::new(s) as _),
            Format::Npy => Npy::new(target, columns.len()).map(|s| Box::new(s) as _),
            _ => Csv::new(target, zipped, if tab { b'\t' } else { b',' }, kept, columns).map(|s| Box::new(s) as _),
        };
        let sink = sink.map_err(|e| Error::io(&name, e))?;
        Ok(Writer { sink, name, kept: kept.len(), columns: columns.len() })
    }

    /// Writes some rows: one list per carried column, and values (n×k).
    pub fn write(&mut self, kept: &[Vec<String>], values: MatRef<'_, f64>) -> Result<()> {
        let n = values.nrows();
        if kept.len() != self.kept || values.ncols() != self.columns || kept.iter().any(|c| c.len() != n) {
            return Err(Error::Options(format!(
                "{}: expected {} carried columns and {} numbers per row, got {} and {}",
                self.name.display(),
                self.kept,
                self.columns,
                kept.len(),
                values.ncols()
            )));
        }
        self.sink.write(kept, values).map_err(|e| match e.downcast::<Error>() {
            Ok(own) => own,
            Err(e) => Error::io(&self.name, e),
        })
    }

    /// Completes the file and gives it its name.
    pub fn finish(self) -> Result<()> {
        self.sink.finish().and_then(Target::finish).map_err(|e| Error::io(&self.name, e))
    }
}
