//! Exponentials of many numbers at once.
//!
//! x = n·ln 2 + r with ln 2 in two parts (the first of 32 bits, so that its product is exact), |r| ≤ ½ ln 2, and the series
//! of eʳ up to r¹³/13!, whose rest is below 2⁻⁵⁷. Numbers whose exponential is not a normal number, and those that are not
//! finite, are done one by one by `libm`.

use super::lanes::{Arithmetic, vectorised};

/// Up to here in size the fast path is accurate to 2 ulp.
const LIMIT: f64 = 708.0;

const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// ln 2 = L1 + L2 to 86 bits.
const L1: f64 = f64::from_bits(0x3FE62E42FEE00000);
const L2: f64 = f64::from_bits(0x3DEA39EF35793C76);
/// 1.5·2⁵²: adding it rounds to an integer, which is then in the low bits.
const TO_INTEGER: f64 = 6755399441055744.0;

/// 1/k! from k = 2 on.
const SERIES: [f64; 12] = [
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5040.0,
    1.0 / 40320.0,
    1.0 / 362880.0,
    1.0 / 3628800.0,
    1.0 / 39916800.0,
    1.0 / 479001600.0,
    1.0 / 6227020800.0,
];

/// eˣ for |x| ≤ LIMIT.
#[inline(always)]
fn one<A: Arithmetic>(x: f64) -> f64 {
    let shifted = A::fma(x, LOG2_E, TO_INTEGER);
    let n = shifted - TO_INTEGER;
    let r = A::fma(-n, L2, A::fma(-n, L1, x));
    let (r2, a) = (r * r, &SERIES);
    let r4 = r2 * r2;
    // pairs, then pairs of pairs: shorter chains of dependent operations than Horner's
    let pair = |k: usize| A::fma(r, a[k + 1], a[k]);
    let low = A::fma(r4, pair(4), A::fma(r2, pair(2), pair(0)));
    let high = A::fma(r4, pair(10), A::fma(r2, pair(8), pair(6)));
    let rest = A::fma(r4 * r2, high, low);
    let value = 1.0 + A::fma(r2, rest, r);
    f64::from_bits(value.to_bits().wrapping_add(shifted.to_bits() << 52))
}

#[cold]
#[inline(never)]
fn repair(x: &[f64], exp: &mut [f64]) {
    for (x, exp) in x.iter().zip(exp).filter(|(x, _)| !(x.abs() <= LIMIT)) {
        *exp = libm::exp(*x);
    }
}

#[inline(always)]
fn in_place_kernel<A: Arithmetic>(x: &mut [f64]) {
    const BLOCK: usize = 512;
    for x in x.chunks_mut(BLOCK) {
        let kept = x.iter().fold(false, |far, x| far | !(x.abs() <= LIMIT)).then(|| x.to_vec());
        x.iter_mut().for_each(|x| *x = one::<A>(*x));
        if let Some(kept) = kept {
            repair(&kept, x);
        }
    }
}

vectorised!(
    /// eˣ in the place of x, to 2 ulp. A number's result depends on nothing but the number.
    ///
    /// ```
    /// let mut x = [0.0, 1.0, -800.0];
    /// orff::linalg::exp_in_place(&mut x);
    /// assert!(x[0] == 1.0 && (x[1] - std::f64::consts::E).abs() < 1e-15 && x[2] == 0.0);
    /// ```
    pub fn exp_in_place(x: &mut [f64]) = in_place_kernel
);
