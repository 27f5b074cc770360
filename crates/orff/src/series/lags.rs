//! From a series to rows of a regression: what came before, and what follows.

use super::whiteness::complete;
use super::{Member, Series};
use crate::error::{Error, Result};
use crate::linalg;
use faer::Mat;
use serde::{Deserialize, Serialize};

/// How far a model looks back, and how far ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lags {
    /// m: rows before.
    pub order: usize,
    /// h: rows that follow, predicted at once.
    pub ahead: usize,
}

/// A table of a member.
type Of = fn(&Member) -> &Mat<f64>;

/// The rows of a regression, in the order of time. \[lags\]
pub struct Transitions {
    /// x: y_{t−1}, …, y_{t−m}, then u_t, …, u_{t+h−1} (n×(mp + he)).
    pub inputs: Mat<f64>,
    /// y_t, …, y_{t+h−1} (n×hp).
    pub outputs: Mat<f64>,
    /// The time t of each.
    pub at: Vec<usize>,
    /// The number of its member.
    pub member: Vec<usize>,
    /// How many there would be without gaps.
    pub possible: usize,
}

impl Lags {
    /// Number of inputs for p variables and e others.
    pub fn inputs(&self, p: usize, e: usize) -> usize {
        self.order * p + self.ahead * e
    }

    /// The inputs from which the rows of a member from its own row t on are predicted, where they are all known.
    pub fn input(&self, member: &Member, t: usize) -> Option<Vec<f64>> {
        let (values, others) = (&member.values, &member.exogenous);
        if t < self.order || t > values.nrows() || (others.ncols() > 0 && t + self.ahead > others.nrows()) {
            return None;
        }
        let lags = (1..=self.order).flat_map(|k| values.row(t - k).iter().copied());
        let known = (0..self.ahead).flat_map(|k| {
            let row = (others.ncols() > 0).then(|| others.row(t + k));
            row.into_iter().flat_map(|row| row.iter().copied())
        });
        let x: Vec<f64> = lags.chain(known).collect();
        x.iter().all(|v| v.is_finite()).then_some(x)
    }

    /// Every pair of what came before and what follows; those with a gap in them are left out.
    /// Time and memory n·(mp + he + hp).
    pub fn transitions(&self, series: &Series) -> Result<Transitions> {
        let span = self.order + self.ahead;
        let longest = series.members.iter().map(|m| m.values.nrows()).max().unwrap_or(0);
        if span > longest {
            let expected = format!("order and rows ahead of together at most the length of the series ({longest})");
            return Err(Error::parameter("order", expected, format!("{} and {}", self.order, self.ahead)));
        }
        let (mut places, mut possible): (Vec<(usize, usize, usize)>, usize) = (Vec::with_capacity(longest), 0);
        let mut whole = false; // somewhere the series itself is
        for (j, member) in series.members.iter().enumerate() {
            possible += (member.values.nrows() + 1).saturating_sub(span);
            let known = complete(&member.values).into_iter().zip(complete(&member.exogenous));
            // rows without a break, up to the last one that is predicted
            let (mut own, mut others) = (0, 0);
            for (end, (value, other)) in (1..).zip(known) {
                own = if value { own + 1 } else { 0 };
                others = if other { others + 1 } else { 0 };
                whole |= own >= span;
                if own >= span && others >= self.ahead {
                    places.push((member.first + end - self.ahead, j, end - self.ahead));
                }
            }
        }
        places.sort_unstable();
        if places.is_empty() {
            let how = "fill in the gaps, or lower the order";
            if whole {
                return Err(Error::Data(format!(
                    "exogenous: no value beside {span} rows that follow each other: {how}"
                )));
            }
            return Err(Error::Data(format!("no {span} consecutive rows of the series are complete: {how}")));
        }
        // rows that follow each other in a member are copied at once
        let runs: Vec<&[_]> = places.chunk_by(|a, b| a.1 == b.1 && a.2 + 1 == b.2).collect();
        let lagged = |columns: Vec<(Of, usize, isize)>| {
            let mut out = Mat::zeros(places.len(), columns.len());
            for (k, (of, v, by)) in columns.into_iter().enumerate() {
                let from: Vec<_> = series.members.iter().map(|m| linalg::column(of(m).as_ref(), v)).collect();
                let mut to = linalg::column_mut(out.as_mut(), k);
                for run in &runs {
                    let ((_, j, t), some) = (run[0], to.split_off_mut(..run.len()).expect("a row for each place"));
                    let first = t.wrapping_add_signed(by);
                    some.copy_from_slice(&from[j][first..first + run.len()]);
                }
            }
            out
        };
        let (y, u): (Of, Of) = (|m| &m.values, |m| &m.exogenous);
        let (p, e) = (series.variables(), series.exogenous.len());
        let before = (1..=self.order).flat_map(|k| (0..p).map(move |v| (y, v, -(k as isize))));
        let known = (0..self.ahead).flat_map(|k| (0..e).map(move |v| (u, v, k as isize)));
        let after = (0..self.ahead).flat_map(|k| (0..p).map(move |v| (y, v, k as isize)));
        let (inputs, outputs) = rayon::join(|| lagged(before.chain(known).collect()), || lagged(after.collect()));
        let (at, member) = places.iter().map(|&(time, j, _)| (time, j)).unzip();
        Ok(Transitions { inputs, outputs, at, member, possible })
    }

