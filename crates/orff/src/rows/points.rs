//! Rows whose output is a curve, known at arguments of its own. \[integral\]

use super::{Batches, Inputs, Rows, Table, Weights};
use crate::error::{Error, Result};
use faer::Mat;

/// Rows that observe a curve each: inside and outside their outputs are t₁, y₁, t₂, y₂, …, NaN after the last point, and
/// where y is NaN the point was not observed. What is no point of a curve is refused with the number of its row.
///
/// ```
/// use orff::rows::{Inputs, Points, Rows};
/// let x = Inputs::Dense(faer::mat![[0.5], [0.7]]);
/// let rows = Points::of(x, &[(vec![0.0, 1.0], vec![3.0, 4.0]), (vec![0.2], vec![5.0])])?;
/// let outputs = rows.batches()?.next().unwrap()?.outputs;
/// assert!(rows.points() && outputs[(0, 3)] == 4.0 && outputs[(1, 1)] == 5.0 && outputs[(1, 2)].is_nan());
/// # Ok::<(), orff::Error>(())
/// ```
pub struct Points<R> {
    rows: R,
}

impl Points<Table> {
    /// Rows in memory: the arguments and the values of each curve. Memory n·2m for the longest of m points.
    pub fn of(inputs: Inputs, curves: &[(Vec<f64>, Vec<f64>)]) -> Result<Self> {
        if curves.len() != inputs.nrows() {
            return Err(Error::shape("curves", format!("{} rows as in the inputs", inputs.nrows()), curves.len()));
        }
        let uneven = curves.iter().position(|(t, y)| t.len() != y.len());
        if let Some(i) = uneven {
            let (t, y) = &curves[i];
            let given = format!("{} arguments and {} values", t.len(), y.len());
            return Err(Error::shape(format!("curve {}", i + 1), "as many values as arguments", given));
        }
        let longest = curves.iter().map(|(t, _)| t.len()).max().unwrap_or(0).max(1);
        let outputs = Mat::from_fn(curves.len(), 2 * longest, |i, k| {
            let (t, y) = &curves[i];
            let of = if k % 2 == 0 { t } else { y };
            of.get(k / 2).copied().unwrap_or(f64::NAN)
        });
        Points::new(Table::of(inputs, outputs)?)
    }

    /// The same rows with a weight each, or one for each t and y.
    pub fn weighted(self, weights: Weights) -> Result<Self> {
        Ok(Points { rows: self.rows.weighted(weights)? })
    }

    /// The same rows, delivered in batches of `rows`.
    pub fn batched(self, rows: usize) -> Self {
        Points { rows: self.rows.batched(rows) }
    }
}

impl<R: Rows> Points<R> {
    /// Rows whose outputs are t₁, y₁, t₂, y₂, ….
    pub fn new(rows: R) -> Result<Self> {
        let outputs = rows.outputs();
        if outputs == 0 || outputs % 2 == 1 {
            return Err(Error::shape(
                "points of curves",
                "an argument and a value for each",
                format!("{outputs} columns"),
            ));
        }
        Ok(Points { rows })
    }
}

impl<R: Rows> Rows for Points<R> {
    fn inputs(&self) -> usize {
        self.rows.inputs()
    }

    fn outputs(&self) -> usize {
        self.rows.outputs()
    }

    fn batches(&self) -> Result<Batches<'_>> {
        let mut first = 0;
        let checked = self.rows.batches()?.map(move |batch| {
            let batch = batch?;
            (0..batch.outputs.nrows()).try_for_each(|i| check(&batch.outputs, i, first + i + 1))?;
            first += batch.outputs.nrows();
            Ok(batch)
        });
        Ok(Box::new(checked))
    }

    fn rereadable(&self) -> bool {
        self.rows.rereadable()
    }

    fn single(&self) -> bool {
        self.rows.single()
    }

    fn points(&self) -> bool {
        true
    }
}

/// Refuses a curve with a point that is none, or with two values at one argument; `row` counts from 1.
fn check(outputs: &Mat<f64>, i: usize, row: usize) -> Result<()> {
    let bad = |column: &str, value: f64, problem: &str| {
        let (column, value, problem) = (column.into(), value.to_string(), problem.into());
        Err(Error::Value { row, column, value, problem })
    };
    let mut seen = Vec::new();
    for k in (0..outputs.ncols()).step_by(2) {
        let (t, y) = (outputs[(i, k)], outputs[(i, k + 1)]);
        if y.is_nan() {
            continue;
        }
        if y.is_infinite() {
            return bad("output", y, "is not a finite number (a value that was not observed is NaN)");
        }
        if !t.is_finite() {
            return bad("argument", t, "is not a finite number (each value of a curve has its argument)");
        }
        seen.push(t);
    }
    seen.sort_unstable_by(f64::total_cmp);
    match seen.windows(2).find(|w| w[0] == w[1]) {
        Some(w) => bad("argument", w[0], "occurs twice in one curve (take their mean, or give one another id)"),
        None => Ok(()),
    }
}
