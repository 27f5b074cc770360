//! Sines and cosines against sums of two doubles, to units of the last place.

use super::Uniform;
use orff::linalg::{cos_in_place, sin_cos, sin_cos_in_place, sincos_single};

/// A number as an unevaluated sum of two.
#[derive(Clone, Copy)]
struct Double(f64, f64);

impl Double {
    fn sum(a: f64, b: f64) -> Self {
        let s = a + b;
        let t = s - a;
        Double(s, (a - (s - t)) + (b - t))
    }
    fn add(self, o: Self) -> Self {
        let s = Self::sum(self.0, o.0);
        let t = Self::sum(self.1, o.1);
        let u = Self::sum(s.0, s.1 + t.0);
        Self::sum(u.0, u.1 + t.1)
    }
    fn product(a: f64, b: f64) -> Self {
        let p = a * b;
        Double(p, a.mul_add(b, -p))
    }
    fn mul(self, o: Self) -> Self {
        let p = Self::product(self.0, o.0);
        Self::sum(p.0, p.1 + (self.0 * o.1 + self.1 * o.0))
    }
    fn over(self, d: f64) -> Self {
        let q = self.0 / d;
        let rest = self.add({
            let p = Self::product(q, d);
            Double(-p.0, -p.1)
        });
        Self::sum(q, (rest.0 + rest.1) / d)
    }
}

/// (sin z, cos z) to about 100 bits for |z| ≤ 2·10⁴: z − n·π/2 with π/2 to 151 bits, then Taylor's series.
fn exact(z: f64) -> (Double, Double) {
    const HALF_PI: [u64; 4] = [0x3FF921FB54400000, 0x3DD0B4611A600000, 0x3BA3198A2E000000, 0x397B839A252049C1];
    let n = (z / std::f64::consts::FRAC_PI_2).round();
    let mut r = Double(z, 0.0);
    for part in HALF_PI {
        r = r.add(Double::product(-n, f64::from_bits(part)));
    }
    let q = r.mul(r);
    let series = |first: Double, mut k: f64| {
        let (mut term, mut sum) = (first, first);
        for _ in 0..15 {
            term = term.mul(q).over(-(k + 1.0) * (k + 2.0));
            sum = sum.add(term);
            k += 2.0;
        }
        sum
    };
    let (s, c) = (series(r, 1.0), series(Double(1.0, 0.0), 0.0));
    let minus = |d: Double| Double(-d.0, -d.1);
    match (n as i64).rem_euclid(4) {
        0 => (s, c),
        1 => (c, minus(s)),
        2 => (minus(s), minus(c)),
        _ => (minus(c), s),
    }
}

/// |value − truth| in units of the last place of the truth.
fn ulps(value: f64, truth: Double) -> f64 {
    let top = truth.0.abs();
    let ulp = if top.is_normal() { f64::from_bits(top.to_bits() + 1) - top } else { f64::from_bits(1) };
    (((value - truth.0) - truth.1) / ulp).abs()
}

fn sin_cos_of(z: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut s, mut c) = (vec![0.0; z.len()], vec![0.0; z.len()]);
    sin_cos(z, &mut s, &mut c);
    (s, c)
}

#[test]
fn sine_and_cosine_are_accurate() {
    let mut u = Uniform(1);
    let mut z = vec![0.0, 1e4, -1e4, 5e-324, 1e-310, -1e-300, f64::MIN_POSITIVE, 1e-8, -1e-20];
    for scale in [1e-3, 0.8, 3.0, 30.0, 1e3, 1e4] {
        z.extend((0..20_000).map(|_| scale * u.next()));
    }
    // The doubles around every multiple of π/4 (and so of π/2) up to 10⁴: where the reduction cancels most.
    for n in 1..12_732 {
        let near = n as f64 * std::f64::consts::FRAC_PI_4;
        z.extend((-1..=1).map(|k| f64::from_bits((near.to_bits() as i64 + k) as u64)).filter(|z| *z <= 1e4));
    }
    let (s, c) = sin_cos_of(&z);
    let mut worst = (0.0_f64, 0.0_f64);
    for i in 0..z.len() {
        let (es, ec) = exact(z[i]);
        // The oracle itself, against another implementation.
        assert!(ulps(libm::sin(z[i]), es) < 1.0 && ulps(libm::cos(z[i]), ec) < 1.0, "oracle at {:e}", z[i]);
        let (ds, dc) = (ulps(s[i], es), ulps(c[i], ec));
        assert!(ds <= 2.0 && dc <= 2.0, "z = {:e}: {ds} and {dc} ulp", z[i]);
        worst = (worst.0.max(ds), worst.1.max(dc));
    }
    println!("worst errors: sine {:.3} ulp, cosine {:.3} ulp of {} angles", worst.0, worst.1, z.len());
}

