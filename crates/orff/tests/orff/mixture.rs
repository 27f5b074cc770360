//! Spectral mixtures: fields of given ones, and how components are learned.

use faer::Mat;
use orff::kernel::Kernel;
use orff::learn::{AlignedFeatures, ExactRegression, Regression, learner};
use orff::model::{Model, Query};
use orff::params::Auto;
use orff::random::Stream;
use orff::rows::{Inputs, Table, Weights};
use orff::solve::{MixtureEvidence, MixtureForm};
use orff::testing::check_kernel;
use orff::watch::Silent;
use serde_json::{Map, json};

/// Two outputs at 30 points of the plane.
fn points() -> (Mat<f64>, Mat<f64>) {
    let mut s = Stream::new(3, 1, 4);
    let x = Mat::from_fn(30, 2, |_, _| 2.0 * s.uniform() - 1.0);
    let y = Mat::from_fn(30, 2, |i, t| (4.0 * x[(i, 0)] + t as f64).sin() + 0.3 * x[(i, 1)] + 0.1 * s.normal());
    (x, y)
}

#[test]
fn fields_of_mixtures_have_their_atoms() {
    let mixture = "spectral-mixture([[1, 0.7, -1.2, 0.4, 0.9], [0.5, 1.6, 0.3, 0.8, 0.2]], 1.3)";
    for (kernel, p) in [("", 3), ("curl-free", 2), ("div-free", 2), ("helmholtz", 2)] {
        let kernel: Kernel =
            if kernel.is_empty() { mixture.into() } else { format!("{kernel}({mixture})") }.parse().unwrap();
        check_kernel(&kernel, 2, p).unwrap();
        assert_eq!(kernel.to_string().parse::<Kernel>().unwrap(), kernel);
    }
    // a Schur product of waves: the law must be symmetric
    let product: Kernel = format!("{mixture}*{mixture}").parse().unwrap();
    check_kernel(&product, 2, 1).unwrap();
}

/// Kernels of fields, and what their outputs are of k₀.
const FIELDS: [(&str, MixtureForm); 3] = [
    ("curl-free", MixtureForm::Field { gradient: 1.0, rotation: 0.0 }),
    ("div-free", MixtureForm::Field { gradient: 0.0, rotation: 1.0 }),
    ("helmholtz", MixtureForm::Field { gradient: 0.3, rotation: 0.7 }),
];

/// The evidence of a field is the normal density of its observed numbers, whose covariance is the kernel itself.
#[test]
fn the_evidence_of_a_field_is_that_of_its_kernel() {
    let (x, y) = points();
    let gaps = Mat::from_fn(30, 2, |i, t| if (i + t) % 4 == 0 { f64::NAN } else { y[(i, t)] });
    let entries = Mat::from_fn(30, 2, |i, t| 1.0 + (i % 5) as f64 + t as f64);
    let numbers: Vec<(usize, usize)> =
        (0..30).flat_map(|i| [(i, 0), (i, 1)]).filter(|&(i, t)| gaps[(i, t)].is_finite()).collect();
    let (w, noise) = ([0.8, 0.5], 0.3f64);
    let (mean, s) = ([[3.0, -1.0], [0.4, 0.6]], [[0.5, 0.9], [1.4, 0.7]]);
    let part = |q: usize| [vec![f64::ln(w[q])], mean[q].to_vec(), s[q].map(f64::ln).to_vec()].concat();
    let theta = [part(0), part(1), vec![noise.ln()]].concat();
    for (name, form) in FIELDS {
        let row = |q: usize| format!("[{}, {}, {}, {}, {}]", w[q] / 1.3, mean[q][0], mean[q][1], s[q][0], s[q][1]);
        let of = format!("spectral-mixture([{}, {}], 1)", row(0), row(1));
        let share = if name == "helmholtz" { ", 0.3" } else { "" };
        let kernel: Kernel = format!("1.3*{name}({of}{share})").parse().unwrap();
        let at = |i: usize| [x[(i, 0)], x[(i, 1)]];
        let c = Mat::from_fn(numbers.len(), numbers.len(), |k, l| {
            let ((i, s), (j, t)) = (numbers[k], numbers[l]);
            let own = if k == l { noise / entries[numbers[k]] } else { 0.0 };
            kernel.eval(&at(i), &at(j)).unwrap()[(s, t)] + own
        });
        let e = orff::linalg::eigen(c.as_ref()).unwrap();
        let density: f64 = (0..numbers.len())
            .map(|m| {
                let along: f64 = (0..numbers.len()).map(|k| e.vectors[(k, m)] * gaps[numbers[k]]).sum();
                -0.5 * (along * along / e.values[m] + e.values[m].ln() + std::f64::consts::TAU.ln())
            })
            .sum();
        let weights = Weights::Entry(entries.clone());
        let evidence = MixtureEvidence::new(x.clone(), &gaps, Some(&weights), 2, form).unwrap();
        let value = evidence.value(&theta, &mut vec![0.0; theta.len()]).unwrap();
        let expected = density / numbers.len() as f64;
        assert!((value - expected).abs() < 1e-10 * expected.abs(), "{name}: {value} {expected}");
        if name == "helmholtz" {
            // a share of 0.3 by its log-odds
            let open = MixtureEvidence::new(x.clone(), &gaps, Some(&weights), 2, MixtureForm::Helmholtz).unwrap();
            let theta = [theta.clone(), vec![(0.3f64 / 0.7).ln()]].concat();
            let value = open.value(&theta, &mut vec![0.0; theta.len()]).unwrap();
            assert!((value - expected).abs() < 1e-10 * expected.abs(), "{value} {expected}");
        }
    }
}

