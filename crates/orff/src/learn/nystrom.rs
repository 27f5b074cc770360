//! Ridge regression on Nyström features: the data-dependent comparison to random ones (T17 §2.1.2.2).

use super::begin::{self, Begun, Choices, FittedExact, Sampled, Scaled};
use super::choose::EIGEN_UNKNOWNS;
use super::declare::declare;
use super::gather::TOO_FEW;
use super::noise::Misfit;
use super::sections::{Sections, posterior};
use super::stage::Stage;
use super::{Landmarks, Regression, Ridge, sample};
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Characters, Moments};
use crate::params::{Auto, Params};
use crate::rows::{Rows, Weights};
use crate::solve::{self, Centred, Component, Shape, Solution, Spectral, System};
use crate::watch::Watch;
use faer::Mat;

declare! {
    /// Ridge regression of several outputs with an operator-valued kernel, through its sections at landmarks.
    pub struct Nystrom:
        kernel lengthscale group
        {
            /// Number of landmarks.
            points / n_components: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 10_000 });
            /// How they are chosen.
            landmarks / landmarks: Landmarks = Landmarks::Uniform, Kind::Choice(&["uniform", "distant"]);
            /// The ridge: a number (λ of the mean loss; scikit-learn's Ridge has nλ), or how to choose it.
            ridge / alpha: Ridge = Ridge::Evidence,
                Kind::WordOr(&["evidence", "gcv"], &Kind::Number { min: 0.0, max: f64::INFINITY, open: false });
        }
        offset
        {
            /// Keep what error bars need (the square of the number of features).
            posterior / posterior: bool = true, Kind::Flag;
        }
        seed
}

