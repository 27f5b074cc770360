//! The numerical core against naive sums, exact reductions and itself under other numbers of threads.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use orff::linalg::*;

/// Uniform numbers in (−1, 1), the same on every machine.
struct Uniform(u64);

impl Uniform {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn matrix(&mut self, rows: usize, cols: usize) -> Mat<f64> {
        let mut a = Mat::zeros(rows, cols);
        for j in 0..cols {
            for i in 0..rows {
                a[(i, j)] = self.next();
            }
        }
        a
    }
}

fn naive(a: MatRef<f64>, b: MatRef<f64>) -> Mat<f64> {
    Mat::from_fn(a.nrows(), b.ncols(), |i, j| (0..a.ncols()).map(|k| a[(i, k)] * b[(k, j)]).sum())
}

fn bits(a: MatRef<f64>) -> Vec<u64> {
    a.col_iter().flat_map(|c| c.iter().map(|v| v.to_bits()).collect::<Vec<_>>()).collect()
}

fn close(a: MatRef<f64>, b: MatRef<f64>, tol: f64) {
    assert_eq!(a.shape(), b.shape());
    for j in 0..a.ncols() {
        for i in 0..a.nrows() {
            assert!((a[(i, j)] - b[(i, j)]).abs() <= tol, "({i}, {j}): {} and {}", a[(i, j)], b[(i, j)]);
        }
    }
}

/// `f` must give the same bits in pools of one, two, three and four threads.
fn same_bits(f: impl Fn() -> Vec<u64> + Sync) {
    let run = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&f);
    let one = run(1);
    for threads in [2, 3, 4] {
        for _ in 0..3 {
            assert!(run(threads) == one, "{threads} threads give other bits");
        }
    }
}

/// Positive definite of order n with condition about 1/ridge.
fn definite(n: usize, ridge: f64) -> Mat<f64> {
    let g = Uniform(n as u64).matrix(n + 3, n);
    let mut a = naive(g.transpose(), g.as_ref());
    for i in 0..n {
        a[(i, i)] += ridge;
    }
    a
}

// ---- sine and cosine --------------------------------------------------------------------------------------------

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
        assert!(ds <= 1.1 && dc <= 1.1, "z = {:e}: {ds} and {dc} ulp", z[i]);
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

/// The products of a block in single precision, the blocks in double.
#[test]
fn rank_updates_from_single_precision_are_sums_in_double() {
    let mut u = Uniform(8);
    for m in [1, 48, 150, 400] {
        let c = u.matrix(300, m);
        let single = Mat::from_fn(300, m, |i, j| c[(i, j)] as f32);
        let start = u.matrix(m, m);
        let (mut exact, mut sum) = (start.clone(), start.clone());
        for _ in 0..3 {
            rank_update(exact.as_mut(), c.as_ref());
            rank_update(sum.as_mut(), single.as_ref());
        }
        close(sum.as_ref(), exact.as_ref(), 1e-3); // of about 300
        (0..m).for_each(|j| (0..j).for_each(|i| assert_eq!(sum[(i, j)], start[(i, j)], "above the diagonal")));
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let mut alone = start.clone();
        one.install(|| (0..3).for_each(|_| rank_update(alone.as_mut(), single.as_ref())));
        assert_eq!(bits(alone.as_ref()), bits(sum.as_ref()));
    }
}

// ---- products ---------------------------------------------------------------------------------------------------

/// Versions of private-gemm-x86 up to 0.1.20 were withdrawn for wrong parallel products.
#[test]
fn faer_multiplies_correctly_in_parallel() {
    let mut u = Uniform(3);
    for (m, n, k) in
        [(1, 1, 1), (17, 9, 33), (64, 64, 64), (200, 130, 70), (333, 257, 129), (500, 12, 700), (3, 600, 300)]
    {
        let (a, b) = (u.matrix(m, k), u.matrix(k, n));
        let expected = naive(a.as_ref(), b.as_ref());
        let tol = 1e-15 * (k as f64 + 10.0);
        for threads in [2, 3, 4, 8] {
            for _ in 0..5 {
                let mut c = Mat::full(m, n, f64::NAN);
                matmul(c.as_mut(), Accum::Replace, &a, &b, 1.0, Par::rayon(threads));
                close(c.as_ref(), expected.as_ref(), tol);
                let at = a.transpose().to_owned();
                matmul(c.as_mut(), Accum::Add, at.transpose(), &b, -1.0, Par::rayon(threads));
                close(c.as_ref(), Mat::zeros(m, n).as_ref(), tol);
            }
        }
    }
}

