//! Characters of a block of rows: cos⟨x,ωⱼ⟩ and sin⟨x,ωⱼ⟩, or cos(⟨x,ωⱼ⟩ + bⱼ), one column each.

use crate::kernel::Block;
use crate::linalg::{Fixed, Real};
use crate::rows::{Csr, Inputs};
use crate::spectrum::{Omega, Packed, product};
use faer::{Mat, MatMut, MatRef};
use rayon::prelude::*;

/// A column-major n×M buffer of characters; columns are a little apart so that they do not share cache sets.
pub struct Characters<T = f64> {
    data: Vec<T>,
    rows: usize,
    stride: usize,
    columns: usize,
    /// Whether angles, sines and cosines are computed in double precision and then rounded.
    rounded: bool,
    /// The same in fixed point, where products are to be made of that.
    fixed: Option<Fixed>,
}

impl Characters {
    /// An empty buffer for M characters.
    pub fn new(columns: usize) -> Self {
        Characters::rounded(columns)
    }

    /// Takes the characters (n×M) from a matrix.
    pub(crate) fn copy(&mut self, from: MatRef<f64>) {
        self.reserve(from.nrows());
        for m in 0..self.columns {
            let column = &mut self.data[m * self.stride..m * self.stride + self.rows];
            column.iter_mut().enumerate().for_each(|(i, c)| *c = from[(i, m)]);
        }
    }
}

impl Characters<f32> {
    /// An empty buffer for M characters in single precision.
    pub fn single(columns: usize) -> Self {
        Characters { rounded: false, ..Characters::rounded(columns) }
    }

    /// The same, with products among them in fixed point where all rows count alike.
    pub fn fixed(columns: usize) -> Self {
        Characters { fixed: Some(Fixed::default()), ..Characters::single(columns) }
    }
}

impl<T: Real> Characters<T> {
    /// An empty buffer for M characters that are computed in double precision, whatever they are then rounded to.
    pub fn rounded(columns: usize) -> Self {
        Characters { data: Vec::new(), rows: 0, stride: 0, columns, rounded: true, fixed: None }
    }

    /// The characters as a matrix (n×M).
    pub fn as_mat(&self) -> MatRef<'_, T> {
        MatRef::from_column_major_slice_with_stride(&self.data, self.rows, self.columns, self.stride)
    }

    /// Column m.
    pub fn column(&self, m: usize) -> &[T] {
        &self.data[m * self.stride..m * self.stride + self.rows]
    }

    /// The characters in fixed point, where products are to be made of that.
    pub(super) fn in_fixed_point(&self) -> Option<&Fixed> {
        self.fixed.as_ref()
    }

    /// To be called when all columns are filled.
    pub(super) fn filled(&mut self) {
        if let Some(mut fixed) = self.fixed.take() {
            fixed.pack(self.as_mat());
            self.fixed = Some(fixed);
        }
    }

    /// Makes room for n rows; the contents are then filled block by block.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.rows = rows;
        // 64 bytes apart, in either precision: a buffer that is let go has room for the next one
        self.stride = rows + 64 / size_of::<T>();
        self.data.resize(self.stride * self.columns, T::default());
    }

    /// Fills the columns of one block of atoms, which start at `from`: cosines then sines (`phases` empty), or
    /// phase-shifted cosines. Cost n·D·d and n·D sines and cosines.
    pub(super) fn fill(&mut self, x: &Inputs, block: &Block, phases: &[f64], from: usize) {
        let (rows, stride, count) = (self.rows, self.stride, block.count());
        let region = &mut self.data[from * stride..];
        let atoms = Atoms::of(x, &block.omega, phases, self.rounded);
        let strip = block.omega.strip();
        if phases.is_empty() {
            let (cosines, sines) = region.split_at_mut(count * stride);
            let sines = sines[..count * stride].par_chunks_mut(strip * stride);
            let pairs = cosines.par_chunks_mut(strip * stride).zip(sines);
            pairs.enumerate().for_each(|(s, (cos, sin))| atoms.pairs(s * strip, rows, stride, cos, sin));
        } else {
            let strips = region[..count * stride].par_chunks_mut(strip * stride);
            strips.enumerate().for_each(|(s, cos)| atoms.shifted(s * strip, rows, stride, cos));
        }
    }
}

/// Atoms and the rows at which their characters are wanted.
pub(super) struct Atoms<'a, T> {
    x: &'a Inputs,
    omega: &'a Omega,
    phases: &'a [f64],
    /// The same in double precision, where the precision is not enough.
    exact: Option<Box<Atoms<'a, f64>>>,
    /// The rows, and all frequencies if many products are to be made with them, where both are dense.
    packed: Option<(Packed<T>, Option<&'a Packed<T>>)>,
}

