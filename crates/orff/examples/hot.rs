//! Speed of the numerical core: `cargo run --release -p orff --example hot`.

use std::hint::black_box;
use std::time::Instant;

use faer::linalg::matmul::{matmul, triangular};
use faer::{Accum, Mat, Par};
use orff::linalg::*;

/// Seconds of the best of `rounds` runs.
fn best(rounds: usize, mut f: impl FnMut()) -> f64 {
    (0..rounds)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

fn main() {
    let threads = rayon::current_num_threads();
    println!("{threads} threads; best of many rounds");

    let n = 16_384;
    let z: Vec<f64> = (0..n).map(|i| (i as f64 * 0.618_034).fract() * 60.0 - 30.0).collect();
    let (mut s, mut c) = (vec![0.0; n], vec![0.0; n]);
    let ns = 1e9 / n as f64;
    let ours = ns * best(200, || sin_cos(black_box(&z), &mut s, &mut c));
    let only = ns * best(200, || cos(black_box(&z), &mut c));
    let std = ns
        * best(50, || {
            for (i, z) in black_box(&z).iter().enumerate() {
                (s[i], c[i]) = z.sin_cos();
            }
        });
    println!("sin_cos   {ours:6.2} ns per angle, one thread; cos alone {only:.2}; std {std:.2}: {:.1}×", std / ours);

    for (rows, m) in [(1024, 2000), (2048, 2000), (1024, 500)] {
        let mut block = Block::new(rows, m);
        for j in 0..m {
            for (i, v) in block.rows_mut(rows).col_mut(j).iter_mut().enumerate() {
                *v = ((i * 7 + j * 13) as f64).cos();
            }
        }
        let c = block.rows(rows);
        let mut s = Mat::<f64>::zeros(m, m);
        let gflop = 1e-9 * rows as f64 * (m * (m + 1)) as f64;
        let ours = gflop / best(20, || rank_update(s.as_mut(), c));
        let faer = gflop
            / best(20, || {
                let rect = triangular::BlockStructure::Rectangular;
                let low = triangular::BlockStructure::TriangularLower;
                let par = Par::rayon(threads);
                triangular::matmul(s.as_mut(), low, Accum::Add, c.transpose(), rect, c, rect, 1.0, par)
            });
        println!(
            "rank_update {rows}×{m}: {ours:6.1} GFLOP/s; faer's parallel triangular product {faer:.1}: {:.2}×",
            ours / faer
        );
    }

    for (b, m, p) in [(4096, 2000, 1), (4096, 2000, 4), (256, 2000, 4), (4096, 20, 1000), (2048, 2000, 200)] {
        let c = Mat::from_fn(b, m, |i, j| ((i * 7 + j * 13) as f64).cos());
        let z = Mat::from_fn(m, p, |i, j| ((i * 3 + j * 5) as f64).sin());
        let y = Mat::from_fn(b, p, |i, j| ((i * 3 + j * 5) as f64).sin());
        let (mut out, mut ty) = (Mat::<f64>::zeros(b, p), Mat::<f64>::zeros(m, p));
        let gflop = 2e-9 * (b * m * p) as f64;
        let ours = gflop / best(20, || product_into(out.as_mut(), c.as_ref(), z.as_ref()));
        let par = Par::rayon(threads);
        let faer = gflop / best(20, || matmul(out.as_mut(), Accum::Replace, &c, &z, 1.0, par));
        let tn = gflop / best(20, || add_tn(ty.as_mut(), c.as_ref(), y.as_ref()));
        println!("product {b}×{m}×{p}: {ours:6.1} GFLOP/s; add_tn {tn:.1}; faer's product {faer:.1}");
    }

    let m = 2000;
    let g = Mat::from_fn(m, m, |i, j| if i == j { 2.0 } else { (-0.1 * (i.abs_diff(j) as f64)).exp() * 0.5 });
    let b = Mat::from_fn(m, 4, |i, j| ((i * 3 + j * 5) as f64).sin());
    let factor = best(5, || drop(Cholesky::new(g.as_ref())));
    let cholesky = Cholesky::new(g.as_ref()).expect("positive definite");
    let solve = best(5, || drop(cholesky.solve(Some(g.as_ref()), b.as_ref())));
    println!("Cholesky of order {m}: {:.0} ms; four checked solutions {:.1} ms", 1e3 * factor, 1e3 * solve);
    let small = g.as_ref().submatrix(0, 0, 500, 500);
    println!("eigen of order 500: {:.0} ms", 1e3 * best(5, || drop(eigen(small))));
}
