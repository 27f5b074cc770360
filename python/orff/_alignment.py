"""What estimators with a learned kernel know of it."""

from __future__ import annotations

import json

import numpy as np

from ._arguments import probability as chance, whole
from ._base import Estimator
from ._warn import warn
from .kernels import Kernel, atoms

OUTPUTS = 1000
"""Most outputs."""


class Alignment(Estimator):
    """An estimator whose atoms have learned weights."""

    @property
    def candidates_(self) -> np.ndarray:
        """Frequencies that were weighed, in the units of the inputs: they are drawn again."""
        return self._fitted().alignment("candidates")

    @property
    def posterior_(self) -> np.ndarray:
        """Their learned probabilities."""
        return self._fitted().alignment("posterior")

    @property
    def prior_(self) -> np.ndarray:
        """Their probabilities before."""
        return self._fitted().alignment("prior")

    @property
    def alignment_(self) -> np.ndarray:
        """Mean of λ cos⟨ω, x − x′⟩ over pairs of rows."""
        return 1.0 - 2.0 * self._fitted().alignment("losses")

    @property
    def bound_(self) -> dict[str, float]:
        """Bounds of the expected alignment loss (see `bounds`), each failing with probability 0.05 at most."""
        return self.bounds()

    def bounds(self, probability: float = 0.05) -> dict[str, float]:
        """Bounds of the expected alignment loss of the posterior over all candidates, the tightest first.

        1 and more says nothing. The atoms that are kept are drawn from that posterior: the loss of these alone may be
        larger. What a bound assumes and the fit does not keep is warned of.

        Parameters
        ----------
        probability : float
            The probability that a bound fails.
        """
        lines = json.loads(self._fitted().guarantees(chance(probability)))
        for assumed in dict.fromkeys(assumed for line in lines for assumed in line["assumptions"]):
            if assumed.startswith("violated"):
                warn(f"bounds: an assumption is {assumed}", UserWarning)
        return {line["name"]: line["value"] for line in lines}


class LearnedKernel(Alignment):
    """An estimator with one learned kernel for all points."""

    def learned_kernel(self, outputs: int = 1) -> Kernel:
        """The learned kernel Σ aⱼ cos⟨x − z, ωⱼ⟩, in the units of the inputs, the same for each of so many outputs: any estimator
        takes it.

        Parameters
        ----------
        outputs : int
            Number of outputs; with one it is a scalar kernel, which serves any number of them.
        """
        omega, weights = self._fitted().atoms()
        outputs = whole(outputs, "outputs", 1, OUTPUTS)
        return atoms(omega, np.tile(np.eye(outputs), (len(weights), 1)), weights)


class Landmarks(Alignment):
    """An estimator with a learned kernel about each of some points."""

    @property
    def landmarks_(self) -> np.ndarray:
        """The landmarks, in the units of the inputs."""
        return self._fitted().alignment("landmarks")
