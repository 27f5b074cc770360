//! Level sets: the level at which each row leaves them, and how far inside it is at any other. \[level-sets\]

use super::curves::{Curves, check_level};
use super::{Body, Model};
use crate::error::{Error, Result};
use crate::linalg;
use crate::rows::Inputs;
use faer::{Mat, MatRef};

/// Curves u(ν) = b(ν) − f_x(ν) of rows, increasing as those of quantiles are made to be: a row is in the set of level ν where u ≤ 0,
/// so that sets are nested. Beyond the first level t and the last one, 1 − t, u goes on as s·log, s the spread of f.
impl Curves {
    /// The level at which each row leaves the sets (n), from the columns of its curve (n×m).
    pub(crate) fn leaving(&self, columns: MatRef<f64>, spread: f64) -> Vec<f64> {
        let grid = self.grid();
        let mut out = vec![0.0; columns.nrows()];
        self.each(&grid, columns, |i, _, curve| {
            let (tail, top) = grid.ends();
            let (first, last) = (curve[0], curve[curve.len() - 1]);
            out[i] = if first > 0.0 {
                tail * libm::exp(-first / spread)
            } else if last <= 0.0 {
                1.0 - (1.0 - top) * libm::exp(last / spread)
            } else {
                grid.level(curve, 0.0)
            };
        });
        out
    }

    /// −u(ν) = f_x(ν) − b(ν) of each row at each level (n×L): how far inside it is. As learned, so that rows are ranked as the
    /// machine of that level does, unless it would be on another side than in the nested sets: then as in those.
    pub(super) fn inside(&self, columns: MatRef<f64>, levels: &[f64], spread: f64) -> Mat<f64> {
        let grid = self.grid();
        let (tail, top) = grid.ends();
        let within: Vec<f64> = levels.iter().map(|level| level.clamp(tail, top)).collect();
        let learned = linalg::product(columns, self.basis.at(&within).transpose());
        let mut out = Mat::zeros(columns.nrows(), levels.len());
        self.each(&grid, columns, |i, _, curve| {
            for (k, level) in levels.iter().enumerate() {
                let beyond = if *level < tail {
                    libm::log(level / tail)
                } else if *level > top {
                    libm::log((1.0 - top) / (1.0 - level))
                } else {
                    0.0
                };
                let as_learned = -learned[(i, k)] - spread * beyond;
                let nested = -grid.quantile(curve, *level) - spread * beyond;
                out[(i, k)] = if (as_learned < 0.0) == (nested < 0.0) { as_learned } else { nested };
            }
        });
        out
    }
}

impl Model {
    /// The curves of a model of level sets, and the spread of f.
    fn level_sets(&self) -> Result<(&Curves, f64)> {
        self.outliers()?;
        match (&self.curves, &self.body) {
            (Some(curves), Body::Linear(linear)) => Ok((curves, linear.output_scale[0])),
            _ => Err(Error::refused(
                "a set of another level",
                "it has one offset; fit one of level sets (orff fit one-class --method level-sets)",
            )),
        }
    }

    /// How far inside the sets of given levels each row is (n×L): f_x(ν) − b(ν), negative for outliers.
    ///
    /// ```
    /// use orff::{learn::LevelSets, rows::{Inputs, Table}, watch::Silent};
    /// let x = faer::Mat::from_fn(200, 2, |i, k| (i * (37 + 24 * k) % 211) as f64 / 211.0);
    /// let rows = Table::new(x.clone(), faer::Mat::zeros(200, 0))?;
    /// let model = LevelSets::default().model(&rows, &mut Silent)?;
    /// let (score, inside) = (model.normality(&Inputs::Dense(x.clone()))?, model.inside(&Inputs::Dense(x), &[0.1, 0.6])?);
    /// // a row is in until the level that is its score
    /// assert!((0..200).all(|i| (score[i] >= 0.1) == (inside[(i, 0)] >= 0.0) && (score[i] >= 0.6) == (inside[(i, 1)] >= 0.0)));
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn inside(&self, x: &Inputs, levels: &[f64]) -> Result<Mat<f64>> {
        levels.iter().try_for_each(|level| check_level("nu", *level))?;
        let (curves, spread) = self.level_sets()?;
        Ok(curves.inside(self.columns(x, false)?.as_ref(), levels, spread))
    }

    /// The score of a model of outliers whose columns are curves.
    pub(super) fn leaving(&self, columns: MatRef<f64>) -> Result<Vec<f64>> {
        let (curves, spread) = self.level_sets()?;
        Ok(curves.leaving(columns, spread))
    }
}