#[test]
fn rank_update_adds_the_gram_matrix_to_the_lower_triangle() {
    let mut u = Uniform(4);
    for (rows, m) in [(1, 1), (5, 3), (40, 47), (33, 48), (70, 193), (129, 450), (5, 1300)] {
        let mut block = Block::new(rows + 7, m);
        block.rows_mut(rows).copy_from(u.matrix(rows, m));
        let start = u.matrix(m, m);
        let gram = naive(block.rows(rows).transpose(), block.rows(rows));
        let mut s = start.clone();
        rank_update(s.as_mut(), block.rows(rows));
        for j in 0..m {
            for i in 0..m {
                let expected = if i >= j { start[(i, j)] + gram[(i, j)] } else { start[(i, j)] };
                assert!((s[(i, j)] - expected).abs() < 1e-13, "{rows}×{m} at ({i}, {j})");
            }
        }
        mirror(s.as_mut());
        for j in 0..m {
            for i in 0..m {
                assert_eq!(s[(i, j)].to_bits(), s[(j, i)].to_bits());
            }
        }
        // no rows, no change; row-major characters give the same sums to rounding
        let before = s.clone();
        rank_update(s.as_mut(), block.rows(0));
        assert_eq!(bits(s.as_ref()), bits(before.as_ref()));
        let transposed = block.rows(rows).transpose().to_owned();
        let mut again = start.clone();
        rank_update(again.as_mut(), transposed.transpose());
        mirror(again.as_mut());
        close(again.as_ref(), s.as_ref(), 1e-13);
    }
}

#[test]
fn products_equal_naive_sums() {
    let mut u = Uniform(5);
    for (b, m, p) in
        [(1, 1, 1), (3, 5, 2), (8, 256, 4), (63, 257, 5), (65, 600, 1), (130, 20, 77), (200, 513, 9), (4, 0, 3)]
    {
        let (c, z, y) = (u.matrix(b, m), u.matrix(m, p), u.matrix(b, p));
        let expected = naive(c.as_ref(), z.as_ref());
        close(product(c.as_ref(), z.as_ref()).as_ref(), expected.as_ref(), 1e-13);
        let (ct, zt) = (c.transpose().to_owned(), z.transpose().to_owned());
        assert_eq!(
            bits(product(ct.transpose(), zt.transpose()).as_ref()),
            bits(product(c.as_ref(), z.as_ref()).as_ref()),
            "strides do not matter"
        );
        let reversed = product(c.reverse_rows(), z.as_ref());
        assert_eq!(bits(reversed.as_ref().reverse_rows()), bits(product(c.as_ref(), z.as_ref()).as_ref()));
        let mut out = u.matrix(m, p);
        let expected = &out + naive(c.transpose(), y.as_ref());
        add_tn(out.as_mut(), c.as_ref(), y.as_ref());
        close(out.as_ref(), expected.as_ref(), 1e-13);
        let mut into = Mat::full(b, p, f64::NAN);
        product_into(into.as_mut(), c.as_ref(), z.as_ref());
        assert_eq!(bits(into.as_ref()), bits(product(c.as_ref(), z.as_ref()).as_ref()));
    }
}

