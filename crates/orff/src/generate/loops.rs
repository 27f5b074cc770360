//! Many outputs along closed curves: rows whose inputs fill little of their space, as poses of a body that moves in cycles do.

use super::purpose;
use crate::error::{Error, Result};
use crate::random::Stream;
use crate::rows::{Batch, Batches, Inputs, Rows};
use faer::Mat;
use std::f64::consts::TAU;

/// Rows generated at a time.
const BATCH: usize = 8192;
/// Waves of the inputs along each curve.
const WAVES: usize = 8;

/// N rows on closed curves in d inputs, with p outputs that change slowly along them; only the first `labelled` rows have
/// theirs, the others NaN. Nothing is stored: row i depends on the seed and i only.
///
/// A row's curve s and its angle φ are uniform. Inputs are sums of waves, x = m_s + Σ_w (A_sw cos wφ + A′_sw sin wφ) + ε with w = 1, …, 8,
/// outputs are the first wave alone, y = B_s cos φ + B′_s sin φ: curves wind, so that rows with equal outputs are far from each
/// other unless one goes along them, and a few labelled rows do not show how the curves run.
///
/// ```
/// use orff::generate::Loops;
/// use orff::rows::Rows;
/// let loops = Loops::new(10, 4, (3, 5), 2, 0.01, 1)?;
/// let batch = loops.batches()?.next().unwrap()?;
/// assert_eq!((batch.inputs.ncols(), batch.outputs.ncols()), (3, 5));
/// assert!(batch.outputs[(3, 4)].is_finite() && batch.outputs[(4, 0)].is_nan());
/// # Ok::<(), orff::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Loops {
    rows: usize,
    labelled: usize,
    sizes: (usize, usize),
    noise: f64,
    seed: u64,
    loops: Vec<Loop>,
}

#[derive(Clone, Debug)]
struct Loop {
    middle: Vec<f64>,
    /// A and A′ of each wave (d each).
    waves: Vec<[Vec<f64>; 2]>,
    /// B and B′ (p each).
    outputs: [Vec<f64>; 2],
}

impl Loops {
    /// N rows, of which some are labelled; d inputs and p outputs; so many curves; noise of the inputs.
    pub fn new(
        rows: usize,
        labelled: usize,
        (d, p): (usize, usize),
        loops: usize,
        noise: f64,
        seed: u64,
    ) -> Result<Self> {
        for (name, count) in [("rows", rows), ("inputs", d), ("outputs", p), ("loops", loops)] {
            if count == 0 {
                return Err(Error::parameter(name, "at least one", count));
            }
        }
        if !(noise.is_finite() && noise >= 0.0) {
            return Err(Error::parameter("noise", "a finite number ≥ 0", noise));
        }
        let one = |s: usize| {
            let mut random = Stream::new(seed, purpose::LATENT, s as u64);
            let mut normal = |n: usize, scale: f64| (0..n).map(|_| scale * random.normal()).collect::<Vec<f64>>();
            let middle = normal(d, 0.5);
            let waves = (0..WAVES).map(|_| [normal(d, 1.0), normal(d, 1.0)]).collect();
            Loop { middle, waves, outputs: [normal(p, 1.0), normal(p, 1.0)] }
        };
        Ok(Loops { rows, labelled, sizes: (d, p), noise, seed, loops: (0..loops).map(one).collect() })
    }

    /// Inputs and outputs of rows from..to, all outputs there, whichever are labelled.
    pub fn read(&self, from: usize, to: usize) -> (Mat<f64>, Mat<f64>) {
        let (d, p) = self.sizes;
        let (mut x, mut y) = (Mat::zeros(to - from, d), Mat::zeros(to - from, p));
        for i in from..to {
            let mut random = Stream::new(self.seed, purpose::ROWS, i as u64);
            let of = &self.loops[random.below(self.loops.len())];
            let angle = TAU * random.uniform();
            let circle: [(f64, f64); WAVES] = std::array::from_fn(|w| {
                let angle = (w + 1) as f64 * angle;
                (libm::cos(angle), libm::sin(angle))
            });
            let along = |a: &[Vec<f64>; 2], k: usize, (cos, sin): (f64, f64)| a[0][k] * cos + a[1][k] * sin;
            for k in 0..d {
                let wave: f64 = of.waves.iter().zip(circle).map(|(a, at)| along(a, k, at)).sum();
                x[(i - from, k)] = of.middle[k] + wave + self.noise * random.normal();
            }
            (0..p).for_each(|t| y[(i - from, t)] = along(&of.outputs, t, circle[0]));
        }
        (x, y)
    }
}

impl Rows for Loops {
    fn inputs(&self) -> usize {
        self.sizes.0
    }

    fn outputs(&self) -> usize {
        self.sizes.1
    }

    fn batches(&self) -> Result<Batches<'_>> {
        Ok(Box::new((0..self.rows).step_by(BATCH).map(|from| {
            let (x, mut y) = self.read(from, (from + BATCH).min(self.rows));
            for t in 0..y.ncols() {
                (self.labelled.max(from)..from + y.nrows()).for_each(|i| y[(i - from, t)] = f64::NAN);
            }
            Ok(Batch { inputs: Inputs::Dense(x), outputs: y, weights: None })
        })))
    }
}
