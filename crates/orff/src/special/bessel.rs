//! The modified Bessel function of the second kind.

/// ln K_ν(x) for x > 0 and any real ν, by K_ν(x) = ½∫ exp(νt − x cosh t) dt.
///
/// The integrand is analytic and falls off doubly exponentially, so the trapezoidal rule converges to rounding; it is
/// centred at the maximum sinh t = ν/x, with steps of half the width there.
pub fn ln_bessel_k(nu: f64, x: f64) -> f64 {
    let nu = nu.abs();
    let top = libm::asinh(nu / x);
    let exponent = |t: f64| nu * t - x * libm::cosh(t);
    let height = exponent(top);
    // second derivative of the exponent at the top: x cosh t = √(x² + ν²)
    let step = (0.5 / libm::pow(x * x + nu * nu, 0.25)).min(0.125);
    let mut sum = 1.0;
    for side in [-step, step] {
        for i in 1.. {
            let term = exponent(top + side * f64::from(i)) - height;
            if term < -42.0 {
                break;
            }
            sum += libm::exp(term);
        }
    }
    height + libm::log(0.5 * step * sum)
}
