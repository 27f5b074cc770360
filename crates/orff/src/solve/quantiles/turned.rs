//! The step of the losses, in coordinates where the step of ridge splits into columns.

use super::bound::distance;
use super::{LevelLoss, State};
use crate::error::Result;
use crate::linalg::{self, Cholesky, dot};
use faer::Mat;
use rayon::prelude::*;

/// How far agreement is overdone.
const OVER: f64 = 1.6;
/// Rows of one task.
pub(super) const CHUNK: usize = 256;

/// The loss in the eigenvectors of Σ_q v_q s_q φ(t_q)φ(t_q)ᵀ, where ridge splits into columns.
pub(super) struct Turned<'a> {
    pub loss: &'a LevelLoss,
    /// s_q (Q′): the agreement of an entry has the strength ρv_q s_q.
    pub paces: Vec<f64>,
    /// The eigenvalues (m) and eigenvectors (m×m).
    pub values: Vec<f64>,
    pub vectors: Mat<f64>,
    /// Functions along them at each entry, one function after the other (m·Q′), plain and times v_q s_q over eigenvalue.
    at: Vec<f64>,
    pub weighed: Vec<f64>,
    /// The ends of the slopes (Q′).
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    /// Factor of Σ_q v_q d_q² φφᵀ over the levels, d_q the distance of zero from the ends of the slopes.
    pub slack: Cholesky,
}

/// Means over the rows at one entry.
#[derive(Clone, Copy, Default)]
pub(super) struct Entry {
    /// Of the loss at the functions and of their distance from the output.
    pub loss: f64,
    pub distance: f64,
    /// Of the slope, and of slope times distance.
    pub slope: f64,
    pub product: f64,
}

/// Sums over rows.
#[derive(Default)]
pub(super) struct Sums {
    /// At each entry (Q′).
    pub entries: Vec<Entry>,
    /// Squared distances of values from functions, and of values from those before.
    apart: f64,
    moved: f64,
}

impl Sums {
    fn new(width: usize) -> Self {
        Sums { entries: vec![Entry::default(); width], ..Sums::default() }
    }

    fn and(mut self, other: &Sums) -> Self {
        for (a, b) in self.entries.iter_mut().zip(&other.entries) {
            a.loss += b.loss;
            a.distance += b.distance;
            a.slope += b.slope;
            a.product += b.product;
        }
        self.apart += other.apart;
        self.moved += other.moved;
        self
    }
}

impl<'a> Turned<'a> {
    pub fn new(loss: &'a LevelLoss) -> Result<Self> {
        let (width, m) = loss.rows.shape();
        let second = |of: &dyn Fn(usize) -> f64, entries: usize| {
            Mat::from_fn(m, m, |i, j| (0..entries).map(|q| of(q) * loss.rows[(q, i)] * loss.rows[(q, j)]).sum())
        };
        let pace = |q: usize| loss.nodes.get(q).filter(|_| loss.alike).map_or(1.0, |t| 2.0 * (t * (1.0 - t)).sqrt());
        let paces: Vec<f64> = (0..width).map(pace).collect();
        let strength = |q: usize| loss.weights[q] * paces[q];
        let found = linalg::eigen(second(&strength, width).as_ref())?;
        let turned = linalg::product(loss.rows.as_ref(), found.vectors.as_ref());
        let at: Vec<f64> = (0..m).flat_map(|j| turned.col(j).iter().copied().collect::<Vec<_>>()).collect();
        let gain = |k: usize| strength(k % width) / found.values[k / width];
        let weighed = at.iter().enumerate().map(|(k, v)| v * gain(k)).collect();
        let (low, high) = (0..width).map(|q| loss.slopes(q)).unzip();
        let slack = second(&|q| loss.weights[q] * distance(loss.nodes[q]).powi(2), loss.nodes.len());
        let slack = Cholesky::in_place(slack)?;
        Ok(Turned { loss, paces, values: found.values, vectors: found.vectors, at, weighed, low, high, slack })
    }

    /// What ridge has to come near to, Σ_q v_q s_q φⱼ(z − u)/μⱼ, times w/W.
    pub fn targets(&self, state: &State, y: &[f64], share: &[f64], targets: &mut [f64]) {
        let (width, m) = self.loss.rows.shape();
        let rows = state.split.par_chunks(width).zip(targets.par_chunks_mut(m)).zip(y.par_iter().zip(share));
        rows.with_min_len(CHUNK).for_each(|((split, out), (y, w))| {
            let apart: Vec<f64> = (0..width).map(|q| self.left(split[q], q, state.rho, *y)).collect();
            out.iter_mut().enumerate().for_each(|(j, t)| *t = w * dot(&self.weighed[j * width..][..width], &apart));
        });
    }

