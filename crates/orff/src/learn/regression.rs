//! Ridge regression with any operator-valued kernel, in one pass over the rows.

use super::begin::{Choices, begin, in_pool};
use super::choose::{self, EIGEN_UNKNOWNS};
use super::sample;
use super::stage::{Stage, training_points};
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Blocks, Characters, FeatureMap, MapKind, Moments, reblock};
use crate::group::Group;
use crate::kernel::{Kernel, Matrix, SumDraw};
use crate::linalg::cg;
use crate::model::{Linear, Posterior, Training};
use crate::params::{Auto, Params};
use crate::rows::{Batch, Rows, Weights};
use crate::solve::{Centred, PathPoint, Solution, Spectral, System, solve_direct, solve_iterative};
use crate::spectrum::{Draw, DrawKind, Lengthscale, Measure};
use crate::watch::Watch;
use faer::Mat;
use serde::{Deserialize, Serialize};

/// How the ridge is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ridge {
    /// By the largest evidence.
    #[default]
    Evidence,
    /// By generalised cross-validation.
    Gcv,
    /// By exact leave-one-out (nλ kept): one more pass over the rows; decomposable kernels with complete outputs.
    Loo,
    /// Given: λ of the mean loss (1/Σw)Σwℓ + λ‖θ‖².
    #[serde(untagged)]
    Given(f64),
}

crate::params! {
    /// Ridge regression of several outputs with an operator-valued kernel, through random features.
    pub struct Regression {
        /// The kernel: a name, an expression such as "curl-free(matern(2.5)) + 0.1*div-free", or its structured form.
        kernel / kernel: Kernel = Kernel::default(), Kind::Kernel;
        /// Lengthscale of every spectrum of the kernel that leaves its own open: auto, a number in the units of the
        /// inputs, or one number per input.
        lengthscale / lengthscale: Lengthscale = Lengthscale::Auto,
            Kind::Auto(&Kind::Several(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true }));
        /// Group on which the kernel is shift-invariant.
        group / group: Group = Group::Additive, Kind::Group;
        /// Number of columns of the feature map; pairs of a cosine and a sine make it even.
        features / n_components: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 10_000_000 });
        /// Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms).
        map / feature_map: MapKind = MapKind::Pairs, Kind::Choice(&["pairs", "phases"]);
        /// How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        /// error, and iid above.
        draw / draw: Auto<DrawKind> = Auto::Auto,
            Kind::Auto(&Kind::Choice(&["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"]));
        /// Which measure they are drawn from; trace is bounded and has the smallest error.
        measure / measure: Measure = Measure::Trace, Kind::Choice(Measure::NAMES);
        /// How a sum of kernels shares its atoms.
        sum / sum: SumDraw = SumDraw::Concatenation, Kind::Choice(&["concatenation", "mixture"]);
        /// The ridge: a number (λ of the mean loss; scikit-learn's Ridge has nλ), or how to choose it.
        ridge / alpha: Ridge = Ridge::Evidence,
            Kind::WordOr(&["evidence", "gcv", "loo"], &Kind::Number { min: 0.0, max: f64::INFINITY, open: false });
        /// Learn a constant for each output.
        offset / fit_intercept: bool = true, Kind::Flag;
        /// Metric Σ of the outputs: the loss is (y−f)ᵀΣ⁻¹(y−f).
        metric / metric: Option<Matrix> = None, Kind::Matrix;
        /// Keep what error bars need (K² numbers for K unknowns).
        posterior / posterior: bool = true, Kind::Flag;
        /// Most memory in megabytes; a fit that would need more is refused before it starts.
        memory / memory: usize = 16_384, Kind::Count { min: 1, max: u64::MAX };
        /// Relative residual at which conjugate gradients stop.
        tolerance / tol: f64 = 1e-10, Kind::Number { min: 0.0, max: 1.0, open: true };
        /// Most iterations of conjugate gradients.
        iterations / max_iter: usize = 2000, Kind::Count { min: 1, max: u64::MAX };
        /// Seed of every random choice.
        seed / random_state: u64 = 0, Kind::Count { min: 0, max: u64::MAX };
        /// Number of threads; results do not depend on it.
        threads / n_jobs: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 4096 });
    }
}