/// Two rows: the density of a normal pair, by hand.
#[test]
fn the_evidence_is_a_normal_density() {
    let x = Mat::from_fn(2, 1, |i, _| 0.4 * i as f64);
    let y = Mat::from_fn(2, 1, |i, _| [0.7, -0.2][i]);
    let weights = Weights::Row(vec![1.0, 2.0]);
    let evidence = MixtureEvidence::new(x, &y, Some(&weights), 2, MixtureForm::Scalar).unwrap();
    let (w, mean, s, noise) = ([0.8, 0.5], [3.0, 0.6], [0.5, 1.4], 0.3);
    let theta = [f64::ln(w[0]), mean[0], f64::ln(s[0]), f64::ln(w[1]), mean[1], f64::ln(s[1]), f64::ln(noise)];
    let k = |t: f64| (0..2).map(|q| w[q] * (-0.5 * (s[q] * t).powi(2)).exp() * (mean[q] * t).cos()).sum::<f64>();
    let (a, b, c) = (k(0.0) + noise, k(0.0) + noise / 2.0, k(0.4));
    let determinant = a * b - c * c;
    let square = (b * 0.7 * 0.7 - 2.0 * c * 0.7 * -0.2 + a * 0.2 * 0.2) / determinant;
    let density = -0.5 * (square + determinant.ln()) - std::f64::consts::TAU.ln();
    let value = evidence.value(&theta, &mut [0.0; 7]).unwrap();
    assert!((value - density / 2.0).abs() < 1e-14, "{value} {density}");
    let found = evidence.components(&theta);
    assert!((found[0].weight - 0.8 / 1.3).abs() < 1e-15 && (found[1].deviation[0] - 1.4).abs() < 1e-15);
}

#[test]
fn its_gradient_is_that_of_differences() {
    let (x, y) = points();
    let gaps = Mat::from_fn(30, 2, |i, t| if (i + t) % 4 == 0 { f64::NAN } else { y[(i, t)] });
    let rows = Weights::Row((0..30).map(|i| 0.5 + (i % 3) as f64).collect());
    let entries = Weights::Entry(Mat::from_fn(30, 2, |i, t| 1.0 + (i % 5) as f64 + t as f64));
    let seen = [(&y, None), (&y, Some(&rows)), (&gaps, Some(&rows)), (&gaps, Some(&entries))];
    let forms = [MixtureForm::Scalar, FIELDS[0].1, FIELDS[1].1, FIELDS[2].1, MixtureForm::Helmholtz];
    for (form, (y, weights)) in forms.into_iter().flat_map(|form| seen.map(|seen| (form, seen))) {
        let evidence = MixtureEvidence::new(x.clone(), y, weights, 2, form).unwrap();
        let mut s = Stream::new(8, 0, 0);
        let theta: Vec<f64> = (0..evidence.parameters()).map(|_| 2.0 * s.uniform() - 1.0).collect();
        let (mut gradient, mut unused) = (vec![0.0; theta.len()], vec![0.0; theta.len()]);
        evidence.value(&theta, &mut gradient).unwrap();
        let size = gradient.iter().map(|g| g.abs()).fold(0.0, f64::max);
        for m in 0..theta.len() {
            let mut at = |step: f64| {
                let mut moved = theta.clone();
                moved[m] += step;
                evidence.value(&moved, &mut unused).unwrap()
            };
            // fourth order
            let h = 1e-3;
            let slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
            assert!(
                (slope - gradient[m]).abs() < 1e-8 * size,
                "{form:?}, parameter {m}: {} by differences {slope}",
                gradient[m]
            );
        }
    }
}

