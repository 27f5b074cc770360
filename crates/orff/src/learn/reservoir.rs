//! A fixed number of rows of a source of any length, each as likely as the others.

use crate::feature::join;
use crate::random::Stream;
use crate::rows::Batch;

const PURPOSE: u64 = 0x7265_7365_7276;

/// The rows kept so far: row i takes the place of a kept one with probability size/(i + 1), by a stream of its own, so that
/// batches do not matter. Rows are held in the batches they came with: one by one they would take several times the memory.
pub(super) struct Reservoir {
    size: usize,
    seed: u64,
    /// The number of the row in each place.
    places: Vec<usize>,
    /// Numbers of rows and the rows, in their order; some have lost their place since.
    parts: Vec<(Vec<usize>, Batch)>,
    /// Rows in the parts.
    held: usize,
    /// Rows seen.
    pub seen: usize,
}

impl Reservoir {
    pub fn new(size: usize, seed: u64) -> Self {
        Reservoir { size, seed, places: Vec::new(), parts: Vec::new(), held: 0, seen: 0 }
    }

    /// Shows the rows that follow.
    pub fn add(&mut self, batch: Batch) {
        let (first, n) = (self.seen, batch.inputs.nrows());
        for row in first..first + n {
            if row < self.size {
                self.places.push(row);
            } else {
                let place = Stream::new(self.seed, PURPOSE, row as u64).below(row + 1);
                if place < self.size {
                    self.places[place] = row;
                }
            }
        }
        self.seen += n;
        let mut kept: Vec<usize> = self.places.iter().copied().filter(|row| *row >= first).collect();
        if kept.is_empty() {
            return;
        }
        kept.sort_unstable();
        let rows: Vec<usize> = kept.iter().map(|row| row - first).collect();
        self.held += kept.len();
        self.parts.push((kept, if rows.len() == n { batch } else { batch.pick(&rows) }));
        if self.held > 2 * self.size {
            self.drop_lost();
        }
    }

    /// Lets go of the rows that have no place any more.
    fn drop_lost(&mut self) {
        let mut places = self.places.clone();
        places.sort_unstable();
        for (numbers, batch) in &mut self.parts {
            let kept: Vec<usize> =
                (0..numbers.len()).filter(|&i| places.binary_search(&numbers[i]).is_ok()).collect();
            if kept.len() < numbers.len() {
                *batch = batch.pick(&kept);
                *numbers = kept.iter().map(|&i| numbers[i]).collect();
            }
        }
        self.parts.retain(|(numbers, _)| !numbers.is_empty());
        self.held = self.places.len();
    }

    /// The rows that were kept, in their order, and their numbers; None where there were none.
    pub fn rows(mut self) -> Option<(Batch, Vec<usize>)> {
        self.drop_lost();
        let (numbers, parts): (Vec<_>, Vec<Batch>) = self.parts.into_iter().unzip();
        (!parts.is_empty()).then(|| (join(&parts, self.held), numbers.concat()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{Inputs, Weights};
    use faer::Mat;

    const ROWS: usize = 40;

    /// Numbers of the rows that a reservoir of 8 keeps; all that belongs to a row is its number.
    fn kept(seed: u64, batch: usize) -> Vec<usize> {
        let mut reservoir = Reservoir::new(8, seed);
        for first in (0..ROWS).step_by(batch) {
            let n = batch.min(ROWS - first);
            let number = |i: usize| (first + i) as f64;
            let inputs = Inputs::Dense(Mat::from_fn(n, 3, |i, _| number(i)));
            let weights = Some(Weights::Row((0..n).map(number).collect()));
            reservoir.add(Batch { inputs, outputs: Mat::from_fn(n, 2, |i, _| number(i)), weights });
            assert!(reservoir.held <= 16, "rows that have lost their places are let go");
        }
        let (rows, numbers) = reservoir.rows().expect("there are rows");
        let Inputs::Dense(x) = &rows.inputs else { panic!("dense rows stay dense") };
        let Some(Weights::Row(w)) = &rows.weights else { panic!("weights stay") };
        let number = |i: usize| {
            assert!((0..3).all(|k| x[(i, k)] == w[i]) && (0..2).all(|t| rows.outputs[(i, t)] == w[i]));
            assert_eq!(w[i], numbers[i] as f64);
            numbers[i]
        };
        (0..8).map(number).collect()
    }

    #[test]
    fn every_row_is_as_likely_as_the_others() {
        let (draws, mut counts) = (4000, [0.0; ROWS]);
        for seed in 0..draws {
            let rows = kept(seed, 7);
            assert!(rows.is_sorted_by(|a, b| a < b), "in their order, none twice: {rows:?}");
            rows.into_iter().for_each(|row| counts[row] += 1.0);
        }
        let (mean, variance) = (draws as f64 * 0.2, draws as f64 * 0.2 * 0.8);
        let worst = counts.iter().map(|count| (count - mean).abs() / f64::sqrt(variance)).fold(0.0, f64::max);
        assert!(worst < 4.5, "z = {worst}: {counts:?}");
    }

    #[test]
    fn batches_do_not_matter() {
        for seed in 0..50 {
            assert_eq!(kept(seed, 1), kept(seed, ROWS));
            assert_eq!(kept(seed, 7), kept(seed, ROWS));
        }
    }
}
