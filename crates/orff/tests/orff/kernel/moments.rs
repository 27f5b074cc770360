//! Moments against the sums of each output, and the blocks of rows they are summed over.

use super::features::{pool, some_map};
use super::{close, gaussian, noise, says};
use faer::Mat;
use orff::feature::{Characters, FeatureMap, Key, MapKind, Moments, Part, reblock};
use orff::kernel::{Kernel, Output, Seen, SumDraw};
use orff::random::Stream;
use orff::rows::{Inputs, Rows, Table, Weights};
use orff::spectrum::Draw;

/// Moments of a source by the pass over it.
pub(crate) fn moments_of(map: &FeatureMap, rows: &dyn Rows) -> Moments {
    let mut moments = Moments::new(map.characters(), rows.outputs());
    let mut c = Characters::new(map.characters());
    for block in reblock(rows, 16).unwrap() {
        let block = block.unwrap();
        map.fill(&block.inputs, &mut c);
        moments.add(&c, block.outputs.as_ref(), block.weights.as_ref()).unwrap();
    }
    moments
}

fn small_map() -> FeatureMap {
    some_map(&Kernel::decomposable(gaussian(0.9), Output::Identity), 3, 4, MapKind::Pairs)
}

fn characters(map: &FeatureMap, x: &Mat<f64>) -> Mat<f64> {
    let mut c = Characters::new(map.characters());
    map.fill(&Inputs::Dense(x.clone()), &mut c);
    c.as_mat().to_owned()
}

/// The sums of one output by their definition, over the rows where it is observed and counts.
fn by_hand(c: &Mat<f64>, y: &Mat<f64>, w: impl Fn(usize, usize) -> f64, t: usize) -> (f64, Mat<f64>, Mat<f64>, f64) {
    let rows: Vec<usize> = (0..y.nrows()).filter(|&i| !y[(i, t)].is_nan() && w(i, t) > 0.0).collect();
    let weight = rows.iter().map(|&i| w(i, t)).sum();
    let cc = Mat::from_fn(c.ncols(), c.ncols(), |a, b| rows.iter().map(|&i| w(i, t) * c[(i, a)] * c[(i, b)]).sum());
    let cy = Mat::from_fn(c.ncols(), 1, |a, _| rows.iter().map(|&i| w(i, t) * c[(i, a)] * y[(i, t)]).sum());
    let yy = rows.iter().map(|&i| w(i, t) * y[(i, t)] * y[(i, t)]).sum();
    (weight, cc, cy, yy)
}

fn assert_output(part: &Part, expected: (f64, Mat<f64>, Mat<f64>, f64), c: &Mat<f64>, t: usize) {
    let (weight, cc, cy, yy) = expected;
    assert!((part.weight - weight).abs() < 1e-10);
    for a in 0..c.ncols() {
        assert!((part.cy[(a, t)] - cy[(a, 0)]).abs() < 1e-10);
        for b in 0..=a {
            assert!((part.cc[(a, b)] - cc[(a, b)]).abs() < 1e-10);
        }
    }
    assert!((part.yy[(t, t)] - yy).abs() < 1e-10);
}

