"""Warnings that point at the line that called the package."""

from __future__ import annotations

import os
import sys
import warnings

PACKAGE = os.path.dirname(__file__) + os.sep


def warn(sentence: str, category: type[Warning] = UserWarning) -> None:
    """Warn of something, at the line outside the package from which it was reached."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, category, stacklevel=level)
