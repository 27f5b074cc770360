//! The normal equations of ridge for one kernel, built from moments that never saw the kernel. \[normal\]

use super::Centred;
use super::penalty::shares;
use crate::error::{Error, Result};
use crate::feature::Basis;
use crate::linalg;
use faer::Mat;
use std::borrow::Cow;

/// One scalar ridge problem: (G + (nλ/s²) I) g = rhs.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its matrix G among the system's.
    pub group: usize,
    /// Right-hand side.
    pub rhs: Vec<f64>,
    /// s²: how much of the prior variance this component has.
    pub s2: f64,
    /// Sum of squares of its outputs.
    pub yy: f64,
    /// Number of its observations.
    pub count: f64,
    /// Number of rows, whatever their weights (all outputs together when the problem does not split): a bound of G's rank.
    pub points: f64,
    /// The trace that G had before it was centred: what its rounding is a share of.
    pub size: f64,
}

/// Eigenvalues up to this share of the size of a matrix are what centring leaves of zeros.
pub(super) const CENTRING: f64 = 16.0 * f64::EPSILON;
/// A matrix all of whose eigenvalues are below this share of its size is what centring leaves of equal rows.
pub(super) const NOTHING: f64 = 1024.0 * f64::EPSILON;

/// How solutions of components become the table Z.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Component k is the direction u_k of the outputs (columns, p×r): Z = Σ (√a∘g_k) u_kᵀ.
    Directions { u: Mat<f64>, amplitudes: Vec<f64> },
    /// One component: θ itself, Z = lift(θ).
    Lifted,
}

/// The normal equations.
#[derive(Clone, Debug)]
pub struct System {
    /// n of nλ.
    pub rows: f64,
    /// Number of all observed entries.
    pub observed: f64,
    /// The matrices G.
    pub groups: Vec<Mat<f64>>,
    /// The problems on them.
    pub components: Vec<Component>,
    /// Sum of squares and count of outputs that the kernel cannot explain (null space of Γ).
    pub rest: (f64, f64),
    /// From solutions to the table.
    pub shape: Shape,
    /// Variance of the noise of each output (p) in units of σ²: Σ_tt of a metric, otherwise one.
    pub noise: Vec<f64>,
    /// What each output (p) has of all observations.
    pub shares: Vec<f64>,
}

/// Orthonormal directions U (p×r) of the outputs and their variances s², from the factor B of Γ = BBᵀ: B = U diag(s) Vᵀ
/// through BᵀB = V diag(s²) Vᵀ.
pub(crate) fn directions(b: &Mat<f64>) -> Result<(Mat<f64>, Vec<f64>)> {
    let gram = linalg::eigen((b.transpose() * b).as_ref())?;
    let top = gram.values.iter().copied().fold(0.0, f64::max);
    let kept: Vec<usize> = (0..gram.values.len()).filter(|&k| gram.values[k] > 1e-14 * top).collect();
    let turn = Mat::from_fn(b.ncols(), kept.len(), |i, j| gram.vectors[(i, kept[j])] / gram.values[kept[j]].sqrt());
    Ok((linalg::product(b.as_ref(), turn.as_ref()), kept.iter().map(|&k| gram.values[k]).collect()))
}

