"""Features of a learned kernel."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import Tags

from . import _data, _labels
from ._alignment import LearnedKernel
from ._arguments import array
from ._json import attribute
from ._transformer import Transformer


class Learned(LearnedKernel, Transformer):
    """Maps rows to features of a kernel that is learned from outputs."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn which features tell rows with like outputs.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        y : array, series or table of shape (n,) or (n, p)
            Labels: words, whole numbers or booleans; or targets: numbers with a point.
        sample_weight : array of shape (n,), optional
            How often each row counts.

        Returns
        -------
        self
        """
        with self._whole():
            rows = _data.inputs(self, X, reset=True)
            weights = _data.weights(sample_weight, _data.rows(rows))
            if self._labelled(y, _data.rows(rows)):
                _, numbers, names = _labels.numbered(y, _data.rows(rows))
                self._learn(rows, numbers, weights, None, classes=names)
            else:
                outputs, _, _, weights = _data.learned(rows, y, weights, None)
                self._learn(rows, outputs, weights, None)
        return self

    def _labelled(self, y: Any, rows: int) -> bool:
        """Whether outputs of so many rows are labels: words, whole numbers and booleans are, unless the user says otherwise."""
        if y is None:
            return True
        if isinstance(self.likeness, str) and self.likeness in ("classes", "targets"):
            return self.likeness == "classes"
        shape = attribute(y, "shape")
        if not isinstance(shape, tuple):
            shape = array(y, "y", "labels or targets, as many as X has rows").shape
        if len(shape) == 2 and shape[1] != 1:
            return False
        return _labels.column(y, rows).dtype.kind != "f"
