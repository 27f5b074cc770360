"""Bounds, against the formulas of the papers and NumPy's own draws."""

import math
import os
import subprocess

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


@pytest.mark.parametrize("sum", ["concatenation", "mixture"])
def test_variance_of_sums(sum):
    rng = np.random.default_rng(8)
    n, delta, long = 200_000, np.array([0.4, -0.3]), 2.0
    kernel = orff.gaussian(1.0) + 0.25 * orff.gaussian(long)
    wave = lambda scale: np.cos(rng.normal(size=(n, 2)) / scale @ delta)  # noqa: E731
    exact = kernel([delta], [np.zeros(2)])[0, 0, 0, 0]
    if sum == "concatenation":  # two atoms
        errors = wave(1.0) + 0.25 * wave(long) - exact
        squares = 2 * errors**2
    else:  # one atom, of the first term with probability 0.8
        errors = 1.25 * np.where(rng.uniform(size=n) < 0.8, wave(1.0), wave(long)) - exact
        squares = errors**2
    found = bounds.variance(kernel, delta, sum=sum)
    assert abs(squares.mean() - found.exact[0, 0]) < 4.5 * squares.std() / math.sqrt(n)
    assert found.always[0, 0] >= found.exact[0, 0] and found.brault_2016 is None
    answer = bounds.bound(kernel, dimension=2, n_components=8, draws=500, sum=sum)
    assert len(answer.variance) == 3 and answer.bounds
    for each in answer.variance[1:]:
        assert each["measured"] == pytest.approx(each["exact"], rel=0.35) and each["exact"] <= each["always"]


def test_large_powers_have_finite_bounds():
    q = np.zeros(1000)
    q[3] = 1
    found = bounds.alignment(q, np.full(1000, 0.3), rows=10**9, mu=150.0)
    # (D + 1)^{1/μ} = 1000^{149/150}
    expected = 0.3 + math.sqrt(0.25 / (10**9 - 1)) * 1000 ** (149 / 150) * 20 ** (149 / 150)
    assert found["theorem_4"] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("kernel", ["gaussian(0.5)", "helmholtz(gaussian(0.5), 0.4)"])
def test_reports_are_those_of_the_command(tmp_path, rows, kernel):
    command = os.environ.get("ORFF_COMMAND")
    if command is None:
        pytest.skip("ORFF_COMMAND, set by ./test, is the path of the binary")
    X, Y = rows[0][:, :2], rows[1]
    table = tmp_path / "rows.csv"
    np.savetxt(table, np.c_[X, Y], delimiter=",", header="a,b,u,v", comments="", fmt="%.17g")
    options = {"kernel": kernel, "alpha": 0.01, "n_components": 100}
    model = orff.OperatorRidge(**options).fit(X, Y)
    found = bounds.report(model, X, Y)
    line = ["-q", "fit", "regression", table, "--outputs", "u,v", "--kernel", kernel, "--ridge", "0.01"]
    line += ["--features", "100", "--report", "-o", tmp_path / "m.orff"]
    said = subprocess.run([command, *map(str, line)], capture_output=True, text=True, check=True).stdout

    def printed(words):
        (line,) = [line for line in said.splitlines() if words in line]
        return float(line.split()[0])

    for words, value in [
        ("largest error measured", found.approximation["measured"]),
        ("bound for all rows", found.approximation["bound"]),
        ("mean over the rows", found.generalisation["risk"]),
        ("Proposition 7.1", found.generalisation["norm"]),
        ("(7.5)", found.generalisation["complexity"]),
        ("(7.6)", found.generalisation["stability"]),
    ]:
        assert printed(words) == pytest.approx(value, rel=1e-3), words
    # the same as from the sizes alone
    sizes = found.generalisation["sizes"]
    gaps = bounds.generalisation(**sizes)
    for name in ("norm", "complexity", "stability"):
        assert found.generalisation[name] == pytest.approx(found.generalisation["risk"] + gaps[name], rel=1e-12)
    assert sizes["rows"] == len(X) and sizes["alpha"] == 0.01


