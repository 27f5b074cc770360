//! From the times of rows to their places in an evenly spaced series.

use crate::error::{Error, Result};

/// Times of rows and the step between them.
pub(super) struct Clock<'a> {
    times: &'a [f64],
    start: f64,
    step: f64,
}

impl<'a> Clock<'a> {
    /// The median distance of consecutive rows is the step: months of 28 and 31 days follow each other, and so do
    /// quarters. Times must grow within each member.
    pub fn of(times: &'a [f64], members: &[(String, Vec<usize>)]) -> Result<Self> {
        let bad = |row: usize, problem: String| {
            Err(Error::Value { row: row + 1, column: "time".into(), value: times[row].to_string(), problem })
        };
        if let Some(row) = times.iter().position(|t| !t.is_finite()) {
            return bad(row, "is not a time (every row needs one)".into());
        }
        let mut steps = Vec::new();
        for (name, rows) in members {
            for pair in rows.windows(2) {
                let step = times[pair[1]] - times[pair[0]];
                if step <= 0.0 {
                    let of = if name.is_empty() { String::new() } else { format!(" of {name}") };
                    let how = "sort the rows by time, and keep one of those with equal times";
                    let before = pair[0] + 1;
                    return bad(
                        pair[1],
                        format!("does not come after the time of row {before}, the one before{of}: {how}"),
                    );
                }
                steps.push(step);
            }
        }
        steps.sort_by(f64::total_cmp);
        let step = steps.get(steps.len() / 2).copied().unwrap_or(1.0);
        let start = times.iter().copied().fold(f64::INFINITY, f64::min);
        Ok(Clock { times, start, step })
    }

    /// The places of some rows: one after the other, except where times jump by a step and a half or more.
    pub fn places(&self, rows: &[usize]) -> Result<Vec<usize>> {
        let steps = |from: f64, to: f64| ((to - from) / self.step).round();
        let mut at = steps(self.start, self.times[rows[0]]);
        let mut places = vec![place(at)?];
        for pair in rows.windows(2) {
            let (before, now) = (self.times[pair[0]], self.times[pair[1]]);
            if now - before < 0.5 * self.step {
                return Err(Error::Value {
                    row: pair[1] + 1,
                    column: "time".into(),
                    value: now.to_string(),
                    problem: format!(
                        "is less than half a step after the time of row {}: resample the rows evenly",
                        pair[0] + 1
                    ),
                });
            }
            at += steps(before, now).max(1.0);
            places.push(place(at)?);
        }
        Ok(places)
    }
}

fn place(at: f64) -> Result<usize> {
    if at < 1e15 {
        return Ok(at as usize);
    }
    Err(Error::Data(
        "time: the times of the rows are too far apart for their distances (look for wrong entries)".into(),
    ))
}
