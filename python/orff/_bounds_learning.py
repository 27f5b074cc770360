"""From the mean loss to the expected one, by formulas."""

from __future__ import annotations

from ._arguments import number, probability as chance, whole, word
from ._bounds_numbers import COUNTED, LARGEST, MAPS, formula, size


def generalisation(
    *, rows: int, alpha: float, kappa: float, trace: float, largest: float, norm: float, probability: float = 0.05
) -> dict[str, float | None]:
    """Bounds of expected minus mean loss ½‖f(x) − y‖² of a ridge model, which fail with at most this probability.

    Parameters
    ----------
    rows : int
        Number of rows n.
    alpha : float
        The ridge, λ of (1/n)Σ‖y − f(x)‖² + λ‖θ‖².
    kappa, trace : float
        Largest norm and trace of the approximate K(x, x).
    largest : float
        A bound of ‖y‖ for every row, seen or not.
    norm : float
        ‖θ‖ of the solution.
    probability : float
        The probability that a bound fails.

    Returns
    -------
    dict
        ``complexity`` (from λ alone; None if λ > kappa), ``stability``, and ``norm`` (from the norm that was found).

    Examples
    --------
    >>> from orff.bounds import generalisation
    >>> found = generalisation(rows=10_000, alpha=0.1, kappa=1.0, trace=1.0, largest=1.0, norm=0.5)
    >>> found["norm"] < found["complexity"] < found["stability"]
    True
    """
    fitted = {
        "rows": whole(rows, "rows", 1, COUNTED),
        "ridge": number(alpha, "alpha", f"a number > 0 and ≤ {LARGEST:g}", lambda a: 0 < a <= LARGEST),
        "kappa": size(kappa, "kappa"),
        "trace": size(trace, "trace"),
        "largest": size(largest, "largest"),
        "norm": size(norm, "norm"),
        "risk": 0.0,
    }
    found = formula("generalisation", [fitted, chance(probability)])
    return {**found, "complexity": None} if fitted["ridge"] > fitted["kappa"] else found


def consistency(
    *,
    rows: int,
    atoms: int,
    lipschitz: float,
    largest: float,
    norm: float,
    trace: float,
    largest_operator: float,
    probability: float = 0.05,
) -> dict[str, float]:
    """T17 Proposition 7.3: the risk of the best ‖θⱼ‖ ≤ norm/√D above the best of the kernel's own class; fails with at most
    twice this probability.

    Examples
    --------
    >>> from orff.bounds import consistency
    >>> found = consistency(
    ...     rows=1000, atoms=400, lipschitz=1.0, largest=1.0, norm=1.0, trace=1.0, largest_operator=1.0
    ... )
    >>> sorted(found)
    ['approximation', 'estimation']
    """
    given = {
        "rows": whole(rows, "rows", 1, COUNTED),
        "atoms": whole(atoms, "atoms", 1, COUNTED),
        "lipschitz": size(lipschitz, "lipschitz"),
        "largest": size(largest, "largest"),
        "norm": size(norm, "norm"),
        "trace": size(trace, "trace"),
        "largest_operator": size(largest_operator, "largest_operator"),
        "probability": chance(probability),
    }
    return formula("consistency", given)


def warped(
    *, rows: int, atoms: int, graph_norm: float, kernel_norm: float | None = None, feature_map: str = "pairs"
) -> dict[str, float]:
    """I17 Lemma 3 and Proposition 3: expected errors of the kernel matrix of so many rows, and of the one that a graph warps.

    Examples
    --------
    >>> from orff.bounds import warped
    >>> found = warped(rows=1000, atoms=5000, graph_norm=0.01)
    >>> found["warped"] == found["plain"] * found["factor"]
    True
    """
    n = whole(rows, "rows", 1, COUNTED)
    largest = f"a number > 0 and ≤ {n}, the number of rows"
    given = {
        "rows": n,
        "atoms": whole(atoms, "atoms", 1, COUNTED),
        "graph_norm": size(graph_norm, "graph_norm"),
        "kernel_norm": n if kernel_norm is None else number(kernel_norm, "kernel_norm", largest, lambda k: 0 < k <= n),
        "feature_map": word(feature_map, "feature_map", *MAPS),
    }
    return formula("warped", given)
