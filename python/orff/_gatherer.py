"""Estimators that go on learning: moments of the rows so far add and merge."""

from __future__ import annotations

import json
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from . import _data, _orff
from ._arguments import flag, refused
from ._base import Watching
from ._json import plain
from ._regressor import Regressor
from ._warn import warn

HOW = ("verbose", "n_jobs", "warm_start", "random_state")
"""Parameters that moments do not depend on; the random state was used up when they began."""


class Moments:
    """The moments of the rows so far, with everything that was chosen before the first one.

    They pickle, travel between processes and machines, and merge there; `OperatorRidge.fit_moments` makes a model.
    They are a value: an estimator hands out and takes copies, so that rows added here change no estimator.

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

    def __init__(self, gathering: _orff.Gathering, learner: str, names: tuple[list[str] | None, list[str] | None]):
        if not isinstance(gathering, _orff.Gathering):
            raise refused("gathering", "that of moments_ of an estimator", gathering)
        if not isinstance(learner, str) or learner not in _classes():
            raise refused("learner", f"one of {', '.join(_classes())}", learner)
        if not isinstance(names, (tuple, list)) or len(names) != 2 or not all(map(_is_names, names)):
            raise refused("names", "two lists of words, of inputs and of outputs, or None in their place", names)
        self._gathering = gathering
        self._learner = learner
        self._names = names

    @property
    def n_rows(self) -> int:
        """Number of rows so far."""
        return self._gathering.shape()[0]

    def empty(self) -> Moments:
        """The same choices with no rows yet: where another process starts."""
        return Moments(self._gathering.empty(), self._learner, self._names)

    def copy(self) -> Moments:
        """The same rows, to which others can be added."""
        return Moments(self._gathering.copy(), self._learner, self._names)

    def __copy__(self) -> Moments:
        return self.copy()

    def __deepcopy__(self, _memo: Any) -> Moments:
        return self.copy()

    def add(self, X: Any, y: Any, sample_weight: Any = None, *, task: Any = None) -> Self:
        """Add rows; when it fails or is interrupted, nothing was added.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, d)
            Inputs; columns with names have those of the first rows, in their order.
        y : array or table of shape (n,) or (n, p)
            Outputs; NaN (null in a table) is an output that was not observed.
        sample_weight : array of shape (n,) or (n, p), optional
            Weights.
        task : array of shape (n,), optional
            The task of each row, where rows are long; the tasks are those of the first rows.
        """
        _data.same_names("X", self._names[0], _data.column_names(X))
        rows = _data.table(X)
        outputs, names, _, weights = _data.learned(rows, y, sample_weight, task, self._names[1])
        return self._add(rows, outputs, names, weights, task is not None)

    def _add(
        self, rows: Any, outputs: Any, names: list[str] | None, weights: Any, long: bool, tell: Any = None
    ) -> Self:
        """Add prepared rows."""
        _data.same_names("y", self._names[1], names)
        self._gathering.add(rows, outputs, weights, tell, len(names) if long and names is not None else None)
        return self

    def merge(self, other: Moments) -> Self:
        """Add the rows of other moments with the same choices."""
        if not isinstance(other, Moments):
            raise refused("other", "Moments", other)
        if other._learner != self._learner:
            own, whose = _class(self._learner), _class(other._learner)
            raise ValueError(f"other: expected moments of {own}, got those of {whose}")
        for what, known, names in zip(("other, X", "other, y"), self._names, other._names, strict=True):
            _data.same_names(what, known, names)
        self._gathering.merge(other._gathering)
        return self

    def __repr__(self) -> str:
        rows, inputs, outputs = self._gathering.shape()
        return f"Moments({rows} rows, {inputs} inputs, {outputs} outputs)"


Moments.__module__ = "orff"


def _classes() -> dict[str, type]:
    """The classes of learners whose rows can be added."""
    from ._learners import CLASSES

    return {learner: each for learner, each in CLASSES.items() if issubclass(each, Gatherer)}


def _class(learner: str) -> str:
    """The name of the class of a learner."""
    return _classes()[learner].__name__


def _is_names(names: Any) -> bool:
    """Whether it is names of columns, or none."""
    return names is None or (isinstance(names, list) and all(isinstance(name, str) for name in names))


class Gatherer(Regressor):
    """Adds `partial_fit`, `moments_` and a warm start to an estimator whose rows can be added."""

    def _fit(self, X: Any, y: Any, sample_weight: Any, task: Any) -> None:
        known = getattr(self, "_moments", None)
        if not flag(self.warm_start, "warm_start"):
            self._moments = None
            return super()._fit(X, y, sample_weight, task)
        # with other parameters the choices would be others
        again = known is not None and self._begun == self._settings()
        rows = _data.inputs(self, X, reset=not again)
        tasks = known._names[1] if again else None
        outputs, names, flat, weights = _data.learned(rows, y, sample_weight, task, tasks)
        if again:
            _data.same_names("y", tasks, names)
        both = known._names if again else self._column_names(names)
        earlier = known._gathering if again else None
        count = None if task is None else len(names)
        with Watching(self.verbose, _data.rows(rows)) as tell:
            given = (self._learner, self._parameters(), rows, outputs, weights, both, earlier, tell, count)
            gathering, model = _orff.Gathering.fit(*given)
        self._moments, self._begun, self._flat = Moments(gathering, self._learner, both), self._settings(), flat
        self._keep(model)
        self._warn()

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, *, task: Any = None) -> Self:
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
        task : array of shape (n,), optional
            The task of each row, where rows are long; the first rows must have every task.

        Returns
        -------
        self
        """
        known = getattr(self, "_moments", None)
        if known is None and getattr(self, "_model", None) is not None:
            warn(
                "partial_fit: there are no moments to go on from, so this begins anew; "
                "fit keeps them with warm_start=True, files do not hold them"
            )
        if known is not None and self._begun != self._settings():
            raise ValueError("partial_fit: parameters changed since the first rows; set them back, or begin with fit")
        with self._whole():
            # a copy: other estimators may hold the moments so far, and this one keeps them when it fails
            return self._gather(X, y, sample_weight, task, None if known is None else known.copy())

    def _settings(self) -> str:
        """What a change of makes moments no longer fit: every parameter but those of how the work is done."""
        values = {name: plain(v) for name, v in self._values().items() if name not in HOW}
        return json.dumps(values, default=repr)

    def _gather(self, X: Any, y: Any, sample_weight: Any, task: Any, moments: Moments | None) -> Self:
        rows = _data.inputs(self, X, reset=moments is None)
        tasks = None if moments is None else moments._names[1]
        outputs, names, flat, weights = _data.learned(rows, y, sample_weight, task, tasks)
        long = task is not None
        with Watching(self.verbose, _data.rows(rows)) as tell:
            if moments is None:
                both = self._column_names(names)
                count = len(names) if long and names is not None else None
                given = (self._learner, self._parameters(), rows, outputs, weights, both, tell, count)
                moments = Moments(_orff.Gathering(*given), self._learner, both)
                self._begun = self._settings()
            moments._add(rows, outputs, names, weights, long, tell)
        self._moments, self._flat, self._model = moments, flat, None
        return self

    def fit_moments(self, moments: Moments) -> Self:
        """Make the model of moments, gathered here or elsewhere.

        Parameters
        ----------
        moments : Moments
            Of this class; they bring their own choices and parameters. They are copied: rows added to them later do
            not change this estimator.

        Returns
        -------
        self
        """
        if not isinstance(moments, Moments):
            raise refused("moments", "Moments (of partial_fit, or of fit with warm_start=True)", moments)
        if moments._learner != self._learner:
            own, whose = _class(self._learner), _class(moments._learner)
            raise ValueError(f"moments: expected those of {own}, got those of {whose}; they make a {whose}")
        if not moments.n_rows:
            raise ValueError("moments: expected those of some rows, got none; add rows first")
        with self._whole():
            flat = getattr(self, "_flat", True)
            self._moments, self._begun = moments.copy(), self._settings()
            self._solve()
            self._restore(self._model)
            self._flat = self._flat and flat
        return self

    def _solve(self) -> None:
        """Make the model of the moments so far."""
        with Watching(self.verbose, self._moments.n_rows) as tell:
            self._keep(self._moments._gathering.solve(tell))
        self._warn()

    @property
    def moments_(self) -> Moments:
        """The moments of the rows so far, as a copy: rows added to it are not in this estimator."""
        check_is_fitted(self, "n_features_in_")
        if getattr(self, "_moments", None) is None:
            raise AttributeError("moments_: kept by partial_fit, and by fit with warm_start=True")
        return self._moments.copy()

    def _fitted(self) -> _orff.Model:
        if getattr(self, "_model", None) is None and getattr(self, "_moments", None) is not None:
            self._solve()
        return super()._fitted()
