//! Symmetric matrices turned into bands: what ridges need to know of A + μI for many μ, without eigenvectors. \[band\]
//!
//! B = QᵀAQ by blocks of Householder's reflections takes 4n³/3 operations, nearly all of them in large products on all threads;
//! each μ then takes n·b². Eigenvalues with their vectors take 9n³, in one thread for the sake of their bits.

use super::lanes::{Arithmetic, vectorised};
use super::rank::{Piece, in_pieces, mirror};
use super::{column, column_mut, is_finite};
use crate::{Error, Result};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::matmul::matmul;
use faer::linalg::qr::no_pivoting::factor::{qr_in_place, qr_in_place_scratch};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Entries of a column below its diagonal.
const WIDTH: usize = 32;
/// Rows of a strip of a product: a task.
const STRIP: usize = 192;
/// Right-hand sides that are solved for together.
const LANES: usize = 8;

/// A column of a band from its diagonal downwards; zeros beyond the last row.
type Column = [f64; WIDTH + 1];

/// B = QᵀAQ, whose entries (i, j) with |i − j| > 32 are zero, and QᵀY.
///
/// ```
/// use orff::linalg::Band;
/// let a = faer::mat![[2.0, 1.0], [1.0, 2.0]]; // eigenvalues 1 and 3
/// let band = Band::new(a, faer::mat![[1.0], [1.0]].as_ref())?; // the eigenvector of 3
/// let shifted = band.shifted(1.0).unwrap();
/// assert!((shifted.log_det - (2f64 * 4.0).ln()).abs() < 1e-15);
/// assert!((shifted.trace - (1.0 / 2.0 + 1.0 / 4.0)).abs() < 1e-15);
/// assert!((shifted.once - 2.0 / 4.0).abs() < 1e-15 && (shifted.twice - 2.0 / 16.0).abs() < 1e-15);
/// # Ok::<(), orff::Error>(())
/// ```
pub struct Band {
    columns: Vec<Column>,
    /// Eight right-hand sides each, row after row, and as many rows of zeros as the band is wide.
    turned: Vec<Vec<[f64; LANES]>>,
}

/// Sums over the eigenvalues Λ of A and the parts t of Y along its eigenvectors.
#[derive(Clone, Copy, Debug)]
pub struct Shifted {
    /// log det (A + μI) = Σ log(Λ + μ).
    pub log_det: f64,
    /// tr (A + μI)⁻¹ = Σ 1/(Λ + μ).
    pub trace: f64,
    /// tr Yᵀ(A + μI)⁻¹Y = Σ t²/(Λ + μ).
    pub once: f64,
    /// tr Yᵀ(A + μI)⁻²Y = Σ t²/(Λ + μ)².
    pub twice: f64,
}

impl Band {
    /// Of the symmetric A (n×n) whose lower triangle is given, and Y (n×r): 4n³/3 + 2n²r operations, in the place of A.
    pub fn new(mut a: Mat<f64>, y: MatRef<f64>) -> Result<Self> {
        let n = a.nrows();
        if a.ncols() != n || y.nrows() != n {
            let given = format!("{n}×{} and {} rows", a.ncols(), y.nrows());
            return Err(Error::shape("matrix and right-hand sides", "a square matrix and as many rows", given));
        }
        let lower = |j: usize| column(a.as_ref(), j)[j..].iter().all(|v| v.is_finite());
        if !(0..n).all(lower) || !is_finite(y) {
            return Err(Error::numerical("band of a matrix", "it has entries that are not finite"));
        }
        let mut y = y.to_owned();
        for from in (WIDTH..n.saturating_sub(1)).step_by(WIDTH) {
            let (left, rest) = a.as_mut().split_at_col_mut(from);
            let (v, h) = reflect(left.submatrix_mut(from, from - WIDTH, n - from, WIDTH));
            turn(rest.subrows_mut(from, n - from), &v, &h);
            // QᵀY = Y − VH⁻ᵀVᵀY
            let below = y.as_mut().subrows_mut(from, n - from);
            let mut along = multiplied(v.transpose(), below.as_ref());
            solve_lower_triangular_in_place(h.transpose(), along.as_mut(), Par::Seq);
            matmul(below, Accum::Add, v.as_ref(), along.as_ref(), -1.0, Par::Seq);
        }
        let entry = |j: usize, k: usize| if j + k < n { a[(j + k, j)] } else { 0.0 };
        let columns = (0..n).map(|j| std::array::from_fn(|k| entry(j, k))).collect();
        let lane = |i: usize, t: usize| if i < n && t < y.ncols() { y[(i, t)] } else { 0.0 };
        let eight = |g: usize| (0..n + WIDTH).map(|i| std::array::from_fn(|l| lane(i, g * LANES + l))).collect();
        Ok(Band { columns, turned: (0..y.ncols().div_ceil(LANES)).map(eight).collect() })
    }

