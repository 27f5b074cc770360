//! From a series to rows of a regression: what came before, and what follows.

use super::whiteness::complete;
use super::{Member, Series};
use crate::error::{Error, Result};
use faer::{ColRef, Mat};
use serde::{Deserialize, Serialize};

/// How far a model looks back, and how far ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lags {
    /// m: rows before.
    pub order: usize,
    /// h: rows that follow, predicted at once.
    pub ahead: usize,
}

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
        let mut places: Vec<(usize, usize, usize)> = Vec::new();
        for (j, member) in series.members.iter().enumerate() {
            let ends = (member.values.nrows() + 1).saturating_sub(self.ahead);
            places.extend((self.order..ends).map(|t| (member.first + t, j, t)));
        }
        places.sort_unstable();
        let possible = places.len();
        let known: Vec<Known> = series.members.iter().map(Known::of).collect();
        places.retain(|&(_, j, t)| known[j].all(t - self.order, t + self.ahead, t));
        if places.is_empty() {
            let how = "fill in the gaps, or lower the order";
            let whole = |known: &Known| (span..known.values.len()).any(|to| known.values[to] >= span);
            if known.iter().any(whole) {
                return Err(Error::Data(format!(
                    "exogenous: no value beside {span} rows that follow each other: {how}"
                )));
            }
            return Err(Error::Data(format!("no {span} consecutive rows of the series are complete: {how}")));
        }
        let (p, e, n) = (series.variables(), series.exogenous.len(), places.len());
        let (mut inputs, mut outputs) = (Mat::zeros(n, self.inputs(p, e)), Mat::zeros(n, self.ahead * p));
        // column by column, as matrices lie in memory
        let fill = |out: &mut Mat<f64>, column: usize, of: &[ColRef<'_, f64>], by: isize| {
            for (out, &(_, j, t)) in out.col_mut(column).iter_mut().zip(&places) {
                *out = of[j][t.wrapping_add_signed(by)];
            }
        };
        for v in 0..p {
            let of: Vec<_> = series.members.iter().map(|member| member.values.col(v)).collect();
            (1..=self.order).for_each(|k| fill(&mut inputs, (k - 1) * p + v, &of, -(k as isize)));
            (0..self.ahead).for_each(|k| fill(&mut outputs, k * p + v, &of, k as isize));
        }
        for v in 0..e {
            let of: Vec<_> = series.members.iter().map(|member| member.exogenous.col(v)).collect();
            (0..self.ahead).for_each(|k| fill(&mut inputs, self.order * p + k * e + v, &of, k as isize));
        }
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

/// How many rows of a member before each one are complete, without a break: of the series, and of what is known beside it.
struct Known {
    values: Vec<usize>,
    exogenous: Vec<usize>,
}

impl Known {
    fn of(member: &Member) -> Self {
        let runs = |m: &Mat<f64>| {
            let mut runs = vec![0];
            complete(m).into_iter().for_each(|known| runs.push(if known { runs[runs.len() - 1] + 1 } else { 0 }));
            runs
        };
        Known { values: runs(&member.values), exogenous: runs(&member.exogenous) }
    }

    /// Whether the rows from..to of the series are complete, and those of others from..to.
    fn all(&self, from: usize, to: usize, others: usize) -> bool {
        self.values[to] >= to - from && self.exogenous[to] >= to - others
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
