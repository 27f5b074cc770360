//! One ridge by conjugate gradients over the observed entries themselves: no moments, no matrix. \[entries\]

use super::alike::Alike;
use super::penalty::penalties;
use super::system::whitener;
use super::tied::Tied;
use crate::error::{Error, Result};
use crate::feature::FeatureMap;
use crate::linalg::{self, cg};
use crate::watch::Watch;
use faer::{Mat, MatRef};
use rayon::prelude::*;
use std::cell::RefCell;

/// One observed output of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Which output.
    pub output: usize,
    /// Which row of its block.
    pub row: usize,
    /// Its value.
    pub value: f64,
    /// Its weight > 0.
    pub weight: f64,
}

/// The characters of a block of rows, and what was observed of them.
pub struct Observed {
    width: usize,
    /// n×M, row after row: an entry reads one row.
    characters: Vec<f64>,
    /// By output, then by row.
    pub(super) entries: Vec<Entry>,
    /// Σ over rows of the mean weight of their entries.
    weight: f64,
}

impl Observed {
    /// Of the characters (n×M) of some rows and their entries.
    pub fn new(c: MatRef<f64>, mut entries: Vec<Entry>) -> Self {
        let (n, width) = (c.nrows(), c.ncols());
        let mut characters = vec![0.0; n * width];
        characters.par_chunks_mut(width).enumerate().for_each(|(i, row)| {
            row.iter_mut().enumerate().for_each(|(m, v)| *v = c[(i, m)]);
        });
        let mut of_row = vec![(0.0, 0.0); n];
        for e in &entries {
            of_row[e.row].0 += e.weight;
            of_row[e.row].1 += 1.0;
        }
        let weight = of_row.iter().filter(|(_, count)| *count > 0.0).map(|(sum, count)| sum / count).sum();
        entries.sort_by_key(|e| (e.output, e.row));
        Observed { width, characters, entries, weight }
    }

    /// Bytes it holds.
    pub fn bytes(&self) -> usize {
        8 * self.characters.len() + size_of::<Entry>() * self.entries.len()
    }

    fn characters(&self, e: &Entry) -> &[f64] {
        &self.characters[e.row * self.width..(e.row + 1) * self.width]
    }

    /// zᵀc − less of each entry, z the column of its output.
    fn values(&self, z: &Table, less: &[f64]) -> Vec<f64> {
        let value = |e: &Entry| linalg::dot(self.characters(e), z.column(e.output)) - less[e.output];
        self.entries.par_iter().map(value).collect()
    }

    /// For each output t: column t of `table` (M×p) gains Σ f(k, e, c)·c, and `sums` Σ f(k, e, c), over the entries e of t,
    /// the k-th of the block, with characters c. Each output is added up by itself and in one order. Cost 2M for each entry
    /// beside f.
    pub(super) fn add(&self, table: &mut Table, sums: &mut [f64], f: impl Fn(usize, &Entry, &[f64]) -> f64 + Sync) {
        let spans: Vec<&[Entry]> = self.entries.chunk_by(|a, b| a.output == b.output).collect();
        let mut columns: Vec<(usize, &[Entry], &mut [f64], &mut f64)> = Vec::with_capacity(spans.len());
        let (mut next, mut first) = (spans.into_iter().peekable(), 0);
        for (t, (column, sum)) in table.columns.chunks_mut(self.width).zip(sums).enumerate() {
            if let Some(span) = next.next_if(|span| span[0].output == t) {
                columns.push((first, span, column, sum));
                first += span.len();
            }
        }
        columns.into_par_iter().for_each(|(first, span, column, sum)| {
            for (k, e) in span.iter().enumerate() {
                let c = self.characters(e);
                let g = f(first + k, e, c);
                *sum += g;
                column.iter_mut().zip(c).for_each(|(v, c)| *v += g * c);
            }
        });
    }
}

/// A column of M numbers for each output.
pub(super) struct Table {
    width: usize,
    columns: Vec<f64>,
}

impl Table {
    pub(super) fn zeros(width: usize, outputs: usize) -> Self {
        Table { width, columns: vec![0.0; width * outputs] }
    }

    fn column(&self, t: usize) -> &[f64] {
        &self.columns[t * self.width..(t + 1) * self.width]
    }

    fn as_mat(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.columns, self.width, self.columns.len() / self.width.max(1))
    }

    fn of(m: &Mat<f64>) -> Self {
        Table { width: m.nrows(), columns: m.col_iter().flat_map(|c| c.iter().copied()).collect() }
    }
}

