//! Ridge with a second quadratic penalty, λ(‖θ‖² + α⟨f, Mf⟩): whitened, it is plain ridge. \[warp\]

use super::{Component, Shape, Solution, Spectral, System};
use crate::error::{Error, Result};
use crate::feature::Basis;
use crate::linalg::{self, Cholesky};
use faer::Mat;

/// The normal equations (G + (nλ/s²)(I + αs²P))g = rhs, P = ΦMΦᵀ, in the coordinates g̃ = Fᵀg, FFᵀ = I + αs²P: plain ridge
/// with every ridge at once.
pub struct Warp {
    spectral: Spectral,
    /// F of each group.
    factors: Vec<Cholesky>,
    /// The directions and amplitudes of a system that splits.
    directions: Option<(Mat<f64>, Vec<f64>)>,
}

/// P of a system from the moment Σ Mᵢⱼ c(xᵢ)c(xⱼ)ᵀ (M×M) of bare characters: K×K, or M×M when the system splits.
fn penalty(map: &dyn Basis, shape: &Shape, moment: &Mat<f64>) -> Mat<f64> {
    match shape {
        Shape::Directions { amplitudes: a, .. } => {
            Mat::from_fn(moment.nrows(), moment.ncols(), |i, j| a[i] * a[j] * moment[(i, j)])
        }
        Shape::Lifted => {
            let (factors, of) = map.stacked();
            let mut out = linalg::product(factors.as_ref(), factors.transpose());
            for j in 0..of.len() {
                (0..of.len()).for_each(|i| out[(i, j)] *= moment[(of[i], of[j])]);
            }
            out
        }
    }
}

fn check(map: &dyn Basis, moment: &Mat<f64>, strength: f64) -> Result<()> {
    if !(strength.is_finite() && strength >= 0.0) {
        return Err(Error::parameter("strength", "a finite number ≥ 0", strength));
    }
    if moment.shape() != (map.shape().0, map.shape().0) {
        let given = format!("{}×{}", moment.nrows(), moment.ncols());
        return Err(Error::shape("Laplacian moment", format!("{0}×{0}", map.shape().0), given));
    }
    Ok(())
}

impl Warp {
    /// The solution at one ridge λ > 0 without whitening, by Cholesky of G + (nλ/s²)I + nλαP for each distinct s²: K³/3
    /// operations instead of some twelve K³; no path and no posterior.
    pub fn direct(
        map: &dyn Basis,
        mut system: System,
        moment: &Mat<f64>,
        strength: f64,
        ridge: f64,
    ) -> Result<Solution> {
        check(map, moment, strength)?;
        if !(ridge.is_finite() && ridge > 0.0) {
            return Err(Error::parameter("ridge", "a number > 0", ridge));
        }
        let penalty = penalty(map, &system.shape, moment);
        let total = system.rows * ridge; // nλ
        let mut solutions = vec![Vec::new(); system.components.len()];
        let mut left: Vec<usize> = (0..solutions.len()).collect();
        while let Some(&first) = left.first() {
            let (group, s2) = (system.components[first].group, system.components[first].s2);
            let alike = |k: &usize| {
                let c = &system.components[*k];
                c.group == group && (c.s2 - s2).abs() <= 1e-13 * s2
            };
            let (members, rest): (Vec<usize>, Vec<usize>) = left.into_iter().partition(alike);
            left = rest;
            let last = !left.iter().any(|&k| system.components[k].group == group);
            let mut matrix = if last {
                std::mem::replace(&mut system.groups[group], Mat::new())
            } else {
                system.groups[group].clone()
            };
            for j in 0..matrix.ncols() {
                let column = matrix.col_mut(j).iter_mut().zip(penalty.col(j).iter());
                column.for_each(|(g, p)| *g += total * strength * p);
                matrix[(j, j)] += total / s2;
            }
            let factor = Cholesky::in_place(matrix).map_err(|_| {
                Error::numerical("warp", format!("the system at ridge {ridge:.1e} is lost to rounding; raise it"))
            })?;
            let rhs = Mat::from_fn(factor.order(), members.len(), |i, j| system.components[members[j]].rhs[i]);
            let solved = factor.solve_factored(rhs.as_ref())?;
            members.iter().enumerate().for_each(|(j, &k)| solutions[k] = solved.col(j).iter().copied().collect());
        }
        let how = format!("Cholesky of {} unknowns", penalty.nrows());
        let table = system.table(map, &solutions);
        // nλ(‖g‖²/s² + α⟨f, Mf⟩), all of which the evidence counts
        let cost = |(c, g): (&Component, &Vec<f64>)| {
            let g = Mat::from_fn(g.len(), 1, |i, _| g[i]);
            let along = linalg::product(penalty.as_ref(), g.as_ref());
            let smooth: f64 = (0..g.nrows()).map(|i| g[(i, 0)] * along[(i, 0)]).sum();
            total * (g.squared_norm_l2() / c.s2 + strength * smooth)
        };
        let costs: Vec<f64> = system.components.iter().zip(&solutions).map(cost).collect();
        let penalty = system.of_outputs(&costs);
        Ok(Solution { table, spread: None, freedom: None, penalty, posterior: None, how, iterations: 1 })
    }

