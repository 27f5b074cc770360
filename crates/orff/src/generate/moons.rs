//! Two half circles that interlock: the first figure of semi-supervised learning.

use super::{Sample, purpose};
use crate::error::{Error, Result};
use crate::random::Stream;
use faer::Mat;
use std::f64::consts::PI;

/// n points of two moons in turn, (cos t, sin t) and (1 − cos t, ½ − sin t) for t uniform on \[0, π\], each coordinate with
/// normal noise; the output is +1 on the first and −1 on the second. Row i depends on the seed and i only.
///
/// ```
/// let moons = orff::generate::two_moons(6, 0.0, 1)?;
/// for i in (0..6).step_by(2) {
///     let (x, y) = (moons.inputs[(i, 0)], moons.inputs[(i, 1)]);
///     assert!((x * x + y * y - 1.0).abs() < 1e-12 && moons.truth[(i, 0)] == 1.0);
/// }
/// # Ok::<(), orff::Error>(())
/// ```
pub fn two_moons(n: usize, noise: f64, seed: u64) -> Result<Sample> {
    if n == 0 {
        return Err(Error::parameter("rows", "at least one", n));
    }
    if !(noise.is_finite() && noise >= 0.0) {
        return Err(Error::parameter("noise", "a finite number ≥ 0", noise));
    }
    let mut inputs = Mat::zeros(n, 2);
    for i in 0..n {
        let mut random = Stream::new(seed, purpose::MOONS, i as u64);
        let t = PI * random.uniform();
        let (x, y) = (libm::cos(t), libm::sin(t));
        let at = if i % 2 == 0 { [x, y] } else { [1.0 - x, 0.5 - y] };
        (0..2).for_each(|k| inputs[(i, k)] = at[k] + noise * random.normal());
    }
    let truth = Mat::from_fn(n, 1, |i, _| if i % 2 == 0 { 1.0 } else { -1.0 });
    Ok(Sample { inputs, outputs: truth.clone(), truth })
}
