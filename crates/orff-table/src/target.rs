//! Where rows are written: a temporary file beside the target, renamed at the end; standard output; or a device.

use crate::error::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A place to write to. A file appears under its name only when it is whole and on the disk.
pub(crate) enum Target {
    File(NamedTempFile, PathBuf),
    Direct(File, PathBuf),
    Stdout(io::Stdout),
}

impl Target {
    pub fn create(path: &Path) -> Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Target::Stdout(io::stdout()));
        }
        // Through a link the file behind it is replaced, not the link.
        let real = std::fs::canonicalize(path).unwrap_or(path.to_path_buf());
        let failed = |e| Error::io(path, e);
        match std::fs::metadata(&real) {
            Ok(about) if about.is_dir() => return Err(Error::file(path.display().to_string(), "is a directory")),
            Ok(about) if !about.is_file() => {
                let file = OpenOptions::new().write(true).open(&real).map_err(failed)?;
                return Ok(Target::Direct(file, path.into()));
            }
            _ => {}
        }
        let directory = match real.parent() {
            Some(d) if !d.as_os_str().is_empty() => d,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".orff-").suffix(".part");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        Ok(Target::File(builder.tempfile_in(directory).map_err(failed)?, real))
    }

    /// Its name in messages.
    pub fn name(&self) -> PathBuf {
        match self {
            Target::File(_, path) | Target::Direct(_, path) => path.clone(),
            Target::Stdout(_) => "standard output".into(),
        }
    }

    /// Makes what was written lasting and visible.
    pub fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        let Target::File(file, path) = self else { return Ok(()) };
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|e| e.error)?;
        // The rename itself lasts once its directory is on the disk; not every system can do this.
        if let Some(directory) = path.parent().filter(|d| !d.as_os_str().is_empty()) {
            let _ = File::open(directory).and_then(|d| d.sync_all());
        }
        Ok(())
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::File(f, _) => f.as_file_mut().write(bytes),
            Target::Direct(f, _) => f.write(bytes),
            Target::Stdout(s) => s.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::File(f, _) => f.as_file_mut().flush(),
            Target::Direct(f, _) => f.flush(),
            Target::Stdout(s) => s.flush(),
        }
    }
}

impl Seek for Target {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Target::File(f, _) => f.as_file_mut().seek(to),
            _ => Err(io::Error::new(io::ErrorKind::Unsupported, "cannot seek here")),
        }
    }
}
