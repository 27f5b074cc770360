//! The numerical core: sines, cosines and exponentials, products, factorisations, eigenvalues, conjugate gradients.
//!
//! Everything here gives, on one machine, the same bits for any number of threads; products also for any number of
//! rows in the batch. Work is cut at places fixed by the shapes alone, each piece is sequential, and the pieces are
//! run by the current rayon pool. What faer does not do reproducibly in parallel (eigenvalues, products with one
//! column) runs sequentially or in kernels of our own.

pub mod band;
pub mod cg;
mod columns;
pub mod eigen;
mod exp;
pub mod fixed;
pub(crate) mod lanes;
pub mod product;
pub mod rank;
mod real;
pub(crate) mod register;
pub mod sincos;
pub mod sincos_single;
pub mod solve;
mod sums;

pub use band::{Band, Shifted};
pub use cg::conjugate_gradient;
pub(crate) use columns::{column, column_mut, columns_mut, copied, find, folds, less, scaled};
pub use eigen::{Eigen, complement, eigen, eigen_of_rank, psd_factor, pseudo_inverse_psd};
pub use exp::exp_in_place;
pub use fixed::Fixed;
pub use product::{Factor, block_product, product, product_into};
pub use rank::{Block, mirror, rank_update};
pub use real::Real;
pub use sincos::{cos_in_place, sin_cos, sin_cos_in_place};
pub use solve::Cholesky;
pub(crate) use sums::add_columns;
pub use sums::add_tn;

use crate::{Error, Result};
use faer::{MatRef, Par};

/// Below this order a matrix is factored by one thread: starting the others costs more than they save.
const SEQUENTIAL_BELOW: usize = 200;

/// The threads faer may use for a matrix of order `n`: those of the current rayon pool, or one.
fn par(n: usize) -> Par {
    let threads = rayon::current_num_threads();
    if n < SEQUENTIAL_BELOW || threads == 1 { Par::Seq } else { Par::rayon(threads) }
}

/// Runs some work with so many threads, or with those of the current pool.
pub fn with_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> Result<T> {
    let Some(threads) = threads else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    Ok(pool.map_err(|e| Error::numerical("threads", e.to_string()))?.install(work))
}

/// Are all entries finite?
pub fn is_finite(a: MatRef<f64>) -> bool {
    a.col_iter().all(|column| column.iter().all(|v| v.is_finite()))
}

/// Σ uᵢvᵢ in an order that depends on the length only: eight interleaved partial sums, added pairwise.
pub fn dot(u: &[f64], v: &[f64]) -> f64 {
    debug_assert_eq!(u.len(), v.len());
    let (u8s, u_tail) = u.as_chunks::<8>();
    let (v8s, v_tail) = v.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (u, v) in u8s.iter().zip(v8s) {
        for i in 0..8 {
            sums[i] += u[i] * v[i];
        }
    }
    for (i, (u, v)) in u_tail.iter().zip(v_tail).enumerate() {
        sums[i] += u * v;
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}
