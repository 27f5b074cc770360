"""At equal held-out accuracy: how many columns Orff needs for scikit-learn's R², and how long it then takes."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

from rounds import Results

MAPS = ["pairs", "phases"]
SHARES = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2]
"""Columns that are tried, as shares of the peer's."""
Run = tuple[str, dict[str, object]]


class Accuracy:
    """Orff's maps beside scikit-learn's 2000 columns."""

    def __init__(self, sizes: Callable[[dict[str, object]], dict[str, object]]):
        self.sizes, self.runs, self.notes = sizes, dict[str, Run](), list[str]()

    def search(self) -> list[tuple[str, dict[str, object]]]:
        """Works and our settings: the smallest columns of each map whose R² is the peer's, and the peer's columns."""
        tried = Results()  # not among the rounds
        peer: Run = "sklearn_fit", self.sizes({})
        aim, rows = tried.add(*peer).get("r2", math.nan), []
        self.runs["scikit-learn RBFSampler"] = peer
        for name in MAPS:
            settings = [{"columns": int(2000 * share), "feature_map": name} for share in SHARES]
            reached = (s for s in settings if tried.add("orff_fit", self.sizes(s)).get("r2", -math.inf) >= aim)
            enough, equal = next(reached, None), settings[SHARES.index(1)]
            for what, mine in (("equal R²", enough), ("equal columns", equal)):
                if mine is None:
                    self.notes.append(f"SKIPPED: no number of columns of {name} reaches an R² of {aim:.4f}")
                    print(self.notes[-1], file=sys.stderr)
                    continue
                self.runs[f"Orff, {name}, {what}"] = "orff_fit", self.sizes(mine)
                rows.append((f"fit, f64, {name}, {what}: {self.sizes(mine)['columns']} columns", mine))
        return rows

    def table(self, results: Results) -> list[str]:
        shares = ", ".join(f"{share:g}" for share in SHARES)
        lines = [
            f"At equal R²: of {shares} times the peer's columns, the fewest that reach its R² on held-out rows.",
            "",
            "| | columns | held-out R² | fit |",
            "|---|---|---|---|",
        ]
        for name, run in self.runs.items():
            r2, seconds = results.median(*run, "r2"), results.best(*run)
            lines.append(f"| {name} | {run[1]['columns']} | {r2:.4f} | {seconds:.3g} s |")
        return [*lines, *(["", *self.notes] if self.notes else [])]
