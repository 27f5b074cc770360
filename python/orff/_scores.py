"""How well predictions meet what was observed."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import r2_score

from . import _data
from ._arguments import unlike

SUM = 1e150
"""Sums of weights below this leave room for sums of squares."""

LARGEST = 1e150
"""Squares of values up to this are numbers."""


def weights(sample_weight: Any, n: int, p: int | None = None) -> np.ndarray | None:
    """Weights of rows (n) or of entries (n×p) that a score can be taken with."""
    return sound(_data.weights(sample_weight, n, p))


def sound(found: np.ndarray | None) -> np.ndarray | None:
    """Refuse weights that are negative, infinite or all zero."""
    if found is None:
        return None
    found = found.astype(np.float64)
    if not (np.isfinite(found) & (found >= 0)).all():
        raise ValueError("sample_weight: expected finite numbers ≥ 0, got others")
    with np.errstate(over="ignore"):
        total = found.sum()
    if not 0 < total < SUM:
        raise ValueError(f"sample_weight: expected a sum > 0 and < {SUM:g}, got {total:g}")
    return found


def observed(y: Any, shape: tuple[int, int]) -> np.ndarray:
    """What was observed of rows and outputs (n×p), NaN where nothing was."""
    found = _data.observed(y)
    found = found if found.ndim == 2 else found.reshape(len(found), 1)
    if found.shape != shape:
        raise unlike("y", f"shape {shape}", "the predictions of X", found.shape)
    return finite(found)


def finite(found: np.ndarray) -> np.ndarray:
    """Refuse values that are infinite, or have squares that are."""
    for row, column in np.argwhere(np.isinf(found) | (np.abs(found, dtype=np.float64) > LARGEST))[:1]:
        value = found[row, column]
        wrong = "is not a finite number (a missing output is NaN)"
        why = wrong if np.isinf(value) else "is too large for floating-point numbers; change the unit"
        raise ValueError(f"y: row {row + 1}, column output {column + 1}: {value} {why}")
    return found


def r2(y: Any, mean: np.ndarray, sample_weight: Any) -> float:
    """R² averaged over the outputs; entries of y that are NaN do not count."""
    mean = mean if mean.ndim == 2 else mean.reshape(len(mean), 1)
    truth = observed(y, mean.shape)
    weight = weights(sample_weight, *mean.shape)
    if not np.isnan(truth).any() and (weight is None or weight.ndim == 1):
        return float(r2_score(truth, mean, sample_weight=weight))
    each = np.broadcast_to(1.0 if weight is None else weight.reshape(len(truth), -1), truth.shape)
    scores = []
    for t in range(truth.shape[1]):
        counts = ~np.isnan(truth[:, t]) & (each[:, t] != 0)
        if counts.sum() > 1:
            scores.append(r2_score(truth[counts, t], mean[counts, t], sample_weight=each[counts, t]))
    if not scores:
        raise ValueError("y: no output has two entries that count; NaN and entries of weight zero do not")
    return float(np.mean(scores))
