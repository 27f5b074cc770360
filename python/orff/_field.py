"""Vector fields, with their calculus."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Tags

from . import _data
from ._regressor import Regressor


class Field(Regressor):
    """A vector at each point: as many outputs as inputs."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = False
        return tags

    def _calculus(self, word: str, X: Any) -> np.ndarray:
        model = self._fitted()
        return model.calculus(word, _data.inputs(self, X, reset=False), self._threads())

    def jacobian(self, X: Any) -> np.ndarray:
        """∂fᵢ/∂xₖ at each row: shape (n, p, d)."""
        return self._calculus("jacobian", X)

    def divergence(self, X: Any) -> np.ndarray:
        """Σₖ ∂fₖ/∂xₖ at each row: shape (n,)."""
        return self._calculus("divergence", X)

    def curl(self, X: Any) -> np.ndarray:
        """The curl at each row: shape (n,) in the plane, (n, 3) in space, (n, d(d−1)/2) beyond."""
        self._fitted()
        if self.n_features_in_ < 2:
            raise ValueError(
                "curl: expected a field with two inputs or more, got one; a field on the line has no curl"
            )
        return self._calculus("curl", X)

    def potential(self, X: Any) -> np.ndarray:
        """φ with f = ∇φ, or of the gradient part of a field that is no gradient: shape (n,)."""
        return self._calculus("potential", X)

    def stream_function(self, X: Any) -> np.ndarray:
        """ψ with f = (∂ψ/∂x₂, −∂ψ/∂x₁) in the plane, or of the rotation part: shape (n,)."""
        return self._calculus("stream_function", X)

    def vector_potential(self, X: Any) -> np.ndarray:
        """A with f = ∇×A in space, or of the rotation part: shape (n, 3)."""
        return self._calculus("vector_potential", X)

    def decompose(self, X: Any) -> dict[str, Any]:
        """The field at each row as the sum of a gradient, a rotation and a constant.

        Parameters
        ----------
        X : array or table of shape (n, d)
            Points.

        Returns
        -------
        dict
            ``gradient`` and ``rotation`` of shape (n, d), ``mean`` of shape (d,), and the ``energies`` of each: mean
            squares over the rows, and the ``cross`` term 2⟨gradient, rotation⟩. Gradient, rotation and cross add up to
            the mean square of the field less its ``mean``.
        """
        return self._fitted().decompose(_data.inputs(self, X, reset=False), self._threads())
