//! The two tables of Minh 2016, section 5, beside the published means.
//!
//! Table 1: 100 normal points of R³ divided by their largest coordinate, σ = 1, D atoms; the relative error of the
//! whole Gram matrix, and of each pair of points, averaged: the paper does not say which it reports. The last rows are
//! Orff's own map, the trace measure with better draws, beside Minh's bounded map. Table 2: ridge lγ
//! with l = 80 random points of the grid and γ = 1e-9, σ = 0.2; root mean square error of all components over the grid.

use super::Report;
use anyhow::Result;
use faer::Mat;
use orff::feature::{Characters, FeatureMap, MapKind};
use orff::generate::{minh_field, minh_points};
use orff::kernel::{Kernel, SumDraw};
use orff::linalg::Cholesky;
use orff::random::Stream;
use orff::rows::Inputs;
use orff::spectrum::{Draw, DrawKind, Measure, Spectrum};

/// Minh calls the first measure unbounded and the second bounded, and draws both independently; the rest is ours.
const MAPS: [(Measure, DrawKind); 5] = [
    (Measure::Plain, DrawKind::Iid),
    (Measure::Tilted, DrawKind::Iid),
    (Measure::Trace, DrawKind::Iid),
    (Measure::Trace, DrawKind::Orthogonal),
    (Measure::Trace, DrawKind::QuasiMonteCarlo),
];

/// A map in words.
fn name((measure, kind): (Measure, DrawKind)) -> String {
    if kind == DrawKind::Iid { measure.to_string() } else { format!("{measure}, {kind}") }
}

/// Kernel approximation by bounded and unbounded maps.
pub fn table_1(seeds: u64, out: &mut Report) -> Result<()> {
    let curl = [[0.3315, 0.1363, 0.0984], [0.2811, 0.1011, 0.0906]];
    approximation(seeds, "curl-free", &Kernel::curl_free(gaussian(1.0)), curl, out)?;
    let div = [[0.2826, 0.1386, 0.0842], [0.2223, 0.1006, 0.0680]];
    approximation(seeds, "div-free", &Kernel::div_free(gaussian(1.0)), div, out)
}

/// Minh writes exp(−‖x‖²/σ²): ℓ = σ/√2.
fn gaussian(sigma: f64) -> Spectrum {
    Spectrum::default().with_lengthscale((sigma / 2f64.sqrt()).into())
}

fn draw(kernel: &Kernel, d: usize, count: usize, by: (Measure, DrawKind), seed: u64) -> Result<FeatureMap> {
    let how = Draw { measure: by.0, kind: by.1, seed, ..Draw::default() };
    Ok(FeatureMap::draw(kernel, d, 2 * count, MapKind::Pairs, &how, SumDraw::default())?)
}

/// Φ(x)ᵀ of every row x (n·p×K), the p rows of a point one below the other.
fn features(map: &FeatureMap, x: &Mat<f64>) -> Mat<f64> {
    let mut c = Characters::new(map.characters());
    map.fill(&Inputs::Dense(x.clone()), &mut c);
    let (b, of, p) = (map.stacked_factors(), map.character_of_unknown(), map.atoms().outputs());
    Mat::from_fn(x.nrows() * p, map.unknowns(), |i, k| c.column(of[k])[i / p] * b[(k, i % p)])
}

/// The exact K(xᵢ, zⱼ) (n·d×m·d) of a kernel with p = d.
fn gram(kernel: &Kernel, x: &Mat<f64>, z: &Mat<f64>) -> Result<Mat<f64>> {
    let point = |x: &Mat<f64>, i: usize| x.row(i).iter().copied().collect::<Vec<f64>>();
    let p = x.ncols();
    let mut all = Mat::zeros(x.nrows() * p, z.nrows() * p);
    for i in 0..x.nrows() {
        for j in 0..z.nrows() {
            all.submatrix_mut(i * p, j * p, p, p).copy_from(kernel.eval(&point(x, i), &point(z, j))?);
        }
    }
    Ok(all)
}

