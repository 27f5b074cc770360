"""Orff beside its peers in interleaved rounds: best and median of several, as ratios, with what was asked for."""

from __future__ import annotations

import argparse
import datetime
import math
import re
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path

import accuracy
import contenders
import growth
import machine
from limits import Limit, verdict
from rounds import THREADS, Results

ROOT = Path(__file__).parent.parent


@dataclass
class Row:
    """One line of the table: a peer's figure divided by ours, and the least that is asked for."""

    work: str
    """What is done; {rows} and {columns} stand for those of the setting."""
    ours: str
    peer: str
    floor: float | None = None
    goal: float | None = None
    setting: dict[str, object] = field(default_factory=dict)
    of: str = "seconds"
    mine: dict[str, object] = field(default_factory=dict)
    """What is different in our setting."""


def within(times: float) -> float:
    """The ratio of a work that may take so many times the peer's time."""
    return 1 / times


SINGLE = {"dtype": "float32"}
FIELD = {"inputs": 3, "outputs": 3}
FEW = {"rows": 20_000}  # RidgeCV decomposes all of N×2D
EXACT = {"rows": 5000}
LANDMARKS = {"columns": 1000}
WIDE = {"rows": 4000, "inputs": 784, "columns": 8192}
OUTLIERS = {"inputs": 10}
LEVELS = {"rows": 2500, "inputs": 1, "outputs": 1, "columns": 100}
SETS = {"rows": 10_000, "inputs": 10, "columns": 512}
SERIES = {"rows": 20_000, "inputs": 18, "outputs": 18, "columns": 200}
ROWS = [
    Row("fit, f64", "orff_fit", "sklearn_fit", 4, 4.8),
    Row("fit, f32", "orff_fit", "sklearn_fit", 1.8, 2, SINGLE),
    Row("memory of the fit, f64", "orff_fit", "sklearn_fit", 30, 55, of="megabytes"),
    Row("predict, f64", "orff_predict", "sklearn_predict", 30, 45),
    Row("predict, f32", "orff_predict", "sklearn_predict", 7, 10, SINGLE),
    Row("transform, f64", "orff_transform", "sklearn_transform", 14, 19),
    Row("transform, f32", "orff_transform", "sklearn_transform", 4, 4.6, SINGLE),
    Row("fit, f64", "orff_fit", "numpy_fit", 1.9, 2.3),
    Row("fit, f32", "orff_fit", "numpy_fit", 1.4, 1.55, SINGLE),
    Row("fit, f64", "orff_fit", "numpy_threads_fit"),
    Row("fit, f64, one output", "orff_fit", "xgpr_fit", 1.8, 2, {"outputs": 1}),
    Row("fit, f64", "orff_fit", "rfflearn_fit"),
    Row("whole fit, f64", "orff_fit", "blas_update", within(1.25), within(1.10)),
    Row("fit, f64 data in mixed precision", "orff_mixed", "sklearn_fit", 6, 8),
    Row("fit, every product in double", "orff_double", "sklearn_fit", 4, 4.8),
    Row("fit, every product in double", "orff_double", "numpy_fit", 1.9, 2.3),
    Row("fit, every product in double, one output", "orff_double", "xgpr_fit", 1.8, 2, {"outputs": 1}),
    Row("whole fit, every product in double", "orff_double", "blas_update", within(1.25), within(1.10)),
    Row("curl-free fit, d = p = 3", "orff_curl_free", "orff_fit", within(1.3), within(1.1), FIELD),
    Row("every ridge with GCV and evidence", "orff_path", "orff_fit", within(1.5), within(1.35)),
    Row("the same, every product in double", "orff_path_double", "orff_double", within(1.5), within(1.35)),
    Row("every ridge with exact leave-one-out", "orff_leave_one_out", "orff_double", within(4), within(3.5)),
    Row("every ridge with exact leave-one-out, beside the default fit", "orff_leave_one_out", "orff_fit", within(4), within(3.5)),
    Row("every ridge with GCV and evidence, N = {rows}", "orff_path", "ridge_cv", setting=FEW),
    Row("every ridge with exact leave-one-out, N = {rows}", "orff_leave_one_out", "ridge_cv", setting=FEW),
    Row("structured transform, d = 784, N = {rows}, {columns} columns", "orff_structured", "orff_dense", 3, 6, WIDE),
    Row("Nyström fit, f64, {columns} landmarks", "orff_nystrom", "nystroem_fit", setting=LANDMARKS),
    Row("exact kernel fit, f64, N = {rows}", "orff_exact", "kernel_ridge", setting=EXACT),
    Row("linear VAR(1) of {rows} × 18", "orff_var", "statsmodels_var", 1, setting=SERIES),
    Row("VAR(1) with {columns} features of {rows} × 18", "orff_feature_var", "statsmodels_var", setting=SERIES),
    Row("VAR(1) with {columns} features of {rows} × 18", "orff_feature_var", "orff_var", setting=SERIES),
    Row("quantiles of {rows} rows, {columns} features, five levels", "orff_quantiles", "sklearn_quantiles", 5, 15, LEVELS),
    Row("isolation forest of {rows} × 10, fit and scores", "orff_isolation", "sklearn_isolation", 2, 3, OUTLIERS),
    Row("one-class forest of {rows} × 10, 256 rows per tree", "orff_one_class", "sklearn_isolation", 1, 2, OUTLIERS),
    Row("one-class forest of {rows} × 10, defaults", "orff_one_class_default", "sklearn_isolation", setting=OUTLIERS),
    Row("one-class machine of {rows} × 10, ν = 0.1, fit and scores", "orff_svm_tenth", "sklearn_svm_tenth", setting=SETS),
    Row("one-class machine of {rows} × 10, ν = 0.5, fit and scores", "orff_svm_half", "sklearn_svm_half", setting=SETS),
    Row("level sets of {rows} × 10, every ν, against one", "orff_level_sets", "sklearn_svm_tenth", setting=SETS),
    Row("level sets of {rows} × 10, every ν, against one", "orff_level_sets", "sklearn_svm_half", setting=SETS),
    Row("sequential cross-validation of VAR(1)", "orff_sequential", "statsmodels_sequential", 1, setting=SERIES),
    Row("sequential cross-validation, {columns} features", "orff_feature_sequential", "statsmodels_sequential", setting=SERIES),
]


