//! One-class support vector machines of one level and of all.

mod fit;
mod sets;
mod shapes;
mod solver;

use faer::Mat;
use orff::generate::three_clouds;
use orff::rows::Table;

/// Rows without outputs.
pub fn table(x: &Mat<f64>) -> Table {
    Table::new(x.clone(), Mat::zeros(x.nrows(), 0)).unwrap()
}

/// The three clouds of the thesis.
pub fn clouds(n: usize, seed: u64) -> Mat<f64> {
    three_clouds(n, seed).unwrap()
}

/// Spearman's correlation of the ranks of numbers without ties.
pub fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    let ranks = |values: &[f64]| {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|i, j| values[*i].total_cmp(&values[*j]));
        let mut ranks = vec![0.0; values.len()];
        order.into_iter().enumerate().for_each(|(rank, i)| ranks[i] = rank as f64);
        ranks
    };
    let n = a.len() as f64;
    let squares: f64 = ranks(a).iter().zip(ranks(b)).map(|(a, b)| (a - b) * (a - b)).sum();
    1.0 - 6.0 * squares / (n * (n * n - 1.0))
}
