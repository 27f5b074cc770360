//! Values, derivatives, special functions.

use super::{spectra, spectrum};
use orff::random::Stream;
use orff::special::{gamma_quantile, gamma_tail_quantile, normal_quantile, secant_square_tail_quantile};
use orff::spectrum::{Lengthscale, Matern, Spectrum};

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() < tolerance, "{found:e} instead of {expected:e}");
}

fn matern(smoothness: f64, lengthscale: f64) -> Spectrum {
    Matern { smoothness, lengthscale: lengthscale.into() }.into()
}

#[test]
fn matern_values_are_scipys() {
    // scipy 1.x: 2**(1-nu)/gamma(nu)*x**nu*kv(nu, x), x = sqrt(2 nu) r
    for (nu, r, expected) in [
        (1.3, 0.01, 0.9997966894737863),
        (1.3, 0.6, 0.7039748247971133),
        (1.3, 2.5, 0.07207535812954839),
        (1.3, 9.0, 5.040176400648999e-06),
        (0.8, 0.01, 0.9987057594528053),
        (0.8, 0.6, 0.6324969374681773),
        (4.2, 2.5, 0.057612254366493164),
        (4.2, 9.0, 1.991478305109031e-08),
        (12.0, 0.01, 0.9999454561817817),
        (12.0, 2.5, 0.04968966514323504),
    ] {
        close(matern(nu, 0.5).value(&[0.5 * r * 0.6, -0.5 * r * 0.8]).unwrap(), expected, 1e-12);
    }
}

#[test]
fn matern_closed_forms_and_limits() {
    for delta in [0.0, 1e-9, 0.3, 2.0] {
        close(matern(0.5, 0.7).value(&[delta]).unwrap(), spectrum("laplace", 0.7).value(&[delta]).unwrap(), 1e-14);
        let r = delta / 0.7;
        let (a, b) = (3f64.sqrt() * r, 5f64.sqrt() * r);
        close(matern(1.5, 0.7).value(&[delta]).unwrap(), (1.0 + a) * (-a).exp(), 1e-14);
        close(matern(2.5, 0.7).value(&[delta]).unwrap(), (1.0 + b + b * b / 3.0) * (-b).exp(), 1e-14);
        // the general formula meets the closed ones
        close(matern(1.5 + 1e-9, 0.7).value(&[delta]).unwrap(), (1.0 + a) * (-a).exp(), 1e-7);
        // ν → ∞ is the gaussian
        close(matern(1e6, 0.7).value(&[delta]).unwrap(), (-r * r / 2.0).exp(), 1e-4);
    }
}

#[test]
fn kernels_are_positive_definite_functions_at_extremes() {
    for s in spectra(&1.0.into(), 2) {
        let least = if s.name() == "spectral-mixture" { -1.0 } else { 0.0 }; // waves
        for size in [1e-200, 1e-8, 1e3, 1e8, 1e150, 1e200] {
            let value = s.value(&[size, -size]).unwrap();
            assert!((least..=1.0).contains(&value), "{} at {size}: {value}", s.name());
            if let Ok(hessian) = s.minus_hessian(&[size, -size]) {
                assert!((0..4).all(|i| hessian[(i / 2, i % 2)].is_finite()), "{} at {size}: {hessian:?}", s.name());
            }
        }
    }
}

#[test]
fn the_second_moment_is_the_derivative_at_zero() {
    for s in spectra(&vec![0.5, 1.0, 3.0].into(), 3) {
        let moment = s.second_moment(3).unwrap();
        match s.minus_hessian(&[0.0; 3]) {
            Ok(hessian) => {
                // coordinates of a mixture go together
                let apart = s.name() != "spectral-mixture";
                for i in (0..9).filter(|i| apart || i / 3 == i % 3) {
                    let expected = if i / 3 == i % 3 { moment[i / 3] } else { 0.0 };
                    assert!((hessian[(i / 3, i % 3)] - expected).abs() <= 1e-15 * moment[0]);
                }
            }
            Err(_) => assert!(moment.iter().all(|m| m.is_infinite())),
        }
    }
    // the table of MATH.md §2: E‖ω‖² = d/σ², 2d/ℓ², d/4
    let total = |name| spectrum(name, 0.5).second_moment(3).unwrap().iter().sum::<f64>();
    assert_eq!([total("gaussian"), total("cauchy"), total("skewed-chi2")], [12.0, 24.0, 3.0]);
}

