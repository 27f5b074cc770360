//! A column of Arrow arrays in memory, read as numbers a few rows at a time.

use crate::columnar;
use crate::error::{Error, Result};
use crate::header::Kind;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};

/// The chunks of one column. Nothing is converted before it is read: memory is that of the rows asked for.
pub struct Numbers {
    chunks: Vec<ArrayRef>,
    /// Number of rows up to the end of each chunk.
    ends: Vec<usize>,
}

impl Numbers {
    /// The column of that name; one without numbers is refused.
    pub fn new(name: &str, of: &DataType, chunks: Vec<ArrayRef>) -> Result<Self> {
        if !matches!(columnar::kind(of), Kind::Number) {
            return Err(Error::Column(format!("column {name:?} holds {of}, expected numbers")));
        }
        let ends = chunks.iter().scan(0, |end, c| {
            *end += c.len();
            Some(*end)
        });
        Ok(Numbers { ends: ends.collect(), chunks })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows from.. into `out`; null is NaN.
    ///
    /// # Panics
    /// If there are fewer rows.
    pub fn read(&self, from: usize, out: &mut [f64]) -> Result<()> {
        let (mut at, mut done) = (self.ends.partition_point(|&end| end <= from), 0);
        while done < out.len() {
            let chunk = &self.chunks[at];
            let start = from + done - (self.ends[at] - chunk.len());
            let n = (chunk.len() - start).min(out.len() - done);
            let part = numbers(&chunk.slice(start, n)).map_err(|e| Error::Column(e.to_string()))?;
            let values = part.iter().map(|v| v.unwrap_or(f64::NAN));
            out[done..done + n].iter_mut().zip(values).for_each(|(out, v)| *out = v);
            done += n;
            at += 1;
        }
        Ok(())
    }
}

/// An array of numbers of any type.
pub(crate) fn numbers(array: &dyn Array) -> Result<Float64Array, ArrowError> {
    Ok(cast(array, &DataType::Float64)?.as_primitive::<Float64Type>().clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Int32Array, StringArray};
    use std::sync::Arc;

    #[test]
    fn reads_across_chunks() {
        let chunks: Vec<ArrayRef> = vec![
            Arc::new(Int32Array::from(vec![Some(1), None])),
            Arc::new(Int32Array::from(Vec::<i32>::new())),
            Arc::new(Int32Array::from(vec![3, 4, 5])),
        ];
        let column = Numbers::new("x", &DataType::Int32, chunks).unwrap();
        let mut out = [0.0; 3];
        column.read(1, &mut out).unwrap();
        assert!(out[0].is_nan());
        assert_eq!((column.len(), out[1], out[2]), (5, 3.0, 4.0));
    }

    #[test]
    fn words_are_refused() {
        let chunks: Vec<ArrayRef> = vec![Arc::new(StringArray::from(vec!["a"]))];
        let said = Numbers::new("x", &DataType::Utf8, chunks).err().unwrap().to_string();
        assert_eq!(said, "column \"x\" holds Utf8, expected numbers");
    }
}
