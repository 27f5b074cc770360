//! Re-readable parts of a table: test and training rows, folds, chosen by a hash of the row number.

use orff::rows::{Batch, Batches, Rows};
use orff::{Error, Result};

/// The `row`-th output (from 0) of the generator SplitMix64 started at `seed`.
///
/// ```
/// assert_eq!(orff_table::hash(1234567, 0), 6457827717110365317);
/// assert_eq!(orff_table::hash(1234567, 1), 3203168211198807973);
/// ```
pub fn hash(seed: u64, row: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(row.wrapping_add(1)));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Which rows a part keeps, by the hash h of the row number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    /// ⌊h / 2¹¹⌋ / 2⁵³ < fraction.
    Below(f64),
    /// h mod `of` = `fold`.
    Fold { fold: u64, of: u64 },
}

/// The rows of a table that belong to one part. Rows are numbered from 0 as the table delivers them.
///
/// ```
/// use orff::rows::{Rows, Table};
/// use orff_table::Split;
/// let all = Table::new(faer::Mat::zeros(1000, 2), faer::Mat::zeros(1000, 1))?;
/// let count = |part: Split<'_, Table>| part.batches().unwrap().map(|b| b.unwrap().outputs.nrows()).sum::<usize>();
/// let (train, test) = (count(Split::train(&all, 0.2, 7)?), count(Split::test(&all, 0.2, 7)?));
/// assert_eq!(train + test, 1000);
/// assert!(150 < test && test < 250);
/// # Ok::<(), orff::Error>(())
/// ```
pub struct Split<'a, R: Rows + ?Sized = dyn Rows + 'a> {
    rows: &'a R,
    rule: Rule,
    seed: u64,
    inside: bool,
}

impl<'a, R: Rows + ?Sized> Split<'a, R> {
    /// The test rows: a random `fraction` of all.
    pub fn test(rows: &'a R, fraction: f64, seed: u64) -> Result<Self> {
        Self::by_fraction(rows, fraction, seed, true)
    }

    /// The rows that [`test`](Self::test) leaves.
    pub fn train(rows: &'a R, fraction: f64, seed: u64) -> Result<Self> {
        Self::by_fraction(rows, fraction, seed, false)
    }

    /// The rows of one of `of` folds, from 0.
    pub fn fold(rows: &'a R, fold: usize, of: usize, seed: u64) -> Result<Self> {
        Self::by_fold(rows, fold, of, seed, true)
    }

    /// The rows of all folds but one.
    pub fn without_fold(rows: &'a R, fold: usize, of: usize, seed: u64) -> Result<Self> {
        Self::by_fold(rows, fold, of, seed, false)
    }

    fn by_fraction(rows: &'a R, fraction: f64, seed: u64, inside: bool) -> Result<Self> {
        if !(fraction > 0.0 && fraction < 1.0) {
            return Err(Error::parameter("test", "a fraction between 0 and 1", fraction));
        }
        Ok(Split { rows, rule: Rule::Below(fraction), seed, inside })
    }

    fn by_fold(rows: &'a R, fold: usize, of: usize, seed: u64, inside: bool) -> Result<Self> {
        if of < 2 {
            return Err(Error::parameter("folds", "at least 2", of));
        }
        if fold >= of {
            return Err(Error::parameter("fold", format!("a number below {of}"), fold));
        }
        Ok(Split { rows, rule: Rule::Fold { fold: fold as u64, of: of as u64 }, seed, inside })
    }

    /// Whether a row, numbered from 0, belongs to this part.
    pub fn keeps(&self, row: u64) -> bool {
        let h = hash(self.seed, row);
        let hit = match self.rule {
            Rule::Below(fraction) => ((h >> 11) as f64) < fraction * (1u64 << 53) as f64,
            Rule::Fold { fold, of } => h % of == fold,
        };
        hit == self.inside
    }
}

impl<R: Rows + ?Sized> Rows for Split<'_, R> {
    fn inputs(&self) -> usize {
        self.rows.inputs()
    }

    fn outputs(&self) -> usize {
        self.rows.outputs()
    }

    fn batches(&self) -> Result<Batches<'_>> {
        let mut next = 0;
        let part = self.rows.batches()?.filter_map(move |batch| match batch {
            Err(e) => Some(Err(e)),
            Ok(batch) => {
                let n = batch.inputs.nrows();
                let rows: Vec<usize> = (0..n).filter(|&i| self.keeps(next + i as u64)).collect();
                next += n as u64;
                match rows.len() {
                    0 => None,
                    k if k == n => Some(Ok(batch)),
                    _ => Some(Ok(batch.pick(&rows))),
                }
            }
        });
        Ok(Box::new(part))
    }

    fn rereadable(&self) -> bool {
        self.rows.rereadable()
    }

    fn single(&self) -> bool {
        self.rows.single()
    }

    fn classes(&self) -> Option<&[String]> {
        self.rows.classes()
    }
}

/// The first rows of a batch.
pub(crate) fn first(batch: &Batch, rows: usize) -> Batch {
    if rows == batch.inputs.nrows() { batch.clone() } else { batch.pick(&(0..rows).collect::<Vec<_>>()) }
}
