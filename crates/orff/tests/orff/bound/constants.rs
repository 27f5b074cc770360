//! Constants and variances against draws of the atoms, by z-score.

use super::{coupled, scalar, spectrum};
use faer::Mat;
use orff::bound::{Constants, Frequencies, Variance};
use orff::feature::{FeatureMap, MapKind};
use orff::kernel::{Kernel, Matrix, SumDraw};
use orff::linalg::eigen;
use orff::spectrum::{Component, Components, Draw, Measure, SpectralMixture, Spectrum};

const ATOMS: usize = 40_000;

/// Aⱼ and ωⱼ of many independent atoms.
fn atoms(kernel: &Kernel, d: usize, measure: Measure, map: MapKind) -> (FeatureMap, Vec<Mat<f64>>, Vec<Vec<f64>>) {
    let how = Draw { measure, seed: 11, ..Draw::default() };
    let map = FeatureMap::of(kernel.draw(d, ATOMS, &how, SumDraw::default()).unwrap(), map, 11);
    let block = &map.atoms().blocks[0];
    let mut omega = vec![0.0; d];
    let (mut operators, mut omegas) = (Vec::new(), Vec::new());
    for j in 0..ATOMS {
        block.omega.row(j, &mut omega);
        let b = block.factors.dense(j, &omega);
        operators.push(faer::Scale(ATOMS as f64 * block.weight[j]) * (&b * b.transpose()));
        omegas.push(omega.clone());
    }
    (map, operators, omegas)
}

/// (mean − expected)/standard error.
fn score(sample: &[f64], expected: f64) -> f64 {
    let n = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / n;
    let square = sample.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
    if (mean - expected).abs() < 1e-9 * expected.abs() { 0.0 } else { (mean - expected) / (square / n).sqrt() }
}

fn norm(m: &Mat<f64>) -> f64 {
    let e = eigen(m.as_ref()).unwrap().values;
    e[0].abs().max(e[e.len() - 1].abs())
}

