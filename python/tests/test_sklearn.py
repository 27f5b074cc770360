"""scikit-learn's own checks, with nothing expected to fail, and its tools."""

import cloudpickle
import numpy as np
import orff
import pytest
from orff._field import Field
from orff._learners import CLASSES, FORECASTERS
from sklearn.base import clone, is_classifier
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import validate_data


class Square:
    """A field needs as many outputs as inputs: those of the checks are repeated, and the first are answered."""

    def _squared(self, X, y, sample_weight):
        shape, numbers = getattr(X, "shape", ()), np.asarray(X)
        width = shape[1] if len(shape) == 2 else numbers.shape[-1]
        if y is None or numbers.dtype.kind == "c":
            return y
        y = np.asarray(y)
        # a check expects that two axes of weights are refused, but once y has two outputs they weigh its entries
        if y.ndim == 1 and np.asarray(sample_weight).ndim == 2:
            raise ValueError("weights of entries of one output")
        self._asked = y.shape[1:]
        return np.resize(y.reshape(len(y), -1).T, (width, len(y))).T

    def fit(self, X, y, sample_weight=None):
        return super().fit(X, self._squared(X, y, sample_weight), sample_weight)

    @available_if(lambda self: hasattr(super(Square, self), "partial_fit"))
    def partial_fit(self, X, y, sample_weight=None):
        return super().partial_fit(X, self._squared(X, y, sample_weight), sample_weight)

    def predict(self, X):
        wide = super().predict(X)
        return wide[:, 0] if not self._asked else wide[:, np.arange(self._asked[0]) % wide.shape[1]]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = True
        return tags


class Chain:
    """A series has no outputs beside it: the rows of the checks follow each other, and each is answered by its next."""

    def fit(self, X, y=None):
        return super().fit(validate_data(self, X, ensure_min_samples=2))

    def predict(self, X):
        return self._fitted().predict(validate_data(self, X, reset=False), False, False, True, self._threads())[0]


def through(Wrapper, Class):
    """The class as the checks can use it."""
    name = Wrapper.__name__ + Class.__name__
    globals()[name] = type(name, (Wrapper, Class), {"__module__": __name__})  # where pickles find it
    return globals()[name]


ESTIMATORS = [
    *((through(Square, Class) if issubclass(Class, Field) else Class)() for Class in CLASSES.values()),
    *(through(Chain, Class)() for Class in FORECASTERS.values()),
    *(
        orff.OperatorClassifier(loss=loss, n_components=30)
        for loss in ("hinge", "squared-hinge", "simplex-hinge", "logistic")
    ),
]


@parametrize_with_checks(ESTIMATORS)
def test_check_estimator(estimator, check):
    check(estimator)


def test_every_public_estimator_is_checked():
    public = {thing for thing in map(orff.__getattr__, orff.__all__) if hasattr(thing, "fit")}
    assert public == {*CLASSES.values(), *FORECASTERS.values()}
    # with the parameters that they have by themselves
    assert all(any(isinstance(e, C) and e.get_params() == C().get_params() for e in ESTIMATORS) for C in public)


def test_pipelines_and_searches(rows):
    X, Y = rows
    piped = make_pipeline(StandardScaler(), orff.FourierFeatures("gaussian(2.0)", n_components=200), Ridge(alpha=0.1))
    assert cross_val_score(piped, X, Y, cv=3).mean() > 0.8
    grid = {"kernel": ["gaussian", orff.matern(1.5)], "alpha": [1e-3, "evidence"], "lengthscale": ["auto", 2.0]}
    search = GridSearchCV(orff.OperatorRidge(n_components=64), grid, cv=3, n_jobs=2).fit(X, Y)
    assert search.best_score_ > 0.9 and search.best_params_["kernel"] in grid["kernel"]
    assert cross_val_predict(orff.OperatorRidge(n_components=64), X, Y, cv=3).shape == Y.shape
    many = MultiOutputRegressor(orff.OperatorRidge(n_components=64), n_jobs=2).fit(X, Y)
    assert np.corrcoef(many.predict(X).ravel(), Y.ravel())[0, 1] > 0.95


def test_missing_outputs_in_cross_validation(rows):
    X, Y = rows
    holes = np.where(np.random.default_rng(0).random(Y.shape) < 0.2, np.nan, Y)
    assert cross_val_score(orff.OperatorRidge(n_components=64), X, holes, cv=3).mean() > 0.8


def test_searches_with_weights_of_entries(rows):
    X, Y = rows
    weights = np.random.default_rng(0).uniform(0.5, 2.0, Y.shape)
    search = GridSearchCV(orff.OperatorRidge(n_components=64), {"alpha": [1e-4, 1e-2]}, cv=3)
    search.fit(X, Y, sample_weight=weights)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all() and search.best_score_ > 0.9


@pytest.mark.parametrize(
    "estimator", [e for e in ESTIMATORS if not isinstance(e, Square)], ids=lambda e: type(e).__name__.removeprefix("Chain")
)
def test_clones_and_pickles(estimator, rows):
    X, Y = rows
    labelled = is_classifier(estimator) or isinstance(estimator, orff.LandmarkFeatures)
    Y = np.digitize(Y[:, 0], [-1, 1]) if labelled else Y
    fitted = clone(estimator).fit(X, Y)
    again = cloudpickle.loads(cloudpickle.dumps(fitted))
    ask = (lambda e: e.transform(X)) if hasattr(fitted, "transform") else (lambda e: e.predict(X))
    assert (ask(again) == ask(fitted)).all()
    assert (ask(clone(fitted).fit(X, Y)) == ask(fitted)).all()
