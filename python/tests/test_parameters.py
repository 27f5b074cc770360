"""Parameters are declared once: the same values are refused with the same sentences as in Rust and in the command."""

import inspect
import json

import numpy as np
import orff
import pytest
from orff import _orff

DECLARED = json.loads(_orff.declarations())
X = np.linspace(0, 1, 12).reshape(6, 2)

CASES = [
    pytest.param(c["class"], p["python"], bad["value"], bad["said"], id=f"{c['class']}-{p['python']}-{bad['value']}")
    for c in DECLARED["classes"]
    for p in c["parameters"]
    for bad in p["bad"]
    # what None, -1 and numbers mean in scikit-learn
    if not (p["python"] == "n_jobs" and bad["value"] == -1)
]


@pytest.mark.parametrize("name, parameter, value, said", CASES)
def test_bad_values_are_refused_with_the_sentence_of_the_library(name, parameter, value, said):
    estimator = getattr(orff, name)(**{parameter: value})
    with pytest.raises(ValueError) as error:
        estimator.fit(X, X)
    assert str(error.value) == said
    assert isinstance(error.value, TypeError) and isinstance(error.value, orff.ParameterError)


@pytest.mark.parametrize("declared", DECLARED["classes"], ids=lambda c: c["class"])
def test_defaults_are_those_of_the_library(declared):
    signature = inspect.signature(getattr(orff, declared["class"]))
    for p in declared["parameters"]:
        given, default = signature.parameters[p["python"]].default, p["default"]
        if p["python"] == "kernel":
            assert orff.Kernel(given) == orff.Kernel(default)
        elif p["python"] == "n_jobs":
            assert given is None and default == "auto"
        else:
            assert given == default, p["python"]


@pytest.mark.parametrize("declared", DECLARED["classes"], ids=lambda c: c["class"])
def test_every_parameter_is_documented(declared):
    doc = getattr(orff, declared["class"]).__doc__
    for p in declared["parameters"]:
        assert f"    {p['python']} : " in doc, p["python"]
    for part in ("Parameters\n", "Attributes\n", "Examples\n"):
        assert part in doc


def test_numpy_values_are_values():
    a = orff.OperatorRidge(alpha=np.float32(0.5), n_components=np.int64(16), lengthscale=np.array([0.5, 0.25])).fit(
        X, X
    )
    b = orff.OperatorRidge(alpha=0.5, n_components=16, lengthscale=[0.5, 0.25]).fit(X, X)
    assert (a.predict(X) == b.predict(X)).all()
    with pytest.raises(ValueError, match="alpha: expected .* got no finite number"):
        orff.OperatorRidge(alpha=float("nan")).fit(X, X)


def test_random_states():
    def fit(state):
        return orff.OperatorRidge(random_state=state, n_components=16, draw="iid").fit(X, X).predict(X)

    assert (fit(7) == fit(7)).all() and (fit(7) != fit(8)).any()
    assert (fit(np.random.RandomState(0)) == fit(np.random.RandomState(0))).all()
    assert (fit(np.random.default_rng(0)) == fit(np.random.default_rng(0))).all()
    state = np.random.RandomState(0)
    assert (fit(state) != fit(state)).any()
    np.random.seed(4)
    a = fit(None)
    np.random.seed(4)
    assert (fit(None) == a).all()


def test_refusals_of_data_say_where():
    with pytest.raises(ValueError, match=r"row 5, column 2: NaN is not a finite number"):
        bad = np.zeros((6, 2))
        bad[4, 1] = np.nan
        orff.OperatorRidge().fit(bad, X)
    with pytest.raises(ValueError, match=r"n_components: expected an even number"):
        orff.OperatorRidge(n_components=7, feature_map="pairs").fit(X, X)
    with pytest.raises(ValueError, match=r"sample_weight"):
        orff.OperatorRidge().fit(X, X, sample_weight=np.ones(5))
    model = orff.OperatorRidge(n_components=16).fit(X, X)
    far = np.zeros((5000, 2))
    far[4500, 0] = np.inf
    with pytest.raises(ValueError, match=r"row 4501, column 1: inf"):
        model.predict(far)
    with pytest.raises(FileNotFoundError, match="no-such.orff"):
        orff.load("no-such.orff")
