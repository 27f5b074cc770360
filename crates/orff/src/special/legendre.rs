//! Legendre polynomials on \[0, 1\], and the quadrature of Gauss at their zeros.

use std::f64::consts::PI;

/// √(2k+1) P_k(2t − 1) for k = 0, 1, …, as many as `out` holds: orthonormal on \[0, 1\]. Their integrals with the quantile
/// function of a law are its L-moments, up to the factor: location, scale, skewness, tails.
///
/// ```
/// let mut p = [0.0; 3];
/// orff::special::legendre(1.0, &mut p);
/// assert!((p[2] - 5f64.sqrt()).abs() < 1e-15); // P_k(1) = 1
/// ```
pub fn legendre(t: f64, out: &mut [f64]) {
    let z = 2.0 * t - 1.0;
    let (mut before, mut now) = (0.0, 1.0);
    for (k, out) in out.iter_mut().enumerate() {
        *out = (2.0 * k as f64 + 1.0).sqrt() * now;
        let k = k as f64;
        (before, now) = (now, ((2.0 * k + 1.0) * z * now - k * before) / (k + 1.0));
    }
}

/// The n nodes and weights of Gauss on \[0, 1\]: exact for polynomials of degree 2n − 1. Cost n².
///
/// ```
/// let (t, w) = orff::special::gauss_legendre(3);
/// let integral: f64 = t.iter().zip(&w).map(|(t, w)| w * t.powi(5)).sum();
/// assert!((integral - 1.0 / 6.0).abs() < 1e-15);
/// ```
pub fn gauss_legendre(n: usize) -> (Vec<f64>, Vec<f64>) {
    let zero = |i: usize| {
        // Newton from the zeros of the leading term, with P_n and its derivative by recurrence
        let mut z = -libm::cos(PI * (i as f64 + 0.75) / (n as f64 + 0.5));
        let mut slope = 1.0;
        for _ in 0..100 {
            let (mut before, mut now) = (0.0, 1.0);
            for k in 0..n {
                let k = k as f64;
                (before, now) = (now, ((2.0 * k + 1.0) * z * now - k * before) / (k + 1.0));
            }
            slope = n as f64 * (z * now - before) / (z * z - 1.0);
            let step = now / slope;
            z -= step;
            if step.abs() < 1e-16 {
                break;
            }
        }
        (0.5 * (1.0 + z), 1.0 / ((1.0 - z * z) * slope * slope))
    };
    (0..n).map(zero).unzip()
}
