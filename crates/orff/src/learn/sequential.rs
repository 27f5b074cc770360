//! Sequential cross-validation: fit on a window, score the rows that follow it, slide on. \[windows\]

use super::begin::in_pool;
use super::series::{Autoregression, Choose};
use super::validation::Tally;
use super::windows::Task;
use super::{Order, Validation};
use crate::error::{Error, Result};
use crate::params::{Auto, Params};
use crate::series::{Lags, Series, Transitions};
use crate::watch::Watch;
use std::ops::Range;

crate::params! {
    /// Sequential cross-validation.
    pub struct Sequential {
        /// Rows of the window, of the first one where it expands; auto is half of the rows.
        window / window: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 2, max: u64::MAX });
        /// Keep the first row in every window: it expands instead of sliding.
        expanding / expanding: bool = false, Kind::Flag;
        /// Rows that are predicted after each window.
        horizon / horizon: usize = 1, Kind::Count { min: 1, max: 1_000_000 };
        /// Rows from one window to the next.
        step / step: usize = 1, Kind::Count { min: 1, max: u64::MAX };
    }
}

impl Autoregression {
    /// Fits on windows and scores the rows that follow. Scales, lengthscale, frequencies and ridge are those of the first
    /// window, or lengthscale and ridge those with the smallest errors of windows before; the rest is fitted anew on each.
    /// With N rows and K unknowns N·K² + windows·K³ operations instead of windows·N·K² (exact kernels are refitted).
    ///
    /// ```
    /// use orff::learn::{Autoregression, Method, Sequential};
    /// use orff::series::Series;
    /// use orff::watch::Silent;
    /// let mut y = vec![0.0];
    /// (1..40).for_each(|t| y.push(0.9 * y[t - 1] + 0.1)); // a line tells the next value exactly
    /// let series = Series::new(faer::Mat::from_fn(40, 1, |i, _| y[i] + (i % 2) as f64))?;
    /// let learner = Autoregression { method: Method::Linear, order: orff::learn::Order::Given(2), ..Default::default() };
    /// let found = learner.validate(&series, &Sequential::default(), &mut Silent)?;
    /// assert!(found.windows == 20 && found.mse < 1e-18);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn validate(&self, series: &Series, how: &Sequential, watch: &mut dyn Watch) -> Result<Validation> {
        self.check()?;
        how.check()?;
        in_pool(self.threads, || self.here().validate_knowing(0, series, how, watch))
    }

    /// The same for rows of which so many before are known at least: what models of other orders can predict, too.
    pub(super) fn validate_knowing(
        &self,
        past: usize,
        series: &Series,
        how: &Sequential,
        watch: &mut dyn Watch,
    ) -> Result<Validation> {
        let Order::Given(order) = self.order else {
            return Err(Error::refused("validating an order that is chosen", "give the order"));
        };
        let layout = self.layout(series, order, how)?;
        let task = Task { past: past.max(order), ..layout.task(self) };
        watch.stage("validate");
        let mut tally = Tally::after(layout.empty * how.horizon * series.members.len());
        let training = match self.choose {
            Choose::Evidence => task.each(None, &mut |w, _, body| task.score(w, body, &mut tally), watch),
            Choose::Validation => task.running(layout.window, &mut tally, watch),
        };
        let sizes = (series.variables(), series.exogenous.len());
        let training = training.map_err(|e| layout.lags.told(e, sizes))?;
        tally.scores(series.variables(), how.horizon, (task.windows.len(), layout.window), training)
    }

    /// The windows of a series.
    pub(super) fn layout(&self, series: &Series, order: usize, how: &Sequential) -> Result<Layout> {
        let (lags, length) = (Lags { order, ahead: self.ahead }, series.length());
        let window = how.window.fixed().unwrap_or(length / 2);
        if window >= length || window < order + self.ahead {
            let expected = format!(
                "at least {} rows (order and rows ahead) and less than the {length} of the series",
                order + self.ahead
            );
            return Err(Error::parameter("window", expected, window));
        }
        let (centre, spread) = self.units(series, window);
        let seen = series.standardised(&centre, &spread);
        let rows = lags.transitions(&seen)?;
        let from = |end: usize| if how.expanding { 0 } else { end - window };
        let range = |end: usize| lags.window(&rows, from(end), end);
        // a window in a gap has nothing to learn from
        let (ends, empty): (Vec<usize>, Vec<usize>) =
            (window..length).step_by(how.step).partition(|&end| range(end).len() >= 2);
        if ends.first() != Some(&window) {
            let how = "widen it, or fill in the gaps";
            return Err(Error::Data(format!("the first window of {window} rows has fewer than two steps: {how}")));
        }
        let windows = ends.iter().map(|&end| range(end)).collect();
        Ok(Layout { lags, seen, rows, windows, ends, empty: empty.len(), window, horizon: how.horizon })
    }
}

/// A series cut into windows.
pub(super) struct Layout {
    lags: Lags,
    seen: Series,
    rows: Transitions,
    windows: Vec<Range<usize>>,
    ends: Vec<usize>,
    /// Windows without rows to learn from.
    empty: usize,
    /// Rows of a window.
    window: usize,
    horizon: usize,
}

impl Layout {
    /// The windows as a learner sees them.
    pub fn task<'a>(&'a self, learner: &'a Autoregression) -> Task<'a> {
        Task {
            learner,
            lags: self.lags,
            seen: &self.seen,
            rows: &self.rows,
            first: self.windows[0].clone(),
            windows: self.windows.clone(),
            ends: self.ends.clone(),
            number: (0..self.ends.len()).collect(),
            horizon: self.horizon,
            past: self.lags.order,
        }
    }
}
