//! Alignment losses, posteriors and what is kept of them, against their definitions.

mod features;
mod landmarks;
mod posterior;

use faer::Mat;
use orff::align::{Likeness, Sums};
use orff::kernel::{Atoms, Kernel, SumDraw};
use orff::random::Stream;
use orff::rows::{Batch, Inputs, Weights};
use orff::spectrum::{Draw, DrawKind};

/// Atoms of a sum of two kernels in d dimensions.
fn atoms(d: usize, count: usize, kind: DrawKind) -> Atoms {
    let kernel: Kernel = "gaussian(0.7) + 0.5*matern(1.5, 2.0)".parse().unwrap();
    let kernel = kernel.resolve(&orff::kernel::Seen { outputs: 1, ..Default::default() }).unwrap();
    kernel.draw(d, count, &Draw { kind, seed: 3, ..Draw::default() }, SumDraw::Concatenation).unwrap()
}

fn frequency(atoms: &Atoms, m: usize) -> Vec<f64> {
    let (mut row, mut at) = (vec![0.0; atoms.inputs()], m);
    for block in &atoms.blocks {
        if at < block.count() {
            block.omega.row(at, &mut row);
            return row;
        }
        at -= block.count();
    }
    unreachable!()
}

/// n points of the space with classes below `classes` that depend on them.
fn rows(n: usize, d: usize, classes: usize) -> (Mat<f64>, Mat<f64>) {
    let mut s = Stream::new(11, 4, 0);
    let x = Mat::from_fn(n, d, |_, _| 2.0 * s.uniform() - 1.0);
    let y = Mat::from_fn(n, 1, |i, _| {
        let angle = 3.0 * x[(i, 0)] + x[(i, d - 1)] + 0.3 * s.normal();
        ((angle + 6.0) as usize % classes) as f64
    });
    (x, y)
}

fn batch(x: &Mat<f64>, y: &Mat<f64>, weights: Option<Vec<f64>>) -> Batch {
    Batch { inputs: Inputs::Dense(x.clone()), outputs: y.clone(), weights: weights.map(Weights::Row) }
}

/// Σ over ordered pairs of different rows of ½(1 − λ cos⟨ω, δ⟩), by its definition.
fn brute(omega: &[f64], x: &Mat<f64>, like: impl Fn(usize, usize) -> f64) -> f64 {
    let n = x.nrows();
    let mut sum = 0.0;
    for i in 0..n {
        for j in (0..n).filter(|&j| j != i) {
            let angle: f64 = (0..x.ncols()).map(|k| omega[k] * (x[(i, k)] - x[(j, k)])).sum();
            sum += 0.5 * (1.0 - like(i, j) * angle.cos());
        }
    }
    sum / (n * (n - 1)) as f64
}

#[test]
fn losses_of_classes_are_those_of_all_pairs() {
    for (classes, d, kind) in
        [(2, 3, DrawKind::Iid), (5, 2, DrawKind::QuasiMonteCarlo), (3, 40, DrawKind::Orthogonal)]
    {
        let (x, y) = rows(70, d, classes);
        let atoms = atoms(d, 90, kind);
        let mut sums = Sums::new(&atoms, Likeness::Classes(classes));
        sums.add(&atoms, &batch(&x, &y, None)).unwrap();
        let found = sums.losses().unwrap();
        assert_eq!(found.len(), 90);
        for (m, found) in found.iter().enumerate() {
            let like = |i: usize, j: usize| if y[(i, 0)] == y[(j, 0)] { 1.0 } else { -1.0 };
            let expected = brute(&frequency(&atoms, m), &x, like);
            assert!((found - expected).abs() < 1e-12, "{classes} classes, atom {m}: {found} {expected}");
        }
    }
}

