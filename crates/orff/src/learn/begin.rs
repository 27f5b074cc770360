//! What learners share: the choices before the rows are read; and, with kernel sections, the model after.

use super::choose::{self, Open, Prepared};
use super::noise::Column;
use super::plan::gaps;
use super::stage::{Stage, training_points};
use super::{Regression, Sample, mixture, sample, scale};
use crate::archive::MOST_VALUES;
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Blocks, reblock};
use crate::kernel::{Kernel, Matrix, Output, Seen, Units};
use crate::linalg::with_threads;
use crate::model::{Exact, ExactPosterior, Training};
use crate::params::Auto;
use crate::rows::{Batches, Inputs, Rows, Weights, widen};
use crate::solve::{self, PathPoint};
use crate::watch::Watch;
use faer::Mat;

/// What fitting with kernel sections returns.
pub struct FittedExact {
    /// The model.
    pub model: Exact,
    /// How it was trained: kernel, ridge, choices, path.
    pub training: Training,
}

/// Choices made so far, told to whoever watches.
#[derive(Clone, Default)]
pub(super) struct Choices {
    pub lines: Vec<String>,
}

impl Choices {
    pub fn say(&mut self, watch: &mut dyn Watch, line: String) {
        watch.say(&line);
        self.lines.push(line);
    }
}

/// A sample of the rows, in the user's units and in the kernel's.
pub(super) struct Sampled<'a> {
    pub(super) given: Kernel,
    pub(super) stage: Stage,
    inputs: Inputs,
    pub(super) outputs: Mat<f64>,
    weights: Option<Weights>,
    pub drawn: Sample,
    rest: Option<Batches<'a>>,
}

/// Draws the sample and fixes scales, by the rules of [`Regression`]; those of the outputs in the units given, if any.
pub(super) fn sampled<'a>(
    learner: &Regression,
    rows: &'a dyn Rows,
    units: Option<Units>,
    watch: &mut dyn Watch,
) -> Result<Sampled<'a>> {
    if rows.outputs() == 0 || rows.inputs() == 0 {
        return Err(Error::Data("no inputs or no outputs: choose at least one column of each".into()));
    }
    let given = learner.kernel.with_lengthscale(&learner.lengthscale);
    let (drawn, rest) = match rows.pairs().filter(|pairs| pairs.rereadable()) {
        None => sample::draw(rows, learner.seed, watch)?,
        Some(pairs) => {
            let (mut drawn, rest) = sample::draw(pairs, learner.seed, watch).map_err(of_pairs)?;
            drawn.rows = widen(&drawn.rows, rows.outputs(), 0)?;
            (drawn, rest)
        }
    };
    let preparation = scale::inputs(&given, &learner.group, &drawn.rows).map_err(|e| drawn.named(e))?;
    let (means, scales) = scale::outputs(&given, units, &drawn.rows, learner.offset)?;
    let stage = Stage { preparation, means, scales };
    let (inputs, outputs, weights) = stage.prepare(&drawn.rows, 1)?;
    Ok(Sampled { given, stage, inputs, outputs, weights, drawn, rest })
}

/// The value of a long row is its only output.
pub(super) fn of_pairs(error: Error) -> Error {
    match error {
        Error::Value { row, column, value, problem } => {
            let column = column.strip_suffix(" 2").map_or(column.clone(), String::from);
            Error::Value { row, column, value, problem }
        }
        other => other,
    }
}

/// The state before the pass.
pub(super) struct Begun<'a> {
    pub stage: Stage,
    /// The kernel as the user may read it.
    pub kernel: Kernel,
    /// The kernel on prepared rows: with views the scalar one.
    pub inner: Kernel,
    /// Columns of prepared outputs: p, or 1 with views.
    pub columns: usize,
    pub drawn: Sample,
    rest: Option<Batches<'a>>,
}

