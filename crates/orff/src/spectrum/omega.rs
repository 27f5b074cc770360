//! The frequencies Ω of a draw, as a linear operator x ↦ Ωx.

use super::project::{Packed, project};
use super::structured::Structured;
use crate::linalg::Real;
use faer::{Mat, MatMut, MatRef};

/// D frequencies in d dimensions, stored or implied.
///
/// ```
/// use faer::{Mat, mat};
/// use orff::spectrum::Omega;
/// let omega = Omega::Dense(mat![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]); // D×d
/// let x = mat![[1.0, -1.0], [0.0, 0.5]]; // b×d
/// let mut out = Mat::<f64>::zeros(2, 2);
/// omega.project(x.as_ref(), 1, out.as_mut());
/// assert_eq!(out, mat![[-1.0, -1.0], [2.0, 3.0]]);
/// ```
#[derive(Clone, Debug)]
pub enum Omega {
    /// D×d.
    Dense(Mat<f64>),
    /// Blocks of Hadamard and sign matrices.
    Structured(Structured),
}

impl Omega {
    /// Number of atoms D.
    pub fn count(&self) -> usize {
        match self {
            Omega::Dense(omega) => omega.nrows(),
            Omega::Structured(omega) => omega.count(),
        }
    }

    /// Number of inputs d.
    pub fn dimension(&self) -> usize {
        match self {
            Omega::Dense(omega) => omega.ncols(),
            Omega::Structured(omega) => omega.dimension(),
        }
    }

    /// X Ω[from..from+len]ᵀ transposed (len×b), the angles of one row side by side: the same bits.
    pub fn project_rows<T: Real>(&self, x: MatRef<'_, f64>, from: usize, mut out: MatMut<'_, T>) {
        match self {
            Omega::Dense(omega) => project(omega.as_ref().subrows(from, out.nrows()), x, out),
            Omega::Structured(omega) => omega.project(x, from, out.as_mut().transpose_mut()),
        }
    }

    /// Some frequencies packed for many products with rows, where they are stored.
    pub(crate) fn packed<T: Real>(&self, from: usize, len: usize) -> Option<Packed<T>> {
        match self {
            Omega::Dense(omega) => Some(Packed::fours(omega.as_ref().subrows(from, len))),
            Omega::Structured(_) => None,
        }
    }

    /// All of them, for products whose lanes hold frequencies.
    pub(crate) fn packed_lanes<T: Real>(&self) -> Option<Packed<T>> {
        match self {
            Omega::Dense(omega) => Some(Packed::lanes(omega.as_ref())),
            Omega::Structured(_) => None,
        }
    }

    /// A bound of ‖ωⱼ‖.
    pub fn largest(&self) -> f64 {
        match self {
            Omega::Dense(omega) => {
                let square = |j: usize| (0..omega.ncols()).map(|k| omega[(j, k)] * omega[(j, k)]).sum::<f64>();
                (0..omega.nrows()).map(square).fold(0.0, f64::max).sqrt()
            }
            Omega::Structured(omega) => omega.largest(),
        }
    }

    /// How many atoms `project` should be asked for at once: other strips cost more, the values are the same.
    pub fn strip(&self) -> usize {
        match self {
            Omega::Dense(_) => 64,
            Omega::Structured(omega) => omega.block(),
        }
    }

    /// ωⱼ into `out`, d numbers. Time O(d); structured: O(d log d).
    pub fn row(&self, j: usize, out: &mut [f64]) {
        match self {
            Omega::Dense(omega) => out.iter_mut().enumerate().for_each(|(k, out)| *out = omega[(j, k)]),
            Omega::Structured(omega) => omega.row(j, out),
        }
    }

    /// All frequencies, D×d.
    pub fn to_dense(&self) -> Mat<f64> {
        match self {
            Omega::Dense(omega) => omega.clone(),
            Omega::Structured(omega) => omega.to_dense(),
        }
    }

    /// The first `count` atoms, or all if there are fewer.
    pub fn prefix(&self, count: usize) -> Omega {
        match self {
            Omega::Dense(omega) => Omega::Dense(omega.subrows(0, count.min(omega.nrows())).to_owned()),
            Omega::Structured(omega) => Omega::Structured(omega.prefix(count)),
        }
    }

    /// out = X Ω[from..from+len]ᵀ, X: b×d, out: b×len; sequential.
    ///
    /// In single precision when `out` is. Each entry has the same bits whatever the rows and atoms it is computed with. Time
    /// O(b·len·d), structured O(b·len·log d) for whole blocks of atoms.
    ///
    /// # Panics
    /// If the shapes disagree: X must have d columns, out b rows and at most D − from columns.
    pub fn project<T: Real>(&self, x: MatRef<'_, f64>, from: usize, out: MatMut<'_, T>) {
        assert_eq!(x.ncols(), self.dimension(), "project: columns of x");
        assert_eq!(x.nrows(), out.nrows(), "project: rows of out");
        assert!(from + out.ncols() <= self.count(), "project: atoms");
        match self {
            Omega::Dense(omega) => project(x, omega.as_ref().subrows(from, out.ncols()), out),
            Omega::Structured(omega) => omega.project(x, from, out),
        }
    }
}
