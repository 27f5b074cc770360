//! Forecasts: predictions that become the inputs of the next ones, and intervals from simulated paths. \[forecast\]

use super::posterior::units;
use super::{Body, Dynamics, Model, Query};
use crate::error::{Error, Result};
use crate::linalg;
use crate::random::Stream;
use crate::rows::Inputs;
use crate::series::{Lags, covariance};
use crate::watch::Watch;
use faer::Mat;

/// A path this many times further from the middle of the series than anything learned from has exploded.
const EXPLODED: f64 = 20.0;
/// Purpose of the random numbers of paths.
const PATHS: u64 = 0x7061_7468;

crate::params! {
    /// What is asked of a forecast.
    pub struct Ask {
        /// Rows to forecast.
        steps / steps: usize = 1, Kind::Count { min: 1, max: 10_000_000 };
        /// Probability that an interval holds the observation, such as 0.9; 0 asks for none.
        interval / interval: f64 = 0.0, Kind::Number { min: 0.0, max: 0.9999, open: false };
        /// Paths that are simulated for intervals.
        paths / paths: usize = 1000, Kind::Count { min: 20, max: 10_000_000 };
        /// Seed of their random numbers.
        seed / random_state: u64 = 0, Kind::Count { min: 0, max: u64::MAX };
    }
}

/// Where a forecast starts.
pub struct Start<'a> {
    /// The rows before it (at least m, ×p), the last one the latest; in the user's units.
    pub history: &'a Mat<f64>,
    /// The number of their member.
    pub member: usize,
    /// u of the rows to come (at least steps, ×e; rounded up to whole blocks of rows that are predicted at once).
    pub future: Option<&'a Mat<f64>>,
}

/// Rows to come.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// steps×p; NaN from where the path exploded.
    pub mean: Mat<f64>,
    /// Ends of the intervals (two of steps×p), if asked; infinite where paths that explode reach them.
    pub interval: Option<(Mat<f64>, Mat<f64>)>,
    /// What to know about it.
    pub warnings: Vec<String>,
}

/// Paths that go on together, in the units of the model: the last m rows of each, the latest first.
struct Paths {
    state: Mat<f64>, // paths×mp
    alive: Vec<bool>,
}

impl Paths {
    /// The rows that follow are known (paths×hp): they become the latest ones.
    fn follow(&mut self, lags: Lags, p: usize, block: &Mat<f64>) {
        let (m, h) = (lags.order, lags.ahead);
        let old = self.state.clone();
        for i in (0..old.nrows()).filter(|&i| self.alive[i]) {
            for k in 0..m {
                for t in 0..p {
                    self.state[(i, k * p + t)] =
                        if k < h { block[(i, (h - 1 - k) * p + t)] } else { old[(i, (k - h) * p + t)] };
                }
            }
        }
    }
}

