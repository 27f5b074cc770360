"""Views of rows: lists of columns as the texts that the library reads."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from ._arguments import refused


def groups(views: Any, width: int, names: Sequence[Any] | None) -> Any:
    """Groups of columns by index from 0, name, slice or mask as positions from 1; what is no list stays as it is."""
    if not isinstance(views, (list, tuple, np.ndarray)):
        return views
    lists = "lists of indices from 0" if names is None else "lists of indices from 0 or names"
    expected = f'two or more groups of the {width} columns of X: a text such as "1-3; 4,6", or {lists}'

    def position(column: Any) -> int:
        if isinstance(column, str) and names is not None:
            found = [k for k, name in enumerate(names) if name == column]
            if len(found) == 1:
                return found[0]
        elif isinstance(column, Integral) and not isinstance(column, bool) and -width <= column < width:
            return int(column) % width
        raise refused("views", expected, column)

    def positions(group: Any) -> list[int]:
        if isinstance(group, slice):
            try:
                return list(range(width)[group])
            except (TypeError, ValueError):  # by names, or a step of zero
                raise refused("views", expected, group) from None
        mask = np.asarray(group) if isinstance(group, (list, tuple, np.ndarray)) else None
        if mask is not None and mask.dtype == bool and mask.shape == (width,):
            return np.flatnonzero(mask).tolist()
        if isinstance(group, str) or not hasattr(group, "__iter__"):
            raise refused("views", expected, group)
        return [position(column) for column in group]

    each = [positions(group) for group in views]
    if len(each) < 2 or not all(each):
        raise refused("views", expected, views)
    return "; ".join(",".join(str(k + 1) for k in group) for group in each)


def weights(combination: Any) -> Any:
    """Two or more numbers as a text; anything else is left to the library."""
    if not isinstance(combination, (list, tuple, np.ndarray)) or len(combination) < 2:
        return combination
    try:
        return ", ".join(repr(float(weight)) for weight in combination)
    except (TypeError, ValueError):
        return combination