    /// The rows whose inputs and outputs all lie within the times from..to: a range.
    pub(crate) fn window(&self, rows: &Transitions, from: usize, to: usize) -> std::ops::Range<usize> {
        rows.between(from + self.order, (to + 1).saturating_sub(self.ahead))
    }

    /// An error that speaks of an input or an output of p variables and e known beside them, by what was given.
    pub(crate) fn told(&self, error: Error, (p, e): (usize, usize)) -> Error {
        let Error::Data(sentence) = &error else { return error };
        let Some((column, rest)) = sentence.split_once(": ") else { return error };
        let number = |k: &str| k.parse::<usize>().ok().and_then(|k| k.checked_sub(1));
        let own = match column.split_once(' ').map(|(what, k)| (what, number(k))) {
            Some(("input", Some(k))) if k >= self.order * p => {
                format!("exogenous {}", (k - self.order * p) % e.max(1) + 1)
            }
            Some(("input" | "output", Some(k))) => format!("variable {}", k % p + 1),
            _ => return error,
        };
        Error::Data(format!("{own}: {rest}"))
    }

    /// Names of the inputs: `y1[-1]`, …, and `u1[+0]`, ….
    pub fn names(&self, variables: &[String], exogenous: &[String]) -> Vec<String> {
        let lags = (1..=self.order).flat_map(|k| variables.iter().map(move |name| format!("{name}[-{k}]")));
        let known = (0..self.ahead).flat_map(|k| exogenous.iter().map(move |name| format!("{name}[+{k}]")));
        lags.chain(known).collect()
    }

    /// Names of the outputs: those of the variables, with the step where several are predicted at once.
    pub fn output_names(&self, variables: &[String]) -> Vec<String> {
        if self.ahead == 1 {
            return variables.to_vec();
        }
        (1..=self.ahead).flat_map(|k| variables.iter().map(move |name| format!("{name}[+{k}]"))).collect()
    }
}

impl Transitions {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.at.len()
    }

    /// The rows that predict the times from..to: a range.
    pub fn between(&self, from: usize, to: usize) -> std::ops::Range<usize> {
        self.at.partition_point(|&t| t < from)..self.at.partition_point(|&t| t < to.max(from))
    }

    /// Keeps the rows that predict the same times of the same members as others do.
    pub(crate) fn keep(&mut self, others: &Transitions) {
        let known: std::collections::HashSet<(usize, usize)> =
            others.at.iter().copied().zip(others.member.iter().copied()).collect();
        let kept: Vec<usize> = (0..self.rows()).filter(|&i| known.contains(&(self.at[i], self.member[i]))).collect();
        let some = |m: &Mat<f64>| Mat::from_fn(kept.len(), m.ncols(), |i, k| m[(kept[i], k)]);
        (self.inputs, self.outputs) = (some(&self.inputs), some(&self.outputs));
        self.at = kept.iter().map(|&i| self.at[i]).collect();
        self.member = kept.iter().map(|&i| self.member[i]).collect();
    }
}
