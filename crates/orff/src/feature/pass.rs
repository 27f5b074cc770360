//! Rows in blocks of a fixed size, whatever the batches of the source: sums then have one order, and the same bits.

use crate::error::{Error, Result};
use crate::rows::{Batch, Batches, Csr, Inputs, Rows, Weights};
use faer::{Mat, MatRef};
use std::collections::VecDeque;

/// Rows per block of a pass.
pub const BLOCK_ROWS: usize = 1024;

/// Batches waiting to be cut, each with the number of its rows already used.
type Waiting = VecDeque<(Batch, usize)>;

/// The rows of a source in blocks of exactly `size` rows; only the last may be shorter.
pub struct Blocks<'a> {
    source: Batches<'a>,
    size: usize,
    pending: Waiting,
    waiting: usize,
    width: (usize, usize),
}

/// Starts a pass over the rows.
pub fn reblock(rows: &dyn Rows, size: usize) -> Result<Blocks<'_>> {
    let width = (rows.inputs(), rows.outputs());
    Ok(Blocks { source: rows.batches()?, size: size.max(1), pending: Waiting::new(), waiting: 0, width })
}

impl<'a> Blocks<'a> {
    /// Goes on with batches already read and the rest of their source.
    pub(crate) fn resume(head: Vec<Batch>, rest: Batches<'a>, width: (usize, usize), size: usize) -> Self {
        let source = Box::new(head.into_iter().map(Ok).chain(rest));
        Blocks { source, size: size.max(1), pending: Waiting::new(), waiting: 0, width }
    }
}

impl Iterator for Blocks<'_> {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        while self.waiting < self.size {
            match self.source.next() {
                None => break,
                Some(Err(error)) => return Some(Err(error)),
                Some(Ok(batch)) => {
                    let (n, d, p) = (batch.inputs.nrows(), batch.inputs.ncols(), batch.outputs.ncols());
                    if (d, p) != self.width || batch.outputs.nrows() != n {
                        let expected = format!("{} inputs and {} outputs", self.width.0, self.width.1);
                        return Some(Err(Error::shape("batch", expected, format!("{d} and {p}"))));
                    }
                    if n > 0 {
                        self.waiting += n;
                        self.pending.push_back((batch, 0));
                    }
                }
            }
        }
        let take = self.waiting.min(self.size);
        if take == 0 {
            return None;
        }
        let mut parts = Vec::new();
        let mut need = take;
        while let Some((batch, used)) = self.pending.front_mut().filter(|_| need > 0) {
            let n = batch.inputs.nrows();
            let (from, to) = (*used, (*used + need).min(n));
            need -= to - from;
            if to < n {
                parts.push(batch.slice(from, to));
                *used = to;
            } else if let Some((batch, _)) = self.pending.pop_front() {
                parts.push(if from == 0 { batch } else { batch.slice(from, to) });
            }
        }
        self.waiting -= take;
        Some(Ok(if parts.len() == 1 { parts.remove(0) } else { join(&parts, take) }))
    }
}

/// Does the work with each item while another thread makes the next one ready.
pub(crate) fn ahead<T: Send>(
    mut ready: impl FnMut() -> Option<Result<T>> + Send,
    mut work: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let mut next = ready();
    while let Some(item) = next.take() {
        let item = item?;
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| next = ready());
            work(item)
        })?;
    }
    Ok(())
}

fn stack<'a>(parts: impl Iterator<Item = MatRef<'a, f64>>, rows: usize, cols: usize) -> Mat<f64> {
    let mut out = Mat::zeros(rows, cols);
    let mut at = 0;
    for part in parts {
        out.subrows_mut(at, part.nrows()).copy_from(part);
        at += part.nrows();
    }
    out
}

