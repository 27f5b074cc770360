//! Cholesky factors, eigenvalues and semi-definite factors rebuild their matrix, or say why they cannot.

use super::{Uniform, bits, close, definite, naive, same_bits};
use faer::{Mat, MatRef};
use orff::linalg::{Band, Cholesky, complement, eigen, eigen_of_rank, psd_factor, pseudo_inverse_psd};

#[test]
fn cholesky_solves() {
    for (n, p) in [(1, 1), (2, 3), (37, 5), (230, 70)] {
        let a = definite(n, 0.5);
        let b = Uniform(9).matrix(n, p);
        let factor = Cholesky::new(a.as_ref()).unwrap();
        close(naive(factor.factor(), factor.factor().transpose()).as_ref(), a.as_ref(), 1e-11);
        let x = factor.solve(Some(a.as_ref()), b.as_ref()).unwrap();
        close(naive(a.as_ref(), x.as_ref()).as_ref(), b.as_ref(), 1e-10);
        // bᵀA⁻¹b twice, and the determinant as the product of eigenvalues
        let half = factor.half_solve(b.as_ref()).unwrap();
        let quadratic = naive(b.transpose(), x.as_ref());
        close(naive(half.transpose(), half.as_ref()).as_ref(), quadratic.as_ref(), 1e-9 * quadratic.norm_max());
        let inverse = factor.inverse_factor();
        close(naive(factor.factor(), inverse.as_ref()).as_ref(), Mat::identity(n, n).as_ref(), 1e-11);
        let log_det: f64 = eigen(a.as_ref()).unwrap().values.iter().map(|v| v.ln()).sum();
        assert!((factor.log_det() - log_det).abs() < 1e-9 * (1.0 + log_det.abs()));
        let again = Cholesky::from_factor(factor.factor().to_owned()).unwrap();
        assert_eq!(bits(again.solve(None, b.as_ref()).unwrap().as_ref()), bits(x.as_ref()));
    }
}

#[test]
fn cholesky_refuses_what_it_cannot_solve() {
    let message = |a: &Mat<f64>| Cholesky::new(a.as_ref()).unwrap_err().to_string();
    for n in [3, 250] {
        let mut a = definite(n, 0.5);
        a[(n - 1, n - 1)] = -1.0;
        assert!(message(&a).contains("raise the ridge"), "{}", message(&a));
        a[(n - 1, 0)] = f64::NAN;
        assert!(message(&a).contains("not finite"));
        a[(n - 1, 0)] = f64::INFINITY;
        assert!(message(&a).contains("not finite"));
        assert!(message(&Mat::zeros(n, n)).contains("pivot 1"));
        assert!(message(&Mat::full(n, n, 1e300)).contains("raise the ridge"));
    }
    assert!(message(&Mat::zeros(3, 2)).contains("square"));

    // The residual sees a factor of another matrix, in the only column that is wrong.
    let (a, mut other) = (definite(300, 0.5), definite(300, 0.5));
    other[(299, 0)] += 1.0;
    let factor = Cholesky::new(a.as_ref()).unwrap();
    let mut b = Mat::zeros(300, 70);
    for i in 0..300 {
        b[(i, 65)] = a[(i, 0)];
    }
    assert!(factor.solve(Some(a.as_ref()), b.as_ref()).is_ok());
    let error = factor.solve(Some(other.as_ref()), b.as_ref()).unwrap_err().to_string();
    assert!(error.contains("residual") && error.contains("raise the ridge"), "{error}");
    b[(7, 7)] = f64::NAN;
    assert!(factor.solve(None, b.as_ref()).is_err());
    assert!(factor.solve(None, b.as_ref().subrows(0, 299)).is_err());
    assert!(factor.solve(Some(a.as_ref().submatrix(0, 0, 2, 2)), b.as_ref()).is_err());
    assert!(Cholesky::from_factor(Mat::zeros(2, 2)).is_err());
}

