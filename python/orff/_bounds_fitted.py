"""What the theory says of a fitted model, from its own atoms and norms: what ``orff fit … --report`` prints."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import _data, _labels
from ._arguments import jobs, probability as chance, refused
from ._base import Estimator
from ._classifier import Classifier
from ._errors import ParameterError
from ._forecaster import Forecaster
from ._outlierdetector import OutlierDetector


@dataclass(frozen=True)
class Report:
    """Bounds of a fitted model, each of which fails with at most the probability that was asked for.

    Attributes
    ----------
    approximation : dict or None
        Of the kernel (of the inputs, where outputs are curves; the learned one of all candidates, where one was learned) by the
        features: ``measured`` (the largest error between pairs of rows), ``bound`` (of the error between all
        rows, for independent draws) with the ``name`` of the theorem (None where none applies), ``scale`` (the norm of K(x, x))
        and ``diameter`` (of the rows, in the coordinates of the kernel).
    generalisation : dict or None
        Of the expected loss ½‖f(x) − y‖² of ridge regression, in scaled outputs (of classes by the squared loss, y is the code of a
        class): ``risk`` (the mean over the rows), bounds of the
        expected one by ``norm`` (T17 Proposition 7.1 for the norm that was found), ``complexity`` (T17 (7.5), None if the ridge is
        larger than kappa) and ``stability`` (T17 (7.6)), and ``sizes`` that they follow from: ``rows``, ``alpha``, ``kappa``,
        ``trace``, ``largest``, ``norm``.
    alignment : dict
        Of the expected alignment loss of the posterior over all candidates, by the names of the theorems; empty where no kernel
        was learned.
    refused : dict
        Why a part is None, by its name.
    """

    approximation: Mapping[str, Any] | None
    generalisation: Mapping[str, Any] | None
    alignment: Mapping[str, float]
    refused: Mapping[str, str]


def report(
    model: Estimator,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    probability: float = 0.05,
    n_jobs: int | None = None,
) -> Report:
    """Bound the errors of a fitted model, by a pass over the rows that it was learned from.

    Bounds of the expected loss hold for rows that are independent and alike, outputs never larger than those seen, and a kernel,
    offset and ridge that were given beforehand.

    Parameters
    ----------
    model : estimator
        A fitted regressor, field, classifier, one-class machine or forecaster of this package.
    X : array, sparse matrix or table of shape (n, d)
        The inputs that it was learned from. A forecaster keeps its series, and takes neither X nor y; the rows of a series depend on
        each other, and there is no bound of the expected loss.
    y : array or table of shape (n,) or (n, p)
        Their outputs, or labels; without labels there is no bound of the expected loss of a classifier. One-class machines need none.
    sample_weight : array of shape (n,) or (n, p), optional
        Their weights, with which there is no bound of the expected loss.
    probability : float
        The probability that a bound fails.
    n_jobs : int or None
        Number of threads; None takes all.

    Examples
    --------
    >>> import numpy as np
    >>> import orff
    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> y = np.sin(3 * X[:, 0])
    >>> model = orff.OperatorRidge("gaussian(0.5)", alpha=0.01, n_components=200).fit(X, y)
    >>> found = orff.bounds.report(model, X, y)
    >>> found.approximation["measured"] < found.approximation["bound"]
    True
    >>> found.generalisation["risk"] < found.generalisation["norm"] < found.generalisation["stability"]
    True
    """
    if not isinstance(model, Estimator):
        raise refused("model", "a fitted estimator of this package", model)
    fitted = model._fitted()
    asked = chance(probability), jobs(n_jobs)
    if isinstance(model, Forecaster):
        for name, given in (("X", X), ("y", y), ("sample_weight", sample_weight)):
            if given is not None:
                raise refused(name, "None, as a forecaster keeps the series that it was learned from", given)
        return Report(**json.loads(fitted.report_series(model._series().given()[0], *asked)))
    if X is None:
        raise refused("X", "the inputs that the model was learned from", None)
    try:
        rows = _data.inputs(model, X, reset=False)
    except ValueError as error:  # either may be of other columns
        if not str(error).startswith("X has "):
            raise
        raise ParameterError(f"model, X: {error}") from None
    seen, given = model._training()["rows"], _data.rows(rows)
    if given != seen:
        raise ParameterError(f"X: expected the {seen} rows that the model was learned from, got {given}")
    outputs = weights = None
    if isinstance(model, Classifier):
        if y is not None and model._learner == "classification":
            classes, outputs, _ = _labels.numbered(y, given)
            if list(classes) != list(model.classes_):
                raise ParameterError("y: expected the labels that the model was learned from, got others")
            weights = _data.weights(sample_weight, given)
    elif not isinstance(model, OutlierDetector):
        if y is None:
            raise refused("y", f"the outputs of {seen} rows", None)
        outputs, _, _, weights = _data.learned(rows, y, sample_weight, None)
    found = json.loads(fitted.report(rows, outputs, weights, *asked))
    return Report(**found)