/// Rows that can be gone over again and again, in the same blocks.
pub trait Passes {
    /// Shows every block, in order.
    fn pass(&self, each: &mut dyn FnMut(&Observed) -> Result<()>) -> Result<()>;
}

/// How strong the penalty is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strength {
    /// λ of the mean loss.
    Ridge(f64),
    /// nλ, whatever the number n of rows turns out to be.
    Shift(f64),
}

/// When to stop, and what is fitted beside the functions.
#[derive(Clone, Copy, Debug)]
pub struct EntryParams<'a> {
    /// The penalty, > 0.
    pub strength: Strength,
    /// Tolerance and iterations.
    pub cg: cg::Params,
    /// Whether each output has a constant.
    pub offset: bool,
    /// Rows of the blocks for each row of the mean loss: several with views.
    pub expansion: usize,
    /// Σ (p×p), when the noise of the outputs of a row is tied: what was observed of it has the loss
    /// rᵀW^½(Σ_oo)⁻¹W^½r.
    pub metric: Option<&'a Mat<f64>>,
}

/// What an output was found to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OfOutput {
    /// The constant b of f(x) = zᵀc(x) + b.
    pub constant: f64,
    /// Weighted residual sum of squares.
    pub rss: f64,
    /// nλ‖θ‖², what this output has of it.
    pub penalty: f64,
    /// Σw.
    pub weight: f64,
    /// Number of entries.
    pub points: f64,
}

/// What was found for one ridge.
#[derive(Clone, Debug)]
pub struct EntrySolution {
    /// The table Z (M×p).
    pub table: Mat<f64>,
    /// λ.
    pub ridge: f64,
    /// Each output.
    pub outputs: Vec<OfOutput>,
    /// How the iteration ended.
    pub report: cg::Report,
    /// In words.
    pub how: String,
}

/// Sums of the first pass.
struct Sums {
    /// n of the mean loss.
    rows: f64,
    weight: Vec<f64>,
    points: Vec<f64>,
    /// Weighted means of y (p) and c (M×p) of each output; zero without offsets.
    mean_y: Vec<f64>,
    mean_c: Table,
    /// Σw(c−c̄)(y−ȳ) (M×p).
    cy: Table,
    /// Some entries, evenly: output, weight, characters.
    some: Vec<(usize, f64, Vec<f64>)>,
}

/// Entries that tell about the characters: between half as many and so many.
const SOME: usize = 1024;

impl Sums {
    fn of(passes: &dyn Passes, width: usize, p: usize, offset: bool) -> Result<Self> {
        let (mut c, mut cy) = (Table::zeros(width, p), Table::zeros(width, p));
        let (mut weight, mut y, mut points, mut rows) = (vec![0.0; p], vec![0.0; p], vec![0.0; p], 0.0);
        let (mut some, mut every, mut count) = (Vec::new(), 1, 0usize);
        passes.pass(&mut |block| {
            rows += block.weight;
            block.add(&mut c, &mut weight, |_, e, _| e.weight);
            block.add(&mut cy, &mut y, |_, e, _| e.weight * e.value);
            for e in &block.entries {
                points[e.output] += 1.0;
                if count.is_multiple_of(every) {
                    some.push((e.output, e.weight, block.characters(e).to_vec()));
                }
                count += 1;
                if some.len() == SOME {
                    let mut nth = 0;
                    some.retain(|_| {
                        nth += 1;
                        nth % 2 == 1
                    });
                    every *= 2;
                }
            }
            Ok(())
        })?;
        for t in (0..p).filter(|&t| weight[t] > 0.0) {
            let factor = if offset { 1.0 / weight[t] } else { 0.0 };
            let span = t * width..(t + 1) * width;
            c.columns[span.clone()].iter_mut().for_each(|v| *v *= factor);
            let sum = y[t];
            y[t] *= factor;
            let along = if offset { sum } else { 0.0 };
            cy.columns[span.clone()].iter_mut().zip(&c.columns[span]).for_each(|(v, c)| *v -= along * c);
        }
        Ok(Sums { rows, weight, points, mean_y: y, mean_c: c, cy, some })
    }
}

