//! The extension module `orff._orff`: what Python needs of the library, and no more. Classes, defaults and checks are
//! declared in the library; `python/orff` makes them scikit-learn's.

mod alignment;
mod allocator;
mod answer;
mod bound;
mod command;
mod curves;
mod data;
mod describe;
mod field;
mod fit;
mod gaps;
mod gathering;
mod kernel;
mod memory;
mod model;
mod raise;
mod series;
mod table;
mod task;

use pyo3::prelude::*;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

#[pymodule]
fn _orff(m: &Bound<'_, PyModule>) -> PyResult<()> {
    task::hush_memory();
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add_class::<model::PyModel>()?;
    m.add_class::<gathering::PyGathering>()?;
    m.add_function(wrap_pyfunction!(fit::fit, m)?)?;
    m.add_function(wrap_pyfunction!(series::fit_series, m)?)?;
    m.add_function(wrap_pyfunction!(series::validate_series, m)?)?;
    m.add_function(wrap_pyfunction!(series::influence_series, m)?)?;
    m.add_function(wrap_pyfunction!(table::table, m)?)?;
    m.add_function(wrap_pyfunction!(kernel::kernel, m)?)?;
    m.add_function(wrap_pyfunction!(kernel::kernel_eval, m)?)?;
    m.add_function(wrap_pyfunction!(bound::bound, m)?)?;
    m.add_function(wrap_pyfunction!(bound::bound_formula, m)?)?;
    m.add_function(wrap_pyfunction!(describe::declarations, m)?)?;
    m.add_function(wrap_pyfunction!(command::main, m)?)?;
    Ok(())
}
