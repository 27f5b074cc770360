"""Losses of numbers against other programs on the same features: an interior-point method, support vector regression."""

import numpy as np
import orff
import pytest
from scipy.optimize import Bounds, LinearConstraint, minimize
from sklearn.svm import LinearSVR

RIDGE = 1e-3


@pytest.fixture(scope="module")
def problem():
    """Rows with outputs of deviation 1, their features, and options of the regressor that has the same."""
    rng = np.random.default_rng(4)
    X = rng.uniform(-2, 2, (50, 2))
    y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.5 * rng.standard_t(2, 50)
    y = (y - y.mean()) / y.std()
    options = {"n_components": 10, "lengthscale": 1.5}
    Z = orff.FourierFeatures("gaussian", **options).fit(X).transform(X)
    return X, y, Z, options | {"kernel": "gaussian", "alpha": RIDGE}


def each(loss, r):
    """The loss of residuals f - y."""
    name, parameter = loss.rstrip(")").split("(")
    a = float(parameter)
    if name == "epsilon-insensitive":
        return np.maximum(np.abs(r) - a, 0)
    if name == "pinball":
        return np.maximum(-a * r, (1 - a) * r)
    return np.where(np.abs(r) <= a, r**2, 2 * a * np.abs(r) - a**2)


def interior(loss, Z, y):
    """The least risk with corners, by a barrier method: two slacks for each row, f - y = up - down with costs."""
    name, parameter = loss.rstrip(")").split("(")
    (n, m), a = Z.shape, float(parameter)
    # r = up - down + kept, |kept| <= epsilon
    up, down, kept = (1.0, 1.0, a) if name == "epsilon-insensitive" else (1 - a, a, 0.0)
    costs = np.concatenate([np.zeros(m + 1), np.full(n, up), np.full(n, down), np.zeros(n)]) / n
    square = np.concatenate([np.full(m, RIDGE), np.zeros(3 * n + 1)])
    eye = np.eye(n)
    rows = np.hstack([Z, np.ones((n, 1)), -eye, eye, -eye])
    low = np.concatenate([np.full(m + 1, -np.inf), np.zeros(2 * n), np.full(n, -kept)])
    high = np.concatenate([np.full(m + 1 + 2 * n, np.inf), np.full(n, kept)])
    if kept == 0.0:
        rows, costs, square, low, high = (v[..., : m + 1 + 2 * n] for v in (rows, costs, square, low, high))
    start = np.concatenate([np.zeros(m + 1), np.maximum(-y, 0) + 1, np.maximum(y, 0) + 1, np.zeros(n)])[: len(costs)]
    done = minimize(
        lambda v: costs @ v + square @ v**2, start, jac=lambda v: costs + 2 * square * v,
        hess=lambda v: np.diag(2 * square), method="trust-constr", bounds=Bounds(low, high),
        constraints=LinearConstraint(rows, y, y),
        options={"gtol": 1e-8, "xtol": 1e-12, "barrier_tol": 1e-9, "maxiter": 3000},
    )  # fmt: skip
    assert done.constr_violation < 1e-8
    return done.fun


def risk(model, loss, X, y, Z):
    """The objective at a model, from its predictions; the unknowns are those that give these on the features."""
    f = model.predict(X)
    known = np.column_stack([Z, np.ones(len(Z))])
    theta, left = np.linalg.lstsq(known, f, rcond=None)[:2]
    assert np.all(left < 1e-12)
    return np.mean(each(loss, f - y)) + RIDGE * np.sum(theta[:-1] ** 2)


@pytest.mark.parametrize("loss", ["epsilon-insensitive(0.3)", "pinball(0.2)", "pinball(0.5)"])
def test_corners_are_those_of_an_interior_point_method(problem, loss):
    X, y, Z, options = problem
    model = orff.RiskRegressor(loss=loss, tol=1e-5, **options).fit(X, y)
    found, least = risk(model, loss, X, y, Z), interior(loss, Z, y)
    assert least * (1 - 1e-4) < found < least * (1 + 1e-4)


def test_epsilon_insensitive_is_support_vector_regression(problem):
    X, y, Z, options = problem
    model = orff.RiskRegressor(loss="epsilon-insensitive(0.3)", tol=1e-6, fit_intercept=False, **options).fit(X, y)
    theirs = LinearSVR(epsilon=0.3, C=1 / (2 * len(y) * RIDGE), fit_intercept=False, tol=1e-8, max_iter=1_000_000)
    theirs.fit(Z, y)
    assert np.allclose(model.predict(X), theirs.predict(Z), atol=5e-3)


def test_huber_is_the_minimum_of_its_risk(problem):
    X, y, Z, options = problem
    model = orff.RiskRegressor(loss="huber(0.4)", **options).fit(X, y)
    known = np.column_stack([Z, np.ones(len(Z))])

    def value(v):
        return np.mean(each("huber(0.4)", known @ v - y)) + RIDGE * v[:-1] @ v[:-1]

    def slope(v):
        r = np.clip(known @ v - y, -0.4, 0.4)
        return 2 * known.T @ r / len(y) + 2 * RIDGE * np.append(v[:-1], 0)

    done = minimize(value, np.zeros(known.shape[1]), jac=slope, method="BFGS", options={"gtol": 1e-10})
    assert np.allclose(model.predict(X), known @ done.x, atol=1e-6)


@pytest.mark.parametrize("solver", ["l-bfgs", "projected", "stochastic", "online"])
def test_solvers_learn_and_travel(problem, solver, tmp_path):
    rng = np.random.default_rng(1)
    X = rng.uniform(-2, 2, (300, 1))
    Y = np.hstack([np.sin(2 * X), np.cos(2 * X)])
    model = orff.RiskRegressor(solver=solver, loss="squared").fit(X, Y)
    assert model.score(X, Y) > 0.9
    assert any("solved by" in line for line in model.choices_)
    model.save(tmp_path / "m.orff")
    assert np.array_equal(orff.load(tmp_path / "m.orff").predict(X), model.predict(X))


def test_what_cannot_be_learned_is_said():
    X, y = np.arange(10.0)[:, None], np.arange(10.0)
    with pytest.raises(ValueError, match="loss"):
        orff.RiskRegressor(loss="hinge").fit(X, y)
    with pytest.raises(ValueError, match="solver"):
        orff.RiskRegressor(solver="newton").fit(X, y)
    with pytest.raises(ValueError, match="weights of rows in online learning"):
        orff.RiskRegressor(solver="online").fit(X, y, sample_weight=np.full(10, 2.0))