impl System {
    /// The system of a feature map: r scalar problems when the kernel is decomposable, one of K unknowns otherwise.
    /// `data` has one entry (all outputs complete) or one per output; what is given away is not copied.
    pub fn new<'a>(
        map: &dyn Basis,
        data: impl Into<Cow<'a, [Centred]>>,
        metric: Option<&Mat<f64>>,
    ) -> Result<System> {
        let data = data.into();
        agree(map, &data)?;
        let p = map.shape().1;
        let whitener = metric.map(|m| whitener(m, p)).transpose()?;
        if whitener.is_some() && data.len() != 1 {
            return Err(incomplete_metric());
        }
        match map.shared() {
            Some((b, amplitudes)) if data.len() == 1 => {
                let all = match data {
                    Cow::Owned(mut all) => Cow::Owned(all.remove(0)),
                    Cow::Borrowed(all) => Cow::Borrowed(&all[0]),
                };
                Self::complete(amplitudes, b, all, whitener.as_ref())
            }
            Some((b, amplitudes)) if is_diagonal(&(b * b.transpose())) => {
                Self::separate(amplitudes, b, data.into_owned())
            }
            _ => Self::full(map, &data, whitener.as_ref()),
        }
    }

    /// Whether the system of such data splits into scalar problems, which need no moments of characters beside it.
    pub fn splits(map: &dyn Basis, data: &[Centred]) -> bool {
        map.shared().is_some_and(|(b, _)| data.len() == 1 || is_diagonal(&(b * b.transpose())))
    }

    fn complete(
        amplitudes: Vec<f64>,
        b: &Mat<f64>,
        all: Cow<Centred>,
        white: Option<&(Mat<f64>, Mat<f64>)>,
    ) -> Result<System> {
        let (b, data) = match white {
            None => (Cow::Borrowed(b), all),
            Some((inverse, _)) => {
                (Cow::Owned(inverse * b), Cow::Owned(all.into_owned().transformed(inverse.as_ref())))
            }
        };
        let p = b.nrows();
        let (u, s2) = directions(&b)?; // p×r
        let rhs = linalg::product(data.cy.as_ref(), u.as_ref()); // M×r
        let yu = linalg::product(data.yy.as_ref(), u.as_ref()); // p×r
        let size = amplitudes.iter().enumerate().map(|(m, a)| a * a * data.energy(m)).sum();
        let component = |(j, &s2): (usize, &f64)| Component {
            group: 0,
            rhs: amplitudes.iter().enumerate().map(|(m, a)| a * rhs[(m, j)]).collect(),
            s2,
            yy: (0..p).map(|t| u[(t, j)] * yu[(t, j)]).sum(),
            count: data.count,
            points: data.points,
            size,
        };
        let components: Vec<Component> = s2.iter().enumerate().map(component).collect();
        let explained: f64 = components.iter().map(|c| c.yy).sum();
        let u = match white {
            None => u,
            Some((_, root)) => root * u,
        };
        let noise = noise(p, white);
        let total: f64 = (0..p).map(|t| data.yy[(t, t)]).sum();
        let rest = ((total - explained).max(0.0), (p - components.len()) as f64 * data.count);
        let (rows, observed) = (data.rows, p as f64 * data.observations);
        let cc = match data {
            Cow::Owned(data) => data.cc,
            Cow::Borrowed(data) => data.cc.clone(),
        };
        let group = weighted(cc, &amplitudes);
        let shape = Shape::Directions { u, amplitudes };
        let shares = shares(&vec![1.0; p]);
        Ok(System { rows, observed, groups: vec![group], components, rest, shape, noise, shares })
    }

    fn separate(amplitudes: Vec<f64>, b: &Mat<f64>, each: Vec<Centred>) -> Result<System> {
        let gamma = b * b.transpose();
        let p = gamma.nrows();
        let top = (0..p).map(|t| gamma[(t, t)]).fold(0.0, f64::max);
        let (mut groups, mut components, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
        let mut rest = (0.0, 0.0);
        let rows = each[0].rows;
        let observed = each.iter().map(|data| data.observations).sum();
        let shares = shares(&each.iter().map(|data| data.count).collect::<Vec<_>>());
        for (t, data) in each.into_iter().enumerate() {
            if gamma[(t, t)] <= 1e-14 * top {
                rest = (rest.0 + data.yy[(t, t)], rest.1 + data.count);
                continue;
            }
            components.push(Component {
                group: groups.len(),
                rhs: amplitudes.iter().enumerate().map(|(m, a)| a * data.cy[(m, t)]).collect(),
                s2: gamma[(t, t)],
                yy: data.yy[(t, t)],
                count: data.count,
                points: data.points,
                size: amplitudes.iter().enumerate().map(|(m, a)| a * a * data.energy(m)).sum(),
            });
            groups.push(weighted(data.cc, &amplitudes));
            outputs.push(t);
        }
        let u = Mat::from_fn(p, outputs.len(), |t, k| if outputs[k] == t { 1.0 } else { 0.0 });
        let shape = Shape::Directions { u, amplitudes };
        Ok(System { rows, observed, groups, components, rest, shape, noise: vec![1.0; p], shares })
    }

    /// P has blocks Σ_t f_it f_jt cc_t[mᵢ,mⱼ] with f the weighted factors: K² p numbers, no data.
    fn full(map: &dyn Basis, data: &[Centred], white: Option<&(Mat<f64>, Mat<f64>)>) -> Result<System> {
        let (stacked, of) = map.stacked();
        let (k, p) = (stacked.nrows(), stacked.ncols());
        let (factors, data) = match white {
            None => (stacked, Cow::Borrowed(data)),
            Some((inverse, _)) => (
                linalg::product(stacked.as_ref(), inverse.transpose()),
                Cow::Owned(vec![data[0].clone().transformed(inverse.as_ref())]),
            ),
        };
        let mut matrix = Mat::<f64>::zeros(k, k);
        if let [all] = &*data {
            linalg::product_into(matrix.as_mut(), factors.as_ref(), factors.transpose());
            for j in 0..k {
                let column = all.cc.col(of[j]);
                (0..k).for_each(|i| matrix[(i, j)] *= column[of[i]]);
            }
        } else {
            for (t, one) in data.iter().enumerate() {
                for j in 0..k {
                    let (column, fj) = (one.cc.col(of[j]), factors[(j, t)]);
                    (0..k).for_each(|i| matrix[(i, j)] += factors[(i, t)] * fj * column[of[i]]);
                }
            }
        }
        let cy = |m: usize, t: usize| if data.len() == 1 { data[0].cy[(m, t)] } else { data[t].cy[(m, t)] };
        let yy = |t: usize| if data.len() == 1 { data[0].yy[(t, t)] } else { data[t].yy[(t, t)] };
        let count = |t: usize| if data.len() == 1 { data[0].count } else { data[t].count };
        let energy =
            |i: usize, t: usize| factors[(i, t)] * factors[(i, t)] * data[t.min(data.len() - 1)].energy(of[i]);
        let component = Component {
            group: 0,
            size: (0..k).map(|i| (0..p).map(|t| energy(i, t)).sum::<f64>()).sum(),
            rhs: (0..k).map(|i| (0..p).map(|t| factors[(i, t)] * cy(of[i], t)).sum()).collect(),
            s2: 1.0,
            yy: (0..p).map(yy).sum(),
            count: (0..p).map(count).sum(),
            points: (0..p).map(|t| data[t.min(data.len() - 1)].points).sum(),
        };
        Ok(System {
            rows: data[0].rows,
            observed: (0..p).map(|t| data[t.min(data.len() - 1)].observations).sum(),
            groups: vec![matrix],
            components: vec![component],
            rest: (0.0, 0.0),
            shape: Shape::Lifted,
            noise: noise(p, white),
            shares: shares(&(0..p).map(count).collect::<Vec<_>>()),
        })
    }

    /// Whether every component has the same matrix and variance, so that one factorisation serves all.
    pub fn same_variance(&self) -> bool {
        let first = self.components.first().map_or(1.0, |c| c.s2);
        self.groups.len() == 1 && self.components.iter().all(|c| (c.s2 - first).abs() <= 1e-14 * first)
    }

    /// Z from the solutions of the components.
    pub fn table(&self, map: &dyn Basis, solutions: &[Vec<f64>]) -> Mat<f64> {
        match &self.shape {
            Shape::Lifted => map.lift(&solutions[0]),
            Shape::Directions { u, amplitudes } => {
                let g = Mat::from_fn(amplitudes.len(), solutions.len(), |m, k| amplitudes[m] * solutions[k][m]);
                linalg::product(g.as_ref(), u.transpose())
            }
        }
    }

    /// Right-hand sides of outputs whose cross moments with the characters are `cy` (M×p); without a metric.
    pub fn right(&self, map: &dyn Basis, cy: &Mat<f64>) -> Vec<Vec<f64>> {
        match &self.shape {
            Shape::Lifted => vec![map.lower(cy.as_ref())],
            Shape::Directions { u, amplitudes } => {
                let rhs = linalg::product(cy.as_ref(), u.as_ref());
                let scaled = |k: usize| amplitudes.iter().enumerate().map(|(m, a)| a * rhs[(m, k)]).collect();
                (0..u.ncols()).map(scaled).collect()
            }
        }
    }

    /// cc·Z (M×p) of solutions at one ridge λ, from G g = rhs − μg, when the kernel is decomposable.
    pub fn spread(&self, solutions: &[Vec<f64>], ridge: f64) -> Option<Mat<f64>> {
        let Shape::Directions { u, amplitudes } = &self.shape else { return None };
        let g = Mat::from_fn(amplitudes.len(), solutions.len(), |m, k| {
            let c = &self.components[k];
            let inverse = if amplitudes[m] > 0.0 { 1.0 / amplitudes[m] } else { 0.0 };
            inverse * (c.rhs[m] - self.rows * ridge / c.s2 * solutions[k][m])
        });
        Some(linalg::product(g.as_ref(), u.transpose()))
    }

    /// Degrees of freedom of each output from those of the components. With a metric the directions are those of Σ: an
    /// output has Σ_tt of the noise, and as much of the freedom as of that.
    pub fn freedom(&self, of: &[f64]) -> Vec<f64> {
        self.of_outputs(of).iter().zip(&self.noise).map(|(f, noise)| f / noise).collect()
    }

    /// nλ‖θ‖² of each output from the solutions of the components.
    pub fn penalty(&self, solutions: &[Vec<f64>], ridge: f64) -> Vec<f64> {
        let mu = |s2: f64| self.rows * ridge / s2;
        let one = |(c, g): (&Component, &Vec<f64>)| mu(c.s2) * g.iter().map(|v| v * v).sum::<f64>();
        self.of_outputs(&self.components.iter().zip(solutions).map(one).collect::<Vec<_>>())
    }

    /// A quadratic quantity of the outputs (p) from those of the components.
    pub(super) fn of_outputs(&self, of: &[f64]) -> Vec<f64> {
        match &self.shape {
            Shape::Lifted => {
                self.noise.iter().zip(&self.shares).map(|(noise, share)| noise * share * of[0]).collect()
            }
            Shape::Directions { u, .. } => {
                let one = |t: usize| of.iter().enumerate().map(|(k, f)| u[(t, k)] * u[(t, k)] * f).sum();
                (0..u.nrows()).map(one).collect()
            }
        }
    }
}

