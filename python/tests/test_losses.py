"""Losses of classes against other programs: scikit-learn's linear models and a quadratic program on the same features."""

import json
import subprocess
import sys
import warnings

import numpy as np
import orff
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

LOSSES = ["hinge", "squared-hinge", "simplex-hinge", "logistic"]
RIDGE = 1e-3


@pytest.fixture(scope="module", params=[2, 3], ids=["two", "three"])
def problem(request):
    """Overlapping classes, their features, and options of the classifier that has the same."""
    rng = np.random.default_rng(request.param)
    y = rng.integers(0, request.param, 90)
    X = np.column_stack([np.cos(2 * y), np.sin(2 * y)]) + 0.7 * rng.normal(size=(90, 2))
    options = {"n_components": 16, "lengthscale": 1.5}
    Z = orff.FourierFeatures("gaussian", **options).fit(X).transform(X)
    return X, y, Z, options | {"alpha": RIDGE}


def codes(classes):
    """Corners of a simplex, columns: unit vectors with products -1/(T-1), from the Gram matrix they must have."""
    gram = (classes * np.eye(classes) - 1) / (classes - 1)
    values, vectors = np.linalg.eigh(gram)
    return (vectors * np.sqrt(np.maximum(values, 0)))[:, 1:].T


def interior(terms, size, offsets, weights):
    """Minimum of the weighted mean of sums of max(0, a.x + c) with the penalty on the first `size` unknowns, as a
    quadratic program with a slack for each term."""
    A = np.array([a for _, a, _ in terms])
    c = np.array([c for _, _, c in terms])
    w = np.array([weights[i] for i, _, _ in terms]) / np.sum(weights)
    unknowns = size + offsets

    def value(v):
        return w @ v[unknowns:] + RIDGE * v[:size] @ v[:size]

    def slope(v):
        return np.concatenate([2 * RIDGE * v[:size], np.zeros(offsets), w])

    above = np.hstack([-A, np.eye(len(c))])
    start = np.concatenate([np.zeros(unknowns), np.maximum(c, 0)])
    constraints = [{"type": "ineq", "fun": lambda v: above @ v - c, "jac": lambda v: above}]
    bounds = [(None, None)] * unknowns + [(0, None)] * len(c)
    done = minimize(
        value, start, jac=slope, method="SLSQP", bounds=bounds, constraints=constraints,
        options={"maxiter": 500, "ftol": 1e-12},
    )  # fmt: skip
    assert done.success, done.message
    return done.fun


def risk(model, loss, X, y, Z, weights=None):
    """The objective at a model, from its scores; the unknowns are those that give these scores on the features."""
    weights = np.ones(len(y)) if weights is None else weights
    scores = model.decision_function(X)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    T = scores.shape[1]
    margin = np.where(np.arange(T) == y[:, None], 1, -1) * scores
    if loss == "simplex-hinge":
        each = np.maximum(0, 1 / (T - 1) + scores)
        each[np.arange(len(y)), y] = 0
    elif loss == "logistic":
        each = -np.log(np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True))
        each = each[np.arange(len(y)), y][:, None]
    else:
        each = np.maximum(0, 1 - margin) ** (2 if loss == "squared-hinge" else 1)
        each = each[:, :1] if T == 2 else each
    # the features have full rank here: what gives the scores is unique
    known = np.column_stack([Z, np.ones(len(Z))]) if model.fit_intercept else Z
    table, left = np.linalg.lstsq(known, scores, rcond=None)[:2]
    assert np.all(left < 1e-12)
    table = table[: Z.shape[1]]
    one_vs_rest = "simplex" not in loss and loss != "logistic"
    share = 0.5 if T == 2 else 1.0 if one_vs_rest else (T - 1) / T
    return np.sum(weights @ each) / weights.sum() + RIDGE * share * np.sum(table**2)


def test_logistic_is_scikit_learns(problem):
    X, y, Z, options = problem
    T, n = y.max() + 1, len(y)
    weights = np.random.default_rng(0).uniform(0.2, 2, n)
    for w, total in [(None, n), (weights, weights.sum())]:
        # (1/W) sum + ridge |table|^2, in scikit-learn's words; of two classes it has one vector, of more T
        C = 2 / (total * RIDGE) if T == 2 else T / (2 * (T - 1) * total * RIDGE)
        theirs = LogisticRegression(C=C, tol=1e-10, max_iter=10000).fit(Z, y, sample_weight=w)
        ours = orff.OperatorClassifier(loss="logistic", **options).fit(X, y, sample_weight=w)
        assert np.allclose(ours.predict_proba(X), theirs.predict_proba(Z), atol=1e-5)
        assert ours.n_iter_ > 1 and ours.alpha_ == RIDGE


@pytest.mark.parametrize("loss", ["hinge", "squared-hinge"])
def test_hinges_are_liblinears(problem, loss):
    X, y, Z, options = problem
    options = options | {"fit_intercept": False, "tol": 1e-4 if loss == "hinge" else "auto"}
    weights = np.random.default_rng(0).uniform(0.2, 2, len(y))
    for w, total in [(None, len(y)), (weights, weights.sum())]:
        theirs = LinearSVC(
            loss=loss.replace("-", "_"), C=1 / (2 * total * RIDGE), fit_intercept=False, dual=loss == "hinge",
            tol=1e-9, max_iter=2_000_000,
        ).fit(Z, y, sample_weight=w)  # fmt: skip
        ours = orff.OperatorClassifier(loss=loss, **options).fit(X, y, sample_weight=w)
        if loss == "squared-hinge":
            assert np.allclose(ours.decision_function(X), theirs.decision_function(Z), atol=1e-5)

        class Theirs:
            fit_intercept = False
            decision_function = staticmethod(lambda _, theirs=theirs: theirs.decision_function(Z))

        least = risk(Theirs, loss, X, y, Z, w)
        found = risk(ours, loss, X, y, Z, w)
        assert least * (1 - 1e-6) < found < least * (1 + 2e-4)