#[test]
fn few_eigenvalues_of_a_large_matrix_are_those_of_all() {
    let mut u = Uniform(31);
    for (n, r) in [(40, 0), (40, 1), (60, 7), (150, 40)] {
        // of rank r, over eight decades
        let c = u.matrix(r, n);
        let c = Mat::from_fn(r, n, |i, j| c[(i, j)] * 10f64.powf(-4.0 * i as f64 / r as f64));
        let a = naive(c.transpose(), c.as_ref());
        let all = eigen(a.as_ref()).unwrap();
        let few = eigen_of_rank(a.as_ref(), r).unwrap();
        assert_eq!((few.values.len(), few.vectors.shape()), (r, (n, r)));
        let top = all.values[n - 1].max(1e-300);
        for (few, all) in few.values.iter().zip(&all.values[n - r..]) {
            assert!((few - all).abs() <= 1e-13 * top, "{few} and {all} of {top}");
        }
        let scaled = Mat::from_fn(n, r, |i, j| few.vectors[(i, j)] * few.values[j]);
        close(naive(scaled.as_ref(), few.vectors.transpose()).as_ref(), a.as_ref(), 1e-13 * top);
        // together with the rest they are a basis
        let rest = complement(few.vectors.as_ref()).unwrap();
        let basis = Mat::from_fn(n, n, |i, j| if j < r { few.vectors[(i, j)] } else { rest[(i, j - r)] });
        close(naive(basis.transpose(), basis.as_ref()).as_ref(), Mat::<f64>::identity(n, n).as_ref(), 1e-13);
        // the upper triangle is not read, and a rank that was guessed too small is found out
        let lower = Mat::from_fn(n, n, |i, j| if i >= j { a[(i, j)] } else { 7.0 });
        assert_eq!(eigen_of_rank(lower.as_ref(), r).unwrap().values, few.values);
        if r > 1 {
            assert_eq!(eigen_of_rank(a.as_ref(), r - 1).unwrap().values, all.values);
        }
    }
}

/// Orders about the width of a band, strips of several tasks, matrices of full and of few ranks, no right-hand side and many.
#[test]
fn bands_say_what_eigenvalues_do() {
    let mut u = Uniform(47);
    for (n, rank, columns) in [
        (0, 0, 0),
        (1, 1, 1),
        (5, 5, 0),
        (32, 32, 2),
        (33, 33, 1),
        (34, 3, 2),
        (65, 65, 9),
        (130, 20, 17),
        (450, 450, 3),
    ] {
        let l = u.matrix(n, rank);
        let a = naive(l.as_ref(), l.transpose());
        let y = u.matrix(n, columns);
        let e = eigen(a.as_ref()).unwrap();
        let turned = naive(e.vectors.transpose(), y.as_ref());
        let top = e.values.last().copied().unwrap_or(0.0);
        let given = Mat::from_fn(n, n, |i, j| if i >= j { a[(i, j)] } else { f64::NAN }); // the upper triangle is not read
        let band = Band::new(given.clone(), y.as_ref()).unwrap();
        assert!((band.largest() - top).abs() <= 0.1 * top, "{n} of rank {rank}: {} and {top}", band.largest());
        for mu in [1e-3, 0.5, 20.0] {
            let found = band.shifted(mu).unwrap();
            let energy = |i: usize| (0..columns).map(|t| turned[(i, t)] * turned[(i, t)]).sum::<f64>();
            let sum = |of: &dyn Fn(usize, f64) -> f64| (0..n).map(|i| of(i, e.values[i] + mu)).sum::<f64>();
            let pairs = [
                (found.log_det, sum(&|_, v| v.ln())),
                (found.trace, sum(&|_, v| 1.0 / v)),
                (found.once, sum(&|i, v| energy(i) / v)),
                (found.twice, sum(&|i, v| energy(i) / (v * v))),
            ];
            for (found, expected) in pairs {
                let error = (found - expected).abs() / expected.abs().max(1e-9);
                assert!(error < 1e-9, "{n} of rank {rank}, {columns} columns, μ = {mu}: {found} and {expected}");
            }
        }
        assert!(n == 0 || band.shifted(-2.0 * top).is_none(), "not positive");
        same_bits(|| {
            let found = Band::new(given.clone(), y.as_ref()).unwrap().shifted(0.1).unwrap();
            [found.log_det, found.trace, found.once, found.twice].map(f64::to_bits).to_vec()
        });
    }
    let nan = Mat::from_fn(40, 40, |i, j| if (i, j) == (39, 2) { f64::NAN } else { 1.0 });
    assert!(Band::new(nan, Mat::zeros(40, 1).as_ref()).is_err_and(|e| e.to_string().contains("finite")));
    assert!(Band::new(Mat::zeros(3, 3), Mat::zeros(2, 1).as_ref()).is_err());
    assert!(Band::new(Mat::zeros(3, 2), Mat::zeros(3, 1).as_ref()).is_err());
}

