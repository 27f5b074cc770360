//! S += CᵀC, where nearly all the time of a fit goes.
//!
//! The lower triangle is cut into strips of rows, long strips into pieces, at places fixed by its order; a piece is one
//! sequential product, the largest are started first. faer's own parallel triangular product was as fast with AVX2 and
//! a third slower with AVX-512.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatMut, MatRef, Par};

use super::Real;
use super::lanes::{Arithmetic, vectorised};

/// Rows of a strip, by the order of the matrix alone: narrower ones for small matrices, so that there are enough. Whole
/// tiles of faer's products, 48 numbers in double precision and 96 in single.
fn strip<T>(m: usize) -> usize {
    match size_of::<T>() < 8 {
        true => (m / 10).next_multiple_of(96).clamp(96, 192),
        false => (m / 10).next_multiple_of(24).clamp(48, 144),
    }
}

/// Columns of a piece of a strip: the longest pieces must not keep many threads waiting at the end.
const PIECE: usize = 1008;

/// Adds CᵀC to the lower triangle of `s` (m×m); what is above the diagonal is left as it is. `c` is rows×m, best
/// column-major with a column stride that is no power of two (see [`Block`]). rows·m² operations.
///
/// The bits depend on the number of rows in the block, not on the number of threads: give it blocks of a fixed
/// number of rows, 1024 to 2048 for speed. In single precision the products of one block are summed in single precision,
/// the blocks in double.
///
/// # Panics
/// When the shapes do not agree, or `s` is not column-major.
pub fn rank_update<T: Real>(s: MatMut<f64>, c: MatRef<T>) {
    let m = c.ncols();
    in_pieces(s, m, strip::<T>(m), |piece| T::update(piece, c));
}

/// Does some work with every piece of the lower triangle of `s` (m×m), whose strips have so many rows.
pub(super) fn in_pieces(s: MatMut<f64>, m: usize, strip: usize, update: impl Fn(Piece) + Sync) {
    assert!(s.nrows() == m && s.ncols() == m, "rank_update: {}×{} += ({m} columns)²", s.nrows(), s.ncols());
    assert!(s.row_stride() == 1, "rank_update: the columns of the matrix are not contiguous");
    let mut pieces = cut(s, strip);
    if pieces.len() == 1 || rayon::current_num_threads() == 1 {
        pieces.into_iter().for_each(update);
    } else {
        pieces.sort_by_key(|piece| std::cmp::Reverse(piece.s.nrows() * piece.s.ncols()));
        let update = &update;
        rayon::scope_fifo(|scope| {
            for piece in pieces {
                scope.spawn_fifo(move |_| update(piece));
            }
        });
    }
}

/// Entries (row.., column..) of the triangle: a rectangle left of the diagonal, or a triangle on it.
pub struct Piece<'a> {
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) s: MatMut<'a, f64>,
}

/// The lower triangle in pieces of strips.
fn cut(s: MatMut<'_, f64>, strip: usize) -> Vec<Piece<'_>> {
    let m = s.nrows();
    let mut pieces = Vec::new();
    let mut below = s;
    for row in (0..m).step_by(strip) {
        let count = strip.min(m - row);
        let (mut right, rest) = below.split_at_row_mut(count);
        below = rest;
        for column in (0..row).step_by(PIECE) {
            let (s, rest) = right.split_at_col_mut(PIECE.min(row - column));
            right = rest;
            pieces.push(Piece { row, column, s });
        }
        pieces.push(Piece { row, column: row, s: right.subcols_mut(0, count) });
    }
    pieces
}

impl Piece<'_> {
    /// The columns of C whose products the piece holds.
    fn factors<'c, T>(&self, c: MatRef<'c, T>) -> (MatRef<'c, T>, MatRef<'c, T>) {
        (c.subcols(self.row, self.s.nrows()).transpose(), c.subcols(self.column, self.s.ncols()))
    }

    /// Adds its part of CᵀC, one sequential product.
    pub(super) fn update(self, c: MatRef<f64>) {
        let (left, right) = self.factors(c);
        let Piece { row, column, s } = self;
        if column < row {
            matmul(s, Accum::Add, left, right, 1.0, Par::Seq);
        } else {
            let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
            triangular::matmul(s, lower, Accum::Add, left, full, right, full, 1.0, Par::Seq);
        }
    }

    /// The same from characters in single precision.
    pub(super) fn update_single(self, c: MatRef<f32>) {
        let (left, right) = self.factors(c);
        let Piece { row, column, mut s } = self;
        let mut sums = Mat::<f32>::zeros(s.nrows(), s.ncols());
        matmul(sums.as_mut(), Accum::Replace, left, right, 1.0, Par::Seq);
        for j in 0..s.ncols() {
            let from = if column < row { 0 } else { j };
            let s = s.as_mut().col_mut(j).try_as_col_major_mut().expect("s is column-major").as_slice_mut();
            let sums = sums.col(j).try_as_col_major().expect("so is a matrix of faer").as_slice();
            add(&mut s[from..], &sums[from..]);
        }
    }
}

#[inline(always)]
fn add_kernel<A: Arithmetic>(s: &mut [f64], sums: &[f32]) {
    s.iter_mut().zip(sums).for_each(|(s, sum)| *s += f64::from(*sum));
}

vectorised!(pub(super) fn add(s: &mut [f64], sums: &[f32]) = add_kernel);

/// Copies the lower triangle to the upper one, in tiles: a column at a time would miss the cache at every entry.
pub fn mirror(mut s: MatMut<f64>) {
    const TILE: usize = 32;
    let m = s.nrows();
    assert!(s.ncols() == m, "mirror: {m}×{} is not square", s.ncols());
    for j0 in (0..m).step_by(TILE) {
        for i0 in (j0..m).step_by(TILE) {
            for j in j0..(j0 + TILE).min(m) {
                for i in i0.max(j + 1)..(i0 + TILE).min(m) {
                    s[(j, i)] = s[(i, j)];
                }
            }
        }
    }
}

/// A reusable rows×m buffer for characters, column-major, its columns eight numbers further apart than they are
/// long: with a power of two between them they would compete for the same places of the cache.
pub struct Block {
    data: Mat<f64>,
    rows: usize,
}

impl Block {
    /// Room for `rows`×`m` numbers, all zero.
    pub fn new(rows: usize, m: usize) -> Self {
        Block { data: Mat::zeros(rows + 8, m), rows }
    }

    /// The number of rows it was made for.
    pub fn capacity(&self) -> usize {
        self.rows
    }

    /// The first `rows` rows.
    pub fn rows(&self, rows: usize) -> MatRef<'_, f64> {
        assert!(rows <= self.rows, "block: {rows} rows of {}", self.rows);
        self.data.as_ref().subrows(0, rows)
    }

    /// The first `rows` rows, to be written.
    pub fn rows_mut(&mut self, rows: usize) -> MatMut<'_, f64> {
        assert!(rows <= self.rows, "block: {rows} rows of {}", self.rows);
        self.data.as_mut().subrows_mut(0, rows)
    }
}
