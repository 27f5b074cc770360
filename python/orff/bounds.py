"""How far random features can be from their kernel, and what is learned from its mean error: the bounds of the papers, with
their misprints corrected (docs/bounds.md has the theorems and the proofs).

>>> from orff import bounds
>>> answer = bounds.bound("curl-free", dimension=3, diameter=2.0, n_components=200_000, epsilon=0.2)
>>> answer.asked, answer.best.name
('probability', 'brault-2017-bounded')
>>> answer.best.value < 1e-6
True
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _orff
from ._arguments import flag, floats, jobs, number, probability as chance, refused, whole, word
from ._errors import ParameterError
from ._json import dumps
from ._progress import Progress
from .kernels import Kernel, as_kernel

__all__ = [
    "Answer",
    "Bound",
    "Variance",
    "alignment",
    "bound",
    "consistency",
    "generalisation",
    "landmark",
    "variance",
    "warped",
]

LARGEST = 1e100
"""Squares and products of numbers up to this are finite."""

COUNTED = 2**53
"""Counts up to this are numbers without rounding."""

OUTPUTS = 1000
"""Most outputs."""

ROUNDING = 1e-9
"""How far a mean of losses from 0 to 1 can be outside."""

MAPS, MEASURES = ("pairs", "phases"), ("trace", "plain", "tilted")


@dataclass(frozen=True)
class Bound:
    """What one theorem says.

    Attributes
    ----------
    name, source : str
        Its short name, and where it is printed.
    scope : {"uniform", "pointwise"}
        For all pairs of points at once, or for one pair that is fixed before the draw.
    norm : {"operator", "hilbert-schmidt"}
        The norm of the error; the second is never below the first.
    value : float or None
        The probability, epsilon or number of features that was asked for; None if there is none.
    assumptions : tuple of str
        What has to be true, with the constants that were used.
    """

    name: str
    source: str
    scope: str
    norm: str
    value: float | None
    assumptions: tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """What all theorems say, the tightest first.

    Attributes
    ----------
    asked : {"probability", "epsilon", "features"}
        What was not given.
    bounds : tuple of Bound
        Uniform bounds first, then pointwise ones, each from the tightest on.
    refused : dict
        Why other theorems do not apply, by their names.
    scale : float
        The norm of K(x, x), with which errors are to be compared.
    constants : tuple of dict
        The constants of the theorems, for each term of the kernel.
    measured : float or None
        The same quantity over draws of the atoms, where draws were asked for.
    errors : numpy.ndarray or None
        The largest error of each draw, in ascending order.
    """

    asked: str
    bounds: tuple[Bound, ...]
    refused: Mapping[str, str]
    scale: float
    constants: tuple[Mapping[str, Any], ...]
    measured: float | None
    errors: np.ndarray | None

    @property
    def best(self) -> Bound:
        """The first bound; a ValueError that says why where none applies."""
        if not self.bounds:
            raise ValueError("bounds: no theorem applies: " + "; ".join(f"{k}: {why}" for k, why in self.refused.items()))
        return self.bounds[0]


def bound(
    kernel: Kernel | str | Mapping[str, Any] = "decomposable",
    *,
    dimension: int,
    diameter: float = 1.0,
    outputs: int | str = "auto",
    lengthscale: float | Sequence[float] | str = "auto",
    group: str = "additive",
    n_components: int | str = "auto",
    epsilon: float | str = "auto",
    probability: float | str = "auto",
    feature_map: str = "pairs",
    measure: str = "trace",
    sum: str = "concatenation",
    draws: int = 0,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Answer:
    """Bound the error of random features: give two of ``n_components``, ``epsilon`` and ``probability``.

    Parameters
    ----------
    kernel : Kernel, str or mapping
        The kernel; lengthscales that it leaves open are ``lengthscale``.
    dimension : int
        Number of inputs.
    diameter : float
        Diameter of the set of points, in the chart of the group.
    outputs : int or "auto"
        Number of outputs, where the kernel leaves it open.
    lengthscale : float, sequence of floats or "auto"
        Lengthscale of spectra that leave theirs open; "auto" is 1.
    group : str
        The group: "additive", "multiplicative" or "skewed(c)".
    n_components : int or "auto"
        Number of columns of the feature map, two for each atom of pairs.
    epsilon : float or "auto"
        The error that shall not be reached.
    probability : float or "auto"
        The probability that it is reached all the same; 0.05 where it is neither given nor asked for.
    feature_map : {"pairs", "phases"}
        Cosines and sines, or shifted cosines.
    measure : {"trace", "plain", "tilted"}
        The measure frequencies are drawn from.
    sum : {"concatenation", "mixture"}
        How a sum of kernels shares its atoms.
    draws : int
        Measure the same by drawing atoms so often; 0 does not.
    random_state : int
        Seed of the draws.
    n_jobs : int or None
        Number of threads; None takes all.
    verbose : bool
        Show progress of the draws.

    Examples
    --------
    >>> from orff.bounds import bound
    >>> few = bound("gaussian", dimension=2, n_components=1000).best.value
    >>> more = bound("gaussian", dimension=2, n_components=4000).best.value
    >>> more < few
    True
    >>> answer = bound("div-free", dimension=2, n_components=400, probability=0.1, draws=20)
    >>> answer.measured < answer.best.value
    True
    """
    given = {
        "kernel": as_kernel(kernel),
        "dimension": dimension,
        "diameter": diameter,
        "outputs": outputs,
        "lengthscale": lengthscale,
        "group": group,
        "n_components": n_components,
        "epsilon": epsilon,
        "probability": probability,
        "feature_map": feature_map,
        "measure": measure,
        "sum": sum,
        "draws": draws,
        "random_state": random_state,
    }
    given = {name: "auto" if value is None else value for name, value in given.items()}
    three = ("n_components", "epsilon", "probability")
    if not any(isinstance(given[name], str) for name in three):
        raise ParameterError(f"{', '.join(three)}: expected two of them, the third is asked for, got all three")
    tell = Progress(0) if flag(verbose, "verbose") else None
    answer = json.loads(_orff.bound(dumps(given), jobs(n_jobs), tell))
    lines = [Bound(**{**line, "assumptions": tuple(line["assumptions"])}) for line in answer["bounds"]]
    seen = answer["empirical"]
    return Answer(
        asked=answer["asked"],
        bounds=tuple(lines),
        refused={refusal["name"]: refusal["why"] for refusal in answer["refused"]},
        scale=answer["scale"],
        constants=tuple(_constants(each) for each in answer["constants"]),
        measured=answer["measured"],
        errors=None if seen is None else np.array(seen["errors"]),
    )


def _constants(each: Mapping[str, Any]) -> Mapping[str, Any]:
    """Numbers that are not finite are null in JSON."""
    return {name: math.inf if value is None and name != "constant" else value for name, value in each.items()}


@dataclass(frozen=True)
class Variance:
    """D times the variance of the approximate kernel at one difference δ.

    Attributes
    ----------
    exact : numpy.ndarray or None
        The variance (p×p); None where it has no closed form here.
    always : numpy.ndarray
        E[A²] − K(δ)², which is never below it.
    of_a : numpy.ndarray
        Var[A].
    brault_2016, brault_2017 : float or None
        The norms that the papers print; the second is false at δ = 0.
    """

    exact: np.ndarray | None
    always: np.ndarray
    of_a: np.ndarray
    brault_2016: float | None
    brault_2017: float | None


def variance(
    kernel: Kernel | str | Mapping[str, Any],
    delta: ArrayLike,
    *,
    outputs: int = 1,
    measure: str = "trace",
    feature_map: str = "pairs",
) -> Variance:
    """The variance of the approximate kernel at x − z = delta, times the number of atoms; open lengthscales are 1.

    Examples
    --------
    >>> from orff.bounds import variance
    >>> float(variance("curl-free", [0.0, 0.0, 0.0], measure="plain").exact[0, 0])  # (d + 1)/σ⁴
    4.0
    """
    given = {
        "kernel": as_kernel(kernel),
        "delta": np.atleast_1d(_vector(delta, "delta", "finite numbers, one for each input")),
        "outputs": whole(outputs, "outputs", 1, OUTPUTS),
        "measure": word(measure, "measure", *MEASURES),
        "feature_map": word(feature_map, "feature_map", *MAPS),
    }
    found = json.loads(_orff.bound_formula("variance", dumps(given)))
    array = lambda rows: None if rows is None else np.array(rows)  # noqa: E731
    return Variance(**{name: array(v) if name in ("exact", "always", "of_a") else v for name, v in found.items()})


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
        "kappa": _size(kappa, "kappa"),
        "trace": _size(trace, "trace"),
        "largest": _size(largest, "largest"),
        "norm": _size(norm, "norm"),
        "risk": 0.0,
    }
    found = _formula("generalisation", [fitted, chance(probability)])
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
        "lipschitz": _size(lipschitz, "lipschitz"),
        "largest": _size(largest, "largest"),
        "norm": _size(norm, "norm"),
        "trace": _size(trace, "trace"),
        "largest_operator": _size(largest_operator, "largest_operator"),
        "probability": chance(probability),
    }
    return _formula("consistency", given)


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
        "graph_norm": _size(graph_norm, "graph_norm"),
        "kernel_norm": n if kernel_norm is None else number(kernel_norm, "kernel_norm", largest, lambda k: 0 < k <= n),
        "feature_map": word(feature_map, "feature_map", *MAPS),
    }
    return _formula("warped", given)


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
    power = number(mu, "mu", "a number > 1", lambda mu: mu > 1)
    q = _law(posterior, "posterior")
    p = np.full(q.shape, 1.0 / q.size) if prior is None else _law(prior, "prior", q.size)
    seen = _vector(losses, "losses", "numbers from 0 to 1")
    if seen.shape != q.shape or not ((seen >= -ROUNDING) & (seen <= 1 + ROUNDING)).all():
        raise refused("losses", f"{q.size} numbers from 0 to 1, one for each weight of the posterior", losses)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.where(q > 0, q / p, 0.0)
        kl = float(np.sum(np.where(q > 0, q * np.log(ratio), 0.0)))
        chi2, divergence = (float(np.sum(np.where(p > 0, p * ratio**each, 0.0)) - 1) for each in (2.0, power))
    if not (math.isfinite(kl) and math.isfinite(chi2)):
        raise refused("prior", "weights > 0, and not too small, wherever the posterior has some", prior)
    if not math.isfinite(divergence):
        raise refused("mu", "a power for which the divergence of the posterior is finite", mu)
    weighed = {
        "rows": n,
        "loss": max(float(q @ seen), 0.0),
        "kl": max(kl, 0.0),
        "chi2": max(chi2, 0.0),
        "mu": power,
        "divergence": max(divergence, 0.0),
        "t": _t(t, n),
        "classes": whole(classes, "classes", 0, COUNTED),
    }
    return _formula("alignment", [weighed, chance(probability)])


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
        "kl": _size(kl, "kl"),
        "t": _t(t, n),
        "landmarks": whole(landmarks, "landmarks", 1, COUNTED),
        "probability": chance(probability),
    }
    return json.loads(_orff.bound_formula("landmark", dumps(given)))


def _formula(name: str, given: Any) -> dict[str, Any]:
    """What a formula gives; numbers that are not finite are null in JSON."""
    found = json.loads(_orff.bound_formula(name, dumps(given)))
    return {key: math.inf if value is None else value for key, value in found.items()}


def _size(value: Any, name: str) -> float:
    """A number that is no less than nothing."""
    return number(value, name, f"a number ≥ 0 and ≤ {LARGEST:g}", lambda v: 0 <= v <= LARGEST)


def _t(t: Any, rows: float) -> float:
    """The parameter of a theorem, √n when left out."""
    if t is None:
        return math.sqrt(rows)
    return number(t, "t", f"a number > 0 and ≤ {LARGEST:g}", lambda t: 0 < t <= LARGEST)


def _vector(values: Any, name: str, expected: str) -> np.ndarray:
    """Finite numbers in one axis at most."""
    found = floats(values, name, expected)
    if found.ndim > 1 or not found.size or not np.isfinite(found).all():
        raise refused(name, expected, values)
    return found


def _law(values: Any, name: str, size: int | None = None) -> np.ndarray:
    """Weights that sum to 1."""
    expected = f"{'' if size is None else f'{size} '}weights ≥ 0 that sum to 1"
    found = _vector(values, name, expected)
    if found.ndim != 1 or found.size != (size or found.size) or (found < 0).any():
        raise refused(name, expected, values)
    if not abs(found.sum() - 1) < 1e-6:
        raise ParameterError(f"{name}: expected {expected}, got a sum of {found.sum():.6g}")
    return found
