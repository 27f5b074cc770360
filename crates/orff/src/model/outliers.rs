//! Outliers: what the score of a model says of them.

use super::{Model, Query};
use crate::error::{Error, Result};
use crate::rows::Inputs;
use serde::{Deserialize, Serialize};

/// Which rows are outliers: those whose score is below the offset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outliers {
    /// The offset.
    pub offset: f64,
    /// The column that said of the training rows what they are, if there was one; it was not learned from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The labels of outliers in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

impl Outliers {
    /// Whether a label is one of outliers; numbers are compared as numbers.
    ///
    /// ```
    /// let outliers = orff::model::Outliers { labels: vec!["1".into(), "bad".into()], ..Default::default() };
    /// assert!(outliers.has("1.0") && outliers.has("bad") && !outliers.has("0"));
    /// ```
    pub fn has(&self, label: &str) -> bool {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let same = |own: &String| own == label || (number(own).is_some() && number(own) == number(label));
        self.labels.iter().any(same)
    }
}

impl Model {
    /// What a model of outliers knows of them.
    pub fn outliers(&self) -> Result<&Outliers> {
        self.info.outliers.as_ref().ok_or_else(|| {
            Error::refused("outliers of this model", "it predicts outputs; fit one with orff fit one-class")
        })
    }

    /// How usual each of n rows is; those below the offset are outliers.
    pub fn normality(&self, x: &Inputs) -> Result<Vec<f64>> {
        self.outliers()?;
        Ok(self.predict(x, Query::default())?.mean.col(0).iter().copied().collect())
    }
}