#[test]
fn a_row_has_the_same_product_alone_and_in_any_batch() {
    let mut u = Uniform(6);
    for (m, p) in [(700, 1), (700, 3), (300, 70)] {
        let (c, z) = (u.matrix(500, m), u.matrix(m, p));
        let all = product(c.as_ref(), z.as_ref());
        for (first, count) in [(0, 1), (13, 1), (499, 1), (3, 7), (60, 100), (1, 499)] {
            let part = product(c.as_ref().subrows(first, count), z.as_ref());
            assert_eq!(bits(part.as_ref()), bits(all.as_ref().subrows(first, count)));
        }
        let one_output = product(c.as_ref(), z.as_ref().subcols(p - 1, 1));
        assert_eq!(bits(one_output.as_ref()), bits(all.as_ref().subcols(p - 1, 1)));
    }
}

#[test]
fn non_finite_numbers_stay_in_their_row() {
    let mut u = Uniform(7);
    let (mut c, z) = (u.matrix(70, 30), u.matrix(30, 5));
    let clean = product(c.as_ref(), z.as_ref());
    c[(33, 4)] = f64::NAN;
    let out = product(c.as_ref(), z.as_ref());
    for i in 0..70 {
        for q in 0..5 {
            assert!(if i == 33 { out[(i, q)].is_nan() } else { out[(i, q)] == clean[(i, q)] });
        }
    }
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let mut u = Uniform(8);
    let mut block = Block::new(1024, 700);
    block.rows_mut(1024).copy_from(u.matrix(1024, 700));
    let (y, z, b) = (u.matrix(1024, 3), u.matrix(700, 5), u.matrix(700, 150));
    let c = block.rows(1024);
    same_bits(|| {
        let mut s = Mat::zeros(700, 700);
        rank_update(s.as_mut(), c);
        bits(s.as_ref())
    });
    same_bits(|| {
        let mut out = Mat::zeros(700, 3);
        add_tn(out.as_mut(), c, y.as_ref());
        bits(out.as_ref())
    });
    same_bits(|| bits(product(c, z.as_ref()).as_ref()));
    let mut a = Mat::zeros(700, 700);
    rank_update(a.as_mut(), c);
    for i in 0..700 {
        a[(i, i)] += 0.1;
    }
    same_bits(|| {
        let factor = Cholesky::new(a.as_ref()).unwrap();
        let mut all = bits(factor.factor());
        all.extend(bits(factor.solve(Some(a.as_ref()), b.as_ref()).unwrap().as_ref()));
        all.extend(bits(factor.solve(None, b.as_ref().subcols(0, 1)).unwrap().as_ref()));
        all.extend(bits(factor.half_solve(b.as_ref()).unwrap().as_ref()));
        all
    });
    let a = a.as_ref().submatrix(0, 0, 260, 260);
    same_bits(|| {
        let e = eigen(a).unwrap();
        let mut all = bits(e.vectors.as_ref());
        all.extend(e.values.iter().map(|v| v.to_bits()));
        all
    });
}

// ---- factorisations ---------------------------------------------------------------------------------------------

#[test]
fn cholesky_solves() {
    for (n, p) in [(1, 1), (2, 3), (37, 5), (230, 70)] {
        let a = definite(n, 0.5);
        let b = Uniform(9).matrix(n, p);
        let factor = Cholesky::new(a.as_ref()).unwrap();
        close(naive(factor.factor(), factor.factor().transpose()).as_ref(), a.as_ref(), 1e-11);
        let x = factor.solve(Some(a.as_ref()), b.as_ref()).unwrap();
        close(naive(a.as_ref(), x.as_ref()).as_ref(), b.as_ref(), 1e-10);
        // bᵀA⁻¹b twice, and the determinant as the product of eigenvalues
        let half = factor.half_solve(b.as_ref()).unwrap();
        let quadratic = naive(b.transpose(), x.as_ref());
        close(naive(half.transpose(), half.as_ref()).as_ref(), quadratic.as_ref(), 1e-9 * quadratic.norm_max());
        let log_det: f64 = eigen(a.as_ref()).unwrap().values.iter().map(|v| v.ln()).sum();
        assert!((factor.log_det() - log_det).abs() < 1e-9 * (1.0 + log_det.abs()));
        let again = Cholesky::from_factor(factor.factor().to_owned()).unwrap();
        assert_eq!(bits(again.solve(None, b.as_ref()).unwrap().as_ref()), bits(x.as_ref()));
    }
}

