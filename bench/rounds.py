"""Interleaved rounds: every contender of every setting once per round, each in a process of its own."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
THREADS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
POOLS = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "RAYON_NUM_THREADS"]
LIMIT = 3600
"""Seconds after which a contender is given up."""


def environment() -> dict[str, str]:
    """The same number of threads for everyone."""
    return os.environ | dict.fromkeys(POOLS, str(THREADS))


def once(contender: str, setting: dict[str, object]) -> dict[str, object]:
    """What a contender measured, or why it did not under "skipped" or "failed"."""
    command = [sys.executable, str(HERE / "one.py"), contender, json.dumps(setting)]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment(), timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return {"failed": f"no end after {LIMIT} s"}
    if done.returncode < 0:
        return {"failed": f"killed by signal {-done.returncode}"}
    if done.returncode != 0:
        return {"failed": (done.stderr.strip().splitlines() or ["no message"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


@dataclass
class Results:
    """What was measured, by contender and setting."""

    found: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def key(contender: str, setting: dict[str, object]) -> str:
        return f"{contender} {json.dumps(setting, sort_keys=True)}"

    def add(self, contender: str, setting: dict[str, object]) -> dict[str, object]:
        """Measure once more; one that could not take part is not asked again."""
        key = self.key(contender, setting)
        if key in self.reasons:
            return {}
        result = once(contender, setting)
        for why in ("skipped", "failed"):
            if why in result:
                self.reasons[key] = f"{why}: {result[why]}"
                print(f"{why.upper()}: {key}: {result[why]}", file=sys.stderr)
                return {}
        self.found.setdefault(key, []).append(result)
        rest = "".join(f", {name} {result[name]:.4g}" for name in ("r2", "estimate", "difference") if name in result)
        print(f"{key}: {result['seconds']:.3f} s, {result['megabytes']:.0f} MB{rest}", file=sys.stderr, flush=True)
        return result

    def reason(self, contender: str, setting: dict[str, object]) -> str:
        """Why there is no figure; empty if there is one."""
        key = self.key(contender, setting)
        return self.reasons.get(key, "" if key in self.found else "not measured")

    def every(self, contender: str, setting: dict[str, object], of: str) -> list[float]:
        """A figure in every round."""
        return [float(result[of]) for result in self.found.get(self.key(contender, setting), []) if of in result]

    def best(self, contender: str, setting: dict[str, object], of: str = "seconds") -> float:
        return min(self.every(contender, setting, of), default=float("nan"))

    def median(self, contender: str, setting: dict[str, object], of: str = "seconds") -> float:
        values = self.every(contender, setting, of)
        return statistics.median(values) if values else float("nan")
