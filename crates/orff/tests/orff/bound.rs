//! Bounds against Monte Carlo, closed forms, brute force, and the formulas of the papers.

mod constants;
mod empirical;
mod generalisation;
mod pac_bayes;
mod sums;
mod theorems;

use orff::bound::Question;
use orff::kernel::{Kernel, Matrix, Output};
use orff::params::Params;
use orff::spectrum::{Lengthscale, Spectrum};
use serde_json::json;

/// A spectrum of that name with its lengthscale.
fn spectrum(name: &str, lengthscale: Lengthscale) -> Spectrum {
    Spectrum::from_name(name).unwrap().with_lengthscale(lengthscale)
}

/// k₀Γ with a Γ that is no identity.
fn coupled(spectrum: Spectrum) -> Kernel {
    let gamma = faer::mat![[2.0, 0.5, 0.1], [0.5, 1.0, -0.3], [0.1, -0.3, 0.7]];
    Kernel::decomposable(spectrum, Output::Given { matrix: Matrix::new(gamma, "output").unwrap() })
}

/// k₀I.
fn identity(p: usize, spectrum: Spectrum) -> Kernel {
    let one = faer::Mat::identity(p, p);
    Kernel::decomposable(spectrum, Output::Given { matrix: Matrix::new(one, "output").unwrap() })
}

/// k₀ itself.
fn scalar(spectrum: Spectrum) -> Kernel {
    identity(1, spectrum)
}

/// A question by its flags.
fn ask(values: serde_json::Value) -> orff::Result<orff::bound::Answer> {
    Question::from_values(values.as_object().unwrap())?.answer(&mut orff::watch::Silent)
}

#[test]
fn what_no_theorem_covers_is_refused_with_the_reason() {
    let refused = |values: serde_json::Value, word: &str| {
        let said = ask(values.clone()).unwrap_err().to_string();
        assert!(said.contains(word), "{values}: {said}");
    };
    let at = |more: serde_json::Value| {
        let mut all = json!({"dimension": 3, "diameter": 1.0, "features": 100, "epsilon": 0.1});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    refused(at(json!({"kernel": "curl-free(laplace)"})), "no second derivative at 0");
    refused(at(json!({"kernel": "curl-free(matern(1.0))"})), "no second derivative at 0");
    refused(at(json!({"kernel": "div-free", "dimension": 1})), "in one dimension");
    refused(at(json!({"kernel": "curl-free", "group": "multiplicative"})), "multiplicative group");
    refused(at(json!({"kernel": "curl-free", "outputs": 2})), "outputs");
    refused(at(json!({"features": 101})), "even number");
    refused(at(json!({"probability": 0.1})), "two of them");
    refused(json!({"dimension": 2}), "features or an epsilon");
    refused(json!({"features": 100, "probability": 1.0}), "probability");
    refused(at(json!({"epsilon": -1.0})), "epsilon");
    refused(at(json!({"diameter": 0.0})), "diameter");
    refused(at(json!({"kernel": "curl-free*div-free"})), "not written down");
    let apart = "curl-free + precompose([[2, 0, 0], [0, 2, 0], [0, 0, 2]], div-free)";
    refused(at(json!({"kernel": apart, "sum": "mixture"})), "mixture draw of terms in different coordinates");
    // a bound of atoms that cannot be drawn
    refused(at(json!({"kernel": "matern(2.5)", "measure": "tilted"})), "measure tilted for matern");
    refused(at(json!({"kernel": "curl-free(cauchy)", "measure": "tilted"})), "measure tilted for cauchy");
    refused(at(json!({"kernel": "spectral-mixture(2)"})), "components");
    // theorems that do not apply say why; the others answer
    let why = |values, name: &str| {
        let answer = ask(values).unwrap();
        assert!(!answer.bounds.iter().any(|b| b.name == name));
        answer.refused.iter().find(|r| r.name == name).unwrap().why.clone()
    };
    assert!(why(at(json!({"kernel": "laplace"})), "rahimi-recht").contains("E‖ω‖²"));
    assert!(why(at(json!({"kernel": "laplace"})), "minh-uniform").contains("m₁"));
    assert!(
        why(at(json!({"kernel": "curl-free(cauchy)", "measure": "plain"})), "brault-2016").contains("heavy tails")
    );
    assert!(why(at(json!({"kernel": "curl-free", "measure": "plain"})), "minh-uniform").contains("ess sup"));
    assert!(why(at(json!({"kernel": "curl-free"})), "rahimi-recht").contains("decomposable"));
    assert!(why(at(json!({"map": "phases", "features": 101})), "brault-2017-bounded").contains("x − z"));
    let laplace = ask(at(json!({"kernel": "laplace"}))).unwrap();
    assert_eq!(laplace.bounds.iter().map(|b| b.name).collect::<Vec<_>>(), ["minh-pointwise"]);
}
