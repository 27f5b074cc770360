//! A matrix as users write it: a list of rows.

use crate::error::{Error, Result};
use crate::params::said;
use faer::Mat;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A finite, rectangular, non-empty matrix that reads and writes itself as a list of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix(Mat<f64>);

impl Matrix {
    /// Checks and wraps a matrix; `name` is used in the error.
    pub fn new(m: Mat<f64>, name: &str) -> Result<Self> {
        if m.nrows() == 0 || m.ncols() == 0 {
            return Err(Error::shape(
                name,
                "at least one row and one column",
                format!("{}×{}", m.nrows(), m.ncols()),
            ));
        }
        for j in 0..m.ncols() {
            for i in 0..m.nrows() {
                if !m[(i, j)].is_finite() {
                    return Err(Error::parameter(
                        name,
                        "finite numbers",
                        format!("{} at row {}, column {}", m[(i, j)], i + 1, j + 1),
                    ));
                }
            }
        }
        Ok(Matrix(m))
    }

    /// A matrix from the list of its rows; `name` is used in the error.
    pub(crate) fn of_rows(value: &Value, name: &str) -> Result<Self> {
        let wrong = |given: String| Error::parameter(name, "a matrix given by its rows, [[1, 0], [0, 1]]", given);
        let rows = value.as_array().ok_or_else(|| wrong(said(value)))?;
        let mut numbers: Vec<Vec<f64>> = Vec::with_capacity(rows.len());
        for (i, row) in rows.iter().enumerate() {
            let row = row.as_array().ok_or_else(|| wrong(said(value)))?;
            let width = numbers.first().map_or(row.len(), Vec::len);
            if row.len() != width {
                let expected = format!("{width} numbers in every row");
                return Err(Error::parameter(name, expected, format!("{} in row {}", row.len(), i + 1)));
            }
            let number = |(j, v): (usize, &Value)| {
                let place = || format!("{} at row {}, column {}", said(v), i + 1, j + 1);
                v.as_f64().ok_or_else(|| Error::parameter(name, "finite numbers", place()))
            };
            numbers.push(row.iter().enumerate().map(number).collect::<Result<_>>()?);
        }
        let width = numbers.first().map_or(0, Vec::len);
        Matrix::new(Mat::from_fn(numbers.len(), width, |i, j| numbers[i][j]), name)
    }

    /// The matrix itself.
    pub fn mat(&self) -> &Mat<f64> {
        &self.0
    }
}

impl Serialize for Matrix {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let rows: Vec<Vec<f64>> = (0..self.0.nrows()).map(|i| self.0.row(i).iter().copied().collect()).collect();
        rows.serialize(s)
    }
}

impl<'de> Deserialize<'de> for Matrix {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Matrix::of_rows(&Value::deserialize(d)?, "matrix").map_err(serde::de::Error::custom)
    }
}
