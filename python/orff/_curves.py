"""Estimators whose outputs are curves."""

from __future__ import annotations

import json
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import Tags

from . import _data, _scores
from ._arguments import few, floats, packed, refused, same_rows, unlike
from ._base import Estimator, _lengthscale
from ._errors import ParameterError
from ._json import said
from .kernels import Kernel


class Curves(RegressorMixin, Estimator):
    """Fits curves, predicts them at any argument."""

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
        y : array or table of shape (n, m) or (n,), or list of n pairs (t, values)
            Curves: their values at `grid` (0, 1, …, m − 1 unless given), NaN where they were not observed; or for each row
            the arguments and the values of its own points.
        sample_weight : array of shape (n,) or (n, m), or list of n arrays, optional
            How often each curve, or each of its points, counts.

        Returns
        -------
        self
        """
        with self._whole():
            rows = _data.inputs(self, X, reset=True)
            points = _points(y, _data.rows(rows))
            if points is None:
                outputs, names, self._flat, weights = _data.learned(rows, y, sample_weight, None)
            else:
                outputs, names, self._flat = points, None, False
                weights = _weights(sample_weight, points)
            seen = _data.observed(y) if points is None else points[:, 1::2]
            if np.isnan(seen).all():
                raise ValueError("y: expected a value in one of the curves at least, got NaN only")
            self._learn(rows, outputs, weights, names, points=points is not None)
        return self

    def predict(self, X: Any, at: Any = None) -> np.ndarray:
        """Predict the curves of rows.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        at : float, array of shape (L,) or (n, L), optional
            Arguments, the same for all rows or those of each (NaN: none); `grid_` when left out.

        Returns
        -------
        values : ndarray of shape (n, L), or (n,) for a single argument without an axis (or if y was)
            In single precision if X is.
        """
        model = self._fitted()
        rows = _data.inputs(self, X, reset=False)
        if at is None:
            found = model.values(rows, self.grid_.tolist(), self._threads())
            return found.reshape(-1) if self._flat else found
        asked = _arguments(at)
        if asked.ndim == 2:
            same_rows("at", len(asked), "X", _data.rows(rows))
            return model.values_of_each(rows, packed(asked), self._threads())
        found = model.values(rows, np.atleast_1d(asked).tolist(), self._threads())
        return found.reshape(-1) if asked.ndim == 0 else found

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² of the predictions over the points of all curves together; what is NaN does not count.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        y : as in `fit`
            Curves.
        sample_weight : as in `fit`, optional
            Weights of curves, or of points.
        """
        rows = _data.rows(_data.inputs(self, X, reset=False))
        points = _points(y, rows)
        if points is None:
            mean = self.predict(X).reshape(rows, -1)
            truth, weight = _scores.observed(y, mean.shape), _scores.weights(sample_weight, *mean.shape)
        else:
            truth = _scores.finite(points[:, 1::2])
            try:
                mean = self.predict(X, at=points[:, ::2])
            except ParameterError as error:  # of the arguments, which are a part of y here
                raise ParameterError(str(error).replace("at: ", "y: arguments: ", 1)) from None
            weight = _scores.sound(_weights(sample_weight, points))
            weight = weight[:, 1::2] if weight is not None and weight.ndim == 2 else weight
        each = np.broadcast_to(1.0 if weight is None else weight.reshape(len(truth), -1), truth.shape)
        counts = ~np.isnan(truth) & (each > 0)
        if counts.sum() < 2:
            raise ValueError("y: expected two points that count at least; NaN and points of weight zero do not")
        truth, mean, each = truth[counts], mean[counts], each[counts]
        about = np.average(truth, weights=each)
        spread, error = (each * (truth - about) ** 2).sum(), (each * (truth - mean) ** 2).sum()
        return float(1.0 - error / spread) if spread > 0 else float(error == 0)

    @property
    def grid_(self) -> np.ndarray:
        """Where curves are predicted unless asked for elsewhere: the grid, or the arguments that were seen.

        Of more than 100 different arguments it has 51 over their range."""
        return np.asarray(self._argument()["values"])

    @property
    def argument_kernel_(self) -> Kernel:
        """The kernel of the argument with nothing left open, in scaled coordinates."""
        return Kernel(self._argument()["kernel"])

    @property
    def argument_lengthscale_(self) -> float | None:
        """Lengthscale along the argument, in its own units."""
        known = self._argument()
        found = _lengthscale(known["kernel"])
        return None if found is None else float(np.ravel(found)[0] * known["scale"])

    def _argument(self) -> dict[str, Any]:
        return json.loads(self._fitted().argument())

    @property
    def n_outputs_(self) -> int:
        """Number of arguments in `grid_`."""
        return self._fitted().shape()[1]

    @property
    def n_iter_(self) -> int:
        """Iterations of the solver; 1 in closed form."""
        return self._training()["iterations"]


