"""One contender, once, in a process of its own: prints seconds, the megabytes above what it had before the work, and
what it found out afterwards; or why it cannot take part."""

from __future__ import annotations

import gc
import json
import sys
import time

import contenders


def status(field: str) -> float:
    """Megabytes, from the kernel's account of this process; NaN where there is none."""
    try:
        with open("/proc/self/status") as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024
    except (OSError, StopIteration):
        return float("nan")


def forget_peak() -> float:
    """Forget the peak of the preparation: the megabytes held now; NaN if that is not allowed."""
    try:
        with open("/proc/self/clear_refs", "w") as peak:
            peak.write("5")
    except OSError:
        return float("nan")
    return status("VmRSS")


def measured(name: str, setting: dict[str, object]) -> dict[str, object]:
    try:
        task = getattr(contenders, name)(contenders.Setting(**setting))
    except (contenders.Missing, ImportError) as reason:
        return {"skipped": str(reason)}
    work, after = task if isinstance(task, tuple) else (task, dict)
    if name in contenders.TWICE:
        work()
    gc.collect()
    before = forget_peak()
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    megabytes = status("VmHWM") - before
    del result
    return {"seconds": seconds, "megabytes": megabytes, **after()}


if __name__ == "__main__":
    print("\n" + json.dumps(measured(sys.argv[1], json.loads(sys.argv[2]))))
