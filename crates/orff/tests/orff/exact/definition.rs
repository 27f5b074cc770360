//! Exact ridge against its definition: the dense system of all observed entries, solved by naive elimination.

use super::{
    coupled, exact, fit, gap, holes, inputs, kernels, listed, matrix, other, outputs, predict, samples, spectrum,
    table,
};
use faer::Mat;
use orff::kernel::{Kernel, Output, Seen, Transformable};
use orff::learn::{Nystrom, Ridge};
use orff::params::Auto;
use orff::rows::Weights;
use orff::solve::{Dual, DualComponent, DualSpectral, Group};
use orff::watch::Silent;

/// Solves by Gaussian elimination with row exchanges; also log |det|.
pub(super) fn eliminate(mut a: Vec<Vec<f64>>, mut b: Vec<Vec<f64>>) -> (Vec<Vec<f64>>, f64) {
    let n = a.len();
    let mut log_det = 0.0;
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        log_det += a[k][k].abs().ln();
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= f * a[k][j];
            }
            for j in 0..b[i].len() {
                b[i][j] -= f * b[k][j];
            }
        }
    }
    for k in (0..n).rev() {
        for j in 0..b[k].len() {
            let done: f64 = (k + 1..n).map(|i| a[k][i] * b[i][j]).sum();
            b[k][j] = (b[k][j] - done) / a[k][k];
        }
    }
    (b, log_det)
}

pub(super) fn row(x: &Mat<f64>, i: usize) -> Vec<f64> {
    x.row(i).iter().copied().collect()
}

/// The observed entries (i, t) with their weights, and n of the mean loss.
pub(super) fn observed(y: &Mat<f64>, weights: &Option<Weights>) -> (Vec<(usize, usize, f64)>, f64) {
    let (mut entries, mut rows) = (Vec::new(), 0.0);
    for i in 0..y.nrows() {
        let mut seen = Vec::new();
        for t in 0..y.ncols() {
            let w = match weights {
                None => 1.0,
                Some(Weights::Row(w)) => w[i],
                Some(Weights::Entry(w)) => w[(i, t)],
            };
            if y[(i, t)].is_finite() {
                seen.push((i, t, w));
            }
        }
        rows += seen.iter().map(|e| e.2).sum::<f64>() / seen.len().max(1) as f64;
        entries.extend(seen);
    }
    (entries, rows)
}

/// f at the rows of z from the definition: (K + nλW⁻¹)u + Eb = y, Eᵀu = 0, with a constant for each output.
pub(super) fn definition(
    kernel: &Kernel,
    (x, y, weights): (&Mat<f64>, &Mat<f64>, &Option<Weights>),
    ridge: f64,
    offset: bool,
    z: &Mat<f64>,
) -> Mat<f64> {
    let p = y.ncols();
    let kernel = kernel.resolve(&Seen { outputs: p, ..Seen::default() }).unwrap();
    let (entries, rows) = observed(y, weights);
    let n = entries.len();
    let q = if offset { p } else { 0 };
    let mut a = vec![vec![0.0; n + q]; n + q];
    let mut b = vec![vec![0.0]; n + q];
    for (e, &(i, s, w)) in entries.iter().enumerate() {
        for (f, &(j, t, _)) in entries.iter().enumerate() {
            a[e][f] = kernel.eval(&row(x, i), &row(x, j)).unwrap()[(s, t)];
        }
        a[e][e] += rows * ridge / w;
        b[e][0] = y[(i, s)];
        if offset {
            a[e][n + s] = 1.0;
            a[n + s][e] = 1.0;
        }
    }
    let (u, _) = eliminate(a, b);
    Mat::from_fn(z.nrows(), p, |i, s| {
        let sum: f64 = (entries.iter().enumerate())
            .map(|(e, &(j, t, _))| kernel.eval(&row(z, i), &row(x, j)).unwrap()[(s, t)] * u[e][0])
            .sum();
        sum + if offset { u[n + s][0] } else { 0.0 }
    })
}

