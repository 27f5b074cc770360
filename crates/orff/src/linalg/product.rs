//! Products A·B whose every entry is one fixed sum, whatever the shapes around it.
//!
//! Entry (i, q) is Σⱼ aᵢⱼbⱼq, added up in blocks of [`DEPTH`] terms in the order of j, by fused operations where the
//! machine has them. So a row predicted alone has the same bits as within a batch, a column of B alone the same as
//! beside others, and threads, strides and alignment do not matter. faer's products choose their kernel by shape and
//! do not promise this.

use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::lanes::{Arithmetic, vectorised};

/// Rows and columns of the tile of C = A·B that is kept in registers.
const TILE: (usize, usize) = (8, 4);
/// Terms of a partial sum: a strip of A (16 kB) and one of B (8 kB) stay in the first cache.
const DEPTH: usize = 256;
/// Rows of A packed at a time by one task.
const PANEL: usize = 64;
/// Strips of B done by a task before it starts again at the first term: their sums (32 kB) stay in a near cache.
const GROUP: usize = 16;

type ATile = [f64; TILE.0];
type BTile = [f64; TILE.1];

/// Cᵢq += Σⱼ aⱼᵢbⱼq for one tile.
#[inline(always)]
fn tile<A: Arithmetic>(a: &[ATile], b: &[BTile]) -> [ATile; TILE.1] {
    let mut sums = [[0.0; TILE.0]; TILE.1];
    for (a, b) in a.iter().zip(b) {
        for q in 0..TILE.1 {
            for i in 0..TILE.0 {
                sums[q][i] = A::fma(a[i], b[q], sums[q][i]);
            }
        }
    }
    sums
}

/// All tiles of a panel: `a` holds strips of TILE.0 rows, `b` strips of TILE.1 columns, each `depth` long; `c` is
/// the panel of the result, strips of columns, each PANEL × TILE.1.
#[inline(always)]
fn tiles_kernel<A: Arithmetic>(a: &[ATile], b: &[BTile], depth: usize, c: &mut [f64]) {
    for (b, c) in b.chunks_exact(depth).zip(c.chunks_exact_mut(PANEL * TILE.1)) {
        for (a, first) in a.chunks_exact(depth).zip((0..).step_by(TILE.0)) {
            let sums = tile::<A>(a, b);
            for q in 0..TILE.1 {
                let c = &mut c[q * PANEL + first..][..TILE.0];
                for i in 0..TILE.0 {
                    c[i] += sums[q][i];
                }
            }
        }
    }
}

vectorised!(fn tiles(a: &[ATile], b: &[BTile], depth: usize, c: &mut [f64]) = tiles_kernel);

/// The rows of `a` (≤ PANEL) × columns j.. of one block of depth, in strips of TILE.0 rows, padded with zeros.
fn pack_a(a: MatRef<f64>, packed: &mut [ATile]) {
    let (rows, depth) = a.shape();
    let strips = rows.div_ceil(TILE.0);
    if rows % TILE.0 != 0 {
        packed[(strips - 1) * depth..strips * depth].fill([0.0; TILE.0]);
    }
    if a.row_stride() == 1 {
        for j in 0..depth {
            let column = a.col(j).try_as_col_major().expect("row stride 1").as_slice();
            let (whole, rest) = column.as_chunks::<{ TILE.0 }>();
            for (s, values) in whole.iter().enumerate() {
                packed[s * depth + j] = *values;
            }
            if !rest.is_empty() {
                packed[whole.len() * depth + j][..rest.len()].copy_from_slice(rest);
            }
        }
    } else if a.col_stride() == 1 {
        for i in 0..rows {
            let row = a.row(i).transpose().try_as_col_major().expect("column stride 1").as_slice();
            let (strip, lane) = (&mut packed[i / TILE.0 * depth..][..depth], i % TILE.0);
            for (tile, value) in strip.iter_mut().zip(row) {
                tile[lane] = *value;
            }
        }
    } else {
        for i in 0..rows {
            for j in 0..depth {
                packed[i / TILE.0 * depth + j][i % TILE.0] = a[(i, j)];
            }
        }
    }
}

