//! Ridge regression with any operator-valued kernel, in one pass over the rows.

use super::Gathering;
use super::begin::{self, Begun, Choices, in_pool};
use super::choose::{self, EIGEN_UNKNOWNS};
use super::declare::declare;
use super::mixed::{COARSE, FINE, Mixed, Precision, Products, fixed_rounding, worth_fixed_point};
use super::plan::{Extent, Plan, Sizes, Solver, gaps};
use super::ridge::{self, Again, Ridge};
use super::stage::training_points;
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Characters, FeatureMap, MapKind, Moments, reblock};
use crate::kernel::{Atoms, Kernel, Matrix, SumDraw, Units};
use crate::model::{Linear, Training};
use crate::params::{Auto, Params};
use crate::rows::Rows;
use crate::solve::Centred;
use crate::spectrum::{Draw, DrawKind};
use crate::watch::Watch;
use faer::Mat;

declare! {
    /// Ridge regression of several outputs with an operator-valued kernel, through random features.
    pub struct Regression:
        kernel lengthscale group drawn
        {
            /// The ridge: a number (λ of the mean loss; scikit-learn's Ridge has nλ), or how to choose it.
            ridge / alpha: Ridge = Ridge::Evidence,
                Kind::WordOr(&["evidence", "gcv", "loo"], &Kind::Number { min: 0.0, max: f64::INFINITY, open: false });
        }
        offset
        {
            /// Metric Σ of the outputs: the loss is (y−f)ᵀΣ⁻¹(y−f). It is the covariance of their noise up to a factor, which
            /// is learned: only the ratios of its entries matter, a ridge means what it means without it, and c·I is none for
            /// outputs that have one scale (fields); where each is scaled for itself, none is Σ = diag(their variances). What
            /// was observed of a row with missing outputs or standard errors has its part of Σ; that is solved over the rows.
            metric / metric: Option<Matrix> = None, Kind::Matrix;
        }
        posterior precision
        {
            /// What is solved: moments of one pass (error bars, every ridge), or rows, gone over again and again by conjugate
            /// gradients at the cost of their observed entries. auto is rows where outputs have gaps and moments take too much
            /// memory or time, or a metric ties what was observed.
            solver / solver: Auto<Solver> = Auto::Auto, Kind::Auto(&Kind::Choice(&["moments", "rows"]));
        }
        memory
        {
            /// Relative residual at which conjugate gradients stop.
            tolerance / tol: f64 = 1e-10, Kind::Number { min: 0.0, max: 1.0, open: true };
            /// Most iterations of conjugate gradients.
            iterations / max_iter: usize = 2000, Kind::Count { min: 1, max: u64::MAX };
        }
        seed
}

/// What fitting returns.
pub struct Fitted {
    /// The model.
    pub model: Linear,
    /// How it was trained: kernel, ridge, choices, path.
    pub training: Training,
}

