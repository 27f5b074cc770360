//! Mixed precision: features in single, their products in single or in fixed point, sums and solutions in double, and then
//! what the first two got wrong, found by passes in double that cost a fraction of the first. \[mixed\]

use super::Ridge;
use super::gather::Gathering;
use crate::error::{Error, Result};
use crate::feature::{FeatureMap, Mapped, sweep};
use crate::linalg::{self, Fixed, Real};
use crate::rows::{Batch, Rows, Weights};
use crate::solve::{Centred, Component, Shape, System};
use crate::watch::Watch;
use faer::Mat;
use serde::{Deserialize, Serialize};

/// Precision of features and of their products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// Double.
    Double,
    /// Single or less, corrected in double.
    Mixed,
}

/// What products of features are made of before solutions are corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Products {
    Single,
    Fixed,
}

/// Rows to correct a solution by, and what is to be corrected.
#[derive(Clone, Copy)]
pub(super) struct Mixed<'a> {
    pub rows: &'a dyn Rows,
    pub products: Products,
}

/// What fixed point does to the features of a system.
#[derive(Clone, Copy)]
pub(super) struct Rounding {
    /// Deviation of an entry.
    pub deviation: f64,
    /// The least μ that counts beside it.
    pub least: f64,
}

impl Mixed<'_> {
    /// What it did to a system, where products are in fixed point.
    pub fn rounding(&self, gathering: &Gathering, system: &System) -> Option<Rounding> {
        let (rows, m) = (gathering.rows as f64, gathering.map.characters() as f64);
        let size = system.components.iter().map(|c| c.size).fold(0.0, f64::max);
        let share = (2.0 * size / (rows * m)).max(f64::MIN_POSITIVE); // characters about ½ on average
        let least = share * Fixed::least(rows, m, TELLING);
        (self.products == Products::Fixed).then(|| Rounding { deviation: Fixed::DEVIATION * share.sqrt(), least })
    }
}

/// What rounding in fixed point may change solutions by, as a share of them, for a few corrections to undo it.
pub(super) const COARSE: f64 = 1e-2;
/// The same where nobody asked for mixed precision: error bars, which are not corrected, keep three digits.
pub(super) const FINE: f64 = 1e-3;
/// The same of the least ridge that is looked at when one is chosen.
const TELLING: f64 = 0.02;
/// By what share of itself a chosen ridge may be off, as reckoned: in truth it is a tenth of that.
pub(super) const SURE: f64 = 5e-3;
/// Products of a fit that take half a second in double precision: below that nobody gains by fewer digits.
const WORTH: f64 = 5e10;
/// Characters from which on products take longer than reading the rows again, and how many of them an input must have beside
/// it for angles not to.
const MANY: f64 = 1000.0;
const PER_INPUT: f64 = 2.0;

/// Whether the products of so many rows and characters are worth making in fixed point on this machine.
pub(super) fn worth_fixed_point(rows: f64, characters: f64, inputs: usize) -> bool {
    let many = characters >= MANY.max(PER_INPUT * inputs as f64);
    many && rows * characters * characters >= WORTH && Fixed::is_fast()
}

/// What rounding in fixed point changes the solutions of a ridge by, at most, with so many rows: see [`Fixed::rounding`]. The
/// size of one problem is tr K̂(0), or its largest eigenvalue where there is a problem for each direction of the outputs.
pub(super) fn fixed_rounding(map: &FeatureMap, rows: f64, ridge: f64) -> Result<f64> {
    let origin = vec![0.0; map.atoms().inputs()];
    let variances = linalg::eigen(map.atoms().eval(&origin, &origin)?.as_ref())?.values;
    let size = match map.atoms().shared_factor() {
        Some(_) => variances.into_iter().fold(0.0, f64::max),
        None => variances.into_iter().sum(),
    };
    let m = map.characters() as f64;
    Ok(Fixed::rounding(rows, m, rows * ridge * m / (2.0 * size)))
}

/// What mixed precision may change a prediction by, in deviations of the fitted values.
const PROMISED: f64 = 1e-5;
/// How many deviations of what chance decides count as its largest.
const DEVIATIONS: f64 = 4.0;
/// Change of the fitted values, relative to their size, at which corrections stop: 1e-5 farther out, as promised.
const SMALL: f64 = 5e-7;
/// What a pass whose products are in single precision may change fitted values by, where rounding is independent from row to row,
/// and any prediction, where it is not (rows that are copies of each other).
const PASS: f64 = 1e-7;
const COPIES: f64 = 5e-6;
/// How much farther than that predictions may move at inputs that few rows are near.
const FARTHER: f64 = 20.0;
/// One that is larger than this shows that single precision is of no use for the problem.
const LARGE: f64 = 1e-2;
/// Worst effect of single precision, by the condition number alone, beyond which corrections may settle by chance only.
const HOPELESS: f64 = 10.0;
/// Most passes.
const PASSES: usize = 4;
/// Worst effect of single precision, by the condition number alone, that inputs in single precision may have uncorrected.
const HARMLESS: f64 = 1e-3;

