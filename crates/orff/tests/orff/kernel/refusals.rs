//! Kernels that have no meaning are refused with the reason, as values and as files; how many outputs the others have.

use super::{cauchy, gamma4, gaussian, given, listed, matern, matrix, noise, says, transformable};
use faer::{Mat, mat};
use orff::feature::{FeatureMap, MapKind};
use orff::kernel::{Atoms, Kernel, Matrix, Output, Seen, SumDraw};
use orff::spectrum::{Draw, DrawKind, Laplace, Measure, SkewedChi2, Spectrum};
use serde_json::json;

#[test]
fn what_has_no_meaning_is_refused_with_the_reason() {
    let how = Draw::default();
    let draw = |kernel: &Kernel, d: usize| kernel.draw(d, 4, &how, SumDraw::default());
    let laplace: Spectrum = Laplace { lengthscale: 1.0.into() }.into();
    let chi2: Spectrum = SkewedChi2 { lengthscale: 1.0.into() }.into();
    for kernel in [Kernel::curl_free(laplace.clone()), Kernel::curl_free(matern(1.0, 1.0))] {
        says(draw(&kernel, 2), "has no second derivative at 0 (E‖ω‖² = ∞)");
        says(kernel.eval(&[0.0, 0.1], &[0.2, 0.3]), "has no second derivative at 0");
    }
    says(draw(&Kernel::div_free(laplace), 2), "div-free with laplace is refused");
    says(draw(&Kernel::div_free(gaussian(1.0)), 1), "div-free in one dimension is refused");
    says(draw(&Kernel::helmholtz(gaussian(1.0), 0.5), 1), "helmholtz in one dimension is refused");
    says(Kernel::div_free(gaussian(1.0)).eval(&[0.0], &[1.0]), "a field on the line without divergence is constant");
    says(draw(&Kernel::curl_free(chi2), 2), "curl-free with skewed-chi2 is refused");
    for w in [0.0, 1.0, -0.1, f64::NAN] {
        says(draw(&Kernel::helmholtz(gaussian(1.0), w), 2), "a number > 0 and < 1");
    }
    let tilted = Draw { measure: Measure::Tilted, ..Draw::default() };
    says(Kernel::curl_free(matern(2.5, 1.0)).draw(2, 4, &tilted, SumDraw::default()), "gaussian only");
    for kind in [DrawKind::Orthogonal, DrawKind::Structured] {
        let how = Draw { kind, ..Draw::default() };
        says(Kernel::curl_free(cauchy(1.0)).draw(2, 4, &how, SumDraw::default()), "not rotation-invariant");
    }
    for odd in [0, 7] {
        says(
            FeatureMap::draw(&Kernel::curl_free(gaussian(1.0)), 2, odd, MapKind::Pairs, &how, SumDraw::default()),
            "features: expected an even number ≥ 2",
        );
    }
    let seen = Seen { outputs: 4, sample: None, lengthscale: None, gradient: None };
    let four = || Kernel::decomposable(gaussian(1.0), Output::Identity);
    for with in [
        listed(),
        2.0 * listed(),
        listed().conjugated(matrix(noise(1, 4, 4))),
        listed().precomposed(matrix(noise(1, 3, 3))),
        listed() + four(),
        2.0 * (four() + 3.0 * listed()),
    ] {
        says((four() * with.clone()).resolve(&seen), "a product with listed atoms is refused");
        says((with * four()).resolve(&seen), "a product with listed atoms is refused");
    }
    says((transformable() + four()).resolve(&seen), "a sum of a transformable kernel is refused");
    says((2.0 * transformable()).resolve(&seen), "a multiple of a transformable kernel is refused");
    says((transformable() * four()).resolve(&seen), "a product of a transformable kernel is refused");
    says(transformable().resolve(&Seen { outputs: 3, ..seen }), "views: expected 3, one per output, got 4");
    says((-1.0 * four()).resolve(&seen), "factor of a kernel: expected a finite number > 0, got -1");
    says(four().conjugated(matrix(noise(1, 3, 2))).resolve(&seen), "M K Mᵀ");

    let gamma = |m: Mat<f64>| Kernel::decomposable(gaussian(1.0), given(m)).resolve(&Seen { outputs: 2, ..seen });
    says(gamma(mat![[1.0, 2.0], [2.0, 1.0]]), "output: expected a symmetric positive semi-definite matrix");
    says(gamma(mat![[1.0, 0.5], [0.4, 1.0]]), "0.4 at (2, 1) and 0.5 at (1, 2)");
    says(gamma(Mat::identity(3, 3)), "output matrix: expected 2×2");
    says(Matrix::new(mat![[f64::NAN]], "gamma"), "gamma: expected finite numbers, got NaN at row 1, column 1");
    let graph = |m: Mat<f64>| Output::Laplacian { adjacency: matrix(m), epsilon: 0.0 }.resolve(2, None);
    says(
        graph(mat![[0.0, -0.5], [-0.5, 0.0]]),
        "adjacency: expected symmetric weights ≥ 0, got -0.5 at row 1, column 2",
    );
    says(graph(mat![[0.0, 0.5], [0.1, 0.0]]), "adjacency: expected symmetric weights ≥ 0");
    says(Output::Covariance.resolve(2, None), "needs training outputs");
    let different = Kernel::curl_free(gaussian(1.0)) + Kernel::decomposable(gaussian(1.0), given(gamma4()));
    says(draw(&different, 3), "terms of a sum of kernels: expected 3 outputs in each, got 4");
    says(different.eval(&[0.0; 3], &[1.0; 3]), "terms of a sum of kernels");
    says(listed().draw(2, 4, &how, SumDraw::default()), "omega of the listed atoms: expected 2 columns, got 3");
    says(listed().eval(&[0.0; 2], &[1.0; 2]), "omega of the listed atoms: expected 2 columns, got 3");
    says(
        Atoms::listed(noise(1, 3, 2).as_ref(), noise(2, 3, 1).as_ref(), &[1.0, -1.0, 1.0]),
        "weights: expected finite",
    );
}