#[test]
fn cholesky_refuses_what_it_cannot_solve() {
    let message = |a: &Mat<f64>| Cholesky::new(a.as_ref()).unwrap_err().to_string();
    for n in [3, 250] {
        let mut a = definite(n, 0.5);
        a[(n - 1, n - 1)] = -1.0;
        assert!(message(&a).contains("raise the ridge"), "{}", message(&a));
        a[(n - 1, 0)] = f64::NAN;
        assert!(message(&a).contains("not finite"));
        a[(n - 1, 0)] = f64::INFINITY;
        assert!(message(&a).contains("not finite"));
        assert!(message(&Mat::zeros(n, n)).contains("pivot 1"));
        assert!(message(&Mat::full(n, n, 1e300)).contains("raise the ridge"));
    }
    assert!(message(&Mat::zeros(3, 2)).contains("square"));

    // The residual sees a factor of another matrix, in the only column that is wrong.
    let (a, mut other) = (definite(300, 0.5), definite(300, 0.5));
    other[(299, 0)] += 1.0;
    let factor = Cholesky::new(a.as_ref()).unwrap();
    let mut b = Mat::zeros(300, 70);
    for i in 0..300 {
        b[(i, 65)] = a[(i, 0)];
    }
    assert!(factor.solve(Some(a.as_ref()), b.as_ref()).is_ok());
    let error = factor.solve(Some(other.as_ref()), b.as_ref()).unwrap_err().to_string();
    assert!(error.contains("residual") && error.contains("raise the ridge"), "{error}");
    b[(7, 7)] = f64::NAN;
    assert!(factor.solve(None, b.as_ref()).is_err());
    assert!(factor.solve(None, b.as_ref().subrows(0, 299)).is_err());
    assert!(factor.solve(Some(a.as_ref().submatrix(0, 0, 2, 2)), b.as_ref()).is_err());
    assert!(Cholesky::from_factor(Mat::zeros(2, 2)).is_err());
}

#[test]
fn few_eigenvalues_of_a_large_matrix_are_those_of_all() {
    let mut u = Uniform(31);
    for (n, r) in [(40, 0), (40, 1), (60, 7), (150, 40)] {
        // of rank r, over eight decades
        let c = u.matrix(r, n);
        let c = Mat::from_fn(r, n, |i, j| c[(i, j)] * 10f64.powf(-4.0 * i as f64 / r as f64));
        let a = naive(c.transpose(), c.as_ref());
        let all = eigen(a.as_ref()).unwrap();
        let few = eigen_of_rank(a.as_ref(), r).unwrap();
        assert_eq!((few.values.len(), few.vectors.shape()), (r, (n, r)));
        let top = all.values[n - 1].max(1e-300);
        for (few, all) in few.values.iter().zip(&all.values[n - r..]) {
            assert!((few - all).abs() <= 1e-13 * top, "{few} and {all} of {top}");
        }
        let scaled = Mat::from_fn(n, r, |i, j| few.vectors[(i, j)] * few.values[j]);
        close(naive(scaled.as_ref(), few.vectors.transpose()).as_ref(), a.as_ref(), 1e-13 * top);
        // together with the rest they are a basis
        let rest = complement(few.vectors.as_ref()).unwrap();
        let basis = Mat::from_fn(n, n, |i, j| if j < r { few.vectors[(i, j)] } else { rest[(i, j - r)] });
        close(naive(basis.transpose(), basis.as_ref()).as_ref(), Mat::<f64>::identity(n, n).as_ref(), 1e-13);
        // the upper triangle is not read, and a rank that was guessed too small is found out
        let lower = Mat::from_fn(n, n, |i, j| if i >= j { a[(i, j)] } else { 7.0 });
        assert_eq!(eigen_of_rank(lower.as_ref(), r).unwrap().values, few.values);
        if r > 1 {
            assert_eq!(eigen_of_rank(a.as_ref(), r - 1).unwrap().values, all.values);
        }
    }
}

