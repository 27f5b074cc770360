//! Lengthscale and ridge by the errors of sequential cross-validation: those that would have been best so far. \[running\]

use super::begin::Choices;
use super::series::{Autoregression, Choose, Method};
use super::validation::Tally;
use super::windows::Task;
use super::{Ridge, Sequential};
use crate::error::Result;
use crate::kernel::Units;
use crate::model::Training;
use crate::series::Series;
use crate::spectrum::Lengthscale;
use crate::watch::Watch;
use faer::{Mat, MatRef};

/// Windows at which all candidates are compared, at most: inside the first window, and as windows slide.
const INSIDE: usize = 50;
const ALONG: usize = 200;
/// Lengthscales that are compared, as powers of two of √d deviations: at the longest ones the functions are lines.
const OCTAVES: std::ops::RangeInclusive<i32> = -1..=6;
/// Ridges that are compared, as powers of ten.
const RIDGES: std::ops::RangeInclusive<i32> = -8..=1;
/// What is taken where nothing can be compared.
const OCTAVE: i32 = 1;
const RIDGE: f64 = 1e-3;

/// What is compared: every lengthscale with every ridge.
struct Candidates {
    lengthscales: Vec<Lengthscale>,
    ridges: Vec<f64>,
    /// The one to start from.
    start: usize,
}

impl Candidates {
    /// Lengthscales in units of the deviation of each input (n×d) and of their root mean square, unless they are given.
    fn of(learner: &Autoregression, inputs: MatRef<f64>) -> Self {
        let ridges: Vec<f64> = match (learner.ridge, learner.method) {
            (Ridge::Given(ridge), _) => vec![ridge],
            (_, Method::Linear) => [0.0].into_iter().chain(RIDGES.map(power)).collect(),
            _ => RIDGES.map(power).collect(),
        };
        let middle = ridges.iter().position(|&r| r >= RIDGE).unwrap_or(0);
        let kernel = learner.kernel.with_lengthscale(&learner.lengthscale);
        let open = kernel.with_lengthscale(&1.0.into()) != kernel.with_lengthscale(&2.0.into());
        if learner.method == Method::Linear || !open {
            return Candidates { lengthscales: vec![learner.lengthscale.clone()], ridges, start: middle };
        }
        let d = inputs.ncols();
        let own: Vec<f64> = (0..d).map(|k| deviation(inputs, k)).collect();
        let square = own.iter().map(|s| s * s).sum::<f64>() / d as f64;
        let common = if square > 0.0 { square.sqrt() } else { 1.0 };
        let times = |k: i32| libm::exp2(f64::from(k)) * (d as f64).sqrt();
        let mut lengthscales: Vec<Lengthscale> = OCTAVES.map(|k| Lengthscale::Common(times(k) * common)).collect();
        let start = OCTAVES.take_while(|&k| k < OCTAVE).count() * ridges.len() + middle;
        if kernel.units().0 == Units::Free && d > 1 {
            let unit = |s: &f64| if *s > 0.0 { *s } else { common };
            let of = |k: i32| Lengthscale::PerInput(own.iter().map(|s| times(k) * unit(s)).collect());
            lengthscales.extend(OCTAVES.map(of));
        }
        Candidates { lengthscales, ridges, start }
    }

    /// The candidate with the smallest sum of errors.
    fn least(&self, sums: &[f64]) -> usize {
        let better = |best: usize, c: usize| if sums[c] < sums[best] { c } else { best };
        (0..sums.len()).fold(self.start, better)
    }

    /// The lengthscale and the ridge of a candidate in words.
    fn said(&self, c: usize) -> String {
        let ridge = format!("ridge {:.0e}", self.ridges[c % self.ridges.len()]);
        match &self.lengthscales[c / self.ridges.len()] {
            Lengthscale::Auto => ridge,
            Lengthscale::Common(l) => format!("lengthscale {l:.4}, {ridge}"),
            Lengthscale::PerInput(l) => {
                let shown = l.iter().take(4).map(|l| format!("{l:.4}")).collect::<Vec<_>>().join(", ");
                format!("lengthscale {shown}{}, {ridge}", if l.len() > 4 { ", …" } else { "" })
            }
        }
    }
}

fn power(k: i32) -> f64 {
    libm::pow(10.0, f64::from(k))
}

