//! A question about D, ε and a probability, two of which are known, and its answer.

use super::empirical::{self, Empirical};
use super::{Constants, Learning, Refusal, Scope, Setting, Variance, bounds};
use crate::error::{Error, Result};
use crate::feature::MapKind;
use crate::group::Group;
use crate::kernel::{Kernel, Seen, SumDraw};
use crate::params::{Auto, Params};
use crate::spectrum::{Lengthscale, Measure};
use crate::watch::Watch;
use serde::Serialize;

/// Angles of points that are farther from each other are lost to rounding, or no numbers.
const FARTHEST: f64 = 1e100;

crate::params! {
    /// Of the number of features, the error ε and the probability that it is reached two are given and the third is asked
    /// for.
    pub struct Question {
        /// The kernel: decomposable, curl-free, div-free, helmholtz, or an expression made of them.
        kernel / kernel: Kernel = Kernel::default(), Kind::Kernel;
        /// Number of inputs.
        dimension / dimension: usize = 1, Kind::Count { min: 1, max: 100_000 };
        /// Number of outputs; auto is one, or as many as the kernel has by itself.
        outputs / outputs: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 1000 });
        /// Diameter of the set of points, in the chart of the group (log x on the multiplicative one) and in the units of the
        /// lengthscale.
        diameter / diameter: f64 = 1.0, Kind::Number { min: 0.0, max: f64::INFINITY, open: true };
        /// Lengthscale of every spectrum of the kernel that leaves its own open; auto is 1: distances are then in lengthscales.
        lengthscale / lengthscale: Lengthscale = Lengthscale::Auto,
            Kind::Auto(&Kind::Several(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true }));
        /// Group on which the kernel is shift-invariant.
        group / group: Group = Group::Additive, Kind::Form(&Group::FORM);
        /// Number of columns of the feature map, two for each atom of pairs; auto asks for it.
        features / n_components: Auto<u64> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 1 << 53 });
        /// The error of the kernel that shall not be reached; auto asks for it.
        epsilon / epsilon: Auto<f64> = Auto::Auto,
            Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
        /// The probability that it is reached all the same; auto asks for it where features and epsilon are given, and is 0.05
        /// elsewhere.
        probability / probability: Auto<f64> = Auto::Auto,
            Kind::Auto(&Kind::Number { min: 0.0, max: 1.0, open: true });
        /// Characters: pairs (cosine and sine) or phases (shifted cosines).
        map / feature_map: MapKind = MapKind::Pairs, Kind::Choice(&["pairs", "phases"]);
        /// Which measure frequencies are drawn from; trace is bounded.
        measure / measure: Measure = Measure::Trace, Kind::Choice(Measure::NAMES);
        /// How a sum of kernels shares its atoms.
        sum / sum: SumDraw = SumDraw::Concatenation, Kind::Choice(&["concatenation", "mixture"]);
        /// Number of rows of a model: bounds of its expected loss are added; auto is none.
        rows / rows: Auto<u64> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 1 << 53 });
        /// The ridge of that model, λ of the mean squared loss; auto is none.
        ridge / alpha: Auto<f64> = Auto::Auto, Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
        /// Its outputs have at most this norm; auto is 1.
        largest / largest: Auto<f64> = Auto::Auto,
            Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
        /// The norm of its coefficients; auto is what the ridge allows.
        norm / norm: Auto<f64> = Auto::Auto, Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
        /// The norm of the matrix M of a graph over these rows that warps the kernel; auto is none.
        graph / graph: Auto<f64> = Auto::Auto, Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: false });
        /// Measure errors too: draw atoms so often and compare them with the kernel on pairs of points; 0 does not.
        draws / draws: u64 = 0, Kind::Count { min: 0, max: 100_000 };
        /// Seed of the draws.
        seed / random_state: u64 = 0, Kind::Count { min: 0, max: u64::MAX };
    }
}

/// What a bound says.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// Its name.
    pub name: &'static str,
    /// Where it is printed.
    pub source: &'static str,
    /// For all pairs of points at once, or for one.
    pub scope: Scope,
    /// The norm of the error.
    pub norm: super::Norm,
    /// The probability, ε, or number of features that was asked for; none if there is none.
    pub value: Option<f64>,
    /// What has to be true.
    pub assumptions: Vec<String>,
}

