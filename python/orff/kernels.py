"""Operator-valued kernels as values: build them, add them, scale them, multiply them, evaluate them.

>>> import orff
>>> kernel = orff.curl_free(orff.matern(1.5)) + 0.1 * orff.div_free()
>>> print(kernel)
curl-free(matern(1.5)) + 0.1*div-free
>>> kernel == orff.Kernel("curl-free(matern(1.5)) + 0.1*div-free")
True
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _orff
from ._arguments import array, few, floats, whole, word
from ._errors import ParameterError
from ._json import attribute, dumps, plain

DEEPEST = 8
"""Lists within each other: matrices of atoms are three, and nothing is deeper."""


class Kernel:
    """An operator-valued kernel: add kernels, multiply them with each other and with numbers, divide them by numbers.

    Parameters
    ----------
    kernel : str or mapping
        An expression such as ``"curl-free(matern(2.5)) + 0.1*div-free"``, or the structured form that it stands for.

    Examples
    --------
    >>> from orff import Kernel, curl_free, div_free, gaussian
    >>> Kernel("2*gaussian(0.5)") == 2 * gaussian(0.5)
    True
    >>> gaussian(0.5)([[0.0], [0.5]]).shape
    (2, 2, 1, 1)
    >>> sum([curl_free(), div_free()]) / 2
    Kernel('0.5*(curl-free + div-free)')
    """

    __slots__ = ("_form", "_text")
    __array_ufunc__ = None  # arrays leave sums and products with kernels to these
    __pandas_priority__ = 5000  # and so do the tables of pandas, whose own is 4000

    def __init__(self, kernel: str | Mapping[str, Any] | Kernel):
        self._read(kernel, "kernel")

    def _read(self, form: Any, name: str) -> None:
        """Let the library read and check it; errors speak of the argument of that name."""
        structured, text = _orff.kernel(dumps(form), name)
        self._form: dict[str, Any] = json.loads(structured)
        self._text: str = text

    @property
    def form(self) -> dict[str, Any]:
        """The structured form, as files and the command take it."""
        return json.loads(json.dumps(self._form))

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Kernel({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kernel) and self._form == other._form

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self):
        return Kernel, (self._form,)

    def __add__(self, other: Kernel) -> Kernel:
        if not isinstance(other, Kernel):
            raise _unsupported("+", self, other)
        terms = [t for k in (self, other) for t in (k._form["terms"] if k._form["kernel"] == "sum" else [k._form])]
        return Kernel({"kernel": "sum", "terms": terms})

    def __mul__(self, other: Kernel | float) -> Kernel:
        if isinstance(other, Kernel):
            return Kernel({"kernel": "product", "left": self._form, "right": other._form})
        factor, of = _float(other), self._form
        if factor is not None:
            if of["kernel"] == "scaled":
                factor, of = factor * of["factor"], of["of"]
            return Kernel({"kernel": "scaled", "factor": factor, "of": of})
        raise _unsupported("*", self, other)

    def __rmul__(self, other: float) -> Kernel:
        if _float(other) is None:
            raise _unsupported("*", other, self)
        return self.__mul__(other)

    def __radd__(self, other: int) -> Kernel:
        # what `sum` begins with
        if isinstance(other, Real) and other == 0:
            return self
        raise _unsupported("+", other, self)

    def __truediv__(self, other: float) -> Kernel:
        number = _float(other)
        if number is None:
            raise _unsupported("/", self, other)
        return self * (1 / number if number else float("inf"))

    def conjugate(self, by: ArrayLike) -> Kernel:
        """M K Mᵀ for a matrix M with a row per output."""
        return conjugate(by, self)

    def precompose(self, by: ArrayLike) -> Kernel:
        """K(T x, T z) for a matrix T with a column per input."""
        return precompose(by, self)

    def __call__(self, X: ArrayLike, Z: ArrayLike | None = None, *, outputs: int | None = None) -> np.ndarray:
        """Evaluate the kernel exactly.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Points.
        Z : array-like of shape (m, d), optional
            Other points; X itself when left out.
        outputs : int, optional
            Number of outputs p where the kernel leaves it open (one otherwise).

        Returns
        -------
        ndarray of shape (n, m, p, p)
            K(xᵢ, zⱼ).
        """
        points = _points("X", X)
        others = points if Z is None else _points("Z", Z)
        count = None if outputs is None else whole(outputs, "outputs")
        return _orff.kernel_eval(json.dumps(self._form), points, others, count)


def _unsupported(sign: str, left: Any, right: Any) -> TypeError:
    """The error of what is no kernel and no number, before its own methods try: tables of polars have errors of their own."""
    kinds = f"'{type(left).__name__}' and '{type(right).__name__}'"
    return TypeError(f"unsupported operand type(s) for {sign}: {kinds}")


def _points(name: str, values: ArrayLike) -> np.ndarray:
    """Points as the extension reads them."""
    points = floats(values, name, "an array of numbers with a row per point", single=True)
    if points.ndim != 2:
        raise ValueError(f"{name}: expected an array with two axes (points and inputs), got {points.ndim}")
    return points


def _float(number: Any) -> float | None:
    """A number as the library takes it; one that is too large is infinite, what is none has none."""
    if isinstance(number, np.ndarray) and number.ndim == 0:
        number = number.item()
    if not isinstance(number, Real):
        return None
    try:
        return float(number)
    except OverflowError:
        return float("inf")


def spectrum(name: str, **fields: Any) -> Kernel:
    """The scalar kernel of a spectrum with its parameters."""
    word(name, "name", *(each.replace("_", "-") for each in _spectra.__all__))
    known = {field: _shallow(value, field) for field, value in fields.items()}
    return Kernel({"kernel": "decomposable", "spectrum": {"name": name, **known}})


def _law(kernel: Kernel | str) -> dict[str, Any]:
    """The spectrum of a scalar kernel."""
    kernel = as_kernel(kernel)
    form = kernel.form
    if form["kernel"] != "decomposable" or form["output"] != {"name": "identity"}:
        raise ParameterError(f"kernel: expected a scalar kernel such as gaussian or matern(2.5), got {kernel}")
    return form["spectrum"]


def as_kernel(kernel: Kernel | str | Mapping[str, Any], name: str = "kernel") -> Kernel:
    """A kernel, from itself or from its expression; errors speak of the argument of that name."""
    if isinstance(kernel, Kernel):
        return kernel
    made = Kernel.__new__(Kernel)
    made._read(kernel, name)
    return made


def _shallow(values: Any, name: str) -> Any:
    """Numbers, words and lists, for the library to read; what is too deep for it is refused."""
    form = plain(values)
    if _depth(form) > DEEPEST:
        raise ParameterError(f"{name}: expected lists at most {DEEPEST} deep, got deeper ones")
    return form


def _depth(form: Any) -> int:
    """How many lists and tables are within each other."""
    inside = form.values() if isinstance(form, dict) else form if isinstance(form, list) else ()
    return 1 + max(map(_depth, inside), default=0) if isinstance(form, (dict, list)) else 0


def _rows(values: Any, name: str) -> Any:
    """The rows of a matrix, for the library to read; what is none is for the library to refuse."""
    if attribute(values, "__array__") is None:
        return _shallow(values, name)
    return plain(few(array(values, name, "a matrix given by its rows"), name))


def decomposable(kernel: Kernel | str = "gaussian", output: str | ArrayLike = "identity") -> Kernel:
    """k(x, z) Γ: one scalar kernel, outputs coupled by a constant operator.

    Parameters
    ----------
    kernel : Kernel or str
        The scalar kernel k.
    output : str or array-like of shape (p, p)
        Γ: a symmetric positive semi-definite matrix, or "identity", "covariance", "similarity(gamma, epsilon)",
        "laplacian([[…]], epsilon)".

    Examples
    --------
    >>> import numpy as np, orff
    >>> G = np.array([[2.0, 1.0], [1.0, 3.0]])
    >>> k = orff.decomposable(orff.gaussian(0.5), output=G)
    >>> bool(np.allclose(k([[0.1]])[0, 0], G))
    True
    """
    return Kernel({"kernel": "decomposable", "spectrum": _law(kernel), "output": _rows(output, "output")})


def curl_free(kernel: Kernel | str = "gaussian") -> Kernel:
    """−∇∇ᵀk: fields that are gradients of a potential.

    Examples
    --------
    >>> import numpy as np, orff
    >>> X = np.random.default_rng(0).normal(size=(4, 2))
    >>> both = orff.curl_free(orff.gaussian(0.5)) + orff.div_free(orff.gaussian(0.5))
    >>> K = both(X)[0, 1]  # −Δk·I
    >>> bool(abs(K[0, 1]) < 1e-12 and abs(K[0, 0] - K[1, 1]) < 1e-12)
    True
    """
    return Kernel({"kernel": "curl-free", "spectrum": _law(kernel)})


def div_free(kernel: Kernel | str = "gaussian") -> Kernel:
    """(∇∇ᵀ − ΔI)k: incompressible fields.

    Examples
    --------
    >>> import numpy as np, orff
    >>> orff.div_free(orff.gaussian(1.0))([[0.0, 0.0]])[0, 0].tolist()  # −k″(0) along each axis
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return Kernel({"kernel": "div-free", "spectrum": _law(kernel)})


