"""Values of parameters as the declarations take them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Numbers, words, lists and tables; a number that is not finite, which JSON cannot write, is a word."""
    form = getattr(value, "form", None)
    if isinstance(form, dict):  # a kernel
        return form
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and np.isfinite(value).all():
        return value.tolist()
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return repr(value)
