//! Regression with several outputs that have much in common.

use super::{Sample, purpose, sample};
use crate::error::Result;
use crate::random::Stream;
use std::f64::consts::{SQRT_2, TAU};

/// p correlated, smooth functions of d inputs at n uniform points of \[−1, 1\]^d, with normal noise of standard
/// deviation `noise`: y = M g(x) + ε.
///
/// The q = ⌈p/2⌉ latent functions are g_k(x) = √2 sin(⟨a_k, x⟩ + b_k) with a_k ~ N(0, 4/d) and b_k uniform; the rows of
/// M (p×q) are random and have length one, so that each output has a variance near one and the p outputs span q
/// directions only. Time O(n(d + p)q).
///
/// ```
/// let (few, many) = (orff::generate::multi_output(5, 3, 4, 0.1, 1)?, orff::generate::multi_output(9, 3, 4, 0.1, 1)?);
/// assert_eq!(few.outputs, many.outputs.subrows(0, 5).to_owned());
/// # Ok::<(), orff::Error>(())
/// ```
pub fn multi_output(n: usize, d: usize, p: usize, noise: f64, seed: u64) -> Result<Sample> {
    let q = p.div_ceil(2);
    let latent = |k: usize| {
        let mut random = Stream::new(seed, purpose::LATENT, k as u64);
        let slope: Vec<f64> = (0..d).map(|_| random.normal() * 2.0 / (d as f64).sqrt()).collect();
        (slope, random.uniform() * TAU)
    };
    let mixing = |t: usize| {
        // outputs are numbered far from latent functions, in the same purpose
        let mut random = Stream::new(seed, purpose::LATENT, u64::MAX - t as u64);
        let row: Vec<f64> = (0..q).map(|_| random.normal()).collect();
        let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
        row.into_iter().map(|v| v / length).collect::<Vec<f64>>()
    };
    let latent: Vec<_> = (0..q).map(latent).collect();
    let mixing: Vec<_> = (0..p).map(mixing).collect();
    sample((n, d, p), noise, (seed, purpose::ROWS), |x| {
        let wave = |(slope, shift): &(Vec<f64>, f64)| {
            SQRT_2 * libm::sin(shift + slope.iter().zip(x).map(|(a, x)| a * x).sum::<f64>())
        };
        let g: Vec<f64> = latent.iter().map(wave).collect();
        mixing.iter().map(|row| row.iter().zip(&g).map(|(m, g)| m * g).sum()).collect()
    })
}
