//! Series: rows in the order of time, of one thing or of several that follow the same law (a panel).

mod clock;
mod lags;
mod whiteness;

pub use lags::{Lags, Transitions};
pub use whiteness::Whiteness;
pub(crate) use whiteness::covariance;

use crate::error::{Error, Result};
use crate::linalg;
use faer::Mat;

/// The rows of one member of a panel, evenly spaced in time; NaN where nothing was observed.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Time of its first row, in rows after the first row of the panel.
    pub first: usize,
    /// y (n×p).
    pub values: Mat<f64>,
    /// u (n×e): what is known beside the series, also of rows to come.
    pub exogenous: Mat<f64>,
}

/// One or several series of the same p variables.
///
/// ```
/// use orff::series::Series;
/// let values = faer::Mat::from_fn(50, 2, |i, t| (i as f64 / 5.0 + t as f64).sin());
/// let series = Series::new(values)?;
/// assert_eq!((series.variables(), series.length()), (2, 50));
/// # Ok::<(), orff::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Names of the variables (p).
    pub names: Vec<String>,
    /// Names of what is known beside them (e).
    pub exogenous: Vec<String>,
    /// The members; one unless it is a panel.
    pub members: Vec<Member>,
    /// Rows that were not there: gaps between the times of rows.
    pub filled: usize,
    /// The member of each row of the table it was made of, and its row within that member.
    pub places: Vec<(usize, usize)>,
}

/// Rows of a table and what they mean, in the order they stand in.
pub struct Given<'a> {
    /// n×p.
    pub values: Mat<f64>,
    /// n×e.
    pub exogenous: Mat<f64>,
    /// Time of each row; rows follow each other without gaps if there is none.
    pub times: Option<&'a [f64]>,
    /// Name of the member of each row.
    pub members: Option<&'a [String]>,
}

impl Series {
    /// One series (n×p), one row after the other.
    pub fn new(values: Mat<f64>) -> Result<Self> {
        let exogenous = Mat::zeros(values.nrows(), 0);
        Series::of(Given { values, exogenous, times: None, members: None })
    }

    /// The series of a table. Times must grow within each member; where they jump, the rows between are missing.
    pub fn of(given: Given) -> Result<Self> {
        let Given { mut values, mut exogenous, times, members } = given;
        let (n, p, e) = (values.nrows(), values.ncols(), exogenous.ncols());
        if n == 0 || p == 0 {
            return Err(Error::Data("a series needs rows, and a variable at least".into()));
        }
        for (what, rows) in [("exogenous", exogenous.nrows()), ("times", times.map_or(n, <[_]>::len))] {
            if rows != n {
                return Err(Error::shape(what, format!("{n} rows as in the series"), rows));
            }
        }
        if let Some(members) = members.filter(|m| m.len() != n) {
            return Err(Error::shape("members", format!("{n} rows as in the series"), members.len()));
        }
        finite(&values, "variable")?;
        finite(&exogenous, "exogenous")?;
        let of = grouped(n, members);
        let clock = times.map(|times| clock::Clock::of(times, &of)).transpose()?;
        let (mut all, mut filled, mut placed) = (Vec::new(), 0, vec![(0, 0); n]);
        for (name, rows) in of {
            let places = match &clock {
                None => (0..rows.len()).collect(),
                Some(clock) => clock.places(&rows)?,
            };
            let (first, last) = (places[0], places[places.len() - 1]);
            let length = last - first + 1;
            filled += length - rows.len();
            if filled > 10 * n + 1000 {
                let how = "their times are not evenly spaced (resample them, or number the rows)";
                return Err(Error::Data(format!("more rows are missing between the rows than there are: {how}")));
            }
            let fill = |from: &Mat<f64>| {
                let mut to = Mat::full(length, from.ncols(), f64::NAN);
                for (mut to, from) in to.col_iter_mut().zip(from.col_iter()) {
                    rows.iter().zip(&places).for_each(|(&row, place)| to[place - first] = from[row]);
                }
                to
            };
            // all rows, none missing: as they are
            let (y, u) = match rows.len() == n && length == n {
                true => (std::mem::replace(&mut values, Mat::new()), std::mem::replace(&mut exogenous, Mat::new())),
                false => (fill(&values), fill(&exogenous)),
            };
            rows.iter().zip(&places).for_each(|(&row, place)| placed[row] = (all.len(), place - first));
            all.push(Member { name, first, values: y, exogenous: u });
        }
        let names = (1..=p).map(|t| format!("y{t}")).collect();
        let exogenous = (1..=e).map(|k| format!("u{k}")).collect();
        Ok(Series { names, exogenous, members: all, filled, places: placed })
    }

