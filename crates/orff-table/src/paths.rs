//! Which files a list of paths and patterns means.

use crate::error::{Error, Result};
use std::path::{Path, PathBuf};

/// The files of the given paths in order; a pattern (`*`, `?`, `[…]`) stands for its matches, sorted.
pub fn expand<P: AsRef<Path>>(paths: &[P]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        let path = path.as_ref();
        match path.to_str() {
            Some(pattern) if pattern.contains(['*', '?', '[']) && !path.exists() => {
                let bad = |e: glob::PatternError| Error::Options(format!("{pattern}: not a pattern ({})", e.msg));
                let found = glob::glob(pattern).map_err(bad)?;
                let mut matches: Vec<PathBuf> = found
                    .map(|m| m.map_err(|e| Error::io(e.path(), std::io::Error::from(e.error().kind()))))
                    .collect::<Result<_>>()?;
                matches.retain(|m| !m.is_dir());
                if matches.is_empty() {
                    return Err(Error::file(pattern, "no file matches this pattern"));
                }
                matches.sort();
                files.extend(matches);
            }
            _ => files.push(path.to_path_buf()),
        }
    }
    if files.is_empty() {
        return Err(Error::Options("no file is given (use - for standard input)".into()));
    }
    Ok(files)
}
