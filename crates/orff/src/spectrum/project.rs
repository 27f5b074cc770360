//! XΩᵀ with a fixed order of additions.
//!
//! A general matrix product chooses its kernel by shape, so the bits of an entry depend on how many rows and atoms are
//! computed with it. Here every entry is the same chain of products and sums over k = 0, …, d−1, whatever the shape:
//! vector lanes hold different entries, never parts of one.

use faer::prelude::ReborrowMut;
use faer::{MatMut, MatRef};

/// Rows and atoms of a register tile.
const ROWS: usize = 8;
const ATOMS: usize = 4;

/// Numbers of X that are packed at once.
const CACHE: usize = 16_384;

/// out (b×D) = x (b×d) · omegaᵀ (d×D).
pub(super) fn project(x: MatRef<'_, f64>, omega: MatRef<'_, f64>, out: MatMut<'_, f64>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        #[target_feature(enable = "avx2,fma")]
        fn fast(x: MatRef<'_, f64>, omega: MatRef<'_, f64>, out: MatMut<'_, f64>) {
            tiles(x, omega, out, |x, w, sum| x.mul_add(w, sum));
        }
        // SAFETY: the processor has both features.
        return unsafe { fast(x, omega, out) };
    }
    tiles(x, omega, out, |x, w, sum| sum + x * w);
}

#[inline(always)]
fn tiles(
    x: MatRef<'_, f64>,
    omega: MatRef<'_, f64>,
    mut out: MatMut<'_, f64>,
    add: impl Fn(f64, f64, f64) -> f64 + Copy,
) {
    let (b, d, count) = (x.nrows(), x.ncols(), omega.nrows());
    let atoms = pack::<ATOMS>(omega);
    let slab = (CACHE / d.max(1)).next_multiple_of(ROWS);
    for top in (0..b).step_by(slab) {
        let height = slab.min(b - top);
        let rows = pack::<ROWS>(x.subrows(top, height));
        for (group, weights) in atoms.chunks_exact(d.max(1)).enumerate() {
            let first = group * ATOMS;
            let width = ATOMS.min(count - first);
            for (i, rows) in rows.chunks_exact(d.max(1)).enumerate() {
                let sums = tile(rows, weights, add);
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
fn tile(
    rows: &[[f64; ROWS]],
    weights: &[[f64; ATOMS]],
    add: impl Fn(f64, f64, f64) -> f64 + Copy,
) -> [[f64; ROWS]; ATOMS] {
    let mut sums = [[0.0; ROWS]; ATOMS];
    for (row, weight) in rows.iter().zip(weights) {
        for a in 0..ATOMS {
            for i in 0..ROWS {
                sums[a][i] = add(row[i], weight[a], sums[a][i]);
            }
        }
    }
    sums
}

/// Rows of a matrix in groups of N, each group d×N, the last one filled with zeros.
fn pack<const N: usize>(m: MatRef<'_, f64>) -> Vec<[f64; N]> {
    let mut packed = vec![[0.0; N]; m.nrows().div_ceil(N) * m.ncols()];
    for k in 0..m.ncols() {
        let column = m.col(k);
        for (group, chunk) in packed.chunks_exact_mut(m.ncols()).enumerate() {
            let from = group * N;
            let lines = N.min(m.nrows() - from);
            match column.try_as_col_major() {
                Some(column) => chunk[k][..lines].copy_from_slice(&column.as_slice()[from..from + lines]),
                None => (0..lines).for_each(|i| chunk[k][i] = column[from + i]),
            }
        }
    }
    packed
}