    /// The order n.
    pub fn order(&self) -> usize {
        self.columns.len()
    }

    /// The largest eigenvalue, from below, to a few per cent.
    pub fn largest(&self) -> f64 {
        let n = self.order();
        let mut x: Vec<f64> = (0..n).map(|i| 1.0 + 0.5 * (i as f64).sin()).collect();
        let mut largest = 0.0;
        for _ in 0..50 {
            let norm = x.iter().map(|v| v * v).sum::<f64>().sqrt();
            if norm == 0.0 {
                return 0.0;
            }
            let mut image = vec![0.0; n + WIDTH];
            for (j, column) in self.columns.iter().enumerate() {
                let own = x[j] / norm;
                image[j] += column[0] * own;
                for k in 1..=WIDTH.min(n - 1 - j) {
                    image[j + k] += column[k] * own;
                    image[j] += column[k] * x[j + k] / norm;
                }
            }
            image.truncate(n);
            largest = image.iter().zip(&x).map(|(a, b)| a * b / norm).sum();
            x = image;
        }
        largest
    }

    /// What A + μI is; none where it is not positive to rounding. n·b²·3 operations, and 8n·b for each right-hand side.
    pub fn shifted(&self, mu: f64) -> Option<Shifted> {
        let mut columns = self.columns.clone();
        columns.iter_mut().for_each(|c| c[0] += mu);
        let (mut positive, mut trace) = (true, 0.0);
        factor(&mut columns, &mut positive);
        if !positive {
            return None;
        }
        let log_det = columns.iter().map(|c| 2.0 * libm::log(c[0])).sum();
        inverse_trace(&columns, &mut trace);
        let solved = |eight: &Vec<[f64; LANES]>| {
            let (mut x, mut sums) = (eight.clone(), [0.0; 2]);
            solve(&columns, &mut x, &mut sums);
            sums
        };
        let sums: Vec<[f64; 2]> = self.turned.par_iter().map(solved).collect();
        let sum = |of: usize| sums.iter().map(|s| s[of]).sum();
        Some(Shifted { log_det, trace, once: sum(0), twice: sum(1) })
    }
}

/// A·B in one thread.
fn multiplied(a: MatRef<f64>, b: MatRef<f64>) -> Mat<f64> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    matmul(out.as_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
    out
}

