//! Kernels as text: what each text means, what is refused and where, and that printing is the inverse of reading.

use orff::kernel::{
    Conjugated, CurlFree, Decomposable, DivFree, Helmholtz, Kernel, Listed, Matrix, Output, Precomposed, Product,
    Scaled, Sum, Transformable,
};
use orff::spectrum::{Cauchy, Component, Gaussian, Laplace, Lengthscale, Matern, SkewedChi2, Spectrum};
use proptest::prelude::*;
use serde_json::json;

fn gaussian(lengthscale: impl Into<Lengthscale>) -> Spectrum {
    Gaussian { lengthscale: lengthscale.into() }.into()
}

fn matern(smoothness: f64, lengthscale: impl Into<Lengthscale>) -> Spectrum {
    Matern { smoothness, lengthscale: lengthscale.into() }.into()
}

fn scalar(spectrum: impl Into<Spectrum>) -> Kernel {
    Kernel::decomposable(spectrum.into(), Output::Identity)
}

fn matrix(rows: &[&[f64]]) -> Matrix {
    Matrix::new(faer::Mat::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j]), "matrix").unwrap()
}

fn open() -> Spectrum {
    gaussian(Lengthscale::Auto)
}

/// Texts and their kernels; the third is how the kernel prints, where that differs.
fn table() -> Vec<(&'static str, Kernel, Option<&'static str>)> {
    let curl = || Kernel::curl_free(open());
    let div = || Kernel::div_free(open());
    let decomposable = |spectrum, output| Kernel::decomposable(spectrum, output);
    vec![
        ("decomposable", Kernel::default(), None),
        ("decomposable()", Kernel::default(), Some("decomposable")),
        ("decomposable(gaussian)", Kernel::default(), Some("decomposable")),
        ("gaussian", Kernel::default(), Some("decomposable")),
        ("gaussian(0.5)", scalar(gaussian(0.5)), Some("decomposable(gaussian(0.5))")),
        ("gaussian(auto)", Kernel::default(), Some("decomposable")),
        ("gaussian([0.1, 0.2])", scalar(gaussian(vec![0.1, 0.2])), Some("decomposable(gaussian([0.1, 0.2]))")),
        ("laplace(2)", scalar(Laplace { lengthscale: 2.0.into() }), Some("decomposable(laplace(2))")),
        ("cauchy(1e-7)", scalar(Cauchy { lengthscale: 1e-7.into() }), Some("decomposable(cauchy(1e-7))")),
        ("skewed-chi2(1)", scalar(SkewedChi2 { lengthscale: 1.0.into() }), Some("decomposable(skewed-chi2(1))")),
        ("decomposable(matern)", scalar(Matern::default()), None),
        ("decomposable(matern(1.5))", scalar(matern(1.5, Lengthscale::Auto)), None),
        ("decomposable(matern(2.5, 3))", scalar(matern(2.5, 3.0)), None),
        ("matern(lengthscale=3)", scalar(matern(2.5, 3.0)), Some("decomposable(matern(2.5, 3))")),
        (
            "matern( lengthscale = 3,\n\tsmoothness = .5 )",
            scalar(matern(0.5, 3.0)),
            Some("decomposable(matern(0.5, 3))"),
        ),
        ("decomposable(matern(1.5, 0.4), covariance)", decomposable(matern(1.5, 0.4), Output::Covariance), None),
        (
            "decomposable(output=covariance)",
            decomposable(open(), Output::Covariance),
            Some("decomposable(gaussian, covariance)"),
        ),
        ("decomposable(gaussian, identity)", Kernel::default(), Some("decomposable")),
        (
            "decomposable(gaussian, similarity(0.7))",
            decomposable(open(), Output::Similarity { gamma: 0.7, epsilon: None }),
            None,
        ),
        (
            "decomposable(gaussian, similarity(0.7, 0))",
            decomposable(open(), Output::Similarity { gamma: 0.7, epsilon: Some(0.0) }),
            None,
        ),
        (
            "decomposable(gaussian, given([[2, -0.5], [-0.5, 1e300]]))",
            decomposable(open(), Output::Given { matrix: matrix(&[&[2.0, -0.5], &[-0.5, 1e300]]) }),
            None,
        ),
        (
            "decomposable(gaussian, [[2, -0.5], [-0.5, 3]])",
            decomposable(open(), Output::Given { matrix: matrix(&[&[2.0, -0.5], &[-0.5, 3.0]]) }),
            Some("decomposable(gaussian, given([[2, -0.5], [-0.5, 3]]))"),
        ),
        (
            "decomposable(gaussian, laplacian([[0, 1], [1, 0]], 0.1))",
            decomposable(open(), Output::Laplacian { adjacency: matrix(&[&[0.0, 1.0], &[1.0, 0.0]]), epsilon: 0.1 }),
            None,
        ),
        (
            "decomposable(gaussian, laplacian([[0]]))",
            decomposable(open(), Output::Laplacian { adjacency: matrix(&[&[0.0]]), epsilon: 0.0 }),
            None,
        ),
        ("curl-free", curl(), None),
        ("curl-free(gaussian(0.5))", Kernel::curl_free(gaussian(0.5)), None),
        (
            "div-free(spectrum=matern(2.5, auto))",
            Kernel::div_free(Matern::default().into()),
            Some("div-free(matern)"),
        ),
        ("helmholtz(gaussian, 0.3)", Kernel::helmholtz(open(), 0.3), None),
        ("helmholtz(gradient=0.3)", Kernel::helmholtz(open(), 0.3), Some("helmholtz(gaussian, 0.3)")),
        ("helmholtz(gaussian)", Helmholtz::default().into(), None),
        ("curl-free + div-free", curl() + div(), None),
        (
            "curl-free+div-free+gaussian",
            curl() + div() + Kernel::default(),
            Some("curl-free + div-free + decomposable"),
        ),
        ("(curl-free + div-free) + curl-free", Sum { terms: vec![curl() + div(), curl()] }.into(), None),
        ("sum(curl-free)", Sum { terms: vec![curl()] }.into(), None),
        ("sum(curl-free, div-free)", curl() + div(), Some("curl-free + div-free")),
        ("0.1*curl-free", 0.1 * curl(), None),
        ("((curl-free)) * 1e-1", 0.1 * curl(), Some("0.1*curl-free")),
        ("2*3*curl-free", 6.0 * curl(), Some("6*curl-free")),
        ("2*(3*curl-free)", Scaled { factor: 2.0, of: Box::new(3.0 * curl()) }.into(), None),
        ("2*curl-free*div-free", 2.0 * curl() * div(), None),
        ("2*(curl-free*div-free)", 2.0 * (curl() * div()), None),
        ("curl-free*(2*div-free)", curl() * (2.0 * div()), None),
        ("curl-free*(div-free*curl-free)", curl() * (div() * curl()), None),
        ("curl-free*div-free*curl-free", curl() * div() * curl(), None),
        ("(curl-free + div-free)*curl-free", (curl() + div()) * curl(), None),
        ("3*(curl-free + 0.5*div-free)", 3.0 * (curl() + 0.5 * div()), None),
        ("conjugate([[1, 2]], curl-free)", curl().conjugated(matrix(&[&[1.0, 2.0]])), None),
        (
            "precompose([[1], [2]], curl-free + div-free)",
            (curl() + div()).precomposed(matrix(&[&[1.0], &[2.0]])),
            None,
        ),
        (
            "transformable(gaussian(2), [[1, 0]], [[0, 1]], [[1, 1]])",
            Transformable {
                spectrum: gaussian(2.0),
                views: vec![matrix(&[&[1.0, 0.0]]), matrix(&[&[0.0, 1.0]]), matrix(&[&[1.0, 1.0]])],
            }
            .into(),
            None,
        ),
        (
            "atoms([[1, 2]], [[1], [2], [3]])",
            Listed { omega: matrix(&[&[1.0, 2.0]]), factors: matrix(&[&[1.0], &[2.0], &[3.0]]), weights: None }
                .into(),
            None,
        ),
        (
            "atoms([[1], [-2]], [[1], [2]], [0.25, 0])",
            Listed {
                omega: matrix(&[&[1.0], &[-2.0]]),
                factors: matrix(&[&[1.0], &[2.0]]),
                weights: Some(vec![0.25, 0.0]),
            }
            .into(),
            None,
        ),
    ]
}