impl Model {
    /// The rows after a history: the path of the mean, and quantiles of simulated paths around it. Each path keeps one
    /// deviation of the function within its error bars, tied among the variables as residuals are, and draws a residual of the
    /// fit for every step.
    /// Cost steps predictions, and steps·paths more for intervals.
    pub fn forecast(&self, start: &Start, ask: &Ask, watch: &mut dyn Watch) -> Result<Forecast> {
        crate::params::Params::check(ask)?;
        let dynamics = self.dynamics()?;
        let (p, lags) = (dynamics.variables(), dynamics.lags);
        let state = self.state(start)?;
        let blocks = ask.steps.div_ceil(lags.ahead);
        self.known(start, blocks * lags.ahead)?;
        watch.stage("forecast");
        let mut paths = Paths { state: Mat::from_fn(1, state.len(), |_, k| state[k]), alive: vec![true] };
        let mut mean = Mat::full(ask.steps, p, f64::NAN);
        let mut warnings = Vec::new();
        let mut asked_bars = self.has_posterior();
        for b in 0..blocks {
            let x = self.inputs_of(start, &paths.state, b);
            let query = Query { std: asked_bars, noise: false, ..Query::default() };
            let found = self.body.predict(&x, query)?;
            let block = found.mean;
            if found.std.map(|bars| self.is_outside(&bars)).transpose()? == Some(true) {
                asked_bars = false;
                let step = b * lags.ahead + 1;
                warnings.push(format!(
                    "step {step} follows from rows further out than any that was learned from: from there on the forecast rests \
                     on the model more than on rows, and intervals may hold less often than they say"
                ));
            }
            if let Some(k) = exploded(dynamics, &block, 0, p) {
                let step = b * lags.ahead + k + 1;
                warnings.push(format!(
                    "the forecast explodes: at step {step} it is {EXPLODED} times further out than anything learned from; the \
                     model is unstable there (a ridge, another order or method may help), and later steps are left out"
                ));
                break;
            }
            for k in 0..lags.ahead.min(ask.steps - b * lags.ahead) {
                for t in 0..p {
                    mean[(b * lags.ahead + k, t)] = self.user(start.member, t, block[(0, k * p + t)]);
                }
            }
            paths.follow(lags, p, &block);
            watch.advance(1)?;
        }
        let interval = match ask.interval > 0.0 {
            false => None,
            true => {
                let (ends, lost) = self.simulate(start, &state, ask, watch)?;
                if lost > 0 {
                    let what = "ends of intervals that they reach are infinite";
                    warnings.push(format!("{lost} of {} simulated paths explode: {what}", ask.paths));
                }
                Some(ends)
            }
        };
        if interval.is_some() && !self.has_posterior() {
            warnings.push("intervals come from residuals alone: the model has no error bars of its function".into());
        }
        Ok(Forecast { mean, interval, warnings })
    }

    /// Whether error bars of the function (1×hp) are those of a place further out than any row that was learned from: at such a
    /// row they are never wider than σ, as its own output tells the function that well.
    fn is_outside(&self, bars: &Mat<f64>) -> Result<bool> {
        let unit = match &self.body {
            Body::Linear(linear) => linear.posterior.get()?.and_then(|posterior| posterior.unit.as_ref()),
            Body::Exact(exact) => exact.posterior.get()?.and_then(|posterior| posterior.unit.as_ref()),
            Body::Affine(_) | Body::Forest(_) => None,
        };
        let sigma = units(unit, self.noise());
        Ok(sigma.iter().enumerate().any(|(t, sigma)| *sigma > 0.0 && bars[(0, t)] > (1.0 + 1e-6) * sigma))
    }

    /// y in the user's units.
    fn user(&self, member: usize, t: usize, value: f64) -> f64 {
        match &self.series {
            Some(d) => d.centre[(member, t)] + d.spread[(member, t)] * value,
            None => value,
        }
    }

    /// The last m rows of a history as the model sees them, the latest first (mp).
    pub(super) fn state(&self, start: &Start) -> Result<Vec<f64>> {
        let dynamics = self.dynamics()?;
        let (m, p, history) = (dynamics.lags.order, dynamics.variables(), start.history);
        if start.member >= dynamics.members.len() {
            return Err(Error::parameter("member", format!("below {}", dynamics.members.len()), start.member));
        }
        if history.ncols() != p || history.nrows() < m {
            let given = format!("{}×{}", history.nrows(), history.ncols());
            return Err(Error::shape("history", format!("at least {m} rows (the order) of {p} variables"), given));
        }
        let mut state = Vec::with_capacity(m * p);
        for k in 0..m {
            let i = history.nrows() - 1 - k;
            for t in 0..p {
                let value = history[(i, t)];
                if !value.is_finite() {
                    return Err(Error::Value {
                        row: i + 1,
                        column: dynamics.names[t].clone(),
                        value: value.to_string(),
                        problem: format!(
                            "is not known: a forecast starts from {m} complete rows (fill it in, or give a history that ends \
                             before it)"
                        ),
                    });
                }
                state.push((value - dynamics.centre[(start.member, t)]) / dynamics.spread[(start.member, t)]);
            }
        }
        Ok(state)
    }

