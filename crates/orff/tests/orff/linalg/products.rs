//! Products and rank updates against naive sums, with the same bits in any batch and for any threads.

use super::{Uniform, bits, close, naive, same_bits};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use orff::linalg::{Block, Cholesky, Fixed, add_tn, dot, eigen, mirror, product, product_into, rank_update};

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

/// Of characters in single precision: sums of up to 3000 terms are off by a few roundings of what random ones come to,
/// and have the same bits in any block.
#[test]
fn products_with_single_precision_are_within_its_rounding() {
    let mut u = Uniform(9);
    for (b, m, p) in [(1, 1, 1), (5, 3, 2), (63, 257, 7), (1000, 3000, 13), (2000, 40, 100)] {
        let c = u.matrix(b, m);
        let single = Mat::from_fn(b, m, |i, j| c[(i, j)] as f32);
        let c = Mat::from_fn(b, m, |i, j| f64::from(single[(i, j)]));
        let (z, y) = (u.matrix(m, p), u.matrix(b, p));
        let all = product(single.as_ref(), z.as_ref());
        let tolerance = |terms: usize| 12.0 * f64::from(f32::EPSILON) * (terms as f64).sqrt();
        close(all.as_ref(), naive(c.as_ref(), z.as_ref()).as_ref(), tolerance(m));
        let last = product(single.as_ref().subrows(b - 1, 1), z.as_ref().subcols(p - 1, 1));
        assert_eq!(last[(0, 0)].to_bits(), all[(b - 1, p - 1)].to_bits());
        let sum = || {
            let mut out = Mat::zeros(m, p);
            add_tn(out.as_mut(), single.as_ref(), y.as_ref());
            out
        };
        close(sum().as_ref(), naive(c.transpose(), y.as_ref()).as_ref(), tolerance(b));
        same_bits(|| [bits(sum().as_ref()), bits(product(single.as_ref(), z.as_ref()).as_ref())].concat());
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

/// Errors of an entry are sums over rows of what rounding did to two characters, cδ′ + c′δ: up or down by chance, a share f
/// of a step beyond the lower number, δ has the variance f(1 − f) of a step's square, a sixth on average. Only what is about the
/// means counts: those are known.
#[test]
fn rank_updates_in_fixed_point_are_off_by_rounding() {
    let mut u = Uniform(9);
    for (rows, m) in [(0, 5), (1, 1), (300, 7), (301, 48), (1024, 150), (2048, 400)] {
        let c = Mat::from_fn(rows, m, |_, j| (0.9 - 0.3 * (j % 4) as f64) + 0.1 * u.next());
        let single = Mat::from_fn(rows, m, |i, j| c[(i, j)] as f32);
        let start = u.matrix(m, m);
        let (mut exact, mut sum) = (start.clone(), start.clone());
        rank_update(exact.as_mut(), c.as_ref());
        let sums: Vec<f64> = c.col_iter().map(|c| c.iter().sum()).collect();
        let about = |j: usize| c.col(j).squared_norm_l2() - sums[j] * sums[j] / rows as f64;
        let mut fixed = Fixed::default();
        // what was there before leaves nothing behind
        fixed.pack(u.matrix(77, 3 * m + 1).as_ref());
        fixed.pack(single.as_ref());
        fixed.rank_update(sum.as_mut(), &sums);
        let step = 1.0 / 11_585.0 / 6f64.sqrt();
        let (mut squares, mut worst): (f64, f64) = (0.0, 0.0);
        for j in 0..m {
            (0..j).for_each(|i| assert_eq!(sum[(i, j)], start[(i, j)], "above the diagonal"));
            // the diagonal has the same error twice, and its square
            for i in j + 1..m {
                let deviation = step * (about(i) + about(j)).sqrt();
                let z = (sum[(i, j)] - exact[(i, j)]) / deviation;
                squares += z * z;
                worst = worst.max(z.abs());
            }
            let most = rows as f64 * (2.0 / 11_585.0 + 1e-6);
            assert!((sum[(j, j)] - exact[(j, j)]).abs() <= most);
        }
        let pairs = (m * m.saturating_sub(1) / 2) as f64;
        if rows >= 300 {
            println!("{rows} × {m}: largest z {worst:.1}, mean square {:.2}", squares / pairs);
            assert!(worst < 5.5, "{rows} × {m}: {worst}");
            assert!((squares / pairs - 1.0).abs() < 6.0 * (2.0 / pairs).sqrt() + 0.05, "{}", squares / pairs);
        }
        same_bits(|| {
            let mut s = start.clone();
            fixed.rank_update(s.as_mut(), &sums);
            bits(s.as_ref())
        });
    }
    let mut fixed = Fixed::default();
    fixed.pack(Mat::from_fn(4, 2, |i, j| if (i, j) == (3, 1) { f64::NAN } else { 0.5 }).as_ref());
    let mut s = Mat::zeros(2, 2);
    fixed.rank_update(s.as_mut(), &[2.0, f64::NAN]);
    assert!(s[(1, 1)].is_nan(), "what is no number must not pass for one");
}

/// Copies of two rows in many blocks: what is rounded up is another part of them in each, so that errors are those of chance.
#[test]
fn rounding_of_copies_cancels_from_block_to_block() {
    let (rows, m, blocks) = (2048, 48, 200);
    let mut u = Uniform(11);
    let (a, b) = (u.matrix(1, m), u.matrix(1, m));
    let c = Mat::from_fn(rows, m, |i, j| if i % 2 == 0 { a[(0, j)] } else { b[(0, j)] });
    let sums: Vec<f64> = c.col_iter().map(|c| c.iter().sum()).collect();
    let (mut fixed, mut sum, mut exact) = (Fixed::default(), Mat::zeros(m, m), Mat::zeros(m, m));
    for _ in 0..blocks {
        fixed.pack(c.as_ref());
        fixed.rank_update(sum.as_mut(), &sums);
    }
    rank_update(exact.as_mut(), c.as_ref());
    let half = |j: usize| rows as f64 * ((a[(0, j)] - b[(0, j)]) / 2.0).powi(2);
    let variance = |j: usize| f64::from(blocks) * half(j) / 11_585f64.powi(2) / 6.0;
    let off = |i: usize, j: usize| sum[(i, j)] - f64::from(blocks) * exact[(i, j)];
    let z = |i: usize, j: usize| off(i, j) / (variance(i) + variance(j)).sqrt();
    let square: f64 = (0..m).map(|j| (j + 1..m).map(|i| z(i, j).powi(2)).sum::<f64>()).sum();
    let square = square / (m * (m - 1) / 2) as f64;
    println!("mean square of z {square:.3}");
    // 16.6 when the same numbers decided in every block
    assert!((0.2..2.5).contains(&square), "mean square of z {square}");
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
