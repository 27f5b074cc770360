//! Centroids of rows: k-means.

use super::Landmarks;
use crate::error::Result;
use crate::linalg;
use crate::watch::Watch;
use faer::Mat;
use rayon::prelude::*;

/// Steps, at most: later ones move few rows.
const STEPS: usize = 10;

/// `count` centroids (at most as many as there are different rows) of the rows of x (n×d), each the mean of the rows nearest to it, by
/// Lloyd's steps from rows far apart (k-means++). Cost n·count·d for each of some steps.
pub(super) fn centroids(x: &Mat<f64>, count: usize, seed: u64, watch: &mut dyn Watch) -> Result<Mat<f64>> {
    let (n, d) = x.shape();
    // rows side by side
    let rows: Vec<f64> = (0..n).flat_map(|i| x.row(i).iter().copied()).collect();
    let row = |i: usize| &rows[i * d..(i + 1) * d];
    let chosen = Landmarks::Distant.choose(x, count, seed);
    let mut centres = Mat::from_fn(chosen.len(), d, |j, k| x[(chosen[j], k)]);
    let mut nearest: Vec<usize> = Vec::new();
    for _ in 0..STEPS {
        let products = linalg::product(x.as_ref(), centres.transpose()); // n×count
        let squares: Vec<f64> = centres.row_iter().map(|c| c.squared_norm_l2()).collect();
        let near = |i: usize| {
            let far = |j: usize| squares[j] - 2.0 * products[(i, j)];
            (1..squares.len()).fold(0, |best, j| if far(j) < far(best) { j } else { best })
        };
        let found: Vec<usize> = (0..n).into_par_iter().map(near).collect();
        if found == nearest {
            break;
        }
        nearest = found;
        let (mut sums, mut counts) = (vec![0.0; centres.nrows() * d], vec![0usize; centres.nrows()]);
        for (i, &j) in nearest.iter().enumerate() {
            counts[j] += 1;
            sums[j * d..(j + 1) * d].iter_mut().zip(row(i)).for_each(|(s, v)| *s += v);
        }
        // a centroid that no row is nearest to stays where it is
        for j in (0..counts.len()).filter(|&j| counts[j] > 0) {
            (0..d).for_each(|k| centres[(j, k)] = sums[j * d + k] / counts[j] as f64);
        }
        watch.advance(0)?;
    }
    Ok(centres)
}