    /// The slope over ρs_q.
    pub fn slope(&self, r: f64, q: usize, rho: f64) -> f64 {
        let strength = rho * self.paces[q];
        r.clamp(self.low[q] / strength, self.high[q] / strength)
    }

    pub fn target(&self, q: usize, y: f64) -> f64 {
        if q < self.loss.nodes.len() { y } else { 0.0 }
    }

    /// z − u, where z = r − u + y is the value and u the (scaled) slope.
    fn left(&self, r: f64, q: usize, rho: f64, y: f64) -> f64 {
        r - 2.0 * self.slope(r, q, rho) + self.target(q, y)
    }

    /// The losses at the functions.
    pub fn risk(&self, sums: &Sums) -> f64 {
        sums.entries.iter().zip(&self.loss.weights).map(|(entry, v)| v * entry.loss).sum()
    }

    /// One step of the losses from the functions (n×m) and constants; the next targets, and what it tells if it is looked at.
    #[allow(clippy::too_many_arguments)]
    pub fn step(
        &self,
        state: &mut State,
        functions: &Mat<f64>,
        constants: &[f64],
        y: &[f64],
        share: &[f64],
        targets: &mut [f64],
        look: bool,
    ) -> Sums {
        let (width, m) = self.loss.rows.shape();
        let rho = state.rho;
        let chunks = state.split.par_chunks_mut(CHUNK * width).zip(targets.par_chunks_mut(CHUNK * m));
        let sums: Vec<Sums> = chunks
            .enumerate()
            .map(|(chunk, (split, targets))| {
                let mut sums = Sums::new(width);
                let (mut f, mut left) = (vec![0.0; width], vec![0.0; width]);
                for (k, (split, targets)) in split.chunks_mut(width).zip(targets.chunks_mut(m)).enumerate() {
                    let i = chunk * CHUNK + k;
                    let (y, w) = (y[i], share[i]);
                    f.fill(0.0);
                    for j in 0..m {
                        let g = functions[(i, j)] + constants[j];
                        f.iter_mut().zip(&self.at[j * width..][..width]).for_each(|(f, at)| *f += at * g);
                    }
                    for q in 0..width {
                        let (old, target) = (self.slope(split[q], q, rho), self.target(q, y));
                        let before = split[q] - old + target;
                        let r = OVER * f[q] + (1.0 - OVER) * before + old - target;
                        let slope = self.slope(r, q, rho);
                        let z = r - slope + target;
                        left[q] = z - slope;
                        split[q] = r;
                        if look {
                            let (entry, d, u) = (&mut sums.entries[q], f[q] - target, rho * self.paces[q] * slope);
                            entry.loss += w * (self.low[q] * d).max(self.high[q] * d);
                            entry.distance += w * d;
                            entry.slope += w * u;
                            entry.product += w * u * d;
                            let strength = w * self.loss.weights[q] * self.paces[q];
                            sums.apart += strength * (f[q] - z) * (f[q] - z);
                            sums.moved += strength * (z - before) * (z - before);
                        }
                    }
                    for j in 0..m {
                        targets[j] = w * dot(&self.weighed[j * width..][..width], &left);
                    }
                }
                sums
            })
            .collect();
        sums.iter().fold(Sums::new(width), Sums::and)
    }

    /// Brings the two distances nearer to each other by another ρ; says whether it did.
    pub fn adapt(&self, state: &mut State, sums: &Sums) -> bool {
        let (apart, moved) = (sums.apart.sqrt(), sums.moved.sqrt());
        let factor = if apart > 3.0 * moved {
            1.5
        } else if moved > 3.0 * apart {
            1.0 / 1.5
        } else {
            return false;
        };
        let (width, rho) = (self.loss.weights.len(), state.rho);
        state.split.par_chunks_mut(width).with_min_len(CHUNK).for_each(|split| {
            for (q, r) in split.iter_mut().enumerate() {
                let slope = self.slope(*r, q, rho);
                // the value stays, the slope is scaled anew
                *r += slope / factor - slope;
            }
        });
        state.rho *= factor;
        true
    }
}