#[test]
fn losses_of_targets_are_those_of_all_pairs_and_of_two_classes() {
    let (x, y) = rows(60, 2, 2);
    let atoms = atoms(2, 40, DrawKind::Iid);
    let mut s = Stream::new(5, 6, 0);
    let targets = Mat::from_fn(60, 3, |_, _| s.normal());
    let (centre, scale) = (vec![0.1, -0.2, 0.3], vec![1.5, 2.0, 0.7]);
    let z = |i: usize| -> Vec<f64> {
        let raw: Vec<f64> = (0..3).map(|t| (targets[(i, t)] - centre[t]) / scale[t]).collect();
        let norm = raw.iter().map(|v| v * v).sum::<f64>().sqrt().max(1.0);
        raw.into_iter().map(|v| v / norm).collect()
    };
    let mut sums = Sums::new(&atoms, Likeness::Targets { centre: centre.clone(), scale: scale.clone() });
    sums.add(&atoms, &batch(&x, &targets, None)).unwrap();
    for (m, found) in sums.losses().unwrap().iter().enumerate() {
        let like = |i: usize, j: usize| z(i).iter().zip(z(j)).map(|(a, b)| a * b).sum::<f64>();
        let expected = brute(&frequency(&atoms, m), &x, like);
        assert!((found - expected).abs() < 1e-12, "atom {m}: {found} {expected}");
    }
    // labels ±1 are two classes
    let signs = Mat::from_fn(60, 1, |i, _| 2.0 * y[(i, 0)] - 1.0);
    let mut as_targets = Sums::new(&atoms, Likeness::Targets { centre: vec![0.0], scale: vec![1.0] });
    as_targets.add(&atoms, &batch(&x, &signs, None)).unwrap();
    let mut as_classes = Sums::new(&atoms, Likeness::Classes(2));
    as_classes.add(&atoms, &batch(&x, &y, None)).unwrap();
    for (a, b) in as_targets.losses().unwrap().iter().zip(as_classes.losses().unwrap()) {
        assert!((a - b).abs() < 1e-13);
    }
}

#[test]
fn a_row_of_weight_three_is_three_rows() {
    let (x, y) = rows(50, 3, 3);
    let atoms = atoms(3, 30, DrawKind::Iid);
    let weights: Vec<f64> = (0..50).map(|i| (i % 4) as f64).collect();
    let mut weighted = Sums::new(&atoms, Likeness::Classes(3));
    weighted.add(&atoms, &batch(&x, &y, Some(weights.clone()))).unwrap();
    let copies: Vec<usize> = (0..50).flat_map(|i| std::iter::repeat_n(i, i % 4)).collect();
    let pick = |m: &Mat<f64>| Mat::from_fn(copies.len(), m.ncols(), |i, k| m[(copies[i], k)]);
    let (x, y) = (pick(&x), pick(&y));
    let like = |i: usize, j: usize| if y[(i, 0)] == y[(j, 0)] { 1.0 } else { -1.0 };
    for (m, found) in weighted.losses().unwrap().iter().enumerate() {
        assert!((found - brute(&frequency(&atoms, m), &x, like)).abs() < 1e-12);
    }
}

#[test]
fn losses_of_a_landmark_are_those_of_its_pairs() {
    let (x, y) = rows(60, 3, 3);
    let atoms = atoms(3, 25, DrawKind::Iid);
    let mut sums = Sums::new(&atoms, Likeness::Classes(3));
    sums.add(&atoms, &batch(&x, &y, None)).unwrap();
    let angles = |point: &[f64]| -> Vec<(f64, f64)> {
        (0..25)
            .map(|m| {
                let angle: f64 = frequency(&atoms, m).iter().zip(point).map(|(w, x)| w * x).sum();
                (angle.cos(), angle.sin())
            })
            .collect()
    };
    let row = |i: usize| -> Vec<f64> { x.row(i).iter().copied().collect() };
    for (point, class, own) in [(row(7), y[(7, 0)] as usize, Some(7)), (vec![0.1, 0.4, -0.3], 2, None)] {
        let found = sums.landmark(0, class, own.is_some(), &angles(&point));
        for (m, found) in found.iter().enumerate() {
            let omega = frequency(&atoms, m);
            let others: Vec<usize> = (0..60).filter(|i| Some(*i) != own).collect();
            let loss = |&j: &usize| {
                let angle: f64 = (0..3).map(|k| omega[k] * (point[k] - x[(j, k)])).sum();
                0.5 * (1.0 - if y[(j, 0)] as usize == class { 1.0 } else { -1.0 } * angle.cos())
            };
            let expected = others.iter().map(loss).sum::<f64>() / others.len() as f64;
            assert!((found - expected).abs() < 1e-12, "atom {m}: {found} {expected}");
        }
    }
}
