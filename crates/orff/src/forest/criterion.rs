//! The impurity of a cell that holds n rows and, in expectation, m outliers that nobody sees. \[one-class-split\]

use serde::{Deserialize, Serialize};

/// How mixed rows and hidden outliers are: a concave function of both, of degree one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Impurity {
    /// nm/(n + m).
    #[default]
    Gini,
    /// n log₂((n + m)/n) + m log₂((n + m)/m).
    Shannon,
}

/// How many outliers are thought to hide in a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hidden {
    /// γ for each row of the cell: always as many as there is something to tell them from.
    #[default]
    Adaptive,
    /// γ for each row of the tree, spread evenly over the box of all rows: soon none, where there are many inputs.
    Naive,
}

impl Impurity {
    /// The words of both.
    pub const NAMES: &'static [&'static str] = &["gini", "shannon"];

    /// The impurity of n rows and m outliers; 0 where there is only one kind. A split minimises the sum over both sides.
    ///
    /// ```
    /// use orff::forest::Impurity::{Gini, Shannon};
    /// assert_eq!((Gini.of(2.0, 2.0), Shannon.of(2.0, 2.0)), (1.0, 4.0));
    /// // cutting a cell in two never makes it more mixed
    /// assert!(Shannon.of(1.0, 3.0) + Shannon.of(4.0, 2.0) <= Shannon.of(5.0, 5.0));
    /// ```
    pub fn of(self, n: f64, m: f64) -> f64 {
        if n <= 0.0 || m <= 0.0 {
            return 0.0;
        }
        match self {
            Impurity::Gini => n * m / (n + m),
            Impurity::Shannon => n * libm::log2((n + m) / n) + m * libm::log2((n + m) / m),
        }
    }
}

impl Hidden {
    /// The words of both.
    pub const NAMES: &'static [&'static str] = &["adaptive", "naive"];
}

/// What makes a split a good one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Criterion {
    /// The measure of impurity.
    pub impurity: Impurity,
    /// How many outliers hide in a cell.
    pub hidden: Hidden,
    /// γ > 0, hidden outliers per row.
    pub gamma: f64,
}

impl Criterion {
    /// Outliers in a cell of n rows that has the share e^`log_volume` of the box of all rows; the tree has `sample` rows.
    pub fn outliers(&self, n: usize, sample: usize, log_volume: f64) -> f64 {
        match self.hidden {
            Hidden::Adaptive => self.gamma * n as f64,
            Hidden::Naive => self.gamma * sample as f64 * libm::exp(log_volume),
        }
    }
}
