"""Estimators of how usual rows are."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils import Tags

from . import _data
from ._base import Estimator


class OutlierDetector(OutlierMixin, Estimator):
    """Learns from rows without outputs which rows are usual."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from rows.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs: NumPy (read where it is, whatever its strides), SciPy CSR, pandas, polars or any Arrow table.
        y : ignored
            There for pipelines.

        Returns
        -------
        self
        """
        with self._whole():
            self._learn(_data.inputs(self, X, reset=True), None, None, None)
        return self

    def score_samples(self, X: Any) -> np.ndarray:
        """How usual each row is; larger is more usual.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.

        Returns
        -------
        scores : ndarray of shape (n,)
        """
        model = self._fitted()
        return model.normality(_data.inputs(self, X, reset=False), self._threads())

    def decision_function(self, X: Any) -> np.ndarray:
        """How far the score of each row is above `offset_`: negative for outliers.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.

        Returns
        -------
        scores : ndarray of shape (n,)
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """-1 for outliers, 1 for other rows.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.

        Returns
        -------
        labels : ndarray of shape (n,)
        """
        return np.where(self.decision_function(X) < 0, -1, 1)

    @property
    def offset_(self) -> float:
        """Rows whose score is below it are outliers."""
        self._fitted()
        return self._info["outliers"]["offset"]

    @property
    def n_iter_(self) -> int:
        """Iterations of the solver, where there is one."""
        found = self._training()["iterations"]
        if not found:
            raise AttributeError(f"{type(self).__name__} does not iterate")
        return found

    @property
    def feature_importances_(self) -> np.ndarray:
        """The share of each input in what tells rows from outliers, where trees look for it."""
        shares = self._fitted().importance()
        if shares is None:
            raise AttributeError(f"{type(self).__name__} does not choose among inputs: they have no importance")
        return shares