/// ‖K̂ − K‖/‖K‖ of the whole matrix, and its mean over pairs of points.
fn errors(approximate: &Mat<f64>, exact: &Mat<f64>, p: usize) -> (f64, f64) {
    let (difference, n) = (approximate - exact, exact.nrows() / p);
    let norm = |m: &Mat<f64>, ij: usize| m.submatrix(ij / n * p, ij % n * p, p, p).norm_l2();
    let pairs = (0..n * n).map(|ij| norm(&difference, ij) / norm(exact, ij));
    (difference.norm_l2() / exact.norm_l2(), pairs.sum::<f64>() / (n * n) as f64)
}

fn approximation(
    seeds: u64,
    kernel_name: &str,
    kernel: &Kernel,
    published: [[f64; 3]; 2],
    out: &mut Report,
) -> Result<()> {
    for (m, by) in MAPS.into_iter().enumerate() {
        for (column, count) in [100, 500, 1000].into_iter().enumerate() {
            let (mut whole, mut pairs) = (Vec::new(), Vec::new());
            for seed in 0..seeds {
                out.pause()?;
                let x = minh_points(100, 3, seed)?;
                let phi = features(&draw(kernel, 3, count, by, seed)?, &x);
                let (w, p) = errors(&(&phi * phi.transpose()), &gram(kernel, &x, &x)?, 3);
                whole.push(w);
                pairs.push(p);
            }
            // our own maps are bounded: they stand beside the published bounded one
            let known = Some(published[m.min(1)][column]);
            let map = name(by);
            out.row(&format!("{kernel_name} {map}, D = {count}, Gram matrix"), &whole, known)?;
            out.row(&format!("{kernel_name} {map}, D = {count}, mean of pairs"), &pairs, known)?;
        }
    }
    Ok(())
}

/// A random subset of `count` rows.
fn subset(rows: usize, count: usize, seed: u64) -> Vec<usize> {
    let mut all: Vec<usize> = (0..rows).collect();
    let mut random = Stream::new(seed, 0x7472_6169, 0);
    for i in 0..count {
        let other = i + random.below(rows - i);
        all.swap(i, other);
    }
    all.truncate(count);
    all
}

/// The entries of some rows in one column, row by row.
fn column(m: &Mat<f64>, rows: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows.len() * m.ncols(), 1, |i, _| m[(rows[i / m.ncols()], i % m.ncols())])
}

/// (A + μI)⁻¹b.
fn solve(mut a: Mat<f64>, mu: f64, b: &Mat<f64>) -> Result<Mat<f64>> {
    (0..a.nrows()).for_each(|i| a[(i, i)] += mu);
    Ok(Cholesky::new(a.as_ref())?.solve(Some(a.as_ref()), b.as_ref())?)
}

/// Reconstruction of a curl-free field by least squares.
pub fn table_2(seeds: u64, out: &mut Report) -> Result<()> {
    let (kernel, field, mu) = (Kernel::curl_free(gaussian(0.2)), minh_field(), 80.0 * 1e-9);
    let truth = column(&field.truth, &(0..1600).collect::<Vec<_>>());
    let rmse = |f: Mat<f64>| (f - &truth).norm_l2() / (truth.nrows() as f64).sqrt();
    let data = |seed| {
        let rows = subset(1600, 80, seed);
        (Mat::from_fn(80, 2, |i, k| field.inputs[(rows[i], k)]), column(&field.outputs, &rows))
    };
    let mut exact = Vec::new();
    for seed in 0..seeds {
        out.pause()?;
        let (x, y) = data(seed);
        let a = solve(gram(&kernel, &x, &x)?, mu, &y)?;
        exact.push(rmse(gram(&kernel, &field.inputs, &x)? * a));
    }
    out.row("exact kernel", &exact, Some(0.0020))?;
    let published = [[0.0254, 0.0118], [0.0079, 0.0032]];
    for (m, by) in MAPS.into_iter().enumerate() {
        for (column, count) in [50, 100].into_iter().enumerate() {
            let mut results = Vec::new();
            for seed in 0..seeds {
                out.pause()?;
                let (x, y) = data(seed);
                let map = draw(&kernel, 2, count, by, seed)?;
                let phi = features(&map, &x); // 160×2D
                let h = solve(phi.transpose() * &phi, mu, &(phi.transpose() * &y))?;
                results.push(rmse(features(&map, &field.inputs) * h));
            }
            out.row(&format!("{}, D = {count}", name(by)), &results, Some(published[m.min(1)][column]))?;
        }
    }
    Ok(())
}
