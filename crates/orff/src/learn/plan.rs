//! How a fit is solved, from moments or over the rows: by memory, then by operations; said before it starts.

use super::Regression;
use super::apart;
use super::choose::{self, EIGEN_UNKNOWNS};
use super::mixed::{Precision, worth_fixed_point};
use super::ridge::{EIGENVECTORS, KEPT_UNKNOWNS, Ridge};
use crate::error::{Error, Result};
use crate::feature::BLOCK_ROWS;
use crate::kernel::Atoms;
use crate::params::Auto;
use crate::rows::{Batch, Rows, Weights};
use crate::solve::{self, Banded, is_diagonal};
use faer::Mat;
use serde::{Deserialize, Serialize};

/// What is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Moments of one pass, then a factorisation, or conjugate gradients on them.
    Moments,
    /// The observed entries, by conjugate gradients that go over the rows again and again.
    Rows,
}

/// Iterations of conjugate gradients that are reckoned with.
const ITERATIONS: f64 = 100.0;
/// Operations of a fit that nobody minds.
const PATIENCE: f64 = 1e13;
/// How much cheaper the rows must be where the moments are bearable: they have error bars, and every ridge at once.
const CHEAPER: f64 = 50.0;

/// What is known of the rows before the pass.
pub(super) struct Extent {
    /// Number of inputs d of the kernel.
    pub inputs: usize,
    /// Number of outputs p.
    pub outputs: usize,
    /// Whether each output has moments of its own: some are missing, or have weights of their own.
    pub gaps: bool,
    /// Number of observed entries, as far as it is known.
    pub entries: f64,
    /// Numbers in the sample of rows by which choices are made.
    pub sample: f64,
    /// Numbers in a block of rows.
    pub block: f64,
    /// Rows by which what the kernel leaves open is chosen; none where nothing is.
    pub judged: usize,
    /// Whether rows can be gone over again.
    pub again: bool,
    /// Whether they are long, with one output each.
    pub long: bool,
}

impl Extent {
    /// From a sample of the rows and how many there are.
    pub fn of(rows: &dyn Rows, sample: &Batch, total: Option<usize>, dimension: usize) -> Self {
        let y = &sample.outputs;
        let observed: usize = y.col_iter().map(|c| c.iter().filter(|v| v.is_finite()).count()).sum();
        let scale = total.map_or(1.0, |total| total as f64 / y.nrows().max(1) as f64);
        let numbers = (sample.inputs.numbers() + y.nrows() * y.ncols()) as f64;
        Extent {
            inputs: dimension,
            outputs: rows.outputs(),
            gaps: gaps(y, sample.weights.as_ref()),
            entries: observed as f64 * scale,
            sample: numbers,
            block: numbers * (BLOCK_ROWS as f64 / y.nrows().max(1) as f64).min(1.0),
            judged: 0,
            again: rows.rereadable() && total.is_some(),
            long: rows.pairs().is_some(),
        }
    }
}

/// What was decided.
pub(super) struct Plan {
    pub solver: Solver,
    /// At the peak of the fit.
    pub megabytes: f64,
    /// Why, where it is not the usual.
    pub reason: Option<String>,
}

impl Regression {
    /// Refuses a solver that cannot do what is asked for, whatever the number of features.
    pub(super) fn allow_solver(&self, extent: &Extent) -> Result<()> {
        match (self.solver, self.why_rows(extent), self.why_moments(extent)) {
            (Auto::Fixed(Solver::Moments), Some(_), _) => Err(solve::incomplete_metric()),
            (Auto::Auto, Some(_), Some(why)) => Err(Error::refused(solve::INCOMPLETE_METRIC, why)),
            (Auto::Fixed(Solver::Rows), _, Some(why)) => Err(Error::refused("solver rows", why)),
            _ => Ok(()),
        }
    }

