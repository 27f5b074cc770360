//! Nyström landmarks against exact ridge, and both from a stream, in any threads and batches.

use super::{ALL, coupled, exact, fit, gap, identity, inputs, kernels, outputs, predict, samples, spectrum, table};
use orff::kernel::Kernel;
use orff::learn::{ExactRegression, Landmarks, Nystrom, Ridge};
use orff::model::Prediction;
use orff::params::Auto;
use orff::rows::{Batches, Inputs, Rows, Table};
use orff::watch::Silent;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn all_landmarks_are_exact_ridge() {
    let (x, z) = (inputs(25, 2, 1), inputs(6, 2, 2));
    let mut worst: f64 = 0.0;
    for (name, kernel, p) in kernels() {
        for (what, y, weights) in samples(&x, p) {
            for offset in [false, true] {
                let rows = table(&x, &y, &weights);
                let nystrom = Nystrom {
                    kernel: kernel.clone(),
                    ridge: Ridge::Given(1e-3),
                    offset,
                    points: Auto::Fixed(25),
                    ..Nystrom::default()
                };
                let a = nystrom.fit(&rows, &mut Silent).unwrap();
                let b = fit(&exact(&kernel, Ridge::Given(1e-3), offset), &rows);
                let (a, b) = (predict(&a, &z), predict(&b, &z));
                let mut errors = vec![gap(&a.mean, &b.mean), gap(&a.std.unwrap(), &b.std.unwrap())];
                errors.extend(a.cov.unwrap().iter().zip(&b.cov.unwrap()).map(|(a, b)| gap(a, b)));
                let error = errors.iter().copied().fold(0.0, f64::max);
                assert!(error < 1e-7, "{name}, {what}, offset {offset}: {errors:?}");
                worst = worst.max(error);
            }
        }
    }
    println!("largest difference {worst:e}");
}

#[test]
fn more_landmarks_are_closer_to_exact_ridge() {
    let (x, z) = (inputs(200, 2, 1), inputs(100, 2, 2));
    for (kernel, p) in [(coupled(), 3), (Kernel::curl_free(spectrum(1.1)), 2)] {
        let rows = table(&x, &outputs(&x, p, 0.1), &None);
        let ridge = Ridge::Given(1e-5);
        let target = predict(&fit(&exact(&kernel, ridge, true), &rows), &z).mean;
        for landmarks in [Landmarks::Uniform, Landmarks::Distant] {
            let error = |points: usize| {
                let points = Auto::Fixed(points);
                let learner = Nystrom { kernel: kernel.clone(), ridge, points, landmarks, ..Nystrom::default() };
                let mean = predict(&learner.fit(&rows, &mut Silent).unwrap(), &z).mean;
                (&mean - &target).norm_l2() / target.norm_l2()
            };
            let errors = [error(8), error(25), error(80)];
            println!("{landmarks:?} {errors:?}");
            assert!(errors[0] > 2.0 * errors[1] && errors[1] > 2.0 * errors[2], "{errors:?}");
            assert!(errors[2] < 1e-3, "{errors:?}");
        }
    }
}

/// Rows that can be read only once.
pub struct Once(pub Table, pub AtomicBool);

impl Rows for Once {
    fn inputs(&self) -> usize {
        self.0.inputs()
    }
    fn outputs(&self) -> usize {
        self.0.outputs()
    }
    fn batches(&self) -> orff::Result<Batches<'_>> {
        assert!(!self.1.swap(true, Ordering::SeqCst), "read twice");
        self.0.batches()
    }
    fn rereadable(&self) -> bool {
        false
    }
}

#[test]
fn defaults_learn_from_a_stream() {
    let x = inputs(300, 2, 1);
    let y = outputs(&x, 2, 0.1);
    let once = || Once(table(&x, &y, &None).batched(64), AtomicBool::new(false));
    let exact = ExactRegression::default().fit(&once(), &mut Silent).unwrap();
    let nystrom = Nystrom::default().fit(&once(), &mut Silent).unwrap();
    for (name, fitted) in [("exact", exact), ("nystrom", nystrom)] {
        println!("{:#?}", fitted.training.choices);
        assert_eq!(fitted.training.rows, 300);
        let noise = fitted.model.noise[(0, 0)].sqrt();
        assert!((noise - 0.1).abs() < 0.02, "{name}: noise {noise}");
        let z = inputs(200, 2, 3);
        let error = (&predict(&fitted, &z).mean - &outputs(&z, 2, 0.0)).norm_l2() / 20.0;
        assert!(error < 0.06, "{name}: {error}");
    }
}

#[test]
fn threads_and_batches_change_no_bit() {
    let x = inputs(300, 2, 1);
    let y = outputs(&x, 3, 0.2);
    for kernel in [coupled(), identity()] {
        let mut seen: Vec<(Prediction, Prediction)> = Vec::new();
        for (threads, batch) in [(1, 1000), (2, 7)] {
            let threads = Auto::Fixed(threads);
            let learner = ExactRegression { threads, ..exact(&kernel, Ridge::Given(1e-3), true) };
            let rows = table(&x, &y, &None).batched(batch);
            let points = Auto::Fixed(50);
            let nystrom = Nystrom { kernel: kernel.clone(), threads, points, ..Nystrom::default() };
            let nystrom = nystrom.fit(&rows, &mut Silent).unwrap();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.fixed().unwrap()).build().unwrap();
            let exact = fit(&learner, &rows);
            seen.push(pool.install(|| (predict(&exact, &x), predict(&nystrom, &x))));
            // a row alone is a row of a batch
            let one = Inputs::Dense(x.subrows(17, 1).to_owned());
            let alone = nystrom.model.predict(&one, ALL).unwrap();
            assert_eq!(alone.mean.row(0), seen[seen.len() - 1].1.mean.row(17));
            assert_eq!(alone.std.unwrap().row(0), seen[seen.len() - 1].1.std.as_ref().unwrap().row(17));
        }
        assert_eq!(seen[0].0.mean, seen[1].0.mean);
        assert_eq!(seen[0].0.std, seen[1].0.std);
        assert_eq!(seen[0].1.mean, seen[1].1.mean);
        assert_eq!(seen[0].1.cov, seen[1].1.cov);
    }
}
