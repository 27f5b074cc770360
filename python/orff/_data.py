"""Arrays, tables and sparse rows as the extension reads them: where they are, without copies."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, validate_data

from . import _orff, _tasks
from ._arguments import array, same_rows, unlike
from ._json import attribute

READ = [np.float64, np.float32, np.int64, np.int32]
"""Types that are read without being converted first."""

DENSE_OR_SPARSE = {"accept_sparse": "csr", "dtype": None, "ensure_all_finite": False}
"""What scikit-learn checks of inputs; what is not finite is said by the library, with its place."""

LONGEST = 800
"""Characters of a sentence of scikit-learn."""

WORDS = "expected numbers, got words; convert them first, for example with astype(float)"


def present(data: Any, what: str) -> None:
    """Refuse what has no rows yet."""
    if type(data).__name__ == "LazyFrame" and type(data).__module__.split(".")[0] == "polars":
        raise TypeError(f"{what}: expected rows, got a LazyFrame, which has none yet; use collect()")


def is_pandas(data: Any) -> bool:
    """Whether it is a pandas DataFrame (pandas is not imported to find out)."""
    return type(data).__module__.split(".")[0] == "pandas" and hasattr(data, "columns")


def is_arrow(data: Any) -> bool:
    """Whether it is a table that speaks Arrow's capsule protocol: polars, pyarrow and others."""
    shape = attribute(data, "shape")
    return isinstance(shape, tuple) and len(shape) == 2 and attribute(data, "__arrow_c_stream__") is not None


def column_names(data: Any) -> list[str] | None:
    """The names of the columns of a table, if they are words."""
    if not (is_pandas(data) or is_arrow(data)):
        return None
    names = attribute(data, "columns" if is_pandas(data) or not hasattr(data, "column_names") else "column_names")
    if names is None:
        return None
    names = list(names)
    return names if all(isinstance(name, str) for name in names) else None


def numbers(values: np.ndarray, what: str) -> np.ndarray:
    """An array as it is if it holds numbers of a type that is read, else its numbers in double precision."""
    _refuse(values.dtype, what)
    if values.dtype in READ:
        return values
    if values.dtype.kind == "O" and any(isinstance(value, (str, bytes)) for value in values.flat):
        raise ValueError(f"{what}: {WORDS}")
    try:
        return values.astype(np.float64)
    except MemoryError:
        raise
    except Exception as error:  # whatever an object raises that is no number
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{what}: expected numbers ({error})") from None


def _refuse(dtype: Any, what: str) -> None:
    """Refuse what is no number but could be taken for one, or would lose a part."""
    if dtype.kind == "c":
        raise ValueError(f"{what}: Complex data not supported")
    if dtype.kind in "mM":
        raise ValueError(f"{what}: expected numbers, got times ({dtype}); convert them first, for example to seconds")
    if dtype.kind in "SUT":
        raise ValueError(f"{what}: {WORDS}")
    if dtype.name == "category":
        raise ValueError(f"{what}: expected numbers, got categories; encode them, for example with OneHotEncoder")


def columns(table: Any, what: str) -> list[np.ndarray]:
    """The columns of a DataFrame, each where it is if it holds numbers of a type that is read."""
    return [column(table.iloc[:, k], f"{what}, column {name!r}") for k, name in enumerate(table.columns)]


def column(series: Any, what: str) -> np.ndarray:
    """The numbers of a pandas Series, NaN where it has none."""
    try:
        _refuse(series.dtype, what)
        values = series.to_numpy()
        if values.dtype.kind == "O":
            values = series.to_numpy(dtype=object, na_value=np.nan)
    except NotImplementedError:  # types of Arrow that pandas holds and cannot read
        raise TypeError(f"{what}: expected numbers, got {series.dtype}; convert them first") from None
    return numbers(values, what)


def _unmasked(data: Any, what: str, missing: bool = False) -> Any:
    """A masked array as an array: NaN where it is masked, if entries may be missing."""
    if not isinstance(data, np.ma.MaskedArray):
        return data
    if not np.ma.is_masked(data):
        return data.data
    if not missing:
        raise ValueError(f"{what}: expected no masked entries, got {data.mask.sum()}; drop their rows or fill them")
    return np.where(np.ma.getmaskarray(data), np.nan, numbers(data.data, what))


