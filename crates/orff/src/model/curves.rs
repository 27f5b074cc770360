//! Curves: what the columns of a model say of functions of a level or of another argument, and all that is asked of
//! them. \[curves\]

use super::{Model, Query};
use crate::archive::{Archive, Reader};
use crate::curve::CurveBasis;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::linalg;
use crate::random::Stream;
use crate::rows::Inputs;
use faer::{Mat, MatRef};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The argument of curves that are the outputs themselves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    /// Where answers are given unless asked for elsewhere: the grid, or the arguments that were seen (of more than 100,
    /// 51 over their range).
    pub values: Vec<f64>,
    /// The first and the last argument that was seen.
    pub range: (f64, f64),
    /// Its kernel with nothing left open, of arguments in units of `scale`.
    pub kernel: Kernel,
    /// Those units.
    pub scale: f64,
    /// The column it has in a table whose rows are points of curves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The columns of a model, m for each output, are those of curves: f(t) = Σⱼfⱼφⱼ(t), the quantile of level t, or the value
/// of the output at an argument t.
///
/// Quantiles never cross: a curve is evaluated at fixed levels, put in increasing order (Chernozhukov, Fernández-Val and
/// Galichon 2010), and is linear between them. Every answer is one about this function.
#[derive(Clone, Debug)]
pub struct Curves {
    /// φ₁, …, φ_m.
    pub basis: CurveBasis,
    /// Rows that were not learned from: what the model says of them (p·m), their outputs (p), how often these count (p).
    pub calibration: Option<Mat<f64>>,
    /// Their argument, where curves are the outputs; of quantiles it is the level.
    pub argument: Option<Argument>,
}

/// Levels below 0.005 at which curves are evaluated; above, at its multiples.
const TAIL: [f64; 6] = [1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 3.5e-3];
const STEPS: usize = 200;
/// Purpose of the streams of samples.
const SAMPLES: u64 = 0x7175_616e_74;

/// Refuses a level that is none.
pub fn check_level(name: &str, level: f64) -> Result<()> {
    if level > 0.0 && level < 1.0 {
        return Ok(());
    }
    Err(Error::parameter(name, "a number between 0 and 1", level))
}

/// Refuses a probability of an interval that is none, or so near to 1 that nothing is left outside.
fn check_coverage(coverage: f64) -> Result<()> {
    if 0.5 + 0.5 * coverage < 1.0 {
        return check_level("interval", coverage);
    }
    Err(Error::parameter("interval", "a number between 0 and 1, with something left outside", coverage))
}

/// Refuses arguments that are no numbers.
pub fn check_arguments(at: &[f64]) -> Result<()> {
    match at.iter().find(|t| !t.is_finite()) {
        Some(bad) => Err(Error::parameter("at", "finite numbers", bad)),
        None => Ok(()),
    }
}

/// Curves at fixed levels, ready to be asked.
pub(super) struct Grid {
    /// In increasing order (G).
    levels: Vec<f64>,
    /// The functions at them, one after the other (m·G).
    at: Vec<f64>,
}

impl Grid {
    /// The curve of coefficients f (m) at the levels, in increasing order.
    fn curve(&self, f: impl Iterator<Item = f64>, out: &mut [f64]) {
        out.fill(0.0);
        for (f, at) in f.zip(self.at.chunks(self.levels.len())) {
            out.iter_mut().zip(at).for_each(|(o, at)| *o += f * at);
        }
        if !out.is_sorted() {
            out.sort_unstable_by(f64::total_cmp);
        }
    }

    /// The first level and the last one.
    pub(super) fn ends(&self) -> (f64, f64) {
        (self.levels[0], self.levels[self.levels.len() - 1])
    }

    /// The curve at a level; beyond the first and the last one it is constant.
    pub(super) fn quantile(&self, curve: &[f64], level: f64) -> f64 {
        interpolate(&self.levels, curve, level)
    }

    /// The level of a value: the largest one whose quantile is not above it.
    pub(super) fn level(&self, curve: &[f64], value: f64) -> f64 {
        match (curve.first(), curve.last()) {
            (Some(first), _) if value < *first => 0.0,
            (_, Some(last)) if value >= *last => 1.0,
            _ => interpolate(curve, &self.levels, value),
        }
    }
}

/// The piecewise linear function through (xₖ, yₖ), x in increasing order; of equal xₖ the last one counts.
fn interpolate(x: &[f64], y: &[f64], at: f64) -> f64 {
    match x.partition_point(|x| *x <= at) {
        0 => y[0],
        k if k == x.len() => y[k - 1],
        k => {
            let share = (at - x[k - 1]) / (x[k] - x[k - 1]);
            y[k - 1] + share * (y[k] - y[k - 1])
        }
    }
}

