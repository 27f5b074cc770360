"""scikit-learn's isolation forest on the twelve sets of `orff experiment run t17-table-d-3` and `t17-table-d-4`.

The protocol is that of the experiments: at most one outlier for ten usual rows, half of the rows to learn from (without
outliers for novelties), areas on the others. ORFF_DATA is the folder of the papers' data sets; the draws are NumPy's.
"""

from __future__ import annotations

import argparse
import gzip
import os
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


def areas(X: np.ndarray, y: np.ndarray, novelty: bool, seed: int) -> tuple[float, float]:
    """ROC AUC and average precision of one split."""
    rng = np.random.default_rng(seed)
    usual, unusual = np.flatnonzero(~y), rng.permutation(np.flatnonzero(y))
    rows = rng.permutation(np.concatenate([usual, unusual[: len(usual) // 10]]))
    train, test = np.split(rows, [len(rows) // 2])
    train = train[~y[train]] if novelty else train
    scores = -IsolationForest(random_state=seed, n_jobs=-1).fit(X[train]).score_samples(X[test])
    return roc_auc_score(y[test], scores), average_precision_score(y[test], scores)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    given, means = parser.parse_args(), {True: [], False: []}
    print(f"{'':24} novelties: ROC, PR   outliers: ROC, PR")
    for name, read in SETS.items():
        X, y = read()
        for novelty, found in means.items():
            found.append(np.mean([areas(X, y, novelty, seed) for seed in range(given.seeds)], axis=0))
        print(f"{name:24} {means[True][-1].round(4)}   {means[False][-1].round(4)}", flush=True)
    print(f"{'average of the twelve':24} " + "   ".join(str(np.mean(m[:12], axis=0).round(4)) for m in means.values()))