#[test]
fn texts_have_their_kernels() {
    for (text, kernel, printed) in table() {
        assert_eq!(text.parse::<Kernel>().unwrap(), kernel, "{text}");
        assert_eq!(kernel.to_string(), printed.unwrap_or(text));
    }
}

#[test]
fn errors_point_at_the_place() {
    let table = [
        ("curl-fre(gaussian)", "unknown kernel \"curl-fre\" at character 1; did you mean curl-free?"),
        ("2*curl_free", "unknown kernel \"curl_free\" at character 3; did you mean curl-free?"),
        ("curl-free(Gausian)", "unknown spectrum \"Gausian\" at character 11; did you mean gaussian?"),
        (
            "curl-free(rbf)",
            "unknown spectrum \"rbf\" at character 11; expected one of gaussian, laplace, cauchy, matern, skewed-chi2, spectral-mixture",
        ),
        (
            "decomposable(gaussian, covarianc)",
            "unknown output \"covarianc\" at character 24; did you mean covariance?",
        ),
        (
            "covariance",
            "expected a kernel at character 1, got the output \"covariance\"; write decomposable(gaussian, covariance)",
        ),
        (
            "decomposable(covariance)",
            "expected a spectrum at character 14, got the output \"covariance\"; write output=covariance",
        ),
        ("curl-free(div-free)", "expected a spectrum at character 11, got the kernel \"div-free\""),
        ("", "expected a kernel such as curl-free or \"gaussian(0.5)\", got an empty text"),
        (" \t", "expected a kernel such as curl-free or \"gaussian(0.5)\", got an empty text"),
        ("curl-free(gaussian", "the \"(\" at character 10 is not closed"),
        ("(curl-free", "the \"(\" at character 1 is not closed"),
        ("gaussian([1, 2", "the \"[\" at character 10 is not closed"),
        ("curl-free)", "\")\" at character 10 is not opened by a \"(\""),
        ("gaussian([1, 2)", "\")\" at character 15 stands where a \"]\" is expected"),
        ("gaussian(0.5 2)", "\"2\" at character 14 stands where a \")\" is expected"),
        ("gaussian gaussian", "\"g\" at character 10 follows a complete kernel; expected +, * or the end"),
        ("gaussian,", "\",\" at character 9 follows a complete kernel; expected +, * or the end"),
        ("gaussian +", "expected a kernel or a number at character 11, got the end"),
        ("* gaussian", "\"*\" at character 1 is not the start of a kernel, a number or a \"(\""),
        (
            "gaussian - laplace",
            "\"-\" at character 10 follows a complete kernel; expected +, * or the end (kernels are not subtracted)",
        ),
        ("- laplace", "\"-\" at character 1: kernels are not subtracted"),
        (
            "2·laplace",
            "\"·\" at character 2 follows a complete kernel; expected +, * or the end (write * for a product)",
        ),
        (
            "gaussian(−2)",
            "\"−\" at character 10 is not the start of a kernel, a number or a \"(\" \
             (write - for a negative number; kernels are not subtracted)",
        ),
        ("é*\u{7}", "\"é\" at character 1 is not the start of a kernel, a number or a \"(\""),
        ("2", "2 at character 1 is a number, expected a kernel (scale one: 2*gaussian)"),
        ("gaussian + 2", "2 at character 12 is a number, expected a kernel (scale one: 2*gaussian)"),
        ("2*3", "only numbers at character 1, expected a kernel among the factors"),
        ("-2*gaussian", "a kernel is scaled by a finite number > 0, got -2 at character 1"),
        ("0*gaussian", "a kernel is scaled by a finite number > 0, got 0 at character 1"),
        ("1e200*1e200*gaussian", "a kernel is scaled by a finite number > 0, got inf at character 7"),
        ("1e999*gaussian", "\"1e999\" at character 1 is not a finite number"),
        ("1.2.3*gaussian", "\"1.2.3\" at character 1 is not a finite number"),
        ("2gaussian", "\"2gaussian\" at character 1 is not a finite number"),
        ("gaussian(-1)", "lengthscale: expected finite numbers > 0, got -1 at character 10"),
        ("gaussian([1, 0])", "lengthscale: expected finite numbers > 0, got 0 at character 10"),
        ("gaussian([])", "expected a list of numbers [0.1, 0.2] at character 10, got a list"),
        (
            "gaussian(laplace)",
            "expected a lengthscale: a number, auto or a list [0.1, 0.2] at character 10, got \"laplace\"",
        ),
        ("gaussian(0.5, 2)", "gaussian takes lengthscale, got 2 arguments (at character 15)"),
        ("gaussian + matern(0.05)", "smoothness: expected a number from 0.1 to 1000000, got 0.05 at character 12"),
        ("matern(auto)", "expected a number at character 8, got \"auto\""),
        (
            "matern(smothness=2)",
            "matern has no argument \"smothness\" (given at character 18); did you mean smoothness?",
        ),
        ("matern(2, smoothness=2)", "smoothness of matern is given twice, again at character 22"),
        ("matern(smoothness=2, 3)", "the argument at character 22 follows a named one; name it"),
        ("curl-free(gaussian + laplace)", "expected a spectrum such as gaussian(0.5) at character 11, got a sum"),
        (
            "decomposable(gaussian, 3)",
            "expected an output such as covariance or [[1, 0.5], [0.5, 1]] at character 24, got 3",
        ),
        ("decomposable(gaussian, covariance(1))", "covariance takes none, got 1 arguments (at character 35)"),
        ("decomposable(gaussian, similarity)", "similarity at character 24 needs its argument gamma"),
        ("decomposable(gaussian, similarity(-1))", "gamma: expected a number ≥ 0, got -1 at character 35"),
        ("decomposable(gaussian, given([1]))", "expected a matrix [[1, 0], [0, 1]] at character 30, got a list"),
        ("decomposable(gaussian, given([[1, 2], [3]]))", "row 2 at character 39 has 1 numbers, expected 2"),
        ("decomposable(gaussian, given([[]]))", "expected a list of numbers [0.1, 0.2] at character 31, got a list"),
        ("decomposable(gaussian, laplacian([[0]], -1))", "epsilon: expected a number ≥ 0, got -1 at character 41"),
        (
            "helmholtz(gaussian, 1)",
            "gradient: expected a number > 0 and < 1 (0 is div-free, 1 is curl-free), got 1 at character 1",
        ),
        ("conjugate(curl-free, [[1]])", "expected a matrix [[1, 0], [0, 1]] at character 11, got \"curl-free\""),
        ("conjugate([[1]])", "conjugate at character 1 needs its argument of"),
        ("conjugate([[1]], [[1]])", "expected a kernel at character 18, got a list"),
        ("sum()", "sum at character 1 needs its argument term"),
        ("transformable(gaussian)", "transformable at character 1 needs its argument view"),
        (
            "atoms([[1], [2]], [[1], [2], [3]])",
            "factors: expected D·p rows with D = 2 atoms, and at least one column, got 3×1 at character 1",
        ),
        ("atoms([[1]], [[1]], [1, 2])", "weights: expected 1, one per atom, got 2 at character 1"),
    ];
    for (text, problem) in table {
        let error = text.parse::<Kernel>().expect_err(text).to_string();
        assert_eq!(error, format!("kernel: \"{text}\": {problem}"));
    }
}