impl Curves {
    /// Number of outputs of so many columns; of a curve, its usual arguments.
    pub fn outputs(&self, columns: usize) -> usize {
        self.argument.as_ref().map_or(columns / self.basis.count(), |argument| argument.values.len())
    }

    /// Values of one curve for each row (n×L) at arguments, from a model's columns (n×m). Cost n·m·L.
    pub fn values(&self, columns: MatRef<f64>, at: &[f64]) -> Result<Mat<f64>> {
        Ok(linalg::product(columns, self.basis_at(at)?.transpose()))
    }

    /// Values of the curve of each row at an argument of its own (n). Cost n·m.
    pub fn value_of_each(&self, columns: MatRef<f64>, at: &[f64]) -> Result<Vec<f64>> {
        let basis = self.basis_at(at)?;
        Ok((0..at.len()).map(|i| (0..basis.ncols()).map(|j| columns[(i, j)] * basis[(i, j)]).sum()).collect())
    }

    /// The basis at arguments (L×m), which have to be near enough for numbers.
    fn basis_at(&self, at: &[f64]) -> Result<Mat<f64>> {
        check_arguments(at)?;
        let basis = self.basis.at(at);
        match (0..at.len()).find(|&i| basis.row(i).iter().any(|v| !v.is_finite())) {
            Some(far) => {
                Err(Error::parameter("at", "numbers nearer to those learned from", format!("{:e}", at[far])))
            }
            None => Ok(basis),
        }
    }

    pub(super) fn grid(&self) -> Grid {
        let step = |k: usize| k as f64 / STEPS as f64;
        let mut levels: Vec<f64> = TAIL.iter().flat_map(|t| [*t, 1.0 - t]).chain((1..STEPS).map(step)).collect();
        if let CurveBasis::Hats { knots } = &self.basis {
            // beyond its ends a curve is constant
            levels.extend(knots);
            levels.retain(|t| *t >= knots[0] && *t <= knots[knots.len() - 1]);
        }
        levels.sort_unstable_by(f64::total_cmp);
        levels.dedup();
        let at = self.basis.at(&levels);
        let at = (0..at.ncols()).flat_map(|j| at.col(j).iter().copied().collect::<Vec<_>>()).collect();
        Grid { levels, at }
    }

    /// Shows the curve of every row and output of a model's columns (n×p·m).
    pub(super) fn each(&self, grid: &Grid, columns: MatRef<f64>, mut visit: impl FnMut(usize, usize, &[f64])) {
        let m = self.basis.count();
        let mut curve = vec![0.0; grid.levels.len()];
        for i in 0..columns.nrows() {
            for t in 0..columns.ncols() / m {
                grid.curve((0..m).map(|j| columns[(i, t * m + j)]), &mut curve);
                visit(i, t, &curve);
            }
        }
    }

    /// Quantiles at levels (n×p·L, those of the first output first) from a model's columns (n×p·m). Cost n·p·m·G, G ≈ 200.
    pub fn quantiles(&self, columns: MatRef<f64>, levels: &[f64]) -> Result<Mat<f64>> {
        levels.iter().try_for_each(|level| check_level("levels", *level))?;
        let (grid, l) = (self.grid(), levels.len());
        let mut out = Mat::zeros(columns.nrows(), self.outputs(columns.ncols()) * l);
        self.each(&grid, columns, |i, t, curve| {
            levels.iter().enumerate().for_each(|(k, level)| out[(i, t * l + k)] = grid.quantile(curve, *level));
        });
        Ok(out)
    }

    /// P(Y ≤ y) of each row and output (n×p) for values y (n×p); NaN where y is.
    pub fn cdf(&self, columns: MatRef<f64>, y: MatRef<f64>) -> Result<Mat<f64>> {
        let shape = (columns.nrows(), self.outputs(columns.ncols()));
        if y.shape() != shape {
            let given = format!("{}×{}", y.nrows(), y.ncols());
            return Err(Error::shape(
                "y",
                format!("{}×{}, a value for each row and output", shape.0, shape.1),
                given,
            ));
        }
        let grid = self.grid();
        let mut out = Mat::zeros(shape.0, shape.1);
        self.each(&grid, columns, |i, t, curve| {
            let value = y[(i, t)];
            out[(i, t)] = if value.is_nan() { value } else { grid.level(curve, value) };
        });
        Ok(out)
    }

