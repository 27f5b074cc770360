//! XΩᵀ with a fixed order of additions.
//!
//! A general matrix product chooses its kernel by shape, so the bits of an entry depend on how many rows and atoms are
//! computed with it. Here every entry is the same chain of products and sums over k = 0, …, d−1, whatever the shape:
//! vector lanes hold different entries, never parts of one.

use crate::linalg::Real;
use crate::linalg::lanes::{Arithmetic, vectorised};
use faer::prelude::ReborrowMut;
use faer::{MatMut, MatRef};

/// Numbers of X that are packed at once.
const CACHE: usize = 16_384;

vectorised!(
    /// out (b×D) = x (b×d) · omegaᵀ (d×D), in the precision of `out`.
    pub(super) fn project<T>(x: MatRef<'_, f64>, omega: MatRef<'_, f64>, out: MatMut<'_, T>) = tiles
);

/// Two registers of rows for each atom. (Larger tiles are no longer unrolled by the compiler, and then many times slower.)
#[inline(always)]
fn tiles<A: Arithmetic, T: Real>(x: MatRef<'_, f64>, omega: MatRef<'_, f64>, out: MatMut<'_, T>) {
    match A::WIDE || size_of::<T>() < 8 {
        false => tiles_of::<A, T, 8, 4>(x, omega, out),
        true => tiles_of::<A, T, 16, 4>(x, omega, out),
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
    let slab = (CACHE / d.max(1)).next_multiple_of(ROWS);
    for top in (0..b).step_by(slab) {
        let height = slab.min(b - top);
        let rows = pack::<T, ROWS>(x.subrows(top, height));
        for (group, weights) in atoms.chunks_exact(d.max(1)).enumerate() {
            let first = group * ATOMS;
            let width = ATOMS.min(count - first);
            for (i, rows) in rows.chunks_exact(d.max(1)).enumerate() {
                let sums = tile::<A, T, ROWS, ATOMS>(rows, weights);
                let (from, lines) = (top + i * ROWS, ROWS.min(height - i * ROWS));
                for (a, sums) in sums.iter().enumerate().take(width) {
                    match out.rb_mut().col_mut(first + a).try_as_col_major_mut() {
                        // of a length that the compiler knows
                        Some(column) if lines == ROWS => {
                            column.as_slice_mut()[from..from + ROWS].copy_from_slice(sums)
                        }
                        Some(column) => column.as_slice_mut()[from..from + lines].copy_from_slice(&sums[..lines]),
                        None => (0..lines).for_each(|i| out[(from + i, first + a)] = sums[i]),
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