impl Nystrom {
    /// Learns from rows: landmarks from the sample, one pass for the moments of φ, one solve. Time N·m² + m³, memory
    /// m² whatever the number of rows (m·p in place of m, and p times that, for kernels that are not decomposable).
    ///
    /// ```
    /// use orff::learn::Nystrom;
    /// use orff::model::Query;
    /// use orff::params::Auto;
    /// use orff::rows::{Inputs, Table};
    /// use orff::watch::Silent;
    /// let x = faer::Mat::from_fn(200, 1, |i, _| i as f64 / 20.0);
    /// let y = faer::Mat::from_fn(200, 2, |i, k| (i as f64 / 20.0 + k as f64).sin());
    /// let learner = Nystrom { points: Auto::Fixed(40), ..Nystrom::default() };
    /// let fitted = learner.fit(&Table::new(x.clone(), y.clone())?, &mut Silent)?;
    /// let mean = fitted.model.predict(&Inputs::Dense(x), Query::default())?.mean;
    /// assert!((mean - y).norm_max() < 1e-2);
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
        let sampled = begin::sampled(&learner, rows, None, watch)?.coupled(&learner, &mut choices, watch)?;
        sampled.allow_dense(sampled.prepared(), learner.memory as f64)?;
        let count = self.count(&sampled, &mut choices, watch)?;
        let mut begun = sampled.begin(&learner, &mut choices, watch)?;
        let sections = self.sections(count, &begun, &mut choices, watch)?;
        let pass = self.pass(&mut begun, &sections, rows, watch)?;
        watch.stage("solve");
        watch.advance(0)?;
        let system = pass.system(&sections)?;
        watch.advance(0)?;
        let spectral = Spectral::new(system)?;
        watch.advance(0)?;
        let path = spectral.path();
        let best = match self.ridge {
            Ridge::Given(ridge) => spectral.at(ridge),
            Ridge::Gcv => spectral.minimise(|p| p.gcv)?,
            _ => spectral.minimise(|p| -p.evidence)?,
        };
        if !matches!(self.ridge, Ridge::Given(_)) {
            let gcv = self.ridge == Ridge::Gcv;
            let by = if gcv { "smallest generalised cross-validation score" } else { "largest evidence" };
            choices.say(watch, format!("ridge {:.3e}: {by}; {:.1} degrees of freedom", best.ridge, best.freedom));
        }
        let solution = spectral.solve(&sections, best.ridge, self.posterior)?;
        choices.say(watch, format!("solved by {}", solution.how));
        let found = self.found(sections, &pass, spectral.system(), solution, best.ridge)?;
        if self.posterior && found.posterior.is_none() {
            let why = if best.ridge == 0.0 { "a ridge of 0 has no posterior" } else { TOO_FEW };
            choices.say(watch, format!("no error bars: {why}"));
        }
        Ok(begun.finish(found, best.ridge, best.among(path), choices, pass.rows))
    }

    /// Number of landmarks, and the memory they take.
    fn count(&self, sampled: &Sampled, choices: &mut Choices, watch: &mut dyn Watch) -> Result<usize> {
        let width = if sampled.some_kernel()?.separated().is_some() { 1 } else { sampled.columns() };
        let (most, drawn) = (EIGEN_UNKNOWNS / width, sampled.prepared());
        let count = match self.points.fixed() {
            Some(points) if points > most => {
                let why = format!("{width} unknowns for each, and {EIGEN_UNKNOWNS} are solved at once");
                return Err(Error::parameter("points", format!("at most {most} ({why})"), points));
            }
            Some(points) => points.min(drawn),
            None => {
                let rows = sampled.drawn.size().unwrap_or(usize::MAX / 16) as f64;
                let useful = ((10.0 * rows.sqrt()) as usize).clamp(100, 1000);
                let chosen = useful.min(most / 2).max(1).min(drawn);
                choices.say(watch, format!("points {chosen}: ten times the root of the rows, from 100 to 1000"));
                chosen
            }
        };
        // the whitener; moments of each section of a point, beside sections, features and their copy of a block of rows; or
        // centred, beside the system with its eigenvectors, and the posterior
        let unknowns = (count * width) as f64;
        let blocks = 3.0 * (BLOCK_ROWS * width) as f64 * unknowns;
        let solver = 6.8 + if self.posterior { 2.0 } else { 0.0 };
        let square = unknowns * unknowns;
        let peak = square + 2.0 * width as f64 * square + blocks.max(solver * square);
        let megabytes = 8.0 * (peak + 5.0 * sampled.numbers()) / 1e6 + 2.0 + watch.held();
        choices.say(watch, format!("memory about {megabytes:.0} MB for {count} landmarks (fewer take less)"));
        Ok(count)
    }

    /// Landmarks and their whitener.
    fn sections(
        &self,
        count: usize,
        begun: &Begun,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<Sections> {
        let (inputs, ..) = begun.stage.prepare(&begun.drawn.rows, 1)?;
        let sample = inputs.to_dense();
        let chosen = self.landmarks.choose(&sample, count, self.seed);
        let points = Mat::from_fn(chosen.len(), sample.ncols(), |j, k| sample[(chosen[j], k)]);
        let sections = Sections::new(&begun.inner, points, begun.columns)?;
        let (rank, of) = (sections.rank(), sections.whitener.nrows());
        if rank < of {
            choices.say(
                watch,
                format!("{rank} features: {} of {of} sections depend on the others to rounding", of - rank),
            );
        }
        Ok(sections)
    }

    fn pass<'a>(
        &self,
        begun: &mut Begun<'a>,
        sections: &Sections,
        rows: &'a dyn Rows,
        watch: &mut dyn Watch,
    ) -> Result<Pass> {
        watch.stage("fit");
        let (width, columns) = (sections.width, begun.columns);
        // one set of moments for all outputs, or for kernels that are not decomposable one for each
        let mut moments = vec![Moments::new(sections.rank(), columns / width); width];
        let mut characters = Characters::new(sections.rank());
        let (mut row, mut weight) = (0, 0.0);
        for block in begun.blocks(rows)? {
            let block = block?;
            let n = block.inputs.nrows();
            sample::check(&block, row)?;
            let (inputs, y, weights) = prepare(&begun.stage, &block, row)?;
            let phi = sections.features(inputs.as_ref())?;
            for (t, moments) in moments.iter_mut().enumerate() {
                if width == 1 {
                    characters.copy(phi.as_ref());
                    moments.add(&characters, y.as_ref(), weights.as_ref())?;
                } else {
                    let own = Mat::from_fn(y.nrows(), phi.ncols(), |i, k| phi[(i * width + t, k)]);
                    characters.copy(own.as_ref());
                    let weights = weights.as_ref().map(|w| match w {
                        Weights::Row(w) => Weights::Row(w.clone()),
                        Weights::Entry(w) => Weights::Entry(w.subcols(t, 1).to_owned()),
                    });
                    moments.add(&characters, y.subcols(t, 1), weights.as_ref())?;
                }
            }
            weight += (0..y.nrows()).map(|i| begin::row_weight(&y, weights.as_ref(), i)).sum::<f64>();
            row += n;
            watch.advance(n as u64)?;
        }
        // a row of data with v views is v rows of the scalar problem, but one row of the mean loss
        let v = begun.stage.preparation.expansion() as f64;
        let centred = |m: &Moments| Centred::all(m, self.offset);
        let mut data: Vec<Centred> = moments.iter().flat_map(centred).collect();
        data.iter_mut().for_each(|c| c.rows /= v);
        solve::check_observed(&data.iter().map(|c| c.weight).collect::<Vec<_>>())?;
        Ok(Pass { data, weight, rows: row, columns })
    }

    fn found(
        &self,
        sections: Sections,
        pass: &Pass,
        system: &System,
        solution: Solution,
        ridge: f64,
    ) -> Result<Scaled> {
        let (p, width) = (pass.columns, sections.width);
        let of = |t: usize| &pass.data[t.min(pass.data.len() - 1)];
        let all: f64 = (0..p).map(|t| of(t).count).sum();
        let mut columns = Vec::with_capacity(p);
        for t in 0..p {
            // stacked outputs share one column, its degrees of freedom and its penalty
            let (column, share) = if width == 1 { (t, 1.0) } else { (0, of(t).count / all) };
            let (constant, rss) = of(t).explained(column..column + 1, solution.table.subcols(column, 1), None)[0];
            let spent = share * solution.freedom.as_ref().map_or(0.0, |f| f[column]);
            let (penalty, weight) = (share * solution.penalty[column], of(t).weight / of(t).observations);
            columns.push(Misfit { rss, penalty, count: of(t).count, spent, weight }.column(constant));
        }
        let coefficients = sections.coefficients(&solution.table)?;
        let judged = pass.data.iter().all(|c| c.count >= 1.0);
        let posterior = match solution.posterior.filter(|_| judged) {
            Some(spreads) => {
                let mut posterior = posterior(&sections, &pass.data, p, system, spreads, ridge)?;
                if self.offset {
                    (0..p).for_each(|t| posterior.constant[(t, t)] += 1.0 / of(t).weight);
                }
                Some(posterior)
            }
            None => None,
        };
        Ok(Scaled { points: sections.points, coefficients, columns, posterior })
    }
}

