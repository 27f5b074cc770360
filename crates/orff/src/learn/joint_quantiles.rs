//! Joint quantile regression with the kernel itself (Sangnier, Fercoq and d'Alché-Buc 2016): the reference that features
//! approximate. \[quantiles\]

use super::begin::{Choices, in_pool};
use super::declare::declare;
use super::level_rows::{Conformal, LevelRows, said, worse};
use super::{FourierFeatures, Regression};
use crate::curve::CurveBasis;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::linalg;
use crate::model::{Curves, Exact, Held, Query, Training};
use crate::params::{Auto, Params};
use crate::rows::{Inputs, Rows};
use crate::solve::Sections;
use crate::solve::quantiles::{self, LevelLoss, Report};
use crate::spectrum::Lengthscale;
use crate::watch::Watch;
use faer::Mat;
use serde::{Deserialize, Serialize};

/// Levels of quantiles; written as one number or a list of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "OneOrMany", into = "Vec<f64>")]
pub struct LevelList(pub Vec<f64>);

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(f64),
    Many(Vec<f64>),
}

impl From<OneOrMany> for LevelList {
    fn from(form: OneOrMany) -> Self {
        match form {
            OneOrMany::One(level) => LevelList(vec![level]),
            OneOrMany::Many(levels) => LevelList(levels),
        }
    }
}

impl From<LevelList> for Vec<f64> {
    fn from(list: LevelList) -> Self {
        list.0
    }
}

declare! {
    /// Quantiles at given levels with the decomposable kernel k(x, x′)k_T(t, t′) itself: no features, N×N matrices.
    pub struct JointQuantiles:
        {
            /// The kernel of the inputs, with one output: gaussian, matern(2.5), a sum or a product of such.
            kernel / kernel: Kernel = Kernel::default(), Kind::Kernel;
            /// Lengthscale of every spectrum of the kernel that leaves its own open: auto (octaves about the median distance
            /// between scaled rows, by the pinball loss of rows held out), a number in the units of the inputs, or one number
            /// per input.
            lengthscale / lengthscale: Lengthscale = Lengthscale::Auto,
                Kind::Auto(&Kind::Several(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true }));
        }
        group
        {
            /// The levels that are learned, between 0 and 1; others are linear between them, and beyond them as the first or the last:
            /// intervals are no wider than these.
            levels / levels: LevelList = LevelList(vec![0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95]),
                Kind::Several(&Kind::Number { min: 0.0, max: 1.0, open: true });
            /// Lengthscale of the gaussian kernel k_T of the levels: the longer, the more neighbouring quantiles have in common.
            level_lengthscale / level_lengthscale: f64 = 0.3, Kind::Number { min: 0.0, max: f64::INFINITY, open: true };
            /// The ridge λ of the mean loss; auto chooses it with the lengthscale, on features of the same kernel.
            ridge / alpha: Auto<f64> = Auto::Auto, Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
            /// Weight of the penalty on what quantiles of neighbouring levels cross by; predictions never cross.
            crossing / crossing: f64 = 0.0, Kind::Number { min: 0.0, max: 1e12, open: false };
            /// Share of the rows that are kept aside for intervals whose probability is right whatever the law (split conformal):
            /// none, auto (a quarter, more of few rows), or a number.
            conformal / conformal: Conformal = Conformal::None,
                Kind::WordOr(&["none", "auto"], &Kind::Number { min: 0.0, max: 0.9, open: true });
            /// Relative duality gap at which the fit stops.
            tolerance / tol: f64 = 1e-3, Kind::Number { min: 0.0, max: 1.0, open: true };
            /// Most iterations.
            iterations / max_iter: usize = 5000, Kind::Count { min: 1, max: u64::MAX };
        }
        limits
}

/// Levels nearer to 0 or 1 would be lost to rounding beside the others.
const EXTREME: f64 = 1e-9;

/// Features that choose lengthscale and ridge.
const CHOOSING: usize = 256;

/// What fitting returns.
pub struct FittedJoint {
    /// The values at the levels, as kernel sections.
    pub model: Exact,
    /// What its columns mean.
    pub curves: Curves,
    /// How it was trained.
    pub training: Training,
}

impl JointQuantiles {
    /// Learns from rows: the minimiser of (1/W)Σw(1/L)Σ_l ρ_{t_l}(y − f_l(x)) + λ‖f‖² over the space of k·k_T, with a constant for
    /// each level. Time N³ for each level and N² for each step, memory N²·(L + 1).
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedJoint> {
        self.check()?;
        in_pool(self.threads, || self.fit_here(rows, watch))
    }

