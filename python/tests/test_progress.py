"""What a fit shows while it runs."""

import sys
import types

import numpy as np
import orff
from orff import _progress


def fit(verbose):
    X = np.random.default_rng(0).normal(size=(400, 2))
    return orff.OperatorRidge(n_components=600, verbose=verbose).fit(X, np.sin(X))


def test_silent_by_default(capsys):
    fit(0)
    assert capsys.readouterr() == ("", "")


def test_choices_are_told(capsys):
    model = fit(1)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert [line for line in shown.err.splitlines() if line in model.choices_] == model.choices_


def test_a_bar_in_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    bar = _progress.Progress(200)
    bar("fit", 50, [])
    bar("fit", 100, ["ridge 1: a reason"])
    bar("choose", 3, [])
    bar.close()
    shown = capsys.readouterr().err
    assert "fit [########" in shown and "25 %" in shown and "50 %" in shown and "choose  3 steps" in shown
    assert "\r" in shown and "ridge 1: a reason\n" in shown
    # the bar does not stay behind
    assert shown.rsplit("\r", 1)[1] == ""


def test_a_line_in_a_notebook(capsys, monkeypatch):
    shown = []
    handle = types.SimpleNamespace(update=lambda thing: shown.append(repr(thing)))
    display = types.ModuleType("IPython.display")
    display.display = lambda thing, display_id: handle
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    bar = _progress.Progress(200)
    bar("fit", 50, [])
    bar("fit", 200, [])
    bar.close()
    assert "25 %" in shown[0] and "100 %" in shown[1]


def test_plain_lines_elsewhere(capsys, monkeypatch):
    bar = _progress.Progress(200)
    bar("fit", 50, [])
    assert capsys.readouterr().err == ""
    bar.last -= 11  # lines come ten seconds apart
    bar("fit", 100, [])
    assert "50 %" in capsys.readouterr().err
