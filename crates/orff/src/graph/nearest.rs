//! The q nearest rows of each row: all pairs compared by blocks of products, or, above [`EXACT_ROWS`], a search that
//! looks at neighbours of neighbours.

use super::descent;
use super::points::Points;
use crate::error::Result;
use crate::watch::Watch;
use faer::Mat;
use rayon::prelude::*;

/// Most rows whose neighbours are found by comparing all pairs unless that is asked for.
pub const EXACT_ROWS: usize = 200_000;
/// Rows of the other side of a block of products.
const OTHERS: usize = 1024;

/// How neighbours are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// Exact up to [`EXACT_ROWS`] rows, approximate above.
    #[default]
    Auto,
    /// All pairs: N²·d operations.
    Exact,
    /// Random trees, then neighbours of neighbours.
    Approximate,
}

/// The q nearest other rows of each of N rows, nearest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbours {
    /// Neighbours of each row: min(q, N − 1).
    pub each: usize,
    /// N·q rows.
    pub rows: Vec<u32>,
    /// Their squared distances.
    pub squares: Vec<f64>,
    /// The share of the true neighbours that was found, as estimated on some rows; 1 for an exact search.
    pub recall: f64,
}

/// The nearest rows met so far, nearest first; ties go to the smaller row number.
pub(super) struct Nearest {
    most: usize,
    pub found: Vec<(f64, u32)>,
}

impl Nearest {
    pub fn new(most: usize) -> Self {
        Nearest { most, found: Vec::with_capacity(most + 1) }
    }

    /// The squared distance from which on nothing is taken.
    pub fn limit(&self) -> f64 {
        if self.found.len() < self.most { f64::INFINITY } else { self.found[self.most - 1].0 }
    }

    /// Takes a row that is not among those found if it is nearer than the last; says whether it did.
    pub fn take(&mut self, square: f64, row: u32) -> bool {
        let at = self.found.partition_point(|&(s, r)| s < square || s == square && r < row);
        if at >= self.most {
            return false;
        }
        self.found.insert(at, (square, row));
        self.found.truncate(self.most);
        true
    }
}

impl Neighbours {
    /// The neighbours of all rows, the same for any number of threads.
    ///
    /// ```
    /// use orff::graph::{Neighbours, Points, Search};
    /// use orff::rows::Inputs;
    /// let line = faer::Mat::from_fn(5, 1, |i, _| (i * i) as f64);
    /// let found = Neighbours::find(&Points::of(&Inputs::Dense(line)), 1, Search::Exact, 0, &mut orff::watch::Silent)?;
    /// assert_eq!(found.rows, [1, 0, 1, 2, 3]); // 0, 1, 4, 9, 16
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn find(points: &Points, q: usize, how: Search, seed: u64, watch: &mut dyn Watch) -> Result<Self> {
        watch.stage("neighbours");
        let n = points.count();
        let q = q.min(n.saturating_sub(1));
        let exact = match how {
            Search::Auto => n <= EXACT_ROWS,
            Search::Exact => true,
            Search::Approximate => n <= 2 * descent::LEAF,
        };
        if exact { Self::exact(points, q, watch) } else { descent::find(points, q, seed, watch) }
    }

    /// The neighbours of row i with their squared distances.
    pub fn of(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let span = i * self.each..(i + 1) * self.each;
        self.rows[span.clone()].iter().map(|&j| j as usize).zip(self.squares[span].iter().copied())
    }

    /// The q nearest ones only.
    pub fn first(&self, q: usize) -> Neighbours {
        let kept = q.min(self.each);
        let rows = self.rows.chunks(self.each.max(1)).flat_map(|row| &row[..kept]).copied().collect();
        let squares = self.squares.chunks(self.each.max(1)).flat_map(|row| &row[..kept]).copied().collect();
        Neighbours { each: kept, rows, squares, recall: self.recall }
    }

    /// Compares all pairs. N²·d operations, N·q numbers.
    fn exact(points: &Points, q: usize, watch: &mut dyn Watch) -> Result<Self> {
        let (n, panel) = (points.count(), points.panel());
        let mut out = Neighbours { each: q, rows: vec![0; n * q], squares: vec![0.0; n * q], recall: 1.0 };
        if q == 0 {
            return Ok(out);
        }
        // a round of panels between two looks at the watch
        let round = panel * 16;
        let rows = out.rows.chunks_mut(round * q).zip(out.squares.chunks_mut(round * q));
        for (r, (rows, squares)) in rows.enumerate() {
            let panels = rows.par_chunks_mut(panel * q).zip(squares.par_chunks_mut(panel * q));
            panels.enumerate().for_each(|(p, (rows, squares))| {
                let (from, count) = (r * round + p * panel, rows.len() / q);
                for (a, near) in nearest(points, from..from + count, q).into_iter().enumerate() {
                    for (k, (square, row)) in near.into_iter().enumerate() {
                        rows[a * q + k] = row;
                        squares[a * q + k] = square;
                    }
                }
            });
            watch.advance((rows.len() / q) as u64)?;
        }
        Ok(out)
    }
}

/// The q nearest others of some rows among all, by products; the distances of those kept are then taken by differences.
pub(super) fn nearest(
    points: &Points,
    rows: impl ExactSizeIterator<Item = usize> + Clone,
    q: usize,
) -> Vec<Vec<(f64, u32)>> {
    let n = points.count();
    let side = points.side(rows.clone());
    let mut near: Vec<Nearest> = rows.clone().map(|_| Nearest::new(q)).collect();
    let mut dots = Mat::zeros(0, 0);
    for from in (0..n).step_by(OTHERS) {
        let to = (from + OTHERS).min(n);
        points.dots(&side, from, to, &mut dots);
        for (a, i) in rows.clone().enumerate() {
            let (near, own) = (&mut near[a], points.norm(i));
            let mut limit = near.limit();
            for j in from..to {
                let square = own + points.norm(j) - 2.0 * dots[(a, j - from)];
                if square < limit && j != i {
                    near.take(square, j as u32);
                    limit = near.limit();
                }
            }
        }
    }
    let exactly = |(i, near): (usize, Nearest)| {
        let mut found = near.found;
        found.iter_mut().for_each(|(square, j)| *square = points.square(i, *j as usize));
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        found
    };
    rows.zip(near).map(exactly).collect()
}
