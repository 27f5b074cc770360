//! The evidence of a spectral mixture, with its gradient, and its maximum: how components are learned. \[spectral-mixture\]

mod form;
mod starts;

pub use form::Form;

use super::lbfgs;
use crate::error::{Error, Result};
use crate::linalg::{self, Cholesky};
use crate::rows::Weights;
use crate::spectrum::Component;
use faer::Mat;
use form::Wave;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Evaluations from each start, and from the best of these.
const PASSES: (usize, usize) = (30, 100);
/// Logarithms beyond which nothing is tried.
const FARTHEST: f64 = 30.0;

/// Rows with outputs y that are normal, with the covariance Σ_q w_q k_q(x − x′) + η/weight of each output by itself, or that of a field
/// of it: the logarithm of their density, as a function of θ = (ln w, μ, ln s of each component, ln η) and, where it is open, the log-odds
/// of the gradient share of a field.
///
/// With gaps each output has rows of its own. One evaluation costs n³ operations and n²·Q·d for each set of rows; of fields (nd)³ and
/// n²·Q·d².
pub struct MixtureEvidence {
    /// n×d.
    points: Mat<f64>,
    form: Form,
    groups: Vec<Group>,
    components: usize,
    /// Observed numbers.
    observed: f64,
}

/// Numbers with one covariance, those of a row one after the other; several columns where outputs are observed on the same rows.
struct Group {
    places: Vec<Place>,
    /// numbers×columns.
    y: Mat<f64>,
    /// The weight of each number.
    precision: Vec<f64>,
}

/// The numbers of a row: the first, and which outputs they are of.
struct Place {
    row: usize,
    first: usize,
    outputs: Vec<usize>,
}

/// A maximum.
#[derive(Clone, Debug, PartialEq)]
pub struct Maximum {
    /// θ.
    pub theta: Vec<f64>,
    /// The mean log density of an observed number there.
    pub evidence: f64,
    /// The same at each start.
    pub starts: Vec<f64>,
}

impl MixtureEvidence {
    /// Outputs (n×p, NaN where not observed) at points (n×d), for so many components. A field has as many outputs as inputs.
    pub fn new(
        points: Mat<f64>,
        outputs: &Mat<f64>,
        weights: Option<&Weights>,
        components: usize,
        form: Form,
    ) -> Result<Self> {
        let (n, p) = outputs.shape();
        if points.nrows() != n || components == 0 {
            let expected = format!("{n} points, one for each row of outputs, and a component");
            return Err(Error::shape("points", expected, format!("{} points", points.nrows())));
        }
        if form != Form::Scalar && p != points.ncols() {
            let expected = format!("{}, as many as inputs (a field)", points.ncols());
            return Err(Error::shape("outputs", expected, p));
        }
        let weight = |i: usize, t: usize| match weights {
            None => 1.0,
            Some(Weights::Row(w)) => w[i],
            Some(Weights::Entry(w)) => w[(i, t)],
        };
        let counts = |i: usize, t: usize| outputs[(i, t)].is_finite() && weight(i, t) > 0.0;
        // columns of the same rows, by themselves
        let apart = |columns: &[usize]| {
            let rows: Vec<usize> = (0..n).filter(|&i| columns.iter().all(|&t| counts(i, t))).collect();
            let place = |(first, &row): (usize, &usize)| Place { row, first, outputs: vec![0] };
            Group {
                y: Mat::from_fn(rows.len(), columns.len(), |i, t| outputs[(rows[i], columns[t])]),
                precision: rows.iter().map(|&i| weight(i, columns[0])).collect(),
                places: rows.iter().enumerate().map(place).collect(),
            }
        };
        let field = || {
            let (mut places, mut numbers): (Vec<Place>, Vec<(usize, usize)>) = Default::default();
            for row in 0..n {
                let own: Vec<usize> = (0..p).filter(|&t| counts(row, t)).collect();
                let first = numbers.len();
                numbers.extend(own.iter().map(|&t| (row, t)));
                if !own.is_empty() {
                    places.push(Place { row, first, outputs: own });
                }
            }
            let y = Mat::from_fn(numbers.len(), 1, |k, _| outputs[numbers[k]]);
            Group { places, y, precision: numbers.iter().map(|&(i, t)| weight(i, t)).collect() }
        };
        let together = !matches!(weights, Some(Weights::Entry(_)))
            && (0..n).all(|i| (0..p).all(|t| outputs[(i, t)].is_finite() || weight(i, t) == 0.0));
        let groups: Vec<Group> = match (form, together) {
            (Form::Field { .. } | Form::Helmholtz, _) => vec![field()],
            (Form::Scalar, true) => vec![apart(&(0..p).collect::<Vec<_>>())],
            (Form::Scalar, false) => (0..p).map(|t| apart(&[t])).collect(),
        };
        let groups: Vec<Group> = groups.into_iter().filter(|g| !g.places.is_empty()).collect();
        let observed = groups.iter().map(|g| (g.y.nrows() * g.y.ncols()) as f64).sum();
        if groups.is_empty() {
            return Err(Error::Data("no row counts: nothing is observed, or every weight is zero".into()));
        }
        Ok(MixtureEvidence { points, form, groups, components, observed })
    }