def _points(y: Any, rows: int | None = None) -> np.ndarray | None:
    """Pairs (t, values) side by side as t₁, y₁, t₂, y₂, …, NaN after the last; None where y is no list of pairs."""
    if not isinstance(y, (list, tuple)) or not y or not all(_is_pair(each) for each in y):
        return None
    if rows is not None:
        same_rows("y", len(y), "X", rows)
    longest = max((len(t) for t, _ in y), default=0)
    if longest == 0:
        raise ValueError("y: expected a point in one of the curves at least, got none")
    found = np.full((len(y), 2 * longest), np.nan)
    for i, (t, values) in enumerate(y):
        arguments, outputs = (floats(part, f"y: curve {i + 1}") for part in (t, values))
        if len(arguments) != len(outputs):
            raise ValueError(f"y: curve {i + 1} has {len(arguments)} arguments and {len(outputs)} values")
        for k in np.flatnonzero(np.isinf(arguments) | (np.isnan(arguments) & ~np.isnan(outputs)))[:1]:
            value = f"{arguments[k]} is not a finite number (each value of a curve has its argument)"
            raise ValueError(f"y: row {i + 1}, column argument {k + 1}: {value}")
        found[i, : 2 * len(arguments) : 2], found[i, 1 : 2 * len(outputs) : 2] = arguments, outputs
    return found


def _is_pair(each: Any) -> bool:
    return isinstance(each, (list, tuple)) and len(each) == 2 and all(_axes(part) == 1 for part in each)


def _axes(part: Any) -> int:
    """Number of axes; rows of different lengths are taken for one, to be refused where they are read."""
    try:
        return np.ndim(part)
    except ValueError:
        return 1


def _weights(sample_weight: Any, points: np.ndarray) -> np.ndarray | None:
    """Weights of curves (n), or of their points beside them (n, 2m)."""
    n, width = points.shape
    if not isinstance(sample_weight, (list, tuple)) or not any(_axes(each) for each in sample_weight):
        return _data.weights(sample_weight, n)
    if len(sample_weight) != n:
        raise unlike("sample_weight", f"{n} arrays, one for each curve,", "X and y", len(sample_weight))
    found = np.zeros((n, width))
    for i, each in enumerate(sample_weight):
        own, count = floats(each, f"sample_weight: curve {i + 1}"), int((~np.isnan(points[i, ::2])).sum())
        if own.shape != (count,):
            raise unlike("sample_weight", f"{count} numbers for curve {i + 1}", "y", said(each))
        found[i, : 2 * count] = np.repeat(own, 2)
    return found


def _arguments(at: Any) -> np.ndarray:
    """Arguments as an array of at most two axes."""
    found = floats(at, "at", "finite numbers")
    found = found if found.ndim > 1 else few(found, "at")
    if found.ndim > 2 or not found.size or not (np.isfinite(found) | (np.isnan(found) & (found.ndim == 2))).all():
        raise refused("at", "finite numbers", at)
    return found