#[test]
fn sine_and_cosine_of_special_values() {
    let z = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e5, -1e5, 1e300, -f64::MAX, 10000.000000000002];
    let (s, c) = sin_cos_of(&z);
    assert_eq!((s[0].to_bits(), c[0]), (0, 1.0));
    assert_eq!((s[1].to_bits(), c[1]), ((-0.0_f64).to_bits(), 1.0));
    for i in 2..5 {
        assert!(s[i].is_nan() && c[i].is_nan());
    }
    for i in 5..z.len() {
        let (es, ec) = z[i].sin_cos();
        assert!(ulps(s[i], Double(es, 0.0)) <= 1.0 && ulps(c[i], Double(ec, 0.0)) <= 1.0, "{:e}", z[i]);
    }
    let (s, c) = sin_cos_of(&[-f64::NAN]);
    assert!(s[0].is_nan() && c[0].is_nan());
}

#[test]
fn an_angle_has_the_same_sine_anywhere() {
    let mut u = Uniform(2);
    let mut z: Vec<f64> = (0..517).map(|_| 100.0 * u.next()).collect();
    (z[100], z[300], z[301]) = (1e6, f64::NAN, f64::INFINITY);
    let (s, c) = sin_cos_of(&z);
    let equal =
        |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan());
    for start in [0, 1, 63, 64, 99, 250] {
        for length in [0, 1, 2, 3, 4, 5, 63, 64, 65, 130, 267] {
            let part = start..start + length;
            let (ps, pc) = sin_cos_of(&z[part.clone()]);
            assert!(equal(&ps, &s[part.clone()]) && equal(&pc, &c[part.clone()]));
            let (mut in_place, mut sines) = (z[part.clone()].to_vec(), vec![0.0; length]);
            sin_cos_in_place(&mut in_place, &mut sines);
            assert!(equal(&sines, &ps) && equal(&in_place, &pc));
            let mut alone = z[part].to_vec();
            cos_in_place(&mut alone);
            assert!(equal(&alone, &pc));
        }
    }
    let negative: Vec<f64> = z.iter().map(|z| -z).collect();
    let (ns, nc) = sin_cos_of(&negative);
    let minus: Vec<f64> = ns.iter().map(|s| -s).collect();
    assert!(equal(&minus, &s) && equal(&nc, &c), "odd and even");
}

/// To 2 ulp of the exact value up to 10⁴, close to multiples of π/2 too; correctly rounded, or nearly, beyond.
#[test]
fn single_sines_and_cosines_are_accurate_to_two_ulp() {
    let mut u = Uniform(5);
    let mut z: Vec<f32> = (0..200_000).map(|_| (1e4 * u.next()) as f32).collect();
    z.extend((0..100_000).map(|_| (8.0 * u.next()) as f32));
    for n in 0..6400 {
        let near = (n as f64 * std::f64::consts::FRAC_PI_2) as f32;
        z.extend([near, near.next_up(), near.next_down()]);
    }
    z.extend([0.0, -0.0, 1e-30, f32::MIN_POSITIVE, 1e4, 1e4f32.next_up(), 3e7, 1e30, f32::MAX, -1e20]);
    z.extend([f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
    let (mut c, mut s) = (z.clone(), vec![0.0; z.len()]);
    sincos_single::sin_cos_in_place(&mut c, &mut s);
    let mut alone = z.clone();
    sincos_single::cos_in_place(&mut alone);
    let mut worst: f64 = 0.0;
    for i in 0..z.len() {
        assert!(alone[i].to_bits() == c[i].to_bits() || c[i].is_nan());
        if !z[i].is_finite() {
            assert!(s[i].is_nan() && c[i].is_nan());
            continue;
        }
        let (es, ec) = (libm::sin(z[i].into()), libm::cos(z[i].into()));
        for (got, exact) in [(s[i], es), (c[i], ec)] {
            let ulp = f64::from((exact as f32).abs().next_up()) - f64::from((exact as f32).abs());
            worst = worst.max((f64::from(got) - exact).abs() / ulp);
        }
    }
    println!("single sines and cosines: {worst:.2} ulp");
    assert!(worst <= 2.0, "{worst} ulp");
    // an angle's result depends on nothing but the angle
    let (mut one, mut sine) = ([z[77]], [0.0]);
    sincos_single::sin_cos_in_place(&mut one, &mut sine);
    assert_eq!((one[0].to_bits(), sine[0].to_bits()), (c[77].to_bits(), s[77].to_bits()));
}
