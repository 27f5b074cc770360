//! Exact ridge regression with an operator-valued kernel: the reference that features approximate.

use super::begin::{self, Begun, Choices, FittedExact, Scaled};
use super::choose::EIGEN_UNKNOWNS;
use super::declare::declare;
use super::exact_posterior::posterior;
use super::gather::TOO_FEW;
use super::noise::Misfit;
use super::ridge::times_rows;
use super::{Regression, Ridge, sample};
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::linalg;
use crate::params::Params;
use crate::rows::{Rows, Weights};
use crate::solve::{self, Dual, DualComponent, DualSolution, DualSpectral, PathPoint};
use crate::watch::Watch;
use faer::Mat;

declare! {
    /// Exact ridge regression of several outputs with an operator-valued kernel: no features, N×N matrices.
    pub struct ExactRegression:
        kernel lengthscale group
        {
            /// The ridge: a number (λ of the mean loss; scikit-learn's KernelRidge has nλ), or how to choose it.
            ridge / alpha: Ridge = Ridge::Evidence,
                Kind::WordOr(&["evidence", "gcv", "loo"], &Kind::Number { min: 0.0, max: f64::INFINITY, open: false });
        }
        offset
        {
            /// Keep what error bars need (as many numbers as the Gram matrix has).
            posterior / posterior: bool = true, Kind::Flag;
            /// Most memory for Gram matrices and their factors, in MB.
            memory / memory: u64 = 4000, Kind::Count { min: 1, max: u64::MAX };
        }
        seed
}

/// All rows that count, prepared.
struct Data {
    x: Mat<f64>,
    y: Mat<f64>,
    weights: Option<Weights>,
    /// Rows read.
    read: usize,
}

impl Data {
    /// Number of observations of each class: Σw, or the number of entries when weights are precisions of entries.
    fn observations(&self, group: &solve::Group) -> Vec<f64> {
        match self.weights {
            Some(Weights::Entry(_)) => {
                let mut counts = vec![0.0; group.totals.len()];
                group.entries.iter().for_each(|e| counts[e.1] += 1.0);
                counts
            }
            _ => group.totals.clone(),
        }
    }
}