#[test]
fn kernels_that_no_data_can_make_right_are_refused_when_they_are_made() {
    let said = |form: serde_json::Value| Kernel::from_value(form, "thing").unwrap_err().to_string();
    let of = |fields: serde_json::Value| {
        let mut form = json!({"kernel": "decomposable"});
        form.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        form
    };
    for (form, sentence) in [
        (
            json!({"kernel": "scaled", "factor": 0, "of": "gaussian"}),
            "factor of a kernel: expected a finite number > 0, got 0",
        ),
        (
            json!({"kernel": "scaled", "factor": "x", "of": "gaussian"}),
            "factor of a kernel: expected a finite number > 0, got \"x\"",
        ),
        (json!({"kernel": "sum", "terms": []}), "sum of kernels: expected at least one term, got none"),
        (
            json!({"kernel": "transformable", "views": []}),
            "views: expected at least one: a matrix for each output, got none",
        ),
        (
            json!({"kernel": "transformable", "views": [[[1.0]], [[1.0, 2.0]]]}),
            "views: expected 1×1 in each, got another in view 2",
        ),
        (
            json!({"kernel": "transformable", "views": [[[1.0]], 3]}),
            "view 2: expected a matrix given by its rows, [[1, 0], [0, 1]], got 3",
        ),
        (
            json!({"kernel": "helmholtz", "gradient": 1.0}),
            "gradient: expected a number > 0 and < 1 (0 is div-free, 1 is curl-free), got 1",
        ),
        (
            of(json!({"spectrum": {"name": "matern", "smoothness": null}})),
            "smoothness: expected a number from 0.1 to 1000000, got none",
        ),
        (
            of(json!({"spectrum": {"name": "gaussian", "lengthscale": []}})),
            "lengthscale: expected one number, or one number per input, got an empty list",
        ),
        (of(json!({"output": [[1.0], [2.0, 3.0]]})), "output: expected 1 numbers in every row, got 2 in row 2"),
        (of(json!({"output": {"name": "similarity", "gamma": -1.0}})), "gamma: expected a number ≥ 0, got -1"),
        (
            of(json!({"output": {"name": "laplacian", "adjacency": [[0.0]], "epsilon": -1.0}})),
            "epsilon: expected a number ≥ 0, got -1",
        ),
        (json!("gausian"), "thing: \"gausian\": unknown kernel \"gausian\" at character 1; did you mean gaussian?"),
    ] {
        assert_eq!(said(form), sentence);
    }
    assert!(
        said(of(json!({"output": [[1.0, 2.0], [2.0, 1.0]]}))).starts_with("output: expected a symmetric positive")
    );
    assert!(
        said(json!({"kernel": "curl-free", "spectrum": {"name": "laplace"}}))
            .starts_with("curl-free with laplace is refused")
    );
    assert!(said(json!(3)).starts_with("thing: expected a kernel such as"));
    assert!(said(json!({"kernel": "x"})).starts_with("thing: expected a kernel such as"));
    // an open lengthscale, and what depends on the data, is none of these
    for fine in
        ["gaussian", "curl-free(matern)", "decomposable(laplace, covariance)", "precompose(by=[[1, 2]], of=gaussian)"]
    {
        Kernel::from_value(json!(fine), "thing").unwrap();
    }
    // files of before
    let with = json!({"kernel": "precomposed", "with": [[1.0, 2.0]], "of": "gaussian"});
    assert_eq!(Kernel::from_value(with, "thing").unwrap(), "precompose([[1, 2]], gaussian)".parse().unwrap());
}

#[test]
fn kernels_know_how_many_outputs_they_have_by_themselves() {
    let own = |text: &str| text.parse::<Kernel>().unwrap().own_outputs(3).map_err(|e| e.to_string());
    assert_eq!(own("gaussian"), Ok(None));
    assert_eq!(own("curl-free"), Ok(Some(3)));
    assert_eq!(own("gaussian + 2*helmholtz + laplace"), Ok(Some(3)));
    assert_eq!(own("decomposable(gaussian, [[1, 0], [0, 1]])*cauchy"), Ok(Some(2)));
    assert_eq!(own("conjugate([[1, 2]], gaussian)"), Ok(Some(1)));
    assert_eq!(own("precompose([[1, 0, 0], [0, 1, 0]], div-free)"), Ok(Some(2)));
    assert_eq!(own("transformable(gaussian, [[1, 0, 0]], [[0, 1, 0]])"), Ok(Some(2)));
    assert_eq!(own("atoms([[1, 2, 3], [4, 5, 6]], [[1], [2], [3], [4]])"), Ok(Some(2)));
    let said = "terms of a sum of kernels: expected 3 outputs in each, got 2".to_string();
    assert_eq!(own("curl-free + decomposable(gaussian, [[1, 0], [0, 1]])"), Err(said));
}