/// Batches one below the other; all have the kind of inputs and weights of the first (missing weights count 1).
pub(crate) fn join(parts: &[Batch], rows: usize) -> Batch {
    let p = parts[0].outputs.ncols();
    let inputs = if parts.iter().all(|b| matches!(b.inputs, Inputs::Dense(_))) {
        let dense = parts.iter().filter_map(|b| match &b.inputs {
            Inputs::Dense(x) => Some(x.as_ref()),
            Inputs::Sparse(_) => None,
        });
        Inputs::Dense(stack(dense, rows, parts[0].inputs.ncols()))
    } else {
        let mut all = Csr::empty(parts[0].inputs.ncols());
        parts.iter().for_each(|part| all.append(&part.inputs));
        Inputs::Sparse(all)
    };
    let weights = if parts.iter().all(|b| b.weights.is_none()) {
        None
    } else if parts.iter().any(|b| matches!(b.weights, Some(Weights::Entry(_)))) {
        let entry: Vec<Mat<f64>> = parts
            .iter()
            .map(|b| match &b.weights {
                Some(Weights::Entry(w)) => w.clone(),
                Some(Weights::Row(w)) => Mat::from_fn(w.len(), p, |i, _| w[i]),
                None => Mat::from_fn(b.outputs.nrows(), p, |_, _| 1.0),
            })
            .collect();
        Some(Weights::Entry(stack(entry.iter().map(Mat::as_ref), rows, p)))
    } else {
        let row = parts.iter().flat_map(|b| match &b.weights {
            Some(Weights::Row(w)) => w.clone(),
            _ => vec![1.0; b.outputs.nrows()],
        });
        Some(Weights::Row(row.collect()))
    };
    Batch { inputs, outputs: stack(parts.iter().map(|b| b.outputs.as_ref()), rows, p), weights }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Items from 0 on, the one with number `bad` an error; what was worked on before the end, and how it ended.
    fn worked(count: usize, bad: usize, refused: usize) -> (Vec<usize>, Result<()>) {
        let (mut at, mut done) = (0, Vec::new());
        let ready = || {
            at += 1;
            let item = if at - 1 == bad { Err(Error::Data("bad".into())) } else { Ok(at - 1) };
            (at <= count).then_some(item)
        };
        let ended = ahead(ready, |item| {
            done.push(item);
            if item == refused { Err(Error::Data("refused".into())) } else { Ok(()) }
        });
        (done, ended)
    }

    #[test]
    fn items_are_worked_on_in_their_order_until_one_fails() {
        for threads in [1, 2, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let none = usize::MAX;
                assert!(matches!(worked(0, none, none), (done, Ok(())) if done.is_empty()));
                let (done, ended) = worked(100, none, none);
                assert!(done == (0..100).collect::<Vec<_>>() && ended.is_ok());
                let (done, ended) = worked(100, 7, none);
                assert!(done == (0..7).collect::<Vec<_>>() && ended.unwrap_err().to_string().contains("bad"));
                let (done, ended) = worked(100, 8, 7);
                assert!(done == (0..8).collect::<Vec<_>>() && ended.unwrap_err().to_string().contains("refused"));
            });
        }
    }

    #[test]
    fn blocks_are_the_same_whatever_the_batches() {
        let table = |rows: usize, size: usize| {
            let x = Mat::from_fn(rows, 2, |i, k| (2 * i + k) as f64);
            crate::rows::Table::new(x.clone(), x).unwrap().batched(size)
        };
        let blocks = |rows: usize, size: usize| -> Vec<Batch> {
            reblock(&table(rows, size), 10).unwrap().map(|block| block.unwrap()).collect()
        };
        for rows in [1, 10, 25, 30] {
            let whole = blocks(rows, 10);
            assert_eq!(whole.iter().map(|b| b.inputs.nrows()).sum::<usize>(), rows);
            let first = |b: &Batch| b.outputs.col(0).iter().copied().collect::<Vec<_>>();
            assert!(whole.iter().flat_map(first).eq((0..rows).map(|i| 2.0 * i as f64)), "the rows in their order");
            assert!([1, 3, 7, 20, 100].iter().all(|&size| blocks(rows, size) == whole), "{rows} rows");
        }
    }
}