/// V (m×q) and H (q×q, upper triangle) of Q = I − VH⁻¹Vᵀ with a panel = QR (m×b): R is left in its place.
fn reflect(mut panel: MatMut<f64>) -> (Mat<f64>, Mat<f64>) {
    let (m, q) = (panel.nrows(), panel.nrows().min(panel.ncols()));
    let mut h = Mat::zeros(q, q);
    let scratch = qr_in_place_scratch::<f64>(m, panel.ncols(), q, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    qr_in_place(panel.as_mut(), h.as_mut(), Par::Seq, MemStack::new(&mut memory), Default::default());
    let below = |i: usize, j: usize| if i > j { panel[(i, j)] } else { f64::from(u8::from(i == j)) };
    (Mat::from_fn(m, q, below), h)
}

/// QᵀAQ in the place of the lower triangle of A (m×m): A − WVᵀ − VWᵀ with X = AVH⁻¹ and W = X − ½VH⁻ᵀVᵀX.
fn turn(a: MatMut<f64>, v: &Mat<f64>, h: &Mat<f64>) {
    let (m, q) = v.shape();
    let mut w = images(a.as_ref(), v.as_ref());
    solve_lower_triangular_in_place(h.transpose(), w.as_mut().transpose_mut(), Par::Seq);
    let mut along = multiplied(v.transpose(), w.as_ref());
    solve_lower_triangular_in_place(h.transpose(), along.as_mut(), Par::Seq);
    matmul(w.as_mut(), Accum::Add, v.as_ref(), along.as_ref(), -0.5, Par::Seq);
    let beside = |a: &Mat<f64>, b: &Mat<f64>| {
        let mut both = Mat::zeros(m, 2 * q);
        both.subcols_mut(0, q).copy_from(a);
        both.subcols_mut(q, q).copy_from(b);
        both
    };
    let (left, right) = (beside(&w, v), beside(v, &w));
    in_pieces(a, m, STRIP, |Piece { row, column, s }| {
        let (left, right) = (left.subrows(row, s.nrows()), right.subrows(column, s.ncols()));
        matmul(s, Accum::Add, left, right.transpose(), -1.0, Par::Seq);
    });
}

/// AV (m×q) of the symmetric A whose lower triangle is given.
fn images(a: MatRef<f64>, v: MatRef<f64>) -> Mat<f64> {
    let m = a.nrows();
    let mut out = Mat::zeros(m, v.ncols());
    out.par_row_chunks_mut(STRIP).enumerate().for_each(|(strip, mut out)| {
        let (from, rows) = (strip * STRIP, out.nrows());
        let to = from + rows;
        let mut square = Mat::zeros(rows, rows);
        for j in 0..rows {
            column_mut(square.as_mut(), j)[j..].copy_from_slice(&column(a, from + j)[from + j..to]);
        }
        mirror(square.as_mut());
        matmul(out.as_mut(), Accum::Replace, square.as_ref(), v.subrows(from, rows), 1.0, Par::Seq);
        let (left, below) = (a.submatrix(from, 0, rows, from), a.submatrix(to, from, m - to, rows));
        matmul(out.as_mut(), Accum::Add, left, v.subrows(0, from), 1.0, Par::Seq);
        matmul(out, Accum::Add, below.transpose(), v.subrows(to, m - to), 1.0, Par::Seq);
    });
    out
}

/// L with LLᵀ = B in its place, unless B is not positive.
#[inline(always)]
fn factor_kernel<A: Arithmetic>(columns: &mut [Column], positive: &mut bool) {
    for j in 0..columns.len() {
        let (done, after) = columns.split_at_mut(j + 1);
        let own = &mut done[j];
        if !(own[0] > 0.0 && own[0].is_finite()) {
            *positive = false;
            return;
        }
        let root = own[0].sqrt();
        own.iter_mut().for_each(|v| *v /= root);
        for (k, column) in (1..=WIDTH).zip(after) {
            let by = -own[k];
            column.iter_mut().zip(&own[k..]).for_each(|(c, v)| *c = A::fma(by, *v, *c));
        }
    }
}

/// tr (LLᵀ)⁻¹ from the entries of the inverse inside the band, from its last column on: those of a column follow from those of
/// the next 32, which are kept in a square at their numbers modulo 32.
#[inline(always)]
fn inverse_trace_kernel<A: Arithmetic>(columns: &[Column], trace: &mut f64) {
    let mut square = [[0.0; WIDTH]; WIDTH];
    for (j, own) in columns.iter().enumerate().rev() {
        let (mut below, mut image) = ([0.0; WIDTH], [0.0; WIDTH]);
        (1..=WIDTH).for_each(|k| below[(j + k) % WIDTH] = own[k] / own[0]);
        for (row, by) in square.iter().zip(below) {
            image.iter_mut().zip(row).for_each(|(s, v)| *s = A::fma(by, *v, *s));
        }
        let here = 1.0 / (own[0] * own[0]) + below.iter().zip(&image).map(|(a, b)| a * b).sum::<f64>();
        let at = j % WIDTH;
        square[at] = image.map(|v| -v);
        (0..WIDTH).for_each(|k| square[k][at] = -image[k]);
        square[at][at] = here;
        *trace += here;
    }
}

/// Solves LLᵀx = y in the place of y, and says Σ(L⁻¹y)² and Σx².
#[inline(always)]
fn solve_kernel<A: Arithmetic>(columns: &[Column], x: &mut [[f64; LANES]], sums: &mut [f64; 2]) {
    let square = |x: &[[f64; LANES]]| x.as_flattened().iter().map(|v| v * v).sum::<f64>();
    for (j, own) in columns.iter().enumerate() {
        let (done, after) = x.split_at_mut(j + 1);
        let here = done[j].map(|v| v / own[0]);
        done[j] = here;
        for (x, by) in after.iter_mut().zip(&own[1..]) {
            (0..LANES).for_each(|l| x[l] = A::fma(-by, here[l], x[l]));
        }
    }
    sums[0] = square(x);
    for (j, own) in columns.iter().enumerate().rev() {
        let (before, after) = x.split_at_mut(j + 1);
        let mut here = before[j];
        for (x, by) in after.iter().zip(&own[1..]) {
            (0..LANES).for_each(|l| here[l] = A::fma(-by, x[l], here[l]));
        }
        before[j] = here.map(|v| v / own[0]);
    }
    sums[1] = square(x);
}

vectorised!(fn factor(columns: &mut [Column], positive: &mut bool) = factor_kernel);
vectorised!(fn inverse_trace(columns: &[Column], trace: &mut f64) = inverse_trace_kernel);
vectorised!(fn solve(columns: &[Column], x: &mut [[f64; LANES]], sums: &mut [f64; 2]) = solve_kernel);
