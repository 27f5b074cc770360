//! The evidence of a spectral mixture, with its gradient, and its maximum: how components are learned. \[spectral-mixture\]

use super::lbfgs;
use crate::error::{Error, Result};
use crate::linalg::{self, Cholesky};
use crate::random::Stream;
use crate::rows::Weights;
use crate::spectrum::Component;
use faer::Mat;
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};

/// Purpose of the stream of frequencies and starts.
const STARTS: u64 = 0x6d69_7874;
/// Frequencies that are tried for each row, and at most.
const TRIED: (usize, usize) = (4, 4000);
/// Starts that are drawn at random, beside those that follow the waves that are seen.
const DRAWN: usize = 2;
/// Evaluations from each start, and from the best of these.
const PASSES: (usize, usize) = (30, 100);
/// Noise at a start, of outputs whose variance is about 1: at least.
const NOISE: f64 = 0.01;
/// Logarithms beyond which nothing is tried.
const FARTHEST: f64 = 30.0;

/// Rows with outputs y that are normal, independent of each other, with covariance Σ_q w_q k_q(x − x′) + η/weight: the logarithm of
/// their density, as a function of θ = (ln w, μ, ln s of each component, ln η).
///
/// With gaps each output has rows of its own. One evaluation costs n³ operations and n²·Q·d for each set of rows.
pub struct MixtureEvidence {
    /// n×d.
    points: Mat<f64>,
    groups: Vec<Group>,
    components: usize,
    /// Observed numbers.
    observed: f64,
}

/// Outputs that are observed on the same rows.
struct Group {
    rows: Vec<usize>,
    /// rows×outputs.
    y: Mat<f64>,
    /// The weight of each row.
    precision: Vec<f64>,
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
    /// Outputs (n×p, NaN where not observed) at points (n×d), for so many components.
    pub fn new(points: Mat<f64>, outputs: &Mat<f64>, weights: Option<&Weights>, components: usize) -> Result<Self> {
        let (n, p) = outputs.shape();
        if points.nrows() != n || components == 0 {
            let expected = format!("{n} points, one for each row of outputs, and a component");
            return Err(Error::shape("points", expected, format!("{} points", points.nrows())));
        }
        let weight = |i: usize, t: usize| match weights {
            None => 1.0,
            Some(Weights::Row(w)) => w[i],
            Some(Weights::Entry(w)) => w[(i, t)],
        };
        let group = |columns: &[usize]| {
            let counts = |i: &usize| columns.iter().all(|&t| outputs[(*i, t)].is_finite() && weight(*i, t) > 0.0);
            let rows: Vec<usize> = (0..n).filter(counts).collect();
            Group {
                y: Mat::from_fn(rows.len(), columns.len(), |i, t| outputs[(rows[i], columns[t])]),
                precision: rows.iter().map(|&i| weight(i, columns[0])).collect(),
                rows,
            }
        };
        let together = !matches!(weights, Some(Weights::Entry(_)))
            && (0..n).all(|i| (0..p).all(|t| outputs[(i, t)].is_finite() || weight(i, t) == 0.0));
        let groups: Vec<Group> =
            if together { vec![group(&(0..p).collect::<Vec<_>>())] } else { (0..p).map(|t| group(&[t])).collect() };
        let groups: Vec<Group> = groups.into_iter().filter(|g| !g.rows.is_empty()).collect();
        let observed = groups.iter().map(|g| (g.y.nrows() * g.y.ncols()) as f64).sum();
        if groups.is_empty() {
            return Err(Error::Data("no row counts: nothing is observed, or every weight is zero".into()));
        }
        Ok(MixtureEvidence { points, groups, components, observed })
    }

