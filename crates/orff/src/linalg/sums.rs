//! Sums over rows CᵀY, for a C that is too large to be copied.
//!
//! Entry (m, t) is Σᵢ cᵢₘyᵢₜ, added up in blocks of [`DEPTH`] rows in their order, in the precision of C and by fused
//! operations where the machine has them, and the blocks in double, whatever columns are beside it: the bits depend on
//! nothing but the two columns. Outputs lie side by side in registers, each character is multiplied with many at once: with
//! rows side by side, a sum would have to be added up across its register in the end.

use super::Real;
use super::columns::{column, column_mut, columns_mut};
use super::lanes::{Arithmetic, vectorised};
use super::register::Register;
use faer::{Mat, MatMut, MatRef};
use rayon::prelude::*;

/// Rows of a partial sum: the fewer, the less of it is lost in single precision, and the more often it is added in double.
const DEPTH: usize = 64;
/// Columns of C that one task does at most, and tasks that few columns are cut into.
const TASK: usize = 128;
const TASKS: usize = 8;
/// Bytes of a line of outputs, one or two registers, and lines of a strip.
const LINE: usize = 64;
const STRIP: usize = 4;

/// out += CᵀY for C b×m, in either precision, and Y b×p, out m×p. 2bmp operations; C is read once for each strip of outputs,
/// 32 in double and 64 in single.
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
pub fn add_tn<T: Real>(mut out: MatMut<f64>, c: MatRef<T>, y: MatRef<f64>) {
    assert!(out.ncols() == y.ncols(), "add_tn: shapes do not agree");
    if out.row_stride() != 1 {
        let mut sums = out.to_owned();
        add_tn(sums.as_mut(), c, y);
        return out.copy_from(sums);
    }
    let owned = if y.row_stride() == 1 { None } else { Some(y.to_owned()) };
    let y = owned.as_ref().map_or(y, |y| y.as_ref());
    let columns: Vec<&[f64]> = (0..y.ncols()).map(|t| column(y, t)).collect();
    add_columns(columns_mut(out).collect(), c, &columns);
}

/// The same column by column: out[t] (m) += Cᵀy[t], y[t] (b).
pub(crate) fn add_columns<T: Real>(mut out: Vec<&mut [f64]>, c: MatRef<T>, y: &[&[f64]]) {
    let ((b, m), p) = (c.shape(), y.len());
    let agree = out.len() == p && out.iter().all(|o| o.len() == m) && y.iter().all(|y| y.len() == b);
    assert!(agree, "add_tn: shapes do not agree");
    if c.row_stride() != 1 {
        return add_columns(out, c.to_owned().as_ref(), y);
    }
    if b == 0 || m == 0 || p == 0 {
        return;
    }
    let few = b * m * p < 1 << 15 || rayon::current_num_threads() == 1;
    let y = Lines::new(y, few);
    if few {
        return add(c, &y, &mut out);
    }
    let task = m.div_ceil(TASKS).next_multiple_of(24).min(TASK);
    let mut tasks: Vec<Vec<&mut [f64]>> = (0..m.div_ceil(task)).map(|_| Vec::with_capacity(p)).collect();
    for column in out {
        tasks.iter_mut().zip(column.chunks_mut(task)).for_each(|(task, piece)| task.push(piece));
    }
    tasks.into_par_iter().zip(c.par_col_chunks(task)).for_each(|(mut out, c)| add(c, &y, &mut out));
}

/// Outputs in the precision and order in which they are read: strip after strip, in each row after row, its outputs side by
/// side and zeros where there are no more.
struct Lines<T> {
    /// One column, as that of a matrix begins where a register may be read at once.
    numbers: Mat<T>,
    rows: usize,
    outputs: usize,
}

impl<T: Real> Lines<T> {
    /// Numbers in a line.
    const LONG: usize = LINE / size_of::<T>();