    /// Number of parameters: Q(1 + 2d) + 1, one more for a share that is open.
    pub fn parameters(&self) -> usize {
        self.components * self.width() + self.form.rest()
    }

    /// Parameters of a component.
    fn width(&self) -> usize {
        1 + 2 * self.points.ncols()
    }

    /// The components of θ, their weights summing to 1.
    pub fn components(&self, theta: &[f64]) -> Vec<Component> {
        let d = self.points.ncols();
        let of = |part: &[f64]| Component {
            weight: libm::exp(part[0]),
            mean: part[1..=d].to_vec(),
            deviation: part[1 + d..].iter().map(|s| libm::exp(*s)).collect(),
        };
        let mut all: Vec<Component> =
            theta[..self.components * self.width()].chunks_exact(self.width()).map(of).collect();
        let total: f64 = all.iter().map(|c| c.weight).sum();
        all.iter_mut().for_each(|c| c.weight /= total);
        all
    }

    /// The mean log density of an observed number at θ; sets its gradient. Minus infinity where the covariance is not positive.
    ///
    /// ∂/∂θ = ½Σᵢⱼ(Σₜ ααᵀ − p C⁻¹)ᵢⱼ ∂Cᵢⱼ/∂θ with α = C⁻¹y.
    pub fn value(&self, theta: &[f64], gradient: &mut [f64]) -> Result<f64> {
        gradient.fill(0.0);
        let (d, width) = (self.points.ncols(), self.width());
        let logs =
            theta.chunks(width).flat_map(|part| part[..1].iter().chain(part.get(1 + d..).into_iter().flatten()));
        if logs.into_iter().any(|v| !(v.abs() < FARTHEST)) || theta.iter().any(|v| !v.is_finite()) {
            return Ok(f64::NEG_INFINITY);
        }
        let mut value = 0.0;
        for group in &self.groups {
            value += self.add(group, theta, gradient)?;
        }
        gradient.iter_mut().for_each(|g| *g /= self.observed);
        Ok(value / self.observed)
    }

