"""Estimators of quantiles."""

from __future__ import annotations

import json
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import Tags

from . import _data, _scores
from ._arguments import coverages, floats, levels as between, packed, refused, unlike, whole
from ._base import Estimator, seed


class Quantiles(RegressorMixin, Estimator):
    """Fits the quantiles of outputs, predicts those of any level."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.input_tags.sparse = True
        # one check sets alpha=0.01, a strong ridge beside a pinball loss, and asks for the R² of a mean
        tags.regressor_tags.poor_score = True
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
            How often each row, or each entry, counts.

        Returns
        -------
        self
        """
        with self._whole():
            rows = _data.inputs(self, X, reset=True)
            outputs, names, self._flat, weights = _data.learned(rows, y, sample_weight, None)
            self._learn(rows, outputs, weights, names)
        return self

    def _parameters(self) -> str:
        values = json.loads(super()._parameters())
        # True and False as scikit-learn's users write them
        if isinstance(values.get("conformal"), bool):
            values["conformal"] = "auto" if values["conformal"] else "none"
        return json.dumps(values)

    def predict(self, X: Any, levels: Any = None) -> np.ndarray:
        """Predict quantiles of rows, which never cross.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        levels : float or array of shape (L,), optional
            Levels between 0 and 1; the median when left out.

        Returns
        -------
        quantiles : ndarray of shape (n, p), or (n,) if y was
            In single precision if X is; with an array of levels they have one more axis, of length L.
        """
        model = self._fitted()
        rows = _data.inputs(self, X, reset=False)
        asked = between(0.5 if levels is None else levels)
        found = model.quantiles(rows, [float(level) for level in np.atleast_1d(asked)], self._threads())
        outputs = () if self._flat else (self.n_outputs_,)
        return found.reshape((len(found), *outputs, *asked.shape))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² of the medians, averaged over the outputs; entries of y that are NaN do not count.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        y : array or table of shape (n,) or (n, p)
            Outputs.
        sample_weight : array of shape (n,) or (n, p), optional
            Weights of the rows, or of the entries.
        """
        return _scores.r2(y, self.predict(X), sample_weight)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
        """Intervals that hold a new observation with some probability, the same on both sides.

        With rows kept aside (`conformal`) the probability is at least `coverage` for rows of the same law, whatever it is.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        coverage : float, default=0.9
            The probability.

        Returns
        -------
        lower, upper : ndarray of shape (n, p), or (n,) if y was
        """
        model = self._fitted()
        rows = _data.inputs(self, X, reset=False)
        coverage = float(coverages(coverage, "coverage", scalar=True))
        ends = model.interval(rows, coverage, self._threads())
        lower, upper = np.split(ends, 2, axis=1)
        return self._shaped(lower), self._shaped(upper)

    def cdf(self, X: Any, y: Any) -> np.ndarray:
        """The probability that an observation is at most y: the level whose quantile it is.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        y : array of shape (n,) or (n, p), or one number
            Values, one for each row and output.

        Returns
        -------
        levels : ndarray of shape (n, p), or (n,) if y of the fit was
        """
        model = self._fitted()
        rows = _data.inputs(self, X, reset=False)
        shape = (_data.rows(rows), self.n_outputs_)
        given = floats(y, "y")
        if given.ndim == 1 and shape[1] == 1:
            given = given.reshape(-1, 1)
        if given.ndim and given.shape != shape:
            raise unlike("y", f"one number or shape {shape}", "the predictions of X", given.shape)
        values = packed(np.broadcast_to(given, shape))
        return self._shaped(model.cdf(rows, values, self._threads()))

    def sample(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> np.ndarray:
        """Draw observations from the law of each row; outputs are drawn independently of each other.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs.
        n_samples : int, default=1
            Draws for each row.
        random_state : int, RandomState, Generator or None, default=0
            Where they come from.

        Returns
        -------
        draws : ndarray of shape (n, p, n_samples), or (n, n_samples) if y had one axis
        """
        model = self._fitted()
        rows = _data.inputs(self, X, reset=False)
        draws, start = whole(n_samples, "n_samples"), seed(random_state)
        if type(start) is not int or not 0 <= start < 2**64:
            expected = "a whole number from 0 to 2⁶⁴ − 1, a RandomState, a Generator or None"
            raise refused("random_state", expected, random_state)
        found = model.sample(rows, draws, start, self._threads())
        outputs = () if self._flat else (self.n_outputs_,)
        return found.reshape((len(found), *outputs, draws))

    def _shaped(self, found: np.ndarray) -> np.ndarray:
        return found.reshape(-1) if self._flat else found

    @property
    def n_outputs_(self) -> int:
        """Number of outputs."""
        return self._fitted().shape()[1]

    @property
    def n_iter_(self) -> int:
        """Iterations of the solver."""
        return self._training()["iterations"]
