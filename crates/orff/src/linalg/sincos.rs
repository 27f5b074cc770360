//! Sines and cosines of many angles at once.
//!
//! Cody–Waite reduction: z = n·π/2 + r with π/2 in three parts (33, 33 and 53 bits), so that n·P₁ and n·P₂ are
//! exact for n < 2²⁰, |r| ≤ π/4; then the minimax polynomials of fdlibm for sin and cos on [−π/4, π/4], and the quadrant
//! n mod 4 exchanges them and sets the signs. Angles beyond [`LIMIT`], where r would lose accuracy, and those that are
//! not finite are done one by one by `libm`, which reduces by any number of turns.

use super::lanes::{Arithmetic, vectorised};

/// Up to here (and for all z below it) the fast path is accurate to 2 ulp.
pub const LIMIT: f64 = 1e4;

const TWO_OVER_PI: f64 = std::f64::consts::FRAC_2_PI;
/// π/2 = P1 + P2 + P3 to 119 bits.
const P1: f64 = f64::from_bits(0x3FF921FB54400000);
const P2: f64 = f64::from_bits(0x3DD0B4611A600000);
const P3: f64 = f64::from_bits(0x3BA3198A2E037073);
/// 1.5·2⁵²: adding it rounds to an integer, which is then in the low bits.
const TO_INTEGER: f64 = 6755399441055744.0;

/// sin r = r + r³·S(r²) and cos r = 1 − r²/2 + r⁴·C(r²) for |r| ≤ π/4, error < 2⁻⁵⁸ (fdlibm, k_sin.c and k_cos.c).
#[allow(clippy::excessive_precision)] // as printed in the source
const S: [f64; 6] = [
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
];
#[allow(clippy::excessive_precision)]
const C: [f64; 6] = [
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
];

const SIGN: u64 = 1 << 63;

/// Angles per block: those of one with slow angles are kept until it is done.
const BLOCK: usize = 512;

/// sin z and cos z for |z| ≤ LIMIT. Working with |z| keeps sin(−0) = −0 and makes the sine exactly odd, the cosine
/// exactly even.
#[inline(always)]
fn one<A: Arithmetic>(z: f64) -> (f64, f64) {
    let sign = z.to_bits() & SIGN;
    let z = z.abs();
    let shifted = A::fma(z, TWO_OVER_PI, TO_INTEGER);
    let n = shifted - TO_INTEGER;
    let r = A::fma(-n, P3, A::fma(-n, P2, A::fma(-n, P1, z))); // the first is exact
    let q = r * r;
    let sine = A::fma(r * q, poly::<A>(q, &S), r);
    let cosine = A::fma(q * q, poly::<A>(q, &C), A::fma(-0.5, q, 1.0));
    // odd quadrants exchange sine and cosine; the signs are bits 1 of n and of n + 1
    let n = shifted.to_bits();
    let (a, b) = if n & 1 != 0 { (cosine, sine) } else { (sine, cosine) };
    let sin = f64::from_bits(a.to_bits() ^ ((n << 62) & SIGN) ^ sign);
    (sin, f64::from_bits(b.to_bits() ^ ((n.wrapping_add(1) << 62) & SIGN)))
}

/// Bit 63 is set when |z| > LIMIT, infinite or NaN: as integers all these are above LIMIT.
#[inline(always)]
fn beyond(z: f64) -> u64 {
    LIMIT.to_bits().wrapping_sub(z.to_bits() & !SIGN)
}

/// Σ aᵢqⁱ, the halves in parallel: shorter chains of dependent operations than Horner's.
#[inline(always)]
fn poly<A: Arithmetic>(q: f64, a: &[f64; 6]) -> f64 {
    let q2 = q * q;
    let low = A::fma(q2, A::fma(q, a[3], a[2]), A::fma(q, a[1], a[0]));
    A::fma(q2 * q2, A::fma(q, a[5], a[4]), low)
}

#[cold]
#[inline(never)]
fn repair(z: &[f64], sin: &mut [f64], cos: &mut [f64]) {
    for ((z, sin), cos) in z.iter().zip(sin).zip(cos) {
        if z.abs() > LIMIT || z.is_nan() {
            (*sin, *cos) = libm::sincos(*z);
        }
    }
}

