//! Products A·B whose every entry is one fixed sum, whatever the shapes around it.
//!
//! Entry (i, q) is Σⱼ aᵢⱼbⱼq, added up in blocks of [`DEPTH`] terms in the order of j, in the precision of A and by fused
//! operations where the machine has them, and the blocks in double. So a row predicted alone has the same bits as within a
//! batch, a column of B alone the same as beside others, and threads, strides and alignment do not matter. faer's products
//! choose their kernel by shape and do not promise this.

use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::Real;
use super::columns::{column, column_mut};
use super::lanes::{Arithmetic, vectorised};
use super::register::Register;

/// Columns of the tile of C = A·B that is kept in registers.
const COLUMNS: usize = 6;
/// Terms of a partial sum: the rows of a tile with so many columns of A (32 kB) stay in the nearest cache.
const DEPTH: usize = 128;
/// Rows of A done at a time by one task: with as many columns of A as there are terms (256 kB) they stay in the second cache.
const PANEL: usize = 256;
/// Strips of B done by a task before it starts again at the first term: their sums stay in a near cache.
const GROUP: usize = 24;
/// Rows of the largest tile.
const TALLEST: usize = 64;

type BTile<T> = [T; COLUMNS];

/// Adds terms of a panel of C: `a` is rows×depth with columns in one piece, `b` holds strips of COLUMNS columns, each
/// `depth` long; `c` is the panel, strips of columns, each PANEL × COLUMNS. `room` is for a copy of A.
#[inline(always)]
fn terms_kernel<A: Arithmetic, T: Real>(a: MatRef<'_, T>, b: &[BTile<T>], c: &mut [f64], room: &mut [T]) {
    match A::WIDE {
        true => tiles::<T, A::Sums<T>, 4>(a, b, c, room),
        false => tiles::<T, A::Sums<T>, 2>(a, b, c, room),
    }
}