#[test]
fn absurd_texts_are_refused_quickly_and_briefly() {
    let deep = |n: usize| format!("{}gaussian{}", "(".repeat(n), ")".repeat(n));
    assert_eq!(deep(64).parse::<Kernel>().unwrap(), Kernel::default());
    let long = |n: usize| vec!["gaussian"; n].join("*");
    assert!(long(63).parse::<Kernel>().is_ok());
    let refused = [
        (deep(65), "nested deeper than 64 at character 65"),
        (deep(400_000), "nested deeper than 64 at character 65"),
        ("(".repeat(1_000_000), "nested deeper than 64 at character 65"),
        ("[".repeat(1_000_000), "nested deeper than 64 at character 65"),
        ("sum(".repeat(200_000), "nested deeper than 64 at character 260"),
        (long(100_000), "nested deeper than 64 at character 1"),
        ("a".repeat(1_000_000), "the name at character 1 is longer than 64 characters"),
        ("1".repeat(1_000_000), "is not a finite number"),
        ("2*".repeat(500_000) + "gaussian", "a kernel is scaled by a finite number > 0, got inf"),
        ("gaussian+".repeat(100_000), "got the end"),
        ("é".repeat(2_000_000), "kernel: expected a text of at most 1048576 bytes"),
    ];
    for (text, problem) in refused {
        let error = text.parse::<Kernel>().unwrap_err().to_string();
        assert!(error.contains(problem) && error.len() < 400, "{error}");
    }
    // wide is not deep
    let Kernel::Sum(sum) = vec!["gaussian"; 50_000].join("+").parse::<Kernel>().unwrap() else { panic!("no sum") };
    assert_eq!(sum.terms.len(), 50_000);
    // a long text is quoted around the place
    let error = format!("{} + curl-fre", long(60)).parse::<Kernel>().unwrap_err().to_string();
    assert!(error.contains("kernel: \"…") && error.contains("curl-fre\": unknown kernel \"curl-fre\""), "{error}");
}

