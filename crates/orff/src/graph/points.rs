//! The rows of a data set kept for looking at them in any order: dense ones row after row, or sparse.

use crate::error::{Error, Result};
use crate::linalg::dot;
use crate::rows::{Csr, Inputs};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

/// Numbers of a dense copy of some sparse rows.
const PANEL: usize = 1 << 20;

/// N rows of d prepared inputs. Memory N·d numbers, or those stored.
///
/// ```
/// use orff::graph::Points;
/// use orff::rows::Inputs;
/// let points = Points::of(&Inputs::Dense(faer::mat![[0.0, 0.0], [3.0, 4.0]]));
/// assert_eq!(points.square(0, 1), 25.0);
/// ```
#[derive(Clone, Debug)]
pub struct Points {
    rows: Kept,
    /// ‖x‖² of each row.
    squares: Vec<f64>,
}

#[derive(Clone, Debug)]
enum Kept {
    /// Row after row.
    Dense {
        values: Vec<f64>,
        width: usize,
    },
    Sparse(Csr),
}

impl Points {
    /// No rows yet, of d inputs; room for some.
    pub fn empty(like: &Inputs, room: usize) -> Self {
        let rows = match like {
            Inputs::Dense(x) => Kept::Dense { values: Vec::with_capacity(room * x.ncols()), width: x.ncols() },
            Inputs::Sparse(x) => Kept::Sparse(Csr::empty(x.width)),
        };
        Points { rows, squares: Vec::with_capacity(room) }
    }

    /// All rows of some inputs.
    pub fn of(inputs: &Inputs) -> Self {
        let mut points = Points::empty(inputs, inputs.nrows());
        points.add(inputs);
        points
    }

    /// More rows, dense or sparse as the first ones or converted to it.
    fn add(&mut self, more: &Inputs) {
        match (&mut self.rows, more) {
            (Kept::Dense { values, .. }, Inputs::Dense(x)) => {
                (0..x.nrows()).for_each(|i| values.extend(x.row(i).iter()));
            }
            (Kept::Dense { .. }, sparse) => return self.add(&Inputs::Dense(sparse.to_dense())),
            (Kept::Sparse(all), more) => all.append(more),
        }
        self.squares.extend(more.norms().iter().map(|norm| norm * norm));
    }

    /// Adds rows; there are at most 2³² of them.
    pub fn push(&mut self, more: &Inputs) -> Result<()> {
        if more.ncols() != self.width() {
            return Err(Error::shape("inputs", format!("{} columns", self.width()), more.ncols()));
        }
        if self.count() + more.nrows() > u32::MAX as usize {
            return Err(Error::refused("a graph of more than 4294967295 rows", "take a sample of them"));
        }
        self.add(more);
        Ok(())
    }

    /// Number of rows N.
    pub fn count(&self) -> usize {
        self.squares.len()
    }

    /// Number of inputs d.
    pub fn width(&self) -> usize {
        match &self.rows {
            Kept::Dense { width, .. } => *width,
            Kept::Sparse(x) => x.width,
        }
    }

    /// ‖xᵢ − xⱼ‖², by differences: zero for equal rows.
    pub fn square(&self, i: usize, j: usize) -> f64 {
        match &self.rows {
            Kept::Dense { values, width } => {
                let (a, b) = (&values[i * width..(i + 1) * width], &values[j * width..(j + 1) * width]);
                let (a4, a_tail) = a.as_chunks::<4>();
                let (b4, b_tail) = b.as_chunks::<4>();
                let mut sums = [0.0; 4];
                for (a, b) in a4.iter().zip(b4) {
                    (0..4).for_each(|k| sums[k] += (a[k] - b[k]) * (a[k] - b[k]));
                }
                let tail: f64 = a_tail.iter().zip(b_tail).map(|(a, b)| (a - b) * (a - b)).sum();
                (sums[0] + sums[2]) + (sums[1] + sums[3]) + tail
            }
            Kept::Sparse(x) => x.square_distance(i, j),
        }
    }

    /// ‖xᵢ‖².
    pub(super) fn norm(&self, i: usize) -> f64 {
        self.squares[i]
    }

