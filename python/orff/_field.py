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
        """∂fᵢ/∂xₖ at each row: shape (n, p, d).

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
        >>> field = orff.VectorField("curl-free", n_components=200).fit(X, X[:, ::-1])  # the gradient of x·y
        >>> bool(np.abs(field.jacobian([[0.1, 0.2]])[0] - [[0, 1], [1, 0]]).max() < 0.05)
        True
        """
        return self._calculus("jacobian", X)

    def divergence(self, X: Any) -> np.ndarray:
        """Σₖ ∂fₖ/∂xₖ at each row: shape (n,).

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
        >>> field = orff.VectorField("div-free", n_components=200).fit(X, X[:, ::-1] * [1, -1])  # a whirl
        >>> bool(np.abs(field.divergence(X)).max() < 1e-9)
        True
        """
        return self._calculus("divergence", X)

    def curl(self, X: Any) -> np.ndarray:
        """The curl at each row: shape (n,) in the plane, (n, 3) in space, (n, d(d−1)/2) beyond.

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
        >>> field = orff.VectorField("curl-free", n_components=200).fit(X, X[:, ::-1])  # the gradient of x·y
        >>> bool(np.abs(field.curl(X)).max() < 1e-9)
        True
        """
        self._fitted()
        if self.n_features_in_ < 2:
            raise ValueError(
                "curl: expected a field with two inputs or more, got one; a field on the line has no curl"
            )
        return self._calculus("curl", X)

    def potential(self, X: Any) -> np.ndarray:
        """φ with f = ∇φ, or of the gradient part of a field that is no gradient: shape (n,).

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
        >>> field = orff.VectorField("curl-free", n_components=200).fit(X, X[:, ::-1])  # the gradient of x·y
        >>> bool(np.ptp(field.potential(X) - X[:, 0] * X[:, 1]) < 0.05)
        True
        """
        return self._calculus("potential", X)

    def stream_function(self, X: Any) -> np.ndarray:
        """ψ with f = (∂ψ/∂x₂, −∂ψ/∂x₁) in the plane, or of the rotation part: shape (n,).

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
        >>> field = orff.VectorField("div-free", n_components=200).fit(X, X[:, ::-1] * [1, -1])  # a whirl
        >>> psi = field.stream_function(X)
        >>> bool(np.ptp(psi - (X**2).sum(axis=1) / 2) < 0.05)
        True
        """
        return self._calculus("stream_function", X)

    def vector_potential(self, X: Any) -> np.ndarray:
        """A with f = ∇×A in space, or of the rotation part: shape (n, 3).

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).uniform(-1, 1, (60, 3))
        >>> Y = np.column_stack([X[:, 1], X[:, 2], X[:, 0]])
        >>> orff.VectorField("div-free", n_components=100).fit(X, Y).vector_potential(X).shape
        (60, 3)
        """
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
            squares over the rows, and the ``cross`` term 2⟨gradient, rotation⟩. Both parts are about their own means over
            the rows, ``mean`` is that of the field: gradient, rotation and cross add up to its variance.

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
        >>> field = orff.VectorField(n_components=100).fit(X, X + X[:, ::-1] * [1, -1])
        >>> parts = field.decompose(X)
        >>> whole = parts["gradient"] + parts["rotation"] + parts["mean"]
        >>> bool(np.allclose(whole, field.predict(X)))
        True
        """
        return self._fitted().decompose(_data.inputs(self, X, reset=False), self._threads())
