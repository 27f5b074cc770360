//! From points to balls: the ε-net argument that every uniform bound here ends with. \[net\]

/// ln of min over 0 < r ≤ 4R of a rᵏ + b (4R/r)^d, given ln a and ln b.
///
/// a rᵏ bounds the probability that the error changes by more than ε/2 within a ball of radius r, b that it exceeds ε/2 at the
/// centre of one ball, and (4R/r)^d is the number of such balls that cover the ball of radius R in R^d (Cucker and Smale 2002,
/// proposition 5); beyond 4R one ball is enough and the count is not below one. The minimum is where k a r^{k+d} = d b (4R)^d.
///
/// ```
/// use orff::bound::net;
/// // the smallest value of r + b/r is 2√b
/// let (b, radius) = (1e-4f64, 0.25);
/// assert!((net(1.0, 0.0, b.ln(), radius, 1) - (2.0 * b.sqrt()).ln()).abs() < 1e-12);
/// ```
pub fn net(k: f64, ln_a: f64, ln_b: f64, radius: f64, d: usize) -> f64 {
    let d = d as f64;
    // r = 4R e^{−s}, s ≥ 0
    let ln_edge = ln_a + k * libm::log(4.0 * radius);
    let s = ((ln_edge + libm::log(k) - ln_b - libm::log(d)) / (k + d)).max(0.0);
    add(ln_edge - k * s, ln_b + d * s)
}

/// ln(eˣ + eʸ).
fn add(x: f64, y: f64) -> f64 {
    let (small, large) = if x < y { (x, y) } else { (y, x) };
    if small == f64::NEG_INFINITY { large } else { large + libm::log1p(libm::exp(small - large)) }
}
