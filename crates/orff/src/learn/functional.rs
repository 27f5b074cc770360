//! Curves as outputs: a function of the inputs whose values are functions of an argument. \[integral\]

use super::begin::{Choices, in_pool};
use super::curve_path::{self, Open};
use super::curve_rows::CurveRows;
use super::declare::declare;
use super::level_rows::seen;
use super::pinball_path::features;
use super::stage::training_points;
use super::{Regression, choose};
use crate::curve::{CurveBasis, Waves};
use crate::error::{Error, Result};
use crate::feature::FeatureMap;
use crate::kernel::Kernel;
use crate::linalg::{self, cg};
use crate::model::{Argument, Curves, Held, Linear, Model, Training};
use crate::params::{Auto, Params};
use crate::rows::{Inputs, Rows};
use crate::solve::{Side, Tensor};
use crate::spectrum::{Lengthscale, Measure, check_length};
use crate::watch::Watch;
use faer::Mat;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Arguments of output columns; written as auto, one number or a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Form", into = "Value")]
pub enum Grid {
    /// 0, 1, 2, ….
    #[default]
    Auto,
    /// Given.
    Given(Vec<f64>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Form {
    One(f64),
    Many(Vec<f64>),
    Word(serde::de::IgnoredAny),
}

impl From<Form> for Grid {
    fn from(form: Form) -> Self {
        match form {
            Form::One(t) => Grid::Given(vec![t]),
            Form::Many(grid) => Grid::Given(grid),
            Form::Word(_) => Grid::Auto,
        }
    }
}

impl From<Grid> for Value {
    fn from(grid: Grid) -> Self {
        match grid {
            Grid::Auto => "auto".into(),
            Grid::Given(grid) => grid.into(),
        }
    }
}

declare! {
    /// Curves as outputs, by ridge regression with the integral kernel k(x, x′)k_T(t, t′) through random features of both.
    pub struct FunctionalRidge:
        {
            /// The kernel of the inputs, with one output: gaussian, matern(2.5), a sum or a product of such.
            kernel / kernel: Kernel = Kernel::default(), Kind::Kernel;
            /// Lengthscale of every spectrum of the kernel that leaves its own open: auto (octaves about the median distance
            /// between scaled rows, by the error of curves left out), a number in the units of the inputs, or one number per
            /// input.
            lengthscale / lengthscale: Lengthscale = Lengthscale::Auto,
                Kind::Auto(&Kind::Several(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true }));
            /// The kernel k_T of the argument of the curves, with one output: the rougher, the rougher they may be.
            argument_kernel / argument_kernel: Kernel = Kernel::default(), Kind::Kernel;
            /// Its lengthscale: auto (octaves about a quarter of the range, by the error of curves left out), or a number in the
            /// units of the argument.
            argument_lengthscale / argument_lengthscale: Lengthscale = Lengthscale::Auto,
                Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
            /// The argument of each output column, different numbers; auto is 0, 1, 2, …. Rows with points of their own
            /// have their arguments beside them.
            grid / grid: Grid = Grid::Auto,
                Kind::Auto(&Kind::Several(&Kind::Number { min: f64::NEG_INFINITY, max: f64::INFINITY, open: false }));
        }
        group features
        {
            /// Number of cosines and sines of the argument, an even number; auto has sixteen for each lengthscale in the range.
            argument_features / argument_components: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 2, max: 100_000 });
        }
        draw sum
        {
            /// The ridge λ of the mean squared error over all points; auto chooses it with the lengthscales.
            ridge / alpha: Auto<f64> = Auto::Auto, Kind::Auto(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
            /// Relative residual at which conjugate gradients stop; curves that all know the same arguments need none.
            tolerance / tol: f64 = 1e-8, Kind::Number { min: 0.0, max: 1.0, open: true };
            /// Most iterations.
            iterations / max_iter: usize = 1000, Kind::Count { min: 1, max: u64::MAX };
        }
        limits
}

/// Features: eight for each row, within these; those that choose lengthscales and ridge, at most.
const FEATURES: (usize, usize) = (128, 512);
const CHOOSING: usize = 256;
/// Waves of the argument for each lengthscale in its range, within these.
const WAVES: (f64, usize, usize) = (8.0, 16, 128);

/// What fitting returns.
pub struct FittedFunctional {
    /// The columns of curves.
    pub model: Linear,
    /// What the columns mean.
    pub curves: Curves,
    /// How it was trained.
    pub training: Training,
}

impl FunctionalRidge {
    /// Learns from rows whose outputs are curves on a grid, or [points](crate::rows::Points):
    /// f_x(t) = c(x)ᵀΘg(t) + b(t) + ȳ minimises (1/W)Σw(y − f_x(t))² + λ(‖Θ‖² + ‖b‖²), with features c, g of the two kernels and
    /// a curve b in the space of k_T. All rows are held in memory: n·(d + M) and 3 numbers for each point. Cost n·M·min(n, M)
    /// where all curves know the same arguments; otherwise, an iteration, 4n·r·r′ and 4r′ for each point.
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedFunctional> {
        self.check()?;
        in_pool(self.threads, || self.fit_here(rows, watch))
    }