/// Refuses moments of other characters or outputs than the map's.
pub(super) fn agree(map: &dyn Basis, data: &[Centred]) -> Result<()> {
    let (characters, p) = map.shape();
    if let Some(c) = data.iter().find(|c| c.cy.ncols() != p) {
        return Err(Error::shape(
            "outputs",
            format!("{p}, as many as the kernel has (a field has as many as there are inputs)"),
            c.cy.ncols(),
        ));
    }
    if data.len() != 1 && data.len() != p || data.iter().any(|c| c.cc.nrows() != characters) {
        let given = format!("{} of {} characters", data.len(), data.first().map_or(0, |c| c.cc.nrows()));
        let expected = format!("one or {p}, of {characters} characters");
        return Err(Error::shape("moments", expected, given));
    }
    Ok(())
}

pub(crate) fn is_diagonal(m: &Mat<f64>) -> bool {
    (0..m.ncols()).all(|j| (0..m.nrows()).all(|i| i == j || m[(i, j)] == 0.0))
}

fn weighted(mut cc: Mat<f64>, amplitudes: &[f64]) -> Mat<f64> {
    for (j, b) in amplitudes.iter().enumerate() {
        cc.col_mut(j).iter_mut().zip(amplitudes).for_each(|(v, a)| *v *= a * b);
    }
    cc
}

