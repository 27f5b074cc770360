"""How far random features can be from their kernel."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _orff
from ._arguments import flag, jobs, whole, word
from ._bounds_numbers import MAPS, vector
from ._errors import ParameterError
from ._json import dumps
from ._progress import Progress
from .kernels import Kernel, as_kernel

OUTPUTS = 1000
"""Most outputs."""

MEASURES, SUMS = ("trace", "plain", "tilted"), ("concatenation", "mixture")


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
    variance : tuple of dict
        The variance of the approximate kernel times the number of atoms, in norm, at ``distance`` 0, half the diameter and the
        diameter: ``exact`` (None where it has no closed form), ``always`` (never below it), ``measured`` (where draws were
        asked for).
    measured : float or None
        The same quantity over draws of the atoms, where draws were asked for; None for more features than are tried.
    extrapolated : float or None
        About how many features it would take in that case, from the errors of few: they fall like 1/√D.
    errors : numpy.ndarray or None
        The largest error of each draw, in ascending order.
    """

    asked: str
    bounds: tuple[Bound, ...]
    refused: Mapping[str, str]
    scale: float
    constants: tuple[Mapping[str, Any], ...]
    variance: tuple[Mapping[str, float | None], ...]
    measured: float | None
    extrapolated: float | None
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
        variance=tuple(answer["variance"]),
        measured=answer["measured"],
        extrapolated=answer["extrapolated"],
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
        The norms that the papers print for pairs of one term; the second is false at δ = 0.
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
    sum: str = "concatenation",
) -> Variance:
    """The variance of the approximate kernel at x − z = delta, times the number of atoms; open lengthscales are 1.

    The terms of a sum have atoms of their own, as many as the others, or each atom belongs to one term ("mixture").

    Examples
    --------
    >>> from orff.bounds import variance
    >>> float(variance("curl-free", [0.0, 0.0, 0.0], measure="plain").exact[0, 0])  # (d + 1)/σ⁴
    4.0
    """
    given = {
        "kernel": as_kernel(kernel),
        "delta": np.atleast_1d(vector(delta, "delta", "finite numbers, one for each input")),
        "outputs": whole(outputs, "outputs", 1, OUTPUTS),
        "measure": word(measure, "measure", *MEASURES),
        "feature_map": word(feature_map, "feature_map", *MAPS),
        "sum": word(sum, "sum", *SUMS),
    }
    found = json.loads(_orff.bound_formula("variance", dumps(given)))
    array = lambda rows: None if rows is None else np.array(rows)  # noqa: E731
    return Variance(**{name: array(v) if name in ("exact", "always", "of_a") else v for name, v in found.items()})
