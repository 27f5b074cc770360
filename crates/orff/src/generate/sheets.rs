//! Many outputs along curved sheets: rows whose inputs fill little of their space, as poses of a body do.

use super::purpose;
use crate::error::{Error, Result};
use crate::random::Stream;
use crate::rows::{Batch, Inputs, Rows};
use faer::Mat;
use std::f64::consts::TAU;

/// Rows generated at a time.
const BATCH: usize = 8192;
/// Waves along each sheet.
const WAVES: [[f64; 2]; 3] = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];

/// N rows on sheets of two dimensions in d inputs, with p outputs that change along them; only the first `labelled` rows
/// have theirs, the others NaN. Nothing is stored: row i depends on the seed and i only.
///
/// A row's sheet s and its place u in the unit square are uniform. With the angles φ_w = 2π⟨k_w, u⟩ for k = (1, 0), (0, 1) and
/// (1, 1), inputs and outputs are sums of waves, x = m_s + Σ_w (A_sw cos φ_w + A′_sw sin φ_w) + ε and y = Σ_w B_sw sin(2φ_w + b_sw):
/// a place is known by its inputs, and outputs are no linear functions of them.
///
/// ```
/// use orff::generate::Sheets;
/// use orff::rows::Rows;
/// let sheets = Sheets::new(10, 4, (3, 5), 2, 0.01, 1)?;
/// let batch = sheets.batches()?.next().unwrap()?;
/// assert_eq!((batch.inputs.ncols(), batch.outputs.ncols()), (3, 5));
/// assert!(batch.outputs[(3, 4)].is_finite() && batch.outputs[(4, 0)].is_nan());
/// # Ok::<(), orff::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sheets {
    rows: usize,
    labelled: usize,
    sizes: (usize, usize),
    noise: f64,
    seed: u64,
    sheets: Vec<Sheet>,
}

#[derive(Clone, Debug)]
struct Sheet {
    middle: Vec<f64>,
    /// b of each wave, its directions A and A′ in the inputs (d each) and B in the outputs (p).
    waves: Vec<(f64, [Vec<f64>; 2], Vec<f64>)>,
}

impl Sheets {
    /// N rows, of which some are labelled; d inputs and p outputs; so many sheets; noise of the inputs.
    pub fn new(
        rows: usize,
        labelled: usize,
        (d, p): (usize, usize),
        sheets: usize,
        noise: f64,
        seed: u64,
    ) -> Result<Self> {
        for (name, count) in [("rows", rows), ("inputs", d), ("outputs", p), ("sheets", sheets)] {
            if count == 0 {
                return Err(Error::parameter(name, "at least one", count));
            }
        }
        if !(noise.is_finite() && noise >= 0.0) {
            return Err(Error::parameter("noise", "a finite number ≥ 0", noise));
        }
        let sheet = |s: usize| {
            let mut random = Stream::new(seed, purpose::LATENT, s as u64);
            let mut normal = |n: usize, scale: f64| (0..n).map(|_| scale * random.normal()).collect::<Vec<f64>>();
            let middle = normal(d, 0.5);
            let directions: Vec<_> =
                WAVES.iter().map(|_| ([normal(d, 1.0), normal(d, 1.0)], normal(p, 1.0))).collect();
            let waves = directions.into_iter().map(|(a, b)| (TAU * random.uniform(), a, b)).collect();
            Sheet { middle, waves }
        };
        Ok(Sheets { rows, labelled, sizes: (d, p), noise, seed, sheets: (0..sheets).map(sheet).collect() })
    }

    /// Inputs and outputs of rows from..to, all outputs there, whichever are labelled.
    pub fn read(&self, from: usize, to: usize) -> (Mat<f64>, Mat<f64>) {
        let (d, p) = self.sizes;
        let (mut x, mut y) = (Mat::zeros(to - from, d), Mat::zeros(to - from, p));
        for i in from..to {
            let mut random = Stream::new(self.seed, purpose::ROWS, i as u64);
            let sheet = &self.sheets[random.below(self.sheets.len())];
            let (u, v) = (random.uniform(), random.uniform());
            let angles: Vec<f64> = WAVES.iter().map(|k| TAU * (k[0] * u + k[1] * v)).collect();
            let waves = || sheet.waves.iter().zip(&angles);
            for k in 0..d {
                let along = |a: &[Vec<f64>; 2], angle: f64| a[0][k] * libm::cos(angle) + a[1][k] * libm::sin(angle);
                let wave: f64 = waves().map(|((_, a, _), angle)| along(a, *angle)).sum();
                x[(i - from, k)] = sheet.middle[k] + wave + self.noise * random.normal();
            }
            for t in 0..p {
                y[(i - from, t)] = waves().map(|((shift, _, b), angle)| b[t] * libm::sin(2.0 * angle + shift)).sum();
            }
        }
        (x, y)
    }
}

impl Rows for Sheets {
    fn inputs(&self) -> usize {
        self.sizes.0
    }

    fn outputs(&self) -> usize {
        self.sizes.1
    }

    fn batches(&self) -> Result<Box<dyn Iterator<Item = Result<Batch>> + '_>> {
        Ok(Box::new((0..self.rows).step_by(BATCH).map(|from| {
            let (x, mut y) = self.read(from, (from + BATCH).min(self.rows));
            for t in 0..y.ncols() {
                (self.labelled.max(from)..from + y.nrows()).for_each(|i| y[(i - from, t)] = f64::NAN);
            }
            Ok(Batch { inputs: Inputs::Dense(x), outputs: y, weights: None })
        })))
    }
}