#[test]
fn moments_of_any_pattern_and_weights_are_the_sums_of_each_output() {
    let map = small_map();
    let (n, p) = (47, 4);
    let x = noise(50, n, 3);
    let c = characters(&map, &x);
    let whole = noise(51, n, p);
    let holes = |rule: &dyn Fn(usize, usize) -> bool| {
        Mat::from_fn(n, p, |i, t| if rule(i, t) { f64::NAN } else { whole[(i, t)] })
    };
    let outputs = [
        ("complete", whole.clone()),
        ("two patterns", holes(&|i, t| t == 1 && i % 3 == 0)),
        ("a row without outputs, none everywhere", holes(&|i, t| i == 5 || (i + t) % 4 == 0)),
        ("many patterns", holes(&|i, t| (i * i + 3 * i * t + t) % 5 < 2)),
    ];
    let mut stream = Stream::new(8, 8, 8);
    let row: Vec<f64> = (0..n).map(|i| if i % 9 == 4 { 0.0 } else { 0.2 + stream.uniform() }).collect();
    let entry = Mat::from_fn(n, p, |i, t| if (i + 2 * t) % 11 == 0 { 0.0 } else { 0.1 + stream.uniform() });
    for (name, y) in &outputs {
        for weights in [None, Some(Weights::Row(row.clone())), Some(Weights::Entry(entry.clone()))] {
            let table = Table::new(x.clone(), y.clone()).unwrap();
            let table = match &weights {
                None => table,
                Some(w) => table.weighted(w.clone()).unwrap(),
            };
            let moments = moments_of(&map, &table);
            let w = |i: usize, t: usize| match &weights {
                None => 1.0,
                Some(Weights::Row(w)) => w[i],
                Some(Weights::Entry(w)) => w[(i, t)],
            };
            for t in 0..p {
                assert_output(&moments.output(t), by_hand(&c, y, w, t), &c, t);
            }
            assert!(moments.parts().len() <= p);
            assert_eq!(
                moments.complete().is_some(),
                *name == "complete" && !matches!(weights, Some(Weights::Entry(_)))
            );
            // n: rows with any observed output; entries of one row count their mean
            let total: f64 = (0..n)
                .map(|i| {
                    let seen: Vec<f64> =
                        (0..p).filter(|&t| !y[(i, t)].is_nan()).map(|t| w(i, t)).filter(|w| *w > 0.0).collect();
                    if seen.is_empty() { 0.0 } else { seen.iter().sum::<f64>() / seen.len() as f64 }
                })
                .sum();
            assert!((moments.weight() - total).abs() < 1e-10, "{name}: {} for {total}", moments.weight());

            // two halves merged in either order are one pass, and merging does not depend on how each is kept
            for cut in [3, 20, 40] {
                let batch = table.batches().unwrap().next().unwrap().unwrap();
                let half = |from: usize, to: usize| {
                    let mut moments = Moments::new(map.characters(), p);
                    let part = batch.slice(from, to);
                    let mut c = Characters::new(map.characters());
                    map.fill(&part.inputs, &mut c);
                    moments.add(&c, part.outputs.as_ref(), part.weights.as_ref()).unwrap();
                    moments
                };
                for (mut left, right) in [(half(0, cut), half(cut, n)), (half(cut, n), half(0, cut))] {
                    left.merge(&right).unwrap();
                    (0..p).for_each(|t| assert_output(&left.output(t), by_hand(&c, y, w, t), &c, t));
                    assert!((left.weight() - total).abs() < 1e-10);
                    left.merge(&Moments::new(map.characters(), p)).unwrap();
                    assert!((left.weight() - total).abs() < 1e-10);
                }
            }
        }
    }
}

#[test]
fn moments_switch_from_patterns_to_outputs() {
    let map = small_map();
    let y = Mat::from_fn(32, 4, |i, t| if i >> t & 1 == 1 { f64::NAN } else { (i + t) as f64 });
    let few = Mat::from_fn(32, 4, |i, t| if i % 2 == 1 && t == 3 { f64::NAN } else { (i + t) as f64 });
    let x = noise(52, 32, 3);
    let many = moments_of(&map, &Table::new(x.clone(), y).unwrap());
    assert!(many.parts().keys().all(|k| matches!(k, Key::Output(_))) && many.parts().len() == 4);
    let few = moments_of(&map, &Table::new(x, few).unwrap());
    assert!(few.parts().keys().all(|k| matches!(k, Key::Pattern(_))) && few.parts().len() == 2);
    let stored =
        Moments::from_parts(few.characters(), few.outputs(), few.weight(), few.relative(), few.parts().clone());
    assert_eq!(stored, few);
}

