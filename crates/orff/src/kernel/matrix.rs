//! A matrix as users write it: a list of rows; a large diagonal one by its diagonal.

use crate::error::{Error, Result};
use crate::params::said;
use faer::Mat;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Diagonal matrices are written by their diagonal from here on (the outputs of a kernel that does not tie them), and read up
/// to there: a short text must not ask for any memory.
const SHORT: usize = 32;
const LONGEST: usize = 4096;

/// A finite, rectangular, non-empty matrix that reads and writes itself as a list of rows, or `{"diagonal": […]}`.
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
        if let Some(diagonal) = value.get("diagonal").filter(|_| value.as_object().is_some_and(|o| o.len() == 1)) {
            let entries: Option<Vec<f64>> = diagonal.as_array().and_then(|d| d.iter().map(Value::as_f64).collect());
            let entries = entries.filter(|entries| entries.len() <= LONGEST).ok_or_else(|| wrong(said(value)))?;
            let entry = |i, j| if i == j { entries[i] } else { 0.0 };
            return Matrix::new(Mat::from_fn(entries.len(), entries.len(), entry), name);
        }
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

    /// The diagonal of a large diagonal matrix.
    fn diagonal(&self) -> Option<Vec<f64>> {
        let (m, n) = (&self.0, self.0.nrows());
        let large = n == m.ncols() && (SHORT..=LONGEST).contains(&n);
        let zero = |j: usize| m.col(j).iter().enumerate().all(|(i, v)| i == j || *v == 0.0);
        (large && (0..n).all(zero)).then(|| (0..n).map(|i| m[(i, i)]).collect())
    }

    /// The matrix itself.
    pub fn mat(&self) -> &Mat<f64> {
        &self.0
    }
}

impl Serialize for Matrix {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if let Some(diagonal) = self.diagonal() {
            return std::collections::BTreeMap::from([("diagonal", diagonal)]).serialize(s);
        }
        let rows: Vec<Vec<f64>> = (0..self.0.nrows()).map(|i| self.0.row(i).iter().copied().collect()).collect();
        rows.serialize(s)
    }
}

impl<'de> Deserialize<'de> for Matrix {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Matrix::of_rows(&Value::deserialize(d)?, "matrix").map_err(serde::de::Error::custom)
    }
}