#[test]
fn eigenvectors_rebuild_the_matrix() {
    for n in [1, 2, 5, 40, 210] {
        let g = Uniform(n as u64).matrix(n, n);
        let a = Mat::from_fn(n, n, |i, j| g[(i, j)] + g[(j, i)]);
        let e = eigen(a.as_ref()).unwrap();
        assert!(e.values.windows(2).all(|v| v[0] <= v[1]), "ascending");
        let scaled = Mat::from_fn(n, n, |i, j| e.vectors[(i, j)] * e.values[j]);
        close(naive(scaled.as_ref(), e.vectors.transpose()).as_ref(), a.as_ref(), 1e-12 * n as f64);
        let gram = naive(e.vectors.transpose(), e.vectors.as_ref());
        close(gram.as_ref(), Mat::identity(n, n).as_ref(), 1e-13 * n as f64);
    }
    // only the lower triangle is read; an unaligned view has the bits of a copy
    let a = definite(50, 0.1);
    let mut data = vec![f64::NAN; 1 + 51 * 50];
    for j in 0..50 {
        for i in j..50 {
            data[1 + 51 * j + i] = a[(i, j)];
        }
    }
    let view = MatRef::from_column_major_slice_with_stride(&data[1..], 50, 50, 51);
    assert_eq!(bits(eigen(view).unwrap().vectors.as_ref()), bits(eigen(a.as_ref()).unwrap().vectors.as_ref()));
    let mut a = definite(5, 0.1);
    a[(4, 1)] = f64::NAN;
    assert!(eigen(a.as_ref()).unwrap_err().to_string().contains("not finite"));
    assert!(eigen(Mat::zeros(2, 3).as_ref()).is_err());
    assert!(eigen(Mat::zeros(0, 0).as_ref()).unwrap().values.is_empty());
}

#[test]
fn semidefinite_matrices_are_factored_to_their_rank() {
    for (p, r) in [(1, 1), (5, 2), (30, 7), (6, 6), (4, 0)] {
        let b = Uniform(10).matrix(p, r);
        let gamma = naive(b.as_ref(), b.transpose());
        let factor = psd_factor(gamma.as_ref(), "gamma").unwrap();
        assert_eq!(factor.shape(), (p, r));
        close(naive(factor.as_ref(), factor.transpose()).as_ref(), gamma.as_ref(), 1e-13);
        // the four conditions of Moore and Penrose, two of them by symmetry
        let inverse = pseudo_inverse_psd(gamma.as_ref(), "gamma").unwrap();
        let projection = naive(gamma.as_ref(), inverse.as_ref());
        let size = 1e-12 * (1.0 + inverse.norm_max() * gamma.norm_max());
        close(naive(projection.as_ref(), gamma.as_ref()).as_ref(), gamma.as_ref(), size);
        close(
            naive(inverse.as_ref(), projection.as_ref()).as_ref(),
            inverse.as_ref(),
            size * (1.0 + inverse.norm_max()),
        );
        close(projection.as_ref(), projection.transpose(), size);
        close(inverse.as_ref(), inverse.transpose(), size);
    }
    let refused = |a: Mat<f64>| psd_factor(a.as_ref(), "coupling").unwrap_err().to_string();
    let indefinite = Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 2.0 });
    let message = refused(indefinite);
    assert!(message.starts_with("coupling: ") && message.contains("smallest eigenvalue -1.000e0"), "{message}");
    assert!(refused(Mat::from_fn(1, 1, |_, _| -1.0)).contains("smallest eigenvalue"));
    assert!(refused(Mat::from_fn(2, 2, |i, j| (i + 2 * j + 1) as f64)).contains("at (2, 1)"));
    assert!(refused(Mat::full(2, 2, f64::NAN)).contains("not finite"));
    assert!(refused(Mat::zeros(2, 3)).contains("2×3"));
}