/// D times the variance of K̂ at one distance, in norm.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Spread {
    /// ‖x − z‖, along the diagonal.
    pub distance: f64,
    /// The variance; none where it has no closed form here.
    pub exact: Option<f64>,
    /// E[A²] − K₀², which is never below it.
    pub always: f64,
    /// The mean over the draws, where atoms were drawn.
    pub measured: Option<f64>,
}

/// The answer to a question.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The kernel with its lengthscales.
    pub kernel: String,
    /// What was asked for: probability, epsilon or features.
    pub asked: &'static str,
    /// Number of features, if given.
    pub features: Option<u64>,
    /// ε, if given.
    pub epsilon: Option<f64>,
    /// The probability, if given.
    pub probability: Option<f64>,
    /// ‖K(x,x)‖, which errors are to be compared with.
    pub scale: f64,
    /// What every bound says: uniform ones first, the tightest at the top.
    pub bounds: Vec<Line>,
    /// Theorems that do not apply.
    pub refused: Vec<Refusal>,
    /// The constants of each term of the kernel.
    pub constants: Vec<Constants>,
    /// The variance of the approximate kernel at distances 0, half the diameter and the diameter.
    pub variance: Vec<Spread>,
    /// Bounds of learning, where rows are given.
    pub learning: Option<Learning>,
    /// What was measured: the same quantity over draws of the atoms; none for more features than are tried.
    pub measured: Option<f64>,
    /// About how many features it would take where they are more than are tried, from the errors of few: they fall like 1/√D.
    pub extrapolated: Option<f64>,
    /// The errors it was measured, or guessed, from.
    pub empirical: Option<Empirical>,
}

impl Question {
    /// The kernel with nothing left open and the points it is asked about.
    pub fn setting(&self) -> Result<Setting> {
        self.check()?;
        let d = self.dimension;
        if self.draws > 0 && self.diameter > FARTHEST {
            let expected = format!("a number > 0 and ≤ {FARTHEST:e} where atoms are drawn");
            return Err(Error::parameter("diameter", expected, self.diameter));
        }
        let field = |k: &Kernel| matches!(k, Kernel::CurlFree(_) | Kernel::DivFree(_) | Kernel::Helmholtz(_));
        self.group.check(d)?;
        if !self.group.is_additive() && self.kernel.has(field) {
            return Err(Error::refused(
                format!("{} on the {} group", self.kernel, self.group.name()),
                "a field would keep its geometry in the chart only; use the additive group, or decomposable",
            ));
        }
        let p = match (self.kernel.own_outputs(d)?, self.outputs.fixed()) {
            (Some(own), Some(asked)) if own != asked => {
                let expected = format!("auto or {own}, as many as this kernel has on {d} inputs");
                return Err(Error::parameter("outputs", expected, asked));
            }
            (own, asked) => own.or(asked).unwrap_or(1),
        };
        self.kernel.check()?;
        let kernel = self.kernel.with_lengthscale(&self.length());
        let kernel = kernel.resolve(&Seen { outputs: p, gradient: Some(0.5), ..Seen::default() })?;
        let zero = vec![0.0; d];
        kernel.eval(&zero, &zero)?; // refuses what the number of inputs forbids
        let Question { diameter, measure, map, sum, .. } = *self;
        Ok(Setting { kernel, inputs: d, diameter, measure, map, sum })
    }

    /// The lengthscale of spectra that leave theirs open.
    fn length(&self) -> Lengthscale {
        match &self.lengthscale {
            Lengthscale::Auto => Lengthscale::Common(1.0),
            given => given.clone(),
        }
    }

    /// Atoms of so many features.
    fn atoms(&self, features: u64) -> Result<u64> {
        match self.map {
            MapKind::Pairs if features % 2 == 1 => {
                Err(Error::parameter("features", "an even number ≥ 2 (a cosine and a sine per atom)", features))
            }
            MapKind::Pairs => Ok(features / 2),
            MapKind::Phases => Ok(features),
        }
    }

