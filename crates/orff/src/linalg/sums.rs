//! Sums over rows CᵀY, for a C that is too large to be copied.
//!
//! Entry (m, t) is Σᵢ cᵢₘyᵢₜ, added up in blocks of [`DEPTH`] bytes by interleaved partial sums in the precision of C, eight in
//! double, sixteen in single, and these in double, whatever columns are beside it: the bits depend on the number of rows alone.

use super::Real;
use super::columns::{column, rounded};
use super::lanes::{Arithmetic, vectorised};
use faer::{Mat, MatMut, MatRef};
use rayon::prelude::*;

/// Bytes of the rows of a column of which a few stay in the nearest cache.
const DEPTH: usize = 4096;
/// Columns of C that one task does at most, and tasks that few columns are cut into.
const TASK: usize = 128;
const TASKS: usize = 8;

/// out += CᵀY for C b×m, in either precision, and Y b×p, out m×p. 2bmp operations; C is read once.
///
/// # Panics
/// When the shapes do not agree.
///
/// ```
/// use faer::Mat;
/// let (c, y) = (Mat::from_fn(50, 3, |i, j| (i * j) as f64), Mat::from_fn(50, 2, |i, t| (i + t) as f64));
/// let mut out = Mat::<f64>::identity(3, 2);
/// orff::linalg::add_tn(out.as_mut(), c.as_ref(), y.as_ref());
/// assert_eq!(out, c.transpose() * &y + Mat::<f64>::identity(3, 2));
/// ```
pub fn add_tn<T: Real>(out: MatMut<f64>, c: MatRef<T>, y: MatRef<f64>) {
    let ((b, m), p) = (c.shape(), y.ncols());
    assert!(y.nrows() == b && out.nrows() == m && out.ncols() == p, "add_tn: shapes do not agree");
    if c.row_stride() != 1 {
        return add_tn(out, c.to_owned().as_ref(), y);
    }
    // in the precision of C once, not by every task
    let y: Mat<T> = rounded(y);
    let y = y.as_ref();
    if b * m * p < 1 << 15 || rayon::current_num_threads() == 1 {
        return add(c, y, out);
    }
    let task = m.div_ceil(TASKS).next_multiple_of(4).min(TASK);
    out.par_row_chunks_mut(task).zip(c.par_col_chunks(task)).for_each(|(out, c)| add(c, y, out));
}

vectorised!(fn add<T>(c: MatRef<'_, T>, y: MatRef<'_, T>, out: MatMut<'_, f64>) = add_kernel);

/// As many sums at once as the registers hold: those of four columns of C with six of Y, or with one.
#[inline(always)]
fn add_kernel<A: Arithmetic, T: Real>(c: MatRef<'_, T>, y: MatRef<'_, T>, mut out: MatMut<'_, f64>) {
    let depth = DEPTH / size_of::<T>();
    for from in (0..y.nrows()).step_by(depth) {
        let count = depth.min(y.nrows() - from);
        let (c, y, out) = (c.subrows(from, count), y.subrows(from, count), out.as_mut());
        match (A::WIDE, size_of::<T>()) {
            (true, 4) => add_groups::<A, T, 6, 16>(c, y, out),
            (false, 4) => add_groups::<A, T, 1, 16>(c, y, out),
            (true, _) => add_groups::<A, T, 6, 8>(c, y, out),
            (false, _) => add_groups::<A, T, 1, 8>(c, y, out),
        }
    }
}

#[inline(always)]
fn add_groups<A: Arithmetic, T: Real, const Q: usize, const LANES: usize>(
    c: MatRef<'_, T>,
    y: MatRef<'_, T>,
    mut out: MatMut<'_, f64>,
) {
    let (m, p) = (c.ncols(), y.ncols());
    let whole = y.nrows() / LANES * LANES;
    let mut packed = vec![[[T::default(); LANES]; Q]; whole / LANES];
    for first in (0..p).step_by(Q) {
        // the last columns are repeated where there are too few
        let some: [&[T]; Q] = std::array::from_fn(|q| column(y, (first + q).min(p - 1)));
        for (q, y) in some.iter().enumerate() {
            packed.iter_mut().zip(y.as_chunks::<LANES>().0).for_each(|(packed, y)| packed[q] = *y);
        }
        for from in (0..m).step_by(4) {
            let four: [&[T]; 4] = std::array::from_fn(|k| column(c, (from + k).min(m - 1)));
            let lanes = partial_sums::<A, T, Q, LANES>(four, &packed);
            for (k, i) in (from..m.min(from + 4)).enumerate() {
                for (q, t) in (first..p.min(first + Q)).enumerate() {
                    let rest = four[k][whole..].iter().zip(&some[q][whole..]);
                    let rest = rest.fold(0.0, |sum, (c, y)| A::fma((*c).into(), (*y).into(), sum));
                    out[(i, t)] += total(lanes[k][q]) + rest;
                }
            }
        }
    }
}

/// The sum of partial sums, by halves; eight of them in double.
#[inline(always)]
fn total<T: Real, const LANES: usize>(sums: [T; LANES]) -> f64 {
    let eight: [f64; 8] =
        std::array::from_fn(|l| if LANES == 16 { (sums[l] + sums[l + LANES / 2]).into() } else { sums[l].into() });
    let four: [f64; 4] = std::array::from_fn(|l| eight[l] + eight[l + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}

/// The partial sums of four columns with Q. Written so that the compiler keeps them all in registers.
#[inline(always)]
fn partial_sums<A: Arithmetic, T: Real, const Q: usize, const LANES: usize>(
    c: [&[T]; 4],
    y: &[[[T; LANES]; Q]],
) -> [[[T; LANES]; Q]; 4] {
    let [c0, c1, c2, c3] = c.map(|c| &c.as_chunks::<LANES>().0[..y.len()]);
    let [mut s0, mut s1, mut s2, mut s3] = [[[T::default(); LANES]; Q]; 4];
    for ((((y, c0), c1), c2), c3) in y.iter().zip(c0).zip(c1).zip(c2).zip(c3) {
        add_products::<A, T, Q, LANES>(&mut s0, c0, y);
        add_products::<A, T, Q, LANES>(&mut s1, c1, y);
        add_products::<A, T, Q, LANES>(&mut s2, c2, y);
        add_products::<A, T, Q, LANES>(&mut s3, c3, y);
    }
    [s0, s1, s2, s3]
}

#[inline(always)]
fn add_products<A: Arithmetic, T: Real, const Q: usize, const LANES: usize>(
    sums: &mut [[T; LANES]; Q],
    c: &[T; LANES],
    y: &[[T; LANES]; Q],
) {
    for q in 0..Q {
        for l in 0..LANES {
            sums[q][l] = A::fma(c[l], y[q][l], sums[q][l]);
        }
    }
}
