//! Ridge with the warped kernel itself, without features (LapKRR): the reference, for a few thousand rows. \[warp\]

use super::begin::{self, Choices, FittedExact, Scaled, in_pool};
use super::gather::noise_variance;
use super::graph::Graphing;
use super::sections::Sections;
use super::warped::{Warping, on_graph};
use super::{Offset, Regression, Ridge, unlabelled};
use crate::error::{Error, Result};
use crate::feature::{Characters, Moments};
use crate::graph::Search;
use crate::group::Group;
use crate::kernel::Kernel;
use crate::model::Training;
use crate::params::{Auto, Params};
use crate::rows::{Inputs, Rows};
use crate::solve::{Centred, System, Warp};
use crate::spectrum::Lengthscale;
use crate::watch::Watch;

crate::params! {
    /// Exact ridge regression with labelled and unlabelled rows: no features, N×N matrices.
    pub struct ExactLaplacian {
        /// The kernel, decomposable: gaussian, "decomposable(matern(1.5))", a sum or a product of such.
        kernel / kernel: Kernel = Kernel::default(), Kind::Kernel;
        /// Lengthscale of every spectrum of the kernel that leaves its own open: auto (by evidence on labelled rows, among multiples of the distance
        /// to neighbours), a number in the units of the
        /// inputs, or one number per input.
        lengthscale / lengthscale: Lengthscale = Lengthscale::Auto,
            Kind::Auto(&Kind::Several(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true }));
        /// Group on which the kernel is shift-invariant.
        group / group: Group = Group::Additive, Kind::Group;
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
        /// Most memory in megabytes; the fit takes some ten matrices of all rows by all rows.
        memory / memory: usize = 4000, Kind::Count { min: 1, max: u64::MAX };
        /// Seed of every random choice.
        seed / random_state: u64 = 0, Kind::Count { min: 0, max: u64::MAX };
        /// Number of threads; results do not depend on it.
        threads / n_jobs: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 4096 });
    }
}

impl ExactLaplacian {
    /// Learns from rows, of which those without outputs (NaN) shape the kernel only: f = Σ K(·,xᵢ)aᵢ over all rows. Time
    /// N³, memory ten N×N matrices.
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedExact> {
        self.check()?;
        in_pool(self.threads, || self.fit_here(rows, watch))
    }

    fn fit_here(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedExact> {
        let learner = Regression {
            kernel: self.kernel.clone(),
            lengthscale: self.lengthscale.clone(),
            group: self.group.clone(),
            ridge: self.ridge,
            offset: self.offset.learned(),
            posterior: false,
            seed: self.seed,
            ..Regression::default()
        };
        let mut choices = Choices::default();
        let given = learner.kernel.with_lengthscale(&learner.lengthscale);
        let collected = unlabelled::collect(&given, &self.group, self.seed, rows, watch)?;
        let stage = collected.stage(&given, self.offset.centred())?;
        let scaled = collected.scaled(&stage);
        let (n, l) = (collected.points.count(), collected.labelled.len());
        let bytes = 80.0 * n as f64 * n as f64;
        if bytes > self.memory as f64 * 1e6 {
            let cure = "use random features (laplacian), or raise memory";
            return Err(Error::memory(format!("the exact warped kernel of {n} rows"), bytes, cure));
        }
        choices.say(watch, format!("{l} labelled rows and {} without outputs", n - l));
        let graphing = Graphing {
            neighbours: self.neighbours,
            search: self.search,
            bandwidth: self.bandwidth,
            power: self.power,
            memory: self.memory,
            seed: self.seed,
        };
        let laplacian = graphing.graph(&collected.points, &mut choices, watch)?;
        let warping =
            Warping { learner: &learner, collected: &collected, stage: &stage, scaled: &scaled, draw: None };
        let penalty = on_graph(&graphing, &collected, &laplacian);
        let unit = laplacian.bandwidth().unwrap_or(1.0);
        let (kernel, strength) = warping.choose(self.strength, unit, &penalty, &mut choices, watch)?;
        if kernel.separated().is_none() {
            return Err(Error::refused(
                "the exact warped kernel of a field",
                "it is written down for decomposable kernels; use laplacian, which takes any",
            ));
        }
        watch.stage("solve");
        let points = collected.points.slice(0, n).to_dense();
        let sections = Sections::new(&kernel, points, scaled.ncols())?;
        let fill = |x: &Inputs, c: &mut Characters| {
            c.copy(sections.features(x.to_dense().as_ref())?.as_ref());
            Ok(())
        };
        let moment = graphing.moment(&collected.points, &laplacian).of(sections.rank(), &fill, watch)?;
        let mut moments = Moments::new(sections.rank(), scaled.ncols());
        let mut characters = Characters::new(sections.rank());
        collected.each(&scaled, |x, y, weights| {
            fill(x, &mut characters)?;
            moments.add(&characters, y.as_ref(), weights)
        })?;
        let data = Centred::take(moments, self.offset.learned());
        let warp = Warp::new(&sections, System::new(&sections, &data, None)?, &moment, strength)?;
        let (ridge, path) = warping.ridge(&warp, &mut choices, watch)?;
        let solution = warp.solve(&sections, ridge, false)?;
        let p = scaled.ncols();
        let (mut constants, mut variances) = (vec![0.0; p], vec![0.0; p]);
        for t in 0..p {
            let of = &data[t.min(data.len() - 1)];
            let (constant, rss) = of.explained(t..t + 1, solution.table.subcols(t, 1), None)[0];
            let spent = solution.freedom.as_ref().map_or(0.0, |f| f[t]);
            constants[t] = constant;
            variances[t] = noise_variance(rss, of.count, spent) * of.observations / of.weight;
        }
        choices.say(watch, format!("solved by {}", solution.how));
        let coefficients = sections.coefficients(&solution.table)?;
        let found = Scaled { points: sections.points, coefficients, constants, variances, posterior: None };
        let training = Training {
            rows: n,
            kernel: Some(kernel.clone()),
            ridge,
            choices: choices.lines,
            path: path.into_iter().filter(|p| p.gcv.is_finite() && p.evidence.is_finite()).collect(),
            points: collected.shown.clone(),
            iterations: 1,
        };
        Ok(FittedExact { model: begin::model(stage, kernel, found), training })
    }
}
