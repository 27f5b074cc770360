"""scikit-learn's isolation forest, Orff's and level sets on the twelve sets of `orff experiment run t17-table-d-3` and `t17-table-d-4`.

    ORFF_DATA=…/data python bench/outliers.py [--only set,set] [--ways sklearn,isolation,levels] [--novelties] [--seeds 10]

The protocol is that of the experiments: at most one outlier for ten usual rows, half of the rows to learn from (without
outliers for novelties), areas on the others. ORFF_DATA is the folder of the papers' data sets; the draws are NumPy's, the
same for all. Level sets learn from 5000 of the rows at most.
"""

from __future__ import annotations

import argparse
import gzip
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score, roc_auc_score

Rows = list[list[str]]


def cells(name: str, separator: str | None = ",", skip: int = 0) -> Rows:
    """The cells of a file, without its first lines."""
    path = Path(os.environ["ORFF_DATA"]) / name
    with (gzip.open if name.endswith(".gz") else open)(path, "rt") as lines:
        return [[c.strip().strip('"') for c in line.split(separator)] for line in lines if line.strip()][skip:]


def table(rows: Rows, columns: range | list[int], outlier: Callable[[list[str]], bool]) -> tuple[np.ndarray, np.ndarray]:
    X = np.array([[float(row[k]) for k in columns] for row in rows])
    return X, np.array([outlier(row) for row in rows])


def logged(name: str) -> tuple[np.ndarray, np.ndarray]:
    X, y = table(cells(f"kdd_{name}/{name}_counts.csv.gz", skip=1), range(3), lambda row: row[-1] == "1")
    return np.log(X + 0.1), y


def arrhythmia() -> tuple[np.ndarray, np.ndarray]:
    rows = cells("arrhythmia/arrhythmia.data.gz", skip=1)
    whole = [k for k in range(279) if all(row[k] != "?" for row in rows)]
    return table(rows, [k for k in whole if len({float(row[k]) for row in rows}) >= 10], lambda row: row[-1] != "1")


def shuttle(copies: bool) -> tuple[np.ndarray, np.ndarray]:
    rows = cells("shuttle/shuttle.csv.gz", skip=1)
    rows += [row for row in rows if copies and row[-1] == "trn"]
    return table([row for row in rows if row[9] != "4"], range(9), lambda row: row[9] != "1")


SETS: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "adult": lambda: table(
        cells("adult/adult.data.gz") + cells("adult/adult.test.gz"),
        [0, 2, 4, 10, 11, 12],
        lambda row: row[-1].startswith(">50K"),
    ),
    "annthyroid": lambda: table(cells("annthyroid/annthyroid.csv.gz", skip=1), range(6), lambda row: row[-1] == "1"),
    "arrhythmia": arrhythmia,
    "forestcover": lambda: table(cells("forestcover/forestcover.csv.gz", skip=1), range(10), lambda r: r[-1] == "1"),
    "http": lambda: logged("http"),
    "ionosphere": lambda: table(cells("ionosphere/ionosphere.csv.gz"), range(2, 34), lambda row: row[-1] == "b"),
    "pendigits": lambda: table(
        cells("pendigits/pendigits.tra.gz") + cells("pendigits/pendigits.tes.gz"), range(16), lambda row: row[-1] == "4"
    ),
    "pima": lambda: table(cells("pima/pima-indians-diabetes.csv"), range(8), lambda row: row[-1] == "1"),
    "shuttle": lambda: shuttle(copies=True),
    "smtp": lambda: logged("smtp"),
    "spambase": lambda: table(cells("spambase/spam.data.gz", None), range(57), lambda row: row[-1] == "1"),
    "wilt": lambda: table(cells("wilt/wilt.csv.gz", ";", 1), range(5), lambda row: row[-1] == "w"),
    "shuttle without copies": lambda: shuttle(copies=False),
}


LEARNED = 5000
"""Rows that level sets are learned from, at most; they are in no order."""


def sklearn(train: np.ndarray, test: np.ndarray, seed: int) -> np.ndarray:
    return IsolationForest(random_state=seed, n_jobs=-1).fit(train).score_samples(test)


def isolation(train: np.ndarray, test: np.ndarray, seed: int) -> np.ndarray:
    import orff

    return orff.IsolationForest(random_state=seed).fit(train).score_samples(test)


def levels(train: np.ndarray, test: np.ndarray, seed: int) -> np.ndarray:
    import orff

    return orff.LevelSets(random_state=seed).fit(train[:LEARNED]).score_samples(test)


WAYS = {"sklearn": sklearn, "isolation": isolation, "levels": levels}


def areas(way: str, X: np.ndarray, y: np.ndarray, novelty: bool, seed: int) -> tuple[float, float]:
    """ROC AUC and average precision of one split."""
    rng = np.random.default_rng(seed)
    usual, unusual = np.flatnonzero(~y), rng.permutation(np.flatnonzero(y))
    rows = rng.permutation(np.concatenate([usual, unusual[: len(usual) // 10]]))
    train, test = np.split(rows, [len(rows) // 2])
    train = train[~y[train]] if novelty else train
    scores = -WAYS[way](X[train], X[test], seed)
    return roc_auc_score(y[test], scores), average_precision_score(y[test], scores)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--only", help="some sets, by name")
    parser.add_argument("--ways", default=",".join(WAYS), help="some of them")
    parser.add_argument("--novelties", action="store_true", help="learn from usual rows only")
    given = parser.parse_args()
    settings = (True,) if given.novelties else (True, False)
    ways, names = given.ways.split(","), given.only.split(",") if given.only else list(SETS)
    means: dict[tuple[str, bool], list[np.ndarray]] = {(way, novelty): [] for way in ways for novelty in settings}
    print(f"{'':24}{'':10} novelties: ROC, PR   outliers: ROC, PR")
    for name in names:
        X, y = SETS[name]()
        for way in ways:
            start = time.perf_counter()
            for novelty in settings:
                found = [areas(way, X, y, novelty, seed) for seed in range(given.seeds)]
                means[way, novelty].append(np.mean(found, axis=0))
            took = (time.perf_counter() - start) / (len(settings) * given.seeds)
            line = "   ".join(str(means[way, novelty][-1].round(4)) for novelty in settings)
            print(f"{name:24}{way:10} {line}   {took:.1f} s each", flush=True)
    for way in ways:
        told = [np.mean(means[way, novelty][: len(SETS) - 1], axis=0).round(4) for novelty in settings]
        print(f"{f'average of {min(len(names), len(SETS) - 1)}':24}{way:10} " + "   ".join(map(str, told)))