class Sizes:
    """Settings at the sizes that were asked for: all shrink alike."""

    def __init__(self, rows: int, columns: int):
        self.rows, self.columns = rows, columns

    def __call__(self, setting: dict[str, object]) -> dict[str, object]:
        rows = int(setting.get("rows", 100_000)) * self.rows // 100_000
        columns = int(setting.get("columns", 2000)) * self.columns // 2000 // 2 * 2
        return {**setting, "rows": max(rows, 1), "columns": max(columns, 2)}


def compare(rows: list[Row], results: Results, sizes: Sizes, rounds: int) -> None:
    """All rounds of all rows."""
    pairs = [((row.ours, sizes(row.setting | row.mine)), (row.peer, sizes(row.setting))) for row in rows]
    runs = list({Results.key(*run): run for pair in pairs for run in pair}.values())
    for turn in range(rounds):
        print(f"round {turn + 1} of {rounds}: {len(runs)} contenders", file=sys.stderr)
        for run in runs:
            results.add(*run)


def table(rows: list[Row], results: Results, sizes: Sizes) -> list[str]:
    """Ratios, with what is asked for and whether it is met."""
    lines = [
        "| work | against | Orff | peer | ratio | floor | goal | | R² of Orff, peer |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        ours, peer = (row.ours, sizes(row.setting | row.mine)), (row.peer, sizes(row.setting))
        unit = "s" if row.of == "seconds" else "MB"
        against = getattr(contenders, row.peer).__doc__.splitlines()[0]
        ratio = results.best(*peer, row.of) / max(results.best(*ours, row.of), 1e-9)
        median = results.median(*peer, row.of) / max(results.median(*ours, row.of), 1e-9)
        asked = [f"{bound:.3g}" if bound else "–" for bound in (row.floor, row.goal)]
        met = results.reason(*ours) or results.reason(*peer) or verdict(ratio, row.floor, row.goal)
        figures = [
            f"{results.best(*run, row.of):.3g} ({results.median(*run, row.of):.3g}) {unit}" for run in (ours, peer)
        ]
        fitted = [results.median(*run, "r2") for run in (ours, peer)]
        r2 = ", ".join("–" if math.isnan(value) else f"{value:.4f}" for value in fitted)
        cells = [
            row.work.format(**peer[1]),
            against,
            *figures,
            f"{ratio:.2f} ({median:.2f})",
            *asked,
            met.replace("|", "/"),
            r2,
        ]
        lines.append("| " + " | ".join(re.sub(r"\bnan\b", "–", cell) for cell in cells) + " |")
    return lines


def said(results: Results, sizes: Sizes) -> list[Limit]:
    """What a fit says of itself, beside what was measured: its memory, its precision."""
    limits = []
    for name, contender, setting in [
        ("fit, f64", "orff_fit", {}),
        ("fit, f32", "orff_fit", SINGLE),
        ("path, f64", "orff_path", {}),
        ("Nyström fit, f64", "orff_nystrom", LANDMARKS),
        ("exact kernel fit, f64", "orff_exact", EXACT),
    ]:
        run = contender, sizes(setting)
        told, peak = results.best(*run, "estimate"), results.best(*run, "megabytes")
        if not math.isnan(told / peak):
            figure = f"{told:.0f} MB said, {peak:.0f} MB measured"
            what = f"memory estimate of the {name}: off by a share of"
            limits.append(Limit(what, abs(told / peak - 1), 0.2, None, figure))
    run = "orff_mixed", sizes({})
    gap = results.median(*run, "difference")
    if not math.isnan(gap):
        words = "; ".join({str(result["said"]) for result in results.found[Results.key(*run)]})
        what = "mixed precision: largest difference of predictions, in spreads of the outputs"
        limits.append(Limit(what, gap, 1e-5, None, words))
    return limits


READING = """
Every contender runs in a process of its own, with the same number of threads, in interleaved rounds; preparing the data
and importing libraries is outside the clock. Figures are the best of the rounds, in brackets the median. Memory is the
peak above what the process held before the work. Predictions and transforms are timed at their second call: at the
first, a virtual machine may have to be given its memory. A ratio is the peer's figure divided by Orff's: above 1 Orff is ahead.
Floor and goal are the ratios the project asks of itself; a work that may take 1.25 times the time of its peer has the
floor 1/1.25 = 0.8. R² is that of predictions for 10 000 held-out rows, averaged over the outputs; of the lines of VAR that of
one step ahead on the series itself, of sequential ones of their forecasts. Error bars of Orff are off, as peers have none. A path of Orff has 29
ridges and those that refine the best, RidgeCV has 20. rfflearn has no ridge. xGPR makes its projections in single
precision. A fit whose precision is left open ("fit, f64") makes its products in fixed point on machines that are fast at it and
corrects the solution in double where that would be seen (see `design.md`), and so does a path of ridges by evidence. Leave-one-out
needs products in double: its floor is meant beside the fit of one ridge in double, and it is shown beside the default fit too.
Products with the outputs are made once where nothing is corrected (from a million rows on here), three times below that.
""".strip()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="of every contender (3)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    parser.add_argument("--rows", type=int, default=100_000, help="N; lines with their own N shrink alike (100000)")
    parser.add_argument("--columns", type=int, default=2000, help="of the features, likewise (2000)")
    only = "lines with one of these words: a work, a contender (sklearn…), accuracy, growth, start"
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORDS", help=only)
    parser.add_argument("--growth-max", type=int, default=10_000_000, help="largest N of the growth (10000000, which takes 5 GB)")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md and docs/growth.svg")
    given = parser.parse_args()
    if given.write and any(given.only):
        parser.error("--write: expected all lines, got --only")
    if given.quick:
        given.rows, given.growth_max = given.rows // 10, given.growth_max // 10
    return given


def main() -> None:
    given = arguments()

    def chosen(*names: str) -> bool:
        return any(word in name for word in given.only for name in names)

    sizes, results, grown = Sizes(given.rows, given.columns), Results(), growth.Growth(given.columns)
    rows = [row for row in ROWS if chosen(row.work, row.ours, row.peer)]
    limits, judged, lines = [], accuracy.Accuracy(sizes), []
    try:
        if chosen("accuracy"):
            rows += [Row(work, "orff_fit", "sklearn_fit", mine=mine) for work, mine in judged.search()]
        compare(rows, results, sizes, given.rounds)
        limits += said(results, sizes)
        if chosen("growth"):
            grown.measure(results, given.rounds, given.growth_max)
            limits += grown.limits(results)
        if chosen("start"):
            begun, lines = machine.starts(3 * given.rounds)
            limits += begun
    except KeyboardInterrupt:
        print("INTERRUPTED: what follows is what was measured until now; nothing is written", file=sys.stderr)
        given.write = False
    command = shlex.join(["bench/run", *sys.argv[1:]])
    size = f"N = {given.rows}, d = 20, {given.columns} columns, p = 4 unless said"
    text = [
        f"{size}; rounds: {given.rounds}, threads: {THREADS}; `{command}` on {datetime.date.today()}.",
        "",
        *machine.description(),
        *(["", *table(rows, results, sizes)] if rows else []),
        *(["", *Limit.table(limits)] if limits else []),
        *(["", *lines] if lines else []),
        *(["", "## At equal accuracy", "", *judged.table(results)] if judged.runs else []),
        *(["", "## Growth", "", *grown.table(results)] if grown.runs else []),
    ]
    print("\n".join(text))
    if given.write:
        grown.draw(results, ROOT / "docs" / "growth.svg")
        picture = ["", "![seconds of a fit by the number of rows and of outputs](growth.svg)"]
        page = ["# Benchmarks", "", READING, "", *text, *picture]
        (ROOT / "docs" / "benchmarks.md").write_text("\n".join(page) + "\n")


if __name__ == "__main__":
    main()
