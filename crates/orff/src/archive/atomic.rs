//! A file that is there completely or not at all.

use crate::error::{Error, NO_FOLDER, Result};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file in one step: `write` fills a temporary file in the same directory, which reaches the disk and only
/// then takes the name `path`. When anything fails (a full disk, an error of `write`, a crash) the old file keeps its
/// name and contents, and the temporary file is removed (after a crash, a `.orff-*.tmp` may remain).
///
/// A link is followed, the permissions of an old file are kept, and a write-protected one is refused. A pipe or a
/// device has no old contents to protect and is written directly.
///
/// ```
/// # let dir = std::env::temp_dir().join(format!("orff-atomic-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir)?;
/// let path = dir.join("note.txt");
/// orff::archive::write_atomically(&path, |w| w.write_all(b"old"))?;
/// let failed = orff::archive::write_atomically(&path, |w| {
///     w.write_all(b"half of the n")?;
///     Err(std::io::Error::other("disk full"))
/// });
/// assert!(failed.is_err());
/// assert_eq!(std::fs::read(&path)?, b"old");
/// # std::fs::remove_dir_all(&dir)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let failed = |source| said(path, source);
    let refused = |why: &str| Error::File { path: path.to_path_buf(), why: why.into() };
    let old = match fs::metadata(path) {
        Ok(old) => Some(old),
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(e) => return Err(failed(e)),
    };
    let target = match &old {
        Some(old) if old.is_dir() => return Err(refused("is a directory: add a file name")),
        Some(old) if !old.is_file() => return write_directly(path, write).map_err(failed),
        Some(old) if old.permissions().readonly() => {
            return Err(refused("is write-protected: remove it or choose another name"));
        }
        Some(_) => fs::canonicalize(path).map_err(failed)?,
        None => path.to_path_buf(),
    };
    if target.file_name().is_none() {
        return Err(refused("is not a file name"));
    }
    let directory = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    };
    if !directory.exists() {
        let source = io::Error::new(io::ErrorKind::NotFound, NO_FOLDER);
        return Err(Error::Io { path: directory, source });
    }

    // `create_new` gives the usual rights of a new file (less the umask), not the private ones of a temporary file.
    let mut name = tempfile::Builder::new();
    name.prefix(".orff-").suffix(".tmp");
    let mut temporary = name.make_in(&directory, |path| File::create_new(path)).map_err(failed)?;
    if let Some(old) = &old {
        temporary.as_file().set_permissions(old.permissions()).map_err(failed)?;
    }
    let mut buffered = BufWriter::with_capacity(1 << 20, temporary.as_file_mut());
    write(&mut buffered).and_then(|()| buffered.flush()).map_err(failed)?;
    drop(buffered);
    // Without this a crash shortly after the renaming could leave the new name with no contents.
    temporary.as_file().sync_all().map_err(failed)?;
    temporary.persist(&target).map_err(|e| failed(e.error))?;
    // The name itself reaches the disk with the directory; some file systems cannot do that, and the file is complete
    // under one name or the other all the same.
    #[cfg(unix)]
    let _ = File::open(&directory).and_then(|d| d.sync_all());
    Ok(())
}

/// To a pipe or a device.
fn write_directly(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(File::options().write(true).open(path)?);
    write(&mut out)?;
    out.flush()
}

/// An error of this crate that passed through `io::Error` comes out as it was; others get the path.
pub(super) fn said(path: &Path, error: io::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(ours) => ours,
        Err(source) => Error::Io { path: path.to_path_buf(), source },
    }
}