/// The diagonal of a metric LLᵀ, whose whitener is given; ones without.
pub(super) fn noise(p: usize, white: Option<&(Mat<f64>, Mat<f64>)>) -> Vec<f64> {
    let one = |t: usize| white.map_or(1.0, |(_, root)| root.row(t).iter().map(|l| l * l).sum());
    (0..p).map(one).collect()
}

/// What moments of each output do not tell.
pub(crate) const INCOMPLETE_METRIC: &str = "a metric with missing outputs, entry weights or views";

/// With a metric the residuals of a row belong together: moments of each output do not know them.
pub(crate) fn incomplete_metric() -> Error {
    let why = "moments do not know which outputs were observed together; use solver rows, or whiten complete outputs";
    Error::refused(INCOMPLETE_METRIC, why)
}

/// Squares of whitened outputs up to this are finite.
const FARTHEST: f64 = 1e75;

/// The error of a metric of another size than the outputs.
pub(crate) fn wrong_metric(metric: &Mat<f64>, p: usize) -> Error {
    let expected = format!("{p}×{p}, a row and a column per output");
    Error::shape("metric", expected, format!("{}×{}", metric.nrows(), metric.ncols()))
}

/// (L⁻¹, L) of the metric Σ = LLᵀ: y′ = L⁻¹y has the Euclidean metric. \[metric\]
pub(crate) fn whitener(metric: &Mat<f64>, p: usize) -> Result<(Mat<f64>, Mat<f64>)> {
    if metric.nrows() != p || metric.ncols() != p {
        return Err(wrong_metric(metric, p));
    }
    let cholesky = linalg::Cholesky::new(metric.as_ref())
        .map_err(|_| Error::parameter("metric", "a symmetric positive definite matrix", "another"))?;
    let inverse = cholesky.half_solve(Mat::<f64>::identity(p, p).as_ref())?;
    let size = inverse.norm_max();
    if size > FARTHEST || size.is_nan() {
        return Err(Error::parameter(
            "metric",
            "a symmetric positive definite matrix",
            "one that is nearly singular",
        ));
    }
    Ok((inverse, cholesky.factor().to_owned()))
}
