//! The best cut of a cell along one input. \[one-class-split\]

use super::Impurity;

/// A side that is thinner than this part of its cell is rounding, not a side.
const THINNEST: f64 = 1e-12;

/// A cut of a cell: rows below the threshold go left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// The threshold.
    pub threshold: f64,
    /// Impurity of both sides together.
    pub impurity: f64,
}

/// The cut that leaves the least impurity, of n rows with the ascending `values` in a cell from `lower` to `upper` along this
/// input, in which m outliers are spread evenly. None where all values are equal, or no cut leaves less than there is.
///
/// While the threshold moves between two neighbouring values only the outliers of both sides change, and the impurity is a
/// concave function of them: it is least at one end of the gap. So the minimum over all thresholds is one over 2n of them, with
/// `margins` also those that leave a side empty. Time n.
///
/// ```
/// use orff::forest::{Impurity, best_cut};
/// // three rows close together in a wide cell: what is beyond them is cut off, just above the last
/// let cut = best_cut(&[1.0, 1.5, 2.0], (1.0, 100.0), 3.0, Impurity::Gini, true).unwrap();
/// assert!(cut.threshold > 2.0 && cut.threshold < 2.0 + 1e-9);
/// assert!((cut.impurity - Impurity::Gini.of(3.0, 3.0 / 99.0)).abs() < 1e-12);
/// ```
pub fn best_cut(
    values: &[f64],
    (lower, upper): (f64, f64),
    outliers: f64,
    impurity: Impurity,
    margins: bool,
) -> Option<Cut> {
    let n = values.len();
    let (first, last) = (*values.first()?, *values.last()?);
    let width = upper - lower;
    // the second is also false for widths that are not numbers
    if first >= last || !(width > 0.0 && width.is_finite()) {
        return None;
    }
    let mut best = Cut { threshold: f64::NAN, impurity: impurity.of(n as f64, outliers) };
    let mut consider = |left: usize, at: f64, threshold: f64| {
        let share = (at - lower) / width;
        if share > THINNEST && share < 1.0 - THINNEST {
            let right = (n - left) as f64;
            let found = impurity.of(left as f64, outliers * share) + impurity.of(right, outliers * (1.0 - share));
            if found < best.impurity {
                best = Cut { threshold, impurity: found };
            }
        }
    };
    if margins {
        consider(0, first, first);
        consider(n, last, last.next_up());
    }
    for i in 1..n {
        let (below, above) = (values[i - 1], values[i]);
        if below < above {
            consider(i, below, below.next_up());
            consider(i, above, above);
        }
    }
    (!best.threshold.is_nan()).then_some(best)
}