#[test]
fn moments_have_the_same_bits_for_any_threads_and_batches() {
    let kernel = Kernel::decomposable(gaussian(0.9), Output::Identity);
    let how = Draw::default();
    let kernel = kernel.resolve(&Seen { outputs: 3, ..Seen::default() }).unwrap();
    let map = FeatureMap::draw(&kernel, 2, 260, MapKind::Pairs, &how, SumDraw::default()).unwrap();
    let n = 70;
    let x = noise(60, n, 2);
    let y = Mat::from_fn(n, 3, |i, t| if (i + t) % 5 == 0 { f64::NAN } else { (i as f64 * 0.1 + t as f64).sin() });
    for y in [y, noise(61, n, 3)] {
        let table = Table::new(x.clone(), y).unwrap();
        let first = pool(1, || moments_of(&map, &table));
        for threads in [1, 2, 4] {
            for batch in [1, 7, 4096] {
                let again = pool(threads, || moments_of(&map, &table.clone().batched(batch)));
                assert!(again == first, "{threads} threads, batches of {batch}");
            }
        }
    }
}

#[test]
fn whole_weights_are_repetitions_and_zero_weights_are_absences() {
    let map = small_map();
    let (x, y) = (noise(70, 20, 3), noise(71, 20, 4));
    let times = |i: usize| [1, 3, 0, 2][i % 4];
    let rows: Vec<usize> = (0..20).flat_map(|i| std::iter::repeat_n(i, times(i))).collect();
    let pick = |m: &Mat<f64>| Mat::from_fn(rows.len(), m.ncols(), |i, k| m[(rows[i], k)]);
    let repeated = moments_of(&map, &Table::new(pick(&x), pick(&y)).unwrap());
    let w: Vec<f64> = (0..20).map(|i| times(i) as f64).collect();
    let weighted = moments_of(&map, &Table::new(x, y).unwrap().weighted(Weights::Row(w)).unwrap());
    let (a, b) = (repeated.complete().unwrap(), weighted.complete().unwrap());
    assert_eq!(weighted.weight(), rows.len() as f64);
    assert!((a.weight - b.weight).abs() < 1e-12);
    close(&a.cc, &b.cc, 1e-12);
    close(&a.cy, &b.cy, 1e-12);
    close(&a.yy, &b.yy, 1e-12);
    assert!(a.sum_c.iter().zip(&b.sum_c).chain(a.sum_y.iter().zip(&b.sum_y)).all(|(u, v)| (u - v).abs() < 1e-12));
}

#[test]
fn bad_weights_and_infinite_outputs_are_refused() {
    let map = small_map();
    let mut c = Characters::new(map.characters());
    map.fill(&Inputs::Dense(noise(1, 2, 3)), &mut c);
    let y = noise(2, 2, 4);
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let mut moments = Moments::new(map.characters(), 4);
        says(moments.add(&c, y.as_ref(), Some(&Weights::Row(vec![1.0, bad]))), "weight");
        let mut w = Mat::full(2, 4, 1.0);
        w[(1, 2)] = bad;
        says(moments.add(&c, y.as_ref(), Some(&Weights::Entry(w))), "weight");
        assert_eq!(moments, Moments::new(map.characters(), 4));
    }
    let mut y = y;
    y[(1, 2)] = f64::INFINITY;
    let mut moments = Moments::new(map.characters(), 4);
    says(moments.add(&c, y.as_ref(), None), "inf");
}

#[test]
fn reblocking_keeps_rows_order_and_kind() {
    let (n, d, p) = (23, 2, 3);
    let (x, y) = (noise(80, n, d), noise(81, n, p));
    let w = noise(82, n, p);
    let table = Table::new(x.clone(), y.clone()).unwrap().weighted(Weights::Entry(w.clone())).unwrap();
    for batch in [1, 5, 23, 100] {
        for size in [1, 4, 23, 50] {
            let table = table.clone().batched(batch);
            let mut at = 0;
            for block in reblock(&table, size).unwrap() {
                let block = block.unwrap();
                let rows = block.inputs.nrows();
                assert_eq!(rows, size.min(n - at));
                assert_eq!(block.inputs, Inputs::Dense(x.clone()).slice(at, at + rows));
                assert_eq!(block.outputs, y.subrows(at, rows));
                let Some(Weights::Entry(seen)) = block.weights else { panic!("weights were lost") };
                assert_eq!(seen, w.subrows(at, rows));
                at += rows;
            }
            assert_eq!(at, n);
        }
    }
}
