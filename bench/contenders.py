"""Who does the work: each function prepares itself outside the clock and returns what is timed.

The data are N×d normal inputs and p smooth outputs with noise; every contender has the same number of columns, the
same lengthscale and an equivalent ridge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

RIDGE = 1e-3
"""λ of the mean loss; scikit-learn's alpha is nλ."""


@dataclass
class Setting:
    """The size of the work."""

    rows: int = 100_000
    inputs: int = 20
    columns: int = 2000
    outputs: int = 4
    dtype: str = "float64"

    @property
    def lengthscale(self) -> float:
        return float(np.sqrt(self.inputs))

    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """Inputs and outputs."""
        rng = np.random.default_rng(7)
        X = rng.standard_normal((self.rows, self.inputs), dtype=np.float32).astype(self.dtype)
        directions = rng.standard_normal((self.inputs, self.outputs)) / self.lengthscale
        Y = np.sin(X @ directions) + 0.1 * rng.standard_normal((self.rows, self.outputs))
        return X, Y.astype(self.dtype)


Work = Callable[[], object]


def orff_ridge(s: Setting, **given: object):
    import orff

    settings = {"n_components": s.columns, "lengthscale": s.lengthscale, "alpha": RIDGE, "posterior": False}
    return orff.OperatorRidge(**{**settings, **given})


def orff_fit(s: Setting) -> Work:
    (X, Y), model = s.data(), orff_ridge(s)
    return lambda: model.fit(X, Y)


def orff_predict(s: Setting) -> Work:
    X, Y = s.data()
    model = orff_ridge(s).fit(X[:4000], Y[:4000])
    return lambda: model.predict(X)


def orff_transform(s: Setting) -> Work:
    import orff

    X, _ = s.data()
    features = orff.FourierFeatures(n_components=s.columns, lengthscale=s.lengthscale).fit(X[:4000])
    return lambda: features.transform(X)


def orff_path(s: Setting) -> Work:
    (X, Y), model = s.data(), orff_ridge(s, alpha="evidence")
    return lambda: model.fit(X, Y)


def orff_leave_one_out(s: Setting) -> Work:
    (X, Y), model = s.data(), orff_ridge(s, alpha="loo")
    return lambda: model.fit(X, Y)


def orff_curl_free(s: Setting) -> Work:
    import orff

    X, Y = s.data()
    settings = {"n_components": s.columns, "lengthscale": s.lengthscale, "alpha": RIDGE, "posterior": False}
    model = orff.VectorField("curl-free", **settings)
    return lambda: model.fit(X, Y)


def orff_structured(s: Setting) -> Work:
    import orff

    X, _ = s.data()
    features = orff.FourierFeatures(n_components=s.columns, lengthscale=s.lengthscale, draw="structured").fit(X[:1000])
    return lambda: features.transform(X)


def orff_dense(s: Setting) -> Work:
    import orff

    X, _ = s.data()
    features = orff.FourierFeatures(n_components=s.columns, lengthscale=s.lengthscale, draw="iid").fit(X[:1000])
    return lambda: features.transform(X)


def sklearn_pipeline(s: Setting):
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    sampler = RBFSampler(gamma=0.5 / s.lengthscale**2, n_components=s.columns, random_state=0)
    return make_pipeline(sampler, Ridge(alpha=s.rows * RIDGE, solver="cholesky"))


def sklearn_fit(s: Setting) -> Work:
    (X, Y), model = s.data(), sklearn_pipeline(s)
    return lambda: model.fit(X, Y)


def sklearn_predict(s: Setting) -> Work:
    X, Y = s.data()
    model = sklearn_pipeline(s).fit(X[:4000], Y[:4000])
    return lambda: model.predict(X)


def sklearn_transform(s: Setting) -> Work:
    X, Y = s.data()
    sampler = sklearn_pipeline(s)[0].fit(X[:4000])
    return lambda: sampler.transform(X)


def nystroem_fit(s: Setting) -> Work:
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    X, Y = s.data()
    landmarks = Nystroem(gamma=0.5 / s.lengthscale**2, n_components=s.columns // 2, random_state=0)
    model = make_pipeline(landmarks, Ridge(alpha=s.rows * RIDGE, solver="cholesky"))
    return lambda: model.fit(X, Y)


def numpy_fit(s: Setting) -> Work:
    """As an expert would write it: blocked, in place, OpenBLAS' rank-k update, one Cholesky."""
    from scipy.linalg import cho_factor, cho_solve, get_blas_funcs

    X, Y = s.data()
    rng = np.random.default_rng(0)
    half = s.columns // 2
    omega = (rng.standard_normal((s.inputs, half)) / s.lengthscale).astype(s.dtype)
    block = 2048
    update = get_blas_funcs("syrk", dtype=s.dtype)

    def work() -> np.ndarray:
        gram = np.zeros((s.columns, s.columns), dtype=s.dtype, order="F")
        cross = np.zeros((s.columns, s.outputs), dtype=s.dtype)
        total, mean = np.zeros(s.columns, dtype=s.dtype), Y.mean(axis=0)
        C = np.empty((block, s.columns), dtype=s.dtype)
        angles = np.empty((block, half), dtype=s.dtype)
        for a in range(0, s.rows, block):
            n = min(block, s.rows - a)
            np.matmul(X[a : a + n], omega, out=angles[:n])
            np.cos(angles[:n], out=C[:n, :half])
            np.sin(angles[:n], out=C[:n, half:])
            gram = update(1.0, C[:n].T, beta=1.0, c=gram, overwrite_c=True, lower=True)
            cross += C[:n].T @ (Y[a : a + n] - mean)
            total += C[:n].sum(axis=0)
        total /= s.rows
        gram -= s.rows * np.outer(total, total)
        gram[np.diag_indices_from(gram)] += s.rows * RIDGE * half
        return cho_solve(cho_factor(gram, lower=True, overwrite_a=True), cross)

    return work


def blas_update(s: Setting) -> Work:
    """OpenBLAS' rank-k update of N×M alone, in the blocks that fit in memory."""
    from scipy.linalg import get_blas_funcs

    update = get_blas_funcs("syrk", dtype=s.dtype)
    block = 4000
    C = np.random.default_rng(0).standard_normal((block, s.columns)).astype(s.dtype)

    def work() -> np.ndarray:
        gram = np.zeros((s.columns, s.columns), dtype=s.dtype, order="F")
        for _ in range(s.rows // block):
            gram = update(1.0, C.T, beta=1.0, c=gram, overwrite_c=True, lower=True)
        return gram

    return work
