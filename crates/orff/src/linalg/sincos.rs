//! Sines and cosines of many angles at once.
//!
//! Cody–Waite reduction: z = n·π/2 + r + t with π/2 in three parts (33, 33 and 53 bits), so that n·P₁ and n·P₂ are
//! exact for n < 2²⁰, |r| ≤ π/4 and t the rest that r cannot hold; then the minimax polynomials of fdlibm for sin and
//! cos on [−π/4, π/4], and the quadrant n mod 4 exchanges them and sets the signs. Angles beyond [`LIMIT`], where the
//! rest would lose accuracy, and those that are not finite are done one by one by `libm`, which reduces by any number
//! of turns.

use super::lanes::{Arithmetic, vectorised};

/// Up to here (and for all z below it) the fast path is accurate to 1 ulp.
pub const LIMIT: f64 = 1e4;

const TWO_OVER_PI: f64 = std::f64::consts::FRAC_2_PI;
/// π/2 = P1 + P2 + P3 to 119 bits.
const P1: f64 = f64::from_bits(0x3FF921FB54400000);
const P2: f64 = f64::from_bits(0x3DD0B4611A600000);
const P3: f64 = f64::from_bits(0x3BA3198A2E037073);
/// 1.5·2⁵²: adding it rounds to an integer, which is then in the low bits.
const TO_INTEGER: f64 = 6755399441055744.0;

/// sin r = r + r³·S(r²) and cos r = 1 − r²/2 + r⁴·C(r²) for |r| ≤ π/4, error < 2⁻⁵⁸ (fdlibm, k_sin.c and k_cos.c).
const S: [f64; 6] = [
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
];
const C: [f64; 6] = [
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
];

const SIGN: u64 = 1 << 63;

/// (sin z, cos z) for |z| ≤ LIMIT; anything else gives a value of no meaning.
#[inline(always)]
fn fast<A: Arithmetic>(z: f64) -> (f64, f64) {
    // |z| keeps sin(−0) = −0 and makes the pair exactly odd and even.
    let sign = z.to_bits() & SIGN;
    let z = z.abs();

    let shifted = A::fma(z, TWO_OVER_PI, TO_INTEGER);
    let quadrant = shifted.to_bits();
    let n = shifted - TO_INTEGER;
    let r1 = A::fma(-n, P1, z); // exact
    let r = A::fma(-n, P2, r1);
    let t = A::fma(-n, P3, A::fma(-n, P2, r1 - r)); // what the rounding of r lost, and the third part

    let q = r * r;
    let s = poly::<A>(q, &S);
    let sin_r = r + A::fma(r * q, s, t);
    let c = poly::<A>(q, &C);
    let cos_r = 1.0 + A::fma(-0.5, q, A::fma(q * q, c, -r * t));

    // Odd quadrants exchange sine and cosine; the signs are bits 1 of n and of n + 1.
    let odd = 0u64.wrapping_sub(quadrant & 1);
    let (a, b) = (sin_r.to_bits(), cos_r.to_bits());
    let swap = (a ^ b) & odd;
    let sin = (a ^ swap) ^ ((quadrant << 62) & SIGN) ^ sign;
    let cos = (b ^ swap) ^ ((quadrant.wrapping_add(1) << 62) & SIGN);
    (f64::from_bits(sin), f64::from_bits(cos))
}

/// Σ aᵢqⁱ, the halves in parallel: shorter chains of dependent operations than Horner's.
#[inline(always)]
fn poly<A: Arithmetic>(q: f64, a: &[f64; 6]) -> f64 {
    let q2 = q * q;
    let low = A::fma(q2, A::fma(q, a[3], a[2]), A::fma(q, a[1], a[0]));
    A::fma(q2 * q2, A::fma(q, a[5], a[4]), low)
}

/// Angles per block: one look at a flag decides whether any of them needs the slow path.
const BLOCK: usize = 64;

/// The block of angles is copied first, so that the outputs may overwrite them.
#[inline(always)]
fn block<A: Arithmetic>(z: &[f64; BLOCK], sin: &mut [f64; BLOCK], cos: &mut [f64; BLOCK]) {
    let mut slow = 0u64;
    for i in 0..BLOCK {
        (sin[i], cos[i]) = fast::<A>(z[i]);
        // As integers, |z| > LIMIT, infinities and NaN are all above; the difference is negative (bit 63) for them.
        slow |= LIMIT.to_bits().wrapping_sub(z[i].to_bits() & !SIGN);
    }
    if slow & SIGN != 0 {
        repair(z, sin, cos);
    }
}

