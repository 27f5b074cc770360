"""Interrupts, forks, worker processes, threads."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import joblib
import numpy as np
import orff
import pytest

BEGIN = """
import os, threading, time
import numpy as np
import orff
from orff import _base

class Tell:
    def __init__(self, rows):
        self.begun = False

    def __call__(self, stage, done, said):
        if stage == STAGE and not self.begun:
            self.begun = True
            print("begin", flush=True)

    def close(self):
        pass

def begin_at_work():
    # what has no stages has begun when the processor is busy
    used = time.process_time()
    while time.process_time() < used + 0.3:
        time.sleep(0.01)
    print("begin", flush=True)

def busy():
    used = time.process_time()
    time.sleep(1)
    return time.process_time() - used > 0.05

def goes_on():
    # what is stopped between two blocks may be busy for a moment yet
    return busy() and busy()

STAGE = "{stage}"
_base.Progress = Tell
X = np.random.default_rng(0).normal(size=(1_000_000, 5))
y = np.sin(X[:, 0])
try:
    {work}
    print("it ended", flush=True)
except KeyboardInterrupt:
    print("stopped", goes_on(), flush=True)
# the interpreter is as good as new, and waits for nothing
print(orff.OperatorRidge(n_components=8).fit(X[:10], y[:10]).predict(X[:1]).shape, goes_on(), flush=True)
os._exit(0)
"""

PREDICT = """
    model = orff.OperatorRidge(n_components=1000, lengthscale=1.0, alpha=1e-3, n_jobs=1).fit(X[:100], y[:100])
    threading.Thread(target=begin_at_work).start()
    model.predict(X)
"""
SOLVE = """
    orff.OperatorRidge(n_components=4000, lengthscale=1.0, alpha="loo", verbose=1).fit(X[:3000], y[:3000])
"""
TRANSFORM = """
    wide = np.random.default_rng(0).normal(size=(50, 500))
    features = orff.FourierFeatures(n_components=500, n_jobs=1).fit(wide)
    threading.Thread(target=begin_at_work).start()
    features.transform(np.broadcast_to(wide[0], (400_000, 500)))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(
    "stage, work, left",
    [
        # deep in the eigenvalues of 4000 unknowns nobody looks up: the work is left behind with its only thread, and
        # goes on for a while
        ("solve", SOLVE, True),
        # between two blocks of rows it stops itself
        ("fit", "orff.OperatorRidge(n_components=2000, lengthscale=1.0, alpha=1e-3, verbose=1).fit(X, y)", False),
        ("", PREDICT, False),
        ("", TRANSFORM, False),
    ],
    ids=["solve", "pass", "predict", "transform"],
)
def test_ctrl_c_stops_what_runs(stage, work, left):
    code = BEGIN.replace("{stage}", stage).replace("{work}", work)
    env = {**os.environ, **({"OMP_NUM_THREADS": "1"} if left else {})}
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=env)
    assert child.stdout.readline() == "begin\n"
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=120)
    assert out == f"stopped {left}\n(1,) {left}\n"


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_stops_the_command(tmp_path):
    X = np.random.default_rng(0).normal(size=(400_000, 5))
    np.save(tmp_path / "rows.npy", np.column_stack([X, np.sin(X[:, 0])]))
    (tmp_path / "m.orff").write_bytes(b"of before")
    arguments = ["fit", "regression", "rows.npy", "--outputs", "6", "--features", "3000", "-o", "m.orff"]
    begun = dict(cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    arguments += ["--lengthscale", "1", "--ridge", "1e-3"]
    child = subprocess.Popen([sys.executable, "-m", "orff", *arguments], **begun)
    # what it says before the pass over the rows: the command is at work, and listens
    said = iter(child.stderr.readline, "")
    assert any(line.startswith("memory about ") for line in said)
    child.send_signal(signal.SIGINT)
    out, said = child.communicate(timeout=300)
    assert child.returncode == 1 and out == "" and said.splitlines()[-1] == "orff: interrupted"
    # the old model is as it was, and nothing lies about
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.orff", "rows.npy"]
    assert (tmp_path / "m.orff").read_bytes() == b"of before"


def fit_here(seed):
    X = np.random.default_rng(seed).normal(size=(100, 2))
    return orff.OperatorRidge(n_components=64).fit(X, np.sin(X)).predict(X)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_process_computes():
    expected = fit_here(1)  # this process has its threads now
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for found in pool.map(fit_here, [1, 1, 1]):
            assert (found == expected).all()


def test_joblib_with_processes():
    expected = fit_here(2)
    for found in joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(fit_here)(2) for _ in range(3)):
        assert (found == expected).all()


def test_threads_compute_at_the_same_time():
    expected, found = fit_here(3), []
    threads = [threading.Thread(target=lambda: found.append(fit_here(3))) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(found) == 4 and all((f == expected).all() for f in found)


def test_other_python_threads_run_meanwhile():
    X = np.random.default_rng(0).normal(size=(20_000, 5))
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.monotonic()
    orff.OperatorRidge(n_components=1000, alpha=1e-3, lengthscale=1.0).fit(X, np.sin(X[:, 0]))
    ended = time.monotonic()
    done.set()
    thread.join()
    # it would not have run once had the interpreter been held
    assert sum(began < t < ended for t in ticks) > 10


@pytest.mark.parametrize("warm_start", [False, True])
def test_a_failed_fit_leaves_the_estimator_as_it_was(rows, warm_start):
    X, Y = rows
    model = orff.OperatorRidge(n_components=64, warm_start=warm_start).fit(X, Y)
    before = model.predict(X)
    for wrong in [
        lambda: model.fit(X, Y[:-1, 0]),
        lambda: model.fit(X[:, :1], Y[:-1]),
        lambda: model.fit(X, Y, sample_weight=np.zeros(len(X))),
        lambda: model.set_params(alpha="much").fit(X, Y),
    ]:
        with pytest.raises(ValueError):
            wrong()
        model.set_params(alpha="evidence")
        assert model.predict(X).shape == before.shape and (model.predict(X) == before).all()


def test_additions_from_many_threads_all_arrive(rows):
    X, Y = np.tile(rows[0], (40, 1)), np.tile(rows[1], (40, 1))
    moments = orff.OperatorRidge(n_components=100).partial_fit(X, Y).moments_
    threads = [threading.Thread(target=lambda: [moments.add(X, Y) for _ in range(5)]) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert moments.n_rows == 31 * len(X)
