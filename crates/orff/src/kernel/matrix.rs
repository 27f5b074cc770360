//! A matrix as users write it: a list of rows.

use crate::error::{Error, Result};
use faer::Mat;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

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
        let rows = Vec::<Vec<f64>>::deserialize(d)?;
        let width = rows.first().map_or(0, Vec::len);
        if let Some(bad) = rows.iter().find(|row| row.len() != width) {
            return Err(serde::de::Error::custom(format!(
                "matrix: expected {width} numbers in every row, got {}",
                bad.len()
            )));
        }
        Matrix::new(Mat::from_fn(rows.len(), width, |i, j| rows[i][j]), "matrix").map_err(serde::de::Error::custom)
    }
}
