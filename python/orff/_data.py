"""Arrays, tables and sparse rows as the extension reads them: where they are, without copies."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, validate_data

READ = [np.float64, np.float32, np.int64, np.int32]
"""Types that are read without being converted first."""


def is_pandas(data: Any) -> bool:
    """Whether it is a pandas DataFrame (pandas is not imported to find out)."""
    return type(data).__module__.split(".")[0] == "pandas" and hasattr(data, "columns")


def is_arrow(data: Any) -> bool:
    """Whether it is a table that speaks Arrow's capsule protocol: polars, pyarrow and others."""
    return hasattr(data, "__arrow_c_stream__") and hasattr(data, "shape") and len(data.shape) == 2


def column_names(data: Any) -> list[str] | None:
    """The names of the columns of a table, if they are words."""
    names = getattr(data, "columns" if is_pandas(data) or not hasattr(data, "column_names") else "column_names", None)
    if names is None or not (is_pandas(data) or is_arrow(data)):
        return None
    names = list(names)
    return names if all(isinstance(name, str) for name in names) else None


def columns(table: Any) -> list[np.ndarray]:
    """The columns of a DataFrame, each where it is if it holds numbers of a type that is read."""
    out = []
    for k in range(table.shape[1]):
        column = table.iloc[:, k]
        try:
            values = column.to_numpy()
            if values.dtype not in READ:
                values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError) as error:
            raise ValueError(f"column {table.columns[k]!r}: expected numbers ({error})") from None
        out.append(values)
    return out


def inputs(estimator: Any, X: Any, *, reset: bool) -> Any:
    """The inputs; number and names of columns are those of the estimator, or become so."""
    if is_pandas(X) or is_arrow(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        if is_pandas(X):
            return columns(X)
        _names(estimator, column_names(X), reset)
        return X
    # what is not finite is said by the library, with its place
    X = validate_data(estimator, X, reset=reset, accept_sparse="csr", dtype=READ, ensure_all_finite=False)
    return _parts(X)


def _parts(X: Any) -> Any:
    """An array as it is, sparse rows by their arrays."""
    if not _is_sparse(X):
        return X
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X.data, X.indices, X.indptr, X.shape[1]


def table(X: Any) -> Any:
    """Inputs without an estimator that knows their columns."""
    if is_pandas(X):
        return columns(X)
    if is_arrow(X):
        return X
    return _parts(check_array(X, accept_sparse="csr", dtype=READ, ensure_all_finite=False))


def _names(estimator: Any, names: list[str] | None, reset: bool) -> None:
    """Names of Arrow tables, which scikit-learn does not know by itself."""
    if reset and names is not None and not hasattr(estimator, "feature_names_in_"):
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    known = getattr(estimator, "feature_names_in_", None)
    if not reset and names is not None and known is not None and list(known) != names:
        raise ValueError(
            "The feature names should match those that were passed during fit: "
            f"expected {', '.join(known)}, got {', '.join(names)}"
        )


def _is_sparse(X: Any) -> bool:
    return "scipy.sparse" in sys.modules and sys.modules["scipy.sparse"].issparse(X)


def rows(X: Any) -> int:
    """Number of rows of what `inputs` gave."""
    if isinstance(X, tuple):
        return len(X[2]) - 1
    return X[0].shape[0] if isinstance(X, list) else X.shape[0]


def outputs(estimator: Any, y: Any) -> tuple[Any, list[str] | None, bool]:
    """The outputs, the names of their columns, and whether there is a single one without an axis of its own."""
    if y is None:
        name = type(estimator).__name__
        raise ValueError(f"This {name} estimator requires y to be passed, but the target y is None.")
    if is_pandas(y):
        return columns(y), column_names(y), False
    if is_arrow(y):
        return y, column_names(y), False
    name = getattr(y, "name", None)
    y = check_array(y, ensure_2d=False, dtype=READ, ensure_all_finite=False, input_name="y")
    if y.ndim not in (1, 2):
        raise ValueError(f"y: expected one or two axes, got {y.ndim}")
    flat = y.ndim == 1
    return y, [name] if flat and isinstance(name, str) else None, flat


def observed(y: Any) -> np.ndarray:
    """Outputs as one array with NaN where nothing was observed."""
    if is_arrow(y) and not is_pandas(y):
        y = [np.asarray(c, dtype=np.float64) for c in (y.iter_columns() if hasattr(y, "iter_columns") else y.columns)]
        return np.column_stack(y)
    if is_pandas(y):
        return np.column_stack(columns(y)).astype(np.float64)
    return check_array(
        y, ensure_2d=False, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan", input_name="y"
    )


def weights(sample_weight: Any, n: int) -> np.ndarray | None:
    """Weights of rows (n) or of entries (n×p)."""
    if sample_weight is None:
        return None
    w = np.asarray(sample_weight, dtype=np.float64)
    if w.ndim == 0:
        w = np.full(n, float(w))
    if w.ndim > 2 or w.shape[0] != n:
        raise ValueError(f"sample_weight: expected shape ({n},) or ({n}, outputs), got {w.shape}")
    return w