def helmholtz(kernel: Kernel | str = "gaussian", gradient: float | str = "auto") -> Kernel:
    """w·curl-free + (1−w)·div-free; the share w of the gradient part is chosen by the evidence unless it is given.

    Examples
    --------
    >>> import numpy as np, orff
    >>> X = np.random.default_rng(0).normal(size=(4, 2))
    >>> k = orff.gaussian(0.5)
    >>> parts = 0.3 * orff.curl_free(k) + 0.7 * orff.div_free(k)
    >>> bool(np.allclose(orff.helmholtz(k, 0.3)(X), parts(X)))
    True
    """
    return Kernel({"kernel": "helmholtz", "spectrum": _law(kernel), "gradient": _shallow(gradient, "gradient")})


def transformable(kernel: Kernel | str, *views: ArrayLike) -> Kernel:
    """k(Tᵢx, Tⱼz): each output sees the inputs through its own matrix Tᵢ.

    Examples
    --------
    >>> import numpy as np, orff
    >>> X = np.random.default_rng(0).normal(size=(4, 2))
    >>> k = orff.gaussian(0.5)
    >>> K = orff.transformable(k, [[1.0, 0.0]], [[0.0, 1.0]])(X)  # the outputs see one input each
    >>> bool(np.allclose(K[:, :, 0, 1], k(X[:, :1], X[:, 1:])[:, :, 0, 0]))
    True
    """
    each = [_rows(view, "views") for view in views]
    return Kernel({"kernel": "transformable", "spectrum": _law(kernel), "views": each})