    /// Refuses a forecast whose exogenous rows are not known.
    pub(super) fn known(&self, start: &Start, rows: usize) -> Result<()> {
        let dynamics = self.dynamics()?;
        let e = dynamics.exogenous.len();
        let given = start.future.map_or((0, 0), |f| (f.nrows(), f.ncols()));
        if e == 0 && start.future.is_none() {
            return Ok(());
        }
        if e != given.1 || (e > 0 && given.0 < rows) {
            let expected = format!("{rows} rows to come of {e} variables");
            let given = if start.future.is_some() { format!("{}×{}", given.0, given.1) } else { "none".into() };
            return Err(Error::shape("exogenous", expected, given));
        }
        match start.future.filter(|f| (0..rows).any(|i| f.row(i).iter().any(|v| !v.is_finite()))) {
            Some(_) => Err(Error::Data("exogenous: every value of the rows to come must be known".into())),
            None => Ok(()),
        }
    }

    /// The inputs of all paths at a block of steps.
    fn inputs_of(&self, start: &Start, state: &Mat<f64>, block: usize) -> Inputs {
        let (lags, ahead) = match &self.series {
            Some(d) => (state.ncols(), d.lags.ahead),
            None => (state.ncols(), 1),
        };
        let e = start.future.map_or(0, Mat::ncols);
        let known = |k: usize| start.future.map_or(0.0, |f| f[(block * ahead + k / e, k % e)]);
        let width = lags + ahead * e;
        Inputs::Dense(Mat::from_fn(
            state.nrows(),
            width,
            |i, k| if k < lags { state[(i, k)] } else { known(k - lags) },
        ))
    }

    /// Ends of the intervals, and how many paths exploded.
    fn simulate(
        &self,
        start: &Start,
        state: &[f64],
        ask: &Ask,
        watch: &mut dyn Watch,
    ) -> Result<((Mat<f64>, Mat<f64>), usize)> {
        let dynamics = self.dynamics()?;
        let (p, lags, n) = (dynamics.variables(), dynamics.lags, ask.paths);
        let q = p * lags.ahead;
        let (residuals, posterior) = (self.noisy_residuals(dynamics), self.has_posterior());
        let mut streams: Vec<Stream> = (0..n).map(|i| Stream::new(ask.seed, PATHS, i as u64)).collect();
        let normal = Mat::from_fn(q, n, |_, i| streams[i].normal());
        let deviation = (ties(&residuals)? * normal).transpose().to_owned(); // paths×hp
        let mut paths = Paths { state: Mat::from_fn(n, state.len(), |_, k| state[k]), alive: vec![true; n] };
        let (mut low, mut high) = (Mat::zeros(ask.steps, p), Mat::zeros(ask.steps, p));
        let mut last = Mat::<f64>::zeros(n, q);
        watch.stage("intervals");
        for b in 0..ask.steps.div_ceil(lags.ahead) {
            let x = self.inputs_of(start, &paths.state, b);
            let found = self.body.predict(&x, Query { std: posterior, noise: false, ..Query::default() })?;
            let mut block = found.mean;
            for (i, stream) in streams.iter_mut().enumerate() {
                let row = stream.below(residuals.nrows());
                for t in 0..q {
                    let function = found.std.as_ref().map_or(0.0, |s| s[(i, t)] * deviation[(i, t)]);
                    block[(i, t)] += function + if residuals.nrows() > 0 { residuals[(row, t)] } else { 0.0 };
                }
            }
            for i in 0..n {
                if paths.alive[i] && exploded(dynamics, &block, i, p).is_some() {
                    paths.alive[i] = false;
                }
                // a path that has left is beyond every bound where it left, and stays where it was last elsewhere
                for t in 0..q {
                    let out = beyond(dynamics, block[(i, t)], t % p);
                    match (paths.alive[i], out && last[(i, t)].is_finite()) {
                        (true, _) => last[(i, t)] = block[(i, t)],
                        (false, true) => {
                            last[(i, t)] = f64::INFINITY.copysign(block[(i, t)] - dynamics.middle[t % p])
                        }
                        (false, false) => {}
                    }
                    block[(i, t)] = last[(i, t)];
                }
            }
            for k in 0..lags.ahead.min(ask.steps - b * lags.ahead) {
                for t in 0..p {
                    let mut values: Vec<f64> = block.col(k * p + t).iter().copied().collect();
                    values.sort_by(f64::total_cmp);
                    let at = |share: f64| self.user(start.member, t, quantile(&values, share));
                    let step = b * lags.ahead + k;
                    low[(step, t)] = at(0.5 * (1.0 - ask.interval));
                    high[(step, t)] = at(0.5 * (1.0 + ask.interval));
                }
            }
            paths.follow(lags, p, &block);
            watch.advance(1)?;
        }
        Ok(((low, high), paths.alive.iter().filter(|a| !**a).count()))
    }

