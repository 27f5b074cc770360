"""Series: what follows from what came before."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, Self, overload

import numpy as np

from . import _clock, _data, _orff, _tasks
from ._arguments import flag, floats, packed, refused, same_rows, whole
from ._base import Estimator, Watching, seed
from ._errors import ParameterError
from ._json import dumps
from ._warn import warn

STEPS = 10_000_000
"""Most steps and shifts."""


@dataclass
class Forecast:
    """Rows to come, as arrays or, where the series was one, as DataFrames that go on with its index."""

    mean: Any
    """The path of the mean, shape (steps, p); NaN from where it explodes."""
    lower: Any = None
    """Lower ends of the intervals, if asked for; infinite where simulated paths that explode reach them."""
    upper: Any = None
    """Upper ends."""


@dataclass
class Validation:
    """What sequential cross-validation found, in the units the model sees."""

    mse: float
    """Mean over the predicted rows of their mean squared error."""
    sd: float
    """Standard deviation of the mean squared errors of rows."""
    by_step: np.ndarray
    """Mean squared error at each step after the window."""
    by_variable: np.ndarray
    """Mean squared error of each variable."""
    windows: int
    """Number of windows."""
    window: int
    """Rows of a window."""
    skipped: int
    """Rows that could not be predicted: their past is not known."""
    alpha: float
    """The ridge of all windows, or of the last one where it is chosen by validation."""
    choices: list[str]
    """What was chosen on the first window, and by validation later."""
    at: np.ndarray
    """Time of each predicted row, counted from 0."""
    errors: np.ndarray
    """Observation less prediction of each predicted row."""


@dataclass
class _Rows:
    """A series as the extension takes it."""

    values: np.ndarray
    exog: np.ndarray
    times: list[float] | None
    members: list[str] | None
    names: list[str]
    exog_names: list[str]
    index: Any
    """Times of a table, without the member where the index names it too."""
    table: bool
    """Whether answers are tables of pandas."""
    one: bool
    """Whether it was a Series, so that answers are."""

    def given(self) -> tuple[Any, ...]:
        return (self.values, self.exog, self.times, self.members), (self.names, self.exog_names)


class Forecaster(Estimator):
    """Learns from a series and forecasts it."""

    def fit(self, Y: Any, exog: Any = None, *, time: Any = None, member: Any = None) -> Self:
        """Learn from a series.

        Parameters
        ----------
        Y : array or DataFrame of shape (n, p), or (n,)
            Rows in the order of time; NaN where nothing was observed. The index of a DataFrame, if it is of times,
            tells where rows are missing; its frequency is that of forecasts. One of two levels names members and times.
        exog : array or DataFrame of shape (n, e), optional
            What is known beside the series, also of rows to come.
        time : array of shape (n,), optional
            Times of the rows: numbers or dates.
        member : array of shape (n,), optional
            The member of each row, where several series follow one law.

        Returns
        -------
        self
        """
        with self._whole():
            rows = _rows(Y, exog, time, member)
            with Watching(self.verbose, len(rows.values)) as tell:
                model = _orff.fit_series(self._learner, self._parameters(), *rows.given(), tell)
            self._keep(model)
            self._rows = rows
            self._warn()
        return self

    def _keep(self, model: _orff.Model) -> None:
        super()._keep(model)
        self._known = json.loads(model.series())
        self.n_features_in_ = len(self._known["names"])
        self._rows = None

    def _restore(self, model: _orff.Model) -> Self:
        self._keep(model)
        return self

    def _series(self) -> _Rows:
        self._fitted()
        if self._rows is None:
            raise ValueError("the rows are not in the file of a model: fit it again")
        return self._rows

    def _same_names(self, history: Any, exog: Any, what: str = "history") -> None:
        """Refuse columns with other names, or in another order, than those of the series that was learned."""
        given = ((what, history, self._known["names"], "y"), ("exog", exog, self._known["exogenous"], "u"))
        for what, data, names, letter in given:
            if data is not None and names != _names(None, len(names), letter):
                _data.same_names(what, names, _data.column_names(data))

    @property
    def lags(self) -> int:
        """Rows back: the order."""
        self._fitted()
        return self._known["order"]

    @property
    def names(self) -> list[str]:
        """Names of the variables."""
        self._fitted()
        return list(self._known["names"])

    @property
    def params(self) -> Any:
        """Constant and coefficients of a linear model, shape (1 + m·p + e, p); a DataFrame if Y was one."""
        model = self._fitted()
        found = np.vstack([model.numbers("constants"), model.numbers("coefficients")])
        if self._rows is None or not self._rows.table:
            return found
        import pandas as pd

        names = [f"L{k}.{name}" for k in range(1, self.lags + 1) for name in self.names]
        others = self._known["exogenous"]
        rest = [f"{name}[+{k}]" if k else name for k in range(self._known["ahead"]) for name in others]
        return pd.DataFrame(found, index=["const", *names, *rest], columns=self._info["outputs"])

    @property
    def resid(self) -> np.ndarray:
        """Residuals of the last rows (10 000 at most), shape (r, p)."""
        return self._fitted().numbers("residuals")

    @property
    def sigma_u(self) -> np.ndarray:
        """Covariance of the noise."""
        return self._fitted().noise()

    @property
    def whiteness(self) -> dict[str, Any]:
        """Autocorrelations of the residuals, Ljung and Box's test of each variable, portmanteau test of all."""
        self._fitted()
        white = dict(self._known["whiteness"])
        return {key: np.asarray(value) if isinstance(value, list) else value for key, value in white.items()}

    def forecast(
        self,
        steps: int = 1,
        *,
        interval: float | None = None,
        history: Any = None,
        exog: Any = None,
        member: Any = None,
        paths: int = 1000,
        random_state: Any = 0,
    ) -> Forecast:
        """Rows to come.

        Parameters
        ----------
        steps : int, default=1
            How many.
        interval : float, optional
            Probability that an interval holds the observation, such as 0.9: intervals come from simulated paths, each
            with a deviation of the function within its error bars and residuals of the fit.
        history : array or DataFrame of shape (n, p), optional
            The rows before; the end of those learned from unless given.
        exog : array or DataFrame of shape (steps, e), optional
            What is known of the rows to come.
        member : optional
            Which series of a panel.
        paths : int, default=1000
            Paths that are simulated.
        random_state : int, RandomState, Generator or None, default=0
            Of the paths.

        Returns
        -------
        Forecast
            With `mean`, and `lower` and `upper` if an interval is asked for. An explosion is told by a warning.
        """
        model = self._fitted()
        self._same_names(history, exog)
        before, member = self._before(history, member)
        future = None if exog is None else _table(exog, "exog")
        ask = {"steps": steps, "interval": 0.0 if interval is None else interval, "paths": paths}
        ask["random_state"] = seed(random_state)
        name = None if member is None else _tasks.member(member)
        mean, ends, said = model.forecast(before, name, future, dumps(ask))
        for line in said:
            warn(line, RuntimeWarning)
        index = self._index_after(history, name, len(mean))
        if _is_table(exog):
            _clock.same_times(exog.index, index)
        frame = self._frame(index, history)
        return Forecast(frame(mean), *(map(frame, ends) if ends is not None else ()))

    def _before(self, history: Any, member: Any) -> tuple[np.ndarray | None, Any]:
        """The rows of a history, which follow each other as those that were learned from do, and their member."""
        if history is None:
            return None, member
        values = _table(history, "history")
        if not _is_table(history) or len(values) == 0:
            return values, member
        index, named = _clock.split(history.index, "history")
        if named is not None:
            found = list(dict.fromkeys(str(name) for name in named))
            if len(found) > 1 or (member is not None and str(member) != found[0]):
                expected = "one member" if member is None else str(member)
                raise ValueError(f"history: expected rows of {expected}, got those of {', '.join(found)}")
            member = found[0] if len(self._known["members"]) > 1 else member
        if _clock.is_clock(index):
            learned = None if self._rows is None else self._rows.index
            _clock.follow(index, learned if type(learned) is type(index) else None, self.lags)
        else:
            _clock.numbered(index, None, "history")
        return values, member

    def _frame(self, index: Any, history: Any) -> Any:
        """How answers are given: as DataFrames where the series or the history is one."""
        rows = self._rows
        if history is not None:
            return _shown(index, self.names, _is_table(history), _is_one(history))
        return _shown(index, self.names, rows is not None and rows.table, rows is not None and rows.one)

    def _index_after(self, history: Any, member: str | None, steps: int) -> Any:
        """The index of the rows to come: it goes on with its frequency."""
        if history is not None:
            index = _clock.split(history.index, "history")[0] if _is_table(history) else None
        else:
            rows = self._rows
            index = None if rows is None else rows.index
            if index is not None and rows.members is not None and member is not None:
                index = index[np.asarray(rows.members) == member]
        return _clock.after(index, steps)

    def predict(
        self, Y: Any, exog: Any = None, *, time: Any = None, member: Any = None, return_std: bool = False
    ) -> Any:
        """Every row of a series from the rows before it, as `Y` is given: NaN where they are not all known.

        Parameters
        ----------
        Y, exog, time, member
            A series as in `fit`.
        return_std : bool, default=False
            Also return the standard deviation of a new observation.

        Returns
        -------
        ndarray or DataFrame of shape (n, p), or two of them
            Row t is predicted from the rows before it.
        """
        model = self._fitted()
        std = flag(return_std, "return_std")
        self._same_names(Y, exog, "Y")
        rows = _rows(Y, exog, time, member)
        for what, given, learned in (("Y", rows.values, "names"), ("exog", rows.exog, "exogenous")):
            names = self._known[learned]
            if given.shape[1] != len(names):
                expected = f"{len(names)} columns ({', '.join(names)})" if names else "none"
                got = "none" if what == "exog" and exog is None else given.shape[1]
                raise ValueError(f"{what}: expected {expected}, as was learned from, got {got}")
        try:
            found = model.one_step(rows.given()[0], std)
        except ParameterError as error:
            if member is None and str(error).startswith("member: "):  # the index names it
                raise ParameterError(f"Y, {error}") from None
            raise
        shown = _shown(Y.index if rows.table else None, self.names, rows.table, rows.one)
        return (shown(found[0]), shown(found[1])) if std else shown(found[0])

    def impulse_response(
        self, steps: int = 10, *, size: Any = None, history: Any = None, exog: Any = None, member: Any = None
    ) -> np.ndarray:
        """What a shock of one variable does to all of them.

        Parameters
        ----------
        steps : int, default=10
            How far to follow it.
        size : array of shape (p,), optional
            Sizes of the shocks, 1 unless given. A linear model answers in proportion, others do not.
        history : array or DataFrame, optional
            The rows before, whose latest is shocked; the end of those learned from unless given.
        exog : array or DataFrame of shape (steps, e), optional
            What is known of the rows to come.
        member : optional
            Which series of a panel.

        Returns
        -------
        ndarray of shape (steps + 1, p, p)
            Response of i to a shock of j at [step, i, j].
        """
        model = self._fitted()
        self._same_names(history, exog)
        before, member = self._before(history, member)
        future = None if exog is None else _table(exog, "exog")
        p = len(self._known["names"])
        expected = f"one number, or {p}, one per variable"
        shocks = np.ones(p) if size is None else floats(size, "size", expected)
        if shocks.shape not in ((), (p,)):
            raise ValueError(f"size: expected {expected}, got the shape {shocks.shape}")
        if not np.isfinite(shocks).all():
            raise refused("size", f"{expected}, each of them finite", size)
        shocks = np.broadcast_to(shocks, (p,))
        steps = whole(steps, "steps", 0, STEPS)
        name = None if member is None else _tasks.member(member)
        found, lines = model.impulse_response(before, name, future, steps, shocks.tolist())
        for line in lines:
            warn(line, RuntimeWarning)
        return found

    @overload
    def influence(self, shifts: Literal[0]) -> tuple[np.ndarray, None]: ...  # type: ignore[overload-overlap]
    @overload
    def influence(self, shifts: int = 99) -> tuple[np.ndarray, np.ndarray]: ...
    def influence(self, shifts: int = 99) -> tuple[np.ndarray, np.ndarray | None]:
        """Which variable moves which: mean absolute slopes at the first step, and how often chance gives as much.

        Parameters
        ----------
        shifts : int, default=99
            Fits for each variable in which what its past has of its own is moved in time; 0 for no p-values.

        Returns
        -------
        strength : ndarray of shape (p, p)
            Influence of j on i at [i, j], both in standard deviations, summed over the lags.
        p_value : ndarray of shape (p, p) or None
            Share of shifted series that give at least as much.
        """
        shifts = whole(shifts, "shifts", 0, STEPS)
        rows = self._series()
        with Watching(self.verbose, shifts * len(rows.names)) as tell:
            return _orff.influence_series(self._learner, self._given_order(), *rows.given(), shifts, tell)

    def validate(
        self,
        Y: Any,
        exog: Any = None,
        *,
        window: Any = "auto",
        horizon: int = 1,
        step: int = 1,
        expanding: bool = False,
        time: Any = None,
        member: Any = None,
    ) -> Validation:
        """Sequential cross-validation: fit on a window, predict the rows that follow it, slide on.

        Scales, lengthscale, frequencies and ridge are those of the first window (with `choose="validation"` lengthscale
        and ridge are those with the smallest errors at the windows before), the rest is fitted anew on each, from
        moments that are added and never taken away.

        Parameters
        ----------
        Y, exog, time, member
            A series as in `fit`.
        window : "auto" or int, default="auto"
            Rows of the window, of the first one where it expands; half of the rows by default.
        horizon : int, default=1
            Rows that are predicted after each window.
        step : int, default=1
            Rows from one window to the next.
        expanding : bool, default=False
            Keep the first row in every window.

        Returns
        -------
        Validation
        """
        rows = _rows(Y, exog, time, member)
        how = dumps({"window": window, "horizon": horizon, "step": step, "expanding": expanding})
        with Watching(self.verbose, len(rows.values)) as tell:
            found = _orff.validate_series(self._learner, self._parameters(), *rows.given(), how, tell)
        arrays = ("by_step", "by_variable", "at")
        return Validation(**{key: np.asarray(v) if key in arrays else v for key, v in found.items()})

    def _given_order(self) -> str:
        """The parameters, with the order that was found."""
        values = json.loads(self._parameters())
        values["order"] = self.lags
        return json.dumps(values)


