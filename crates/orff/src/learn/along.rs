//! What all learners on a graph share: their parameters, each declared once, and the rows they begin with.

use super::graph::Graphing;
use super::{ClassWeight, Offset, Regression};
use crate::params::Auto;

/// Declares a learner on a graph from blocks of parameters, in the order in which they are named.
macro_rules! on_graph {
    ([] [$($fields:tt)*] $(#[doc = $about:literal])* pub struct $Name:ident) => {
        crate::params! { $(#[doc = $about])* pub struct $Name { $($fields)* } }
    };
    ([kernel $($more:ident)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::along::on_graph! { [$($more)*] [$($fields)*
            /// The kernel: a name, an expression such as "curl-free(matern(2.5)) + 0.1*div-free", or its structured form.
            kernel / kernel: crate::kernel::Kernel = crate::kernel::Kernel::default(), Kind::Kernel;
            /// Lengthscale of every spectrum of the kernel that leaves its own open: auto (chosen on labelled rows, among
            /// multiples of the distance to neighbours), a number in the units of the inputs, or one number per input.
            lengthscale / lengthscale: crate::spectrum::Lengthscale = crate::spectrum::Lengthscale::Auto,
                Kind::Auto(&Kind::Several(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true }));
            /// Group on which the kernel is shift-invariant.
            group / group: crate::group::Group = crate::group::Group::Additive, Kind::Group;
        ] $($head)* }
    };
    ([features $($more:ident)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::along::on_graph! { [$($more)*] [$($fields)*
            /// Number of columns of the feature map.
            features / n_components: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 10_000_000 });
            /// Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and phases
            /// for an odd number of columns.
            map / feature_map: Auto<crate::feature::MapKind> = Auto::Auto,
                Kind::Auto(&Kind::Choice(&["pairs", "phases"]));
            /// How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
            /// error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
            draw / draw: Auto<crate::spectrum::DrawKind> = Auto::Auto,
                Kind::Auto(&Kind::Choice(&["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"]));
            /// Which measure they are drawn from; trace is bounded and has the smallest error.
            measure / measure: crate::spectrum::Measure = crate::spectrum::Measure::Trace,
                Kind::Choice(crate::spectrum::Measure::NAMES);
            /// How a sum of kernels shares its atoms.
            sum / sum: crate::kernel::SumDraw = crate::kernel::SumDraw::Concatenation,
                Kind::Choice(&["concatenation", "mixture"]);
        ] $($head)* }
    };
    ([graph $($more:ident)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::along::on_graph! { [$($more)*] [$($fields)*
            /// Neighbours of each row in the graph; two rows are joined when either is a neighbour of the other. auto
            /// compares 10, 20 and 50 on labelled rows, a fifth of the rows at most; it is 10 where there are few labels or more
            /// than 100 000 rows.
            neighbours / n_neighbors: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 1000 });
            /// How neighbours are searched: auto compares all pairs up to 200 000 rows and looks at neighbours of
            /// neighbours above, and says which share it found.
            search / search: crate::graph::Search = crate::graph::Search::Auto,
                Kind::Choice(&["auto", "exact", "approximate"]);
            /// Width σ of the weights exp(−‖x−x′‖²/2σ²) of the graph in scaled inputs; auto is the median distance to
            /// neighbours.
            bandwidth / bandwidth: Auto<f64> = Auto::Auto,
                Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
            /// Power c of the graph's Laplacian; auto compares 1, 2, 3 and 5 on labelled rows; it is 1 where there are few.
            power / power: Auto<u32> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 16 });
        ] $($head)* }
    };
    ([strength $($more:ident)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::along::on_graph! { [$($more)*] [$($fields)*
            /// Strength α of the graph: the penalty is ridge·(‖f‖² + α Σᵢⱼ [L^c]ᵢⱼ⟨f(xᵢ), f(xⱼ)⟩); auto chooses it on
            /// labelled rows, 10⁷ over the number of rows where fewer than eight are labelled.
            strength / strength: Auto<f64> = Auto::Auto,
                Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: false });
        ] $($head)* }
    };
    ([views $($more:ident)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::along::on_graph! { [$($more)*] [$($fields)*
            /// γ_I, the weight of the graph's penalty Σᵢⱼ [L^c]ᵢⱼ⟨f(xᵢ), f(xⱼ)⟩; auto chooses it with the ridge.
            intrinsic / intrinsic: Auto<f64> = Auto::Auto,
                Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: false });
            /// Views: groups of inputs by their positions, such as "1-3; 4,6", each with features and a graph of its own;
            /// none for one view of all.
            views / views: Option<String> = None, Kind::Text;
            /// Weight of each view in the answer, such as "0.5, 0.5"; all alike unless given.
            combination / combination: Option<String> = None, Kind::Text;
            /// Weight of the disagreement Σᵢ‖f_v(xᵢ) − f_w(xᵢ)‖² between views, relative to γ_I.
            agreement / agreement: f64 = 1.0, Kind::Number { min: 0.0, max: f64::INFINITY, open: false };
        ] $($head)* }
    };
    ([ridge $($more:ident)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::along::on_graph! { [$($more)*] [$($fields)*
            /// The ridge: a number > 0 (λ of the mean loss over labelled rows), or how it is chosen, and with it what else
            /// is auto. loo: by the error on labelled rows whose outputs are left out, one at a time or, of more than 200,
            /// in ten folds; evidence where outputs have gaps or the kernel ties them otherwise than by one matrix.
            ridge / alpha: crate::learn::Ridge = crate::learn::Ridge::Loo,
                Kind::WordOr(&["loo", "evidence", "gcv"], &Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
            /// Constant of each output: mean of the labelled ones, learned with the function, or none.
            offset / offset: crate::learn::Offset = crate::learn::Offset::Mean,
                Kind::Choice(&["mean", "learned", "none"]);
        ] $($head)* }
    };
    ([classes $($more:ident)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::along::on_graph! { [$($more)*] [$($fields)*
            /// The loss: squared, on the simplex code of the classes, in closed form; simplex-hinge, the support vector
            /// machine of several classes (that of two is the usual one); or logistic.
            loss / loss: crate::loss::Named = crate::loss::Named::Squared(crate::loss::Squared),
                Kind::Choice(crate::learn::along::LOSSES);
            /// A label that stands for no label, such as -1; rows whose label is empty have none anyway.
            unlabelled / unlabeled: Option<String> = None, Kind::Text;
            /// Weights of the classes: balanced (each class counts the same in all), a number for each class by name
            /// (classes without one weigh 1), or none. Probabilities are those of the weighted rows.
            class_weight / class_weight: crate::learn::ClassWeight = crate::learn::ClassWeight::None,
                Kind::ClassWeights;
            /// The ridge: a number > 0 (λ of the mean loss over labelled rows), or loo: what is auto is chosen by the
            /// share of missed labels among those left out, one at a time or, of more than 200, in ten folds, as the
            /// squared loss misses them; the ridge of other losses then by five folds.
            ridge / alpha: crate::learn::Ridge = crate::learn::Ridge::Loo,
                Kind::WordOr(&["loo"], &Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
            /// Constant of each score: mean of the labelled codes (with other losses than squared none), learned with the
            /// function, or none.
            offset / offset: crate::learn::Offset = crate::learn::Offset::Mean,
                Kind::Choice(&["mean", "learned", "none"]);
        ] $($head)* }
    };
    ([posterior $($more:ident)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::along::on_graph! { [$($more)*] [$($fields)*
            /// Keep what error bars need (K² numbers for K unknowns).
            posterior / posterior: bool = true, Kind::Flag;
        ] $($head)* }
    };
    ([limits $($more:ident)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::along::on_graph! { [$($more)*] [$($fields)*
            /// Most memory in megabytes; a fit that would need more is refused before it starts.
            memory / memory: usize = 16_384, Kind::Count { min: 1, max: u64::MAX };
            /// Seed of every random choice.
            seed / random_state: u64 = 0, Kind::Count { min: 0, max: u64::MAX };
            /// Number of threads; results do not depend on it.
            threads / n_jobs: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 4096 });
        ] $($head)* }
    };
}
pub(super) use on_graph;

/// Losses of classes that these learners take.
pub(super) const LOSSES: &[&str] = &["squared", "simplex-hinge", "logistic"];

/// What was said of kernel, graph and fit, of any of these learners.
pub(super) struct Along {
    pub learner: Regression,
    pub graphing: Graphing,
    pub strength: Auto<f64>,
    /// Whether the product of strength and ridge is what was asked for.
    pub intrinsic: bool,
    pub offset: Offset,
}

/// What was said of classes.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub class_weight: &'a ClassWeight,
    /// The label that is none.
    pub unlabelled: Option<&'a str>,
}

impl Along {
    /// With error bars, if asked for.
    pub fn with_posterior(mut self, posterior: bool) -> Self {
        self.learner.posterior = posterior;
        self
    }
}

/// From the parameters of a learner, with those of features or without.
macro_rules! along {
    ($self:ident) => {
        crate::learn::along::Along {
            learner: crate::learn::Regression {
                kernel: $self.kernel.clone(),
                lengthscale: $self.lengthscale.clone(),
                group: $self.group.clone(),
                ridge: $self.ridge,
                offset: $self.offset == crate::learn::Offset::Learned,
                posterior: false,
                memory: $self.memory,
                seed: $self.seed,
                ..Default::default()
            },
            graphing: crate::learn::graph::Graphing {
                neighbours: $self.neighbours,
                search: $self.search,
                bandwidth: $self.bandwidth,
                power: $self.power,
                memory: $self.memory,
                seed: $self.seed,
            },
            strength: Auto::Auto,
            intrinsic: false,
            offset: $self.offset,
        }
    };
    ($self:ident, features) => {{
        let along = crate::learn::along::along!($self);
        let learner = crate::learn::Regression {
            features: $self.features,
            map: $self.map,
            draw: $self.draw,
            measure: $self.measure,
            sum: $self.sum,
            ..along.learner
        };
        crate::learn::along::Along { learner, ..along }
    }};
}
pub(super) use along;

/// What a learner says of classes.
macro_rules! asked {
    ($self:ident) => {
        Some(crate::learn::along::Asked {
            class_weight: &$self.class_weight,
            unlabelled: $self.unlabelled.as_deref(),
        })
    };
}
pub(super) use asked;