    /// Whitens a system without a metric for a penalty of strength α ≥ 0. Cost 3K³ for each distinct s².
    pub fn new(map: &dyn Basis, system: System, moment: &Mat<f64>, strength: f64) -> Result<Warp> {
        check(map, moment, strength)?;
        let penalty = penalty(map, &system.shape, moment);
        let System { rows, observed, groups, components, rest, shape, noise, shares } = system;
        let directions = match &shape {
            Shape::Directions { u, amplitudes } => Some((u.clone(), amplitudes.clone())),
            Shape::Lifted => None,
        };
        let (mut kinds, mut factors, mut whitened): (Vec<(usize, f64)>, Vec<Cholesky>, Vec<Mat<f64>>) =
            Default::default();
        let mut turned = Vec::with_capacity(components.len());
        for c in components {
            let alike = |(group, s2): &(usize, f64)| *group == c.group && (s2 - c.s2).abs() <= 1e-13 * c.s2;
            let at = match kinds.iter().position(alike) {
                Some(at) => at,
                None => {
                    let mut matrix = faer::Scale(strength * c.s2) * &penalty;
                    (0..matrix.nrows()).for_each(|i| matrix[(i, i)] += 1.0);
                    let factor = Cholesky::in_place(matrix).map_err(|_| {
                        Error::numerical(
                            "warp",
                            format!("the penalty of strength {strength:.1e} is lost to rounding; lower it"),
                        )
                    })?;
                    whitened.push(whiten(&factor, &groups[c.group], c.points as usize)?);
                    factors.push(factor);
                    kinds.push((c.group, c.s2));
                    kinds.len() - 1
                }
            };
            let rhs = Mat::from_fn(c.rhs.len(), 1, |i, _| c.rhs[i]);
            let rhs = factors[at].half_solve(rhs.as_ref())?;
            // whitening may make the matrix as small as it likes
            turned.push(Component { group: at, rhs: rhs.col(0).iter().copied().collect(), size: 0.0, ..c });
        }
        let shape = match shape {
            Shape::Directions { u, amplitudes } => Shape::Directions { u, amplitudes: vec![1.0; amplitudes.len()] },
            Shape::Lifted => Shape::Lifted,
        };
        let system = System { rows, observed, groups: whitened, components: turned, rest, shape, noise, shares };
        Ok(Warp { spectral: Spectral::new(system)?, factors, directions })
    }

    /// Plain ridge in the coordinates of the warp: scores of every ridge.
    pub fn spectral(&self) -> &Spectral {
        &self.spectral
    }

    /// The solution at one ridge λ > 0, back in the coordinates of the map.
    pub fn solve(&self, map: &dyn Basis, ridge: f64, posterior: bool) -> Result<Solution> {
        let mut solution = self.spectral.solve(&Bare, ridge, posterior)?;
        let components = &self.spectral.system().components;
        match &self.directions {
            Some((u, amplitudes)) => {
                // the directions are orthonormal: g̃ of each is in the table
                let turned = linalg::product(solution.table.as_ref(), u.as_ref()); // M×r
                let mut g = Mat::zeros(turned.nrows(), turned.ncols());
                for (k, c) in components.iter().enumerate() {
                    let one = self.factors[c.group].half_solve_transposed(turned.subcols(k, 1))?;
                    (0..g.nrows()).for_each(|m| g[(m, k)] = amplitudes[m] * one[(m, 0)]);
                }
                solution.table = linalg::product(g.as_ref(), u.transpose());
            }
            None => {
                let theta = self.factors[0].half_solve_transposed(solution.table.as_ref())?;
                solution.table = map.lift(&theta.col(0).iter().copied().collect::<Vec<_>>());
            }
        }
        // cc·Z is not what the warped system says
        solution.spread = None;
        for spread in solution.posterior.iter_mut().flatten() {
            if let Some(root) = spread.root.take() {
                spread.root = Some(self.factors[spread.group].half_solve_transposed(root.as_ref())?);
            }
        }
        solution.how = format!("{} of the warp", solution.how);
        Ok(solution)
    }
}

/// F⁻¹GF⁻ᵀ. With few observations by a factor of G: a strong penalty makes the product far smaller than G, and the rounding
/// of G, which would be left of it, would pass for observations.
fn whiten(factor: &Cholesky, g: &Mat<f64>, observations: usize) -> Result<Mat<f64>> {
    if observations < g.nrows() / 2 {
        let eigen = linalg::eigen_of_rank(g.as_ref(), observations)?;
        let (k, r) = eigen.vectors.shape();
        if r < k {
            let root = Mat::from_fn(k, r, |i, j| eigen.vectors[(i, j)] * eigen.values[j].max(0.0).sqrt());
            let root = factor.half_solve(root.as_ref())?;
            return Ok(linalg::product(root.as_ref(), root.transpose()));
        }
    }
    let half = factor.half_solve(g.as_ref())?;
    factor.half_solve(half.transpose())
}

/// Unknowns as they are: θ is its own table.
struct Bare;

impl Basis for Bare {
    fn shape(&self) -> (usize, usize) {
        (0, 1)
    }

    fn shared(&self) -> Option<(&Mat<f64>, Vec<f64>)> {
        None
    }

    fn stacked(&self) -> (Mat<f64>, Vec<usize>) {
        (Mat::new(), Vec::new())
    }

    fn lift(&self, theta: &[f64]) -> Mat<f64> {
        Mat::from_fn(theta.len(), 1, |i, _| theta[i])
    }
}
