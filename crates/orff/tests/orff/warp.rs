//! Kernels warped by a graph and semi-supervised least squares, against dense formulas (I17 eq. 5, M16 eq. 72).

mod formula;
mod kernel;
mod labels;

use faer::Mat;
use faer::prelude::Solve;
use orff::kernel::Atoms;
use orff::learn::LaplacianRidge;
use orff::params::Auto;
use orff::random::Stream;

fn normal(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut s = Stream::new(seed, 0, 0);
    Mat::from_fn(n, d, |_, _| s.normal())
}

/// L of q neighbours by its definition.
fn laplacian(x: &Mat<f64>, q: usize, sigma: f64) -> Mat<f64> {
    let n = x.nrows();
    let square = |i: usize, j: usize| (0..x.ncols()).map(|k| (x[(i, k)] - x[(j, k)]).powi(2)).sum::<f64>();
    let near: Vec<Vec<usize>> = (0..n)
        .map(|i| {
            let mut others: Vec<usize> = (0..n).filter(|&j| j != i).collect();
            others.sort_by(|&a, &b| square(i, a).total_cmp(&square(i, b)));
            others.truncate(q);
            others
        })
        .collect();
    let w = Mat::from_fn(n, n, |i, j| {
        let joined = near[i].contains(&j) || near[j].contains(&i);
        if joined { (-square(i, j) / (2.0 * sigma * sigma)).exp() } else { 0.0 }
    });
    let degree: Vec<f64> = (0..n).map(|i| (0..n).map(|j| w[(i, j)]).sum()).collect();
    Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - w[(i, j)] / (degree[i] * degree[j]).sqrt())
}

fn solved(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    a.partial_piv_lu().solve(b)
}

/// Rows of a smooth function with holes: most rows have no output, some only a part.
struct Holes {
    x: Mat<f64>,
    y: Mat<f64>,
    fresh: Mat<f64>,
}

fn holes(n: usize, d: usize, p: usize, partly: bool) -> Holes {
    let mut s = Stream::new(9, 1, 0);
    let x = Mat::from_fn(n, d, |_, _| s.normal());
    let y = Mat::from_fn(n, p, |i, t| {
        let hole = i % 3 != 0 || (partly && (i + t) % 4 == 0);
        if hole { f64::NAN } else { (x[(i, 0)] + t as f64).sin() + 0.1 * s.normal() }
    });
    Holes { x, y, fresh: normal(15, d, 77) }
}

/// K(xᵢ, zⱼ) (n·p×m·p) of atoms.
fn gram(atoms: &Atoms, x: &Mat<f64>, z: &Mat<f64>) -> Mat<f64> {
    let p = atoms.outputs();
    let row = |m: &Mat<f64>, i: usize| m.row(i).iter().copied().collect::<Vec<f64>>();
    let mut out = Mat::zeros(x.nrows() * p, z.nrows() * p);
    for i in 0..x.nrows() {
        for j in 0..z.nrows() {
            let block = atoms.eval(&row(x, i), &row(z, j)).unwrap();
            out.submatrix_mut(i * p, j * p, p, p).copy_from(&block);
        }
    }
    out
}

/// Semi-supervised ridge on a graph of so many neighbours, of this bandwidth, by this power of its Laplacian.
fn on_graph((neighbours, bandwidth, power): (usize, f64, u32), strength: f64) -> LaplacianRidge {
    LaplacianRidge {
        neighbours: Auto::Fixed(neighbours),
        bandwidth: Auto::Fixed(bandwidth),
        power: Auto::Fixed(power),
        strength: Auto::Fixed(strength),
        ..LaplacianRidge::default()
    }
}
