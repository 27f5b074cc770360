"""Estimators that go on learning: moments of the rows so far add and merge."""

from __future__ import annotations

import json
import warnings
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from . import _data, _orff
from ._base import Estimator, Watching
from ._json import plain

HOW = ("verbose", "n_jobs", "warm_start", "random_state")
"""Parameters that moments do not depend on; the random state was used up when they began."""


class Moments:
    """The moments of the rows so far, with everything that was chosen before the first one.

    They pickle, travel between processes and machines, and merge there; `OperatorRidge.fit_moments` makes a model.

    Examples
    --------
    >>> import pickle
    >>> import numpy as np, orff
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> Y = np.sin(X)
    >>> a = orff.OperatorRidge(n_components=100).partial_fit(X[:100], Y[:100])
    >>> there = pickle.loads(pickle.dumps(a.moments_.empty()))  # in another process
    >>> merged = a.moments_.merge(there.add(X[100:], Y[100:]))
    >>> merged.n_rows
    300
    >>> a.fit_moments(merged).score(X, Y) > 0.99
    True
    """

    def __init__(self, gathering: _orff.Gathering):
        self._gathering = gathering

    @property
    def n_rows(self) -> int:
        """Number of rows so far."""
        return self._gathering.shape()[0]

    def empty(self) -> Moments:
        """The same choices with no rows yet: where another process starts."""
        return Moments(self._gathering.empty())

    def add(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows; when it fails, nothing was added."""
        X = _data.table(X)
        y, _, _ = _data.outputs(self, y)
        self._gathering.add(X, y, _data.weights(sample_weight, _data.rows(X)))
        return self

    def merge(self, other: Moments) -> Self:
        """Add the rows of other moments with the same choices."""
        if not isinstance(other, Moments):
            raise TypeError(f"merge: expected Moments, got {other!r}")
        self._gathering.merge(other._gathering)
        return self

    def __repr__(self) -> str:
        rows, inputs, outputs = self._gathering.shape()
        return f"Moments({rows} rows, {inputs} inputs, {outputs} outputs)"


Moments.__module__ = "orff"


class Gatherer(Estimator):
    """Adds `partial_fit`, `moments_` and a warm start to an estimator whose rows can be added."""

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
            known = getattr(self, "_moments", None)
            if not self.warm_start:
                self._moments = None
                return super().fit(X, y, sample_weight)
            # with other parameters the choices would be others
            again = known is not None and self._begun == self._settings()
            return self._gather(X, y, sample_weight, known.empty() if again else None).fit_moments(self._moments)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from more rows; the first ones fix scales, lengthscale and frequencies.

        Costs one pass over the rows. The model is made of all rows so far when it is next asked for.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        y : array or table of shape (n,) or (n, p)
            Outputs; NaN (null in a table) is an output that was not observed.
        sample_weight : array of shape (n,) or (n, p), optional
            Weights.

        Returns
        -------
        self
        """
        known = getattr(self, "_moments", None)
        if known is None and getattr(self, "_model", None) is not None:
            warnings.warn(
                "partial_fit: fit kept no moments to go on from, so this begins anew; set warm_start=True before fit",
                stacklevel=2,
            )
        if known is not None and self._begun != self._settings():
            raise ValueError("partial_fit: parameters changed since the first rows; set them back, or begin anew with fit")
        with self._whole():
            return self._gather(X, y, sample_weight, known)

    def _settings(self) -> str:
        """What a change of makes moments no longer fit: every parameter but those of how the work is done."""
        values = {name: plain(v) for name, v in self.get_params(deep=False).items() if name not in HOW}
        return json.dumps(values, default=repr)

    def _gather(self, X: Any, y: Any, sample_weight: Any, moments: Moments | None) -> Self:
        rows = _data.inputs(self, X, reset=moments is None)
        outputs, names, flat = _data.outputs(self, y)
        weights = _data.weights(sample_weight, _data.rows(rows))
        with Watching(self.verbose, _data.rows(rows)) as tell:
            if moments is None:
                given = (self._learner, self._parameters(), rows, outputs, weights, self._column_names(names), tell)
                moments = Moments(_orff.Gathering(*given))
                self._begun = self._settings()
            moments._gathering.add(rows, outputs, weights, tell)
        self._moments, self._flat, self._model = moments, flat, None
        return self

    def fit_moments(self, moments: Moments) -> Self:
        """Make the model of moments, gathered here or elsewhere.

        Parameters
        ----------
        moments : Moments
            Of this estimator's kind; they bring their own choices and parameters.

        Returns
        -------
        self
        """
        if not isinstance(moments, Moments):
            raise TypeError(f"moments: expected Moments (of partial_fit, or of fit with warm_start=True), got {moments!r}")
        rows, inputs, outputs = moments._gathering.shape()
        with Watching(self.verbose, rows) as tell:
            model = moments._gathering.solve(tell)
        if getattr(self, "n_features_in_", None) != inputs:
            self._restore(model)
        if getattr(self, "_moments", None) is not moments:
            self._begun = self._settings()
        self._moments, self._flat = moments, getattr(self, "_flat", False) and outputs == 1
        self._keep(model)
        return self

    @property
    def n_iter_(self) -> int:
        """Iterations of the solver; 1 for a factorisation."""
        return self._training()["iterations"]

    @property
    def moments_(self) -> Moments:
        """The moments of the rows so far."""
        check_is_fitted(self, "n_features_in_")
        if getattr(self, "_moments", None) is None:
            raise AttributeError("moments_: kept by partial_fit, and by fit with warm_start=True")
        return self._moments

    def _fitted(self) -> _orff.Model:
        if getattr(self, "_model", None) is None and getattr(self, "_moments", None) is not None:
            self.fit_moments(self._moments)
        return super()._fitted()