    /// The levels in increasing order.
    fn knots(&self) -> Result<Vec<f64>> {
        let mut knots = self.levels.0.clone();
        if let Some(level) = knots.iter().find(|level| !(EXTREME..=1.0 - EXTREME).contains(*level)) {
            let expected =
                format!("numbers from {EXTREME:e} to 1 − {EXTREME:e} (no rows tell more extreme ones apart)");
            return Err(Error::parameter("levels", expected, level));
        }
        knots.sort_unstable_by(f64::total_cmp);
        match knots.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(Error::parameter("levels", "different numbers", format!("{} twice", pair[0]))),
            None => Ok(knots),
        }
    }

    fn fit_here(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedJoint> {
        let mut choices = Choices::default();
        let given = self.kernel.with_lengthscale(&self.lengthscale);
        let knots = self.knots()?;
        let (l, p) = (knots.len(), rows.outputs());
        let near = |s: f64, t: f64| libm::exp(-0.5 * ((s - t) / self.level_lengthscale).powi(2));
        let gamma = Mat::from_fn(l, l, |i, j| near(knots[i], knots[j])); // k_T at the levels
        let root = linalg::psd_factor(gamma.as_ref(), "level_lengthscale")?; // L×r
        let loss = LevelLoss::of(root.as_ref(), knots.clone(), vec![1.0 / l as f64; l], self.crossing);

        let seen = LevelRows::read(&given, &self.group, self.conformal, (self.memory, self.seed), rows, watch)?;
        let n = seen.own.rows.inputs.nrows();
        let megabytes = 8e-6 * (n as f64).powi(2) * (root.ncols() + 2) as f64;
        if megabytes > self.memory as f64 {
            let expected =
                format!("at least {megabytes:.0} for the kernel matrices of {n} rows (fit quantiles takes less)");
            return Err(Error::parameter("memory", expected, self.memory));
        }
        let d = seen.preparation.centre.len();
        let drawn =
            Regression { measure: FourierFeatures::default().measure, seed: self.seed, ..Regression::default() };
        let few = |lengthscale: f64| drawn.draw_map(&seen.kernel(1, lengthscale)?, d, CHOOSING);
        let found = seen.choose(&loss, &few, self.ridge.fixed(), &mut choices, watch)?;
        let (ridge, lengthscale) = (found.shift / seen.total, found.lengthscale);

        watch.stage("fit");
        let points = seen.inputs.to_dense();
        let kernel = seen.kernel(1, lengthscale)?;
        let (mut coefficients, mut offset) = (Mat::zeros(n, p * l), vec![0.0; p * l]);
        let mut worst: Option<Report> = None;
        for t in 0..p {
            let scaled = seen.scaled();
            let own: Vec<usize> = (0..n).filter(|&i| scaled.weights[(i, t)] > 0.0).collect();
            let column = |of: &Mat<f64>| own.iter().map(|&i| of[(i, t)]).collect::<Vec<f64>>();
            let (y, w) = (column(scaled.outputs), column(scaled.weights));
            let x = Mat::from_fn(own.len(), d, |i, k| points[(own[i], k)]);
            let mut space = Sections::new(kernel.sections(x.as_ref(), x.as_ref())?, &w);
            let params = quantiles::Params {
                ridge,
                gap: self.tolerance,
                least: quantiles::LEAST,
                iterations: self.iterations,
            };
            let minimum = quantiles::minimise(&mut space, &loss, &y, &w, params, None, watch)?;
            let values = linalg::product(minimum.coefficients.as_ref(), root.transpose()); // n×L
            let shifts = space.shifts(minimum.coefficients.as_ref());
            for k in 0..l {
                own.iter().enumerate().for_each(|(a, &i)| coefficients[(i, t * l + k)] = values[(a, k)]);
                let constant: f64 =
                    (0..root.ncols()).map(|j| root[(k, j)] * (minimum.constants[j] + shifts[j])).sum();
                offset[t * l + k] = seen.means[t] + seen.scales[t] * constant;
            }
            worst = Some(worse(worst, minimum.report));
        }
        let report = worst.ok_or_else(|| Error::Data("no outputs: choose at least one column".into()))?;
        said(report, &mut choices, watch);
        let model = Exact {
            preparation: seen.preparation.clone(),
            kernel: seen.kernel(p * l, lengthscale)?,
            points,
            coefficients,
            output_scale: (0..p * l).map(|k| seen.scales[k / l]).collect(),
            offset,
            noise: Mat::zeros(p * l, p * l),
            posterior: Held::None,
        };
        let columns = |x: &Inputs| Ok(model.predict(x, Query::default())?.mean);
        let calibration = seen.calibration(&columns, &mut choices, watch)?;
        let training = seen.training((lengthscale, ridge), choices, report.iterations)?;
        Ok(FittedJoint {
            model,
            curves: Curves { basis: CurveBasis::Hats { knots }, calibration, argument: None },
            training,
        })
    }
}