    /// Draws from the law of each row and output (n×p·count, those of the first output first), independent of each other. What
    /// row i gets depends on the seed and i, counted from `first`.
    pub fn sample(&self, columns: MatRef<f64>, count: usize, seed: u64, first: usize) -> Mat<f64> {
        let grid = self.grid();
        let mut out = Mat::zeros(columns.nrows(), self.outputs(columns.ncols()) * count);
        self.each(&grid, columns, |i, t, curve| {
            let mut stream = Stream::new(seed, SAMPLES + t as u64, (first + i) as u64);
            (0..count).for_each(|k| out[(i, t * count + k)] = grid.quantile(curve, stream.uniform()));
        });
        out
    }

    /// How much wider than its quantiles an interval has to be on both sides (p) for its probability to be at least `coverage`
    /// for new rows of the same law, however wrong the quantiles are (conformalised quantile regression, Romano, Patterson and
    /// Candès 2019); zero without rows that were kept for it.
    pub fn margins(&self, outputs: usize, coverage: f64) -> Result<Vec<f64>> {
        check_coverage(coverage)?;
        let Some(kept) = &self.calibration else { return Ok(vec![0.0; outputs]) };
        let columns = outputs * self.basis.count();
        let ends = self.quantiles(kept.subcols(0, columns), &[0.5 - 0.5 * coverage, 0.5 + 0.5 * coverage])?;
        let margin = |t: usize| {
            let score = |i: usize| {
                let y = kept[(i, columns + t)];
                (ends[(i, 2 * t)] - y).max(y - ends[(i, 2 * t + 1)])
            };
            let weight = |i: usize| kept[(i, columns + outputs + t)];
            let mut scores: Vec<(f64, f64)> =
                (0..kept.nrows()).filter(|&i| weight(i) > 0.0).map(|i| (score(i), weight(i))).collect();
            scores.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            let count: f64 = scores.iter().map(|s| s.1).sum();
            let rank = ((count + 1.0) * coverage - 1e-9).ceil();
            let mut below = 0.0;
            let found = scores.iter().find(|(_, w)| {
                below += w;
                below >= rank
            });
            found.map(|(score, _)| *score).ok_or_else(|| {
                let need = (coverage / (1.0 - coverage) - 1e-9).ceil();
                Error::refused(
                    format!("an interval of {coverage} from {count} rows kept for its correction"),
                    format!(
                        "it takes at least {need}; ask for less, or keep a larger share (the parameter conformal)"
                    ),
                )
            })
        };
        (0..outputs).map(margin).collect()
    }

    /// Refuses intervals whose ends are beyond the levels that were learned, where quantiles are those of the last one, unless
    /// rows kept aside widen them.
    pub fn reach(&self, coverage: f64) -> Result<()> {
        check_coverage(coverage)?;
        let CurveBasis::Hats { knots } = &self.basis else { return Ok(()) };
        let (first, last) = (knots[0], knots[knots.len() - 1]);
        let widest = 1.0 - 2.0 * first.max(1.0 - last);
        if self.calibration.is_some() || coverage <= widest + 1e-12 {
            return Ok(());
        }
        let most = if widest > 0.0 { format!("at most {widest:.4}") } else { "none".into() };
        let expected = format!(
            "{most}, as levels from {first} to {last} were learned (learn more extreme ones, or keep rows aside: conformal)"
        );
        Err(Error::parameter("interval", expected, coverage))
    }

    /// The ends of intervals (n×p each) that hold an observation with probability `coverage`, wider by margins (p).
    pub fn interval(&self, columns: MatRef<f64>, coverage: f64, margins: &[f64]) -> Result<(Mat<f64>, Mat<f64>)> {
        check_coverage(coverage)?;
        let ends = self.quantiles(columns, &[0.5 - 0.5 * coverage, 0.5 + 0.5 * coverage])?;
        let (n, p) = (columns.nrows(), margins.len());
        let lower = Mat::from_fn(n, p, |i, t| ends[(i, 2 * t)] - margins[t]);
        let upper = Mat::from_fn(n, p, |i, t| ends[(i, 2 * t + 1)] + margins[t]);
        // a negative margin may be more than half of an interval
        let end = |of: fn(f64, f64) -> f64| Mat::from_fn(n, p, |i, t| of(lower[(i, t)], upper[(i, t)]));
        Ok((end(f64::min), end(f64::max)))
    }

    pub(super) fn header(&self) -> Result<Value> {
        serde_json::to_value(&self.basis).map_err(|e| Error::Data(e.to_string()))
    }

    /// The argument, where it is one of the outputs.
    pub(super) fn argument_header(&self) -> Result<Value> {
        serde_json::to_value(&self.argument).map_err(|e| Error::Data(e.to_string()))
    }