#[test]
fn eigenvectors_rebuild_the_matrix() {
    for n in [1, 2, 5, 40, 210] {
        let g = Uniform(n as u64).matrix(n, n);
        let a = Mat::from_fn(n, n, |i, j| g[(i, j)] + g[(j, i)]);
        let e = eigen(a.as_ref()).unwrap();
        assert!(e.values.windows(2).all(|v| v[0] <= v[1]), "ascending");
        let scaled = Mat::from_fn(n, n, |i, j| e.vectors[(i, j)] * e.values[j]);
        close(naive(scaled.as_ref(), e.vectors.transpose()).as_ref(), a.as_ref(), 1e-12 * n as f64);
        let gram = naive(e.vectors.transpose(), e.vectors.as_ref());
        close(gram.as_ref(), Mat::identity(n, n).as_ref(), 1e-13 * n as f64);
    }
    // only the lower triangle is read; an unaligned view has the bits of a copy
    let a = definite(50, 0.1);
    let mut data = vec![f64::NAN; 1 + 51 * 50];
    for j in 0..50 {
        for i in j..50 {
            data[1 + 51 * j + i] = a[(i, j)];
        }
    }
    let view = MatRef::from_column_major_slice_with_stride(&data[1..], 50, 50, 51);
    assert_eq!(bits(eigen(view).unwrap().vectors.as_ref()), bits(eigen(a.as_ref()).unwrap().vectors.as_ref()));
    let mut a = definite(5, 0.1);
    a[(4, 1)] = f64::NAN;
    assert!(eigen(a.as_ref()).unwrap_err().to_string().contains("not finite"));
    assert!(eigen(Mat::zeros(2, 3).as_ref()).is_err());
    assert!(eigen(Mat::zeros(0, 0).as_ref()).unwrap().values.is_empty());
}

#[test]
fn semidefinite_matrices_are_factored_to_their_rank() {
    for (p, r) in [(1, 1), (5, 2), (30, 7), (6, 6), (4, 0)] {
        let b = Uniform(10).matrix(p, r);
        let gamma = naive(b.as_ref(), b.transpose());
        let factor = psd_factor(gamma.as_ref(), "gamma").unwrap();
        assert_eq!(factor.shape(), (p, r));
        close(naive(factor.as_ref(), factor.transpose()).as_ref(), gamma.as_ref(), 1e-13);
        // the four conditions of Moore and Penrose, two of them by symmetry
        let inverse = pseudo_inverse_psd(gamma.as_ref(), "gamma").unwrap();
        let projection = naive(gamma.as_ref(), inverse.as_ref());
        let size = 1e-12 * (1.0 + inverse.norm_max() * gamma.norm_max());
        close(naive(projection.as_ref(), gamma.as_ref()).as_ref(), gamma.as_ref(), size);
        close(
            naive(inverse.as_ref(), projection.as_ref()).as_ref(),
            inverse.as_ref(),
            size * (1.0 + inverse.norm_max()),
        );
        close(projection.as_ref(), projection.transpose(), size);
        close(inverse.as_ref(), inverse.transpose(), size);
    }
    let refused = |a: Mat<f64>| psd_factor(a.as_ref(), "coupling").unwrap_err().to_string();
    let indefinite = Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 2.0 });
    let message = refused(indefinite);
    assert!(message.starts_with("coupling: ") && message.contains("smallest eigenvalue -1.000e0"), "{message}");
    assert!(refused(Mat::from_fn(1, 1, |_, _| -1.0)).contains("smallest eigenvalue"));
    assert!(refused(Mat::from_fn(2, 2, |i, j| (i + 2 * j + 1) as f64)).contains("at (2, 1)"));
    assert!(refused(Mat::full(2, 2, f64::NAN)).contains("not finite"));
    assert!(refused(Mat::zeros(2, 3)).contains("2×3"));
}

// ---- conjugate gradients ----------------------------------------------------------------------------------------