/// The angles of a block, if some of them are slow.
#[inline(always)]
fn kept(z: &[f64]) -> Option<Vec<f64>> {
    (z.iter().fold(0, |far, z| far | beyond(*z)) & SIGN != 0).then(|| z.to_vec())
}

#[inline(always)]
fn in_place_kernel<A: Arithmetic>(z: &mut [f64], sin: &mut [f64]) {
    for (z, sin) in z.chunks_mut(BLOCK).zip(sin.chunks_mut(BLOCK)) {
        let angles = kept(z);
        for (z, sin) in z.iter_mut().zip(sin.iter_mut()) {
            (*sin, *z) = one::<A>(*z);
        }
        if let Some(angles) = angles {
            repair(&angles, sin, z);
        }
    }
}

#[inline(always)]
fn cos_kernel<A: Arithmetic>(z: &mut [f64]) {
    for z in z.chunks_mut(BLOCK) {
        let angles = kept(z);
        z.iter_mut().for_each(|z| *z = one::<A>(*z).1);
        if let Some(angles) = angles {
            repair(&angles, &mut vec![0.0; angles.len()], z);
        }
    }
}

vectorised!(fn in_place(z: &mut [f64], sin: &mut [f64]) = in_place_kernel);
vectorised!(fn only_cos(z: &mut [f64]) = cos_kernel);

/// sin zᵢ and cos zᵢ, to 2 ulp for |zᵢ| ≤ 10⁴ and as `libm` beyond; NaN and ±∞ give NaN. With AVX2
/// about nine times as fast as `f64::sin_cos`.
///
/// An angle's result depends on nothing but the angle: not on its place, its neighbours or the length.
///
/// # Panics
/// When the lengths differ.
///
/// ```
/// let (mut s, mut c) = ([0.0; 3], [0.0; 3]);
/// orff::linalg::sin_cos(&[0.0, 1.0, -1e6], &mut s, &mut c);
/// assert!(s.iter().zip(&c).all(|(s, c)| (s * s + c * c - 1.0_f64).abs() < 4e-16));
/// ```
pub fn sin_cos(z: &[f64], sin: &mut [f64], cos: &mut [f64]) {
    assert!(z.len() == sin.len() && z.len() == cos.len(), "sin_cos: slices of different lengths");
    cos.copy_from_slice(z);
    in_place(cos, sin)
}

/// As [`sin_cos`], the cosines in the place of the angles.
///
/// # Panics
/// When the lengths differ.
pub fn sin_cos_in_place(z: &mut [f64], sin: &mut [f64]) {
    assert!(z.len() == sin.len(), "sin_cos_in_place: slices of different lengths");
    in_place(z, sin)
}

/// The cosines alone, in the place of the angles: the same bits as those of [`sin_cos`].
pub fn cos_in_place(z: &mut [f64]) {
    only_cos(z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::lanes::{Fused, Plain};

    /// The arithmetic of machines without fused operations, which the tests' machine would never choose.
    #[test]
    fn unfused_arithmetic_is_accurate_too() {
        let z: Vec<f64> = (0..400_000).map(|i| 0.025 * i as f64 + 1e-9).chain([1e4, 1e5, f64::NAN]).collect();
        let (mut plain, mut fused) = ([vec![0.0; z.len()], z.clone()], [vec![0.0; z.len()], z.clone()]);
        let [s, c] = &mut plain;
        in_place_kernel::<Plain>(c, s);
        let [s, c] = &mut fused;
        in_place_kernel::<Fused>(c, s);
        for k in 0..2 {
            for (i, z) in z.iter().enumerate() {
                let exact = if k == 0 { libm::sin(*z) } else { libm::cos(*z) };
                for value in [plain[k][i], fused[k][i]] {
                    // both are within about 1 ulp of the truth
                    let ulps = (value.to_bits() as i64 - exact.to_bits() as i64).abs();
                    assert!(ulps <= 2 || z.is_nan() && value.is_nan(), "{z}: {value} and {exact}");
                }
            }
        }
    }
}
