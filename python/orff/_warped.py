"""Features that the graph of the rows has warped."""

from __future__ import annotations

from typing import Any, Self

from ._transformer import Transformer


class Warped(Transformer):
    """Maps rows to features that vary little along the graph of the rows of `fit`."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the features and warp them by the graph of rows.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        y : ignored
            There for pipelines.

        Returns
        -------
        self
        """
        # a row of weight two would be two neighbours of each other: weights of rows are not repetitions here
        return super().fit(X, y)