/// All of `b`, block of depth after block of depth, each in strips of TILE.1 columns, padded with zeros.
fn pack_b(b: MatRef<f64>) -> Vec<BTile> {
    let (m, p) = b.shape();
    let strips = p.div_ceil(TILE.1);
    let mut packed = vec![[0.0; TILE.1]; m * strips];
    for start in (0..m).step_by(DEPTH) {
        let depth = DEPTH.min(m - start);
        let block = &mut packed[start * strips..][..depth * strips];
        for q in 0..p {
            let (strip, lane) = (&mut block[q / TILE.1 * depth..][..depth], q % TILE.1);
            for (j, tile) in strip.iter_mut().enumerate() {
                tile[lane] = b[(start + j, q)];
            }
        }
    }
    packed
}

/// out = A·B.
fn multiply(mut out: MatMut<f64>, a: MatRef<f64>, b: MatRef<f64>) {
    let ((rows, m), p) = (a.shape(), b.ncols());
    assert!(b.nrows() == m && out.nrows() == rows && out.ncols() == p, "product: shapes do not agree");
    if rows == 0 || p == 0 {
        return;
    }
    let strips = p.div_ceil(TILE.1);
    let packed_b = pack_b(b);

    let panel = |mut out: MatMut<f64>, a: MatRef<f64>| {
        let used = a.nrows().div_ceil(TILE.0);
        let mut packed_a = vec![[0.0; TILE.0]; used * DEPTH.min(m)];
        let mut c = vec![0.0; PANEL * GROUP.min(strips) * TILE.1]; // PANEL × columns of a group
        for first in (0..strips).step_by(GROUP) {
            let count = GROUP.min(strips - first);
            let c = &mut c[..PANEL * count * TILE.1];
            c.fill(0.0);
            for start in (0..m).step_by(DEPTH) {
                let depth = DEPTH.min(m - start);
                let packed_a = &mut packed_a[..used * depth];
                if first == 0 || m > DEPTH {
                    pack_a(a.subcols(start, depth), packed_a);
                }
                tiles(packed_a, &packed_b[start * strips + first * depth..][..count * depth], depth, c);
            }
            for (c, q) in c.chunks_exact(PANEL).zip(first * TILE.1..p) {
                for (out, c) in out.as_mut().col_mut(q).iter_mut().zip(c) {
                    *out = *c;
                }
            }
        }
    };

    if rows <= PANEL || rows * m * p < 1 << 15 || rayon::current_num_threads() == 1 {
        for first in (0..rows).step_by(PANEL) {
            let count = PANEL.min(rows - first);
            panel(out.as_mut().subrows_mut(first, count), a.subrows(first, count));
        }
    } else {
        out.par_row_chunks_mut(PANEL).zip(a.par_row_chunks(PANEL)).for_each(|(out, a)| panel(out, a));
    }
}

/// C·Z for C b×m and Z m×p: 2bmp operations, m·p numbers of scratch and some 160 kB per thread.
///
/// # Panics
/// When the shapes do not agree; so do the other products.
///
/// ```
/// use faer::{Mat, mat};
/// let c = Mat::from_fn(100, 7, |i, j| (i * j) as f64);
/// let z = Mat::from_fn(7, 3, |j, q| (j + q) as f64 / 3.0);
/// let all = orff::linalg::product(c.as_ref(), z.as_ref());
/// let one = orff::linalg::product(c.as_ref().subrows(42, 1), z.as_ref());
/// assert_eq!(one.row(0), all.row(42));
/// ```
pub fn product(c: MatRef<f64>, z: MatRef<f64>) -> Mat<f64> {
    let mut out = Mat::zeros(c.nrows(), z.ncols());
    multiply(out.as_mut(), c, z);
    out
}

/// As [`product`], into a given b×p matrix.
pub fn product_into(out: MatMut<f64>, c: MatRef<f64>, z: MatRef<f64>) {
    multiply(out, c, z)
}

/// Columns of a piece of a [`block_product`].
const PIECE: usize = 336;

/// As [`product`] by faer's kernels, several times as fast for large Z. Z is cut into pieces of columns by its shape
/// alone, so that the bits do not depend on the number of threads; they do on the number of rows: give it blocks of a
/// fixed number.
pub fn block_product(c: MatRef<f64>, z: MatRef<f64>) -> Mat<f64> {
    let mut out = Mat::zeros(c.nrows(), z.ncols());
    let pieces = out.par_col_chunks_mut(PIECE).zip(z.par_col_chunks(PIECE));
    pieces.for_each(|(out, z)| faer::linalg::matmul::matmul(out, Accum::Replace, c, z, 1.0, Par::Seq));
    out
}
