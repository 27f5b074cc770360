//! Combinations of waves: curves in the space of a shift-invariant kernel k_T of the argument. \[integral\]

use crate::error::Result;
use crate::kernel::Atoms;
use crate::linalg;
use faer::{Mat, MatRef};
use serde::{Deserialize, Serialize};

/// The constant 1, and r functions ψ_b(t) = Σₖ V_kb cₖ(t) of the characters c(t) = cos and sin of ωₖ(t − centre), whose
/// weights are in V. The frequencies are atoms of k_T; V has the directions in which curves were seen to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waves {
    /// Where every cosine is 1.
    pub centre: f64,
    /// ω in units of the argument (D), kept beside the header in a file.
    #[serde(skip)]
    pub frequencies: Vec<f64>,
    /// V (2D×r), cosines before sines; kept beside the header too.
    #[serde(skip, default = "Mat::new")]
    pub table: Mat<f64>,
}

impl Waves {
    /// The weighted characters of atoms of a scalar kernel of t/scale: V is then the diagonal of their amplitudes, so that
    /// ψ(s)ᵀψ(t) approximates k_T(s, t).
    ///
    /// ```
    /// use orff::curve::Waves;
    /// use orff::kernel::Atoms;
    /// let atoms = Atoms::listed(faer::mat![[2.0], [0.5]].as_ref(), faer::mat![[1.0], [1.0]].as_ref(), &[0.5, 0.5])?;
    /// let at = Waves::of(&atoms, 0.3, 1.0).characters(&[0.1, 0.9]);
    /// let product: f64 = (0..4).map(|k| at[(0, k)] * at[(1, k)]).sum();
    /// assert!((product - 0.5 * (1.6f64.cos() + 0.4f64.cos())).abs() < 1e-15);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn of(atoms: &Atoms, centre: f64, scale: f64) -> Self {
        let (mut frequencies, mut amplitudes, mut omega) = (Vec::new(), Vec::new(), [0.0]);
        for block in &atoms.blocks {
            for j in 0..block.count() {
                block.omega.row(j, &mut omega);
                frequencies.push(omega[0] / scale);
                amplitudes.push(block.weight[j].sqrt() * block.factor(j)[(0, 0)]);
            }
        }
        let d = frequencies.len();
        let table = Mat::from_fn(2 * d, 2 * d, |i, j| if i == j { amplitudes[i % d] } else { 0.0 });
        Waves { centre, frequencies, table }
    }

    /// Number of functions, with the constant.
    pub fn count(&self) -> usize {
        1 + self.table.ncols()
    }

    /// ψ at each argument, without the constant (L×r). Cost L·2D·r.
    pub fn characters(&self, arguments: &[f64]) -> Mat<f64> {
        let d = self.frequencies.len();
        let angle = |i: usize, k: usize| self.frequencies[k % d] * (arguments[i] - self.centre);
        let waves =
            Mat::from_fn(
                arguments.len(),
                2 * d,
                |i, k| {
                    if k < d { libm::cos(angle(i, k)) } else { libm::sin(angle(i, k)) }
                },
            );
        linalg::product(waves.as_ref(), self.table.as_ref())
    }

    /// The same waves with V·directions (directions r×s) instead of V.
    pub fn along(&self, directions: MatRef<f64>) -> Waves {
        Waves { table: linalg::product(self.table.as_ref(), directions), ..self.clone() }
    }

    /// Refuses parts that do not belong together.
    pub(super) fn check(&self) -> Result<()> {
        let whole = self.table.nrows() == 2 * self.frequencies.len() && !self.frequencies.is_empty();
        let finite = self.centre.is_finite() && self.frequencies.iter().all(|w| w.is_finite());
        if whole && finite && linalg::is_finite(self.table.as_ref()) {
            return Ok(());
        }
        Err(crate::Error::Data("waves: a cosine and a sine for each of at least one finite frequency".into()))
    }
}
