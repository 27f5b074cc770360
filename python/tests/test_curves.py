"""Curves as outputs."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import orff
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

matplotlib.use("Agg")

T = np.linspace(0, 1, 12)


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(3)
    X = random.uniform(-1, 1, (70, 2))
    return X, np.sin(2 * X[:, :1] + 3 * T) + X[:, 1:] * T + 0.05 * random.normal(size=(70, 12))


def dense(X, t, y, new, at, lengthscale, along, ridge):
    """The kernel ridge of all points with the kernel (k + 1)k_T, in NumPy: t, y and the number of the row of each point."""
    i, t, y = (np.concatenate(part) for part in zip(*[(np.full(len(t[k]), k), t[k], y[k]) for k in range(len(X))], strict=True))
    square = ((X[:, None] - X[None]) ** 2).sum(-1)
    K = (np.exp(-square[i][:, i] / 2 / lengthscale**2) + 1) * np.exp(-((t[:, None] - t) ** 2) / 2 / along**2)
    weights = np.linalg.solve(K + len(y) * ridge * np.eye(len(y)), y - y.mean())
    square = ((new[:, None] - X[None]) ** 2).sum(-1)[:, i]
    near = np.exp(-((np.asarray(at)[:, None] - t) ** 2) / 2 / along**2)
    return y.mean() + np.einsum("np,lp,p->nl", np.exp(-square / 2 / lengthscale**2) + 1, near, weights)


def test_many_features_are_the_kernel(rows):
    X, Y = rows
    pairs = [(T[k % 3 :: 3], Y[k, k % 3 :: 3]) for k in range(70)]
    given = {"lengthscale": 0.8, "argument_lengthscale": 0.3, "alpha": 1e-3, "n_components": 3000, "argument_components": 256}
    for curves, t, y in [(Y, [T] * 70, Y), (pairs, *zip(*pairs, strict=True))]:
        model = orff.FunctionalRidge(**given, grid=T if curves is Y else "auto").fit(X, curves)
        expected = dense(X, t, y, X[:9] + 0.1, [0.1, 0.55, 0.9], 0.8, 0.3, 1e-3)
        assert np.abs(model.predict(X[:9] + 0.1, at=[0.1, 0.55, 0.9]) - expected).max() < 0.01


def test_shapes_and_attributes(rows):
    X, Y = rows
    model = orff.FunctionalRidge(grid=T).fit(X, Y)
    assert model.predict(X).shape == (70, 12) and (model.grid_ == T).all() and model.n_outputs_ == 12
    assert model.predict(X, at=0.3).shape == (70,) and model.predict(X, at=[0.3]).shape == (70, 1)
    own = np.where(np.arange(140).reshape(70, 2) % 5 == 0, np.nan, 0.4)
    each = model.predict(X, at=own)
    assert (np.isnan(each) == np.isnan(own)).all()
    assert np.allclose(each[~np.isnan(own)], np.repeat(model.predict(X, at=0.4), 2)[~np.isnan(own).ravel()])
    assert model.n_iter_ == 1 and model.argument_lengthscale_ > 0 and model.lengthscale_.shape == (2,)
    assert any("one at a time" in line for line in model.choices_)
    assert model.score(X, Y) == pytest.approx(1 - ((Y - model.predict(X)) ** 2).sum() / ((Y - Y.mean()) ** 2).sum())
    flat = orff.FunctionalRidge().fit(X, Y[:, 0])
    assert flat.predict(X).shape == (70,) and flat.score(X, Y[:, 0]) > 0.9


def test_gaps_and_pairs_are_the_same(rows):
    X, Y = rows
    holes = np.where(np.random.default_rng(0).random(Y.shape) < 0.4, np.nan, Y)
    pairs = [(T[~np.isnan(row)], row[~np.isnan(row)]) for row in holes]
    wide, long = orff.FunctionalRidge(grid=T, tol=1e-12).fit(X, holes), orff.FunctionalRidge(tol=1e-12).fit(X, pairs)
    assert np.abs(wide.predict(X) - long.predict(X, at=T)).max() < 1e-8
    assert wide.score(X, holes) == pytest.approx(long.score(X, pairs)) and wide.n_iter_ > 1
    assert wide.score(X, Y) > 0.95
    # weights of curves, and of their points
    weights = np.random.default_rng(1).integers(1, 4, 70)
    alike = [np.full(len(t), w) for (t, _), w in zip(pairs, weights, strict=True)]
    given = orff.FunctionalRidge(lengthscale=0.8, argument_lengthscale=0.3, alpha=1e-3, tol=1e-12)
    one, other, none = (clone(given).fit(X, pairs, sample_weight=w).predict(X, at=T) for w in (weights, alike, None))
    assert np.abs(one - other).max() < 1e-8 and np.abs(one - none).max() > 1e-3


def test_files_and_the_command(rows, tmp_path):
    X, Y = rows
    pairs = [(T[k % 3 :: 3], Y[k, k % 3 :: 3]) for k in range(70)]
    for model in (orff.FunctionalRidge(grid=T).fit(X, Y), orff.FunctionalRidge(argument_kernel=orff.matern(1.5)).fit(X, pairs)):
        model.save(tmp_path / "m.orff")
        again = orff.load(tmp_path / "m.orff")
        assert (again.predict(X, at=[0.2, 1.3]) == model.predict(X, at=[0.2, 1.3])).all()
        assert type(again) is orff.FunctionalRidge and (again.grid_ == model.grid_).all()


def test_searches(rows):
    X, Y = rows
    search = GridSearchCV(orff.FunctionalRidge(grid=T, n_components=64), {"alpha": [1e-4, 10.0]}, cv=3).fit(X, Y)
    assert search.best_params_ == {"alpha": 1e-4}
    assert cross_val_score(orff.FunctionalRidge(grid=T, n_components=64), X, Y, cv=3).mean() > 0.9


def test_refusals(rows):
    X, Y = rows
    with pytest.raises(ValueError, match="grid: expected 12 numbers"):
        orff.FunctionalRidge(grid=[0, 1]).fit(X, Y)
    with pytest.raises(ValueError, match="^y: expected 70 rows as in X, got 1"):
        orff.FunctionalRidge().fit(X, [(T, Y[0])])
    with pytest.raises(ValueError, match="curve 1 has 12 arguments and 3 values"):
        orff.FunctionalRidge().fit(X, [(T, Y[0, :3])] * 70)
    with pytest.raises(ValueError, match="occurs twice in one curve"):
        orff.FunctionalRidge().fit(X, [([0.5, 0.5], [1, 2])] * 70)
    with pytest.raises(ValueError, match="got none"):
        orff.FunctionalRidge().fit(X, [([], [])] * 70)
    model = orff.FunctionalRidge(grid=T).fit(X, Y)
    for bad in ("t", np.nan, [[[0.1]]], []):
        with pytest.raises(orff.ParameterError, match="at: expected finite numbers"):
            model.predict(X, at=bad)
    with pytest.raises(ValueError, match="at: expected 70 rows"):
        model.predict(X, at=np.zeros((3, 2)))


def test_plot(rows):
    X, Y = rows
    model = orff.FunctionalRidge(grid=T).fit(X, Y)
    ax = orff.plot.curves(model, X[:3], Y[:3], at=[0, 0.5, 1])
    assert len(ax.lines) == 3 and len(ax.collections) == 3
    assert np.allclose(ax.lines[1].get_ydata(), model.predict(X[1:2], at=[0, 0.5, 1])[0])
    with pytest.raises(ValueError, match="y: expected 12 columns"):
        orff.plot.curves(model, X[:3], Y[:3, :5])
    with pytest.raises(TypeError, match="FunctionalRidge"):
        orff.plot.curves(orff.OperatorRidge().fit(X, Y), X[:3])
    plt.close(ax.figure)
