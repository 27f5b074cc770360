//! Instructions of the hot kernels under valgrind (its processor has AVX2, no AVX-512): a regression of more than 5 %
//! fails. `ORFF_INSTRUCTIONS=write cargo test -p orff --test instructions` takes new counts.
//!
//! The test starts itself again under valgrind, once for each kernel; without valgrind, or on another processor, it says
//! loudly that it was skipped.

use faer::Mat;
use orff::feature::{Characters, FeatureMap, MapKind, Packed};
use orff::kernel::{Kernel, Seen, SumDraw};
use orff::linalg::{Band, Factor, Fixed, add_tn, rank_update, sin_cos_in_place, sincos_single};
use orff::rows::Inputs;
use orff::spectrum::{Draw, DrawKind, Lengthscale, Measure};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

/// The kernel that this process is to run, if it was started for one.
const KERNEL: &str = "ORFF_KERNEL";
const WRITE: &str = "ORFF_INSTRUCTIONS";
const MOST: f64 = 1.05;

fn map(draw: DrawKind, d: usize) -> FeatureMap {
    let kernel = Kernel::default().with_lengthscale(&Lengthscale::Common(2.0));
    let kernel = kernel.resolve(&Seen { outputs: 1, ..Seen::default() }).unwrap();
    let how = Draw { kind: draw, measure: Measure::Trace, seed: 0, purpose: 0 };
    FeatureMap::draw(&kernel, d, 512, MapKind::Pairs, &how, SumDraw::Concatenation).unwrap()
}

fn rows(n: usize, d: usize) -> Mat<f64> {
    Mat::from_fn(n, d, |i, k| ((i * 31 + k * 17) % 97) as f64 / 50.0 - 1.0)
}

fn single(n: usize, m: usize) -> Mat<f32> {
    let c = rows(n, m);
    Mat::from_fn(n, m, |i, j| c[(i, j)] as f32)
}

fn sums(outputs: usize, turns: usize) {
    let (c, y, mut out) = (single(256, 384), rows(256, outputs), Mat::zeros(384, outputs));
    (0..turns).for_each(|_| add_tn(out.as_mut(), black_box(&c).as_ref(), y.as_ref()));
}

fn products(columns: usize, turns: usize) {
    let (c, factor) = (single(256, 384), Factor::new(rows(384, columns).as_ref()));
    (0..turns).for_each(|_| drop(black_box(factor.product(black_box(&c).as_ref()))));
}

/// A matrix whose lower triangle is given, and right-hand sides.
fn system() -> (Mat<f64>, Mat<f64>) {
    let mut a = Mat::zeros(320, 320);
    rank_update(a.as_mut(), rows(400, 320).as_ref());
    (a, rows(320, 4))
}