impl ExactRegression {
    /// Learns from rows: f = ΣK(·,xᵢ)uᵢ + b with (K/n + λI)u = y/n. Time N³ and memory N², N = rows for decomposable
    /// kernels with complete outputs, N = rows × outputs otherwise.
    ///
    /// ```
    /// use orff::learn::{ExactRegression, Ridge};
    /// use orff::model::Query;
    /// use orff::rows::{Inputs, Table};
    /// use orff::watch::Silent;
    /// let x = faer::Mat::from_fn(40, 1, |i, _| i as f64 / 4.0);
    /// let y = faer::Mat::from_fn(40, 2, |i, k| (i as f64 / 4.0 + k as f64).sin());
    /// let learner = ExactRegression { ridge: Ridge::Given(1e-9), ..ExactRegression::default() };
    /// let fitted = learner.fit(&Table::new(x.clone(), y.clone())?, &mut Silent)?;
    /// let mean = fitted.model.predict(&Inputs::Dense(x), Query::default())?.mean;
    /// assert!((mean - y).norm_max() < 1e-3);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedExact> {
        self.check()?;
        begin::in_pool(self.threads, || self.fit_here(rows, watch))
    }

    fn fit_here(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedExact> {
        let mut choices = Choices::default();
        let learner = Regression {
            kernel: self.kernel.clone(),
            lengthscale: self.lengthscale.clone(),
            group: self.group.clone(),
            offset: self.offset,
            ridge: self.ridge,
            seed: self.seed,
            ..Regression::default()
        };
        let (p, v) = (rows.outputs(), self.kernel.views().map_or(1, <[_]>::len));
        let sampled = begin::sampled(&learner, rows, None, watch)?.coupled(&learner, &mut choices, watch)?;
        sampled.allow_dense(sampled.rows(), self.memory as f64)?;
        let scalar = v > 1 || sampled.some_kernel()?.separated().is_some();
        let width = if scalar { v } else { p };
        let bytes = self.allow(sampled.rows(), p, sampled.rows().saturating_mul(width))?;
        let megabytes = (bytes / 1e6).max(1.0) + watch.held();
        choices.say(
            watch,
            format!("memory about {megabytes:.0} MB for {} rows (Nyström landmarks take less)", sampled.rows()),
        );
        let mut begun = sampled.begin(&learner, &mut choices, watch)?;
        let separated = begun.inner.separated();
        let allow = |n: usize| self.allow(n, p, n.saturating_mul(width)).map(drop);
        let data = self.collect(&mut begun, rows, watch, &allow)?;
        watch.stage("solve");
        watch.advance(0)?;
        let dual = self.dual(&begun, separated, &data, p)?;
        watch.advance(0)?;
        let (solution, ridge, path) = self.solve(&dual, &mut choices, watch)?;
        choices.say(watch, format!("solved by {}", solution.how));
        let found = self.found(&begun, &data, &dual, solution, ridge);
        if self.posterior && found.posterior.is_none() {
            let why = if ridge == 0.0 { "a ridge of 0 has no posterior" } else { TOO_FEW };
            choices.say(watch, format!("no error bars: {why}"));
        }
        Ok(begun.finish(found, ridge, path, choices, data.read))
    }

    /// The bytes it takes, refused beyond the limit: the Gram matrix, a copy and its factor, and the posterior, or its
    /// eigenvectors and what their making takes.
    fn allow(&self, n: usize, p: usize, order: usize) -> Result<f64> {
        let given = matches!(self.ridge, Ridge::Given(ridge) if ridge > 0.0);
        let matrices = if given { 3.0 } else { 5.0 } + if self.posterior { 1.0 } else { 0.0 };
        let bytes = 8.0 * matrices * (order as f64) * (order as f64);
        if bytes <= self.memory as f64 * 1e6 {
            return Ok(bytes);
        }
        Err(Error::refused(
            format!("exact ridge on {n} rows × {p} outputs"),
            format!(
                "it needs {} GB and memory allows {} MB; use random features or Nyström landmarks, or raise memory",
                if bytes < 1e9 { (bytes / 1e6).ceil() / 1e3 } else { (bytes / 1e9).ceil() },
                self.memory
            ),
        ))
    }

    /// Reads every row; those on which nothing was observed do not count.
    fn collect<'a>(
        &self,
        begun: &mut Begun<'a>,
        rows: &'a dyn Rows,
        watch: &mut dyn Watch,
        allow: &dyn Fn(usize) -> Result<()>,
    ) -> Result<Data> {
        watch.stage("fit");
        let mut read = 0;
        let mut kept: Vec<(Vec<f64>, Vec<f64>, Vec<f64>)> = Vec::new();
        let (mut by_entry, mut weighted) = (false, false);
        for block in begun.blocks(rows)? {
            let block = block?;
            let n = block.inputs.nrows();
            allow(read + n)?;
            sample::check(&block, read)?;
            let (inputs, y, weights) = begun.stage.prepare(&block, read + 1)?;
            let x = inputs.to_dense();
            by_entry |= matches!(weights, Some(Weights::Entry(_)));
            weighted |= weights.is_some();
            for i in (0..y.nrows()).filter(|&i| begin::row_weight(&y, weights.as_ref(), i) > 0.0) {
                let w = |t: usize| begin::weight(weights.as_ref(), i, t);
                kept.push((
                    x.row(i).iter().copied().collect(),
                    (0..y.ncols()).map(|t| if w(t) > 0.0 { y[(i, t)] } else { f64::NAN }).collect(),
                    (0..y.ncols()).map(w).collect(),
                ));
            }
            read += n;
            watch.advance(n as u64)?;
        }
        let (n, d) = (kept.len(), kept.first().map_or(0, |k| k.0.len()));
        let weights = match (weighted, by_entry) {
            (false, _) => None,
            (true, false) => Some(Weights::Row(kept.iter().map(|k| k.2[0]).collect())),
            (true, true) => Some(Weights::Entry(Mat::from_fn(n, begun.columns, |i, t| kept[i].2[t]))),
        };
        let x = Mat::from_fn(n, d, |i, k| kept[i].0[k]);
        let y = Mat::from_fn(n, begun.columns, |i, t| kept[i].1[t]);
        let total = |t: usize| (0..n).filter(|&i| y[(i, t)].is_finite()).map(|i| kept[i].2[t]).sum();
        solve::check_observed(&(0..begun.columns).map(total).collect::<Vec<f64>>())?;
        Ok(Data { x, y, weights, read })
    }

    /// The Gram matrices and right-hand sides: one of n for a decomposable kernel with complete outputs (its Γ is
    /// diagonalised), one per output for a diagonal Γ, one of all observed entries otherwise.
    fn dual(&self, begun: &Begun, separated: Option<(Kernel, Mat<f64>)>, data: &Data, p: usize) -> Result<Dual> {
        let (n, columns) = (data.x.nrows(), begun.columns);
        let weight = |i: usize, t: usize| begin::weight(data.weights.as_ref(), i, t);
        let rows: f64 = (0..n).map(|i| begin::row_weight(&data.y, data.weights.as_ref(), i)).sum();
        let rows = rows / begun.stage.preparation.expansion() as f64;
        let observed: Vec<Vec<usize>> =
            (0..columns).map(|t| (0..n).filter(|&i| data.y[(i, t)].is_finite()).collect()).collect();
        let complete = observed.iter().all(|o| o.len() == n) && !matches!(data.weights, Some(Weights::Entry(_)));
        let known = |group: &solve::Group| data.observations(group).iter().sum::<f64>();
        let count = |group: &solve::Group| known(group) - if self.offset { group.totals.len() as f64 } else { 0.0 };
        match separated {
            Some((scalar, gamma)) if complete => {
                let gram = scalar.sections(data.x.as_ref(), data.x.as_ref())?;
                let weights: Vec<f64> = (0..n).map(|i| weight(i, 0)).collect();
                let group = solve::Group::new(gram, (0..n).map(|i| (i, 0)).collect(), &weights, 1, self.offset);
                let eigen = linalg::eigen(gamma.as_ref())?;
                let top = eigen.values.iter().copied().fold(0.0, f64::max);
                let components = (0..columns).map(|k| {
                    let u: Vec<f64> = eigen.vectors.col(k).iter().copied().collect();
                    let along: Vec<f64> = (0..n).map(|i| (0..columns).map(|t| data.y[(i, t)] * u[t]).sum()).collect();
                    DualComponent {
                        group: 0,
                        s2: if eigen.values[k] > 1e-14 * top { eigen.values[k] } else { 0.0 },
                        target: group.target(&along),
                        count: count(&group),
                        direction: Some(u),
                    }
                });
                let (components, observed) = (components.collect(), columns as f64 * known(&group));
                Ok(Dual { rows, observed, groups: vec![group], components })
            }
            Some((scalar, gamma)) if solve::is_diagonal(&gamma) => {
                let gram = scalar.sections(data.x.as_ref(), data.x.as_ref())?;
                let (mut groups, mut components) = (Vec::new(), Vec::new());
                for (t, seen) in observed.iter().enumerate() {
                    let own = Mat::from_fn(seen.len(), seen.len(), |i, j| gram[(seen[i], seen[j])]);
                    let weights: Vec<f64> = seen.iter().map(|&i| weight(i, t)).collect();
                    let group =
                        solve::Group::new(own, seen.iter().map(|&i| (i, 0)).collect(), &weights, 1, self.offset);
                    let y: Vec<f64> = seen.iter().map(|&i| data.y[(i, t)]).collect();
                    components.push(DualComponent {
                        group: t,
                        s2: gamma[(t, t)].max(0.0),
                        target: group.target(&y),
                        count: count(&group),
                        direction: Some((0..columns).map(|s| f64::from(u8::from(s == t))).collect()),
                    });
                    groups.push(group);
                }
                Ok(Dual { rows, observed: groups.iter().map(known).sum(), groups, components })
            }
            _ => {
                self.allow(n, p, n.saturating_mul(columns))?;
                let all = begun.inner.sections(data.x.as_ref(), data.x.as_ref())?;
                let entries: Vec<(usize, usize)> = (0..n * columns)
                    .map(|e| (e / columns, e % columns))
                    .filter(|&(i, t)| data.y[(i, t)].is_finite())
                    .collect();
                let at = |e: usize| entries[e].0 * columns + entries[e].1;
                let gram = match entries.len() == n * columns {
                    true => all,
                    false => Mat::from_fn(entries.len(), entries.len(), |e, f| all[(at(e), at(f))]),
                };
                let weights: Vec<f64> = entries.iter().map(|&(i, t)| weight(i, t)).collect();
                let y: Vec<f64> = entries.iter().map(|&e| data.y[e]).collect();
                let group = solve::Group::new(gram, entries, &weights, columns, self.offset);
                let component = DualComponent {
                    group: 0,
                    s2: 1.0,
                    target: group.target(&y),
                    count: count(&group),
                    direction: None,
                };
                Ok(Dual { rows, observed: known(&group), groups: vec![group], components: vec![component] })
            }
        }
    }

    fn solve(
        &self,
        dual: &Dual,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<(DualSolution, f64, Vec<PathPoint>)> {
        if let Ridge::Given(ridge) = self.ridge {
            times_rows(ridge, dual.order() as f64)?;
        }
        if let Ridge::Given(ridge) = self.ridge
            && ridge > 0.0
            && (dual.distinct() == 1 || dual.order() > EIGEN_UNKNOWNS)
        {
            return Ok((dual.solve(ridge, self.posterior)?, ridge, Vec::new()));
        }
        if dual.order() > EIGEN_UNKNOWNS {
            return Err(Error::refused(
                format!("choosing the ridge (or ridge 0) for {} observations at once", dual.order()),
                format!(
                    "eigenvalues are computed of at most {EIGEN_UNKNOWNS}; give a ridge > 0, or use regression or nystrom"
                ),
            ));
        }
        let spectral = DualSpectral::new(dual)?;
        watch.advance(0)?;
        let scores = |ridge: f64| match self.ridge {
            Ridge::Loo => PathPoint { loo: Some(spectral.leave_one_out(ridge)), ..spectral.at(ridge) },
            _ => spectral.at(ridge),
        };
        let path: Vec<PathPoint> = spectral.grid(29).into_iter().map(scores).collect();
        let (ridge, by) = match self.ridge {
            Ridge::Given(ridge) => {
                let path = scores(ridge).among(path);
                return Ok((spectral.solve(ridge, self.posterior), ridge, path));
            }
            Ridge::Evidence => (spectral.minimise(|l| -spectral.at(l).evidence)?, "largest evidence"),
            Ridge::Gcv => (spectral.minimise(|l| spectral.at(l).gcv)?, "smallest generalised cross-validation score"),
            Ridge::Loo => (spectral.minimise(|l| spectral.leave_one_out(l))?, "smallest leave-one-out error"),
        };
        let best = scores(ridge);
        choices.say(watch, format!("ridge {ridge:.3e}: {by}; {:.1} degrees of freedom", best.freedom));
        let path = best.among(path);
        Ok((spectral.solve(ridge, self.posterior), ridge, path))
    }

    /// Coefficients, constants, noise and posterior, in scaled outputs.
    fn found(&self, begun: &Begun, data: &Data, dual: &Dual, solution: DualSolution, ridge: f64) -> Scaled {
        let (m, columns) = (data.x.nrows(), begun.columns);
        let mut coefficients = Mat::zeros(m, columns);
        let mut residuals = Mat::<f64>::zeros(m, columns);
        let mut constants = vec![0.0; columns];
        let (mut totals, mut known) = (vec![0.0; columns], vec![0.0; columns]);
        let (mut freedom, mut penalty) = (vec![0.0; columns], vec![0.0; columns]);
        for (k, c) in dual.components.iter().enumerate() {
            let group = &dual.groups[c.group];
            let observations = data.observations(group);
            let v = &solution.coefficients[k];
            // nλ‖f‖² is what the residuals have of the fitted values
            let cost: f64 =
                c.target.iter().zip(&solution.residuals[k]).map(|(y, r)| r * (y - r)).sum::<f64>().max(0.0);
            // u along the direction, and what it adds to the mean of each class: s² Mᵀ K u
            let mut u: Vec<f64> = v.iter().zip(&group.root).map(|(v, r)| v * r).collect();
            if self.offset {
                balance(&mut u, group);
            }
            let shift = |class: usize| c.s2 * (0..u.len()).map(|e| group.drift[(e, class)] * u[e]).sum::<f64>();
            for (e, &(i, class)) in group.entries.iter().enumerate() {
                match &c.direction {
                    Some(along) => along.iter().enumerate().for_each(|(t, a)| {
                        coefficients[(i, t)] += u[e] * a;
                        residuals[(i, t)] += solution.residuals[k][e] * a;
                    }),
                    None => {
                        coefficients[(i, class)] = u[e];
                        residuals[(i, class)] = solution.residuals[k][e];
                    }
                }
            }
            match &c.direction {
                Some(along) => along.iter().enumerate().for_each(|(t, a)| {
                    constants[t] -= shift(0) * a;
                    freedom[t] += solution.freedom[k] * a * a;
                    penalty[t] += cost * a * a;
                    totals[t] += group.totals[0] * a * a;
                    known[t] += observations[0] * a * a;
                }),
                None => (0..columns).for_each(|t| {
                    constants[t] -= shift(t);
                    totals[t] = group.totals[t];
                    known[t] = observations[t];
                    let count = observations[t] - f64::from(u8::from(self.offset));
                    freedom[t] = solution.freedom[k] * count / c.count;
                    penalty[t] = cost * count / c.count;
                }),
            }
        }
        let mut found = Vec::with_capacity(columns);
        for t in 0..columns {
            let weight = |i: usize| begin::weight(data.weights.as_ref(), i, t);
            if self.offset {
                let seen = (0..m).filter(|&i| data.y[(i, t)].is_finite());
                constants[t] += seen.map(|i| weight(i) * data.y[(i, t)]).sum::<f64>() / totals[t];
            }
            let rss: f64 = residuals.col(t).iter().map(|r| r * r).sum();
            let count = known[t] - f64::from(u8::from(self.offset));
            let weight = totals[t] / known[t];
            let misfit = Misfit { rss, penalty: penalty[t], count, spent: freedom[t], weight };
            found.push(misfit.column(constants[t]));
        }
        // more rows than constants, up to the rounding of their sums
        let judged = known.iter().all(|known| known - f64::from(u8::from(self.offset)) > 1.0 - 1e-9);
        let posterior = (self.posterior && ridge > 0.0 && judged)
            .then(|| posterior(dual, &solution, ridge, (m, columns), &totals, self.offset));
        Scaled { points: data.x.clone(), coefficients, columns: found, posterior }
    }
}

/// With an offset the coefficients of each class sum to zero. A tiny ridge amplifies their rounding along the constants,
/// which the kernel does not damp: take it out.
fn balance(u: &mut [f64], group: &solve::Group) {
    for class in 0..group.totals.len() {
        let members: Vec<usize> = (0..u.len()).filter(|&e| group.entries[e].1 == class).collect();
        let weight: f64 = members.iter().map(|&e| group.root[e] * group.root[e]).sum();
        let excess = members.iter().map(|&e| u[e]).sum::<f64>() / weight;
        members.iter().for_each(|&e| u[e] -= excess * group.root[e] * group.root[e]);
    }
}
