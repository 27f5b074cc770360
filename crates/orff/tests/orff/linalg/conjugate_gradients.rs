//! Conjugate gradients against Cholesky.

use super::{Uniform, definite};
use faer::Mat;
use orff::linalg::{Cholesky, cg, conjugate_gradient};
use orff::watch::Watch;
use std::cell::RefCell;

fn apply(a: &Mat<f64>) -> impl FnMut(&[f64], &mut [f64]) -> orff::Result<()> {
    move |v, out| {
        for (i, out) in out.iter_mut().enumerate() {
            *out = v.iter().enumerate().map(|(j, v)| a[(i, j)] * v).sum();
        }
        Ok(())
    }
}

#[test]
fn conjugate_gradients_agree_with_cholesky() {
    use cg::{Params, Reason};
    let n = 80;
    let mut a = definite(n, 1.0);
    for i in 0..n {
        a[(i, i)] += i as f64 * i as f64; // a diagonal worth preconditioning
    }
    let b = Uniform(11).matrix(n, 1);
    let x = Cholesky::new(a.as_ref()).unwrap().solve(Some(a.as_ref()), b.as_ref()).unwrap();
    let rhs: Vec<f64> = b.col(0).iter().copied().collect();
    let jacobi = |r: &[f64], out: &mut [f64]| (0..n).for_each(|i| out[i] = r[i] / a[(i, i)]);
    let none = |r: &[f64], out: &mut [f64]| out.copy_from_slice(r);
    let params = Params { tol: 1e-13, max_iter: 1000 };
    let mut seen = vec![];
    let (y, plain) = conjugate_gradient(&mut apply(&a), &none, &rhs, None, params, &mut |_, _| Ok(())).unwrap();
    let (z, better) = conjugate_gradient(&mut apply(&a), &jacobi, &rhs, None, params, &mut |k, r| {
        seen.push((k, r));
        Ok(())
    })
    .unwrap();
    assert_eq!((plain.reason, better.reason), (Reason::Converged, Reason::Converged));
    assert!(better.iterations < plain.iterations);
    assert_eq!(seen.len(), better.iterations);
    assert_eq!(seen.last().unwrap(), &(better.iterations, better.residual));
    for i in 0..n {
        assert!((y[i] - x[(i, 0)]).abs() < 1e-10 && (z[i] - x[(i, 0)]).abs() < 1e-10);
    }
    // a start at the solution ends there
    let (_, warm) =
        conjugate_gradient(&mut apply(&a), &none, &rhs, Some(&y), Params { tol: 1e-9, ..params }, &mut |_, _| Ok(()))
            .unwrap();
    assert_eq!((warm.iterations, warm.passes), (0, 1));
    let few = Params { max_iter: 3, ..params };
    let (x, report) = conjugate_gradient(&mut apply(&a), &none, &rhs, None, few, &mut |_, _| Ok(())).unwrap();
    assert_eq!((report.iterations, report.passes, report.reason), (3, 3, Reason::MaxIter));
    // the gradient of ½xᵀAx − bᵀx, and its size beside that at zero
    let left = (0..n).map(|i| rhs[i] - (0..n).map(|j| a[(i, j)] * x[j]).sum::<f64>());
    let (gradient, first) = (left.map(|g| g * g).sum::<f64>().sqrt(), b.norm_l2());
    assert!(
        (report.gradient / gradient - 1.0).abs() < 1e-10 && (report.residual * first / gradient - 1.0).abs() < 1e-10
    );
    let said = report.how();
    for word in ["3 iterations", "3 passes", "gradient", "residual", "used up"] {
        assert!(said.contains(word), "{said}");
    }
    let (zero, report) =
        conjugate_gradient(&mut apply(&a), &none, &vec![0.0; n], Some(&y), params, &mut |_, _| Ok(())).unwrap();
    assert!(zero.iter().all(|v| *v == 0.0) && report.reason == Reason::Converged);

    // failures
    let stop =
        conjugate_gradient(&mut apply(&a), &none, &rhs, None, params, &mut |_, _| Err(orff::Error::Interrupted));
    assert!(matches!(stop, Err(orff::Error::Interrupted)));
    let mut negative = a.clone();
    negative[(3, 3)] = -1e4;
    let error = conjugate_gradient(&mut apply(&negative), &none, &rhs, None, params, &mut |_, _| Ok(()));
    assert!(error.unwrap_err().to_string().contains("positive definite"));
    let mut nan = a.clone();
    nan[(3, 4)] = f64::NAN;
    assert!(conjugate_gradient(&mut apply(&nan), &none, &rhs, None, params, &mut |_, _| Ok(())).is_err());
    assert!(conjugate_gradient(&mut apply(&a), &none, &rhs, Some(&[1.0]), params, &mut |_, _| Ok(())).is_err());
}

/// Iterations can be interrupted, and go on from what the watch has kept.
#[test]
fn interrupted_conjugate_gradients_go_on() {
    struct Stop {
        left: usize,
        kept: Vec<f64>,
    }
    impl Watch for Stop {
        fn advance(&mut self, done: u64) -> orff::Result<()> {
            self.left -= done as usize;
            if self.left == 0 { Err(orff::Error::Interrupted) } else { Ok(()) }
        }
        fn keep(&mut self, unknowns: &[f64]) {
            self.kept = unknowns.to_vec();
        }
        fn kept(&mut self, count: usize) -> Option<Vec<f64>> {
            (self.kept.len() == count).then(|| self.kept.clone())
        }
    }
    let n = 80;
    let a = definite(n, 1.0);
    let b = Uniform(11).matrix(n, 1);
    let x = Cholesky::new(a.as_ref()).unwrap().solve(Some(a.as_ref()), b.as_ref()).unwrap();
    let rhs: Vec<f64> = b.col(0).iter().copied().collect();
    let none = |r: &[f64], out: &mut [f64]| out.copy_from_slice(r);
    let params = cg::Params { tol: 1e-12, max_iter: 1000 };
    let mut watch = Stop { left: usize::MAX, kept: Vec::new() };
    let run = |watch: &mut Stop| cg::resumed(&mut apply(&a), &none, &rhs, params, &RefCell::new(watch));
    let whole = run(&mut watch).unwrap().1.iterations;
    watch = Stop { left: whole - 3, kept: Vec::new() };
    assert!(matches!(run(&mut watch), Err(orff::Error::Interrupted)));
    watch.left = usize::MAX;
    let (found, rest) = run(&mut watch).unwrap();
    assert!(rest.iterations < whole, "{} of {whole}", rest.iterations);
    assert!((0..n).all(|i| (found[i] - x[(i, 0)]).abs() < 1e-9));
}
