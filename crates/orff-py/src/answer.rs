//! Numbers back to Python, in the precision of what was asked about.

use crate::data::{BATCH, Source};
use crate::fit::Names;
use crate::gaps::Gaps;
use crate::memory;
use crate::raise::raise;
use faer::Mat;
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use orff::rows::Inputs;
use orff::watch::Watch;
use orff::{Error, Result};
use pyo3::prelude::*;

/// Room for the numbers of an array of this shape. More than the machine has is refused before any work: `what` says
/// what was asked for, `cure` what would take less.
pub fn room(shape: &[usize], what: impl Fn() -> String, cure: &str) -> Result<Vec<f64>> {
    let mut values = Vec::new();
    let count = shape.iter().try_fold(1usize, |count, size| count.checked_mul(*size));
    if count.is_some_and(|count| values.try_reserve_exact(count).is_ok()) {
        return Ok(values);
    }
    let bytes = shape.iter().fold(8.0, |bytes, size| bytes * *size as f64);
    Err(Error::memory(what(), bytes, cure))
}

/// An array of numbers that are to be written over, or a MemoryError that says what was asked for.
pub fn table<'py, T: Element>(
    py: Python<'py>,
    shape: [usize; 2],
    what: impl Fn() -> String,
    cure: &str,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let bytes = shape.iter().fold(size_of::<T>() as f64, |bytes, size| bytes * *size as f64);
    memory::table(py, shape)?.ok_or_else(|| raise(py, Error::memory(what(), bytes, cure), &[]))
}

/// The numbers of an array that no one else has seen yet, for a thread that does not hold Python's lock. The array
/// stays alive with it: an interrupted caller does not wait for ever.
pub struct Place<T> {
    at: *mut T,
    count: usize,
    _array: Py<PyArray2<T>>,
}

// SAFETY: the numbers are reached through this value alone.
unsafe impl<T: Send> Send for Place<T> {}

impl<T: Element> Place<T> {
    /// Of a contiguous array.
    pub fn of(array: &Bound<'_, PyArray2<T>>) -> PyResult<Self> {
        let mut numbers = array.try_readwrite()?;
        let numbers = numbers.as_slice_mut()?;
        Ok(Place { at: numbers.as_mut_ptr(), count: numbers.len(), _array: array.clone().unbind() })
    }

    /// The numbers.
    pub fn numbers(&mut self) -> &mut [T] {
        // SAFETY: `of` had them to itself, and the array is kept.
        unsafe { std::slice::from_raw_parts_mut(self.at, self.count) }
    }
}

/// An array of the given shape, row after row.
pub fn array(py: Python<'_>, values: Vec<f64>, shape: &[usize], single: bool) -> PyResult<Py<PyAny>> {
    Ok(if single {
        let mut halves: Vec<f32> = Vec::new();
        if halves.try_reserve_exact(values.len()).is_err() {
            let (what, bytes) = ("the answer in single precision", 4.0 * values.len() as f64);
            return Err(raise(py, Error::memory(what, bytes, "ask for fewer rows at a time"), &[]));
        }
        halves.extend(values.into_iter().map(|v| v as f32));
        PyArray1::from_vec(py, halves).reshape(shape.to_vec())?.into_any().unbind()
    } else {
        PyArray1::from_vec(py, values).reshape(shape.to_vec())?.into_any().unbind()
    })
}

/// The numbers of a matrix, row after row.
pub fn extend(out: &mut Vec<f64>, m: &Mat<f64>) {
    for i in 0..m.nrows() {
        out.extend(m.row(i).iter());
    }
}

/// Numbers of a block of answers, at most (a row has one block at least).
const BLOCK: usize = 1 << 24;

/// Numbers of a block of inputs, more or less.
const INPUTS: usize = 1 << 20;

/// Calls `each` with some rows at a time, so many that answers of `width` numbers a row stay small; rows do not
/// influence each other. Errors number rows from the first one and name columns. Returns the rows that are to be answered by NaN.
pub fn by_blocks(
    rows: &Source,
    names: &Names,
    gaps: &Gaps,
    width: usize,
    watch: &mut dyn Watch,
    mut each: impl FnMut(&Inputs) -> Result<()>,
) -> Result<Vec<usize>> {
    watch.stage("predict");
    let mut skipped = Vec::new();
    // inputs are copied on their way: blocks of many columns stay in a cache
    let near = (INPUTS / rows.width().max(1) / 128 * 128).clamp(512, BATCH);
    let (n, block) = (rows.rows(), (BLOCK / width.max(1)).clamp(1, near));
    for from in (0..n).step_by(block) {
        let to = (from + block).min(n);
        let (inputs, some) = gaps.fill(rows.read(from, to)?);
        skipped.extend(some.into_iter().map(|i| from + i));
        each(&inputs).map_err(|error| match error {
            Error::Value { row, column, value, problem } => {
                names.told(Error::Value { row: from + row, column, value, problem })
            }
            other => names.told(other),
        })?;
        watch.advance((to - from) as u64)?;
    }
    Ok(skipped)
}
