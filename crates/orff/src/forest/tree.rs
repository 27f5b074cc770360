//! A tree as flat arrays: nodes one level after the other, the children of a node side by side.

use super::path_length;

/// A node: rows whose input `feature` is below the threshold go to `left`, the others to the node after it. A leaf leads to
/// itself, whatever the row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// The threshold; infinite at a leaf.
    pub threshold: f64,
    /// The number of the input.
    pub feature: u32,
    /// The left child, before the right one; the node itself at a leaf.
    pub left: u32,
}

impl Node {
    /// A node without children.
    pub fn leaf(at: usize) -> Self {
        Node { threshold: f64::INFINITY, feature: 0, left: at as u32 }
    }

    /// Whether it is one.
    pub fn is_leaf(&self) -> bool {
        self.threshold == f64::INFINITY
    }
}

/// A tree over some inputs. The k-th node that is split has the children 2k + 1 and 2k + 2: levels follow each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// The nodes, the root first.
    pub nodes: Vec<Node>,
    /// Rows of the sub-sample in each node.
    pub counts: Vec<u32>,
    /// The inputs that the tree looks at, ascending.
    pub columns: Vec<u32>,
    /// The box of its sub-sample along these inputs: no row outside it belongs to any leaf. Empty for isolation trees,
    /// which divide all of space.
    pub lower: Vec<f64>,
    /// Its upper ends.
    pub upper: Vec<f64>,
}

impl Tree {
    /// The depth of each node.
    pub fn depths(&self) -> Vec<u32> {
        let mut depths = vec![0; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().filter(|(_, node)| !node.is_leaf()) {
            let below = depths[at] + 1;
            (depths[node.left as usize], depths[node.left as usize + 1]) = (below, below);
        }
        depths
    }

    /// d_t + c(n_t) of each node: how deep a row would be if the node were split to the end.
    pub fn paths(&self) -> Vec<f64> {
        self.depths().iter().zip(&self.counts).map(|(d, n)| f64::from(*d) + path_length(*n as usize)).collect()
    }

    /// log of the share that each cell has of the box of all rows, along the inputs of the tree that vary there. The box has
    /// the `lower` and `upper` ends (d).
    pub fn log_volumes(&self, lower: &[f64], upper: &[f64]) -> Vec<f64> {
        let mut volumes = vec![0.0; self.nodes.len()];
        if self.lower.is_empty() {
            return volumes;
        }
        volumes[0] = self.log_volume(lower, upper);
        // cells are walked through with their ends at hand, which are put back on the way up
        let (mut low, mut high) = (self.lower.clone(), self.upper.clone());
        let mut steps = vec![Step::Visit(0)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Ends(place, ends) => (low[place], high[place]) = ends,
                Step::Visit(at) => {
                    let Node { threshold, feature, left } = self.nodes[at];
                    let found = self.columns.binary_search(&feature).ok().filter(|_| !self.nodes[at].is_leaf());
                    let (Some(place), left) = (found, left as usize) else { continue };
                    let ends = (low[place], high[place]);
                    let share = share(threshold, ends);
                    volumes[left] = volumes[at] + libm::log(share);
                    volumes[left + 1] = volumes[at] + libm::log1p(-share);
                    // the last one is the first to be taken
                    steps.extend([
                        Step::Ends(place, ends),
                        Step::Visit(left + 1),
                        Step::Ends(place, (threshold, ends.1)),
                        Step::Visit(left),
                        Step::Ends(place, (ends.0, threshold)),
                    ]);
                }
            }
        }
        volumes
    }

    /// The same of the root.
    pub fn log_volume(&self, lower: &[f64], upper: &[f64]) -> f64 {
        let one = |place: usize, k: u32| {
            let (own, all) = (self.upper[place] - self.lower[place], upper[k as usize] - lower[k as usize]);
            if own > 0.0 && all > 0.0 { libm::log(own / all) } else { 0.0 }
        };
        self.columns.iter().enumerate().map(|(place, k)| one(place, *k)).sum()
    }

    /// Whether a row of all inputs lies in the box of the sub-sample; always for isolation trees.
    pub fn holds(&self, row: &[f64]) -> bool {
        let inside = |((k, lower), upper): ((&u32, &f64), &f64)| (*lower..=*upper).contains(&row[*k as usize]);
        self.lower.is_empty() || self.columns.iter().zip(&self.lower).zip(&self.upper).all(inside)
    }
}

/// What is next in a walk through the cells.
enum Step {
    Visit(usize),
    Ends(usize, (f64, f64)),
}

/// The part of a cell from `lower` to `upper` that is left of a threshold, kept from 0 and 1 by a rounding.
pub(super) fn share(threshold: f64, (lower, upper): (f64, f64)) -> f64 {
    ((threshold - lower) / (upper - lower)).clamp(f64::EPSILON, 1.0 - f64::EPSILON)
}
