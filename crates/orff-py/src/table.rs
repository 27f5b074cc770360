//! Arrow tables through the capsule protocol: `__arrow_c_stream__` of polars, pyarrow, duckdb and others.

use crate::answer::{array, extend};
use crate::data::Columns;
use crate::raise::raise;
use arrow_array::RecordBatchReader;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_schema::{ArrowError, DataType};
use orff_table::Numbers;
use pyo3::exceptions::{PyException, PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyString};

const NAME: &std::ffi::CStr = c"arrow_array_stream";

/// What is wrong with a column that holds no numbers, in the words that there are for one of pandas.
fn no_numbers(of: &DataType) -> Option<&'static str> {
    use DataType::*;
    Some(match of {
        Utf8 | LargeUtf8 | Utf8View => "got words; convert them first, for example with cast",
        Dictionary(..) => "got categories; encode them, for example with OneHotEncoder",
        Date32 | Date64 | Timestamp(..) | Time32(_) | Time64(_) | Duration(_) | Interval(_) => {
            "got times; convert them first, for example to seconds"
        }
        Null => "got a column without values",
        Binary | LargeBinary | BinaryView | FixedSizeBinary(_) => "got bytes",
        List(_) | LargeList(_) | ListView(_) | LargeListView(_) | FixedSizeList(..) => {
            "got lists; give each place a column"
        }
        Struct(_) | Map(..) | Union(..) => "got records; give each field a column",
        _ => return None,
    })
}

/// The numbers of a table (n×p) as an array, NaN where there are none; errors speak of the argument `what`.
#[pyfunction]
pub fn table(py: Python<'_>, data: &Bound<'_, PyAny>, what: &str) -> PyResult<Py<PyAny>> {
    let columns = Columns::of(data, what)?;
    let mut values = Vec::new();
    extend(&mut values, &columns.read(0, columns.rows()).map_err(|e| raise(py, e, &[]))?);
    array(py, values, &[columns.rows(), columns.width()], false)
}

/// The columns of a table, and whether all of them are in single precision. The memory stays the table's own. Errors
/// speak of the argument `what`.
pub fn columns(table: &Bound<'_, PyAny>, what: &str) -> PyResult<(Vec<Numbers>, bool)> {
    let Ok(stream) = table.getattr("__arrow_c_stream__") else {
        let given = table.get_type().qualname()?;
        return Err(PyTypeError::new_err(format!("{what}: expected an array or an Arrow table, got {given}")));
    };
    // what another program's object raises, but for a lack of memory or an interrupt, is said of the argument
    let foreign = |e: PyErr| match e.is_instance_of::<PyException>(table.py())
        && !e.is_instance_of::<PyMemoryError>(table.py())
    {
        true => PyValueError::new_err(format!("{what}: Arrow table: {}", e.value(table.py()))),
        false => e,
    };
    let capsule = stream.call0().and_then(|c| Ok(c.cast_into::<PyCapsule>()?)).map_err(foreign)?;
    let at = capsule.pointer_checked(Some(NAME)).map_err(foreign)?.cast::<FFI_ArrowArrayStream>();
    let wrong = |e: ArrowError| PyValueError::new_err(format!("{what}: Arrow table: {e}"));
    // SAFETY: a capsule of this name holds such a stream; reading moves it out and leaves a released one behind.
    let mut reader = unsafe { RecordBatchStreamReader::from_raw(at.as_ptr()) }.map_err(wrong)?;
    let schema = reader.schema();
    for field in schema.fields() {
        if let Some(got) = no_numbers(field.data_type()) {
            let name = PyString::new(table.py(), field.name()).repr()?;
            return Err(PyValueError::new_err(format!("{what}, column {name}: expected numbers, {got}")));
        }
    }
    let batches = reader.by_ref().collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    let single = !schema.fields().is_empty() && schema.fields().iter().all(|f| *f.data_type() == DataType::Float32);
    let column = |(k, field): (usize, &std::sync::Arc<arrow_schema::Field>)| {
        let chunks = batches.iter().map(|b| b.column(k).clone()).collect();
        let numbers = Numbers::new(field.name(), field.data_type(), chunks);
        numbers.map_err(|e| PyValueError::new_err(format!("{what}: {e}")))
    };
    Ok((schema.fields().iter().enumerate().map(column).collect::<PyResult<_>>()?, single))
}
