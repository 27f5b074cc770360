//! Which variable moves which: the average slope of a fitted autoregression, and how often chance gives as much. \[influence\]

use super::Order;
use super::begin::{Choices, in_pool};
use super::least_squares::LeastSquares;
use super::series::{Autoregression, Method};
use crate::error::{Error, Result};
use crate::model::{Body, Query};
use crate::params::Params;
use crate::random::Stream;
use crate::rows::{Inputs, Table};
use crate::series::{Lags, Series, Transitions};
use crate::watch::{Silent, Watch};
use faer::Mat;

/// Rows at which slopes are taken, at most.
const SLOPES: usize = 512;
/// Purpose of the random shifts.
const SHIFTS: u64 = 0x7368_6966;

/// Influence of variables on each other.
#[derive(Clone, Debug)]
pub struct Influence {
    /// Mean absolute slope of variable i (row) in the lags of variable j (column), summed over the lags, each in its
    /// standard deviation (p×p).
    pub strength: Mat<f64>,
    /// Share of series with j shifted in time that give at least as much (p×p), if asked.
    pub p_value: Option<Mat<f64>>,
}

impl Autoregression {
    /// The influence of every variable on every other at the first step, and p-values from `shifts` fits for each variable
    /// in which what its past has of its own, beyond what the past of the others tells of it, is moved to another time (in a
    /// circle): it keeps its law and its ties to the others, and loses that to what follows.
    /// Lengthscale, frequencies and ridge are those of the first fit. Cost p·shifts fits.
    pub fn influence(&self, series: &Series, shifts: usize, watch: &mut dyn Watch) -> Result<Influence> {
        self.check()?;
        in_pool(self.threads, || self.here().influence_here(series, shifts, watch))
    }

    fn influence_here(&self, series: &Series, shifts: usize, watch: &mut dyn Watch) -> Result<Influence> {
        let Order::Given(order) = self.order else {
            return Err(Error::refused("the influence at an order that is chosen", "give the order"));
        };
        let lags = Lags { order, ahead: self.ahead };
        let (centre, spread) = self.units(series, series.length());
        let mut rows = lags.transitions(&series.standardised(&centre, &spread))?;
        let (p, n) = (series.variables(), rows.rows());
        let deviations: Vec<f64> = (0..p).map(|t| deviation(&rows.outputs, t)).collect();
        let slopes = |body: &Body, rows: &Transitions| strength(body, rows, (order, p), &deviations);
        watch.stage("influence");
        let settled = self.settled(series, order, &mut Choices::default(), watch)?;
        let Fixed { body, mut refit } =
            settled.fixed(&rows, watch).map_err(|e| lags.told(e, (p, series.exogenous.len())))?;
        let strength = slopes(&body, &rows)?;
        if shifts == 0 {
            return Ok(Influence { strength, p_value: None });
        }
        if n < 8 {
            return Err(Error::Data(format!("{n} steps are too few to shift them in time")));
        }
        let mut beaten = Mat::<f64>::zeros(p, p);
        for j in 0..p {
            let kept = rows.inputs.clone();
            let own: Vec<usize> = (0..order).map(|k| k * p + j).collect();
            let told = told_by_others(&kept, &own)?;
            for s in 0..shifts {
                let mut random = Stream::new(self.seed, SHIFTS, (j * shifts + s) as u64);
                // not by so little that the past stays nearly where it was
                let least = (n / 20).max(order).min(n / 3);
                let by = least + random.below(n - 2 * least);
                for i in 0..n {
                    let from = (i + by) % n;
                    for (k, &column) in own.iter().enumerate() {
                        rows.inputs[(i, column)] = told[(i, k)] + kept[(from, column)] - told[(from, k)];
                    }
                }
                let chance = slopes(&refit(&rows)?, &rows)?;
                (0..p).filter(|&i| chance[(i, j)] >= strength[(i, j)]).for_each(|i| beaten[(i, j)] += 1.0);
                watch.advance(1)?;
            }
            rows.inputs = kept;
        }
        let share = |i: usize, j: usize| (1.0 + beaten[(i, j)]) / (1.0 + shifts as f64);
        Ok(Influence { strength, p_value: Some(Mat::from_fn(p, p, share)) })
    }