#[test]
fn climbing_never_falls() {
    let (x, y) = points();
    let evidence = MixtureEvidence::new(x, &y, None, 3, MixtureForm::Scalar).unwrap();
    let best = evidence.maximise(5, &mut || Ok(())).unwrap();
    assert_eq!(best.starts.len(), evidence.starts(5).len());
    for start in &best.starts {
        assert!(best.evidence >= *start, "{best:?}");
    }
    let value = evidence.value(&best.theta, &mut vec![0.0; best.theta.len()]).unwrap();
    assert_eq!(value, best.evidence);
    for start in evidence.starts(5) {
        let before = evidence.value(&start, &mut vec![0.0; start.len()]).unwrap();
        let (_, after) = evidence.climb(start, 10, &mut || Ok(())).unwrap();
        assert!(after >= before, "{before} to {after}");
    }
}

fn signal(x: f64) -> f64 {
    use std::f64::consts::TAU;
    0.25 * x + (1.3 * TAU * x).sin() * (1.0 + 0.3 * x.sin()) + 0.6 * (0.4 * TAU * x + 1.0).sin()
}

/// A trend with two waves, one of them swelling, over 0 to 10 without 4 to 5.5.
fn waves(seed: u64) -> Table {
    let mut s = Stream::new(seed, 7, 0);
    let x: Vec<f64> = (0..250).map(|_| 10.0 * s.uniform()).filter(|x| !(4.0..5.5).contains(x)).collect();
    let y: Vec<f64> = x.iter().map(|x| signal(*x) + 0.2 * s.normal()).collect();
    Table::new(Mat::from_fn(x.len(), 1, |i, _| x[i]), Mat::from_fn(x.len(), 1, |i, _| y[i])).unwrap()
}

/// Root of the mean square error within the gap.
fn missed(predict: impl Fn(&Inputs) -> Mat<f64>) -> f64 {
    let at = Mat::from_fn(40, 1, |i, _| 4.0 + 1.5 * i as f64 / 39.0);
    let mean = predict(&Inputs::Dense(at.clone()));
    ((0..40).map(|i| (mean[(i, 0)] - signal(at[(i, 0)])).powi(2)).sum::<f64>() / 40.0).sqrt()
}

#[test]
fn learned_waves_go_on_where_a_gaussian_forgets() {
    for seed in 0..2 {
        let rows = waves(seed);
        let fit = |kernel: &str| {
            let learner = Regression { kernel: kernel.parse().unwrap(), ..Regression::default() };
            learner.fit(&rows, &mut Silent).unwrap()
        };
        let (gaussian, learned) = (fit("gaussian"), fit("spectral-mixture(3)"));
        let error = |found: &orff::learn::Fitted| missed(|x| found.model.predict(x, Query::default()).unwrap().mean);
        let (far, near) = (error(&gaussian), error(&learned));
        assert!(
            near < 0.15 && far > 0.4,
            "seed {seed}: mixture {near}, gaussian {far}: {:?}",
            learned.training.choices
        );
        // what was learned is said, in the units of the rows
        let lines = learned.training.choices.join("\n");
        assert!(lines.contains("components 3: largest evidence on"), "{lines}");
        assert!(lines.contains("waves of length 0.7"), "{lines}");
        // the exact kernel learns the same components
        let exact = ExactRegression { kernel: "spectral-mixture(3)".parse().unwrap(), ..ExactRegression::default() };
        let exact = exact.fit(&rows, &mut Silent).unwrap();
        assert_eq!(exact.training.kernel, learned.training.kernel);
        let near = missed(|x| exact.model.predict(x, Query::default()).unwrap().mean);
        assert!(near < 0.15, "seed {seed}: {near}");
    }
}

