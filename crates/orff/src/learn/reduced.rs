//! Small models that stand for a large one: its features projected on those of some rows. \[left-out\]

use crate::error::Result;
use crate::feature::{BLOCK_ROWS, Basis, Characters, FeatureMap};
use crate::graph::{Laplacian, Points};
use crate::linalg;
use crate::watch::Watch;
use faer::{Mat, MatRef};

/// ψ(x) = Wᵀφ(Z)ᵀφ(x) for the features φ of a map with one output operator, rows Z and W = VΛ^{−1/2} from φ(Z)ᵀφ(Z) = VΛVᵀ.
/// Few random features know distances to √(2/M) of them only, which in many dimensions is all that sets neighbours apart;
/// few rows know theirs as well as the map does.
pub(super) struct Reduced {
    /// ψ of every row (N×r).
    pub features: Mat<f64>,
    /// B of the output operator BBᵀ.
    factor: Mat<f64>,
}

impl Reduced {
    /// Of all rows, by those of some; none where the map does not split. Cost N·M·m + m³.
    pub fn new(map: &FeatureMap, points: &Points, some: &[usize], watch: &mut dyn Watch) -> Result<Option<Self>> {
        let Some((b, amplitudes)) = map.shared() else { return Ok(None) };
        let factor = b.clone();
        let mut characters = Characters::new(map.characters());
        let mut at = Mat::zeros(map.characters(), some.len()); // φ(Z)
        for (k, rows) in some.chunks(BLOCK_ROWS).enumerate() {
            map.fill(&points.pick(rows), &mut characters);
            let c = characters.as_mat();
            for i in 0..rows.len() {
                let mut column = at.col_mut(k * BLOCK_ROWS + i);
                (0..c.ncols()).for_each(|m| column[m] = amplitudes[m] * c[(i, m)]);
            }
        }
        let gram = linalg::eigen(linalg::product(at.transpose(), at.as_ref()).as_ref())?;
        let n = gram.values.len();
        let top = gram.values.iter().copied().fold(0.0, f64::max);
        let kept: Vec<usize> = (0..n).filter(|&k| gram.values[k] > n as f64 * f64::EPSILON * top).collect();
        let whitener = Mat::from_fn(n, kept.len(), |i, k| gram.vectors[(i, kept[k])] / gram.values[kept[k]].sqrt());
        let mut onto = linalg::product(at.as_ref(), whitener.as_ref()); // M×r
        for k in 0..kept.len() {
            onto.col_mut(k).iter_mut().zip(&amplitudes).for_each(|(v, a)| *v *= a);
        }
        let mut features = Mat::zeros(points.count(), kept.len());
        for from in (0..points.count()).step_by(BLOCK_ROWS) {
            let to = (from + BLOCK_ROWS).min(points.count());
            map.fill(&points.slice(from, to), &mut characters);
            let rows = linalg::product(characters.as_mat(), onto.as_ref());
            features.as_mut().subrows_mut(from, to - from).copy_from(&rows);
            watch.advance(0)?;
        }
        Ok(Some(Reduced { features, factor }))
    }

    /// Σᵢⱼ [L^c]ᵢⱼ ψ(xᵢ)ψ(xⱼ)ᵀ (r×r).
    pub fn moment(&self, graph: &Laplacian, power: u32, watch: &mut dyn Watch) -> Result<Mat<f64>> {
        let (n, r) = self.features.shape();
        let mut image = vec![0.0; n * r]; // row after row
        for k in 0..r {
            self.features.col(k).iter().enumerate().for_each(|(i, v)| image[i * r + k] = *v);
        }
        for _ in 0..power {
            image = graph.apply(&image, r);
            watch.advance(0)?;
        }
        Ok(linalg::product(self.features.transpose(), MatRef::from_row_major_slice(&image, n, r)))
    }

    /// ψ of some rows.
    pub fn pick(&self, rows: &[usize]) -> Mat<f64> {
        Mat::from_fn(rows.len(), self.features.ncols(), |i, k| self.features[(rows[i], k)])
    }
}

impl Basis for Reduced {
    fn shape(&self) -> (usize, usize) {
        (self.features.ncols(), self.factor.nrows())
    }

    fn shared(&self) -> Option<(&Mat<f64>, Vec<f64>)> {
        Some((&self.factor, vec![1.0; self.features.ncols()]))
    }

    fn stacked(&self) -> (Mat<f64>, Vec<usize>) {
        let (p, r) = self.factor.shape();
        let unknowns = self.features.ncols() * r;
        (Mat::from_fn(unknowns, p, |k, t| self.factor[(t, k % r)]), (0..unknowns).map(|k| k / r).collect())
    }

    fn lift(&self, theta: &[f64]) -> Mat<f64> {
        let (p, r) = self.factor.shape();
        Mat::from_fn(self.features.ncols(), p, |m, t| (0..r).map(|k| self.factor[(t, k)] * theta[m * r + k]).sum())
    }
}
