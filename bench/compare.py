"""Orff beside its peers in interleaved rounds: best and median of several, as ratios."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent


@dataclass
class Row:
    """One line of the table: a peer's figure divided by ours."""

    work: str
    ours: str
    peer: str
    setting: dict[str, object] = field(default_factory=dict)
    of: str = "seconds"
    floor: str = ""


FIELD = {"inputs": 3, "outputs": 3}
WIDE = {"rows": 4000, "inputs": 784, "columns": 8192}
SINGLE = {"dtype": "float32"}
ROWS = [
    Row("fit, f64", "orff_fit", "sklearn_fit", floor="4"),
    Row("fit, f32", "orff_fit", "sklearn_fit", SINGLE, floor="1.8"),
    Row("memory of the fit, f64", "orff_fit", "sklearn_fit", of="megabytes", floor="30"),
    Row("predict, f64", "orff_predict", "sklearn_predict", floor="30"),
    Row("predict, f32", "orff_predict", "sklearn_predict", SINGLE, floor="7"),
    Row("transform, f64", "orff_transform", "sklearn_transform", floor="14"),
    Row("transform, f32", "orff_transform", "sklearn_transform", SINGLE, floor="4"),
    Row("fit, f64, against Nystroem with half the columns", "orff_fit", "nystroem_fit"),
    Row("fit, f64, against blocked NumPy", "orff_fit", "numpy_fit", floor="1.9"),
    Row("fit, f32, against blocked NumPy", "orff_fit", "numpy_fit", SINGLE, floor="1.4"),
    Row("fit, f64, against OpenBLAS' rank-k update alone", "orff_fit", "blas_update", floor="0.8"),
    Row("curl-free fit against the scalar one on as many characters", "orff_curl_free", "orff_fit", FIELD, floor="0.77"),
    Row("the whole path with GCV and evidence against one ridge", "orff_path", "orff_fit", floor="0.67"),
    Row("exact leave-one-out against one ridge", "orff_leave_one_out", "orff_fit", floor="0.25"),
    Row("structured transform against the dense one", "orff_structured", "orff_dense", WIDE, floor="3"),
]


def once(contender: str, setting: dict[str, object]) -> dict[str, float]:
    command = [sys.executable, HERE / "one.py", contender, json.dumps(setting)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{contender} with {setting} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def measure(rows: list[Row], rounds: int, quick: bool) -> dict[tuple[str, str], list[dict[str, float]]]:
    """Every contender of every setting once per round, one after the other."""
    settings = {}
    for row in rows:
        setting = dict(row.setting)
        if quick:
            setting["rows"] = int(setting.get("rows", 100_000)) // 10
        for contender in (row.ours, row.peer):
            settings[contender, json.dumps(setting)] = setting
    found: dict[tuple[str, str], list[dict[str, float]]] = {key: [] for key in settings}
    for turn in range(rounds):
        for (contender, key), setting in settings.items():
            result = once(contender, setting)
            found[contender, key].append(result)
            seconds, megabytes = result["seconds"], result["megabytes"]
            print(f"round {turn + 1}: {contender:20} {key:50} {seconds:8.3f} s {megabytes:8.0f} MB", file=sys.stderr)
    return found


def table(rows: list[Row], found: dict[tuple[str, str], list[dict[str, float]]], quick: bool) -> list[str]:
    lines = ["| work | ours | peer | ratio of bests (of medians) | floor |", "|---|---|---|---|---|"]
    for row in rows:
        setting = dict(row.setting)
        if quick:
            setting["rows"] = int(setting.get("rows", 100_000)) // 10
        key, unit = json.dumps(setting), "s" if row.of == "seconds" else "MB"
        ours = [max(result[row.of], 1e-9) for result in found[row.ours, key]]
        peer = [max(result[row.of], 1e-9) for result in found[row.peer, key]]
        ratio, median = min(peer) / min(ours), statistics.median(peer) / statistics.median(ours)
        name = f"{row.work} ({row.peer})"
        lines.append(f"| {name} | {min(ours):.3g} {unit} | {min(peer):.3g} {unit} | {ratio:.2f} ({median:.2f}) | {row.floor} |")
    return lines


def starts(rounds: int) -> list[str]:
    """Seconds until something can be done: the best of several processes."""
    import numpy as np
    import orff

    def best(*command: str) -> float:
        times = []
        for _ in range(rounds):
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times.append(time.perf_counter() - start)
        return min(times)

    python = sys.executable
    empty, package = best(python, "-c", "pass"), best(python, "-c", "import orff")
    ready, peer = best(python, "-c", "import orff; orff.OperatorRidge"), best(python, "-c", "import sklearn.linear_model")
    lines = [
        f"* `import orff`: {1e3 * (package - empty):.0f} ms above an empty interpreter ({1e3 * empty:.0f} ms); with the first"
        f" class {1e3 * (ready - empty):.0f} ms, of which `import sklearn.linear_model` is {1e3 * (peer - empty):.0f} ms.",
    ]
    binary = next((p for p in ("target/release/orff", "target/debug/orff") if Path(p).exists()), None)
    if binary:
        with tempfile.TemporaryDirectory() as folder:
            model, row = os.path.join(folder, "m.orff"), os.path.join(folder, "row.csv")
            X = np.linspace(0, 6, 200).reshape(-1, 1)
            orff.OperatorRidge().fit(X, np.sin(X)).save(model)
            Path(row).write_text("x1\n0.5\n")
            lines.append(f"* `{binary} predict` of one row: {1e3 * best(binary, 'predict', model, row):.0f} ms.")
    return lines


def machine() -> str:
    """The processor, its cores and the versions."""
    import numpy
    import orff
    import sklearn

    try:
        names = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
        flags = next(line for line in open("/proc/cpuinfo") if line.startswith("flags"))
        name = f"{names[0]} ({'AVX-512' if 'avx512f' in flags else 'AVX2' if 'avx2' in flags else 'no AVX2'})"
    except (OSError, StopIteration, IndexError):
        name = platform.processor()
    versions = f"orff {orff.__version__}, scikit-learn {sklearn.__version__}, NumPy {numpy.__version__}"
    return f"{os.cpu_count()} cores of {name}; Python {platform.python_version()}, {versions}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    parser.add_argument("--only", default="", help="rows whose work contains this")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    given = parser.parse_args()
    rows = [row for row in ROWS if given.only in row.work]
    found = measure(rows, given.rounds, given.quick)
    size = "a tenth of N = 100 000" if given.quick else "N = 100 000"
    text = [
        f"{size}, d = 20, 2000 columns, p = 4 unless said; best of {given.rounds} interleaved rounds.",
        f"{machine()}.",
        "",
        *table(rows, found, given.quick),
        "",
        *starts(3 * given.rounds),
    ]
    print("\n".join(text))
    if given.write:
        head = "# Benchmarks\n\nMade by `bench/run --write`: a peer's figure divided by Orff's, both measured in the same run.\n\n"
        (HERE.parent / "docs" / "benchmarks.md").write_text(head + "\n".join(text) + "\n")


if __name__ == "__main__":
    main()
