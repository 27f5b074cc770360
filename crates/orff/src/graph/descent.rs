//! Approximate neighbours: rows that share a leaf of a random tree, then neighbours of neighbours until little changes.
//!
//! Every pass reads the lists of the pass before and writes new ones, each row by itself, so that the answer is the same
//! for any number of threads. Dong, Moses and Li 2011, with a forest to start from.

use super::forest;
use super::nearest::{Nearest, Neighbours, nearest};
use super::points::Points;
use crate::error::Result;
use crate::random::Stream;
use crate::watch::Watch;
use rayon::prelude::*;

/// Most rows of a leaf.
pub(super) const LEAF: usize = 192;
/// Trees to start from.
const TREES: u64 = 6;
/// Most passes over neighbours of neighbours.
const PASSES: usize = 12;
/// Share of the lists' entries that may still change in the last pass.
const SETTLED: f64 = 1e-3;
/// Rows on which the recall is estimated.
const JUDGED: usize = 256;
/// Rows done between two looks at the watch.
const ROUND: usize = 1 << 15;

const RECALL: u64 = 0x7265_6361;

/// The lists of all rows; an entry is fresh when the last pass put it there.
struct Lists {
    q: usize,
    rows: Vec<u32>,
    squares: Vec<f64>,
    fresh: Vec<bool>,
}

/// A place in a list that holds no row yet.
const NONE: u32 = u32::MAX;

pub(super) fn find(points: &Points, q: usize, seed: u64, watch: &mut dyn Watch) -> Result<Neighbours> {
    let n = points.count();
    let mut lists =
        Lists { q, rows: vec![NONE; n * q], squares: vec![f64::INFINITY; n * q], fresh: vec![true; n * q] };
    for tree in 0..TREES {
        lists.plant(points, seed, tree, watch)?;
    }
    for _ in 0..PASSES {
        let changed = lists.pass(points, watch)?;
        if (changed as f64) < SETTLED * (n * q) as f64 {
            break;
        }
    }
    let recall = lists.recall(points, seed);
    Ok(Neighbours { each: q, rows: lists.rows, squares: lists.squares, recall })
}

