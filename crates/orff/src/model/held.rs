//! A posterior in memory, or in the file it will be read from when asked for.

use super::Posterior;
use crate::archive::Reader;
use crate::error::Result;
use std::sync::{Arc, OnceLock};

/// What can be read from the file of a model after the rest of it.
pub trait Stored: Sized {
    /// Reads it, with its sizes checked.
    fn restore(file: &Reader) -> Result<Self>;
}

/// Where the posterior is.
#[derive(Clone, Debug, Default)]
pub enum Held<T = Posterior> {
    /// The model has none.
    #[default]
    None,
    /// In memory.
    Here(Box<T>),
    /// In a file, read at first use.
    Stored(Arc<InFile<T>>),
}

/// A file and what was read of it.
pub struct InFile<T> {
    file: Arc<Reader>,
    read: OnceLock<T>,
}

impl<T> std::fmt::Debug for InFile<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "InFile({})", self.file.path().display())
    }
}

impl<T: Stored> Held<T> {
    /// One that will be read from an opened file.
    pub(super) fn stored(file: Arc<Reader>) -> Self {
        Held::Stored(Arc::new(InFile { file, read: OnceLock::new() }))
    }

    /// Whether there is one.
    pub fn exists(&self) -> bool {
        !matches!(self, Held::None)
    }

    /// The posterior, read now if it was not before.
    pub fn get(&self) -> Result<Option<&T>> {
        match self {
            Held::None => Ok(None),
            Held::Here(posterior) => Ok(Some(posterior)),
            Held::Stored(stored) => {
                if stored.read.get().is_none() {
                    let posterior = T::restore(&stored.file)?;
                    let _ = stored.read.set(posterior);
                }
                Ok(stored.read.get())
            }
        }
    }
}

impl<T> From<Option<T>> for Held<T> {
    fn from(posterior: Option<T>) -> Self {
        posterior.map_or(Held::None, |p| Held::Here(Box::new(p)))
    }
}