@pytest.mark.parametrize("loss", ["hinge", "simplex-hinge"])
def test_corners_are_those_of_a_quadratic_program(problem, loss):
    X, y, Z, options = problem
    T = y.max() + 1
    C = codes(T) if loss == "simplex-hinge" or T == 2 else np.eye(T)
    p, M = C.shape[0], Z.shape[1]
    terms = []
    for i, z in enumerate(Z):
        for c in range(T):
            if loss == "simplex-hinge" and c != y[i]:
                slope, constant = C[:, c], 1 / (T - 1)
            elif loss == "hinge" and (T > 2 or c == y[i]):
                slope, constant = (-1 if c == y[i] else 1) * C[:, c], 1.0
            else:
                continue
            terms.append((i, np.concatenate([np.kron(z, slope), slope]), constant))
    least = interior(terms, M * p, p, np.ones(len(y)))
    ours = orff.OperatorClassifier(loss=loss, tol=1e-4, **options).fit(X, y)
    found = risk(ours, loss, X, y, Z)
    assert least * (1 - 1e-6) < found < least * (1 + 1.5e-4)


@pytest.mark.parametrize("loss", LOSSES)
def test_labels_probabilities_and_files(loss, tmp_path):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 200)
    X = 3 * np.column_stack([y == 1, y == 2]) + rng.normal(size=(200, 2))
    words = np.array(["ant", "bee", "cat"])[y]
    model = orff.OperatorClassifier(loss=loss, n_components=40).fit(X, words)
    assert (model.predict(X) == words).mean() > 0.9 and model.classes_.tolist() == ["ant", "bee", "cat"]
    p = model.predict_proba(X)
    assert np.allclose(p.sum(axis=1), 1) and (p.argmax(axis=1) == model.decision_function(X).argmax(axis=1)).all()
    assert any("folds" in line for line in model.choices_) and any("L-BFGS" in line for line in model.choices_)
    model.save(tmp_path / "m.orff")
    again = orff.load(tmp_path / "m.orff")
    assert again.loss == loss and (again.predict_proba(X) == p).all() and again.n_iter_ == model.n_iter_
    # one row of each class, far from the others, with all the weight of its class
    balanced = orff.OperatorClassifier(loss=loss, n_components=40, class_weight="balanced").fit(X, words)
    assert (balanced.predict(X) == words).mean() > 0.9


@pytest.mark.parametrize("loss", LOSSES)
def test_the_command_has_the_losses(loss, tmp_path):
    rng = np.random.default_rng(6)
    y = rng.integers(0, 3, 120)
    X = 3 * np.column_stack([y == 1, y == 2]) + rng.normal(size=(120, 2))
    rows = [f"{a},{b},{'abc'[c]}" for (a, b), c in zip(X.tolist(), y, strict=True)]
    (tmp_path / "d.csv").write_text("\n".join(["u,v,label", *rows]) + "\n")

    def command(*arguments):
        done = subprocess.run([sys.executable, "-m", "orff", *arguments], capture_output=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    command("fit", "classification", "d.csv", "--target", "label", "--features", "30", "--loss", loss, "-o", "c.orff")
    ours = orff.OperatorClassifier(loss=loss, n_components=30).fit(X, np.array(list("abc"))[y])
    theirs = orff.load(tmp_path / "c.orff")
    assert (theirs.predict_proba(X) == ours.predict_proba(X)).all()
    said = command("inspect", "c.orff")
    assert "L-BFGS" in said and "duality gap" in said and "folds" in said
    assert json.loads(command("inspect", "c.orff", "--format", "json"))["params"]["loss"] == loss


def test_what_is_not_converged_is_said():
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        orff.OperatorClassifier(loss="hinge", alpha=1e-6, n_components=60, max_iter=4).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        orff.OperatorClassifier(loss="logistic", alpha=1e-2, n_components=60).fit(X, y)
    with pytest.raises(ValueError, match="alpha"):
        orff.OperatorClassifier(loss="hinge", alpha="loo").fit(X, y)


@pytest.mark.parametrize(
    "stopped",
    [
        lambda X, y: orff.LevelSets(max_iter=1).fit(X),
        lambda X, y: orff.FourierOneClassSVM(max_iter=1).fit(X),
        lambda X, y: orff.RiskRegressor(max_iter=1, alpha=1e-4, n_components=40).fit(X, y),
        lambda X, y: orff.FunctionalRidge(max_iter=1, alpha=1e-6).fit(X, [([-0.1, i / 150], v) for i, v in enumerate(y)]),
    ],
    ids=["level sets", "one-class machine", "huber", "ragged curves"],
)
def test_a_fit_that_was_stopped_is_warned_of_once(rows, stopped):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        stopped(*rows)
    told = [str(each.message) for each in caught if issubclass(each.category, ConvergenceWarning)]
    assert len(told) == 1 and told[0].startswith("not converged after ") and "max_iter" in told[0]
