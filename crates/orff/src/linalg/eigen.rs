//! Eigenvalues of symmetric matrices and what follows from them: factors and pseudo-inverses of semi-definite ones.
//!
//! One thread: faer's parallel eigensolver gives different bits for different numbers of threads, as do its singular
//! values.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Mat, MatRef, Par, diag::Diag};

use super::is_finite;
use crate::{Error, Result};

/// A = V diag(values) Vᵀ.
#[derive(Clone, Debug)]
pub struct Eigen {
    /// In ascending order.
    pub values: Vec<f64>,
    /// n×n, the orthonormal eigenvectors in columns, in the order of the values; n×r when only those with r values
    /// that are not zero were asked for.
    pub vectors: Mat<f64>,
}

/// Eigenvalues and eigenvectors of the symmetric matrix whose lower triangle is that of `a`. About 9n³ operations.
///
/// ```
/// let e = orff::linalg::eigen(faer::mat![[2.0, 1.0], [1.0, 2.0]].as_ref())?;
/// assert!((e.values[0] - 1.0).abs() < 1e-15 && (e.values[1] - 3.0).abs() < 1e-15);
/// # Ok::<(), orff::Error>(())
/// ```
pub fn eigen(a: MatRef<f64>) -> Result<Eigen> {
    let n = a.nrows();
    if a.ncols() != n {
        return Err(Error::shape("matrix of an eigenproblem", "a square matrix", format!("{n}×{}", a.ncols())));
    }
    // A copy: the alignment of faer's own matrices is always the same, and with it the order of the sums.
    let mut lower = Mat::zeros(n, n);
    lower.copy_from_triangular_lower(a);
    if !is_finite(lower.as_ref()) {
        return Err(Error::numerical(
            "eigenvalues",
            "the matrix has entries that are not finite (look for infinite or huge inputs or weights)",
        ));
    }
    if n == 0 {
        return Ok(Eigen { values: vec![], vectors: lower }); // faer's scratch size overflows
    }
    if (0..n).all(|j| (j + 1..n).all(|i| lower[(i, j)] == 0.0)) {
        return Ok(diagonal(&lower));
    }
    let mut vectors = Mat::zeros(n, n);
    let mut values = Diag::<f64>::zeros(n);
    let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    self_adjoint_evd(
        lower.as_ref(),
        values.as_mut(),
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .map_err(|_| Error::numerical("eigenvalues", "the iteration did not converge"))?;
    let values: Vec<f64> = values.column_vector().iter().copied().collect();
    if !values.iter().all(|v| v.is_finite()) || !is_finite(vectors.as_ref()) {
        return Err(Error::numerical("eigenvalues", "the numbers are too large (rescale the matrix)"));
    }
    Ok(Eigen { values, vectors })
}

/// The eigenvalues of a positive semi-definite matrix that matter, and their eigenvectors (n×r): all of them, or, when
/// its rank turns out to be at most `rank` < n/2, the r that are not zero to rounding. Then 2nr² operations give a
/// factor LLᵀ (n×r) by pivots and its singular values, instead of 9n³.
pub fn eigen_of_rank(a: MatRef<f64>, rank: usize) -> Result<Eigen> {
    of_rank(a, rank, singular)
}

/// Singular values and left singular vectors of a tall matrix: as many, or a whole basis.
type Singular = fn(MatRef<f64>, bool) -> Result<(Vec<f64>, Mat<f64>)>;

/// By these singular values, or without them where they have no answer.
fn of_rank(a: MatRef<f64>, rank: usize, singular: Singular) -> Result<Eigen> {
    if rank >= a.nrows() / 2 || !is_finite(a) {
        return eigen(a);
    }
    match pivoted(a, rank) {
        None => eigen(a),
        Some(l) if l.ncols() == 0 => Ok(Eigen { values: vec![], vectors: l }),
        Some(l) => {
            // some matrices leave faer's singular values without an answer
            let Ok((sigma, left)) = singular(l.as_ref(), false) else { return eigen(a) };
            let r = sigma.len();
            let values = sigma.iter().rev().map(|s| s * s).collect();
            Ok(Eigen { values, vectors: Mat::from_fn(a.nrows(), r, |i, j| left[(i, r - 1 - j)]) })
        }
    }
}

/// An orthonormal basis (n×(n−r)) of what is orthogonal to the orthonormal columns of `v` (n×r).
pub fn complement(v: MatRef<f64>) -> Result<Mat<f64>> {
    complement_by(v, singular)
}

fn complement_by(v: MatRef<f64>, singular: Singular) -> Result<Mat<f64>> {
    let (n, r) = v.shape();
    if r == 0 {
        return Ok(Mat::identity(n, n));
    }
    if let Ok((_, left)) = singular(v, true) {
        return Ok(left.subcols(r, n - r).to_owned());
    }
    // some matrices leave faer's singular values without an answer: the projection has the eigenvalues 0 and 1
    let projection = Mat::<f64>::identity(n, n) - super::product(v, v.transpose());
    Ok(eigen(projection.as_ref())?.vectors.subcols(r, n - r).to_owned())
}

/// L (n×r) with A = LLᵀ to rounding, by Cholesky's factorisation with the largest remaining pivot first: until nothing
/// is left, or `rank` pivots were taken and what is left may be rounding; none if it is more.
fn pivoted(a: MatRef<f64>, rank: usize) -> Option<Mat<f64>> {
    let n = a.nrows();
    let mut left: Vec<f64> = (0..n).map(|i| a[(i, i)]).collect();
    let nothing = left.iter().copied().fold(0.0, f64::max) * f64::EPSILON;
    let rounding = n as f64 * nothing;
    let mut l = Mat::<f64>::zeros(n, rank);
    for k in 0..=rank {
        let pivot = (0..n).max_by(|&i, &j| left[i].total_cmp(&left[j]))?;
        if left[pivot] <= nothing || k == rank {
            l.truncate(n, k);
            return (left[pivot] <= rounding).then_some(l);
        }
        let (done, mut rest) = l.as_mut().split_at_col_mut(k);
        let column = rest.as_mut().col_mut(0).try_as_col_major_mut().expect("columns of a matrix are contiguous");
        let column = column.as_slice_mut();
        // the lower triangle is read
        (0..n).for_each(|i| column[i] = if i >= pivot { a[(i, pivot)] } else { a[(pivot, i)] });
        for q in 0..k {
            let before = done.as_ref().col(q).try_as_col_major().expect("columns of a matrix are contiguous");
            let factor = before[pivot];
            column.iter_mut().zip(before.as_slice()).for_each(|(c, b)| *c -= factor * b);
        }
        let root = left[pivot].sqrt();
        for (c, left) in column.iter_mut().zip(&mut left) {
            *c /= root;
            *left -= *c * *c;
        }
        column[pivot] = root;
        left[pivot] = 0.0;
    }
    None
}

/// Singular values of a tall matrix, largest first, and its left singular vectors: as many, or a whole basis.
fn singular(a: MatRef<f64>, whole: bool) -> Result<(Vec<f64>, Mat<f64>)> {
    let (n, r) = a.shape();
    let (columns, vectors) = if whole { (n, ComputeSvdVectors::Full) } else { (r, ComputeSvdVectors::Thin) };
    let mut left = Mat::zeros(n, columns);
    let mut values = Diag::<f64>::zeros(r);
    let scratch = svd_scratch::<f64>(n, r, vectors, ComputeSvdVectors::No, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    svd(a, values.as_mut(), Some(left.as_mut()), None, Par::Seq, stack, Default::default())
        .map_err(|_| Error::numerical("singular values", "the iteration did not converge"))?;
    let values: Vec<f64> = values.column_vector().iter().copied().collect();
    if !values.iter().all(|v| v.is_finite()) || !is_finite(left.as_ref()) {
        return Err(Error::numerical("singular values", "the numbers are too large (rescale the matrix)"));
    }
    Ok((values, left))
}

/// A diagonal matrix is its own decomposition, up to the order.
fn diagonal(a: &Mat<f64>) -> Eigen {
    let mut order: Vec<usize> = (0..a.nrows()).collect();
    order.sort_by(|&i, &j| a[(i, i)].total_cmp(&a[(j, j)]));
    let values = order.iter().map(|&i| a[(i, i)]).collect();
    let vectors = Mat::from_fn(a.nrows(), a.nrows(), |i, k| if order[k] == i { 1.0 } else { 0.0 });
    Eigen { values, vectors }
}

/// Relative asymmetry and negative part that pass for rounding.
const ROUNDING: f64 = 1e-10;

/// B (p×r) with Γ = BBᵀ and r the rank of Γ: eigenvectors times √λ, largest first, those with λ ≤ p·ε·λ_max left
/// out (their sum is at most that of rounding). `name` is what errors call Γ.
///
/// ```
/// let ones = faer::Mat::<f64>::full(3, 3, 1.0);
/// let b = orff::linalg::psd_factor(ones.as_ref(), "gamma")?;
/// assert_eq!(b.ncols(), 1);
/// assert!((&b * b.transpose() - ones).norm_max() < 1e-15);
/// # Ok::<(), orff::Error>(())
/// ```
pub fn psd_factor(gamma: MatRef<f64>, name: &str) -> Result<Mat<f64>> {
    let (e, kept) = semidefinite(gamma, name)?;
    Ok(scaled(&e, kept, f64::sqrt))
}

/// Γ⁺ (p×p), the pseudo-inverse, with the rank of [`psd_factor`].
pub fn pseudo_inverse_psd(gamma: MatRef<f64>, name: &str) -> Result<Mat<f64>> {
    let (e, kept) = semidefinite(gamma, name)?;
    let root = scaled(&e, kept, |v| 1.0 / v.sqrt()); // p×r
    Ok(super::product(root.as_ref(), root.transpose()))
}

/// The eigenvalues of Γ, after it was found symmetric and positive semi-definite, and how many are not zero.
fn semidefinite(gamma: MatRef<f64>, name: &str) -> Result<(Eigen, usize)> {
    let p = gamma.nrows();
    let refuse = |given: String| Err(Error::parameter(name, "a symmetric positive semi-definite matrix", given));
    if gamma.ncols() != p {
        return refuse(format!("{p}×{} numbers", gamma.ncols()));
    }
    if !is_finite(gamma) {
        return refuse("numbers that are not finite".into());
    }
    let scale = gamma.norm_max();
    for j in 0..p {
        for i in j + 1..p {
            let (below, above) = (gamma[(i, j)], gamma[(j, i)]);
            if (below - above).abs() > ROUNDING * scale {
                return refuse(format!("{below} at ({}, {}) and {above} at ({}, {})", i + 1, j + 1, j + 1, i + 1));
            }
        }
    }
    let e = eigen(gamma).map_err(|e| match e {
        Error::Numerical { what, why } => Error::numerical(format!("{name}, {what}"), why),
        other => other,
    })?;
    let largest = e.values.last().copied().unwrap_or(0.0);
    if let Some(&smallest) = e.values.first()
        && smallest < -ROUNDING * largest.abs()
    {
        return refuse(format!("smallest eigenvalue {smallest:.3e} (add {:.3e} to the diagonal)", -smallest));
    }
    let kept = e.values.iter().filter(|&&v| v > p as f64 * f64::EPSILON * largest).count();
    Ok((e, kept))
}

/// The last `kept` eigenvectors, largest eigenvalue first, times f(λ).
fn scaled(e: &Eigen, kept: usize, f: impl Fn(f64) -> f64) -> Mat<f64> {
    let p = e.values.len();
    Mat::from_fn(p, kept, |i, r| f(e.values[p - 1 - r]) * e.vectors[(i, p - 1 - r)])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Singular values without an answer, as faer's were of one finite matrix.
    fn none(_: MatRef<f64>, _: bool) -> Result<(Vec<f64>, Mat<f64>)> {
        Err(Error::numerical("singular values", "none"))
    }

    /// LLᵀ of order n and rank r, with entries that are no pattern.
    fn of_order(n: usize, r: usize) -> Mat<f64> {
        let l = Mat::from_fn(n, r, |i, j| ((i * 7 + j * 13 + i * j) as f64).sin());
        &l * l.transpose()
    }

    #[test]
    fn eigenvalues_of_few_ranks_do_without_singular_values() {
        for (n, r) in [(12, 1), (30, 4), (41, 20)] {
            let a = of_order(n, r);
            for by in [singular as Singular, none] {
                let e = of_rank(a.as_ref(), r, by).unwrap();
                let v = &e.vectors;
                let again = v * Mat::from_fn(v.ncols(), n, |k, j| e.values[k] * v[(j, k)]);
                assert!((again - &a).norm_max() < 1e-12 * a.norm_max(), "A = VΛVᵀ, {n}×{n} of rank {r}");
                let unit = v.transpose() * v - Mat::<f64>::identity(v.ncols(), v.ncols());
                assert!(unit.norm_max() < 1e-13, "VᵀV = I");
                assert!(e.values.windows(2).all(|w| w[0] <= w[1]));
                // the rest of a basis
                let v = v.subcols(v.ncols() - r, r);
                let rest = complement_by(v, by).unwrap();
                assert_eq!((rest.nrows(), rest.ncols()), (n, n - r));
                let unit = rest.transpose() * &rest - Mat::<f64>::identity(n - r, n - r);
                assert!(unit.norm_max() < 1e-13 && (v.transpose() * &rest).norm_max() < 1e-13, "a basis of the rest");
            }
        }
    }
}