    /// Answers it, and measures the same where draws are asked for.
    ///
    /// ```
    /// use orff::bound::Question;
    /// use orff::params::Auto;
    /// use orff::watch::Silent;
    /// let q = Question { dimension: 2, features: Auto::Fixed(4000), ..Question::default() };
    /// let epsilon = q.answer(&mut Silent)?.bounds[0].value.unwrap();
    /// let back = Question { epsilon: Auto::Fixed(epsilon), ..q }.answer(&mut Silent)?;
    /// assert!((back.bounds[0].value.unwrap() - 0.05).abs() < 1e-9);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn answer(&self, watch: &mut dyn Watch) -> Result<Answer> {
        let setting = self.setting()?;
        let (features, epsilon) = (self.features.fixed(), self.epsilon.fixed());
        let asked = match (features, epsilon, self.probability.fixed()) {
            (Some(_), Some(_), None) => "probability",
            (Some(_), None, _) => "epsilon",
            (None, Some(_), _) => "features",
            (Some(_), Some(_), Some(_)) => {
                let all = "features, epsilon and probability";
                return Err(Error::parameter(all, "two of them, the third is asked for", "all three"));
            }
            (None, None, _) => {
                return Err(Error::parameter(
                    "features",
                    "a number of features or an epsilon to begin with",
                    "neither",
                ));
            }
        };
        let probability = match asked {
            "probability" => None,
            _ => Some(self.probability.fixed().unwrap_or(0.05)),
        };
        if probability.is_some_and(|p| p >= 1.0) {
            return Err(Error::parameter("probability", "a number > 0 and < 1", 1));
        }
        let atoms = features.map(|m| self.atoms(m)).transpose()?;
        let found = bounds(&setting)?;
        let columns = if self.map == MapKind::Pairs { 2.0 } else { 1.0 };
        let mut lines = Vec::new();
        for bound in &found.bounds {
            let value = match (atoms, epsilon, probability) {
                (Some(atoms), Some(epsilon), _) => Some(bound.probability(atoms, epsilon)?),
                (Some(atoms), None, Some(p)) => bound.epsilon(atoms, p)?,
                (None, Some(epsilon), Some(p)) => bound.atoms(epsilon, p)?.map(|a| columns * a as f64),
                _ => None,
            };
            lines.push(Line {
                name: bound.name,
                source: bound.source,
                scope: bound.scope,
                norm: bound.norm,
                value,
                assumptions: bound.assumptions.clone(),
            });
        }
        let rank = |l: &Line| (l.scope == Scope::Pointwise, l.value.unwrap_or(f64::INFINITY));
        lines.sort_by(|a, b| {
            let (a, b) = (rank(a), rank(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let learning = self.learning(&found.constants, atoms)?;
        let (empirical, about) = match (self.draws, atoms, epsilon, probability) {
            (0, ..) => (None, None),
            (draws, Some(atoms), ..) => (Some(empirical::measure(&setting, atoms, draws, self.seed, watch)?), None),
            (draws, None, Some(epsilon), Some(p)) => {
                let found = empirical::needed(&setting, epsilon, p, draws, self.seed, watch)?;
                (Some(found.seen), found.about)
            }
            _ => (None, None),
        };
        let measured = empirical.as_ref().filter(|_| about.is_none()).map(|e| match (epsilon, probability) {
            (Some(epsilon), None) => e.exceeding(epsilon),
            (None, Some(p)) => e.quantile(p),
            _ => columns * e.atoms as f64,
        });
        let mut refused = found.refused;
        let variance = spreads(&setting, empirical.as_ref()).unwrap_or_else(|error| {
            refused.push(Refusal { name: "variance", why: error.to_string() });
            Vec::new()
        });
        Ok(Answer {
            kernel: self.kernel.with_lengthscale(&self.length()).to_string(),
            asked,
            features,
            epsilon,
            probability,
            scale: found.constants.iter().map(|c| c.norm).sum(),
            bounds: lines,
            refused,
            variance,
            learning,
            constants: found.constants,
            measured,
            extrapolated: about.map(|atoms| (columns * atoms).ceil()),
            empirical,
        })
    }
}

/// Variances, where they are written down, and what was seen of them.
fn spreads(setting: &Setting, seen: Option<&Empirical>) -> Result<Vec<Spread>> {
    let Setting { kernel, measure, map, sum, .. } = setting;
    let at = |(k, distance): (usize, f64)| {
        let v = Variance::at(kernel, &setting.across(distance), *measure, *map, *sum)?;
        let norm = super::constants::spectral_norm;
        let exact = v.exact.as_ref().map(norm).transpose()?;
        Ok(Spread { distance, exact, always: norm(&v.always)?, measured: seen.map(|seen| seen.variance[k]) })
    };
    setting.distances().into_iter().enumerate().map(at).collect()
}