    /// The solver and its memory, refused beyond the limit.
    pub(super) fn plan(&self, features: usize, sizes: &Sizes, extent: &Extent) -> Result<Plan> {
        let moments = self.moments_megabytes(features, sizes, extent);
        let rows = self.rows_megabytes(features, sizes, extent);
        let limit = self.memory as f64;
        let plan = |solver, reason| {
            let megabytes = if solver == Solver::Rows { rows } else { moments };
            if megabytes <= limit {
                return Ok(Plan { solver, megabytes, reason });
            }
            Err(choose::too_many(features, megabytes, self.memory))
        };
        let how = format!("conjugate gradients over {:.0} entries, without error bars", extent.entries);
        if let (Auto::Auto, Some(why)) = (self.solver, self.why_rows(extent)) {
            return plan(Solver::Rows, Some(format!("solver rows: {why}; {how}")));
        }
        match (self.solver, self.why_moments(extent)) {
            (Auto::Fixed(solver), _) => plan(solver, None),
            (Auto::Auto, None) if extent.gaps => {
                let p = extent.outputs;
                if moments > limit && rows <= limit {
                    let why = format!("moments of {p} outputs would take {moments:.0} MB");
                    return plan(Solver::Rows, Some(format!("solver rows: {why}; {how}")));
                }
                let (slow, fast) = self.operations(features, sizes, extent);
                // conjugate gradients on moments have no error bars either
                let unknowns = if sizes.splits(true) { features as f64 } else { features as f64 * sizes.columns };
                let faster = match self.iterates(unknowns) {
                    true => slow > fast,
                    false => slow > PATIENCE && slow > CHEAPER * fast,
                };
                if faster && rows <= limit {
                    let why = format!("moments of {p} outputs would take {:.1} times the operations", slow / fast);
                    return plan(Solver::Rows, Some(format!("solver rows: {why}; {how}")));
                }
                plan(Solver::Moments, None)
            }
            (Auto::Auto, _) => plan(Solver::Moments, None),
        }
    }

