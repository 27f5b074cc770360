//! Memory of large tables. The system clears every page that it gives, which takes as long as computing features: the memory of
//! the last table that was let go is therefore kept for a second, for the next one of about its size.

use numpy::{Element, PyArray2};
use pyo3::prelude::*;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Bytes from which on memory is kept; the allocator keeps smaller pieces by itself.
const LEAST: usize = 4 << 20;
/// How long it is kept.
const KEPT: Duration = Duration::from_secs(1);

/// Bytes that are all initialised.
struct Region {
    at: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the bytes belong to this value alone, and only its address is told.
unsafe impl Send for Region {}
unsafe impl Sync for Region {}

impl Region {
    /// Zeros, or None where there is no memory.
    fn new(bytes: usize) -> Option<Self> {
        let layout = Layout::from_size_align(bytes.max(1), 16).ok()?;
        // SAFETY: the layout is not empty.
        let at = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        #[cfg(target_os = "linux")]
        {
            // whole pages only; the advice may be refused without harm
            let page = 4096;
            let first = (at.as_ptr() as usize).next_multiple_of(page);
            let end = (at.as_ptr() as usize + layout.size()) / page * page;
            if end > first {
                // SAFETY: these pages lie within the memory above.
                unsafe { libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_HUGEPAGE) };
            }
        }
        Some(Region { at, layout })
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and nobody else has it.
        unsafe { dealloc(self.at.as_ptr(), self.layout) }
    }
}

/// What was let go last, and when; the process whose thread waits to give it back (a fork has none).
struct Last {
    region: Option<(Region, Instant)>,
    watched: Option<u32>,
}

// Nobody waits for it: a lock that is held, or was when the process forked, means memory from the system.
static LAST: Mutex<Last> = Mutex::new(Last { region: None, watched: None });

/// Memory of at least so many bytes and not much more: what was let go, or zeros.
fn take(bytes: usize) -> Option<Region> {
    if let Ok(mut last) = LAST.try_lock() {
        let fits = |region: &Region| (bytes..=bytes + bytes / 4).contains(&region.layout.size());
        match last.region.take() {
            Some((region, _)) if fits(&region) => return Some(region),
            // what does not fit is given back before more is asked for
            other => drop(other),
        }
    }
    Region::new(bytes)
}

fn keep(region: Region) {
    let Ok(mut last) = LAST.try_lock() else { return };
    last.region = Some((region, Instant::now()));
    let own = Some(std::process::id());
    if last.watched != own {
        match std::thread::Builder::new().name("orff-memory".into()).spawn(give_back) {
            Ok(_) => last.watched = own,
            Err(_) => last.region = None,
        }
    }
}

/// Gives memory back that nobody has asked for in time.
fn give_back() {
    let mut wait = KEPT;
    loop {
        std::thread::sleep(wait);
        let Ok(mut last) = LAST.lock() else { return };
        wait = match &last.region {
            Some((_, since)) => KEPT.saturating_sub(since.elapsed()),
            None => Duration::ZERO,
        };
        if wait.is_zero() {
            (last.region, last.watched) = (None, None);
            return;
        }
    }
}

/// The owner of an array's numbers.
#[pyclass(frozen)]
struct Owner {
    region: Option<Region>,
    shape: [usize; 2],
    kind: String,
}

#[pymethods]
impl Owner {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
        let interface = pyo3::types::PyDict::new(py);
        let at = self.region.as_ref().map_or(0, |region| region.at.as_ptr() as usize);
        interface.set_item("shape", (self.shape[0], self.shape[1]))?;
        interface.set_item("typestr", &self.kind)?;
        interface.set_item("data", (at, false))?;
        interface.set_item("version", 3)?;
        Ok(interface)
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        if let Some(region) = self.region.take() {
            keep(region);
        }
    }
}

/// An array of numbers that are to be written over; None where there is not so much memory.
pub fn table<'py, T: Element>(py: Python<'py>, shape: [usize; 2]) -> PyResult<Option<Bound<'py, PyArray2<T>>>> {
    let bytes = shape[0].checked_mul(shape[1]).and_then(|count| count.checked_mul(size_of::<T>()));
    let Some(bytes) = bytes.filter(|bytes| isize::try_from(*bytes).is_ok()) else { return Ok(None) };
    let numpy = py.import("numpy")?;
    if bytes < LEAST {
        return Ok(Some(numpy.call_method1("zeros", (shape, T::get_dtype(py)))?.cast_into()?));
    }
    let Some(region) = take(bytes) else { return Ok(None) };
    let kind = T::get_dtype(py).getattr("str")?.extract()?;
    let owner = Bound::new(py, Owner { region: Some(region), shape, kind })?;
    Ok(Some(numpy.call_method1("asarray", (owner,))?.cast_into()?))
}
