//! Rows of data, read in batches and, where the source allows it, more than once.

mod points;
mod tasks;

pub use points::Points;
pub use tasks::Tasks;
pub(crate) use tasks::{pair, widen};

use crate::error::{Error, Result};
use crate::linalg;
use faer::Mat;

/// Sparse rows in compressed form: row i holds `values[start[i]..start[i + 1]]` at columns `columns[..]`, ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr {
    /// Number of columns of the full rows.
    pub width: usize,
    /// n + 1 offsets into `columns` and `values`.
    pub start: Vec<usize>,
    /// Column of each stored value.
    pub columns: Vec<u32>,
    /// The stored values.
    pub values: Vec<f64>,
}

impl Csr {
    /// No rows yet, of so many columns.
    pub fn empty(width: usize) -> Self {
        Csr { width, start: vec![0], columns: Vec::new(), values: Vec::new() }
    }

    /// Adds a row by its stored entries, whose columns ascend.
    pub fn push(&mut self, row: impl IntoIterator<Item = (usize, f64)>) {
        for (k, v) in row {
            self.columns.push(k as u32);
            self.values.push(v);
        }
        self.start.push(self.values.len());
    }

    /// Adds rows; zeros of dense ones are not stored.
    pub fn append(&mut self, rows: &Inputs) {
        match rows {
            Inputs::Sparse(x) => {
                let base = self.values.len();
                self.start.extend(x.start[1..].iter().map(|s| s + base));
                self.columns.extend(&x.columns);
                self.values.extend(&x.values);
            }
            Inputs::Dense(x) => {
                for i in 0..x.nrows() {
                    self.push(x.row(i).iter().copied().enumerate().filter(|(_, v)| *v != 0.0));
                }
            }
        }
    }

    /// Some rows, in the order given.
    pub fn pick(&self, rows: &[usize]) -> Csr {
        let mut some = Csr::empty(self.width);
        rows.iter().for_each(|&i| some.push(self.row(i)));
        some
    }

    /// Number of rows.
    pub fn nrows(&self) -> usize {
        self.start.len() - 1
    }

    /// The stored entries of row i.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let span = self.start[i]..self.start[i + 1];
        self.columns[span.clone()].iter().map(|&k| k as usize).zip(self.values[span].iter().copied())
    }

    /// ‖xᵢ − xⱼ‖², by differences: zero for equal rows. Cost the stored entries of both.
    pub(crate) fn square_distance(&self, i: usize, j: usize) -> f64 {
        let mut other = self.row(j).peekable();
        let mut sum = 0.0;
        for (k, v) in self.row(i) {
            while let Some((_, w)) = other.next_if(|(l, _)| *l < k) {
                sum += w * w;
            }
            let w = other.next_if(|(l, _)| *l == k).map_or(0.0, |(_, w)| w);
            sum += (v - w) * (v - w);
        }
        sum + other.map(|(_, w)| w * w).sum::<f64>()
    }
}

/// Most inputs: each has a name, a scale and a frequency in every atom.
pub const WIDEST: usize = 10_000_000;

/// The inputs of a batch: n×d, dense or sparse.
#[derive(Clone, Debug, PartialEq)]
pub enum Inputs {
    /// n×d.
    Dense(Mat<f64>),
    /// n sparse rows of width d.
    Sparse(Csr),
}

impl Inputs {
    /// Number of rows n.
    pub fn nrows(&self) -> usize {
        match self {
            Inputs::Dense(x) => x.nrows(),
            Inputs::Sparse(x) => x.nrows(),
        }
    }

    /// Number of columns d.
    pub fn ncols(&self) -> usize {
        match self {
            Inputs::Dense(x) => x.ncols(),
            Inputs::Sparse(x) => x.width,
        }
    }

    /// How many numbers are stored.
    pub(crate) fn numbers(&self) -> usize {
        match self {
            Inputs::Dense(x) => x.nrows() * x.ncols(),
            Inputs::Sparse(x) => 2 * x.values.len(),
        }
    }

    /// n×d with zeros written out.
    pub fn to_dense(&self) -> Mat<f64> {
        match self {
            Inputs::Dense(x) => linalg::copied(x.as_ref()),
            Inputs::Sparse(x) => {
                let mut out = Mat::zeros(x.nrows(), x.width);
                (0..x.nrows()).for_each(|i| x.row(i).for_each(|(k, v)| out[(i, k)] = v));
                out
            }
        }
    }