    /// xᵢ·xⱼ.
    pub(super) fn dot(&self, i: usize, j: usize) -> f64 {
        match &self.rows {
            Kept::Dense { values, width } => {
                dot(&values[i * width..(i + 1) * width], &values[j * width..(j + 1) * width])
            }
            Kept::Sparse(x) => {
                let (mut other, mut sum) = (x.row(j).peekable(), 0.0);
                for (k, v) in x.row(i) {
                    while other.next_if(|(l, _)| *l < k).is_some() {}
                    sum += other.next_if(|(l, _)| *l == k).map_or(0.0, |(_, w)| v * w);
                }
                sum
            }
        }
    }

    /// Rows of one side of [`dots`](Self::dots), at most.
    pub(super) fn panel(&self) -> usize {
        match &self.rows {
            Kept::Dense { .. } => 128,
            Kept::Sparse(x) => (PANEL / x.width.max(1)).clamp(1, 128),
        }
    }

    /// The rows to be multiplied with others.
    pub(super) fn side(&self, rows: impl ExactSizeIterator<Item = usize>) -> Side {
        let count = rows.len();
        match &self.rows {
            Kept::Dense { values, width } => {
                let mut kept = Vec::with_capacity(count * width);
                rows.for_each(|i| kept.extend(&values[i * width..(i + 1) * width]));
                Side { count, values: kept }
            }
            Kept::Sparse(x) => {
                let mut kept = vec![0.0; x.width * count]; // input after input
                rows.enumerate().for_each(|(a, i)| x.row(i).for_each(|(k, v)| kept[k * count + a] = v));
                Side { count, values: kept }
            }
        }
    }

    /// Products of some rows with rows from..to (count×(to−from)), sequentially.
    pub(super) fn dots(&self, side: &Side, from: usize, to: usize, out: &mut Mat<f64>) {
        out.resize_with(side.count, to - from, |_, _| 0.0);
        match &self.rows {
            Kept::Dense { values, width } => {
                let a = MatRef::from_row_major_slice(&side.values, side.count, *width);
                let b = MatRef::from_row_major_slice(&values[from * width..to * width], to - from, *width);
                matmul(out.as_mut(), Accum::Replace, a, b.transpose(), 1.0, Par::Seq);
            }
            Kept::Sparse(x) => {
                let mut sums = vec![0.0; side.count];
                for j in from..to {
                    sums.fill(0.0);
                    for (k, v) in x.row(j) {
                        let a = &side.values[k * side.count..(k + 1) * side.count];
                        sums.iter_mut().zip(a).for_each(|(s, a)| *s += v * a);
                    }
                    (0..side.count).for_each(|a| out[(a, j - from)] = sums[a]);
                }
            }
        }
    }

    /// Rows from..to.
    pub fn slice(&self, from: usize, to: usize) -> Inputs {
        match &self.rows {
            Kept::Dense { values, width } => {
                let rows = MatRef::from_row_major_slice(&values[from * width..to * width], to - from, *width);
                Inputs::Dense(rows.to_owned())
            }
            Kept::Sparse(_) => self.pick(&(from..to).collect::<Vec<_>>()),
        }
    }

    /// Some rows, in the order given.
    pub fn pick(&self, rows: &[usize]) -> Inputs {
        match &self.rows {
            Kept::Dense { values, width } => {
                Inputs::Dense(Mat::from_fn(rows.len(), *width, |a, k| values[rows[a] * width + k]))
            }
            Kept::Sparse(x) => Inputs::Sparse(x.pick(rows)),
        }
    }

    /// The same rows with some of their inputs only, for a view; sparse rows are written out.
    pub fn columns(&self, keep: &[usize]) -> Points {
        let n = self.count();
        let mut points = Points {
            rows: Kept::Dense { values: Vec::with_capacity(n * keep.len()), width: keep.len() },
            squares: Vec::with_capacity(n),
        };
        for from in (0..n).step_by(1024) {
            let block = self.slice(from, (from + 1024).min(n)).to_dense();
            points.add(&Inputs::Dense(Mat::from_fn(block.nrows(), keep.len(), |i, k| block[(i, keep[k])])));
        }
        points
    }
}

/// Rows laid out for products: dense ones row after row, sparse ones input after input, zeros written out.
pub(super) struct Side {
    count: usize,
    values: Vec<f64>,
}
