//! Where a fit spends its time, and how far each part is from what the machine can do: `cargo bench -p orff`.
//!
//! N = 100 000 rows, 20 inputs, 2000 characters, 4 outputs; the best of several rounds, all parts in every round.

use faer::{Mat, MatRef};
use orff::feature::{BLOCK_ROWS, Characters, FeatureMap, MapKind, Moments};
use orff::kernel::{Kernel, SumDraw};
use orff::learn::{Precision, Regression, Ridge};
use orff::linalg;
use orff::model::Query;
use orff::params::Auto;
use orff::random::Stream;
use orff::rows::{Inputs, Table};
use orff::spectrum::{Draw, DrawKind, Lengthscale, Measure};
use orff::watch::Silent;
use rayon::prelude::*;
use std::hint::black_box;
use std::time::Instant;

const ROWS: usize = 100_000;
const INPUTS: usize = 20;
const CHARACTERS: usize = 2000;
const OUTPUTS: usize = 4;
const ROUNDS: usize = 3;

/// Seconds of the work.
fn time<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}

/// Fused multiply–adds that depend on nothing: as many operations per second as the threads can do.
fn peak() -> f64 {
    #[cfg(target_arch = "x86_64")]
    {
        #[inline(always)]
        fn run<const LANES: usize>(turns: usize) -> f64 {
            let mut sums = [[1.0f64; LANES]; 12];
            let (a, b) = (black_box([0.999_999; LANES]), black_box([1e-9; LANES]));
            for _ in 0..turns {
                for sum in &mut sums {
                    for i in 0..LANES {
                        sum[i] = sum[i].mul_add(a[i], b[i]);
                    }
                }
            }
            sums.iter().flatten().sum()
        }
        #[target_feature(enable = "avx512f,avx2,fma")]
        fn avx512(turns: usize) -> f64 {
            run::<8>(turns)
        }
        #[target_feature(enable = "avx2,fma")]
        fn avx2(turns: usize) -> f64 {
            run::<4>(turns)
        }
        let (threads, turns) = (rayon::current_num_threads(), 20_000_000);
        let every = |lanes: usize, run: unsafe fn(usize) -> f64| {
            // SAFETY: the callers below have detected the features.
            let seconds = time(|| (0..threads).into_par_iter().map(|_| unsafe { run(turns) }).sum::<f64>());
            (threads * turns * 12 * lanes * 2) as f64 / seconds
        };
        if std::is_x86_feature_detected!("fma") && std::is_x86_feature_detected!("avx512f") {
            return every(8, avx512);
        }
        if std::is_x86_feature_detected!("fma") && std::is_x86_feature_detected!("avx2") {
            return every(4, avx2);
        }
    }
    f64::NAN
}

/// CᵀY of all blocks, with the characters of one.
fn sums_with<T: linalg::Real>(outputs: &[Mat<f64>], c: MatRef<T>) -> Mat<f64> {
    let mut sums = Mat::zeros(c.ncols(), OUTPUTS);
    outputs.iter().for_each(|y| linalg::add_tn(sums.as_mut(), c.subrows(0, y.nrows()), y.as_ref()));
    sums
}

struct Part {
    name: &'static str,
    operations: f64,
    best: f64,
}

