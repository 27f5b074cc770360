//! S += CᵀC, where nearly all the time of a fit goes.
//!
//! The lower triangle is cut into strips of rows, long strips into pieces, at places fixed by its order; a piece is one
//! task, the largest are started first. A task copies the columns of C that make its rows once, into the order in which
//! registers take them, and reads the others where they are: several numbers of each at a time are broadcast, so that
//! nothing has to be copied for them. General products copy both sides anew for every piece, which cost a tenth of the
//! time in double precision and a quarter in single.

use faer::{Mat, MatMut, MatRef};

use super::Real;
use super::columns::{column, column_mut};
use super::lanes::{Arithmetic, vectorised};
use super::register::Register;

/// Rows of C whose products are summed in registers, and in the precision of C, before they are added to S.
const DEPTH: usize = 1024;
/// Registers of rows of a tile: with eight columns they leave few of 32 registers, with four few of 16.
const REGISTERS: usize = 3;
/// Numbers of the largest tile.
const TILE: usize = 8 * REGISTERS * 16;

/// Rows of a strip, by the order of the matrix alone: narrower ones for small matrices, so that there are enough. Whole
/// tiles, and no more than the second cache holds of as many columns of C.
fn strip<T>(m: usize) -> usize {
    let tile = REGISTERS * 64 / size_of::<T>();
    (m / 10).next_multiple_of(tile).clamp(tile, 3 * tile)
}

/// Columns of a piece of a strip, a multiple of those of a tile: the longest pieces must not keep many threads waiting at
/// the end.
const PIECE: usize = 2016;

/// Adds CᵀC to the lower triangle of `s` (m×m); what is above the diagonal is left as it is. `c` is rows×m, best
/// column-major with a column stride that is no power of two (see [`Block`]). rows·m² operations.
///
/// The bits depend on the number of rows in the block, not on the number of threads: give it blocks of a fixed
/// number of rows, 1024 for speed. In single precision the products of 1024 rows are summed in single precision, these sums
/// in double.
///
/// # Panics
/// When the shapes do not agree, or `s` is not column-major.
pub fn rank_update<T: Real>(s: MatMut<f64>, c: MatRef<T>) {
    let m = c.ncols();
    assert!(s.nrows() == m && s.ncols() == m, "rank_update: {}×{} += ({m} columns)²", s.nrows(), s.ncols());
    assert!(s.row_stride() == 1, "rank_update: the columns of the matrix are not contiguous");
    if c.row_stride() != 1 {
        return rank_update(s, c.to_owned().as_ref());
    }
    let mut pieces = cut(s, strip::<T>(m));
    if pieces.len() == 1 || rayon::current_num_threads() == 1 {
        pieces.into_iter().for_each(|piece| update(piece, c));
    } else {
        pieces.sort_by_key(|piece| std::cmp::Reverse(piece.s.nrows() * piece.s.ncols()));
        rayon::scope_fifo(|scope| {
            for piece in pieces {
                scope.spawn_fifo(move |_| update(piece, c));
            }
        });
    }
}

/// Entries (row.., column..) of the matrix, of which those on and below the diagonal are meant.
struct Piece<'a> {
    row: usize,
    column: usize,
    s: MatMut<'a, f64>,
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
        for column in (0..row + count).step_by(PIECE) {
            let (s, rest) = right.split_at_col_mut(PIECE.min(row + count - column));
            right = rest;
            pieces.push(Piece { row, column, s });
        }
    }
    pieces
}

vectorised!(
    /// Adds a piece of CᵀC.
    fn update<T>(piece: Piece<'_>, c: MatRef<'_, T>) = update_kernel
);

#[inline(always)]
fn update_kernel<A: Arithmetic, T: Real>(piece: Piece<'_>, c: MatRef<'_, T>) {
    match A::WIDE {
        true => piece.update::<A::Sums<T>, T, 8>(c),
        false => piece.update::<A::Sums<T>, T, 4>(c),
    }
}