#[test]
fn separated_kernels_are_scalar_times_matrix() {
    let with = |gamma: Mat<f64>, l: f64| Kernel::decomposable(spectrum(l), Output::Given { matrix: matrix(gamma) });
    let m = matrix(faer::mat![[1.0, 0.4, -0.3], [0.2, -0.7, 0.5]]);
    let t = matrix(faer::mat![[0.3, 1.0], [-0.6, 0.2], [0.9, 0.5]]);
    let cases = [
        coupled(),
        1.7 * coupled(),
        coupled() + 0.6 * with(coupled().separated().unwrap().1, 0.4),
        coupled() * with(other(), 0.6),
        coupled().conjugated(m),
        coupled().precomposed(t),
    ];
    for kernel in cases {
        let (scalar, gamma) = kernel.separated().unwrap();
        let (x, z) = ([0.3, -0.2], [-0.5, 0.4]);
        let (k, expected) = (scalar.eval(&x, &z).unwrap(), kernel.eval(&x, &z).unwrap());
        assert_eq!((k.nrows(), k.ncols()), (1, 1));
        assert!(gap(&(faer::Scale(k[(0, 0)]) * gamma), &expected) < 1e-15, "{kernel:?}");
    }
    for kernel in [Kernel::curl_free(spectrum(1.0)), listed(2, 3, 2, 4), coupled() + with(other(), 0.9)] {
        assert!(kernel.separated().is_none(), "{kernel:?}");
    }
}

#[test]
fn exact_ridge_is_its_definition() {
    let (x, z) = (inputs(17, 2, 1), inputs(6, 2, 2));
    for (name, kernel, p) in kernels() {
        for (what, y, weights) in samples(&x, p) {
            for offset in [false, true] {
                let learner = exact(&kernel, Ridge::Given(3e-3), offset);
                let fitted = fit(&learner, &table(&x, &y, &weights));
                let expected = definition(&kernel, (&x, &y, &weights), 3e-3, offset, &z);
                let error = gap(&predict(&fitted, &z).mean, &expected);
                assert!(error < 1e-9, "{name}, {what}, offset {offset}: {error:e}");
            }
        }
    }
}

#[test]
fn cholesky_and_eigenvalues_are_one_solution() {
    let x = inputs(14, 2, 1);
    for (name, kernel, p) in [("coupled", coupled(), 3), ("curl-free", Kernel::curl_free(spectrum(1.1)), 2)] {
        for offset in [false, true] {
            let entries: Vec<(usize, usize)> = (0..14 * p).map(|e| (e / p, e % p)).filter(|e| e.0 != e.1).collect();
            let all = kernel.sections(x.as_ref(), x.as_ref()).unwrap();
            let at = |e: usize| entries[e].0 * p + entries[e].1;
            let gram = Mat::from_fn(entries.len(), entries.len(), |e, f| all[(at(e), at(f))]);
            let weights: Vec<f64> = (0..entries.len()).map(|e| 0.4 + (e % 3) as f64).collect();
            let group = Group::new(gram, entries.clone(), &weights, p, offset);
            let y: Vec<f64> = (0..entries.len()).map(|e| (e as f64).sin()).collect();
            let (target, count) = (group.target(&y), weights.iter().sum());
            let component = |s2: f64| DualComponent { group: 0, s2, target: target.clone(), count, direction: None };
            let dual = Dual {
                rows: 10.0,
                observed: 14.0,
                groups: vec![group],
                components: vec![component(1.0), component(0.3)],
            };
            let (a, b) = (dual.solve(1e-3, true).unwrap(), DualSpectral::new(&dual).unwrap().solve(1e-3, true));
            assert_eq!(dual.distinct(), 2);
            for k in 0..2 {
                let gap = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(gap(&a.coefficients[k], &b.coefficients[k]) < 1e-9, "{name}");
                assert!(gap(&a.residuals[k], &b.residuals[k]) < 1e-9, "{name}");
                assert!((a.freedom[k] - b.freedom[k]).abs() < 1e-9, "{name}");
                let inverse = |s: &orff::solve::DualSolution| {
                    let (root, scale) = s.inverses[k].as_ref().unwrap();
                    let r = &s.roots[*root].1;
                    Mat::from_fn(r.nrows(), r.ncols(), |i, j| r[(i, j)] * scale[j]) * r.transpose()
                };
                assert!((inverse(&a) - inverse(&b)).norm_max() < 1e-9 * inverse(&a).norm_max(), "{name}");
            }
        }
    }
}