/// What fitting returns: the model, what it was chosen by, and the moments it came from.
pub struct Fitted {
    /// The model.
    pub model: Linear,
    /// How it was trained: kernel, ridge, choices, path.
    pub training: Training,
    /// The moments of the pass.
    pub moments: Moments,
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
        in_pool(self.threads, || self.fit_here(rows, watch))
    }

    /// The kind of draw for d inputs.
    fn kind(&self, d: usize) -> DrawKind {
        match self.draw {
            Auto::Fixed(kind) => kind,
            Auto::Auto if d <= 20 => DrawKind::QuasiMonteCarlo,
            Auto::Auto => DrawKind::Iid,
        }
    }

    fn how(&self, d: usize) -> Draw {
        Draw { kind: self.kind(d), measure: self.measure, seed: self.seed, purpose: 0 }
    }

    /// A map of the kernel with about so many unknowns.
    pub(super) fn small_map(&self, kernel: &Kernel, d: usize, unknowns: usize) -> Result<FeatureMap> {
        let columns = self.columns_per_character(kernel, d)?;
        let features = (unknowns / columns).max(16) / 2 * 2;
        self.draw_map(kernel, d, self.features.fixed().map_or(features, |given| given.min(features)))
    }

    fn draw_map(&self, kernel: &Kernel, d: usize, features: usize) -> Result<FeatureMap> {
        FeatureMap::draw(kernel, d, features, self.map, &self.how(d), self.sum)
    }

    /// Unknowns per character: r, or 1 when the kernel is decomposable (its system splits).
    fn columns_per_character(&self, kernel: &Kernel, d: usize) -> Result<usize> {
        let probe = kernel.draw(d, 8, &Draw { kind: DrawKind::Iid, ..self.how(d) }, SumDraw::Concatenation)?;
        if probe.shared_factor().is_some() {
            return Ok(1);
        }
        Ok(probe.blocks.iter().map(|b| b.factors.columns()).max().unwrap_or(1))
    }

    /// Moments about their means, of all outputs at once or one by one.
    pub(super) fn centred(&self, moments: &Moments) -> Vec<Centred> {
        let mut all = Centred::all(moments, self.offset);
        // a row of data with v views is v rows of the scalar problem, but one row of the mean loss
        let v = self.kernel.views().map_or(1, <[_]>::len) as f64;
        all.iter_mut().for_each(|c| c.rows /= v);
        all
    }

    fn fit_here(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Fitted> {
        let mut choices = Choices::default();
        let mut begun = begin(self, rows, &|_| Ok(()), &mut choices, watch)?;
        let (kernel, d) = (begun.kernel.clone(), begun.stage.preparation.centre.len());
        let features = match self.features.fixed() {
            Some(features) => features,
            None => {
                let known = begun.drawn.size().unwrap_or(usize::MAX / 16);
                let (n, reason) = choose::features(known, self.columns_per_character(&kernel, d)?, self.map);
                choices.say(watch, reason);
                n
            }
        };
        if self.draw == Auto::Auto {
            choices.say(watch, format!("draw {}: {d} inputs", self.kind(d)));
        }
        self.allow_features(features)?;
        let map = self.draw_map(&kernel, d, features)?;
        self.allow_outputs(&map, rows.outputs(), &mut choices, watch)?;
        for note in map.atoms().blocks.iter().filter_map(|b| b.note.clone()) {
            choices.say(watch, note);
        }
        self.allow(&map, rows, &begun.drawn.rows)?;
        choices.say(watch, self.memory(&map, rows.outputs(), &begun.drawn.rows).1);

        let blocks = begun.blocks(rows)?;
        let stage = &begun.stage;
        let (moments, count) = self.pass(&map, stage, blocks, watch)?;
        let data = self.centred(&moments);
        if !data.iter().any(|c| c.weight > 0.0) {
            return Err(Error::Data("no row counts: every weight is zero, or no output was observed".into()));
        }
        if let Some(t) = data.iter().position(|c| c.weight <= 0.0) {
            return Err(Error::Data(format!("output {}: not observed on any row with a weight > 0", t + 1)));
        }
        let metric = self.metric.as_ref().map(|m| stage.scaled_metric(m.mat())).transpose()?;
        watch.stage("solve");
        let (solution, ridge, path) = self.solve(&map, &data, metric.as_ref(), stage, rows, watch, &mut choices)?;
        choices.say(watch, format!("solved by {}", solution.how));
        let model = self.model(map, &begun.stage, &data, solution, metric.as_ref());
        // ridges too small to have a finite score say nothing
        let path = path.into_iter().filter(|p| p.gcv.is_finite() && p.evidence.is_finite()).collect();
        let points = training_points(&begun.drawn.rows);
        let training = Training { rows: count, kernel: Some(kernel), ridge, choices: choices.lines, path, points };
        Ok(Fitted { model, training, moments })
    }

    /// Refuses a map whose moments alone would not fit, before it is drawn.
    fn allow_features(&self, features: usize) -> Result<()> {
        let megabytes = 8.0 * (features as f64).powi(2) / 1e6;
        self.allow_megabytes(megabytes, features)
    }

    fn allow_megabytes(&self, megabytes: f64, features: usize) -> Result<()> {
        if megabytes <= self.memory as f64 {
            return Ok(());
        }
        Err(Error::parameter(
            "features",
            format!("so many that the fit stays within {} MB (the parameter memory)", self.memory),
            format!("{features}, which need about {megabytes:.0} MB"),
        ))
    }

    /// Refuses what cannot be done before the rows are read.
    fn allow(&self, map: &FeatureMap, rows: &dyn Rows, sample: &Batch) -> Result<()> {
        if self.ridge == Ridge::Loo && map.atoms().shared_factor().is_none() {
            return Err(Error::refused(
                "leave-one-out for this kernel",
                "it is exact for decomposable kernels; use gcv",
            ));
        }
        if self.ridge == Ridge::Loo && !rows.rereadable() {
            return Err(Error::refused(
                "leave-one-out from a source that is read once",
                "it needs a second pass; give a file, or choose the ridge by gcv or evidence",
            ));
        }
        self.allow_megabytes(self.memory(map, rows.outputs(), sample).0, map.characters())
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

    /// The memory a fit takes beside a few blocks of rows, in megabytes and in words. Missing outputs and weights of
    /// entries need moments for each output.
    fn memory(&self, map: &FeatureMap, p: usize, sample: &Batch) -> (f64, String) {
        let missing = (0..sample.outputs.ncols()).any(|t| sample.outputs.col(t).iter().any(|v| !v.is_finite()));
        let parts = if missing || matches!(sample.weights, Some(Weights::Entry(_))) { p as f64 } else { 1.0 };
        let (m, k) = (map.characters() as f64, map.unknowns() as f64);
        let solver = match map.atoms().shared_factor() {
            Some(_) => 3.0 * m * m,
            None if map.unknowns() <= EIGEN_UNKNOWNS => 3.0 * k * k,
            None => 4.0 * k,
        };
        let bytes =
            8.0 * (2.0 * parts * m * m + m * p as f64 + 2.0 * m * BLOCK_ROWS as f64 + parts.min(2.0) * solver);
        let megabytes = (bytes / 1e6).max(1.0);
        (megabytes, format!("memory about {megabytes:.0} MB for {m} characters (lower it with fewer features)"))
    }

    /// The one pass: characters of each block, moments of all.
    fn pass(
        &self,
        map: &FeatureMap,
        stage: &Stage,
        blocks: Blocks,
        watch: &mut dyn Watch,
    ) -> Result<(Moments, usize)> {
        watch.stage("fit");
        let columns = if stage.preparation.views.is_empty() { stage.means.len() } else { 1 };
        let mut moments = Moments::new(map.characters(), columns);
        let mut characters = Characters::new(map.characters());
        let mut row = 0;
        for block in blocks {
            let block = block?;
            let n = block.inputs.nrows();
            sample::check(&block, row)?;
            let (inputs, outputs, weights) = stage.prepare(&block, row + 1)?;
            map.fill(&inputs, &mut characters);
            moments.add(&characters, outputs.as_ref(), weights.as_ref())?;
            row += n;
            watch.advance(n as u64)?;
        }
        Ok((moments, row))
    }

    #[allow(clippy::too_many_arguments)]
    fn solve(
        &self,
        map: &FeatureMap,
        data: &[Centred],
        metric: Option<&Mat<f64>>,
        stage: &Stage,
        rows: &dyn Rows,
        watch: &mut dyn Watch,
        choices: &mut Choices,
    ) -> Result<(Solution, f64, Vec<PathPoint>)> {
        let shared = map.atoms().shared_factor().is_some();
        let unknowns = if shared { map.characters() } else { map.unknowns() };
        let iterate = cg::Params { tol: self.tolerance, max_iter: self.iterations };
        if unknowns > 2 * EIGEN_UNKNOWNS || (unknowns > EIGEN_UNKNOWNS && !matches!(self.ridge, Ridge::Given(_))) {
            let ridge = match self.ridge {
                Ridge::Given(0.0) => {
                    return Err(Error::refused(
                        format!("ridge 0 with {unknowns} unknowns"),
                        format!(
                            "least-norm solutions need at most {EIGEN_UNKNOWNS}; lower features or give a ridge > 0"
                        ),
                    ));
                }
                Ridge::Given(ridge) => ridge,
                _ => {
                    let (ridge, reason) = self.ridge_of_prefix(map, data)?;
                    choices.say(watch, reason);
                    ridge
                }
            };
            if metric.is_some() {
                return Err(Error::refused("a metric with this many unknowns", "lower features"));
            }
            return Ok((solve_iterative(map, data, ridge, iterate, watch)?, ridge, Vec::new()));
        }
        let system = System::new(map, data, metric)?;
        if let Ridge::Given(ridge) = self.ridge
            && ridge > 0.0
            && same_variance(&system)
        {
            return Ok((solve_direct(map, &system, ridge, self.posterior)?, ridge, Vec::new()));
        }
        let spectral = Spectral::new(system)?;
        let mut path: Vec<PathPoint> = spectral.grid(29).into_iter().map(|l| spectral.at(l)).collect();
        let best = match self.ridge {
            Ridge::Given(ridge) => spectral.at(ridge),
            Ridge::Evidence => spectral.minimise(|p| -p.evidence)?,
            Ridge::Gcv => spectral.minimise(|p| p.gcv)?,
            Ridge::Loo => self.leave_one_out(map, data, stage, rows, &spectral, &mut path, watch)?,
        };
        if !matches!(self.ridge, Ridge::Given(_)) {
            let by = match self.ridge {
                Ridge::Gcv => "smallest generalised cross-validation score",
                Ridge::Loo => "smallest leave-one-out error",
                _ => "largest evidence",
            };
            choices.say(watch, format!("ridge {:.3e}: {by}; {:.1} degrees of freedom", best.ridge, best.freedom));
        }
        let posterior = self.posterior && unknowns <= EIGEN_UNKNOWNS;
        Ok((spectral.solve(map, best.ridge, posterior), best.ridge, path))
    }

    /// The ridge with the largest evidence for the first atoms alone: their moments are a corner of the moments.
    fn ridge_of_prefix(&self, map: &FeatureMap, data: &[Centred]) -> Result<(f64, String)> {
        let per_character = map.unknowns().div_ceil(map.characters());
        let (small, keep) = map.prefix((1024 / per_character).max(32))?;
        let corner: Vec<Centred> = data.iter().map(|c| c.restricted(&keep)).collect();
        let spectral = Spectral::new(System::new(&small, &corner, None)?)?;
        let best = spectral.minimise(|p| -p.evidence)?;
        let reason = format!("ridge {:.3e}: largest evidence of the first {} characters", best.ridge, keep.len());
        Ok((best.ridge, reason))
    }

    #[allow(clippy::too_many_arguments)]
    fn leave_one_out(
        &self,
        map: &FeatureMap,
        data: &[Centred],
        stage: &Stage,
        rows: &dyn Rows,
        spectral: &Spectral,
        path: &mut [PathPoint],
        watch: &mut dyn Watch,
    ) -> Result<PathPoint> {
        if !rows.rereadable() {
            return Err(Error::refused(
                "leave-one-out from a source that is read once",
                "it needs a second pass; give a file, or choose the ridge by gcv or evidence",
            ));
        }
        let [all] = data else {
            return Err(Error::refused(
                "leave-one-out with missing outputs",
                "rows have no common leverage; use gcv",
            ));
        };
        watch.stage("leave-one-out");
        let ridges: Vec<f64> = path.iter().map(|p| p.ridge).collect();
        let mut sums = vec![0.0; ridges.len()];
        let mut characters = Characters::new(map.characters());
        let mut row = 0;
        for block in reblock(rows, BLOCK_ROWS)? {
            let block = block?;
            let n = block.inputs.nrows();
            let (inputs, outputs, weights) = stage.prepare(&block, row + 1)?;
            map.fill(&inputs, &mut characters);
            let c = characters.as_mat();
            let c = Mat::from_fn(c.nrows(), c.ncols(), |i, m| c[(i, m)] - all.mean_c[m]);
            let y = Mat::from_fn(c.nrows(), outputs.ncols(), |i, t| outputs[(i, t)] - all.mean_y[t]);
            let weight = match weights {
                Some(Weights::Row(w)) => w,
                _ => vec![1.0; c.nrows()],
            };
            spectral.add_leave_one_out(c.as_ref(), y.as_ref(), &weight, self.offset, &ridges, &mut sums)?;
            row += n;
            watch.advance(n as u64)?;
        }
        let scale = 1.0 / (all.weight * all.mean_y.len() as f64);
        path.iter_mut().zip(&sums).for_each(|(p, s)| p.loo = Some(s * scale));
        path.iter()
            .filter(|p| p.loo.is_some_and(f64::is_finite))
            .min_by(|a, b| a.loo.unwrap_or(f64::INFINITY).total_cmp(&b.loo.unwrap_or(f64::INFINITY)))
            .copied()
            .ok_or_else(|| Error::numerical("ridge", "no ridge gives a finite leave-one-out error"))
    }

    /// From scaled units to the user's.
    fn model(
        &self,
        map: FeatureMap,
        stage: &Stage,
        data: &[Centred],
        solution: Solution,
        metric: Option<&Mat<f64>>,
    ) -> Linear {
        let Stage { preparation, means, scales } = stage.clone();
        let views = preparation.views.len();
        let table = solution.table;
        let (m, columns) = (table.nrows(), table.ncols());
        let of = |t: usize| &data[t.min(data.len() - 1)];
        let mut constants = vec![0.0; columns];
        let mut variances = vec![0.0; columns];
        for t in 0..columns {
            let one = of(t);
            let (constant, rss) = one.explained(t, table.col(t));
            constants[t] = constant;
            let spent = solution.freedom.as_ref().map_or(0.0, |f| f[t]);
            // of an observation with the average weight
            variances[t] = noise_variance(rss, one.count, spent) * one.observations / one.weight;
        }
        let p = means.len();
        let column = |t: usize| if views > 0 { 0 } else { t };
        let offset = (0..p).map(|t| means[t] + scales[t] * constants[column(t)]).collect();
        let noise = match metric {
            None => {
                Mat::from_fn(p, p, |s, t| if s == t { variances[column(t)] * scales[t] * scales[t] } else { 0.0 })
            }
            Some(metric) => {
                let common = (0..p).map(|t| variances[t] / metric[(t, t)]).sum::<f64>() / p as f64;
                Mat::from_fn(p, p, |s, t| common * metric[(s, t)] * scales[s] * scales[t])
            }
        };
        // with no more rows than constants there is no noise to learn, and no error bar
        let judged = data.iter().all(|c| c.count >= 1.0);
        let posterior = solution.posterior.filter(|_| judged).map(|spreads| {
            let mean = Mat::from_fn(m, data.len(), |i, t| data[t].mean_c[i]);
            Posterior::new(spreads, mean, data.iter().map(|d| d.weight).collect(), self.offset).with_metric(metric)
        });
        let table = match views {
            0 => Mat::from_fn(m, p, |i, t| table[(i, t)] * scales[t]),
            _ => table,
        };
        Linear { preparation, map, table, offset, noise, output_scale: scales, posterior: posterior.into() }
    }
}

/// Whether every component has the same prior variance, so that one factorisation serves all.
fn same_variance(system: &System) -> bool {
    let first = system.components.first().map_or(1.0, |c| c.s2);
    system.groups.len() == 1 && system.components.iter().all(|c| (c.s2 - first).abs() <= 1e-14 * first)
}

/// Variance of the noise from a residual sum of squares. With as many degrees of freedom as data the residuals say
/// nothing: at least a tenth of the count is kept.
pub(super) fn noise_variance(rss: f64, count: f64, spent: f64) -> f64 {
    rss / (count - spent).max(0.1 * count).max(f64::MIN_POSITIVE)
}
