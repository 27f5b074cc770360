"""What every estimator shares: parameters, progress, files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _data, _orff, _views
from ._arguments import file, jobs, threads
from ._json import dumps, plain
from ._progress import Progress
from ._tasks import text
from ._warn import warn
from .kernels import Kernel

SEEDS = 2**31 - 1
"""Seeds drawn from a random state are below this."""


class Estimator(BaseEstimator):
    """An estimator whose parameters, defaults and checks are those of a learner of the library."""

    _learner: ClassVar[str]

    def _parameters(self) -> str:
        """The parameters as JSON, by their Python names."""
        values = self._values()
        if "random_state" in values:
            values["random_state"] = seed(self.random_state)
        if "n_jobs" in values:
            given = threads(values["n_jobs"])
            values["n_jobs"] = "auto" if given is None else given
        if "views" in values:
            names = getattr(self, "feature_names_in_", None)
            values["views"] = _views.groups(values["views"], self.n_features_in_, names)
            values["combination"] = _views.weights(values["combination"])
        return dumps(values)

    def _values(self) -> dict[str, Any]:
        """The parameters, where scikit-learn's words for the same are met: 1 is a flag, True one line of progress."""
        values = self.get_params(deep=False)
        for name, parameter in signature(type(self).__init__).parameters.items():
            if name in values and (name == "verbose" or isinstance(parameter.default, bool)):
                value = plain(values[name])
                if name == "verbose":
                    values[name] = int(value) if isinstance(value, bool) else value
                else:
                    values[name] = bool(value) if type(value) is int and value in (0, 1) else value
        return values

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Leave the estimator as it was when what runs inside fails."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _threads(self) -> int | None:
        """Threads of a prediction; `n_jobs` may have changed since the fit."""
        return jobs(getattr(self, "n_jobs", None))

    def _learn(
        self,
        X: Any,
        y: Any,
        weights: Any,
        outputs: list[str] | None,
        tasks: int | None = None,
        classes: tuple[list[str], str] | None = None,
        graph: Any = None,
        points: bool = False,
    ) -> None:
        """Fit the model to prepared data; with a number of tasks, its rows are long; with classes, y has their numbers; of
        points, y has arguments and values of curves in turn."""
        names = self._column_names(outputs)
        with Watching(self.verbose, _data.rows(X)) as tell:
            model = _orff.fit(self._learner, self._parameters(), X, y, weights, names, tell, tasks, classes, graph, points)
        self._keep(model)
        self._warn()

    def _column_names(self, outputs: list[str] | None) -> tuple[list[str] | None, list[str] | None]:
        """Names of inputs and outputs, where there are some."""
        inputs = getattr(self, "feature_names_in_", None)
        known = None if inputs is None else [text(name, "X: names of columns") for name in inputs]
        return known, None if outputs is None else [text(name, "y: names of columns") for name in outputs]

    def _keep(self, model: _orff.Model) -> None:
        self._model = model
        self._info = json.loads(model.info())

    def _warn(self) -> None:
        """What the fit warned of."""
        for line in self.choices_:
            if line.startswith("warning: "):
                warn(line.removeprefix("warning: "))
            elif line.startswith("not converged"):
                raised = [name for name in ("max_iter", "tol", "alpha") if hasattr(self, name)]
                warn(f"{line.split(':')[0]}: raise {' or '.join(raised)}", ConvergenceWarning)

    def _fitted(self) -> _orff.Model:
        check_is_fitted(self, "_model")
        return self._model

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "_model", None) is not None or getattr(self, "_moments", None) is not None

    def _training(self) -> dict[str, Any]:
        self._fitted()
        return self._info["training"]

    @property
    def choices_(self) -> list[str]:
        """What was chosen, with the reasons."""
        return list(self._training()["choices"])

    @property
    def kernel_(self) -> Kernel:
        """The kernel with nothing left open, in scaled coordinates."""
        return Kernel(self._resolved())

    def _resolved(self) -> dict[str, Any]:
        """The structured form of the kernel; what learns without one has no such attributes."""
        form = self._training()["kernel"]
        if form is None:
            raise AttributeError(f"{type(self).__name__} has no kernel")
        return form

    @property
    def lengthscale_(self) -> np.ndarray | None:
        """Lengthscale along each input, in its own units, of the first spectrum of the kernel."""
        found = _lengthscale(self._resolved())
        scale = np.asarray(self._fitted().scales()[1])
        return None if found is None else np.broadcast_to(np.asarray(found, dtype=np.float64), scale.shape) * scale

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

    def save(self, path: str | bytes | os.PathLike[str]) -> None:
        """Write the model to a file that `orff.load` and the command ``orff`` read.

        Parameters
        ----------
        path : path-like
            Where to write it, for example ``"m.orff"``, in a folder that is there. An old file is replaced in one step.
        """
        self._fitted().save(file(path))

    def _restore(self, model: _orff.Model) -> Self:
        """Become the estimator of a model from a file."""
        self._keep(model)
        self.n_features_in_, outputs, _ = model.shape()
        self._flat = outputs == 1 and not self._info["column"]
        encoding = self._info["encoding"] or {}
        self.__dict__.pop("feature_names_in_", None)
        if encoding.get("named") and len(self._info["inputs"]) == self.n_features_in_:
            self.feature_names_in_ = np.asarray(self._info["inputs"], dtype=object)
        return self


def load(path: str | bytes | os.PathLike[str]) -> Estimator:
    """The estimator that `save` or the command ``orff fit`` wrote to a file.

    Parameters
    ----------
    path : path-like
        The file.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np, orff
    >>> X = np.linspace(0, 1, 30).reshape(-1, 1)
    >>> model = orff.OperatorRidge().fit(X, np.sin(6 * X[:, 0]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "m.orff")
    ...     model.save(path)
    ...     again = orff.load(path)
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    from ._learners import CLASSES, FORECASTERS

    classes = {**CLASSES, **FORECASTERS}
    path = file(path)
    model = _orff.Model.load(path)
    learner = json.loads(model.info())["learner"]
    if learner not in classes:
        raise ValueError(f"{path}: made by the learner {learner!r}, which this version does not know")
    values = json.loads(model.parameters())
    if values.get("n_jobs") == "auto":
        values["n_jobs"] = None
    for name in ("kernel", "argument_kernel"):
        if isinstance(values.get(name), dict):
            values[name] = Kernel(values[name])
    return classes[learner](**values)._restore(model)


def seed(random_state: Any) -> Any:
    """A seed from what scikit-learn calls a random state; what is none is left for the declaration to refuse."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(SEEDS))
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(SEEDS))
    return plain(random_state)


def _lengthscale(form: dict[str, Any]) -> Any:
    """The lengthscale of the first spectrum of a structured kernel."""
    if "spectrum" in form:
        return form["spectrum"]["lengthscale"]
    inner = form.get("terms") or [form[key] for key in ("of", "left", "right") if key in form]
    return next((found for found in map(_lengthscale, inner) if found is not None), None)


class Watching:
    """Shows the progress of what runs inside, if anyone wants to see it."""

    def __init__(self, verbose: int, rows: int):
        verbose = plain(verbose)
        self.progress = Progress(rows) if isinstance(verbose, int) and verbose > 0 else None

    def __enter__(self) -> Progress | None:
        return self.progress

    def __exit__(self, *_: object) -> None:
        if self.progress is not None:
            self.progress.close()
