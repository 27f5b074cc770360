//! Ridge regression with a kernel that the unlabelled rows have warped (LapRFKRR of I17). \[warp\]

use super::begin::{Choices, in_pool};
use super::graph::Graphing;
use super::warped::{Warping, on_graph};
use super::{Fitted, Offset, Regression, Ridge, choose, unlabelled};
use crate::error::{Error, Result};
use crate::feature::MapKind;
use crate::graph::Search;
use crate::group::Group;
use crate::kernel::{Kernel, SumDraw};
use crate::params::{Auto, Params};
use crate::rows::Rows;
use crate::spectrum::{DrawKind, Lengthscale, Measure};
use crate::watch::Watch;

crate::params! {
    /// Ridge regression with labelled and unlabelled rows: functions that vary along the graph of all rows cost more.
    pub struct LaplacianRidge {
        /// The kernel: a name, an expression such as "curl-free(matern(2.5)) + 0.1*div-free", or its structured form.
        kernel / kernel: Kernel = Kernel::default(), Kind::Kernel;
        /// Lengthscale of every spectrum of the kernel that leaves its own open: auto (by evidence on labelled rows, among multiples of the distance
        /// to neighbours), a number in the units of the
        /// inputs, or one number per input.
        lengthscale / lengthscale: Lengthscale = Lengthscale::Auto,
            Kind::Auto(&Kind::Several(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true }));
        /// Group on which the kernel is shift-invariant.
        group / group: Group = Group::Additive, Kind::Group;
        /// Number of columns of the feature map.
        features / n_components: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 10_000_000 });
        /// Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and phases
        /// for an odd number of columns.
        map / feature_map: Auto<MapKind> = Auto::Auto, Kind::Auto(&Kind::Choice(&["pairs", "phases"]));
        /// How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
        /// error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
        draw / draw: Auto<DrawKind> = Auto::Auto,
            Kind::Auto(&Kind::Choice(&["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"]));
        /// Which measure they are drawn from; trace is bounded and has the smallest error.
        measure / measure: Measure = Measure::Trace, Kind::Choice(Measure::NAMES);
        /// How a sum of kernels shares its atoms.
        sum / sum: SumDraw = SumDraw::Concatenation, Kind::Choice(&["concatenation", "mixture"]);
        /// Neighbours of each row in the graph; two rows are joined when either is a neighbour of the other.
        neighbours / n_neighbors: usize = 10, Kind::Count { min: 1, max: 1000 };
        /// How neighbours are searched: auto compares all pairs up to 200 000 rows and looks at neighbours of neighbours
        /// above, and says which share it found.
        search / search: Search = Search::Auto, Kind::Choice(&["auto", "exact", "approximate"]);
        /// Width σ of the weights exp(−‖x−x′‖²/2σ²) of the graph in scaled inputs; auto is the median distance to
        /// neighbours.
        bandwidth / bandwidth: Auto<f64> = Auto::Auto,
            Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
        /// Power c of the graph's Laplacian.
        power / power: u32 = 1, Kind::Count { min: 1, max: 16 };
        /// Strength α of the graph: the penalty is ridge·(‖f‖² + α Σᵢⱼ [L^c]ᵢⱼ⟨f(xᵢ), f(xⱼ)⟩); auto chooses it by evidence on labelled rows, 10⁷ over the number
        /// of rows where fewer than eight are labelled.
        strength / strength: Auto<f64> = Auto::Auto,
            Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: false });
        /// The ridge: a number > 0 (λ of the mean loss over labelled rows), or how to choose it.
        ridge / alpha: Ridge = Ridge::Evidence,
            Kind::WordOr(&["evidence", "gcv"], &Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
        /// Constant of each output: mean of the labelled ones, learned with the function, or none.
        offset / offset: Offset = Offset::Mean, Kind::Choice(&["mean", "learned", "none"]);
        /// Keep what error bars need (K² numbers for K unknowns).
        posterior / posterior: bool = true, Kind::Flag;
        /// Most memory in megabytes; a fit that would need more is refused before it starts.
        memory / memory: usize = 16_384, Kind::Count { min: 1, max: u64::MAX };
        /// Seed of every random choice.
        seed / random_state: u64 = 0, Kind::Count { min: 0, max: u64::MAX };
        /// Number of threads; results do not depend on it.
        threads / n_jobs: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 4096 });
    }
}