#[test]
fn files_take_text_or_structure_at_any_depth() {
    let read = |value| serde_json::from_value::<Kernel>(value);
    let curl = || Kernel::curl_free(matern(2.5, 0.4));
    assert_eq!(read(json!("curl-free(matern(2.5, 0.4))")).unwrap(), curl());
    let spectrum = json!({"name": "matern", "smoothness": 2.5, "lengthscale": 0.4});
    assert_eq!(read(json!({"kernel": "curl-free", "spectrum": spectrum})).unwrap(), curl());
    let mixed = json!({"kernel": "sum", "terms": [
        "curl-free(matern(2.5, 0.4))",
        {"kernel": "scaled", "factor": 0.1, "of": "div-free*curl-free"},
    ]});
    let product = Kernel::div_free(open()) * Kernel::curl_free(open());
    assert_eq!(read(mixed).unwrap(), curl() + 0.1 * product);
    assert_eq!(from_borrowed("gaussian"), Kernel::default());

    let error = read(json!({"kernel": "scaled", "factor": 2, "of": "curl-fre"})).unwrap_err().to_string();
    assert_eq!(error, "kernel: \"curl-fre\": unknown kernel \"curl-fre\" at character 1; did you mean curl-free?");
    let error = read(json!(3)).unwrap_err().to_string();
    assert!(error.contains("expected a kernel: an expression such as \"curl-free(gaussian)\""), "{error}");
    assert!(read(json!({"kernel": "curl-free", "spectrm": {}})).unwrap_err().to_string().contains("spectrm"));
    assert!(read(json!({"kernel": "no-such"})).is_err() && read(json!({})).is_err() && read(json!([])).is_err());
}

