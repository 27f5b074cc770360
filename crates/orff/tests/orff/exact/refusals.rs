//! What the reference learners refuse and in which words; constants, single rows and ridge zero are learned.

use super::{ALL, exact, fit, gap, identity, inputs, matrix, outputs, predict, spectrum, table};
use faer::Mat;
use orff::kernel::{Kernel, Output};
use orff::learn::{ExactRegression, Nystrom, Ridge};
use orff::model::Query;
use orff::params::Params;
use orff::rows::{Inputs, Rows, Weights};
use orff::watch::Silent;

fn refusal<T>(result: orff::Result<T>) -> String {
    match result {
        Ok(_) => panic!("was accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn refusals_say_what_to_do() {
    let x = inputs(300, 2, 1);
    let y = outputs(&x, 2, 0.1);
    let curl = Kernel::curl_free(spectrum(1.0));
    let small = |kernel: &Kernel| ExactRegression { memory: 5, ..exact(kernel, Ridge::Evidence, true) };
    let tell = |learner: &ExactRegression, rows: &dyn Rows| refusal(learner.fit(rows, &mut Silent));
    assert!(small(&identity()).fit(&table(&x, &y, &None), &mut Silent).is_ok());
    assert_eq!(
        tell(&small(&curl), &table(&x, &y, &None)),
        "exact ridge on 300 rows × 2 outputs is refused: it needs 0.018 GB and memory allows 5 MB; use random \
         features or Nyström landmarks, or raise memory"
    );
    let many = Mat::from_fn(20_000, 1, |i, _| i as f64);
    let big = tell(&ExactRegression::default(), &table(&many, &Mat::from_fn(20_000, 3, |i, _| i as f64), &None));
    assert!(big.starts_with("exact ridge on 20000 rows × 3 outputs is refused: it needs 20 GB"), "{big}");
    let empty = table(&Mat::zeros(0, 2), &Mat::zeros(0, 2), &None);
    assert!(tell(&ExactRegression::default(), &empty).starts_with("no rows"));
    assert!(refusal(Nystrom::default().fit(&empty, &mut Silent)).starts_with("no rows"));
    let wrong = tell(&exact(&curl, Ridge::Evidence, true), &table(&x, &outputs(&x, 3, 0.1), &None));
    assert_eq!(
        wrong,
        "outputs: expected 2, as many as the kernel has (a field has as many as there are inputs), got 3"
    );
    let never = Mat::from_fn(300, 2, |i, t| if t == 1 { f64::NAN } else { y[(i, t)] });
    for kernel in [&curl, &identity()] {
        let rows = table(&x, &never, &None);
        assert_eq!(
            tell(&exact(kernel, Ridge::Given(1e-3), true), &rows),
            "output 2: not observed on any row with a weight > 0"
        );
        let nystrom = Nystrom { kernel: kernel.clone(), ..Nystrom::default() };
        assert_eq!(refusal(nystrom.fit(&rows, &mut Silent)), "output 2: not observed on any row with a weight > 0");
    }
    let nothing = table(&x, &y, &Some(Weights::Row(vec![0.0; 300])));
    let line = "no row counts: every weight is zero, or no output was observed";
    assert_eq!(tell(&exact(&curl, Ridge::Given(1e-3), true), &nothing), line);
    let nystrom = Nystrom { kernel: identity(), ..Nystrom::default() };
    assert_eq!(refusal(nystrom.fit(&nothing, &mut Silent)), line);
    let loo = refusal(Nystrom { ridge: Ridge::Loo, ..Nystrom::default() }.fit(&table(&x, &y, &None), &mut Silent));
    assert_eq!(loo, "ridge: expected evidence, gcv or a number ≥ 0, got \"loo\"");
    let without = ExactRegression { posterior: false, ..exact(&curl, Ridge::Given(1e-3), true) };
    let fitted = fit(&without, &table(&x, &y, &None));
    let refused = refusal(fitted.model.predict(&Inputs::Dense(x.clone()), ALL));
    assert!(refused.starts_with("uncertainty from this model is refused"), "{refused}");
    for param in ExactRegression::SPEC.iter().chain(Nystrom::SPEC) {
        for bad in param.kind.bad_values() {
            assert!(param.kind.check(param.name, &bad).is_err(), "{} {bad}", param.name);
        }
    }
}

#[test]
fn constant_outputs_and_single_rows_are_learned_as_they_are() {
    let x = inputs(20, 2, 1);
    let y = Mat::from_fn(20, 2, |_, t| 4.0 + t as f64);
    for kernel in [identity(), Kernel::curl_free(spectrum(1.0))] {
        for ridge in [Ridge::Evidence, Ridge::Gcv, Ridge::Loo, Ridge::Given(1e-3), Ridge::Given(0.0)] {
            let fitted = fit(&exact(&kernel, ridge, true), &table(&x, &y, &None));
            let mean = fitted.model.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean;
            assert!(gap(&mean, &y) < 1e-12, "{ridge:?}: {:e}", gap(&mean, &y));
        }
        let nystrom = Nystrom { kernel: kernel.clone(), ..Nystrom::default() };
        let fitted = nystrom.fit(&table(&x, &y, &None), &mut Silent).unwrap();
        assert!(gap(&predict(&fitted, &x).mean, &y) < 1e-12);
        let one = table(&inputs(1, 2, 1), &faer::mat![[3.0, -1.0]], &None);
        let fitted = fit(&exact(&kernel, Ridge::Given(0.1), true), &one);
        let at = Inputs::Dense(inputs(1, 2, 7));
        let mean = fitted.model.predict(&at, Query::default()).unwrap().mean;
        assert!(gap(&mean, &faer::mat![[3.0, -1.0]]) < 1e-14);
        // one row tells nothing of the noise about its constant
        let landmark = Nystrom { kernel: kernel.clone(), ridge: Ridge::Given(0.1), ..Nystrom::default() };
        for fitted in [fitted, landmark.fit(&one, &mut Silent).unwrap()] {
            assert!(fitted.model.predict(&at, ALL).is_err());
            assert_eq!(fitted.training.choices.iter().filter(|c| c.starts_with("no error bars: too few")).count(), 1);
        }
    }
}

#[test]
fn ridge_zero_interpolates() {
    let x = inputs(15, 2, 1);
    // short lengthscales: the Gram matrix is far from singular
    let given = Output::Given { matrix: matrix(faer::mat![[1.3, 0.5], [0.5, 0.9]]) };
    let kernels = [Kernel::decomposable(spectrum(0.4), given), Kernel::curl_free(spectrum(0.4))];
    for kernel in kernels {
        let y = outputs(&x, 2, 0.3);
        let fitted = fit(&exact(&kernel, Ridge::Given(0.0), true), &table(&x, &y, &None));
        let mean = fitted.model.predict(&Inputs::Dense(x.clone()), Query::default()).unwrap().mean;
        assert!(gap(&mean, &y) < 1e-8, "{:e}", gap(&mean, &y));
    }
}
