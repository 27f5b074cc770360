//! An approximate inverse of P + λI from a few products with P, all in one pass. \[nystrom-preconditioner\]

use crate::error::{Error, Result};
use crate::feature::{Design, sweep};
use crate::linalg::{self, Cholesky};
use crate::random::Stream;
use crate::watch::Watch;
use faer::{Mat, MatRef};

/// Purpose of the streams of the probes.
const PROBES: u64 = 0x7072_6f62_6573;
/// Numbers of the tables of one pass.
const LARGEST: usize = 1 << 24;
/// Eigenvalues below this part of the largest are not told from rounding.
const FLOOR: f64 = 1e-11;

/// (P + λI)⁻¹ with P = (1/W)ΣwΦΦᵀ, about the mean where there is an offset, replaced by its Nyström approximation
/// UΛUᵀ of a given rank and the smallest kept eigenvalue elsewhere (Frangella, Tropp and Udell 2023). One serves every λ.
///
/// A decomposable kernel needs probes of its M characters only: Φ = φ ⊗ Bᵀ, so P has the eigenvalues s²Λ.
pub struct Preconditioner {
    /// Λ, U (dim×rank) and the eigenvalue elsewhere.
    values: Vec<f64>,
    vectors: Mat<f64>,
    rest: f64,
    /// V and s² with BᵀB = V diag(s²) Vᵀ; the number 1 where dim is K.
    turn: Mat<f64>,
    variances: Vec<f64>,
    /// Φ̄ (K×p), where there is an offset.
    mean: Option<Mat<f64>>,
    /// Passes that were needed.
    pub passes: usize,
}

impl Preconditioner {
    /// From `rank` probes, or all of P when that is not much more. Cost of a sweep with `rank` columns (p times as many
    /// where the kernel is not decomposable); memory K·rank.
    pub fn new(design: &dyn Design, rank: usize, offset: bool, watch: &mut dyn Watch) -> Result<Self> {
        let basis = design.basis();
        let (m, p) = basis.shape();
        let (amplitudes, factor) = match basis.shared() {
            Some((b, amplitudes)) => (Some(amplitudes), linalg::eigen((b.transpose() * b).as_ref())?),
            None => (None, linalg::eigen(Mat::<f64>::identity(1, 1).as_ref())?),
        };
        let unknowns = basis.lower(Mat::zeros(m, p).as_ref()).len();
        let dim = if amplitudes.is_some() { m } else { unknowns };
        let rank = if 2 * rank.max(1) >= dim { dim } else { rank.max(1) };
        let probes = if rank == dim {
            Mat::identity(dim, dim)
        } else {
            let mut columns: Vec<Stream> = (0..rank).map(|j| Stream::new(0, PROBES, j as u64)).collect();
            Mat::from_fn(dim, rank, |_, j| columns[j].normal())
        };
        let width = if amplitudes.is_some() { 1 } else { p };
        let mut images = Mat::zeros(dim, rank);
        let (mut first, mut passes, mut mean) = (0, 0, Vec::new());
        while first < rank {
            let count = (LARGEST / (m * width)).clamp(1, rank - first);
            // tables side by side, and a column of ones for the mean
            let mut table = Mat::<f64>::zeros(m, count * width + 1);
            for j in 0..count {
                let probe: Vec<f64> = probes.col(first + j).iter().copied().collect();
                match &amplitudes {
                    Some(a) => (0..m).for_each(|i| table[(i, j)] = a[i] * probe[i]),
                    None => table.as_mut().subcols_mut(j * width, width).copy_from(basis.lift(&probe)),
                }
            }
            let last = count * width;
            let zero = vec![0.0; last + 1];
            let swept = sweep(design, table.as_ref(), &zero, watch, &mut |seen, mut f| {
                for i in 0..f.nrows() {
                    let w = seen.row_weight(i);
                    (0..last).for_each(|t| f[(i, t)] *= w);
                    f[(i, last)] = w;
                }
                Ok(())
            })?;
            let weight = swept.total[last];
            if !(weight > 0.0 && weight.is_finite()) {
                return Err(Error::Data("no row counts: every weight is zero, or no output was observed".into()));
            }
            mean = (0..m).map(|i| swept.gradient[(i, last)] / weight).collect();
            let centre = |i: usize, t: usize| if offset { mean[i] * swept.total[t] } else { 0.0 };
            for j in 0..count {
                let image = Mat::from_fn(m, width, |i, t| {
                    (swept.gradient[(i, j * width + t)] - centre(i, j * width + t)) / weight
                });
                let image = match &amplitudes {
                    Some(a) => (0..m).map(|i| a[i] * image[(i, 0)]).collect(),
                    None => basis.lower(image.as_ref()),
                };
                image.into_iter().enumerate().for_each(|(i, v)| images[(i, first + j)] = v);
            }
            first += count;
            passes += 1;
        }
        let (values, vectors, rest) =
            if rank == dim { complete(images.as_ref())? } else { nystrom(probes.as_ref(), images.as_ref())? };
        let mean = offset.then(|| {
            let (stacked, of) = basis.stacked();
            Mat::from_fn(unknowns, p, |k, t| stacked[(k, t)] * mean[of[k]])
        });
        Ok(Preconditioner { values, vectors, rest, turn: factor.vectors, variances: factor.values, mean, passes })
    }

