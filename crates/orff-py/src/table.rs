//! Arrow tables through the capsule protocol: `__arrow_c_stream__` of polars, pyarrow, duckdb and others.

use arrow_array::RecordBatchReader;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_schema::{ArrowError, DataType};
use orff_table::Numbers;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

const NAME: &std::ffi::CStr = c"arrow_array_stream";

/// The columns of a table, and whether all of them are in single precision. The memory stays the table's own.
pub fn columns(table: &Bound<'_, PyAny>) -> PyResult<(Vec<Numbers>, bool)> {
    let Ok(stream) = table.getattr("__arrow_c_stream__") else {
        let given = table.get_type().qualname()?;
        return Err(PyTypeError::new_err(format!("data: expected an array or an Arrow table, got {given}")));
    };
    let capsule = stream.call0()?.cast_into::<PyCapsule>()?;
    let at = capsule.pointer_checked(Some(NAME))?.cast::<FFI_ArrowArrayStream>();
    let wrong = |e: ArrowError| PyValueError::new_err(format!("Arrow table: {e}"));
    // SAFETY: a capsule of this name holds such a stream; reading moves it out and leaves a released one behind.
    let mut reader = unsafe { RecordBatchStreamReader::from_raw(at.as_ptr()) }.map_err(wrong)?;
    let schema = reader.schema();
    let batches = reader.by_ref().collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    let single = !schema.fields().is_empty() && schema.fields().iter().all(|f| *f.data_type() == DataType::Float32);
    let column = |(k, field): (usize, &std::sync::Arc<arrow_schema::Field>)| {
        let chunks = batches.iter().map(|b| b.column(k).clone()).collect();
        Numbers::new(field.name(), field.data_type(), chunks).map_err(|e| PyTypeError::new_err(e.to_string()))
    };
    Ok((schema.fields().iter().enumerate().map(column).collect::<PyResult<_>>()?, single))
}