impl<'a, T: Real> Atoms<'a, T> {
    /// `phases` is empty for pairs. In double precision where that is asked for, and where angles may be too large for less.
    pub fn of(x: &'a Inputs, omega: &'a Omega, phases: &'a [f64], exactly: bool) -> Self {
        let far = || x.norms().into_iter().fold(0.0, f64::max) * omega.largest() > T::LARGEST_ANGLE;
        if T::LARGEST_ANGLE == f64::INFINITY || !(exactly || far()) {
            return Self::plain(x, omega, None, phases);
        }
        let exact = Some(Box::new(Atoms::plain(x, omega, None, phases)));
        Atoms { x, omega, phases, exact, packed: None }
    }

    /// Atoms whose angles are computed in the precision asked for, whatever their size; with the frequencies `packed`, where few
    /// rows are asked about at a time.
    pub fn plain(x: &'a Inputs, omega: &'a Omega, packed: Option<&'a Packed<T>>, phases: &'a [f64]) -> Self {
        let packed = match (x, omega) {
            (Inputs::Dense(x), Omega::Dense(_)) => Some((Packed::lanes(x.as_ref()), packed)),
            _ => None,
        };
        Atoms { x, omega, phases, exact: None, packed }
    }

    /// cos and sin of the angles of some atoms from number `from` on, the first of a strip, columns `stride` apart.
    pub fn pairs(&self, from: usize, rows: usize, stride: usize, cos: &mut [T], sin: &mut [T]) {
        if let Some(exact) = &self.exact {
            let (mut exact_cos, mut exact_sin) = (vec![0.0; cos.len()], vec![0.0; sin.len()]);
            exact.pairs(from, rows, stride, &mut exact_cos, &mut exact_sin);
            cos.iter_mut().zip(exact_cos).for_each(|(c, exact)| *c = T::of(exact));
            sin.iter_mut().zip(exact_sin).for_each(|(s, exact)| *s = T::of(exact));
            return;
        }
        self.project(from, rows, stride, cos);
        if stride < 2 * rows {
            // what is between the columns is harmless, and one call is quicker than many
            return T::sin_cos_in_place(cos, sin);
        }
        for (cos, sin) in cos.chunks_mut(stride).zip(sin.chunks_mut(stride)) {
            T::sin_cos_in_place(&mut cos[..rows], &mut sin[..rows]);
        }
    }

    /// cos of the angles plus phases.
    pub fn shifted(&self, from: usize, rows: usize, stride: usize, cos: &mut [T]) {
        if let Some(exact) = &self.exact {
            let mut exact_cos = vec![0.0; cos.len()];
            exact.shifted(from, rows, stride, &mut exact_cos);
            cos.iter_mut().zip(exact_cos).for_each(|(c, exact)| *c = T::of(exact));
            return;
        }
        self.project(from, rows, stride, cos);
        for (j, cos) in cos.chunks_mut(stride).enumerate() {
            let phase = T::of(self.phases[from + j]);
            cos[..rows].iter_mut().for_each(|z| *z += phase);
            T::cos_in_place(&mut cos[..rows]);
        }
    }

    /// out (rows×len, column-major with the given stride) = x Ωᵀ for the atoms from..from+len.
    fn project(&self, from: usize, rows: usize, stride: usize, out: &mut [T]) {
        let len = out.len() / stride;
        if let Some((x, omega)) = &self.packed {
            let out = MatMut::from_column_major_slice_with_stride_mut(out, rows, len, stride);
            return match omega {
                Some(omega) => product((x, 0), (omega, from), out),
                None => {
                    let strip = self.omega.packed(from, len).expect("rows are packed for stored frequencies only");
                    product((x, 0), (&strip, 0), out)
                }
            };
        }
        match (self.x, self.omega) {
            (Inputs::Dense(x), omega) => {
                let out = MatMut::from_column_major_slice_with_stride_mut(out, rows, len, stride);
                omega.project(x.as_ref(), from, out);
            }
            (Inputs::Sparse(x), Omega::Dense(omega)) => project_sparse(x, omega, from, stride, len, out),
            (Inputs::Sparse(x), omega) => {
                // structured projections mix all inputs: give them the row in full
                let mut row = Mat::zeros(1, x.width);
                let mut angles = Mat::<T>::zeros(1, len);
                for i in 0..rows {
                    row.fill(0.0);
                    x.row(i).for_each(|(k, v)| row[(0, k)] = v);
                    omega.project(row.as_ref(), from, angles.as_mut());
                    (0..len).for_each(|j| out[j * stride + i] = angles[(0, j)]);
                }
            }
        }
    }
}

/// Sparse rows: one pass over the stored entries, each adding a piece of a column of Ω.
fn project_sparse<T: Real>(x: &Csr, omega: &Mat<f64>, from: usize, stride: usize, len: usize, out: &mut [T]) {
    let mut angles = vec![0.0; len];
    for i in 0..x.nrows() {
        angles.fill(0.0);
        for (k, v) in x.row(i) {
            let column = omega.col(k).try_as_col_major().expect("a matrix of faer has contiguous columns").as_slice();
            angles.iter_mut().zip(&column[from..from + len]).for_each(|(a, w)| *a += v * w);
        }
        angles.iter().enumerate().for_each(|(j, a)| out[j * stride + i] = T::of(*a));
    }
}
