//! Long rows: each row is (input, task, value), one output observed of p. \[tasks\]

use super::{Batch, Batches, Inputs, Rows, Table, Weights};
use crate::error::{Error, Result};
use faer::Mat;

/// Numbers of a widened batch, at most (a row has one batch at least).
const WIDE: usize = 1 << 20;

/// Rows that observe one of p outputs each, the task. Inside they have two outputs, the number of the task (from 0) and
/// its value; outside p of which one is not NaN, a few rows at a time. Who can use them as they are asks for
/// [`pairs`](Rows::pairs), whose cost is that of the observed entries.
///
/// Rows with equal inputs need not be joined, and one task observed twice at one input counts twice. Each long row is one
/// row of the mean loss.
///
/// ```
/// use orff::rows::{Inputs, Rows, Tasks};
/// let x = Inputs::Dense(faer::mat![[0.5], [0.5], [0.7]]);
/// let rows = Tasks::of(x, &[1, 0, 1], &[3.0, 4.0, 5.0], 2)?;
/// let wide = rows.batches()?.next().unwrap()?.outputs;
/// assert!(wide[(0, 0)].is_nan() && wide[(0, 1)] == 3.0 && wide[(1, 0)] == 4.0);
/// # Ok::<(), orff::Error>(())
/// ```
pub struct Tasks<R> {
    rows: R,
    tasks: usize,
}

impl Tasks<Table> {
    /// Long rows in memory: the task of each row (below `tasks`) and its value.
    pub fn of(inputs: Inputs, task: &[usize], values: &[f64], tasks: usize) -> Result<Self> {
        let n = inputs.nrows();
        for (what, given) in [("task", task.len()), ("values", values.len())] {
            if given != n {
                return Err(Error::shape(what, format!("{n} rows as in the inputs"), given));
            }
        }
        let pairs = Mat::from_fn(n, 2, |i, k| if k == 0 { task[i] as f64 } else { values[i] });
        Tasks::new(Table::of(inputs, pairs)?, tasks)
    }

    /// The same rows with a weight each.
    pub fn weighted(self, weights: Vec<f64>) -> Result<Self> {
        Ok(Tasks { rows: self.rows.weighted(Weights::Row(weights))?, ..self })
    }

    /// The same rows, delivered in batches of `rows`.
    pub fn batched(self, rows: usize) -> Self {
        Tasks { rows: self.rows.batched(rows), ..self }
    }
}

impl<R: Rows> Tasks<R> {
    /// Long rows from rows whose two outputs are the number of a task, below `tasks`, and its value.
    pub fn new(rows: R, tasks: usize) -> Result<Self> {
        if rows.outputs() != 2 {
            return Err(Error::shape("long rows", "two outputs, the task and its value", rows.outputs()));
        }
        if tasks == 0 {
            return Err(Error::Data("no tasks: long rows need at least one".into()));
        }
        Ok(Tasks { rows, tasks })
    }
}

impl<R: Rows> Rows for Tasks<R> {
    fn inputs(&self) -> usize {
        self.rows.inputs()
    }

    fn outputs(&self) -> usize {
        self.tasks
    }

    fn batches(&self) -> Result<Batches<'_>> {
        let step = (WIDE / self.tasks).max(1);
        let mut source = self.rows.batches()?;
        // the batch at hand, how much of it was delivered, and the rows before it
        let (mut batch, mut at, mut before): (Option<Batch>, usize, usize) = (None, 0, 0);
        let wide = std::iter::from_fn(move || {
            loop {
                if let Some(long) = &batch {
                    let n = long.inputs.nrows();
                    if at < n {
                        let to = (at + step).min(n);
                        let piece = widen(&long.slice(at, to), self.tasks, before + at);
                        at = to;
                        return Some(piece);
                    }
                    (at, before) = (0, before + n);
                }
                batch = None;
                match source.next()? {
                    Err(error) => return Some(Err(error)),
                    Ok(next) => batch = Some(next),
                }
            }
        });
        Ok(Box::new(wide))
    }

    fn rereadable(&self) -> bool {
        self.rows.rereadable()
    }

    fn single(&self) -> bool {
        self.rows.single()
    }

    fn pairs(&self) -> Option<&dyn Rows> {
        Some(&self.rows)
    }
}

/// The task and the value of row i of long rows; `first` is the number of rows before them, for messages.
pub(crate) fn pair(batch: &Batch, i: usize, tasks: usize, first: usize) -> Result<(usize, f64)> {
    let (task, value) = (batch.outputs[(i, 0)], batch.outputs[(i, 1)]);
    let bad = |column: &str, value: f64, problem: String| {
        Err(Error::Value { row: first + i + 1, column: column.into(), value: value.to_string(), problem })
    };
    if !(task >= 0.0 && task < tasks as f64 && task.fract() == 0.0) {
        return bad("task", task, format!("is not the number of a task (a whole number from 0 to {})", tasks - 1));
    }
    if value.is_infinite() {
        return bad("output", value, "is not a finite number (a missing output is NaN)".into());
    }
    Ok((task as usize, value))
}

/// Long rows with a column for each task, NaN where it was not observed.
pub(crate) fn widen(batch: &Batch, tasks: usize, first: usize) -> Result<Batch> {
    let n = batch.inputs.nrows();
    let mut outputs = Mat::full(n, tasks, f64::NAN);
    let mut entry = match &batch.weights {
        Some(Weights::Entry(_)) => Mat::zeros(n, tasks),
        _ => Mat::new(),
    };
    for i in 0..n {
        let (task, value) = pair(batch, i, tasks, first)?;
        outputs[(i, task)] = value;
        if let Some(Weights::Entry(w)) = &batch.weights {
            entry[(i, task)] = w[(i, 1)];
        }
    }
    let weights = match &batch.weights {
        Some(Weights::Entry(_)) => Some(Weights::Entry(entry)),
        other => other.clone(),
    };
    Ok(Batch { inputs: batch.inputs.clone(), outputs, weights })
}
