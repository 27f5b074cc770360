"""Estimators of classes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags

from . import _data, _labels, _orff, _scores
from ._base import Estimator
from ._json import plain


class Classifier(ClassifierMixin, Estimator):
    """Fits labels, predicts them with probabilities."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs: NumPy (read where it is, whatever its strides), SciPy CSR, pandas, polars or any Arrow table.
        y : array, series or table of shape (n,)
            Labels: words, numbers or booleans.
        sample_weight : array of shape (n,), optional
            How often each row counts.

        Returns
        -------
        self
        """
        with self._whole():
            rows = _data.inputs(self, X, reset=True)
            self.classes_, numbers, names = _labels.numbered(y, _data.rows(rows))
            weights = _data.weights(sample_weight, len(numbers))
            target = _labels.title(y, len(numbers))
            self._learn(rows, numbers, weights, [target] if target else None, classes=names)
        return self

    def _parameters(self) -> str:
        values = json.loads(super()._parameters())
        if isinstance(self.class_weight, Mapping):
            given = self.class_weight.items()
            values["class_weight"] = {_labels.name(label, "class_weight"): plain(w) for label, w in given}
        return json.dumps(values)

    def _scores(self, X: Any, probabilities: bool) -> np.ndarray:
        model = self._fitted()
        return model.classify(_data.inputs(self, X, reset=False), probabilities, self._threads())

    def predict(self, X: Any) -> np.ndarray:
        """The most probable label of each row.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.

        Returns
        -------
        labels : ndarray of shape (n,)
        """
        best = np.argmax(self._scores(X, False), axis=1)
        return self.classes_[best]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose label is predicted.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        y : array, series or table of shape (n,)
            Labels, as in `fit`; rows that have none, where `fit` takes such, do not count.
        sample_weight : array of shape (n,), optional
            How often each row counts.
        """
        found = self.predict(X)
        labels, known = self._truth(y, len(found))
        weight = _scores.weights(sample_weight, len(found))
        return _labels.share(labels, found[known], None if weight is None else weight[known])

    def _truth(self, y: Any, rows: int) -> tuple[np.ndarray, np.ndarray]:
        """Of so many rows the labels of those that have one, and which rows these are."""
        return _labels.labels(y, rows), np.ones(rows, dtype=bool)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, calibrated on rows that the model had not learned from (logistic: its own).

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.

        Returns
        -------
        probabilities : ndarray of shape (n, n_classes)
            In the order of `classes_`.
        """
        return self._scores(X, True)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of `predict_proba`.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        """
        return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> np.ndarray:
        """The score of each class: the product of the prediction with the class's corner of the simplex, or, for the losses
        hinge and squared-hinge with more than two classes, the prediction of the class against the rest.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.

        Returns
        -------
        scores : ndarray of shape (n, n_classes), or (n,) for two classes
            The largest one decides; of two classes the score of the second, whose sign decides.
        """
        scores = self._scores(X, False)
        return scores[:, 1] if scores.shape[1] == 2 else scores

    def _restore(self, model: _orff.Model) -> Self:
        super()._restore(model)
        classes = self._info["classes"]
        self.classes_ = _labels.restored(classes["names"], classes["labels"])
        return self

    @property
    def n_iter_(self) -> int:
        """Iterations of the solver (L-BFGS, conjugate gradients); 1 for a factorisation."""
        return self._training()["iterations"]
