//! Rows in Python's memory: NumPy arrays of any layout, Arrow tables, sparse rows. They are read block by block where
//! they are; nothing is converted as a whole.

use crate::raise::raise;
use crate::table;
use faer::Mat;
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods, dtype};
use orff::feature::BLOCK_ROWS;
use orff::rows::{Batch, Batches, Csr, Inputs, Rows, Weights};
use orff::{Error, Result};
use orff_table::Numbers;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// Rows that are asked about at a time; this only bounds memory.
pub const BATCH: usize = 4096;

/// The numbers that are read without being converted first.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    F64,
    F32,
    I64,
    I32,
}

/// Equally spaced numbers of an array that is kept alive beside it.
#[derive(Clone, Copy)]
struct Strided {
    at: *const u8,
    stride: isize,
    kind: Kind,
}

impl Strided {
    fn get(&self, i: usize) -> f64 {
        let mut value = [0.0];
        self.read(i, &mut value);
        value[0]
    }

    /// The numbers from number `from` on.
    fn read(&self, from: usize, out: &mut [f64]) {
        // SAFETY: made from the shape and strides of an array that is kept alive; no alignment is assumed.
        unsafe fn each<N>(of: &Strided, from: usize, out: &mut [f64], number: impl Fn(N) -> f64) {
            let mut at = of.at.wrapping_offset(of.stride * from as isize);
            for out in out {
                // SAFETY: as the caller promises.
                *out = number(unsafe { at.cast::<N>().read_unaligned() });
                at = at.wrapping_offset(of.stride);
            }
        }
        // SAFETY: as above.
        unsafe {
            match self.kind {
                Kind::F64 => each(self, from, out, |v: f64| v),
                Kind::F32 => each(self, from, out, |v: f32| v.into()),
                Kind::I64 => each(self, from, out, |v: i64| v as f64),
                Kind::I32 => each(self, from, out, |v: i32| v.into()),
            }
        }
    }

    fn index(&self, i: usize) -> usize {
        // SAFETY: as above.
        unsafe {
            let at = self.at.offset(self.stride * i as isize);
            match self.kind {
                Kind::I64 => at.cast::<i64>().read_unaligned() as usize,
                _ => at.cast::<i32>().read_unaligned() as usize,
            }
        }
    }
}

enum Column {
    Strided(Strided),
    Arrow(Numbers),
}

/// A table of numbers, column by column.
pub struct Columns {
    rows: usize,
    columns: Vec<Column>,
    /// Whether every number is in single precision.
    pub single: bool,
    /// Whether it is one column without an axis of its own.
    flat: bool,
    _keep: Vec<Py<PyAny>>,
}

// SAFETY: the arrays are only read, and the references to them keep them alive until the last reader is gone.
unsafe impl Send for Columns {}
unsafe impl Sync for Columns {}
unsafe impl Send for Sparse {}
unsafe impl Sync for Sparse {}

fn strided(array: &Bound<'_, PyUntypedArray>, what: &str) -> PyResult<Strided> {
    let (py, of) = (array.py(), array.dtype());
    let kind = if of.is_equiv_to(&dtype::<f64>(py)) {
        Kind::F64
    } else if of.is_equiv_to(&dtype::<f32>(py)) {
        Kind::F32
    } else if of.is_equiv_to(&dtype::<i64>(py)) {
        Kind::I64
    } else if of.is_equiv_to(&dtype::<i32>(py)) {
        Kind::I32
    } else {
        return Err(PyTypeError::new_err(format!("{what}: expected numbers in native byte order, got {of}")));
    };
    // SAFETY: the pointer to the object is valid while it is borrowed here.
    let at = unsafe { (*array.as_array_ptr()).fields.data } as *const u8;
    Ok(Strided { at, stride: array.strides().first().copied().unwrap_or(0), kind })
}