    /// Residuals about their mean, stretched to the variance of the noise: those of a fit are a little too small.
    fn noisy_residuals(&self, dynamics: &Dynamics) -> Mat<f64> {
        let r = &dynamics.residuals;
        let n = r.nrows().max(1) as f64;
        let mut out = r.clone();
        for t in 0..r.ncols() {
            let mean = r.col(t).iter().sum::<f64>() / n;
            let variance = r.col(t).iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
            let noise = self.noise()[(t, t)];
            // the noise of a fit with few degrees of freedom left is not known better than this
            let stretch = if variance > 0.0 { (noise / variance).sqrt().clamp(1.0, 3.0) } else { 0.0 };
            out.col_mut(t).iter_mut().for_each(|v| *v = (*v - mean) * stretch);
        }
        out
    }
}

/// A root of the correlations of residuals (hp×hp): deviations of the function are tied as they are. Independent ones would leave
/// what the variables have in common, where nothing is known of the function: paths of nearly collinear series exploded.
fn ties(residuals: &Mat<f64>) -> Result<Mat<f64>> {
    let all = covariance(residuals, 0.0);
    let q = all.nrows();
    let correlation = Mat::from_fn(q, q, |i, j| match (i == j, (all[(i, i)] * all[(j, j)]).sqrt()) {
        (true, _) => 1.0,
        (false, size) if size > 0.0 => all[(i, j)] / size,
        _ => 0.0,
    });
    let eigen = linalg::eigen(correlation.as_ref())?;
    Ok(Mat::from_fn(q, q, |i, k| eigen.vectors[(i, k)] * eigen.values[k].max(0.0).sqrt()))
}

/// The mean path from a state (mp, the latest row first), for models that are not yet whole: steps×p, none where it
/// explodes or where `future` is not known.
pub(crate) fn path(
    body: &Body,
    (lags, p): (Lags, usize),
    state: &[f64],
    steps: usize,
    known: &dyn Fn(usize) -> Option<Vec<f64>>,
) -> Result<Option<Mat<f64>>> {
    let mut paths = Paths { state: Mat::from_fn(1, state.len(), |_, k| state[k]), alive: vec![true] };
    let mut mean = Mat::zeros(steps, p);
    for b in 0..steps.div_ceil(lags.ahead) {
        let mut x: Vec<f64> = paths.state.row(0).iter().copied().collect();
        for k in 0..lags.ahead {
            let Some(others) = known(b * lags.ahead + k) else { return Ok(None) };
            x.extend(others);
        }
        if x.iter().any(|v| !v.is_finite()) {
            return Ok(None);
        }
        let block = body.predict(&Inputs::Dense(Mat::from_fn(1, x.len(), |_, k| x[k])), Query::default())?.mean;
        for k in 0..lags.ahead.min(steps - b * lags.ahead) {
            (0..p).for_each(|t| mean[(b * lags.ahead + k, t)] = block[(0, k * p + t)]);
        }
        paths.follow(lags, p, &block);
    }
    Ok(Some(mean))
}

/// The step of a block at which a path is out of every proportion, if there is one.
fn exploded(dynamics: &Dynamics, block: &Mat<f64>, i: usize, p: usize) -> Option<usize> {
    block.row(i).iter().enumerate().position(|(k, v)| beyond(dynamics, *v, k % p)).map(|k| k / p)
}

/// Whether a value of variable t is out of every proportion.
fn beyond(dynamics: &Dynamics, value: f64, t: usize) -> bool {
    !value.is_finite() || (value - dynamics.middle[t]).abs() > EXPLODED * dynamics.reach[t]
}

/// The value below which a share of sorted values lies, between neighbours in proportion.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (below, part) = (at.floor() as usize, at.fract());
    let above = (below + 1).min(sorted.len() - 1);
    if part == 0.0 || sorted[below].is_infinite() {
        return sorted[below];
    }
    sorted[below] + part * (sorted[above] - sorted[below])
}