/// What the pass leaves.
struct Pass {
    /// Centred moments: of all outputs, of each, or of each with its own features.
    data: Vec<Centred>,
    /// n of the mean loss.
    weight: f64,
    rows: usize,
    columns: usize,
}

impl Pass {
    fn system(&self, sections: &Sections) -> Result<System> {
        if sections.width == 1 {
            return System::new(sections, &self.data, None);
        }
        // p scalar rows per row of data, each output about its own mean
        let r = sections.rank();
        let (mut matrix, mut rhs) = (Mat::<f64>::zeros(r, r), vec![0.0; r]);
        for one in &self.data {
            matrix += &one.cc;
            rhs.iter_mut().enumerate().for_each(|(k, v)| *v += one.cy[(k, 0)]);
        }
        let component = Component {
            group: 0,
            rhs,
            s2: 1.0,
            yy: self.data.iter().map(|d| d.yy[(0, 0)]).sum(),
            count: self.data.iter().map(|d| d.count).sum(),
            points: self.data.iter().map(|d| d.points).sum(),
            size: self.data.iter().map(|d| (0..r).map(|k| d.energy(k)).sum::<f64>()).sum(),
        };
        let shape = Shape::Directions { u: Mat::identity(1, 1), amplitudes: vec![1.0; r] };
        let observed = self.data.iter().map(|d| d.observations).sum();
        Ok(System {
            rows: self.weight,
            observed,
            groups: vec![matrix],
            components: vec![component],
            rest: (0.0, 0.0),
            shape,
            noise: vec![1.0],
            shares: vec![1.0],
        })
    }
}

fn prepare(stage: &Stage, block: &crate::rows::Batch, row: usize) -> Result<(Mat<f64>, Mat<f64>, Option<Weights>)> {
    let (inputs, outputs, weights) = stage.prepare(block, row + 1)?;
    Ok((inputs.to_dense(), outputs, weights))
}