impl<'a> Sampled<'a> {
    fn seen(&self) -> Seen<'_> {
        Seen { outputs: self.stage.means.len(), sample: Some(self.outputs.as_ref()), ..Seen::default() }
    }

    /// The number of rows, as far as it is known.
    pub fn rows(&self) -> usize {
        self.drawn.total.unwrap_or(self.drawn.rows.inputs.nrows())
    }

    /// Numbers in the sample.
    pub fn numbers(&self) -> f64 {
        (self.inputs.numbers() + self.outputs.nrows() * self.outputs.ncols()) as f64
    }

    /// Number of prepared rows of the sample: several for each row with views.
    pub fn prepared(&self) -> usize {
        self.inputs.nrows()
    }

    /// Refuses a dense copy of so many sparse rows, which kernel sections need, where it is beyond the memory (in MB).
    pub fn allow_dense(&self, rows: usize, memory: f64) -> Result<()> {
        let gigabytes = 8.0 * rows as f64 * self.dimension() as f64 / 1e9;
        if !matches!(self.inputs, Inputs::Sparse(_)) || 1e3 * gigabytes <= memory {
            return Ok(());
        }
        Err(Error::refused(
            format!("a dense copy of {rows} sparse rows with {} columns", self.dimension()),
            format!("it needs {gigabytes:.0} GB; use random features, which leave rows sparse"),
        ))
    }

    /// Number of coordinates of the kernel.
    pub fn dimension(&self) -> usize {
        self.inputs.ncols()
    }

    /// Whether outputs have gaps.
    pub fn gaps(&self) -> bool {
        gaps(&self.outputs, self.weights.as_ref())
    }

    /// Columns of prepared outputs: p, or 1 with views.
    pub fn columns(&self) -> usize {
        self.outputs.ncols()
    }

    /// The kernel with any lengthscale: enough to know its sizes.
    pub fn some_kernel(&self) -> Result<Kernel> {
        let seen = Seen { lengthscale: Some(1.0), gradient: Some(0.5), ..self.seen() };
        let kernel = mixture::any(&self.given, self.dimension()).resolve(&seen)?;
        storable(&self.given, &kernel)?;
        Ok(kernel)
    }

    /// How many rows will choose what the kernel leaves open; none where it leaves nothing.
    pub fn judged(&self) -> Result<usize> {
        let open = Open::of(&mixture::any(&self.given, self.dimension()), &self.seen())?;
        Ok(if open.lengthscale || open.gradient { choose::judged(self.prepared(), self.columns()) } else { 0 })
    }

    /// Refuses a metric that cannot be used, before any work.
    pub fn check_metric(&self, metric: &Mat<f64>) -> Result<()> {
        solve::whitener(&self.stage.scaled_metric(metric)?, metric.nrows()).map(drop)
    }

    /// With the median distance for a lengthscale that is open: for who chooses others in its place.
    pub fn at_median(mut self, seed: u64) -> Self {
        let median = choose::median_distance(&self.inputs, self.weights.as_ref(), seed);
        self.given = self.given.with_lengthscale(&median.into());
        self
    }

    /// Chooses what the kernel leaves open.
    pub fn begin(mut self, learner: &Regression, choices: &mut Choices, watch: &mut dyn Watch) -> Result<Begun<'a>> {
        self.warn_of_repetitions(choices, watch);
        let rows = self.drawn.size().unwrap_or(self.drawn.rows.inputs.nrows()) as f64;
        let (inputs, outputs) = (&self.inputs, &self.outputs);
        let preparation = &self.stage.preparation;
        let prepared = Prepared { inputs, outputs, weights: self.weights.as_ref(), rows, preparation };
        if let Some((kernel, reasons)) = mixture::learned(&self.given, &prepared, learner.seed, watch)? {
            reasons.into_iter().for_each(|reason| choices.say(watch, reason));
            self.given = kernel;
        }
        let (seen, reasons) = choose::open_parameters(learner, &self.given, &prepared, self.seen(), watch)?;
        reasons.into_iter().for_each(|reason| choices.say(watch, reason));
        let kernel = self.given.resolve(&seen)?;
        self.warn_of_units(&kernel, choices, watch)?;
        let inner = match &kernel {
            Kernel::Transformable(t) => {
                let one = Output::Given { matrix: Matrix::new(Mat::identity(1, 1), "output")? };
                Kernel::decomposable(t.spectrum.clone(), one)
            }
            other => other.clone(),
        };
        let columns = self.outputs.ncols();
        let has = inner.outputs(self.inputs.ncols())?;
        if has != columns {
            return Err(Error::shape(
                "outputs",
                format!("{has}, as many as the kernel has (a field has as many as there are inputs)"),
                columns,
            ));
        }
        Ok(Begun { stage: self.stage, kernel, inner, columns, drawn: self.drawn, rest: self.rest })
    }
}