impl Columns {
    /// An array with one or two axes, a list of columns, or anything that speaks Arrow's capsule protocol; errors speak
    /// of the argument `what`.
    pub fn of(data: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        if let Ok(array) = data.cast::<PyUntypedArray>() {
            return Self::array(array, what);
        }
        if let Ok(list) = data.cast::<PyList>() {
            let parts: Vec<Columns> =
                list.iter().map(|column| Columns::of(&column, what)).collect::<PyResult<_>>()?;
            let rows = parts.first().map_or(0, |p| p.rows);
            if let Some(bad) = parts.iter().position(|p| p.rows != rows) {
                let given = format!("{} in column {}", parts[bad].rows, bad + 1);
                let error = Error::shape(what, format!("{rows} rows in each column"), given);
                return Err(PyValueError::new_err(error.to_string()));
            }
            let single = !parts.is_empty() && parts.iter().all(|p| p.single);
            let (mut columns, mut keep) = (Vec::new(), Vec::new());
            for part in parts {
                columns.extend(part.columns);
                keep.extend(part._keep);
            }
            return Ok(Columns { rows, columns, single, flat: false, _keep: keep });
        }
        let (columns, single) = table::columns(data, what)?;
        let rows = columns.first().map_or(0, Numbers::len);
        Ok(Columns {
            rows,
            columns: columns.into_iter().map(Column::Arrow).collect(),
            single,
            flat: false,
            _keep: Vec::new(),
        })
    }

    fn array(array: &Bound<'_, PyUntypedArray>, what: &str) -> PyResult<Self> {
        let first = strided(array, what)?;
        let (shape, strides) = (array.shape(), array.strides());
        let (rows, width, step) = match shape {
            [n] => (*n, 1, 0),
            [n, d] => (*n, *d, strides[1]),
            other => {
                let said = format!("{what}: expected one or two axes, got {}", other.len());
                return Err(PyValueError::new_err(said));
            }
        };
        // wrapping: the address of a column of an empty array is never read
        let column = |k: usize| Column::Strided(Strided { at: first.at.wrapping_offset(step * k as isize), ..first });
        let mut columns = Vec::new();
        if columns.try_reserve_exact(width).is_err() {
            let bytes = size_of::<Column>() as f64 * width as f64;
            let error = Error::memory(format!("an array of {width} columns"), bytes, "give fewer columns");
            return Err(raise(array.py(), error, &[]));
        }
        columns.extend((0..width).map(column));
        let keep = vec![array.clone().into_any().unbind()];
        Ok(Columns { rows, columns, single: first.kind == Kind::F32, flat: shape.len() == 1, _keep: keep })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// Rows from..to.
    pub fn read(&self, from: usize, to: usize) -> Result<Mat<f64>> {
        let mut out = Mat::zeros(to - from, self.width());
        for (k, column) in self.columns.iter().enumerate() {
            let values = out.col_as_slice_mut(k);
            match column {
                Column::Strided(numbers) => numbers.read(from, values),
                Column::Arrow(numbers) => numbers.read(from, values)?,
            }
        }
        Ok(out)
    }
}

/// Compressed sparse rows: values, columns and offsets as SciPy keeps them.
pub struct Sparse {
    width: usize,
    rows: usize,
    values: Strided,
    columns: Strided,
    start: Strided,
    _keep: [Py<PyAny>; 3],
}

impl Sparse {
    fn read(&self, from: usize, to: usize) -> Inputs {
        let (a, b) = (self.start.index(from), self.start.index(to));
        Inputs::Sparse(Csr {
            width: self.width,
            start: (from..=to).map(|i| self.start.index(i) - a).collect(),
            columns: (a..b).map(|k| u32::try_from(self.columns.index(k)).unwrap_or(u32::MAX)).collect(),
            values: (a..b).map(|k| self.values.get(k)).collect(),
        })
    }
}

/// The inputs of some rows.
pub enum Source {
    Dense(Columns),
    Sparse(Sparse),
}

impl Source {
    /// A table as [`Columns`] takes it, or a tuple (values, columns, offsets, width) of sparse rows.
    pub fn of(data: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        let Ok(parts) = data.cast::<PyTuple>() else { return Columns::of(data, what).map(Source::Dense) };
        let (values, columns, start, width): (Bound<PyAny>, Bound<PyAny>, Bound<PyAny>, usize) = parts.extract()?;
        let array = |part: &Bound<'_, PyAny>| -> PyResult<Strided> { strided(part.cast::<PyUntypedArray>()?, what) };
        let (rows, stored) = (start.len()?.saturating_sub(1), values.len()?.min(columns.len()?));
        let offsets = array(&start)?;
        // nothing is read where an offset that is not one would lead
        let mut before = 0;
        for i in 0..start.len()? {
            let offset = offsets.index(i);
            if offset < before || offset > stored || (i == 0 && offset > 0) {
                let said = format!(
                    "{what}: expected an indptr that grows from 0 to {stored} at most, got {} at {i}",
                    offset as isize
                );
                return Err(PyValueError::new_err(said));
            }
            before = offset;
        }
        let places = array(&columns)?;
        if let Some(k) = (0..before).find(|&k| places.index(k) >= width) {
            let given = places.index(k) as isize;
            let said = format!("{what}: expected column indices from 0 to {}, got {given}", width.saturating_sub(1));
            return Err(PyValueError::new_err(said));
        }
        Ok(Source::Sparse(Sparse {
            width,
            rows,
            values: array(&values)?,
            columns: places,
            start: offsets,
            _keep: [values.unbind(), columns.unbind(), start.unbind()],
        }))
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Source::Dense(x) => x.rows(),
            Source::Sparse(x) => x.rows,
        }
    }

