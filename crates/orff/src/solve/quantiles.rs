//! All quantiles at once: the pinball losses of many levels, a penalty on crossings, ridge; by splitting (ADMM). \[quantiles\]
//!
//! Values at the levels and the functions themselves are kept apart and made to agree: a step of ridge, in closed form for
//! all rows and levels, and one of the losses, entry by entry, take turns. What the second step leaves is a point of the
//! dual, so that every few steps tell how far the minimum is.

mod bound;
mod turned;

use super::space::Space;
use crate::curve::CurveBasis;
use crate::error::Result;
use crate::linalg;
use crate::watch::Watch;
use faer::{Mat, MatRef};
use std::fmt;
use turned::Turned;

/// The loss Σ_q v_q ℓ_q(f(t_q)) of a curve f at nodes t_q, and [f(t_q) − f(t_{q+1})]₊ between neighbours.
pub struct LevelLoss {
    /// t_q (Q).
    pub nodes: Vec<f64>,
    /// Row q: the functions at node q, then differences of neighbours (Q′×m).
    rows: Mat<f64>,
    /// v_q, then the weights of crossings (Q′).
    weights: Vec<f64>,
    /// Whether levels have values of one scale, and the gap of each counts.
    alike: bool,
}

impl LevelLoss {
    /// Pinball losses of the levels t_q with weights v_q, and `crossing` times the mean over neighbours of what they cross by.
    pub fn new(basis: &CurveBasis, nodes: Vec<f64>, weights: Vec<f64>, crossing: f64) -> Self {
        let at = basis.at(&nodes);
        Self::of(at.as_ref(), nodes, weights, crossing)
    }

    /// The same for functions that are known at the nodes (Q×m).
    pub fn of(at: MatRef<f64>, nodes: Vec<f64>, mut weights: Vec<f64>, crossing: f64) -> Self {
        let (q, m) = at.shape();
        let pairs = if crossing > 0.0 { q - 1 } else { 0 };
        let row = |i: usize, j: usize| if i < q { at[(i, j)] } else { at[(i - q, j)] - at[(i - q + 1, j)] };
        weights.extend(vec![crossing / q as f64; pairs]);
        LevelLoss { nodes, rows: Mat::from_fn(q + pairs, m, row), weights, alike: false }
    }

    /// The same for levels that are alike: values at all of them are of one scale, and each counts. Slopes have the size √(t(1−t)), as a
    /// share t of them is 1 − t and the others are −t; steps are fewest where the agreement of a level is as strong as its slopes are
    /// large. Levels near 0 and 1 add little to the risk: it is not enough that the gap of all is closed.
    pub fn alike(self) -> Self {
        LevelLoss { alike: true, ..self }
    }

    /// The ends of the slopes of entry q by the curve's value: [−t, 1 − t], of crossings [0, 1].
    fn slopes(&self, q: usize) -> (f64, f64) {
        self.nodes.get(q).map_or((0.0, 1.0), |t| (-t, 1.0 - t))
    }

    /// The loss of coefficients g (m) for an output y.
    pub fn value(&self, g: &[f64], y: f64) -> f64 {
        let entry = |q: usize| {
            let f: f64 = g.iter().enumerate().map(|(j, g)| self.rows[(q, j)] * g).sum();
            let r = if q < self.nodes.len() { f - y } else { f };
            let (low, high) = self.slopes(q);
            self.weights[q] * (low * r).max(high * r)
        };
        (0..self.weights.len()).map(entry).sum()
    }
}

/// A risk that is next to nothing for outputs of variance one.
pub const LEAST: f64 = 2e-3;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// λ of (1/W)Σwℓ + λΣ‖hⱼ‖².
    pub ridge: f64,
    /// Duality gap, relative to the risk.
    pub gap: f64,
    /// Gaps of smaller risks are relative to this.
    pub least: f64,
    /// Most steps.
    pub iterations: usize,
}

/// Why the iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The gap is closed.
    Converged,
    /// The steps were used up.
    MaxIterations,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Converged => "converged",
            Reason::MaxIterations => "the iterations were used up",
        })
    }
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    pub iterations: usize,
    /// The risk with its penalty.
    pub primal: f64,
    /// A lower bound of its minimum.
    pub dual: f64,
    /// (primal − dual)/primal, or over the least risk if that is more.
    pub gap: f64,
    pub reason: Reason,
}

impl Report {
    /// In words.
    pub fn how(&self) -> String {
        let Report { iterations, gap, reason, .. } = self;
        format!("splitting (ADMM), {iterations} iterations, duality gap {gap:.1e}: {reason}")
    }
}

