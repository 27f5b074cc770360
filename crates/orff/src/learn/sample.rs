//! What is chosen before the pass is chosen from a sample: at most 10 000 rows, by a seeded reservoir, or the first ones
//! of a source that can be read only once.

use super::reservoir::Reservoir;
use crate::error::{Error, Result};
use crate::linalg;
use crate::rows::{Batch, Batches, Rows, WIDEST, Weights};
use crate::watch::Watch;

/// Largest number of rows of a sample.
pub const SAMPLE_ROWS: usize = 10_000;

/// Some rows of a source, and how many it has.
pub struct Sample {
    /// The rows, in their order.
    pub rows: Batch,
    /// Their numbers in the source, from 0.
    numbers: Vec<usize>,
    /// Number of rows of the source, when all were seen.
    pub total: Option<usize>,
    /// The batches read so far of a source that cannot be read again.
    pub head: Vec<Batch>,
}

impl Sample {
    /// A value of row i of the sample (from 1) as one of the row of the source.
    pub fn named(&self, error: Error) -> Error {
        match error {
            Error::Value { row, column, value, problem } => {
                let row = self.numbers.get(row.wrapping_sub(1)).map_or(row, |number| number + 1);
                Error::Value { row, column, value, problem }
            }
            other => other,
        }
    }

    /// How many rows the source counts for, a row of weight w counting as w rows; None when it has not been read to
    /// its end.
    pub fn size(&self) -> Option<usize> {
        let total = self.total?;
        Some(match &self.rows.weights {
            Some(Weights::Row(w)) => (w.iter().sum::<f64>() * (total as f64 / w.len() as f64)).round() as usize,
            _ => total,
        })
    }
}

/// Draws a sample; for a source that cannot be read again also returns the iterator to go on with.
pub fn draw<'a>(rows: &'a dyn Rows, seed: u64, watch: &mut dyn Watch) -> Result<(Sample, Option<Batches<'a>>)> {
    watch.stage("sample");
    if rows.inputs() > WIDEST {
        let expected = format!("at most {WIDEST} columns (each has a scale and a frequency in every atom)");
        return Err(Error::shape("inputs", expected, rows.inputs()));
    }
    let mut source = rows.batches()?;
    if !rows.rereadable() {
        let (mut head, mut seen, mut ended) = (Vec::new(), 0, false);
        while seen < SAMPLE_ROWS {
            match source.next() {
                None => {
                    ended = true;
                    break;
                }
                Some(batch) => {
                    let batch = batch?;
                    check(&batch, seen)?;
                    seen += batch.inputs.nrows();
                    watch.advance(batch.inputs.nrows() as u64)?;
                    head.push(batch);
                }
            }
        }
        if seen == 0 {
            return Err(empty());
        }
        weighty(head.iter().map(sum).sum())?;
        let mut all = crate::feature::join(&head, seen);
        if seen > SAMPLE_ROWS {
            all = all.slice(0, SAMPLE_ROWS);
        }
        let numbers = (0..all.inputs.nrows()).collect();
        return Ok((Sample { rows: all, numbers, total: ended.then_some(seen), head }, Some(source)));
    }
    let (mut reservoir, mut weight) = (Reservoir::new(SAMPLE_ROWS, seed), 0.0);
    for batch in source {
        let batch = batch?;
        check(&batch, reservoir.seen)?;
        weight += sum(&batch);
        let n = batch.inputs.nrows();
        reservoir.add(batch);
        watch.advance(n as u64)?;
    }
    let total = reservoir.seen;
    let (rows, numbers) = reservoir.rows().ok_or_else(empty)?;
    weighty(weight)?;
    Ok((Sample { rows, numbers, total: Some(total), head: Vec::new() }, None))
}

fn empty() -> Error {
    Error::Data("no rows: the data are empty (after dropping rows with missing values, if that was asked)".into())
}

/// Weights of a block whose sum is beyond this leave no room for sums of squares.
const HEAVIEST: f64 = 1e150;
/// Weights of all rows whose sum is below this vanish in products.
const LIGHTEST: f64 = 1e-150;

/// Checks what every row must satisfy: finite or missing outputs, weights ≥ 0 that can be added.
pub fn check(batch: &Batch, first: usize) -> Result<()> {
    let y = &batch.outputs;
    let bad = |row: usize, column: String, value: f64, problem: &str| {
        Err(Error::Value { row: first + row + 1, column, value: value.to_string(), problem: problem.into() })
    };
    if let Some((i, t)) = linalg::find(y.as_ref(), f64::is_infinite) {
        let problem = "is not a finite number (a missing output is NaN)";
        return bad(i, format!("output {}", t + 1), y[(i, t)], problem);
    }
    let usable = |w: f64| w.is_finite() && w >= 0.0;
    match &batch.weights {
        None => {}
        Some(Weights::Row(w)) => {
            if let Some(i) = w.iter().position(|w| !usable(*w)) {
                return bad(i, "weight".into(), w[i], "is not a weight (a finite number ≥ 0)");
            }
        }
        Some(Weights::Entry(w)) => {
            for t in 0..w.ncols() {
                let mut seen = (0..w.nrows()).filter(|&i| y[(i, t)].is_finite());
                if let Some(i) = seen.find(|&i| !usable(w[(i, t)])) {
                    return bad(i, format!("weight {}", t + 1), w[(i, t)], "is not a weight (a finite number ≥ 0)");
                }
            }
        }
    }
    let sum = sum(batch);
    if sum < HEAVIEST {
        return Ok(());
    }
    let expected = format!("a sum below {HEAVIEST:e}, which leaves room for sums of squares (divide them all)");
    Err(Error::shape("weights", expected, format!("{sum:e}")))
}

/// The sum of the weights of a block: of entries those of observed outputs; 0 where every row counts once.
pub fn sum(batch: &Batch) -> f64 {
    let y = &batch.outputs;
    match &batch.weights {
        None => 0.0,
        Some(Weights::Row(w)) => w.iter().sum(),
        Some(Weights::Entry(w)) => {
            let seen = |t: usize| (0..w.nrows()).filter(move |&i| y[(i, t)].is_finite());
            (0..w.ncols()).map(|t| seen(t).map(|i| w[(i, t)]).sum::<f64>()).sum()
        }
    }
}

/// Refuses weights that would vanish; a sum of zero is refused by whoever finds no row that counts.
pub fn weighty(sum: f64) -> Result<()> {
    if sum == 0.0 || sum > LIGHTEST {
        return Ok(());
    }
    let expected = format!("a sum above {LIGHTEST:e}, below which products vanish (multiply them all)");
    Err(Error::shape("weights", expected, format!("{sum:e}")))
}
