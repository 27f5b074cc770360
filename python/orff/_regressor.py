"""Estimators of several outputs."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import Tags

from . import _data, _scores, _tasks
from ._arguments import flag
from ._base import Estimator


class Regressor(RegressorMixin, Estimator):
    """Fits outputs, predicts them with error bars."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, task: Any = None) -> Self:
        """Learn from rows.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs: NumPy (read where it is, whatever its strides), SciPy CSR, pandas, polars or any Arrow table.
        y : array or table of shape (n,) or (n, p)
            Outputs; NaN (null in a table) is an output that was not observed.
        sample_weight : array of shape (n,) or (n, p), optional
            How often each row counts, or how precise each entry is (1/σ², of which only ratios matter).
        task : array of shape (n,), optional
            The task of each row, a word or a number, where rows are long: y then has one value per row, that of its task,
            and the tasks are the outputs. Rows with equal inputs need not be joined.

        Returns
        -------
        self
        """
        with self._whole():
            self._fit(X, y, sample_weight, task)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, task: Any) -> None:
        rows = _data.inputs(self, X, reset=True)
        outputs, names, self._flat, weights = _data.learned(rows, y, sample_weight, task)
        self._learn(rows, outputs, weights, names, None if task is None else len(names))

    @property
    def n_iter_(self) -> int:
        """Iterations of the solver; 1 for a factorisation."""
        return self._training()["iterations"]

    def predict(
        self, X: Any, return_std: bool = False, return_cov: bool = False, noise: bool = True, *, task: Any = None
    ) -> Any:
        """Predict the outputs of rows.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        return_std : bool, default=False
            Also the standard deviation of each output, from a model that has error bars: one with a posterior, and none
            of `ExactLaplacianRidge`.
        return_cov : bool, default=False
            Also the covariance of the outputs of each row, from such a model.
        noise : bool, default=True
            Whether they include the noise of a new observation.
        task : array of shape (n,), optional
            Of each row only the task (an output by its name, see `tasks_`) that stands here: one value per row.

        Returns
        -------
        mean : ndarray of shape (n, p), or (n,) if y was or with tasks
            The predictions, in single precision if X is.
        std : ndarray of the same shape
            Only if asked for.
        cov : ndarray of shape (n, p, p), or (n,) if y had one axis
            Only if asked for.
        """
        model = self._fitted()
        std, cov = flag(return_std, "return_std"), flag(return_cov, "return_cov")
        rows = _data.inputs(self, X, reset=False)
        if task is not None:
            if cov:
                raise ValueError("return_cov: with task there is one output per row; use return_std")
            at, _ = _tasks.numbered(task, _data.rows(rows), self.tasks_)
        found = model.predict(rows, std, cov, flag(noise, "noise"), self._threads())
        asked = [part for part, wanted in zip(found, (True, std, cov), strict=True) if wanted]
        if task is not None:
            asked = [part[np.arange(len(at)), at] for part in asked]
        elif self._flat:
            asked = [part.reshape(-1) for part in asked]
        return tuple(asked) if len(asked) > 1 else asked[0]

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, task: Any = None) -> float:
        """R² of the predictions, averaged over the outputs; entries of y that are NaN do not count.

        An output with fewer than two entries that count has no R² and is left out of the average.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        y : array or table of shape (n,) or (n, p)
            Outputs.
        sample_weight : array of shape (n,) or (n, p), optional
            Weights of the rows, or of the entries.
        task : array of shape (n,), optional
            The task of each row, where rows are long.
        """
        if task is not None:
            return self._long_score(X, y, sample_weight, task)
        return _scores.r2(y, self.predict(X), sample_weight)

    def _long_score(self, X: Any, y: Any, sample_weight: Any, task: Any) -> float:
        """R² of each task on its own rows, averaged over the tasks that have two rows or more."""
        mean = self.predict(X, task=task)
        pairs, _ = _tasks.pairs(task, _data.observed(y), len(mean), self.tasks_)
        _scores.finite(pairs[:, 1:])
        weight = _scores.weights(sample_weight, len(mean))
        each = np.ones(len(mean)) if weight is None else weight
        counts = ~np.isnan(pairs[:, 1]) & (each != 0)
        own = [counts & (pairs[:, 0] == t) for t in range(len(self.tasks_))]
        scores = [r2_score(pairs[k, 1], mean[k], sample_weight=each[k]) for k in own if k.sum() > 1]
        if not scores:
            raise ValueError("y: no task has two rows that count; NaN and rows of weight zero do not")
        return float(np.mean(scores))

    @property
    def tasks_(self) -> list[str]:
        """Names of the outputs: those of the tasks, where rows were long."""
        self._fitted()
        return list(self._info["outputs"])

    @property
    def n_outputs_(self) -> int:
        """Number of outputs."""
        return self._fitted().shape()[1]

    @property
    def evidence_(self) -> float:
        """Log evidence at the ridge; NaN when the ridge was given and so not compared."""
        at = [point["evidence"] for point in self._training()["path"] if point["ridge"] == self.alpha_]
        return float(at[0]) if at else float("nan")

    @property
    def noise_(self) -> np.ndarray:
        """Covariance of the noise."""
        return self._fitted().noise()
