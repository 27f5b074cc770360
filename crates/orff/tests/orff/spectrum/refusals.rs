//! What is refused, and in which words.

use super::{how, spectrum};
use orff::spectrum::{DrawKind, Lengthscale, Matern, Measure, Spectrum};

fn refusal(s: &Spectrum, d: usize, kind: DrawKind, measure: Measure) -> String {
    s.draw(d, 10, &how(kind, measure, 0)).unwrap_err().to_string()
}

fn matern(smoothness: f64) -> Spectrum {
    Matern { smoothness, lengthscale: 1.0.into() }.into()
}

#[test]
fn rotated_directions_are_for_rotation_invariant_laws() {
    assert_eq!(
        refusal(&spectrum("laplace", 1.0), 2, DrawKind::Orthogonal, Measure::Plain),
        "draw orthogonal for laplace is refused: its law is not rotation-invariant, so rotated directions would be \
         biased (use draw iid or quasi-monte-carlo, or spectrum gaussian or matern)"
    );
    for name in ["laplace", "cauchy", "skewed-chi2"] {
        for kind in [DrawKind::Orthogonal, DrawKind::Structured] {
            let said = refusal(&spectrum(name, 1.0), 40, kind, Measure::Plain);
            assert!(said.starts_with(&format!("draw {kind} for {name} is refused")), "{said}");
        }
    }
    assert_eq!(
        refusal(&spectrum("gaussian", vec![1.0, 2.0]), 2, DrawKind::Orthogonal, Measure::Trace),
        "draw orthogonal with measure trace and one lengthscale per input is refused: the size-biased law is then not \
         a scaled rotation-invariant one (use draw iid or quasi-monte-carlo, measure plain, or one common lengthscale)"
    );
    let equal = spectrum("gaussian", vec![2.0, 2.0]);
    assert!(equal.draw(2, 5, &how(DrawKind::Orthogonal, Measure::Trace, 0)).is_ok());
}

#[test]
fn what_needs_a_second_moment() {
    assert_eq!(
        spectrum("laplace", 1.0).minus_hessian(&[0.3]).unwrap_err().to_string(),
        "the second derivative of laplace is refused: the frequencies of laplace have E‖ω‖² = ∞, so its kernel is not \
         differentiable at 0 (take gaussian, cauchy, or matern with smoothness > 1)"
    );
    assert_eq!(
        refusal(&matern(1.0), 2, DrawKind::Iid, Measure::Trace),
        "measure trace for matern is refused: the frequencies of matern have E‖ω‖² = ∞, so its kernel is not \
         differentiable at 0 (take smoothness > 1, or gaussian)"
    );
    assert!(matern(1.0).minus_hessian(&[0.3]).is_err());
    assert!(matern(1.01).minus_hessian(&[0.3]).is_ok());
    assert_eq!(
        refusal(&matern(1.05), 2, DrawKind::Iid, Measure::Trace),
        "measure trace for matern with smoothness 1.05 is refused: below 1.1 its size-biased frequencies exceed the \
         largest floating-point number (use measure plain, or a larger smoothness)"
    );
    assert_eq!(
        refusal(&spectrum("cauchy", 1.0), 2, DrawKind::Iid, Measure::Tilted),
        "measure tilted for cauchy is refused: the tilt by a wider normal law is for gaussian only (use measure trace \
         or plain)"
    );
}

#[test]
fn lengthscales() {
    let said = |lengthscale: Lengthscale| {
        let s = spectrum("gaussian", lengthscale);
        let said = s.value(&[0.0, 0.0]).unwrap_err().to_string();
        assert_eq!(said, refusal(&s, 2, DrawKind::Iid, Measure::Plain));
        assert_eq!(said, s.minus_hessian(&[0.0, 0.0]).unwrap_err().to_string());
        said
    };
    assert_eq!(said(0.0.into()), "lengthscale: expected finite numbers > 0, got 0");
    assert_eq!(said((-1.5).into()), "lengthscale: expected finite numbers > 0, got -1.5");
    assert_eq!(said(vec![1.0, f64::NAN].into()), "lengthscale: expected finite numbers > 0, got NaN");
    assert_eq!(said(f64::INFINITY.into()), "lengthscale: expected finite numbers > 0, got inf");
    let wrong = "lengthscale: expected one number or 2 numbers, one per input, got 3 numbers";
    assert_eq!(said(vec![1.0; 3].into()), wrong);
    assert_eq!(
        said(Lengthscale::Auto),
        "lengthscale: expected a number or one number per input, because there are no data here to choose it from, \
         got auto"
    );
    assert!(spectrum("gaussian", vec![]).draw(0, 5, &how(DrawKind::Iid, Measure::Plain, 0)).is_err());
}

#[test]
fn other_parameters() {
    for smoothness in [0.0, -1.0, 0.05, f64::NAN, f64::INFINITY] {
        let said = matern(smoothness).value(&[0.3]).unwrap_err().to_string();
        assert_eq!(said, format!("smoothness: expected a number from 0.1 to 1000000, got {smoothness}"));
    }
    assert_eq!(
        Spectrum::from_name("rbf").unwrap_err().to_string(),
        "spectrum: expected one of gaussian, laplace, cauchy, matern, skewed-chi2, spectral-mixture, got \"rbf\""
    );
    assert_eq!("qmc".parse::<DrawKind>().unwrap(), DrawKind::QuasiMonteCarlo);
    assert_eq!(
        "sobol".parse::<DrawKind>().unwrap_err().to_string(),
        "draw: expected one of iid, orthogonal, quasi-monte-carlo, structured, got \"sobol\""
    );
    for name in DrawKind::NAMES {
        assert_eq!(name.parse::<DrawKind>().unwrap().to_string(), *name);
    }
    for name in Measure::NAMES {
        assert_eq!(name.parse::<Measure>().unwrap().to_string(), *name);
    }
    assert!(serde_json::from_str::<DrawKind>("\"qmc\"").is_ok());
    assert_eq!(
        refusal(&spectrum("gaussian", 1.0), 4000, DrawKind::QuasiMonteCarlo, Measure::Plain),
        "a quasi-monte-carlo draw of 4000 coordinates per atom is refused: the table of Sobol direction numbers ends \
         at 3667 (use draw iid or orthogonal)"
    );
    let s = spectrum("gaussian", 1.0);
    assert!(s.draw(3, usize::MAX / 2, &how(DrawKind::Iid, Measure::Plain, 0)).is_err());
}
