//! Noise that ties the outputs of a row, some of which were not observed. \[metric\]

use super::entries::{Entry, EntryParams, Observed, Passes, Table};
use crate::error::Result;
use crate::linalg::{self, Cholesky};
use faer::Mat;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Patterns of observed outputs whose inverses are kept.
const KEPT: usize = 1024;

/// The noise of a row with the weights w: what was observed of it has the covariance σ²W^{−½}Σ_oo W^{−½}, whose inverse
/// is the precision S = W^½(Σ_oo)⁻¹W^½. Constants of the outputs are found together.
pub(super) struct Tied<'a> {
    metric: &'a Mat<f64>,
    /// Rows of the blocks for each row whose outputs they are; one where outputs are columns.
    expansion: usize,
    /// (Σ_oo)⁻¹ of the patterns met so far.
    known: RefCell<BTreeMap<Vec<usize>, Mat<f64>>>,
    /// The sum of the precisions of all rows, by columns, factored; none without constants.
    total: Option<Cholesky>,
    columns: usize,
}

impl<'a> Tied<'a> {
    /// Of rows that are gone over once where there are constants.
    pub fn new(metric: &'a Mat<f64>, passes: &dyn Passes, columns: usize, params: &EntryParams) -> Result<Self> {
        let (expansion, known) = (params.expansion.max(1), RefCell::default());
        let mut tied = Tied { metric, expansion, known, total: None, columns };
        if params.offset {
            let mut sum = Mat::zeros(columns, columns);
            passes.pass(&mut |block| tied.precisions(&block.entries, &mut sum))?;
            tied.total = Some(Cholesky::new(sum.as_ref())?);
        }
        Ok(tied)
    }

    /// Σ cᵢ(Sᵢ(vᵢ − b))ᵀ (M×p) over the rows, with the values v of each entry; and the constants b that are the best for
    /// these values, Σ Sᵢ(vᵢ − b) = 0. One pass, two with constants.
    pub fn sums(
        &self,
        passes: &dyn Passes,
        width: usize,
        values: &dyn Fn(&Observed) -> Result<Vec<f64>>,
    ) -> Result<(Table, Vec<f64>)> {
        let mut constant = vec![0.0; self.columns];
        if let Some(total) = &self.total {
            let mut sum = Mat::zeros(self.columns, 1);
            passes.pass(&mut |block| {
                let mut values = values(block)?;
                self.weigh(&block.entries, &mut values)?;
                block.entries.iter().zip(values).for_each(|(e, v)| sum[(e.output, 0)] += v);
                Ok(())
            })?;
            constant = total.solve_factored(sum.as_ref())?.col(0).iter().copied().collect();
        }
        let (mut table, mut sums) = (Table::zeros(width, self.columns), vec![0.0; self.columns]);
        passes.pass(&mut |block| {
            let mut values = values(block)?;
            values.iter_mut().zip(&block.entries).for_each(|(v, e)| *v -= constant[e.output]);
            self.weigh(&block.entries, &mut values)?;
            block.add(&mut table, &mut sums, |k, _, _| values[k]);
            Ok(())
        })?;
        Ok((table, constant))
    }

    /// Puts the precision of each row times its values in the place of the values, one for each entry. Cost p² for each
    /// row, p³ for a new pattern.
    fn weigh(&self, entries: &[Entry], values: &mut [f64]) -> Result<()> {
        self.each_row(entries, |own, precision| {
            let product = |j: usize| own.iter().enumerate().map(|(k, &e)| precision[(j, k)] * values[e]).sum();
            let turned: Vec<f64> = (0..own.len()).map(product).collect();
            own.iter().zip(turned).for_each(|(&e, v)| values[e] = v);
        })
    }

    /// Adds the precisions of the rows to `sum`, by columns.
    fn precisions(&self, entries: &[Entry], sum: &mut Mat<f64>) -> Result<()> {
        self.each_row(entries, |own, precision| {
            for (j, &e) in own.iter().enumerate() {
                for (k, &f) in own.iter().enumerate() {
                    sum[(entries[e].output, entries[f].output)] += precision[(j, k)];
                }
            }
        })
    }

    /// Tells the entries of each row, and its precision.
    fn each_row(&self, entries: &[Entry], mut tell: impl FnMut(&[usize], &Mat<f64>)) -> Result<()> {
        // the row and the output of an entry
        let of = |e: usize| match self.expansion {
            1 => (entries[e].row, entries[e].output),
            views => (entries[e].row / views, entries[e].row % views),
        };
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by_key(|&e| of(e));
        for own in order.chunk_by(|&a, &b| of(a).0 == of(b).0) {
            let inverse = self.inverse(own.iter().map(|&e| of(e).1).collect())?;
            let root = |j: usize| entries[own[j]].weight.sqrt();
            tell(own, &Mat::from_fn(own.len(), own.len(), |j, k| root(j) * inverse[(j, k)] * root(k)));
        }
        Ok(())
    }

    /// (Σ_oo)⁻¹ of some outputs.
    fn inverse(&self, outputs: Vec<usize>) -> Result<Mat<f64>> {
        if let Some(known) = self.known.borrow().get(&outputs) {
            return Ok(known.clone());
        }
        let q = outputs.len();
        let own = Mat::from_fn(q, q, |j, k| self.metric[(outputs[j], outputs[k])]);
        let half = Cholesky::new(own.as_ref())?.half_solve(Mat::<f64>::identity(q, q).as_ref())?;
        let inverse = linalg::product(half.transpose(), half.as_ref());
        let mut known = self.known.borrow_mut();
        if known.len() < KEPT {
            known.insert(outputs, inverse.clone());
        }
        Ok(inverse)
    }
}