impl Regression {
    /// Learns from rows: a sample fixes what is left open, one pass gathers moments, one solve makes the model.
    /// Time N·M² + K³, memory M² + K² whatever the number of rows.
    ///
    /// ```
    /// use orff::learn::Regression;
    /// use orff::model::Query;
    /// use orff::rows::{Inputs, Table};
    /// use orff::watch::Silent;
    /// let x = faer::Mat::from_fn(200, 1, |i, _| i as f64 / 20.0);
    /// let y = faer::Mat::from_fn(200, 2, |i, k| (i as f64 / 20.0 + k as f64).sin());
    /// let fitted = Regression::default().fit(&Table::new(x.clone(), y.clone())?, &mut Silent)?;
    /// let mean = fitted.model.predict(&Inputs::Dense(x), Query::default())?.mean;
    /// assert!((mean - y).norm_max() < 1e-2);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Fitted> {
        self.check()?;
        in_pool(self.threads, || {
            let (gathering, begun, plan) = self.begin_here(rows, None, (true, false), watch)?;
            if plan.solver == Solver::Rows {
                return gathering.fit_rows(rows, &begun.drawn.rows, watch);
            }
            self.fit_here(Again::of(rows), gathering, begun, watch)
        })
    }

    /// The kind of draw of a kernel on d inputs: the best that it allows.
    pub(super) fn kind(&self, kernel: &Kernel, d: usize) -> DrawKind {
        let kind = match self.draw {
            Auto::Fixed(kind) => return kind,
            Auto::Auto if d <= 20 => DrawKind::QuasiMonteCarlo,
            Auto::Auto if d < 128 => DrawKind::Orthogonal,
            Auto::Auto if d <= 4096 => DrawKind::Structured,
            Auto::Auto => DrawKind::Iid,
        };
        let how = Draw { kind, measure: self.measure, seed: self.seed, purpose: 0 };
        // each term of a sum has an atom of its own
        if kernel.draw(d, kernel.terms().len(), &how, self.sum).is_ok() { kind } else { DrawKind::Iid }
    }

    /// How atoms are drawn.
    pub(super) fn how(&self, kernel: &Kernel, d: usize) -> Draw {
        Draw { kind: self.kind(kernel, d), measure: self.measure, seed: self.seed, purpose: 0 }
    }

    /// A map of the kernel with about so many unknowns, for outputs with gaps or without.
    pub(super) fn small_map(&self, kernel: &Kernel, d: usize, unknowns: usize, gaps: bool) -> Result<FeatureMap> {
        let columns = Sizes::of(&self.probe(kernel, d)?).unknowns(gaps);
        // of very many inputs, as many as there is room for
        let room = (1e6 * self.memory as f64 / (16.0 * d as f64)) as usize;
        let features = (unknowns / columns).max(16).min(room.max(2)) / 2 * 2;
        self.draw_map(kernel, d, self.features.fixed().map_or(features, |given| given.min(features)))
    }

    /// Unknowns per character of one system of complete outputs.
    pub(super) fn unknowns_per_character(&self, kernel: &Kernel, d: usize) -> Result<usize> {
        Ok(Sizes::of(&self.probe(kernel, d)?).unknowns(false))
    }

    pub(super) fn draw_map(&self, kernel: &Kernel, d: usize, features: usize) -> Result<FeatureMap> {
        FeatureMap::draw(kernel, d, features, self.map.kind(features), &self.how(kernel, d), self.sum)
    }

    /// Moments about their means, of all outputs at once or one by one.
    pub(super) fn centred(&self, moments: Moments) -> Vec<Centred> {
        let mut all = Centred::take(moments, self.offset);
        // a row of data with v views is v rows of the scalar problem, but one row of the mean loss
        let v = self.kernel.views().map_or(1, <[_]>::len) as f64;
        all.iter_mut().for_each(|c| c.rows /= v);
        all
    }

    /// The pass over the rows and the solve, once everything before them is fixed.
    pub(super) fn fit_here<'a>(
        &self,
        again: Again<'a>,
        mut gathering: Gathering,
        mut begun: Begun<'a>,
        watch: &mut dyn Watch,
    ) -> Result<Fitted> {
        let rows = again.rows;
        match self.products(rows, &gathering, &begun, watch)? {
            Ok(products) => match self.fit_mixed(again, gathering.clone(), products, watch) {
                Err(Error::Numerical { what, why }) => {
                    gathering.choices.say(watch, format!("double precision after all: {what}: {why}"));
                }
                fitted => return fitted,
            },
            Err(why) if self.precision == Auto::Fixed(Precision::Mixed) => {
                gathering.choices.say(watch, format!("double precision: {why}"));
            }
            Err(_) => {}
        }
        gathering.absorb(begun.blocks(rows)?, watch)?;
        gathering.solve_here(Some(again), None, watch)
    }

    /// What products of features are made of in mixed precision, or why that was not asked for or cannot be used.
    fn products(
        &self,
        rows: &dyn Rows,
        gathering: &Gathering,
        begun: &Begun,
        watch: &mut dyn Watch,
    ) -> Result<std::result::Result<Products, &'static str>> {
        let (drawn, map) = (&begun.drawn.rows, &gathering.map);
        let given = matches!(self.ridge, Ridge::Given(_));
        let asked = match self.precision {
            Auto::Fixed(precision) => precision == Precision::Mixed,
            Auto::Auto => rows.single() && given,
        };
        let reasons = [
            (!rows.rereadable(), "mixed precision reads the rows again, and these are read once"),
            (gaps(&drawn.outputs, drawn.weights.as_ref()), "outputs have gaps or weights of their own"),
            (self.metric.is_some(), "outputs have a metric"),
            (self.ridge == Ridge::Given(0.0), "a ridge of 0 needs it"),
            (map.solved_at_once() > EIGEN_UNKNOWNS, "conjugate gradients need it"),
            (self.precision == Auto::Fixed(Precision::Double), "it was asked for"),
        ];
        if let Some((_, why)) = reasons.into_iter().find(|(holds, _)| *holds) {
            return Ok(Err(why));
        }
        // rows that count alike are needed
        let count = begun.drawn.total.unwrap_or(drawn.inputs.nrows()) as f64;
        let worth =
            drawn.weights.is_none() && worth_fixed_point(count, map.characters() as f64, map.atoms().inputs());
        // only bands tell whether a ridge is chosen in fixed point as in double precision
        let banded = Sizes::of(map.atoms()).even || map.atoms().shared_factor().is_none();
        let banded = banded && self.kernel.views().is_none() && !matches!(self.kernel, Kernel::Listed(_));
        let known = match self.ridge {
            Ridge::Given(ridge) if worth => Some((ridge, if asked { COARSE } else { FINE })),
            Ridge::Evidence | Ridge::Gcv if worth && banded => match gathering.shift(drawn, watch) {
                Ok((shift, _)) => Some((shift / count, FINE)),
                Err(Error::Interrupted) => return Err(Error::Interrupted),
                // a sample that says nothing leaves it to double precision
                Err(_) => None,
            },
            _ => None,
        };
        let fixed = match known {
            Some((ridge, most)) if ridge > 0.0 => fixed_rounding(map, count, ridge)? <= most,
            _ => false,
        };
        Ok(match (fixed, asked) {
            (true, _) => Ok(Products::Fixed),
            (false, true) => Ok(Products::Single),
            (false, false) => Err("it was not asked for"),
        })
    }

    fn fit_mixed(
        &self,
        again: Again,
        mut gathering: Gathering,
        products: Products,
        watch: &mut dyn Watch,
    ) -> Result<Fitted> {
        let (rows, m) = (again.rows, gathering.map.characters());
        let (characters, word) = match products {
            Products::Single => (Characters::single(m), "features in single"),
            Products::Fixed => (Characters::fixed(m), "products in fixed point"),
        };
        // as many bytes as a block in double precision: sums in double are then added to half as often
        gathering.absorb_in(characters, reblock(rows, 2 * BLOCK_ROWS)?, watch)?;
        if gathering.moments.complete().is_none() {
            return Err(Error::numerical("mixed precision", "some outputs are missing"));
        }
        gathering.choices.say(watch, format!("mixed precision: {word}, solutions as in double"));
        gathering.solve_here(Some(again), Some(Mixed { rows, products }), watch)
    }

    /// Fixes scales, lengthscale and features from these rows, to which rows are then added, here or elsewhere.
    pub fn begin(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Gathering> {
        self.check()?;
        if self.ridge == Ridge::Loo {
            return Err(ridge::once());
        }
        in_pool(self.threads, || Ok(self.begin_kept(rows, watch)?.0))
    }

    /// Learns from rows and keeps what was gathered, so that a later fit can start from the same choices.
    pub fn fit_kept(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<(Gathering, Fitted)> {
        self.check()?;
        in_pool(self.threads, || {
            let (mut gathering, mut begun) = self.begin_kept(rows, watch)?;
            gathering.absorb(begun.blocks(rows)?, watch)?;
            let fitted = gathering.clone().solve_here(Some(Again::of(rows)), None, watch)?;
            Ok((gathering, fitted))
        })
    }

    fn begin_kept<'a>(&self, rows: &'a dyn Rows, watch: &mut dyn Watch) -> Result<(Gathering, Begun<'a>)> {
        let (mut gathering, begun, _) = self.begin_here(rows, None, (false, false), watch)?;
        if self.precision == Auto::Fixed(Precision::Mixed) {
            let why = "moments that are kept are gathered in it, as rows to come cannot be read again";
            gathering.choices.say(watch, format!("double precision: {why}"));
        }
        Ok((gathering, begun))
    }

    /// Outputs are scaled as the kernel allows, or in the units given. `again`: whether rows may be gone over again and
    /// again; `spread`: whether candidates of several lengthscales will take the place of one that is open.
    pub(super) fn begin_here<'a>(
        &self,
        rows: &'a dyn Rows,
        units: Option<Units>,
        (again, spread): (bool, bool),
        watch: &mut dyn Watch,
    ) -> Result<(Gathering, Begun<'a>, Plan)> {
        if self.ridge == Ridge::Loo && !rows.rereadable() {
            return Err(ridge::once());
        }
        let mut choices = Choices::default();
        let sampled = begin::sampled(self, rows, units, watch)?.coupled(self, &mut choices, watch)?;
        let sampled = if spread { sampled.at_median(self.seed) } else { sampled };
        let d = sampled.dimension();
        let some = sampled.some_kernel()?;
        let probe = self.probe(&some, d)?;
        let (sizes, listed) = (Sizes::of(&probe), matches!(some, Kernel::Listed(_)));
        if self.ridge == Ridge::Loo && !sizes.shared {
            return Err(Error::refused(
                "leave-one-out for this kernel",
                "it is exact for decomposable kernels; use gcv",
            ));
        }
        let mut extent = Extent::of(rows, &sampled.drawn.rows, sampled.drawn.total, d);
        extent.again &= again;
        extent.judged = sampled.judged()?;
        if let Some(metric) = &self.metric {
            sampled.check_metric(metric.mat())?;
        }
        self.allow_solver(&extent)?;
        let features = match self.features.fixed() {
            // a kernel given by its atoms has as many as it has
            _ if listed => probe.count() * if self.map.kind(2) == MapKind::Pairs { 2 } else { 1 },
            Some(features) => features,
            None => {
                let known = sampled.drawn.size().unwrap_or(usize::MAX / 16);
                let unknowns = sizes.unknowns(sampled.gaps());
                let (mut n, mut reason) = choose::features(known, rows.outputs(), unknowns, again, self.map.kind(2));
                let fits = |n: usize| self.plan(n, &sizes, &extent).is_ok();
                if !fits(n) {
                    (n, reason) = choose::fewer(n, self.memory, fits)?;
                }
                choices.say(watch, reason);
                n
            }
        };
        if let (true, Some(given)) = (listed, self.features.fixed().filter(|given| *given != features)) {
            choices.say(watch, format!("features {features}, not {given}: the kernel lists its own atoms"));
        }
        let plan = self.plan(features, &sizes, &extent)?;
        if self.map == Auto::Auto && features % 2 == 1 && !listed {
            choices.say(watch, format!("map phases: pairs need an even number, and {features} is odd"));
        }
        if self.draw == Auto::Auto && !listed {
            choices.say(watch, format!("draw {}: {d} inputs", self.kind(&some, d)));
        }
        let megabytes = plan.megabytes + watch.held();
        let line = format!("memory about {megabytes:.0} MB for {features} features (fewer take less)");
        choices.say(watch, line);
        let begun = sampled.begin(self, &mut choices, watch)?;
        let map = self.draw_map(&begun.kernel, d, features)?;
        self.allow_outputs(&map, rows.outputs(), &mut choices, watch)?;
        for note in map.atoms().blocks.iter().filter_map(|b| b.note.clone()) {
            choices.say(watch, note);
        }
        let sizes = Sizes::of(map.atoms());
        let plan = self.plan(map.characters(), &sizes, &extent)?;
        plan.reason.iter().for_each(|reason| choices.say(watch, reason.clone()));
        let gathering = Gathering {
            learner: self.clone(),
            stage: begun.stage.clone(),
            kernel: begun.kernel.clone(),
            moments: Moments::new(map.characters(), begun.columns),
            map,
            rows: 0,
            choices,
            points: training_points(&begun.drawn.rows),
        };
        Ok((gathering, begun, plan))
    }

    /// A few atoms, to know their sizes.
    fn probe(&self, kernel: &Kernel, d: usize) -> Result<Atoms> {
        kernel.draw(
            d,
            kernel.terms().len().max(8),
            &Draw { kind: DrawKind::Iid, measure: self.measure, seed: self.seed, purpose: 0 },
            SumDraw::Concatenation,
        )
    }

    /// A constant output operator without rank learns nothing; one without full rank ties the outputs, and says so.
    fn allow_outputs(&self, map: &FeatureMap, p: usize, choices: &mut Choices, watch: &mut dyn Watch) -> Result<()> {
        let Some(rank) = map.atoms().shared_factor().map(Mat::ncols) else { return Ok(()) };
        if rank == 0 {
            return Err(Error::parameter("output", "a matrix with at least one positive eigenvalue", "zero"));
        }
        if self.kernel.views().is_none() && rank < p {
            let how = "outputs are tied together (a bare graph Laplacian makes them sum to zero: give it an epsilon)";
            choices.say(watch, format!("the output operator has rank {rank} of {p}: {how}"));
        }
        Ok(())
    }
}