/// Each kernel with what it needs made before, so that `turns` turns cost exactly `turns` times the kernel.
fn kernels() -> Vec<(&'static str, fn(usize))> {
    vec![
        ("sines and cosines, f64", |turns| {
            let (mut z, mut s): (Vec<f64>, _) = ((0..4096).map(|i| i as f64 * 0.01).collect(), vec![0.0; 4096]);
            (0..turns).for_each(|_| sin_cos_in_place(black_box(&mut z), &mut s));
        }),
        ("sines and cosines, f32", |turns| {
            let (mut z, mut s): (Vec<f32>, _) = ((0..4096).map(|i| i as f32 * 0.01).collect(), vec![0.0; 4096]);
            (0..turns).for_each(|_| sincos_single::sin_cos_in_place(black_box(&mut z), &mut s));
        }),
        ("rank-k update, f64", |turns| {
            let (c, mut s) = (rows(256, 384), Mat::zeros(384, 384));
            (0..turns).for_each(|_| rank_update(s.as_mut(), black_box(&c).as_ref()));
        }),
        ("rank-k update, f32", |turns| {
            let (c, mut s) = (single(256, 384), Mat::zeros(384, 384));
            (0..turns).for_each(|_| rank_update(s.as_mut(), black_box(&c).as_ref()));
        }),
        ("characters", |turns| {
            let (map, x, mut c) = (map(DrawKind::Iid, 20), Inputs::Dense(rows(256, 20)), Characters::new(512));
            (0..turns).for_each(|_| map.fill(black_box(&x), &mut c));
        }),
        ("values of four outputs", |turns| {
            let (map, x) = (map(DrawKind::Iid, 20), Inputs::Dense(rows(256, 20)));
            let table = Packed::<f64>::new(&map, &rows(512, 4));
            (0..turns).for_each(|_| drop(black_box(map.combine(black_box(&x), &table))));
        }),
        ("rows of features, f32", |turns| {
            let (map, x) = (map(DrawKind::Iid, 20), Inputs::Dense(rows(256, 20)));
            let (factors, mut out) = (vec![1.0f32; 512], vec![0.0; 256 * 512]);
            (0..turns).for_each(|_| map.write_rows(black_box(&x), &factors, &mut out).unwrap());
        }),
        ("rounding to fixed point", |turns| {
            let (c, mut fixed) = (single(256, 384), Fixed::default());
            (0..turns).for_each(|_| fixed.pack(black_box(&c).as_ref()));
        }),
        ("sums with four outputs, f32", |turns| sums(4, turns)),
        ("sums with forty outputs, f32", |turns| sums(40, turns)),
        ("products with four columns, f32", |turns| products(4, turns)),
        ("products with forty columns, f32", |turns| products(40, turns)),
        ("band of a matrix", |turns| {
            let (a, y) = system();
            (0..turns).for_each(|_| drop(Band::new(black_box(&a).clone(), y.as_ref()).unwrap()));
        }),
        ("scores of a ridge", |turns| {
            let (a, y) = system();
            let band = Band::new(a, y.as_ref()).unwrap();
            (0..turns).for_each(|_| assert!(band.shifted(black_box(0.1)).is_some()));
        }),
        ("structured projections", |turns| {
            let (map, x, mut c) =
                (map(DrawKind::Structured, 200), Inputs::Dense(rows(64, 200)), Characters::new(512));
            (0..turns).for_each(|_| map.fill(black_box(&x), &mut c));
        }),
    ]
}

/// Instructions of a process that runs the kernel so many times.
fn count(kernel: usize, turns: usize) -> u64 {
    let done = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "instructions_do_not_grow", "--test-threads=1"])
        .env(KERNEL, format!("{kernel} {turns}"))
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    let line = said.lines().find(|line| line.contains("Collected : ")).unwrap_or_else(|| panic!("{said}"));
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

#[test]
fn instructions_do_not_grow() {
    if let Ok(asked) = std::env::var(KERNEL) {
        let (kernel, turns) = asked.split_once(' ').unwrap();
        return kernels()[kernel.parse::<usize>().unwrap()].1(turns.parse().unwrap());
    }
    // past what tests print, which is not shown where they pass
    let skipped = |why: &str| {
        let line = format!("\n*** SKIPPED: counts of instructions: {why} ***\n\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    };
    if !cfg!(target_arch = "x86_64") {
        return skipped("they are those of x86-64");
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        return skipped("valgrind is not installed");
    }
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/instructions.json");
    let found: BTreeMap<&str, u64> =
        (kernels().iter().enumerate()).map(|(k, (name, _))| (*name, (count(k, 6) - count(k, 2)) / 4)).collect();
    if std::env::var(WRITE).is_ok_and(|word| word == "write") {
        std::fs::write(&path, serde_json::to_string_pretty(&found).unwrap() + "\n").unwrap();
        return;
    }
    let known: BTreeMap<String, u64> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert!(known.keys().eq(found.keys()), "take new counts with {WRITE}=write");
    for (name, count) in found {
        let ratio = count as f64 / known[name] as f64;
        println!("{name}: {count} instructions, {ratio:.3} of those known");
        assert!(ratio <= MOST, "{name}: {count} instructions, {} were enough", known[name]);
    }
}
