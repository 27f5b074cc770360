//! The numerical core against naive sums, exact reductions and itself under other numbers of threads.

mod conjugate_gradients;
mod exp;
mod factorisations;
mod products;
mod sincos;

use faer::{Mat, MatRef};

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

/// Positive definite of order n with condition about 1/ridge.
fn definite(n: usize, ridge: f64) -> Mat<f64> {
    let g = Uniform(n as u64).matrix(n + 3, n);
    let mut a = naive(g.transpose(), g.as_ref());
    for i in 0..n {
        a[(i, i)] += ridge;
    }
    a
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
