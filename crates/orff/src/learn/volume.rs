//! How small sets are that hold rows: rows spread evenly about them, and how many of these score as high. \[level-sets\]
//!
//! Sets that follow the density are the smallest of their share of rows. The mean over shares of their volume, the area under the
//! mass–volume curve (Clémençon and Jakubowicz 2013), is the probability that a row spread evenly scores above one of the rows: it
//! asks for no density, and for rows that were not learned from.

use crate::random::Stream;
use faer::Mat;

/// Rows spread evenly.
const EVEN: usize = 600;
/// The box they are in: from this share of the rows in each coordinate to the opposite one, wider by so much of its width on both
/// sides, so that a few rows far away do not make it empty.
const SHARE: f64 = 0.05;
const WIDER: f64 = 0.25;

/// Rows spread evenly about others (n×d), by a stream.
pub(super) fn even_rows(rows: &Mat<f64>, stream: &mut Stream) -> Mat<f64> {
    let (n, d) = rows.shape();
    let side = |k: usize| {
        let mut values: Vec<f64> = rows.col(k).iter().copied().collect();
        values.sort_unstable_by(f64::total_cmp);
        let skip = (SHARE * (n - 1) as f64) as usize;
        let (low, high) = (values[skip], values[n - 1 - skip]);
        (low - WIDER * (high - low), high + WIDER * (high - low))
    };
    let sides: Vec<(f64, f64)> = (0..d).map(side).collect();
    Mat::from_fn(EVEN, d, |_, k| sides[k].0 + stream.uniform() * (sides[k].1 - sides[k].0))
}

/// Σw over rows of (score, weight) of the share of even rows that score above; of equal scores one half does.
pub(super) fn above(rows: &[(f64, f64)], even: &[f64]) -> f64 {
    let mut sorted = even.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let share = |score: f64| {
        let below = sorted.partition_point(|s| *s < score) + sorted.partition_point(|s| *s <= score);
        1.0 - 0.5 * below as f64 / sorted.len() as f64
    };
    rows.iter().map(|(score, weight)| weight * share(*score)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volume_by_hand() {
        // of three even rows two are above 0, one above 1 beside one equal to it, none above 5
        let volume = above(&[(0.0, 1.0), (1.0, 2.0), (5.0, 3.0)], &[2.0, -1.0, 1.0]);
        assert!((volume - (2.0 / 3.0 + 2.0 * 0.5)).abs() < 1e-15, "{volume}");
    }

    #[test]
    fn a_row_far_away_does_not_make_the_box_empty() {
        let rows = Mat::from_fn(101, 2, |i, k| if (i, k) == (7, 0) { 1e6 } else { i as f64 });
        let even = even_rows(&rows, &mut Stream::new(1, 1, 0));
        // from the sixth to the 96th of 0, …, 100, and a quarter of 90 on both sides
        assert!(even.col(0).iter().chain(even.col(1).iter()).all(|v| (-20.0..=120.0).contains(v)));
        assert!(even.col(0).iter().any(|v| *v > 100.0) && even.col(1).iter().any(|v| *v < 0.0));
    }
}
