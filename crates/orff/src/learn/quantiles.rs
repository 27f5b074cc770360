//! All quantiles in one fit: a function of the inputs whose values are quantile functions. \[quantiles\]

use super::begin::{Choices, in_pool};
use super::declare::declare;
use super::level_rows::{Conformal, LevelRows, said, worse};
use super::pinball_path::{self, Scaled};
use super::{Regression, choose};
use crate::curve::CurveBasis;
use crate::error::{Error, Result};
use crate::feature::FeatureMap;
use crate::kernel::Kernel;
use crate::model::{Curves, Held, Linear, Model, Preparation, Query, Training};
use crate::params::{Auto, Params};
use crate::rows::{Inputs, Rows};
use crate::solve::Reduced;
use crate::solve::quantiles::{self, LevelLoss, Report};
use crate::spectrum::{Lengthscale, Measure};
use crate::watch::Watch;
use faer::Mat;
use serde_json::{Map, Value};

declare! {
    /// Quantiles of all levels of several outputs, which do not cross, through random features of the inputs.
    pub struct QuantileFunction:
        {
            /// The kernel of the inputs, with one output: gaussian, matern(2.5), a sum or a product of such.
            kernel / kernel: Kernel = Kernel::default(), Kind::Kernel;
            /// Lengthscale of every spectrum of the kernel that leaves its own open: auto (octaves about the median distance
            /// between scaled rows, by the pinball loss of rows held out), a number in the units of the inputs, or one number
            /// per input.
            lengthscale / lengthscale: Lengthscale = Lengthscale::Auto,
                Kind::Auto(&Kind::Several(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true }));
        }
        group features draw sum
        {
            /// The ridge λ of the mean loss; auto chooses it with the lengthscale.
            ridge / alpha: Auto<f64> = Auto::Auto, Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
            /// Functions of the level that quantiles are made of: location, scale (of a normal law), and then skewness, weight
            /// of the tails, … More follow laws with several modes, for many rows.
            moments / moments: usize = 4, Kind::Count { min: 2, max: 20 };
            /// Weight of the penalty on what quantiles of neighbouring levels cross by; predictions never cross.
            crossing / crossing: f64 = 1.0, Kind::Number { min: 0.0, max: 1e12, open: false };
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

/// How fast functions of the level matter less: what was best on small data sets (`docs/evidence.md`).
const DECAY: f64 = 0.3;
/// Levels at which the integral over all is taken, at least.
const NODES: usize = 12;
/// Features: eight for each row, within these; those that choose lengthscale and ridge, at most.
const FEATURES: (usize, usize) = (128, 512);
const CHOOSING: usize = 256;
/// Directions of the features with less variance than this share of the ridge are left out; the gap knows of it.
const NEGLIGIBLE: f64 = 1e-4;

/// What fitting returns.
pub struct FittedQuantiles {
    /// The columns of curves.
    pub model: Linear,
    /// What the columns mean.
    pub curves: Curves,
    /// How it was trained.
    pub training: Training,
}

impl QuantileFunction {
    /// Learns from rows: f_x(t) = Σⱼ(hⱼ(x) + bⱼ)φⱼ(t) minimises (1/W)Σw∫ρ_t(y − f_x(t))dt + crossing·(what neighbouring levels
    /// cross by) + λΣ‖hⱼ‖². All rows are held in memory: n·(d + min(n, M)) numbers; a step of the solver costs n·r·m with r ≤ M.
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedQuantiles> {
        self.check()?;
        in_pool(self.threads, || self.fit_here(rows, watch))
    }

    /// The same as a model with its name and parameters.
    pub fn model(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Model> {
        let values = match serde_json::to_value(self) {
            Ok(Value::Object(values)) => values,
            _ => Map::new(),
        };
        super::registry::quantile_model(values, rows, watch)
    }

    fn fit_here(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedQuantiles> {
        let mut choices = Choices::default();
        let given = self.kernel.with_lengthscale(&self.lengthscale);
        let seen = LevelRows::read(&given, &self.group, self.conformal, (self.memory, self.seed), rows, watch)?;
        let (n, p, d) = (seen.own.rows.inputs.nrows(), rows.outputs(), rows.inputs());
        let basis = CurveBasis::Moments { count: self.moments, decay: DECAY };
        let (nodes, integral) = crate::special::gauss_legendre(NODES.max(2 * self.moments));
        let loss = LevelLoss::new(&basis, nodes, integral, self.crossing);
        let features = self.width(n, d, p, &loss, &mut choices, watch)?;
        let map_at = |lengthscale: f64, features: usize, columns: usize| {
            self.map(&seen.kernel(columns, lengthscale)?, seen.preparation.centre.len(), features)
        };
        let few = |lengthscale: f64| map_at(lengthscale, features.min(CHOOSING), 1);
        let found = seen.choose(&loss, &few, self.ridge.fixed(), &mut choices, watch)?;
        let (ridge, lengthscale) = (found.shift / seen.total, found.lengthscale);
        let map = map_at(lengthscale, features, p * self.moments)?;
        watch.stage("fit");
        let (table, constants, report) = self.solve(&map, &seen.scaled(), &loss, ridge, watch)?;
        said(report, &mut choices, watch);
        let model = linear(seen.preparation.clone(), map, (table, constants), (&seen.means, &seen.scales), &basis);
        let columns = |x: &Inputs| Ok(model.predict(x, Query::default())?.mean);
        let calibration = seen.calibration(&columns, &mut choices, watch)?;
        let training = seen.training((lengthscale, ridge), choices, report.iterations)?;
        Ok(FittedQuantiles { model, curves: Curves { basis, calibration, argument: None }, training })
    }

    fn map(&self, kernel: &Kernel, d: usize, features: usize) -> Result<FeatureMap> {
        let (draw, sum, map, seed, measure) = (self.draw, self.sum, self.map, self.seed, Measure::Plain);
        Regression { draw, measure, sum, map, seed, ..Regression::default() }.draw_map(kernel, d, features)
    }

    /// Columns of the feature map, refused where rows and features would not fit into the memory.
    fn width(
        &self,
        n: usize,
        d: usize,
        p: usize,
        loss: &LevelLoss,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<usize> {
        let features = match self.features.fixed() {
            Some(features) => features,
            None => {
                let features = (8 * n).clamp(FEATURES.0, FEATURES.1);
                choices.say(
                    watch,
                    format!("features {features}: eight for each row, within {} and {}", FEATURES.0, FEATURES.1),
                );
                features
            }
        };
        let numbers = n as f64 * (2 * d + features.min(n) + 2 * loss.nodes.len() + 4 * self.moments * p) as f64
            + features as f64 * (4 * features.min(n) + d + self.moments * p) as f64;
        let megabytes = 8e-6 * numbers;
        if megabytes > self.memory as f64 {
            return Err(choose::too_many(features, megabytes, self.memory));
        }
        Ok(features)
    }

    /// Table (M×p·m) and constants (p·m) in scaled outputs, and the report of the output that was hardest to solve.
    fn solve(
        &self,
        map: &FeatureMap,
        rows: &Scaled,
        loss: &LevelLoss,
        ridge: f64,
        watch: &mut dyn Watch,
    ) -> Result<(Mat<f64>, Vec<f64>, Report)> {
        let (n, p, m) = (rows.outputs.nrows(), rows.outputs.ncols(), self.moments);
        let (mut table, mut constants) = (Mat::zeros(map.characters(), p * m), vec![0.0; p * m]);
        let amplitudes = map.amplitudes();
        let mut space: Option<(Reduced, Vec<usize>, Vec<f64>)> = None;
        let mut worst: Option<Report> = None;
        for t in 0..p {
            let own: Vec<usize> = (0..n).filter(|&i| rows.weights[(i, t)] > 0.0).collect();
            let w: Vec<f64> = own.iter().map(|&i| rows.weights[(i, t)]).collect();
            // outputs with the same weights share their directions
            let (mut reduced, own, w) = match space.take().filter(|(_, rows, weights)| *rows == own && *weights == w)
            {
                Some(same) => same,
                None => {
                    let block =
                        |from: usize, to: usize| Ok(pinball_path::features(map, &rows.inputs.pick(&own[from..to])));
                    let size = (own.len(), map.characters());
                    (Reduced::new(&block, size, &w, NEGLIGIBLE * ridge)?, own, w)
                }
            };
            let y: Vec<f64> = own.iter().map(|&i| rows.outputs[(i, t)]).collect();
            let params = quantiles::Params {
                ridge,
                gap: self.tolerance,
                least: quantiles::LEAST,
                iterations: self.iterations,
            };
            let found = quantiles::minimise(&mut reduced, loss, &y, &w, params, None, watch)?;
            let (columns, shifts) = reduced.unfold(found.coefficients.as_ref());
            for j in 0..m {
                (0..columns.nrows()).for_each(|k| table[(k, t * m + j)] = amplitudes[k] * columns[(k, j)]);
                constants[t * m + j] = found.constants[j] + shifts[j];
            }
            worst = Some(worse(worst, found.report));
            space = Some((reduced, own, w));
        }
        let report = worst.ok_or_else(|| Error::Data("no outputs: choose at least one column".into()))?;
        Ok((table, constants, report))
    }
}

/// The model in the user's units.
fn linear(
    preparation: Preparation,
    map: FeatureMap,
    (table, constants): (Mat<f64>, Vec<f64>),
    (means, scales): (&[f64], &[f64]),
    basis: &CurveBasis,
) -> Linear {
    let (m, one) = (basis.count(), basis.one());
    let columns = table.ncols();
    let offset = (0..columns).map(|k| scales[k / m] * constants[k] + means[k / m] * one[k % m]).collect();
    Linear {
        preparation,
        table: Mat::from_fn(table.nrows(), columns, |i, k| scales[k / m] * table[(i, k)]),
        map,
        offset,
        noise: Mat::zeros(columns, columns),
        output_scale: (0..columns).map(|k| scales[k / m]).collect(),
        posterior: Held::None,
        warp: None,
    }
}
