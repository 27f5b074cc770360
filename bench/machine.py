"""The machine, the versions, and how long it takes until something can be done."""

from __future__ import annotations

import importlib.metadata
import math
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from limits import Limit
from rounds import environment

ROOT = Path(__file__).parent.parent
PACKAGES = ["numpy", "scipy", "scikit-learn", "xGPR", "rfflearn", "statsmodels"]


def processor() -> str:
    """Its name, and the widest vectors it has."""
    try:
        text = Path("/proc/cpuinfo").read_text()
        name, flags = (re.search(rf"^{key}\s*: (.*)$", text, re.MULTILINE)[1] for key in ("model name", "flags"))
    except (OSError, TypeError):
        return platform.processor() or platform.machine()
    return f"{name} ({'AVX-512' if 'avx512f' in flags else 'AVX2' if 'avx2' in flags else 'no AVX2'})"


def version(package: str) -> str:
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{package} not installed"


def blas() -> str:
    """The BLAS of the peers."""
    import numpy  # noqa: F401
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    found = {f"{pool['internal_api']} {pool['version']}" for pool in threadpool_info() if pool["user_api"] == "blas"}
    return " and ".join(sorted(found)) or "no known BLAS"


def description() -> list[str]:
    """The processor, its cores and memory; the versions."""
    import orff

    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    try:
        commit = subprocess.check_output(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, text=True).strip()
    except (OSError, subprocess.CalledProcessError):
        commit = "unknown"
    peers = ", ".join(map(version, PACKAGES))
    return [
        f"* {os.cpu_count()} cores of {processor()}, {memory:.0f} GiB, {platform.system()} {platform.release()}",
        f"* orff {orff.__version__} (commit {commit}), Python {platform.python_version()}, {peers}",
        f"* BLAS of the peers: {blas()}",
    ]


def milliseconds(rounds: int, *command: str) -> float:
    """The best of several processes; NaN if it fails."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment())
        times.append(1e3 * (time.perf_counter() - start))
        if done.returncode != 0:
            print(f"FAILED: {' '.join(command)}: {done.stderr.strip()}", file=sys.stderr)
            return math.nan
    return min(times)


def starts(rounds: int) -> tuple[list[Limit], list[str]]:
    """How long until one row is predicted, and until a class can be used."""
    import numpy as np
    import orff

    empty, package, ready, peer = (
        milliseconds(rounds, sys.executable, "-c", program)
        for program in ("pass", "import orff", "import orff; orff.OperatorRidge", "import sklearn.linear_model")
    )
    line = (
        f"* `import orff`: {package - empty:.0f} ms above an empty interpreter ({empty:.0f} ms); with the first class"
        f" {ready - empty:.0f} ms, of which `import sklearn.linear_model` is {peer - empty:.0f} ms."
    )
    binary, cold = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "orff", math.nan
    if binary.exists():
        with tempfile.TemporaryDirectory() as folder:
            model, row = Path(folder, "m.orff"), Path(folder, "row.csv")
            X = np.linspace(0, 6, 200).reshape(-1, 1)
            orff.OperatorRidge().fit(X, np.sin(X)).save(model)
            row.write_text("x1\n0.5\n")
            cold = milliseconds(rounds, str(binary), "predict", str(model), str(row))
    else:
        print("SKIPPED: cold start: no target/release/orff", file=sys.stderr)
    return [Limit("cold start: `orff predict` of one row", cold, 50, 15, unit=" ms")], [line]
