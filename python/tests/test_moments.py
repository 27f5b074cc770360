"""Going on learning: rows add, moments merge and travel."""

import pickle

import numpy as np
import orff
import pytest

OPTIONS = {"n_components": 100}


def test_parts_make_the_whole(rows):
    X, Y = rows
    whole = orff.OperatorRidge(**OPTIONS, warm_start=True).fit(X, Y)
    assert whole.moments_.n_rows == 150
    parts = orff.OperatorRidge(**OPTIONS).fit_moments(whole.moments_.empty().add(X, Y))
    assert (parts.predict(X) == whole.predict(X)).all()
    there = [pickle.loads(pickle.dumps(whole.moments_.empty())) for _ in range(2)]
    there[0].add(X[:70], Y[:70])
    there[1].add(X[70:], Y[70:])
    sent = pickle.loads(pickle.dumps(there[1]))
    merged = orff.OperatorRidge().fit_moments(there[0].merge(sent))
    assert merged.moments_.n_rows == 150 and repr(sent) == "Moments(80 rows, 3 inputs, 2 outputs)"
    assert np.allclose(merged.predict(X), whole.predict(X), atol=1e-7)
    assert (orff.OperatorRidge(**OPTIONS).fit(X, Y).predict(X) == whole.predict(X)).all()


def test_partial_fit(rows):
    X, Y = rows
    model = orff.OperatorRidge(**OPTIONS)
    for k in range(0, 150, 50):
        model.partial_fit(X[k : k + 50], Y[k : k + 50])
        assert model.moments_.n_rows == k + 50
        assert model.predict(X).shape == (150, 2)
    assert model.score(X, Y) > 0.97
    assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()
    again = pickle.loads(pickle.dumps(model)).partial_fit(X, Y)
    assert again.moments_.n_rows == 300 and model.moments_.n_rows == 150
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :2], Y)
    assert model.moments_.n_rows == 150
    field = orff.VectorField("curl-free", **OPTIONS).partial_fit(X[:, :2], Y).partial_fit(X[:, :2], Y)
    assert field.jacobian(X[:3, :2]).shape == (3, 2, 2)


def test_warm_start_keeps_the_choices(rows):
    X, Y = rows
    model = orff.OperatorRidge(**OPTIONS, warm_start=True).fit(X, Y)
    chosen = model.lengthscale_
    model.fit(3 * X[:90], Y[:90])
    assert (model.lengthscale_ == chosen).all() and model.moments_.n_rows == 90
    cold = orff.OperatorRidge(**OPTIONS).fit(3 * X[:90], Y[:90])
    assert (cold.lengthscale_ != chosen).all()
    assert not hasattr(cold, "moments_")
    with pytest.warns(UserWarning, match="begins anew"):
        cold.partial_fit(X, Y)
    assert cold.moments_.n_rows == 150


def test_what_cannot_merge_is_refused(rows):
    X, Y = rows
    a = orff.OperatorRidge(**OPTIONS).partial_fit(X, Y).moments_
    b = orff.OperatorRidge(**OPTIONS).partial_fit(2 * X, Y).moments_
    with pytest.raises(ValueError, match="began differently"):
        a.merge(b)
    with pytest.raises(ValueError, match="3 inputs and 2 outputs as before"):
        a.add(X, Y[:, 0])
    assert a.n_rows == 150
    assert not hasattr(orff.ExactOperatorRidge(), "partial_fit")
    with pytest.raises(ValueError, match="second pass"):
        orff.OperatorRidge(alpha="loo").partial_fit(X, Y)


def test_changed_parameters_are_noticed():
    X = np.random.default_rng(3).normal(size=(80, 2))
    model = orff.OperatorRidge(n_components=32, alpha=1e-3, warm_start=True).fit(X, np.sin(X))
    assert model.set_params(alpha=10.0).fit(X, np.sin(X)).alpha_ == 10.0
    with pytest.raises(ValueError, match="n_components"):
        model.set_params(n_components=-3).fit(X, np.sin(X))
    with pytest.raises(ValueError, match="parameters changed since the first rows"):
        model.set_params(n_components=32, alpha=1.0).partial_fit(X, np.sin(X))
    model.set_params(alpha=10.0).partial_fit(X, np.sin(X))
    assert model.moments_.n_rows == 160
    with pytest.raises(TypeError, match="expected Moments"):
        model.fit_moments(None)
