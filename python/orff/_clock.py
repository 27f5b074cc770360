"""Times of series: read from an index or given, checked to grow, and gone on with after the last row."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

import numpy as np

from . import _data
from ._arguments import array
from ._json import attribute, said
from ._warn import warn


def same_times(given: Any, index: Any) -> None:
    """Refuse an index of rows to come of other times than those of the forecast."""
    own = split(given, "exog")[0]
    if not (is_clock(own) and type(own) is type(index)):
        return
    for time, expected in zip(own, index, strict=False):
        if time != expected:
            raise ValueError(f"exog: expected the rows to come, {expected} and on, got one of {time}")


def split(index: Any, what: str = "Y") -> tuple[Any, Any]:
    """Times and, where an index names them too, members."""
    levels = getattr(index, "nlevels", 1)
    if levels == 1:
        return index, None
    if levels != 2:
        raise ValueError(f"{what}: expected an index of times, or of members and times, got one of {levels} levels")
    return index.get_level_values(1), index.get_level_values(0)


def grow(times: np.ndarray, stamps: list[Any], members: np.ndarray | None, what: str) -> None:
    """Refuse times that do not grow, in the words they were given in; errors speak of the argument `what`."""
    for row in np.flatnonzero(np.isnan(times))[:1]:
        raise ValueError(f"{what}: row {row + 1}, column time: {stamps[row]} is not a time (every row needs one)")
    groups = [np.arange(len(times))] if members is None else [np.flatnonzero(members == m) for m in np.unique(members)]
    for rows in groups:
        for k in np.flatnonzero(np.diff(times[rows]) <= 0)[:1]:
            before, row = rows[k], rows[k + 1]
            raise ValueError(
                f"{what}: row {row + 1}, column time: {stamps[row]} does not come after {stamps[before]} "
                f"of row {before + 1}: sort the rows by time, and keep one of those with equal times"
            )


def follow(index: Any, learned: Any, order: int) -> None:
    """Refuse a history whose times do not grow, or leave rows out among the last ones, which a forecast starts from."""
    known = index if learned is None else learned.append(index)
    if type(known) is not type(index):  # periods of another length, times of another zone
        raise ValueError(f"history: expected times as those learned from ({learned.dtype}), got {index.dtype}")
    times = np.asarray(times_of(known))
    own = times[len(times) - len(index) :]
    grow(own, list(index), None, "history")
    steps = np.diff(own if learned is None else times[: len(learned)])
    step = np.median(steps[steps > 0]) if (steps > 0).any() else np.nan
    for k in np.flatnonzero(np.abs(np.diff(own[-order:]) - step) >= 0.5 * step)[:1]:
        before, after = list(index)[-order:][k : k + 2]
        raise ValueError(
            f"history: expected {order} rows at its end that follow each other as those learned from do, "
            f"got {before} and then {after}"
        )


def numbered(index: Any, members: list[str] | None, what: str) -> None:
    """Refuse numbers of rows of the argument `what` that do not grow; where they jump, say that rows are taken one after the
    other."""
    values = np.asarray(index)
    if values.dtype.kind not in "iuf" or len(values) < 2:
        return
    of = np.zeros(len(values), dtype=int) if members is None else np.unique(members, return_inverse=True)[1]
    order = np.argsort(of, kind="stable")
    steps = np.diff(values[order].astype(np.float64))[np.diff(of[order]) == 0]
    rows = order[1:][np.diff(of[order]) == 0]
    for k in np.flatnonzero(~(steps > 0))[:1]:
        before = order[np.flatnonzero(order == rows[k])[0] - 1]
        raise ValueError(
            f"{what}: index: row {rows[k] + 1}: {values[rows[k]]} does not come after {values[before]} of row {before + 1}: "
            "sort the rows by time, or number them anew (reset_index)"
        )
    for k in np.flatnonzero(steps >= 1.5 * np.median(steps))[:1] if len(steps) else []:
        warn(
            f"{what}: index: row {rows[k] + 1}: {values[rows[k]]} jumps by {steps[k]:g}, but numbers of an index only count "
            "rows, which are taken to follow each other; give time=Y.index where rows are missing",
            UserWarning,
        )


def is_clock(index: Any) -> bool:
    """Whether an index tells times: dates, periods; numbers count rows unless they are given as `time`."""
    return type(index).__name__ in ("DatetimeIndex", "PeriodIndex", "TimedeltaIndex")


def times_of(times: Any) -> list[float]:
    """Times as numbers that grow."""
    if type(times).__name__ == "PeriodIndex":
        return [float(period.ordinal) for period in times]
    if attribute(attribute(times, "dtype"), "tz") is not None:
        times = _without_zone(times)
    values = array(times, "time", "numbers or dates, one for each row")
    if values.ndim != 1:
        raise ValueError(f"time: expected numbers or dates, one for each row, got {said(times)}")
    if values.dtype.kind in "OU":
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            values = values.astype("datetime64[ns]")
    if values.dtype.kind in "mM":
        missing = np.isnat(values)
        if _skips_weekends(values):
            return np.where(missing, np.nan, np.busday_count("1970-01-01", _days(values))).tolist()
        unit = "datetime64[ns]" if values.dtype.kind == "M" else "timedelta64[ns]"
        return np.where(missing, np.nan, values.astype(unit).astype(np.int64) / 1e9).tolist()
    return _data.numbers(values, "time").astype(np.float64).tolist()


def _days(values: np.ndarray) -> np.ndarray:
    return np.where(np.isnat(values), np.datetime64("1970-01-01", "D"), values.astype("datetime64[D]"))


def _skips_weekends(values: np.ndarray) -> bool:
    """Whether times are those of days that follow each other but for weekends: six of them would have met one."""
    if values.dtype.kind != "M":
        return False
    seen = np.unique(values[~np.isnat(values)])
    if len(seen) < 6 or np.median(np.diff(seen)) != np.timedelta64(1, "D"):
        return False
    days = seen.astype("datetime64[D]")
    return bool(np.is_busday(days).all()) and len(np.unique(seen - days)) == 1


def _without_zone(times: Any) -> Any:
    """Times of a zone: of its clocks where all have one time of the day, as its days are not all of 24 hours."""
    import pandas as pd

    index = pd.DatetimeIndex(times)
    local = index.tz_localize(None)
    return local if len(set(local.time)) <= 1 else index.tz_convert(None)


def after(index: Any, steps: int) -> Any:
    """An index that goes on."""
    if index is None or len(index) == 0:
        return None
    import pandas as pd

    last = index[-1]
    if isinstance(index, pd.PeriodIndex):
        return pd.period_range(last + 1, periods=steps, freq=index.freq, name=index.name)
    if isinstance(index, (pd.DatetimeIndex, pd.TimedeltaIndex)):
        going_on = pd.date_range if isinstance(index, pd.DatetimeIndex) else pd.timedelta_range
        freq = _frequency(index)
        return going_on(last, periods=steps + 1, freq=freq, name=index.name)[1:] if not pd.isna(freq) else None
    if isinstance(index, pd.RangeIndex):
        return pd.RangeIndex(last + index.step, last + index.step * (steps + 1), index.step, name=index.name)
    if pd.api.types.is_numeric_dtype(index.dtype) and len(index) > 1:
        step = index[1] - index[0]
        if step > 0 and np.allclose(np.diff(index), step):
            return pd.Index(last + step * np.arange(1, steps + 1), name=index.name)
    return pd.RangeIndex(1, steps + 1)


def _frequency(index: Any) -> Any:
    """That of an index; where rows are missing, that of its longest stretch without a gap."""
    import pandas as pd

    if index.freq is not None:
        return index.freq

    def inferred(some: Any) -> Any:
        with warnings.catch_warnings():  # of what a later pandas answers, which is taken as well
            warnings.simplefilter("ignore")
            return pd.infer_freq(some) if len(some) > 2 else None

    whole = inferred(index)
    if whole is not None:
        return whole
    local = index if getattr(index, "tz", None) is None else index.tz_localize(None)
    if _skips_weekends(local.to_numpy()):
        return "B"
    steps = pd.Series(index).diff()
    step = steps.median()
    if pd.isna(step):
        return step
    stretch = (steps >= 1.5 * step).cumsum()
    longest = inferred(index[(stretch == stretch.value_counts().idxmax()).to_numpy()])
    return step if longest is None else longest
