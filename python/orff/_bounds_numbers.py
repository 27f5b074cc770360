"""What the formulas of bounds take: sizes, counts, weights."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from . import _orff
from ._arguments import few, floats, number, refused
from ._errors import ParameterError
from ._json import dumps

LARGEST = 1e100
"""Squares and products of numbers up to this are finite."""

COUNTED = 2**53
"""Counts up to this are numbers without rounding."""

MAPS = ("pairs", "phases")
"""Kinds of feature maps."""


def formula(name: str, given: Any) -> dict[str, Any]:
    """What a formula gives; numbers that are not finite are null in JSON."""
    found = json.loads(_orff.bound_formula(name, dumps(given)))
    return {key: math.inf if value is None else value for key, value in found.items()}


def size(value: Any, name: str) -> float:
    """A number that is no less than nothing."""
    return number(value, name, f"a number ≥ 0 and ≤ {LARGEST:g}", lambda v: 0 <= v <= LARGEST)


def parameter(t: Any, rows: float) -> float:
    """The parameter of a theorem, √n when left out."""
    if t is None:
        return math.sqrt(rows)
    return number(t, "t", f"a number > 0 and ≤ {LARGEST:g}", lambda t: 0 < t <= LARGEST)


def vector(values: Any, name: str, expected: str) -> np.ndarray:
    """Finite numbers in one axis at most."""
    found = few(floats(values, name, expected), name)
    if found.ndim > 1 or not found.size or not np.isfinite(found).all():
        raise refused(name, expected, values)
    return found


def law(values: Any, name: str, size: int | None = None, other: str = "") -> np.ndarray:
    """Weights that sum to 1, as many as another argument has."""
    expected = "weights ≥ 0 that sum to 1" if size is None else f"{size} weights ≥ 0 that sum to 1 as in {other}"
    found = vector(values, name, expected)
    if found.ndim != 1 or found.size != (size or found.size) or (found < 0).any():
        raise refused(name, expected, values)
    if not abs(found.sum() - 1) < 1e-6:
        raise ParameterError(f"{name}: expected {expected}, got a sum of {found.sum():.6g}")
    return found