def inputs(estimator: Any, X: Any, *, reset: bool) -> Any:
    """The inputs; number and names of columns are those of the estimator, or become so."""
    present(X, "X")
    if is_pandas(X) or is_arrow(X):
        _different(column_names(X), "X")
        with named("X"):
            validate_data(estimator, X, reset=reset, skip_check_array=True)
        if not is_pandas(X):
            _names(estimator, column_names(X), reset)
        return _table(X, "X")
    given = _given(X)
    with named("X"):
        checked = validate_data(estimator, given, reset=reset, **DENSE_OR_SPARSE)
    return _parts(checked, "X")


@contextmanager
def named(what: str) -> Iterator[None]:
    """Begin what scikit-learn says of an argument, or an object of another program, with its name."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        sentence = str(error)
        if len(sentence) > LONGEST:  # it repeats what was given, and ends with what to do
            sentence = f"{sentence[: LONGEST // 2]}…{sentence[-LONGEST // 2 :]}"
        if sentence.startswith(f"{what} ") and isinstance(error, (TypeError, ValueError)):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{what}: {sentence}") from None


def _different(names: list[str] | None, what: str) -> None:
    """Refuse columns that cannot be told apart by their names."""
    seen: set[str] = set()
    for name in names or []:
        if name in seen:
            raise ValueError(f"{what}: expected columns with different names, got {name!r} twice")
        seen.add(name)


def _table(data: Any, what: str) -> Any:
    """A table as the extension reads it."""
    _different(column_names(data), what)
    if 0 in data.shape:
        raise ValueError(f"{what}: expected rows and columns, got a table of shape {tuple(data.shape)}")
    return columns(data, what) if is_pandas(data) else data


def _parts(X: Any, what: str) -> Any:
    """An array as it is, sparse rows by their arrays."""
    if not _is_sparse(X):
        return numbers(X, what)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return numbers(X.data, what), X.indices, X.indptr, X.shape[1]


def graph(weights: Any, rows: int) -> Any:
    """The weights of a graph of so many rows as the extension reads them, or None."""
    if weights is None:
        return None
    if not _is_sparse(weights):
        given = type(weights).__name__
        raise TypeError(f"graph: expected a sparse matrix of weights, for example scipy.sparse.csr_array, got {given}")
    if weights.shape != (rows, rows):
        raise unlike("graph", f"weights between {rows} rows, of shape {(rows, rows)},", "X", weights.shape)
    _sound(weights, "graph")
    return _parts(weights.tocsr(), "graph")


def _given(X: Any) -> Any:
    """Inputs that scikit-learn may look at."""
    if _is_sparse(X):
        _sound(X, "X")
    return _unmasked(X, "X")


def _sound(X: Any, what: str) -> None:
    """Refuse a sparse matrix whose indices lead beyond what it holds: SciPy would follow them, and write there."""
    if X.ndim != 2 or X.format not in ("csr", "csc"):  # others are made of checked ones
        return
    lines, width = X.shape if X.format == "csr" else X.shape[::-1]
    at, stored = X.indptr, min(len(X.data), len(X.indices))
    if len(at) != lines + 1:
        raise ValueError(f"{what}: expected an indptr of length {lines + 1}, got {len(at)}")
    astray = (at > stored) | (np.diff(at, prepend=0) < 0)
    astray[0] |= at[0] > 0
    for k in np.flatnonzero(astray)[:1]:
        raise ValueError(f"{what}: expected an indptr that grows from 0 to {stored} at most, got {at[k]} at {k}")
    # those of rows are looked at where they are read
    used = X.indices[: at[-1]] if X.format == "csc" else X.indices[:0]
    for k in used[(used < 0) | (used >= width)][:1]:
        raise ValueError(f"{what}: expected row indices from 0 to {width - 1}, got {k}")


def table(X: Any) -> Any:
    """Inputs without an estimator that knows their columns."""
    present(X, "X")
    if is_pandas(X) or is_arrow(X):
        return _table(X, "X")
    given = _given(X)
    with named("X"):
        checked = check_array(given, **DENSE_OR_SPARSE)
    return _parts(checked, "X")


def _names(estimator: Any, names: list[str] | None, reset: bool) -> None:
    """Names of Arrow tables, which scikit-learn does not know by itself."""
    if reset and names is not None and not hasattr(estimator, "feature_names_in_"):
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    known = getattr(estimator, "feature_names_in_", None)
    if not reset and names is not None and known is not None and list(known) != names:
        raise ValueError(
            "X: The feature names should match those that were passed during fit: "
            f"expected {', '.join(known)}, got {', '.join(names)}"
        )


def same_names(what: str, known: list[str] | None, names: list[str] | None) -> None:
    """Refuse columns with other names, or in another order, than the first rows had."""
    if known is not None and names is not None and known != names:
        before, now = ", ".join(known), ", ".join(names)
        raise ValueError(f"{what}: expected the columns {before} as in the first rows, got {now}")


def _is_sparse(X: Any) -> bool:
    return "scipy.sparse" in sys.modules and sys.modules["scipy.sparse"].issparse(X)


def rows(X: Any) -> int:
    """Number of rows of what `inputs` gave."""
    if isinstance(X, tuple):
        return len(X[2]) - 1
    return X[0].shape[0] if isinstance(X, list) else X.shape[0]


def learned(
    X: Any, y: Any, sample_weight: Any, task: Any = None, known: list[str] | None = None
) -> tuple[Any, list[str] | None, bool, np.ndarray | None]:
    """What `outputs` gives, and the weights, for inputs that `inputs` gave; all have the same rows.

    With the task of each row, `y` becomes the numbers of tasks and their values, and the names are those of the tasks.
    """
    if task is not None:
        long, tasks = _tasks.pairs(task, observed(y), rows(X), known)
        return long, tasks, len(tasks) == 1, weights(sample_weight, rows(X))
    y, names, flat = outputs(y)
    same_rows("y", rows(y), "X", rows(X))
    width = 1 if flat else len(y) if isinstance(y, list) else y.shape[1]
    return y, names, flat, weights(sample_weight, rows(X), width)


def outputs(y: Any, what: str = "y") -> tuple[Any, list[str] | None, bool]:
    """The outputs, the names of their columns, and whether there is a single one without an axis of its own."""
    if y is None:
        raise ValueError(f"{what}: this estimator requires {what} to be passed, but the target {what} is None")
    present(y, what)
    if is_pandas(y) or is_arrow(y):
        return _table(y, what), column_names(y), False
    name = attribute(y, "name")
    if type(y).__module__.split(".")[0] == "pandas" and hasattr(y, "iloc"):
        y = column(y, what)
    if _is_sparse(y):
        raise TypeError(f"{what}: expected a dense array or a table, got a sparse one; use toarray()")
    expected = "numbers, a row for each row of X" if what == "y" else "numbers"
    y = array(_unmasked(y, what, missing=True), what, expected)
    if y.ndim not in (1, 2) or 0 in y.shape[1:]:
        raise ValueError(f"{what}: expected shape (n,) or (n, p) with an output at least, got {y.shape}")
    y = numbers(y, what)
    flat = y.ndim == 1
    return y, [name] if flat and isinstance(name, str) else None, flat


def observed(y: Any, what: str = "y") -> np.ndarray:
    """Outputs as one array with NaN where nothing was observed."""
    y, _, _ = outputs(y, what)
    if isinstance(y, np.ndarray):
        return y
    return np.column_stack(y) if isinstance(y, list) else _orff.table(y, what)


def weights(sample_weight: Any, n: int, p: int | None = None) -> np.ndarray | None:
    """Weights of rows (n) or of entries (n×p)."""
    if sample_weight is None:
        return None
    present(sample_weight, "sample_weight")
    given = array(_unmasked(sample_weight, "sample_weight"), "sample_weight", "numbers")
    w = numbers(given, "sample_weight")
    if w.ndim == 0:
        w = np.full(n, float(w))
    if w.shape not in ((n,), (n, p)):
        shape, other = (f"({n},)", "X") if p is None else (f"({n},) or ({n}, {p})", "X and y")
        raise unlike("sample_weight", f"shape {shape}", other, w.shape)
    return w
