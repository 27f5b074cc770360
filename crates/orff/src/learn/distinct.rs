//! Rows in memory, copies joined: neither their order nor how often one is repeated, rather than weighed, matters then.

use super::folds::digest;
use super::{begin, sample};
use crate::error::{Error, Result};
use crate::feature::join;
use crate::model::Preparation;
use crate::random::Stream;
use crate::rows::{Batch, Inputs, Rows, Weights};
use crate::solve::check_observed;
use crate::watch::Watch;
use faer::Mat;

/// Purpose of the lots that say which rows are kept aside.
const ASIDE: u64 = 0x61_7369_6465;

/// Rows that count, in the order of what is in them: as good as any random one, and the same for the same rows.
pub(super) struct Distinct {
    /// The rows, with weights.
    pub rows: Batch,
    /// Rows that were read.
    pub read: usize,
}

impl Distinct {
    /// Reads all rows; those whose numbers would take more than `memory` (MB) are refused.
    pub fn gather(rows: &dyn Rows, memory: usize, watch: &mut dyn Watch) -> Result<Self> {
        let (all, read) = whole(rows, memory, watch)?;
        let rows = joined(&all, &keys(&all));
        Ok(Distinct { rows, read })
    }

    /// Reads all rows, in each output of which something must be known, and keeps as many aside as `aside` says of their number:
    /// those, and the others. Each is as likely to be aside as any other, one of several copies too, and whatever its inputs are.
    pub fn apart(
        rows: &dyn Rows,
        memory: usize,
        aside: &dyn Fn(usize) -> Result<usize>,
        watch: &mut dyn Watch,
    ) -> Result<(Self, Self)> {
        let (all, read) = whole(rows, memory, watch)?;
        let known = |t: usize| (0..read).map(|i| weight(&all, i, t)).sum();
        check_observed(&(0..all.outputs.ncols()).map(known).collect::<Vec<f64>>())?;
        let keys = keys(&all);
        let copies = keys.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).flat_map(|same| 0..same.len());
        let lot =
            |k: usize, copy: usize| Stream::new(keys[k].0 ^ keys[k].1.rotate_left(32), ASIDE, copy as u64).bits();
        let mut lots: Vec<(u64, usize)> = copies.enumerate().map(|(k, copy)| (lot(k, copy), k)).collect();
        lots.sort_unstable();
        let mut out = vec![false; keys.len()];
        lots[..aside(keys.len())?].iter().for_each(|(_, k)| out[*k] = true);
        let part = |which: bool| {
            let some: Vec<Key> =
                keys.iter().zip(&out).filter(|(_, out)| **out == which).map(|(key, _)| *key).collect();
            Distinct { rows: joined(&all, &some), read }
        };
        Ok((part(true), part(false)))
    }

    /// Weight of output t of row i, 0 where it was not observed.
    pub fn weight(&self, i: usize, t: usize) -> f64 {
        weight(&self.rows, i, t)
    }

    /// Σw of output t.
    pub fn total(&self, t: usize) -> f64 {
        (0..self.rows.inputs.nrows()).map(|i| self.weight(i, t)).sum()
    }
}

/// Digests of inputs and outputs, and the number of the row.
type Key = (u64, u64, usize);

/// All rows as one batch, and their number.
fn whole(rows: &dyn Rows, memory: usize, watch: &mut dyn Watch) -> Result<(Batch, usize)> {
    if rows.outputs() == 0 || rows.inputs() == 0 {
        return Err(Error::Data("no inputs or no outputs: choose at least one column of each".into()));
    }
    watch.stage("read");
    let (mut parts, mut read, mut numbers, mut weight) = (Vec::new(), 0, 0, 0.0);
    for batch in rows.batches()? {
        let batch = batch?;
        sample::check(&batch, read)?;
        weight += sample::sum(&batch);
        // by the number of its row, while that is known
        Preparation::plain(rows.inputs()).prepare(&batch.inputs, read + 1)?;
        read += batch.inputs.nrows();
        numbers += batch.inputs.numbers() + 2 * batch.outputs.nrows() * batch.outputs.ncols();
        if 16e-6 * numbers as f64 > memory as f64 {
            let expected = format!("more megabytes (all rows are held in memory, and {read} of them need more)");
            return Err(Error::parameter("memory", expected, memory));
        }
        watch.advance(batch.inputs.nrows() as u64)?;
        if batch.inputs.nrows() > 0 {
            parts.push(batch);
        }
    }
    if parts.is_empty() {
        let why = "no rows: the data are empty (after dropping rows with missing values, if that was asked)";
        return Err(Error::Data(why.into()));
    }
    sample::weighty(weight)?;
    Ok((join(&parts, read), read))
}

/// The keys of the rows that count, in increasing order.
fn keys(all: &Batch) -> Vec<Key> {
    let (n, p) = all.outputs.shape();
    let outputs = Inputs::Dense(all.outputs.clone());
    let counts = |i: &usize| (0..p).any(|t| weight(all, *i, t) > 0.0);
    let mut keys: Vec<Key> =
        (0..n).filter(counts).map(|i| (digest(&all.inputs, i), digest(&outputs, i), i)).collect();
    keys.sort_unstable();
    keys
}

/// The rows of some keys in their order, copies as one with the sum of their weights.
fn joined(all: &Batch, keys: &[Key]) -> Batch {
    let copies: Vec<&[Key]> = keys.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).collect();
    let first: Vec<usize> = copies.iter().map(|same| same[0].2).collect();
    let mut rows = all.pick(&first);
    let sum = |k: usize, t: usize| copies[k].iter().map(|row| begin::weight(all.weights.as_ref(), row.2, t)).sum();
    rows.weights = Some(match all.weights {
        Some(Weights::Entry(_)) => Weights::Entry(Mat::from_fn(first.len(), all.outputs.ncols(), sum)),
        _ => Weights::Row((0..first.len()).map(|k| sum(k, 0)).collect()),
    });
    rows
}

fn weight(rows: &Batch, i: usize, t: usize) -> f64 {
    if rows.outputs[(i, t)].is_nan() { 0.0 } else { begin::weight(rows.weights.as_ref(), i, t) }
}