    /// The same as a model with its name and parameters.
    pub fn model(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Model> {
        let values = match serde_json::to_value(self) {
            Ok(Value::Object(values)) => values,
            _ => Map::new(),
        };
        super::registry::functional_model(values, rows, watch)
    }

    fn fit_here(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedFunctional> {
        let mut choices = Choices::default();
        let kernel = self.kernel.with_lengthscale(&self.lengthscale);
        if let Lengthscale::Common(length) = self.argument_lengthscale {
            check_length("argument_lengthscale", length)?;
        }
        let along = self.argument_kernel.with_lengthscale(&self.argument_lengthscale);
        let grid = match &self.grid {
            Grid::Auto => None,
            Grid::Given(grid) => Some(&grid[..]),
        };
        let known = CurveRows::read((&kernel, &along), &self.group, grid, self.memory, rows, watch)?;
        let width = self.width(&known, &mut choices, watch)?;
        let x_at = |lengthscale: f64, x: &Inputs| -> Result<Mat<f64>> {
            Ok(with_constant(&features(&self.map_at(&known, lengthscale, width.min(CHOOSING), 1)?, x)))
        };
        let t_at = |lengthscale: f64| -> Result<Mat<f64>> {
            Ok(self.waves(&known, lengthscale)?.characters(&known.arguments))
        };
        let open = self.open(&known)?;
        let found = curve_path::choose(&known, &open, &x_at, &t_at, watch)?;
        let ridge = found.shift / known.total();
        let by = found.reason.as_deref().unwrap_or("too few curves to compare others");
        if open.inputs.1 {
            choices.say(watch, format!("lengthscale {}: {by}", choose::length(found.inputs, &known.preparation)));
        }
        if open.argument.1 {
            let own = found.argument * known.argument.scale[0];
            choices.say(watch, format!("lengthscale of the argument {own:.4}: {by}"));
        }
        if self.ridge.fixed().is_none() {
            choices.say(watch, format!("ridge {ridge:.3e}: {by}"));
        }
        let waves = self.waves(&known, found.argument)?;
        if self.argument_features.fixed().is_none() {
            let count = 2 * waves.frequencies.len();
            choices
                .say(watch, format!("features of the argument {count}: sixteen for each lengthscale in its range"));
        }
        watch.stage("fit");
        let shares = known.points.of_arguments(known.arguments.len());
        let t = Side::new(&waves.characters(&known.arguments), &shares)?;
        let basis = CurveBasis::Waves(waves.along(t.directions.as_ref()));
        let map = self.map_at(&known, found.inputs, width, basis.count())?;
        let x = Side::new(&with_constant(&features(&map, &known.inputs)), &known.points.of_curves())?;
        let tensor = Tensor { x: &x, t: &t, points: &known.points };
        let (theta, iterations) = self.solve(&tensor, &known, found.shift, &mut choices, watch)?;
        choices.say(watch, "no error bars: those of independent points would be too short for curves".into());
        let model = linear(&known, map, &linalg::product(x.directions.as_ref(), theta.as_ref()));
        let argument = Argument {
            values: known.usual.clone(),
            range: range(&known.arguments),
            kernel: known.kernels.1.resolve(&seen(1, found.argument))?,
            scale: known.argument.scale[0],
            name: None,
        };
        let training = Training {
            rows: known.own.read,
            kernel: Some(known.kernels.0.resolve(&seen(1, found.inputs))?),
            ridge,
            choices: choices.lines,
            path: Vec::new(),
            points: if rows.points() { Vec::new() } else { training_points(&known.own.rows) },
            iterations,
        };
        Ok(FittedFunctional {
            model,
            curves: Curves { basis, calibration: None, argument: Some(argument) },
            training,
        })
    }

    /// What is left open, with first guesses: the median distance, a quarter of the range.
    fn open(&self, known: &CurveRows) -> Result<Open> {
        let open = |kernel: &Kernel| -> Result<bool> {
            Ok(kernel.resolve(&seen(1, 1.0))? != kernel.resolve(&seen(1, 2.0))?)
        };
        let (inputs, argument) = (open(&known.kernels.0)?, open(&known.kernels.1)?);
        let median = match inputs {
            true => choose::median_distance(&known.inputs, known.own.rows.weights.as_ref(), self.seed),
            false => 1.0,
        };
        let shift = self.ridge.fixed().map(|ridge| ridge * known.total());
        Ok(Open { inputs: (median, inputs), argument: (0.25 * known.range(), argument), shift })
    }

    fn learner(&self) -> Regression {
        let (draw, sum, map, seed, measure) = (self.draw, self.sum, self.map, self.seed, Measure::Plain);
        Regression { draw, measure, sum, map, seed, ..Regression::default() }
    }

    /// The features of the inputs, for a model of so many columns.
    fn map_at(&self, known: &CurveRows, lengthscale: f64, features: usize, columns: usize) -> Result<FeatureMap> {
        let kernel = known.kernels.0.resolve(&seen(columns, lengthscale))?;
        self.learner().draw_map(&kernel, known.preparation.centre.len(), features)
    }

    /// The features of the argument.
    fn waves(&self, known: &CurveRows, lengthscale: f64) -> Result<Waves> {
        let kernel = known.kernels.1.resolve(&seen(1, lengthscale))?;
        let features = match self.argument_features {
            Auto::Fixed(odd) if odd % 2 == 1 => {
                return Err(Error::parameter("argument_features", "an even number (a cosine and a sine each)", odd));
            }
            Auto::Fixed(even) => even,
            Auto::Auto => 2 * ((WAVES.0 * lengths(&kernel, known.range())?) as usize).clamp(WAVES.1, WAVES.2),
        };
        let learner = Regression { map: Auto::Auto, draw: Auto::Auto, ..self.learner() };
        let map = learner.draw_map(&kernel, 1, features)?;
        Ok(Waves::of(map.atoms(), known.argument.centre[0], known.argument.scale[0]))
    }

    /// Columns of the feature map, refused where rows and features would not fit into the memory.
    fn width(&self, known: &CurveRows, choices: &mut Choices, watch: &mut dyn Watch) -> Result<usize> {
        let n = known.curves();
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
        let waves = self.argument_features.fixed().unwrap_or(2 * WAVES.2);
        let (small, few) = (features.min(n), waves.min(known.arguments.len()));
        let numbers = n as f64 * (3 * features + 3 * few) as f64
            + (features * 4 * small) as f64
            + (known.arguments.len() * 3 * waves) as f64
            + 5.0 * (small * few) as f64
            + 4.0 * known.points.at.len() as f64;
        let megabytes = 8e-6 * numbers;
        if megabytes > self.memory as f64 {
            return Err(choose::too_many(features, megabytes, self.memory));
        }
        Ok(features)
    }

    /// Θ along the directions of both sides, and the iterations it took.
    fn solve(
        &self,
        tensor: &Tensor,
        known: &CurveRows,
        shift: f64,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<(Mat<f64>, usize)> {
        let (n, l, count) = (known.curves(), known.arguments.len(), known.points.at.len());
        if known.points.complete(l) {
            let (r, s) = (tensor.x.values.len(), tensor.t.values.len());
            choices.say(watch, format!("solved by eigenvalues, {r} by {s}: {n} curves know the same {l} arguments"));
            return Ok((tensor.closed(shift), 1));
        }
        let params = cg::Params { tol: self.tolerance, max_iter: self.iterations };
        let mut tell = |_: usize, _: f64| watch.advance(1);
        let (theta, report) = tensor.iterate(shift, &|_| true, None, params, &mut tell)?;
        let over = format!("{count} points of {n} curves");
        choices.say(watch, format!("solved by conjugate gradients over {over}, {}", report.how()));
        if report.reason == cg::Reason::MaxIter {
            let how = "raise iterations, or the tolerance, or the ridge";
            choices.say(watch, format!("not converged after {} iterations: {how}", report.iterations));
        }
        Ok((theta, report.iterations.max(1)))
    }
}

/// How often a kernel forgets within a range: the range over the largest of its halves, quarters, … at which neighbours still have
/// most in common, as at one lengthscale of a gaussian.
fn lengths(kernel: &Kernel, range: f64) -> Result<f64> {
    let at = |t: f64| -> Result<f64> { Ok(kernel.eval(&[0.0], &[t])?[(0, 0)]) };
    let (whole, mut parts) = (at(0.0)?, 1.0);
    while parts < WAVES.2 as f64 && at(range / parts)? < libm::exp(-0.5) * whole {
        parts *= 2.0;
    }
    Ok(parts)
}

/// Features, and a column of ones: the curve that all rows have in common.
fn with_constant(features: &Mat<f64>) -> Mat<f64> {
    let m = features.ncols();
    Mat::from_fn(features.nrows(), m + 1, |i, k| if k < m { features[(i, k)] } else { 1.0 })
}

fn range(arguments: &[f64]) -> (f64, f64) {
    (arguments[0], arguments[arguments.len() - 1])
}

/// The model in the user's units, from coefficients ((M+1)×r) of features and of the constant.
fn linear(known: &CurveRows, map: FeatureMap, found: &Mat<f64>) -> Linear {
    let amplitudes = map.amplitudes();
    let (m, columns) = (amplitudes.len(), found.ncols() + 1);
    let (mean, scale) = known.units;
    let table = Mat::from_fn(m, columns, |k, j| if j == 0 { 0.0 } else { scale * amplitudes[k] * found[(k, j - 1)] });
    let offset = (0..columns).map(|j| if j == 0 { mean } else { scale * found[(m, j - 1)] }).collect();
    Linear {
        preparation: known.preparation.clone(),
        table,
        map,
        offset,
        noise: Mat::zeros(columns, columns),
        output_scale: vec![scale; columns],
        posterior: Held::None,
        warp: None,
    }
}
