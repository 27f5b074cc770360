//! Growing one tree from a sub-sample, level after level.

use super::split::{Cut, best_cut};
use super::tree::share;
use super::{Criterion, Node, Tree};
use crate::random::Stream;
use faer::Mat;

/// Nodes of one tree, at most: their numbers have 32 bits.
const NODES: usize = 1 << 31;

/// How a cell is cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Splitter {
    /// At the best threshold of some inputs, by a criterion.
    Best {
        /// What makes a split a good one.
        criterion: Criterion,
        /// How many inputs, among those that vary in the cell, are tried.
        candidates: usize,
        /// Whether empty margins of a cell may be cut off. Cells are then tight about their rows: depths tell rows from what is
        /// around them, but the few rows of such a cell look dense.
        margins: bool,
    },
    /// At a random threshold between the least and the largest value of a random input: isolation.
    Random,
}

/// How trees are grown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// How a cell is cut.
    pub splitter: Splitter,
    /// Cells at this depth are leaves.
    pub depth: usize,
    /// Cells of fewer rows are leaves (2 at least).
    pub smallest: usize,
    /// Cells are leaves whose density, relative to that of as many rows spread evenly over the box of all rows, is this or
    /// more.
    pub dense: Option<f64>,
    /// The same of cells with this density or less.
    pub thin: Option<f64>,
}

impl Growth {
    /// Grows a tree on some rows and columns (ascending) of x (n×d), whose box has the `lower` and `upper` ends (d). Also
    /// adds to `importance` (d) by how much the cuts along each input lessened the impurity, per row. Time m log m per level
    /// and candidate, for m rows.
    pub fn grow(
        &self,
        x: &Mat<f64>,
        (mut rows, columns): (Vec<u32>, Vec<u32>),
        (lower, upper): (&[f64], &[f64]),
        stream: &mut Stream,
        importance: &mut [f64],
    ) -> Tree {
        let values: Vec<Vec<f64>> = columns
            .iter()
            .map(|k| {
                let column = x.col_as_slice(*k as usize);
                rows.iter().map(|i| column[*i as usize]).collect()
            })
            .collect();
        let sample = rows.len();
        // from here on rows are numbered within the sub-sample
        rows.iter_mut().enumerate().for_each(|(i, row)| *row = i as u32);
        let boxed = matches!(self.splitter, Splitter::Best { .. });
        let least = |v: &Vec<f64>| v.iter().copied().fold(f64::INFINITY, f64::min);
        let most = |v: &Vec<f64>| v.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut growing = Growing {
            how: self,
            tree: Tree {
                nodes: vec![Node::leaf(0)],
                counts: vec![sample as u32],
                columns,
                lower: values.iter().filter(|_| boxed).map(least).collect(),
                upper: values.iter().filter(|_| boxed).map(most).collect(),
            },
            order: (0..values.len()).collect(),
            values,
            parents: vec![0],
            depths: vec![0],
            volumes: vec![0.0],
            sorted: Vec::with_capacity(sample),
        };
        if boxed {
            growing.volumes[0] = growing.tree.log_volume(lower, upper);
        }
        let mut spans = vec![(0, sample)];
        let mut at = 0;
        while at < spans.len() {
            let (from, to) = spans[at];
            if let Some((place, threshold, gain)) = growing.cut(at, &rows[from..to], stream) {
                importance[growing.tree.columns[place] as usize] += gain / sample as f64;
                let middle = from + part(&mut rows[from..to], &growing.values[place], threshold);
                growing.split(at, place, threshold, (middle - from, to - middle));
                spans.extend([(from, middle), (middle, to)]);
            }
            at += 1;
        }
        growing.tree
    }
}

/// Puts the rows below a threshold first; how many they are.
fn part(rows: &mut [u32], values: &[f64], threshold: f64) -> usize {
    let mut left = 0;
    for i in 0..rows.len() {
        if values[rows[i] as usize] < threshold {
            rows.swap(i, left);
            left += 1;
        }
    }
    left
}

/// A tree under way.
struct Growing<'a> {
    how: &'a Growth,
    tree: Tree,
    /// The values of the sub-sample along each input of the tree.
    values: Vec<Vec<f64>>,
    /// Places of the inputs, shuffled as they are drawn.
    order: Vec<usize>,
    parents: Vec<u32>,
    depths: Vec<usize>,
    volumes: Vec<f64>,
    sorted: Vec<f64>,
}

