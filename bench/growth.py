"""How the seconds of a fit grow with the rows and with the outputs."""

from __future__ import annotations

import math
from pathlib import Path

from limits import Limit
from rounds import Results

ROWS = [10**k for k in range(3, 8)]
OUTPUTS = [1, 4, 10, 30, 100]
MANY = 1_000_000
"""Above so many rows only some numbers of outputs are measured, and from here on once."""


class Growth:
    """Fits of many sizes."""

    def __init__(self, columns: int):
        self.columns, self.runs = columns, dict[tuple[int, int], tuple[str, dict[str, object]]]()
        self.double = {p: ("orff_double", {"columns": columns, "outputs": p}) for p in (1, 100)}

    def measure(self, results: Results, rounds: int, most: int) -> None:
        sizes = [(rows, p) for rows in ROWS for p in OUTPUTS if rows <= most and (rows <= MANY or p <= 4)]
        for rows, p in sizes:
            self.runs[rows, p] = "orff_fit", {"rows": rows, "columns": self.columns, "outputs": p}
        for turn in range(rounds):
            for (rows, _), run in self.runs.items():
                if turn == 0 or rows < MANY:
                    results.add(*run)
            for run in self.double.values():
                results.add(*run)

    def seconds(self, results: Results) -> dict[tuple[int, int], float]:
        return {size: results.best(*run) for size, run in self.runs.items()}

    def limits(self, results: Results) -> list[Limit]:
        """The exponent in N between the two largest sizes, and what a hundred outputs cost."""
        seconds, sizes = self.seconds(results), sorted({rows for rows, _ in self.runs})
        limits = []
        if not sizes:
            return limits
        if len(sizes) > 1:
            a, b = sizes[-2:]
            exponent = math.log(seconds[b, 4] / seconds[a, 4]) / math.log(b / a)
            limits.append(Limit(f"exponent of N in the seconds of a fit, from {a} to {b} rows", exponent, 1.05))
        most = max(rows for rows in sizes if rows <= MANY)
        times = seconds[most, 100] / seconds[most, 1]
        comment = "products of features in fixed point, nothing to correct from so many rows on"
        limits.append(Limit(f"seconds for p = 100 over those for p = 1, {most} rows", times, 1.25, None, comment))
        few, many = (results.best(*self.double[p]) for p in (1, 100))
        comment = f"p is small beside {self.columns} columns"
        limits.append(Limit("seconds for p = 100 over those for p = 1, every product in double, 100000 rows", many / few, 1.25, None, comment))
        return limits

    def table(self, results: Results) -> list[str]:
        """Seconds by rows and outputs."""
        seconds = self.seconds(results)
        lines = [
            f"Seconds of a fit with {self.columns} columns, best of the rounds (from a million rows on one round).",
            "",
            "| N | " + " | ".join(f"p = {p}" for p in OUTPUTS) + " |",
            "|---" * (len(OUTPUTS) + 1) + "|",
        ]
        for rows in sorted({rows for rows, _ in self.runs}):
            cells = [f"{seconds[rows, p]:.3g}" if (rows, p) in seconds else "–" for p in OUTPUTS]
            lines.append(f"| {rows} | " + " | ".join(cells) + " |")
        return lines

    def draw(self, results: Results, path: Path) -> None:
        import matplotlib

        matplotlib.use("Agg")
        matplotlib.rcParams["svg.hashsalt"] = "orff"  # the same figures make the same file
        import matplotlib.pyplot as plt

        seconds, sizes = self.seconds(results), sorted({rows for rows, _ in self.runs})
        figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
        for p in OUTPUTS:
            known = [rows for rows in sizes if (rows, p) in seconds]
            left.loglog(known, [seconds[rows, p] for rows in known], "o-", markersize=3, label=f"p = {p}")
        last = seconds[sizes[-1], 4]
        left.loglog(sizes, [last * rows / sizes[-1] for rows in sizes], "k:", label="linear")
        for rows in sizes:
            known = [p for p in OUTPUTS if (rows, p) in seconds]
            right.loglog(known, [seconds[rows, p] for p in known], "o-", markersize=3, label=f"N = {rows:.0e}")
        left.set(xlabel="rows N", ylabel="seconds of a fit", title=f"{self.columns} columns, d = 20")
        right.set(xlabel="outputs p")
        for axes in (left, right):
            axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
            axes.grid(alpha=0.3)
        figure.savefig(path, metadata={"Date": None})