    pub(super) fn store<'a>(&'a self, archive: &mut Archive<'a>) {
        if let CurveBasis::Waves(waves) = &self.basis {
            archive.put_vec("curves.frequencies", &waves.frequencies[..]);
            archive.put_mat("curves.waves", waves.table.as_ref());
        }
        if let Some(kept) = &self.calibration {
            archive.put_mat("curves.calibration", kept.as_ref());
        }
    }

    /// Of a model with so many columns, if its file says that they are curves.
    pub(super) fn restore(file: &Reader, columns: usize) -> Result<Option<Box<Curves>>> {
        if file.header()["curves"].is_null() {
            return Ok(None);
        }
        let mut basis: CurveBasis = file.part("curves")?;
        if let CurveBasis::Waves(waves) = &mut basis {
            waves.frequencies = file.vec("curves.frequencies", None)?;
            waves.table = file.mat("curves.waves", Some(2 * waves.frequencies.len()), None)?;
        }
        let argument: Option<Argument> = match file.header()["argument"].is_null() {
            true => None,
            false => Some(file.part("argument")?),
        };
        let m = basis.count();
        let whole = match (&basis, &argument) {
            (CurveBasis::Waves(_), Some(a)) => {
                m == columns && !a.values.is_empty() && check_arguments(&a.values).is_ok()
            }
            (CurveBasis::Waves(_), None) | (_, Some(_)) => false,
            _ => m > 0 && columns.is_multiple_of(m),
        };
        if basis.check().is_err() || !whole {
            return Err(file.damaged(format!("its curves are not those of {columns} columns; fit again")));
        }
        let calibration = match file.has("curves.calibration") {
            true => Some(file.mat("curves.calibration", None, Some(columns + 2 * (columns / m)))?),
            false => None,
        };
        Ok(Some(Box::new(Curves { basis, calibration, argument })))
    }
}

impl Model {
    /// The curves of a model of quantiles.
    pub fn curves(&self) -> Result<&Curves> {
        self.curves.as_deref().filter(|curves| curves.argument.is_none()).ok_or_else(|| {
            Error::refused("quantiles of this model", "it predicts means or classes; fit a model of quantiles")
        })
    }

    /// The curves of a model whose outputs are curves, and their argument.
    pub fn functions(&self) -> Result<(&Curves, &Argument)> {
        let known = self.curves.as_deref().and_then(|curves| Some((curves, curves.argument.as_ref()?)));
        known.ok_or_else(|| {
            Error::refused("values of this model at arguments", "its outputs are no curves; fit a functional model")
        })
    }

    /// Values of the curves of n rows at arguments (n×L).
    ///
    /// ```
    /// use orff::learn::FunctionalRidge;
    /// use orff::rows::{Inputs, Table};
    /// use orff::watch::Silent;
    /// let x = faer::Mat::from_fn(30, 1, |i, _| i as f64 / 10.0);
    /// let y = faer::Mat::from_fn(30, 9, |i, k| (i as f64 / 10.0 + k as f64 / 4.0).sin());
    /// let model = FunctionalRidge::default().model(&Table::new(x, y)?, &mut Silent)?;
    /// let between = model.values(&Inputs::Dense(faer::mat![[1.55]]), &[2.5])?;
    /// assert!((between[(0, 0)] - (1.55 + 2.5 / 4.0f64).sin()).abs() < 0.01);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn values(&self, x: &Inputs, at: &[f64]) -> Result<Mat<f64>> {
        self.functions()?.0.values(self.columns(x, false)?.as_ref(), at)
    }

    /// Columns of a model of curves at n rows (n×p·m), from which everything about them follows.
    pub fn columns(&self, x: &Inputs, single: bool) -> Result<Mat<f64>> {
        Ok(self.body.predict(&*self.projected(x)?, Query { single, ..Query::default() })?.mean)
    }

    /// Quantiles of n rows at levels (n×p·L), which never cross.
    ///
    /// ```
    /// use orff::learn::QuantileFunction;
    /// use orff::rows::{Inputs, Table};
    /// use orff::watch::Silent;
    /// let x = faer::Mat::from_fn(60, 1, |i, _| i as f64 / 10.0);
    /// let y = faer::Mat::from_fn(60, 1, |i, _| (i as f64 / 10.0).sin() + (i * 7 % 10) as f64 / 10.0);
    /// let model = QuantileFunction::default().model(&Table::new(x.clone(), y)?, &mut Silent)?;
    /// let q = model.quantiles(&Inputs::Dense(x), &[0.1, 0.5, 0.9])?;
    /// assert!((0..60).all(|i| q[(i, 0)] <= q[(i, 1)] && q[(i, 1)] <= q[(i, 2)]));
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn quantiles(&self, x: &Inputs, levels: &[f64]) -> Result<Mat<f64>> {
        self.curves()?.quantiles(self.columns(x, false)?.as_ref(), levels)
    }
}