vectorised!(fn terms<T>(a: MatRef<'_, T>, b: &[BTile<T>], c: &mut [f64], room: &mut [T]) = terms_kernel);

#[inline(always)]
fn tiles<T: Real, R: Register<T>, const REGISTERS: usize>(
    a: MatRef<'_, T>,
    b: &[BTile<T>],
    c: &mut [f64],
    room: &mut [T],
) {
    let ((rows, depth), height) = (a.shape(), REGISTERS * R::LANES);
    for first in (0..rows).step_by(height) {
        let count = height.min(rows - first);
        let strips = b.chunks_exact(depth).zip(c.chunks_exact_mut(PANEL * COLUMNS));
        if b.len() == depth && count == height {
            for (b, c) in strips {
                add_tile::<T, R, REGISTERS>(|j| &column(a, j)[first..first + height], b, &mut c[first..], count);
            }
            continue;
        }
        // the columns of a tile one after the other: where they lie, each is in a page of its own, and there are more of them
        // than the processor keeps addresses of; the last rows are filled up with zeros
        for (j, line) in room[..depth * height].chunks_exact_mut(height).enumerate() {
            line[..count].copy_from_slice(&column(a, j)[first..first + count]);
            line[count..].fill(T::default());
        }
        for (b, c) in strips {
            add_tile::<T, R, REGISTERS>(|j| &room[j * height..][..height], b, &mut c[first..], count);
        }
    }
}

/// Adds Σⱼ aᵢⱼbⱼq of one tile to the first rows of a strip, from what lies side by side of A for each j.
#[inline(always)]
fn add_tile<'a, T: Real + 'a, R: Register<T>, const REGISTERS: usize>(
    a: impl Fn(usize) -> &'a [T],
    b: &[BTile<T>],
    c: &mut [f64],
    count: usize,
) {
    let mut sums = [[R::splat(T::default()); REGISTERS]; COLUMNS];
    for (j, b) in b.iter().enumerate() {
        let a = a(j);
        let a: [R; REGISTERS] = std::array::from_fn(|r| R::load(&a[r * R::LANES..]));
        for q in 0..COLUMNS {
            let b = R::splat(b[q]);
            for r in 0..REGISTERS {
                sums[q][r] = a[r].fma(b, sums[q][r]);
            }
        }
    }
    // by numbers: an iterator over the sums would take them through memory
    for q in 0..COLUMNS {
        let c = &mut c[q * PANEL..][..count];
        for r in 0..REGISTERS {
            if let Some(c) = c.get_mut(r * R::LANES..) {
                sums[q][r].add_to(c);
            }
        }
    }
}

/// The right factor of many products, in the precision and order in which they read it.
///
/// ```
/// use faer::Mat;
/// use orff::linalg::{Factor, product};
/// let (c, z) = (Mat::from_fn(9, 7, |i, j| (i * j) as f64), Mat::from_fn(7, 3, |j, q| (j + q) as f64));
/// let factor = Factor::new(z.as_ref());
/// assert_eq!(factor.product(c.as_ref()), product(c.as_ref(), z.as_ref()));
/// ```
pub struct Factor<T> {
    /// Block of depth after block of depth, each in strips of COLUMNS columns, padded with zeros.
    packed: Vec<BTile<T>>,
    shape: (usize, usize),
}

impl<T: Real> Factor<T> {
    /// Of Z (m×p).
    pub fn new(z: MatRef<f64>) -> Self {
        let (m, p) = z.shape();
        let strips = p.div_ceil(COLUMNS);
        let mut packed = vec![[T::default(); COLUMNS]; m * strips];
        for start in (0..m).step_by(DEPTH) {
            let depth = DEPTH.min(m - start);
            let block = &mut packed[start * strips..][..depth * strips];
            for q in 0..p {
                let (strip, lane) = (&mut block[q / COLUMNS * depth..][..depth], q % COLUMNS);
                for (j, tile) in strip.iter_mut().enumerate() {
                    tile[lane] = T::of(z[(start + j, q)]);
                }
            }
        }
        Factor { packed, shape: (m, p) }
    }

    /// [`product`] of C with it.
    pub fn product(&self, c: MatRef<T>) -> Mat<f64> {
        let mut out = Mat::zeros(c.nrows(), self.shape.1);
        multiply(out.as_mut(), c, self);
        out
    }
}

/// out = A·B.
fn multiply<T: Real>(mut out: MatMut<f64>, a: MatRef<T>, b: &Factor<T>) {
    let ((rows, m), p) = (a.shape(), b.shape.1);
    assert!(b.shape.0 == m && out.nrows() == rows && out.ncols() == p, "product: shapes do not agree");
    if rows == 0 || p == 0 {
        return;
    }
    let (strips, packed) = (p.div_ceil(COLUMNS), &b.packed);

    let panel = |mut out: MatMut<f64>, a: MatRef<T>| {
        let owned = if a.row_stride() == 1 { None } else { Some(a.to_owned()) };
        let a = owned.as_ref().map_or(a, Mat::as_ref);
        let mut c = vec![0.0; PANEL * GROUP.min(strips) * COLUMNS]; // PANEL × columns of a group
        let mut room = Mat::zeros(TALLEST * DEPTH, 1); // a matrix begins where a register may be read at once
        let room = column_mut(room.as_mut(), 0);
        for first in (0..strips).step_by(GROUP) {
            let count = GROUP.min(strips - first);
            let c = &mut c[..PANEL * count * COLUMNS];
            c.fill(0.0);
            for start in (0..m).step_by(DEPTH) {
                let depth = DEPTH.min(m - start);
                let b = &packed[start * strips + first * depth..][..count * depth];
                terms(a.subcols(start, depth), b, c, room);
            }
            for (c, q) in c.chunks_exact(PANEL).zip(first * COLUMNS..p) {
                match out.as_mut().col_mut(q).try_as_col_major_mut() {
                    Some(out) => out.as_slice_mut().copy_from_slice(&c[..a.nrows()]),
                    None => out.as_mut().col_mut(q).iter_mut().zip(c).for_each(|(out, c)| *out = *c),
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

/// C·Z for C b×m, in either precision, and Z m×p: 2bmp operations, m·p numbers of scratch and some 200 kB per thread.
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
pub fn product<T: Real>(c: MatRef<T>, z: MatRef<f64>) -> Mat<f64> {
    Factor::new(z).product(c)
}

/// As [`product`], into a given b×p matrix.
pub fn product_into(out: MatMut<f64>, c: MatRef<f64>, z: MatRef<f64>) {
    multiply(out, c, &Factor::new(z))
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
