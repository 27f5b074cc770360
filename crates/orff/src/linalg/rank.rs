//! S += CᵀC, where nearly all the time of a fit goes.
//!
//! The lower triangle is cut into strips of rows at fixed places; a strip is one sequential product, the longest are
//! started first. faer's own parallel triangular product is a third slower.

use faer::linalg::matmul::{matmul, triangular};
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Rows of a strip.
const STRIP: usize = 192;

/// Adds CᵀC to the lower triangle of `s` (m×m); what is above the diagonal is left as it is. `c` is rows×m, best
/// column-major with a column stride that is no power of two (see [`Block`]). rows·m² operations.
///
/// The bits depend on the number of rows in the block, not on the number of threads: give it blocks of a fixed
/// number of rows, 1024 to 2048 for speed.
///
/// # Panics
/// When the shapes do not agree.
pub fn rank_update(s: MatMut<f64>, c: MatRef<f64>) {
    let m = c.ncols();
    assert!(s.nrows() == m && s.ncols() == m, "rank_update: {}×{} += ({m} columns)²", s.nrows(), s.ncols());
    let mut strips = Vec::with_capacity(m.div_ceil(STRIP));
    let mut rest = s;
    for first in (0..m).step_by(STRIP) {
        let (strip, below) = rest.split_at_row_mut(STRIP.min(m - first));
        strips.push((first, strip));
        rest = below;
    }
    if strips.len() == 1 || rayon::current_num_threads() == 1 {
        for (first, s) in strips {
            update_strip(s, c, first);
        }
    } else {
        rayon::scope_fifo(|scope| {
            for (first, s) in strips.into_iter().rev() {
                scope.spawn_fifo(move |_| update_strip(s, c, first));
            }
        });
    }
}

/// Rows first.. of the triangle: a rectangle and the triangle at its right end.
fn update_strip(s: MatMut<f64>, c: MatRef<f64>, first: usize) {
    let count = s.nrows();
    let (left, right) = s.split_at_col_mut(first);
    let own = c.subcols(first, count);
    if first > 0 {
        matmul(left, Accum::Add, own.transpose(), c.subcols(0, first), 1.0, Par::Seq);
    }
    triangular::matmul(
        right.subcols_mut(0, count),
        triangular::BlockStructure::TriangularLower,
        Accum::Add,
        own.transpose(),
        triangular::BlockStructure::Rectangular,
        own,
        triangular::BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

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
