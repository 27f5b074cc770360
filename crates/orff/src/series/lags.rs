//! From a series to rows of a regression: what came before, and what follows.

use super::{Member, Series};
use crate::error::{Error, Result};
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

    fn target(&self, member: &Member, t: usize) -> Option<Vec<f64>> {
        let y: Vec<f64> = (t..t + self.ahead).flat_map(|i| member.values.row(i).iter().copied()).collect();
        y.iter().all(|v| v.is_finite()).then_some(y)
    }

    /// Every pair of what came before and what follows; those with a gap in them are left out.
    /// Memory n·(mp + he + hp).
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
        let (mut x, mut y, mut at, mut of) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (time, j, t) in places {
            let member = &series.members[j];
            if let (Some(input), Some(target)) = (self.input(member, t), self.target(member, t)) {
                x.push(input);
                y.push(target);
                at.push(time);
                of.push(j);
            }
        }
        if x.is_empty() {
            let how = "fill in the gaps, or lower the order";
            return Err(Error::Data(format!("no {span} consecutive rows of the series are complete: {how}")));
        }
        let (p, e) = (series.variables(), series.exogenous.len());
        let inputs = Mat::from_fn(x.len(), self.inputs(p, e), |i, k| x[i][k]);
        let outputs = Mat::from_fn(y.len(), self.ahead * p, |i, k| y[i][k]);
        Ok(Transitions { inputs, outputs, at, member: of, possible })
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
