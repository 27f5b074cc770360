"""Classifiers by similarities to landmarks."""

from __future__ import annotations

from typing import Any, Self

from ._alignment import Landmarks
from ._classifier import Classifier


class Landmarked(Landmarks, Classifier):
    """Fits labels by similarities to landmarks, each with a kernel of its own."""

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs: NumPy (read where it is, whatever its strides), SciPy CSR, pandas, polars or any Arrow table.
        y : array, series or table of shape (n,)
            Labels: words, numbers or booleans.

        Returns
        -------
        self
        """
        # landmarks are chosen among the rows: a row of weight two would not be chosen as two rows are
        return super().fit(X, y)
