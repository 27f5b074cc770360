//! Cuts are the best ones, and cells are those that the cuts make.

use super::*;
use orff::forest::{Tree, best_cut};

/// (n + m) times the impurity of two classes as it is defined (T17, D.2 and remark D.2), without the factor 2 of Gini.
fn impurity(kind: Impurity, n: f64, m: f64) -> f64 {
    let parts = [n / (n + m), m / (n + m)];
    let one = |p: &f64| match kind {
        Impurity::Gini => 0.5 * p * (1.0 - p),
        Impurity::Shannon if *p > 0.0 => -p * p.ln() / std::f64::consts::LN_2,
        Impurity::Shannon => 0.0,
    };
    if n + m > 0.0 { (n + m) * parts.iter().map(one).sum::<f64>() } else { 0.0 }
}

/// What a cut leaves, by counting.
fn left_by(kind: Impurity, values: &[f64], (lower, upper): (f64, f64), m: f64, threshold: f64) -> f64 {
    let left = values.iter().filter(|v| **v < threshold).count() as f64;
    let share = (threshold - lower) / (upper - lower);
    impurity(kind, left, m * share) + impurity(kind, values.len() as f64 - left, m * (1.0 - share))
}

#[test]
fn the_best_cut_is_that_of_brute_force() {
    let mut stream = Stream::new(1, 5, 0);
    for case in 0..300 {
        let n = 2 + stream.below(8);
        let mut values: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
        if case % 3 == 0 {
            values[1] = values[0]; // copies of a row are never parted
        }
        values.sort_by(f64::total_cmp);
        let (lower, upper) = (values[0] - stream.uniform(), values[n - 1] + stream.uniform());
        let m = n as f64 * [0.1, 1.0, 10.0][case % 3];
        for (kind, margins) in [(Impurity::Gini, true), (Impurity::Shannon, true), (Impurity::Gini, false)] {
            let Some(found) = best_cut(&values, (lower, upper), m, kind, margins) else {
                assert_eq!(values[0], values[n - 1]);
                continue;
            };
            let grid = (1..4000).map(|k| lower + (upper - lower) * f64::from(k) / 4000.0);
            let ends = values.iter().flat_map(|v| [*v, v.next_up()]);
            let least = |t: f64| left_by(kind, &values, (lower, upper), m, t);
            let parts = |t: &f64| margins || (*t > values[0] && *t <= values[n - 1]);
            let brute = grid.chain(ends).filter(parts).map(least).fold(f64::INFINITY, f64::min);
            assert!((found.impurity - brute).abs() < 1e-9, "{values:?} {found:?} {brute}");
            assert!((least(found.threshold) - brute).abs() < 1e-9, "{values:?} {found:?} {brute}");
        }
    }
}

#[test]
fn equal_values_and_cells_without_width_are_not_cut() {
    assert_eq!(best_cut(&[2.0, 2.0, 2.0], (0.0, 4.0), 3.0, Impurity::Gini, true), None);
    assert_eq!(best_cut(&[], (0.0, 4.0), 3.0, Impurity::Gini, true), None);
    assert_eq!(best_cut(&[1.0, 2.0], (1.0, f64::INFINITY), 2.0, Impurity::Gini, true), None);
    assert_eq!(best_cut(&[1.0, 2.0], (0.0, 4.0), 0.0, Impurity::Shannon, true), None, "nothing to tell apart");
}

/// The root is cut where brute force over all inputs cuts it.
#[test]
fn a_tree_begins_with_the_best_cut_of_all_inputs() {
    for kind in [Impurity::Gini, Impurity::Shannon] {
        for hidden in [Hidden::Adaptive, Hidden::Naive] {
            let x = cloud(40, 3, 11);
            let forest = grow(&x, &plan(&x, 1, growth(best(kind, hidden, 3), 1), Scoring::Depth));
            let root = forest.trees[0].nodes[0];
            let mut least = (f64::INFINITY, 0, 0.0);
            for k in 0..3 {
                let mut values: Vec<f64> = x.col(k).iter().copied().collect();
                values.sort_by(f64::total_cmp);
                let ends = (values[0], values[39]);
                for t in
                    values.iter().flat_map(|v| [*v, v.next_up()]).filter(|t| *t > ends.0.next_up() && *t < ends.1)
                {
                    let found = left_by(kind, &values, ends, 40.0, t);
                    if found < least.0 {
                        least = (found, k, t);
                    }
                }
            }
            assert_eq!((root.feature as usize, root.threshold), (least.1, least.2));
        }
    }
}

