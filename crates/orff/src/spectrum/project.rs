//! XΩᵀ with a fixed order of additions.
//!
//! A general matrix product chooses its kernel by shape, so the bits of an entry depend on how many rows and atoms are
//! computed with it. Here every entry is the same chain of products and sums over k = 0, …, d−1, whatever the shape:
//! vector lanes hold different entries, never parts of one.

use crate::linalg::Real;
use crate::linalg::lanes::{Arithmetic, vectorised};
use crate::linalg::register::Register;
use faer::prelude::ReborrowMut;
use faer::{Mat, MatMut, MatRef};

/// Numbers of X that are packed at once.
const CACHE: usize = 16_384;
/// Atoms of a tile.
const ATOMS: usize = 4;

/// out (b×D) = x (b×d) · omegaᵀ (d×D), in the precision of `out`.
pub(super) fn project<T: Real>(x: MatRef<'_, f64>, omega: MatRef<'_, f64>, mut out: MatMut<'_, T>) {
    if out.row_stride() == 1 {
        return into_columns(x, omega, out);
    }
    let mut columns = Mat::<T>::zeros(out.nrows(), out.ncols());
    into_columns(x, omega, columns.as_mut());
    out.copy_from(&columns);
}

vectorised!(fn into_columns<T>(x: MatRef<'_, f64>, omega: MatRef<'_, f64>, out: MatMut<'_, T>) = tiles);

/// Four or two registers of rows for each of four atoms.
#[inline(always)]
fn tiles<A: Arithmetic, T: Real>(x: MatRef<'_, f64>, omega: MatRef<'_, f64>, out: MatMut<'_, T>) {
    match A::WIDE {
        true => tiles_of::<A::Sums<T>, T, 4>(x, omega, out),
        false => tiles_of::<A::Sums<T>, T, 2>(x, omega, out),
    }
}

#[inline(always)]
fn tiles_of<R: Register<T>, T: Real, const REGISTERS: usize>(
    x: MatRef<'_, f64>,
    omega: MatRef<'_, f64>,
    mut out: MatMut<'_, T>,
) {
    let (b, d, count) = (x.nrows(), x.ncols(), omega.nrows());
    let height = R::LANES * REGISTERS; // of a tile
    let atoms = pack::<T>(omega, ATOMS);
    // one tile at least, however many inputs there are
    let slab = (CACHE / d.max(1)).max(1).next_multiple_of(height);
    for top in (0..b).step_by(slab) {
        let some = slab.min(b - top);
        let rows = pack::<T>(x.subrows(top, some), height);
        for (weights, first) in atoms.chunks_exact(d.max(1) * ATOMS).zip((0..count).step_by(ATOMS)) {
            let mut place = out.rb_mut().submatrix_mut(top, first, some, ATOMS.min(count - first));
            for (rows, from) in rows.chunks_exact(d.max(1) * height).zip((0..some).step_by(height)) {
                let sums = tile::<R, T, REGISTERS>(rows, weights);
                for (column, sums) in place.rb_mut().col_iter_mut().zip(sums) {
                    let column = column.try_as_col_major_mut().expect("columns in one piece").as_slice_mut();
                    for (column, sums) in column[from..].chunks_mut(R::LANES).zip(sums) {
                        sums.store(column);
                    }
                }
            }
        }
    }
}

/// One tile: sums[a] holds Σₖ rows[k][i]·weights[k][a] for all i.
#[inline(always)]
fn tile<R: Register<T>, T: Real, const REGISTERS: usize>(rows: &[T], weights: &[T]) -> [[R; REGISTERS]; ATOMS] {
    let mut sums = [[R::splat(T::default()); REGISTERS]; ATOMS];
    for (row, weights) in rows.chunks_exact(R::LANES * REGISTERS).zip(weights.chunks_exact(ATOMS)) {
        let row: [R; REGISTERS] = std::array::from_fn(|r| R::load(&row[r * R::LANES..]));
        for a in 0..ATOMS {
            let weight = R::splat(weights[a]);
            for r in 0..REGISTERS {
                sums[a][r] = row[r].fma(weight, sums[a][r]);
            }
        }
    }
    sums
}

/// Rows of a matrix in groups of so many, each group d×`width`, the last one filled with zeros.
#[inline(always)]
fn pack<T: Real>(m: MatRef<'_, f64>, width: usize) -> Vec<T> {
    let (rows, d) = m.shape();
    let mut packed = vec![T::default(); rows.next_multiple_of(width) * d];
    for (k, column) in m.col_iter().enumerate() {
        let groups = packed.chunks_exact_mut(width * d).map(|group| &mut group[k * width..][..width]);
        match column.try_as_col_major() {
            Some(column) => {
                // whole groups, whose number of rows the compiler knows
                let (whole, rest) = column.as_slice().split_at(rows / width * width);
                for (n, group) in groups.enumerate() {
                    match whole.get(n * width..(n + 1) * width) {
                        Some(numbers) => group.iter_mut().zip(numbers).for_each(|(g, v)| *g = T::of(*v)),
                        None => group.iter_mut().zip(rest).for_each(|(g, v)| *g = T::of(*v)),
                    }
                }
            }
            None => groups.flatten().zip(column.iter()).for_each(|(g, v)| *g = T::of(*v)),
        }
    }
    packed
}