    /// The same without a copy of what is dense.
    pub(crate) fn into_dense(self) -> Mat<f64> {
        match self {
            Inputs::Dense(x) => x,
            sparse => sparse.to_dense(),
        }
    }

    /// The Euclidean norms of the rows.
    pub(crate) fn norms(&self) -> Vec<f64> {
        match self {
            Inputs::Dense(x) => {
                let mut squares = vec![0.0; x.nrows()];
                for column in x.col_iter() {
                    squares.iter_mut().zip(column.iter()).for_each(|(s, v)| *s += v * v);
                }
                squares.into_iter().map(f64::sqrt).collect()
            }
            Inputs::Sparse(x) => (0..x.nrows()).map(|i| x.row(i).map(|(_, v)| v * v).sum::<f64>().sqrt()).collect(),
        }
    }

    /// Some rows, in the order given.
    pub fn pick(&self, rows: &[usize]) -> Inputs {
        match self {
            Inputs::Dense(x) => Inputs::Dense(Mat::from_fn(rows.len(), x.ncols(), |i, k| x[(rows[i], k)])),
            Inputs::Sparse(x) => Inputs::Sparse(x.pick(rows)),
        }
    }

    /// Rows from..to.
    pub fn slice(&self, from: usize, to: usize) -> Inputs {
        match self {
            Inputs::Dense(x) => Inputs::Dense(x.subrows(from, to - from).to_owned()),
            Inputs::Sparse(x) => {
                let (a, b) = (x.start[from], x.start[to]);
                Inputs::Sparse(Csr {
                    width: x.width,
                    start: x.start[from..=to].iter().map(|s| s - a).collect(),
                    columns: x.columns[a..b].to_vec(),
                    values: x.values[a..b].to_vec(),
                })
            }
        }
    }
}

/// How much each row, or each measured output of each row, counts.
#[derive(Clone, Debug, PartialEq)]
pub enum Weights {
    /// One weight per row (n): how often the row counts.
    Row(Vec<f64>),
    /// One weight per entry of the outputs (n×p), 1/σ² of each measurement; only their ratios matter.
    Entry(Mat<f64>),
}

/// Some consecutive rows. A NaN in `outputs` is an output that was not observed.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// n×d.
    pub inputs: Inputs,
    /// n×p (p = 0 when only predicting).
    pub outputs: Mat<f64>,
    /// None: every row counts once.
    pub weights: Option<Weights>,
}

impl Batch {
    /// Rows from..to.
    pub fn slice(&self, from: usize, to: usize) -> Batch {
        let rows = |m: &Mat<f64>| m.subrows(from, to - from).to_owned();
        let weights = self.weights.as_ref().map(|w| match w {
            Weights::Row(w) => Weights::Row(w[from..to].to_vec()),
            Weights::Entry(w) => Weights::Entry(rows(w)),
        });
        Batch { inputs: self.inputs.slice(from, to), outputs: rows(&self.outputs), weights }
    }

    /// Some rows, in the order given.
    pub fn pick(&self, rows: &[usize]) -> Batch {
        let some = |m: &Mat<f64>| Mat::from_fn(rows.len(), m.ncols(), |i, t| m[(rows[i], t)]);
        let weights = self.weights.as_ref().map(|w| match w {
            Weights::Row(w) => Weights::Row(rows.iter().map(|&i| w[i]).collect()),
            Weights::Entry(w) => Weights::Entry(some(w)),
        });
        Batch { inputs: self.inputs.pick(rows), outputs: some(&self.outputs), weights }
    }
}

/// Batches of rows, one after the other; they may be read by another thread than the one that uses them.
pub type Batches<'a> = Box<dyn Iterator<Item = Result<Batch>> + Send + 'a>;