    /// A first fit, and how others are made with its choices.
    fn fixed(&self, rows: &Transitions, watch: &mut dyn Watch) -> Result<Fixed> {
        let table = |rows: &Transitions| Table::new(rows.inputs.clone(), rows.outputs.clone());
        if self.method == Method::Features {
            let mut learner = self.regression();
            learner.posterior = false;
            let (mut gathering, fitted) = learner.fit_kept(&table(rows)?, watch)?;
            gathering.learner.ridge = super::Ridge::Given(fitted.training.ridge);
            let refit = move |rows: &Transitions| {
                Ok(Body::Linear(Box::new(gathering.refit(&table(rows)?, &mut Silent)?.1.model)))
            };
            return Ok(Fixed { body: Body::Linear(Box::new(fitted.model)), refit: Box::new(refit) });
        }
        let learner = Autoregression { posterior: false, ..self.clone() };
        let (body, training) = learner.learn(rows, watch)?;
        let mut again = learner;
        if self.method == Method::Exact {
            again.ridge = super::Ridge::Given(training.ridge);
        }
        Ok(Fixed { body, refit: Box::new(move |rows| Ok(again.learn(rows, &mut Silent)?.0)) })
    }
}

/// What the other columns tell of some columns by least squares (n×columns).
fn told_by_others(x: &Mat<f64>, own: &[usize]) -> Result<Mat<f64>> {
    let others: Vec<usize> = (0..x.ncols()).filter(|k| !own.contains(k)).collect();
    if others.is_empty() {
        return Ok(Mat::zeros(x.nrows(), own.len()));
    }
    let some = |columns: &[usize]| Mat::from_fn(x.nrows(), columns.len(), |i, k| x[(i, columns[k])]);
    let (u, y) = (some(&others), some(own));
    let least = LeastSquares::begin(u.as_ref(), y.as_ref(), 0.0)?;
    let found = least.solve(least.part(&u, &y, 0..x.nrows(), &mut Silent)?, false)?;
    Ok(found.affine.predict(&Inputs::Dense(u), Query::default())?.mean)
}

/// A fit, and others like it.
struct Fixed {
    body: Body,
    refit: Box<dyn FnMut(&Transitions) -> Result<Body>>,
}

fn deviation(rows: &Mat<f64>, t: usize) -> f64 {
    let n = rows.nrows() as f64;
    let mean = rows.col(t).iter().sum::<f64>() / n;
    (rows.col(t).iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt()
}

/// Mean absolute slopes at some of the rows, by central differences of a thousandth of a deviation.
fn strength(body: &Body, rows: &Transitions, (order, p): (usize, usize), deviations: &[f64]) -> Result<Mat<f64>> {
    let step = rows.rows().div_ceil(SLOPES);
    let some: Vec<usize> = (0..rows.rows()).step_by(step).collect();
    let at = Mat::from_fn(some.len(), rows.inputs.ncols(), |i, k| rows.inputs[(some[i], k)]);
    let predict = |x: &Mat<f64>| Ok(body.predict(&Inputs::Dense(x.clone()), Query::default())?.mean);
    let mut strength = Mat::<f64>::zeros(p, p);
    for k in 0..order * p {
        let j = k % p;
        if deviations[j] == 0.0 {
            continue;
        }
        let moved = |by: f64| {
            let mut x = at.clone();
            x.col_mut(k).iter_mut().for_each(|v| *v += by * deviations[j]);
            predict(&x)
        };
        let (more, less): (Mat<f64>, Mat<f64>) = (moved(1e-3)?, moved(-1e-3)?);
        for i in (0..p).filter(|&i| deviations[i] > 0.0) {
            let sum: f64 = (0..some.len()).map(|r| (more[(r, i)] - less[(r, i)]).abs()).sum();
            strength[(i, j)] += sum / (2e-3 * deviations[i] * some.len() as f64);
        }
    }
    Ok(strength)
}