/// A kernel from a borrowed text, as other formats deliver it.
fn from_borrowed(text: &str) -> Kernel {
    use serde::Deserialize;
    use serde::de::IntoDeserializer;
    let from: serde::de::value::StrDeserializer<'_, serde::de::value::Error> = text.into_deserializer();
    Kernel::deserialize(from).unwrap()
}

fn a_number() -> impl Strategy<Value = f64> {
    prop_oneof![-10.0..10.0, Just(0.0), Just(1.0), Just(-3.0), any::<f64>().prop_filter("finite", |v| v.is_finite())]
}

fn a_positive() -> impl Strategy<Value = f64> {
    a_number().prop_map(|v| if v == 0.0 { 1.0 } else { v.abs() })
}

fn a_matrix() -> impl Strategy<Value = Matrix> {
    (1usize..4, 1usize..4).prop_flat_map(|(n, m)| {
        prop::collection::vec(a_number(), n * m)
            .prop_map(move |v| Matrix::new(faer::Mat::from_fn(n, m, |i, j| v[i * m + j]), "matrix").unwrap())
    })
}

fn a_spectrum() -> impl Strategy<Value = Spectrum> {
    let lengthscale = prop_oneof![
        Just(Lengthscale::Auto),
        a_positive().prop_map(Lengthscale::Common),
        prop::collection::vec(a_positive(), 1..4).prop_map(Lengthscale::PerInput),
    ];
    let smoothness = prop_oneof![Just(2.5), 0.1..50.0];
    (0..Spectrum::NAMES.len(), smoothness, lengthscale).prop_map(|(i, smoothness, lengthscale)| {
        match Spectrum::from_name(Spectrum::NAMES[i]).unwrap().with_lengthscale(lengthscale) {
            Spectrum::Matern(m) => Matern { smoothness, ..m }.into(),
            // half of the mixtures are given: one input, numbers of any size
            mixture @ Spectrum::SpectralMixture(_) if smoothness != 2.5 => {
                let row =
                    |weight: f64| Component { weight, mean: vec![-smoothness], deviation: vec![1e-7 * smoothness] };
                mixture.with_components(vec![row(1.0), row(smoothness)])
            }
            other => other,
        }
    })
}