    /// Why moments do not tell enough.
    fn why_rows(&self, extent: &Extent) -> Option<&'static str> {
        self.metric.as_ref()?;
        if self.kernel.views().is_some() {
            return Some("a metric ties the views of a row");
        }
        extent.gaps.then_some("a metric ties the outputs of a row, and some have gaps")
    }

    /// Why the rows cannot be gone over again and again.
    fn why_moments(&self, extent: &Extent) -> Option<&'static str> {
        let reasons = [
            (!extent.again, "it reads the rows again and again, and these are read once"),
            (self.metric.is_some() && extent.long, "a metric ties the outputs of a row, and long rows have one each"),
            (self.ridge == Ridge::Loo, "leave-one-out needs a factorisation; use evidence or gcv"),
            (self.ridge == Ridge::Given(0.0), "conjugate gradients need a ridge > 0"),
            (self.precision == Auto::Fixed(Precision::Mixed), "mixed precision corrects moments"),
        ];
        reasons.into_iter().find(|(holds, _)| *holds).map(|(_, why)| why)
    }

    /// Operations from moments, and over the rows.
    fn operations(&self, features: usize, sizes: &Sizes, extent: &Extent) -> (f64, f64) {
        let (m, p, n) = (features as f64, extent.outputs as f64, extent.entries);
        let splits = sizes.splits(extent.gaps);
        let unknowns = if splits { m } else { m * sizes.columns };
        let given = matches!(self.ridge, Ridge::Given(_));
        let solve = if self.iterates(unknowns) {
            2.0 * ITERATIONS * p * m * m
        } else {
            (if splits { p } else { 1.0 }) * unknowns.powi(3) * if given { 1.0 } else { 10.0 }
        };
        let characters = n * m * (2.0 * extent.inputs as f64 + 40.0);
        let again = if self.kept_bytes(features, extent) > 0.0 { 1.0 } else { ITERATIONS };
        (n * m * m + solve, again * characters + ITERATIONS * 8.0 * n * m + 10.0 * m.min(1024.0).powi(3))
    }

    fn iterates(&self, unknowns: f64) -> bool {
        let given = matches!(self.ridge, Ridge::Given(ridge) if ridge > 0.0);
        unknowns > 2.0 * EIGEN_UNKNOWNS as f64 || unknowns > EIGEN_UNKNOWNS as f64 && !given
    }

    /// Bytes of characters that are kept between passes over the rows: all of them, or none where they would take more
    /// than a quarter of the memory.
    pub(super) fn kept_bytes(&self, features: usize, extent: &Extent) -> f64 {
        // a row has one entry at least
        let bytes = 8.0 * extent.entries * (features as f64 + 4.0);
        if bytes <= 0.25e6 * self.memory as f64 { bytes } else { 0.0 }
    }

    /// The megabytes of conjugate gradients over the rows: tables, vectors, blocks.
    fn rows_megabytes(&self, features: usize, sizes: &Sizes, extent: &Extent) -> f64 {
        let (m, p, d) = (features as f64, extent.outputs as f64, extent.inputs as f64);
        let block = BLOCK_ROWS as f64;
        let tables = 7.0 * m * p + 8.0 * m * sizes.columns + 2.0 * p * p;
        let preconditioner = 3.0 * m * 1024.0 + 4.0 * m.min(1024.0).powi(2);
        let bytes = 8.0 * (2.0 * m * d + tables + preconditioner + 3.0 * block * m + block * (p.min(1024.0) + d));
        let choice = 8.0 * self.search_numbers(features, sizes, extent);
        (bytes + self.kept_bytes(features, extent)).max(choice) / 1e6 + 2.0
    }

    /// The megabytes of a fit from moments at its peak: those of the pass, or those of the solver, in the place of what
    /// the pass has gathered. Missing outputs and weights of entries need moments for each output.
    fn moments_megabytes(&self, features: usize, sizes: &Sizes, extent: &Extent) -> f64 {
        let (gaps, p) = (extent.gaps, extent.outputs as f64);
        let parts = if gaps { p } else { 1.0 };
        let (m, d) = (features as f64, extent.inputs as f64);
        let splits = sizes.splits(gaps);
        let unknowns = if splits { m } else { m * sizes.columns };
        // each part also has a column for every output
        let (moments, matrix) = (m * m + if gaps { p * (m + p) } else { 0.0 }, unknowns * unknowns);
        let pass = parts * moments + m * (BLOCK_ROWS + 16) as f64 * if gaps { 2.0 } else { 1.0 };
        let given = matches!(self.ridge, Ridge::Given(ridge) if ridge > 0.0);
        // a block in fixed point, half as large, beside the one in single precision
        let chosen =
            matches!(self.ridge, Ridge::Evidence | Ridge::Gcv) && (sizes.even || !splits) && self.metric.is_none();
        let double = self.precision == Auto::Fixed(Precision::Double) || !extent.again || gaps || !(given || chosen);
        let fixed = !double && worth_fixed_point(extent.entries / p.max(1.0), m, extent.inputs);
        let pass = if fixed { pass + m * BLOCK_ROWS as f64 / 2.0 } else { pass };
        // a system that does not split is made beside the moments
        let beside = if splits { 0.0 } else { parts * moments };
        let rank = extent.entries / if splits { p } else { 1.0 } / unknowns;
        let corrected = fixed || self.precision == Auto::Fixed(Precision::Mixed);
        let posterior = |more: f64| if self.posterior { more } else { 0.0 };
        // the factor and what error bars need beside it; a matrix that is not too large is kept in case that it has none
        let factor = 1.0 + posterior(2.2) + if unknowns <= KEPT_UNKNOWNS as f64 { 1.0 } else { 0.0 };
        let solver = if self.iterates(unknowns) {
            2.0 * parts * moments + 8.0 * unknowns
        } else if splits && gaps {
            (1.65 * parts + 4.6) * moments // as measured: eigenvectors of one beside moments of all
        } else if given && (sizes.even || !splits) {
            // the room of the last block is not always given back before the system is made
            let block = if splits || corrected { 0.0 } else { m * BLOCK_ROWS as f64 };
            beside + block + factor * matrix
        } else if chosen && !gaps && rank >= 0.5 && unknowns >= Banded::MANY as f64 {
            // beside the band that it is made for the scores
            beside + factor.max(2.1) * matrix
        } else {
            // eigenvectors and their making; with few rows a factor of their rank, and its basis completed
            beside + if rank < 0.5 { 3.3 + 0.7 * rank } else { EIGENVECTORS } * matrix
        };
        // corrections read rows in single precision beside the factor
        let solver = if corrected { solver + m * BLOCK_ROWS as f64 / 2.0 } else { solver };
        let frequencies = 2.0 * m * d; // drawn, kept, copied into the model: m/2×d each
        // all as measured: tables of solutions and their corrections, matrices between outputs, blocks of rows as they are read
        // and prepared, the sample, what the allocator keeps of the batches it came from, if they are small pieces, and of the
        // choice of a lengthscale
        let fit = frequencies + 4.0 * m * p + pass.max(solver) + 2.0 * extent.block + extent.sample;
        let search = self.search_numbers(features, sizes, extent);
        let (fit, choice) = (fit + 0.38 * search, 1.38 * search + 1.8 * extent.sample);
        let kept = if 8.0 * extent.block < 2e6 { 2.0 * extent.sample } else { 0.0 };
        8.0 * (6.0 * p * p + fit.max(choice) + kept) / 1e6 + 3.0
    }

    /// Numbers that the choice of a lengthscale takes: features of some rows, moments, and eigenvectors with their making.
    fn search_numbers(&self, features: usize, sizes: &Sizes, extent: &Extent) -> f64 {
        if extent.judged == 0 {
            return 0.0;
        }
        let columns = sizes.unknowns(extent.gaps);
        let features = (apart::unknowns(extent.judged) / columns).clamp(16, features.max(16));
        let unknowns = if sizes.splits(extent.gaps) { features } else { features * columns };
        let parts = if extent.gaps { extent.outputs.min(apart::OUTPUTS) } else { 1 };
        (extent.judged * features) as f64 + (4.8 + parts as f64) * (unknowns * unknowns) as f64
    }
}

