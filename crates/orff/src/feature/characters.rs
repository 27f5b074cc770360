//! Characters of a block of rows: cos⟨x,ωⱼ⟩ and sin⟨x,ωⱼ⟩, or cos(⟨x,ωⱼ⟩ + bⱼ), one column each.

use crate::kernel::Block;
use crate::linalg;
use crate::rows::{Csr, Inputs};
use crate::spectrum::Omega;
use faer::{Mat, MatMut, MatRef};
use rayon::prelude::*;

/// A column-major n×M buffer of characters; columns are a little apart so that they do not share cache sets.
pub struct Characters {
    data: Vec<f64>,
    rows: usize,
    stride: usize,
    columns: usize,
}

impl Characters {
    /// An empty buffer for M characters.
    pub fn new(columns: usize) -> Self {
        Characters { data: Vec::new(), rows: 0, stride: 0, columns }
    }

    /// The characters as a matrix (n×M).
    pub fn as_mat(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice_with_stride(&self.data, self.rows, self.columns, self.stride)
    }

    /// Takes the characters (n×M) from a matrix.
    pub(crate) fn copy(&mut self, from: MatRef<f64>) {
        self.reserve(from.nrows());
        for m in 0..self.columns {
            let column = &mut self.data[m * self.stride..m * self.stride + self.rows];
            column.iter_mut().enumerate().for_each(|(i, c)| *c = from[(i, m)]);
        }
    }

    /// Column m.
    pub fn column(&self, m: usize) -> &[f64] {
        &self.data[m * self.stride..m * self.stride + self.rows]
    }

    /// Makes room for n rows; the contents are then filled block by block.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.rows = rows;
        self.stride = rows + 8;
        self.data.resize(self.stride * self.columns, 0.0);
    }

    /// Fills the columns of one block of atoms, which start at `from`: cosines then sines (`phases` empty), or
    /// phase-shifted cosines. Cost n·D·d and n·D sines and cosines.
    pub(super) fn fill(&mut self, x: &Inputs, block: &Block, phases: &[f64], from: usize) {
        let (rows, stride, count) = (self.rows, self.stride, block.count());
        let region = &mut self.data[from * stride..];
        let atoms = block.omega.strip();
        let strip = atoms * stride;
        if phases.is_empty() {
            let (cosines, sines) = region.split_at_mut(count * stride);
            let sines = &mut sines[..count * stride];
            cosines.par_chunks_mut(strip).zip(sines.par_chunks_mut(strip)).enumerate().for_each(|(s, (cos, sin))| {
                project(x, &block.omega, s * atoms, rows, stride, sin);
                for (cos, sin) in cos.chunks_mut(stride).zip(sin.chunks_mut(stride)) {
                    cos[..rows].copy_from_slice(&sin[..rows]);
                    linalg::sin_cos_in_place(&mut cos[..rows], &mut sin[..rows]);
                }
            });
        } else {
            region[..count * stride].par_chunks_mut(strip).enumerate().for_each(|(s, cos)| {
                project(x, &block.omega, s * atoms, rows, stride, cos);
                for (j, cos) in cos.chunks_mut(stride).enumerate() {
                    let angles: Vec<f64> = cos[..rows].iter().map(|z| z + phases[s * atoms + j]).collect();
                    linalg::cos(&angles, &mut cos[..rows]);
                }
            });
        }
    }
}

/// out (rows×len, column-major with the given stride) = x Ωᵀ for the atoms from..from+len.
fn project(x: &Inputs, omega: &Omega, from: usize, rows: usize, stride: usize, out: &mut [f64]) {
    let len = out.len() / stride;
    match (x, omega) {
        (Inputs::Dense(x), omega) => {
            let out = MatMut::from_column_major_slice_with_stride_mut(out, rows, len, stride);
            omega.project(x.as_ref(), from, out);
        }
        (Inputs::Sparse(x), Omega::Dense(omega)) => project_sparse(x, omega, from, stride, len, out),
        (Inputs::Sparse(x), omega) => {
            // structured projections mix all inputs: give them the row in full
            let mut row = Mat::zeros(1, x.width);
            let mut angles = Mat::zeros(1, len);
            for i in 0..rows {
                row.fill(0.0);
                x.row(i).for_each(|(k, v)| row[(0, k)] = v);
                omega.project(row.as_ref(), from, angles.as_mut());
                (0..len).for_each(|j| out[j * stride + i] = angles[(0, j)]);
            }
        }
    }
}

/// Sparse rows: one pass over the stored entries, each adding a piece of a column of Ω.
fn project_sparse(x: &Csr, omega: &Mat<f64>, from: usize, stride: usize, len: usize, out: &mut [f64]) {
    let mut angles = vec![0.0; len];
    for i in 0..x.nrows() {
        angles.fill(0.0);
        for (k, v) in x.row(i) {
            let column = omega.col(k).try_as_col_major().expect("a matrix of faer has contiguous columns").as_slice();
            angles.iter_mut().zip(&column[from..from + len]).for_each(|(a, w)| *a += v * w);
        }
        angles.iter().enumerate().for_each(|(j, a)| out[j * stride + i] = *a);
    }
}