impl Lists {
    fn of(&self, i: usize) -> impl Iterator<Item = (u32, bool)> + '_ {
        let span = i * self.q..(i + 1) * self.q;
        let both = self.rows[span.clone()].iter().copied().zip(self.fresh[span].iter().copied());
        both.filter(|(row, _)| *row != NONE)
    }

    fn nearest(&self, i: usize) -> Nearest {
        let mut near = Nearest::new(self.q);
        let span = i * self.q..(i + 1) * self.q;
        let both = self.squares[span.clone()].iter().copied().zip(self.rows[span].iter().copied());
        near.found.extend(both.filter(|(_, row)| *row != NONE));
        near
    }

    fn put(&mut self, i: usize, near: &Nearest) {
        for (k, &(square, row)) in near.found.iter().enumerate() {
            self.squares[i * self.q + k] = square;
            self.rows[i * self.q + k] = row;
        }
    }

    /// Compares the rows of each leaf of a tree with each other.
    fn plant(&mut self, points: &Points, seed: u64, tree: u64, watch: &mut dyn Watch) -> Result<()> {
        let (order, mut starts) = forest::leaves(points, LEAF, seed, tree);
        starts.push(order.len());
        let spans: Vec<&[usize]> = starts.windows(2).collect();
        for round in spans.chunks(ROUND / LEAF) {
            let found: Vec<Vec<(u32, Nearest)>> = round
                .par_iter()
                .map(|span| {
                    let rows = &order[span[0]..span[1]];
                    let mut near: Vec<Nearest> = rows.iter().map(|&i| self.nearest(i as usize)).collect();
                    for a in 0..rows.len() {
                        for b in 0..a {
                            let square = points.square(rows[a] as usize, rows[b] as usize);
                            for (at, row) in [(a, rows[b]), (b, rows[a])] {
                                if square < near[at].limit() && near[at].found.iter().all(|f| f.1 != row) {
                                    near[at].take(square, row);
                                }
                            }
                        }
                    }
                    rows.iter().copied().zip(near).collect()
                })
                .collect();
            let mut done = 0;
            for (i, near) in found.into_iter().flatten() {
                self.put(i as usize, &near);
                done += 1;
            }
            watch.advance(done)?;
        }
        Ok(())
    }

    /// Rows that have each row in their list, at most q of them, chosen by a hash so that no rows are preferred.
    fn reverse(&self, n: usize) -> (Vec<u32>, Vec<bool>) {
        let q = self.q;
        let (mut rows, mut fresh, mut used) = (vec![NONE; n * q], vec![false; n * q], vec![0usize; n]);
        for from in 0..n {
            for (j, new) in self.of(from) {
                let j = j as usize;
                let place = match used[j] {
                    count if count < q => count,
                    count => hash(from as u64, j as u64) as usize % (count + 1),
                };
                if place < q {
                    (rows[j * q + place], fresh[j * q + place]) = (from as u32, new);
                }
                used[j] += 1;
            }
        }
        (rows, fresh)
    }

    /// One look at neighbours of neighbours, both ways; the number of entries that changed.
    fn pass(&mut self, points: &Points, watch: &mut dyn Watch) -> Result<usize> {
        let (n, q) = (points.count(), self.q);
        let (back, back_fresh) = self.reverse(n);
        let beside = |i: usize| {
            let span = i * q..(i + 1) * q;
            let back = back[span.clone()].iter().copied().zip(back_fresh[span].iter().copied());
            self.of(i).chain(back.filter(|(row, _)| *row != NONE))
        };
        let mut rows = vec![NONE; n * q];
        let mut squares = vec![f64::INFINITY; n * q];
        let mut fresh = vec![false; n * q];
        let mut changed = 0;
        let rounds = rows.chunks_mut(ROUND * q).zip(squares.chunks_mut(ROUND * q)).zip(fresh.chunks_mut(ROUND * q));
        for (r, ((rows, squares), fresh)) in rounds.enumerate() {
            let count = rows.len() / q;
            let each = rows.par_chunks_mut(q).zip(squares.par_chunks_mut(q)).zip(fresh.par_chunks_mut(q));
            changed += each
                .enumerate()
                .map(|(at, ((rows, squares), fresh))| {
                    let i = r * ROUND + at;
                    let mut near = self.nearest(i);
                    let before: Vec<u32> = near.found.iter().map(|f| f.1).collect();
                    let mut met: Vec<u32> = Vec::with_capacity(4 * q * q);
                    for (j, first) in beside(i) {
                        met.push(j);
                        let second = beside(j as usize).filter(|(_, second)| first || *second);
                        met.extend(second.map(|(k, _)| k));
                    }
                    met.sort_unstable();
                    met.dedup();
                    for k in met.into_iter().filter(|k| *k as usize != i && !before.contains(k)) {
                        let square = points.square(i, k as usize);
                        if square < near.limit() {
                            near.take(square, k);
                        }
                    }
                    let mut changed = 0;
                    for (place, &(square, row)) in near.found.iter().enumerate() {
                        (rows[place], squares[place]) = (row, square);
                        fresh[place] = !before.contains(&row);
                        changed += usize::from(fresh[place]);
                    }
                    changed
                })
                .sum::<usize>();
            watch.advance(count as u64)?;
        }
        (self.rows, self.squares, self.fresh) = (rows, squares, fresh);
        Ok(changed)
    }

    /// The share of the true neighbours of some rows that the lists hold; a row as near as the last true one counts.
    fn recall(&self, points: &Points, seed: u64) -> f64 {
        let n = points.count();
        let mut stream = Stream::new(seed, RECALL, 0);
        let judged: Vec<usize> = (0..JUDGED.min(n)).map(|_| stream.below(n)).collect();
        let hits: usize = judged
            .par_chunks(points.panel().min(32))
            .map(|rows| {
                let truth = nearest(points, rows.iter().copied(), self.q);
                let hits = rows.iter().zip(truth).map(|(&i, truth)| {
                    let last = truth.last().map_or(0.0, |t| t.0);
                    self.nearest(i).found.iter().filter(|f| f.0 <= last).count()
                });
                hits.sum::<usize>()
            })
            .sum();
        hits as f64 / (judged.len() * self.q) as f64
    }
}

/// Bits that look random (the finaliser of MurmurHash3).
fn hash(a: u64, b: u64) -> u64 {
    let mut h = a.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ b;
    h = (h ^ (h >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    h = (h ^ (h >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    h ^ (h >> 33)
}
