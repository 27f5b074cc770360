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
    if not (p["python"] == "verbose" and bad["value"] is True)
    if not (p["python"] == "conformal" and bad["value"] is True)  # the share of rows that is taken by default
    if not (p["python"] == "views" and isinstance(bad["value"], list))  # groups of columns, judged with those of X
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
        estimator.fit(X, np.arange(6) % 2 if is_classifier(estimator) or name == "LandmarkFeatures" else X)
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
            # a list could be changed for every other estimator
            assert (list(given) if isinstance(given, tuple) else given) == default, p["python"]


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
        labelled = is_classifier(estimator) or declared["class"] == "LandmarkFeatures"
        fitted = estimator.fit(many, many[:, 0] > 0 if labelled else many)
        begins = {line.split()[0] for line in fitted.choices_}
        assert not begins & others, fitted.choices_
        assert begins & ({"n_components", "alpha", "n_estimators", "n_landmarks"}), fitted.choices_


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
    for Class in (orff.OperatorRidge, orff.ExactOperatorRidge, orff.NystromRidge, orff.FourierFeatures):
        for weight in (np.full(40, 1e-320), np.full(40, 1e-200)):
            with pytest.raises(ValueError, match=r"^sample_weight: expected a sum above 1e-150.*, got .*e-"):
                Class().fit(many, many, sample_weight=weight)
    with pytest.raises(ValueError, match=r"^sample_weight: expected a sum above 1e-150"):
        model.fit(many, many, sample_weight=np.full((40, 2), 1e-320))
    # a few that vanish beside others do not matter
    some = np.where(np.arange(40) < 3, 1e-320, 1.0)
    assert np.isfinite(model.fit(many, many, sample_weight=some).predict(many)).all()
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
    takes = "None, a negative number (-1: all processors, -2: all but one) or a whole number from 1 to 4096"
    assert said == [f"n_jobs: expected {takes}, got 0"] * 2


def test_one_row_has_no_error_bars():
    for name in ("OperatorRidge", "ExactOperatorRidge", "NystromRidge"):
        model = getattr(orff, name)().fit(X[:1], X[:1])
        assert np.allclose(model.predict(X[:1]), X[:1])
        with pytest.raises(ValueError, match="no error bars: too few rows to tell noise from the constants"):
            model.predict(X[:1], return_std=True)
        assert "no error bars: too few rows to tell noise from the constants" in model.choices_
        # two rows of a constant and its noise
        assert getattr(orff, name)().fit(X[:2], X[:2]).predict(X[:2], return_std=True)[1].shape == (2, 2)


def test_words_are_said_in_quotes():
    for given, said in (("64", '"64"'), ("many", '"many"'), (2.5, "2.5"), (None, "none"), (float("nan"), "nan")):
        with pytest.raises(orff.ParameterError, match=f"^n_components: expected .* whole number .*, got {said}$"):
            orff.OperatorRidge(n_components=given).fit(X, X)
    for given in ("64", True):
        with pytest.raises(orff.ParameterError) as fit:
            orff.OperatorRidge(n_jobs=given).fit(X, X)
        with pytest.raises(orff.ParameterError) as predict:
            orff.OperatorRidge(n_components=16).fit(X, X).set_params(n_jobs=given).predict(X)
        assert str(fit.value) == str(predict.value) and str(fit.value).endswith(f", got {json.dumps(given)}")


def test_what_is_wrong_with_a_parameter_is_a_parameter_error():
    line = np.linspace(0, 1, 30).reshape(-1, 1)
    holes = np.where(np.arange(40).reshape(-1, 2) % 3 == 0, np.nan, 1.0 * np.arange(40).reshape(-1, 2))
    rows, Y = np.random.default_rng(0).normal(size=(20, 2)), np.random.default_rng(1).normal(size=(20, 2))
    for said, ask in [
        ("lengthscale: expected", lambda: orff.gaussian("x")),
        ("lengthscale: expected", lambda: orff.gaussian(float("nan"))),
        ("lengthscale: expected", lambda: orff.gaussian(-1)),
        ("kernel: ", lambda: orff.Kernel("gaus")),
        ("kernel: ", lambda: orff.Kernel({"kernel": "none"})),
        ("kernel: ", lambda: orff.Kernel("curl-free(laplace)")),
        ("kernel: ", lambda: orff.curl_free("laplace")),
        ("kernel: expected a scalar kernel", lambda: orff.curl_free(orff.curl_free())),
        ("output: expected", lambda: orff.decomposable(output=[["a"]])),
        ("factors: expected", lambda: orff.atoms([[1.0]], [[[1.0]], [[1.0]]])),
        ("kernel: ", lambda: orff.OperatorRidge("gaus").fit(rows, Y)),
        ("kernel: curl-free with laplace is refused", lambda: orff.VectorField("curl-free(laplace)").fit(rows, Y)),
        ("kernel: div-free in one dimension", lambda: orff.VectorField("div-free").fit(line, line)),
        ("metric: expected", lambda: orff.OperatorRidge(metric=np.eye(3)).fit(rows, Y)),
        ("metric: a metric with missing outputs", lambda: orff.OperatorRidge(metric=np.eye(2)).partial_fit(rows, holes)),
        ("kernel, lengthscale: expected", lambda: orff.OperatorRidge(lengthscale=[1.0, 2.0, 3.0]).fit(rows, Y)),
        ("draw: draw orthogonal for laplace", lambda: orff.OperatorRidge("laplace", draw="orthogonal").fit(rows, Y)),
        ("measure: measure tilted for cauchy", lambda: orff.OperatorRidge("cauchy", measure="tilted").fit(rows, Y)),
        ("alpha: leave-one-out with missing outputs", lambda: orff.OperatorRidge(alpha="loo").fit(rows, holes)),
        ("alpha: leave-one-out for this kernel", lambda: orff.VectorField(alpha="loo").fit(rows, Y)),
        ("steps: expected", lambda: orff.FourierVAR("linear").fit(Y).impulse_response(-1)),
        ("shifts: expected", lambda: orff.FourierVAR("linear").fit(Y).influence("9")),
    ]:
        with pytest.raises(orff.ParameterError, match=f"^{said}"):
            ask()


