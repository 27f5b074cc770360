//! Random trees: rows halved again and again along the difference of two of them, so that near rows meet in a leaf.

use super::points::Points;
use crate::random::Stream;

const TREE: u64 = 0x7472_6565;

/// The rows in the order of the leaves of one tree, all leaves but the last with `leaf` rows or fewer; the places where
/// leaves begin. Depends on the seed and the tree only.
pub(super) fn leaves(points: &Points, leaf: usize, seed: u64, tree: u64) -> (Vec<u32>, Vec<usize>) {
    let mut rows: Vec<u32> = (0..points.count() as u32).collect();
    split(points, &mut rows, leaf, (seed, tree), 1);
    let mut starts = Vec::new();
    begin(points.count(), 0, leaf, &mut starts);
    (rows, starts)
}

/// Where the leaves of a balanced tree begin.
fn begin(count: usize, from: usize, leaf: usize, starts: &mut Vec<usize>) {
    if count <= leaf {
        starts.push(from);
        return;
    }
    begin(count / 2, from, leaf, starts);
    begin(count - count / 2, from + count / 2, leaf, starts);
}

/// Halves the rows at the median along x_a − x_b for two random rows: always balanced, so copies of a row do no harm.
fn split(points: &Points, rows: &mut [u32], leaf: usize, (seed, tree): (u64, u64), node: u64) {
    if rows.len() <= leaf {
        return;
    }
    let mut stream = Stream::new(seed, TREE ^ (tree << 40), node);
    let a = rows[stream.below(rows.len())] as usize;
    // another place if the first choices are copies of a
    let others: Vec<usize> = (0..8).map(|_| rows[stream.below(rows.len())] as usize).collect();
    let b = others.into_iter().find(|&b| points.square(a, b) > 0.0).unwrap_or(a);
    let along = |i: u32| points.dot(i as usize, a) - points.dot(i as usize, b);
    let mut places: Vec<(f64, u32)> = rows.iter().map(|&i| (along(i), i)).collect();
    let half = rows.len() / 2;
    places.select_nth_unstable_by(half, |x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    // the order within a half is that of the selection: make it one of the rows
    places[..half].sort_unstable_by_key(|p| p.1);
    places[half..].sort_unstable_by_key(|p| p.1);
    rows.iter_mut().zip(&places).for_each(|(row, place)| *row = place.1);
    let (left, right) = rows.split_at_mut(half);
    rayon::join(
        || split(points, left, leaf, (seed, tree), 2 * node),
        || split(points, right, leaf, (seed, tree), 2 * node + 1),
    );
}