def _is_one(data: Any) -> bool:
    """Whether it is a Series of pandas."""
    return type(data).__module__.split(".")[0] == "pandas" and hasattr(data, "iloc") and not hasattr(data, "columns")


def _is_table(data: Any) -> bool:
    return _data.is_pandas(data) or _is_one(data)


def _shown(index: Any, names: list[str], table: bool, one: bool) -> Any:
    """How answers are given: as the series was, or the history."""
    if not table:
        return lambda values: values
    import pandas as pd

    if one:
        return lambda values: pd.Series(values[:, 0], index=index, name=names[0])
    return lambda values: pd.DataFrame(values, index=index, columns=names)


def _table(data: Any, what: str) -> np.ndarray:
    """Numbers in two axes, NaN where there are none."""
    values = packed(_data.observed(data, what))
    return values if values.ndim == 2 else values.reshape(len(values), 1)


def _named(members: Any) -> list[str]:
    """The names of members in an index."""
    for row in np.flatnonzero(members.isna())[:1]:
        raise ValueError(f"Y: expected a member in each row of the index, got none in row {row + 1}")
    return [_tasks.text(name, "Y") for name in members]


def _rows(Y: Any, exog: Any, time: Any, member: Any) -> _Rows:
    """A series with its times and names."""
    values, table = _table(Y, "Y"), _is_table(Y)
    others = np.zeros((len(values), 0)) if exog is None else _table(exog, "exog")
    same_rows("exog", len(others), "Y", len(values))
    if not len(values):
        raise ValueError("Y: a series needs rows, got none")
    index, named = _clock.split(Y.index) if table else (None, None)
    if member is not None:
        members = _tasks.members(member, len(values))
    else:
        members = None if named is None else _named(named)
    stamps = time if time is not None else index if _clock.is_clock(index) else None
    times = None if stamps is None else _clock.times_of(stamps)
    if times is not None:
        same_rows("time", len(times), "Y", len(values))
        groups, what = None if members is None else np.asarray(members), "Y" if time is None else "time"
        _clock.grow(np.asarray(times), list(np.asarray(stamps) if what == "time" else stamps), groups, what)
    elif table:
        _clock.numbered(index, members, "Y")
    names = _names(Y, values.shape[1], "y")
    return _Rows(values, others, times, members, names, _names(exog, others.shape[1], "u"), index, table, _is_one(Y))


def _names(data: Any, width: int, letter: str) -> list[str]:
    if _is_one(data) and isinstance(data.name, str):
        found = [data.name]
    else:
        found = _data.column_names(data) if data is not None else None
    what = "Y" if letter == "y" else "exog"
    if found is not None:
        return [_tasks.text(name, f"{what}: names of columns") for name in found]
    return [f"{letter}{k + 1}" for k in range(width)]