def test_other_refusals_name_their_argument():
    rows = np.random.default_rng(0).normal(size=(40, 2))
    model = orff.OperatorRidge(n_components=16, posterior=False).fit(rows, rows)
    for ask in ("return_std", "return_cov"):
        with pytest.raises(ValueError, match=f"^{ask}: uncertainty from this model is refused"):
            model.predict(rows, **{ask: True})
    moments = orff.OperatorRidge(n_components=16).partial_fit(rows, rows).moments_
    other = orff.OperatorRidge(n_components=16).partial_fit(3 * rows, rows).moments_
    with pytest.raises(ValueError, match="^other: merging moments that began differently is refused: .*moments_.empty"):
        moments.merge(other)
    with pytest.raises(TypeError, match="^other: expected Moments, got 3$"):
        moments.merge(3)
    graph = scipy.sparse.csr_array(np.full((40, 40), -1.0))
    with pytest.raises(ValueError, match="^graph: row 1, column 1 of the graph: -1 is not a weight"):
        orff.LaplacianRidge(n_components=16).fit(rows, rows[:, 0], graph=graph)


def test_the_exact_warped_kernel_has_no_error_bars():
    rows = np.random.default_rng(0).normal(size=(40, 2))
    model = orff.ExactLaplacianRidge().fit(rows, rows[:, 0])
    with pytest.raises(ValueError, match="^return_std: .*: it has no error bars: the exact warped kernel keeps none"):
        model.predict(rows, return_std=True)
    assert any(line.startswith("no error bars: the exact warped kernel") for line in model.choices_)
    assert "without features or error bars" in orff.ExactLaplacianRidge.__doc__
    classes = orff.ExactLaplacianClassifier().fit(rows, rows[:, 0] > 0)
    assert not any("error bars" in line for line in classes.choices_)


def test_the_words_of_scikit_learn(capsys):
    rows = np.random.default_rng(0).normal(size=(40, 2))

    def fit(**options):
        return orff.OperatorRidge(n_components=16, alpha=1e-3, **options).fit(rows, rows + 7)

    loud = fit(verbose=True)
    assert capsys.readouterr().err.splitlines() == loud.choices_
    for silent in (False, np.False_, 0):
        fit(verbose=silent)
        assert capsys.readouterr().err == ""
    fit(verbose=np.True_)
    assert capsys.readouterr().err
    for yes, no in ((1, 0), (np.True_, np.False_), (np.int64(1), np.int64(0))):
        assert (fit(fit_intercept=yes).predict(rows) == fit().predict(rows)).all()
        assert (fit(fit_intercept=no).predict(rows) == fit(fit_intercept=False).predict(rows)).all()
        assert fit(warm_start=yes).moments_.n_rows == 40
        with pytest.raises(AttributeError):
            fit(warm_start=no).moments_  # noqa: B018
    for wrong in (2, 1.0, "1"):
        with pytest.raises(orff.ParameterError, match=f"^fit_intercept: expected true or false, got {json.dumps(wrong)}$"):
            fit(fit_intercept=wrong)
    # one setting in other words does not begin anew
    assert fit(warm_start=1).set_params(fit_intercept=1).partial_fit(rows, rows).moments_.n_rows == 80


def test_negative_n_jobs_are_counted_from_the_processors(monkeypatch):
    asked = []
    monkeypatch.setattr("joblib.cpu_count", lambda: 8)
    model = orff.OperatorRidge(n_components=16)
    for jobs, threads in ((-2, 7), (-8, 1), (-100, 1), (3, 3), (None, "auto"), (-1, "auto"), (np.int64(-3), 6)):
        model.set_params(n_jobs=jobs)
        asked.append((json.loads(model._parameters())["n_jobs"], model._threads()) == (
            (threads, None) if threads == "auto" else (threads, threads)
        ))
    assert all(asked), asked
    mean = model.set_params(n_jobs=None).fit(X, X).predict(X)
    assert (model.set_params(n_jobs=-7).fit(X, X).predict(X) == mean).all()


def test_a_missing_folder_is_said(tmp_path):
    model = orff.OperatorRidge(n_components=16).fit(X, X)
    with pytest.raises(FileNotFoundError, match=f"^{tmp_path / 'no'}: no such folder"):
        model.save(tmp_path / "no" / "x.orff")
    with pytest.raises(FileNotFoundError, match="x.orff: no such file$"):
        orff.load(tmp_path / "x.orff")
