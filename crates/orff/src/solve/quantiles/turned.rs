//! The step of the losses, in coordinates where the step of ridge splits into columns.

use super::{LevelLoss, State};
use crate::error::Result;
use crate::linalg::{self, Cholesky, dot};
use faer::Mat;
use rayon::prelude::*;

/// How far agreement is overdone.
const OVER: f64 = 1.6;
/// Rows of one task.
const CHUNK: usize = 256;

/// The loss in the eigenvectors of Σ_q v_q φ(t_q)φ(t_q)ᵀ, where ridge splits into columns.
pub(super) struct Turned<'a> {
    loss: &'a LevelLoss,
    /// The eigenvalues (m) and eigenvectors (m×m).
    pub values: Vec<f64>,
    pub vectors: Mat<f64>,
    /// Functions along them at each entry, one function after the other (m·Q′), plain and times weight over eigenvalue.
    at: Vec<f64>,
    weighed: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    /// Factor of Σ_q v_q d_q² φφᵀ over the levels, d_q the distance of zero from the ends of the slopes.
    slack: Cholesky,
}

/// Sums over rows.
#[derive(Default)]
pub(super) struct Sums {
    /// Of the losses at the functions.
    pub loss: f64,
    /// Σ wuy/W of the slopes u.
    linear: f64,
    /// Slopes by the columns, Σ_q v_q φⱼu_q·w/W (n×m, row after row), and Σᵢⱼ of their squares over w/W.
    pub slopes: Vec<f64>,
    pub square: f64,
    /// Squared distances of values from functions, and of values from those before.
    apart: f64,
    moved: f64,
}

impl<'a> Turned<'a> {
    pub fn new(loss: &'a LevelLoss) -> Result<Self> {
        let (width, m) = loss.rows.shape();
        let second = |of: &dyn Fn(usize) -> f64, entries: usize| {
            Mat::from_fn(m, m, |i, j| (0..entries).map(|q| of(q) * loss.rows[(q, i)] * loss.rows[(q, j)]).sum())
        };
        let found = linalg::eigen(second(&|q| loss.weights[q], width).as_ref())?;
        let turned = linalg::product(loss.rows.as_ref(), found.vectors.as_ref());
        let at: Vec<f64> = (0..m).flat_map(|j| turned.col(j).iter().copied().collect::<Vec<_>>()).collect();
        let gain = |k: usize| loss.weights[k % width] / found.values[k / width];
        let weighed = at.iter().enumerate().map(|(k, v)| v * gain(k)).collect();
        let (low, high) = (0..width).map(|q| loss.slopes(q)).unzip();
        let slack = second(&|q| loss.weights[q] * distance(loss.nodes[q]).powi(2), loss.nodes.len());
        let slack = Cholesky::in_place(slack)?;
        Ok(Turned { loss, values: found.values, vectors: found.vectors, at, weighed, low, high, slack })
    }

    /// What ridge has to come near to, Σ_q v_q φⱼ(z − u)/μⱼ, times w/W.
    pub fn targets(&self, state: &State, y: &[f64], share: &[f64], targets: &mut [f64]) {
        let (width, m) = self.loss.rows.shape();
        let rows = state.split.par_chunks(width).zip(targets.par_chunks_mut(m)).zip(y.par_iter().zip(share));
        rows.with_min_len(CHUNK).for_each(|((split, out), (y, w))| {
            let apart: Vec<f64> = (0..width).map(|q| self.left(split[q], q, state.rho, *y)).collect();
            out.iter_mut().enumerate().for_each(|(j, t)| *t = w * dot(&self.weighed[j * width..][..width], &apart));
        });
    }

    fn slope(&self, r: f64, q: usize, rho: f64) -> f64 {
        r.clamp(self.low[q] / rho, self.high[q] / rho)
    }

    fn target(&self, q: usize, y: f64) -> f64 {
        if q < self.loss.nodes.len() { y } else { 0.0 }
    }

    /// z − u, where z = r − u + y is the value and u the (scaled) slope.
    fn left(&self, r: f64, q: usize, rho: f64, y: f64) -> f64 {
        r - 2.0 * self.slope(r, q, rho) + self.target(q, y)
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
        let mut slopes = vec![0.0; if look { y.len() * m } else { 0 }];
        let parts: Vec<&mut [f64]> = match look {
            true => slopes.chunks_mut(CHUNK * m).collect(),
            false => (0..y.len().div_ceil(CHUNK)).map(|_| &mut [][..]).collect(),
        };
        let chunks = state.split.par_chunks_mut(CHUNK * width).zip(targets.par_chunks_mut(CHUNK * m)).zip(parts);
        let sums: Vec<Sums> = chunks
            .enumerate()
            .map(|(chunk, ((split, targets), slopes))| {
                let mut sums = Sums::default();
                let (mut f, mut left, mut u) = (vec![0.0; width], vec![0.0; width], vec![0.0; width]);
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
                            let (v, d) = (self.loss.weights[q], f[q] - target);
                            u[q] = rho * slope;
                            sums.loss += w * v * (self.low[q] * d).max(self.high[q] * d);
                            sums.linear += w * v * u[q] * target;
                            sums.apart += w * v * (f[q] - z) * (f[q] - z);
                            sums.moved += w * v * (z - before) * (z - before);
                        }
                    }
                    for j in 0..m {
                        targets[j] = w * dot(&self.weighed[j * width..][..width], &left);
                        if look {
                            let slope = self.values[j] * dot(&self.weighed[j * width..][..width], &u);
                            slopes[k * m + j] = w * slope;
                            sums.square += w * slope * slope;
                        }
                    }
                }
                sums
            })
            .collect();
        let mut all = sums.into_iter().fold(Sums::default(), |a, b| Sums {
            loss: a.loss + b.loss,
            linear: a.linear + b.linear,
            slopes: Vec::new(),
            square: a.square + b.square,
            apart: a.apart + b.apart,
            moved: a.moved + b.moved,
        });
        all.slopes = slopes;
        all
    }

    /// A lower bound of the minimum: −Σwuy/W − ‖Σwuφk‖²/4λ for any slopes u that add up to nothing along every function, as
    /// constants are free. Slopes of a step nearly do: an e_q for all rows makes them, and a factor 1 − η brings them back
    /// between their ends, which zero is between.
    pub fn bound(&self, sums: &Sums, square: f64, mean: f64) -> f64 {
        let (m, n) = (self.values.len(), self.loss.nodes.len());
        // Σ of the slopes along φⱼ
        let along = |j: usize| sums.slopes.iter().skip(j).step_by(m).sum::<f64>();
        let turned: Vec<f64> = (0..m).map(along).collect();
        let sum = Mat::from_fn(m, 1, |k, _| (0..m).map(|j| self.vectors[(k, j)] * turned[j]).sum());
        let Ok(c) = self.slack.solve_factored(sum.as_ref()) else { return f64::NEG_INFINITY };
        let (mut over, mut moved) = (0.0f64, 0.0);
        for q in 0..n {
            let room = distance(self.loss.nodes[q]);
            let e = room * room * (0..m).map(|j| self.loss.rows[(q, j)] * c[(j, 0)]).sum::<f64>();
            over = over.max(e.abs() / (room + e.abs()));
            moved += self.loss.weights[q] * e;
        }
        let keep = 1.0 - over;
        -keep * (sums.linear - moved * mean) - keep * keep * square
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

/// How far zero is from the nearer end of the slopes of a level.
fn distance(level: f64) -> f64 {
    level.min(1.0 - level)
}