fn deviation(x: MatRef<f64>, k: usize) -> f64 {
    let n = x.nrows().max(1) as f64;
    let mean = x.col(k).iter().sum::<f64>() / n;
    let sd = (x.col(k).iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt();
    if sd > 1e-12 * mean.abs() { sd } else { 0.0 }
}

impl Task<'_> {
    fn candidates(&self) -> Candidates {
        Candidates::of(self.learner, self.rows.inputs.subrows(self.first.start, self.first.len()))
    }

    /// Some of the windows.
    fn only(&self, some: &[usize]) -> Task<'_> {
        Task {
            windows: some.iter().map(|&w| self.windows[w].clone()).collect(),
            ends: some.iter().map(|&w| self.ends[w]).collect(),
            number: some.to_vec(),
            first: self.first.clone(),
            ..*self
        }
    }

    /// Windows of half the size inside the first one, so many rows long; what they predict is inside it, too.
    fn inside(&self, window: usize) -> Task<'_> {
        let half = window / 2;
        let last = (window + 1).saturating_sub(self.horizon);
        let step = last.saturating_sub(half).div_ceil(INSIDE).max(1);
        let range = |end: usize| self.lags.window(self.rows, end - half, end);
        let ends: Vec<usize> = (half..last).step_by(step).filter(|&end| range(end).len() >= 2).collect();
        let windows = ends.iter().map(|&end| range(end)).collect();
        Task { windows, number: (0..ends.len()).collect(), ends, first: self.first.clone(), ..*self }
    }

    /// Sums of squared errors after each window (rows) of every candidate (columns), infinite where a prediction is.
    fn errors(&self, candidates: &Candidates, watch: &mut dyn Watch) -> Result<Mat<f64>> {
        let (ridges, count) = (&candidates.ridges, candidates.ridges.len());
        let mut sums = Mat::full(self.windows.len(), candidates.lengthscales.len() * count, f64::INFINITY);
        let mut skipped = Mat::full(sums.nrows(), sums.ncols(), usize::MAX);
        if self.windows.is_empty() {
            return Ok(sums);
        }
        let (all, mut tally) = ((0..self.windows.len()).collect::<Vec<_>>(), Tally::default());
        for (l, lengthscale) in candidates.lengthscales.iter().enumerate() {
            let learner = Autoregression { lengthscale: lengthscale.clone(), ..self.learner.clone() };
            let task = Task { learner: &learner, ..self.only(&all) };
            let told = &mut |w: usize, r: usize, body: &_| {
                tally.clear();
                task.score(w, body, &mut tally)?;
                sums[(w, l * count + r)] = tally.squares();
                skipped[(w, l * count + r)] = tally.skipped;
                Ok(())
            };
            task.each(Some(&|_| ridges.clone()), told, watch)?;
        }
        // a path that is lost on the way must not count as a small error
        for w in 0..sums.nrows() {
            let least = skipped.row(w).iter().copied().min().unwrap_or(0);
            (0..sums.ncols()).filter(|&c| skipped[(w, c)] > least).for_each(|c| sums[(w, c)] = f64::INFINITY);
        }
        Ok(sums)
    }

    /// Scores every window with the candidate that has the smallest errors at windows before, and inside the first one:
    /// the rows that are predicted have no part in what predicts them. Candidates are compared at some of the windows.
    pub fn running(&self, window: usize, tally: &mut Tally, watch: &mut dyn Watch) -> Result<Training> {
        let (candidates, count) = (self.candidates(), self.windows.len());
        let inside = self.inside(window);
        let before = inside.errors(&candidates, watch)?;
        let step = count.div_ceil(ALONG);
        let some: Vec<usize> = (0..count).step_by(step).collect();
        let along = self.only(&some).errors(&candidates, watch)?;
        let stride = (window - window / 2) as f64 / before.nrows().max(1) as f64;
        let mut sums: Vec<f64> =
            (0..along.ncols()).map(|c| stride * (0..before.nrows()).map(|w| before[(w, c)]).sum::<f64>()).collect();
        let (mut chosen, mut known) = (Vec::with_capacity(count), 0);
        for &end in &self.ends {
            while known < some.len() && self.ends[some[known]] + self.horizon <= end {
                (0..sums.len()).for_each(|c| sums[c] += step as f64 * along[(known, c)]);
                known += 1;
            }
            chosen.push(candidates.least(&sums));
        }
        let mut training = Training::default();
        let per = candidates.ridges.len();
        for (l, lengthscale) in candidates.lengthscales.iter().enumerate() {
            let own: Vec<usize> = (0..count).filter(|&w| chosen[w] / per == l).collect();
            if own.is_empty() {
                continue;
            }
            let learner = Autoregression { lengthscale: lengthscale.clone(), ..self.learner.clone() };
            let task = Task { learner: &learner, ..self.only(&own) };
            let ridges = |i: usize| vec![candidates.ridges[chosen[own[i]] % per]];
            let told = &mut |i: usize, _: usize, body: &_| task.score(i, body, tally);
            let found = task.each(Some(&ridges), told, watch)?;
            if own.last() == Some(&(count - 1)) {
                training = found;
            }
        }
        let (first, last) = (chosen[0], chosen[count - 1]);
        training.ridge = candidates.ridges[last % per];
        let changes = chosen.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let mut choices = Choices::default();
        choices.say(watch, format!("first window: {}, {}", candidates.said(first), by(&candidates, before.nrows())));
        let so_far = by(&candidates, before.nrows() + some.len());
        choices.say(watch, format!("last window: {} after {changes} changes, {so_far}", candidates.said(last)));
        training.choices = choices.lines;
        Ok(training)
    }
}

fn by(candidates: &Candidates, windows: usize) -> String {
    let count = candidates.lengthscales.len() * candidates.ridges.len();
    match windows {
        0 => format!("too few rows to compare {count} candidates"),
        _ => format!("smallest error of {count} candidates after {windows} windows"),
    }
}

impl Autoregression {
    /// The learner with the lengthscale and the ridge that have the smallest error in sequential cross-validation of the
    /// whole series, where this is how they are chosen.
    pub(super) fn settled(
        &self,
        series: &Series,
        order: usize,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<Self> {
        if self.choose == Choose::Evidence {
            return Ok(self.here());
        }
        let step = (series.length() / (2 * ALONG)).max(1);
        let layout =
            self.layout(series, order, &Sequential { step, horizon: self.ahead, ..Sequential::default() })?;
        let task = layout.task(self);
        watch.stage("choose");
        let candidates = task.candidates();
        let errors = task.errors(&candidates, watch)?;
        let sums: Vec<f64> = (0..errors.ncols()).map(|c| (0..errors.nrows()).map(|w| errors[(w, c)]).sum()).collect();
        let best = candidates.least(&sums);
        choices.say(watch, format!("{}: {}", candidates.said(best), by(&candidates, errors.nrows())));
        Ok(Autoregression {
            lengthscale: candidates.lengthscales[best / candidates.ridges.len()].clone(),
            ridge: Ridge::Given(candidates.ridges[best % candidates.ridges.len()]),
            choose: Choose::Evidence,
            ..self.here()
        })
    }
}
