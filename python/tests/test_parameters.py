"""Parameters are declared once: the same values are refused with the same sentences as in Rust and in the command."""

import inspect
import json

import numpy as np
import orff
import pytest
import scipy.sparse
from orff import _orff
from orff._learners import CLASSES, FORECASTERS
from sklearn.base import is_classifier

DECLARED = json.loads(_orff.declarations())
X = np.linspace(0, 1, 12).reshape(6, 2)

CASES = [
    pytest.param(c["class"], p["python"], bad["value"], bad["said"], id=f"{c['class']}-{p['python']}-{bad['value']}")
    for c in DECLARED["classes"]
    for p in c["parameters"]
    for bad in p["bad"]
    # what None and -1 mean in scikit-learn
    if not (p["python"] == "n_jobs" and bad["value"] in (None, -1))
    if not (p["python"] == "random_state" and bad["value"] is None)
    if p["python"] != "unlabeled"  # any value may be a label
]


def test_every_parameter_of_every_class_has_values_to_refuse():
    classes = {c["class"]: {p["python"]: p for p in c["parameters"]} for c in DECLARED["classes"]}
    assert classes.keys() == {Class.__name__ for Class in (*CLASSES.values(), *FORECASTERS.values())}
    for name, parameters in classes.items():
        assert parameters.keys() == inspect.signature(getattr(orff, name)).parameters.keys()
        for p in parameters.values():
            values = [bad["value"] for bad in p["bad"]]
            assert len({type(value) for value in values}) >= 3, (name, p["python"], values)


@pytest.mark.parametrize("name, parameter, value, said", CASES)
def test_bad_values_are_refused_with_the_sentence_of_the_library(name, parameter, value, said):
    estimator = getattr(orff, name)(**{parameter: value})
    with pytest.raises(ValueError) as error:
        estimator.fit(X, np.arange(6) % 2 if is_classifier(estimator) else X)
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
    for bad in ("nan", "inf"):
        with pytest.raises(ValueError, match=f"alpha: expected .* got {bad}$"):
            orff.OperatorRidge(alpha=float(bad)).fit(X, X)
        with pytest.raises(ValueError, match="lengthscale: expected .* got "):
            orff.OperatorRidge(lengthscale=[1.0, float(bad)]).fit(X, X)


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


def test_refusals_and_choices_have_the_names_of_python():
    with pytest.raises(ValueError, match=r"^y: expected 6 rows as in X, got 5$"):
        orff.OperatorRidge().fit(X, X[:-1])
    many = np.random.default_rng(0).normal(size=(40, 2))
    with pytest.raises(ValueError, match=r"^n_components: expected at most \d+ .* got 9000$"):
        orff.NystromRidge("curl-free", n_components=9000).fit(many, many)
    with pytest.raises(ValueError, match=r"^n_components: expected so many that the fit stays within 1 MB"):
        orff.OperatorRidge(n_components=1000, memory=1).fit(many, many)
    moments = orff.OperatorRidge(n_components=8).partial_fit(many, many).moments_
    with pytest.raises(ValueError, match=r"^y: expected 40 rows as in X, got 39$"):
        moments.add(many, many[:-1])
    # no name that only the command has
    for declared in DECLARED["classes"]:
        others = {p["name"] for p in declared["parameters"] if p["name"] != p["python"]}
        estimator = getattr(orff, declared["class"])()
        fitted = estimator.fit(many, many[:, 0] > 0 if is_classifier(estimator) else many)
        begins = {line.split()[0] for line in fitted.choices_}
        assert not begins & others, fitted.choices_
        assert begins & ({"n_components", "alpha"}), fitted.choices_


def test_what_is_said_during_a_fit_has_the_names_of_python(capsys):
    orff.OperatorRidge(verbose=1).fit(X, X)
    said = capsys.readouterr().err
    assert "n_components 256: " in said and "alpha " in said and "features 256" not in said


def test_absurd_sizes_are_refused_before_any_work():
    with pytest.raises(ValueError, match=r"^n_components: expected so many that .* 16384 MB .*10000000, which need about"):
        orff.FourierFeatures(n_components=10**7).fit(np.zeros((3, 20000)))
    wide, Y = scipy.sparse.csr_array((40, 2**33)), np.zeros((40, 1))
    for Class in (orff.OperatorRidge, orff.FourierFeatures, orff.NystromRidge, orff.ExactOperatorRidge):
        with pytest.raises(ValueError, match=r"^X: expected at most 10000000 columns .*, got 8589934592$"):
            Class().fit(wide, Y)
    # kernel sections are dense
    for Class in (orff.NystromRidge, orff.ExactOperatorRidge):
        with pytest.raises(ValueError, match="a dense copy of 400 sparse rows .* 32 GB; use OperatorRidge, which leaves"):
            Class().fit(scipy.sparse.csr_array((400, 10**7)), np.zeros((400, 1)))
    few = orff.FourierFeatures(memory=1).fit(np.random.default_rng(0).normal(size=(400, 100)))
    assert 16 <= few.n_components_ < 2000 and any("memory" in line for line in few.choices_)


def test_refusals_name_the_argument():
    many = np.random.default_rng(0).normal(size=(40, 2))
    model = orff.OperatorRidge(n_components=16)
    for weight in (np.full(40, 1e308), np.full((40, 2), 1e308)):
        with pytest.raises(ValueError, match=r"^sample_weight: expected a sum below 1e150"):
            model.fit(many, many, sample_weight=weight)
    for y in (np.zeros((40, 0)), many[:, :, None], 3.0):
        with pytest.raises(ValueError, match=r"^y: expected shape \(n,\) or \(n, p\) with an output at least, got \("):
            model.fit(many, y)
    with pytest.raises(ValueError, match="^y: expected numbers, a row for each row of X"):
        model.fit(many, [[1.0], [2.0, 3.0]])
    with pytest.raises(TypeError, match="^y: expected a dense array or a table"):
        model.fit(many, scipy.sparse.csr_array(many))
    with pytest.raises(ValueError, match=rf"^random_state: expected a whole number from 0 to {2**64 - 1}, got 1.18"):
        orff.OperatorRidge(random_state=2**70).fit(many, many)
    G = [[2.0, 1.0], [1.0, 3.0]]
    for kernel in (orff.decomposable("gaussian", G), orff.curl_free()):
        with pytest.raises(ValueError, match="^kernel: expected one with one output, such as .*, got 2$"):
            orff.FourierFeatures(kernel).fit(many)


def test_n_jobs_has_one_sentence():
    said = []
    for act in ("fit", "predict"):
        model = orff.OperatorRidge(n_components=16).fit(X, X).set_params(n_jobs=0)
        with pytest.raises(orff.ParameterError) as error:
            model.fit(X, X) if act == "fit" else model.predict(X)
        said.append(str(error.value))
    assert said == ["n_jobs: expected None, -1 or a whole number from 1 to 4096, got 0"] * 2


def test_one_row_has_no_error_bars():
    for name in ("OperatorRidge", "ExactOperatorRidge", "NystromRidge"):
        model = getattr(orff, name)().fit(X[:1], X[:1])
        assert np.allclose(model.predict(X[:1]), X[:1])
        with pytest.raises(ValueError, match="no error bars: too few rows to tell noise from the constants"):
            model.predict(X[:1], return_std=True)
        assert "no error bars: too few rows to tell noise from the constants" in model.choices_
        # two rows of a constant and its noise
        assert getattr(orff, name)().fit(X[:2], X[:2]).predict(X[:2], return_std=True)[1].shape == (2, 2)
