"""Features for other programs' models."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags

from . import _data
from ._arguments import array, refused
from ._base import Estimator


class Transformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Maps rows to features."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Draw the features for rows.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs; a sample of them fixes scales and what is left open.
        y : ignored
            There for pipelines.
        sample_weight : array of shape (n,), optional
            How often each row counts.

        Returns
        -------
        self
        """
        with self._whole():
            rows = _data.inputs(self, X, reset=True)
            self._learn(rows, None, _data.weights(sample_weight, _data.rows(rows)), None)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The features of rows: shape (n, n_components_), in single precision if X is.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        """
        model = self._fitted()
        return model.transform(_data.inputs(self, X, reset=False), self._threads())

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the features: that of the class and a number.

        Parameters
        ----------
        input_features : array of words of shape (d,), optional
            Names of the inputs, which are those of `fit`.

        Returns
        -------
        names : ndarray of words of shape (n_components_,)
        """
        self._fitted()
        if input_features is not None:
            names = array(input_features, "input_features", "the names of the inputs")
            if names.ndim != 1:
                raise refused("input_features", "the names of the inputs", input_features)
        return super().get_feature_names_out(input_features)

    @property
    def n_components_(self) -> int:
        """Number of features."""
        return self._fitted().shape()[2]

    @property
    def _n_features_out(self) -> int:
        return self.n_components_
