//! The three clouds of the continuous one-class support vector machine (T17 §9.1.5.1).

use super::purpose;
use crate::error::{Error, Result};
use crate::random::Stream;
use faer::Mat;

/// n rows in the plane, five in twelve of the normal law about (0, 0) with unit variances, two about (5, 5), five about (10, 10):
/// 600 of them are those of the thesis. Row i depends on the seed and i only.
///
/// ```
/// let x = orff::generate::three_clouds(1200, 1)?;
/// let middle = (0..1200).filter(|i| (x[(*i, 0)] + x[(*i, 1)] - 10.0).abs() < 5.0).count();
/// assert!((190..=210).contains(&middle));
/// # Ok::<(), orff::Error>(())
/// ```
pub fn three_clouds(n: usize, seed: u64) -> Result<Mat<f64>> {
    if n == 0 {
        return Err(Error::parameter("rows", "at least one", n));
    }
    let mut x = Mat::zeros(n, 2);
    for i in 0..n {
        let mut random = Stream::new(seed, purpose::CLOUDS, i as u64);
        let centre = [0.0, 10.0, 0.0, 10.0, 5.0, 0.0, 10.0, 0.0, 10.0, 5.0, 0.0, 10.0][i % 12];
        (0..2).for_each(|k| x[(i, k)] = centre + random.normal());
    }
    Ok(x)
}