/// Sizes of a kernel's factors: what is known of memory and time before any lengthscale.
pub(super) struct Sizes {
    /// Whether one factor serves all atoms: the system splits.
    pub shared: bool,
    /// Whether that factor ties outputs together: with missing outputs the system does not split after all.
    tied: bool,
    /// Whether all directions of the outputs have the same variance: one factorisation serves all.
    pub even: bool,
    /// Columns of a factor, at most.
    widest: usize,
    /// Columns of a factor, on average over atoms.
    columns: f64,
}

/// Whether outputs have gaps, so that each has moments of its own: some are missing, or have weights of their own.
pub(super) fn gaps(outputs: &Mat<f64>, weights: Option<&Weights>) -> bool {
    matches!(weights, Some(Weights::Entry(_))) || outputs.col_iter().any(|c| c.iter().any(|v| !v.is_finite()))
}

impl Sizes {
    /// Whether the system of such rows splits into one for each column of the factor.
    fn splits(&self, gaps: bool) -> bool {
        self.shared && !(self.tied && gaps)
    }

    /// Unknowns per character of one system, at most.
    pub fn unknowns(&self, gaps: bool) -> usize {
        if self.splits(gaps) { 1 } else { self.widest }
    }

    pub fn of(atoms: &Atoms) -> Self {
        let columns: usize = atoms.blocks.iter().map(|b| b.count() * b.factors.columns()).sum();
        Sizes {
            shared: atoms.shared_factor().is_some(),
            tied: atoms.shared_factor().is_some_and(|b| !is_diagonal(&(b * b.transpose()))),
            even: atoms.shared_factor().is_some_and(|b| {
                let gram = b.transpose() * b;
                let first = if gram.nrows() > 0 { gram[(0, 0)] } else { 1.0 };
                is_diagonal(&gram) && (0..gram.nrows()).all(|k| (gram[(k, k)] - first).abs() <= 1e-14 * first)
            }),
            widest: atoms.blocks.iter().map(|b| b.factors.columns()).max().unwrap_or(1),
            columns: columns as f64 / atoms.count().max(1) as f64,
        }
    }
}