    /// Number of parameters: Q(1 + 2d) + 1.
    pub fn parameters(&self) -> usize {
        self.components * self.width() + 1
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
        let mut all: Vec<Component> = theta[..theta.len() - 1].chunks_exact(self.width()).map(of).collect();
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
        let (parts, noise) = (&theta[..theta.len() - 1], libm::exp(theta[theta.len() - 1]));
        // w, μ and s² of each component
        let plain: Vec<(f64, &[f64], Vec<f64>)> = parts
            .chunks_exact(width)
            .map(|part| (part[0], &part[1..=d], part[1 + d..].iter().map(|s| libm::exp(2.0 * s)).collect()))
            .collect();
        let total: f64 = plain.iter().map(|(log, _, _)| libm::exp(*log)).sum();
        let point = |i: usize| -> Vec<f64> { self.points.row(group.rows[i]).iter().copied().collect() };
        let points: Vec<Vec<f64>> = (0..n).map(point).collect();
        let wave = |(log, mean, square): &(f64, &[f64], Vec<f64>), delta: &[f64]| {
            let (mut far, mut phase) = (0.0, 0.0);
            for k in 0..d {
                far += delta[k] * delta[k] * square[k];
                phase += delta[k] * mean[k];
            }
            (libm::exp(log - 0.5 * far), phase)
        };
        let delta = |i: usize, j: usize, out: &mut [f64]| {
            out.iter_mut().enumerate().for_each(|(k, out)| *out = points[i][k] - points[j][k]);
        };
        let row = |i: usize| -> Vec<f64> {
            let mut difference = vec![0.0; d];
            let mut entry = |j: usize| {
                delta(i, j, &mut difference);
                let of = |part| {
                    let (size, phase) = wave(part, &difference);
                    size * libm::cos(phase)
                };
                plain.iter().map(of).sum::<f64>()
            };
            (0..i).map(&mut entry).collect()
        };
        let below: Vec<Vec<f64>> = (0..n).into_par_iter().map(row).collect();
        let own = |i: usize| total + noise / group.precision[i];
        let c = Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Greater => below[i][j],
            std::cmp::Ordering::Less => below[j][i],
            std::cmp::Ordering::Equal => own(i),
        });
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
            let (mut sums, mut difference) = (vec![0.0; theta.len()], vec![0.0; d]);
            let diagonal = slope(i, i);
            for (q, (log, _, _)) in plain.iter().enumerate() {
                sums[q * width] += diagonal * libm::exp(*log);
            }
            sums[theta.len() - 1] += diagonal * noise / group.precision[i];
            for j in 0..i {
                delta(i, j, &mut difference);
                let both = 2.0 * slope(i, j);
                for (q, part) in plain.iter().enumerate() {
                    let (size, phase) = wave(part, &difference);
                    let (even, odd) = (both * size * libm::cos(phase), both * size * libm::sin(phase));
                    let sums = &mut sums[q * width..(q + 1) * width];
                    sums[0] += even;
                    for k in 0..d {
                        sums[1 + k] -= odd * difference[k];
                        sums[1 + d + k] -= even * difference[k] * difference[k] * part.2[k];
                    }
                }
            }
            sums
        };
        let rows: Vec<Vec<f64>> = (0..n).into_par_iter().map(of_row).collect();
        rows.iter().for_each(|row| gradient.iter_mut().zip(row).for_each(|(g, r)| *g += r));
        Ok(-0.5 * (fitted + p as f64 * (factor.log_det() + n as f64 * libm::log(TAU))))
    }

    /// Where to begin: at the waves that explain most of the outputs, one after the other; the same with one component about 0; at
    /// gaussians of several widths; and at waves drawn in proportion to their power.
    pub fn starts(&self, seed: u64) -> Vec<Vec<f64>> {
        let q = self.components;
        let tried = self.frequencies(seed);
        let spread: Vec<f64> = (0..self.points.ncols()).map(|k| self.spread(k)).collect();
        let narrow: Vec<f64> = spread.iter().map(|s| -libm::log(*s)).collect();
        let zero = vec![0.0; spread.len()];
        let one = |weight: f64, mean: &[f64], log: f64| -> Vec<f64> {
            let deviations = narrow.iter().map(|s| s + log);
            std::iter::once(libm::log(weight)).chain(mean.iter().copied()).chain(deviations).collect()
        };
        let whole = |parts: Vec<Vec<f64>>, noise: f64| [parts.concat(), vec![libm::log(noise)]].concat();
        let (waves, left) = self.pursuit(&tried, q);
        let mut starts = vec![whole(waves.iter().map(|(v, w)| one(*v, w, 0.0)).collect(), left)];
        let (waves, left) = self.pursuit(&tried, q - 1);
        let about = std::iter::once(one(0.5, &zero, 0.0)).chain(waves.iter().map(|(v, w)| one(*v, w, 0.0)));
        starts.push(whole(about.collect(), left));
        // gaussians: means that are not quite 0, where the gradient would vanish
        let wide = |i: usize| {
            let mean: Vec<f64> = spread.iter().map(|s| 0.01 * (i + 1) as f64 / s).collect();
            one(1.0 / q as f64, &mean, (2.0 * i as f64 - 1.0) * std::f64::consts::LN_2)
        };
        starts.push(whole((0..q).map(wide).collect(), 0.1));
        let power = self.power(&tried, &self.outputs());
        let sum: f64 = power.iter().sum();
        for start in 0..DRAWN as u64 {
            let mut random = Stream::new(seed, STARTS, 1 + start);
            let mut draw = || {
                let mut left = random.uniform() * sum;
                let hit = power.iter().position(|p| {
                    left -= p;
                    left < 0.0
                });
                let log = 2.0 * random.uniform() - 1.0;
                one(1.0 / q as f64, &tried[hit.unwrap_or(0)], log)
            };
            starts.push(whole((0..q).map(|_| draw()).collect(), 0.1));
        }
        starts
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

    fn spread(&self, k: usize) -> f64 {
        let column: Vec<f64> = self.points.col(k).iter().copied().collect();
        let n = column.len() as f64;
        let mean = column.iter().sum::<f64>() / n;
        let variance = column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        if variance > 0.0 { variance.sqrt() } else { 1.0 }
    }

    /// Frequencies up to the highest that rows could show, along the inputs and in other directions.
    fn frequencies(&self, seed: u64) -> Vec<Vec<f64>> {
        let (n, d) = self.points.shape();
        let range = |k: usize| {
            let column = || self.points.col(k).iter().copied();
            let range = column().fold(f64::NEG_INFINITY, f64::max) - column().fold(f64::INFINITY, f64::min);
            if range > 0.0 { range } else { 1.0 }
        };
        let highest: Vec<f64> = (0..d).map(|k| PI * libm::pow(n as f64, 1.0 / d as f64) / range(k)).collect();
        let count = (TRIED.0 * n * d).min(TRIED.1);
        let mut random = Stream::new(seed, STARTS, 0);
        let mut one = |m: usize| -> Vec<f64> {
            let far = (m as f64 + random.uniform()) / count as f64;
            // every other one along an input
            if d == 1 || m % 2 == 0 {
                let axis = (m / 2) % d;
                return (0..d).map(|k| if k == axis { far * highest[k] } else { 0.0 }).collect();
            }
            let z: Vec<f64> = (0..d).map(|_| crate::special::normal_quantile(random.uniform())).collect();
            let norm = z.iter().map(|z| z * z).sum::<f64>().sqrt();
            (0..d).map(|k| far * highest[k] * z[k] / norm).collect()
        };
        (0..count).map(&mut one).collect()
    }

    /// The outputs of every group (n×outputs of each), zero where nothing is observed.
    fn outputs(&self) -> Vec<Mat<f64>> {
        let of = |g: &Group| {
            let mut y = Mat::zeros(self.points.nrows(), g.y.ncols());
            for (i, &row) in g.rows.iter().enumerate() {
                (0..g.y.ncols()).for_each(|t| y[(row, t)] = g.y[(i, t)]);
            }
            y
        };
        self.groups.iter().map(of).collect()
    }

    /// Σ|Σᵢ yᵢ e^{i⟨ω,xᵢ⟩}|² over the outputs, for each of some frequencies.
    fn power(&self, tried: &[Vec<f64>], outputs: &[Mat<f64>]) -> Vec<f64> {
        let of = |omega: &Vec<f64>| {
            let waves = self.waves(omega);
            let power = |y: &Mat<f64>| {
                let column = |t: usize| {
                    let sum = |part: fn(&(f64, f64)) -> f64| {
                        waves.iter().enumerate().map(|(i, w)| y[(i, t)] * part(w)).sum::<f64>()
                    };
                    sum(|w| w.0).powi(2) + sum(|w| w.1).powi(2)
                };
                (0..y.ncols()).map(column).sum::<f64>()
            };
            outputs.iter().map(power).sum::<f64>()
        };
        tried.par_iter().map(of).collect()
    }

    fn waves(&self, omega: &[f64]) -> Vec<(f64, f64)> {
        let phase = |i: usize| omega.iter().enumerate().map(|(k, w)| w * self.points[(i, k)]).sum::<f64>();
        (0..self.points.nrows()).map(|i| phase(i)).map(|a| (libm::cos(a), libm::sin(a))).collect()
    }

    /// The waves that explain most of what is left, one after the other, each with the variance it explains; and what is left.
    fn pursuit(&self, tried: &[Vec<f64>], count: usize) -> (Vec<(f64, Vec<f64>)>, f64) {
        let mut left = self.outputs();
        let energy = |all: &[Mat<f64>]| all.iter().map(|y| y.squared_norm_l2()).sum::<f64>() / self.observed;
        let mut found = Vec::new();
        for _ in 0..count {
            let power = self.power(tried, &left);
            let best = (0..tried.len()).fold(0, |best, m| if power[m] > power[best] { m } else { best });
            let (waves, before) = (self.waves(&tried[best]), energy(&left));
            for (y, group) in left.iter_mut().zip(&self.groups) {
                subtract(y, &group.rows, &waves);
            }
            found.push(((before - energy(&left)).max(1e-3), tried[best].clone()));
        }
        (found, energy(&left).max(NOISE))
    }
}

/// Takes the least-squares multiples of a cosine and a sine from the columns of y, on some rows.
fn subtract(y: &mut Mat<f64>, rows: &[usize], waves: &[(f64, f64)]) {
    let sum = |of: &dyn Fn(usize) -> f64| rows.iter().map(|&i| of(i)).sum::<f64>();
    let (cc, ss, cs) =
        (sum(&|i| waves[i].0 * waves[i].0), sum(&|i| waves[i].1 * waves[i].1), sum(&|i| waves[i].0 * waves[i].1));
    // a little more than rounding keeps waves that are all cosine apart
    let (cc, ss) = (cc + 1e-9 * rows.len() as f64, ss + 1e-9 * rows.len() as f64);
    let determinant = cc * ss - cs * cs;
    for t in 0..y.ncols() {
        let (cy, sy) = (sum(&|i| waves[i].0 * y[(i, t)]), sum(&|i| waves[i].1 * y[(i, t)]));
        let (a, b) = ((ss * cy - cs * sy) / determinant, (cc * sy - cs * cy) / determinant);
        rows.iter().for_each(|&i| y[(i, t)] -= a * waves[i].0 + b * waves[i].1);
    }
}
