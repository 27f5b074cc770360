"""Quantiles: against linear programs and quadratic ones, and what is asked of them."""

import numpy as np
import orff
import pytest
from scipy.optimize import linprog
from scipy.stats import kstest, norm
from sklearn.metrics import mean_pinball_loss


@pytest.fixture(scope="module")
def wave():
    random = np.random.default_rng(3)
    X = random.uniform(0, 3, (400, 1))
    y = np.sin(2 * X[:, 0]) + (0.1 + 0.2 * X[:, 0]) * random.normal(size=400)
    return X, y


@pytest.fixture(scope="module")
def fitted(wave):
    return orff.QuantileFunction().fit(*wave)


def test_shapes_levels_and_files(wave, fitted, tmp_path):
    X, y = wave
    assert fitted.predict(X).shape == (400,) and fitted.predict(X, levels=0.3).shape == (400,)
    q = fitted.predict(X, levels=[0.05, 0.5, 0.95])
    assert q.shape == (400, 3) and (np.diff(q) >= 0).all() and (q[:, 1] == fitted.predict(X)).all()
    two = orff.QuantileFunction(lengthscale=0.5, alpha=1e-3).fit(X, np.column_stack([y, -y]))
    assert two.predict(X).shape == (400, 2) and two.predict(X, levels=[0.1, 0.9]).shape == (400, 2, 2)
    assert two.sample(X[:5], 7).shape == (5, 2, 7) and two.cdf(X, 0.0).shape == (400, 2)
    fitted.save(tmp_path / "q.orff")
    again = orff.load(tmp_path / "q.orff")
    assert type(again) is orff.QuantileFunction and (again.predict(X, levels=[0.05, 0.5, 0.95]) == q).all()


def test_quantiles_are_those_of_the_law(wave, fitted):
    X, _ = wave
    for level in (0.1, 0.5, 0.9):
        truth = np.sin(2 * X[:, 0]) + (0.1 + 0.2 * X[:, 0]) * norm.ppf(level)
        assert np.abs(fitted.predict(X, levels=level) - truth).mean() < 0.1


def test_samples_have_the_levels_of_a_uniform_law(wave, fitted):
    X, _ = wave
    draws = fitted.sample(X, 5, random_state=1)
    levels = np.concatenate([fitted.cdf(X, draws[:, k]) for k in range(5)])
    assert kstest(levels, "uniform").pvalue > 1e-3
    assert (fitted.sample(X, 5, random_state=1) == draws).all()


def test_one_level_is_a_linear_program(wave):
    """Without ridge and with one level, the minimum over features is that of a linear program."""
    X, y = wave[0][:80], wave[1][:80]
    level = 0.7
    model = orff.JointQuantileRegression(levels=level, lengthscale=1.0, alpha=1e-9, tol=1e-5, max_iter=100_000).fit(X, y)
    ours = mean_pinball_loss(y, model.predict(X, levels=level), alpha=level)
    # a basis of the same space: kernel sections at all rows, by their eigenvectors
    values, vectors = np.linalg.eigh(orff.gaussian(lengthscale=1.0)(X)[:, :, 0, 0])
    Z = vectors[:, values > 1e-9] * np.sqrt(values[values > 1e-9])
    (n, r), one = Z.shape, np.ones((len(Z), 1))
    equal = np.hstack([Z, -Z, one, -one, np.eye(n), -np.eye(n)])
    cost = np.concatenate([np.zeros(2 * r + 2), np.full(n, level), np.full(n, 1 - level)]) / n
    best = linprog(cost, A_eq=equal, b_eq=y).fun
    assert best <= ours * (1 + 1e-9) and ours < 1.02 * best


@pytest.mark.parametrize("crossing", [0.0, 1.0])
def test_the_minimum_is_that_of_another_method(wave, crossing):
    """The risk as a smooth problem with bounds, max(a, b) by slack variables, solved by scipy."""
    from scipy.optimize import minimize

    X, y = wave[0][:30], wave[1][:30]
    levels, alpha = np.array([0.2, 0.5, 0.8]), 1e-2
    model = orff.JointQuantileRegression(
        levels=levels.tolist(), lengthscale=0.7, alpha=alpha, crossing=crossing, tol=1e-6, max_iter=100_000
    ).fit(X, y)
    scaled = (y - y.mean()) / y.std()
    K = orff.gaussian(lengthscale=0.7)(X)[:, :, 0, 0]
    gamma = np.exp(-((levels[:, None] - levels) ** 2) / 2 / 0.3**2)
    A, B = np.linalg.cholesky(K + 1e-10 * np.eye(30)), np.linalg.cholesky(gamma)

    def risk(f, norm):
        r = scaled[:, None] - f
        pinball = np.maximum(levels * r, (levels - 1) * r).mean()
        return pinball + crossing / 3 * np.maximum(f[:, :-1] - f[:, 1:], 0).sum(1).mean() + alpha * norm

    def smooth(theta, mu):
        T, b = theta[:90].reshape(30, 3), theta[90:]
        f = A @ T @ B.T + b
        r = scaled[:, None] - f
        s = np.clip(r / mu, levels - 1, levels)
        cross = f[:, :-1] - f[:, 1:]
        c = np.clip(cross / mu, 0, 1)
        value = (s * r - mu * s * s / 2).mean() + crossing / 3 * (c * cross - mu * c * c / 2).sum(1).mean()
        g = -s / 90
        g[:, :-1] += crossing / 3 * c / 30
        g[:, 1:] -= crossing / 3 * c / 30
        return value + alpha * (T**2).sum(), np.concatenate([(A.T @ g @ B + 2 * alpha * T).ravel(), g.sum(0)])

    theta = np.zeros(93)
    for mu in 10.0 ** -np.arange(0, 7):
        options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-15, "gtol": 1e-10}
        theta = minimize(smooth, theta, args=(mu,), jac=True, method="L-BFGS-B", options=options).x
    T, b = theta[:90].reshape(30, 3), theta[90:]
    best = risk(A @ T @ B.T + b, (T**2).sum())
    said = next(line for line in model.choices_ if "duality gap" in line)
    assert "converged" in said
    f = (model._model.quantiles(X, levels.tolist(), None) - y.mean()) / y.std()
    # f = K a Γ + b, from which the norm follows
    C = np.linalg.lstsq(np.hstack([K, np.ones((30, 1))]), f, rcond=1e-13)[0][:30]
    norm = np.trace(C.T @ K @ C @ np.linalg.inv(gamma))
    assert abs(risk(f, norm) - best) < 2e-3 * best