impl Growing<'_> {
    /// Where to cut a node, at which threshold, and by how much the impurity falls.
    fn cut(&mut self, node: usize, rows: &[u32], stream: &mut Stream) -> Option<(usize, f64, f64)> {
        let how = self.how;
        let full = self.tree.nodes.len() >= NODES;
        if full
            || rows.len() < how.smallest.max(2)
            || self.depths[node] >= how.depth
            || self.settled(node, rows.len())
        {
            return None;
        }
        match how.splitter {
            Splitter::Random => self.random(rows, stream).map(|(place, threshold)| (place, threshold, 0.0)),
            Splitter::Best { criterion, candidates, margins } => {
                let outliers = criterion.outliers(rows.len(), self.values[0].len(), self.volumes[node]);
                let (mut best, mut tried): (Option<(usize, Cut)>, usize) = (None, 0);
                for drawn in 0..self.order.len() {
                    if tried == candidates {
                        break;
                    }
                    let place = self.draw(drawn, stream);
                    let values = &self.values[place];
                    self.sorted.clear();
                    self.sorted.extend(rows.iter().map(|i| values[*i as usize]));
                    self.sorted.sort_unstable_by(f64::total_cmp);
                    if self.sorted.first() == self.sorted.last() {
                        continue;
                    }
                    tried += 1;
                    let (lower, upper) = self.edges(node, place);
                    let found = best_cut(&self.sorted, (lower, upper), outliers, criterion.impurity, margins);
                    if let Some(cut) = found.filter(|cut| best.is_none_or(|(_, b)| cut.impurity < b.impurity)) {
                        best = Some((place, cut));
                    }
                }
                let before = criterion.impurity.of(rows.len() as f64, outliers);
                best.map(|(place, cut)| (place, cut.threshold, before - cut.impurity))
            }
        }
    }

    /// Whether a cell is dense or thin enough not to be looked at further.
    fn settled(&self, node: usize, rows: usize) -> bool {
        let share = rows as f64 / self.values.first().map_or(1, Vec::len) as f64;
        let log_density = || libm::log(share) - self.volumes[node];
        self.how.dense.is_some_and(|most| log_density() >= libm::log(most))
            || self.how.thin.is_some_and(|least| log_density() <= libm::log(least))
    }

    /// A random input among those that vary, and a threshold between its least and its largest value: neither side is empty.
    fn random(&mut self, rows: &[u32], stream: &mut Stream) -> Option<(usize, f64)> {
        for drawn in 0..self.order.len() {
            let place = self.draw(drawn, stream);
            let values = &self.values[place];
            let ends =
                |(low, high): (f64, f64), i: &u32| (low.min(values[*i as usize]), high.max(values[*i as usize]));
            let (low, high) = rows.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends);
            if low < high {
                let share = stream.uniform();
                // not low + share·(high − low), which may be beyond all numbers
                let threshold = low * (1.0 - share) + high * share;
                return Some((place, if threshold > low && threshold <= high { threshold } else { high }));
            }
        }
        None
    }

    /// The next input of a random order.
    fn draw(&mut self, drawn: usize, stream: &mut Stream) -> usize {
        let other = drawn + stream.below(self.order.len() - drawn);
        self.order.swap(drawn, other);
        self.order[drawn]
    }

    /// The ends of the cell of a node along an input. Time of its depth: no cell keeps all of its ends.
    fn edges(&self, node: usize, place: usize) -> (f64, f64) {
        let (feature, mut at) = (self.tree.columns[place], node);
        let (mut lower, mut upper) = (None, None);
        while at > 0 && (lower.is_none() || upper.is_none()) {
            let parent = &self.tree.nodes[self.parents[at] as usize];
            if parent.feature == feature {
                let end = if at == parent.left as usize { &mut upper } else { &mut lower };
                end.get_or_insert(parent.threshold);
            }
            at = self.parents[at] as usize;
        }
        (lower.unwrap_or(self.tree.lower[place]), upper.unwrap_or(self.tree.upper[place]))
    }

    fn split(&mut self, node: usize, place: usize, threshold: f64, (left, right): (usize, usize)) {
        let below = self.tree.nodes.len();
        self.tree.nodes[node] = Node { threshold, feature: self.tree.columns[place], left: below as u32 };
        let own = self.volumes[node];
        self.volumes.extend(match self.how.splitter {
            Splitter::Random => [0.0, 0.0],
            Splitter::Best { .. } => {
                let share = share(threshold, self.edges(node, place));
                [own + libm::log(share), own + libm::log1p(-share)]
            }
        });
        self.tree.nodes.extend([Node::leaf(below), Node::leaf(below + 1)]);
        self.tree.counts.extend([left as u32, right as u32]);
        self.parents.extend([node as u32, node as u32]);
        let depth = self.depths[node] + 1;
        self.depths.extend([depth, depth]);
    }
}
