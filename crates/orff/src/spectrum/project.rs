//! XΩᵀ with a fixed order of additions.
//!
//! A general matrix product chooses its kernel by shape, so the bits of an entry depend on how many rows and atoms are
//! computed with it. Here every entry is the same chain of products and sums over k = 0, …, d−1, whatever the shape:
//! vector lanes hold different entries, never parts of one.

use crate::linalg::Real;
use crate::linalg::lanes::{Arithmetic, vectorised};
use faer::prelude::ReborrowMut;
use faer::{MatMut, MatRef};

/// Rows and atoms of a register tile.
const ROWS: usize = 8;
const ATOMS: usize = 4;

/// Numbers of X that are packed at once.
const CACHE: usize = 16_384;

vectorised!(
    /// out (b×D) = x (b×d) · omegaᵀ (d×D), in the precision of `out`.
    pub(super) fn project<T>(x: MatRef<'_, f64>, omega: MatRef<'_, f64>, out: MatMut<'_, T>) = tiles
);

#[inline(always)]
fn tiles<A: Arithmetic, T: Real>(x: MatRef<'_, f64>, omega: MatRef<'_, f64>, mut out: MatMut<'_, T>) {
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
                let sums = tile::<A, T>(rows, weights);
                let (from, lines) = (top + i * ROWS, ROWS.min(height - i * ROWS));
                for (a, sums) in sums.iter().enumerate().take(width) {
                    match out.rb_mut().col_mut(first + a).try_as_col_major_mut() {
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
fn tile<A: Arithmetic, T: Real>(rows: &[[T; ROWS]], weights: &[[T; ATOMS]]) -> [[T; ROWS]; ATOMS] {
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
    let mut packed = vec![[T::default(); N]; m.nrows().div_ceil(N) * m.ncols()];
    for k in 0..m.ncols() {
        let column = m.col(k);
        for (group, chunk) in packed.chunks_exact_mut(m.ncols()).enumerate() {
            let from = group * N;
            let lines = N.min(m.nrows() - from);
            match column.try_as_col_major() {
                Some(column) => {
                    let from = &column.as_slice()[from..from + lines];
                    chunk[k].iter_mut().zip(from).for_each(|(to, from)| *to = T::of(*from));
                }
                None => (0..lines).for_each(|i| chunk[k][i] = T::of(column[from + i])),
            }
        }
    }
    packed
}