#[test]
fn quantiles_are_scipys() {
    for (u, expected) in [
        (1e-16, -8.222082216130435),
        (1e-10, -6.361340902404056),
        (0.001, -3.090232306167813),
        (0.05, -1.6448536269514729),
        (0.075, -1.4395314709384563),
        (0.3, -0.5244005127080409),
        (0.6, 0.2533471031357997),
        (0.975, 1.959963984540054),
        (0.9999, 3.719016485455709),
    ] {
        close(normal_quantile(u), expected, 1e-14);
    }
    for (a, u, expected) in [
        (0.1, 1e-16, 6.073048362408066e-161),
        (0.5, 1e-10, 7.85398163397448e-21),
        (1.5, 1e-16, 2.604698539366164e-11),
        (3.0, 0.3, 1.9137757941270621),
        (7.3, 0.9999, 21.796224475993856),
        (50.0, 0.0001, 27.862299225250812),
        (512.0, 0.9, 541.2038889506032),
        (25000.0, 0.01, 24633.64337950089),
    ] {
        close(gamma_quantile(u, a), expected, 1e-12);
    }
    // Gamma(1) is exponential, Gamma(½) half a squared normal
    close(gamma_tail_quantile(1e-100, 1.0), 100.0 * 10f64.ln(), 1e-13);
    close(gamma_tail_quantile(2e-10, 0.5), normal_quantile(1e-10).powi(2) / 2.0, 1e-13);
    // scipy.integrate.quad and brentq on 8ζ² sech(πζ)
    for (tail, expected) in SECANT {
        close(secant_square_tail_quantile(tail), expected, 1e-11);
    }
}

const SECANT: [(f64, f64); 7] = [
    (1e-12, 10.84985561428217),
    (1e-06, 6.1001485141876675),
    (0.01, 2.688403839361786),
    (0.3, 1.16785730462894),
    (0.5, 0.8708199569467393),
    (0.9, 0.37663677490182257),
    (0.999, 0.07248454641671369),
];

#[test]
fn streams_are_uniform_and_below_is_fair() {
    let mut stream = Stream::new(1, 2, 3);
    let sample: Vec<f64> = (0..40_000).map(|_| stream.uniform()).collect();
    assert!(sample.iter().all(|u| 0.0 < *u && *u < 1.0));
    for power in 1..4 {
        let mean = sample.iter().map(|u| u.powi(power)).sum::<f64>() / 40_000.0;
        let (p, n) = (f64::from(power), 40_000.0);
        let deviation = ((1.0 / (2.0 * p + 1.0) - 1.0 / (p + 1.0).powi(2)) / n).sqrt();
        assert!((mean - 1.0 / (p + 1.0)).abs() < 4.5 * deviation);
    }
    let mut counts = [0.0; 7];
    (0..70_000).for_each(|_| counts[stream.below(7)] += 1.0);
    let chi2: f64 = counts.iter().map(|c: &f64| (c - 10_000.0).powi(2) / 10_000.0).sum();
    assert!(chi2 < 30.0, "χ²(6) = {chi2}"); // p = 4e-5
    assert_eq!(stream.below(1), 0);
    assert_ne!(Stream::new(1, 0, 0).bits(), Stream::new(0, 1, 0).bits());
}

#[test]
fn files_write_a_spectrum_as_people_do() {
    let text = r#"{"name":"matern","smoothness":1.5,"lengthscale":[0.5,2.0]}"#;
    let s: Spectrum = serde_json::from_str(text).unwrap();
    assert_eq!(s, Matern { smoothness: 1.5, lengthscale: vec![0.5, 2.0].into() }.into());
    assert_eq!(serde_json::to_string(&s).unwrap(), text);
    for (text, lengthscale) in [
        (r#"{"name":"skewed-chi2"}"#, Lengthscale::Auto),
        (r#"{"name":"skewed-chi2","lengthscale":"auto"}"#, Lengthscale::Auto),
        (r#"{"name":"skewed-chi2","lengthscale":2}"#, Lengthscale::Common(2.0)),
    ] {
        assert_eq!(serde_json::from_str::<Spectrum>(text).unwrap().lengthscale(), &lengthscale);
    }
    for bad in [
        r#"{"name":"gaussian","smoothness":1.5}"#,
        r#"{"name":"gauss"}"#,
        r#"{"name":"gaussian","lengthscale":"automatic"}"#,
        r#"{"lengthscale":1.0}"#,
    ] {
        assert!(serde_json::from_str::<Spectrum>(bad).is_err(), "{bad}");
    }
    assert_eq!("0.5, 2".parse::<Lengthscale>().unwrap(), vec![0.5, 2.0].into());
    assert_eq!("auto".parse::<Lengthscale>().unwrap(), Lengthscale::Auto);
    assert!("a".parse::<Lengthscale>().is_err());
}