#[test]
fn components_are_the_same_for_any_number_of_threads_and_in_files() {
    let rows = waves(5);
    let values = |threads: usize| {
        Map::from_iter([
            ("kernel".to_string(), json!("spectral-mixture(2)")),
            ("features".to_string(), json!(200)),
            ("threads".to_string(), json!(threads)),
        ])
    };
    let fit = |threads| (learner("regression").unwrap().fit)(&values(threads), &rows, &mut Silent).unwrap();
    let (one, two) = (fit(1), fit(2));
    let back = Model::from_bytes(one.to_bytes().unwrap()).unwrap();
    let kernel = |model: &Model| model.info.training.kernel.clone().unwrap();
    assert_eq!(kernel(&one), kernel(&two));
    assert_eq!(kernel(&one), kernel(&back));
    assert_eq!(kernel(&one).to_string().parse::<Kernel>().unwrap(), kernel(&one));
    let x = Inputs::Dense(Mat::from_fn(9, 1, |i, _| 1.3 * i as f64));
    let mean = |model: &Model| model.predict(&x, Query::default()).unwrap().mean;
    assert_eq!(mean(&one), mean(&back));
    assert_eq!(mean(&one), mean(&two));
}

/// The gradient of a potential with two waves, known outside a disc.
fn field(seed: u64) -> (Table, Mat<f64>, Mat<f64>) {
    let gradient = |x: &[f64]| {
        let (a, b) = ((5.0 * x[0] + 2.0 * x[1]).cos(), 0.5 * (1.0 - 4.0 * x[1]).sin());
        [a, 0.4 * a + 2.0 * b]
    };
    let mut s = Stream::new(seed, 9, 0);
    let mut at = || [4.0 * s.uniform() - 2.0, 4.0 * s.uniform() - 2.0];
    let (mut known, mut hidden) = (Vec::new(), Vec::new());
    while known.len() < 240 {
        let x = at();
        if x[0] * x[0] + x[1] * x[1] < 0.8 { hidden.push(x) } else { known.push(x) }
    }
    let rows = |all: &[[f64; 2]]| Mat::from_fn(all.len(), 2, |i, k| all[i][k]);
    let values = |all: &[[f64; 2]], noise: f64| {
        let mut s = Stream::new(seed, 10, 0);
        Mat::from_fn(all.len(), 2, |i, k| gradient(&all[i])[k] + noise * s.normal())
    };
    let y = values(&known, 0.1);
    (Table::new(rows(&known), y).unwrap(), rows(&hidden), values(&hidden, 0.0))
}

/// Components of fields are learned by the evidence of the field: waves go on across a hole.
#[test]
fn fields_learn_their_components() {
    for kernel in ["curl-free", "helmholtz"] {
        let (rows, hidden, truth) = field(4);
        let miss = |of: &str| {
            let kernel = format!("{kernel}({of})").parse().unwrap();
            let found = Regression { kernel, ..Regression::default() }.fit(&rows, &mut Silent).unwrap();
            let mean = found.model.predict(&Inputs::Dense(hidden.clone()), Query::default()).unwrap().mean;
            ((mean - &truth).squared_norm_l2() / (2 * hidden.nrows()) as f64).sqrt()
        };
        let (learned, gaussian) = (miss("spectral-mixture(2)"), miss("gaussian"));
        assert!(learned < 0.1 && gaussian > 2.0 * learned, "{kernel}: {learned}, gaussian {gaussian}");
    }
}

/// Outputs that are tied by a matrix, and multiples.
#[test]
fn tied_outputs_learn_their_components() {
    let (rows, hidden, truth) = field(5);
    for kernel in [
        "decomposable(spectral-mixture(2), [[1, 0.5], [0.5, 1]])",
        "decomposable(spectral-mixture(2), covariance)",
        "0.5*spectral-mixture(2)",
        "2*curl-free(spectral-mixture(2))",
    ] {
        let found = Regression { kernel: kernel.parse().unwrap(), ..Regression::default() }.fit(&rows, &mut Silent);
        let found = found.unwrap_or_else(|e| panic!("{kernel}: {e}"));
        let mean = found.model.predict(&Inputs::Dense(hidden.clone()), Query::default()).unwrap().mean;
        let miss = ((mean - &truth).squared_norm_l2() / (2 * hidden.nrows()) as f64).sqrt();
        assert!(miss < 0.2, "{kernel}: {miss}");
    }
}

