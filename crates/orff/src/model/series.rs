//! What a model of a series knows beside its function: how far it looks back, what its residuals were, where it ended.

use super::{Info, Model};
use crate::archive::{Archive, Reader};
use crate::error::{Error, Result};
use crate::params::said;
use crate::series::{Lags, Whiteness};
use faer::Mat;
use serde::{Deserialize, Serialize};

/// The part of a model that makes forecasts of its predictions.
#[derive(Clone, Debug, PartialEq)]
pub struct Dynamics {
    /// How far back and ahead.
    pub lags: Lags,
    /// Names of the variables (p).
    pub names: Vec<String>,
    /// Names of what is known beside them (e).
    pub exogenous: Vec<String>,
    /// Names of the members of the panel (one without a name, when it is none).
    pub members: Vec<String>,
    /// The model sees (y − centre)/spread (two of members×p).
    pub centre: Mat<f64>,
    /// See `centre`.
    pub spread: Mat<f64>,
    /// Residuals of the last rows (r×hp), as the model sees them.
    pub residuals: Mat<f64>,
    /// The last m rows of each member (members·m×p), in the user's units; NaN where nothing was observed.
    pub tail: Mat<f64>,
    /// Middle of the values learned from, as the model sees them (p).
    pub middle: Vec<f64>,
    /// How far from it they were, at most (p).
    pub reach: Vec<f64>,
    /// What the residuals tell of each other.
    pub whiteness: Whiteness,
}

/// What the header says of it beside its tensors.
#[derive(Serialize, Deserialize)]
struct Header {
    lags: Lags,
    names: Vec<String>,
    exogenous: Vec<String>,
    members: Vec<String>,
    whiteness: Whiteness,
}

impl Dynamics {
    /// Number of variables p.
    pub fn variables(&self) -> usize {
        self.names.len()
    }

    /// The last rows of a member (m×p).
    pub fn ending(&self, member: usize) -> Mat<f64> {
        let m = self.lags.order;
        self.tail.subrows(member * m, m).to_owned()
    }

    /// The member of that name; the only one, where there is only one.
    pub fn member(&self, name: Option<&str>) -> Result<usize> {
        match name {
            None if self.members.len() == 1 => Ok(0),
            None => Err(Error::parameter("member", format!("one of {}", some(&self.members)), "none")),
            Some(name) => self.members.iter().position(|m| m == name).ok_or_else(|| {
                let expected = match self.members.as_slice() {
                    [only] if only.is_empty() => "none, as one series without members was learned from".into(),
                    all => format!("one that was learned from ({})", some(all)),
                };
                Error::parameter("member", expected, said(&name.into()))
            }),
        }
    }

    pub(super) fn header(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(Header {
            lags: self.lags,
            names: self.names.clone(),
            exogenous: self.exogenous.clone(),
            members: self.members.clone(),
            whiteness: self.whiteness.clone(),
        })
    }

    pub(super) fn store<'a>(&'a self, archive: &mut Archive<'a>) {
        let tensors = [("centre", &self.centre), ("spread", &self.spread), ("residuals", &self.residuals)];
        for (name, tensor) in tensors.into_iter().chain([("tail", &self.tail)]) {
            archive.put_mat(&format!("series.{name}"), tensor.as_ref());
        }
        archive.put_vec("series.middle", self.middle.as_slice());
        archive.put_vec("series.reach", self.reach.as_slice());
    }

    pub(super) fn restore(file: &Reader, info: &Info, (d, q): (usize, usize)) -> Result<Option<Box<Dynamics>>> {
        if file.header()["series"].is_null() {
            return Ok(None);
        }
        let Header { lags, names, exogenous, members, whiteness } = file.part("series")?;
        let (p, e, k) = (names.len(), exogenous.len(), members.len());
        let sizes = lags.order.checked_mul(p).zip(lags.ahead.checked_mul(e)).and_then(|(a, b)| a.checked_add(b));
        let agrees = lags.order > 0 && lags.ahead > 0 && k > 0 && sizes == Some(d);
        if !agrees || lags.ahead.checked_mul(p) != Some(q) || info.classes.is_some() {
            return Err(file.damaged("its lags are not those of its inputs and outputs; fit again or restore a copy"));
        }
        Ok(Some(Box::new(Dynamics {
            centre: file.mat("series.centre", Some(k), Some(p))?,
            spread: file.mat("series.spread", Some(k), Some(p))?,
            residuals: file.mat("series.residuals", None, Some(q))?,
            tail: file.mat("series.tail", k.checked_mul(lags.order), Some(p))?,
            middle: file.vec("series.middle", Some(p))?,
            reach: file.vec("series.reach", Some(p))?,
            lags,
            names,
            exogenous,
            members,
            whiteness,
        })))
    }
}

impl Model {
    /// The part of a model of a series.
    pub fn dynamics(&self) -> Result<&Dynamics> {
        self.series.as_deref().ok_or_else(|| {
            Error::refused("a forecast of this model", "it was not learned from a series; fit a model of series")
        })
    }
}

/// A list of names; the end of a long one is left out.
fn some(names: &[String]) -> String {
    let shown = names.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > 5 { format!("{shown}, … ({} in all)", names.len()) } else { shown }
}
