"""Progress of a fit: a bar in a terminal and in a notebook, plain lines elsewhere."""

from __future__ import annotations

import shutil
import sys
import time

STEPS = ("choose", "solve")
"""Stages that count steps; the others count rows."""


class Progress:
    """Told now and then what a fit is doing."""

    def __init__(self, rows: int):
        self.rows = rows
        self.handle = _notebook()
        isatty = getattr(sys.stderr, "isatty", None)
        self.terminal = self.handle is None and isatty is not None and isatty()
        self.last = time.monotonic()
        self.width = 0

    def __call__(self, stage: str, done: int, said: list[str]) -> None:
        for line in said:
            self._clear()
            _write(line + "\n")
        text = self._bar(stage, done)
        if self.handle is not None:
            self.handle.update(_Text(text))
        elif self.terminal:
            room = _room()
            text = text[:room]
            _write("\r" + text.ljust(min(self.width, room)))
            self.width = len(text)
        elif time.monotonic() - self.last > 10:
            _write(text + "\n")
            self.last = time.monotonic()

    def _bar(self, stage: str, done: int) -> str:
        if stage in STEPS or not self.rows:
            return f"{stage:>14}  {done} steps"
        share = min(1.0, done / self.rows)
        return f"{stage:>14} [{'#' * round(32 * share):<32}] {100 * share:3.0f} %  {done} rows"

    def _clear(self) -> None:
        if self.terminal and self.width:
            _write("\r" + " " * min(self.width, _room()) + "\r")
            self.width = 0

    def close(self) -> None:
        """Leave the terminal or the notebook without a bar."""
        self._clear()
        if self.handle is not None:
            self.handle.update(_Text(""))


def _room() -> int:
    """Characters of a line: a longer one would begin another, which nothing wipes out."""
    return max(1, shutil.get_terminal_size().columns - 1)


def _write(text: str) -> None:
    """To standard error, where there is one: a program without a console has none."""
    if sys.stderr is not None:
        sys.stderr.write(text)
        sys.stderr.flush()


class _Text:
    """A line of text as a notebook shows it."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _notebook():
    """The handle of a line that can be rewritten, when this is a Jupyter kernel."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    if running is None or not hasattr(running, "kernel"):
        return None
    from IPython.display import display

    return display(_Text(""), display_id=True)
