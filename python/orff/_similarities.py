"""Features that are similarities to landmarks."""

from __future__ import annotations

from typing import Any, Self

from sklearn.utils import Tags

from . import _data, _labels
from ._alignment import Landmarks
from ._transformer import Transformer


class Similarities(Landmarks, Transformer):
    """Maps rows to similarities to landmarks, each with a kernel that is learned from labels."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Choose landmarks and learn a kernel for each.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        y : array, series or table of shape (n,)
            Labels: words, numbers or booleans.

        Returns
        -------
        self
        """
        with self._whole():
            rows = _data.inputs(self, X, reset=True)
            _, numbers, names = _labels.numbered(y, _data.rows(rows))
            self._learn(rows, numbers, None, None, classes=names)
        return self
