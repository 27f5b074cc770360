//! Quantiles of the gamma law, accurate in both tails (puruspe's are wrong below about 1e-9 and stop above a = 100).

use super::normal_quantile;
use std::f64::consts::PI;

/// Quantile of the law Gamma(a, 1): the x with P(a, x) = u, for a > 0 and 0 < u < 1, to about 1e-13 relative.
///
/// Time O(√a). The law of ‖z‖², z ~ N(0, I_d), is that of twice a Gamma(d/2).
///
/// ```
/// use orff::special::gamma_quantile;
/// let u = 1e-12; // Gamma(1) is the exponential law
/// assert!((gamma_quantile(u, 1.0) / -f64::ln_1p(-u) - 1.0).abs() < 1e-13);
/// ```
pub fn gamma_quantile(u: f64, a: f64) -> f64 {
    invert(u, 1.0 - u, a)
}

/// Upper quantile of the law Gamma(a, 1): the x with Q(a, x) = 1 − P(a, x) = tail.
pub fn gamma_tail_quantile(tail: f64, a: f64) -> f64 {
    invert(1.0 - tail, tail, a)
}

/// Upper tail of the law Gamma(a, 1): Q(a, x) = 1 − P(a, x), 1 for x ≤ 0. That of χ² with k degrees of freedom at q is
/// Q(k/2, q/2).
///
/// ```
/// use orff::special::gamma_tail;
/// assert!((gamma_tail(1.0, 2.5) / f64::exp(-2.5) - 1.0).abs() < 1e-14); // the exponential law
/// ```
pub fn gamma_tail(a: f64, x: f64) -> f64 {
    if x > 0.0 { tails(a, x).1 } else { 1.0 }
}

/// Newton's method for the logarithm of the smaller tail as a function of log x, inside a bracket.
fn invert(lower: f64, upper: f64, a: f64) -> f64 {
    let left = lower < upper;
    let target = if left { libm::log(lower) } else { libm::log(upper) };
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut y = start(lower, a); // log x
    for _ in 0..200 {
        let x = libm::exp(y);
        let (p, q, density) = tails(a, x);
        let tail = if left { p } else { q };
        let error = libm::log(tail) - target;
        if (error < 0.0) == left {
            low = y
        } else {
            high = y
        }
        // d log tail / d log x = ± x·density/tail
        let slope = if left { density / tail } else { -density / tail };
        let mut next = y - error / slope;
        // Newton squares the error: after a step this small the next would be rounding.
        if (next - y).abs() <= 1e-10 * y.abs().max(1.0) {
            return libm::exp(next);
        }
        if !(next > low && next < high) {
            next = match (low.is_finite(), high.is_finite()) {
                (true, true) => 0.5 * (low + high),
                (true, false) => low + 1.0,
                _ => high - 1.0,
            };
        }
        y = next;
    }
    libm::exp(y)
}

/// A first guess of log x: Wilson and Hilferty's cube, or the power law near 0.
fn start(lower: f64, a: f64) -> f64 {
    let cube = 1.0 - 1.0 / (9.0 * a) + normal_quantile(lower) / (3.0 * a.sqrt());
    if a >= 0.5 && cube > 0.2 {
        libm::log(a) + 3.0 * libm::log(cube)
    } else {
        (libm::log(lower) + libm::lgamma(a + 1.0)) / a
    }
}

/// P(a, x), Q(a, x) and x times the density, by the series below a + 1 and the continued fraction above.
fn tails(a: f64, x: f64) -> (f64, f64, f64) {
    let density = scaled_density(a, x);
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0, 1.0, a);
        while term > 1e-17 * sum {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        let p = density / a * sum;
        (p, 1.0 - p, density)
    } else {
        // modified Lentz (Thompson and Barnett 1986)
        let mut b = x + 1.0 - a;
        let (mut c, mut d) = (1e300, 1.0 / b);
        let mut h = d;
        for i in 1..1_000_000 {
            let i = f64::from(i);
            let an = -i * (i - a);
            b += 2.0;
            d = 1.0 / (an * d + b);
            c = b + an / c;
            h *= d * c;
            if (d * c - 1.0).abs() < 3e-16 {
                break;
            }
        }
        let q = density * h;
        (1.0 - q, q, density)
    }
}

/// x^a e^{−x}/Γ(a); for large a in Stirling's form, which does not subtract large logarithms.
fn scaled_density(a: f64, x: f64) -> f64 {
    if a < 20.0 {
        return libm::exp(a * libm::log(x) - x - libm::lgamma(a));
    }
    let mu = (x - a) / a;
    let r = 1.0 / (a * a);
    let stirling = (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r * (1.0 / 1680.0 - r / 1188.0)))) / a;
    libm::exp(-a * (mu - libm::log1p(mu)) - stirling) * (a / (2.0 * PI)).sqrt()
}