fn apply(a: &Mat<f64>) -> impl FnMut(&[f64], &mut [f64]) -> orff::Result<()> {
    move |v, out| {
        for (i, out) in out.iter_mut().enumerate() {
            *out = v.iter().enumerate().map(|(j, v)| a[(i, j)] * v).sum();
        }
        Ok(())
    }
}

#[test]
fn conjugate_gradients_agree_with_cholesky() {
    use cg::{Params, Reason};
    let n = 80;
    let mut a = definite(n, 1.0);
    for i in 0..n {
        a[(i, i)] += i as f64 * i as f64; // a diagonal worth preconditioning
    }
    let b = Uniform(11).matrix(n, 1);
    let x = Cholesky::new(a.as_ref()).unwrap().solve(Some(a.as_ref()), b.as_ref()).unwrap();
    let rhs: Vec<f64> = b.col(0).iter().copied().collect();
    let jacobi = |r: &[f64], out: &mut [f64]| (0..n).for_each(|i| out[i] = r[i] / a[(i, i)]);
    let none = |r: &[f64], out: &mut [f64]| out.copy_from_slice(r);
    let params = Params { tol: 1e-13, max_iter: 1000 };
    let mut seen = vec![];
    let (y, plain) = conjugate_gradient(&mut apply(&a), &none, &rhs, None, params, &mut |_, _| Ok(())).unwrap();
    let (z, better) = conjugate_gradient(&mut apply(&a), &jacobi, &rhs, None, params, &mut |k, r| {
        seen.push((k, r));
        Ok(())
    })
    .unwrap();
    assert_eq!((plain.reason, better.reason), (Reason::Converged, Reason::Converged));
    assert!(better.iterations < plain.iterations);
    assert_eq!(seen.len(), better.iterations);
    assert_eq!(seen.last().unwrap(), &(better.iterations, better.residual));
    for i in 0..n {
        assert!((y[i] - x[(i, 0)]).abs() < 1e-10 && (z[i] - x[(i, 0)]).abs() < 1e-10);
    }
    // a start at the solution ends there
    let (_, warm) =
        conjugate_gradient(&mut apply(&a), &none, &rhs, Some(&y), Params { tol: 1e-9, ..params }, &mut |_, _| Ok(()))
            .unwrap();
    assert_eq!(warm.iterations, 0);
    let few = Params { max_iter: 3, ..params };
    let (_, report) = conjugate_gradient(&mut apply(&a), &none, &rhs, None, few, &mut |_, _| Ok(())).unwrap();
    assert_eq!((report.iterations, report.reason), (3, Reason::MaxIter));
    let (zero, report) =
        conjugate_gradient(&mut apply(&a), &none, &vec![0.0; n], Some(&y), params, &mut |_, _| Ok(())).unwrap();
    assert!(zero.iter().all(|v| *v == 0.0) && report.reason == Reason::Converged);

    // failures
    let stop =
        conjugate_gradient(&mut apply(&a), &none, &rhs, None, params, &mut |_, _| Err(orff::Error::Interrupted));
    assert!(matches!(stop, Err(orff::Error::Interrupted)));
    let mut negative = a.clone();
    negative[(3, 3)] = -1e4;
    let error = conjugate_gradient(&mut apply(&negative), &none, &rhs, None, params, &mut |_, _| Ok(()));
    assert!(error.unwrap_err().to_string().contains("positive definite"));
    let mut nan = a.clone();
    nan[(3, 4)] = f64::NAN;
    assert!(conjugate_gradient(&mut apply(&nan), &none, &rhs, None, params, &mut |_, _| Ok(())).is_err());
    assert!(conjugate_gradient(&mut apply(&a), &none, &rhs, Some(&[1.0]), params, &mut |_, _| Ok(())).is_err());
}

#[test]
fn dot_products_are_exact_on_integers() {
    for n in [0, 1, 7, 8, 9, 100] {
        let u: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let v: Vec<f64> = (0..n).map(|i| (i * i) as f64 - 5.0).collect();
        let expected: i64 = (0..n).map(|i| i * (i * i - 5)).sum();
        assert_eq!(dot(&u, &v), expected as f64);
    }
}