impl<'a> Begun<'a> {
    /// The rows from the first one on, in blocks.
    pub fn blocks(&mut self, rows: &'a dyn Rows) -> Result<Blocks<'a>> {
        match self.rest.take() {
            None => reblock(rows, BLOCK_ROWS),
            Some(rest) => {
                let head = std::mem::take(&mut self.drawn.head);
                Ok(Blocks::resume(head, rest, (rows.inputs(), rows.outputs()), BLOCK_ROWS))
            }
        }
    }
}

impl Begun<'_> {
    /// The model in the user's units, and how it came to be.
    pub fn finish(
        self,
        found: Scaled,
        ridge: f64,
        path: Vec<PathPoint>,
        choices: Choices,
        rows: usize,
    ) -> FittedExact {
        // ridges too small to have a finite score say nothing
        let path = path.into_iter().filter(|p| p.gcv.is_finite() && p.evidence.is_finite()).collect();
        let points = training_points(&self.drawn.rows);
        let training =
            Training { rows, kernel: Some(self.kernel), ridge, choices: choices.lines, path, points, iterations: 1 };
        FittedExact { model: model(self.stage, self.inner, found), training }
    }
}

/// Weight of output t on row i.
pub(super) fn weight(weights: Option<&Weights>, i: usize, t: usize) -> f64 {
    match weights {
        None => 1.0,
        Some(Weights::Row(w)) => w[i],
        Some(Weights::Entry(w)) => w[(i, t)],
    }
}

/// What a row adds to the n of the mean loss: the mean weight of its observed outputs.
pub(super) fn row_weight(y: &Mat<f64>, weights: Option<&Weights>, i: usize) -> f64 {
    let seen = (0..y.ncols()).filter(|&t| y[(i, t)].is_finite()).map(|t| weight(weights, i, t)).filter(|w| *w > 0.0);
    let (sum, count) = seen.fold((0.0, 0), |(sum, count), w| (sum + w, count + 1));
    if count > 0 { sum / f64::from(count) } else { 0.0 }
}

/// A solution in scaled outputs.
pub(super) struct Scaled {
    pub points: Mat<f64>,
    pub coefficients: Mat<f64>,
    pub columns: Vec<Column>,
    pub posterior: Option<ExactPosterior>,
}

/// From scaled units to the user's.
pub(super) fn model(stage: Stage, kernel: Kernel, found: Scaled) -> Exact {
    let Stage { preparation, means, scales } = stage;
    let p = means.len();
    let column = |t: usize| &found.columns[if preparation.views.is_empty() { t } else { 0 }];
    let offset = (0..p).map(|t| means[t] + scales[t] * column(t).constant).collect();
    let noise = Mat::from_fn(p, p, |s, t| if s == t { column(t).noise * scales[t] * scales[t] } else { 0.0 });
    let unit = (0..p).map(|t| column(t).sigma2.sqrt() * scales[t]).collect();
    // one constant for all views is one uncertainty for all
    let posterior = found.posterior.map(|mut posterior| {
        posterior.unit = Some(unit);
        if !preparation.views.is_empty() {
            posterior.constant = Mat::from_fn(p, p, |_, _| posterior.constant[(0, 0)]);
        }
        posterior
    });
    Exact {
        kernel,
        points: found.points,
        coefficients: found.coefficients,
        output_scale: scales,
        offset,
        noise,
        posterior: posterior.into(),
        preparation,
    }
}

/// Runs a fit with so many threads.
pub(super) fn in_pool<T: Send>(threads: Auto<usize>, fit: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    with_threads(threads.fixed(), fit)?
}

/// Numbers of a header that are not the kernel's.
const OTHERS: usize = 1 << 16;

/// Refuses a kernel that no model file can hold, before any work: its numbers, as given and as resolved, are in the header.
pub(super) fn storable(given: &Kernel, kernel: &Kernel) -> Result<()> {
    let numbers = |kernel: &Kernel| {
        let text = serde_json::to_vec(kernel).unwrap_or_default();
        text.iter().filter(|byte| matches!(byte, b',' | b'[')).count()
    };
    let (has, most) = (numbers(given) + numbers(kernel), MOST_VALUES - OTHERS);
    if has <= most {
        return Ok(());
    }
    let expected =
        format!("one whose matrices and atoms have at most {most} numbers, more than which no model file holds");
    Err(Error::parameter("kernel", expected, has))
}
