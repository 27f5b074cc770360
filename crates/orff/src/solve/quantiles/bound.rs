//! A lower bound of the minimum, from the slopes of a step, and how far each level is from it.

use super::State;
use super::turned::{CHUNK, Entry, Turned};
use crate::linalg::dot;
use faer::Mat;
use rayon::prelude::*;

/// Slopes within their ends that add up to nothing along every function.
pub(super) struct Slopes {
    /// Along the functions, Σ_q v_q φⱼu_q·w/W (n×m, row after row), and Σᵢⱼ of their squares over w/W.
    pub along: Vec<f64>,
    pub square: f64,
    /// Σ wuy/W.
    pub linear: f64,
    /// The mean over levels of (1/W)Σw(ℓ − ud), d the distance of the function from the output, each over its t(1 − t), times Σvt(1 − t).
    pub levels: f64,
}

/// What becomes of the slopes u of an entry: shift + scale·u.
#[derive(Clone, Copy)]
struct Repair {
    shift: f64,
    scale: f64,
}

impl Turned<'_> {
    /// The minimum is at least −Σwuy/W − ‖Σwuφk‖²/4λ for any slopes u within their ends that add up to nothing along every function, as
    /// constants are free. Those of a step nearly do, and are repaired. None where rounding leaves no repair.
    pub fn slopes(&self, state: &State, entries: &[Entry], y: &[f64], share: &[f64]) -> Option<Slopes> {
        let (width, m) = self.loss.rows.shape();
        let repairs = self.repairs(entries)?;
        let mut along = vec![0.0; y.len() * m];
        let chunks = state.split.par_chunks(CHUNK * width).zip(along.par_chunks_mut(CHUNK * m));
        let sums: Vec<(f64, f64)> = chunks
            .enumerate()
            .map(|(chunk, (split, along))| {
                let (mut square, mut linear, mut u) = (0.0, 0.0, vec![0.0; width]);
                for (k, (split, along)) in split.chunks(width).zip(along.chunks_mut(m)).enumerate() {
                    let (y, w) = (y[chunk * CHUNK + k], share[chunk * CHUNK + k]);
                    for q in 0..width {
                        let Repair { shift, scale } = repairs[q];
                        let slope = shift + scale * state.rho * self.paces[q] * self.slope(split[q], q, state.rho);
                        linear += w * self.loss.weights[q] * slope * self.target(q, y);
                        u[q] = slope / self.paces[q];
                    }
                    for (j, along) in along.iter_mut().enumerate() {
                        let slope = self.values[j] * dot(&self.weighed[j * width..][..width], &u);
                        *along = w * slope;
                        square += w * slope * slope;
                    }
                }
                (square, linear)
            })
            .collect();
        let (square, linear) = sums.into_iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        Some(Slopes { along, square, linear, levels: self.levels(entries, &repairs) })
    }

    /// An e_q for each level makes the slopes add up to nothing. All of a level go the same part of their way to one end, so that their
    /// mean moves by e_q; where the mean is nearer to that end, all slopes of all levels go back towards zero before.
    fn repairs(&self, entries: &[Entry]) -> Option<Vec<Repair>> {
        let (width, m) = self.loss.rows.shape();
        let nodes = &self.loss.nodes;
        let sum =
            |j: usize| (0..width).map(|q| self.loss.weights[q] * self.loss.rows[(q, j)] * entries[q].slope).sum();
        let c = self.slack.solve_factored(Mat::from_fn(m, 1, |j, _| sum(j)).as_ref()).ok()?;
        let along = |q: usize| (0..m).map(|j| self.loss.rows[(q, j)] * c[(j, 0)]).sum::<f64>();
        let moves: Vec<f64> = (0..nodes.len()).map(|q| -distance(nodes[q]).powi(2) * along(q)).collect();
        let end = |q: usize| if moves[q] < 0.0 { self.low[q] } else { self.high[q] };
        let over = |q: usize| (moves[q].abs() - (end(q) - entries[q].slope).abs()) / distance(nodes[q]);
        let keep = 1.0 / (1.0 + (0..nodes.len()).map(over).fold(0.0, f64::max));
        let repair = |q: usize| match moves.get(q) {
            Some(e) if *e != 0.0 => {
                let part = (keep * e / (end(q) - keep * entries[q].slope)).min(1.0);
                Repair { shift: part * end(q), scale: (1.0 - part) * keep }
            }
            _ => Repair { shift: 0.0, scale: keep },
        };
        Some((0..width).map(repair).collect())
    }

    fn levels(&self, entries: &[Entry], repairs: &[Repair]) -> f64 {
        let nodes = &self.loss.nodes;
        let size = |q: usize| nodes[q] * (1.0 - nodes[q]);
        let gap = |q: usize| {
            let (entry, Repair { shift, scale }) = (entries[q], repairs[q]);
            (entry.loss - shift * entry.distance - scale * entry.product) / size(q)
        };
        let mean = (0..nodes.len()).map(gap).sum::<f64>() / nodes.len() as f64;
        mean * (0..nodes.len()).map(|q| self.loss.weights[q] * size(q)).sum::<f64>()
    }
}

/// How far zero is from the nearer end of the slopes of a level.
pub(super) fn distance(level: f64) -> f64 {
    level.min(1.0 - level)
}
