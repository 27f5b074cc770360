//! One-class support vector machines of many levels at once, as quantile regression. \[level-sets\]
//!
//! With the mean m = (1/W)Σwᵢk(xᵢ, ·) of the rows in the space of the kernel and h = f − m, the problem of a level ν,
//!
//! ½ν‖f‖² − νb + (1/W)Σw\[b − f(x)\]₊ = (1/W)Σw ρ_ν(m(x) − (b − h(x))) + ½ν‖h‖² − ½ν‖m‖²,
//!
//! asks for the quantile b − h of level ν of the density estimate m(x), linear in the features, with a constant that is free.
//! All levels together are then what [`super::quantiles`] solves, in functions of ν that are orthonormal under ν dν.

use super::quantiles::{self, LevelLoss, Report};
use super::space::{Features, Reduced, blocks, means};
use crate::curve::CurveBasis;
use crate::error::Result;
use crate::linalg;
use crate::watch::Watch;
use faer::{Mat, MatRef};

/// Directions of the features with less variance than this share of the gap, times the ridge and the risk of the levels, are left
/// out; the gap knows of it.
const NEGLIGIBLE: f64 = 0.1;
/// Densities that differ by less, relative to their size, are equal.
const EQUAL: f64 = 1e-9;

/// The levels at which the integral over ν is taken, with their weights, and the functions of ν that f and b are made of.
pub struct Levels {
    pub basis: CurveBasis,
    /// ν_q (Q).
    pub nodes: Vec<f64>,
    /// v_q (Q), ∫g(ν)dν ≈ Σv_q g(ν_q).
    pub weights: Vec<f64>,
}

impl Levels {
    /// All levels, by the Gauss–Legendre rule of so many nodes between every two knots of the functions; between 0 and 1 where
    /// they have none.
    pub fn all(basis: CurveBasis, nodes: usize) -> Self {
        let mut ends = vec![0.0, 1.0];
        if let CurveBasis::Hats { knots } = &basis {
            ends.splice(1..1, knots.iter().copied());
        }
        let (at, share) = crate::special::gauss_legendre(nodes);
        let each = |of: &dyn Fn(f64, f64, usize) -> f64| {
            let piece = |e: &[f64]| (0..nodes).map(|q| of(e[0], e[1] - e[0], q)).collect::<Vec<_>>();
            ends.windows(2).flat_map(piece).collect()
        };
        let (nodes, weights) = (each(&|from, width, q| from + width * at[q]), each(&|_, width, q| width * share[q]));
        Levels { basis, nodes, weights }
    }

    /// One level: the plain machine.
    pub fn one(nu: f64) -> Self {
        Levels { basis: CurveBasis::Hats { knots: vec![nu] }, nodes: vec![nu], weights: vec![1.0] }
    }

    /// 4Σvν(1−ν)/Σv(1−ν), at most one. The first sum is about the risk; the second bounds the squares of slopes along functions that
    /// are orthonormal under ν dν, of which the directions left out cost a quarter over the ridge.
    fn risk(&self) -> f64 {
        let sum =
            |of: &dyn Fn(f64) -> f64| self.nodes.iter().zip(&self.weights).map(|(nu, v)| v * of(*nu)).sum::<f64>();
        (4.0 * sum(&|nu| nu * (1.0 - nu)) / sum(&|nu| 1.0 - nu)).min(1.0)
    }

    /// The functions at the nodes made orthonormal under ν dν (Q×m), and T (m×m) that makes them: φT.
    fn orthonormal(&self) -> Result<(Mat<f64>, Mat<f64>)> {
        let at = self.basis.at(&self.nodes);
        let entry = |j: usize, k: usize| {
            let one = |q: usize| self.weights[q] * self.nodes[q] * at[(q, j)] * at[(q, k)];
            (0..self.nodes.len()).map(one).sum()
        };
        let m = at.ncols();
        let found = linalg::eigen(Mat::from_fn(m, m, entry).as_ref())?;
        let turn = Mat::from_fn(m, m, |j, k| found.vectors[(j, k)] / found.values[k].sqrt());
        Ok((linalg::product(at.as_ref(), turn.as_ref()), turn))
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Relative duality gap, of the objective plus ½∫ν‖m‖²dν, which is not negative.
    pub gap: f64,
    /// Most steps.
    pub iterations: usize,
}

/// The minimiser: b(ν) − f_x(ν) = Σⱼφⱼ(ν)(cⱼ + ⟨θⱼ, features of x⟩).
pub struct Minimum {
    /// θ (M×m).
    pub table: Mat<f64>,
    /// c (m): b has no features, f no constant.
    pub constants: Vec<f64>,
    /// Deviation of the density estimates m(x) of the rows.
    pub spread: f64,
    pub report: Report,
}

/// Minimises (1/W)Σw∫\[b(ν) − f_x(ν)\]₊dν + ½∫ν‖f(ν)‖²dν − ∫νb(ν)dν over functions linear in features (n×M) of rows with weights
/// w > 0. Cost n·M·min(n, M), the eigenvalues of the smaller side, and n·(r + Q)·m for each step; memory n·(r + 2Q).
pub fn minimise(
    features: Features,
    (n, columns): (usize, usize),
    weights: &[f64],
    levels: &Levels,
    params: Params,
    watch: &mut dyn Watch,
) -> Result<Minimum> {
    let total: f64 = weights.iter().sum();
    let (at, turn) = levels.orthonormal()?;
    let loss = LevelLoss::of(at.as_ref(), levels.nodes.clone(), levels.weights.clone(), 0.0).alike();
    let means = means(features, (n, columns), weights)?;
    let mut density = Vec::with_capacity(n);
    let mean = MatRef::from_column_major_slice(&means, columns, 1);
    for (from, to) in blocks(n) {
        density.extend(linalg::product(features(from, to)?.as_ref(), mean).col(0).iter());
    }
    let average = |of: &dyn Fn(f64) -> f64| density.iter().zip(weights).map(|(y, w)| w * of(*y)).sum::<f64>() / total;
    let centre = average(&|y| y);
    let spread = average(&|y| (y - centre) * (y - centre)).sqrt();
    // rows that are all alike are all on the boundary: rounding must not put them out
    let (spread, slack) = if spread > EQUAL * centre { (spread, 0.0) } else { (centre, EQUAL * centre) };
    density.iter_mut().for_each(|y| *y = if slack > 0.0 { 0.0 } else { (*y - centre) / spread });
    let ridge = 0.5 * spread;
    let floor = NEGLIGIBLE * params.gap * ridge * levels.risk();
    let mut space = Reduced::new(features, (n, columns), weights, floor)?;
    let params = quantiles::Params { ridge, gap: params.gap, least: 0.0, iterations: params.iterations };
    let found = quantiles::minimise(&mut space, &loss, &density, weights, params, None, watch)?;
    let (table, shifts) = space.unfold(found.coefficients.as_ref());
    // back to the functions φ, and to u = (b − h) − m
    let mut table = linalg::product(table.as_ref(), turn.transpose());
    let m = turn.nrows();
    let one = levels.basis.one();
    for j in 0..m {
        (0..columns).for_each(|k| table[(k, j)] = spread * table[(k, j)] - one[j] * means[k]);
    }
    let constant = |j: usize| (0..m).map(|k| turn[(j, k)] * (found.constants[k] + shifts[k])).sum::<f64>();
    let constants = (0..m).map(|j| spread * constant(j) + one[j] * (centre - slack)).collect();
    Ok(Minimum { table, constants, spread, report: found.report })
}