/// A field whose lengthscale is given for each input learns the same law in other units.
#[test]
fn units_of_fields_are_those_of_their_lengthscales() {
    let (rows, hidden, truth) = field(6);
    let kernel = "curl-free(spectral-mixture(2, [1, 3]))".parse().unwrap();
    let found = Regression { kernel, ..Regression::default() }.fit(&rows, &mut Silent).unwrap();
    let mean = found.model.predict(&Inputs::Dense(hidden.clone()), Query::default()).unwrap().mean;
    let miss = ((mean - &truth).squared_norm_l2() / (2 * hidden.nrows()) as f64).sqrt();
    assert!(miss < 0.1, "{miss}");
}

/// A lengthscale that is given is the unit of the components, and the rows keep their own units.
#[test]
fn a_given_lengthscale_is_a_unit() {
    let rows = waves(2);
    let fit = |kernel: &str| {
        let learner =
            Regression { kernel: kernel.parse().unwrap(), features: Auto::Fixed(400), ..Regression::default() };
        learner.fit(&rows, &mut Silent).unwrap()
    };
    let found = fit("spectral-mixture(2, 2.0)");
    let text = found.training.kernel.as_ref().unwrap().to_string();
    assert!(text.contains(", 2)"), "{text}");
    // 1.3 waves for each unit: μ/ℓ = 2π·1.3
    let Some(Kernel::Decomposable(k)) = &found.training.kernel else { panic!() };
    let orff::spectrum::Spectrum::SpectralMixture(mixture) = &k.spectrum else { panic!() };
    let orff::spectrum::Components::Given(all) = &mixture.components else { panic!() };
    let wave = std::f64::consts::TAU * 1.3 * 2.0;
    assert!(all.iter().any(|c| (c.mean[0].abs() / wave - 1.0).abs() < 0.05), "{text}");
}

#[test]
fn refusals_say_what_to_do() {
    let (x, y) = points();
    let said = |kernel: &str, rows: usize| {
        let learner = Regression { kernel: kernel.parse().unwrap(), ..Regression::default() };
        let part = |m: &Mat<f64>| m.subrows(0, rows).to_owned();
        match learner.fit(&Table::new(part(&x), part(&y)).unwrap(), &mut Silent) {
            Ok(_) => panic!("{kernel} accepted"),
            Err(e) => e.to_string(),
        }
    };
    for kernel in
        ["spectral-mixture(2)*gaussian", "spectral-mixture(2) + gaussian", "curl-free(spectral-mixture) + div-free"]
    {
        assert!(said(kernel, 30).contains("give their rows"), "{}", said(kernel, 30));
    }
    assert!(said("spectral-mixture(2)", 15).contains("at least 16"));
    assert!(said("spectral-mixture([[1, 0.5, 0.5]], 1)", 30).contains("rows of 5 numbers for 2 inputs"));
    for (kernel, problem) in [
        ("spectral-mixture(0)", "a whole number from 1 to 100"),
        ("spectral-mixture(2.5)", "a whole number from 1 to 100"),
        ("spectral-mixture([[1, 2]])", "a whole number from 1 to 100"),
        ("spectral-mixture([[1, 2, 0]])", "deviations > 0"),
        ("spectral-mixture([[-1, 2, 1]])", "weights and deviations > 0"),
        ("spectral-mixture([[1, 2, 1], [1, 2, 3, 4, 5]])", "expected 3"),
        ("spectral-mixture(auto)", "expected a number"),
    ] {
        let error = kernel.parse::<Kernel>().unwrap_err().to_string();
        assert!(error.contains(problem), "{kernel}: {error}");
    }
    let open: Kernel = "spectral-mixture(2, 1)".parse().unwrap();
    assert!(open.eval(&[0.0], &[1.0]).unwrap_err().to_string().contains("not learned here"));
    let aligned = AlignedFeatures { kernel: open, ..AlignedFeatures::default() };
    let one = Table::new(x, y.subcols(0, 1).to_owned()).unwrap();
    let error = aligned.fit(&one, &mut Silent).err().unwrap().to_string();
    assert!(error.contains("not learned here"), "{error}");
}
