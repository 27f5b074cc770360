//! Centroids of rows: k-means.

use super::Landmarks;
use crate::error::Result;
use crate::linalg;
use crate::rows::{Csr, Inputs};
use crate::watch::Watch;
use faer::Mat;
use rayon::prelude::*;

/// Steps, at most: later ones move few rows.
const STEPS: usize = 10;

/// `count` centroids (at most as many as there are different rows) of the rows of x (n×d), each the mean of the rows nearest to it, by
/// Lloyd's steps from rows far apart (k-means++). Cost n·count·d for each of some steps, of sparse rows count times their entries.
pub(super) fn centroids(x: &Inputs, count: usize, seed: u64, watch: &mut dyn Watch) -> Result<Mat<f64>> {
    let d = x.ncols();
    let chosen = Landmarks::Distant.among(x, count, seed);
    let mut centres = x.pick(&chosen).to_dense();
    let mut nearest: Vec<usize> = Vec::new();
    for _ in 0..STEPS {
        let squares: Vec<f64> = centres.row_iter().map(|c| c.squared_norm_l2()).collect();
        let found = match x {
            Inputs::Dense(x) => {
                let products = linalg::product(x.as_ref(), centres.transpose()); // n×count
                (0..x.nrows()).into_par_iter().map(|i| least(&squares, |j| products[(i, j)])).collect()
            }
            Inputs::Sparse(x) => sparse_nearest(x, &centres, &squares),
        };
        if found == nearest {
            break;
        }
        nearest = found;
        let (mut sums, mut counts) = (vec![0.0; centres.nrows() * d], vec![0usize; centres.nrows()]);
        for (i, &j) in nearest.iter().enumerate() {
            counts[j] += 1;
            let sums = &mut sums[j * d..(j + 1) * d];
            match x {
                Inputs::Dense(x) => sums.iter_mut().zip(x.row(i).iter()).for_each(|(s, v)| *s += v),
                Inputs::Sparse(x) => x.row(i).for_each(|(k, v)| sums[k] += v),
            }
        }
        // a centroid that no row is nearest to stays where it is
        for j in (0..counts.len()).filter(|&j| counts[j] > 0) {
            (0..d).for_each(|k| centres[(j, k)] = sums[j * d + k] / counts[j] as f64);
        }
        watch.advance(0)?;
    }
    Ok(centres)
}

/// The first j with the least ‖c‖² − 2⟨x, c⟩.
fn least(squares: &[f64], product: impl Fn(usize) -> f64) -> usize {
    let far = |j: usize| squares[j] - 2.0 * product(j);
    (1..squares.len()).fold(0, |best, j| if far(j) < far(best) { j } else { best })
}

fn sparse_nearest(x: &Csr, centres: &Mat<f64>, squares: &[f64]) -> Vec<usize> {
    let (count, d) = centres.shape();
    // the centres side by side along each input
    let along: Vec<f64> = (0..d).flat_map(|k| centres.col(k).iter().copied()).collect();
    let near = |products: &mut Vec<f64>, i: usize| {
        products.fill(0.0);
        for (k, v) in x.row(i) {
            products.iter_mut().zip(&along[k * count..(k + 1) * count]).for_each(|(p, c)| *p += v * c);
        }
        least(squares, |j| products[j])
    };
    (0..x.nrows()).into_par_iter().map_init(|| vec![0.0; count], near).collect()
}
