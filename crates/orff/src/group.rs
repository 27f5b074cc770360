//! Groups and their charts: on each group here a character is exp(i⟨χ(x), ω⟩). \[group\]

use crate::error::{Error, Result};
use crate::params::Form;
use faer::Mat;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// The group on which a kernel is shift-invariant, by its chart χ. Written `additive`, `multiplicative`, `skewed(c)` or
/// `skewed(c1, c2, …)`.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Group {
    /// (R^d, +): χ(x) = x.
    #[default]
    Additive,
    /// (R₊^d, ·): χ(x) = log x, for x > 0.
    Multiplicative,
    /// ((−c, ∞)^d, ⊙): χ(x) = log(x + c), for x > −c; one c, or one per input.
    Skewed { c: Vec<f64> },
}

impl FromStr for Group {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::parameter("group", Group::FORM.expected, format!("{text:?}"));
        match text.trim() {
            "additive" => Ok(Group::Additive),
            "multiplicative" => Ok(Group::Multiplicative),
            skewed => {
                let list = skewed.strip_prefix("skewed(").and_then(|t| t.strip_suffix(')')).ok_or_else(wrong)?;
                let c: Vec<f64> =
                    list.split(',').map(|t| t.trim().parse()).collect::<Result<_, _>>().map_err(|_| wrong())?;
                if c.iter().all(|c| c.is_finite()) { Ok(Group::Skewed { c }) } else { Err(wrong()) }
            }
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Group::Skewed { c } => {
                let c: Vec<String> = c.iter().map(f64::to_string).collect();
                write!(f, "skewed({})", c.join(", "))
            }
            other => f.write_str(other.name()),
        }
    }
}

impl Serialize for Group {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Group {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
    }
}

impl Group {
    /// How it is written.
    pub const FORM: Form = Form {
        name: "GROUP",
        expected: "additive, multiplicative, skewed(c) or skewed(c1, c2, …)",
        words: &["additive", "multiplicative", "skewed(c)"],
        fits: |text| text.parse::<Group>().is_ok(),
        wrong: &["subtractive", "skewed", "skewed(inf)", "skewed(1, x)"],
        optional: false,
    };

    /// Checks the group's own parameters against d inputs.
    pub fn check(&self, d: usize) -> Result<()> {
        if let Group::Skewed { c } = self {
            if c.len() != 1 && c.len() != d {
                return Err(Error::shape("c of the skewed group", format!("one number or {d}"), c.len()));
            }
            if let Some(bad) = c.iter().find(|c| !c.is_finite()) {
                return Err(Error::parameter("c of the skewed group", "finite numbers", bad));
            }
        }
        Ok(())
    }

    /// Whether χ is the identity.
    pub fn is_additive(&self) -> bool {
        matches!(self, Group::Additive)
    }

    fn shift(&self, k: usize) -> f64 {
        match self {
            Group::Skewed { c } => c[k % c.len()],
            _ => 0.0,
        }
    }

    /// χ(x) of one coordinate; None outside the domain.
    ///
    /// ```
    /// use orff::group::Group;
    /// let g = Group::Multiplicative;
    /// // a homomorphism: χ(x·z) = χ(x) + χ(z)
    /// let (x, z): (f64, f64) = (0.3, 7.0);
    /// assert!((g.chart(0, x * z).unwrap() - g.chart(0, x).unwrap() - g.chart(0, z).unwrap()).abs() < 1e-15);
    /// assert_eq!(g.chart(0, -1.0), None);
    /// ```
    pub fn chart(&self, k: usize, x: f64) -> Option<f64> {
        match self {
            Group::Additive => Some(x),
            _ => {
                let y = x + self.shift(k);
                (y > 0.0).then(|| libm::log(y))
            }
        }
    }

    /// χ′(x) of one coordinate, for chain rules.
    pub fn derivative(&self, k: usize, x: f64) -> f64 {
        match self {
            Group::Additive => 1.0,
            _ => 1.0 / (x + self.shift(k)),
        }
    }

    /// χ of each row of x (n×d), in place; `first_row` numbers the rows in errors (from 1).
    pub fn chart_rows(&self, x: &mut Mat<f64>, first_row: usize) -> Result<()> {
        if self.is_additive() {
            return Ok(());
        }
        for k in 0..x.ncols() {
            for i in 0..x.nrows() {
                let value = x[(i, k)];
                x[(i, k)] = self.chart(k, value).ok_or_else(|| Error::Value {
                    row: first_row + i,
                    column: (k + 1).to_string(),
                    value: value.to_string(),
                    problem: format!(
                        "is outside the domain of the {} group (x > {})",
                        self.name(),
                        0.0 - self.shift(k)
                    ),
                })?;
            }
        }
        Ok(())
    }

    /// The point of each row of charts (n×d), in place: the inverse of [`chart_rows`](Self::chart_rows).
    pub fn restore_rows(&self, x: &mut Mat<f64>) {
        if self.is_additive() {
            return;
        }
        for k in 0..x.ncols() {
            let shift = self.shift(k);
            x.col_mut(k).iter_mut().for_each(|v| *v = libm::exp(*v) - shift);
        }
    }

    /// The group's name.
    pub fn name(&self) -> &'static str {
        match self {
            Group::Additive => "additive",
            Group::Multiplicative => "multiplicative",
            Group::Skewed { .. } => "skewed",
        }
    }
}