#[cold]
#[inline(never)]
fn repair(z: &[f64; BLOCK], sin: &mut [f64; BLOCK], cos: &mut [f64; BLOCK]) {
    for i in 0..BLOCK {
        // written so that NaN is repaired too
        if z[i].abs() > LIMIT || z[i].is_nan() {
            (sin[i], cos[i]) = libm::sincos(z[i]);
        }
    }
}

#[inline(always)]
fn separate_kernel<A: Arithmetic>(z: &[f64], sin: &mut [f64], cos: &mut [f64]) {
    let (zs, z_tail) = z.as_chunks::<BLOCK>();
    let (sins, sin_tail) = sin.as_chunks_mut::<BLOCK>();
    let (coss, cos_tail) = cos.as_chunks_mut::<BLOCK>();
    for ((z, sin), cos) in zs.iter().zip(sins).zip(coss) {
        block::<A>(z, sin, cos);
    }
    if !z_tail.is_empty() {
        let (z, mut s, mut c) = (padded(z_tail), [0.0; BLOCK], [0.0; BLOCK]);
        block::<A>(&z, &mut s, &mut c);
        sin_tail.copy_from_slice(&s[..z_tail.len()]);
        cos_tail.copy_from_slice(&c[..z_tail.len()]);
    }
}

#[inline(always)]
fn in_place_kernel<A: Arithmetic>(z: &mut [f64], sin: &mut [f64]) {
    let (zs, z_tail) = z.as_chunks_mut::<BLOCK>();
    let (sins, sin_tail) = sin.as_chunks_mut::<BLOCK>();
    for (z, sin) in zs.iter_mut().zip(sins) {
        let angles = *z;
        block::<A>(&angles, sin, z);
    }
    if !z_tail.is_empty() {
        let (angles, mut s, mut c) = (padded(z_tail), [0.0; BLOCK], [0.0; BLOCK]);
        block::<A>(&angles, &mut s, &mut c);
        sin_tail.copy_from_slice(&s[..z_tail.len()]);
        z_tail.copy_from_slice(&c[..z_tail.len()]);
    }
}

#[inline(always)]
fn cos_kernel<A: Arithmetic>(z: &[f64], cos: &mut [f64]) {
    let mut unused = [0.0; BLOCK];
    let (zs, z_tail) = z.as_chunks::<BLOCK>();
    let (coss, cos_tail) = cos.as_chunks_mut::<BLOCK>();
    for (z, cos) in zs.iter().zip(coss) {
        block::<A>(z, &mut unused, cos);
    }
    if !z_tail.is_empty() {
        let mut c = [0.0; BLOCK];
        block::<A>(&padded(z_tail), &mut unused, &mut c);
        cos_tail.copy_from_slice(&c[..z_tail.len()]);
    }
}

#[inline(always)]
fn padded(tail: &[f64]) -> [f64; BLOCK] {
    let mut block = [0.0; BLOCK];
    block[..tail.len()].copy_from_slice(tail);
    block
}

vectorised!(fn separate(z: &[f64], sin: &mut [f64], cos: &mut [f64]) = separate_kernel);
vectorised!(fn in_place(z: &mut [f64], sin: &mut [f64]) = in_place_kernel);
vectorised!(fn only_cos(z: &[f64], out: &mut [f64]) = cos_kernel);

/// sin zᵢ and cos zᵢ, to 1 ulp for |zᵢ| ≤ 10⁴ and as `libm` beyond; NaN and ±∞ give NaN. About 1 ns per angle.
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
    separate(z, sin, cos)
}

/// As [`sin_cos`], the cosines in the place of the angles.
///
/// # Panics
/// When the lengths differ.
pub fn sin_cos_in_place(z: &mut [f64], sin: &mut [f64]) {
    assert!(z.len() == sin.len(), "sin_cos_in_place: slices of different lengths");
    in_place(z, sin)
}

/// The cosines alone, the same bits as those of [`sin_cos`].
///
/// # Panics
/// When the lengths differ.
pub fn cos(z: &[f64], out: &mut [f64]) {
    assert!(z.len() == out.len(), "cos: slices of different lengths");
    only_cos(z, out)
}
