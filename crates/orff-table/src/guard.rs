//! Readers of other crates may panic on damaged files; here a panic becomes an error.

use crate::error::{Error, Result};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a reader; a panic in it is the error "the file is damaged", and nothing is printed.
pub(crate) fn guard<T>(file: &str, read: impl FnOnce() -> Result<T>) -> Result<T> {
    static QUIET: Once = Once::new();
    // The hook passes every panic on, except those of guarded readers, which are reported as errors.
    QUIET.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !GUARDED.get() {
                before(info);
            }
        }));
    });
    let outer = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(outer);
    result.unwrap_or_else(|_| Err(damaged(file, "its parts contradict each other")))
}

/// The error for a file that is not what it claims to be.
pub(crate) fn damaged(file: &str, why: impl std::fmt::Display) -> Error {
    Error::file(file, format!("the file is damaged ({why})"))
}
