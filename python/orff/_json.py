"""Values of parameters as the declarations take them."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._errors import ParameterError

LONGEST = 200
"""Characters of a value that sentences repeat."""


def dumps(value: Any) -> str:
    """A value as a JSON text; only a kernel can be too deep for one."""
    try:
        return json.dumps(plain(value))
    except RecursionError:
        raise ParameterError("kernel: expected kernels nested at most 64 deep, got more") from None


def said(value: Any) -> str:
    """A value as sentences of the library repeat it: words in quotes."""
    form = plain(value)
    text = "none" if form is None else json.dumps(form, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def plain(value: Any) -> Any:
    """Numbers, words, lists and tables; a number that is not finite, or beyond all that are, is a word for JSON."""
    form = getattr(value, "form", None)
    if isinstance(form, dict):  # a kernel
        return form
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return value if abs(value) <= sys.float_info.max else "inf" if value > 0 else "-inf"
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind == "f":
        value = value.astype(np.float64)  # a longer number is none of Python's
        if np.isfinite(value).all():
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
