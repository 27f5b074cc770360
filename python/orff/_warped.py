"""Features that the graph of the rows has warped."""

from __future__ import annotations

from typing import Any, Self

from . import _data
from ._transformer import Transformer


class Warped(Transformer):
    """Maps rows to features that vary little along the graph of the rows of `fit`."""

    def fit(self, X: Any, y: Any = None, *, graph: Any = None) -> Self:
        """Draw the features and warp them by the graph of rows.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        y : ignored
            There for pipelines.
        graph : sparse matrix of shape (n, n), optional
            Weights ≥ 0 of the edges between rows, in place of those of neighbours; the larger one of wᵢⱼ and wⱼᵢ counts.

        Returns
        -------
        self
        """
        # a row of weight two would be two neighbours of each other: weights of rows are not repetitions here
        with self._whole():
            rows = _data.inputs(self, X, reset=True)
            self._learn(rows, None, None, None, graph=_data.graph(graph, _data.rows(rows)))
        return self
