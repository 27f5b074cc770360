//! How well scores put outliers before other rows. \[ranking\]

use serde::{Deserialize, Serialize};

/// Gathers scores of rows that are outliers and of rows that are none.
///
/// ```
/// use orff::metric::Ranking;
/// let mut ranking = Ranking::default();
/// for (score, outlier) in [(0.1, true), (0.4, true), (0.35, false), (0.8, false)] {
///     ranking.add(score, outlier, score < 0.2);
/// }
/// let found = ranking.overall();
/// assert_eq!((found.roc_auc, found.recall), (Some(0.75), Some(0.5)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    /// Score (larger is more usual), whether the row is an outlier, whether it was taken for one.
    rows: Vec<(f64, bool, bool)>,
}

/// The scores of all rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankingScore {
    /// Probability that a random outlier is less usual than another random row, ties counting half; none where one of the
    /// two kinds is missing.
    pub roc_auc: Option<f64>,
    /// Mean precision over the outliers found, as in scikit-learn; none without outliers.
    pub average_precision: Option<f64>,
    /// Share of outliers among the rows taken for some; none where none were.
    pub precision: Option<f64>,
    /// Share of the outliers that were taken for some; none without outliers.
    pub recall: Option<f64>,
    /// Number of outliers.
    pub outliers: u64,
    /// Number of rows.
    pub count: u64,
}

impl Ranking {
    /// Adds a row: how usual it seemed, whether it is an outlier, whether it was taken for one.
    pub fn add(&mut self, score: f64, outlier: bool, taken: bool) {
        self.rows.push((score, outlier, taken));
    }

    /// Adds what another gathered.
    pub fn merge(&mut self, other: &Ranking) {
        self.rows.extend(&other.rows);
    }

    /// The scores of all rows. Time n log n.
    pub fn overall(&self) -> RankingScore {
        let mut rows = self.rows.clone();
        rows.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let outliers = rows.iter().filter(|row| row.1).count() as f64;
        let others = rows.len() as f64 - outliers;
        // rows of equal scores are one step of both curves
        let (mut found, mut false_alarms, mut area, mut precision) = (0.0, 0.0, 0.0, 0.0);
        for equal in rows.chunk_by(|a, b| a.0 == b.0) {
            let hits = equal.iter().filter(|row| row.1).count() as f64;
            let misses = equal.len() as f64 - hits;
            area += misses * (found + 0.5 * hits);
            (found, false_alarms) = (found + hits, false_alarms + misses);
            precision += hits * found / (found + false_alarms);
        }
        let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        let taken = rows.iter().filter(|row| row.2).count() as f64;
        let right = rows.iter().filter(|row| row.1 && row.2).count() as f64;
        RankingScore {
            roc_auc: share(area, outliers * others),
            average_precision: share(precision, outliers),
            precision: share(right, taken),
            recall: share(right, outliers),
            outliers: outliers as u64,
            count: rows.len() as u64,
        }
    }
}
