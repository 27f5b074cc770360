//! Rows in memory, copies joined: neither their order nor how often one is repeated, rather than weighed, matters then.

use super::folds::digest;
use super::{begin, sample};
use crate::error::{Error, Result};
use crate::feature::join;
use crate::model::Preparation;
use crate::rows::{Batch, Inputs, Rows, Weights};
use crate::solve::check_observed;
use crate::watch::Watch;
use faer::Mat;

/// Rows that count, in the order of what is in them: as good as any random one, and the same for the same rows.
pub(super) struct Distinct {
    /// The rows, with weights.
    pub rows: Batch,
    /// Rows that were read.
    pub read: usize,
}

impl Distinct {
    /// Reads all rows, in each output of which something must be known.
    pub fn read(rows: &dyn Rows, memory: usize, watch: &mut dyn Watch) -> Result<Self> {
        let distinct = Distinct::gather(rows, memory, watch)?;
        check_observed(&(0..rows.outputs()).map(|t| distinct.total(t)).collect::<Vec<_>>())?;
        Ok(distinct)
    }

    /// Reads all rows; those whose numbers would take more than `memory` (MB) are refused.
    pub fn gather(rows: &dyn Rows, memory: usize, watch: &mut dyn Watch) -> Result<Self> {
        if rows.outputs() == 0 || rows.inputs() == 0 {
            return Err(Error::Data("no inputs or no outputs: choose at least one column of each".into()));
        }
        watch.stage("read");
        let (mut parts, mut read, mut numbers) = (Vec::new(), 0, 0);
        for batch in rows.batches()? {
            let batch = batch?;
            sample::check(&batch, read)?;
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
        let all = join(&parts, read);
        drop(parts);
        let p = all.outputs.ncols();
        let outputs = Inputs::Dense(all.outputs.clone());
        let mut keys: Vec<(u64, u64, usize)> = (0..read)
            .filter(|&i| (0..p).any(|t| weight(&all, i, t) > 0.0))
            .map(|i| (digest(&all.inputs, i), digest(&outputs, i), i))
            .collect();
        keys.sort_unstable();
        let copies: Vec<&[(u64, u64, usize)]> = keys.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).collect();
        let first: Vec<usize> = copies.iter().map(|same| same[0].2).collect();
        let mut rows = all.pick(&first);
        let sum =
            |k: usize, t: usize| copies[k].iter().map(|row| begin::weight(all.weights.as_ref(), row.2, t)).sum();
        rows.weights = Some(match all.weights {
            Some(Weights::Entry(_)) => Weights::Entry(Mat::from_fn(first.len(), p, sum)),
            _ => Weights::Row((0..first.len()).map(|k| sum(k, 0)).collect()),
        });
        Ok(Distinct { rows, read })
    }

    /// Weight of output t of row i, 0 where it was not observed.
    pub fn weight(&self, i: usize, t: usize) -> f64 {
        weight(&self.rows, i, t)
    }

    /// Σw of output t.
    pub fn total(&self, t: usize) -> f64 {
        (0..self.rows.inputs.nrows()).map(|i| self.weight(i, t)).sum()
    }

    /// The first rows, and the others.
    pub fn split(self, first: usize) -> (Self, Self) {
        let n = self.rows.inputs.nrows();
        let part = |from: usize, to: usize| Distinct { rows: self.rows.slice(from, to), read: self.read };
        (part(0, first), part(first, n))
    }
}

fn weight(rows: &Batch, i: usize, t: usize) -> f64 {
    if rows.outputs[(i, t)].is_nan() { 0.0 } else { begin::weight(rows.weights.as_ref(), i, t) }
}
