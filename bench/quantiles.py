"""Quantiles of the 20 small sets of joint quantile regression: Orff beside scikit-learn.

    ORFF_DATA=…/data python bench/quantiles.py [--only set,set] [--ours]

Five folds (KFold, shuffled, seed 0), columns of the rows before scaled by the rows learned from; mean pinball loss over the levels
0.1, 0.3, 0.5, 0.7, 0.9. Orff: `QuantileFunction()` as it is. scikit-learn: `QuantileRegressor` on 100 random features of the
Gaussian kernel, penalty and width by three folds for each level; `GradientBoostingRegressor(loss="quantile")` as it is. Then
the coverage of 90 % intervals of `QuantileFunction(conformal=True)`, and the crossings of each.
"""

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np
import orff
import pandas as pd
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import QuantileRegressor
from sklearn.metrics import make_scorer, mean_pinball_loss
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)


def sets(folder: Path):
    """Name, inputs and outputs of each set, by the table of the folder's README; rows with missing inputs are left out."""
    for line in (folder / "README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 6 and (folder / f"{cells[1]}.csv.gz").is_file():
            table = pd.read_csv(folder / f"{cells[1]}.csv.gz")
            table = table.drop(columns=[c for c in table.columns if c == "name" or c.startswith("Unnamed")])
            table = table.dropna()
            inputs = pd.get_dummies(table.drop(columns=cells[4]), drop_first=True)
            yield cells[1], inputs.to_numpy(float), table[cells[4]].to_numpy(float)


def ours(X, y, new):
    """orff.QuantileFunction."""
    return orff.QuantileFunction().fit(X, y).predict(new, levels=LEVELS)


def linear(X, y, new):
    """QuantileRegressor on random features."""
    found, scale = [], y.std()
    for level in LEVELS:
        grid = {
            "rbfsampler__gamma": [0.1 / X.shape[1], 0.5 / X.shape[1]],
            "quantileregressor__alpha": [1e-1, 1e-2, 1e-3, 1e-4],
        }
        model = make_pipeline(RBFSampler(n_components=100, random_state=0), QuantileRegressor(quantile=level))
        loss = make_scorer(mean_pinball_loss, alpha=level, greater_is_better=False)
        found.append(scale * GridSearchCV(model, grid, cv=3, scoring=loss).fit(X, y / scale).predict(new))
    return np.column_stack(found)


def boosted(X, y, new):
    """GradientBoostingRegressor."""
    one = [GradientBoostingRegressor(loss="quantile", alpha=level, random_state=0) for level in LEVELS]
    return np.column_stack([model.fit(X, y).predict(new) for model in one])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="some sets, by name")
    parser.add_argument("--ours", action="store_true", help="leave scikit-learn out")
    asked = parser.parse_args()
    warnings.filterwarnings("ignore")
    ways = [ours] if asked.ours else [ours, linear, boosted]
    print(f"{'set':16}{'rows':>6}" + "".join(f"{w.__doc__.split()[0][:22]:>24}{'s':>7}{'cross':>6}" for w in ways) + "   covered")
    inside, rows, wins, apart = 0, 0, [0] * len(ways), []
    for name, X, y in sets(Path(os.environ["ORFF_DATA"]) / "quantile_small"):
        if asked.only and name not in asked.only.split(","):
            continue
        losses, times, crossed = (np.zeros(len(ways)) for _ in range(3))
        covered = 0
        for own, other in KFold(5, shuffle=True, random_state=0).split(X):
            scaler = StandardScaler().fit(X[own])
            here, there = scaler.transform(X[own]), scaler.transform(X[other])
            for k, way in enumerate(ways):
                start = time.perf_counter()
                q = way(here, y[own], there)
                times[k] += time.perf_counter() - start
                losses[k] += np.mean([mean_pinball_loss(y[other], q[:, j], alpha=t) for j, t in enumerate(LEVELS)]) / 5
                crossed[k] += (np.diff(q, axis=1) < 0).sum()
            lower, upper = orff.QuantileFunction(conformal=True).fit(here, y[own]).predict_interval(there, 0.9)
            covered += ((lower <= y[other]) & (y[other] <= upper)).sum()
        assert crossed[0] == 0, f"{name}: quantiles of Orff cross"
        inside, rows = inside + covered, rows + len(y)
        deviations = (covered - 0.9 * len(y)) / np.sqrt(0.09 * len(y))
        apart.append(deviations)
        wins[int(np.argmin(losses))] += 1
        line = "".join(f"{loss:24.5g}{took:7.1f}{int(c):6d}" for loss, took, c in zip(losses, times, crossed, strict=True))
        print(f"{name:16}{len(y):6d}{line}   {covered / len(y):.3f} ({deviations:+.1f} sd)", flush=True)
    print(f"best on: {dict(zip([w.__name__ for w in ways], wins, strict=True))}")
    print(f"covered, pooled: {inside / rows:.4f} of {rows} rows; furthest set {max(apart, key=abs):+.1f} standard deviations")


if __name__ == "__main__":
    main()