/// A source of rows. `batches` starts again from the first row at each call; a source that cannot (standard input)
/// says so in `rereadable` and fails the second time.
pub trait Rows: Sync {
    /// Number of inputs d.
    fn inputs(&self) -> usize;
    /// Number of outputs p.
    fn outputs(&self) -> usize;
    /// The rows in order, in batches of any size.
    fn batches(&self) -> Result<Batches<'_>>;
    /// Whether `batches` may be called again.
    fn rereadable(&self) -> bool {
        true
    }
    /// Whether the inputs are in single precision: then so may the features be.
    fn single(&self) -> bool {
        false
    }
    /// The same rows in long form, where each observes one output: two outputs, the number of that one (from 0) and its
    /// value. \[tasks\]
    fn pairs(&self) -> Option<&dyn Rows> {
        None
    }
    /// Whether the outputs are points of one curve for each row: t₁, y₁, t₂, y₂, …, NaN after the last. \[integral\]
    fn points(&self) -> bool {
        false
    }
    /// The names of the classes, when the one output is the number of a class, from 0 (NaN: not known).
    fn classes(&self) -> Option<&[String]> {
        None
    }
    /// Weights ≥ 0 of a graph of all rows (N×N), where one was given.
    fn graph(&self) -> Option<&Csr> {
        None
    }
}

impl<R: Rows + ?Sized> Rows for &R {
    fn inputs(&self) -> usize {
        (**self).inputs()
    }

    fn outputs(&self) -> usize {
        (**self).outputs()
    }

    fn batches(&self) -> Result<Batches<'_>> {
        (**self).batches()
    }

    fn rereadable(&self) -> bool {
        (**self).rereadable()
    }

    fn single(&self) -> bool {
        (**self).single()
    }

    fn pairs(&self) -> Option<&dyn Rows> {
        (**self).pairs()
    }

    fn points(&self) -> bool {
        (**self).points()
    }

    fn classes(&self) -> Option<&[String]> {
        (**self).classes()
    }

    fn graph(&self) -> Option<&Csr> {
        (**self).graph()
    }
}

/// Rows in memory.
#[derive(Clone, Debug)]
pub struct Table {
    rows: Batch,
    batch: usize,
    graph: Option<Csr>,
}

impl Table {
    /// Rows from dense inputs (n×d) and outputs (n×p).
    ///
    /// ```
    /// use orff::rows::{Rows, Table};
    /// let t = Table::new(faer::Mat::zeros(5, 2), faer::Mat::zeros(5, 3))?;
    /// assert_eq!((t.inputs(), t.outputs()), (2, 3));
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn new(inputs: Mat<f64>, outputs: Mat<f64>) -> Result<Self> {
        Self::of(Inputs::Dense(inputs), outputs)
    }

    /// Rows from dense or sparse inputs.
    pub fn of(inputs: Inputs, outputs: Mat<f64>) -> Result<Self> {
        if inputs.nrows() != outputs.nrows() {
            return Err(Error::shape(
                "outputs",
                format!("{} rows as in the inputs", inputs.nrows()),
                outputs.nrows(),
            ));
        }
        Ok(Table { rows: Batch { inputs, outputs, weights: None }, batch: usize::MAX, graph: None })
    }

    /// The same rows with weights.
    pub fn weighted(mut self, weights: Weights) -> Result<Self> {
        let (n, p) = (self.nrows(), self.rows.outputs.ncols());
        let given = match &weights {
            Weights::Row(w) => (w.len(), p),
            Weights::Entry(w) => (w.nrows(), w.ncols()),
        };
        if given != (n, p) {
            return Err(Error::shape(
                "weights",
                format!("{n} rows and {p} outputs"),
                format!("{}×{}", given.0, given.1),
            ));
        }
        self.rows.weights = Some(weights);
        Ok(self)
    }

    /// The same rows joined by a graph with given weights ≥ 0 (N×N).
    pub fn joined(mut self, graph: Csr) -> Self {
        self.graph = Some(graph);
        self
    }

    /// The same rows, delivered in batches of `rows`.
    pub fn batched(mut self, rows: usize) -> Self {
        self.batch = rows.max(1);
        self
    }

    /// Number of rows.
    pub fn nrows(&self) -> usize {
        self.rows.inputs.nrows()
    }
}

impl Rows for Table {
    fn inputs(&self) -> usize {
        self.rows.inputs.ncols()
    }

    fn outputs(&self) -> usize {
        self.rows.outputs.ncols()
    }

    fn batches(&self) -> Result<Batches<'_>> {
        let (n, step) = (self.nrows(), self.batch);
        let starts = (0..n).step_by(step.min(n.max(1)));
        Ok(Box::new(starts.map(move |a| Ok(self.rows.slice(a, a.saturating_add(step).min(n))))))
    }

    fn graph(&self) -> Option<&Csr> {
        self.graph.as_ref()
    }
}