def test_reports_say_why_there_is_no_bound(rows):
    X, Y = rows
    exact = bounds.report(orff.ExactOperatorRidge().fit(X, Y), X, Y)
    assert exact.approximation is None and "no random features" in exact.refused["approximation"]
    weight = np.ones(len(X))
    weighted = bounds.report(orff.OperatorRidge(n_components=20).fit(X, Y, weight), X, Y, weight)
    assert weighted.generalisation is None and "weights" in weighted.refused["generalisation"]
    labels = Y[:, 0] > 0
    classes = bounds.report(orff.OperatorClassifier(n_components=20).fit(X, labels), X)
    assert classes.approximation["measured"] > 0 and "all known" in classes.refused["generalisation"]
    logistic = bounds.report(orff.OperatorClassifier(n_components=20, loss="logistic").fit(X, labels), X, labels)
    assert "ridge regression" in logistic.refused["generalisation"]
    aligned = orff.AlignedClassifier(n_components=20, n_candidates=50).fit(X, labels)
    found = bounds.report(aligned, X)
    assert found.alignment == aligned.bound_
    # by those that were kept, of all weighted candidates: rows of the first half beside those of the second
    half = len(X) // 2
    omega, delta = aligned.candidates_, X[:half] - X[half : 2 * half]
    kept = aligned.learned_kernel()
    values = np.array([kept([x], [z])[0, 0, 0, 0] for x, z in zip(X[:half], X[half : 2 * half], strict=True)])
    error = np.abs(np.cos(delta @ omega.T) @ aligned.posterior_ - values).max()
    assert found.approximation["measured"] == pytest.approx(error, abs=1e-10)
    machine = bounds.report(orff.FourierOneClassSVM(n_components=100).fit(X), X)
    assert 0 < machine.approximation["measured"] < machine.approximation["bound"]


def test_classes_by_the_squared_loss_are_regression_of_codes(rows):
    X = rows[0]
    y = np.where(X[:, 0] + X[:, 1] > 0.1, "up", "down")
    options = {"lengthscale": 1.0, "n_components": 40, "alpha": 0.01}
    model = orff.OperatorClassifier(**options).fit(X, y)
    found = bounds.report(model, X, y).generalisation
    codes = np.where(y == "up", 1.0, -1.0)
    expected = bounds.report(orff.OperatorRidge(**options).fit(X, codes), X, codes).generalisation
    for name in ("risk", "norm", "complexity", "stability"):
        assert found[name] == pytest.approx(expected[name], rel=1e-7), name
    with pytest.raises(ValueError, match="y: expected the labels that the model was learned from"):
        bounds.report(model, X, np.where(y == "up", "left", "right"))


def test_series_have_an_approximation_and_no_bound_of_the_expected_loss():
    draw = np.random.default_rng(2)
    Y = np.cumsum(draw.normal(size=(80, 2)), axis=0)
    model = orff.FourierVAR(order=2, n_components=60, lengthscale=3.0).fit(Y)
    found = bounds.report(model)
    lagged = np.hstack([Y[1:-1], Y[:-2]])
    # the same regression on lagged rows
    plain = bounds.report(orff.OperatorRidge(n_components=60, lengthscale=3.0).fit(lagged, Y[2:]), lagged, Y[2:])
    assert found.approximation == pytest.approx(plain.approximation)
    assert found.generalisation is None and "depend on those before" in found.refused["generalisation"]
    with pytest.raises(ValueError, match="X: expected None, as a forecaster keeps the series"):
        bounds.report(model, Y)
    with pytest.raises(ValueError, match="X: expected the inputs that the model was learned from, got none"):
        bounds.report(orff.OperatorRidge(n_components=20).fit(Y, Y))


def test_features_beyond_measure_are_guessed():
    answer = bounds.bound("curl-free", dimension=2, epsilon=1e-6, draws=20)
    assert answer.measured is None and len(answer.errors) == 20
    assert 1e11 < answer.extrapolated < 1e14
    assert bounds.bound("curl-free", dimension=2, epsilon=0.3, draws=20).extrapolated is None
