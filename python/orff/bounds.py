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
        """The first bound."""
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
    if n_jobs is not None and (not isinstance(n_jobs, int) or n_jobs < 1):
        raise ParameterError(f"n_jobs: expected a whole number ≥ 1, or None, got {n_jobs!r}")
    answer = json.loads(_orff.bound(dumps(given), n_jobs, Progress(0) if verbose else None))
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
        "delta": np.asarray(delta, dtype=float).ravel(),
        "outputs": outputs,
        "measure": measure,
        "feature_map": feature_map,
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
        "rows": rows,
        "ridge": alpha,
        "kappa": kappa,
        "trace": trace,
        "largest": largest,
        "norm": norm,
        "risk": 0.0,
    }
    return json.loads(_orff.bound_formula("generalisation", dumps([fitted, probability])))


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
        "rows": rows,
        "atoms": atoms,
        "lipschitz": lipschitz,
        "largest": largest,
        "norm": norm,
        "trace": trace,
        "largest_operator": largest_operator,
        "probability": probability,
    }
    return json.loads(_orff.bound_formula("consistency", dumps(given)))


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
    given = {
        "rows": rows,
        "atoms": atoms,
        "graph_norm": graph_norm,
        "kernel_norm": kernel_norm,
        "feature_map": feature_map,
    }
    return json.loads(_orff.bound_formula("warped", dumps(given)))


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
    q, seen = np.asarray(posterior, dtype=float), np.asarray(losses, dtype=float)
    p = np.full(q.shape, 1.0 / max(q.size, 1)) if prior is None else np.asarray(prior, dtype=float)
    if q.ndim != 1 or q.shape != seen.shape or q.shape != p.shape or not q.size:
        raise ParameterError(
            f"posterior: expected as many weights as losses and priors, got {q.shape}, {seen.shape}, {p.shape}"
        )
    for name, weights in (("posterior", q), ("prior", p)):
        if not (np.all(weights >= 0) and abs(weights.sum() - 1) < 1e-6):
            raise ParameterError(f"{name}: expected weights ≥ 0 that sum to 1, got a sum of {weights.sum():.6g}")
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(q > 0, q / p, 0.0)
        kl = float(np.sum(np.where(q > 0, q * np.log(ratio), 0.0)))
        divergence = {power: float(np.sum(p * ratio**power) - 1) for power in (2.0, mu)}
    if not math.isfinite(kl):
        raise ParameterError("prior: expected weights > 0 wherever the posterior has some, got 0")
    weighed = {
        "rows": rows,
        "loss": float(q @ seen),
        "kl": max(kl, 0.0),
        "chi2": max(divergence[2.0], 0.0),
        "mu": mu,
        "divergence": max(divergence[mu], 0.0),
        "t": math.sqrt(rows) if t is None else t,
        "classes": classes,
    }
    return json.loads(_orff.bound_formula("alignment", dumps([weighed, probability])))


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
    given = {
        "compared": compared,
        "loss": loss,
        "kl": kl,
        "t": math.sqrt(compared) if t is None else t,
        "landmarks": landmarks,
        "probability": probability,
    }
    return json.loads(_orff.bound_formula("landmark", dumps(given)))
