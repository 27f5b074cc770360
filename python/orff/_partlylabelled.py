"""Estimators of classes that learn from rows with and without labels."""

from __future__ import annotations

import json
from typing import Any, Self

import numpy as np

from . import _data, _labels
from ._classifier import Classifier


class PartlyLabelled(Classifier):
    """Fits labels of some rows along the graph of all."""

    def fit(self, X: Any, y: Any, *, graph: Any = None) -> Self:
        """Learn from rows, of which some have labels.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs of all rows: NumPy, SciPy CSR, pandas, polars or any Arrow table.
        y : array, series or table of shape (n,)
            Labels: words, numbers or booleans; a row with None, NaN, an empty word or the label `unlabeled` has none and
            shapes the graph only.
        graph : sparse matrix of shape (n, n), optional
            Weights ≥ 0 of the edges between rows, in place of those of neighbours; the larger one of wᵢⱼ and wⱼᵢ counts.

        Returns
        -------
        self
        """
        # a row of weight two would be two neighbours of each other: weights of rows are not repetitions here
        with self._whole():
            rows = _data.inputs(self, X, reset=True)
            labels, known, target = _labels.some_labels(y, self.unlabeled, _data.rows(rows))
            self.classes_, numbers = _labels.encode(labels)
            classes = np.full(len(known), np.nan)
            classes[known] = numbers
            names = _labels.names(self.classes_)
            joined = _data.graph(graph, _data.rows(rows))
            self._learn(rows, classes, None, [target] if target else None, classes=names, graph=joined)
        return self

    def _truth(self, y: Any, rows: int) -> tuple[np.ndarray, np.ndarray]:
        return _labels.some_labels(y, self.unlabeled, rows)[:2]

    def _parameters(self) -> str:
        values = json.loads(super()._parameters())
        if self.unlabeled is not None:
            values["unlabeled"] = _labels.name(self.unlabeled, "unlabeled")
        return json.dumps(values)
