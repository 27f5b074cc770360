"""Estimators that learn from rows with and without outputs."""

from __future__ import annotations

from typing import Any, Self

from . import _data
from ._regressor import Regressor


class SemiSupervised(Regressor):
    """Fits outputs of some rows along the graph of all."""

    def fit(self, X: Any, y: Any, *, graph: Any = None) -> Self:
        """Learn from rows, of which some have outputs.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs of all rows: NumPy, SciPy CSR, pandas, polars or any Arrow table.
        y : array or table of shape (n,) or (n, p)
            Outputs; a row of NaN (null in a table) has none and shapes the graph only.
        graph : sparse matrix of shape (n, n), optional
            Weights ≥ 0 of the edges between rows, in place of those of neighbours; the larger one of wᵢⱼ and wⱼᵢ counts.

        Returns
        -------
        self
        """
        # a row of weight two would be two neighbours of each other: weights of rows are not repetitions here
        with self._whole():
            rows = _data.inputs(self, X, reset=True)
            outputs, names, self._flat, _ = _data.learned(rows, y, None, None)
            self._learn(rows, outputs, None, names, graph=_data.graph(graph, _data.rows(rows)))
        return self
