//! Columns of matrices as they lie in memory, and copies column after column; faer's own go entry by entry.

use faer::{Mat, MatMut, MatRef};

/// Column k of a matrix whose columns are each in one piece.
#[inline(always)]
pub(crate) fn column<'a, T>(a: MatRef<'a, T>, k: usize) -> &'a [T] {
    a.col(k).try_as_col_major().expect("columns in one piece").as_slice()
}

/// The same to write to.
#[inline(always)]
pub(crate) fn column_mut<'a, T>(a: MatMut<'a, T>, k: usize) -> &'a mut [T] {
    a.col_mut(k).try_as_col_major_mut().expect("columns in one piece").as_slice_mut()
}

/// All columns to write to.
pub(crate) fn columns_mut<'a, T>(a: MatMut<'a, T>) -> impl Iterator<Item = &'a mut [T]> {
    a.col_iter_mut().map(|c| c.try_as_col_major_mut().expect("columns in one piece").as_slice_mut())
}

/// Eight interleaved folds of some numbers, each with its own partial result: number i goes to that of i modulo 8.
pub(crate) fn folds(values: &[f64], start: f64, fold: impl Fn(f64, f64) -> f64) -> [f64; 8] {
    let (eights, rest) = values.as_chunks::<8>();
    let mut found = [start; 8];
    for some in eights {
        (0..8).for_each(|l| found[l] = fold(found[l], some[l]));
    }
    rest.iter().zip(&mut found).for_each(|(v, found)| *found = fold(*found, *v));
    found
}

/// Row and column of the first such number, column after column.
pub(crate) fn find(a: MatRef<f64>, such: impl Fn(f64) -> bool) -> Option<(usize, usize)> {
    // without a way out in between the compiler looks at many at once
    let none = |column: &[f64]| !column.iter().fold(false, |any, v| any | such(*v));
    a.col_iter().enumerate().find_map(|(k, column)| match column.try_as_col_major() {
        Some(whole) if none(whole.as_slice()) => None,
        _ => column.iter().position(|v| such(*v)).map(|i| (i, k)),
    })
}

/// A matrix whose column k is made of that of another one (n×d).
fn by_columns(a: MatRef<f64>, of: impl Fn(usize, &[f64], &mut [f64])) -> Mat<f64> {
    if a.row_stride() != 1 {
        return by_columns(a.to_owned().as_ref(), of);
    }
    let mut out = Mat::zeros(a.nrows(), a.ncols());
    (0..a.ncols()).for_each(|k| of(k, column(a, k), column_mut(out.as_mut(), k)));
    out
}

/// The same matrix.
pub(crate) fn copied(a: MatRef<f64>) -> Mat<f64> {
    by_columns(a, |_, from, to| to.copy_from_slice(from))
}

/// The matrix less a number for each column.
pub(crate) fn less(a: MatRef<f64>, by: &[f64]) -> Mat<f64> {
    by_columns(a, |k, from, to| to.iter_mut().zip(from).for_each(|(to, from)| *to = from - by[k]))
}

/// The matrix less a number for each column, divided by another.
pub(crate) fn scaled(a: MatRef<f64>, centre: &[f64], scale: &[f64]) -> Mat<f64> {
    let of = |k: usize, v: f64| (v - centre[k]) / scale[k];
    by_columns(a, |k, from, to| to.iter_mut().zip(from).for_each(|(to, from)| *to = of(k, *from)))
}