fn main() {
    let d = INPUTS;
    let x = Mat::from_fn(ROWS, d, |i, k| ((i * 7919 + k * 104_729) % 10_007) as f64 / 3000.0 - 1.7);
    let noise = Mat::from_fn(ROWS, OUTPUTS, |i, t| Stream::new((i * OUTPUTS + t) as u64, 0, 0).normal());
    let y = Mat::from_fn(ROWS, OUTPUTS, |i, t| (x[(i, t)] + x[(i, t + 1)]).sin() + 0.1 * noise[(i, t)]);
    let learner = Regression {
        lengthscale: Lengthscale::Common(4.5),
        features: Auto::Fixed(CHARACTERS),
        ridge: Ridge::Given(1e-3),
        posterior: false,
        ..Regression::default()
    };
    let double = Regression { precision: Auto::Fixed(Precision::Double), ..learner.clone() };
    let chosen = Regression { ridge: Ridge::Evidence, ..learner.clone() };
    let table = Table::new(x.clone(), y.clone()).expect("a table").batched(4096);
    let kernel = Kernel::default().with_lengthscale(&Lengthscale::Common(4.5));
    let how = Draw { kind: DrawKind::Orthogonal, measure: Measure::Trace, seed: 0, purpose: 0 };
    let kernel = kernel.resolve(&orff::kernel::Seen { outputs: OUTPUTS, ..Default::default() }).expect("a kernel");
    let map = FeatureMap::draw(&kernel, d, CHARACTERS, MapKind::Pairs, &how, SumDraw::Concatenation).expect("a map");
    let block = |from: usize| (from, BLOCK_ROWS.min(ROWS - from));
    let blocks: Vec<(usize, usize)> = (0..ROWS).step_by(BLOCK_ROWS).map(block).collect();
    let inputs: Vec<Inputs> = blocks.iter().map(|&(a, n)| Inputs::Dense(x.subrows(a, n).to_owned())).collect();
    let outputs: Vec<Mat<f64>> = blocks.iter().map(|&(a, n)| y.subrows(a, n).to_owned()).collect();
    let (n, m, p) = (ROWS as f64, CHARACTERS as f64, OUTPUTS as f64);

    let mut characters = Characters::new(CHARACTERS);
    map.fill(&inputs[0], &mut characters);
    let one = characters.as_mat().to_owned();
    let short = Mat::from_fn(one.nrows(), one.ncols(), |i, j| one[(i, j)] as f32);
    let totals: Vec<f64> = short.col_iter().map(|c| c.iter().map(|v| f64::from(*v)).sum()).collect();
    let mut fixed = linalg::Fixed::default();
    let (mut single, mut rounded) = (Characters::single(CHARACTERS), Characters::<f32>::rounded(CHARACTERS));
    let factor = linalg::Factor::<f32>::new(Mat::full(CHARACTERS, OUTPUTS, 1e-3).as_ref());
    let omega = map.atoms().blocks[0].omega.clone();
    let fitted = learner
        .fit(&Table::new(x.subrows(0, 4000).to_owned(), y.subrows(0, 4000).to_owned()).expect("rows"), &mut Silent)
        .expect("a fit")
        .model;
    let all = Inputs::Dense(x.clone());
    let mut gram = Mat::<f64>::zeros(CHARACTERS, CHARACTERS);
    (0..CHARACTERS).for_each(|i| gram[(i, i)] = 1e3);
    let mut parts: Vec<Part> = Vec::new();
    let mut part = |name: &'static str, operations: f64, seconds: f64| match parts.iter_mut().find(|p| p.name == name)
    {
        Some(part) => part.best = part.best.min(seconds),
        None => parts.push(Part { name, operations, best: seconds }),
    };
    let mut top: f64 = 0.0;
    for _ in 0..ROUNDS {
        top = top.max(peak());
        part("whole fit", n * m * m, time(|| learner.fit(&table, &mut Silent).expect("a fit")));
        part("whole fit, ridge chosen", n * m * m, time(|| chosen.fit(&table, &mut Silent).expect("a fit")));
        part("whole fit, in double", n * m * m, time(|| double.fit(&table, &mut Silent).expect("a fit")));
        part(
            "angles: x Ωᵀ",
            n * m * d as f64,
            time(|| {
                let mut out = Mat::<f64>::zeros(BLOCK_ROWS, CHARACTERS / 2);
                for x in &inputs {
                    let Inputs::Dense(x) = x else { unreachable!("dense rows") };
                    let strip = omega.strip();
                    out.as_mut().subrows_mut(0, x.nrows()).par_col_chunks_mut(strip).enumerate().for_each(
                        |(s, out)| {
                            omega.project(x.as_ref(), s * strip, out);
                        },
                    );
                }
            }),
        );
        part(
            "characters, with their angles",
            f64::NAN,
            time(|| inputs.iter().for_each(|x| map.fill(x, &mut characters))),
        );
        part(
            "rank-k update CᵀC",
            n * m * m,
            time(|| {
                for &(_, n) in &blocks {
                    linalg::rank_update(gram.as_mut(), one.as_ref().subrows(0, n));
                }
            }),
        );
        part(
            "rank-k update CᵀC, f32",
            n * m * m,
            time(|| {
                for &(_, n) in &blocks {
                    linalg::rank_update(gram.as_mut(), short.as_ref().subrows(0, n));
                }
            }),
        );
        part(
            "fixed point: rounding",
            f64::NAN,
            time(|| blocks.iter().for_each(|&(_, n)| fixed.pack(short.as_ref().subrows(0, n)))),
        );
        part(
            "rank-k update CᵀC, fixed point",
            n * m * m,
            time(|| {
                fixed.pack(short.as_ref());
                (0..ROWS.div_ceil(BLOCK_ROWS)).for_each(|_| fixed.rank_update(gram.as_mut(), &totals));
            }),
        );
        part("moments of the outputs, f32", 2.0 * n * m * p, time(|| sums_with(&outputs, short.as_ref())));
        part("characters, f32", f64::NAN, time(|| inputs.iter().for_each(|x| map.fill(x, &mut single))));
        part("correction: characters", f64::NAN, time(|| inputs.iter().for_each(|x| map.fill(x, &mut rounded))));
        part(
            "correction: products",
            4.0 * n * m * p,
            time(|| {
                let mut gradient = Mat::<f64>::zeros(CHARACTERS, OUTPUTS);
                for y in &outputs {
                    let c = short.as_ref().subrows(0, y.nrows());
                    linalg::add_tn(gradient.as_mut(), c, (y - factor.product(c)).as_ref());
                }
            }),
        );
        part(
            "faer's triangular product",
            n * m * m,
            time(|| {
                use faer::linalg::matmul::triangular::{BlockStructure, matmul};
                for &(_, n) in &blocks {
                    let c: MatRef<f64> = one.as_ref().subrows(0, n);
                    let full = BlockStructure::Rectangular;
                    matmul(
                        gram.as_mut(),
                        BlockStructure::TriangularLower,
                        faer::Accum::Add,
                        c.transpose(),
                        full,
                        c,
                        full,
                        1.0,
                        faer::Par::rayon(0),
                    );
                }
            }),
        );
        part("moments of the outputs", 2.0 * n * m * p, time(|| sums_with(&outputs, one.as_ref())));
        part(
            "all moments",
            n * m * m,
            time(|| {
                let mut moments = Moments::new(CHARACTERS, OUTPUTS);
                for (x, y) in inputs.iter().zip(&outputs) {
                    map.fill(x, &mut characters);
                    moments.add(&characters, y.as_ref(), None).expect("moments");
                }
            }),
        );
        part("Cholesky", m * m * m / 3.0, time(|| linalg::Cholesky::new(gram.as_ref()).expect("a factor")));
        let (mut band, rhs) = (None, y.subrows(0, CHARACTERS));
        part("band", 4.0 / 3.0 * m * m * m, time(|| band = linalg::Band::new(gram.clone(), rhs).ok()));
        let band = band.expect("a band");
        part(
            "scores of 29 ridges",
            f64::NAN,
            time(|| (0..29).into_par_iter().map(|k| band.shifted(10f64.powi(k - 14))).count()),
        );
        part("eigenvalues", 9.0 * m * m * m, time(|| linalg::eigen(gram.as_ref()).expect("eigenvalues")));
        part(
            "predict",
            2.0 * n * m * p + n * m * d as f64,
            time(|| fitted.predict(&all, Query::default()).expect("predictions")),
        );
    }
    println!(
        "{} threads, {:.1} GFLOP/s of fused operations in double precision\n",
        rayon::current_num_threads(),
        top * 1e-9
    );
    println!("| part | seconds | GFLOP/s | of that peak |\n|---|---|---|---|");
    for Part { name, operations, best } in parts {
        let rate = operations / best;
        match rate.is_nan() {
            true => println!("| {name} | {best:.3} | – | – |"),
            false => println!("| {name} | {best:.3} | {:.1} | {:.0} % |", rate * 1e-9, 100.0 * rate / top),
        }
    }
}