    /// Number of variables p.
    pub fn variables(&self) -> usize {
        self.names.len()
    }

    /// Number of times from the first row of any member to the last.
    pub fn length(&self) -> usize {
        self.members.iter().map(|m| m.first + m.values.nrows()).max().unwrap_or(0)
    }

    /// Mean and standard deviation of each variable of each member before a time (two of members×p); 0 and 1 for a
    /// member without two different values there.
    pub fn moments_before(&self, end: usize) -> (Mat<f64>, Mat<f64>) {
        let (k, p) = (self.members.len(), self.variables());
        let (mut centre, mut spread) = (Mat::zeros(k, p), Mat::full(k, p, 1.0));
        for (j, member) in self.members.iter().enumerate() {
            let rows = end.saturating_sub(member.first).min(member.values.nrows());
            for t in 0..p {
                let seen = || (0..rows).map(|i| member.values[(i, t)]).filter(|v| v.is_finite());
                let n = seen().count() as f64;
                if n == 0.0 {
                    continue;
                }
                let mean = seen().sum::<f64>() / n;
                let sd = (seen().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt();
                centre[(j, t)] = mean;
                if sd > 1e-12 * mean.abs() {
                    spread[(j, t)] = sd;
                }
            }
        }
        (centre, spread)
    }

    /// (y − centre)/spread, each member by its own (members×p).
    pub fn standardised(&self, centre: &Mat<f64>, spread: &Mat<f64>) -> Series {
        let mut series = self.clone();
        for (j, member) in series.members.iter_mut().enumerate() {
            for t in 0..member.values.ncols() {
                let (c, s) = (centre[(j, t)], spread[(j, t)]);
                member.values.col_mut(t).iter_mut().for_each(|v| *v = (*v - c) / s);
            }
        }
        series
    }

    /// Variables that never change.
    pub fn constant(&self) -> Vec<&str> {
        let varies = |t: usize| {
            let mut seen = self.members.iter().flat_map(|m| m.values.col(t).iter()).filter(|v| v.is_finite());
            let first = seen.next();
            first.is_some_and(|first| seen.any(|v| v != first))
        };
        (0..self.variables()).filter(|&t| !varies(t)).map(|t| self.names[t].as_str()).collect()
    }
}

/// The rows of each member, members in the order in which they come.
fn grouped(n: usize, members: Option<&[String]>) -> Vec<(String, Vec<usize>)> {
    let Some(members) = members else { return vec![(String::new(), (0..n).collect())] };
    let mut of: Vec<(String, Vec<usize>)> = Vec::new();
    let mut known = std::collections::HashMap::new();
    for (row, name) in members.iter().enumerate() {
        let at = *known.entry(name).or_insert(of.len());
        if at == of.len() {
            of.push((name.clone(), Vec::new()));
        }
        of[at].1.push(row);
    }
    of
}

/// Squares of numbers up to this are finite.
const LARGEST: f64 = 1e150;

fn finite(values: &Mat<f64>, what: &str) -> Result<()> {
    for k in 0..values.ncols() {
        if let Some(i) = linalg::column(values.as_ref(), k).iter().position(|v| v.abs() > LARGEST) {
            let problem = match values[(i, k)].is_infinite() {
                true => "is not a finite number (NaN is a value that was not observed)",
                false => "is too large for floating-point numbers; look for wrong entries, or change its unit",
            };
            return Err(Error::Value {
                row: i + 1,
                column: format!("{what} {}", k + 1),
                value: values[(i, k)].to_string(),
                problem: problem.into(),
            });
        }
    }
    Ok(())
}
