//! Positive definite systems by Cholesky's factorisation, their solutions checked.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::{is_finite, par, product};
use crate::{Error, Result};

/// Largest relative residual ‖Ax − b‖ / (‖A‖‖x‖ + ‖b‖) of an accepted solution; rounding leaves about 1e-15.
const RESIDUAL: f64 = 1e-8;
/// Right-hand sides solved by one task.
const COLUMNS: usize = 64;

/// A = LLᵀ for a symmetric positive definite A of order m.
///
/// ```
/// use faer::mat;
/// use orff::linalg::Cholesky;
/// let a = mat![[4.0, f64::NAN], [2.0, 3.0]]; // the upper triangle is not read
/// let x = Cholesky::new(a.as_ref())?.solve(Some(a.as_ref()), mat![[8.0], [7.0]].as_ref())?;
/// assert!((x[(0, 0)] - 1.25).abs() < 1e-15 && (x[(1, 0)] - 1.5).abs() < 1e-15);
/// # Ok::<(), orff::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cholesky {
    l: Mat<f64>, // m×m, zeros above the diagonal
}

impl Cholesky {
    /// Factors the matrix whose lower triangle is that of `a`: m³/3 operations, m² numbers.
    pub fn new(a: MatRef<f64>) -> Result<Self> {
        let m = a.nrows();
        if a.ncols() != m {
            return Err(Error::shape("matrix to factor", "a square matrix", format!("{m}×{}", a.ncols())));
        }
        let mut l = Mat::zeros(m, m);
        l.copy_from_triangular_lower(a);
        Self::factor_lower(&mut l)?;
        Ok(Cholesky { l })
    }

    /// The same in the place of a symmetric matrix, both triangles of which are given: no copy. Since the matrix is gone
    /// afterwards, the factor is checked at once, on one vector of signs.
    pub fn in_place(mut a: Mat<f64>) -> Result<Self> {
        let m = a.nrows();
        if a.ncols() != m {
            return Err(Error::shape("matrix to factor", "a square matrix", format!("{m}×{}", a.ncols())));
        }
        let sign = |i: usize| if (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 63 == 0 { 1.0 } else { -1.0 };
        let signs = Mat::from_fn(m, 1, |i, _| sign(i));
        let (norm, image) = (a.norm_l2(), product(a.as_ref(), signs.as_ref()));
        Self::factor_lower(&mut a)?;
        let factored = Cholesky { l: a };
        let error = (factored.multiply(signs.as_ref()) - image).norm_l2();
        accept(relative(error, norm * (m as f64).sqrt()))?;
        Ok(factored)
    }

    /// LLᵀX.
    fn multiply(&self, x: MatRef<f64>) -> Mat<f64> {
        product(self.l.as_ref(), product(self.l.transpose(), x).as_ref())
    }

    /// L in the place of the lower triangle of A.
    fn factor_lower(l: &mut Mat<f64>) -> Result<()> {
        let m = l.nrows();
        if !is_finite(l.as_ref()) {
            return Err(Error::numerical(
                "Cholesky factorisation",
                "the matrix has entries that are not finite (look for infinite or huge inputs, outputs or weights)",
            ));
        }
        let par = par(m);
        let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(m, par, Default::default()));
        cholesky_in_place(l.as_mut(), Default::default(), par, MemStack::new(&mut memory), Default::default())
            .map_err(|LltError::NonPositivePivot { index }| not_positive(index, m))?;
        for j in 0..m {
            for i in 0..j {
                l[(i, j)] = 0.0; // faer's notes
            }
        }
        // A pivot may also be lost to overflow: then it is NaN, or infinite, and no error was reported.
        if let Some(index) = (0..m).find(|&j| !(l[(j, j)] > 0.0 && l[(j, j)].is_finite())) {
            return Err(not_positive(index, m));
        }
        Ok(())
    }

    /// From a factor L computed before, for example one read from a file; what is above the diagonal is ignored.
    pub fn from_factor(mut l: Mat<f64>) -> Result<Self> {
        let m = l.nrows();
        if l.ncols() != m {
            return Err(Error::shape("Cholesky factor", "a square matrix", format!("{m}×{}", l.ncols())));
        }
        for j in 0..m {
            for i in 0..j {
                l[(i, j)] = 0.0;
            }
        }
        if !is_finite(l.as_ref()) || (0..m).any(|j| l[(j, j)] <= 0.0) {
            return Err(Error::numerical("Cholesky factor", "expected finite numbers, positive on the diagonal"));
        }
        Ok(Cholesky { l })
    }