def test_conformal_intervals(wave):
    X, y = wave
    inside = []
    for seed in range(8):
        order = np.random.default_rng(seed).permutation(400)
        own, other = order[:200], order[200:]
        model = orff.QuantileFunction(lengthscale=3.0, alpha=0.1, conformal=True).fit(X[own], y[own])
        lower, upper = model.predict_interval(X[other], 0.9)
        inside.append(((lower <= y[other]) & (y[other] <= upper)).mean())
    # 50 rows kept: 46 of 51 on average, with a deviation of 0.04 for each draw
    assert abs(np.mean(inside) - 46 / 51) < 4 * 0.045 / np.sqrt(8)
    assert any("split conformal" in line for line in model.choices_)
    with pytest.raises(ValueError, match="it takes at least 99"):
        model.predict_interval(X, 0.99)
    plain = orff.QuantileFunction(lengthscale=3.0, alpha=0.1, conformal=False).fit(X, y)
    lower, upper = plain.predict_interval(X, 0.5)
    assert (lower == plain.predict(X, levels=0.25)).all() and (upper == plain.predict(X, levels=0.75)).all()


def test_conformal_intervals_of_classes():
    """Rows with the inputs of others are kept aside as all are; their order does not matter."""
    random = np.random.default_rng(0)
    inside = []
    for _ in range(16):
        kind = random.integers(0, 2, 600).astype(float)
        y = np.where(kind == 1, 0.1, 2.0) * random.normal(size=600) ** 3
        order = np.argsort(kind[:200], kind="stable")
        model = orff.QuantileFunction(lengthscale=1.0, alpha=10.0, n_components=8, conformal=True)
        model.fit(kind[order, None], y[order])
        lower, upper = model.predict_interval(kind[200:, None], 0.9)
        inside.append(((lower <= y[200:]) & (y[200:] <= upper)).mean())
    assert abs(np.mean(inside) - 46 / 51) < 4 * 0.045 / np.sqrt(16)
    with pytest.raises(ValueError, match="leave out the parameter conformal"):
        orff.QuantileFunction(conformal=True).fit([[1.0]], [2.0])


def test_wrong_questions_are_refused(wave, fitted):
    X, y = wave
    for levels in (0, 1.0, [0.1, np.nan], "half", [[0.1]], []):
        with pytest.raises(ValueError, match="levels: expected numbers between 0 and 1"):
            fitted.predict(X, levels=levels)
    with pytest.raises(ValueError, match="coverage: expected a number between 0 and 1"):
        fitted.predict_interval(X, 90)
    with pytest.raises(ValueError, match="y: expected one number or shape"):
        fitted.cdf(X, y[:3])
    with pytest.raises(ValueError, match="n_samples: expected a whole number"):
        fitted.sample(X, 0)
    with pytest.raises(ValueError, match="levels: expected"):
        orff.JointQuantileRegression(levels=[0.5, 0.5]).fit(X, y)
    with pytest.raises(ValueError, match="conformal: expected"):
        orff.QuantileFunction(conformal=2).fit(X, y)


def test_the_fan_is_drawn(wave, fitted):
    plt = pytest.importorskip("matplotlib.pyplot")
    ax = orff.plot.quantile_fan(fitted, coverages=[0.5, 0.9])
    assert len(ax.collections) == 3 and len(ax.lines) == 1 and ax.get_xlabel() == "x1"
    bands = [band.get_paths()[0].vertices[:, 1] for band in ax.collections[:2]]
    assert np.ptp(bands[0]) > np.ptp(bands[1])  # the wider one lies below
    with pytest.raises(ValueError, match="output: expected"):
        orff.plot.quantile_fan(fitted, output=1)
    plt.close("all")