#[test]
fn views_are_the_transformable_kernel() {
    let (x, z) = (inputs(9, 3, 1), inputs(4, 3, 2));
    let y = holes(outputs(&x, 2, 0.2));
    let views = vec![
        matrix(faer::mat![[1.0, 0.3, 0.0], [0.0, 1.0, -0.4]]),
        matrix(faer::mat![[0.2, 0.0, 1.0], [0.7, -1.0, 0.1]]),
    ];
    let kernel: Kernel = Transformable { spectrum: spectrum(1.2), views }.into();
    let ridge = 2e-3;
    let fitted = fit(&exact(&kernel, Ridge::Given(ridge), false), &table(&x, &y, &None));
    let found = predict(&fitted, &z);
    // n counts rows of the scalar problem, one per view and output, as parts of a row
    let (entries, rows) = observed(&y, &None);
    let n = entries.len() as f64 / 2.0;
    let expected = definition(&kernel, (&x, &y, &None), ridge * n / rows, false, &z);
    assert!(gap(&found.mean, &expected) < 1e-9, "{:e}", gap(&found.mean, &expected));
    // covariance between views: K(z,z) − K(z,X)(K + nλI)⁻¹K(X,z), in units of σ²/(nλ)
    let k = |a: &Mat<f64>, i: usize, s: usize, b: &Mat<f64>, j: usize, t: usize| {
        kernel.eval(&row(a, i), &row(b, j)).unwrap()[(s, t)]
    };
    for i in 0..4 {
        let mut a = vec![vec![0.0; entries.len()]; entries.len()];
        for (e, &(j, s, _)) in entries.iter().enumerate() {
            for (f, &(l, t, _)) in entries.iter().enumerate() {
                a[e][f] = k(&x, j, s, &x, l, t) + if e == f { n * ridge } else { 0.0 };
            }
        }
        let b: Vec<Vec<f64>> =
            entries.iter().map(|&(j, t, _)| (0..2).map(|s| k(&x, j, t, &z, i, s)).collect()).collect();
        let (solved, _) = eliminate(a, b.clone());
        let sd = |t: usize| fitted.model.posterior.get().unwrap().unwrap().unit.as_ref().unwrap()[t];
        let expected = Mat::from_fn(2, 2, |s, t| {
            let less: f64 = (0..entries.len()).map(|e| b[e][s] * solved[e][t]).sum();
            (k(&z, i, s, &z, i, t) - less) / (n * ridge) * sd(s) * sd(t)
        });
        let cov = &found.cov.as_ref().unwrap()[i];
        assert!(gap(cov, &expected) < 1e-9, "{cov:?} {expected:?}");
    }
    // all landmarks: the same model, with one constant for all views or none
    for offset in [false, true] {
        let ridge = Ridge::Given(ridge);
        let points = Auto::Fixed(1000);
        let all = Nystrom { kernel: kernel.clone(), ridge, offset, points, ..Nystrom::default() };
        let all = predict(&all.fit(&table(&x, &y, &None), &mut Silent).unwrap(), &z);
        let one = predict(&fit(&exact(&kernel, ridge, offset), &table(&x, &y, &None)), &z);
        assert!(gap(&all.mean, &one.mean) < 1e-7);
        all.cov.unwrap().iter().zip(&one.cov.unwrap()).for_each(|(a, b)| assert!(gap(a, b) < 1e-7, "{a:?} {b:?}"));
    }
}
