//! XΩᵀ with a fixed order of additions.
//!
//! A general matrix product chooses its kernel by shape, so the bits of an entry depend on how many rows and atoms are
//! computed with it. Here every entry is the same chain of products and sums over k = 0, …, d−1, whatever the shape:
//! vector lanes hold different entries, never parts of one.

use crate::linalg::Real;
use crate::linalg::lanes::{Arithmetic, vectorised};
use faer::prelude::ReborrowMut;
use faer::{Mat, MatMut, MatRef};

/// Numbers of X that are packed at once.
const CACHE: usize = 16_384;

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

/// Two or four registers of rows for each of four atoms. (Many larger tiles are no longer unrolled by the compiler, and then
/// many times slower.)
#[inline(always)]
fn tiles<A: Arithmetic, T: Real>(x: MatRef<'_, f64>, omega: MatRef<'_, f64>, out: MatMut<'_, T>) {
    match (A::WIDE, size_of::<T>() < 8) {
        (true, _) => tiles_of::<A, T, 32, 4>(x, omega, out),
        (false, true) => tiles_of::<A, T, 16, 4>(x, omega, out),
        (false, false) => tiles_of::<A, T, 8, 4>(x, omega, out),
    }
}

#[inline(always)]
fn tiles_of<A: Arithmetic, T: Real, const ROWS: usize, const ATOMS: usize>(
    x: MatRef<'_, f64>,
    omega: MatRef<'_, f64>,
    mut out: MatMut<'_, T>,
) {
    let (b, d, count) = (x.nrows(), x.ncols(), omega.nrows());
    let atoms = pack::<T, ATOMS>(omega);
    // one tile at least, however many inputs there are
    let slab = (CACHE / d.max(1)).max(1).next_multiple_of(ROWS);
    for top in (0..b).step_by(slab) {
        let height = slab.min(b - top);
        let rows = pack::<T, ROWS>(x.subrows(top, height));
        for (group, weights) in atoms.chunks_exact(d.max(1)).enumerate() {
            let first = group * ATOMS;
            let mut columns: [(&mut [[T; ROWS]], &mut [T]); ATOMS] = std::array::from_fn(|_| Default::default());
            let place = out.rb_mut().submatrix_mut(top, first, height, ATOMS.min(count - first));
            for (slot, column) in columns.iter_mut().zip(place.col_iter_mut()) {
                let column = column.try_as_col_major_mut().expect("columns in one piece");
                *slot = column.as_slice_mut().as_chunks_mut();
            }
            for (i, rows) in rows.chunks_exact(d.max(1)).enumerate() {
                let sums = tile::<A, T, ROWS, ATOMS>(rows, weights);
                for ((whole, tail), sums) in columns.iter_mut().zip(&sums) {
                    match whole.get_mut(i) {
                        Some(place) => *place = *sums,
                        None => tail.iter_mut().zip(sums).for_each(|(place, sum)| *place = *sum),
                    }
                }
            }
        }
    }
}

/// One tile: sums[a][i] = Σₖ rows[k][i]·weights[k][a].
#[inline(always)]
fn tile<A: Arithmetic, T: Real, const ROWS: usize, const ATOMS: usize>(
    rows: &[[T; ROWS]],
    weights: &[[T; ATOMS]],
) -> [[T; ROWS]; ATOMS] {
    let mut sums = [[T::default(); ROWS]; ATOMS];
    for (row, weight) in rows.iter().zip(weights) {
        for a in 0..ATOMS {
            for i in 0..ROWS {
                sums[a][i] = A::fma(row[i], weight[a], sums[a][i]);
            }
        }
    }
    sums
}

/// Rows of a matrix in groups of N, each group d×N, the last one filled with zeros.
#[inline(always)]
fn pack<T: Real, const N: usize>(m: MatRef<'_, f64>) -> Vec<[T; N]> {
    let (rows, d) = m.shape();
    let columns: Option<Vec<&[f64]>> =
        (0..d).map(|k| m.col(k).try_as_col_major().map(|column| column.as_slice())).collect();
    let mut packed = Vec::with_capacity(rows.div_ceil(N) * d);
    for from in (0..rows).step_by(N) {
        for k in 0..d {
            let mut group = [T::default(); N];
            match &columns {
                Some(columns) if from + N <= rows => {
                    let whole = &columns[k][from..from + N];
                    (0..N).for_each(|i| group[i] = T::of(whole[i]));
                }
                _ => (from..rows.min(from + N)).for_each(|i| group[i - from] = T::of(m[(i, k)])),
            }
            packed.push(group);
        }
    }
    packed
}