    /// Number of inputs.
    pub fn width(&self) -> usize {
        match self {
            Source::Dense(x) => x.width(),
            Source::Sparse(x) => x.width,
        }
    }

    /// Whether the numbers are in single precision.
    pub fn single(&self) -> bool {
        match self {
            Source::Dense(x) => x.single,
            Source::Sparse(x) => x.values.kind == Kind::F32,
        }
    }

    /// Rows from..to.
    pub fn read(&self, from: usize, to: usize) -> Result<Inputs> {
        match self {
            Source::Dense(x) => x.read(from, to).map(Inputs::Dense),
            Source::Sparse(x) => Ok(x.read(from, to)),
        }
    }
}

/// Rows to learn from.
pub struct Data {
    pub inputs: Source,
    pub outputs: Option<Columns>,
    pub weights: Option<Columns>,
    /// The names of the classes, when the output is the number of one.
    pub classes: Option<Vec<String>>,
    /// Weights of a graph of the rows, if it was given.
    pub graph: Option<Csr>,
}

impl Data {
    /// Inputs, outputs and weights (one axis: of rows; two: of entries) of the same rows.
    pub fn of(
        inputs: &Bound<'_, PyAny>,
        outputs: Option<&Bound<'_, PyAny>>,
        weights: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let inputs = Source::of(inputs, "X")?;
        let n = inputs.rows();
        let same = |columns: Columns, what: &str| {
            if columns.rows() == n {
                return Ok(columns);
            }
            let error = Error::shape(what, format!("{n} rows as in X"), columns.rows());
            Err(PyValueError::new_err(error.to_string()))
        };
        let outputs = outputs.map(|y| same(Columns::of(y, "y")?, "y")).transpose()?;
        let weights = weights.map(|w| same(Columns::of(w, "sample_weight")?, "sample_weight")).transpose()?;
        let p = outputs.as_ref().map_or(0, Columns::width);
        if let Some(w) = weights.as_ref().filter(|w| !w.flat && w.width() != p) {
            let error = Error::shape("sample_weight", format!("one column, or {p} as y has"), w.width());
            return Err(PyValueError::new_err(error.to_string()));
        }
        Ok(Data { inputs, outputs, weights, classes: None, graph: None })
    }

    /// Whether there is one output with an axis of its own.
    pub fn column(&self) -> bool {
        self.outputs.as_ref().is_some_and(|y| y.width() == 1 && !y.flat)
    }

    fn batch(&self, from: usize, to: usize) -> Result<Batch> {
        let weights = match &self.weights {
            None => None,
            Some(w) if w.flat => Some(Weights::Row(w.read(from, to)?.col(0).iter().copied().collect())),
            Some(w) => Some(Weights::Entry(w.read(from, to)?)),
        };
        let outputs = self.outputs.as_ref().map_or(Ok(Mat::zeros(to - from, 0)), |y| y.read(from, to))?;
        Ok(Batch { inputs: self.inputs.read(from, to)?, outputs, weights })
    }
}

impl Rows for Data {
    fn inputs(&self) -> usize {
        self.inputs.width()
    }

    fn outputs(&self) -> usize {
        self.outputs.as_ref().map_or(0, Columns::width)
    }

    fn batches(&self) -> Result<Batches<'_>> {
        let n = self.inputs.rows();
        // batches of this size need not be cut into blocks
        Ok(Box::new((0..n).step_by(BLOCK_ROWS).map(move |from| self.batch(from, (from + BLOCK_ROWS).min(n)))))
    }

    fn single(&self) -> bool {
        self.inputs.single()
    }

    fn classes(&self) -> Option<&[String]> {
        self.classes.as_deref()
    }

    fn graph(&self) -> Option<&Csr> {
        self.graph.as_ref()
    }
}