    fn add(&self, group: &Group, theta: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let (n, p) = group.y.shape();
        let (d, width) = (self.points.ncols(), self.width());
        let (parts, rest) = theta.split_at(self.components * width);
        let (form, noise, last) = (self.form.closed(rest), libm::exp(rest[0]), parts.len());
        let size = form.size(d);
        // dg/d(log-odds)
        let turn = match (self.form, form) {
            (Form::Helmholtz, Form::Field { gradient, rotation }) => Some(gradient * rotation),
            _ => None,
        };
        // ln w, μ and s² of each component
        let squares: Vec<Vec<f64>> = parts
            .chunks_exact(width)
            .map(|part| part[1 + d..].iter().map(|s| libm::exp(2.0 * s)).collect())
            .collect();
        let plain: Vec<(f64, &[f64], &[f64])> =
            parts.chunks_exact(width).zip(&squares).map(|(part, s)| (part[0], &part[1..=d], s.as_slice())).collect();
        let points: Vec<Vec<f64>> =
            group.places.iter().map(|place| self.points.row(place.row).iter().copied().collect()).collect();
        let delta = |i: usize, j: usize, out: &mut [f64]| {
            out.iter_mut().enumerate().for_each(|(k, out)| *out = points[i][k] - points[j][k]);
        };
        // C of the numbers of a row with those of the rows up to it
        let of_place = |i: usize| -> Mat<f64> {
            let own = &group.places[i];
            let mut rows = Mat::zeros(own.outputs.len(), own.first + own.outputs.len());
            let (mut block, mut difference) = (Mat::zeros(size, size), vec![0.0; d]);
            for (j, other) in group.places[..=i].iter().enumerate() {
                block.as_mut().fill(0.0);
                delta(i, j, &mut difference);
                plain.iter().for_each(|part| Wave::at(form, *part, &difference).add(form, &mut block));
                for (a, &s) in own.outputs.iter().enumerate() {
                    for (b, &t) in other.outputs.iter().enumerate() {
                        rows[(a, other.first + b)] = block[(s, t)];
                    }
                }
            }
            rows
        };
        let places = group.places.len();
        let below: Vec<Mat<f64>> = (0..places).into_par_iter().map(of_place).collect();
        let mut c = Mat::zeros(n, n);
        for (place, rows) in group.places.iter().zip(&below) {
            for (j, a) in (0..rows.ncols()).flat_map(|j| (0..rows.nrows()).map(move |a| (j, a))) {
                c[(place.first + a, j)] = rows[(a, j)];
                c[(j, place.first + a)] = rows[(a, j)];
            }
        }
        (0..n).for_each(|k| c[(k, k)] += noise / group.precision[k]);
        let Ok(factor) = Cholesky::in_place(c) else { return Ok(f64::NEG_INFINITY) };
        let inverse_factor = factor.inverse_factor();
        let mut inverse = Mat::zeros(n, n);
        linalg::rank_update(inverse.as_mut(), inverse_factor.as_ref());
        linalg::mirror(inverse.as_mut());
        let mut alpha = Mat::zeros(n, p);
        linalg::add_tn(alpha.as_mut(), inverse.as_ref(), group.y.as_ref());
        let fitted: f64 = (0..p).map(|t| (0..n).map(|i| group.y[(i, t)] * alpha[(i, t)]).sum::<f64>()).sum();
        let slope = |i: usize, j: usize| {
            let outer: f64 = (0..p).map(|t| alpha[(i, t)] * alpha[(j, t)]).sum();
            0.5 * (outer - p as f64 * inverse[(i, j)])
        };
        // each row by itself, then in order: the same bits for any number of threads
        let of_row = |i: usize| -> Vec<f64> {
            let mut sums = vec![0.0; theta.len()];
            let own = &group.places[i];
            let (mut g, mut difference) = (Mat::zeros(size, size), vec![0.0; d]);
            for k in own.first..own.first + own.outputs.len() {
                sums[last] += slope(k, k) * noise / group.precision[k];
            }
            for (j, other) in group.places[..=i].iter().enumerate() {
                // of rows that differ both orders count, and the block is made symmetric, as K is
                let times = if i == j { 0.5 } else { 1.0 };
                g.as_mut().fill(0.0);
                for (a, &s) in own.outputs.iter().enumerate() {
                    for (b, &t) in other.outputs.iter().enumerate() {
                        let one = times * slope(own.first + a, other.first + b);
                        g[(s, t)] += one;
                        g[(t, s)] += one;
                    }
                }
                delta(i, j, &mut difference);
                for (q, part) in plain.iter().enumerate() {
                    let wave = Wave::at(form, *part, &difference);
                    wave.slope(form, &g, &mut sums[q * width..(q + 1) * width]);
                    if let Some(turn) = turn {
                        sums[last + 1] += turn * wave.by_share(&g);
                    }
                }
            }
            sums
        };
        let rows: Vec<Vec<f64>> = (0..places).into_par_iter().map(of_row).collect();
        rows.iter().for_each(|row| gradient.iter_mut().zip(row).for_each(|(g, r)| *g += r));
        Ok(-0.5 * (fitted + p as f64 * (factor.log_det() + n as f64 * libm::log(TAU))))
    }

    /// Climbs from each start, then further from the best; `observe` is called after each step and may fail. The value never falls.
    pub fn maximise(&self, seed: u64, observe: &mut dyn FnMut() -> Result<()>) -> Result<Maximum> {
        let (mut best, mut values): (Option<(Vec<f64>, f64)>, Vec<f64>) = (None, Vec::new());
        for start in self.starts(seed) {
            let value = self.value(&start, &mut vec![0.0; start.len()])?;
            values.push(value);
            if !value.is_finite() {
                continue;
            }
            let found = self.climb(start, PASSES.0, observe)?;
            if best.as_ref().is_none_or(|(_, least)| found.1 > *least) {
                best = Some(found);
            }
        }
        let Some((theta, _)) = best else {
            return Err(Error::numerical("spectral mixture", "no start has a covariance that is positive"));
        };
        let (theta, evidence) = self.climb(theta, PASSES.1, observe)?;
        Ok(Maximum { theta, evidence, starts: values })
    }

    /// Climbs from θ with so many evaluations; θ and the value there.
    pub fn climb(
        &self,
        theta: Vec<f64>,
        passes: usize,
        observe: &mut dyn FnMut() -> Result<()>,
    ) -> Result<(Vec<f64>, f64)> {
        let mut down = |theta: &[f64], gradient: &mut [f64]| {
            let value = self.value(theta, gradient)?;
            gradient.iter_mut().for_each(|g| *g = -*g);
            Ok(-value)
        };
        let params = lbfgs::Params { tol: 1e-4, max_passes: passes, memory: 20 };
        let same = |g: &[f64], out: &mut [f64]| out.copy_from_slice(g);
        let mut step = |_: usize, _: &[f64]| observe().map(|_| false);
        let (theta, report) = lbfgs::minimise(&mut down, &same, theta, params, &mut step)?;
        Ok((theta, -report.value))
    }
}
