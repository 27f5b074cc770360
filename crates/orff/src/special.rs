//! The few special functions that the laws need, with `libm` underneath so that values do not depend on the platform.

use std::f64::consts::PI;

/// Quantile of the standard normal law, Φ⁻¹(u) for 0 < u < 1, to about 1e-15 relative (Wichura 1988, algorithm AS 241).
///
/// ```
/// use orff::special::normal_quantile;
/// assert_eq!(normal_quantile(0.5), 0.0);
/// assert!((normal_quantile(0.975) - 1.959963984540054).abs() < 1e-14);
/// ```
pub fn normal_quantile(u: f64) -> f64 {
    const CENTRE: ([f64; 8], [f64; 8]) = (
        [
            3.387_132_872_796_366_608,
            133.141_667_891_784_377_45,
            1_971.590_950_306_551_442_7,
            13_731.693_765_509_461_125,
            45_921.953_931_549_871_457,
            67_265.770_927_008_700_853,
            33_430.575_583_588_128_105,
            2_509.080_928_730_122_672_7,
        ],
        [
            1.0,
            42.313_330_701_600_911_252,
            687.187_007_492_057_908_3,
            5_394.196_021_424_751_107_7,
            21_213.794_301_586_595_867,
            39_307.895_800_092_710_610,
            28_729.085_735_721_942_674,
            5_226.495_278_852_854_561,
        ],
    );
    const TAIL: ([f64; 8], [f64; 8]) = (
        [
            1.423_437_110_749_683_577_34,
            4.630_337_846_156_545_295_90,
            5.769_497_221_460_691_405_50,
            3.647_848_324_763_204_605_04,
            1.270_458_252_452_368_382_58,
            2.417_807_251_774_506_117_70e-1,
            2.272_384_498_926_918_458_33e-2,
            7.745_450_142_783_414_076_40e-4,
        ],
        [
            1.0,
            2.053_191_626_637_758_821_87,
            1.676_384_830_183_803_849_40,
            6.897_673_349_851_000_045_50e-1,
            1.481_039_764_274_800_745_90e-1,
            1.519_866_656_361_645_719_66e-2,
            5.475_938_084_995_344_946_00e-4,
            1.050_750_071_644_416_843_24e-9,
        ],
    );
    const FAR: ([f64; 8], [f64; 8]) = (
        [
            6.657_904_643_501_103_777_20,
            5.463_784_911_164_114_369_90,
            1.784_826_539_917_291_335_80,
            2.965_605_718_285_048_912_30e-1,
            2.653_218_952_657_612_309_30e-2,
            1.242_660_947_388_078_438_60e-3,
            2.711_555_568_743_487_578_15e-5,
            2.010_334_399_292_288_132_65e-7,
        ],
        [
            1.0,
            5.998_322_065_558_879_376_90e-1,
            1.369_298_809_227_358_053_10e-1,
            1.487_536_129_085_061_485_25e-2,
            7.868_691_311_456_132_591_00e-4,
            1.846_318_317_510_054_681_80e-5,
            1.421_511_758_316_445_888_70e-7,
            2.044_263_103_389_939_785_64e-15,
        ],
    );
    let q = u - 0.5;
    if q.abs() <= 0.425 {
        return q * ratio(&CENTRE, 0.180_625 - q * q);
    }
    let tail = if q < 0.0 { u } else { 1.0 - u };
    let r = (-libm::log(tail)).sqrt();
    let x = if r <= 5.0 { ratio(&TAIL, r - 1.6) } else { ratio(&FAR, r - 5.0) };
    if q < 0.0 { -x } else { x }
}

/// A ratio of two polynomials of degree seven, coefficients from the constant up.
fn ratio((above, below): &([f64; 8], [f64; 8]), x: f64) -> f64 {
    let horner = |c: &[f64; 8]| c.iter().rev().fold(0.0, |sum, a| sum * x + a);
    horner(above) / horner(below)
}