fn length(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Two waves of the plane, across each other.
pub(super) fn waves() -> Spectrum {
    let wave = |weight: f64, mean: [f64; 2], deviation: [f64; 2]| Component {
        weight,
        mean: mean.to_vec(),
        deviation: deviation.to_vec(),
    };
    let both = vec![wave(1.0, [0.7, -1.2], [0.4, 0.9]), wave(0.5, [1.6, 0.3], [0.8, 0.2])];
    SpectralMixture { components: Components::Given(both), lengthscale: vec![0.8, 0.6].into() }.into()
}

fn kernels() -> Vec<(&'static str, Kernel, usize, Measure)> {
    let gaussian = || spectrum("gaussian", 0.7.into());
    let uneven = || spectrum("gaussian", vec![0.5, 0.8, 1.3].into());
    vec![
        ("gaussian Γ", coupled(gaussian()), 2, Measure::Plain),
        ("gaussian Γ tilted", coupled(gaussian()), 2, Measure::Tilted),
        ("matern", scalar(spectrum("matern", 0.7.into())), 3, Measure::Plain),
        ("curl plain", Kernel::curl_free(gaussian()), 3, Measure::Plain),
        ("curl trace", Kernel::curl_free(gaussian()), 3, Measure::Trace),
        ("curl tilted", Kernel::curl_free(gaussian()), 3, Measure::Tilted),
        ("curl uneven", Kernel::curl_free(uneven()), 3, Measure::Plain),
        ("div plain", Kernel::div_free(gaussian()), 4, Measure::Plain),
        ("div trace uneven", Kernel::div_free(uneven()), 3, Measure::Trace),
        ("helmholtz", 1.7 * Kernel::helmholtz(gaussian(), 0.3), 3, Measure::Trace),
        ("curl cauchy", Kernel::curl_free(spectrum("cauchy", 0.9.into())), 2, Measure::Trace),
        ("waves Γ", coupled(waves()), 2, Measure::Plain),
        ("curl waves plain", Kernel::curl_free(waves()), 2, Measure::Plain),
        ("curl waves trace", Kernel::curl_free(waves()), 2, Measure::Trace),
        ("div waves plain", 0.6 * Kernel::div_free(waves()), 2, Measure::Plain),
        ("helmholtz waves", Kernel::helmholtz(waves(), 0.3), 2, Measure::Trace),
    ]
}

#[test]
fn constants_are_those_of_drawn_atoms() {
    for (name, kernel, d, measure) in kernels() {
        let c = Constants::of(&kernel, d, 1.0, measure).unwrap();
        let (_, a, omega) = atoms(&kernel, d, measure, MapKind::Pairs);
        let law = |f: &dyn Fn(&Mat<f64>, f64) -> f64| -> Vec<f64> {
            a.iter().zip(&omega).map(|(a, w)| f(a, length(w))).collect()
        };
        let exact = [
            ("σ_p²", law(&|a, w| (w * norm(a)).powi(2)), c.lipschitz_square),
            ("E‖A‖²_HS", law(&|a, _| a.norm_l2().powi(2)), c.square_hs),
        ];
        for (what, sample, expected) in exact {
            let z = score(&sample, expected);
            assert!(z.abs() < 4.5, "{name}: {what} z = {z}");
        }
        // odd moments are exact for rotation-invariant laws and upper bounds for others
        let even = !["uneven", "cauchy", "waves"].iter().any(|other| name.contains(other));
        for (what, sample, expected) in
            [("m", law(&|a, w| w * norm(a)), c.lipschitz), ("m₁", law(&|a, w| w * a.norm_l2()), c.lipschitz_hs)]
        {
            let z = score(&sample, expected);
            assert!(z < 4.5 && (!even || z > -4.5), "{name}: {what} z = {z}");
            assert!(sample.iter().sum::<f64>() / ATOMS as f64 > 0.85 * expected, "{name}: {what} is loose");
        }
        let p = a[0].nrows();
        // p_int = Tr E[A²]/‖E[A²]‖: the trace is so many times the largest direction
        let squares: Vec<Mat<f64>> = a.iter().map(|a| a * a).collect();
        let mean = squares.iter().fold(Mat::<f64>::zeros(p, p), |sum, a| sum + faer::Scale(1.0 / ATOMS as f64) * a);
        let top = eigen(mean.as_ref()).unwrap().vectors.col(p - 1).to_owned();
        let excess: Vec<f64> = squares
            .iter()
            .map(|a| (0..p).map(|i| a[(i, i)]).sum::<f64>() - c.dimension * (top.transpose() * (a * &top)))
            .collect();
        let along: Vec<f64> = squares.iter().map(|a| top.transpose() * (a * &top)).collect();
        assert!(score(&along, c.square).abs() < 4.5, "{name}: ‖E[A²]‖");
        let size = mean.norm_l2();
        assert!(
            excess.iter().sum::<f64>().abs() < 1e-9 * size * ATOMS as f64 || score(&excess, 0.0).abs() < 4.5,
            "{name}: p_int"
        );
        let (norms, hs) = (law(&|a, _| norm(a)), law(&|a, _| a.norm_l2()));
        let trace = law(&|a, _| (0..a.nrows()).map(|i| a[(i, i)]).sum());
        for (sample, most) in [(&norms, c.largest), (&hs, c.largest_hs), (&trace, c.largest_trace)] {
            let seen = sample.iter().copied().fold(0.0, f64::max);
            assert!(seen <= most * (1.0 + 1e-12), "{name}: {seen} > {most}");
            assert!(most.is_infinite() || seen > 0.9 * most, "{name}: {seen} far below {most}");
        }
        // ‖‖A‖‖_ψ₁ = C: E exp(‖A‖/C) = 2, or below where C is that of the largest value
        let z = score(&norms.iter().map(|a| (a / c.orlicz).exp()).collect::<Vec<_>>(), 2.0);
        assert!(z < 4.5, "{name}: ψ₁ z = {z}");
        assert!(measure != Measure::Plain || z > -4.5, "{name}: ψ₁ z = {z}");
    }
}

#[test]
fn moments_of_laws_have_their_closed_forms() {
    // gaussian ψ₁ norm: 2/(σ²(1 − 4^{−1/d})); a constant has a/ln 2
    for d in [1, 2, 3, 10] {
        let law = Frequencies::of(&spectrum("gaussian", 0.5.into()), d).unwrap();
        let closed = 2.0 / (0.25 * (1.0 - 4f64.powf(-1.0 / d as f64)));
        assert!((law.orlicz / closed - 1.0).abs() < 1e-12, "d = {d}");
        let k = Kernel::curl_free(spectrum("gaussian", 0.5.into()));
        let c = Constants::of(&k, d, 1.0, Measure::Trace).unwrap();
        assert!((c.orlicz - d as f64 / (0.25 * 2f64.ln())).abs() < 1e-11);
        assert!((c.dimension - d as f64).abs() < 1e-12);
    }
    // t-distributed frequencies: matern(ν) in one dimension is Student's t with 2ν degrees of freedom, E ω⁴ = 3·(2ν)²/((2ν−2)(2ν−4))
    let law = Frequencies::of(&spectrum("matern", 1.0.into()), 1).unwrap();
    assert!((law.fourth - 25.0).abs() < 1e-11);
    assert!(law.sixth.is_infinite() && law.orlicz.is_infinite() && law.third.is_finite());
    // M K Mᵀ and K(T·,T·) of a decomposable kernel are decomposable kernels
    let m = Matrix::new(faer::mat![[1.0, 0.0, 2.0], [0.5, -1.0, 0.0]], "by").unwrap();
    let t = Matrix::new(faer::mat![[0.5, 0.0], [0.0, 0.5]], "by").unwrap();
    let k = coupled(spectrum("gaussian", 0.5.into())).conjugated(m.clone()).precomposed(t);
    let c = Constants::of(&k, 2, 2.0, Measure::Plain).unwrap();
    let zero = [0.0; 2];
    assert!((c.norm - norm(&k.eval(&zero, &zero).unwrap())).abs() < 1e-12);
    assert!((c.diameter - 1.0).abs() < 1e-12 && (c.second_moment - 8.0).abs() < 1e-12);
}

#[test]
fn variances_are_those_of_drawn_atoms() {
    for (name, kernel, d, measure) in kernels() {
        let (x, z) = (vec![0.3, -0.1, 0.25, 0.2][..d].to_vec(), vec![-0.1, 0.15, 0.0, 0.3][..d].to_vec());
        let delta: Vec<f64> = x.iter().zip(&z).map(|(a, b)| a - b).collect();
        let exact = kernel.eval(&x, &z).unwrap();
        for kind in [MapKind::Pairs, MapKind::Phases] {
            let variance = Variance::at(&kernel, &delta, measure, kind, SumDraw::default()).unwrap();
            let Some(v) = variance.exact else { panic!("{name}: no closed form") };
            let (map, a, omega) = atoms(&kernel, d, measure, kind);
            let dot = |w: &[f64], x: &[f64]| w.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
            let p = exact.nrows();
            for i in 0..p {
                for j in 0..=i {
                    let sample: Vec<f64> = (0..ATOMS)
                        .map(|n| {
                            let wave = match kind {
                                MapKind::Pairs => dot(&omega[n], &delta).cos(),
                                MapKind::Phases => {
                                    let b = map.phases(0)[n];
                                    2.0 * (dot(&omega[n], &x) + b).cos() * (dot(&omega[n], &z) + b).cos()
                                }
                            };
                            let error = faer::Scale(wave) * &a[n] - &exact;
                            (0..p).map(|k| error[(i, k)] * error[(k, j)]).sum()
                        })
                        .collect();
                    let z = score(&sample, v[(i, j)]);
                    assert!(z.abs() < 4.5, "{name} {kind:?}: entry {i}, {j} z = {z}");
                }
            }
            let gap = eigen((&variance.always - &v).as_ref()).unwrap().values;
            assert!(gap[0] > -1e-12 * v.norm_l2(), "{name} {kind:?}: {gap:?}");
        }
    }
}

#[test]
fn closed_forms_of_the_variance() {
    let d = 3;
    let zero = vec![0.0; d];
    for (sigma, s4) in [(1.0, 1.0), (0.5, 16.0)] {
        let s = || spectrum("gaussian", sigma.into());
        let at = |k: &Kernel, measure| Variance::at(k, &zero, measure, MapKind::Pairs, SumDraw::default()).unwrap();
        for (k, plain) in [(Kernel::curl_free(s()), 4.0), (Kernel::div_free(s()), 6.0)] {
            // Var[A]: (d+1)σ⁻⁴ and 3(d−1)σ⁻⁴ plain, (d−1)σ⁻⁴ trace
            assert!((at(&k, Measure::Plain).of_a[(1, 1)] - plain * s4).abs() < 1e-10);
            assert!((at(&k, Measure::Trace).of_a[(1, 1)] - 2.0 * s4).abs() < 1e-10);
            let v = at(&k, Measure::Plain);
            assert!((v.exact.unwrap()[(0, 0)] - plain * s4).abs() < 1e-10);
            // T17's bound is half of it, B16's all of it
            assert!((v.brault_2016.unwrap() - plain * s4).abs() < 1e-10);
            assert!((v.brault_2017.unwrap() - 0.5 * plain * s4).abs() < 1e-10);
        }
    }
    // the constant v is never below the exact variance, in any direction and at any distance
    for (name, kernel, d, measure) in kernels() {
        for diameter in [0.05, 0.5, 3.0] {
            let v = Constants::of(&kernel, d, diameter, measure).unwrap().variance;
            for step in 0..=30 {
                let r = diameter * f64::from(step) / 30.0;
                let axis: Vec<f64> = (0..d).map(|k| if k == 0 { r } else { 0.0 }).collect();
                for delta in [axis, vec![r / (d as f64).sqrt(); d]] {
                    let exact = Variance::at(&kernel, &delta, measure, MapKind::Pairs, SumDraw::default())
                        .unwrap()
                        .exact
                        .unwrap();
                    assert!(norm(&exact) <= v * (1.0 + 1e-12) + 1e-12, "{name} at {delta:?}");
                }
            }
        }
    }
    let names = ["laplace", "cauchy", "matern", "gaussian", "skewed-chi2"];
    let laws = names.map(|name| spectrum(name, vec![0.5, 0.8].into())).into_iter().chain([waves()]);
    for (name, law) in laws.map(|law| (law.name(), law)) {
        let k = scalar(law);
        for diameter in [0.1, 1.0, 10.0] {
            let v = Constants::of(&k, 2, diameter, Measure::Plain).unwrap().variance;
            for step in 0..60 {
                let (angle, r) = (0.1 * f64::from(step), diameter * f64::from(step % 20 + 1) / 20.0);
                let delta = [r * angle.cos(), r * angle.sin()];
                let exact = Variance::at(&k, &delta, Measure::Plain, MapKind::Pairs, SumDraw::default())
                    .unwrap()
                    .exact
                    .unwrap();
                assert!(exact[(0, 0)] <= v * (1.0 + 1e-12), "{name} at {delta:?}");
            }
        }
    }
}

/// Frequencies so small that their squares vanish have an Orlicz norm of zero, and none is looked for in vain.
#[test]
fn tiny_frequencies_have_no_norm() {
    let part = Component { weight: 1.0, mean: vec![0.0], deviation: vec![1e-200] };
    let k = Spectrum::from(SpectralMixture { components: Components::Given(vec![part]), lengthscale: 1.0.into() });
    let law = Frequencies::of(&k, 1).unwrap();
    assert_eq!((law.second, law.orlicz), (0.0, 0.0));
}
