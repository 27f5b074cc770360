//! One or several NumPy arrays as one table.
//!
//! In a `.npz` the array `X` of three columns gives the columns `X1`, `X2`, `X3`, and `X` names all of them; an array
//! with one axis, or with one column, gives one column of its own name. The arrays that are used must have the same
//! number of rows. In a `.npy` columns have no names.

use crate::cell::Role;
use crate::chunk::{As, Cells, Chunk, Chunks, Opened, Want};
use crate::error::{Error, Result};
use crate::guard::damaged;
use crate::header::{Header, Kind};
use crate::meter::Meter;
use crate::numpy::{Array, Found};
use crate::zip;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Arrays whose shapes are known.
pub(crate) struct Arrays {
    header: Header,
    arrays: Vec<(String, Option<Array>)>,
    /// Array and column within it for each column of the table.
    places: Vec<(usize, usize)>,
    count: Arc<AtomicU64>,
    bytes: u64,
}

impl Arrays {
    /// A `.npy` file.
    pub fn npy(name: &str, file: File, count: &Arc<AtomicU64>) -> Result<Self> {
        let bytes = file.metadata().map_err(|e| Error::io(name, e))?.len();
        let array = match Array::open(name, file, 0, bytes)? {
            Found::Numbers(array) => array,
            Found::Other(what) => {
                let a = if what.starts_with('a') { "an" } else { "a" };
                let cure = "save one or two axes of numbers";
                return Err(Error::file(name, format!("{a} {what} cannot be read ({cure})")));
            }
        };
        let mut header = Header::new(name, None, vec![Kind::Number; array.columns], false);
        header.single = (0..array.columns).filter(|_| array.single()).collect();
        header.empty = array.rows == 0;
        let places = (0..array.columns).map(|k| (0, k)).collect();
        Ok(Arrays { header, arrays: vec![(String::new(), Some(array))], places, count: count.clone(), bytes })
    }

    /// A `.npz` file.
    pub fn npz(name: &str, file: File, count: &Arc<AtomicU64>) -> Result<Self> {
        let bytes = file.metadata().map_err(|e| Error::io(name, e))?.len();
        let (mut names, mut kinds, mut places, mut groups, mut arrays) = (vec![], vec![], vec![], vec![], vec![]);
        for entry in zip::entries(name, &file)? {
            let Some(key) = entry.name.strip_suffix(".npy").map(str::to_string) else { continue };
            let (data, from, length) = entry.region(name, &file)?;
            let first = names.len();
            match Array::open(&format!("{name}: {key}"), data, from, length)? {
                Found::Other(what) => {
                    names.push(key.clone());
                    kinds.push(Kind::Other(what));
                    places.push((arrays.len(), 0));
                    arrays.push((key, None));
                }
                Found::Numbers(array) => {
                    let alone = array.columns == 1;
                    let column = |k: usize| if alone { key.clone() } else { format!("{key}{}", k + 1) };
                    names.extend((0..array.columns).map(column));
                    kinds.extend((0..array.columns).map(|_| Kind::Number));
                    places.extend((0..array.columns).map(|k| (arrays.len(), k)));
                    groups.push((key.clone(), first..names.len()));
                    arrays.push((key, Some(array)));
                }
            }
        }
        if arrays.is_empty() {
            return Err(Error::file(name, "holds no NumPy arrays"));
        }
        let mut header = Header::new(name, Some(names), kinds, false);
        header.groups = groups;
        let single = |k: &usize| arrays[places[*k].0].1.as_ref().is_some_and(Array::single);
        header.single = (0..places.len()).filter(single).collect();
        header.empty = arrays.iter().flat_map(|(_, a)| a).all(|a| a.rows == 0);
        Ok(Arrays { header, arrays, places, count: count.clone(), bytes })
    }
}

impl Opened for Arrays {
    fn header(&self) -> &Header {
        &self.header
    }

    fn start(self: Box<Self>, wants: Vec<Want>, batch: usize) -> Result<Box<dyn Chunks>> {
        let Arrays { header, arrays, places, count, bytes } = *self;
        // The columns wanted of each array, and which wants they serve.
        let part = |(key, array)| Part { key, array, columns: Vec::new(), wants: Vec::new() };
        let mut parts: Vec<Part> = arrays.into_iter().map(part).collect();
        for (k, want) in wants.iter().enumerate() {
            let (array, column) = places[want.column];
            parts[array].columns.push(column);
            parts[array].wants.push(k);
        }
        parts.retain(|p| !p.wants.is_empty());
        let rows = |p: &Part| p.array.as_ref().map_or(0, |a| a.rows);
        let total = parts.first().map_or(0, rows);
        if let Some(other) = parts.iter().find(|p| rows(p) != total) {
            return Err(Error::file(
                &header.file,
                format!(
                    "array {:?} has {total} rows, array {:?} has {} (choose columns with --inputs and --outputs)",
                    parts[0].key,
                    other.key,
                    rows(other)
                ),
            ));
        }
        // Whole rows are read even if few of their columns are wanted.
        let widest = parts.iter().flat_map(|p| &p.array).map(|a| a.columns).max().unwrap_or(1).max(1);
        let batch = batch.min((1 << 21) / widest).max(1);
        let meter = Meter::new(&count, bytes, total);
        Ok(Box::new(Reading { header, parts, wants, batch, total, done: 0, meter }))
    }
}

struct Part {
    key: String,
    array: Option<Array>,
    columns: Vec<usize>,
    wants: Vec<usize>,
}

struct Reading {
    header: Header,
    parts: Vec<Part>,
    wants: Vec<Want>,
    batch: usize,
    total: u64,
    done: u64,
    meter: Meter,
}

impl Chunks for Reading {
    fn next(&mut self) -> Result<Option<Chunk>> {
        let n = (self.total - self.done).min(self.batch as u64) as usize;
        if n == 0 {
            return Ok(None);
        }
        let mut chunk = Chunk::new(&self.wants);
        chunk.rows = (self.done + 1..=self.done + n as u64).collect();
        for part in &mut self.parts {
            let Some(array) = &mut part.array else { continue };
            let read = array.read(self.done, n, &part.columns);
            let columns = read.map_err(|e| damaged(&self.header.file, e))?;
            for (column, &k) in columns.into_iter().zip(&part.wants) {
                chunk.cells[k] = cells(column, &self.wants[k], &self.header, &chunk.rows)?;
            }
        }
        self.done += n as u64;
        self.meter.add(n);
        Ok(Some(chunk))
    }
}

fn cells(column: Vec<f64>, want: &Want, header: &Header, rows: &[u64]) -> Result<Cells> {
    match want.how {
        As::Text => Ok(Cells::Texts(column.iter().map(|v| (!v.is_nan()).then(|| v.to_string())).collect())),
        As::Number(role) => {
            for (&v, &row) in column.iter().zip(rows) {
                Role::accept(role, v, None, (header, row, want.column))?;
            }
            Ok(Cells::Numbers(column))
        }
    }
}
