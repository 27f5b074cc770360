"""Arguments of functions and methods: each kind is read in one place and refused by its name."""

from __future__ import annotations

import os
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from ._errors import ParameterError
from ._json import MOST as NUMBERS, plain, said

THREADS = 4096
"""Most threads."""

MOST = 2**63 - 1
"""Most of what is counted."""


PATH = 4096
"""Characters of a path, beyond those of any file."""


def refused(name: str, expected: str, given: Any) -> ParameterError:
    """The error of an argument that does not take what was given."""
    return ParameterError(f"{name}: expected {expected}, got {said(given)}")


def unlike(name: str, expected: str, other: str, given: Any) -> ValueError:
    """The error of an argument that does not go with another one, by the names of both."""
    return ValueError(f"{name}: expected {expected} as in {other}, got {given}")


def same_rows(name: str, given: int, other: str, rows: int) -> None:
    """Refuse an argument that has not as many rows as another one."""
    if given != rows:
        raise unlike(name, f"{rows} rows", other, given)


def flag(value: Any, name: str) -> bool:
    """True or false, or a 1 or 0 for it."""
    given = plain(value)
    if isinstance(given, bool) or (isinstance(given, int) and given in (0, 1)):
        return bool(given)
    raise refused(name, "true or false", value)


def word(value: Any, name: str, *words: str) -> str:
    """One of some words."""
    if isinstance(value, str) and value in words:
        return value
    raise refused(name, f"{', '.join(words[:-1])} or {words[-1]}", value)


def whole(value: Any, name: str, least: int = 1, most: int = MOST) -> int:
    """A whole number."""
    given = plain(value)
    if type(given) is int and least <= given <= most:
        return given
    raise refused(name, f"a whole number {f'≥ {least}' if most == MOST else f'from {least} to {most}'}", value)


def number(value: Any, name: str, expected: str, within: Callable[[float], bool]) -> float:
    """A finite number within what is expected."""
    single = isinstance(value, (np.generic, np.ndarray)) and np.ndim(value) == 0 and not np.ma.is_masked(value)
    given = value.item() if single else value
    try:
        found = float(given) if isinstance(given, Real) and not isinstance(given, bool) else np.nan
    except OverflowError:
        found = np.nan
    if np.isfinite(found) and within(found):
        return found
    raise refused(name, expected, value)


def probability(value: Any, name: str = "probability") -> float:
    """A number between 0 and 1, neither of them."""
    return number(value, name, "a number > 0 and < 1", lambda p: 0 < p < 1)


def file(path: Any) -> str:
    """The path of a file as a text."""
    try:
        found = os.fsdecode(path)
        if found and b"\0" not in os.fsencode(found) and len(found) < PATH:
            return found
    except Exception:  # no path, or none that can be written, or an object that fails to say
        pass
    raise refused("path", "a text or a path that a file can have", path)


def array(values: Any, name: str, expected: str) -> np.ndarray:
    """What was given as an array; rows of different lengths make none, nor do masked entries and dates of polars."""
    try:
        if not (np.ma.is_masked(values) or _has_dates(values)):
            return np.asarray(values)
    except MemoryError:
        raise
    except Exception:  # whatever foreign objects raise: Arrow has errors of its own
        pass
    raise refused(name, expected, values)


def _has_dates(values: Any) -> bool:
    """Whether it is a table of polars with dates, which become numbers in an array."""
    polars = type(values).__module__.split(".")[0] == "polars" and hasattr(values, "dtypes")
    return polars and any(kind.is_temporal() for kind in values.dtypes)


def floats(values: Any, name: str, expected: str = "numbers", single: bool = False) -> np.ndarray:
    """Numbers in double precision, or single if it is asked for and given; NaN for None, words and dates are none."""
    given = array(values, name, expected)
    if single and given.dtype == np.float32:
        return given
    parts = given.ravel().tolist() if given.dtype.kind == "O" else []
    if values is None or given.dtype.kind not in "biufO" or any(isinstance(part, (str, bytes)) for part in parts):
        raise refused(name, expected, values)
    try:
        return given.astype(np.float64, copy=False)
    except MemoryError:
        raise
    except Exception:  # whatever an object raises that is no number
        raise refused(name, expected, values) from None


def few(found: np.ndarray, name: str) -> np.ndarray:
    """Refuse more numbers than are written one by one."""
    if found.size > NUMBERS:
        raise ParameterError(f"{name}: expected at most {NUMBERS} numbers, got {found.size}")
    return found


def packed(values: np.ndarray) -> np.ndarray:
    """Numbers as the extension reads them at once: in double precision, side by side, none across the words of memory."""
    return np.require(values, np.float64, ["C", "A"])


def levels(values: Any, name: str = "levels", scalar: bool = False) -> np.ndarray:
    """Levels between 0 and 1, as an array of at most one axis."""
    expected = f"{'a number' if scalar else 'numbers'} between 0 and 1"
    found = few(floats(values, name, expected), name)
    if found.ndim > (0 if scalar else 1) or not found.size or not ((found > 0) & (found < 1)).all():
        raise refused(name, expected, values)
    return found


def coverages(values: Any, name: str, scalar: bool = False) -> np.ndarray:
    """Probabilities of intervals between two levels, as an array of at most one axis."""
    found = levels(values, name, scalar)
    if not (0.5 + 0.5 * found < 1).all():
        expected = f"{'a number' if scalar else 'numbers'} between 0 and 1, with something left outside"
        raise refused(name, expected, values)
    return found


def jobs(n_jobs: Any) -> int | None:
    """A number of threads as joblib reads it, None for all."""
    found = threads(n_jobs)
    if found is None or (type(found) is int and 1 <= found <= THREADS):
        return found
    takes = "None, a negative number (-1: all processors, -2: all but one) or a whole number from 1 to"
    raise refused("n_jobs", f"{takes} {THREADS}", n_jobs)


def threads(n_jobs: Any) -> Any:
    """Number of threads as joblib reads it, None for all; what is none is left for the declaration to refuse."""
    given = plain(n_jobs)
    if given is None or given == "auto" or (type(given) is int and given == -1):
        return None
    if type(given) is not int or given >= -1:
        return given
    from joblib import cpu_count

    return max(1, cpu_count() + 1 + given)
