"""Scalar kernels."""

# Made by `cargo xtask gen` from the declarations of the library: change those, not this file.

from __future__ import annotations

from collections.abc import Sequence

from .kernels import Kernel, spectrum

__all__ = ["gaussian", "laplace", "cauchy", "matern", "skewed_chi2"]


def gaussian(lengthscale: str | float | Sequence[float] = "auto") -> Kernel:
    """exp(−½‖δ/ℓ‖²)."""
    return spectrum("gaussian", lengthscale=lengthscale)


def laplace(lengthscale: str | float | Sequence[float] = "auto") -> Kernel:
    """exp(−‖δ/ℓ‖₁)."""
    return spectrum("laplace", lengthscale=lengthscale)


def cauchy(lengthscale: str | float | Sequence[float] = "auto") -> Kernel:
    """∏ 1/(1 + δₖ²/ℓₖ²)."""
    return spectrum("cauchy", lengthscale=lengthscale)


def matern(smoothness: float = 2.5, lengthscale: str | float | Sequence[float] = "auto") -> Kernel:
    """2^{1−ν}/Γ(ν) x^ν K_ν(x), x = √(2ν)‖δ/ℓ‖."""
    return spectrum("matern", smoothness=smoothness, lengthscale=lengthscale)


def skewed_chi2(lengthscale: str | float | Sequence[float] = "auto") -> Kernel:
    """∏ sech(δₖ/2ℓₖ)."""
    return spectrum("skewed-chi2", lengthscale=lengthscale)