fn leaves(tree: &Tree) -> Vec<usize> {
    (0..tree.nodes.len()).filter(|at| tree.nodes[*at].is_leaf()).collect()
}

/// The leaf of a row, one step at a time.
pub(super) fn leaf(tree: &Tree, row: &[f64]) -> usize {
    let mut at = 0;
    while !tree.nodes[at].is_leaf() {
        let node = tree.nodes[at];
        at = node.left as usize + usize::from(row[node.feature as usize] >= node.threshold);
    }
    at
}

#[test]
fn cells_part_the_box_and_the_rows() {
    let x = cloud(120, 3, 2);
    for splitter in
        [best(Impurity::Gini, Hidden::Adaptive, 2), best(Impurity::Shannon, Hidden::Naive, 3), Splitter::Random]
    {
        let forest = grow(&x, &plan(&x, 4, growth(splitter, 9), Scoring::Depth));
        for tree in &forest.trees {
            let mut counts = vec![0; tree.nodes.len()];
            for i in 0..120 {
                counts[leaf(tree, &x.row(i).iter().copied().collect::<Vec<f64>>())] += 1;
            }
            let own = leaves(tree);
            assert!(own.iter().all(|at| counts[*at] == tree.counts[*at]) && own.len() > 20);
            if splitter != Splitter::Random {
                let volumes = tree.log_volumes(&forest.lower, &forest.upper);
                let all: f64 = own.iter().map(|at| volumes[*at].exp()).sum();
                assert!((all - 1.0).abs() < 1e-12, "{all}");
            }
        }
    }
}

#[test]
fn rules_stop_the_growth() {
    let x = cloud(200, 2, 4);
    let whole = growth(best(Impurity::Gini, Hidden::Adaptive, 2), 30);
    let nodes = |growth: Growth| {
        let forest = grow(&x, &plan(&x, 1, growth, Scoring::Density));
        (forest.trees[0].clone(), forest.trees[0].log_volumes(&forest.lower, &forest.upper))
    };
    let (tree, _) = nodes(whole);
    // two rows at the corners of their cell are spread evenly: there is nothing to cut
    assert!(leaves(&tree).iter().all(|at| tree.counts[*at] <= 3), "grown until rows are alone, or nearly");
    let (tree, _) = nodes(Growth { depth: 3, ..whole });
    assert_eq!(tree.depths().into_iter().max(), Some(3));
    let (tree, _) = nodes(Growth { smallest: 50, ..whole });
    let split = |tree: &Tree| (0..tree.nodes.len()).filter(|at| !tree.nodes[*at].is_leaf()).collect::<Vec<_>>();
    assert!(split(&tree).len() > 2 && split(&tree).iter().all(|at| tree.counts[*at] >= 50));
    for (dense, thin) in [(Some(4.0), None), (None, Some(0.5))] {
        let (tree, volumes) = nodes(Growth { dense, thin, ..whole });
        for at in split(&tree) {
            let density = f64::from(tree.counts[at]) / 200.0 / volumes[at].exp();
            assert!(dense.is_none_or(|most| density < most) && thin.is_none_or(|least| density > least), "{density}");
        }
    }
}

/// A column with a long tail tells more than one without.
#[test]
fn importance_is_that_of_tails() {
    let mut stream = Stream::new(9, 5, 0);
    let x = Mat::from_fn(400, 3, |_, k| if k == 1 { (2.0 * stream.normal()).exp() } else { stream.uniform() });
    let forest = grow(&x, &plan(&x, 20, growth(best(Impurity::Gini, Hidden::Adaptive, 3), 6), Scoring::Depth));
    let shares = forest.importance.unwrap();
    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12 && shares[1] > 0.6, "{shares:?}");
    let random = grow(&x, &plan(&x, 2, growth(Splitter::Random, 6), Scoring::Depth));
    assert_eq!(random.importance, None);
}
