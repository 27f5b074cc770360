//! Copies of matrices, column after column as they lie in memory; faer's own go entry by entry.

use faer::{Mat, MatRef};

/// A matrix whose column k is made of that of another one (n×d).
fn by_columns(a: MatRef<f64>, of: impl Fn(usize, &[f64], &mut [f64])) -> Mat<f64> {
    if a.row_stride() != 1 {
        return by_columns(a.to_owned().as_ref(), of);
    }
    let mut out = Mat::zeros(a.nrows(), a.ncols());
    for k in 0..a.ncols() {
        let from = a.col(k).try_as_col_major().expect("row stride 1").as_slice();
        of(
            k,
            from,
            out.col_mut(k).try_as_col_major_mut().expect("a matrix of faer has contiguous columns").as_slice_mut(),
        );
    }
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
