//! Nyström features: kernel sections at landmarks, whitened. \[nystrom\]

use crate::error::{Error, Result};
use crate::feature::Basis;
use crate::kernel::Kernel;
use crate::linalg;
use crate::model::{ExactPosterior, Span};
use crate::solve::{Centred, Spread, System};
use faer::{Mat, MatRef};

/// φ(x) = Wᵀ k(Z, x) with W = V Λ^{−1/2} from K(Z,Z) = V Λ Vᵀ, eigenvalues below N·ε·Λ_max left out: φ(x)ᵀφ(z) is the
/// projection of the kernel on its sections at Z.
pub(super) struct Sections {
    /// k when the kernel is k·Γ, else the kernel itself.
    pub kernel: Kernel,
    pub points: Mat<f64>,
    /// W (m×r, or m·p×r).
    pub whitener: Mat<f64>,
    /// B with Γ = BBᵀ; the number 1 for other kernels, whose outputs are rows of a scalar problem.
    pub factor: Mat<f64>,
    /// Sections per landmark: 1, or p.
    pub width: usize,
}

impl Sections {
    pub fn new(kernel: &Kernel, points: Mat<f64>, columns: usize) -> Result<Self> {
        let (kernel, factor, width) = match kernel.separated() {
            Some((k, gamma)) => (k, linalg::psd_factor(gamma.as_ref(), "output")?, 1),
            None => (kernel.clone(), Mat::identity(1, 1), columns),
        };
        let gram = linalg::eigen(kernel.sections(points.as_ref(), points.as_ref())?.as_ref())?;
        let n = gram.values.len();
        let top = gram.values.iter().copied().fold(0.0, f64::max);
        let kept: Vec<usize> = (0..n).rev().filter(|&k| gram.values[k] > n as f64 * f64::EPSILON * top).collect();
        if kept.is_empty() || factor.ncols() == 0 {
            return Err(Error::numerical("kernel", "it is zero at the landmarks, so nothing can be learned"));
        }
        let whitener = Mat::from_fn(n, kept.len(), |i, k| gram.vectors[(i, kept[k])] / gram.values[kept[k]].sqrt());
        Ok(Sections { kernel, points, whitener, factor, width })
    }

    /// φ of prepared rows (n·width×r); its bits depend on how many there are.
    pub fn features(&self, x: MatRef<f64>) -> Result<Mat<f64>> {
        let sections = self.kernel.sections(x, self.points.as_ref())?;
        Ok(linalg::block_product(sections.as_ref(), self.whitener.as_ref()))
    }

    pub fn rank(&self) -> usize {
        self.whitener.ncols()
    }

    /// u (m×p) from the table Z (r×p) of the features.
    pub fn coefficients(&self, table: &Mat<f64>) -> Result<Mat<f64>> {
        let at = linalg::product(self.whitener.as_ref(), table.as_ref());
        if self.width > 1 {
            return Ok(Mat::from_fn(self.points.nrows(), self.width, |j, t| at[(j * self.width + t, 0)]));
        }
        // f = k(x,Z) W Z = k(x,Z) u Γ, and the rows of Z are in the range of Γ
        let gamma = &self.factor * self.factor.transpose();
        Ok(linalg::product(at.as_ref(), linalg::pseudo_inverse_psd(gamma.as_ref(), "output")?.as_ref()))
    }
}

impl Basis for Sections {
    fn shape(&self) -> (usize, usize) {
        (self.rank(), self.factor.nrows())
    }

    fn shared(&self) -> Option<(&Mat<f64>, Vec<f64>)> {
        Some((&self.factor, vec![1.0; self.rank()]))
    }

    fn stacked(&self) -> (Mat<f64>, Vec<usize>) {
        let (p, r) = (self.factor.nrows(), self.factor.ncols());
        let unknowns = self.rank() * r;
        (Mat::from_fn(unknowns, p, |k, t| self.factor[(t, k % r)]), (0..unknowns).map(|k| k / r).collect())
    }

    fn lift(&self, theta: &[f64]) -> Mat<f64> {
        let r = self.factor.ncols();
        Mat::from_fn(self.rank(), self.factor.nrows(), |m, t| {
            (0..r).map(|k| self.factor[(t, k)] * theta[m * r + k]).sum()
        })
    }
}

/// The posterior of the features, φ_cᵀ(G + nλI)⁻¹φ_c, and that of what they cannot express, (K(x,x) − φᵀφ)/nλ, its
/// terms sorted by their degree in K(Z,x); without the variance of the offset.
pub(super) fn posterior(
    sections: &Sections,
    data: &[Centred],
    p: usize,
    system: &System,
    spreads: Vec<Spread>,
    ridge: f64,
) -> Result<ExactPosterior> {
    let unit = 1.0 / (system.rows * ridge);
    let m = sections.points.nrows();
    let of = |t: usize| &data[t.min(data.len() - 1)];
    let factor = &sections.factor;
    let r = factor.ncols();
    let whole = spreads.iter().any(|s| s.direction.is_none());
    let mut constant = Mat::zeros(p, p);
    let (mut roots, mut kept, mut spans) = (Vec::new(), Vec::new(), Vec::new());
    for (k, spread) in spreads.into_iter().enumerate() {
        if let Some(q) = spread.root {
            roots.push(if whole {
                // unknowns are features times columns of B: Wᵀ ⊗ B⁺ takes k(Z,x)Γ to φ ⊗ Bᵀ
                let gram = linalg::pseudo_inverse_psd((factor.transpose() * factor).as_ref(), "output")?;
                let inverse = gram * factor.transpose(); // r×p
                let wide = Mat::from_fn(q.nrows(), m * p, |a, j| {
                    sections.whitener[(j / p, a / r)] * inverse[(a % r, j % p)]
                });
                linalg::product(q.transpose(), wide.as_ref())
            } else {
                linalg::product(q.transpose(), sections.whitener.transpose())
            });
            kept.push((spread.group, q));
        }
        let at = kept.iter().position(|(g, _)| *g == spread.group);
        let at = at.ok_or_else(|| Error::numerical("posterior", "a part of the solution is missing"))?;
        let (q, inverse) = (&kept[at].1, &spread.scale);
        // the mean features, in the coordinates of q: one column along a direction, one per output otherwise
        let along = if sections.width == 1 { spread.direction } else { None };
        let centre = match &along {
            Some(u) => {
                let mean = &of(u.iter().position(|v| *v != 0.0).unwrap_or(0)).mean_c;
                Mat::from_fn(mean.len(), 1, |i, _| mean[i])
            }
            None if whole => Mat::from_fn(q.nrows(), p, |a, t| of(t).mean_c[a / r] * factor[(t, a % r)]),
            None => Mat::from_fn(q.nrows(), p, |a, t| of(t).mean_c[a]),
        };
        let centre = linalg::product(q.transpose(), centre.as_ref());
        let weighted = Mat::from_fn(centre.nrows(), centre.ncols(), |j, t| inverse[j] * centre[(j, t)]);
        let linear = linalg::product(Mat::transpose(&roots[at]), weighted.as_ref());
        let corner = linalg::product(centre.transpose(), weighted.as_ref());
        for s in 0..p {
            for t in 0..p {
                constant[(s, t)] += match &along {
                    Some(u) => corner[(0, 0)] * u[s] * u[t],
                    None => corner[(s, t)],
                };
            }
        }
        let prior = unit * system.components[k].s2;
        let scale = inverse.iter().map(|g| prior - g).collect();
        spans.push(Span { root: at, prior, scale, linear, direction: along });
    }
    Ok(ExactPosterior { roots, spans, constant, unit: None })
}