    /// L, m×m, lower triangular with zeros above.
    pub fn factor(&self) -> MatRef<'_, f64> {
        self.l.as_ref()
    }

    /// The order m.
    pub fn order(&self) -> usize {
        self.l.nrows()
    }

    /// log det A = 2 Σ log Lⱼⱼ.
    pub fn log_det(&self) -> f64 {
        2.0 * (0..self.order()).map(|j| self.l[(j, j)].ln()).sum::<f64>()
    }

    /// X with A X = B (m×p): 2m²p operations. When A is given (its lower triangle is read) every column's residual
    /// is checked, for as many operations again.
    pub fn solve(&self, a: Option<MatRef<f64>>, b: MatRef<f64>) -> Result<Mat<f64>> {
        let x = self.solve_unchecked(b)?;
        if let Some(a) = a {
            accept(self.residual(a, b, x.as_ref())?)?;
        }
        Ok(x)
    }

    /// As [`solve`](Self::solve), the residuals those of LLᵀ: for factors that were made
    /// [`in_place`](Self::in_place).
    pub fn solve_factored(&self, b: MatRef<f64>) -> Result<Mat<f64>> {
        let x = self.solve_unchecked(b)?;
        let image = self.multiply(x.as_ref());
        let norm = self.l.norm_l2().powi(2);
        for q in 0..b.ncols() {
            let error: f64 = (0..b.nrows()).map(|i| (image[(i, q)] - b[(i, q)]).powi(2)).sum();
            accept(relative(error.sqrt(), norm * x.col(q).norm_l2() + b.col(q).norm_l2()))?;
        }
        Ok(x)
    }

    fn solve_unchecked(&self, b: MatRef<f64>) -> Result<Mat<f64>> {
        self.check_rows(b)?;
        let mut x = b.to_owned();
        self.by_columns(x.as_mut(), |l, mut x| {
            solve_lower_triangular_in_place(l, x.as_mut(), Par::Seq);
            solve_upper_triangular_in_place(l.transpose(), x, Par::Seq);
        });
        if !is_finite(x.as_ref()) {
            return Err(Error::numerical("linear system", "the solution is not finite (raise the ridge)"));
        }
        Ok(x)
    }

    /// L⁻¹B (m×p): its squared column norms are bᵀA⁻¹b.
    pub fn half_solve(&self, b: MatRef<f64>) -> Result<Mat<f64>> {
        self.check_rows(b)?;
        let mut x = b.to_owned();
        self.by_columns(x.as_mut(), |l, x| solve_lower_triangular_in_place(l, x, Par::Seq));
        Ok(x)
    }

    /// L⁻ᵀB (m×p): L⁻ᵀL⁻¹ is the inverse.
    pub fn half_solve_transposed(&self, b: MatRef<f64>) -> Result<Mat<f64>> {
        self.check_rows(b)?;
        let mut x = b.to_owned();
        self.by_columns(x.as_mut(), |l, x| solve_upper_triangular_in_place(l.transpose(), x, Par::Seq));
        Ok(x)
    }

    /// L⁻¹, m³/3 operations: A⁻¹ is its transpose times it.
    pub fn inverse_factor(&self) -> Mat<f64> {
        let m = self.order();
        let mut inverse = Mat::identity(m, m);
        inverse.par_col_chunks_mut(COLUMNS).enumerate().for_each(|(i, chunk)| {
            // columns of L⁻¹ are zero above the diagonal
            let above = i * COLUMNS;
            let l = self.l.submatrix(above, above, m - above, m - above);
            solve_lower_triangular_in_place(l, chunk.subrows_mut(above, m - above), Par::Seq);
        });
        inverse
    }

    /// max over columns of ‖Ax − b‖ / (‖A‖‖x‖ + ‖b‖), Frobenius norm of A; 0 when there is nothing to solve.
    fn residual(&self, a: MatRef<f64>, b: MatRef<f64>, x: MatRef<f64>) -> Result<f64> {
        let m = self.order();
        if a.shape() != (m, m) {
            return Err(Error::shape(
                "matrix of the system",
                format!("{m}×{m}"),
                format!("{}×{}", a.nrows(), a.ncols()),
            ));
        }
        let norm_a = (0..m)
            .map(|j| {
                let below: f64 = (j + 1..m).map(|i| a[(i, j)] * a[(i, j)]).sum();
                a[(j, j)] * a[(j, j)] + 2.0 * below
            })
            .sum::<f64>()
            .sqrt();
        let mut r = b.to_owned();
        let relative = r
            .as_mut()
            .par_col_chunks_mut(COLUMNS)
            .zip(x.par_col_chunks(COLUMNS))
            .zip(b.par_col_chunks(COLUMNS))
            .map(|((mut r, x), b)| {
                for (a, half) in
                    [(a, BlockStructure::TriangularLower), (a.transpose(), BlockStructure::StrictTriangularUpper)]
                {
                    let rect = BlockStructure::Rectangular;
                    triangular::matmul(r.as_mut(), rect, Accum::Add, a, half, x, rect, -1.0, Par::Seq);
                }
                (0..r.ncols())
                    .map(|q| relative(r.as_ref().col(q).norm_l2(), norm_a * x.col(q).norm_l2() + b.col(q).norm_l2()))
                    .fold(0.0, worse)
            })
            .collect::<Vec<f64>>();
        Ok(relative.into_iter().fold(0.0, worse))
    }

    /// Runs `solve` on blocks of columns of fixed width: the same bits for any number of threads.
    fn by_columns(&self, x: MatMut<f64>, solve: impl Fn(MatRef<f64>, MatMut<f64>) + Sync) {
        x.par_col_chunks_mut(COLUMNS).for_each(|x| solve(self.l.as_ref(), x));
    }

    fn check_rows(&self, b: MatRef<f64>) -> Result<()> {
        if b.nrows() != self.order() {
            return Err(Error::shape("right-hand side", format!("{} rows", self.order()), b.nrows()));
        }
        Ok(())
    }
}

fn not_positive(index: usize, m: usize) -> Error {
    Error::numerical(
        "Cholesky factorisation",
        format!("the matrix is not positive definite to rounding (pivot {} of {m}): raise the ridge", index + 1),
    )
}

/// Refuses a solution, or a factor, with a large relative residual.
fn accept(residual: f64) -> Result<()> {
    if residual <= RESIDUAL {
        return Ok(());
    }
    Err(Error::numerical(
        "linear system",
        format!(
            "the solution has relative residual {residual:.1e}, expected at most {RESIDUAL:.0e} (raise the ridge)"
        ),
    ))
}

fn relative(residual: f64, scale: f64) -> f64 {
    if residual == 0.0 { 0.0 } else { residual / scale }
}

/// The larger one, NaN the largest of all.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}