def atoms(omega: ArrayLike, factors: ArrayLike, weights: ArrayLike | None = None) -> Kernel:
    """Σⱼ aⱼ cos⟨x − z, ωⱼ⟩ BⱼBⱼᵀ, the atoms themselves.

    Parameters
    ----------
    omega : array-like of shape (D, d)
        Frequencies ωⱼ in rows.
    factors : array-like of shape (D, p, r) or (D·p, r)
        Factors Bⱼ.
    weights : array-like of shape (D,), optional
        aⱼ ≥ 0; 1/D each when left out.

    Examples
    --------
    >>> import numpy as np, orff
    >>> k = orff.atoms(omega=[[1.0, 2.0]], factors=[[[1.0], [3.0]]])
    >>> x, z = np.array([[0.1, 0.2]]), np.array([[0.4, -0.1]])
    >>> expected = np.cos((x - z) @ [1.0, 2.0])[0] * np.outer([1.0, 3.0], [1.0, 3.0])
    >>> bool(np.allclose(k(x, z)[0, 0], expected))
    True
    """
    omega, factors = _rows(omega, "omega"), _rows(factors, "factors")
    depth = np.ndim(np.array(factors, dtype=object)) if isinstance(factors, list) else 0
    if depth == 3:
        if isinstance(omega, list) and len(factors) != len(omega):
            raise ParameterError(f"factors: expected one for each of the {len(omega)} rows of omega, got {len(factors)}")
        factors = [row for factor in factors for row in factor]
    return Kernel({"kernel": "listed", "omega": omega, "factors": factors, "weights": _rows(weights, "weights")})


def conjugate(by: ArrayLike, of: Kernel | str) -> Kernel:
    """M K Mᵀ for a matrix M with a row per output.

    Examples
    --------
    >>> import numpy as np, orff
    >>> X = np.random.default_rng(0).normal(size=(4, 2))
    >>> k, M = orff.gaussian(0.5), np.array([[1.0], [2.0]])
    >>> bool(np.allclose(orff.conjugate(M, k)(X), k(X) * (M @ M.T)))
    True
    """
    return Kernel({"kernel": "conjugated", "by": _rows(by, "by"), "of": as_kernel(of, "of").form})


def precompose(by: ArrayLike, of: Kernel | str) -> Kernel:
    """K(T x, T z) for a matrix T with a column per input.

    Examples
    --------
    >>> import numpy as np, orff
    >>> X = np.random.default_rng(0).normal(size=(4, 2))
    >>> k, T = orff.gaussian(0.5), np.array([[1.0, 2.0]])
    >>> bool(np.allclose(orff.precompose(T, k)(X), k(X @ T.T)))
    True
    """
    return Kernel({"kernel": "precomposed", "by": _rows(by, "by"), "of": as_kernel(of, "of").form})


from . import _spectra  # noqa: E402  (made of `spectrum` above)
from ._spectra import *  # noqa: E402, F403
