"""Kernels as values."""

import copy
import json
import pickle

import cloudpickle
import numpy as np
import orff
import pytest
from orff import _orff
from sklearn.base import clone


def test_every_function_of_expressions_is_a_function_here():
    for name, _ in json.loads(_orff.declarations())["kernels"]:
        if name == "sum":  # written with +
            continue
        assert callable(getattr(orff, name.replace("-", "_"))), name
    assert orff.matern(2.5) == orff.Kernel("matern(2.5)")
    assert orff.skewed_chi2(0.3) == orff.Kernel("skewed-chi2(0.3)")


@pytest.mark.parametrize(
    "value, text",
    [
        (orff.gaussian(0.5), "decomposable(gaussian(0.5))"),
        (orff.curl_free(orff.matern(1.5)) + 0.1 * orff.div_free(), "curl-free(matern(1.5)) + 0.1*div-free"),
        (orff.gaussian(1.0) * orff.laplace(2.0), "decomposable(gaussian(1))*decomposable(laplace(2))"),
        (orff.helmholtz(orff.cauchy(1.0), 0.3), "helmholtz(cauchy(1), 0.3)"),
        (orff.decomposable("gaussian", output="covariance"), "decomposable(gaussian, covariance)"),
        (orff.transformable("gaussian", [[1, 0]], [[0, 1]]), "transformable(gaussian, [[1, 0]], [[0, 1]])"),
        (orff.atoms([[1.0, 2.0]], [[[1.0], [2.0]]], [3.0]), "atoms([[1, 2]], [[1], [2]], [3])"),
        (orff.conjugate([[1, 2]], orff.gaussian(1.0)), "conjugate([[1, 2]], decomposable(gaussian(1)))"),
        (orff.gaussian(1.0).precompose([[1.0, 2.0]]), "precompose([[1, 2]], decomposable(gaussian(1)))"),
    ],
)
def test_they_print_as_expressions_and_come_back(value, text):
    assert str(value) == text
    assert orff.Kernel(text) == value
    assert eval(repr(value), {"Kernel": orff.Kernel}) == value
    for again in (
        copy.deepcopy(value),
        pickle.loads(pickle.dumps(value)),
        cloudpickle.loads(cloudpickle.dumps(value)),
    ):
        assert again == value and hash(again) == hash(value)


def test_algebra_is_flat():
    k = orff.gaussian(1.0)
    assert len((k + k + k).form["terms"]) == 3
    assert (2 * (3 * k)).form["factor"] == 6
    assert 2 * k != 3 * k and k != "decomposable(gaussian(1))"


def test_exact_values_against_closed_forms():
    rng = np.random.default_rng(1)
    X, Z = rng.normal(size=(4, 2)), rng.normal(size=(3, 2))
    delta = X[:, None, :] - Z[None, :, :]
    k = np.exp(-0.5 * (delta**2).sum(-1) / 0.7**2)
    assert np.allclose(orff.gaussian(0.7)(X, Z)[:, :, 0, 0], k, atol=1e-15)
    curl_free = k[..., None, None] * (np.eye(2) / 0.7**2 - delta[..., :, None] * delta[..., None, :] / 0.7**4)
    assert np.allclose(orff.curl_free(orff.gaussian(0.7))(X, Z), curl_free, atol=1e-13)
    G = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 3.0]])
    coupled = orff.decomposable(orff.gaussian(0.7), output=G)
    assert np.allclose(coupled(X, Z), k[..., None, None] * G, atol=1e-14)
    M = rng.normal(size=(2, 3))
    assert np.allclose(coupled.conjugate(M)(X, Z), M @ coupled(X, Z) @ M.T, atol=1e-13)
    T = rng.normal(size=(1, 2))
    assert np.allclose(orff.gaussian(0.7).precompose(T)(X, Z), orff.gaussian(0.7)(X @ T.T, Z @ T.T), atol=1e-14)
    assert np.allclose((2 * coupled + coupled * coupled)(X, Z), 2 * coupled(X, Z) + coupled(X, Z) ** 2, atol=1e-13)
    assert orff.gaussian(0.7)(X, outputs=2).shape == (4, 4, 2, 2)
    assert orff.gaussian(0.7)(X.astype(np.float32)).dtype == np.float32


def test_estimators_take_values_and_expressions(rows):
    X, Y = rows
    value = orff.gaussian(1.0) + 0.5 * orff.laplace(2.0)
    a = clone(orff.OperatorRidge(value, n_components=64)).fit(X, Y)
    b = orff.OperatorRidge("gaussian(1.0) + 0.5*laplace(2.0)", n_components=64).fit(X, Y)
    assert (a.predict(X) == b.predict(X)).all()
    assert a.get_params()["kernel"] == value and clone(a).kernel == value


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: orff.Kernel("gausian"), "did you mean gaussian?"),
        (lambda: orff.gaussian(-1.0)([[0.0]]), "lengthscale: expected finite numbers > 0, got -1"),
        (lambda: orff.gaussian()([[0.0]]), "lengthscale: expected a number"),
        (lambda: orff.curl_free(orff.curl_free()), "spectrum: expected a scalar kernel"),
        (lambda: orff.decomposable("gaussian", output=[1.0]), "output: expected a matrix"),
        (lambda: orff.gaussian(1.0)([0.0]), "points: expected an array with two axes"),
        (lambda: orff.gaussian(1.0)([[0.0]], [[0.0, 1.0]]), "Z: expected 1 columns as in X, got 2"),
    ],
)
def test_mistakes_are_named(make, said):
    with pytest.raises(ValueError) as error:
        make()
    assert said in str(error.value)


def test_atoms_have_a_factor_each():
    with pytest.raises(ValueError, match="factors: expected one for each of the 2 rows of omega, got 3"):
        orff.atoms([[1.0, 2.0], [1.0, 1.0]], np.ones((3, 2, 1)))
