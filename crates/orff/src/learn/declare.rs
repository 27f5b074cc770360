//! Parameters of learners in blocks that several of them share, each declared once.

/// Declares the parameters of a learner: names of blocks, and its own in braces, in the order in which they are shown.
macro_rules! declare {
    ($(#[doc = $about:literal])* pub struct $Name:ident: $($part:tt)+) => {
        crate::learn::declare::declare! { @ [$($part)+] [] $(#[doc = $about])* $Name }
    };
    (@ [] [$($fields:tt)*] $(#[doc = $about:literal])* $Name:ident) => {
        crate::params! { $(#[doc = $about])* pub struct $Name { $($fields)* } }
    };
    (@ [{ $($own:tt)* } $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)* $($own)*] $($head)* }
    };
    (@ [drawn $($more:tt)*] $($rest:tt)*) => {
        crate::learn::declare::declare! { @ [features draw trace sum $($more)*] $($rest)* }
    };
    (@ [graph $($more:tt)*] $($rest:tt)*) => {
        crate::learn::declare::declare! { @ [neighbours graph_rows edges power $($more)*] $($rest)* }
    };
    (@ [limits $($more:tt)*] $($rest:tt)*) => {
        crate::learn::declare::declare! { @ [memory seed $($more)*] $($rest)* }
    };
    (@ [kernel $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// The kernel: a name, an expression such as "curl-free(matern(2.5)) + 0.1*div-free", or its structured form.
            kernel / kernel: crate::kernel::Kernel = crate::kernel::Kernel::default(), Kind::Kernel;
        ] $($head)* }
    };
    (@ [lengthscale $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Lengthscale of every spectrum of the kernel that leaves its own open: auto, a number in the units of the
            /// inputs, or one number per input.
            lengthscale / lengthscale: crate::spectrum::Lengthscale = crate::spectrum::Lengthscale::Auto,
                Kind::Auto(&Kind::Several(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true }));
        ] $($head)* }
    };
    (@ [lengthscale_of_candidates $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Lengthscale of every spectrum of the kernel that leaves its own open: auto (candidates of several, in octaves
            /// about the median distance between scaled rows), a number in the units of the inputs, or one number per input.
            lengthscale / lengthscale: crate::spectrum::Lengthscale = crate::spectrum::Lengthscale::Auto,
                Kind::Auto(&Kind::Several(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true }));
        ] $($head)* }
    };
    (@ [lengthscale_of_graph $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Lengthscale of every spectrum of the kernel that leaves its own open: auto (chosen on labelled rows, among
            /// multiples of the distance to neighbours, the longest sixteen of these or some eight median distances of rows), a number in
            /// the units of the inputs, or one number per input.
            lengthscale / lengthscale: crate::spectrum::Lengthscale = crate::spectrum::Lengthscale::Auto,
                Kind::Auto(&Kind::Several(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true }));
        ] $($head)* }
    };
    (@ [group $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Group on which the kernel is shift-invariant.
            group / group: crate::group::Group = crate::group::Group::Additive,
                Kind::Form(&crate::group::Group::FORM);
        ] $($head)* }
    };
    (@ [features $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Number of columns of the feature map.
            features / n_components: crate::params::Auto<usize> = crate::params::Auto::Auto,
                Kind::Auto(&Kind::Count { min: 1, max: 10_000_000 });
        ] $($head)* }
    };
    (@ [draw $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Characters: pairs (cosine and sine) or phases (shifted cosines, twice the atoms); auto is pairs, and phases
            /// for an odd number of columns.
            map / feature_map: crate::params::Auto<crate::feature::MapKind> = crate::params::Auto::Auto,
                Kind::Auto(&Kind::Choice(&["pairs", "phases"]));
            /// How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, where it has by far the smallest
            /// error, orthogonal up to 127, structured up to 4096, iid above and where the kernel refuses these.
            draw / draw: crate::params::Auto<crate::spectrum::DrawKind> = crate::params::Auto::Auto,
                Kind::Auto(&Kind::Choice(&["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"]));
        ] $($head)* }
    };
    (@ [trace $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Which measure they are drawn from; trace is bounded and has the smallest error.
            measure / measure: crate::spectrum::Measure = crate::spectrum::Measure::Trace,
                Kind::Choice(crate::spectrum::Measure::NAMES);
        ] $($head)* }
    };
    (@ [sum $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// How a sum of kernels shares its atoms.
            sum / sum: crate::kernel::SumDraw = crate::kernel::SumDraw::Concatenation,
                Kind::Choice(&["concatenation", "mixture"]);
        ] $($head)* }
    };
    (@ [alignment $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Candidates that are drawn and weighed; auto is eight for each atom that is kept, and 8000 where there is room.
            candidates / n_candidates: crate::params::Auto<usize> = crate::params::Auto::Auto,
                Kind::Auto(&Kind::Count { min: 1, max: 100_000_000 });
            /// How weights q follow from alignment losses L and the prior p: pac-bayes, q ∝ p exp(−β√n L); chi2, the least loss with
            /// χ²(q‖p) ≤ ρ; or a number μ > 1, the same with Σ p(q/p)^μ − 1 ≤ ρ.
            method / method: crate::align::Method = crate::align::Method::PacBayes,
                Kind::WordOr(crate::align::Method::NAMES, &Kind::Number { min: 1.0, max: 1e3, open: true });
            /// β of pac-bayes: how much losses count, in units of √n; auto is 1, and for candidates of several lengthscales or
            /// kernels the least from 1 on with which weights are as far from the prior as uniform weights of the atoms that
            /// are kept.
            strength / beta: crate::params::Auto<f64> = crate::params::Auto::Auto,
                Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: false });
            /// ρ of the other methods: how far weights may be from the prior; auto is as far as uniform weights of the atoms that
            /// are kept.
            divergence / rho: crate::params::Auto<f64> = crate::params::Auto::Auto,
                Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: false });
            /// Which candidates are kept: draws without replacement, all of the same weight; with replacement (an atom drawn twice is
            /// one of twice the weight); or the most probable with their weights.
            sampling / sampling: crate::align::Sampling = crate::align::Sampling::WithoutReplacement,
                Kind::Choice(crate::align::Sampling::NAMES);
        ] $($head)* }
    };
    (@ [losses_of_classes $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// The loss: squared, on the simplex code of the classes, in closed form; or, by passes over the rows, logistic and
            /// simplex-hinge on the same code, hinge and squared-hinge for each class against the rest.
            loss / loss: crate::learn::ClassLoss = crate::learn::ClassLoss::Squared,
                Kind::Choice(crate::learn::ClassLoss::NAMES);
            /// Weights of the classes: balanced (each class counts the same in all), a number for each class by name
            /// (classes without one weigh 1), or none. Probabilities are those of the weighted rows.
            class_weight / class_weight: crate::learn::ClassWeight = crate::learn::ClassWeight::None, Kind::ClassWeights;
            /// The ridge: a number (λ of the mean loss), or how to choose it. loo takes the largest whose exact leave-one-out
            /// error is within 0.01 % of the smallest; it, gcv and evidence are for the squared loss. auto is loo there; for
            /// other losses the smallest error (logistic: the smallest loss) of five folds, on at most 4096 rows.
            ridge / alpha: crate::params::Auto<crate::learn::Ridge> = crate::params::Auto::Auto,
                Kind::WordOr(&["auto", "loo", "gcv", "evidence"], &Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
            /// Learn a constant for each class.
            offset / fit_intercept: bool = true, Kind::Flag;

        ] $($head)* }
    };
    (@ [tolerance_of_classes $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// When iterations stop. Squared loss: relative residual of conjugate gradients (auto: 1e-10). hinge and
            /// simplex-hinge: relative duality gap (auto: 1e-3). logistic and squared-hinge: what predictions may still
            /// change, relative (auto: 1e-10 where passes are cheap, else 1e-6).
            tolerance / tol: crate::params::Auto<f64> = crate::params::Auto::Auto, Kind::Auto(&Kind::Number { min: 0.0, max: 1.0, open: true });
            /// Most iterations of conjugate gradients, or passes over the rows.
            iterations / max_iter: usize = 2000, Kind::Count { min: 1, max: u64::MAX };

        ] $($head)* }
    };
    (@ [landmarks $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Landmarks: how many, or which share of the rows.
            landmarks / n_landmarks: crate::params::Amount = crate::params::Amount::Share(0.1), Kind::Amount;
            /// Where they are: clusters (centroids of the rows of each class, by k-means) or rows (at random; the bounds hold for
            /// these).
            centres / centers: crate::learn::Centres = crate::learn::Centres::Clusters,
                Kind::Choice(&["clusters", "rows"]);
            /// Candidates of each landmark.
            atoms / n_atoms: usize = 64, Kind::Count { min: 1, max: 1_000_000 };
            /// β of the weights q ∝ exp(−β√n L) of a landmark's candidates: how much losses count.
            strength / beta: f64 = 1.0, Kind::Number { min: 0.0, max: f64::INFINITY, open: false };
            /// How frequencies are drawn; auto is quasi-monte-carlo up to 20 inputs, orthogonal up to 127, structured up to 4096, iid
            /// above and where the kernel refuses these.
            draw / draw: crate::params::Auto<crate::spectrum::DrawKind> = crate::params::Auto::Auto,
                Kind::Auto(&Kind::Choice(&["iid", "orthogonal", "quasi-monte-carlo", "qmc", "structured"]));
        ] $($head)* }
    };
    (@ [neighbours $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Neighbours of each row in the graph; two rows are joined when either is a neighbour of the other. auto
            /// compares 10, 20 and 50 on labelled rows, a fifth of the rows at most; it is 10 where there are few labels or
            /// graphs of more than 100 000 rows.
            neighbours / n_neighbors: crate::params::Auto<usize> = crate::params::Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 1000 });
        ] $($head)* }
    };
    (@ [graph_rows $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Rows of one graph. Of at least twice as many rows, random parts of so many have graphs of their own, and the penalty
            /// is the sum of theirs: neighbours among very many rows are so close that functions may change along them at little
            /// cost. auto compares 500, 5000, 20 000 and 80 000, a quarter of the rows at most, and all rows up to 100 000, on labelled rows;
            /// where there are few of these it is the most at whose distance of neighbours the features can tell rows apart.
            graph_rows / graph_rows: crate::params::Auto<usize> = crate::params::Auto::Auto,
                Kind::Auto(&Kind::Count { min: 10, max: 4_294_967_295 });
        ] $($head)* }
    };
    (@ [edges $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// How neighbours are searched: auto compares all pairs up to 200 000 rows and looks at neighbours of
            /// neighbours above, and says which share it found.
            search / search: crate::graph::Search = crate::graph::Search::Auto,
                Kind::Choice(&["auto", "exact", "approximate"]);
            /// Width σ of the weights exp(−‖x−x′‖²/2σ²) of the graph in scaled inputs; auto is the median distance to
            /// neighbours.
            bandwidth / bandwidth: crate::params::Auto<f64> = crate::params::Auto::Auto,
                Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
        ] $($head)* }
    };
    (@ [power $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Power c of the graph's Laplacian; auto compares 1, 2, 3 and 5 on labelled rows; it is 1 where there are few.
            power / power: crate::params::Auto<u32> = crate::params::Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 16 });
        ] $($head)* }
    };
    (@ [strength $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Strength α of the graph: the penalty is ridge·(‖f‖² + α Σᵢⱼ [L^c]ᵢⱼ⟨f(xᵢ), f(xⱼ)⟩); auto chooses it on
            /// labelled rows, 10⁷ over the number of rows where fewer than eight are labelled.
            strength / strength: crate::params::Auto<f64> = crate::params::Auto::Auto,
                Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: false });
        ] $($head)* }
    };
    (@ [views $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// γ_I, the weight of the graph's penalty Σᵢⱼ [L^c]ᵢⱼ⟨f(xᵢ), f(xⱼ)⟩; auto chooses it with the ridge.
            intrinsic / intrinsic: crate::params::Auto<f64> = crate::params::Auto::Auto,
                Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: false });
            /// Views: groups of inputs by their positions, such as "1-3; 4,6", each with features and a graph of its own;
            /// none for one view of all.
            views / views: Option<String> = None, Kind::Form(&crate::learn::views::VIEWS);
            /// Weight of each view in the answer, such as "0.5, 0.5"; all alike unless given.
            combination / combination: Option<String> = None, Kind::Form(&crate::learn::views::COMBINATION);
            /// Weight of the disagreement Σᵢ‖f_v(xᵢ) − f_w(xᵢ)‖² between views, relative to γ_I.
            agreement / agreement: f64 = 1.0, Kind::Number { min: 0.0, max: f64::INFINITY, open: false };
        ] $($head)* }
    };
    (@ [ridge_of_graph $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
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
    (@ [classes $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// The loss: squared, on the simplex code of the classes, in closed form; or, by passes over the labelled rows,
            /// logistic and simplex-hinge (the support vector machine of several classes) on the same code, hinge and
            /// squared-hinge for each class against the rest.
            loss / loss: crate::learn::ClassLoss = crate::learn::ClassLoss::Squared, Kind::Choice(crate::learn::ClassLoss::NAMES);
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
    (@ [trees $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Number of trees.
            trees / n_estimators: usize = 100, Kind::Count { min: 1, max: 1_000_000 };
        ] $($head)* }
    };
    (@ [contamination $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Share of outliers among the rows: it fixes the offset below which a score is one of an outlier. auto needs no
            /// such share: the offset is the score of rows that are neither usual nor unusual.
            contamination / contamination: crate::params::Auto<f64> = crate::params::Auto::Auto,
                Kind::Auto(&Kind::Number { min: 0.0, max: 0.5, open: true });
        ] $($head)* }
    };
    (@ [posterior $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Keep what error bars need (K² numbers for K unknowns).
            posterior / posterior: bool = true, Kind::Flag;
        ] $($head)* }
    };
    (@ [memory $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Most memory in megabytes; a fit that would need more is refused before it starts.
            memory / memory: usize = 16_384, Kind::Count { min: 1, max: u64::MAX };
        ] $($head)* }
    };
    (@ [seed $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Seed of every random choice.
            seed / random_state: u64 = 0, Kind::Count { min: 0, max: u64::MAX };
            /// Number of threads; results do not depend on it.
            threads / n_jobs: crate::params::Auto<usize> = crate::params::Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 4096 });
        ] $($head)* }
    };
    (@ [offset $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Learn a constant for each output.
            offset / fit_intercept: bool = true, Kind::Flag;
        ] $($head)* }
    };
    (@ [precision $($more:tt)*] [$($fields:tt)*] $($head:tt)*) => {
        crate::learn::declare::declare! { @ [$($more)*] [$($fields)*
            /// Precision of features and their products: double; or mixed, which computes them in single precision (products in
            /// fixed point where the machine is fast at it and the ridge is not lost) and then corrects the solution by short passes
            /// in double until it is that of double precision, and says so where it cannot. auto is mixed where fixed point is worth
            /// it and exact to a thousandth of a given ridge, or exact enough to choose one, and for inputs in single precision with
            /// a given ridge; double otherwise.
            precision / precision: crate::params::Auto<crate::learn::mixed::Precision> = crate::params::Auto::Auto,
                Kind::Auto(&Kind::Choice(&["double", "mixed"]));
        ] $($head)* }
    };
}
pub(super) use declare;
