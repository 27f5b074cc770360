//! Features of many rows as a linear operator that is applied by passes: nothing of the size n×M is kept. \[sweep\]

use super::{BLOCK_ROWS, Basis, Characters, FeatureMap, ahead, reblock};
use crate::error::Result;
use crate::linalg::{self, Factor, Real};
use crate::rows::{Batch, Rows, Weights};
use crate::watch::Watch;
use faer::{Mat, MatMut, MatRef};

/// A block of rows seen through features.
pub struct Seen<'a, T = f64> {
    /// Number of the first row of the block, from 0.
    pub first: usize,
    /// c(x) of each row (n×M).
    pub characters: MatRef<'a, T>,
    /// What is known of the outputs of each row.
    pub outputs: MatRef<'a, f64>,
    /// How much each row, or each of its outputs, counts.
    pub weights: Option<&'a Weights>,
}

impl<T> Seen<'_, T> {
    /// Weight of output t of row i; 0 where it was not observed.
    pub fn weight(&self, i: usize, t: usize) -> f64 {
        match self.weights {
            _ if self.outputs[(i, t)].is_nan() => 0.0,
            None => 1.0,
            Some(Weights::Row(w)) => w[i],
            Some(Weights::Entry(w)) => w[(i, t)],
        }
    }

    /// How much row i counts in the mean loss: its weight if something of it was observed, or the mean of the weights of
    /// its observed outputs, as in [`Moments::weight`](super::Moments::weight).
    pub fn row_weight(&self, i: usize) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for t in 0..self.outputs.ncols() {
            let w = self.weight(i, t);
            if w > 0.0 {
                sum += w;
                count += 1.0;
            }
        }
        if count > 0.0 { sum / count } else { 0.0 }
    }
}

/// What is done with each block of a pass.
pub type Visit<'a, T = f64> = &'a mut dyn FnMut(&Seen<T>) -> Result<()>;

/// Rows under features in double or in single precision, read again by each pass.
pub trait Design<T = f64> {
    /// The factors of the features.
    fn basis(&self) -> &dyn Basis;
    /// Shows all rows in order, in blocks whose size does not depend on the source.
    fn pass(&self, watch: &mut dyn Watch, visit: Visit<T>) -> Result<()>;
}

/// Brings rows into the units of the kernel and of the loss; it is told the number of the first one, from 0.
pub type Prepare<'a> = &'a (dyn Fn(Batch, usize) -> Result<Batch> + Sync);

/// Rows of a source under a feature map.
pub struct Mapped<'a> {
    map: &'a FeatureMap,
    rows: &'a dyn Rows,
    prepare: Prepare<'a>,
}

impl<'a> Mapped<'a> {
    /// `prepare` is applied to each block.
    pub fn new(map: &'a FeatureMap, rows: &'a dyn Rows, prepare: Prepare<'a>) -> Self {
        Mapped { map, rows, prepare }
    }

    /// Rows that are in the kernel's units already.
    pub fn plain(map: &'a FeatureMap, rows: &'a dyn Rows) -> Self {
        Mapped { map, rows, prepare: &|batch, _| Ok(batch) }
    }
}

impl<T: Real> Design<T> for Mapped<'_> {
    fn basis(&self) -> &dyn Basis {
        self.map
    }

    fn pass(&self, watch: &mut dyn Watch, visit: Visit<T>) -> Result<()> {
        let mut characters = Characters::rounded(self.map.characters());
        let (mut blocks, mut first) = (reblock(self.rows, BLOCK_ROWS)?, 0);
        let prepare = self.prepare;
        let ready = || {
            let block = blocks.next()?.and_then(|block| {
                let (from, n) = (first, block.inputs.nrows());
                first += n;
                Ok((from, n, prepare(block, from)?))
            });
            Some(block)
        };
        ahead(ready, |(first, n, block)| {
            self.map.fill(&block.inputs, &mut characters);
            let (outputs, weights) = (block.outputs.as_ref(), block.weights.as_ref());
            visit(&Seen { first, characters: characters.as_mat(), outputs, weights })?;
            watch.advance(n as u64)
        })
    }
}

/// Sums over all rows.
pub struct Swept {
    /// Σ c gᵀ (M×q).
    pub gradient: Mat<f64>,
    /// Σ g (q).
    pub total: Vec<f64>,
}

/// One pass: for each block f = cZ + b (n×q) is made, `each` replaces it by g, and Σcgᵀ and Σg are returned. Cost
/// n·M·q and the characters; M·q numbers. Products are in the precision of the characters, sums over many rows in double and in
/// their order.
///
/// ```
/// use faer::Mat;
/// use orff::feature::{FeatureMap, MapKind, Mapped, sweep};
/// use orff::kernel::{Kernel, SumDraw};
/// use orff::rows::{Inputs, Table};
/// use orff::spectrum::{Draw, Spectrum};
/// use orff::watch::Silent;
///
/// let kernel = Kernel::curl_free(Spectrum::default().with_lengthscale(1.0.into()));
/// let map = FeatureMap::draw(&kernel, 2, 10, MapKind::Pairs, &Draw::default(), SumDraw::default())?;
/// let x = Mat::from_fn(30, 2, |i, k| (i as f64 * 0.3 + k as f64).sin());
/// let y = Mat::from_fn(30, 2, |i, k| (i as f64 * 0.1 - k as f64).cos());
/// let rows = Table::new(x.clone(), y.clone())?;
/// let zero = Mat::zeros(10, 2);
/// let swept = sweep::<f64>(&Mapped::plain(&map, &rows), zero.as_ref(), &[0.0; 2], &mut Silent, &mut |seen, mut f| {
///     f.copy_from(seen.outputs);
///     Ok(())
/// })?;
/// let (found, expected) = (map.lower(swept.gradient.as_ref()), map.adjoint(&Inputs::Dense(x), y.as_ref()));
/// assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12));
/// # Ok::<(), orff::Error>(())
/// ```
pub fn sweep<T: Real>(
    design: &dyn Design<T>,
    table: MatRef<f64>,
    offset: &[f64],
    watch: &mut dyn Watch,
    each: &mut dyn FnMut(&Seen<T>, MatMut<f64>) -> Result<()>,
) -> Result<Swept> {
    let (m, q) = (table.nrows(), table.ncols());
    let table = Factor::<T>::new(table);
    let mut swept = Swept { gradient: Mat::zeros(m, q), total: vec![0.0; q] };
    design.pass(watch, &mut |seen| {
        let mut f = table.product(seen.characters);
        (0..q).for_each(|t| linalg::column_mut(f.as_mut(), t).iter_mut().for_each(|v| *v += offset[t]));
        each(seen, f.as_mut())?;
        linalg::add_tn(swept.gradient.as_mut(), seen.characters, f.as_ref());
        let sum = |t: usize| linalg::folds(linalg::column(f.as_ref(), t), 0.0, |a, b| a + b).iter().sum::<f64>();
        swept.total.iter_mut().enumerate().for_each(|(t, total)| *total += sum(t));
        Ok(())
    })?;
    Ok(swept)
}
