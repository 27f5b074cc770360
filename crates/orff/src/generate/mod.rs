//! Synthetic data of the papers, and some of our own: the same numbers for a seed on every platform, with the truth
//! beside the noisy outputs.

mod autoregression;
mod clouds;
mod loops;
mod minh;
mod moons;
mod multi_output;
mod potential;
mod sine_wave;

pub use autoregression::{Bend, Noise, Simulated, autoregression};
pub use clouds::three_clouds;
pub use loops::Loops;
pub use minh::{minh_field, minh_field_at, minh_points};
pub use moons::two_moons;
pub use multi_output::multi_output;
pub use potential::{Potential, potential_field, vortex_field};
pub use sine_wave::{sine_wave, sine_wave_quantile};

use crate::error::{Error, Result};
use crate::random::Stream;
use faer::Mat;

/// Rows of data and the noise-free outputs they come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// n×d.
    pub inputs: Mat<f64>,
    /// n×p, with noise.
    pub outputs: Mat<f64>,
    /// n×p, without.
    pub truth: Mat<f64>,
}

/// Which streams of a seed serve what.
mod purpose {
    pub const CLOUDS: u64 = 0x636c_6f75;
    pub const MINH_POINTS: u64 = 0x6d69_6e68;
    pub const POTENTIAL: u64 = 0x706f_7465;
    pub const FIELD: u64 = 0x6669_656c;
    pub const LATENT: u64 = 0x6c61_7465;
    pub const MOONS: u64 = 0x6d6f_6f6e;
    pub const WAVE: u64 = 0x7761_7665;
    pub const ROWS: u64 = 0x726f_7773;
    pub const SERIES: u64 = 0x7365_7269;
    pub const TIES: u64 = 0x7469_6573;
}

/// n uniform points of the cube \[−1, 1\]^d, their outputs under `truth`, and independent normal noise on each of the p
/// outputs. Row i depends on the seed and i only: the first rows of more are the rows of fewer.
fn sample(
    (n, d, p): (usize, usize, usize),
    noise: f64,
    (seed, purpose): (u64, u64),
    truth: impl Fn(&[f64]) -> Vec<f64>,
) -> Result<Sample> {
    for (name, count) in [("rows", n), ("inputs", d), ("outputs", p)] {
        if count == 0 {
            return Err(Error::parameter(name, "at least one", count));
        }
    }
    if !(noise.is_finite() && noise >= 0.0) {
        return Err(Error::parameter("noise", "a finite number ≥ 0", noise));
    }
    let mut it = Sample { inputs: Mat::zeros(n, d), outputs: Mat::zeros(n, p), truth: Mat::zeros(n, p) };
    for i in 0..n {
        let mut random = Stream::new(seed, purpose, i as u64);
        let x: Vec<f64> = (0..d).map(|_| 2.0 * random.uniform() - 1.0).collect();
        (0..d).for_each(|k| it.inputs[(i, k)] = x[k]);
        for (t, y) in truth(&x).into_iter().enumerate() {
            it.truth[(i, t)] = y;
            it.outputs[(i, t)] = y + noise * random.normal();
        }
    }
    Ok(it)
}