/// The minimiser.
pub struct Minimum {
    /// Of the functions hⱼ in their space.
    pub coefficients: Mat<f64>,
    /// bⱼ (m): the constant beside each hⱼ, which has the mean zero over the rows.
    pub constants: Vec<f64>,
    pub report: Report,
    /// Where a similar problem may start from.
    pub state: State,
}

/// Steps of an iteration under way: what the losses left (n×Q′, row after row) and the strength of agreement.
#[derive(Clone)]
pub struct State {
    split: Vec<f64>,
    rho: f64,
}

/// The agreement's strength at the start, for outputs of variance one.
const RHO: f64 = 2.0;
/// Steps between two looks at the gap, and looks between two changes of ρ.
const LOOK: usize = 10;
const ADAPT: usize = 2;
/// How many times closer than all together levels that are alike come to the minimum, in the mean of their own gaps.
const EACH: f64 = 2.0;

/// Minimises (1/W)Σᵢwᵢ Σ_q v_q ℓ_q(Σⱼφⱼ(t_q)(hⱼ(xᵢ) + bⱼ); yᵢ) + λΣⱼ‖hⱼ‖² over functions hⱼ of a space and constants bⱼ, for
/// outputs y (n) with weights w > 0 (n). Cost of a step: the space's ridge of m columns, and n·Q′·m.
pub fn minimise(
    space: &mut dyn Space,
    loss: &LevelLoss,
    y: &[f64],
    weights: &[f64],
    params: Params,
    start: Option<State>,
    watch: &mut dyn Watch,
) -> Result<Minimum> {
    let turned = Turned::new(loss)?;
    let (width, m) = loss.rows.shape();
    let total: f64 = weights.iter().sum();
    let share: Vec<f64> = weights.iter().map(|w| w / total).collect();
    let mut state = match start.filter(|s| s.split.len() == y.len() * width) {
        Some(state) => state,
        // every row at the quantiles of all
        None => State { split: vec![0.0; y.len() * width], rho: RHO },
    };
    let mut targets = vec![0.0; y.len() * m]; // n×m, row after row
    turned.targets(&state, y, &share, &mut targets);
    let mut best: Option<(f64, Mat<f64>, Vec<f64>)> = None;
    let (mut dual, mut iterations, mut looks) = (f64::NEG_INFINITY, 0, 0);
    loop {
        iterations += 1;
        let goal = MatRef::from_row_major_slice(&targets, y.len(), m);
        let shrink: Vec<f64> = turned.values.iter().map(|mu| 2.0 * params.ridge / (state.rho * mu)).collect();
        let constants: Vec<f64> = (0..m).map(|j| goal.col(j).iter().sum()).collect();
        let smoothed = space.smooth(goal, &shrink)?;
        let look = iterations % LOOK == 0 || iterations == params.iterations;
        let sums = turned.step(&mut state, &smoothed.values, &constants, y, &share, &mut targets, look);
        watch.advance(1)?;
        if !look {
            continue;
        }
        let primal = turned.risk(&sums) + params.ridge * smoothed.norm;
        // the least risk may have come before the last levels
        if loss.alike || best.as_ref().is_none_or(|best| primal < best.0) {
            best = Some((primal, smoothed.coefficients, constants));
        }
        let mut levels = f64::INFINITY;
        if let Some(slopes) = turned.slopes(&state, &sums.entries, y, &share) {
            let u = MatRef::from_row_major_slice(&slopes.along, y.len(), m);
            let square = space.norm(u)? + space.lost() * slopes.square;
            dual = dual.max(-slopes.linear - square / (4.0 * params.ridge));
            levels = if loss.alike { EACH * slopes.levels } else { 0.0 };
        }
        let (primal, coefficients, constants) = best.take().unwrap_or((primal, Mat::zeros(0, m), vec![0.0; m]));
        let size = primal.max(params.least).max(f64::MIN_POSITIVE);
        let gap = ((primal - dual) / size).max(0.0);
        let reason = if gap.max(levels / size) <= params.gap || primal <= f64::MIN_POSITIVE {
            Some(Reason::Converged)
        } else {
            (iterations >= params.iterations).then_some(Reason::MaxIterations)
        };
        if let Some(reason) = reason {
            // from the eigenvectors of the level functions back to these
            let back = turned.vectors.transpose();
            let coefficients = linalg::product(coefficients.as_ref(), back);
            let constants = (0..m).map(|k| (0..m).map(|j| turned.vectors[(k, j)] * constants[j]).sum()).collect();
            let report = Report { iterations, primal, dual, gap, reason };
            return Ok(Minimum { coefficients, constants, report, state });
        }
        best = Some((primal, coefficients, constants));
        looks += 1;
        if looks % ADAPT == 0 && turned.adapt(&mut state, &sums) {
            turned.targets(&state, y, &share, &mut targets);
        }
    }
}