/// Solutions are corrected until they are those of double precision.
pub(super) struct Corrections<'a> {
    gathering: &'a Gathering,
    mixed: Mixed<'a>,
    /// c̄ and ȳ.
    means: (Vec<f64>, Vec<f64>),
    passes: usize,
    /// The solutions before, their images Gθ, and the last change.
    before: Option<(Vec<Vec<f64>>, Vec<Vec<f64>>)>,
    change: f64,
    /// Σ‖φ‖² over the rows.
    trace: f64,
    /// What predictions are off by at most, where that is so little that nothing was corrected.
    unseen: Option<f64>,
}

impl<'a> Corrections<'a> {
    pub fn new(gathering: &'a Gathering, mixed: Mixed<'a>, system: &System, data: &Centred) -> Self {
        let means = (data.mean_c.clone(), data.mean_y.clone());
        let trace = |g: &Mat<f64>| (0..g.nrows()).map(|i| g[(i, i)]).sum::<f64>();
        let trace = system.groups.iter().map(trace).fold(0.0, f64::max);
        Corrections { gathering, mixed, means, passes: 0, before: None, change: LARGE, trace, unseen: None }
    }

    /// Right-hand sides whose solutions are closer to those of double precision; none when the solutions are close
    /// enough. With residuals r in double precision: (G+μ)θ′ = Gθ + Φᵀr, where G is the matrix that was rounded.
    pub fn next(
        &mut self,
        system: &System,
        solutions: &[Vec<f64>],
        ridge: f64,
        watch: &mut dyn Watch,
    ) -> Result<Option<Vec<Vec<f64>>>> {
        let mu = |k: usize| system.rows * ridge / system.components[k].s2;
        let (rows, m) = (self.gathering.rows as f64, self.gathering.map.characters() as f64);
        let rounding = |k: usize| match self.mixed.products {
            Products::Single => f64::from(f32::EPSILON) / 2.0 * self.trace / mu(k),
            Products::Fixed => Fixed::rounding(rows, m, mu(k) * rows * m / (2.0 * system.components[k].size)),
        };
        let worst = (0..solutions.len()).map(rounding).fold(0.0, f64::max);
        let given = matches!(self.gathering.learner.ridge, Ridge::Given(_));
        if !given && self.mixed.products == Products::Single && worst > LARGE {
            return Err(Error::numerical(
                "mixed precision",
                format!("it cannot tell whether the ridge {ridge:.1e} is the best"),
            ));
        }
        if worst > HOPELESS {
            return Err(Error::numerical(
                "mixed precision",
                format!("the ridge {ridge:.1e} is lost in its rounding"),
            ));
        }
        if self.mixed.rows.single() && self.mixed.products == Products::Single && worst <= HARMLESS {
            return Ok(None);
        }
        let images: Vec<Vec<f64>> = (solutions.iter().enumerate())
            .map(|(k, theta)| {
                let (rhs, mu) = (&system.components[k].rhs, mu(k));
                rhs.iter().zip(theta).map(|(b, t)| b - mu * t).collect()
            })
            .collect();
        if self.passes == 0 {
            self.unseen = self.chance(system, solutions, &images, ridge).filter(|off| *off <= PROMISED);
            if self.unseen.is_some() {
                return Ok(None);
            }
        }
        if let Some((theta, image)) = &self.before {
            let less = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
            let (mut moved, mut size, mut farthest) = (0f64, 0.0, 0f64);
            for k in 0..solutions.len() {
                let step = less(&solutions[k], &theta[k]);
                let seen = dot(&step, &less(&images[k], &image[k])).max(0.0);
                moved = moved.max(seen);
                // |φᵀδ|² ≤ ‖φ‖²‖δ‖², and μ‖δ‖² is at most the change with its penalty
                farthest = farthest.max((seen + mu(k) * dot(&step, &step)) * self.trace / mu(k));
                size += dot(&solutions[k], &images[k]).max(0.0) / solutions.len() as f64;
            }
            let share = |of: f64| if of == 0.0 { 0.0 } else { (of / size).sqrt() };
            let (change, farthest) = (share(moved), share(farthest));
            // each pass multiplies the error by the same small number, or there is none; what is left is that part of the change
            let part = if self.passes == 1 { worst } else { change / self.change };
            let left = change.max(farthest / FARTHER) * part.min(1.0);
            if left <= SMALL || self.passes > 1 && change.max(farthest / FARTHER) <= SMALL {
                return Ok(None);
            }
            if !(change <= 0.5 * self.change) || self.passes == PASSES {
                return Err(Error::numerical(
                    "mixed precision",
                    format!("corrections change the fit by {change:.1e} and do not settle"),
                ));
            }
            self.change = change;
        }
        let table = system.table(&self.gathering.map, solutions);
        // residuals about their mean: what they have in common would be rounded alike in rows that are copies
        let (c, y) = &self.means;
        let offset = (0..y.len()).map(|t| y[t] - dot(c, linalg::column(table.as_ref(), t))).collect();
        let far = |k: usize| (self.norm(&system.components[k]) / mu(k)).sqrt();
        let far = (0..solutions.len()).map(far).fold(0.0, f64::max);
        let single = self.passes == 0 && self.gathering.is_harmless(&table, far);
        let gradient = self.gathering.gradient(&table, offset, self.mixed.rows, single, watch)?;
        let more = system.right(&self.gathering.map, &gradient);
        let rhs = images.iter().zip(more).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a + b).collect()).collect();
        self.before = Some((solutions.to_vec(), images));
        self.passes += 1;
        Ok(Some(rhs))
    }

    /// What fixed point changes a prediction by, at most and about, in deviations of the fitted values: its deviation by
    /// chance is e√(2v)·max(‖θ‖, ‖Cθ‖/√μ), v = φᵀ(G+μ)⁻¹φ ≤ ‖φ‖²/μ. Where atoms share their factor. \[mixed\]
    fn chance(&self, system: &System, solutions: &[Vec<f64>], images: &[Vec<f64>], ridge: f64) -> Option<f64> {
        let (Products::Fixed, Shape::Directions { amplitudes, .. }) = (self.mixed.products, &system.shape) else {
            return None;
        };
        let entry = Fixed::DEVIATION * amplitudes.iter().copied().fold(0.0, f64::max);
        let (mut variance, mut size) = (0f64, 0.0);
        for ((theta, image), component) in solutions.iter().zip(images).zip(&system.components) {
            let (mu, fitted) = (system.rows * ridge / component.s2, dot(theta, image).max(0.0));
            variance = variance.max(2.0 * self.norm(component) / mu * dot(theta, theta).max(fitted / mu));
            size += fitted / solutions.len() as f64;
        }
        Some(DEVIATIONS * entry * (variance / size).sqrt())
    }

    /// n‖φ‖² about the mean where no row is near, which adds that of the mean.
    fn norm(&self, component: &Component) -> f64 {
        (2.0 * component.size - self.trace).max(self.trace)
    }

    /// That nothing was corrected, and why.
    pub fn reason(&self) -> Option<String> {
        let why =
            |off| format!("no corrections: fixed point moves a prediction by less than {off:.1e} of their deviation");
        self.unseen.map(why)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Gathering {
    /// Σw(c − c̄)(r − r̄)ᵀ (M×p) of the residuals r = y − Zᵀc: one pass, n·M·p operations. Characters are computed in double
    /// precision, and multiplied in single if that is asked for.
    fn gradient(
        &self,
        table: &Mat<f64>,
        offset: Vec<f64>,
        rows: &dyn Rows,
        single: bool,
        watch: &mut dyn Watch,
    ) -> Result<Mat<f64>> {
        watch.stage("correct");
        match single {
            true => self.gradient_in::<f32>(table, offset, rows, watch),
            false => self.gradient_in::<f64>(table, offset, rows, watch),
        }
    }

    /// Whether products of a pass in single precision are not seen: `far` is √(Σ‖φ‖²/μ). \[mixed\]
    fn is_harmless(&self, table: &Mat<f64>, far: f64) -> bool {
        let longest = table.col_iter().map(|z| z.norm_l2()).fold(0.0, f64::max);
        let (off, share) = (2.0 * f64::from(f32::EPSILON) * longest, table.nrows() as f64 / self.rows as f64);
        off * share.min(1.0).sqrt() <= PASS && 0.5 * off * far <= COPIES
    }

    fn gradient_in<T: Real>(
        &self,
        table: &Mat<f64>,
        mut offset: Vec<f64>,
        rows: &dyn Rows,
        watch: &mut dyn Watch,
    ) -> Result<Mat<f64>> {
        offset.push(0.0);
        let (m, p) = (table.nrows(), table.ncols());
        // a column of ones beside the residuals, for the means
        let wide = Mat::from_fn(m, p + 1, |i, t| if t < p { table[(i, t)] } else { 0.0 });
        let prepare = |block: Batch, first: usize| {
            let (inputs, outputs, weights) = self.stage.prepare(&block, first + 1)?;
            Ok(Batch { inputs, outputs, weights })
        };
        let design = Mapped::new(&self.map, rows, &prepare);
        let swept = sweep::<T>(&design, wide.as_ref(), &offset, watch, &mut |seen, mut f| {
            linalg::column_mut(f.as_mut(), p).fill(1.0);
            for t in 0..p {
                let outputs = linalg::column(seen.outputs, t);
                linalg::column_mut(f.as_mut(), t).iter_mut().zip(outputs).for_each(|(f, y)| *f = y - *f);
            }
            if let Some(Weights::Row(w)) = seen.weights {
                for t in 0..=p {
                    linalg::column_mut(f.as_mut(), t).iter_mut().zip(w).for_each(|(f, w)| *f *= w);
                }
            }
            Ok(())
        })?;
        let (sums, total) = (&swept.gradient, swept.total[p]);
        Ok(Mat::from_fn(m, p, |i, t| {
            sums[(i, t)] - if self.learner.offset { sums[(i, p)] * swept.total[t] / total } else { 0.0 }
        }))
    }
}