    /// The approximate inverse of P + λI times (θ, b) or, without offset, times θ.
    pub fn apply(&self, ridge: f64, v: &[f64], out: &mut [f64]) {
        let Some(mean) = &self.mean else {
            out.copy_from_slice(&self.inverse(ridge, v));
            return;
        };
        // b + Φ̄ᵀθ and θ do not see each other
        let (k, p) = (mean.nrows(), mean.ncols());
        let (theta, b) = v.split_at(k);
        let centred: Vec<f64> = (0..k).map(|i| theta[i] - (0..p).map(|t| mean[(i, t)] * b[t]).sum::<f64>()).collect();
        let theta = self.inverse(ridge, &centred);
        for t in 0..p {
            out[k + t] = b[t] - (0..k).map(|i| mean[(i, t)] * theta[i]).sum::<f64>();
        }
        out[..k].copy_from_slice(&theta);
    }

    fn inverse(&self, ridge: f64, theta: &[f64]) -> Vec<f64> {
        let (dim, r) = (self.vectors.nrows(), self.turn.nrows());
        let theta = MatRef::from_row_major_slice(theta, dim, r);
        let turned = linalg::product(theta, self.turn.as_ref());
        let mut along = linalg::product(self.vectors.transpose(), turned.as_ref()); // rank×r
        let elsewhere = |k: usize| 1.0 / (self.variances[k].max(0.0) * self.rest + ridge);
        for k in 0..r {
            let s2 = self.variances[k].max(0.0);
            (0..self.values.len()).for_each(|i| along[(i, k)] *= 1.0 / (s2 * self.values[i] + ridge) - elsewhere(k));
        }
        let back = linalg::product(self.vectors.as_ref(), along.as_ref()); // dim×r
        let sum = Mat::from_fn(dim, r, |i, k| back[(i, k)] + elsewhere(k) * turned[(i, k)]);
        let out = linalg::product(sum.as_ref(), self.turn.transpose());
        (0..dim * r).map(|i| out[(i / r, i % r)]).collect()
    }
}

/// Eigenvalues, eigenvectors and what is elsewhere.
type Spectrum = (Vec<f64>, Mat<f64>, f64);

/// Of a matrix that is known.
fn complete(a: MatRef<f64>) -> Result<Spectrum> {
    let e = linalg::eigen(a)?;
    let top = e.values.iter().copied().fold(0.0, f64::max);
    let kept: Vec<usize> = (0..e.values.len()).filter(|&k| e.values[k] > FLOOR * top).collect();
    let vectors = Mat::from_fn(a.nrows(), kept.len(), |i, j| e.vectors[(i, kept[j])]);
    let rest = (0..e.values.len()).map(|k| e.values[k]).filter(|v| *v <= FLOOR * top).fold(0.0, f64::max);
    Ok((kept.iter().map(|&k| e.values[k]).collect(), vectors, rest))
}

/// Of A from Y = AΩ: A ≈ Y(ΩᵀY)⁻¹Yᵀ, with a shift that is taken off again.
fn nystrom(probes: MatRef<f64>, images: MatRef<f64>) -> Result<Spectrum> {
    let mut shift = 1e-14 * images.norm_l2() / (probes.nrows() as f64).sqrt();
    let mut tries = 0;
    let half = loop {
        let shifted = images + faer::Scale(shift) * probes;
        let core = linalg::product(probes.transpose(), shifted.as_ref());
        match Cholesky::new(core.as_ref()) {
            Ok(cholesky) => break cholesky.half_solve(shifted.transpose())?, // rank×dim
            Err(error) if tries == 8 => return Err(error),
            Err(_) => (shift, tries) = (30.0 * shift, tries + 1),
        }
    };
    let e = linalg::eigen(linalg::product(half.as_ref(), half.transpose()).as_ref())?;
    let top = e.values.iter().copied().fold(0.0, f64::max);
    let kept: Vec<usize> = (0..e.values.len()).filter(|&k| e.values[k] > FLOOR.max(shift / top) * top).collect();
    let turn = Mat::from_fn(half.nrows(), kept.len(), |i, j| e.vectors[(i, kept[j])] / e.values[kept[j]].sqrt());
    let vectors = linalg::product(half.transpose(), turn.as_ref());
    let values: Vec<f64> = kept.iter().map(|&k| (e.values[k] - shift).max(0.0)).collect();
    let rest = values.iter().copied().fold(f64::INFINITY, f64::min);
    Ok((values, vectors, if rest.is_finite() { rest } else { 0.0 }))
}
