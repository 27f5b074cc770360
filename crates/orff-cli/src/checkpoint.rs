//! `--checkpoint FILE`: what an iteration has come to, kept in a file, so that a fit that was cut short goes on from it.

use crate::progress::tell;
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The first bytes of such a file; numbers in little-endian order follow.
const MAGIC: &[u8] = b"orff checkpoint 1\n";
/// Between two writings.
const PAUSE: Duration = Duration::from_secs(30);

/// The last unknowns, here and in the file.
pub struct Checkpoint {
    path: PathBuf,
    /// Of an earlier run, until an iteration takes them.
    earlier: Option<Vec<f64>>,
    last: Vec<f64>,
    written: Instant,
    failed: bool,
}

impl Checkpoint {
    /// Kept in a file, which may be there from an earlier run.
    pub fn open(path: &Path) -> Result<Self> {
        let earlier = match std::fs::read(path) {
            Ok(bytes) => Some(read(&bytes).with_context(|| path.display().to_string())?),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
            Err(e) => return Err(e).with_context(|| path.display().to_string()),
        };
        let written = Instant::now();
        Ok(Checkpoint { path: path.into(), earlier, last: Vec::new(), written, failed: false })
    }

    /// So many unknowns of the earlier run: the first iteration that has as many takes them.
    pub fn take(&mut self, count: usize) -> Option<Vec<f64>> {
        self.earlier.take_if(|unknowns| unknowns.len() == count)
    }

    /// Where they came from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps unknowns, now and then in the file.
    pub fn keep(&mut self, unknowns: &[f64]) {
        self.last.clear();
        self.last.extend_from_slice(unknowns);
        if self.written.elapsed() > PAUSE {
            self.write();
        }
    }

    /// Writes what was kept. A file that cannot be written is said once, and is no reason to stop.
    pub fn write(&mut self) {
        if self.last.is_empty() || self.failed {
            return;
        }
        if let Err(e) = self.save() {
            self.failed = true;
            tell(&format!("warning: {}: the checkpoint was not written: {e}", self.path.display()));
        }
        self.written = Instant::now();
    }

    /// The file appears under its name when it is whole.
    fn save(&self) -> std::io::Result<()> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
        file.write_all(MAGIC)?;
        file.write_all(&self.last.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())?;
        file.persist(&self.path).map_err(|e| e.error)?;
        Ok(())
    }
}

fn read(bytes: &[u8]) -> Result<Vec<f64>> {
    let numbers = bytes.strip_prefix(MAGIC).map(|rest| rest.as_chunks::<8>());
    let Some((numbers, [])) = numbers else {
        bail!("not a checkpoint of orff; give another name, or remove the file");
    };
    let numbers: Vec<f64> = numbers.iter().map(|b| f64::from_le_bytes(*b)).collect();
    if numbers.iter().any(|v| !v.is_finite()) {
        bail!("the checkpoint has numbers that are not finite; remove the file");
    }
    Ok(numbers)
}
