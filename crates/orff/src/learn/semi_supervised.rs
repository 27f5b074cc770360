//! Vector-valued semi-supervised least squares with several views (M16 eq. 67–75). \[semi-supervised\]

use super::begin::{Choices, in_pool};
use super::graph::Graphing;
use super::views::Views;
use super::warped::{Warping, on_graph};
use super::{Fitted, Offset, Regression, Ridge, choose, unlabelled};
use crate::error::{Error, Result};
use crate::feature::{FeatureMap, MapKind};
use crate::graph::Search;
use crate::group::Group;
use crate::kernel::{Kernel, SumDraw};
use crate::params::{Auto, Params};
use crate::rows::Rows;
use crate::spectrum::{DrawKind, Lengthscale, Measure};
use crate::watch::Watch;

crate::params! {
    /// Least squares with labelled and unlabelled rows and several views of them, combined by weights.
    pub struct SemiSupervised {
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
        /// γ_I, the weight of the graph's penalty Σᵢⱼ [L^c]ᵢⱼ⟨f(xᵢ), f(xⱼ)⟩; auto chooses it with the ridge.
        intrinsic / intrinsic: Auto<f64> = Auto::Auto,
            Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: false });
        /// Views: groups of inputs by their positions, such as "1-3; 4,6", each with features and a graph of its own; none
        /// for one view of all.
        views / views: Option<String> = None, Kind::Text;
        /// Weight of each view in the answer, such as "0.5, 0.5"; all alike unless given.
        combination / combination: Option<String> = None, Kind::Text;
        /// Weight of the disagreement Σᵢ‖f_v(xᵢ) − f_w(xᵢ)‖² between views, relative to γ_I.
        agreement / agreement: f64 = 1.0, Kind::Number { min: 0.0, max: f64::INFINITY, open: false };
        /// γ_A: a number > 0 (λ of the mean loss over labelled rows), or how to choose it.
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

impl SemiSupervised {
    /// Learns from rows, of which those without outputs (NaN) count for the graph only: minimises
    /// (1/l)Σ‖yᵢ − Cf(xᵢ)‖² + γ_A‖f‖² + γ_I⟨f, Mf⟩, M the Laplacian of each view's graph and the disagreement of views.
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
        let strength = self.strength()?;
        let views = match &self.views {
            None if self.combination.is_some() => {
                return Err(Error::refused("a combination of one view", "say which inputs each view has"));
            }
            None => None,
            Some(text) => Some(Views::read(text, self.combination.as_deref(), rows.inputs())?),
        };
        let mut choices = Choices::default();
        let given = learner.kernel.with_lengthscale(&learner.lengthscale);
        let collected = unlabelled::collect(&given, &self.group, self.seed, rows, watch)?;
        let stage = collected.stage(&given, self.offset.centred())?;
        let scaled = collected.scaled(&stage);
        let (n, l, d) = (collected.points.count(), collected.labelled.len(), collected.points.width());
        choices.say(watch, format!("{l} labelled rows and {} without outputs", n - l));
        let graphing = Graphing {
            neighbours: self.neighbours,
            search: self.search,
            bandwidth: self.bandwidth,
            power: self.power,
            memory: self.memory,
            seed: self.seed,
        };
        let graphs = match &views {
            None => vec![graphing.graph(&collected.points, &mut choices, watch)?],
            Some(views) => views.graphs(&graphing, &collected, &mut choices, watch)?,
        };
        let alone = on_graph(&graphing, &collected, &graphs[0]);
        let penalty = |map: &FeatureMap, watch: &mut dyn Watch| match &views {
            None => alone(map, watch),
            Some(views) => views.penalty(&graphing, &collected, &graphs, self.agreement, map, watch),
        };
        let draw = |kernel: &Kernel, features: usize| match &views {
            None => learner.draw_map(kernel, d, features),
            Some(views) => views.draw(&learner, kernel, d, features),
        };
        let warping =
            Warping { learner: &learner, collected: &collected, stage: &stage, scaled: &scaled, draw: Some(&draw) };
        let unit = graphs.iter().filter_map(|g| g.bandwidth()).sum::<f64>() / graphs.len() as f64;
        let (kernel, strength) = warping.choose(strength, unit, &penalty, &mut choices, watch)?;
        let features = match self.features.fixed() {
            Some(features) => features,
            None => {
                let columns = learner.unknowns_per_character(&kernel, d)?;
                let (features, reason) = choose::features(n, columns, false, self.map.kind(2));
                choices.say(watch, reason);
                features
            }
        };
        let map = draw(&kernel, features)?;
        let moment = penalty(&map, watch)?;
        let mut fitted = warping.fit(kernel, map, &moment, strength, choices, watch)?;
        if self.intrinsic == Auto::Auto {
            let line = format!("intrinsic {:.3e}: strength times ridge", strength * fitted.training.ridge);
            watch.say(&line);
            fitted.training.choices.push(line);
        }
        Ok(fitted)
    }

    /// γ_I/γ_A, where it is given.
    fn strength(&self) -> Result<Auto<f64>> {
        match (self.intrinsic, self.ridge) {
            (Auto::Auto, _) => Ok(Auto::Auto),
            (Auto::Fixed(intrinsic), Ridge::Given(ridge)) => Ok(Auto::Fixed(intrinsic / ridge)),
            (Auto::Fixed(0.0), _) => Ok(Auto::Fixed(0.0)),
            _ => Err(Error::refused(
                "intrinsic without a ridge",
                "what matters is their ratio; give both, or leave both to be chosen",
            )),
        }
    }
}
