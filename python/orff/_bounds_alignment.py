"""PAC-Bayes bounds of kernel alignment."""

from __future__ import annotations

import json
import math

import numpy as np
from numpy.typing import ArrayLike

from . import _orff
from ._arguments import number, probability as chance, refused, whole
from ._bounds_numbers import COUNTED, LARGEST, formula, law, parameter, size, vector
from ._json import dumps

ROUNDING = 1e-9
"""How far a mean of losses from 0 to 1 can be outside."""


def alignment(
    posterior: ArrayLike,
    losses: ArrayLike,
    *,
    rows: float,
    prior: ArrayLike | None = None,
    t: float | None = None,
    mu: float = 2.0,
    classes: int = 2,
    probability: float = 0.05,
) -> dict[str, float]:
    """L19 Theorems 3 and 4, Corollaries 2 and 5 (4 in its corrected form): bounds of the expected alignment loss of the kernel
    with weights ``posterior``, each of which fails with at most this probability.

    Parameters
    ----------
    posterior, losses : array-like of shape (N,)
        The weight and the alignment loss of each candidate.
    rows : float
        Number of rows n that losses were measured on.
    prior : array-like of shape (N,), optional
        Weights before; 1/N each when left out.
    t : float, optional
        The parameter of the theorems, chosen without looking at the rows; √n when left out.
    mu : float
        The power of the divergence of Theorem 4.
    classes : int
        Number of classes; 0 for targets.
    probability : float
        The probability that a bound fails.

    Examples
    --------
    >>> import numpy as np
    >>> from orff.bounds import alignment
    >>> losses = np.linspace(0.3, 0.6, 50)
    >>> weights = np.exp(-30 * losses)
    >>> found = alignment(weights / weights.sum(), losses, rows=10_000)
    >>> found["theorem_3"] < found["corollary_2"]
    True
    """
    n = number(rows, "rows", "a number ≥ 2 (pairs of rows are compared)", lambda n: 2 <= n <= LARGEST)
    power = number(mu, "mu", f"a number > 1 and ≤ {LARGEST:g}", lambda mu: 1 < mu <= LARGEST)
    q = law(posterior, "posterior")
    p = np.full(q.shape, 1.0 / q.size) if prior is None else law(prior, "prior", q.size, "posterior")
    seen = vector(losses, "losses", "numbers from 0 to 1")
    if seen.shape != q.shape or not ((seen >= -ROUNDING) & (seen <= 1 + ROUNDING)).all():
        raise refused("losses", f"{q.size} numbers from 0 to 1, one for each weight of the posterior", losses)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.where(q > 0, q / p, 0.0)
        kl = float(np.sum(np.where(q > 0, q * np.log(ratio), 0.0)))
        chi2 = float(np.sum(np.where(p > 0, p * ratio**2, 0.0)) - 1)
        # ln(1 + D): large powers are beyond the largest number
        logs = np.where(q > 0, power * np.log(ratio) + np.log(p), -np.inf)
        divergence = float(logs.max() + np.log(np.sum(np.exp(logs - logs.max()))))
    if not (math.isfinite(kl) and math.isfinite(chi2)):
        raise refused("prior", "weights > 0, and not too small, wherever the posterior has some", prior)
    weighed = {
        "rows": n,
        "loss": max(float(q @ seen), 0.0),
        "kl": max(kl, 0.0),
        "chi2": max(chi2, 0.0),
        "mu": power,
        "log_divergence": max(divergence, 0.0),
        "t": parameter(t, n),
        "classes": whole(classes, "classes", 0, COUNTED),
    }
    return formula("alignment", [weighed, chance(probability)])


def landmark(
    *, compared: float, loss: float, kl: float, t: float | None = None, landmarks: int = 1, probability: float = 0.05
) -> float:
    """L19 Theorem 1 for so many landmarks at once: a bound of the expected alignment loss about one of them.

    Parameters
    ----------
    compared : float
        Rows that each landmark was compared with: n − 1 for landmarks among n rows.
    loss, kl : float
        Its alignment loss and the Kullback–Leibler divergence of its weights from the prior.
    t : float, optional
        The parameter of the theorem, chosen without looking at the rows; √compared when left out.
    landmarks : int
        How many landmarks the bound shall hold for at once.
    probability : float
        The probability that it fails.

    Examples
    --------
    >>> from orff.bounds import landmark
    >>> few, many = (landmark(compared=n, loss=0.3, kl=0.5) for n in (100, 10_000))
    >>> many < few
    True
    """
    least = "a number ≥ 1 (rows that a landmark is compared with)"
    n = number(compared, "compared", least, lambda n: 1 <= n <= LARGEST)
    given = {
        "compared": n,
        "loss": max(number(loss, "loss", "a number from 0 to 1", lambda v: -ROUNDING <= v <= 1 + ROUNDING), 0.0),
        "kl": size(kl, "kl"),
        "t": parameter(t, n),
        "landmarks": whole(landmarks, "landmarks", 1, COUNTED),
        "probability": chance(probability),
    }
    return json.loads(_orff.bound_formula("landmark", dumps(given)))
