"""Bounds, against the formulas of the papers and NumPy's own draws."""

import math

import numpy as np
import orff
import pytest
from orff import bounds


def test_the_formula_of_rahimi_and_recht():
    d, diameter, epsilon, atoms = 4, 1.5, 0.2, 20_000
    answer = bounds.bound(
        "gaussian(0.5)", dimension=d, diameter=diameter, n_components=2 * atoms, epsilon=epsilon
    )
    claim = 2**8 * (4 * d) * (diameter / epsilon) ** 2 * math.exp(-atoms * epsilon**2 / (4 * (d + 2)))
    (ours,) = [b.value for b in answer.bounds if b.name == "rahimi-recht"]
    assert claim < 1 and ours == pytest.approx(claim, rel=1e-12)


def test_the_same_three_numbers_from_any_two():
    kernel = orff.curl_free(orff.matern(2.5)) + 0.5 * orff.div_free()
    epsilon = bounds.bound(kernel, dimension=2, n_components=40_000, probability=0.01).best
    back = bounds.bound(kernel, dimension=2, n_components=40_000, epsilon=epsilon.value).bounds
    (same,) = [b.value for b in back if b.name == epsilon.name]
    assert same == pytest.approx(0.01, rel=1e-6)
    assert bounds.bound(kernel, dimension=2, epsilon=epsilon.value, probability=0.01).asked == "features"


def test_errors_are_measured_beside_the_bounds():
    answer = bounds.bound(
        "div-free", dimension=2, n_components=100, probability=0.2, draws=30, random_state=3, n_jobs=1
    )
    again = bounds.bound("div-free", dimension=2, n_components=100, probability=0.2, draws=30, random_state=3)
    assert (answer.errors == again.errors).all() and len(answer.errors) == 30
    assert answer.measured <= answer.best.value
    # 20 % of the draws exceed it at most
    assert (answer.errors > answer.measured).mean() <= 0.2


@pytest.mark.parametrize("feature_map", ["pairs", "phases"])
def test_variance_of_independent_draws(feature_map):
    rng = np.random.default_rng(5)
    n, x, z = 200_000, np.array([0.4, -0.1]), np.array([0.1, 0.3])
    delta = x - z
    omega = rng.normal(size=(n, 2))
    if feature_map == "pairs":
        wave = np.cos(omega @ delta)
    else:
        b = rng.uniform(0, 2 * np.pi, n)
        wave = 2 * np.cos(omega @ x + b) * np.cos(omega @ z + b)
    exact = orff.curl_free(orff.gaussian(1.0))([x], [z])[0, 0]
    errors = wave[:, None, None] * omega[:, :, None] * omega[:, None, :] - exact
    squares = errors @ errors
    found = bounds.variance("curl-free", delta, measure="plain", feature_map=feature_map)
    z = (squares.mean(0) - found.exact) / (squares.std(0) / math.sqrt(n))
    assert np.abs(z).max() < 4.5
    assert np.linalg.eigvalsh(found.always - found.exact).min() > -1e-12


def test_chapter_7_and_warped_kernels():
    found = bounds.generalisation(
        rows=400, alpha=0.25, kappa=4.0, trace=6.0, largest=3.0, norm=2.0, probability=0.1
    )
    assert found["complexity"] == pytest.approx(28.8 * (math.sqrt(6) + math.sqrt(2 * math.log(20))))
    assert found["stability"] == pytest.approx(18 + 225 * 64.5 * math.sqrt(math.log(10) / 800))
    assert bounds.generalisation(rows=9, alpha=9.0, kappa=1, trace=1, largest=1, norm=1)["complexity"] is None
    rates = [
        bounds.consistency(
            rows=100, atoms=atoms, lipschitz=1, largest=1, norm=1, trace=1, largest_operator=4
        )["approximation"]
        for atoms in (100, 400)
    ]
    assert rates[0] == pytest.approx(2 * rates[1])
    assert bounds.warped(rows=100, atoms=50, graph_norm=0)["factor"] == 1


def test_refusals_name_the_argument():
    for message, call in [
        ("kernel|curl-free", lambda: bounds.bound("curl-free(laplace)", dimension=2, n_components=10)),
        ("dimension", lambda: bounds.bound("gaussian", dimension=0, n_components=10)),
        ("n_components", lambda: bounds.bound("gaussian", dimension=2)),
        ("n_components", lambda: bounds.bound("gaussian", dimension=2, n_components=11)),
        ("epsilon", lambda: bounds.bound("gaussian", dimension=2, n_components=10, epsilon=math.nan)),
        ("n_jobs", lambda: bounds.bound("gaussian", dimension=2, n_components=10, n_jobs=0)),
        ("alpha", lambda: bounds.generalisation(rows=9, alpha=0, kappa=1, trace=1, largest=1, norm=1)),
        ("laplace|variance", lambda: bounds.variance("curl-free(laplace)", [0.1, 0.2])),
    ]:
        with pytest.raises(ValueError, match=message):
            call()


def test_constants_that_do_not_exist_are_infinite():
    answer = bounds.bound("curl-free", dimension=2, n_components=100, measure="plain")
    assert answer.constants[0]["largest"] == math.inf
    assert "minh-uniform" in answer.refused


def test_where_no_theorem_applies_the_best_says_why():
    found = bounds.bound(
        "curl-free", dimension=3, n_components=2000, epsilon=0.4, feature_map="phases", measure="plain"
    )
    with pytest.raises(ValueError, match="no theorem applies: .*phases"):
        found.best
