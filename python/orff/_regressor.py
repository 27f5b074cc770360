"""Estimators of several outputs."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import Tags

from . import _data
from ._base import Estimator


class Regressor(RegressorMixin, Estimator):
    """Fits outputs, predicts them with error bars."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs: NumPy (read where it is, whatever its strides), SciPy CSR, pandas, polars or any Arrow table.
        y : array or table of shape (n,) or (n, p)
            Outputs; NaN (null in a table) is an output that was not observed.
        sample_weight : array of shape (n,) or (n, p), optional
            How often each row counts, or how precise each entry is (1/σ², of which only ratios matter).

        Returns
        -------
        self
        """
        with self._whole():
            rows = _data.inputs(self, X, reset=True)
            outputs, names, self._flat = _data.outputs(self, y)
            self._learn(rows, outputs, _data.weights(sample_weight, _data.rows(rows)), names)
        return self

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False, noise: bool = True) -> Any:
        """Predict the outputs of rows.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        return_std : bool, default=False
            Also the standard deviation of each output.
        return_cov : bool, default=False
            Also the covariance of the outputs of each row.
        noise : bool, default=True
            Whether they include the noise of a new observation.

        Returns
        -------
        mean : ndarray of shape (n, p), or (n,) if y was
            The predictions, in single precision if X is.
        std : ndarray of the same shape
            Only if asked for.
        cov : ndarray of shape (n, p, p), or (n,) if y had one axis
            Only if asked for.
        """
        model = self._fitted()
        rows = _data.inputs(self, X, reset=False)
        mean, std, cov = model.predict(rows, return_std, return_cov, noise, self._threads())
        asked = [mean, *([std] if return_std else []), *([cov] if return_cov else [])]
        if self._flat:
            asked = [part.reshape(-1) for part in asked]
        return tuple(asked) if len(asked) > 1 else asked[0]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² of the predictions, averaged over the outputs; entries of y that are NaN do not count.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        y : array or table of shape (n,) or (n, p)
            Outputs.
        sample_weight : array of shape (n,), optional
            Weights of the rows.
        """
        truth = _data.observed(y)
        if not np.isnan(truth).any():
            return super().score(X, truth, sample_weight)
        mean = self.predict(X)
        truth, mean = truth.reshape(len(truth), -1), mean.reshape(len(truth), -1)
        scores = []
        for t in range(truth.shape[1]):
            seen = ~np.isnan(truth[:, t])
            weight = None if sample_weight is None else np.asarray(sample_weight)[seen]
            scores.append(r2_score(truth[seen, t], mean[seen, t], sample_weight=weight))
        return float(np.mean(scores))

    @property
    def n_outputs_(self) -> int:
        """Number of outputs."""
        return self._fitted().shape()[1]

    @property
    def alpha_(self) -> float:
        """The ridge."""
        return self._training()["ridge"]

    @property
    def path_(self) -> dict[str, np.ndarray]:
        """Scores along ridges."""
        path = self._training()["path"]
        names = {"alpha": "ridge", "freedom": "freedom", "gcv": "gcv", "evidence": "evidence", "loo": "loo"}
        # None, where there is no score, becomes NaN
        return {name: np.array([point[key] for point in path], dtype=np.float64) for name, key in names.items()}

    @property
    def evidence_(self) -> float:
        """Log evidence at the ridge; NaN when the ridge was given and so not compared."""
        at = [point["evidence"] for point in self._training()["path"] if point["ridge"] == self.alpha_]
        return float(at[0]) if at else float("nan")

    @property
    def noise_(self) -> np.ndarray:
        """Covariance of the noise."""
        return self._fitted().noise()