/// Quantile of the law Gamma(a, 1): the x with P(a, x) = u.
pub(crate) fn gamma_quantile(u: f64, a: f64) -> f64 {
    puruspe::invgammp(u, a)
}

/// Upper quantile of the law Gamma(a, 1): the x with Q(a, x) = tail.
pub(crate) fn gamma_tail_quantile(tail: f64, a: f64) -> f64 {
    puruspe::invgammp(1.0 - tail, a)
}

/// ln K_ν(x) for x > 0 and any real ν, by K_ν(x) = ½∫ exp(νt − x cosh t) dt.
///
/// The integrand is analytic and falls off doubly exponentially, so the trapezoidal rule converges to rounding; it is
/// centred at the maximum sinh t = ν/x, with steps of half the width there.
pub(crate) fn ln_bessel_k(nu: f64, x: f64) -> f64 {
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

/// The x > 0 with ∫ₓ^∞ 8ζ² sech(πζ) dζ = tail: upper quantile of |ζ| under the density 4ζ² sech(πζ).
pub(crate) fn secant_square_tail_quantile(tail: f64) -> f64 {
    let density = |x: f64| 8.0 * x * x / libm::cosh(PI * x);
    // For small x the lower part is computed, 1 − tail, so that it keeps its digits.
    let split = secant_square_tail(1.0);
    let excess = |x: f64| {
        if x < 1.0 { (1.0 - tail) - secant_square_body(x) } else { secant_square_tail(x) - tail }
    };
    let (mut low, mut high) = if tail > split { (0.0, 1.0) } else { (1.0, 30.0) };
    let mut x =
        if tail > split { libm::cbrt((1.0 - tail) * 0.375).min(0.9) } else { 1.0 + libm::log(split / tail) / PI };
    for _ in 0..100 {
        let error = excess(x);
        if error > 0.0 {
            low = x
        } else {
            high = x
        }
        let mut next = x + error / density(x);
        if !(next > low && next < high) {
            next = 0.5 * (low + high);
        }
        if (next - x).abs() <= 1e-15 * x {
            return next;
        }
        x = next;
    }
    x
}

/// ∫ₓ^∞ 8ζ² sech(πζ) dζ for x ≥ 1, by sech(πζ) = 2Σ(−1)ⁿ exp(−(2n+1)πζ).
fn secant_square_tail(x: f64) -> f64 {
    (0..8).rev().fold(0.0, |sum, n| {
        let a = f64::from(2 * n + 1) * PI;
        let term = 16.0 * libm::exp(-a * x) * (x * x / a + 2.0 * x / (a * a) + 2.0 / (a * a * a));
        if n % 2 == 0 { sum + term } else { sum - term }
    })
}

/// ∫₀ˣ 8ζ² sech(πζ) dζ for x ≤ 1, by 20 Gauss–Legendre nodes: the poles ±i/2 leave an error below 1e-17.
fn secant_square_body(x: f64) -> f64 {
    const NODES: [(f64, f64); 10] = [
        (0.07652652113349734, 0.15275338713072628),
        (0.22778585114164507, 0.14917298647260424),
        (0.37370608871541955, 0.1420961093183824),
        (0.5108670019508271, 0.1316886384491769),
        (0.636053680726515, 0.1181945319615186),
        (0.7463319064601508, 0.1019301198172407),
        (0.8391169718222188, 0.08327674157670471),
        (0.912234428251326, 0.06267204833410879),
        (0.9639719272779138, 0.040601429800386446),
        (0.993128599185095, 0.017614007139150893),
    ];
    let density = |z: f64| 8.0 * z * z / libm::cosh(PI * z);
    let pair = |node: f64| density(0.5 * x * (1.0 - node)) + density(0.5 * x * (1.0 + node));
    0.5 * x * NODES.iter().map(|&(node, weight)| weight * pair(node)).sum::<f64>()
}
