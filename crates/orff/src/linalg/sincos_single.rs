//! Sines and cosines in single precision.
//!
//! As in double precision: z = n·π/2 + r with π/2 in three parts of 24 bits, the first product
//! exact by fused operations for |z| ≤ [`LIMIT`]; polynomials of degree 7 and 8 on [−π/4, π/4]. Machines without fused
//! operations, larger angles and those that are not finite go through double precision.

use super::lanes::{Arithmetic, vectorised};

/// Up to here the fast path is accurate to 2 ulp.
pub const LIMIT: f32 = 1e4;

const TWO_OVER_PI: f32 = std::f32::consts::FRAC_2_PI;
/// π/2 = P1 + P2 + P3 to 72 bits.
const P1: f32 = std::f32::consts::FRAC_PI_2;
const P2: f32 = -4.371_139e-8;
const P3: f32 = -1.715_124_5e-15;
/// 1.5·2²³: adding it rounds to an integer, which is then in the low bits.
const TO_INTEGER: f32 = 12_582_912.0;

/// sin r = r + r³·S(r²), cos r = 1 − r²/2 + r⁴·C(r²): minimax polynomials for |r| ≤ π/4.
const S: [f32; 3] = [-1.666_665_5e-1, 8.332_161e-3, -1.951_529_6e-4];
const C: [f32; 3] = [4.166_664_6e-2, -1.388_731_6e-3, 2.443_315_7e-5];

const SIGN: u32 = 1 << 31;
/// Angles per block: those of a slow one are done again.
const BLOCK: usize = 512;

#[inline(always)]
fn one<A: Arithmetic>(z: f32) -> (f32, f32) {
    let sign = z.to_bits() & SIGN;
    let z = z.abs();
    let shifted = A::fma(z, TWO_OVER_PI, TO_INTEGER);
    let n = shifted - TO_INTEGER;
    let r = A::fma(-n, P3, A::fma(-n, P2, A::fma(-n, P1, z)));
    let q = r * r;
    let sine = A::fma(r * q, A::fma(q, A::fma(q, S[2], S[1]), S[0]), r);
    let cosine = A::fma(q * q, A::fma(q, A::fma(q, C[2], C[1]), C[0]), A::fma(-0.5, q, 1.0));
    let n = shifted.to_bits();
    // odd quadrants exchange sine and cosine; the signs are bits 1 of n and of n + 1
    let (a, b) = if n & 1 != 0 { (cosine, sine) } else { (sine, cosine) };
    let sin = f32::from_bits(a.to_bits() ^ ((n << 30) & SIGN) ^ sign);
    (sin, f32::from_bits(b.to_bits() ^ ((n.wrapping_add(1) << 30) & SIGN)))
}

/// Bit 31 is set when |z| > LIMIT, infinite or NaN.
#[inline(always)]
fn beyond(z: f32) -> u32 {
    LIMIT.to_bits().wrapping_sub(z.to_bits() & !SIGN)
}

/// Angles that need double precision: all of them, or those beyond the limit.
#[cold]
#[inline(never)]
fn repair(z: &[f32], sin: &mut [f32], cos: &mut [f32], all: bool) {
    for ((z, sin), cos) in z.iter().zip(sin).zip(cos) {
        if all || beyond(*z) & SIGN != 0 {
            let (s, c) = libm::sincos(f64::from(*z));
            (*sin, *cos) = (s as f32, c as f32);
        }
    }
}

#[inline(always)]
fn in_place_kernel<A: Arithmetic>(z: &mut [f32], sin: &mut [f32]) {
    for (z, sin) in z.chunks_mut(BLOCK).zip(sin.chunks_mut(BLOCK)) {
        let slow = z.iter().fold(0, |far, z| far | beyond(*z)) & SIGN != 0 || !A::FUSED;
        let angles = slow.then(|| z.to_vec());
        for (z, sin) in z.iter_mut().zip(sin.iter_mut()) {
            (*sin, *z) = one::<A>(*z);
        }
        if let Some(angles) = angles {
            repair(&angles, sin, z, !A::FUSED);
        }
    }
}

#[inline(always)]
fn cos_kernel<A: Arithmetic>(z: &mut [f32]) {
    let mut sin = [0.0; BLOCK];
    for z in z.chunks_mut(BLOCK) {
        let len = z.len();
        in_place_kernel::<A>(z, &mut sin[..len]);
    }
}

vectorised!(fn in_place(z: &mut [f32], sin: &mut [f32]) = in_place_kernel);
vectorised!(fn only_cos(z: &mut [f32]) = cos_kernel);

/// sin zᵢ, and cos zᵢ in the place of zᵢ, to 2 ulp for |zᵢ| ≤ 10⁴ and correctly rounded but for rare ties beyond; NaN and
/// ±∞ give NaN. An angle's result depends on nothing but the angle.
///
/// # Panics
/// When the lengths differ.
pub fn sin_cos_in_place(z: &mut [f32], sin: &mut [f32]) {
    assert!(z.len() == sin.len(), "sin_cos_in_place: slices of different lengths");
    in_place(z, sin)
}

/// The cosines alone, the same bits as those of [`sin_cos_in_place`].
pub fn cos_in_place(z: &mut [f32]) {
    only_cos(z)
}
