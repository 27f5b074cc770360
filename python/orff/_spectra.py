"""Scalar kernels."""

# Made by `cargo xtask gen` from the declarations of the library: change those, not this file.

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .kernels import Kernel, spectrum

__all__ = ["gaussian", "laplace", "cauchy", "matern", "skewed_chi2", "spectral_mixture"]


def gaussian(lengthscale: str | float | Sequence[float] | np.ndarray = "auto") -> Kernel:
    """exp(−½‖δ/ℓ‖²).

    Examples
    --------
    >>> import orff
    >>> k = orff.gaussian(lengthscale=0.5)([[0.0], [0.2]])[:, :, 0, 0]
    >>> bool(abs(k[0, 0] - 1) < 1e-12 and 0 < k[0, 1] == k[1, 0] < 1)
    True
    """
    return spectrum("gaussian", lengthscale=lengthscale)


def laplace(lengthscale: str | float | Sequence[float] | np.ndarray = "auto") -> Kernel:
    """exp(−‖δ/ℓ‖₁).

    Examples
    --------
    >>> import orff
    >>> k = orff.laplace(lengthscale=0.5)([[0.0], [0.2]])[:, :, 0, 0]
    >>> bool(abs(k[0, 0] - 1) < 1e-12 and 0 < k[0, 1] == k[1, 0] < 1)
    True
    """
    return spectrum("laplace", lengthscale=lengthscale)


def cauchy(lengthscale: str | float | Sequence[float] | np.ndarray = "auto") -> Kernel:
    """∏ 1/(1 + δₖ²/ℓₖ²).

    Examples
    --------
    >>> import orff
    >>> k = orff.cauchy(lengthscale=0.5)([[0.0], [0.2]])[:, :, 0, 0]
    >>> bool(abs(k[0, 0] - 1) < 1e-12 and 0 < k[0, 1] == k[1, 0] < 1)
    True
    """
    return spectrum("cauchy", lengthscale=lengthscale)


def matern(smoothness: float = 2.5, lengthscale: str | float | Sequence[float] | np.ndarray = "auto") -> Kernel:
    """2^{1−ν}/Γ(ν) x^ν K_ν(x), x = √(2ν)‖δ/ℓ‖.

    Examples
    --------
    >>> import orff
    >>> k = orff.matern(lengthscale=0.5)([[0.0], [0.2]])[:, :, 0, 0]
    >>> bool(abs(k[0, 0] - 1) < 1e-12 and 0 < k[0, 1] == k[1, 0] < 1)
    True
    """
    return spectrum("matern", smoothness=smoothness, lengthscale=lengthscale)


def skewed_chi2(lengthscale: str | float | Sequence[float] | np.ndarray = "auto") -> Kernel:
    """∏ sech(δₖ/2ℓₖ).

    Examples
    --------
    >>> import orff
    >>> k = orff.skewed_chi2(lengthscale=0.5)([[0.0], [0.2]])[:, :, 0, 0]
    >>> bool(abs(k[0, 0] - 1) < 1e-12 and 0 < k[0, 1] == k[1, 0] < 1)
    True
    """
    return spectrum("skewed-chi2", lengthscale=lengthscale)


def spectral_mixture(components: int | Sequence[Sequence[float]] | np.ndarray = 3, lengthscale: str | float | Sequence[float] | np.ndarray = "auto") -> Kernel:
    """Σ w exp(−½ Σ(sₖδₖ/ℓₖ)²) cos⟨μ, δ/ℓ⟩ over some components (w, μ, s), their number where they are learned.

    Examples
    --------
    >>> import numpy as np
    >>> import orff
    >>> k = orff.spectral_mixture([[1.0, 2 * np.pi, 0.1]], lengthscale=1)  # weight, mean and deviation: waves of length 1
    >>> bool(k([[0.0]], [[1.0]])[0, 0, 0, 0] > 0.99 and k([[0.0]], [[0.5]])[0, 0, 0, 0] < -0.99)
    True
    >>> x = np.linspace(0, 6, 150)[:, None]
    >>> y = np.sin(2 * np.pi * x[:, 0]) + np.sin(x[:, 0])
    >>> learned = orff.OperatorRidge(kernel=orff.spectral_mixture(2)).fit(x, y)  # a number: the components are learned
    >>> bool(np.abs(learned.predict([[6.5]]) - np.sin(6.5)) < 0.2)  # beyond the rows
    True
    """
    return spectrum("spectral-mixture", components=components, lengthscale=lengthscale)
