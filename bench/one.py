"""One contender, once, in a process of its own: prints seconds and the megabytes above what it had before the work."""

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


def main() -> None:
    name, setting = sys.argv[1], json.loads(sys.argv[2])
    work = getattr(contenders, name)(contenders.Setting(**setting))
    gc.collect()
    try:
        with open("/proc/self/clear_refs", "w") as peak:
            peak.write("5")  # forget the peak of the preparation
    except OSError:
        pass
    before = status("VmRSS")
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "megabytes": status("VmHWM") - before}))
    del result


if __name__ == "__main__":
    main()
