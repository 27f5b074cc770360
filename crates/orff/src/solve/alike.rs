//! An approximate inverse for conjugate gradients over entries: exact if the inputs of every output were alike.

use crate::error::Result;
use crate::feature::FeatureMap;
use crate::linalg;
use faer::{Mat, MatRef};

/// An approximate inverse of Σ w (φ_e ⊗ b_t)(φ_e ⊗ b_t)ᵀ + μI.
///
/// With one factor B for all characters and inputs that are alike for every output, the sum is S ⊗ BᵀWB, S the second
/// moment of an entry's characters, W the weights of the outputs: eigenvalues of both invert it. S comes from some of the
/// entries, and only its largest eigenvalues are kept, so that applying it costs about what the entries do. For other
/// kernels S is the second moment of an entry's features φ_e ⊗ b_t themselves, beside the number ΣW; the diagonal where so
/// few of these fit into memory that they tell nothing.
pub(super) enum Alike {
    Kronecker {
        /// M×k, orthonormal.
        u: Mat<f64>,
        /// k eigenvalues of S, and one for all other directions.
        s: Vec<f64>,
        rest: f64,
        /// Eigenvectors (r×r) and eigenvalues of BᵀWB.
        v: Mat<f64>,
        q: Vec<f64>,
        shift: f64,
    },
    Diagonal(Vec<f64>),
}

/// Numbers of the features of entries, at most, and entries that tell something.
const LARGEST: usize = 1 << 23;
const FEW: usize = 64;

impl Alike {
    /// From some entries (output, weight, characters), the mean characters (M×p) and the weight of each output.
    pub fn new(
        map: &FeatureMap,
        some: &[(usize, f64, Vec<f64>)],
        mean: MatRef<f64>,
        weights: &[f64],
        shift: f64,
        entries: f64,
    ) -> Result<Self> {
        let (n, m) = (some.len(), map.characters());
        let total: f64 = some.iter().map(|s| s.1).sum();
        let Some(b) = map.atoms().shared_factor() else {
            let (stacked, of) = (map.stacked_factors(), map.character_of_unknown());
            let step = (n * of.len()).div_ceil(LARGEST).max(1);
            if n / step < FEW {
                // Σ_t b_tk² W_t times the mean square of the character
                let square = |c: usize| {
                    let one = |(t, w, row): &(usize, f64, Vec<f64>)| w * (row[c] - mean[(c, *t)]).powi(2);
                    some.iter().map(one).sum::<f64>() / total
                };
                let squares: Vec<f64> = (0..m).map(square).collect();
                let of = |c: usize, t: usize| weights[t] * squares[c];
                return Ok(Alike::Diagonal(super::iterate::diagonal(map, None, &of, shift)));
            }
            let fewer: Vec<_> = some.iter().step_by(step).collect();
            let total: f64 = fewer.iter().map(|s| s.1).sum();
            let f = Mat::from_fn(fewer.len(), of.len(), |i, k| {
                let (t, w, row) = fewer[i];
                (w / total).sqrt() * stacked[(k, *t)] * (row[of[k]] - mean[(of[k], *t)])
            });
            let whole = Mat::full(1, 1, weights.iter().sum::<f64>());
            return Self::kronecker(&f, &whole, shift, entries);
        };
        let amplitudes = map.amplitudes();
        let f = Mat::from_fn(n, m, |i, c| {
            let (t, w, row) = &some[i];
            (w / total).sqrt() * amplitudes[c] * (row[c] - mean[(c, *t)])
        });
        let inner = Mat::from_fn(b.ncols(), b.ncols(), |j, k| {
            (0..b.nrows()).map(|t| weights[t] * b[(t, j)] * b[(t, k)]).sum::<f64>()
        });
        Self::kronecker(&f, &inner, shift, entries)
    }

    /// From rows f (n×M) with FᵀF = S, and the matrix beside it (r×r).
    fn kronecker(f: &Mat<f64>, inner: &Mat<f64>, shift: f64, entries: f64) -> Result<Self> {
        let ((n, m), width) = (f.shape(), inner.nrows());
        let inner = linalg::eigen(inner.as_ref())?;
        let q: Vec<f64> = inner.values.iter().map(|q| q.max(0.0)).collect();
        let top = q.iter().copied().fold(0.0, f64::max);
        // eigenvectors of FᵀF by the smaller side
        let wide = m > n;
        let gram = if wide {
            linalg::product(f.as_ref(), f.transpose())
        } else {
            linalg::product(f.transpose(), f.as_ref())
        };
        let outer = linalg::eigen(gram.as_ref())?;
        let mut order: Vec<usize> = (0..outer.values.len()).collect();
        order.sort_by(|&a, &b| outer.values[b].total_cmp(&outer.values[a]));
        let floor = outer.values[order[0]].max(0.0) * gram.nrows() as f64 * f64::EPSILON;
        let affordable = (2.0 * entries / width as f64).max(8.0) as usize;
        let matters = |k: &usize| outer.values[*k] > floor && outer.values[*k] * top > 0.01 * shift;
        let kept: Vec<usize> = order.iter().copied().take_while(matters).take(affordable).collect();
        // where more directions than entries are left, they are no smaller than the last that was seen
        let beyond = if wide { kept.last().map_or(0.0, |&k| outer.values[k]) } else { 0.0 };
        let rest = order.get(kept.len()).map_or(beyond, |&k| outer.values[k].max(0.0));
        let s: Vec<f64> = kept.iter().map(|&k| outer.values[k]).collect();
        let chosen = Mat::from_fn(gram.nrows(), kept.len(), |i, k| outer.vectors[(i, kept[k])]);
        let u = match wide {
            false => chosen,
            true => {
                let mut u = linalg::product(f.transpose(), chosen.as_ref());
                s.iter().enumerate().for_each(|(k, s)| u.col_mut(k).iter_mut().for_each(|v| *v /= s.sqrt()));
                u
            }
        };
        Ok(Alike::Kronecker { u, s, rest, v: inner.vectors, q, shift })
    }

    /// out ≈ A⁻¹ r.
    pub fn apply(&self, r: &[f64], out: &mut [f64]) {
        match self {
            Alike::Diagonal(d) => out.iter_mut().zip(r).zip(d).for_each(|((o, r), d)| *o = r / d),
            Alike::Kronecker { u, s, rest, v, q, shift } => {
                let (m, width) = (u.nrows(), q.len());
                // θ is stored character by character: an r×M matrix
                let r = MatRef::from_column_major_slice(r, width, m);
                let turned = linalg::product(r.transpose(), v.as_ref()); // M×r
                let along = linalg::product(u.transpose(), turned.as_ref()); // k×r
                let tail = |j: usize| 1.0 / (rest * q[j] + shift);
                let more =
                    Mat::from_fn(s.len(), width, |i, j| along[(i, j)] * (1.0 / (s[i] * q[j] + shift) - tail(j)));
                let mut found = linalg::product(u.as_ref(), more.as_ref());
                for j in 0..width {
                    let column = turned.col(j);
                    found.col_mut(j).iter_mut().zip(column.iter()).for_each(|(f, t)| *f += tail(j) * t);
                }
                let back = linalg::product(found.as_ref(), v.transpose()); // M×r
                for c in 0..m {
                    (0..width).for_each(|k| out[c * width + k] = back[(c, k)]);
                }
            }
        }
    }
}
