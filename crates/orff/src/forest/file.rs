//! Forests in files. Children need no numbers: the k-th node that is split has the children 2k + 1 and 2k + 2, so that no file
//! can describe a circle.

use super::{Forest, Node, Scoring, Tree};
use crate::archive::{Archive, Reader};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// What a header says of a forest beside its tensors.
#[derive(Serialize, Deserialize)]
pub struct ForestHeader {
    sample: usize,
    scoring: Scoring,
    boxed: bool,
}

impl Forest {
    /// What a header says of the forest.
    pub fn header(&self) -> ForestHeader {
        let boxed = self.trees.iter().any(|tree| !tree.lower.is_empty());
        ForestHeader { sample: self.sample, scoring: self.scoring, boxed }
    }

    /// Adds the tensors of the forest to an archive: a word for each node (the number of its input from 1, or 0 for a leaf,
    /// above the number of its rows), a threshold for each node that is split.
    pub fn store<'a>(&'a self, archive: &mut Archive<'a>) {
        let word = |(node, count): (&Node, &u32)| {
            let feature = if node.is_leaf() { 0 } else { u64::from(node.feature) + 1 };
            feature << 32 | u64::from(*count)
        };
        let each = |of: fn(&Tree) -> usize| self.trees.iter().map(|t| of(t) as u64).collect::<Vec<u64>>();
        let ends = |of: fn(&Tree) -> &Vec<f64>| self.trees.iter().flat_map(of).copied().collect::<Vec<f64>>();
        let nodes = || self.trees.iter().flat_map(|t| t.nodes.iter().zip(&t.counts));
        archive.put_u64s("trees.nodes", each(|t| t.nodes.len()));
        archive.put_u64s("trees.columns", each(|t| t.columns.len()));
        archive.put_u64s("nodes", nodes().map(word).collect::<Vec<u64>>());
        let split = nodes().map(|(node, _)| node).filter(|node| !node.is_leaf());
        archive.put_vec("thresholds", split.map(|node| node.threshold).collect::<Vec<f64>>());
        let columns = self.trees.iter().flat_map(|t| &t.columns).map(|k| u64::from(*k));
        archive.put_u64s("columns", columns.collect::<Vec<u64>>());
        archive.put_vec("boxes.lower", ends(|t| &t.lower));
        archive.put_vec("boxes.upper", ends(|t| &t.upper));
        archive.put_vec("lower", self.lower.as_slice());
        archive.put_vec("upper", self.upper.as_slice());
        if let Some(importance) = &self.importance {
            archive.put_vec("importance", importance.as_slice());
        }
    }

    /// Reads a forest of an opened file; trees that no fit can have made are refused.
    pub fn restore(file: &Reader, header: &ForestHeader) -> Result<Forest> {
        let wrong = |why: &str| file.damaged(format!("its forest {why}; fit again or restore a copy"));
        let (lower, upper) = (file.vec("lower", None)?, file.vec("upper", None)?);
        let d = lower.len();
        let ordered = |lower: &[f64], upper: &[f64]| {
            lower.len() == upper.len() && lower.iter().zip(upper).all(|(a, b)| a <= b && (b - a).is_finite())
        };
        if d == 0 || u32::try_from(d).is_err() || !ordered(&lower, &upper) {
            return Err(wrong("has no box"));
        }
        let (sizes, widths) = (file.u64s("trees.nodes", None)?, file.u64s("trees.columns", None)?);
        let mut words = Taken { left: &file.u64s("nodes", None)? };
        let mut thresholds = Taken { left: &file.vec("thresholds", None)? };
        let mut columns = Taken { left: &file.u64s("columns", None)? };
        let mut low = Taken { left: &file.vec("boxes.lower", None)? };
        let mut high = Taken { left: &file.vec("boxes.upper", None)? };
        if sizes.is_empty() || sizes.len() != widths.len() {
            return Err(wrong("has no trees"));
        }
        let mut trees = Vec::new();
        for (size, width) in sizes.into_iter().zip(widths) {
            let short = || wrong("ends before its last tree");
            let words = words.take(size).ok_or_else(short)?;
            let columns = columns.take(width).ok_or_else(short)?;
            if !columns.is_sorted_by(|a, b| a < b) || columns.last().is_none_or(|k| *k >= d as u64) {
                return Err(wrong("looks at inputs that are not there"));
            }
            let columns: Vec<u32> = columns.iter().map(|k| *k as u32).collect();
            let ends = if header.boxed { width } else { 0 };
            let (low, high) = (low.take(ends).ok_or_else(short)?, high.take(ends).ok_or_else(short)?);
            let split = words.iter().filter(|word| **word >> 32 != 0).count();
            let thresholds = thresholds.take(split as u64).ok_or_else(short)?;
            if !ordered(low, high) || thresholds.iter().any(|t| !t.is_finite()) {
                return Err(wrong("has cells that are none"));
            }
            let grown =
                Tree { nodes: Vec::new(), counts: Vec::new(), columns, lower: low.into(), upper: high.into() };
            let tree = rebuilt(grown, words, thresholds).ok_or_else(|| wrong("has nodes without a place"))?;
            if tree.counts[0] as usize != header.sample {
                return Err(wrong("was grown on other rows"));
            }
            trees.push(tree);
        }
        if !(words.left.is_empty() && thresholds.left.is_empty() && columns.left.is_empty()) {
            return Err(wrong("goes on after its last tree"));
        }
        let importance = match file.has("importance") {
            true => Some(file.vec("importance", Some(d))?),
            false => None,
        };
        Ok(Forest::of(trees, header.sample, header.scoring, (lower, upper), importance))
    }
}

/// The first of what is left of a tensor.
struct Taken<'a, T> {
    left: &'a [T],
}

impl<'a, T> Taken<'a, T> {
    fn take(&mut self, count: u64) -> Option<&'a [T]> {
        let (first, left) = self.left.split_at_checked(usize::try_from(count).ok()?)?;
        self.left = left;
        Some(first)
    }
}

/// The nodes of a tree; none where they are not those of one.
fn rebuilt(mut tree: Tree, words: &[u64], thresholds: &[f64]) -> Option<Tree> {
    if words.len() != 2 * thresholds.len() + 1 || u32::try_from(words.len()).is_err() {
        return None;
    }
    tree.counts = words.iter().map(|word| *word as u32).collect();
    let mut split = 0;
    for (at, word) in words.iter().enumerate() {
        tree.nodes.push(match (word >> 32) as u32 {
            0 => Node::leaf(at),
            feature => {
                let left = 2 * split + 1;
                // a node comes after its parent, and its rows are those of its children
                let below = u64::from(tree.counts[left]) + u64::from(tree.counts[left + 1]);
                let known = tree.columns.binary_search(&(feature - 1)).is_ok();
                if at > 2 * split || !known || below != u64::from(tree.counts[at]) {
                    return None;
                }
                let threshold = thresholds[split];
                split += 1;
                Node { threshold, feature: feature - 1, left: left as u32 }
            }
        });
    }
    Some(tree)
}
