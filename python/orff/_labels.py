"""Labels of rows: any type of their own for the user, numbers and names for the library."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from . import _data
from ._arguments import array, refused, same_rows
from ._json import attribute, said
from ._tasks import text

LABEL = (str, Real, np.bool_)
LABELS = "labels: words, whole numbers or booleans"


def labels(y: Any, rows: int) -> np.ndarray:
    """The labels of so many rows as one array; every row has one."""
    y, absent, _ = _column(y, rows)
    if np.any(absent):
        raise ValueError(f"y: expected a label for each row, got none (or NaN) in row {int(np.argmax(absent)) + 1}")
    _discrete(y)
    return y


def some_labels(y: Any, unlabelled: Any, rows: int) -> tuple[np.ndarray, np.ndarray, str | None]:
    """Of so many rows the labels of those that have one, which rows these are, and the name of their column."""
    if unlabelled is not None and not isinstance(unlabelled, LABEL):
        raise refused("unlabeled", "None, a word or a number", unlabelled)
    if unlabelled is not None:
        name(unlabelled, "unlabeled")
    y, absent, title = _column(y, rows)
    if y.dtype.kind in "OU":
        absent = absent | np.array([isinstance(v, str) and v == "" for v in y], dtype=bool)
    if unlabelled is not None:
        absent = absent | np.array([isinstance(v, LABEL) and v == unlabelled for v in y], dtype=bool)
    if absent.all():
        raise ValueError("y: expected labels of at least two classes, got none; every label is missing")
    known = y[~absent]
    if known.dtype.kind == "O" and all(isinstance(v, str) for v in known):
        known = known.astype(str)
    elif known.dtype.kind == "O" and all(isinstance(v, (int, float, np.number)) for v in known):
        known = np.array(known.tolist())
    _discrete(known)
    return known, ~absent, title


def _discrete(y: np.ndarray) -> None:
    """Refuse what is measured, not told apart."""
    with _data.named("y"):
        check_classification_targets(y)


def title(y: Any, rows: int) -> str | None:
    """The name of the column of labels, if it has one."""
    return _column(y, rows)[2]


def column(y: Any, rows: int) -> np.ndarray:
    """What may be labels of so many rows, as one array."""
    return _column(y, rows)[0]


def _column(y: Any, rows: int) -> tuple[np.ndarray, np.ndarray, str | None]:
    """Labels of so many rows as one array, which of them are missing, and the name of their column."""
    if y is None:
        raise ValueError("y: this estimator requires y to be passed, but the target y is None")
    _data.present(y, "y")
    name = attribute(y, "name")
    if _data.is_pandas(y) or _data.is_arrow(y):
        if y.shape[1] != 1:
            raise ValueError(f"y: expected one column of labels, got {y.shape[1]}")
        name = (_data.column_names(y) or [None])[0]
        y = y.iloc[:, 0] if _data.is_pandas(y) else _first_column(y)
    masked = None
    if isinstance(y, np.ma.MaskedArray):
        masked, y = np.ma.getmaskarray(y).ravel(), y.data
    y = _array(y)
    if y.ndim not in (1, 2) or y.shape[1:] not in ((), (1,)):
        raise ValueError(f"y: expected a label for each row, of shape (n,), got {y.shape}")
    same_rows("y", len(y), "X", rows)  # before each of them is looked at
    with _data.named("y"):
        y = column_or_1d(y, warn=True)
    absent = np.array([_is_none(v) for v in y], dtype=bool) if y.dtype.kind == "O" else y != y
    if masked is not None:
        absent = absent | masked
    return y, absent, name if isinstance(name, str) else None


def _is_none(label: Any) -> bool:
    """Whether it stands for no label, whatever the library calls it; what cannot be compared is refused later."""
    try:
        return label is None or bool(label != label)
    except Exception:
        return type(label).__name__ == "NAType"


def _first_column(table: Any) -> Any:
    return table.column(0) if hasattr(table, "column_names") else table.get_column(table.columns[0])


def _array(y: Any) -> np.ndarray:
    """Labels as an array, a missing one as None whatever the library calls it."""
    if type(y).__module__.split(".")[0] == "pandas" and hasattr(y, "iloc"):
        with _data.named("y"):
            y = y.to_numpy(dtype=object, na_value=None) if y.isna().any() else y.to_numpy()
    found = array(y, "y", LABELS)
    if found.dtype.kind == "c":
        raise ValueError(f"y: expected {LABELS}, got complex numbers")
    if found.dtype.kind != "O" or found.ndim != 1:
        return found
    for row, label in enumerate(found.tolist()):
        if isinstance(label, (list, tuple, dict, set, complex, np.ndarray)):
            raise ValueError(f"y: expected {LABELS}, got {said(label)} in row {row + 1}")
    return found.astype(str) if len(found) and all(isinstance(v, str) for v in found) else found


def encode(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different labels, sorted, and which of them each row has."""
    try:
        classes, numbers = np.unique(y, return_inverse=True)
    except Exception:  # whatever labels raise that cannot be compared
        kinds = sorted({type(v).__name__ for v in y})
        raise ValueError(f"y: expected labels of one type, got {' and '.join(kinds)}; convert them first") from None
    return classes, numbers.astype(np.int64)


def numbered(y: Any, rows: int) -> tuple[np.ndarray, np.ndarray, tuple[list[str], str]]:
    """Of labels of so many rows: the different ones, which of them each row has, and their names."""
    classes, numbers = encode(labels(y, rows))
    return classes, numbers, names(classes)


def share(y: np.ndarray, found: np.ndarray, weights: np.ndarray | None) -> float:
    """The share of labels that were found."""
    numbers = [labels.dtype.kind in "biuf" for labels in (y, found)]
    if len(y) and "O" not in (y.dtype.kind, found.dtype.kind) and numbers[0] != numbers[1]:
        kinds = ["numbers" if each else "words" for each in numbers]
        raise ValueError(f"y: expected labels that are {kinds[1]} as those learned from, got {kinds[0]}")
    if weights is not None and not weights.sum() > 0:
        raise ValueError("sample_weight: expected a weight > 0 of a row with a label, got none")
    return float(np.average(y == found, weights=weights))


def name(label: Any, what: str = "y") -> str:
    """The name of a class in model files; 1 and 1.0 have the same. Errors speak of the argument `what`."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, float) and label.is_integer() and abs(label) < 2**53:
        label = int(label)
    return text(label if isinstance(label, int) else str(label), what)


def names(classes: np.ndarray) -> tuple[list[str], str]:
    """The names of classes, and the word for what they stand for."""
    words = {"b": "truth", "i": "whole", "u": "whole", "f": "numbers"}
    return [name(label) for label in classes], words.get(classes.dtype.kind, "words")


def restored(names: list[str], word: str) -> np.ndarray:
    """The labels of classes in a model file."""
    if word == "truth":
        return np.array([text == "True" for text in names])
    if word == "whole":
        return np.array([int(text) for text in names])
    return np.array([float(text) for text in names]) if word == "numbers" else np.array(names)
