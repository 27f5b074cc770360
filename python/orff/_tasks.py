"""Long rows: each row has the value of one task, an output among others."""

from __future__ import annotations

import re
from numbers import Number
from typing import Any

import numpy as np

from ._arguments import array, refused, unlike
from ._json import attribute, said

WHOLE = re.compile(r"(-?\d+)\.0+")
"""Numbers that other programs write without a point."""


def labels(values: Any, n: int, what: str = "task", other: str = "X") -> np.ndarray:
    """The task, or the member, of each of n rows of another argument as it was given: a word or a number."""
    if type(values).__module__.split(".")[0] == "pyarrow" and hasattr(values, "to_pylist"):
        values = values.to_pylist()
    elif attribute(values, "to_numpy") is not None:
        try:
            values = values.to_numpy()
        except MemoryError:
            raise
        except Exception:  # types of Arrow that pandas holds and cannot read, and whatever objects raise
            given = attribute(values, "dtype")
            raise refused(what, f"a word or a number in each of {n} rows", values if given is None else given) from None
    found = array(values, what, f"a word or a number in each of {n} rows")
    if found.shape != (n,):
        given = found.shape if found.ndim else said(values)
        raise unlike(what, f"shape ({n},), a word or a number for each row", other, given)
    if found.dtype.kind not in "iubfUSO":
        raise ValueError(f"{what}: expected words or numbers, got {found.dtype}")
    if found.dtype.kind == "O":
        for row, value in enumerate(found.tolist()):
            if not (_is_missing(value) or _is_label(value)):
                given = f"{said(value)} in row {row + 1}"
                raise ValueError(f"{what}: expected a word or a number in each row, got {given}")
    return found


def _is_label(value: Any) -> bool:
    """Whether it is a word or a number."""
    return isinstance(value, (str, bytes, Number, np.bool_)) and not isinstance(value, complex)


def _is_missing(value: Any) -> bool:
    """Whether it stands for no word and no number, whatever the library calls it."""
    if isinstance(value, (float, np.floating)):
        return bool(np.isnan(value))
    return value is None or type(value).__name__ == "NAType"


def name(value: Any) -> str | None:
    """The name of a task, the same for 7, 7.0 and "7"; None where there is none."""
    if _is_missing(value):
        return None
    found = repr(float(value)) if isinstance(value, (float, np.floating)) else text(value, "task")
    whole = WHOLE.fullmatch(found)
    return (whole.group(1) if whole else found) or None


def text(value: Any, what: str) -> str:
    """A word, from bytes or what is written as one."""
    try:
        return value.decode() if isinstance(value, bytes) else str(value).encode().decode()
    except UnicodeError:
        raise ValueError(f"{what}: expected words in UTF-8, got {said(value)}") from None
    except ValueError:  # a whole number of more digits than Python writes
        raise ValueError(f"{what}: expected words, or numbers of fewer digits, got {said(value)}") from None


def member(value: Any) -> str:
    """The name of one member."""
    if not _is_label(value):
        raise refused("member", "a word or a number", value)
    return text(value, "member")


def members(values: Any, n: int) -> list[str]:
    """The name of the member of each of n rows."""
    found = labels(values, n, "member", "Y").tolist()
    for row, value in enumerate(found):
        if _is_missing(value) or value == "":
            raise ValueError(f"member: expected a word or a number in each row, got none in row {row + 1}")
    return [text(value, "member") for value in found]


def sort_key(task: str) -> tuple[bool, float, str]:
    """Numbers by size, before words by the alphabet: the order of the command."""
    try:
        return False, float(task), task
    except ValueError:
        return True, 0.0, task


def numbered(task: Any, n: int, known: list[str] | None = None) -> tuple[np.ndarray, list[str]]:
    """The number of the task of each row, and the names of the tasks: those that are known, or all there are."""
    single = isinstance(task, (str, bytes, Number))
    values = labels(np.full(n, task) if single else task, n)
    if values.dtype.kind == "O":
        names = [name(value) for value in values.tolist()]
        kinds, inverse = np.unique(np.array([each or "" for each in names], dtype=object).astype(str), return_inverse=True)
        given = [each or None for each in kinds.tolist()]
    else:
        kinds, inverse = np.unique(values, return_inverse=True)
        given = [name(value) for value in kinds.tolist()]
    if None in given:
        row = int(np.flatnonzero(np.isin(inverse, [k for k, each in enumerate(given) if each is None]))[0]) + 1
        raise ValueError(f"task: expected a word or a number in each row, got none in row {row}")
    tasks = sorted(set(given), key=sort_key) if known is None else known
    place = {each: k for k, each in enumerate(tasks)}
    for each in given:
        if each not in place:
            shown = ", ".join(tasks if len(tasks) <= 8 else [*tasks[:6], "…", tasks[-1]])
            raise ValueError(f"task: expected one of the {len(tasks)} tasks of the model ({shown}), got {said(each)}")
    return np.array([place[each] for each in given], dtype=np.int64)[inverse.reshape(-1)], tasks


def pairs(task: Any, y: Any, n: int, known: list[str] | None = None) -> tuple[np.ndarray, list[str]]:
    """Outputs of long rows as the extension reads them, the number of a task and its value, and the tasks."""
    values = np.asarray(y, dtype=np.float64)
    if values.shape not in ((n,), (n, 1)):
        raise unlike("y", f"shape ({n},), the value of the task of each row", "X", values.shape)
    numbers, tasks = numbered(task, n, known)
    return np.column_stack([numbers.astype(np.float64), values.reshape(-1)]), tasks