impl Piece<'_> {
    #[inline(always)]
    fn update<R: Register<T>, T: Real, const COLUMNS: usize>(self, c: MatRef<'_, T>) {
        let Piece { row, column: first, mut s } = self;
        let (rows, last, height) = (s.nrows(), c.ncols().saturating_sub(1), REGISTERS * R::LANES);
        let mut packed = vec![T::default(); rows.next_multiple_of(height) * DEPTH.min(c.nrows())];
        let mut sums = [T::default(); TILE];
        for from in (0..c.nrows()).step_by(DEPTH) {
            let c = c.subrows(from, DEPTH.min(c.nrows() - from));
            let tile = height * c.nrows();
            pack(c, row, rows, height, &mut packed);
            for j in (0..s.ncols()).step_by(COLUMNS) {
                // the last column is repeated where there are too few
                let right: [&[T]; COLUMNS] = std::array::from_fn(|q| column(c, (first + j + q).min(last)));
                for (left, i) in packed.chunks_exact(tile).zip((0..rows).step_by(height)) {
                    if row + i + height <= first + j {
                        continue; // above the diagonal
                    }
                    products::<R, T, COLUMNS>(left, right, &mut sums);
                    for (q, sums) in sums.chunks_exact(height).enumerate().take(COLUMNS.min(s.ncols() - j)) {
                        let s = &mut column_mut(s.as_mut(), j + q)[i..rows.min(i + height)];
                        let from = (first + j + q).saturating_sub(row + i).min(s.len());
                        s[from..].iter_mut().zip(&sums[from..]).for_each(|(s, sum)| *s += (*sum).into());
                    }
                }
            }
        }
    }
}

/// The columns from `first` on, in tiles of `height` of them, row after row; the last tile is filled up with zeros.
#[inline(always)]
fn pack<T: Real>(c: MatRef<'_, T>, first: usize, count: usize, height: usize, packed: &mut [T]) {
    for (tile, from) in packed.chunks_exact_mut(height * c.nrows()).zip((0..count).step_by(height)) {
        if count - from < height {
            tile.fill(T::default());
        }
        let some = height.min(count - from);
        for lane in (0..some / 4 * 4).step_by(4) {
            let [a, b, c, d] = std::array::from_fn(|q| column(c, first + from + lane + q));
            let columns = a.iter().zip(b).zip(c.iter().zip(d));
            for (row, ((a, b), (c, d))) in tile.chunks_exact_mut(height).zip(columns) {
                row[lane..lane + 4].copy_from_slice(&[*a, *b, *c, *d]);
            }
        }
        for lane in some / 4 * 4..some {
            let column = column(c, first + from + lane);
            tile.chunks_exact_mut(height).zip(column).for_each(|(row, v)| row[lane] = *v);
        }
    }
}

/// Products of the columns of a packed tile with some others: sums of each of these, one after the other.
#[inline(always)]
fn products<R: Register<T>, T: Real, const COLUMNS: usize>(left: &[T], right: [&[T]; COLUMNS], sums: &mut [T; TILE]) {
    let height = REGISTERS * R::LANES;
    let rows = left.len() / height;
    // as long as is read, so that nothing is checked in the loop: the compiler sees it of a plain loop only
    let mut columns: [&[T]; COLUMNS] = [&[]; COLUMNS];
    for q in 0..COLUMNS {
        columns[q] = &right[q][..rows];
    }
    let mut tile = [[R::splat(T::default()); REGISTERS]; COLUMNS];
    for (i, left) in (0..rows).zip(left.chunks_exact(height)) {
        let left: [R; REGISTERS] = std::array::from_fn(|r| R::load(&left[r * R::LANES..]));
        for q in 0..COLUMNS {
            let by = R::splat(columns[q][i]);
            for r in 0..REGISTERS {
                tile[q][r] = left[r].fma(by, tile[q][r]);
            }
        }
    }
    for q in 0..COLUMNS {
        for r in 0..REGISTERS {
            tile[q][r].store(&mut sums[(q * REGISTERS + r) * R::LANES..]);
        }
    }
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