fn an_output() -> impl Strategy<Value = Output> {
    let epsilon = || prop_oneof![Just(0.0), a_positive()];
    prop_oneof![
        Just(Output::Identity),
        Just(Output::Covariance),
        a_matrix().prop_map(|matrix| Output::Given { matrix }),
        (a_matrix(), epsilon()).prop_map(|(adjacency, epsilon)| Output::Laplacian { adjacency, epsilon }),
        (epsilon(), prop::option::of(epsilon())).prop_map(|(gamma, epsilon)| Output::Similarity { gamma, epsilon }),
    ]
}

/// Two atoms of three inputs and two outputs.
fn some_atoms() -> impl Strategy<Value = Kernel> {
    let weights = prop::option::of(prop::collection::vec(a_positive(), 2));
    (prop::collection::vec(a_number(), 6), prop::collection::vec(a_number(), 8), weights).prop_map(
        |(w, b, weights)| {
            let omega = Matrix::new(faer::Mat::from_fn(2, 3, |i, j| w[3 * i + j]), "omega").unwrap();
            let factors = Matrix::new(faer::Mat::from_fn(4, 2, |i, j| b[2 * i + j]), "factors").unwrap();
            Listed { omega, factors, weights }.into()
        },
    )
}

fn a_kernel() -> impl Strategy<Value = Kernel> {
    let leaf = prop_oneof![
        (a_spectrum(), an_output()).prop_map(|(spectrum, output)| Decomposable { spectrum, output }.into()),
        a_spectrum().prop_map(|spectrum| CurlFree { spectrum }.into()),
        a_spectrum().prop_map(|spectrum| DivFree { spectrum }.into()),
        (a_spectrum(), 0.001..0.999).prop_map(|(spectrum, gradient)| Kernel::helmholtz(spectrum, gradient)),
        (a_spectrum(), prop::collection::vec(a_matrix(), 1..4)).prop_map(|(spectrum, views)| Transformable {
            spectrum,
            views
        }
        .into()),
        some_atoms(),
    ];
    leaf.prop_recursive(5, 24, 3, |inner: BoxedStrategy<Kernel>| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|terms| Sum { terms }.into()),
            (a_positive(), boxed()).prop_map(|(factor, of)| Scaled { factor, of }.into()),
            (boxed(), boxed()).prop_map(|(left, right)| Product { left, right }.into()),
            (a_matrix(), boxed()).prop_map(|(by, of)| Conjugated { by, of }.into()),
            (a_matrix(), boxed()).prop_map(|(by, of)| Precomposed { by, of }.into()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_printed_kernel_is_read_back(kernel in a_kernel()) {
        let text = kernel.to_string();
        prop_assert_eq!(text.parse::<Kernel>().expect(&text), kernel.clone());
        let json = serde_json::to_string(&kernel).unwrap();
        prop_assert_eq!(serde_json::from_str::<Kernel>(&json).unwrap(), kernel);
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,60}") {
        let _ = text.parse::<Kernel>();
    }

    #[test]
    fn no_text_of_the_right_signs_panics(
        words in prop::collection::vec(prop::sample::select(vec![
            "gaussian", "matern", "curl-free", "sum", "given", "atoms", "auto", "covariance", "decomposable", "(", ")",
            "[", "]", ",", "+", "*", "=", "-", "1", "0.5", "1e-3", " ", "of", "é",
        ]), 0..40)
    ) {
        let _ = words.concat().parse::<Kernel>();
    }
}

#[test]
fn structured_kernels_are_as_deep_as_expressions() {
    let deep = |levels: usize| {
        let inner = json!({"kernel": "decomposable", "spectrum": {"name": "gaussian"}});
        (1..levels).fold(inner, |of, _| json!({"kernel": "scaled", "factor": 1.0, "of": of}))
    };
    assert!(Kernel::from_value(deep(64), "kernel").is_ok());
    for levels in [65, 120, 2000] {
        let said = Kernel::from_value(deep(levels), "of").unwrap_err().to_string();
        assert_eq!(said, "of: expected kernels nested at most 64 deep, got more");
    }
}
