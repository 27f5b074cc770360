"""Estimators of how usual rows are, at every level in one fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _data
from ._arguments import levels
from ._outlierdetector import OutlierDetector


class LevelDetector(OutlierDetector):
    """Learns nested sets of usual rows, that of level nu with all but a share nu of them."""

    def score_samples(self, X: Any) -> np.ndarray:
        """The level at which each row leaves the sets: the share of usual rows that are less usual, as p-values are.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.

        Returns
        -------
        scores : ndarray of shape (n,)
            Between 0 and 1; larger is more usual.
        """
        return super().score_samples(X)

    def decision_function(self, X: Any, nu: Any = None) -> np.ndarray:
        """How far inside a set each row is: negative for outliers.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        nu : float or array of shape (L,), optional
            Levels between 0 and 1.

        Returns
        -------
        scores : ndarray of shape (n,), or (n, L) for an array of levels
            ``score_samples(X) - offset_`` when `nu` is left out; f_x(nu) - b(nu) of the one-class support vector machine of
            that level otherwise, in the units of its kernel.
        """
        if nu is None:
            return super().decision_function(X)
        model, asked = self._fitted(), levels(nu, "nu")
        rows = _data.inputs(self, X, reset=False)
        found = model.inside(rows, [float(level) for level in np.atleast_1d(asked)], self._threads())
        return found.reshape((len(found), *asked.shape))

    def predict(self, X: Any, nu: Any = None) -> np.ndarray:
        """-1 for outliers, 1 for other rows.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        nu : float or array of shape (L,), optional
            Levels between 0 and 1; `offset_` when left out.

        Returns
        -------
        labels : ndarray of shape (n,), or (n, L) for an array of levels
            A row that is in at some level is in at every smaller one.
        """
        if nu is None:
            return super().predict(X)
        asked = levels(nu, "nu")
        return np.where(np.subtract.outer(self.score_samples(X), asked) < 0, -1, 1)