/// Solves for one ridge λ > 0 with products through the entries only:
/// minimise (1/n)Σw(y_e − f_t(x_e))² + λ‖θ‖² over the entries e = (x, t, y). The outputs are coupled by the factors of the
/// map. Cost per iteration: 4M for each entry (and M for each row and input where characters are made anew), and that
/// of the preconditioner, at most 8M for each entry and 4Mr². Memory: a few tables M×p beside the blocks that `passes` keeps.
pub fn solve_entries(
    map: &FeatureMap,
    passes: &dyn Passes,
    params: EntryParams,
    watch: &mut dyn Watch,
) -> Result<EntrySolution> {
    let (m, p) = (map.characters(), map.atoms().outputs());
    let mut sums = Sums::of(passes, m, p, params.offset)?;
    sums.rows /= params.expansion.max(1) as f64;
    super::check_observed(&sums.weight)?;
    let shift = match params.strength {
        Strength::Ridge(ridge) => sums.rows * ridge,
        Strength::Shift(shift) => shift,
    };
    let ridge = shift / sums.rows;
    if !(shift > 0.0 && shift.is_finite()) {
        return Err(Error::parameter("ridge", "a number > 0 for conjugate gradients", ridge));
    }
    // the outputs of a row are columns, or views: rows of one column
    let white = params.metric.filter(|_| params.expansion == 1).map(|metric| whitener(metric, p)).transpose()?;
    let tied = params.metric.map(|metric| Tied::new(metric, passes, p, &params)).transpose()?;
    let right = match &tied {
        None => map.lower(sums.cy.as_mat()),
        Some(tied) => {
            let (cy, mean_y) = tied.sums(passes, m, &|block| Ok(block.entries.iter().map(|e| e.value).collect()))?;
            sums.mean_y = mean_y;
            map.lower(cy.as_mat())
        }
    };
    let entries: f64 = sums.points.iter().sum();
    let preconditioner = Alike::new(map, &sums.some, sums.mean_c.as_mat(), &sums.weight, shift, entries)?;
    let centre =
        |z: &Table| -> Vec<f64> { (0..p).map(|t| linalg::dot(z.column(t), sums.mean_c.column(t))).collect() };
    watch.stage("solve");
    let watch = RefCell::new(watch);
    let mut op = |theta: &[f64], out: &mut [f64]| -> Result<()> {
        let z = Table::of(&map.lift(theta));
        let g = if let Some(tied) = &tied {
            let nothing = vec![0.0; p];
            let fitted = |block: &Observed| {
                watch.borrow_mut().advance(0)?;
                Ok(block.values(&z, &nothing))
            };
            tied.sums(passes, m, &fitted)?.0
        } else {
            let drift = centre(&z);
            let (mut g, mut total) = (Table::zeros(m, p), vec![0.0; p]);
            passes.pass(&mut |block| {
                watch.borrow_mut().advance(0)?;
                block.add(&mut g, &mut total, |_, e, c| {
                    e.weight * (linalg::dot(c, z.column(e.output)) - drift[e.output])
                });
                Ok(())
            })?;
            // the sums are zero but for rounding: this keeps the product symmetric
            for (t, total) in total.iter().enumerate().filter(|_| params.offset) {
                let column = &mut g.columns[t * m..(t + 1) * m];
                column.iter_mut().zip(sums.mean_c.column(t)).for_each(|(v, c)| *v -= total * c);
            }
            g
        };
        let lowered = map.lower(g.as_mat());
        out.iter_mut().zip(lowered).zip(theta).for_each(|((o, a), x)| *o = a + shift * x);
        Ok(())
    };
    let precondition = |r: &[f64], out: &mut [f64]| preconditioner.apply(r, out);
    let (theta, report) = cg::resumed(&mut op, &precondition, &right, params.cg, &watch)?;
    super::iterate::settled(&report)?;
    let table = map.lift(&theta);
    let z = Table::of(&table);
    let drift = match &tied {
        None => centre(&z),
        Some(tied) => tied.sums(passes, m, &|block| Ok(block.values(&z, &vec![0.0; p])))?.1,
    };
    let constant: Vec<f64> = sums.mean_y.iter().zip(drift).map(|(y, drift)| y - drift).collect();
    let mut rss = vec![0.0; p];
    passes.pass(&mut |block| {
        for e in &block.entries {
            let error = e.value - constant[e.output] - linalg::dot(block.characters(e), z.column(e.output));
            rss[e.output] += e.weight * error * error;
        }
        Ok(())
    })?;
    let penalty = penalties(map, white.as_ref(), &theta, shift, &sums.points)?;
    let output = |t: usize| OfOutput {
        constant: constant[t],
        rss: rss[t],
        penalty: penalty[t],
        weight: sums.weight[t],
        points: sums.points[t],
    };
    let how = format!("conjugate gradients over {entries} entries, {} unknowns, {}", theta.len(), report.how());
    Ok(EntrySolution { table, ridge, outputs: (0..p).map(output).collect(), report, how })
}
