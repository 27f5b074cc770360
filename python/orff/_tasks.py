"""Long rows: each row has the value of one task, an output among others."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

WHOLE = re.compile(r"(-?\d+)\.0+")
"""Numbers that other programs write without a point."""


def labels(task: Any, n: int) -> np.ndarray:
    """The task of each of n rows as it was given."""
    if hasattr(task, "to_numpy"):
        task = task.to_numpy()
    values = np.asarray(task)
    if values.ndim == 0:
        values = np.full(n, values)
    if values.shape != (n,):
        raise ValueError(f"task: expected shape ({n},) as X has rows, got {values.shape}")
    if values.dtype.kind not in "iubfUSO":
        raise ValueError(f"task: expected words or numbers, got {values.dtype}")
    return values


def name(value: Any) -> str | None:
    """The name of a task, the same for 7, 7.0 and "7"; None where there is none."""
    if value is None or (isinstance(value, (float, np.floating)) and np.isnan(value)):
        return None
    if isinstance(value, (bytes, np.bytes_)):
        value = value.decode()
    text = repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)
    whole = WHOLE.fullmatch(text)
    return (whole.group(1) if whole else text) or None


def sort_key(task: str) -> tuple[bool, float, str]:
    """Numbers by size, before words by the alphabet: the order of the command."""
    try:
        return False, float(task), task
    except ValueError:
        return True, 0.0, task


def numbered(task: Any, n: int, known: list[str] | None = None) -> tuple[np.ndarray, list[str]]:
    """The number of the task of each row, and the names of the tasks: those that are known, or all there are."""
    values = labels(task, n)
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
            raise ValueError(f"task: expected one of the {len(tasks)} tasks of the model ({shown}), got {each!r}")
    return np.array([place[each] for each in given], dtype=np.int64)[inverse.reshape(-1)], tasks


def pairs(task: Any, y: Any, n: int, known: list[str] | None = None) -> tuple[np.ndarray, list[str]]:
    """Outputs of long rows as the extension reads them, the number of a task and its value, and the tasks."""
    values = np.asarray(y, dtype=np.float64)
    if values.shape not in ((n,), (n, 1)):
        raise ValueError(f"y: expected shape ({n},), the value of the task of each row, got {values.shape}")
    numbers, tasks = numbered(task, n, known)
    return np.column_stack([numbers.astype(np.float64), values.reshape(-1)]), tasks