impl LaplacianRidge {
    /// Learns from rows, of which those without outputs (NaN) shape the kernel only: minimises the mean loss of labelled
    /// rows + λ(‖f‖² + α⟨f, L^c f⟩). Time N·M² + K³ and the search of neighbours, memory N·d + M² + K².
    ///
    /// ```
    /// use orff::generate::two_moons;
    /// use orff::learn::LaplacianRidge;
    /// use orff::model::Query;
    /// use orff::rows::{Inputs, Table};
    /// use orff::watch::Silent;
    /// let moons = two_moons(200, 0.05, 1)?;
    /// // one label for each moon
    /// let y = faer::Mat::from_fn(200, 1, |i, _| if i < 2 { moons.truth[(i, 0)] } else { f64::NAN });
    /// let fitted = LaplacianRidge::default().fit(&Table::new(moons.inputs.clone(), y)?, &mut Silent)?;
    /// let mean = fitted.model.predict(&Inputs::Dense(moons.inputs), Query::default())?.mean;
    /// let wrong = (0..200).filter(|&i| mean[(i, 0)] * moons.truth[(i, 0)] <= 0.0).count();
    /// assert!(wrong < 6);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Fitted> {
        self.check()?;
        in_pool(self.threads, || self.fit_here(rows, watch))
    }

    fn fit_here(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Fitted> {
        let learner = Regression {
            kernel: self.kernel.clone(),
            lengthscale: self.lengthscale.clone(),
            group: self.group.clone(),
            features: self.features,
            map: self.map,
            draw: self.draw,
            measure: self.measure,
            sum: self.sum,
            ridge: self.ridge,
            offset: self.offset.learned(),
            posterior: self.posterior,
            memory: self.memory,
            seed: self.seed,
            ..Regression::default()
        };
        let mut choices = Choices::default();
        let given = learner.kernel.with_lengthscale(&learner.lengthscale);
        let collected = unlabelled::collect(&given, &self.group, self.seed, rows, watch)?;
        let stage = collected.stage(&given, self.offset.centred())?;
        let scaled = collected.scaled(&stage);
        let (n, l) = (collected.points.count(), collected.labelled.len());
        choices.say(watch, format!("{l} labelled rows and {} without outputs", n - l));
        let graphing = self.graphing();
        let laplacian = graphing.graph(&collected.points, &mut choices, watch)?;
        let warping =
            Warping { learner: &learner, collected: &collected, stage: &stage, scaled: &scaled, draw: None };
        let penalty = on_graph(&graphing, &collected, &laplacian);
        let unit = laplacian.bandwidth().unwrap_or(1.0);
        let (kernel, strength) = warping.choose(self.strength, unit, &penalty, &mut choices, watch)?;
        let features = match self.features.fixed() {
            Some(features) => features,
            None => {
                let columns = learner.unknowns_per_character(&kernel, collected.points.width())?;
                let (features, reason) = choose::features(n, columns, false, self.map.kind(2));
                choices.say(watch, reason);
                features
            }
        };
        self.allow_memory(features, n, collected.points.width())?;
        let map = learner.draw_map(&kernel, collected.points.width(), features)?;
        let moment = penalty(&map, watch)?;
        warping.fit(kernel, map, &moment, strength, choices, watch)
    }

    fn graphing(&self) -> Graphing {
        Graphing {
            neighbours: self.neighbours,
            search: self.search,
            bandwidth: self.bandwidth,
            power: self.power,
            memory: self.memory,
            seed: self.seed,
        }
    }

    /// Refuses what would not fit: rows and graph, strips of characters, the warp beside its moments.
    fn allow_memory(&self, features: usize, n: usize, d: usize) -> Result<()> {
        let (m, n) = (features as f64, n as f64);
        let bytes = 8.0 * n * (d as f64 + 4.0 * self.neighbours as f64)
            + (self.memory as f64 * 1e6 / 4.0).min(16.0 * n * m)
            + 8.0 * 8.0 * m * m;
        if bytes <= self.memory as f64 * 1e6 {
            return Ok(());
        }
        Err(Error::parameter(
            "features",
            format!("so many that the fit stays within {} MB (the parameter memory)", self.memory),
            format!("{features}, which need about {:.0} MB", bytes / 1e6),
        ))
    }
}
