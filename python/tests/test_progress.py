"""What a fit shows while it runs."""

import io
import sys
import types

import numpy as np
import orff
from jupyter_client.manager import start_new_kernel
from orff import _progress


def fit(verbose):
    X = np.random.default_rng(0).normal(size=(400, 2))
    return orff.OperatorRidge(n_components=600, verbose=verbose).fit(X, np.sin(X))


def test_silent_by_default(capsys):
    fit(0)
    assert capsys.readouterr() == ("", "")


def test_choices_are_told(capsys):
    model = fit(np.int64(1))  # a number of NumPy is a number
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


def test_the_bar_is_no_wider_than_the_terminal(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    bar = _progress.Progress(200)
    for columns in ("30", "20", "200"):  # the window is drawn smaller, then larger
        monkeypatch.setenv("COLUMNS", columns)
        bar("fit", 200, [])
        bar("fit", 200, ["a choice"])
        bar("choose", 3, [])
        written = capsys.readouterr().err.replace("\n", "\r").split("\r")
        assert max(map(len, written)) < int(columns) and any("fit [" in line for line in written)
    bar.close()


class Kernel:
    """What a fit meets in a notebook: a shell with a kernel, its displays, and a stream that is no terminal."""

    def __init__(self, monkeypatch):
        self.shown, self.said = [], io.StringIO()
        display = types.ModuleType("IPython.display")
        display.display = self.display
        ipython = types.ModuleType("IPython")
        ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())
        monkeypatch.setitem(sys.modules, "IPython", ipython)
        monkeypatch.setitem(sys.modules, "IPython.display", display)
        monkeypatch.setattr(sys, "stderr", self.said)

    def display(self, thing, display_id):
        assert display_id is True and repr(thing) == ""
        return types.SimpleNamespace(update=lambda thing: self.shown.append(repr(thing)))


def test_a_line_in_a_notebook(monkeypatch):
    kernel = Kernel(monkeypatch)
    bar = _progress.Progress(200)
    bar("fit", 50, [])
    bar("fit", 200, ["ridge 1: a reason"])
    bar.close()
    assert "25 %" in kernel.shown[0] and "100 %" in kernel.shown[1]
    assert kernel.shown[2:] == [""]  # the bar does not stay behind
    assert kernel.said.getvalue() == "ridge 1: a reason\n"


def test_a_fit_in_a_notebook(monkeypatch):
    kernel = Kernel(monkeypatch)
    model = fit(1)
    assert kernel.said.getvalue().splitlines() == model.choices_
    assert any("steps" in text for text in kernel.shown) and kernel.shown[-1] == ""


KERNEL = """
import numpy as np, orff
X = np.random.default_rng(0).normal(size=(400, 2))
model = orff.OperatorRidge(n_components=600, verbose=np.int64(1)).fit(X, np.sin(X))
print(model.choices_)
"""


def test_a_fit_in_a_real_notebook():
    manager, client = start_new_kernel(kernel_name="python3")
    shown = []
    try:
        reply = client.execute_interactive(KERNEL, timeout=100, output_hook=shown.append)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert reply["content"]["status"] == "ok"
    assert not [m for m in shown if m["msg_type"] == "error"]
    streams = [m["content"] for m in shown if m["msg_type"] == "stream"]
    said = {name: "".join(m["text"] for m in streams if m["name"] == name) for name in ("stdout", "stderr")}
    assert said["stderr"].splitlines() == eval(said["stdout"])  # the choices, and no traceback
    displays = [m for m in shown if m["msg_type"] in ("display_data", "update_display_data")]
    texts = [m["content"]["data"]["text/plain"] for m in displays]
    assert displays[0]["msg_type"] == "display_data"
    assert len({m["content"]["transient"]["display_id"] for m in displays}) == 1
    assert any("steps" in text for text in texts) and texts[-1] == ""


def test_no_console(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)  # as under pythonw
    assert fit(1).choices_
    bar = _progress.Progress(200)
    bar.last -= 11
    bar("fit", 50, ["ridge 1: a reason"])
    bar.close()
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys, "stderr", types.SimpleNamespace(write=print, flush=lambda: None))  # a bare stream
    assert fit(1).choices_


def test_plain_lines_elsewhere(capsys, monkeypatch):
    bar = _progress.Progress(200)
    bar("fit", 50, [])
    assert capsys.readouterr().err == ""
    bar.last -= 11  # lines come ten seconds apart
    bar("fit", 100, [])
    assert "50 %" in capsys.readouterr().err
