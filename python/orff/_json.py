"""Values of parameters as the declarations take them."""

from __future__ import annotations

import json
import math
import reprlib
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

LONGEST = 200
"""Characters of a value that sentences repeat."""

DEEPEST = 100
"""Lists and tables within each other; kernels are refused before, and nothing else is deep."""

MOST = 10_000_000
"""Numbers of an array that are written as a text."""

_WORDS = reprlib.Repr()
"""Objects in words, also those that have themselves inside."""

_WORDS.maxother = LONGEST


def dumps(value: Any) -> str:
    """A value as a JSON text."""
    return json.dumps(plain(value))


def said(value: Any) -> str:
    """A value as sentences of the library repeat it: words in quotes."""
    form = plain(_beginning(value))
    text = "none" if form is None else json.dumps(form, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _beginning(value: Any) -> Any:
    """As much of a long array or list as sentences repeat."""
    if isinstance(value, np.ndarray) and value.size > LONGEST:
        left, ends = LONGEST, []
        for length in reversed(value.shape):
            ends.append(min(length, left))
            left = -(-left // ends[-1])
        return value[tuple(slice(end) for end in reversed(ends))]
    return value[:LONGEST] if isinstance(value, (list, tuple)) else value


def attribute(value: Any, name: str) -> Any:
    """An attribute of an object of any program; None where it has none, or fails to say."""
    try:
        return getattr(value, name, None)
    except Exception:
        return None


def plain(value: Any, inside: tuple[int, ...] = ()) -> Any:
    """Numbers, words, lists and tables; what is none of them, is too deep, too large or has itself inside is a word for JSON,
    and so is a number that is not finite, or beyond all that are."""
    form = attribute(value, "form")
    if isinstance(form, dict):  # a kernel
        return form
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return int(value) if abs(value) <= sys.float_info.max else "inf" if value > 0 else "-inf"
    if isinstance(value, np.ndarray) and value.size > MOST:
        return f"an array of shape {value.shape}"
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind == "f":
        with np.errstate(over="ignore"):
            value = value.astype(np.float64)  # a longer number is none of Python's
        if np.isfinite(value).all():
            return value.tolist()
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if len(inside) < DEEPEST and id(value) not in inside:
        inside = (*inside, id(value))
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind not in "mMV" and not np.ma.is_masked(value):
            return plain(value.tolist(), inside)
        if isinstance(value, Mapping):
            return {plain(str(key)): plain(item, inside) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [plain(item, inside) for item in value]
    return _text(_WORDS.repr(value))


def _text(word: str) -> str:
    """A word as a text, which halves of characters are not."""
    return word.encode(errors="backslashreplace").decode()
