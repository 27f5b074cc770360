//! The frequencies Ω of a draw, as a linear operator x ↦ Ωx.

use faer::{Mat, MatMut, MatRef};

/// D frequencies in d dimensions, stored or implied.
#[derive(Clone, Debug)]
pub enum Omega {
    /// D×d.
    Dense(Mat<f64>),
}

impl Omega {
    /// Number of atoms D.
    pub fn count(&self) -> usize {
        match self {
            Omega::Dense(omega) => omega.nrows(),
        }
    }

    /// Number of inputs d.
    pub fn dimension(&self) -> usize {
        match self {
            Omega::Dense(omega) => omega.ncols(),
        }
    }

    /// ωⱼ into `out` (d numbers).
    pub fn row(&self, j: usize, out: &mut [f64]) {
        match self {
            Omega::Dense(omega) => out.iter_mut().enumerate().for_each(|(k, out)| *out = omega[(j, k)]),
        }
    }

    /// All frequencies, D×d.
    pub fn to_dense(&self) -> Mat<f64> {
        match self {
            Omega::Dense(omega) => omega.clone(),
        }
    }

    /// The first `count` atoms.
    pub fn prefix(&self, count: usize) -> Omega {
        match self {
            Omega::Dense(omega) => Omega::Dense(omega.subrows(0, count).to_owned()),
        }
    }

    /// out = X Ω[from..from+len]ᵀ, X: b×d, out: b×len; sequential. Each entry is the same bits whatever the rows and
    /// atoms it is computed with.
    pub fn project(&self, x: MatRef<f64>, from: usize, mut out: MatMut<f64>) {
        match self {
            Omega::Dense(omega) => {
                for j in 0..out.ncols() {
                    for i in 0..out.nrows() {
                        out[(i, j)] = (0..x.ncols()).fold(0.0, |sum, k| sum + x[(i, k)] * omega[(from + j, k)]);
                    }
                }
            }
        }
    }
}