    fn new(y: &[&[f64]], alone: bool) -> Self {
        let (rows, outputs) = (y[0].len(), y.len());
        let mut numbers = Mat::zeros(outputs.next_multiple_of(Self::LONG) * rows, 1);
        for (strip, y) in
            column_mut(numbers.as_mut(), 0).chunks_mut(STRIP * Self::LONG * rows).zip(y.chunks(STRIP * Self::LONG))
        {
            let width = strip.len() / rows;
            let fill = |(block, to): (usize, &mut [T])| {
                for (t, y) in y.iter().enumerate() {
                    let lines = to.chunks_exact_mut(width).zip(&y[block * DEPTH..]);
                    lines.for_each(|(line, y)| line[t] = T::of(*y));
                }
            };
            match alone {
                true => strip.chunks_mut(DEPTH * width).enumerate().for_each(fill),
                false => strip.par_chunks_mut(DEPTH * width).enumerate().for_each(fill),
            }
        }
        Lines { numbers, rows, outputs }
    }
}

vectorised!(fn add<T>(c: MatRef<'_, T>, y: &Lines<T>, out: &mut [&mut [f64]]) = add_kernel);

#[inline(always)]
fn add_kernel<A: Arithmetic, T: Real>(c: MatRef<'_, T>, y: &Lines<T>, out: &mut [&mut [f64]]) {
    let (m, long) = (c.ncols(), Lines::<T>::LONG);
    let mut sums = vec![0.0; m * (STRIP * long).min(y.outputs.next_multiple_of(long))]; // m×width, row by row
    for (strip, out) in column(y.numbers.as_ref(), 0).chunks(STRIP * long * y.rows).zip(out.chunks_mut(STRIP * long))
    {
        let width = strip.len() / y.rows;
        let sums = &mut sums[..m * width];
        sums.fill(0.0);
        // as many sums at once as there are registers for
        match (A::WIDE, width / long) {
            (true, 1) => add_tiles::<T, A::Sums<T>, 8, 1>(c, strip, (width, 0), sums),
            (true, 2) => add_tiles::<T, A::Sums<T>, 8, 2>(c, strip, (width, 0), sums),
            (true, 3) => add_tiles::<T, A::Sums<T>, 8, 3>(c, strip, (width, 0), sums),
            (true, _) => add_tiles::<T, A::Sums<T>, 6, STRIP>(c, strip, (width, 0), sums),
            (false, lines) => {
                for l in 0..lines {
                    add_tiles::<T, A::Sums<T>, 6, 2>(c, strip, (width, l * long), sums);
                }
            }
        }
        for (t, out) in out.iter_mut().enumerate() {
            out.iter_mut().zip(sums.chunks_exact(width)).for_each(|(out, sums)| *out += sums[t]);
        }
    }
}

/// Adds the products of all columns of C (rows×m) with V registers of outputs, which begin at `at` in lines `width` apart.
#[inline(always)]
fn add_tiles<T: Real, R: Register<T>, const K: usize, const V: usize>(
    c: MatRef<'_, T>,
    y: &[T],
    (width, at): (usize, usize),
    sums: &mut [f64],
) {
    for (tile, sums) in sums.chunks_mut(K * width).enumerate() {
        // the last column is repeated where there are too few
        let columns: [&[T]; K] = std::array::from_fn(|k| column(c, (tile * K + k).min(c.ncols() - 1)));
        for (block, y) in y.chunks(DEPTH * width).enumerate() {
            let rows = y.len() / width;
            let found = tile_sums::<T, R, K, V>(columns.map(|c| &c[block * DEPTH..][..rows]), y, (width, at));
            // by numbers: an iterator over the sums would take them through memory
            for k in 0..K {
                for v in 0..V {
                    if let Some(sums) = sums.get_mut(k * width + at + v * R::LANES..) {
                        found[k][v].add_to(sums);
                    }
                }
            }
        }
    }
}

/// Σᵢ cᵢₖyᵢ for the rows of a block.
#[inline(always)]
fn tile_sums<T: Real, R: Register<T>, const K: usize, const V: usize>(
    c: [&[T]; K],
    y: &[T],
    (width, at): (usize, usize),
) -> [[R; V]; K] {
    assert!(c.iter().all(|c| c.len() == y.len() / width));
    let mut sums = [[R::splat(T::default()); V]; K];
    for (i, y) in y.chunks_exact(width).enumerate() {
        let y: [R; V] = std::array::from_fn(|v| R::load(&y[at + v * R::LANES..]));
        for k in 0..K {
            // SAFETY: each column has as many rows as there are lines. Checked, the loop has three times the instructions.
            let c = R::splat(unsafe { *c[k].get_unchecked(i) });
            for v in 0..V {
                sums[k][v] = c.fma(y[v], sums[k][v]);
            }
        }
    }
    sums
}
