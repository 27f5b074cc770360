//! A posterior in memory, or in the file it will be read from when asked for.

use super::{Posterior, file};
use crate::archive::Reader;
use crate::error::Result;
use std::sync::{Arc, OnceLock};

/// Where the posterior is.
#[derive(Clone, Debug, Default)]
pub enum Held {
    /// The model has none.
    #[default]
    None,
    /// In memory.
    Here(Box<Posterior>),
    /// In a file, read at first use.
    Stored(Arc<Stored>),
}

/// A file and what was read of it.
pub struct Stored {
    file: Arc<Reader>,
    read: OnceLock<Posterior>,
}

impl std::fmt::Debug for Stored {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "Stored({})", self.file.path().display())
    }
}

impl Held {
    /// One that will be read from an opened file.
    pub(super) fn stored(file: Arc<Reader>) -> Self {
        Held::Stored(Arc::new(Stored { file, read: OnceLock::new() }))
    }

    /// Whether there is one.
    pub fn exists(&self) -> bool {
        !matches!(self, Held::None)
    }

    /// The posterior, read now if it was not before.
    pub fn get(&self) -> Result<Option<&Posterior>> {
        match self {
            Held::None => Ok(None),
            Held::Here(posterior) => Ok(Some(posterior)),
            Held::Stored(stored) => {
                if stored.read.get().is_none() {
                    let posterior = file::restore_posterior(&stored.file)?;
                    let _ = stored.read.set(posterior);
                }
                Ok(stored.read.get())
            }
        }
    }
}

impl From<Option<Posterior>> for Held {
    fn from(posterior: Option<Posterior>) -> Self {
        posterior.map_or(Held::None, |p| Held::Here(Box::new(p)))
    }
}
