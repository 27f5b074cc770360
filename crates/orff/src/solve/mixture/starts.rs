//! Where the climb of the evidence begins. \[spectral-mixture\]

use super::{Group, MixtureEvidence, Place};
use crate::random::Stream;
use faer::Mat;
use rayon::prelude::*;
use std::f64::consts::PI;

/// Purpose of the stream of frequencies and starts.
const STARTS: u64 = 0x6d69_7874;
/// Frequencies that are tried for each row, and at most.
const TRIED: (usize, usize) = (4, 4000);
/// Starts that are drawn at random, beside those that follow the waves that are seen.
const DRAWN: usize = 2;
/// Noise at a start, of outputs whose variance is about 1: at least.
const NOISE: f64 = 0.01;

/// Outputs that are observed on the same rows: of all rows (n×outputs), zero where nothing is observed.
struct Series {
    rows: Vec<usize>,
    y: Mat<f64>,
}

impl MixtureEvidence {
    /// Where to begin: at the waves that explain most of the outputs, one after the other; the same with one component about 0; at
    /// gaussians of several widths; and at waves drawn in proportion to their power.
    pub fn starts(&self, seed: u64) -> Vec<Vec<f64>> {
        let q = self.components;
        let tried = self.frequencies(seed);
        let spread: Vec<f64> = (0..self.points.ncols()).map(|k| self.spread(k)).collect();
        let narrow: Vec<f64> = spread.iter().map(|s| -libm::log(*s)).collect();
        let zero = vec![0.0; spread.len()];
        // a component that explains so much of the variance
        let one = |share: f64, mean: &[f64], log: f64| -> Vec<f64> {
            let deviations: Vec<f64> = narrow.iter().map(|s| s + log).collect();
            let square: Vec<f64> = deviations.iter().map(|s| libm::exp(2.0 * s)).collect();
            let weight = share / self.form.gain(mean, &square);
            std::iter::once(libm::log(weight)).chain(mean.iter().copied()).chain(deviations).collect()
        };
        let whole = |parts: Vec<Vec<f64>>, noise: f64| {
            let mut rest = vec![0.0; self.form.rest()];
            rest[0] = libm::log(noise);
            [parts.concat(), rest].concat()
        };
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
        let power = self.power(&tried, &self.series());
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
            if d == 1 || m.is_multiple_of(2) {
                let axis = (m / 2) % d;
                return (0..d).map(|k| if k == axis { far * highest[k] } else { 0.0 }).collect();
            }
            let z: Vec<f64> = (0..d).map(|_| crate::special::normal_quantile(random.uniform())).collect();
            let norm = z.iter().map(|z| z * z).sum::<f64>().sqrt();
            (0..d).map(|k| far * highest[k] * z[k] / norm).collect()
        };
        (0..count).map(&mut one).collect()
    }

    /// Outputs that are observed on the same rows.
    fn series(&self) -> Vec<Series> {
        let n = self.points.nrows();
        let of = |group: &Group, output: usize| {
            let at = |p: &Place| p.outputs.iter().position(|t| *t == output).map(|k| (p.row, p.first + k));
            let numbers: Vec<(usize, usize)> = group.places.iter().filter_map(at).collect();
            let mut y = Mat::zeros(n, group.y.ncols());
            for &(row, number) in &numbers {
                (0..group.y.ncols()).for_each(|t| y[(row, t)] = group.y[(number, t)]);
            }
            Series { rows: numbers.into_iter().map(|(row, _)| row).collect(), y }
        };
        let outputs = self.form.size(self.points.ncols());
        self.groups.iter().flat_map(|g| (0..outputs).map(move |t| of(g, t))).collect()
    }

    /// Σ|Σᵢ yᵢ e^{i⟨ω,xᵢ⟩}|² over the outputs, for each of some frequencies.
    fn power(&self, tried: &[Vec<f64>], series: &[Series]) -> Vec<f64> {
        let of = |omega: &Vec<f64>| {
            let waves = self.waves(omega);
            let power = |Series { y, .. }: &Series| {
                let column = |t: usize| {
                    let sum = |part: fn(&(f64, f64)) -> f64| {
                        waves.iter().enumerate().map(|(i, w)| y[(i, t)] * part(w)).sum::<f64>()
                    };
                    sum(|w| w.0).powi(2) + sum(|w| w.1).powi(2)
                };
                (0..y.ncols()).map(column).sum::<f64>()
            };
            series.iter().map(power).sum::<f64>()
        };
        tried.par_iter().map(of).collect()
    }

    fn waves(&self, omega: &[f64]) -> Vec<(f64, f64)> {
        let phase = |i: usize| omega.iter().enumerate().map(|(k, w)| w * self.points[(i, k)]).sum::<f64>();
        (0..self.points.nrows()).map(phase).map(|a| (libm::cos(a), libm::sin(a))).collect()
    }

    /// The waves that explain most of what is left, one after the other, each with the variance it explains; and what is left.
    fn pursuit(&self, tried: &[Vec<f64>], count: usize) -> (Vec<(f64, Vec<f64>)>, f64) {
        let mut left = self.series();
        let energy = |all: &[Series]| all.iter().map(|one| one.y.squared_norm_l2()).sum::<f64>() / self.observed;
        let mut found = Vec::new();
        for _ in 0..count {
            let power = self.power(tried, &left);
            let best = (0..tried.len()).fold(0, |best, m| if power[m] > power[best] { m } else { best });
            let (waves, before) = (self.waves(&tried[best]), energy(&left));
            left.iter_mut().for_each(|one| subtract(&mut one.y, &one.rows, &waves));
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
